package abi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"offlink/props"
	"offlink/wrapper/devimg"
)

// MaxImages is the most images that one descriptor counts: 16 bits.
const MaxImages = 1<<16 - 1

// EncodeOptions choose the tree that [Encode] makes.
type EncodeOptions struct {
	Pointer int    // bytes of a pointer of the host: 4 or 8
	Record  Record // of SYCL images
	// DescriptorName replaces "descriptor" in the name of the root.
	DescriptorName string
	// Infos adds the array of the images' bounds (section .tgtimg).
	Infos bool
	// NativeCPU makes images of host code: instead of bytes they have an
	// array of the entry points' names and functions, ended by a marker. Such
	// images have no bounds.
	NativeCPU bool
}

// The names of the native CPU device (DPC++, NativeCPU): the marker, and the
// suffix of the symbol of an entry point's function.
const (
	nativeEnd    = "__nativecpu_end"
	NativeSuffix = "__SYCLNCPU"
)

// Encode makes the tree of the images, which are all of one kind and in the
// order of the records. It reads nothing of their code but its size, and its
// first bytes for RecordLLVM.
func Encode(images []*devimg.Image, o EncodeOptions) (*Encoded, error) {
	if len(images) == 0 {
		return nil, fmt.Errorf("there is no image to describe")
	}
	if len(images) > MaxImages {
		return nil, fmt.Errorf("%d images: a descriptor counts at most %d; wrap them into several objects", len(images), MaxImages)
	}
	e := newEncoder(images[0].Kind, o)
	for i, image := range images {
		if err := e.addImage(i, image); err != nil {
			return nil, &ImageError{i, err}
		}
	}
	e.addRoot(len(images))
	return e.tree, nil
}

// ImageError is a fault of one of several images.
type ImageError struct {
	Image int // its number among them, from 0
	Err   error
}

func (e *ImageError) Error() string { return fmt.Sprintf("image %d: %v", e.Image, e.Err) }

// Unwrap returns the fault of the image.
func (e *ImageError) Unwrap() error { return e.Err }

type encoder struct {
	tree *Encoded
	l    *Layout
	kind devimg.Kind

	nativeCPU bool
	// prefix starts the names of the kind's symbols: ".sycl_offloading.".
	prefix, descriptor string
	names              map[string]int // how often a name was taken
	// Names and property values repeat in every image: thousands of images
	// share most of theirs.
	texts, blobs map[string]Target // content to its only block
	records      Block             // the array of images
	infos        *Block            // nil: not wanted
	host         [2]Target         // the host's entry table; zero for SYCL
}

func newEncoder(kind devimg.Kind, o EncodeOptions) *encoder {
	e := &encoder{
		tree:       &Encoded{Layout: NewLayout(o.Pointer, o.Record), Infos: -1},
		kind:       kind,
		nativeCPU:  o.NativeCPU,
		prefix:     "." + kind.String() + "_offloading.",
		descriptor: "descriptor",
		names:      map[string]int{},
		texts:      map[string]Target{},
		blobs:      map[string]Target{},
	}
	e.l = e.tree.Layout
	e.records = Block{Name: e.prefix + "device_images", Type: ImageArray}
	if kind != devimg.KindSYCL {
		e.records.Type = TargetImageArray
		e.host = [2]Target{e.addExternal("__start_" + HostEntriesSection), e.addExternal("__stop_" + HostEntriesSection)}
	}
	if o.DescriptorName != "" {
		e.descriptor = o.DescriptorName
	}
	if o.Infos && !o.NativeCPU {
		e.infos = &Block{Name: e.prefix + "info", Type: InfoArray}
	}
	return e
}

// HostEntriesSection is the section of the host's entry table, for kinds other than SYCL.
const HostEntriesSection = "omp_offloading_entries"

// addExternal returns a target at a symbol that the tree does not define. The bounds of the table
// of OpenMP entries, for one, are made by the linker from all objects' sections of that name
// (ELF: __start_ and __stop_).
func (e *encoder) addExternal(name string) Target {
	e.tree.Externals = append(e.tree.Externals, name)
	return Target{In: InExternal, Index: int32(len(e.tree.Externals) - 1)}
}

