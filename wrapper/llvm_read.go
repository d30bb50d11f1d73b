package wrapper

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"offlink/ir"
	"offlink/props"
	"offlink/wrapper/devimg"
)

// imagesVariable is the array of image records in the LLVM IR of wrapped images.
const imagesVariable = ".sycl_offloading.device_images"

// maxDescribed limits the entries and properties of a module. Records may share arrays, so that a
// small module can name very many.
const maxDescribed = 1 << 20

// bytesPerRecord is how many bytes of a value count as a record.
const bytesPerRecord = 64

// DescribedImages returns the images of a module of LLVM IR that wraps SYCL images, as [Wrap] and
// clang-offload-wrapper write it, with their entries and properties and without their code: a module
// whose images have another form of code describes them all the same.
func DescribedImages(m *ir.Module) ([]*devimg.Image, error) {
	r := recordReader{module: m, left: maxDescribed, values: make(map[ir.ValueID]ir.Constant)}
	id, ok := m.Lookup(imagesVariable)
	if !ok {
		return nil, fmt.Errorf("%s: it has no variable %s: name LLVM IR of wrapped SYCL images", m.Path, imagesVariable)
	}
	records, err := r.elementsOf(ir.Constant{Kind: ir.ConstantValue, Value: id})
	if err != nil {
		return nil, err
	}
	images := make([]*devimg.Image, len(records))
	for i := range records {
		if images[i], err = r.image(&records[i]); err != nil {
			return nil, fmt.Errorf("%s: image %d: %w", m.Path, i, err)
		}
	}
	return images, nil
}

// recordReader reads the records of wrapped images out of the initialisers of a module.
type recordReader struct {
	module *ir.Module
	left   int // elements that may still be read
	values map[ir.ValueID]ir.Constant
}

// Fields of records. Those of images are counted from the last, as only version 2 has a manifest.
const (
	imageFields      = 12 // of version 3; version 2 has 14
	entriesFromEnd   = 4
	setsFromEnd      = 2
	entryFields      = 5
	entryNameAt      = 1
	newEntryFields   = 9
	newEntryNameAt   = 5
	setFields        = 3
	propertyFields   = 4
	propertyNameAt   = 0
	propertyValueAt  = 1
	propertyTypeAt   = 2
	propertySizeAt   = 3
	lengthPrefixSize = 8
)

func (r *recordReader) image(record *ir.Constant) (*devimg.Image, error) {
	n := len(record.Elements)
	if n != imageFields && n != imageFields+2 {
		return nil, fmt.Errorf("its record has %d fields, want %d or %d", n, imageFields, imageFields+2)
	}
	image := &devimg.Image{Kind: devimg.KindSYCL, Code: devimg.Bytes(nil)}
	entries := record.Elements[n-entriesFromEnd]
	image.HasEntries = entries.Kind == ir.ConstantValue
	list, err := r.elementsOf(entries)
	if err != nil {
		return nil, err
	}
	for i := range list {
		name, err := r.nameOfEntry(&list[i])
		if err != nil {
			return nil, err
		}
		image.Entries = append(image.Entries, name)
	}
	image.Properties, err = r.propertySets(record.Elements[n-setsFromEnd])
	return image, err
}

func (r *recordReader) nameOfEntry(entry *ir.Constant) (string, error) {
	switch len(entry.Elements) {
	case entryFields:
		return r.stringAt(entry.Elements[entryNameAt])
	case newEntryFields:
		return r.stringAt(entry.Elements[newEntryNameAt])
	}
	return "", fmt.Errorf("an entry has %d fields, want %d or %d", len(entry.Elements), entryFields, newEntryFields)
}

// propertySets reads the sets of an image; a null pointer is none.
func (r *recordReader) propertySets(at ir.Constant) (*props.Sets, error) {
	if at.Kind != ir.ConstantValue {
		return nil, nil
	}
	list, err := r.elementsOf(at)
	if err != nil {
		return nil, err
	}
	sets := new(props.Sets)
	for _, record := range list {
		if len(record.Elements) != setFields {
			return nil, fmt.Errorf("a property set has %d fields, want %d", len(record.Elements), setFields)
		}
		name, err := r.stringAt(record.Elements[0])
		if err != nil {
			return nil, err
		}
		properties, err := r.elementsOf(record.Elements[1])
		if err != nil {
			return nil, err
		}
		set := sets.Open(name)
		for i := range properties {
			if err := r.addProperty(set, &properties[i]); err != nil {
				return nil, fmt.Errorf("property set %s: %w", name, err)
			}
		}
	}
	return sets, nil
}

