package abi

import (
	"encoding/binary"
	"errors"
	"fmt"

	"offlink/props"
	"offlink/wrapper/devimg"
)

// Image is a device image and where its parts lie in memory.
type Image struct {
	devimg.Image
	Record     Record
	Address    uint64 // of the image record
	Code       uint64 // address of the first byte of Image.Code
	NewEntries bool   // the entries have the struct of LLVM 21
}

// Descriptor is a decoded descriptor tree.
type Descriptor struct {
	Address uint64
	Layout  *Layout
	Version uint16
	Images  []Image
}

// Decoder reads descriptor trees. It is not safe for concurrent use.
// The images it returns share the bytes of the memory.
type Decoder struct {
	Memory  Memory
	Pointer int // bytes of a pointer: 4 or 8
	// Limit bounds the bytes of structs, names and values that are read, so
	// that a small file whose pointers all lead to one place cannot ask for
	// much memory. 0 is no limit.
	Limit uint64

	spent   uint64
	strings stringCache
}

// ErrLimit says that a tree is larger than the memory it lies in allows.
var ErrLimit = errors.New("the descriptor tree is larger than the file can hold: its tables overlap")

// Decode reads the tree of the descriptor at address. The record is told by
// its version field; see [Decoder.DecodeAs].
func (d *Decoder) Decode(address uint64) (*Descriptor, error) {
	h, err := d.Header(address)
	if err != nil {
		return nil, err
	}
	record := Record2
	if h.Count > 0 {
		first, err := d.view(h.Images, 2)
		if err != nil {
			return nil, fmt.Errorf("descriptor at %#x: image records: %w", address, err)
		}
		record = RecordOf(binary.LittleEndian.Uint16(first))
	}
	return d.DecodeAs(address, record)
}

// RecordOf is the record that a version field announces.
func RecordOf(version uint16) Record {
	if version >= uint16(Record3) {
		return Record3
	}
	return Record2
}

// Header is the fields of a descriptor itself.
type Header struct {
	Version uint16
	Count   int    // image records
	Images  uint64 // address of the first
}

// Header reads the descriptor at address without what it points to.
func (d *Decoder) Header(address uint64) (Header, error) {
	l := NewLayout(d.Pointer, Record2).Descriptor
	f, err := d.fields(address, l.Len)
	if err != nil {
		return Header{}, fmt.Errorf("descriptor at %#x: %w", address, err)
	}
	return Header{Version: f.u16(l.Version), Count: int(f.u16(l.Count)), Images: f.word(l.Images)}, nil
}

// DecodeAs reads the tree of the descriptor at address with image records of
// the given kind.
func (d *Decoder) DecodeAs(address uint64, record Record) (*Descriptor, error) {
	h, err := d.Header(address)
	if err != nil {
		return nil, err
	}
	layout := NewLayout(d.Pointer, record)
	tree := &Descriptor{Address: address, Layout: layout, Version: h.Version, Images: make([]Image, 0, h.Count)}
	for i := range h.Count {
		img, err := d.Image(h.Images+uint64(i*layout.Image.Len), layout)
		if err != nil {
			return nil, fmt.Errorf("descriptor at %#x: image %d: %w", address, i, err)
		}
		tree.Images = append(tree.Images, *img)
	}
	return tree, nil
}

