package objfile

import (
	"debug/pe"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"offlink/lazy"
)

// Sizes and values of COFF and PE (Microsoft PE format).
const (
	coffHeaderSize    = 20
	coffBigHeaderSize = 56
	coffSectionSize   = 40
	coffRelocSize     = 10

	coffUninitialized  = pe.IMAGE_SCN_CNT_UNINITIALIZED_DATA
	coffInfo           = 0x200      // IMAGE_SCN_LNK_INFO
	coffRemove         = 0x800      // IMAGE_SCN_LNK_REMOVE
	coffManyRelocs     = 0x01000000 // IMAGE_SCN_LNK_NRELOC_OVFL
	coffExecute        = pe.IMAGE_SCN_MEM_EXECUTE
	peOptional32       = 0x10b
	peOptional64       = 0x20b
	coffAbsoluteSymbol = -1
)

// coffRelocs is the meaning of the relocations of one machine.
type coffRelocs struct {
	name     string
	pointer  int
	absolute uint16 // a pointer to a symbol
}

var coffReadable = lazy.Map[uint16, coffRelocs]{New: func() map[uint16]coffRelocs {
	return map[uint16]coffRelocs{
		pe.IMAGE_FILE_MACHINE_I386:  {"i386", 4, 6},     // IMAGE_REL_I386_DIR32
		pe.IMAGE_FILE_MACHINE_AMD64: {"x86_64", 8, 1},   // IMAGE_REL_AMD64_ADDR64
		pe.IMAGE_FILE_MACHINE_ARM64: {"aarch64", 8, 14}, // IMAGE_REL_ARM64_ADDR64
	}
}}

func isPE(data []byte) bool { return len(data) >= 64 && data[0] == 'M' && data[1] == 'Z' }

// isCOFF knows images by their DOS header, objects by their machine, as they have no magic number,
// and big objects and import members by theirs, which is 0 and 0xffff.
func isCOFF(data []byte) bool {
	if isPE(data) {
		return true
	}
	if len(data) < coffHeaderSize {
		return false
	}
	first, second := binary.LittleEndian.Uint16(data), binary.LittleEndian.Uint16(data[2:])
	if first == 0 && second == 0xffff {
		return true
	}
	_, known := coffReadable.Get()[first]
	// The machine alone is two bytes that any file may begin with; the section
	// table must fit too.
	return known && binary.LittleEndian.Uint16(data[16:]) == 0 && // no optional header
		uint64(second)*coffSectionSize <= uint64(len(data))
}

// coffFile is a COFF object or a PE image while it is read.
type coffFile struct {
	input
	header   int // where the COFF header is
	big      bool
	image    bool
	base     uint64 // address of the first byte of an image
	relocs   coffRelocs
	table    uint64 // offset of the section headers
	sections []coffSection
	symbols  []byte
	strings  []byte
	file     *File
}

// coffSection is a section header.
type coffSection struct {
	Name                     [8]byte
	VirtualSize, VirtualAddr uint32
	RawSize, Raw             uint32 // bytes in the file, and where
	Relocs, Lines            uint32 // where in the file
	RelocCount, LineCount    uint16
	Flags                    uint32
}

// readCOFF reads a PE file or a COFF object.
func readCOFF(data []byte) (*File, error) {
	c, err := parseCOFF(data)
	if err != nil {
		return nil, err
	}
	return c.file, nil
}

// parseCOFF reads the headers of a PE file or a COFF object.
func parseCOFF(data []byte) (*coffFile, error) {
	c := &coffFile{input: input{COFF, data}, image: isPE(data)}
	for _, step := range []func() error{c.readHeader, c.readSections, c.readSymbols, c.nameSections, c.placeRegions} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	if !c.image {
		fixups, err := c.readFixups()
		if err != nil {
			return nil, err
		}
		c.file.fixups = slices.Values(fixups)
	}
	return c, nil
}

func (c *coffFile) u16(off int) uint16 { return binary.LittleEndian.Uint16(c.data[off:]) }
func (c *coffFile) u32(off int) uint32 { return binary.LittleEndian.Uint32(c.data[off:]) }

// readHeader finds the file header: at the start of an object, after "PE\0\0"
// in a program, or in the long form of objects of more than 65,279 sections
// (/bigobj).
func (c *coffFile) readHeader() error {
	if c.image {
		at := uint64(c.u32(0x3c))
		mark, err := c.slice(at, 4+coffHeaderSize, "the PE header")
		if err != nil {
			return err
		}
		if string(mark[:4]) != "PE\x00\x00" {
			return c.errorf(int64(at), "a DOS program, not a PE image")
		}
		c.header = int(at) + 4
	}
	c.big = !c.image && c.u16(0) == 0
	machine := c.u16(c.header)
	if c.big {
		if len(c.data) < coffBigHeaderSize || c.u16(4) < 2 {
			c.file = &File{Format: COFF, Pointer: 8, data: c.data} // an import member: names, no sections
			return nil
		}
		machine = c.u16(6)
	}
	relocs, known := coffReadable.Get()[machine]
	if !known {
		relocs = coffRelocs{name: fmt.Sprintf("machine %#x", machine), pointer: 8}
	}
	c.relocs = relocs
	c.file = &File{Format: COFF, Machine: relocs.name, Pointer: relocs.pointer, Linked: c.image, data: c.data}
	return c.readOptional()
}

