package objfile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"slices"
)

// Dynamic tags that debug/elf lacks (System V gABI).
const (
	elfTagRelrSize = 35 // DT_RELRSZ
	elfTagRelr     = 36 // DT_RELR
)

// elfEditor edits ELF files.
type elfEditor struct {
	*elfFile
	relative []uint64 // addresses of RELR relocations, ascending
	relr     []byte   // their table
	relrAt   int64    // where it is in the file
	dynamic  []elfDynamic
}

// elfDynamic is a dynamic tag and where its value is in the file.
type elfDynamic struct {
	tag   elf.DynTag
	value uint64
	at    int64
}

// newELFEditor prepares an edit of an ELF file.
func newELFEditor(data []byte) (*Editor, error) {
	parsed, err := parseELF(data)
	if err != nil {
		return nil, err
	}
	parsed.file.applyFixups(nil)
	f := &elfEditor{elfFile: parsed}
	e := &Editor{file: parsed.file, format: f}
	if f.typ == elf.ET_REL {
		return e, f.sectionSites(e)
	}
	return e, f.dynamicSites(e)
}

func (f *elfEditor) targetSize() int { return f.addressSize() }

// sectionSites collects the relocations of a relocatable file's data.
func (f *elfEditor) sectionSites(e *Editor) error {
	for i := range f.sections {
		h := &f.sections[i]
		if h.typ != elf.SHT_RELA && h.typ != elf.SHT_REL || int(h.info) >= len(f.sections) {
			continue
		}
		target := &f.file.Sections[h.info]
		if !target.Alloc || target.Exec {
			continue
		}
		table, err := f.sectionBytes(i)
		if err != nil {
			return err
		}
		f.addSites(e, table, int64(h.offset), h.typ == elf.SHT_RELA, target.Addr)
	}
	return nil
}

// addSites collects the relocations of a table that are for whole pointers. REL entries have no
// field for the addend, which is in the pointer itself then (-1). Relative relocations mean
// something only in a linked file.
func (f *elfEditor) addSites(e *Editor, table []byte, at int64, rela bool, base uint64) {
	size := f.relocSize(rela)
	for n := 0; (n+1)*size <= len(table); n++ {
		r := f.readReloc(table[n*size:], rela)
		if r.typ != f.machine.absolute && (r.typ != f.machine.relative || !f.file.Linked) {
			continue
		}
		s := site{addr: base + r.offset, target: at + int64(n*size), addend: -1}
		if rela {
			s.addend = s.target + int64(2*f.addressSize())
		}
		e.sites = append(e.sites, s)
	}
}

// dynamicSites collects the relocations of the dynamic linker.
func (f *elfEditor) dynamicSites(e *Editor) error {
	if err := f.readDynamic(); err != nil {
		return err
	}
	for _, t := range []struct {
		addr, size elf.DynTag
		rela       bool
	}{{elf.DT_RELA, elf.DT_RELASZ, true}, {elf.DT_REL, elf.DT_RELSZ, false}} {
		table, at, err := f.dynamicTable(t.addr, t.size)
		if err != nil {
			return err
		}
		f.addSites(e, table, at, t.rela, 0)
	}
	var err error
	if f.relr, f.relrAt, err = f.dynamicTable(elfTagRelr, elfTagRelrSize); err != nil {
		return err
	}
	f.relative = f.decodeRELR()
	for _, addr := range f.relative {
		e.sites = append(e.sites, site{addr, -1, -1})
	}
	return nil
}

// readDynamic reads the dynamic section with the places of its values.
func (f *elfEditor) readDynamic() error {
	for _, p := range f.segments {
		if p.typ != elf.PT_DYNAMIC {
			continue
		}
		b, err := f.slice(p.offset, p.filesz, "the dynamic section")
		if err != nil {
			return err
		}
		w := elfWords{b, f.wide}
		for at := int64(p.offset); len(w.b) >= 2*f.addressSize(); at += int64(2 * f.addressSize()) {
			d := elfDynamic{elf.DynTag(w.word()), w.word(), at + int64(f.addressSize())}
			if d.tag == elf.DT_NULL {
				break
			}
			f.dynamic = append(f.dynamic, d)
		}
	}
	return nil
}

