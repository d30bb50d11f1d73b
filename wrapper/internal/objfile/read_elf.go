package objfile

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"offlink/lazy"
)

// Names of the System V gABI that debug/elf lacks.
const (
	elfExtendedIndex = 0xffff // SHN_XINDEX, and PN_XNUM for segments
)

// elfRelocs is the meaning of the relocations of one e_machine.
type elfRelocs struct {
	name     string
	absolute uint32 // a pointer to a symbol
	relative uint32 // a pointer into the file itself
}

var elfReadable = lazy.Map[elf.Machine, elfRelocs]{New: func() map[elf.Machine]elfRelocs {
	return map[elf.Machine]elfRelocs{
		elf.EM_386:     {"i386", uint32(elf.R_386_32), uint32(elf.R_386_RELATIVE)},
		elf.EM_X86_64:  {"x86_64", uint32(elf.R_X86_64_64), uint32(elf.R_X86_64_RELATIVE)},
		elf.EM_AARCH64: {"aarch64", uint32(elf.R_AARCH64_ABS64), uint32(elf.R_AARCH64_RELATIVE)},
		elf.EM_RISCV:   {"riscv64", uint32(elf.R_RISCV_64), uint32(elf.R_RISCV_RELATIVE)},
	}
}}

func isELF(data []byte) bool { return len(data) >= 4 && string(data[:4]) == elf.ELFMAG }

// elfFile is an ELF file while it is read or edited.
type elfFile struct {
	input
	wide     bool // ELFCLASS64
	typ      elf.Type
	machine  elfRelocs
	sections []elfSection
	segments []elfSegment
	file     *File
}

// elfSection is a section header of either class, its fields as wide as ELFCLASS64 has them.
type elfSection struct {
	typ                elf.SectionType
	flags              elf.SectionFlag
	link, info         uint32
	addr, offset, size uint64
	align              uint64
	name               uint32
}

// elfSegment is a program header of either class.
type elfSegment struct {
	typ                                        elf.ProgType
	flags                                      elf.ProgFlag
	offset, vaddr, paddr, filesz, memsz, align uint64
}

// readELF reads an ELF file.
func readELF(data []byte) (*File, error) {
	e, err := parseELF(data)
	if err != nil {
		return nil, err
	}
	return e.file, nil
}

// parseELF reads the headers of an ELF file.
func parseELF(data []byte) (*elfFile, error) {
	e := &elfFile{input: input{ELF, data}}
	// Sections come before segments: their first header has the number of
	// segments where that does not fit 16 bits (gABI, PN_XNUM).
	for _, step := range []func() error{e.readHeader, e.readSections, e.readSegments, e.nameSections, e.placeRegions} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	fixups, err := e.readFixups()
	if err != nil {
		return nil, err
	}
	e.file.fixups = fixups
	return e, nil
}

// readHeader reads the file header. Class and byte order, which everything
// else depends on, are in its first bytes.
func (e *elfFile) readHeader() error {
	if len(e.data) < 52 {
		return e.errorf(0, "the file header is cut off")
	}
	switch class := elf.Class(e.data[elf.EI_CLASS]); class {
	case elf.ELFCLASS32, elf.ELFCLASS64:
		e.wide = class == elf.ELFCLASS64
	default:
		return e.errorf(elf.EI_CLASS, "class %d is neither 1 (32-bit) nor 2 (64-bit)", class)
	}
	if order := elf.Data(e.data[elf.EI_DATA]); order != elf.ELFDATA2LSB {
		return e.errorf(elf.EI_DATA, "byte order %d: only little-endian files (1) are read", order)
	}
	if e.wide && len(e.data) < 64 {
		return e.errorf(0, "the file header is cut off")
	}
	e.typ = elf.Type(e.u16(16))
	number := elf.Machine(e.u16(18))
	machine, known := elfReadable.Get()[number]
	if !known {
		// Files of other machines are read as far as that needs no relocations:
		// their device code can be listed.
		machine.name = fmt.Sprintf("machine %d", uint16(number))
	}
	e.machine = machine
	e.file = &File{Format: ELF, Machine: machine.name, Pointer: e.addressSize(), Linked: e.typ != elf.ET_REL, data: e.data}
	return nil
}

