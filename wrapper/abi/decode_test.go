package abi

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/props"
)

// flat is memory that begins at an address.
type flat struct {
	base  uint64
	bytes []byte
}

func (m *flat) View(addr, n uint64) ([]byte, error) {
	size := uint64(len(m.bytes))
	if addr < m.base || addr-m.base > size || n > size-(addr-m.base) {
		return nil, fmt.Errorf("%d bytes at %#x: nothing there", n, addr)
	}
	return m.bytes[addr-m.base:][:n], nil
}

func (m *flat) CString(addr uint64) ([]byte, error) {
	if addr < m.base || addr-m.base >= uint64(len(m.bytes)) {
		return nil, fmt.Errorf("a string at %#x: nothing there", addr)
	}
	rest := m.bytes[addr-m.base:]
	end := bytes.IndexByte(rest, 0)
	if end < 0 {
		return nil, errors.New("a string without end")
	}
	return rest[:end], nil
}

func (m *flat) Guard(read func() error) error { return read() }

// builder puts structs into memory.
type builder struct {
	flat
	width int
}

func newBuilder(width int) *builder { return &builder{flat{base: 0x1000}, width} }

// put appends bytes from a multiple of 8 and returns their address.
func (b *builder) put(data []byte) uint64 {
	b.bytes = append(b.bytes, make([]byte, -len(b.bytes)&7)...)
	at := b.base + uint64(len(b.bytes))
	b.bytes = append(b.bytes, data...)
	return at
}

func (b *builder) text(s string) uint64 { return b.put(append([]byte(s), 0)) }

// structure is a struct of size bytes with words at offsets.
func (b *builder) structure(size int, words map[int]uint64) []byte {
	s := make([]byte, size)
	for at, v := range words {
		if b.width == 4 {
			binary.LittleEndian.PutUint32(s[at:], uint32(v))
		} else {
			binary.LittleEndian.PutUint64(s[at:], v)
		}
	}
	return s
}

// tree puts a descriptor with one image whose tables are given.
func (b *builder) tree(record Record, code string, entries, sets []byte) uint64 {
	l := NewLayout(b.width, record)
	image := map[int]uint64{l.Image.Target: b.text("spir64"), l.Image.CompileOptions: b.text("-O"), l.Image.LinkOptions: 0}
	span := func(begin, end int, data []byte) {
		if data != nil {
			image[begin] = b.put(data)
			image[end] = image[begin] + uint64(len(data))
		}
	}
	span(l.Image.CodeBegin, l.Image.CodeEnd, []byte(code))
	span(l.Image.EntriesBegin, l.Image.EntriesEnd, entries)
	span(l.Image.PropertySetsBegin, l.Image.PropertySetsEnd, sets)
	r := b.structure(l.Image.Len, image)
	r[l.Image.Version], r[l.Image.Kind], r[l.Image.Format] = byte(record), 4, 2
	d := b.structure(l.Descriptor.Len, map[int]uint64{l.Descriptor.Images: b.put(r)})
	d[l.Descriptor.Version], d[l.Descriptor.Count] = 1, 1
	return b.put(d)
}

// TestDecodeEntries reads both entry structs, with both pointer sizes and
// both records.
func TestDecodeEntries(t *testing.T) {
	for _, width := range []int{4, 8} {
		for _, record := range []Record{Record2, Record3} {
			for _, newer := range []bool{false, true} {
				b := newBuilder(width)
				l := NewLayout(width, record)
				var entries []byte
				for _, name := range []string{"one", "two"} {
					at := b.text(name)
					if !newer {
						entries = append(entries, b.structure(l.Entry.Len, map[int]uint64{l.Entry.Name: at})...)
						continue
					}
					e := b.structure(l.NewEntry.Len, map[int]uint64{l.NewEntry.Name: at})
					e[l.NewEntry.Version], e[l.NewEntry.Kind] = NewEntryVersion, NewEntryKind
					entries = append(entries, e...)
				}
				d := &Decoder{Memory: &b.flat, Pointer: width}
				address := b.tree(record, "code", entries, nil)
				tree, err := d.Decode(address)
				if err != nil {
					t.Errorf("width %d, record %d, newer %v: %v", width, record, newer, err)
					continue
				}
				img := &tree.Images[0]
				if diff := cmp.Diff([]string{"one", "two"}, img.Entries); diff != "" || img.NewEntries != newer || tree.Layout.Record != record {
					t.Errorf("width %d, record %d, newer %v: new entries %v, record %d, entries (-want +got):\n%s", width, record, newer, img.NewEntries, tree.Layout.Record, diff)
				}
				if img.Target != "spir64" || img.CompileOptions != "-O" || img.LinkOptions != "" || img.Code.Size() != 4 {
					t.Errorf("width %d, record %d: image %+v", width, record, img)
				}
			}
		}
	}
}

// property is a property's bytes in a set of one.
func (b *builder) property(name string, typ uint32, value []byte, size uint64) []byte {
	l := NewLayout(b.width, Record2)
	words := map[int]uint64{l.Property.Name: b.text(name)}
	if value != nil {
		words[l.Property.Value] = b.put(value)
	}
	p := b.structure(l.Property.Len, words)
	binary.LittleEndian.PutUint32(p[l.Property.Type:], typ)
	binary.LittleEndian.PutUint64(p[l.Property.Size:], size)
	at := b.put(p)
	return b.structure(l.Set.Len, map[int]uint64{l.Set.Name: b.text("set"), l.Set.Begin: at, l.Set.End: at + uint64(len(p))})
}

