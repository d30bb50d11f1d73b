package objfile

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// coffEditor edits COFF objects and PE images.
type coffEditor struct{ *coffFile }

// newCOFFEditor prepares an edit of a PE image or COFF object.
func newCOFFEditor(data []byte) (*Editor, error) {
	parsed, err := parseCOFF(data)
	if err != nil {
		return nil, err
	}
	parsed.file.applyFixups(nil)
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

// addSites collects the relocations of an object's section. Their addends are in the pointers.
func (f *coffEditor) addSites(e *Editor, section int) error {
	s, h := &f.file.Sections[section], &f.sections[section]
	if s.Exec || !s.Alloc || len(s.Data) == 0 {
		return nil
	}
	table, err := f.relocationTable(h)
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

// targetSize is the size of the address in a relocation.
func (f *coffEditor) targetSize() int { return 4 }

// rotated rewrites the table of base relocations if records differ in which of their words are
// pointers. The words move as in the ELF editor's RELR table. If the new table is shorter, zeros
// follow it. An image that is loaded where it was linked to has no table.
func (f *coffEditor) rotated(e *Editor, addr uint64, size int, raw, _ []byte) error {
	if !f.image || samePattern(raw, size, f.file.Pointer) == nil {
		return nil
	}
	table, ok := f.baseRelocations()
	if !ok {
		return nil
	}
	begin, length := uint32(addr-f.base), uint32(len(raw))
	words := decodeBase(table.data)
	for i, w := range words {
		if at := w.addr - begin; at < length {
			words[i].addr = begin + (at+length-uint32(size))%length
		}
	}
	made := encodeBase(words)
	if len(made) > table.room {
		return errPattern
	}
	e.patch(table.offset, append(made, make([]byte, max(len(table.data)-len(made), 0))...))
	e.patch(table.sizeField, binary.LittleEndian.AppendUint32(nil, uint32(len(made))))
	return nil
}

// baseTable is the table of base relocations of an image.
type baseTable struct {
	data      []byte
	offset    int64 // in the file
	room      int   // bytes that its section has
	sizeField int64 // file offset of its size in the optional header
}

// Fields of the optional header that lead to the table: the number of data
// directories, and the sixth of these.
const (
	peDirectories32 = 92
	peDirectories64 = 108
	peBaseDirectory = 5
)

// baseRelocations returns the table of base relocations, by which the loader moves pointers. It has
// to move with the data (PE format, "The .reloc Section").
func (f *coffEditor) baseRelocations() (baseTable, bool) {
	at := f.header + coffHeaderSize + peDirectories64
	if f.file.Pointer == 4 {
		at = f.header + coffHeaderSize + peDirectories32
	}
	entry := at + 4 + 8*peBaseDirectory
	if len(f.data) < entry+8 || f.u32(at) <= peBaseDirectory || f.u32(entry+4) == 0 {
		return baseTable{}, false
	}
	begin := f.base + uint64(f.u32(entry))
	bytes := f.file.filled(begin)
	off, ok := f.file.Offset(begin)
	size := int(f.u32(entry + 4))
	if !ok || size > len(bytes) {
		return baseTable{}, false
	}
	return baseTable{bytes[:size], off, len(bytes), int64(entry + 4)}, true
}

// baseWord is a word that the loader relocates: its distance from the start
// of the image, and the kind of relocation.
type baseWord struct {
	addr uint32
	kind uint16
}

// decodeBase lists the words of a table: blocks {u32 page, u32 size of the block, u16 kind and
// offset...}, padded with entries of kind 0.
func decodeBase(table []byte) []baseWord {
	var words []baseWord
	for len(table) >= 8 {
		page, size := binary.LittleEndian.Uint32(table), binary.LittleEndian.Uint32(table[4:])
		if size < 8 || uint64(size) > uint64(len(table)) {
			break
		}
		for block := table[8:size]; len(block) >= 2; block = block[2:] {
			if entry := binary.LittleEndian.Uint16(block); entry>>12 != 0 {
				words = append(words, baseWord{page + uint32(entry&0xfff), entry >> 12})
			}
		}
		table = table[size:]
	}
	return words
}

// encodeBase encodes base relocations in blocks of a page each. A block is a multiple of four bytes
// long, padded with an entry of kind 0.
func encodeBase(words []baseWord) []byte {
	slices.SortFunc(words, func(a, b baseWord) int { return cmp.Compare(a.addr, b.addr) })
	var table []byte
	for len(words) > 0 {
		page := words[0].addr &^ 0xfff
		n := 0
		for n < len(words) && words[n].addr&^0xfff == page {
			n++
		}
		table = binary.LittleEndian.AppendUint32(table, page)
		table = binary.LittleEndian.AppendUint32(table, uint32(8+2*(n+n&1)))
		for _, w := range words[:n] {
			table = binary.LittleEndian.AppendUint16(table, w.kind<<12|uint16(w.addr&0xfff))
		}
		if n&1 == 1 {
			table = append(table, 0, 0)
		}
		words = words[n:]
	}
	return table
}

// inPlace serves images: their pointers hold addresses, to which the loader adds a distance. A
// pointer of an object needs a relocation.
func (f *coffEditor) inPlace(e *Editor, addr, value uint64) ([]byte, error) {
	if !f.image {
		return nil, f.errorf(-1, "the pointer at %#x has no relocation", addr)
	}
	return e.Word(value), nil
}

// grow makes room for a larger image: a section of its own in a PE image,
// whose sections cannot move, and the end of the section in an object.
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

// growSection moves a section of an object to the end, where it has room.
func (f *coffEditor) growSection(e *Editor, section int, img Extent, size int64) (room, error) {
	s := &f.file.Sections[section]
	before, offset := movedSection(s, img)
	start := alignUp(int64(len(f.data)), imageAlign)
	if start+offset+size > 1<<32-1 {
		return room{}, ErrNoRoom
	}
	f.moveSection(e, section, start, offset+size)
	return room{addr: s.Addr + uint64(offset), before: before, start: start}, nil
}

// moveSection moves the raw data of an object's section in the file and leaves its addresses.
// Sections of an image cannot move.
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

// addSection plans one more section after the others, if the headers have room for its header. It
// has the name and the flags of the section that the image was in.
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

// headerRoom reports whether a section header fits at the offset: within the headers, before the
// first section, and where there are only zeros.
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