func (e *elfFile) u16(off int) uint16 { return binary.LittleEndian.Uint16(e.data[off:]) }

// addressSize is the bytes of an address.
func (e *elfFile) addressSize() int {
	if e.wide {
		return 8
	}
	return 4
}

// elfWords reads fixed-size fields one after another.
type elfWords struct {
	b    []byte
	wide bool
}

// u32 takes four bytes.
func (w *elfWords) u32() uint32 {
	v := binary.LittleEndian.Uint32(w.b)
	w.b = w.b[4:]
	return v
}

// word reads a field of the width of the class.
func (w *elfWords) word() uint64 {
	if !w.wide {
		return uint64(w.u32())
	}
	v := binary.LittleEndian.Uint64(w.b)
	w.b = w.b[8:]
	return v
}

// headerWord returns the word of the file header at off64 or off32.
func (e *elfFile) headerWord(off64, off32 int) uint64 {
	if e.wide {
		return binary.LittleEndian.Uint64(e.data[off64:])
	}
	return uint64(binary.LittleEndian.Uint32(e.data[off32:]))
}

// byClass returns the first value for a 64-bit file and the second for a 32-bit one.
func (e *elfFile) byClass(wide, narrow int) int {
	if e.wide {
		return wide
	}
	return narrow
}

// sectionTable returns the place of the section headers.
func (e *elfFile) sectionTable() (off uint64, entry, count int) {
	at := e.byClass(58, 46)
	return e.headerWord(40, 32), int(e.u16(at)), int(e.u16(at + 2))
}

// readSections reads the section headers. More than 65,279 are counted in the
// size of the first (gABI, SHN_LORESERVE).
func (e *elfFile) readSections() error {
	off, entry, n := e.sectionTable()
	if off == 0 {
		return nil
	}
	if want := e.byClass(64, 40); entry != want {
		return e.errorf(-1, "section headers of %d bytes, want %d", entry, want)
	}
	count := uint64(n)
	if n == 0 { // the number is in the first header
		// The count is input: the table is checked against the file's size
		// before anything of that size is made.
		first, err := e.table(off, 1, uint64(entry), "section header 0")
		if err != nil {
			return err
		}
		if count = e.readSection(first).size; count == 0 {
			return nil
		}
	}
	b, err := e.table(off, count, uint64(entry), "section headers")
	if err != nil {
		return err
	}
	e.sections = make([]elfSection, count)
	for i := range e.sections {
		e.sections[i] = e.readSection(b[i*entry:])
	}
	return nil
}

// readSection decodes a section header.
func (e *elfFile) readSection(b []byte) elfSection {
	w := elfWords{b, e.wide}
	s := elfSection{name: w.u32(), typ: elf.SectionType(w.u32()), flags: elf.SectionFlag(w.word()), addr: w.word(), offset: w.word(), size: w.word()}
	s.link, s.info, s.align = w.u32(), w.u32(), w.word()
	return s
}

// sectionBytes returns the file's bytes of a section.
func (e *elfFile) sectionBytes(i int) ([]byte, error) {
	s := &e.sections[i]
	if s.typ == elf.SHT_NOBITS || s.typ == elf.SHT_NULL {
		return nil, nil
	}
	return e.slice(s.offset, s.size, fmt.Sprintf("section %d", i))
}

// segmentTable returns the place of the program headers.
func (e *elfFile) segmentTable() (off uint64, entry, count int) {
	at := e.byClass(54, 42)
	return e.headerWord(32, 28), int(e.u16(at)), int(e.u16(at + 2))
}

