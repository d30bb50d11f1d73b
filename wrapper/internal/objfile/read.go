package objfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sort"
	"sync/atomic"
)

// File is an object file or a linked program or library, seen through its
// addresses: the bytes at an address, with pointers as a loader stores them if
// it loads the file at its own addresses. The sections of a relocatable
// file, which has no addresses yet, are laid out one after another with gaps
// between, so that an end of one is never the start of the next.
//
// File implements abi.Memory. It shares the bytes it was read from and is
// safe for concurrent use.
type File struct {
	Format  Format
	Machine string // "x86_64", "aarch64", "riscv64", "i386", or a number
	Pointer int    // bytes of a pointer: 4 or 8
	// Linked tells a program or a library from a relocatable object.
	Linked   bool
	Sections []FileSection

	data    []byte
	byAddr  []*FileSection  // those that are allocated and not empty
	regions []region        // by address, disjoint
	fixups  iter.Seq[fixup] // nil for none
	patches []patch         // by address, disjoint
	copied  atomic.Uint64   // bytes that View had to copy
}

// FileSection is a section as its header describes it. In a relocatable file
// Addr is the address that the reader gave it.
type FileSection struct {
	Addr   uint64
	Offset int64  // in the file
	Data   []byte // in the file: shorter than the section where zeros follow
	Alloc  bool   // present when the program runs
	Exec   bool
	// Compressed says that Data is not the section's content: a header and
	// compressed bytes (SHF_COMPRESSED).
	Compressed bool
	Plain      bool // content of the program and not a table of the linker

	name   []byte // begins with the name, which ends at a NUL
	prefix string // of the name: the segment of a Mach-O section and a comma
}

// maxSectionName bounds the names that Name returns.
const maxSectionName = 4096

// Name returns the section's name, cut at 4096 bytes.
func (s *FileSection) Name() string {
	name := s.name[:min(len(s.name), maxSectionName)]
	if end := bytes.IndexByte(name, 0); end >= 0 {
		name = name[:end]
	}
	return s.prefix + string(name)
}

// Named reports whether that is the section's whole name. It looks no further than it must, and
// neither does HasPrefix: a hostile name table can make every name as long as the file.
func (s *FileSection) Named(name string) bool {
	rest, ok := s.cutPrefix(name)
	return ok && (len(rest) == 0 || rest[0] == 0)
}

// HasPrefix reports whether the section's name begins with prefix.
func (s *FileSection) HasPrefix(prefix string) bool {
	_, ok := s.cutPrefix(prefix)
	return ok
}

// cutPrefix returns the rest of the section's name after the prefix, if the name begins with it.
func (s *FileSection) cutPrefix(name string) ([]byte, bool) {
	if len(name) < len(s.prefix) || name[:len(s.prefix)] != s.prefix {
		return nil, false
	}
	return bytes.CutPrefix(s.name, []byte(name[len(s.prefix):]))
}

// FormatError is a fault of an object file.
type FormatError struct {
	Format Format
	Offset int64 // where in the file, or -1
	Msg    string
}

// Error states the place, since the files are often hostile or damaged.
func (e *FormatError) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("malformed %s file: %s", e.Format, e.Msg)
	}
	return fmt.Sprintf("malformed %s file: at offset %#x: %s", e.Format, e.Offset, e.Msg)
}

// ErrUnknown says that bytes are not an object file of a format that is read.
var ErrUnknown = errors.New("not an object file (" + FormatNames() + ")")

// Spans returns the ranges that may hold the tables of a wrapped object: the
// sections that are loaded and are not code, or all that is loaded where the
// section headers were stripped. Sections for which skip holds are left out;
// nil skips none.
func (f *File) Spans(skip func(*FileSection) bool) []Span {
	var spans []Span
	for _, s := range f.byAddr {
		if !s.Exec && s.Plain && !s.HasPrefix(".eh_frame") && (skip == nil || !skip(s)) {
			spans = append(spans, Span{s.Addr, s.Data})
		}
	}
	if len(f.byAddr) == 0 {
		for _, r := range f.regions {
			spans = append(spans, Span{r.addr, r.data})
		}
	}
	return spans
}

// Span is bytes of the file, without relocations, at an address.
type Span struct {
	Addr uint64
	Data []byte
}

// Size is the length of the whole file in bytes.
func (f *File) Size() int { return len(f.data) }

// SectionAt returns the allocated section that holds address addr, or nil.
func (f *File) SectionAt(addr uint64) *FileSection {
	i := sort.Search(len(f.byAddr), func(i int) bool { return f.byAddr[i].Addr > addr })
	if i == 0 || addr-f.byAddr[i-1].Addr >= uint64(len(f.byAddr[i-1].Data)) {
		return nil
	}
	return f.byAddr[i-1]
}

// sortSections makes the list that SectionAt searches.
func (f *File) sortSections() {
	for i := range f.Sections {
		if s := &f.Sections[i]; s.Alloc && len(s.Data) > 0 {
			f.byAddr = append(f.byAddr, s)
		}
	}
	slices.SortStableFunc(f.byAddr, func(a, b *FileSection) int { return cmp.Compare(a.Addr, b.Addr) })
}

// input is the bytes of a file with bounds-checked access.
type input struct {
	format Format
	data   []byte
}

func (in *input) errorf(offset int64, format string, args ...any) error {
	return &FormatError{in.format, offset, fmt.Sprintf(format, args...)}
}

// slice returns n bytes from offset off.
func (in *input) slice(off, n uint64, what string) ([]byte, error) {
	if size := uint64(len(in.data)); off > size || n > size-off {
		return nil, in.errorf(-1, "%s: %#x bytes at offset %#x lie past the end of the file (%#x bytes)", what, n, off, size)
	}
	return in.data[off : off+n : off+n], nil
}

// table returns count records of size bytes from offset off.
func (in *input) table(off, count, size uint64, what string) ([]byte, error) {
	if size != 0 && count > uint64(len(in.data))/size {
		return nil, in.errorf(-1, "%s: %d records of %d bytes are more than the file holds (%#x bytes)", what, count, size, len(in.data))
	}
	return in.slice(off, count*size, what)
}
