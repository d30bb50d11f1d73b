package abi

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/props"
	"offlink/wrapper/devimg"
)

// laidOut is an encoded tree at addresses of its own, as a loader would leave
// it: the blocks one after another, then the images.
type laidOut struct {
	base       uint64
	bytes      []byte
	blocks     []uint64
	images     []uint64
	descriptor uint64
}

func (m *laidOut) View(addr, n uint64) ([]byte, error) {
	if addr < m.base || addr-m.base > uint64(len(m.bytes)) || n > uint64(len(m.bytes))-(addr-m.base) {
		return nil, fmt.Errorf("%d bytes at %#x: nothing there", n, addr)
	}
	return m.bytes[addr-m.base:][:n], nil
}

func (m *laidOut) CString(addr uint64) ([]byte, error) {
	rest, err := m.View(addr, uint64(len(m.bytes))-(addr-m.base))
	if err != nil {
		return nil, err
	}
	return rest[:bytes.IndexByte(rest, 0)], nil
}

func (m *laidOut) Guard(read func() error) error { return read() }

func layOut(t *testing.T, e *Encoded, images []*devimg.Image) *laidOut {
	t.Helper()
	m := &laidOut{base: 0x1000}
	next := func() uint64 {
		for len(m.bytes)%16 != 0 {
			m.bytes = append(m.bytes, 0xee)
		}
		return m.base + uint64(len(m.bytes))
	}
	for _, b := range e.Blocks {
		m.blocks = append(m.blocks, next())
		m.bytes = append(m.bytes, b.Data...)
	}
	for _, image := range images {
		m.images = append(m.images, next())
		code, err := devimg.ReadCode(image.Code)
		if err != nil {
			t.Fatal(err)
		}
		m.bytes = append(m.bytes, code...)
	}
	for i, b := range e.Blocks {
		for _, p := range b.Pointers {
			at := m.bytes[m.blocks[i]-m.base+uint64(p.Offset):]
			to := uint64(p.To.Offset) + map[Space][]uint64{InBlock: m.blocks, InImage: m.images}[p.To.In][p.To.Index]
			if e.Layout.Pointer == 4 {
				binary.LittleEndian.PutUint32(at, uint32(to))
			} else {
				binary.LittleEndian.PutUint64(at, to)
			}
		}
	}
	m.descriptor = m.blocks[e.Descriptor]
	return m
}

func someImages() []*devimg.Image {
	sets := &props.Sets{}
	sets.Put(props.SetMiscProperties, "optLevel", props.Uint32(1<<32-1))
	sets.Put(props.SetKernelParamOpt, "kernel", props.Bits([]byte{5}, 3))
	sets.Put(props.SetKernelParamOpt, "empty", props.Bytes(nil))
	sets.Open("no properties")
	return []*devimg.Image{
		{
			Kind: devimg.KindSYCL, Format: devimg.FormatSPIRV, Target: "spir64", CompileOptions: "-a", LinkOptions: "-b",
			Manifest: []byte("manifest"), Code: devimg.Bytes([]byte("code of one")),
			Entries: []string{"kernel", "\x01other"}, HasEntries: true, Properties: sets,
		},
		{Kind: devimg.KindSYCL, Target: "", Code: devimg.Bytes(nil), HasEntries: true, Properties: &props.Sets{}},
		{Kind: devimg.KindSYCL, Target: "spir64", Code: devimg.Bytes([]byte("c"))},
	}
}

// An encoded tree decodes to the same images, in every layout.
func TestEncodeDecode(t *testing.T) {
	for _, pointer := range []int{4, 8} {
		for _, record := range []Record{Record2, Record3, RecordLLVM} {
			t.Run(fmt.Sprintf("%d-byte pointers, record %d", pointer, record), func(t *testing.T) {
				images := someImages()
				if record != Record2 {
					images[0].Manifest = nil
				}
				e, err := Encode(images, EncodeOptions{Pointer: pointer, Record: record, Infos: true})
				if err != nil {
					t.Fatal(err)
				}
				m := layOut(t, e, images)
				tree, err := (&Decoder{Memory: m, Pointer: pointer}).DecodeAs(m.descriptor, record)
				if err != nil {
					t.Fatal(err)
				}
				if len(tree.Images) != len(images) || tree.Version != DescriptorVersion {
					t.Fatalf("%d images, version %d", len(tree.Images), tree.Version)
				}
				for i := range images {
					images[i].Version = record.Version()
					if tree.Images[i].Record != record {
						t.Errorf("image %d: record of %v", i, tree.Images[i].Record)
					}
					if diff := cmp.Diff(describe(t, images[i]), describe(t, &tree.Images[i].Image)); diff != "" {
						t.Errorf("image %d (-encoded +decoded)\n%s", i, diff)
					}
				}
				checkInfos(t, e, m, images)
			})
		}
	}
}