// Image reads one image record and what it points to.
func (d *Decoder) Image(address uint64, layout *Layout) (*Image, error) {
	l := &layout.Image
	f, err := d.fields(address, l.Len)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	img := &Image{Record: layout.Record, Address: address, Code: f.word(l.CodeBegin)}
	img.Version, img.Kind, img.Format = f.u16(l.Version), devimg.Kind(f.u8(l.Kind)), devimg.Format(f.u8(l.Format))
	for _, step := range []struct {
		what string
		read func() error
	}{
		{"target", func() (err error) { img.Target, err = d.optional(f.word(l.Target)); return }},
		{"compile options", func() (err error) { img.CompileOptions, err = d.optional(f.word(l.CompileOptions)); return }},
		{"link options", func() (err error) { img.LinkOptions, err = d.optional(f.word(l.LinkOptions)); return }},
		{"manifest", func() error { return d.manifest(img, f, l) }},
		{"code", func() error { return d.code(img, f.pair(l.CodeBegin, l.CodeEnd)) }},
		{"entries", func() error { return d.entries(img, f.pair(l.EntriesBegin, l.EntriesEnd), layout) }},
		{"property sets", func() error { return d.sets(img, f.pair(l.PropertySetsBegin, l.PropertySetsEnd), layout) }},
	} {
		if err := step.read(); err != nil {
			return nil, fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return img, nil
}

func (d *Decoder) manifest(img *Image, f field, l *ImageLayout) (err error) {
	if l.ManifestBegin == Absent {
		return nil
	}
	p := f.pair(l.ManifestBegin, l.ManifestEnd)
	if p.null() {
		return nil
	}
	img.Manifest, err = d.bytes(p)
	return err
}

func (d *Decoder) code(img *Image, p pair) error {
	n, err := p.size()
	if err != nil {
		return err
	}
	var code []byte
	if n > 0 {
		if code, err = d.Memory.View(p.begin, n); err != nil {
			return err
		}
	}
	img.Image.Code = devimg.Bytes(code)
	return nil
}

func (d *Decoder) entries(img *Image, p pair, layout *Layout) error {
	if img.HasEntries = !p.null(); !img.HasEntries {
		return nil
	}
	length, name, err := d.entryForm(p, layout)
	if err != nil {
		return err
	}
	n, err := p.count(length)
	if err != nil {
		return err
	}
	table, err := d.view(p.begin, n*uint64(length))
	if err != nil {
		return err
	}
	img.NewEntries = length == layout.NewEntry.Len
	img.Entries = make([]string, n)
	for i := range img.Entries {
		f := field{table[i*length:], d.Pointer}
		if img.Entries[i], err = d.text(f.word(name)); err != nil {
			return fmt.Errorf("name of entry %d: %w", i, err)
		}
	}
	return nil
}

// entryForm tells the two entry structs apart as the runtime does: a first
// field of zero, version 1, kind SYCL and no flags is the new one.
func (d *Decoder) entryForm(p pair, layout *Layout) (length, name int, err error) {
	l := &layout.NewEntry
	n, err := p.size()
	if err != nil {
		return 0, 0, err
	}
	if n > 0 && n%uint64(l.Len) == 0 {
		f, err := d.fields(p.begin, l.Len)
		if err != nil {
			return 0, 0, err
		}
		if f.u64(l.Reserved) == 0 && f.u16(l.Version) == NewEntryVersion && f.u16(l.Kind) == NewEntryKind && f.u32(l.Flags) == 0 {
			return l.Len, l.Name, nil
		}
	}
	return layout.Entry.Len, layout.Entry.Name, nil
}

func (d *Decoder) sets(img *Image, p pair, layout *Layout) error {
	if p.null() {
		return nil
	}
	l := &layout.Set
	n, err := p.count(l.Len)
	if err != nil {
		return err
	}
	table, err := d.view(p.begin, n*uint64(l.Len))
	if err != nil {
		return err
	}
	all := make([]props.Set, n)
	img.Properties = &props.Sets{All: make([]*props.Set, n)}
	for i := range all {
		f := field{table[i*l.Len:], d.Pointer}
		set := &all[i]
		img.Properties.All[i] = set
		if set.Name, err = d.text(f.word(l.Name)); err != nil {
			return fmt.Errorf("name of set %d: %w", i, err)
		}
		if err := d.set(set, f.pair(l.Begin, l.End), &layout.Property); err != nil {
			return fmt.Errorf("set %q: %w", set.Name, err)
		}
	}
	return nil
}

func (d *Decoder) set(set *props.Set, p pair, l *PropertyLayout) error {
	n, err := p.count(l.Len)
	if err != nil || n == 0 {
		return err
	}
	table, err := d.view(p.begin, n*uint64(l.Len))
	if err != nil {
		return err
	}
	set.Properties = make([]props.Property, 0, n)
	for i := range int(n) {
		f := field{table[i*l.Len:], d.Pointer}
		name, err := d.text(f.word(l.Name))
		if err != nil {
			return fmt.Errorf("name of property %d: %w", i, err)
		}
		v, err := d.value(f, l)
		if err != nil {
			return fmt.Errorf("property %q: %w", name, err)
		}
		set.Put(name, v)
	}
	return nil
}

// value reads a property's value. A UINT32 lies in the size field itself; a
// BYTE_ARRAY begins with its length in bits.
func (d *Decoder) value(f field, l *PropertyLayout) (props.Value, error) {
	size := f.u64(l.Size)
	switch t := props.Type(f.u32(l.Type)); t {
	case props.TypeUint32:
		if size != uint64(uint32(size)) {
			return props.Value{}, fmt.Errorf("%#x is no 32-bit number", size)
		}
		return props.Uint32(uint32(size)), nil
	case props.TypeByteArray:
		raw, err := d.view(f.word(l.Value), size)
		if err != nil {
			return props.Value{}, err
		}
		return byteArray(raw)
	default:
		return props.Value{}, fmt.Errorf("type %d is neither UINT32 (1) nor BYTE_ARRAY (2)", uint32(t))
	}
}

func byteArray(raw []byte) (props.Value, error) {
	if len(raw) < 8 {
		return props.Value{}, fmt.Errorf("a byte array of %d bytes has no room for its length", len(raw))
	}
	bits, data := binary.LittleEndian.Uint64(raw), raw[8:]
	if bits > uint64(len(data))*8 || bits+8 <= uint64(len(data))*8 {
		return props.Value{}, fmt.Errorf("the length says %d bits, %d bytes are there", bits, len(data))
	}
	return props.Bits(data, bits), nil
}

// view is Memory.View within the limit.
func (d *Decoder) view(addr, n uint64) ([]byte, error) {
	if d.Limit != 0 && (n > d.Limit || d.spent > d.Limit-n) {
		return nil, ErrLimit
	}
	d.spent += n
	if n == 0 {
		return nil, nil
	}
	return d.Memory.View(addr, n)
}

func (d *Decoder) fields(addr uint64, length int) (field, error) {
	b, err := d.view(addr, uint64(length))
	return field{b, d.Pointer}, err
}

func (d *Decoder) bytes(p pair) ([]byte, error) {
	n, err := p.size()
	if err != nil {
		return nil, err
	}
	b, err := d.view(p.begin, n)
	if b == nil {
		b = []byte{}
	}
	return b, err
}

// optional reads a string that may be a null pointer.
func (d *Decoder) optional(addr uint64) (string, error) {
	if addr == 0 {
		return "", nil
	}
	return d.text(addr)
}

func (d *Decoder) text(addr uint64) (string, error) {
	known := d.strings.at(addr)
	if known.addr == addr && addr != 0 {
		return known.text, nil
	}
	b, err := d.Memory.CString(addr)
	if err != nil {
		return "", err
	}
	if d.spent += uint64(len(b)); d.Limit != 0 && d.spent > d.Limit {
		return "", ErrLimit
	}
	known.addr, known.text = addr, string(b)
	return known.text, nil
}

// stringCache remembers strings by address: linkers merge equal ones, so that
// thousands of images name the same few sets.
type stringCache [256]struct {
	addr uint64
	text string
}

func (c *stringCache) at(addr uint64) *struct {
	addr uint64
	text string
} {
	return &c[(addr>>3^addr)%uint64(len(c))]
}
