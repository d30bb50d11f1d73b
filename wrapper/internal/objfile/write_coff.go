package objfile

import (
	"debug/pe"
	"fmt"
	"io"
	"math"
	"strconv"

	"offlink/lazy"
)

// The COFF writer (Microsoft, PE Format). A file is laid out as
//
//	header | section headers | sections, each with its relocations | symbols | names
//
// Addends are in place. The time stamp is 0, so that the same input gives the
// same bytes.

const (
	coffSymbolSize = 18
	// coffMaxSections is the largest section number; the form of objects with
	// more (/bigobj) is not written.
	coffMaxSections = 0xfeff
	coffMaxSize     = math.MaxUint32
)

var coffMachines = lazy.Map[Machine, uint16]{New: func() map[Machine]uint16 {
	return map[Machine]uint16{
		X86_64: pe.IMAGE_FILE_MACHINE_AMD64, AArch64: pe.IMAGE_FILE_MACHINE_ARM64,
	}
}}

var coffRelocations = lazy.Map[Machine, map[FixupKind]uint16]{New: func() map[Machine]map[FixupKind]uint16 {
	return map[Machine]map[FixupKind]uint16{
		X86_64: {
			FixupPointer: 0x0001, // IMAGE_REL_AMD64_ADDR64
			FixupPC32:    0x0004, // IMAGE_REL_AMD64_REL32
			FixupCall:    0x0004,
		},
		AArch64: {
			FixupPointer:      0x000e, // IMAGE_REL_ARM64_ADDR64
			FixupCall:         0x0003, // IMAGE_REL_ARM64_BRANCH26
			FixupPage21:       0x0004, // IMAGE_REL_ARM64_PAGEBASE_REL21
			FixupPageOffset12: 0x0006, // IMAGE_REL_ARM64_PAGEOFFSET_12A
		},
	}
}}

const (
	coffCode = pe.IMAGE_SCN_CNT_CODE | pe.IMAGE_SCN_MEM_EXECUTE | pe.IMAGE_SCN_MEM_READ
	coffData = pe.IMAGE_SCN_CNT_INITIALIZED_DATA | pe.IMAGE_SCN_MEM_READ
)

// coffWriter is one object on its way into a file.
type coffWriter struct {
	*emitter
	o       *Object
	numbers map[*ObjectSection]int
	names   *stringTable
	headers []coffHeader
	symbols int64 // offset of the symbol table
	count   int   // of its entries
}

// coffHeader has the name and the offsets of a section header.
type coffHeader struct {
	name              [8]byte
	data, relocations int64
}

// writeCOFF writes an object in the order of the PE format's document: header,
// section table, data and relocations, symbols, strings.
func writeCOFF(w io.Writer, o *Object) error {
	if len(o.Sections) > coffMaxSections {
		return fmt.Errorf("%d sections: a COFF file counts at most %d; wrap the images into several objects", len(o.Sections), coffMaxSections)
	}
	e := &coffWriter{emitter: newEmitter(w), o: o, numbers: map[*ObjectSection]int{}, names: newStringTable("\x00\x00\x00\x00")}
	if err := e.layOut(); err != nil {
		return err
	}
	e.storeAddends()
	e.writeParts()
	return e.closeFile()
}

// layOut assigns the offsets of all parts and the numbers of symbols. Each section has a symbol and
// an auxiliary record in front of the object's symbols.
func (e *coffWriter) layOut() error {
	end := int64(coffHeaderSize + coffSectionSize*len(e.o.Sections))
	for i, s := range e.o.Sections {
		e.numbers[s] = i + 1
		h := coffHeader{name: e.sectionName(s.Name)}
		h.data = alignUp(end, s.fileAlign(4))
		h.relocations = h.data + s.size
		end = h.relocations + coffRelocSize*int64(relocationEntries(s))
		e.headers = append(e.headers, h)
	}
	e.symbols = alignUp(end, 4)
	e.count = 2 * len(e.o.Sections) // a symbol and its description each
	for _, s := range e.o.Symbols {
		s.index = uint32(e.count)
		e.count++
	}
	if e.symbols+coffSymbolSize*int64(e.count) > coffMaxSize {
		return fmt.Errorf("%d bytes: a COFF file is smaller than 4 GiB; wrap the images into several objects", end)
	}
	return nil
}

// sectionName returns the name, or its place in the string table: in decimal while seven digits are
// enough, then in base 64.
func (e *coffWriter) sectionName(name string) (field [8]byte) {
	if len(name) <= len(field) {
		copy(field[:], name)
		return field
	}
	at := e.names.addString(name)
	if at < 1e7 {
		copy(field[:], "/"+strconv.Itoa(int(at)))
		return field
	}
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	field = [8]byte{'/', '/'}
	for i := len(field) - 1; i > 1; i-- {
		field[i] = digits[at%64]
		at /= 64
	}
	return field
}

// relocationEntries returns the number of entries in a section's relocation table. From 65,535
// relocations on, a first entry holds their number.
func relocationEntries(s *ObjectSection) int {
	if len(s.Fixups) >= math.MaxUint16 {
		return len(s.Fixups) + 1
	}
	return len(s.Fixups)
}

