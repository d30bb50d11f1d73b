package hostlibs

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Kind is the sort of an ELF file for the dynamic loader.
type Kind int

// The kinds of files.
const (
	NotELF  Kind = iota // an envelope, SPIR-V, COFF, ...
	Object              // relocatable, or linked statically: the loader has nothing to do
	Library             // a shared library
	Program             // a program that the loader starts
)

// Dynamic has the parts of the dynamic section of an ELF file that decide which libraries
// the loader takes (System V ABI, Dynamic Section).
type Dynamic struct {
	Kind    Kind
	Class   elf.Class
	Machine elf.Machine
	Soname  string
	Needed  []string // in order
	// Rpath also applies to the libraries of libraries, and is ignored if there is a
	// Runpath, which applies only to the file's own Needed. A Runpath that is empty, and not
	// nil, is there too.
	Rpath, Runpath []string
	// OwnFoldersOnly has the loader leave out the folders of the system (DF_1_NODEFLIB).
	OwnFoldersOnly bool
}

// Limits of the sizes that are read, against damaged files. Real files are far below
// them.
const (
	maxSegments     = 1 << 12
	maxDynamic      = 1 << 20 // bytes of the dynamic section
	maxStringLength = 1 << 12
)

// ReadDynamic reads the dynamic section of a file by its program headers, as
// the loader does: section headers may be stripped. Bytes that are not an ELF
// file give the kind NotELF and no error.
func ReadDynamic(r io.ReaderAt) (*Dynamic, error) {
	var ident [elf.EI_NIDENT]byte
	if _, err := r.ReadAt(ident[:], 0); err != nil || string(ident[:4]) != elf.ELFMAG {
		return &Dynamic{}, nil
	}
	f := &elfFile{r: r, dynamic: Dynamic{Kind: Object, Class: elf.Class(ident[elf.EI_CLASS])}}
	switch elf.Data(ident[elf.EI_DATA]) {
	case elf.ELFDATA2LSB:
		f.order = binary.LittleEndian
	case elf.ELFDATA2MSB:
		f.order = binary.BigEndian
	default:
		return nil, fmt.Errorf("malformed ELF file: byte order %d at offset %d", ident[elf.EI_DATA], elf.EI_DATA)
	}
	if err := f.readSegments(); err != nil {
		return nil, fmt.Errorf("malformed ELF file: %w", err)
	}
	if err := f.readDynamic(); err != nil {
		return nil, fmt.Errorf("malformed dynamic section: %w", err)
	}
	return &f.dynamic, nil
}

// elfFile is a file that is being read.
type elfFile struct {
	r        io.ReaderAt
	order    binary.ByteOrder
	segments []elf.Prog64
	dynamic  Dynamic
}

// readStruct reads a structure of the file.
func (f *elfFile) readStruct(offset uint64, to any) error {
	size := binary.Size(to)
	data := make([]byte, size)
	if offset > 1<<62 {
		return fmt.Errorf("offset %#x is beyond the end of the file", offset)
	}
	if _, err := f.r.ReadAt(data, int64(offset)); err != nil {
		return fmt.Errorf("%d bytes at offset %#x: %w", size, offset, asFormatError(err))
	}
	return binary.Read(bytes.NewReader(data), f.order, to)
}

