package container

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"offlink/wrapper/devimg"
)

// offloadPart is an entry of an OffloadBinary, kept as it is except for its code.
type offloadPart struct {
	head    []byte // image kind, offload kind, flags
	strings []String
	code    devimg.Code
	image   int // the number of the image that Read makes of it, or -1
	prefix  []byte
}

// rebuildOffloadBinary makes an OffloadBinary again, of the same version and compressed if it was.
// Without code, the entry is left out; if it was the only one, nothing is left.
func rebuildOffloadBinary(data []byte, n int, code devimg.Code, b *Budget) ([]devimg.Code, error) {
	f := &offloadFile{reader: reader{form: OffloadBinary, data: data}, version: u32(data, 4)}
	if err := f.inflateEntries(b); err != nil {
		return nil, err
	}
	parts, err := f.readParts()
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(parts, func(p offloadPart) bool { return p.image == n })
	switch {
	case at < 0:
		return nil, errors.New("there is no such entry")
	case code == nil:
		parts = slices.Delete(parts, at, at+1)
	default:
		parts[at].code = code
	}
	if len(parts) == 0 {
		return nil, nil
	}
	made := encodeOffload(f.version, parts)
	if !f.compressed {
		return made, nil
	}
	return compressOffload(made, IsZstd(data[offloadHeaderSize3:]), b)
}

// compressOffload compresses an OffloadBinary after it was encoded, and puts the sizes into its
// header. The first piece is the headers and tables, of which only the file's header stays
// uncompressed.
func compressOffload(made []devimg.Code, zstd bool, b *Budget) ([]devimg.Code, error) {
	first, err := devimg.ReadCode(made[0])
	if err != nil {
		return nil, err
	}
	made[0] = devimg.Bytes(first[offloadHeaderSize3:])
	packed, err := b.storeCode(func(w io.Writer) error { return b.deflate(w, made, zstd) })
	if err != nil {
		return nil, err
	}
	header := first[:offloadHeaderSize3:offloadHeaderSize3]
	binary.LittleEndian.PutUint64(header[32:], uint64(len(header))+uint64(sizeOf(made)))
	binary.LittleEndian.PutUint64(header[8:], uint64(len(header))+uint64(packed.Size()))
	return []devimg.Code{devimg.Bytes(header), packed}, nil
}