// addImage encodes the blocks that the record of an image points to, then the
// record.
func (e *encoder) addImage(i int, image *devimg.Image) error {
	if image.Kind != e.kind {
		return fmt.Errorf("kind %v in a descriptor of kind %v", image.Kind, e.kind)
	}
	begin := Target{In: InImage, Index: int32(i)}
	end := Target{In: InImage, Index: int32(i), Offset: image.Code.Size()}
	if e.nativeCPU {
		kernels, err := e.nativeKernels(image)
		if err != nil {
			return err
		}
		begin, end = kernels.begin, kernels.end
	}
	if e.infos != nil {
		r := e.appendRecord(e.infos)
		r.putPointer(0, begin)
		r.putWord(e.l.Pointer, uint64(image.Code.Size()))
	}
	if e.kind != devimg.KindSYCL {
		e.addTargetImage(begin, end)
		return nil
	}
	return e.addSYCLImage(i, image, begin, end)
}

// addTargetImage appends the record of an image of OpenMP or another kind, which only has the
// bounds of the code and of the host's entry table.
func (e *encoder) addTargetImage(begin, end Target) {
	r := e.appendRecord(&e.records)
	for i, to := range []Target{begin, end, e.host[0], e.host[1]} {
		r.putPointer(i*e.l.Pointer, to)
	}
}

// addSYCLImage appends the blocks of a SYCL image and its record.
func (e *encoder) addSYCLImage(i int, image *devimg.Image, begin, end Target) error {
	// The blocks are made before the record, in the order of its fields, so
	// that the bytes of an object depend on the images alone.
	strings, err := e.imageStrings(i, image)
	if err != nil {
		return err
	}
	manifest, err := e.addManifest(i, image.Manifest)
	if err != nil {
		return err
	}
	entries, err := e.addEntries(image)
	if err != nil {
		return err
	}
	sets, err := e.propertySets(image.Properties)
	if err != nil {
		return err
	}
	l := e.l.Image
	kind, format, err := e.recordNumbers(image)
	if err != nil {
		return err
	}
	r := e.appendRecord(&e.records)
	r.putU16(l.Version, e.l.Record.Version())
	r.putU8(l.Kind, kind)
	r.putU8(l.Format, format)
	for i, at := range []int{l.Target, l.CompileOptions, l.LinkOptions} {
		r.putPointer(at, strings[i])
	}
	r.putSpan(l.ManifestBegin, l.ManifestEnd, manifest)
	r.putSpan(l.CodeBegin, l.CodeEnd, span{begin, end})
	r.putSpan(l.EntriesBegin, l.EntriesEnd, entries)
	r.putSpan(l.PropertySetsBegin, l.PropertySetsEnd, sets)
	return nil
}

// recordNumbers returns the kind and the format as the record has them. LLVM's
// runtime does not look at the code, so that for its record the first bytes of
// the code decide a format that is not given.
func (e *encoder) recordNumbers(image *devimg.Image) (kind, format uint8, err error) {
	if e.l.Record != RecordLLVM {
		return uint8(image.Kind), uint8(image.Format), nil
	}
	f := image.Format
	if f == devimg.FormatNone {
		f = devimg.Sniff(image.Code)
	}
	i := slices.Index(formatsLLVM[:], f)
	if i < 0 {
		return 0, 0, fmt.Errorf("its code is %v, which the image record of LLVM has no number for", f)
	}
	return KindLLVM, uint8(i), nil
}

// imageStrings appends the three strings of the record.
func (e *encoder) imageStrings(i int, image *devimg.Image) (targets [3]Target, err error) {
	for j, s := range []struct{ name, field, text string }{
		{"target.", "target", image.Target},
		{"opts.compile.", "compile options", image.CompileOptions},
		{"opts.link.", "link options", image.LinkOptions},
	} {
		if targets[j], err = e.addString(e.prefix+s.name+strconv.Itoa(i), s.field, s.text); err != nil {
			return targets, err
		}
	}
	return targets, nil
}