// readSegments reads the program headers, which a stripped program still has
// when its sections are gone.
func (e *elfFile) readSegments() error {
	off, entry, n := e.segmentTable()
	if n == 0 || off == 0 {
		return nil
	}
	if want := e.byClass(56, 32); entry != want {
		return e.errorf(-1, "program headers of %d bytes, want %d", entry, want)
	}
	count := uint64(n)
	if n == elfExtendedIndex && len(e.sections) > 0 {
		count = uint64(e.sections[0].info)
	}
	b, err := e.table(off, count, uint64(entry), "program headers")
	if err != nil {
		return err
	}
	e.segments = make([]elfSegment, count)
	for i := range e.segments {
		e.segments[i] = e.readSegment(b[i*entry:])
	}
	return nil
}

// readSegment decodes a program header of either class.
func (e *elfFile) readSegment(b []byte) elfSegment {
	w := elfWords{b, e.wide}
	s := elfSegment{typ: elf.ProgType(w.u32())}
	if e.wide {
		s.flags = elf.ProgFlag(w.u32())
	}
	s.offset, s.vaddr, s.paddr, s.filesz, s.memsz = w.word(), w.word(), w.word(), w.word(), w.word()
	if !e.wide {
		s.flags = elf.ProgFlag(w.u32())
	}
	s.align = w.word()
	return s
}

// nameSections makes the File's sections from the section headers. A compressed section does not
// count as loaded: its bytes are not those that a program would see.
func (e *elfFile) nameSections() error {
	names, err := e.sectionNames()
	if err != nil {
		return err
	}
	e.file.Sections = make([]FileSection, len(e.sections))
	for i := range e.sections {
		h := &e.sections[i]
		data, err := e.sectionBytes(i)
		if err != nil {
			return err
		}
		s := FileSection{
			Addr: h.addr, Offset: int64(h.offset), Data: data,
			Plain: h.typ == elf.SHT_PROGBITS, Alloc: h.flags&elf.SHF_ALLOC != 0 && h.flags&elf.SHF_COMPRESSED == 0, Exec: h.flags&elf.SHF_EXECINSTR != 0, Compressed: h.flags&elf.SHF_COMPRESSED != 0,
		}
		if int64(h.name) < int64(len(names)) {
			s.name = names[h.name:]
		}
		e.file.Sections[i] = s
	}
	return nil
}

// sectionNames returns the string table of section names.
func (e *elfFile) sectionNames() ([]byte, error) {
	if len(e.sections) == 0 {
		return nil, nil
	}
	index := uint64(e.u16(e.byClass(62, 50)))
	if index == elfExtendedIndex {
		index = uint64(e.sections[0].link)
	}
	if index >= uint64(len(e.sections)) {
		return nil, e.errorf(-1, "the section names are in section %d of %d", index, len(e.sections))
	}
	return e.sectionBytes(int(index))
}

// placeRegions lays the file out in memory, by its segments, or by sections
// for an object.
func (e *elfFile) placeRegions() error {
	if e.typ == elf.ET_REL {
		return e.layOut()
	}
	var regions []region
	for i, p := range e.segments {
		if p.typ != elf.PT_LOAD || p.memsz == 0 {
			continue
		}
		if p.filesz > p.memsz {
			return e.errorf(-1, "program header %d: %#x bytes of the file for %#x bytes of memory", i, p.filesz, p.memsz)
		}
		data, err := e.slice(p.offset, p.filesz, fmt.Sprintf("program header %d", i))
		if err != nil {
			return err
		}
		regions = append(regions, region{p.vaddr, p.memsz, data, int64(p.offset)})
	}
	return e.file.setRegions(&e.input, regions)
}

// layOut gives the allocated sections of a relocatable file addresses.
func (e *elfFile) layOut() error {
	var l layouter
	for i := range e.file.Sections {
		s := &e.file.Sections[i]
		if !s.Alloc {
			continue
		}
		s.Addr = l.assignAddress(e.sections[i].size)
		l.addRegion(s, e.sections[i].size)
	}
	if !e.wide && l.next > 1<<32 {
		return e.errorf(-1, "sections of more than 4 GiB in a 32-bit file")
	}
	return e.file.setRegions(&e.input, l.regions)
}