// dynamicTag finds an entry of the dynamic section by its tag.
func (f *elfEditor) dynamicTag(tag elf.DynTag) (elfDynamic, bool) {
	i := slices.IndexFunc(f.dynamic, func(d elfDynamic) bool { return d.tag == tag })
	if i < 0 {
		return elfDynamic{}, false
	}
	return f.dynamic[i], true
}

// dynamicTable returns the table whose address and size two tags give.
func (f *elfEditor) dynamicTable(addr, size elf.DynTag) ([]byte, int64, error) {
	begin, ok := f.dynamicTag(addr)
	length, ok2 := f.dynamicTag(size)
	if !ok || !ok2 {
		return nil, 0, nil
	}
	table := f.file.filled(begin.value)
	at, _ := f.file.Offset(begin.value)
	if uint64(len(table)) < length.value {
		return nil, 0, f.errorf(at, "%#x bytes of dynamic relocations at address %#x: the file does not hold them", length.value, begin.value)
	}
	return table[:length.value], at, nil
}

// decodeRELR lists the addresses of a RELR table: an even word is an address, an odd one a bitmap
// of the words that follow the last address or the last bitmap's words.
func (f *elfEditor) decodeRELR() []uint64 {
	width, bits := uint64(f.addressSize()), uint64(8*f.addressSize()-1)
	var addrs []uint64
	var next uint64
	for w := (elfWords{f.relr, f.wide}); len(w.b) >= f.addressSize(); {
		v := w.word()
		if v&1 == 0 {
			addrs = append(addrs, v)
			next = v + width
			continue
		}
		for i := range bits {
			if v>>(i+1)&1 == 1 {
				addrs = append(addrs, next+i*width)
			}
		}
		next += bits * width
	}
	return addrs
}

// encodeRELR encodes a table of ascending addresses. An address that no bitmap can express, as it
// is too far from the last or not at a multiple of the word size, starts anew with its own word.
func (f *elfEditor) encodeRELR(addrs []uint64) []byte {
	width, bits := uint64(f.addressSize()), uint64(8*f.addressSize()-1)
	var table []byte
	put := func(v uint64) {
		if f.wide {
			table = binary.LittleEndian.AppendUint64(table, v)
		} else {
			table = binary.LittleEndian.AppendUint32(table, uint32(v))
		}
	}
	for len(addrs) > 0 {
		put(addrs[0])
		next := addrs[0] + width
		for addrs = addrs[1:]; ; next += bits * width {
			bitmap := uint64(0)
			for len(addrs) > 0 && addrs[0]-next < bits*width && (addrs[0]-next)%width == 0 {
				bitmap |= 1 << ((addrs[0]-next)/width + 1)
				addrs = addrs[1:]
			}
			if bitmap == 0 {
				break
			}
			put(bitmap | 1)
		}
	}
	return table
}

// rotated rewrites the RELR table after records changed places: the first of a run is now its last,
// the others moved toward the start by size bytes, and the relocated words moved with them. The
// table has only addresses, so it is encoded anew, and must fit where the old one was.
func (f *elfEditor) rotated(e *Editor, addr uint64, size int, raw, _ []byte) error {
	length := uint64(len(raw))
	changed := false
	addrs := make([]uint64, len(f.relative))
	for i, at := range f.relative {
		addrs[i] = at
		if at-addr < length {
			addrs[i] = addr + (at-addr+length-uint64(size))%length
			changed = true
		}
	}
	if !changed {
		return nil
	}
	slices.Sort(addrs)
	table := f.encodeRELR(addrs)
	if len(table) > len(f.relr) {
		return errPattern
	}
	if bytes.Equal(table, f.relr) {
		return nil
	}
	e.patch(f.relrAt, table)
	if d, ok := f.dynamicTag(elfTagRelrSize); ok {
		e.patch(d.at, e.Word(uint64(len(table))))
	}
	return nil
}

// inPlace serves programs that are linked to fixed addresses. In others a
// pointer without a relocation is none.
func (f *elfEditor) inPlace(e *Editor, addr, value uint64) ([]byte, error) {
	if f.typ != elf.ET_EXEC {
		return nil, f.errorf(-1, "the pointer at %#x has no relocation", addr)
	}
	return e.Word(value), nil
}