// addManifest makes the block of a manifest. A manifest that is empty but not nil gets a block
// without bytes, as decoding keeps it apart from none.
func (e *encoder) addManifest(i int, manifest []byte) (span, error) {
	switch {
	case manifest == nil:
		return span{}, nil
	case e.l.Image.ManifestBegin == Absent:
		return span{}, fmt.Errorf("it has a manifest, which an image record of %v has no field for", e.l.Record)
	}
	return e.wholeSpan(e.addBlock(Block{Name: e.prefix + strconv.Itoa(i) + ".manifest", Type: Blob, Data: manifest})), nil
}

// addEntries makes the array of entries. Without a symbol file there is none;
// an empty one gives an array without elements that has an address.
func (e *encoder) addEntries(image *devimg.Image) (span, error) {
	if !image.HasEntries && len(image.Entries) == 0 {
		return span{}, nil
	}
	b := Block{Name: "__sycl_offload_entries_arr", Type: EntryArray}
	if e.l.Record == RecordLLVM {
		b.Type = NewEntryArray
	}
	for _, name := range image.Entries {
		target, err := e.addString("__sycl_offload_entry_name", "entry", name)
		if err != nil {
			return span{}, err
		}
		e.addEntry(&b, target)
	}
	return e.wholeSpan(e.addBlock(b)), nil
}

// addEntry adds an entry with a name.
func (e *encoder) addEntry(b *Block, name Target) {
	r := e.appendRecord(b)
	if b.Type == EntryArray {
		r.putPointer(e.l.Entry.Name, name)
		return
	}
	l := e.l.NewEntry
	r.putU16(l.Version, NewEntryVersion)
	r.putU16(l.Kind, NewEntryKind)
	r.putPointer(l.Name, name)
}

// nativeKernels makes the array of a native CPU image.
func (e *encoder) nativeKernels(image *devimg.Image) (span, error) {
	if !image.HasEntries && len(image.Entries) == 0 {
		return span{}, fmt.Errorf("a native CPU image consists of its entry points: name them with -entries")
	}
	b := Block{Name: "__sycl_native_cpu_decls", Type: NativeKernelArray}
	for _, name := range image.Entries {
		target, err := e.addString("__ncpu_function_name", "entry", name)
		if err != nil {
			return span{}, err
		}
		r := e.appendRecord(&b)
		r.putPointer(0, target)
		r.putPointer(e.l.Pointer, e.addExternal(name+NativeSuffix))
	}
	end, err := e.addString("__ncpu_end_str", "marker", nativeEnd)
	if err != nil {
		return span{}, err
	}
	// The runtime finds the end by this name, as the record of such an image
	// has no count.
	e.appendRecord(&b).putPointer(0, end)
	return e.wholeSpan(e.addBlock(b)), nil
}

// propertySets makes the array of property sets. An image without sets has null pointers, one
// with an empty list an array without elements.
func (e *encoder) propertySets(sets *props.Sets) (span, error) {
	if sets == nil {
		return span{}, nil
	}
	b := Block{Name: "__sycl_offload_prop_sets_arr", Type: PropertySetArray}
	for _, set := range sets.All {
		name, err := e.addString("SYCL_PropSetName", "property set", set.Name)
		if err != nil {
			return span{}, err
		}
		properties, err := e.addProperties(set)
		if err != nil {
			return span{}, fmt.Errorf("property set %q: %w", set.Name, err)
		}
		r := e.appendRecord(&b)
		r.putPointer(e.l.Set.Name, name)
		r.putSpan(e.l.Set.Begin, e.l.Set.End, properties)
	}
	return e.wholeSpan(e.addBlock(b)), nil
}

