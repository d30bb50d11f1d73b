package objfile

import (
	"bytes"
	"debug/macho"
	"encoding/binary"
	"fmt"
	"slices"

	"offlink/lazy"
)

// Sizes and values of Mach-O (mach-o/loader.h, nlist.h, reloc.h) that
// debug/macho lacks.
const (
	machoHeaderSize  = 32
	machoSectionSize = 80
	machoSymbolSize  = 16
	machoRelocSize   = 8

	machoLoadChained = 0x80000034 // LC_DYLD_CHAINED_FIXUPS

	machoZeroFill       = 0x1
	machoGBZeroFill     = 0xc
	machoThreadZeroFill = 0x12
	machoInstructions   = 0x80000400 // pure, some

	machoSymbolTypeMask = 0x0e
	machoSymbolDebug    = 0xe0
	machoSymbolAbsolute = 0x02
	machoSymbolSection  = 0x0e
)

var machoReadable = lazy.Map[uint32, string]{New: func() map[uint32]string {
	return map[uint32]string{uint32(macho.CpuAmd64): "x86_64", uint32(macho.CpuArm64): "aarch64"}
}}

// isMachO reports whether the file begins as a Mach-O file does. Universal files are taken apart
// before.
func isMachO(data []byte) bool {
	if len(data) < 4 {
		return false
	}
	magic := binary.LittleEndian.Uint32(data)
	return magic == macho.Magic64 || magic == macho.Magic32
}

// machoFile is a Mach-O file while it is read.
type machoFile struct {
	input
	object   bool
	base     uint64 // address of the file header
	segments []machoSegment
	relocs   []machoRelocs // of each section of File.Sections
	symbols  []byte
	chained  []byte // payload of LC_DYLD_CHAINED_FIXUPS
	// signature is the payload of LC_CODE_SIGNATURE, at signatureAt.
	signature   []byte
	signatureAt int64
	file        *File
}

// machoSegment is a segment: its place in memory and in the file.
type machoSegment struct {
	addr, size, offset, fileSize uint64
	command                      uint64 // where the load command is
	name                         string
}

// machoRelocs is the place of a section's relocations in the file, and their number.
type machoRelocs struct{ offset, count uint32 }

// readMachO reads a Mach-O file.
func readMachO(data []byte) (*File, error) {
	m, err := parseMachO(data)
	if err != nil {
		return nil, err
	}
	return m.file, nil
}

// parseMachO reads the load commands of a Mach-O file.
func parseMachO(data []byte) (*machoFile, error) {
	m := &machoFile{input: input{MachO, data}}
	for _, step := range []func() error{m.readHeader, m.readCommands, m.placeRegions} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	read := m.chainedFixups
	if m.object {
		read = m.objectFixups
	}
	fixups, err := read()
	if err != nil {
		return nil, err
	}
	m.file.fixups = slices.Values(fixups)
	return m, nil
}

func (m *machoFile) u32(off uint64) uint32 { return binary.LittleEndian.Uint32(m.data[off:]) }

// readHeader reads the header (Apple, mach-o/loader.h) of a 64-bit file.
func (m *machoFile) readHeader() error {
	if m.u32(0) == macho.Magic32 {
		return m.errorf(0, "only 64-bit files are read")
	}
	if len(m.data) < machoHeaderSize {
		return m.errorf(0, "the file header is cut off")
	}
	m.object = m.u32(12) == uint32(macho.TypeObj)
	name, known := machoReadable.Get()[m.u32(4)]
	if !known {
		name = fmt.Sprintf("machine %#x", m.u32(4))
	}
	m.file = &File{Format: MachO, Machine: name, Pointer: 8, Linked: !m.object, data: m.data}
	return nil
}

// readCommands reads the load commands, each of which states its size.
func (m *machoFile) readCommands() error {
	commands, err := m.slice(machoHeaderSize, uint64(m.u32(20)), "load commands")
	if err != nil {
		return err
	}
	at := uint64(machoHeaderSize)
	for i := range m.u32(16) {
		if len(commands) < 8 {
			return m.errorf(int64(at), "load command %d of %d is cut off", i, m.u32(16))
		}
		size := uint64(binary.LittleEndian.Uint32(commands[4:]))
		if size < 8 || size > uint64(len(commands)) {
			return m.errorf(int64(at), "load command %d has %d bytes", i, size)
		}
		if err := m.readCommand(at, commands[:size]); err != nil {
			return err
		}
		commands, at = commands[size:], at+size
	}
	return nil
}

// readCommand reads the commands that say where data is: segments, symbols,
// fixups.
func (m *machoFile) readCommand(at uint64, c []byte) (err error) {
	kind := binary.LittleEndian.Uint32(c)
	need := map[uint32]int{uint32(macho.LoadCmdSegment64): 72, uint32(macho.LoadCmdSymtab): 24, machoLoadChained: 16, machoLoadSignature: 16}[kind]
	if len(c) < need {
		return m.errorf(int64(at), "a load command of %d bytes is too short for its kind %#x", len(c), kind)
	}
	switch kind {
	case uint32(macho.LoadCmdSegment64):
		return m.readSegment(at, c)
	case uint32(macho.LoadCmdSymtab):
		m.symbols, err = m.table(uint64(binary.LittleEndian.Uint32(c[8:])), uint64(binary.LittleEndian.Uint32(c[12:])), machoSymbolSize, "symbols")
	case machoLoadChained:
		m.chained, err = m.linkedit(c, "chained fixups")
	case machoLoadSignature:
		m.signatureAt = int64(binary.LittleEndian.Uint32(c[8:]))
		m.signature, err = m.linkedit(c, "the signature")
	}
	return err
}