// grow makes room for a larger image: a segment of its own in a program, where
// the addresses that code refers to must stay, and the end of the section in
// an object.
func (f *elfEditor) grow(e *Editor, img Extent, size int64) (room, error) {
	section := f.file.sectionOf(img)
	if f.typ != elf.ET_REL {
		return f.addSegment(e, section, size)
	}
	if section < 0 {
		return room{}, ErrNoRoom
	}
	return f.growSection(e, section, img, size)
}

// growSection moves a section of a relocatable file to the end, where it has
// room.
func (f *elfEditor) growSection(e *Editor, section int, img Extent, size int64) (room, error) {
	s := &f.file.Sections[section]
	before, offset := movedSection(s, img)
	align := int64(f.sections[section].align)
	if align < imageAlign || align > 1<<16 || align&(align-1) != 0 {
		align = imageAlign
	}
	start := alignUp(int64(len(f.data)), align)
	f.moveSection(e, section, start, offset+size)
	return room{addr: s.Addr + uint64(offset), before: before, start: start}, nil
}

// moveSection points the header of a section at another place in the file. It changes nothing
// and returns false for a section that a program loads, which cannot move.
func (f *elfEditor) moveSection(e *Editor, section int, offset, size int64) bool {
	if f.typ != elf.ET_REL && f.sections[section].flags&elf.SHF_ALLOC != 0 {
		return false
	}
	table, entry, _ := f.sectionTable()
	at := int64(table) + int64(section*entry)
	e.patch(at+int64(f.byClass(24, 16)), e.Word(uint64(offset)))
	e.patch(at+int64(f.byClass(32, 20)), e.Word(uint64(size)))
	return true
}

// maxGap is how many zeros a file may get so that its new segment lies as far
// from the start of the file as from the start of the program in memory:
// kernels before 5.18 tell a program where its headers are by that.
const maxGap = 64 << 20

// addSegment plans room for the code at the end, and a copy of the
// section headers with one more, where there are any.
//
// The room is in the last segment if that can be made longer, as one that an
// earlier edit added can; else in a segment that takes the program header of
// another. The table stays where it is then, and all tools that copy or strip
// programs support that. A copy of the table with one more does not survive GNU
// strip and objcopy, and is made only if MoveHeaders allows it.
func (f *elfEditor) addSegment(e *Editor, section int, size int64) (room, error) {
	if len(f.segments) == 0 {
		return room{}, ErrNoRoom
	}
	r, ok := room{}, false
	if section >= 0 && len(f.sections)+1 < int(elf.SHN_LORESERVE) { // moved sections need their headers
		r, ok = f.extendSegment(e, size)
	}
	if !ok {
		var err error
		if r, err = f.newSegment(e, size); err != nil {
			return room{}, err
		}
	}
	if section >= 0 {
		codeAt := r.start
		for _, c := range r.before {
			codeAt += c.Size()
		}
		r.after = f.newSections(e, section, r, Extent{uint64(codeAt), uint64(size)})
	}
	return r, nil
}

// extendSegment makes the last segment longer, if it is read-only and has no
// zeros after its bytes. Content of the file after these, which is not loaded,
// moves to after the code: llvm-objcopy takes all bytes between the ends of a
// segment for a part of it.
func (f *elfEditor) extendSegment(e *Editor, size int64) (room, bool) {
	last := -1
	for i, p := range f.segments {
		if p.typ == elf.PT_LOAD && (last < 0 || p.vaddr > f.segments[last].vaddr) {
			last = i
		}
	}
	if last < 0 {
		return room{}, false
	}
	p := f.segments[last]
	end := p.offset + p.filesz
	if p.flags != elf.PF_R || p.filesz != p.memsz || !f.nothingLoadedFrom(end) {
		return room{}, false
	}
	start := alignUp(int64(end), imageAlign)
	p.filesz = uint64(start+size) - p.offset
	p.memsz = p.filesz
	segments := slices.Clone(f.segments)
	segments[last] = p
	f.patchSegments(e, segments)
	r := room{addr: p.vaddr + uint64(start) - p.offset, start: start, moved: int64(end)}
	return r, true
}

