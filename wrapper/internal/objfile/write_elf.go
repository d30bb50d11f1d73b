package objfile

import (
	"debug/elf"
	"fmt"
	"io"
	"slices"

	"offlink/lazy"
)

// The ELF writer (System V gABI, chapter 4). A file is laid out as
//
//	header | sections | relocations | symbols | names | section names | section headers
//
// which is the order of compilers: llvm-strip --discard-all looks at sections
// one after another and notices that it removes a symbol that a relocation
// names only where the symbols come after the relocations.
//
// RELA relocations hold their addends; those of i386 are REL and have them in
// place.

// Constants that debug/elf lacks.
const (
	elfFlagGNURetain   = 0x200000   // SHF_GNU_RETAIN
	elfFlagX86_64Large = 0x10000000 // SHF_X86_64_LARGE
	// elfRISCVDouble is the double-float ABI in e_flags (lp64d), which every
	// Linux distribution uses.
	elfRISCVDouble = 0x4
)

var elfMachines = lazy.Map[Machine, elf.Machine]{New: func() map[Machine]elf.Machine {
	return map[Machine]elf.Machine{
		X86_64: elf.EM_X86_64, AArch64: elf.EM_AARCH64, RISCV64: elf.EM_RISCV, I386: elf.EM_386,
	}
}}

var elfRelocations = lazy.Map[Machine, map[FixupKind]uint32]{New: func() map[Machine]map[FixupKind]uint32 {
	return map[Machine]map[FixupKind]uint32{
		X86_64: {
			FixupPointer: uint32(elf.R_X86_64_64),
			FixupPC32:    uint32(elf.R_X86_64_PC32),
			FixupCall:    uint32(elf.R_X86_64_PLT32),
		},
		AArch64: {
			FixupPointer:      uint32(elf.R_AARCH64_ABS64),
			FixupCall:         uint32(elf.R_AARCH64_JUMP26),
			FixupPage21:       uint32(elf.R_AARCH64_ADR_PREL_PG_HI21),
			FixupPageOffset12: uint32(elf.R_AARCH64_ADD_ABS_LO12_NC),
		},
		RISCV64: {
			FixupPointer:   uint32(elf.R_RISCV_64),
			FixupCall:      uint32(elf.R_RISCV_CALL_PLT),
			FixupPCRelHi20: uint32(elf.R_RISCV_PCREL_HI20),
			FixupPCRelLo12: uint32(elf.R_RISCV_PCREL_LO12_I),
		},
		I386: {
			FixupPointer:   uint32(elf.R_386_32),
			FixupCall:      uint32(elf.R_386_PLT32),
			FixupGOTPC:     uint32(elf.R_386_GOTPC),
			FixupGOTOffset: uint32(elf.R_386_GOTOFF),
		},
	}
}}

// elfUse is the type, flags and entry size that a use of a section means.
type elfUse struct {
	typ   elf.SectionType
	flags elf.SectionFlag
	entry int64
}

var elfUses = lazy.Map[Use, elfUse]{New: func() map[Use]elfUse {
	return map[Use]elfUse{
		UseCode:               {elf.SHT_PROGBITS, elf.SHF_ALLOC | elf.SHF_EXECINSTR, 0},
		UseStrings:            {elf.SHT_PROGBITS, elf.SHF_ALLOC | elf.SHF_MERGE | elf.SHF_STRINGS, 1},
		UseData:               {elf.SHT_PROGBITS, elf.SHF_ALLOC, 0},
		UseRelocatedData:      {elf.SHT_PROGBITS, elf.SHF_ALLOC | elf.SHF_WRITE, 0},
		UseRetainedData:       {elf.SHT_PROGBITS, elf.SHF_ALLOC | elf.SHF_WRITE | elfFlagGNURetain, 0},
		UseLargeData:          {elf.SHT_PROGBITS, elf.SHF_ALLOC | elfFlagX86_64Large, 0},
		UseConstructors:       {elf.SHT_INIT_ARRAY, elf.SHF_ALLOC | elf.SHF_WRITE, 0},
		UseDestructors:        {elf.SHT_FINI_ARRAY, elf.SHF_ALLOC | elf.SHF_WRITE, 0},
		UseEntries:            {elf.SHT_PROGBITS, elf.SHF_ALLOC | elfFlagGNURetain, 0},
		UseNote:               {elf.SHT_NOTE, elf.SHF_ALLOC, 0},
		UseNonExecutableStack: {elf.SHT_PROGBITS, 0, 0},
	}
}}