func (r *recordReader) addProperty(set *props.Set, record *ir.Constant) error {
	if len(record.Elements) != propertyFields {
		return fmt.Errorf("a property has %d fields, want %d", len(record.Elements), propertyFields)
	}
	name, err := r.stringAt(record.Elements[propertyNameAt])
	if err != nil {
		return err
	}
	switch typ := props.Type(record.Elements[propertyTypeAt].Int); typ {
	case props.TypeUint32:
		set.Put(name, props.Uint32(uint32(record.Elements[propertySizeAt].Int)))
	case props.TypeByteArray:
		value, err := r.byteArrayAt(record.Elements[propertyValueAt])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		set.Put(name, value)
	default:
		return fmt.Errorf("%s: type %d is not known", name, typ)
	}
	return nil
}

// byteArrayAt reads the value of a byte array: its length in bits, then the bytes.
func (r *recordReader) byteArrayAt(at ir.Constant) (props.Value, error) {
	raw, err := r.bytesAt(at)
	if err != nil {
		return props.Value{}, err
	}
	if len(raw) < lengthPrefixSize {
		return props.Value{}, fmt.Errorf("a byte array of %d bytes has no room for its length", len(raw))
	}
	bits, data := binary.LittleEndian.Uint64(raw), raw[lengthPrefixSize:]
	if room := uint64(len(data)) * 8; bits > room || room-bits >= 8 {
		return props.Value{}, fmt.Errorf("the length says %d bits, %d bytes are there", bits, len(data))
	}
	return props.Bits(data, bits), nil
}

// elementsOf returns the elements of the array that an address leads to, none for a null pointer.
func (r *recordReader) elementsOf(at ir.Constant) ([]ir.Constant, error) {
	if at.Kind != ir.ConstantValue {
		return nil, nil
	}
	array, err := r.initializer(at.Value)
	if err != nil {
		return nil, err
	}
	if r.left -= 1 + len(array.Elements); r.left < 0 {
		return nil, fmt.Errorf("more than %d records", maxDescribed)
	}
	return array.Elements, nil
}

// initializer returns the value of a variable, which is decoded once.
func (r *recordReader) initializer(id ir.ValueID) (ir.Constant, error) {
	if c, ok := r.values[id]; ok {
		return c, nil
	}
	if v := &r.module.Values[id]; v.Kind != ir.Variable || v.Declaration {
		return ir.Constant{}, fmt.Errorf("@%s is not a variable with a value", v.Name)
	}
	c, err := r.module.Initializer(id)
	if err == nil {
		r.values[id] = c
	}
	return c, err
}

// stringAt returns the string at an address, without the NUL at its end.
func (r *recordReader) stringAt(at ir.Constant) (string, error) {
	b, err := r.bytesAt(at)
	text, _, _ := bytes.Cut(b, []byte{0})
	return string(text), err
}

// bytesAt returns the bytes of the array at an address.
func (r *recordReader) bytesAt(at ir.Constant) ([]byte, error) {
	if at.Kind != ir.ConstantValue {
		return nil, fmt.Errorf("a pointer does not lead to a variable")
	}
	c, err := r.initializer(at.Value)
	if err != nil {
		return nil, err
	}
	size := uint64(len(c.Bytes))
	if c.Kind == ir.ConstantZero {
		size = r.module.Types[r.module.Values[at.Value].Type].Length
	}
	if size > uint64(props.MaxText) {
		return nil, fmt.Errorf("a value of %d bytes", size)
	}
	// Records may share a value as well, of which each has its own copy.
	if r.left -= 1 + int(size/bytesPerRecord); r.left < 0 {
		return nil, fmt.Errorf("more than %d records, or %d bytes", maxDescribed, maxDescribed*bytesPerRecord)
	}
	switch c.Kind {
	case ir.ConstantBytes:
		return c.Bytes, nil
	case ir.ConstantZero:
		return make([]byte, size), nil
	}
	return nil, fmt.Errorf("@%s does not hold bytes", r.module.Values[at.Value].Name)
}