// nothingLoadedFrom reports whether no loaded byte lies in the file from an
// offset on.
func (f *elfEditor) nothingLoadedFrom(end uint64) bool {
	for _, p := range f.segments {
		if p.filesz > 0 && p.offset+p.filesz > end {
			return false
		}
	}
	for _, s := range f.sections {
		if s.typ == elf.SHT_NULL || s.typ == elf.SHT_NOBITS || s.size == 0 {
			continue
		}
		if s.offset+s.size > end && (s.flags&elf.SHF_ALLOC != 0 || s.offset < end) {
			return false
		}
	}
	return true
}

// newSegment plans a segment after the others.
func (f *elfEditor) newSegment(e *Editor, size int64) (room, error) {
	start, addr := f.freeSpace()
	load := elfSegment{
		typ: elf.PT_LOAD, flags: elf.PF_R, offset: uint64(start), vaddr: addr, paddr: addr,
		filesz: uint64(size), memsz: uint64(size), align: f.pageSize(),
	}
	r := room{addr: addr, start: start}
	if spare, ok := f.spareSegment(); ok {
		e.losses = append(e.losses, spare.losses...)
		f.patchSegments(e, insertSegment(spare.rest, load))
		return r, nil
	}
	if !e.MoveHeaders {
		return room{}, ErrNoHeader
	}
	return r, f.moveSegments(e, &r, load)
}

// patchSegments plans to overwrite the program headers with as many others.
func (f *elfEditor) patchSegments(e *Editor, segments []elfSegment) {
	off, _, _ := f.segmentTable()
	e.patch(int64(off), f.encodeSegments(segments))
}

// insertSegment puts a segment after the last that is loaded: those must be
// sorted by address (gABI).
func insertSegment(segments []elfSegment, load elfSegment) []elfSegment {
	last := 0
	for i, p := range segments {
		if p.typ == elf.PT_LOAD {
			last = i + 1
		}
	}
	return slices.Insert(segments, last, load)
}

// encodeSegments encodes the program headers, in the file's class and byte
// order.
func (f *elfEditor) encodeSegments(segments []elfSegment) []byte {
	var table []byte
	for _, p := range segments {
		table = f.appendSegment(table, p)
	}
	return table
}

// moveSegments puts a copy of the program headers with one more before the
// code, into the same segment.
func (f *elfEditor) moveSegments(e *Editor, r *room, load elfSegment) error {
	_, entry, count := f.segmentTable()
	if count >= elfExtendedIndex-1 {
		return ErrNoRoom
	}
	headers := uint64(len(f.segments)+1) * uint64(entry)
	codeAt := (headers + imageAlign - 1) &^ (imageAlign - 1)
	load.filesz, load.memsz = load.filesz+codeAt, load.memsz+codeAt
	all := insertSegment(slices.Clone(f.segments), load)
	for i := range all {
		if p := &all[i]; p.typ == elf.PT_PHDR {
			p.offset, p.vaddr, p.paddr, p.filesz, p.memsz = load.offset, load.vaddr, load.paddr, headers, headers
		}
	}
	e.patch(int64(f.byClass(32, 28)), e.Word(load.offset))
	e.patch(int64(f.byClass(56, 44)), binary.LittleEndian.AppendUint16(nil, uint16(count+1)))
	r.before = []Content{Bytes(append(f.encodeSegments(all), make([]byte, codeAt-headers)...))}
	r.addr += codeAt
	return nil
}

// pageSize returns the largest alignment of the loaded segments, between 4 KiB and 2 MiB, which
// stands for the largest page that the machine's systems use. The offset and the address of a
// segment must agree modulo the page size.
func (f *elfEditor) pageSize() uint64 {
	page := uint64(0x1000)
	for _, p := range f.segments {
		if p.typ == elf.PT_LOAD && p.align&(p.align-1) == 0 && p.align <= 1<<21 {
			page = max(page, p.align)
		}
	}
	return page
}