// describe prints all of an image.
func describe(t *testing.T, image *devimg.Image) string {
	t.Helper()
	code, err := devimg.ReadCode(image.Code)
	if err != nil {
		t.Fatal(err)
	}
	text, err := image.Properties.Text()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("version %d kind %v format %v\n%q %q %q\nmanifest %q\ncode %q\nentries %q %v\nproperties %v\n%s",
		image.Version, image.Kind, image.Format, image.Target, image.CompileOptions, image.LinkOptions,
		image.Manifest, code, image.Entries, image.HasEntries, image.Properties != nil, text)
}

func checkInfos(t *testing.T, e *Encoded, m *laidOut, images []*devimg.Image) {
	t.Helper()
	p := uint64(e.Layout.Pointer)
	for i := range images {
		raw, err := m.View(m.blocks[e.Infos]+uint64(i)*2*p, 2*p)
		if err != nil {
			t.Fatal(err)
		}
		f := fields{raw, e.Layout.Pointer}
		if f.wordAt(0) != m.images[i] || f.wordAt(int(p)) != uint64(images[i].Code.Size()) {
			t.Errorf("bounds of image %d = %#x, %d; want %#x, %d", i, f.wordAt(0), f.wordAt(int(p)), m.images[i], images[i].Code.Size())
		}
	}
}

// Strings and values that are equal are there once.
func TestEncodeSharesBytes(t *testing.T) {
	e, err := Encode(someImages(), EncodeOptions{Pointer: 8, Record: Record2})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, b := range e.Blocks {
		if b.Type == Text {
			if other, ok := seen[string(b.Data)]; ok {
				t.Errorf("%s and %s are both %q", other, b.Name, b.Data)
			}
			seen[string(b.Data)] = b.Name
		}
	}
	names := map[string]bool{}
	for _, b := range e.Blocks {
		if names[b.Name] {
			t.Errorf("two blocks are called %s", b.Name)
		}
		names[b.Name] = true
	}
}

func TestEncodeRefuses(t *testing.T) {
	image := func(change func(*devimg.Image)) []*devimg.Image {
		i := &devimg.Image{Kind: devimg.KindSYCL, Code: devimg.Bytes(nil)}
		change(i)
		return []*devimg.Image{i}
	}
	one := image(func(*devimg.Image) {})[0]
	many := make([]*devimg.Image, MaxImages+1)
	for i := range many {
		many[i] = one
	}
	noType := &props.Sets{}
	noType.Put("set", "name", props.Value{})
	for _, tt := range []struct {
		name   string
		images []*devimg.Image
		record Record
		want   string
	}{
		{"no image", nil, Record2, "there is no image"},
		{"too many", many, Record2, "65536 images: a descriptor counts at most 65535"},
		{"NUL in a target", image(func(i *devimg.Image) { i.Target = "a\x00b" }), Record2, `image 0: target "a\x00b" has a NUL byte`},
		{"NUL in an entry", image(func(i *devimg.Image) { i.Entries = []string{"\x00"} }), Record2, `image 0: entry "\x00" has a NUL byte`},
		{"manifest", image(func(i *devimg.Image) { i.Manifest = []byte{} }), Record3, "an image record of version 3 (80 bytes, DPC++ 2026) has no field for"},
		{"property without a type", image(func(i *devimg.Image) { i.Properties = noType }), Record2, `property set "set": property "name": its value has no type`},
		{"two kinds", append(image(func(i *devimg.Image) { i.Kind = devimg.KindHIP }), one), Record2, "image 1: kind sycl in a descriptor of kind hip"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := Encode(tt.images, EncodeOptions{Pointer: 8, Record: tt.record})
			if err == nil || e != nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Encode: %v, want %s", err, tt.want)
			}
		})
	}
	if _, err := Encode(many[:MaxImages], EncodeOptions{Pointer: 8, Record: Record2}); err != nil {
		t.Errorf("%d images: %v", MaxImages, err)
	}
}
