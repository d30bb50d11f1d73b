package abi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"offlink/parallel"
	"offlink/props"
	"offlink/wrapper/devimg"
)

// Tree is a decoded descriptor tree.
type Tree struct {
	Address uint64 // of the descriptor
	Layout  *Layout
	Version uint16
	Images  []TreeImage
}

// TreeImage is an image of a tree and where its parts lie in memory.
type TreeImage struct {
	devimg.Image
	Address    uint64 // of the image record
	CodeBegin  uint64 // address of the first byte of Code
	NewEntries bool   // the entries have the newer struct
	Record     Record // the form of the image record
}

// Decoder reads descriptor trees. It is not safe for concurrent use; its
// memory must be, as the images of a large tree are read in parallel. The
// images share the bytes of the memory.
type Decoder struct {
	Memory  Memory
	Pointer int // bytes of a pointer: 4 or 8
	// Limit bounds the bytes of structs, names and values that are read, so
	// that a small file whose pointers all lead to one address cannot ask for
	// much memory. 0 means no limit.
	Limit uint64

	spent   uint64
	strings stringCache
	slabs   slabs
}

// slabs are arrays that sets and properties are cut from: a large file has hundreds of thousands
// of them, and one allocation for each would dominate the time.
type slabs struct {
	sets       []props.Set
	pointers   []*props.Set
	properties []props.Property
}

const slabSize = 512

// cutSlab takes n zero values off a slab.
func cutSlab[T any](slab *[]T, n int) []T {
	if n > slabSize/4 {
		return make([]T, n)
	}
	if len(*slab) < n {
		*slab = make([]T, slabSize)
	}
	taken := (*slab)[:n:n]
	*slab = (*slab)[n:]
	return taken
}

// ErrLimit says that a tree is larger than the memory that it lies in allows.
var ErrLimit = errors.New("the descriptor tree is larger than the file can hold: its tables overlap")

// Decode reads the tree of the descriptor at address. The version of its
// first image record is the form of all. [Decoder.DecodeAs] takes the form as
// an argument: DPC++ does not look at the version, so that files with another
// one exist.
func (d *Decoder) Decode(address uint64) (*Tree, error) {
	h, err := d.Header(address)
	if err != nil {
		return nil, err
	}
	record := Record2
	if h.Count > 0 {
		first, err := d.viewMemory(h.Images, 2)
		if err != nil {
			return nil, fmt.Errorf("descriptor at %#x: image records: %w", address, err)
		}
		record = RecordOf(binary.LittleEndian.Uint16(first))
	}
	return d.DecodeAs(address, record)
}

// RecordOf is the record that a version field announces: Record3 from 3 on,
// else Record2.
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

// Header reads the descriptor at address without its images.
func (d *Decoder) Header(address uint64) (Header, error) {
	l := NewLayout(d.Pointer, Record2).Descriptor
	f, err := d.readFields(address, l.Len)
	if err != nil {
		return Header{}, fmt.Errorf("descriptor at %#x: %w", address, err)
	}
	return Header{f.u16(l.Version), int(f.u16(l.Count)), f.wordAt(l.Images)}, nil
}

// DecodeAs reads the tree of the descriptor at address with image records of the given form.
func (d *Decoder) DecodeAs(address uint64, record Record) (*Tree, error) {
	h, err := d.Header(address)
	if err != nil {
		return nil, err
	}
	l := NewLayout(d.Pointer, record)
	tree := &Tree{Address: address, Layout: l, Version: h.Version, Images: make([]TreeImage, h.Count)}
	if err := d.readImages(tree.Images, h.Images, l); err != nil {
		return nil, fmt.Errorf("descriptor at %#x: %w", address, err)
	}
	return tree, nil
}

// imagesPerWorker is how many images make another goroutine worth it.
const imagesPerWorker = 1024

// readImages reads the records from first on. Records share nothing, so several workers read them.
// Each has the whole limit, and the sum is checked at the end: meanwhile at most jobs times the
// limit is read.
func (d *Decoder) readImages(images []TreeImage, first uint64, l *Layout) error {
	jobs := min(runtime.GOMAXPROCS(0), len(images)/imagesPerWorker+1)
	var mu sync.Mutex
	var forks []*Decoder
	err := parallel.ForEach(len(images), jobs, func() func(int) error {
		fork := &Decoder{Memory: d.Memory, Pointer: d.Pointer, Limit: d.Limit, spent: d.spent}
		mu.Lock()
		forks = append(forks, fork)
		mu.Unlock()
		return func(i int) error {
			err := fork.Memory.Guard(func() error { return fork.readImage(&images[i], first+uint64(i*l.Image.Len), l) })
			if err != nil {
				err = fmt.Errorf("image %d: %w", i, err)
			}
			return err
		}
	})
	if err != nil {
		return err
	}
	before := d.spent
	for _, fork := range forks {
		d.spent += fork.spent - before
	}
	if d.Limit != 0 && d.spent > d.Limit {
		return ErrLimit
	}
	return nil
}

