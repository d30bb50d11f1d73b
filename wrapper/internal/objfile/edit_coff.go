package objfile

import (
	"encoding/binary"
)

// coffEditor edits COFF objects and PE images.
type coffEditor struct{ *coffFile }

func newCOFFEditor(data []byte) (*Editor, error) {
	parsed, err := parseCOFF(data)
	if err != nil {
		return nil, err
	}
	f := &coffEditor{parsed}
	e := &Editor{file: parsed.file, format: f}
	if f.image {
		return e, nil
	}
	for i := range f.sections {
		if err := f.addSites(e, i); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// addSites collects the relocations of an object's section.
func (f *coffEditor) addSites(e *Editor, section int) error {
	s, h := &f.file.Sections[section], &f.sections[section]
	if s.Exec || !s.Alloc || len(s.Data) == 0 {
		return nil
	}
	table, err := f.relocations(h)
	if err != nil {
		return err
	}
	at := int64(h.Relocs)
	if h.Flags&coffManyRelocs != 0 && h.RelocCount == 0xffff {
		at += coffRelocSize
	}
	for ; len(table) >= coffRelocSize; table, at = table[coffRelocSize:], at+coffRelocSize {
		if binary.LittleEndian.Uint16(table[8:]) == f.relocs.absolute {
			e.sites = append(e.sites, site{s.Addr + uint64(binary.LittleEndian.Uint32(table)), at, -1})
		}
	}
	return nil
}

func (f *coffEditor) targetSize() int { return 4 }

// rotated leaves the base relocations of an image as they are.
func (f *coffEditor) rotated(_ *Editor, _ uint64, size int, raw, _ []byte) error {
	if !f.image {
		return nil
	}
	return samePattern(raw, size, f.file.Pointer)
}

// inPlace serves images: the loader adds a distance to every pointer.
func (f *coffEditor) inPlace(e *Editor, addr, value uint64) ([]byte, error) {
	if !f.image {
		return nil, f.errorf(-1, "the pointer at %#x has no relocation", addr)
	}
	return e.Word(value), nil
}

func (f *coffEditor) grow(e *Editor, img Extent, size int64) (room, error) {
	section := f.file.sectionOf(img)
	if section < 0 {
		return room{}, ErrNoRoom
	}
	if f.image {
		return f.addSection(e, section, size)
	}
	return f.growSection(e, section, img, size)
}

// growSection moves a section of an object behind the end, where it has room.
func (f *coffEditor) growSection(e *Editor, section int, img Extent, size int64) (room, error) {
	s := &f.file.Sections[section]
	before, offset := moved(s, img)
	start := alignUp(int64(len(f.data)), imageAlign)
	if start+offset+size > 1<<32-1 {
		return room{}, ErrNoRoom
	}
	f.moveSection(e, section, start, offset+size)
	return room{addr: s.Addr + uint64(offset), before: before, start: start}, nil
}

func (f *coffEditor) moveSection(e *Editor, section int, offset, size int64) bool {
	if f.image || offset+size > 1<<32-1 {
		return false
	}
	at := int64(f.table) + int64(section)*coffSectionSize
	e.patch(at+16, binary.LittleEndian.AppendUint32(nil, uint32(size)))
	e.patch(at+20, binary.LittleEndian.AppendUint32(nil, uint32(offset)))
	return true
}

// Fields of the optional header of a PE image.
const (
	peSectionAlign = 32
	peFileAlign    = 36
	peImageSize    = 56
	peHeadersSize  = 60
	peCheckSum     = 64
)

// addSection plans one more section behind the others, if the headers have
// room for its own.
func (f *coffEditor) addSection(e *Editor, like int, size int64) (room, error) {
	optional := f.header + coffHeaderSize
	if len(f.data) < optional+peCheckSum+4 {
		return room{}, ErrNoRoom
	}
	count := len(f.sections)
	header := int64(f.table) + int64(count)*coffSectionSize
	if !f.headerRoom(header, int64(f.u32(optional+peHeadersSize))) {
		return room{}, ErrNoRoom
	}
	var end uint64
	for _, s := range f.sections {
		end = max(end, uint64(s.VirtualAddr)+uint64(max(s.VirtualSize, s.RawSize)))
	}
	fileAlign, memoryAlign := max(int64(f.u32(optional+peFileAlign)), 1), max(int64(f.u32(optional+peSectionAlign)), 1)
	start, addr := alignUp(int64(len(f.data)), fileAlign), alignUp(int64(end), memoryAlign)
	raw := alignUp(size, fileAlign)
	imageEnd := alignUp(addr+size, memoryAlign)
	if start+raw > 1<<32-1 || imageEnd > 1<<31 {
		return room{}, ErrNoRoom
	}
	h := f.sections[like]
	h.VirtualSize, h.VirtualAddr, h.RawSize, h.Raw = uint32(size), uint32(addr), uint32(raw), uint32(start)
	h.Relocs, h.Lines, h.RelocCount, h.LineCount = 0, 0, 0, 0
	b, err := binary.Append(nil, binary.LittleEndian, &h)
	if err != nil {
		return room{}, err
	}
	e.patch(header, b)
	e.patch(int64(f.header+2), binary.LittleEndian.AppendUint16(nil, uint16(count+1)))
	e.patch(int64(optional+peImageSize), binary.LittleEndian.AppendUint32(nil, uint32(imageEnd)))
	e.patch(int64(optional+peCheckSum), make([]byte, 4)) // 0: none
	return room{addr: f.base + uint64(addr), start: start, after: []Content{Bytes(make([]byte, raw-size))}}, nil
}

// headerRoom reports whether a section header fits at the offset: it lies in
// the headers, before the first section, on zeros.
func (f *coffEditor) headerRoom(at, headers int64) bool {
	end := at + coffSectionSize
	if end > headers || end > int64(len(f.data)) || len(f.sections) >= 0xffff {
		return false
	}
	for _, s := range f.sections {
		if s.RawSize > 0 && int64(s.Raw) < end {
			return false
		}
	}
	return isZero(f.data[at:end])
}