// readOptional reads the preferred address of an image.
func (c *coffFile) readOptional() error {
	size := uint64(c.u16(c.header + 16))
	c.table = uint64(c.header) + coffHeaderSize + size
	if c.big {
		c.table = coffBigHeaderSize
	}
	if !c.image {
		return nil
	}
	optional, err := c.slice(uint64(c.header)+coffHeaderSize, size, "the optional header")
	if err != nil {
		return err
	}
	if len(optional) < 32 {
		return c.errorf(int64(c.header), "an optional header of %d bytes", size)
	}
	switch magic := binary.LittleEndian.Uint16(optional); magic {
	case peOptional32:
		c.base, c.file.Pointer = uint64(binary.LittleEndian.Uint32(optional[28:])), 4
	case peOptional64:
		c.base, c.file.Pointer = binary.LittleEndian.Uint64(optional[24:]), 8
	default:
		return c.errorf(int64(c.header), "an optional header of kind %#x", magic)
	}
	return nil
}

// sectionCount returns the number of sections, which has 16 bits in the header
// and 32 in the long form.
func (c *coffFile) sectionCount() uint64 {
	switch {
	case c.big && c.table == 0:
		return 0
	case c.big:
		return uint64(c.u32(44))
	}
	return uint64(c.u16(c.header + 2))
}

// readSections reads the section table.
func (c *coffFile) readSections() error {
	b, err := c.input.table(c.table, c.sectionCount(), coffSectionSize, "section headers")
	if err != nil {
		return err
	}
	c.sections = make([]coffSection, len(b)/coffSectionSize)
	for i := range c.sections {
		if _, err := binary.Decode(b[i*coffSectionSize:], binary.LittleEndian, &c.sections[i]); err != nil {
			return err
		}
	}
	return nil
}

// symbolSize returns the size of a symbol, whose section number is wider in
// the long form.
func (c *coffFile) symbolSize() int {
	if c.big {
		return 20
	}
	return 18
}

// readSymbols finds the symbols and the string table after them. Most linked
// images have none.
func (c *coffFile) readSymbols() error {
	if c.table == 0 {
		return nil
	}
	at := c.header + 8
	if c.big {
		at = 48
	}
	off, count := uint64(c.u32(at)), uint64(c.u32(at+4))
	if off == 0 {
		return nil
	}
	var err error
	if c.symbols, err = c.input.table(off, count, uint64(c.symbolSize()), "symbols"); err != nil {
		return err
	}
	// The string table follows the symbols without a pointer of its own; its
	// first word is its size.
	c.strings = c.data[off+uint64(len(c.symbols)):]
	if len(c.strings) >= 4 {
		c.strings = c.strings[:min(uint64(len(c.strings)), uint64(binary.LittleEndian.Uint32(c.strings)))]
	}
	return nil
}

// sectionName returns the bytes that begin with the section's name: its
// header's, or those of the string table.
func (c *coffFile) sectionName(raw *[8]byte) []byte {
	text := strings.TrimRight(string(raw[:]), "\x00")
	off, ok := longNameOffset(text)
	if !ok || off >= uint64(len(c.strings)) {
		return []byte(text)
	}
	return c.strings[off:]
}

// longNameOffset reads the offset of a long section name: "/123" in decimal, or "//AAAAAA" in
// base 64 with the digits of MIME, most significant first.
func longNameOffset(name string) (uint64, bool) {
	if digits, ok := strings.CutPrefix(name, "//"); ok && len(digits) == 6 {
		b, err := base64.RawStdEncoding.DecodeString(digits + "A") // 42 bits: 5 bytes
		if err != nil {
			return 0, false
		}
		n := new(big.Int).SetBytes(b)
		// Six digits are the first 36 of these bits.
		return n.Rsh(n, uint(len(b)*8-36)).Uint64(), true
	}
	digits, ok := strings.CutPrefix(name, "/")
	if !ok {
		return 0, false
	}
	off, err := strconv.ParseUint(digits, 10, 32)
	return off, err == nil
}

