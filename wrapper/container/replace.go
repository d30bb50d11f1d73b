package container

import (
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"github.com/klauspost/compress/zstd"

	"offlink/wrapper/devimg"
)

// Replace returns the bytes of the envelopes in data with other code of entry n, counted as Read
// counts them, or without that entry if code is nil. The bytes are a list of pieces, most of them
// shared with data.
func Replace(data []byte, n int, code devimg.Code, b *Budget) ([]devimg.Code, error) {
	return replaceWith(spliceEnvelope, data, n, code, b)
}

// ReplaceInPlace is [Replace] for envelopes that pointers lead to, so that those which follow must
// stay where they are. An edited envelope must not be larger than it was together with the padding
// after it; otherwise the error is a *[RoomError]. The last one may grow if lastGrows is true.
func ReplaceInPlace(data []byte, n int, code devimg.Code, lastGrows bool, b *Budget) ([]devimg.Code, error) {
	return replaceWith(inPlace{lastGrows}.splice, data, n, code, b)
}

// splicer makes the envelope of size bytes at an offset again, with other code of its entry n, and
// returns all of data with it.
type splicer func(data []byte, at, size int, form Form, n int, code devimg.Code, b *Budget) ([]devimg.Code, error)

func replaceWith(splice splicer, data []byte, n int, code devimg.Code, b *Budget) ([]devimg.Code, error) {
	for at := FirstEnvelope(data); at < len(data); {
		form := Sniff(data[at:])
		if form == None {
			break
		}
		size, entries, err := readOne(form, data[at:], b.Restart())
		if err != nil {
			return nil, err
		}
		if n < len(entries) {
			return splice(data, at, size, form, n, code, b)
		}
		n -= len(entries)
		for at += size; at < len(data) && data[at] == 0; at++ {
		}
	}
	return nil, errors.New("there is no such entry")
}

// spliceEnvelope makes one envelope among others again.
func spliceEnvelope(data []byte, at, size int, form Form, n int, code devimg.Code, b *Budget) ([]devimg.Code, error) {
	pieces, err := rebuildEnvelope(form, data[at:at+size], n, code, b.Restart())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", form, err)
	}
	all := append([]devimg.Code{devimg.Bytes(data[:at])}, pieces...)
	return append(all, devimg.Bytes(data[at+size:])), nil
}

// RoomError says that an envelope cannot become larger in its place.
type RoomError struct {
	Form Form
	// Offset is where the envelope begins, Have its bytes with the padding.
	Offset, Have int64
	// Edited is the larger envelope.
	Edited []devimg.Code
}

// Need returns the size of the larger envelope in bytes.
func (e *RoomError) Need() int64 { return sizeOf(e.Edited) }

func (e *RoomError) Error() string {
	return fmt.Sprintf("the %s would have %d bytes, and there is room for %d: pointers lead to the envelopes after it, so that larger code must be linked anew", e.Form, e.Need(), e.Have)
}

type inPlace struct{ lastGrows bool }

// splice makes one envelope among others again, at its own offset, and fills up its room with
// zeros.
func (o inPlace) splice(data []byte, at, size int, form Form, n int, code devimg.Code, b *Budget) ([]devimg.Code, error) {
	made, err := rebuildEnvelope(form, data[at:at+size], n, code, b.Restart())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", form, err)
	}
	room := size
	for at+room < len(data) && data[at+room] == 0 {
		room++
	}
	p := pieces{list: []devimg.Code{devimg.Bytes(data[:at])}}
	for _, c := range made {
		p.appendCode(c)
	}
	switch last := at+room == len(data); {
	case p.size <= int64(room):
		p.appendBytes(make([]byte, int64(room)-p.size))
	case !last || !o.lastGrows:
		return nil, &RoomError{form, int64(at), int64(room), made}
	}
	p.appendBytes(data[at+room:])
	return p.list, nil
}

// rebuildEnvelope makes one envelope again, of its own form and version.
func rebuildEnvelope(form Form, data []byte, n int, code devimg.Code, b *Budget) ([]devimg.Code, error) {
	switch form {
	case OffloadBinary:
		return rebuildOffloadBinary(data, n, code, b)
	case FatBinary:
		return rebuildFatBinary(data, n, code)
	case Bundle:
		return rebuildBundle(data, n, code)
	case BundleText:
		return rebuildBundleText(data, n, code)
	case BundleCompressed:
		return rebuildCompressedBundle(data, n, code, b)
	}
	return rebuildSYCLBIN(data, n, code)
}

// pieces collects the bytes of an envelope while it is made.
type pieces struct {
	list []devimg.Code
	size int64
}

func (p *pieces) appendCode(c devimg.Code) {
	p.list = append(p.list, c)
	p.size += c.Size()
}

func (p *pieces) appendBytes(b []byte) { p.appendCode(devimg.Bytes(b)) }

func (p *pieces) appendPadding(align int64) { p.appendBytes(make([]byte, -p.size&(align-1))) }

// sizeOf returns the length of all pieces.
func sizeOf(list []devimg.Code) (n int64) {
	for _, c := range list {
		n += c.Size()
	}
	return n
}

// writeAll writes the pieces without holding them in memory: many are parts of a mapping.
func (b *Budget) writeAll(w io.Writer, list []devimg.Code) error {
	for _, c := range list {
		if _, err := io.Copy(w, &releasing{io.NewSectionReader(c, 0, c.Size()), b, 0}); err != nil {
			return err
		}
	}
	return nil
}

// deflateWindow bounds the window, and so the memory, of data that is compressed again.
const deflateWindow = 8 << 20

// deflate compresses pieces by the method of the old data, and as small as it can, since the result
// may have to fit where the old data was. Code for several processors repeats itself at long
// distances, which the window has to cover.
func (b *Budget) deflate(w io.Writer, list []devimg.Code, isZstd bool) error {
	// The encoder's tables take 34 MB. They would stay until the heap is twice
	// as large, while the edited file is read back.
	defer debug.FreeOSMemory()
	if !isZstd {
		z, err := zlib.NewWriterLevel(w, zlib.BestCompression)
		if err != nil {
			return err
		}
		return errors.Join(b.writeAll(z, list), z.Close())
	}
	window := zstd.MinWindowSize
	for int64(window) < sizeOf(list) && window < deflateWindow {
		window *= 2
	}
	// One goroutine: the bytes must not depend on the machine.
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true),
		zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(window))
	if err != nil {
		return err
	}
	return errors.Join(b.writeAll(z, list), z.Close())
}

// replaced returns the codes with another at n, or without that one.
func replaced(codes []devimg.Code, n int, code devimg.Code) []devimg.Code {
	codes = slices.Clone(codes)
	if code == nil {
		return slices.Delete(codes, n, n+1)
	}
	codes[n] = code
	return codes
}
