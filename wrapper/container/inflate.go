package container

import (
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"

	"offlink/wrapper/devimg"
)

// ErrBudget says that compressed bytes grow past the limit. If the file is to be trusted, the
// limit may be raised; a program says how.
var ErrBudget = errors.New("it grows past the limit for compressed data")

// maxWindow is the largest window of zstd that its own tool makes (-22). Clang asks for it in large
// bundles.
const maxWindow = 1 << 27

// IsZstd reports whether data begins a zstd frame.
func IsZstd(data []byte) bool { return len(data) >= 4 && u32(data, 0) == 0xFD2FB528 }

// idleDecoders holds a decoder of zstd whose window can be used again. There is one, whatever the
// number of processors: a decoder keeps the largest window that it had, and a sync.Pool would keep
// some for each processor.
var idleDecoders = make(chan *zstd.Decoder, 1)

// takeDecoder takes the idle decoder, or makes a new one.
func takeDecoder() *zstd.Decoder {
	select {
	case d := <-idleDecoders:
		return d
	default:
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxWindow))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
}

// putDecoder gives a decoder back; it is closed if another one is idle already.
func putDecoder(d *zstd.Decoder) error {
	err := d.Reset(nil)
	select {
	case idleDecoders <- d:
	default:
		d.Close()
	}
	return err
}

// zstdReader is a decoder that Close gives back.
type zstdReader struct{ *zstd.Decoder }

func (r zstdReader) Close() error { return putDecoder(r.Decoder) }

func newInflater(r io.Reader, isZstd bool) (io.ReadCloser, error) {
	if !isZstd {
		return zlib.NewReader(r)
	}
	d := takeDecoder()
	if err := d.Reset(r); err != nil {
		return nil, err
	}
	return zstdReader{d}, nil
}

// copyInflated writes the bytes that zstd or zlib data inflates to. It stops one byte after the
// limit, so that the caller can tell that there are more.
func copyInflated(w io.Writer, r io.Reader, isZstd bool, limit int64) (int64, error) {
	source, err := newInflater(r, isZstd)
	if err != nil {
		return 0, err
	}
	defer source.Close()
	return io.Copy(w, io.LimitReader(source, limit+1))
}

// inflatedCode is the uncompressed code of a compressed image. It is inflated whenever it is read,
// and not held. Code that is read in order is inflated once. It is safe for concurrent use.
type inflatedCode struct {
	packed devimg.Code
	size   int64

	mu     sync.Mutex
	source io.ReadCloser // at the offset; nil: at none
	at     int64
}

// Size is the size that the header promises; reading fails if the content has another size.
func (c *inflatedCode) Size() int64 { return c.size }

func (c *inflatedCode) openSource() (io.ReadCloser, error) {
	return newInflater(io.NewSectionReader(c.packed, 0, c.packed.Size()), true)
}

// CopyTo writes all of the code.
func (c *inflatedCode) CopyTo(w io.Writer) (int64, error) {
	source, err := c.openSource()
	if err != nil {
		return 0, err
	}
	defer source.Close()
	n, err := io.Copy(w, io.LimitReader(source, c.size+1))
	if err == nil && n != c.size {
		err = c.sizeError()
	}
	return n, err
}

func (c *inflatedCode) sizeError() error {
	return fmt.Errorf("the compressed code does not grow to the %d bytes that its header promises", c.size)
}

// ReadAt implements [io.ReaderAt].
func (c *inflatedCode) ReadAt(p []byte, off int64) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if off >= c.size {
		return 0, io.EOF
	}
	want := p[:min(int64(len(p)), c.size-off)]
	if err := c.seekTo(off); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(c.source, want)
	if c.at += int64(n); err != nil {
		c.closeSource()
		return n, c.readError(err)
	}
	if c.at == c.size { // the checksum comes after the last byte
		var past [1]byte
		_, err := io.ReadFull(c.source, past[:])
		c.closeSource()
		if err != io.EOF {
			return n, c.readError(err)
		}
	}
	if len(want) < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// readError turns the end of the content, where more was promised or less, into an error about the