// layouter gives the sections of an object addresses that do not overlap.
type layouter struct {
	next    uint64
	regions []region
}

const (
	// Sections are at least a page apart, so that a pointer just after the end of one does not
	// lead into the next.
	layoutStart = 0x10000
	layoutAlign = 0x1000
)

// assignAddress returns the address for a section of that size. An overflow of
// the address space is found when the regions are set.
func (l *layouter) assignAddress(size uint64) uint64 {
	if l.next == 0 {
		l.next = layoutStart
	}
	addr := l.next
	l.next = (l.next + size + 2*layoutAlign) &^ (layoutAlign - 1)
	return addr
}

// addRegion adds the memory of a section at the address that the section has. An empty section
// has none.
func (l *layouter) addRegion(s *FileSection, size uint64) {
	if size > 0 {
		l.regions = append(l.regions, region{s.Addr, size, s.Data, s.Offset})
	}
}

// readFixups returns the pointers that relocations store. Where a relocation
// keeps its addend in the word itself and the file is linked (REL, RELR),
// the word already holds the address.
func (e *elfFile) readFixups() (iter.Seq[fixup], error) {
	if e.machine.absolute == 0 {
		return slices.Values[[]fixup](nil), nil
	}
	if e.typ != elf.ET_REL {
		return e.dynamicFixups()
	}
	fixups, err := e.sectionFixups()
	return slices.Values(fixups), err
}

// elfReloc is a relocation entry.
type elfReloc struct {
	offset uint64
	symbol uint32
	typ    uint32
	addend uint64
}

// relocSize is the bytes of an entry.
func (e *elfFile) relocSize(rela bool) int {
	if rela {
		return 3 * e.addressSize()
	}
	return 2 * e.addressSize()
}

// readReloc decodes a relocation with or without an addend, of either class.
func (e *elfFile) readReloc(b []byte, rela bool) elfReloc {
	if e.wide && rela { // by far the most frequent form
		b = b[:24]
		return elfReloc{
			offset: binary.LittleEndian.Uint64(b), typ: binary.LittleEndian.Uint32(b[8:]),
			symbol: binary.LittleEndian.Uint32(b[12:]), addend: binary.LittleEndian.Uint64(b[16:]),
		}
	}
	w := elfWords{b, e.wide}
	r := elfReloc{offset: w.word()}
	if info := w.word(); e.wide {
		r.symbol, r.typ = uint32(info>>32), uint32(info)
	} else {
		r.symbol, r.typ = uint32(info>>8), uint32(info&0xff)
	}
	if rela {
		r.addend = w.word()
	}
	return r
}

// sectionFixups resolves the relocations of a relocatable file's data.
func (e *elfFile) sectionFixups() ([]fixup, error) {
	var fixups []fixup
	for i := range e.sections {
		h := &e.sections[i]
		if h.typ != elf.SHT_RELA && h.typ != elf.SHT_REL {
			continue
		}
		if int(h.info) >= len(e.sections) || int(h.link) >= len(e.sections) {
			return nil, e.errorf(-1, "section %d: its relocations belong to section %d with symbols of section %d, of %d", i, h.info, h.link, len(e.sections))
		}
		target := &e.file.Sections[h.info]
		// Descriptors are data; relocations of code are many and lead to no
		// image.
		if !target.Alloc || target.Exec {
			continue
		}
		if err := e.relocate(i, target, &fixups); err != nil {
			return nil, err
		}
	}
	return fixups, nil
}

