package objfile

import "encoding/binary"

// machoEditor edits Mach-O files.
type machoEditor struct{ *machoFile }

// newMachOEditor prepares an edit of a Mach-O file.
func newMachOEditor(data []byte) (*Editor, error) {
	parsed, err := parseMachO(data)
	if err != nil {
		return nil, err
	}
	parsed.file.applyFixups(nil)
	f := &machoEditor{parsed}
	e := &Editor{file: parsed.file, format: f}
	if !f.object {
		return e, nil
	}
	for i, r := range f.relocs {
		s := &f.file.Sections[i]
		if s.Exec || len(s.Data) == 0 {
			continue
		}
		table, err := f.table(uint64(r.offset), uint64(r.count), machoRelocSize, "relocations")
		if err != nil {
			return nil, err
		}
		for at := int64(r.offset); len(table) > 0; table, at = table[machoRelocSize:], at+machoRelocSize {
			e.sites = append(e.sites, site{s.Addr + uint64(binary.LittleEndian.Uint32(table)), at, -1})
		}
	}
	return e, nil
}

func (f *machoEditor) targetSize() int { return 4 }

// rotated leaves the tables of relocations as they are. Words of chains keep the distance to the
// next word, which is part of them.
func (f *machoEditor) rotated(_ *Editor, _ uint64, size int, raw, rotated []byte) error {
	if f.object {
		return nil
	}
	if err := samePattern(raw, size, 8); err != nil || len(f.chained) == 0 {
		return err
	}
	for at := 0; at+8 <= len(raw); at += 8 {
		if at%size == 0 || isZero(raw[at:at+8]) { // no pointer
			continue
		}
		here, from := binary.LittleEndian.Uint64(raw[at:]), binary.LittleEndian.Uint64(rotated[at:])
		binary.LittleEndian.PutUint64(rotated[at:], here&chainMask|from&^chainMask)
	}
	return nil
}

// chainMask has the bits of a word of a 64-bit chain that link it to the next one.
const chainMask = 0xfff << 51

// inPlace encodes a pointer of a linked file.
func (f *machoEditor) inPlace(_ *Editor, addr, value uint64) ([]byte, error) {
	if f.object {
		return nil, f.errorf(-1, "the pointer at %#x has no relocation", addr)
	}
	word := value
	if len(f.chained) > 0 {
		now := binary.LittleEndian.Uint64(f.file.filled(addr))
		link, err := f.decodeChained(now, chained64)
		if err != nil {
			return nil, err
		}
		// Of the two forms it is the one that decodes to the known pointer.
		known, err := f.file.View(addr, 8)
		if err != nil {
			return nil, err
		}
		if link.target != binary.LittleEndian.Uint64(known) {
			value -= f.base
		}
		word = now&chainMask | value&(1<<36-1)
	}
	return binary.LittleEndian.AppendUint64(nil, word), nil
}

// grow is not supported: the segments of a linked file lie before the one that must be last, and
// those of an object have no room between them.
func (f *machoEditor) grow(*Editor, Extent, int64) (room, error) { return room{}, ErrNoRoom }

func (f *machoEditor) moveSection(*Editor, int, int64, int64) bool { return false }