// addProperties makes the array of a set's properties, or null pointers for an empty set.
func (e *encoder) addProperties(set *props.Set) (span, error) {
	if len(set.Properties) == 0 {
		return span{}, nil
	}
	b := Block{Name: "__sycl_offload_prop_sets_arr", Type: PropertyArray}
	for _, p := range set.Properties {
		if err := e.addProperty(&b, p); err != nil {
			return span{}, err
		}
	}
	return e.wholeSpan(e.addBlock(b)), nil
}

func (e *encoder) addProperty(b *Block, p props.Property) error {
	name, err := e.addString("prop", "property", p.Name)
	if err != nil {
		return err
	}
	l := e.l.Property
	r := e.appendRecord(b)
	r.putPointer(l.Name, name)
	r.putU32(l.Type, uint32(p.Value.Type()))
	switch p.Value.Type() {
	case props.TypeUint32:
		// A number is in the place of the size, and the pointer is null (DPC++,
		// pi.h: _pi_device_binary_property_struct).
		r.putU64(l.Size, uint64(p.Value.Uint32()))
	case props.TypeByteArray:
		raw := p.Value.Raw()
		r.putPointer(l.Value, e.addBytes("prop_val", raw))
		r.putU64(l.Size, uint64(len(raw)))
	default:
		return fmt.Errorf("property %q: its value has no type", p.Name)
	}
	return nil
}

// addRoot adds the array of image records, the bounds and the descriptor.
func (e *encoder) addRoot(count int) {
	images := e.addBlock(e.records)
	e.tree.Images = int(images.Index)
	p := e.l.Pointer
	b := Block{Name: e.prefix + e.descriptor, Type: DescriptorStruct}
	if e.kind != devimg.KindSYCL {
		b.Type = TargetDescriptorStruct
	}
	r := e.appendRecord(&b)
	if e.kind == devimg.KindSYCL {
		r.putU16(e.l.Descriptor.Version, DescriptorVersion)
		r.putU16(e.l.Descriptor.Count, uint16(count))
	} else {
		r.putU32(0, uint32(count))
	}
	r.putPointer(p, images)
	// The entries of the host are null for SYCL, whose runtime registers
	// kernels by itself.
	r.putSpan(2*p, 3*p, span{e.host[0], e.host[1]})
	e.tree.Descriptor = int(e.addBlock(b).Index)
	if e.infos != nil {
		e.tree.Infos = int(e.addBlock(*e.infos).Index)
	}
}

// addBlock appends a block under a name of its own and returns a target at its
// start. Symbols of an object must differ; the number keeps a name recognizable
// in a listing.
func (e *encoder) addBlock(b Block) Target {
	n := e.names[b.Name]
	e.names[b.Name]++
	if n > 0 {
		b.Name += "." + strconv.Itoa(n)
	}
	e.tree.Blocks = append(e.tree.Blocks, b)
	return Target{In: InBlock, Index: int32(len(e.tree.Blocks) - 1)}
}

// addString appends a string; equal strings share a block.
func (e *encoder) addString(symbol, field, s string) (Target, error) {
	if target, ok := e.texts[s]; ok {
		return target, nil
	}
	// Runtimes read the strings as C does; the rest would be lost without a
	// word.
	if strings.Contains(s, "\x00") {
		return Target{}, fmt.Errorf("%s %.80q has a NUL byte, where the string would end", field, s)
	}
	target := e.addBlock(Block{Name: symbol, Type: Text, Data: append([]byte(s), 0)})
	e.texts[s] = target
	return target, nil
}

// addBytes appends bytes; equal bytes share a block.
func (e *encoder) addBytes(symbol string, data []byte) Target {
	if target, ok := e.blobs[string(data)]; ok {
		return target
	}
	target := e.addBlock(Block{Name: symbol, Type: Blob, Data: data})
	e.blobs[string(data)] = target
	return target
}

// span is a begin and an end pointer; the zero span is two null pointers.
type span struct{ begin, end Target }

// wholeSpan returns the bounds of the block that p is the start of.
func (e *encoder) wholeSpan(p Target) span {
	end := p
	end.Offset = int64(len(e.tree.Blocks[p.Index].Data))
	return span{p, end}
}