// relocate reads the relocations of one table as fixups of its target.
func (e *elfFile) relocate(i int, target *FileSection, fixups *[]fixup) error {
	h := &e.sections[i]
	table, err := e.sectionBytes(i)
	if err != nil {
		return err
	}
	symbols, err := e.symbolsOf(int(h.link))
	if err != nil {
		return err
	}
	rela := h.typ == elf.SHT_RELA
	size := e.relocSize(rela)
	*fixups = slices.Grow(*fixups, len(table)/size)
	for n := 0; (n+1)*size <= len(table); n++ {
		r := e.readReloc(table[n*size:], rela)
		if r.typ != e.machine.absolute {
			continue
		}
		// Compared without a sum, which could overflow.
		room := uint64(len(target.Data))
		if r.offset > room || room-r.offset < uint64(e.addressSize()) {
			return e.errorf(-1, "section %d: relocation %d is at %#x of a section of %#x bytes", i, n, r.offset, room)
		}
		if !rela {
			r.addend = e.file.readPointer(target.Data[r.offset:])
		}
		value, err := symbols.address(r.symbol)
		if err != nil {
			return fmt.Errorf("section %d: relocation %d: %w", i, n, err)
		}
		if value.defined {
			*fixups = append(*fixups, fixup{target.Addr + r.offset, value.addr + r.addend})
		}
	}
	return nil
}

// elfSymbols is a symbol table.
type elfSymbols struct {
	file    *elfFile
	table   []byte
	indices []byte // section numbers past 16 bits
}

// symbolsOf returns the symbol table in section i, or an empty one if that section is not a
// symbol table.
func (e *elfFile) symbolsOf(i int) (*elfSymbols, error) {
	s := &elfSymbols{file: e}
	if e.sections[i].typ != elf.SHT_SYMTAB {
		return s, nil
	}
	var err error
	if s.table, err = e.sectionBytes(i); err != nil {
		return nil, err
	}
	for j := range e.sections {
		if e.sections[j].typ == elf.SHT_SYMTAB_SHNDX && int(e.sections[j].link) == i {
			s.indices, err = e.sectionBytes(j)
		}
	}
	return s, err
}

// elfSymbol is where a symbol points to.
type elfSymbol struct {
	addr    uint64
	defined bool
}

func (e *elfFile) symbolSize() int { return e.byClass(24, 16) }

// address returns the address of symbol n. Undefined symbols and those of
// sections that are not loaded have none.
func (s *elfSymbols) address(n uint32) (elfSymbol, error) {
	size := s.file.symbolSize()
	if uint64(n) >= uint64(len(s.table)/size) {
		return elfSymbol{}, s.file.errorf(-1, "symbol %d of %d", n, len(s.table)/size)
	}
	section, value := s.file.readSymbol(s.table[int(n)*size:])
	switch {
	case section == elfExtendedIndex:
		if int(n)*4+4 > len(s.indices) {
			return elfSymbol{}, s.file.errorf(-1, "symbol %d has its section in a table that does not hold it", n)
		}
		section = binary.LittleEndian.Uint32(s.indices[int(n)*4:])
	case section == uint32(elf.SHN_ABS):
		return elfSymbol{value, true}, nil
	// SHN_COMMON and the rest of the reserved numbers have no place before the
	// link.
	case section == uint32(elf.SHN_UNDEF) || section >= uint32(elf.SHN_LORESERVE):
		return elfSymbol{}, nil
	}
	if uint64(section) >= uint64(len(s.file.sections)) {
		return elfSymbol{}, s.file.errorf(-1, "symbol %d lies in section %d of %d", n, section, len(s.file.sections))
	}
	in := &s.file.file.Sections[section]
	return elfSymbol{in.Addr + value, in.Alloc}, nil
}

// readSymbol reads the section and the value of a symbol.
func (e *elfFile) readSymbol(b []byte) (section uint32, value uint64) {
	if e.wide {
		return uint32(binary.LittleEndian.Uint16(b[6:])), binary.LittleEndian.Uint64(b[8:])
	}
	return uint32(binary.LittleEndian.Uint16(b[14:])), uint64(binary.LittleEndian.Uint32(b[4:]))
}
