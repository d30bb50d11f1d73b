package abi

import "fmt"

// FieldType is the C type of a field.
type FieldType uint8

// The types that the structs have.
const (
	U8 FieldType = iota
	U16
	U32
	U64
	Size    // size_t
	Pointer // to anything
)

// Field is one field of a C struct.
type Field struct {
	Name string
	Type FieldType
}

// Struct is a C struct whose layout the rules of C and the host's data model
// give.
type Struct struct {
	Name   string
	Fields []Field
}

// Model is what the layout of a struct depends on.
type Model struct {
	PointerSize int // in bytes: 4 or 8
	Align64     int // alignment of a 64-bit integer
}

// The data models of the hosts.
var (
	LP64    = Model{PointerSize: 8, Align64: 8} // also LLP64, for these structs
	I386    = Model{PointerSize: 4, Align64: 4} // System V psABI for i386
	ILP32   = Model{PointerSize: 4, Align64: 8} // ARM, Windows x86
	littleU = [...]int{U8: 1, U16: 2, U32: 4, U64: 8}
)

// sizeAlign returns the size and the alignment of a field of type t.
func (m Model) sizeAlign(t FieldType) (size, align int) {
	switch t {
	case Size, Pointer:
		return m.PointerSize, m.PointerSize
	case U64:
		return 8, m.Align64
	}
	return littleU[t], littleU[t]
}

// Layout is a struct laid out: offsets and sizes in bytes.
type Layout struct {
	*Struct
	Size    int
	Align   int
	Offsets []int // of each field
	Widths  []int // of each field
}

// Layout lays s out.
func (m Model) Layout(s *Struct) *Layout {
	l := &Layout{Struct: s, Align: 1}
	for _, f := range s.Fields {
		size, align := m.sizeAlign(f.Type)
		l.Size = roundUp(l.Size, align)
		l.Offsets = append(l.Offsets, l.Size)
		l.Widths = append(l.Widths, size)
		l.Size += size
		l.Align = max(l.Align, align)
	}
	l.Size = roundUp(l.Size, l.Align)
	return l
}

func roundUp(n, align int) int { return (n + align - 1) / align * align }

// Fields of struct entry.
const (
	EntryAddr = iota
	EntryName
	EntrySize
	EntryFlags
	EntryReserved
)

// Entry is an entry point of an image.
var Entry = &Struct{"__tgt_offload_entry", []Field{
	EntryAddr:     {"addr", Pointer},
	EntryName:     {"name", Pointer},
	EntrySize:     {"size", Size},
	EntryFlags:    {"flags", U32},
	EntryReserved: {"reserved", U32},
}}

// Fields of struct entry_v1.
const (
	EntryV1Reserved = iota
	EntryV1Version
	EntryV1Kind
	EntryV1Flags
	EntryV1Address
	EntryV1SymbolName
	EntryV1Size
	EntryV1Data
	EntryV1AuxAddr
)

// EntryV1 is the later form of [Entry]. Nothing here writes it.
var EntryV1 = &Struct{"__tgt_offload_entry_v1", []Field{
	EntryV1Reserved:   {"reserved", U64},
	EntryV1Version:    {"version", U16},
	EntryV1Kind:       {"kind", U16},
	EntryV1Flags:      {"flags", U32},
	EntryV1Address:    {"address", Pointer},
	EntryV1SymbolName: {"symbol_name", Pointer},
	EntryV1Size:       {"size", U64},
	EntryV1Data:       {"data", U64},
	EntryV1AuxAddr:    {"aux_addr", Pointer},
}}

// Fields of struct property.
const (
	PropertyName = iota
	PropertyValue
	PropertyType
	PropertySize
)

// Property is a property of a set.
var Property = &Struct{"_pi_device_binary_property_struct", []Field{
	PropertyName:  {"name", Pointer},
	PropertyValue: {"value", Pointer},
	PropertyType:  {"type", U32},
	PropertySize:  {"size", U64},
}}

// Fields of struct property_set.
const (
	PropertySetName = iota
	PropertySetBegin
	PropertySetEnd
)

// PropertySet is a named array of properties.
var PropertySet = &Struct{"_pi_device_binary_property_set_struct", []Field{
	PropertySetName:  {"name", Pointer},
	PropertySetBegin: {"begin", Pointer},
	PropertySetEnd:   {"end", Pointer},
}}

// Fields of struct image, version 2. Version 3 lacks the manifest, so that
// the later fields come two earlier: see [ImageField3].
const (
	ImageVersion = iota
	ImageKind
	ImageFormat
	ImageTarget
	ImageCompileOptions
	ImageLinkOptions
	ImageManifestBegin
	ImageManifestEnd
	ImageBegin
	ImageEnd
	ImageEntriesBegin
	ImageEntriesEnd
	ImagePropertySetsBegin
	ImagePropertySetsEnd
)