// readImage reads one image record, its strings, entries and properties.
func (d *Decoder) readImage(img *TreeImage, address uint64, layout *Layout) error {
	l := &layout.Image
	f, err := d.readFields(address, l.Len)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	img.Address, img.CodeBegin = address, f.wordAt(l.CodeBegin)
	img.Record, img.Version = layout.Record, f.u16(l.Version)
	img.Kind, img.Format = devimg.Kind(f.u8(l.Kind)), devimg.Format(f.u8(l.Format))
	if layout.Record != Record2 && f.u8(l.Kind) == KindLLVM {
		img.Record, img.Kind = RecordLLVM, devimg.KindSYCL
		img.Format, _ = FormatLLVM(f.u8(l.Format))
	}
	if err := d.readOptions(img, f, l); err != nil {
		return err
	}
	if err := d.readCode(img, f.pairAt(l.CodeBegin, l.CodeEnd)); err != nil {
		return fmt.Errorf("code: %w", err)
	}
	if err := d.readEntries(img, f.pairAt(l.EntriesBegin, l.EntriesEnd), layout); err != nil {
		return fmt.Errorf("entries: %w", err)
	}
	if err := d.readSets(img, f.pairAt(l.PropertySetsBegin, l.PropertySetsEnd), layout); err != nil {
		return fmt.Errorf("property sets: %w", err)
	}
	return nil
}

func (d *Decoder) readOptions(img *TreeImage, f fields, l *ImageLayout) (err error) {
	if img.Target, err = d.readOptional(f.wordAt(l.Target)); err != nil {
		return fmt.Errorf("target: %w", err)
	}
	if img.CompileOptions, err = d.readOptional(f.wordAt(l.CompileOptions)); err != nil {
		return fmt.Errorf("compile options: %w", err)
	}
	if img.LinkOptions, err = d.readOptional(f.wordAt(l.LinkOptions)); err != nil {
		return fmt.Errorf("link options: %w", err)
	}
	if l.ManifestBegin == Absent {
		return nil
	}
	if img.Manifest, err = d.readManifest(f.pairAt(l.ManifestBegin, l.ManifestEnd)); err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	return nil
}

// readManifest returns the bytes of the manifest, which are not nil even if there are none; nil
// means that the image has no manifest.
func (d *Decoder) readManifest(p pair) ([]byte, error) {
	n, err := p.byteSize()
	if p.isNull() || err != nil {
		return nil, err
	}
	b, err := d.viewMemory(p.begin, n)
	return append([]byte{}, b...), err
}

// readCode makes the code a view of the memory. It does not count against the limit, as it is not
// copied.
func (d *Decoder) readCode(img *TreeImage, p pair) error {
	n, err := p.byteSize()
	if err != nil {
		return err
	}
	var code []byte
	if n > 0 {
		if code, err = d.Memory.View(p.begin, n); err != nil {
			return err
		}
	}
	img.Code = devimg.Bytes(code)
	return nil
}

func (d *Decoder) readEntries(img *TreeImage, p pair, layout *Layout) error {
	if img.HasEntries = !p.isNull(); !img.HasEntries {
		return nil
	}
	length, name := layout.Entry.Len, layout.Entry.Name
	newer, err := d.newEntries(p, &layout.NewEntry)
	if err != nil {
		return err
	}
	if newer {
		length, name = layout.NewEntry.Len, layout.NewEntry.Name
	}
	img.NewEntries = newer
	return d.readArray(p, length, func(n int) { img.Entries = make([]string, n) }, func(i int, f fields) (err error) {
		if img.Entries[i], err = d.readString(f.wordAt(name)); err != nil {
			return fmt.Errorf("name of entry %d: %w", i, err)
		}
		return nil
	})
}

// newEntries tells the two entry structs apart as the runtime does: if the first field is zero,
// the version 1, the kind SYCL and no flag set, the struct is the newer one.
func (d *Decoder) newEntries(p pair, l *NewEntryLayout) (bool, error) {
	n, err := p.byteSize()
	if err != nil || n == 0 || n%uint64(l.Len) != 0 {
		return false, err
	}
	f, err := d.readFields(p.begin, l.Len)
	if err != nil {
		return false, err
	}
	return f.u64(l.Reserved) == 0 && f.u16(l.Version) == NewEntryVersion &&
		f.u16(l.Kind) == NewEntryKind && f.u32(l.Flags) == 0, nil
}