// storeAddends puts the addends into the sections. Instructions other than those of FixupPC32 have
// none.
func (e *coffWriter) storeAddends() {
	for _, s := range e.o.Sections {
		for _, f := range s.Fixups {
			switch f.Kind {
			case FixupPointer:
				s.addTo(f.Offset, 8, f.Addend)
			case FixupPC32:
				s.addTo(f.Offset, 4, f.Addend)
			}
		}
	}
}

// writeParts writes the object front to back; all offsets were computed
// before.
func (e *coffWriter) writeParts() {
	e.putValues(coffMachines.Get()[e.o.Machine], uint16(len(e.o.Sections)), uint32(0), uint32(e.symbols), uint32(e.count), uint16(0), uint16(0))
	for i, s := range e.o.Sections {
		e.sectionHeader(s, e.headers[i])
	}
	for i, s := range e.o.Sections {
		e.padTo(e.headers[i].data)
		e.writePieces(s)
		e.writeRelocations(s)
	}
	e.padTo(e.symbols)
	for i, s := range e.o.Sections {
		e.sectionSymbol(i+1, s)
	}
	for _, s := range e.o.Symbols {
		e.writeSymbol(s)
	}
	names := e.names.data.Bytes()
	e.put32(uint32(len(names)))
	e.writeBytes(names[4:])
}

// sectionHeader writes a section header.
func (e *coffWriter) sectionHeader(s *ObjectSection, h coffHeader) {
	flags := uint32(coffData)
	if s.Use == UseCode {
		flags = coffCode
	}
	flags |= (log2(s.Align) + 1) << 20 // IMAGE_SCN_ALIGN_*
	count, relocations := len(s.Fixups), h.relocations
	switch {
	case count == 0:
		relocations = 0
	case relocationEntries(s) > count:
		count = math.MaxUint16
		flags |= coffManyRelocs
	}
	e.putValues(h.name, uint32(0), uint32(0), uint32(s.size), uint32(h.data), uint32(relocations), uint32(0), uint16(count), uint16(0), flags)
}

// writeRelocations writes the relocations of a section. More than 65,534 are
// counted in the first (IMAGE_SCN_LNK_NRELOC_OVFL).
func (e *coffWriter) writeRelocations(s *ObjectSection) {
	if n := relocationEntries(s); n > len(s.Fixups) {
		e.writeRelocation(uint32(n), 0, 0)
	}
	kinds := coffRelocations.Get()[e.o.Machine]
	for i := range s.Fixups {
		f := &s.Fixups[i]
		e.writeRelocation(uint32(f.Offset), e.fixupSymbol(f), kinds[f.Kind])
	}
}

// writeRelocation writes a relocation of ten bytes.
func (e *coffWriter) writeRelocation(at, symbol uint32, kind uint16) {
	e.put32(at)
	e.put32(symbol)
	e.put16(kind)
}

// fixupSymbol returns the symbol that a fixup names. For a place in a section, it is that of the
// section.
func (e *coffWriter) fixupSymbol(f *Fixup) uint32 {
	if f.Symbol != nil {
		return f.Symbol.index
	}
	return uint32(2 * (e.numbers[f.Section] - 1))
}

const (
	coffClassExternal = 2
	coffClassStatic   = 3
	coffTypeFunction  = 0x20
)

// sectionSymbol writes the symbol of a section and its auxiliary record.
func (e *coffWriter) sectionSymbol(number int, s *ObjectSection) {
	e.symbolEntry(e.symbolName(s.Name), 0, number, 0, coffClassStatic, 1)
	e.putValues(uint32(s.size), uint16(min(len(s.Fixups), math.MaxUint16)), uint16(0), uint32(0), uint16(number), uint8(0), [3]byte{})
}

// writeSymbol writes a symbol. Global symbols and undefined ones have the external class.
func (e *coffWriter) writeSymbol(s *ObjectSymbol) {
	class, typ := uint8(coffClassStatic), uint16(0)
	if s.Global || s.Section == nil {
		class = coffClassExternal
	}
	if s.Func {
		typ = coffTypeFunction
	}
	e.symbolEntry(e.symbolName(s.Name), uint32(s.Offset), e.numbers[s.Section], typ, class, 0)
}

// symbolName returns the name, if it has up to eight bytes, or else four zeros and its place in the
// string table.
func (e *coffWriter) symbolName(name string) (field [8]byte) {
	if len(name) <= len(field) {
		copy(field[:], name)
		return field
	}
	at := e.names.addString(name)
	return [8]byte{4: byte(at), byte(at >> 8), byte(at >> 16), byte(at >> 24)}
}

// symbolEntry writes the 18 bytes of a symbol.
func (e *coffWriter) symbolEntry(name [8]byte, value uint32, section int, typ uint16, class, more uint8) {
	e.writeBytes(name[:])
	e.put32(value)
	e.putValues(uint16(section), typ, class, more)
}