// Image2 is an image, version 2: DPC++ to 2025.
var Image2 = &Struct{"__tgt_device_image", []Field{
	ImageVersion:           {"version", U16},
	ImageKind:              {"kind", U8},
	ImageFormat:            {"format", U8},
	ImageTarget:            {"target", Pointer},
	ImageCompileOptions:    {"compile_options", Pointer},
	ImageLinkOptions:       {"link_options", Pointer},
	ImageManifestBegin:     {"manifest_begin", Pointer},
	ImageManifestEnd:       {"manifest_end", Pointer},
	ImageBegin:             {"begin", Pointer},
	ImageEnd:               {"end", Pointer},
	ImageEntriesBegin:      {"entries_begin", Pointer},
	ImageEntriesEnd:        {"entries_end", Pointer},
	ImagePropertySetsBegin: {"property_sets_begin", Pointer},
	ImagePropertySetsEnd:   {"property_sets_end", Pointer},
}}

// Image3 is an image, version 3: DPC++ 2026.
var Image3 = &Struct{"__tgt_device_image", append(
	append([]Field{}, Image2.Fields[:ImageManifestBegin]...),
	Image2.Fields[ImageBegin:]...)}

// ImageField3 returns the place in [Image3] of a field of version 2, and
// whether version 3 has it.
func ImageField3(field int) (int, bool) {
	switch {
	case field < ImageManifestBegin:
		return field, true
	case field >= ImageBegin:
		return field - 2, true
	}
	return 0, false
}

// Fields of struct descriptor, and of struct tgt_descriptor without the
// first.
const (
	DescriptorVersion = iota
	DescriptorNumImages
	DescriptorImages
	DescriptorHostEntriesBegin
	DescriptorHostEntriesEnd
)

// Descriptor is the root of the tree.
var Descriptor = &Struct{"__tgt_bin_desc", []Field{
	DescriptorVersion:          {"version", U16},
	DescriptorNumImages:        {"num_images", U16},
	DescriptorImages:           {"images", Pointer},
	DescriptorHostEntriesBegin: {"host_entries_begin", Pointer},
	DescriptorHostEntriesEnd:   {"host_entries_end", Pointer},
}}

// Fields of struct image_info.
const (
	ImageInfoAddress = iota
	ImageInfoSize
)

// ImageInfo is an element of section .tgtimg: where an image's bytes lie.
var ImageInfo = &Struct{"image_info", []Field{
	ImageInfoAddress: {"address", Pointer},
	ImageInfoSize:    {"size", Size},
}}

// Fields of struct tgt_image.
const (
	TgtImageBegin = iota
	TgtImageEnd
	TgtImageEntriesBegin
	TgtImageEntriesEnd
)

// TgtImage is an image of a kind other than SYCL.
var TgtImage = &Struct{"__tgt_device_image", []Field{
	TgtImageBegin:        {"begin", Pointer},
	TgtImageEnd:          {"end", Pointer},
	TgtImageEntriesBegin: {"entries_begin", Pointer},
	TgtImageEntriesEnd:   {"entries_end", Pointer},
}}

// Fields of struct tgt_descriptor.
const (
	TgtDescriptorNumImages = iota
	TgtDescriptorImages
	TgtDescriptorHostEntriesBegin
	TgtDescriptorHostEntriesEnd
)

// TgtDescriptor is the root of the tree of a kind other than SYCL.
var TgtDescriptor = &Struct{"__tgt_bin_desc", []Field{
	TgtDescriptorNumImages:        {"num_images", U32},
	TgtDescriptorImages:           {"images", Pointer},
	TgtDescriptorHostEntriesBegin: {"host_entries_begin", Pointer},
	TgtDescriptorHostEntriesEnd:   {"host_entries_end", Pointer},
}}

// Versions of the structs.
const (
	DescriptorVersion1 = 1
	ImageVersion2      = 2 // 96 bytes
	ImageVersion3      = 3 // 80 bytes
	DefaultImage       = ImageVersion2
)

// Layouts holds the layouts of one host and one version of the image record.
type Layouts struct {
	Model        Model
	ImageVersion uint16

	Entry, EntryV1, Property, PropertySet, Image, Descriptor, ImageInfo *Layout
	TgtImage, TgtDescriptor                                             *Layout
}

// NewLayouts lays all structs out. The version of the image record is 2 or 3.
func NewLayouts(m Model, imageVersion uint16) (*Layouts, error) {
	image := Image2
	switch imageVersion {
	case ImageVersion2:
	case ImageVersion3:
		image = Image3
	default:
		return nil, fmt.Errorf("there is no version %d of the image record: 2 (96 bytes, DPC++ to 2025) and 3 (80 bytes, DPC++ 2026) exist", imageVersion)
	}
	return &Layouts{
		Model: m, ImageVersion: imageVersion,
		Entry: m.Layout(Entry), EntryV1: m.Layout(EntryV1),
		Property: m.Layout(Property), PropertySet: m.Layout(PropertySet),
		Image: m.Layout(image), Descriptor: m.Layout(Descriptor), ImageInfo: m.Layout(ImageInfo),
		TgtImage: m.Layout(TgtImage), TgtDescriptor: m.Layout(TgtDescriptor),
	}, nil
}

// ImageOffset returns the offset in an image record of a field of version 2,
// and whether the record has it.
func (l *Layouts) ImageOffset(field int) (int, bool) {
	if l.ImageVersion == ImageVersion3 {
		f, ok := ImageField3(field)
		if !ok {
			return 0, false
		}
		field = f
	}
	return l.Image.Offsets[field], true
}