// elfHeader is a section header of either class.
type elfHeader struct {
	name         uint32
	typ          elf.SectionType
	flags        elf.SectionFlag
	offset, size int64
	link, info   int
	align, entry int64
}

// elfWriter is one object on its way into a file: layOut assigns offsets,
// writeParts writes.
type elfWriter struct {
	*emitter
	o       *Object
	wide    bool // 64-bit class
	numbers map[*ObjectSection]int
	symbols []*ObjectSymbol // in table order: local ones, then global ones
	locals  int             // of symbols
	names   *stringTable    // of symbols
	shnames *stringTable    // of sections
	headers []elfHeader
	end     int64 // of the parts that have offsets
}

// writeELF writes an object front to back, in the order: header, data,
// relocations, symbols, strings, section headers.
func writeELF(w io.Writer, o *Object) error {
	// Each section can have relocations; the null section and three tables come with them.
	// Numbers from SHN_LORESERVE on would need an extension that few readers know.
	if n := 2*len(o.Sections) + 4; n >= int(elf.SHN_LORESERVE) {
		return fmt.Errorf("%d sections: an ELF file counts at most %d; wrap the images into several objects", n, elf.SHN_LORESERVE-1)
	}
	e := &elfWriter{
		emitter: newEmitter(w), o: o, wide: o.Machine.PointerSize() == 8,
		numbers: map[*ObjectSection]int{},
		names:   newStringTable("\x00"), shnames: newStringTable("\x00"),
	}
	e.numberSymbols()
	e.layOut()
	e.storeAddends()
	e.writeParts()
	return e.closeFile()
}

// recordSizes returns the sizes of the file header, a section header, a symbol and
// a relocation.
func (e *elfWriter) recordSizes() (file, section, symbol, relocation int64) {
	if e.wide {
		return 64, 64, 24, 24
	}
	return 52, 40, 16, 8
}

// numberSymbols orders the symbols. The table starts with the null symbol and
// a symbol for each section.
func (e *elfWriter) numberSymbols() {
	for i, s := range e.o.Sections {
		e.numbers[s] = i + 1
	}
	var globals []*ObjectSymbol
	for _, s := range e.o.Symbols {
		if s.Global || s.Section == nil {
			globals = append(globals, s)
		} else {
			e.symbols = append(e.symbols, s)
		}
	}
	e.locals = len(e.symbols)
	e.symbols = append(e.symbols, globals...)
	for i, s := range e.symbols {
		s.index = uint32(1 + len(e.o.Sections) + i)
	}
}