// linkedit returns the payload of a load command.
func (m *machoFile) linkedit(c []byte, what string) ([]byte, error) {
	return m.slice(uint64(binary.LittleEndian.Uint32(c[8:])), uint64(binary.LittleEndian.Uint32(c[12:])), what)
}

// readSegment reads a segment with its sections. The segment at the start of the file contains the
// file header, so that it gives the base address.
func (m *machoFile) readSegment(at uint64, c []byte) error {
	word := func(off int) uint64 { return binary.LittleEndian.Uint64(c[off:]) }
	s := machoSegment{word(24), word(32), word(40), word(48), at, cName(c[8:24])}
	m.segments = append(m.segments, s)
	if s.offset == 0 && s.fileSize > 0 {
		m.base = s.addr
	}
	count := uint64(binary.LittleEndian.Uint32(c[64:]))
	if count > uint64(len(c)-72)/machoSectionSize {
		return m.errorf(int64(at), "%d sections in a load command of %d bytes", count, len(c))
	}
	for i := range count {
		if err := m.readSection(c[72+i*machoSectionSize:]); err != nil {
			return err
		}
	}
	return nil
}

// readSection reads a section header of 80 bytes. Its names fill 16 bytes and need not end in a
// zero.
func (m *machoFile) readSection(b []byte) error {
	size, offset := binary.LittleEndian.Uint64(b[40:]), binary.LittleEndian.Uint32(b[48:])
	flags := binary.LittleEndian.Uint32(b[64:])
	s := FileSection{
		Addr: binary.LittleEndian.Uint64(b[32:]), Offset: int64(offset), Plain: true, Alloc: true,
		Exec: flags&machoInstructions != 0, prefix: cName(b[16:32]) + ",", name: b[:16:16],
	}
	switch flags & 0xff {
	case machoZeroFill, machoGBZeroFill, machoThreadZeroFill:
	default:
		data, err := m.slice(uint64(offset), size, "section "+s.Name())
		if err != nil {
			return err
		}
		s.Data = data
	}
	m.file.Sections = append(m.file.Sections, s)
	m.relocs = append(m.relocs, machoRelocs{binary.LittleEndian.Uint32(b[56:]), binary.LittleEndian.Uint32(b[60:])})
	return nil
}

// cName returns the name in a field that is filled up with NULs.
func cName(b []byte) string {
	name, _, _ := bytes.Cut(b, []byte{0})
	return string(name)
}

// placeRegions lays the segments out in memory, except for __PAGEZERO, which only reserves
// addresses.
func (m *machoFile) placeRegions() error {
	var regions []region
	for i, s := range m.segments {
		if s.size == 0 || s.name == "__PAGEZERO" {
			continue
		}
		data, err := m.slice(s.offset, min(s.fileSize, s.size), fmt.Sprintf("segment %d", i))
		if err != nil {
			return err
		}
		regions = append(regions, region{s.addr, s.size, data, int64(s.offset)})
	}
	return m.file.setRegions(&m.input, regions)
}

// objectFixups resolves the relocations of an object's data that name a
// symbol. Those that name a section have the address in the word.
func (m *machoFile) objectFixups() ([]fixup, error) {
	var fixups []fixup
	for i, r := range m.relocs {
		s := &m.file.Sections[i]
		if s.Exec || len(s.Data) == 0 {
			continue
		}
		table, err := m.table(uint64(r.offset), uint64(r.count), machoRelocSize, "relocations of section "+s.Name())
		if err != nil {
			return nil, err
		}
		for ; len(table) > 0; table = table[machoRelocSize:] {
			fix, ok, err := m.readFixup(s, table)
			if err != nil {
				return nil, err
			}
			if ok {
				fixups = append(fixups, fix)
			}
		}
	}
	return fixups, nil
}

// readFixup decodes a relocation. Only those that are whole pointers to
// symbols of the file (*_RELOC_UNSIGNED of eight bytes) can be parts of a
// descriptor.
func (m *machoFile) readFixup(s *FileSection, reloc []byte) (fixup, bool, error) {
	at, info := uint64(binary.LittleEndian.Uint32(reloc)), binary.LittleEndian.Uint32(reloc[4:])
	external, typ, length := info>>27&1 == 1, info>>28, info>>25&3
	if !external || typ != 0 || length != 3 { // *_RELOC_UNSIGNED is 0, 3 is 8 bytes
		return fixup{}, false, nil
	}
	if at > uint64(len(s.Data)) || uint64(len(s.Data))-at < 8 {
		return fixup{}, false, m.errorf(-1, "section %s: a relocation at %#x of %#x bytes", s.Name(), at, len(s.Data))
	}
	n := uint64(info & 0xffffff)
	if n >= uint64(len(m.symbols))/machoSymbolSize {
		return fixup{}, false, m.errorf(-1, "section %s: symbol %d of %d", s.Name(), n, len(m.symbols)/machoSymbolSize)
	}
	b := m.symbols[n*machoSymbolSize:]
	kind := b[4]
	if kind&machoSymbolDebug != 0 || kind&machoSymbolTypeMask != machoSymbolSection && kind&machoSymbolTypeMask != machoSymbolAbsolute {
		return fixup{}, false, nil
	}
	return fixup{s.Addr + at, binary.LittleEndian.Uint64(b[8:]) + binary.LittleEndian.Uint64(s.Data[at:])}, true, nil
}
