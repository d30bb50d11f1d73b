package objfile

import (
	"debug/macho"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"offlink/lazy"
)

// The Mach-O writer (mach-o/loader.h, nlist.h, reloc.h). A file is laid out as
//
//	header | load commands | sections | relocations | symbols | names
//
// An object has one nameless segment. Addends are in place; relocations name
// symbols, and every section has one at its start for that.

const (
	machoSegmentSize  = 72
	machoBuildSize    = 24
	machoSymtabSize   = 24
	machoDysymtabSize = 80
	machoNameSize     = 16 // of segments and sections
	machoMaxSections  = 255

	machoBuildVersion  = 0x32 // LC_BUILD_VERSION
	machoPlatformMacOS = 1

	machoNoDeadStrip  = 0x10000000 // S_ATTR_NO_DEAD_STRIP
	machoInitializers = 0x9        // S_MOD_INIT_FUNC_POINTERS

	machoSymbolExternal = 0x01 // N_EXT
	machoSymbolPrivate  = 0x10 // N_PEXT
)

var machoMachines = lazy.Map[Machine, [2]uint32]{New: func() map[Machine][2]uint32 {
	return map[Machine][2]uint32{
		X86_64:  {uint32(macho.CpuAmd64), 3}, // CPU_SUBTYPE_X86_64_ALL
		AArch64: {uint32(macho.CpuArm64), 0}, // CPU_SUBTYPE_ARM64_ALL
	}
}}

// machoRelocation has the fields of a relocation that depend on its kind.
type machoRelocation struct{ typ, pcrel, length uint32 }

var machoRelocations = lazy.Map[Machine, map[FixupKind]machoRelocation]{New: func() map[Machine]map[FixupKind]machoRelocation {
	return map[Machine]map[FixupKind]machoRelocation{
		X86_64: {
			FixupPointer: {uint32(macho.X86_64_RELOC_UNSIGNED), 0, 3},
			FixupPC32:    {uint32(macho.X86_64_RELOC_SIGNED), 1, 2},
			FixupCall:    {uint32(macho.X86_64_RELOC_BRANCH), 1, 2},
		},
		AArch64: {
			FixupPointer:      {uint32(macho.ARM64_RELOC_UNSIGNED), 0, 3},
			FixupCall:         {uint32(macho.ARM64_RELOC_BRANCH26), 1, 2},
			FixupPage21:       {uint32(macho.ARM64_RELOC_PAGE21), 1, 2},
			FixupPageOffset12: {uint32(macho.ARM64_RELOC_PAGEOFF12), 0, 2},
		},
	}
}}

// machoWriter is one object on its way into a file.
type machoWriter struct {
	*emitter
	o         *Object
	names     *stringTable
	locations map[*ObjectSection]*machoLocation
	symbols   []machoSymbol
	groups    [3]int // symbols that are local, defined, undefined
	size      int64  // of the segment
	data      int64  // where the sections begin
	table     int64  // where the symbols begin
}

// machoLocation is where a section lies.
type machoLocation struct {
	number      int
	address     int64 // in the segment
	relocations int64 // in the file
	symbol      uint32
}

// machoSymbol is an entry of the symbol table.
type machoSymbol struct {
	name    uint32
	typ     uint8
	section uint8
	value   int64
}

// writeMachO writes an object: header, commands, data, relocations, symbols, strings. All offsets
// are computed first, since the writer never goes back.
func writeMachO(w io.Writer, o *Object) error {
	e := &machoWriter{emitter: newEmitter(w), o: o, names: newStringTable("\x00"), locations: map[*ObjectSection]*machoLocation{}}
	if err := e.layOut(); err != nil {
		return err
	}
	e.storeAddends()
	e.writeParts()
	return e.closeFile()
}

// layOut assigns the offsets of all parts.
func (e *machoWriter) layOut() error {
	if len(e.o.Sections) > machoMaxSections {
		return fmt.Errorf("%d sections: a Mach-O file counts at most %d", len(e.o.Sections), machoMaxSections)
	}
	e.data = alignUp(machoHeaderSize+e.commandsSize(), 16)
	for i, s := range e.o.Sections {
		if _, _, err := machoNames(s.Name); err != nil {
			return err
		}
		e.size = alignUp(e.size, int64(s.Align))
		e.locations[s] = &machoLocation{number: i + 1, address: e.size}
		e.size += s.size
	}
	end := alignUp(e.data+e.size, 8)
	for _, s := range e.o.Sections {
		e.locations[s].relocations = end
		end += machoRelocSize * int64(len(s.Fixups))
	}
	e.table = end
	e.numberSymbols()
	if end+machoSymbolSize*int64(len(e.symbols))+int64(e.names.data.Len()) > math.MaxUint32 {
		return fmt.Errorf("%d bytes: a Mach-O object is smaller than 4 GiB; wrap the images into several objects", end)
	}
	return nil
}

// machoNames splits "segment,section".
func machoNames(name string) (segment, section [machoNameSize]byte, err error) {
	first, second, _ := strings.Cut(name, ",")
	if len(first) > machoNameSize || len(second) > machoNameSize {
		return segment, section, fmt.Errorf("section %q: Mach-O names have at most %d characters", name, machoNameSize)
	}
	copy(segment[:], first)
	copy(section[:], second)
	return segment, section, nil
}

func (e *machoWriter) commandsSize() int64 {
	return machoSegmentSize + machoSectionSize*int64(len(e.o.Sections)) + machoBuildSize + machoSymtabSize + machoDysymtabSize
}

