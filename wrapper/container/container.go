// Package container reads and edits the envelopes of device images other than
// descriptor tables in host objects: LLVM's OffloadBinary, the bundles of
// clang-offload-bundler, SYCLBIN, CUDA fat binaries, and their compressed
// forms, a file each.
//
// Every reader takes the bytes of the whole envelope, checks each offset
// against them, and returns entries that share them. Envelopes may hold
// envelopes, and the caller walks into those (wrapper.Unwrap).
//
// Files are hostile: a [Budget] bounds the bytes that compressed parts of a
// file inflate to, in all, and decides where these lie. Nothing is inflated
// whose header promises more than is left.
package container

import (
	"encoding/binary"
	"fmt"

	"offlink/wrapper/devimg"
)

// Form is a kind of envelope.
type Form string

// The forms.
const (
	None             Form = ""
	OffloadBinary    Form = "OffloadBinary"
	FatBinary        Form = "CUDA fat binary"
	Bundle           Form = "clang offload bundle"
	BundleText       Form = "clang offload bundle (text)"
	BundleCompressed Form = "clang offload bundle (compressed)"
	SYCLBIN          Form = "SYCLBIN"
)

// Entry is one part of an envelope.
type Entry struct {
	devimg.Image
	Form Form // of its envelope
	// Name tells the entry from others of its envelope: a bundle's id, a
	// triple.
	Name string
	// Host marks an entry for the host, which is not a device image but may
	// hold some.
	Host bool
	// Data is the bytes of Image.Code, as the envelope has them. Offset is where they begin in the
	// bytes that were read, or -1 where these hold them compressed.
	Data   []byte
	Offset int64
	// Envelope is the bytes of its envelope, without those that follow it.
	Envelope []byte
	// Strings are those of the envelope that no field of an image has.
	Strings []String
}

// String is a key and its value, in the envelope's order.
type String struct{ Key, Value string }

// setCode sets the code of an entry to n bytes of data from offset off.
func (e *Entry) setCode(data []byte, off, n uint64) {
	e.Data, e.Offset = data[off:off+n:off+n], int64(off)
	e.Image.Code = devimg.Bytes(e.Data)
}

// inFile changes an entry that was read from inflated bytes: its code is in these, and not in the
// envelope's own bytes.
func (e *Entry) inFile(g grown) {
	if e.Offset >= 0 {
		e.Image.Code = WrapCode(e.Image.Code, func(devimg.Code) devimg.Code { return devimg.Section(g.code, e.Offset, int64(len(e.Data))) })
	}
	e.Offset = -1
}

// FormatError is a fault of an envelope.
type FormatError struct {
	Form   Form
	Offset int64 // in the envelope's bytes
	Msg    string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("malformed %s: at offset %#x: %s", e.Form, e.Offset, e.Msg)
}

// Sniff returns the form that the first bytes show, or None.
func Sniff(data []byte) Form {
	for _, f := range forms {
		if f.is(data) {
			return f.form
		}
	}
	return None
}

var forms = []struct {
	form Form
	is   func([]byte) bool
}{
	{OffloadBinary, isOffloadBinary},
	{FatBinary, isFatBinary},
	{Bundle, isBundle},
	{BundleText, isBundleText},
	{BundleCompressed, isCompressedBundle},
	{SYCLBIN, isSYCLBIN},
}

// FirstEnvelope returns where the first envelope begins: after zeros, which an edit leaves when it
// moves an envelope away. If there are only zeros, it returns 0.
func FirstEnvelope(data []byte) int {
	at := 0
	for at < len(data) && data[at] == 0 {
		at++
	}
	if at == len(data) {
		return 0
	}
	return at
}

// Read returns the entries of the envelope in data, and of those that follow it, as linkers
// concatenate envelopes. Inflated bytes are taken off the budget.
func Read(data []byte, b *Budget) ([]Entry, error) {
	var entries []Entry
	for at := FirstEnvelope(data); at < len(data); {
		form := Sniff(data[at:])
		if form == None {
			return entries, checkPadding(data, at)
		}
		n, found, err := readOne(form, data[at:], b)
		if err != nil {
			return nil, err
		}
		for i := range found {
			found[i].Form, found[i].Envelope = form, data[at:at+n:at+n]
			if found[i].Offset >= 0 {
				found[i].Offset += int64(at)
			}
		}
		entries = append(entries, found...)
		at += n
		for at < len(data) && data[at] == 0 { // alignment
			at++
		}
	}
	return entries, nil
}

// checkPadding accepts only the line ends of a text and spaces where no envelope begins.
func checkPadding(data []byte, at int) error {
	if at == 0 {
		return &FormatError{"envelope", 0, "no envelope of a known form"}
	}
	for i, c := range data[at:] {
		if c != '\n' && c != '\r' && c != ' ' {
			return &FormatError{"envelope", int64(at + i), "bytes that are not another envelope"}
		}
	}
	return nil
}

// readOne reads the first envelope in data and returns its length.
func readOne(form Form, data []byte, b *Budget) (int, []Entry, error) {
	switch form {
	case OffloadBinary:
		return readOffloadBinary(data, b)
	case FatBinary:
		return readFatBinary(data)
	case Bundle:
		return readBundle(data)
	case BundleText:
		return readBundleText(data)
	case BundleCompressed:
		return readCompressedBundle(data, b)
	default:
		return readSYCLBIN(data)
	}
}

// reader gives bounds-checked access to the bytes of an envelope.
type reader struct {
	form  Form
	data  []byte
	spent uint64 // bytes that became copies
}

// spend counts bytes that are copied. Tables of a hostile file may name the same bytes any number
// of times.
func (r *reader) spend(n int) error {
	if r.spent += uint64(n); r.spent > 4*uint64(len(r.data))+1<<20 {
		return r.errorf(0, "its tables name the same bytes many times over")
	}
	return nil
}

func (r *reader) errorf(off uint64, format string, args ...any) error {
	return &FormatError{r.form, int64(off), fmt.Sprintf(format, args...)}
}

// slice returns n bytes from offset off. The error names the part by the last argument.
func (r *reader) slice(off, n uint64, what string) ([]byte, error) {
	if size := uint64(len(r.data)); off > size || n > size-off {
		return nil, r.errorf(min(off, size), "%s: %d bytes at %#x of %d", what, n, off, size)
	}
	return r.data[off : off+n : off+n], nil
}

// table returns count records of size bytes each. The count is checked first, so that the product
// cannot overflow.
func (r *reader) table(off, count, size uint64, what string) ([]byte, error) {
	if count > uint64(len(r.data))/size {
		return nil, r.errorf(min(off, uint64(len(r.data))), "%s: %d records of %d bytes in %d", what, count, size, len(r.data))
	}
	return r.slice(off, count*size, what)
}

func u16(b []byte, at int) uint16 { return binary.LittleEndian.Uint16(b[at:]) }
func u32(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
func u64(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