// size.
func (c *inflatedCode) readError(err error) error {
	if err == nil || err == io.EOF || err == io.ErrUnexpectedEOF {
		return c.sizeError()
	}
	return err
}

// seekTo moves the source to an offset. Inflation only goes forward: for an offset before the
// current one, it begins again.
func (c *inflatedCode) seekTo(off int64) error {
	if c.source != nil && c.at > off {
		c.closeSource()
	}
	if c.source == nil {
		source, err := c.openSource()
		if err != nil {
			return err
		}
		c.source, c.at = source, 0
	}
	noteOpen(c)
	n, err := io.CopyN(io.Discard, c.source, off-c.at)
	if c.at += n; err != nil {
		c.closeSource()
		return c.readError(err)
	}
	return nil
}

// closeSource gives the decoder back; the next read begins again.
func (c *inflatedCode) closeSource() {
	noteClosed(c)
	c.source.Close()
	c.source = nil
}

// InflateImage returns the uncompressed code of an image of FormatCompressedNone. It is inflated as
// it is read, and must have the size that the header of the frame promises, which is taken off the
// budget. A frame without a size is inflated once to find its size.
func InflateImage(c devimg.Code, b *Budget) (devimg.Code, error) {
	var head [4]byte
	if n, _ := c.ReadAt(head[:], 0); !IsZstd(head[:n]) {
		return nil, fmt.Errorf("the image is marked as compressed and does not begin with a zstd frame")
	}
	size, known := promisedSize(c)
	if known && size > b.left {
		return nil, ErrBudget
	}
	if large, err := inflateLargeWindow(c, size, known, b); large != nil || err != nil {
		return large, err
	}
	if !known {
		source, err := newInflater(io.NewSectionReader(c, 0, c.Size()), true)
		if err != nil {
			return nil, err
		}
		defer source.Close()
		if size, err = io.Copy(io.Discard, io.LimitReader(source, b.left+1)); err != nil {
			return nil, err
		}
	}
	if err := b.take(size); err != nil {
		return nil, err
	}
	return &inflatedCode{packed: c, size: size}, nil
}

// promisedSize returns the sum of the sizes in the headers of the zstd frames in c, if all of them
// state one.
func promisedSize(c devimg.Code) (size int64, known bool) {
	for at := int64(0); at < c.Size(); {
		var head [zstd.HeaderMaxSize]byte
		n, _ := c.ReadAt(head[:], at)
		var h zstd.Header
		if h.Decode(head[:n]) != nil {
			return 0, false
		}
		if at += int64(h.HeaderSize); h.Skippable {
			at += int64(h.SkippableSize)
			continue
		}
		if !h.HasFCS || h.FrameContentSize > 1<<62-uint64(size) {
			return 0, false
		}
		size += int64(h.FrameContentSize)
		if at = frameEnd(c, at); at < 0 {
			return 0, false
		}
		if h.HasCheckSum {
			at += 4
		}
	}
	return size, true
}

// frameEnd returns where the blocks of a frame end that begin at an offset, or -1 if they are cut
// off. A block has a header of 3 bytes: bit 0 marks the last block, bits 1 and 2 are the type, and
// the others are the size. Type 1 is one byte that is repeated.
func frameEnd(c devimg.Code, at int64) int64 {
	for {
		var head [3]byte
		if n, _ := c.ReadAt(head[:], at); n < len(head) {
			return -1
		}
		word := uint32(head[0]) | uint32(head[1])<<8 | uint32(head[2])<<16
		size := int64(word >> 3)
		if word>>1&3 == 1 {
			size = 1
		}
		if at += 3 + size; word&1 == 1 {
			return at
		}
	}
}

// Peek fills head with the first bytes that a zstd image inflates to, without inflating the rest,
// and returns how many there were. It is safe for concurrent use: each call has a decoder of its
// own.
func Peek(c devimg.Code, head []byte) (int, error) {
	source, err := newInflater(io.NewSectionReader(c, 0, c.Size()), true)
	if err != nil {
		return 0, err
	}
	defer source.Close()
	n, err := io.ReadFull(source, head)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return n, err
}