// freeSpace returns where in the file and in memory a segment can begin. If the zeros that this
// takes are at most maxGap, offset and address differ by as much as those of the first segment;
// else the file only grows to the next page, and the address is after all segments.
func (f *elfEditor) freeSpace() (start int64, addr uint64) {
	page := f.pageSize()
	var bias, end uint64
	first := true
	for _, p := range f.segments {
		if p.typ != elf.PT_LOAD {
			continue
		}
		if first {
			bias, first = p.vaddr-p.offset, false
		}
		end = max(end, p.vaddr+p.memsz)
	}
	round := func(n uint64) uint64 { return (n + page - 1) &^ (page - 1) }
	size := round(uint64(len(f.data)))
	if inMemory := round(end - bias); inMemory <= size+maxGap {
		size = max(size, inMemory)
		return int64(size), size + bias
	}
	return int64(size), round(end)
}

// appendSegment encodes a program header. The fields of the 64-bit form are in
// another order: flags come second (gABI, "Program Header").
func (f *elfEditor) appendSegment(b []byte, p elfSegment) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(p.typ))
	if f.wide {
		b = binary.LittleEndian.AppendUint32(b, uint32(p.flags))
	}
	for _, v := range []uint64{p.offset, p.vaddr, p.paddr, p.filesz, p.memsz} {
		b = f.appendWord(b, v)
	}
	if !f.wide {
		b = binary.LittleEndian.AppendUint32(b, uint32(p.flags))
	}
	return f.appendWord(b, p.align)
}

// appendWord encodes a word of the file's class.
func (f *elfEditor) appendWord(b []byte, v uint64) []byte {
	if f.wide {
		return binary.LittleEndian.AppendUint64(b, v)
	}
	return binary.LittleEndian.AppendUint32(b, uint32(v))
}

// newSections is a copy of the section headers with one more, for the code:
// tools that copy files by their sections would lose it otherwise. It has the
// name of the section that the image was in. Content that moves to after the
// code lies before the headers. The extent of the code is that in the file.
func (f *elfEditor) newSections(e *Editor, like int, r room, code Extent) []Content {
	table, entry, count := f.sectionTable()
	if count == 0 || count+1 >= int(elf.SHN_LORESERVE) {
		return nil
	}
	h := f.sections[like]
	h.addr, h.offset, h.size, h.align = r.addr, code.Addr, code.Size, imageAlign
	headers := bytes.Clone(f.data[table:][:count*entry])
	at := int64(code.Addr + code.Size)
	var contents []Content
	if r.moved > 0 {
		rest := f.data[r.moved:]
		if int(table)+count*entry == len(f.data) && int64(table) >= r.moved { // the headers themselves
			rest = f.data[r.moved:table]
		}
		begin := at + (r.moved-at)&(movedAlign-1) // the same, modulo the alignment
		f.shiftSections(headers, r.moved, begin-r.moved)
		contents = append(contents, Zeros(begin-at), Bytes(rest))
		at = begin + int64(len(rest))
	}
	begin := alignUp(at, 8)
	e.patch(int64(f.byClass(40, 32)), e.Word(uint64(begin)))
	e.patch(int64(f.byClass(60, 48)), binary.LittleEndian.AppendUint16(nil, uint16(count+1)))
	return append(contents, Zeros(begin-at), Bytes(f.appendSection(headers, h)))
}

// movedAlign is a multiple of the alignments that sections have which are not loaded.
const movedAlign = 4096

// shiftSections changes the headers of the sections that lie in the file from
// an offset on.
func (f *elfEditor) shiftSections(headers []byte, from, delta int64) {
	_, entry, _ := f.sectionTable()
	for i, s := range f.sections {
		if s.typ == elf.SHT_NULL || s.flags&elf.SHF_ALLOC != 0 || int64(s.offset) < from {
			continue
		}
		at := headers[i*entry+f.byClass(24, 16):]
		f.file.putPointer(at, s.offset+uint64(delta))
	}
}

// appendSection encodes a section header, whose fields are in one order for
// both classes.
func (f *elfEditor) appendSection(b []byte, h elfSection) []byte {
	b = binary.LittleEndian.AppendUint32(b, h.name)
	b = binary.LittleEndian.AppendUint32(b, uint32(h.typ))
	for _, v := range []uint64{uint64(h.flags), h.addr, h.offset, h.size} {
		b = f.appendWord(b, v)
	}
	b = binary.LittleEndian.AppendUint32(b, h.link)
	b = binary.LittleEndian.AppendUint32(b, h.info)
	b = f.appendWord(b, h.align)
	return f.appendWord(b, 0)
}