// layOut makes the section headers, in the order of the sections in the file.
func (e *elfWriter) layOut() {
	file, _, symbol, relocation := e.recordSizes()
	e.end = file
	e.headers = append(e.headers, elfHeader{})
	for _, s := range e.o.Sections {
		use := elfUses.Get()[s.Use]
		e.end = alignUp(e.end, s.fileAlign(1))
		e.addHeader(elfHeader{typ: use.typ, flags: use.flags, size: s.size, align: int64(s.Align), entry: use.entry}, s.Name)
	}
	for _, s := range e.symbols {
		e.names.addString(s.Name)
	}
	first, relocated := 1+len(e.o.Sections), e.relocatedSections()
	symtab := first + len(relocated)
	typ, prefix := elf.SHT_RELA, ".rela"
	if !e.wide {
		typ, prefix = elf.SHT_REL, ".rel"
	}
	for _, s := range relocated {
		e.addHeader(elfHeader{
			typ: typ, flags: elf.SHF_INFO_LINK, size: relocation * int64(len(s.Fixups)),
			link: symtab, info: e.numbers[s], align: e.wordSize(), entry: relocation,
		}, prefix+s.Name)
	}
	e.addHeader(elfHeader{
		typ: elf.SHT_SYMTAB, size: symbol * int64(first+len(e.symbols)),
		link: symtab + 1, info: first + e.locals, align: e.wordSize(), entry: symbol,
	}, ".symtab")
	e.addHeader(elfHeader{typ: elf.SHT_STRTAB, size: int64(e.names.data.Len()), align: 1}, ".strtab")
	e.shnames.addString(".shstrtab")
	e.addHeader(elfHeader{typ: elf.SHT_STRTAB, size: int64(e.shnames.data.Len()), align: 1}, ".shstrtab")
}

// addHeader appends a section header and gives its section the next place in the file.
func (e *elfWriter) addHeader(h elfHeader, name string) {
	h.name = e.shnames.addString(name)
	h.offset = alignUp(e.end, h.align)
	e.end = h.offset + h.size
	e.headers = append(e.headers, h)
}

func (e *elfWriter) wordSize() int64 { return int64(e.o.Machine.PointerSize()) }

// relocatedSections returns the sections that have relocations.
func (e *elfWriter) relocatedSections() []*ObjectSection {
	return slices.DeleteFunc(slices.Clone(e.o.Sections), func(s *ObjectSection) bool { return len(s.Fixups) == 0 })
}

// writeParts writes the parts whose offsets were computed before.
func (e *elfWriter) writeParts() {
	headers := alignUp(e.end, e.wordSize())
	e.fileHeader(headers)
	next := 1
	at := func() { e.padTo(e.headers[next].offset); next++ }
	for _, s := range e.o.Sections {
		at()
		e.writePieces(s)
	}
	for _, s := range e.relocatedSections() {
		at()
		e.writeRelocations(s)
	}
	at()
	e.symbolTable()
	at()
	e.writeBytes(e.names.data.Bytes())
	at()
	e.writeBytes(e.shnames.data.Bytes())
	e.padTo(headers)
	for _, h := range e.headers {
		e.sectionHeader(h)
	}
}

// fileHeader writes the file header of a relocatable object.
func (e *elfWriter) fileHeader(headers int64) {
	file, section, _, _ := e.recordSizes()
	class := elf.ELFCLASS32
	if e.wide {
		class = elf.ELFCLASS64
	}
	ident := [16]byte{0x7f, 'E', 'L', 'F', byte(class), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT), byte(e.osABI())}
	var flags uint32
	if e.o.Machine == RISCV64 {
		flags = elfRISCVDouble
	}
	e.putValues(ident, uint16(elf.ET_REL), uint16(elfMachines.Get()[e.o.Machine]), uint32(elf.EV_CURRENT))
	e.putWords(0, 0, headers)
	count := uint16(len(e.headers))
	e.putValues(flags, uint16(file), uint16(0), uint16(0), uint16(section), count, count-1)
}

// osABI is GNU's (Linux has the same number) where a section has SHF_GNU_RETAIN, which GNU ld
// ignores otherwise.
func (e *elfWriter) osABI() elf.OSABI {
	for _, s := range e.o.Sections {
		if elfUses.Get()[s.Use].flags&elfFlagGNURetain != 0 {
			return elf.ELFOSABI_LINUX
		}
	}
	return elf.ELFOSABI_NONE
}

// putWords writes integers of the class's size.
func (e *elfWriter) putWords(values ...int64) {
	for _, v := range values {
		if e.wide {
			e.put64(uint64(v))
		} else {
			e.put32(uint32(v))
		}
	}
}