// nameSections makes the sections that callers see. The raw data of an image
// is padded to whole blocks, and the padding is left out.
func (c *coffFile) nameSections() error {
	c.file.Sections = make([]FileSection, len(c.sections))
	for i := range c.sections {
		h := &c.sections[i]
		size := uint64(h.RawSize)
		if c.image { // raw data is padded to whole blocks
			size = min(size, uint64(h.VirtualSize))
		}
		// Objects state the size of uninitialized data as raw size, without
		// bytes.
		if h.Flags&coffUninitialized != 0 || h.Raw == 0 {
			size = 0
		}
		data, err := c.slice(uint64(h.Raw), size, fmt.Sprintf("section %d", i+1))
		if err != nil {
			return err
		}
		c.file.Sections[i] = FileSection{
			Addr: c.base + uint64(h.VirtualAddr), Offset: int64(h.Raw), Data: data,
			Plain: true, Alloc: h.Flags&(coffInfo|coffRemove) == 0, Exec: h.Flags&coffExecute != 0,
			name: c.sectionName(&h.Name),
		}
	}
	return nil
}

// placeRegions lays the sections out in memory. The sections of an object have no addresses, so
// they are given some.
func (c *coffFile) placeRegions() error {
	var l layouter
	for i := range c.file.Sections {
		s, h := &c.file.Sections[i], &c.sections[i]
		switch {
		case !s.Alloc:
		case c.image:
			l.addRegion(s, max(uint64(h.VirtualSize), uint64(len(s.Data))))
		default:
			s.Addr = l.assignAddress(uint64(h.RawSize))
			l.addRegion(s, uint64(h.RawSize))
		}
	}
	return c.file.setRegions(&c.input, l.regions)
}

// readFixups resolves the relocations of an object's data.
func (c *coffFile) readFixups() ([]fixup, error) {
	var fixups []fixup
	for i := range c.sections {
		s := &c.file.Sections[i]
		if s.Exec || !s.Alloc || len(s.Data) == 0 {
			continue
		}
		table, err := c.relocationTable(&c.sections[i])
		if err != nil {
			return nil, err
		}
		for ; len(table) >= coffRelocSize; table = table[coffRelocSize:] {
			if binary.LittleEndian.Uint16(table[8:]) != c.relocs.absolute {
				continue
			}
			fix, ok, err := c.readFixup(s, table)
			if err != nil {
				return nil, fmt.Errorf("section %d: %w", i+1, err)
			}
			if ok {
				fixups = append(fixups, fix)
			}
		}
	}
	return fixups, nil
}

// relocationTable returns the relocation table of a section. Past 65,534 entries
// their number is in the first.
func (c *coffFile) relocationTable(h *coffSection) ([]byte, error) {
	off, count := uint64(h.Relocs), uint64(h.RelocCount)
	if h.Flags&coffManyRelocs != 0 && count == 0xffff {
		first, err := c.slice(off, coffRelocSize, "the number of relocations")
		if err != nil {
			return nil, err
		}
		// The count includes the entry that holds it.
		if count = uint64(binary.LittleEndian.Uint32(first)); count == 0 {
			return nil, nil
		}
		off, count = off+coffRelocSize, count-1
	}
	return c.input.table(off, count, coffRelocSize, "relocations")
}

// readFixup resolves one relocation; the addend is in the word.
func (c *coffFile) readFixup(s *FileSection, reloc []byte) (fixup, bool, error) {
	at := uint64(binary.LittleEndian.Uint32(reloc))
	symbol := uint64(binary.LittleEndian.Uint32(reloc[4:]))
	if at > uint64(len(s.Data)) || uint64(len(s.Data))-at < uint64(c.file.Pointer) {
		return fixup{}, false, c.errorf(-1, "a relocation at %#x of a section of %#x bytes", at, len(s.Data))
	}
	size := uint64(c.symbolSize())
	if symbol >= uint64(len(c.symbols))/size {
		return fixup{}, false, c.errorf(-1, "symbol %d of %d", symbol, uint64(len(c.symbols))/size)
	}
	b := c.symbols[symbol*size:]
	value := uint64(binary.LittleEndian.Uint32(b[8:]))
	section := int64(int16(binary.LittleEndian.Uint16(b[12:])))
	if c.big {
		section = int64(int32(binary.LittleEndian.Uint32(b[12:])))
	}
	switch {
	case section == coffAbsoluteSymbol:
	// Undefined symbols (0) and debugging ones (-2) have no address.
	case section < 1:
		return fixup{}, false, nil
	case section > int64(len(c.sections)):
		return fixup{}, false, c.errorf(-1, "symbol %d lies in section %d of %d", symbol, section, len(c.sections))
	default:
		value += c.file.Sections[section-1].Addr
	}
	return fixup{s.Addr + at, value + c.file.readPointer(s.Data[at:])}, true, nil
}