// numberSymbols makes the symbol table: local symbols, those of the sections
// among them, then defined ones, then undefined ones.
func (e *machoWriter) numberSymbols() {
	for i, s := range e.o.Sections {
		p := e.locations[s]
		p.symbol = e.addSymbol("ltmp"+strconv.Itoa(i), machoSymbolSection, p.number, p.address)
	}
	for group, in := range []func(*ObjectSymbol) bool{
		func(s *ObjectSymbol) bool { return s.Section != nil && !s.Global },
		func(s *ObjectSymbol) bool { return s.Section != nil && s.Global },
		func(s *ObjectSymbol) bool { return s.Section == nil },
	} {
		for _, s := range e.o.Symbols {
			if in(s) {
				s.index = e.addObjectSymbol(s)
			}
		}
		e.groups[group] = len(e.symbols)
	}
}

// addObjectSymbol adds a symbol of the object and returns its number.
func (e *machoWriter) addObjectSymbol(s *ObjectSymbol) uint32 {
	if s.Section == nil {
		return e.addSymbol("_"+s.Name, machoSymbolExternal, 0, 0)
	}
	typ := uint8(machoSymbolSection)
	if s.Global {
		typ |= machoSymbolExternal
	}
	if s.Hidden {
		typ |= machoSymbolPrivate
	}
	p := e.locations[s.Section]
	return e.addSymbol("_"+s.Name, typ, p.number, p.address+s.Offset)
}

// addSymbol adds an entry of the symbol table and returns its number.
func (e *machoWriter) addSymbol(name string, typ uint8, section int, value int64) uint32 {
	e.symbols = append(e.symbols, machoSymbol{e.names.addString(name), typ, uint8(section), value})
	return uint32(len(e.symbols) - 1)
}

// storeAddends puts the addends into the sections. Those of instructions are 0.
func (e *machoWriter) storeAddends() {
	for _, s := range e.o.Sections {
		for _, f := range s.Fixups {
			if f.Kind == FixupPointer {
				s.addTo(f.Offset, 8, f.Addend)
			}
		}
	}
}

// writeParts writes the parts whose offsets were computed before.
func (e *machoWriter) writeParts() {
	machine := machoMachines.Get()[e.o.Machine]
	e.putValues(macho.Magic64, machine, uint32(macho.TypeObj), uint32(4), uint32(e.commandsSize()), uint32(0), uint32(0))
	e.writeSegment()
	e.putValues(uint32(machoBuildVersion), uint32(machoBuildSize), uint32(machoPlatformMacOS), e.macOS(), uint32(0), uint32(0))
	e.writeSymtab()
	for _, s := range e.o.Sections {
		e.padTo(e.data + e.locations[s].address)
		e.writePieces(s)
	}
	for _, s := range e.o.Sections {
		e.padTo(e.locations[s].relocations)
		e.writeRelocations(s)
	}
	e.padTo(e.table)
	for _, s := range e.symbols {
		e.put32(s.name)
		e.writeBytes([]byte{s.typ, s.section, 0, 0})
		e.put64(uint64(s.value))
	}
	e.writeBytes(e.names.data.Bytes())
}

// macOS returns the version as LC_BUILD_VERSION packs it.
func (e *machoWriter) macOS() uint32 { return uint32(e.o.MacOS[0])<<16 | uint32(e.o.MacOS[1])<<8 }

// writeSegment writes the one segment, with its sections.
func (e *machoWriter) writeSegment() {
	const readWriteExecute = 7
	n := len(e.o.Sections)
	e.putValues(uint32(macho.LoadCmdSegment64), uint32(machoSegmentSize+machoSectionSize*n), [machoNameSize]byte{},
		uint64(0), uint64(e.size), uint64(e.data), uint64(e.size), uint32(readWriteExecute), uint32(readWriteExecute), uint32(n), uint32(0))
	for _, s := range e.o.Sections {
		e.sectionHeader(s)
	}
}

// sectionHeader writes a section header.
func (e *machoWriter) sectionHeader(s *ObjectSection) {
	segment, section, _ := machoNames(s.Name)
	p := e.locations[s]
	flags := uint32(machoNoDeadStrip)
	switch s.Use {
	case UseCode:
		flags |= machoInstructions
	case UseConstructors:
		flags |= machoInitializers
	}
	relocations := p.relocations
	if len(s.Fixups) == 0 {
		relocations = 0
	}
	e.putValues(section, segment, uint64(p.address), uint64(s.size), uint32(e.data+p.address), log2(s.Align),
		uint32(relocations), uint32(len(s.Fixups)), flags, [3]uint32{})
}

// writeSymtab writes LC_SYMTAB and LC_DYSYMTAB. Linkers want local, defined and undefined symbols
// in this order.
func (e *machoWriter) writeSymtab() {
	e.putValues(uint32(macho.LoadCmdSymtab), uint32(machoSymtabSize), uint32(e.table), uint32(len(e.symbols)),
		uint32(e.table+machoSymbolSize*int64(len(e.symbols))), uint32(e.names.data.Len()))
	local, defined, all := uint32(e.groups[0]), uint32(e.groups[1]), uint32(e.groups[2])
	e.putValues(uint32(macho.LoadCmdDysymtab), uint32(machoDysymtabSize),
		uint32(0), local, local, defined-local, defined, all-defined, [12]uint32{})
}

// writeRelocations writes the relocations of a section. A fixup without a symbol names the symbol
// at the start of its section.
func (e *machoWriter) writeRelocations(s *ObjectSection) {
	kinds := machoRelocations.Get()[e.o.Machine]
	for i := range s.Fixups {
		f := &s.Fixups[i]
		var symbol uint32
		if f.Symbol != nil {
			symbol = f.Symbol.index
		} else {
			symbol = e.locations[f.Section].symbol
		}
		const external = 1 << 27
		k := kinds[f.Kind]
		e.put32(uint32(f.Offset))
		e.put32(symbol | k.pcrel<<24 | k.length<<25 | external | k.typ<<28)
	}
}