func (d *Decoder) readSets(img *TreeImage, p pair, layout *Layout) error {
	if p.isNull() {
		return nil
	}
	var all []props.Set
	l := &layout.Set
	img.Properties = &props.Sets{}
	return d.readArray(p, l.Len, func(n int) {
		all, img.Properties.All = cutSlab(&d.slabs.sets, n), cutSlab(&d.slabs.pointers, n)
	}, func(i int, f fields) (err error) {
		set := &all[i]
		img.Properties.All[i] = set
		if set.Name, err = d.readString(f.wordAt(l.Name)); err != nil {
			return fmt.Errorf("name of set %d: %w", i, err)
		}
		if err := d.readSet(set, f.pairAt(l.Begin, l.End), &layout.Property); err != nil {
			return fmt.Errorf("set %q: %w", set.Name, err)
		}
		return nil
	})
}

func (d *Decoder) readSet(set *props.Set, p pair, l *PropertyLayout) error {
	return d.readArray(p, l.Len, func(n int) {
		set.Properties = cutSlab(&d.slabs.properties, n)[:0]
	}, func(i int, f fields) error {
		name, err := d.readString(f.wordAt(l.Name))
		if err != nil {
			return fmt.Errorf("name of property %d: %w", i, err)
		}
		v, err := d.readValue(f, l)
		if err != nil {
			return fmt.Errorf("property %q: %w", name, err)
		}
		set.Put(name, v)
		return nil
	})
}

// readValue reads a property's value. A UINT32 lies in the size field itself; a
// BYTE_ARRAY begins with its length in bits.
func (d *Decoder) readValue(f fields, l *PropertyLayout) (props.Value, error) {
	size := f.u64(l.Size)
	switch t := props.Type(f.u32(l.Type)); t {
	case props.TypeUint32:
		if size != uint64(uint32(size)) {
			return props.Value{}, fmt.Errorf("%#x is not a 32-bit number", size)
		}
		return props.Uint32(uint32(size)), nil
	case props.TypeByteArray:
		raw, err := d.viewMemory(f.wordAt(l.Value), size)
		if err != nil {
			return props.Value{}, err
		}
		return byteArray(raw)
	default:
		return props.Value{}, fmt.Errorf("type %d is neither UINT32 (1) nor BYTE_ARRAY (2)", uint32(t))
	}
}

// byteArray decodes the value of a BYTE_ARRAY: its length in bits, then just the bytes that these
// need.
func byteArray(raw []byte) (props.Value, error) {
	if len(raw) < 8 {
		return props.Value{}, fmt.Errorf("a byte array of %d bytes has no room for its length", len(raw))
	}
	bits, data := binary.LittleEndian.Uint64(raw), raw[8:]
	if room := uint64(len(data)) * 8; bits > room || room-bits >= 8 {
		return props.Value{}, fmt.Errorf("the length says %d bits, %d bytes are there", bits, len(data))
	}
	return props.Bits(data, bits), nil
}

// readArray reads an array of structs. It calls begin with their number once the memory is known
// to hold them, so that a claim alone allocates nothing, and then calls read for each in turn.
func (d *Decoder) readArray(p pair, length int, begin func(n int), read func(i int, f fields) error) error {
	n, err := p.recordCount(length)
	if err != nil {
		return err
	}
	table, err := d.viewMemory(p.begin, n*uint64(length))
	if err != nil {
		return err
	}
	begin(int(n))
	for i := range int(n) {
		if err := read(i, fields{table[i*length:], d.Pointer}); err != nil {
			return err
		}
	}
	return nil
}

// viewMemory is Memory.View within the limit. It counts every read, also of bytes that were read
// before: a limit on distinct bytes would not bound the work.
func (d *Decoder) viewMemory(addr, n uint64) ([]byte, error) {
	if d.Limit != 0 && (n > d.Limit || d.spent > d.Limit-n) {
		return nil, ErrLimit
	}
	d.spent += n
	if n == 0 {
		return nil, nil
	}
	return d.Memory.View(addr, n)
}

func (d *Decoder) readFields(addr uint64, length int) (fields, error) {
	b, err := d.viewMemory(addr, uint64(length))
	return fields{b, d.Pointer}, err
}

// readOptional reads a string that may be a null pointer.
func (d *Decoder) readOptional(addr uint64) (string, error) {
	if addr == 0 {
		return "", nil
	}
	return d.readString(addr)
}

// readString reads a string that ends at a NUL byte, or takes it from the cache.
func (d *Decoder) readString(addr uint64) (string, error) {
	known := d.strings.slotAt(addr)
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

// slotAt returns the slot of an address, which may hold another address's string.
func (c *stringCache) slotAt(addr uint64) *struct {
	addr uint64
	text string
} {
	return &c[(addr>>3^addr)%uint64(len(c))]
}