// sectionHeader writes a section header of the object's class.
func (e *elfWriter) sectionHeader(h elfHeader) {
	e.put32(h.name)
	e.put32(uint32(h.typ))
	e.putWords(int64(h.flags), 0, h.offset, h.size)
	e.put32(uint32(h.link))
	e.put32(uint32(h.info))
	e.putWords(h.align, h.entry)
}

// symbolTable builds the symbol table. Local symbols come first, as sh_info
// tells linkers where the global ones begin.
func (e *elfWriter) symbolTable() {
	e.writeSymbol(0, 0, 0, 0, 0, 0)
	for i := range e.o.Sections {
		e.writeSymbol(0, elf.ST_INFO(elf.STB_LOCAL, elf.STT_SECTION), elf.STV_DEFAULT, i+1, 0, 0)
	}
	for _, s := range e.symbols {
		typ, bind, visibility := elf.STT_OBJECT, elf.STB_LOCAL, elf.STV_DEFAULT
		switch {
		case s.Section == nil:
			typ = elf.STT_NOTYPE
		case s.Func:
			typ = elf.STT_FUNC
		}
		if s.Global || s.Section == nil {
			bind = elf.STB_GLOBAL
		}
		if s.Hidden {
			visibility = elf.STV_HIDDEN
		}
		e.writeSymbol(e.names.addString(s.Name), elf.ST_INFO(bind, typ), visibility, e.numbers[s.Section], s.Offset, s.Size)
	}
}

// writeSymbol writes a symbol; the classes order the fields differently.
func (e *elfWriter) writeSymbol(name uint32, info uint8, visibility elf.SymVis, section int, value, size int64) {
	e.put32(name)
	if !e.wide {
		e.putWords(value, size)
	}
	e.putValues(info, uint8(visibility), uint16(section))
	if e.wide {
		e.putWords(value, size)
	}
}

// writeRelocations writes the relocations of a section. In the REL form of i386
// the addend is in the section: see storeAddends.
func (e *elfWriter) writeRelocations(s *ObjectSection) {
	kinds := elfRelocations.Get()[e.o.Machine]
	for i := range s.Fixups {
		f := &s.Fixups[i]
		symbol, addend := e.fixupSymbol(f)
		e.putWords(f.Offset)
		if e.wide {
			e.put64(uint64(symbol)<<32 | uint64(kinds[f.Kind]))
			e.put64(uint64(addend))
		} else {
			e.put32(symbol<<8 | kinds[f.Kind])
		}
	}
}

// fixupSymbol is the symbol that a relocation names, and its addend. A symbol of
// the object is referred to by its section, as compilers do: a global one
// could be another library's at run time, so that no linker takes a relative
// distance to it into a shared library, and local ones may be stripped
// (llvm-strip --discard-all takes those that relocations name, too).
// FixupPCRelLo12 means the instruction at its symbol and needs that.
func (e *elfWriter) fixupSymbol(f *Fixup) (symbol uint32, addend int64) {
	addend = f.Addend + e.fieldEnd(f.Kind)
	switch {
	case f.Symbol == nil:
		return uint32(e.numbers[f.Section]), addend
	case f.Symbol.Section == nil || f.Kind == FixupPCRelLo12:
		return f.Symbol.index, addend
	}
	return uint32(e.numbers[f.Symbol.Section]), addend + f.Symbol.Offset
}

// fieldEnd corrects an addend: ELF counts distances from the start of the field, and x86
// processors count from its end.
func (e *elfWriter) fieldEnd(k FixupKind) int64 {
	if k == FixupPC32 || k == FixupCall && (e.o.Machine == X86_64 || e.o.Machine == I386) {
		return -4
	}
	return 0
}

// storeAddends puts the addends into the sections, for the REL form.
func (e *elfWriter) storeAddends() {
	if e.wide {
		return
	}
	for _, s := range e.o.Sections {
		for i := range s.Fixups {
			_, addend := e.fixupSymbol(&s.Fixups[i])
			s.addTo(s.Fixups[i].Offset, 4, addend)
		}
	}
}
