package objfile

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"sort"
)

// Editor plans changes of an object file and does not change it: the plan is a
// list of bytes to overwrite and of content to add at the end. Addresses
// are those of [File]. It is not safe for concurrent use.
//
// Relocations keep their number and kind, as tables of finished files have no
// room. A pointer is changed in its relocation or in place; a table is rotated
// together with the targets of its relocations.
type Editor struct {
	file    *File
	sites   []site // by address
	patches []Patch
	tail    []Content // after the end of the file, from tailStart on
	// tailStart is where the tail begins; zeros lie before it.
	tailStart int64
	format    formatEditor
	losses    []string

	// MoveHeaders allows edits after which GNU strip and objcopy would destroy
	// the file: see ErrNoHeader.
	MoveHeaders bool
}

// Patch is content that is written over that of a file.
type Patch struct {
	Offset  int64
	Content Content
}

// Plan is the changes of a file.
type Plan struct {
	Patches []Patch
	// Tail is the content of the file from TailStart on: after its end, with
	// zeros in the gap, or instead of its former content.
	Tail      []Content
	TailStart int64
}

// site is a relocation of a pointer, and the offsets of its fields.
type site struct {
	addr   uint64
	target int64 // file offset of the field that says which pointer, or -1
	addend int64 // file offset of the pointer's value, or -1: in the pointer
}

// formatEditor is the part of an edit that differs between formats.
type formatEditor interface {
	// targetSize is the bytes of the field of a relocation that says which
	// pointer it is for.
	targetSize() int
	// grow plans room for size bytes in the section, or in a segment, like
	// that of the image.
	grow(e *Editor, img Extent, size int64) (room, error)
	// moveSection plans that a section has size bytes at another offset of the file, and reports
	// whether it can.
	moveSection(e *Editor, section int, offset, size int64) bool
	// rotated is called when records of size bytes at addr were rotated, to
	// check that tables of relocations without a field for each still hold,
	// and to change the rotated bytes where relocations are part of them.
	rotated(e *Editor, addr uint64, size int, raw, rotated []byte) error
	// inPlace encodes a pointer that has no site.
	inPlace(e *Editor, addr, value uint64) ([]byte, error)
}

// room is space for code at the end of a file.
type room struct {
	addr   uint64
	before []Content // at Plan.TailStart, then the code
	after  []Content // after the code
	start  int64
	moved  int64 // content of the file from here on goes after the code; 0: none
}

// ErrNoRoom says that an image cannot grow in this kind of file.
var ErrNoRoom = errors.New("the new code is larger than the old, and this kind of file has no room for it: wrap it anew and relink")

// ErrNoHeader says that an image could grow in the file, but only with its
// program headers at another offset.
var ErrNoHeader = errors.New("the new code is larger than the old, and the file has no program header to spare for it: the headers would have to move, after which GNU strip and objcopy destroy the file (llvm-strip and llvm-objcopy do not)")

// NewEditor returns an editor of the file, which must have been read from the
// whole of data.
func NewEditor(data []byte) (*Editor, error) {
	c := codecOf(data)
	if c == nil {
		return nil, ErrUnknown
	}
	e, err := c.edit(data)
	if err != nil {
		return nil, err
	}
	e.file.sortSections()
	slices.SortStableFunc(e.sites, func(a, b site) int { return cmp.Compare(a.addr, b.addr) })
	return e, nil
}

// File is the file that is edited.
func (e *Editor) File() *File { return e.file }

// Plan returns the changes.
func (e *Editor) Plan() Plan { return Plan{e.patches, e.tail, e.tailStart} }

// Losses returns a sentence for each loss that the edit causes.
func (e *Editor) Losses() []string { return e.losses }

func (e *Editor) patch(offset int64, data []byte) {
	e.patches = append(e.patches, Patch{offset, Bytes(data)})
}

// Write plans other bytes at an address, which must be in the file and hold
// no pointer.
func (e *Editor) Write(addr uint64, data []byte) error { return e.WriteContent(addr, Bytes(data)) }

// WriteContent plans other content at an address, under the same rules.
func (e *Editor) WriteContent(addr uint64, c Content) error {
	if c.Size() == 0 {
		return nil
	}
	off, err := e.offset(addr, int(c.Size()))
	if err != nil {
		return err
	}
	e.patches = append(e.patches, Patch{off, c})
	return nil
}

// offset returns where n bytes at the address lie in the file.
func (e *Editor) offset(addr uint64, n int) (int64, error) {
	off, ok := e.file.Offset(addr)
	if !ok || len(e.file.filled(addr)) < n {
		return 0, &AddressError{addr, uint64(n), notMapped}
	}
	return off, nil
}

// siteAt returns the relocation of the pointer at an address.
func (e *Editor) siteAt(addr uint64) (site, bool) {
	i := sort.Search(len(e.sites), func(i int) bool { return e.sites[i].addr >= addr })
	if i == len(e.sites) || e.sites[i].addr != addr {
		return site{}, false
	}
	return e.sites[i], true
}