// readParts reads all entries, metadata too, and numbers those of which Read makes images.
func (f *offloadFile) readParts() ([]offloadPart, error) {
	begin, count := u64(f.data, 16), u64(f.data, 24)
	if f.version == 1 {
		count = 1
	}
	table, err := f.table(begin, count, offloadEntrySize, "entries")
	if err != nil {
		return nil, err
	}
	var parts []offloadPart
	images := 0
	for ; len(table) > 0; table = table[offloadEntrySize:] {
		p, err := f.readPart(table)
		if err != nil {
			return nil, err
		}
		if p.image = -1; p.isImage() {
			p.image = images
			images++
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// isImage reports whether Read makes an image of the part.
func (p *offloadPart) isImage() bool {
	for _, s := range p.strings {
		if s.Key == stringRole {
			return s.Value == "ir" || s.Value == "native"
		}
	}
	return u32(p.head, 4)&offloadMetadataOnly == 0
}

// readPart reads an entry. prefix is the metadata that a part of a SYCLBIN has before its code; it
// stays when the code changes.
func (f *offloadFile) readPart(b []byte) (offloadPart, error) {
	p := offloadPart{head: b[:8]}
	var err error
	if p.strings, err = f.readStrings(u64(b, 8), u64(b, 16)); err != nil {
		return p, err
	}
	image, err := f.slice(u64(b, 24), u64(b, 32), "image")
	if err != nil {
		return p, err
	}
	// A part of a SYCLBIN has its metadata before the code.
	if role := slices.IndexFunc(p.strings, func(s String) bool { return s.Key == stringRole }); role >= 0 && p.isImage() &&
		len(image) >= 8 && u64(image, 0) <= uint64(len(image)-8) {
		p.prefix = image[:8+u64(image, 0)]
		image = image[len(p.prefix):]
	}
	p.code = devimg.Bytes(image)
	return p, nil
}

// encodeOffload writes an OffloadBinary: the header, the entries, the string
// maps, the strings, the images.
func encodeOffload(version uint32, parts []offloadPart) []devimg.Code {
	headerSize := offloadHeaderSize
	if version >= 3 {
		headerSize = offloadHeaderSize3
	}
	maps, texts := offloadStrings(version, headerSize+len(parts)*offloadEntrySize, parts)
	imageAt := (int64(texts.base+len(texts.text)) + 7) &^ 7
	entries, size := offloadEntries(version, headerSize, imageAt, parts)
	var out pieces
	out.appendBytes(offloadHeader(version, uint64(size), uint64(headerSize), uint64(len(parts))))
	out.appendBytes(entries)
	out.appendBytes(maps)
	out.appendBytes(texts.text)
	for _, p := range parts {
		out.appendPadding(8)
		out.appendBytes(p.prefix)
		out.appendCode(p.code)
	}
	out.appendPadding(8)
	return out.list
}

// stringSize returns the size of an element of a string map in bytes.
func stringSize(version uint32) int {
	if version == 1 {
		return 16
	}
	return 24
}

// offloadStrings returns the string maps of all entries, which begin at the offset at, and the
// strings, which follow them.
func offloadStrings(version uint32, at int, parts []offloadPart) (maps []byte, texts *textTable) {
	count := 0
	for _, p := range parts {
		count += len(p.strings)
	}
	texts = &textTable{base: at + count*stringSize(version), offsets: map[string]int{}}
	for _, p := range parts {
		for _, s := range p.strings {
			maps = binary.LittleEndian.AppendUint64(maps, texts.addString(s.Key))
			maps = binary.LittleEndian.AppendUint64(maps, texts.addString(s.Value))
			if version > 1 {
				maps = binary.LittleEndian.AppendUint64(maps, uint64(len(s.Value)))
			}
		}
	}
	return maps, texts
}

// offloadEntries returns the entries, whose images begin at imageAt, and the size of the whole.
func offloadEntries(version uint32, headerSize int, imageAt int64, parts []offloadPart) (entries []byte, end int64) {
	mapAt := headerSize + len(parts)*offloadEntrySize
	for _, p := range parts {
		size := int64(len(p.prefix)) + p.code.Size()
		entries = append(entries, p.head...)
		for _, v := range []uint64{uint64(mapAt), uint64(len(p.strings)), uint64(imageAt), uint64(size)} {
			entries = binary.LittleEndian.AppendUint64(entries, v)
		}
		mapAt += len(p.strings) * stringSize(version)
		imageAt = (imageAt + size + 7) &^ 7
	}
	return entries, imageAt
}

// offloadHeader returns the header. Version 1 has the size of its only entry in the place of the
// number of entries. The inflated size of version 3 is 0 until compressOffload sets it.
func offloadHeader(version uint32, size, entriesAt, count uint64) []byte {
	h := binary.LittleEndian.AppendUint32([]byte(offloadMagic), version)
	h = binary.LittleEndian.AppendUint64(h, size)
	h = binary.LittleEndian.AppendUint64(h, entriesAt)
	if version == 1 {
		count = offloadEntrySize
	}
	h = binary.LittleEndian.AppendUint64(h, count)
	if version >= 3 {
		h = binary.LittleEndian.AppendUint64(h, 0)
	}
	return h
}

// textTable has strings that end in a NUL, each once.
type textTable struct {
	base    int // offset of the table
	text    []byte
	offsets map[string]int
}

func (t *textTable) addString(s string) uint64 {
	at, ok := t.offsets[s]
	if !ok {
		at = t.base + len(t.text)
		t.offsets[s] = at
		t.text = append(append(t.text, s...), 0)
	}
	return uint64(at)
}
