package objfile

import (
	"bytes"
	"io"
	"math/bits"
	"slices"
)

// Machine is the instruction set of an object file.
type Machine uint8

// The machines that objects are written for.
const (
	X86_64 Machine = iota + 1
	AArch64
	RISCV64
	I386
)

// String returns the machine as target triples spell it.
func (m Machine) String() string { return [...]string{"?", "x86_64", "aarch64", "riscv64", "i386"}[m] }

// PointerSize returns the size of a pointer in bytes.
func (m Machine) PointerSize() int {
	if m == I386 {
		return 4
	}
	return 8
}

// Object is a relocatable object file that is to be written by [Object.Write]. Sections and symbols
// refer to each other by pointer.
type Object struct {
	Format   Format
	Machine  Machine
	Sections []*ObjectSection
	Symbols  []*ObjectSymbol
	// MacOS is the oldest macOS that the object is for, for Mach-O.
	MacOS [2]uint8
}

// ObjectSection is a section to be written.
type ObjectSection struct {
	// Name is the name of the section; in Mach-O "segment,section".
	Name  string
	Use   Use
	Align int // a power of two
	// Pieces are the contents, one after another from multiples of Align on.
	Pieces []Content
	Fixups []Fixup

	offsets []int64 // of the pieces in the section
	size    int64
}

// Content is bytes that are copied into the file: by CopyTo if it is a [Copier], else by ReadAt.
type Content interface {
	io.ReaderAt
	// Size is the length in bytes.
	Size() int64
}

// Copier copies itself. At best the bytes do not pass through the process, as with copy_file_range
// between files.
type Copier interface {
	CopyTo(w io.Writer) (int64, error)
}

// Bytes is content in memory. In formats that keep addends in place, the writer stores them into
// it.
type Bytes []byte

// ReadAt implements [io.ReaderAt].
func (b Bytes) ReadAt(p []byte, off int64) (int, error) { return bytes.NewReader(b).ReadAt(p, off) }

// Size returns the length.
func (b Bytes) Size() int64 { return int64(len(b)) }

// Use is the purpose of a section; it decides type and flags.
type Use uint8

// The uses of sections.
const (
	UseCode               Use = iota + 1
	UseStrings                // NUL-terminated, equal ones may be merged
	UseData                   // read-only
	UseRelocatedData          // read-only once the loader has relocated it
	UseRetainedData           // relocated data that no linker drops
	UseLargeData              // read-only, farther from code than 2 GiB (x86-64 ELF)
	UseConstructors           // function pointers that run at start
	UseDestructors            // and at exit
	UseEntries                // a linker-made array: kept, between __start_ and __stop_ symbols
	UseNote                   // an allocated ELF note
	UseNonExecutableStack     // the empty section that says so (ELF)
)

// ObjectSymbol is a symbol to be written.
type ObjectSymbol struct {
	Name    string
	Section *ObjectSection // nil: defined elsewhere
	Offset  int64          // in the section
	Size    int64
	Global  bool
	Hidden  bool // not visible outside the linked file
	Func    bool

	index uint32 // in the symbol table
}

// FixupKind is the computation of a relocation.
type FixupKind uint8

// The kinds, and the machines that have them.
const (
	FixupPointer      FixupKind = iota + 1 // address, of a pointer's size
	FixupPC32                              // distance from the end of the field, in 32 bits: x86-64
	FixupCall                              // branch to a function that may be elsewhere: all
	FixupPage21                            // adrp: AArch64
	FixupPageOffset12                      // add: AArch64
	FixupPCRelHi20                         // auipc: RISC-V
	FixupPCRelLo12                         // addi, to the symbol at the auipc: RISC-V
	FixupGOTPC                             // distance to the GOT: i386
	FixupGOTOffset                         // distance from the GOT: i386
)

// Fixup is a field of a section that needs an address: that of Symbol, or of
// the start of Section where Symbol is nil, plus Addend.
type Fixup struct {
	Offset  int64
	Kind    FixupKind
	Symbol  *ObjectSymbol
	Section *ObjectSection
	Addend  int64
}

// Place lays out the pieces and returns the section's size. Write calls it, too; a caller that
// needs the offsets earlier calls it first.
func (s *ObjectSection) Place() int64 {
	s.offsets, s.size = s.offsets[:0], 0
	for _, piece := range s.Pieces {
		s.size = alignUp(s.size, int64(s.Align))
		s.offsets = append(s.offsets, s.size)
		s.size += piece.Size()
	}
	return s.size
}

// Sections of at least largeSection bytes begin at multiples of largeSectionAlign in the file. The
// page cache has them in large pieces there: copying them takes two thirds of the time (measured on
// ext4, Linux 6.18), and file systems that share blocks between files can do so.
const (
	largeSection      = 1 << 20
	largeSectionAlign = 64 << 10
)

// fileAlign returns the alignment of the section in the file.
func (s *ObjectSection) fileAlign(least int64) int64 {
	if s.size >= largeSection {
		return max(least, largeSectionAlign)
	}
	return least
}

// PieceOffset returns where a piece lies in the section, once it is placed.
func (s *ObjectSection) PieceOffset(i int) int64 { return s.offsets[i] }

// addTo stores an addend of n bytes at an offset, which must lie in a piece of type Bytes.
func (s *ObjectSection) addTo(off int64, n int, addend int64) {
	i, found := slices.BinarySearch(s.offsets, off)
	if !found {
		i--
	}
	field := s.Pieces[i].(Bytes)[off-s.offsets[i]:][:n]
	for j := range field {
		field[j] = byte(addend >> (8 * j))
	}
}

// log2 returns the exponent of a power of two.
func log2(n int) uint32 { return uint32(bits.TrailingZeros(uint(n))) }

func alignUp(n, align int64) int64 { return (n + align - 1) &^ (align - 1) }
