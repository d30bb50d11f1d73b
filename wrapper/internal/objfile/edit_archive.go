package objfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ReplaceMember returns the bytes of an archive of ar with other content of a member. The offsets
// of members in its symbol tables are adjusted.
func ReplaceMember(data []byte, m Member, content []Content, size int64) ([]Content, error) {
	header, err := headerOf(data, m)
	if err != nil {
		return nil, err
	}
	name := data[header+archiveHeader : m.Offset] // of BSD
	end := m.Offset + int64(len(m.Data))
	next := min(end+end&1, int64(len(data)))
	total := int64(len(name)) + size
	if len(strconv.FormatInt(total, 10)) > 10 {
		return nil, fmt.Errorf("a member of %d bytes is more than an archive holds", total)
	}
	h := bytes.Clone(data[header : header+archiveHeader])
	copy(h[48:58], fmt.Sprintf("%-10d", total))
	delta := total + total&1 - (next - header - archiveHeader)
	before, err := moveMembers(data[:header], header, delta)
	if err != nil {
		return nil, err
	}
	pieces := append(before, Bytes(h), Bytes(name))
	pieces = append(pieces, content...)
	if total&1 == 1 {
		pieces = append(pieces, Bytes("\n"))
	}
	return append(pieces, Bytes(data[next:])), nil
}

// headerOf returns where the header of a member is. A BSD archive may have the member's name
// between its header and its bytes.
func headerOf(data []byte, m Member) (int64, error) {
	for at := int64(len(archiveMagic)); at+archiveHeader <= int64(len(data)); {
		size, err := strconv.ParseInt(strings.TrimRight(string(data[at+48:at+58]), " "), 10, 64)
		if err != nil || size < 0 {
			break
		}
		begin := at + archiveHeader
		if begin <= m.Offset && m.Offset+int64(len(m.Data)) == begin+size {
			return at, nil
		}
		at = begin + size + size&1
	}
	return 0, errors.New("the archive has no such member")
}

// moveMembers returns the beginning of an archive, with symbol tables that have the members after
// the offset delta bytes further.
func moveMembers(data []byte, after, delta int64) ([]Content, error) {
	if delta == 0 {
		return []Content{Bytes(data)}, nil
	}
	moved := data
	at := int64(len(archiveMagic))
	for n := 0; at+archiveHeader <= int64(len(data)); n++ {
		name := strings.TrimRight(string(data[at:at+16]), " ")
		size, err := strconv.ParseInt(strings.TrimRight(string(data[at+48:at+58]), " "), 10, 64)
		if err != nil || size < 0 || size > int64(len(data))-at-archiveHeader {
			break
		}
		begin := at + archiveHeader
		at = begin + size + size&1
		fields := symbolOffsets(name, n, data[begin:begin+size])
		if fields == nil {
			continue
		}
		if &moved[0] == &data[0] {
			moved = bytes.Clone(data)
		}
		if err := fields.moveOffsets(moved[begin:begin+size], after, delta); err != nil {
			return nil, err
		}
	}
	return []Content{Bytes(moved)}, nil
}

// offsetFields describes where a symbol table has the offsets of members.
type offsetFields struct {
	order       binary.ByteOrder
	width       int
	first, step int
	count       int
}

// symbolOffsets recognizes the symbol tables of GNU ("/", "/SYM64/"), of COFF (a second "/") and of
// BSD ("__.SYMDEF"), and returns nil for other members.
func symbolOffsets(name string, n int, table []byte) *offsetFields {
	if digits, ok := strings.CutPrefix(name, "#1/"); ok { // BSD, with a long name
		length, err := strconv.Atoi(digits)
		if err != nil || length < 0 || length > len(table) {
			return nil
		}
		name = strings.TrimRight(string(table[:length]), "\x00")
		f := symbolOffsets(name, n, table[length:])
		if f != nil {
			f.first += length
		}
		return f
	}
	switch {
	case name == "/" && n == 0 && len(table) >= 4:
		return &offsetFields{binary.BigEndian, 4, 4, 4, int(binary.BigEndian.Uint32(table))}
	case name == "/" && len(table) >= 4:
		return &offsetFields{binary.LittleEndian, 4, 4, 4, int(binary.LittleEndian.Uint32(table))}
	case name == "/SYM64/" && len(table) >= 8:
		return &offsetFields{binary.BigEndian, 8, 8, 8, int(binary.BigEndian.Uint64(table))}
	case (name == "__.SYMDEF" || name == "__.SYMDEF SORTED") && len(table) >= 4:
		return &offsetFields{binary.LittleEndian, 4, 8, 8, int(binary.LittleEndian.Uint32(table)) / 8}
	}
	return nil
}

// moveOffsets adds delta to the offsets in an archive's symbol table that lie
// after a place: the members there have moved.
func (f *offsetFields) moveOffsets(table []byte, after, delta int64) error {
	for i := range f.count {
		at := f.first + i*f.step
		if at < 0 || at+f.width > len(table) {
			return errors.New("the archive's symbol table is cut off: make a new one (ranlib)")
		}
		if f.width == 8 {
			if v := f.order.Uint64(table[at:]); v > uint64(after) {
				f.order.PutUint64(table[at:], v+uint64(delta))
			}
			continue
		}
		v := int64(f.order.Uint32(table[at:]))
		if v <= after {
			continue
		}
		if v += delta; v < 0 || v > 1<<32-1 {
			return errors.New("the archive grows past the offsets of its symbol table")
		}
		f.order.PutUint32(table[at:], uint32(v))
	}
	return nil
}

// ReplaceArchitecture returns the bytes of a universal Mach-O file with other
// bytes of one machine's file, which must have the size of the old ones.
func ReplaceArchitecture(data []byte, m Member, content []Content, size int64) ([]Content, error) {
	if size != int64(len(m.Data)) {
		return nil, ErrNoRoom
	}
	pieces := append([]Content{Bytes(data[:m.Offset])}, content...)
	return append(pieces, Bytes(data[m.Offset+size:])), nil
}

// ReplaceSection plans other bytes of a section that nothing points into, as in a fat object. Bytes
// of the same size replace the old ones in place; others go to the end of the file, which only ELF
// and COFF objects allow.
func (e *Editor) ReplaceSection(s *FileSection, c Content) error {
	if c.Size() == int64(len(s.Data)) {
		e.patches = append(e.patches, Patch{s.Offset, c})
		return nil
	}
	for i := range e.file.Sections {
		other := &e.file.Sections[i]
		if other.Offset != s.Offset || len(other.Data) != len(s.Data) {
			continue
		}
		at := alignUp(int64(len(e.file.data)), imageAlign)
		if !e.format.moveSection(e, i, at, c.Size()) {
			return ErrNoRoom
		}
		e.tailStart, e.tail = at, []Content{c}
		return nil
	}
	return ErrNoRoom
}