func asFormatError(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// readSegments reads the program headers.
func (f *elfFile) readSegments() error {
	var header elf.Header64
	var err error
	if f.dynamic.Class == elf.ELFCLASS32 {
		var h elf.Header32
		err = f.readStruct(0, &h)
		header = elf.Header64{Type: h.Type, Machine: h.Machine, Phoff: uint64(h.Phoff), Phnum: h.Phnum, Phentsize: h.Phentsize}
	} else {
		err = f.readStruct(0, &header)
	}
	if err != nil {
		return err
	}
	f.dynamic.Machine = elf.Machine(header.Machine)
	if header.Phnum > maxSegments {
		return fmt.Errorf("%d program headers", header.Phnum)
	}
	for i := range uint64(header.Phnum) {
		p, err := f.readSegment(header.Phoff + i*uint64(header.Phentsize))
		if err != nil {
			return err
		}
		f.segments = append(f.segments, p)
	}
	return nil
}

func (f *elfFile) readSegment(offset uint64) (p elf.Prog64, err error) {
	if f.dynamic.Class != elf.ELFCLASS32 {
		return p, f.readStruct(offset, &p)
	}
	var s elf.Prog32
	err = f.readStruct(offset, &s)
	return elf.Prog64{
		Type: s.Type, Flags: s.Flags, Off: uint64(s.Off), Vaddr: uint64(s.Vaddr),
		Filesz: uint64(s.Filesz), Memsz: uint64(s.Memsz),
	}, err
}

// readDynamic fills in the parts that the loader reads. The type in the ELF header does
// not distinguish programs, as position-independent ones have that of libraries. A file
// with an interpreter is a program, unless it has a soname: the C library has both.
func (f *elfFile) readDynamic() error {
	interpreted := false
	var dynamic *elf.Prog64
	for i, p := range f.segments {
		switch elf.ProgType(p.Type) {
		case elf.PT_INTERP:
			interpreted = true
		case elf.PT_DYNAMIC:
			dynamic = &f.segments[i]
		}
	}
	if dynamic == nil {
		return nil
	}
	entries, err := f.dynamicEntries(dynamic)
	if err != nil {
		return err
	}
	err = f.interpretEntries(entries)
	f.dynamic.Kind = Library
	if interpreted && f.dynamic.Soname == "" {
		f.dynamic.Kind = Program
	}
	return err
}

// dynamicEntries returns the entries up to DT_NULL.
func (f *elfFile) dynamicEntries(p *elf.Prog64) ([]elf.Dyn64, error) {
	if p.Filesz > maxDynamic {
		return nil, fmt.Errorf("%d bytes", p.Filesz)
	}
	size := uint64(16)
	if f.dynamic.Class == elf.ELFCLASS32 {
		size = 8
	}
	var list []elf.Dyn64
	for at := uint64(0); at+size <= p.Filesz; at += size {
		var d elf.Dyn64
		var err error
		if size == 8 {
			var s elf.Dyn32
			err = f.readStruct(p.Off+at, &s)
			d = elf.Dyn64{Tag: int64(s.Tag), Val: uint64(s.Val)}
		} else {
			err = f.readStruct(p.Off+at, &d)
		}
		if err != nil {
			return nil, err
		}
		if elf.DynTag(d.Tag) == elf.DT_NULL {
			break
		}
		list = append(list, d)
	}
	return list, nil
}

func (f *elfFile) interpretEntries(entries []elf.Dyn64) error {
	var table uint64
	for _, d := range entries {
		if elf.DynTag(d.Tag) == elf.DT_STRTAB {
			table = d.Val
		}
	}
	for _, d := range entries {
		var err error
		switch elf.DynTag(d.Tag) {
		case elf.DT_NEEDED:
			var name string
			name, err = f.stringAt(table, d.Val)
			f.dynamic.Needed = append(f.dynamic.Needed, name)
		case elf.DT_SONAME:
			f.dynamic.Soname, err = f.stringAt(table, d.Val)
		case elf.DT_RPATH:
			f.dynamic.Rpath, err = f.pathAt(table, d.Val)
		case elf.DT_RUNPATH:
			f.dynamic.Runpath, err = f.pathAt(table, d.Val)
		case elf.DT_FLAGS_1:
			f.dynamic.OwnFoldersOnly = elf.DynFlag1(d.Val)&elf.DF_1_NODEFLIB != 0
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pathAt reads a search path, which is not nil.
func (f *elfFile) pathAt(table, offset uint64) ([]string, error) {
	s, err := f.stringAt(table, offset)
	return splitPath(s, ":"), err
}

// stringAt reads a string of the table at an address.
func (f *elfFile) stringAt(table, offset uint64) (string, error) {
	address := table + offset
	for _, p := range f.segments {
		if elf.ProgType(p.Type) == elf.PT_LOAD && address >= p.Vaddr && address-p.Vaddr < p.Filesz {
			return f.stringIn(p.Off+(address-p.Vaddr), p.Filesz-(address-p.Vaddr))
		}
	}
	return "", fmt.Errorf("no segment holds the string at address %#x", address)
}

// stringIn reads a string of the file that ends within so many bytes.
func (f *elfFile) stringIn(offset, room uint64) (string, error) {
	if offset > 1<<62 {
		return "", fmt.Errorf("offset %#x is beyond the end of the file", offset)
	}
	data := make([]byte, min(room, maxStringLength))
	n, err := f.r.ReadAt(data, int64(offset))
	if end := bytes.IndexByte(data[:n], 0); end >= 0 {
		return string(data[:end]), nil
	}
	if err != nil {
		return "", fmt.Errorf("string at offset %#x: %w", offset, asFormatError(err))
	}
	return "", fmt.Errorf("string at offset %#x: it does not end", offset)
}

func is64(m *Module) bool { return m.Class == elf.ELFCLASS64 }