// SetPointer plans that the pointer at addr leads to value. A relocation keeps its symbol; only the
// addend changes.
func (e *Editor) SetPointer(addr, value uint64) error {
	width := e.file.Pointer
	raw := e.file.filled(addr)
	off, err := e.offset(addr, width)
	if err != nil {
		return err
	}
	now, err := e.file.View(addr, uint64(width))
	if err != nil {
		return err
	}
	// The change is added to the addend, wherever that is: it may count from a symbol, not from
	// zero.
	delta := value - e.file.readPointer(now)
	s, ok := e.siteAt(addr)
	if !ok {
		word, err := e.format.inPlace(e, addr, value)
		if err != nil {
			return err
		}
		e.patch(off, word)
		return nil
	}
	if s.addend >= 0 {
		e.patch(s.addend, e.Word(e.file.readPointer(e.file.data[s.addend:])+delta))
		if !bytes.Equal(raw[:width], now) { // the word itself is not used
			return nil
		}
	}
	e.patch(off, e.Word(e.file.readPointer(raw)+delta))
	return nil
}

// Word encodes an integer of a pointer's size.
func (e *Editor) Word(v uint64) []byte {
	b := make([]byte, e.file.Pointer)
	e.file.putPointer(b, v)
	return b
}

// Rotate plans that the first of count records of size bytes at addr goes after the last, with its
// relocations. The others move toward the start.
func (e *Editor) Rotate(addr uint64, size, count int) error {
	if count < 2 {
		return nil
	}
	length := size * count
	off, err := e.offset(addr, length)
	if err != nil {
		return err
	}
	raw := e.file.filled(addr)[:length]
	rotated := append(bytes.Clone(raw[size:]), raw[:size]...)
	for _, s := range e.sitesIn(addr, uint64(length)) {
		if s.target < 0 {
			continue
		}
		to := addr + (s.addr-addr+uint64(length-size))%uint64(length)
		e.moveSite(s, to-s.addr)
	}
	if err := e.format.rotated(e, addr, size, raw, rotated); err != nil {
		return err
	}
	e.patch(off, rotated)
	return nil
}

// sitesIn returns the relocations of pointers in a range.
func (e *Editor) sitesIn(addr, length uint64) []site {
	first := sort.Search(len(e.sites), func(i int) bool { return e.sites[i].addr >= addr })
	last := sort.Search(len(e.sites), func(i int) bool { return e.sites[i].addr >= addr+length })
	return e.sites[first:max(first, last)]
}

// moveSite plans that a relocation is for the pointer at delta bytes higher, modulo the size of an
// address.
func (e *Editor) moveSite(s site, delta uint64) {
	field := bytes.Clone(e.file.data[s.target:][:e.format.targetSize()])
	if len(field) == 8 {
		binary.LittleEndian.PutUint64(field, binary.LittleEndian.Uint64(field)+delta)
	} else {
		binary.LittleEndian.PutUint32(field, binary.LittleEndian.Uint32(field)+uint32(delta))
	}
	e.patch(s.target, field)
}

// errPattern says that records differ in which of their pointers are null,
// and so in their relocations.
var errPattern = errors.New("the images of this file differ in which tables they have (one lacks entries or properties), and its relocations cannot be rearranged for that: wrap them anew and relink")

// samePattern checks that all records have their null words at the same places, and so their
// relocations, in which case rotating the records moves no relocation.
func samePattern(raw []byte, size, width int) error {
	for at := size; at < len(raw); at += width {
		if isZero(raw[at:at+width]) != isZero(raw[at-size:at-size+width]) {
			return errPattern
		}
	}
	return nil
}

func isZero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

// Extent is where an image lies.
type Extent struct{ Addr, Size uint64 }

// Grow plans room for the code at the end of the file, in the section of the
// image that it replaces or in a segment like it, and returns the address of
// the code.
func (e *Editor) Grow(img Extent, code Content) (uint64, error) {
	if len(e.tail) > 0 {
		return 0, errors.New("one image grows at a time")
	}
	r, err := e.format.grow(e, img, code.Size())
	if err != nil {
		return 0, err
	}
	e.tailStart = r.start
	e.tail = append(append(r.before, code), r.after...)
	return r.addr, nil
}

// Zeros is content of so many zeros.
type Zeros int64

// ReadAt implements [io.ReaderAt].
func (z Zeros) ReadAt(p []byte, off int64) (int, error) {
	n := int(min(int64(len(p)), max(int64(z)-off, 0)))
	clear(p[:n])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Size is the length in bytes.
func (z Zeros) Size() int64 { return int64(z) }

// imageAlign is the alignment of image bytes.
const imageAlign = 16

// movedSection returns the content of a section that is moved to the end of the file, and the offset
// in it for a new image. The old image is zeros, and the new one comes after everything else, so that
// all other offsets in the section stay.
func movedSection(s *FileSection, img Extent) (content []Content, offset int64) {
	at := img.Addr - s.Addr
	offset = alignUp(int64(len(s.Data)), imageAlign)
	return []Content{Bytes(s.Data[:at]), Zeros(img.Size), Bytes(s.Data[at+img.Size:]), Zeros(offset - int64(len(s.Data)))}, offset
}

// sectionOf returns the number of the section that the image lies in, or -1.
func (f *File) sectionOf(img Extent) int {
	return slices.IndexFunc(f.Sections, func(s FileSection) bool {
		return s.Alloc && img.Addr >= s.Addr && img.Addr-s.Addr <= uint64(len(s.Data)) && img.Size <= uint64(len(s.Data))-(img.Addr-s.Addr)
	})
}