func TestDecodeProperties(t *testing.T) {
	bits := func(n uint64, data ...byte) []byte { return append(binary.LittleEndian.AppendUint64(nil, n), data...) }
	for _, test := range []struct {
		name  string
		typ   uint32
		value []byte
		size  uint64
		want  props.Value
		err   string
	}{
		{"number", 1, nil, 7, props.Uint32(7), ""},
		{"number of 33 bits", 1, nil, 1 << 32, props.Value{}, "not a 32-bit number"},
		{"bits", 2, bits(3, 5), 9, props.Bits([]byte{5}, 3), ""},
		{"no bits", 2, bits(0), 8, props.Bytes([]byte{}), ""},
		{"no length", 2, []byte{1, 2}, 2, props.Value{}, "no room for its length"},
		{"more bits than bytes", 2, bits(9, 5), 9, props.Value{}, "9 bits, 1 bytes"},
		{"fewer bits than bytes", 2, bits(8, 5, 6), 10, props.Value{}, "8 bits, 2 bytes"},
		{"bits past all", 2, bits(1 << 63), 8, props.Value{}, "bits, 0 bytes"},
		{"no value", 2, nil, 8, props.Value{}, "nothing there"},
		{"string", 3, bits(8, 5), 9, props.Value{}, "type 3"},
	} {
		b := newBuilder(8)
		address := b.tree(Record2, "code", nil, b.property("name", test.typ, test.value, test.size))
		tree, err := (&Decoder{Memory: &b.flat, Pointer: 8}).Decode(address)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) || !strings.Contains(err.Error(), `set "set": property "name"`) {
				t.Errorf("%s: Decode = %v, want %q with its place", test.name, err, test.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got, _ := tree.Images[0].Properties.Get("set").Get("name"); !got.Equal(test.want) {
			t.Errorf("%s: %x, want %x", test.name, got.Raw(), test.want.Raw())
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	l := NewLayout(8, Record2)
	for _, test := range []struct {
		name  string
		spoil func(image []byte)
		want  string
	}{
		{"target", func(b []byte) { binary.LittleEndian.PutUint64(b[l.Image.Target:], 1) }, "target"},
		{"code backwards", func(b []byte) { clear(b[l.Image.CodeEnd:][:8]) }, "ends before it begins"},
		{"code outside", func(b []byte) { binary.LittleEndian.PutUint64(b[l.Image.CodeEnd:], 1<<40) }, "code"},
		{"half an entry", func(b []byte) {
			binary.LittleEndian.PutUint64(b[l.Image.EntriesBegin:], 0x1000)
			binary.LittleEndian.PutUint64(b[l.Image.EntriesEnd:], 0x1011)
		}, "not a multiple of 32"},
		{"entries outside", func(b []byte) {
			binary.LittleEndian.PutUint64(b[l.Image.EntriesEnd:], 1<<60)
		}, "entries"},
	} {
		b := newBuilder(8)
		address := b.tree(Record2, "code", nil, nil)
		record := binary.LittleEndian.Uint64(b.bytes[address-b.base+uint64(l.Descriptor.Images):])
		test.spoil(b.bytes[record-b.base:])
		_, err := (&Decoder{Memory: &b.flat, Pointer: 8}).Decode(address)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "image 0: ") {
			t.Errorf("%s: Decode = %v, want %q of image 0", test.name, err, test.want)
		}
	}
}

// TestDecodeLimit decodes a tree whose tables all lead to one address: the bytes
// that are read must stay within the limit.
func TestDecodeLimit(t *testing.T) {
	b := newBuilder(8)
	l := NewLayout(8, Record2)
	at := b.text(strings.Repeat("long", 1000))
	one := b.structure(l.Entry.Len, map[int]uint64{l.Entry.Name: at})
	address := b.tree(Record2, "code", bytes.Repeat(one, 1000), nil)
	// The name is read anew where another took its place in the cache.
	if _, err := (&Decoder{Memory: &b.flat, Pointer: 8, Limit: 1 << 14}).Decode(address); !errors.Is(err, ErrLimit) {
		t.Errorf("Decode over the limit = %v, want %v", err, ErrLimit)
	}
	if _, err := (&Decoder{Memory: &b.flat, Pointer: 8, Limit: 1 << 24}).Decode(address); err != nil {
		t.Errorf("Decode under the limit = %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	b := newBuilder(8)
	set := b.property("name", 2, append(make([]byte, 8), 0), 8)
	address := b.tree(Record2, "code", make([]byte, 64), set)
	f.Add(b.bytes, address, 8)
	b = newBuilder(4)
	address = b.tree(Record3, "code", make([]byte, 20), nil)
	f.Add(b.bytes, address, 4)
	f.Fuzz(func(t *testing.T, data []byte, address uint64, width int) {
		if width != 4 {
			width = 8
		}
		tree, err := (&Decoder{Memory: &flat{0x1000, data}, Pointer: width, Limit: 1 << 20}).Decode(address)
		if (err == nil) != (tree != nil) {
			t.Fatal("a tree and an error, or neither")
		}
	})
}
