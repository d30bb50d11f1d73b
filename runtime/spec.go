package runtime

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"offlink/props"
	"offlink/runtime/registry"
)

// SpecConstants are values of specialization constants by the unique name that
// the front end gave each: the bytes of the whole object, little-endian. A
// name that no image of a program has is ignored; constants that are not here
// keep their defaults.
type SpecConstants map[string][]byte

// The description of a specialization constant in an image is a list of descriptors, one
// for each part: number in the code, offset in the object, and size, of 32 bits each.
// Padding at the end has the number paddingID.
const (
	descriptorSize = 12
	paddingID      = 1<<32 - 1
)

// SpecError is a specialization constant whose value does not fit, or whose
// description in an image is wrong.
type SpecError struct {
	Name  string
	Image *registry.Image
	Msg   string
}

func (e *SpecError) Error() string {
	return fmt.Sprintf("specialization constant %s of %v: %s", e.Name, e.Image, e.Msg)
}

// valuesFor returns the values for the code of one image, by number.
func (c SpecConstants) valuesFor(img *registry.Image) (map[uint32][]byte, error) {
	set := img.Properties.Get(props.SetSpecConstants)
	if set == nil || len(c) == 0 {
		return nil, nil
	}
	values := make(map[uint32][]byte)
	for name, value := range c {
		described, ok := set.Get(name)
		if !ok {
			continue
		}
		err := eachPart(described, func(id, offset, size uint32) error {
			if uint64(offset)+uint64(size) > uint64(len(value)) {
				return fmt.Errorf("the value has %d bytes, and the constant has %d at offset %d", len(value), size, offset)
			}
			values[id] = value[offset : offset+size]
			return nil
		})
		if err == nil {
			err = checkValueSize(described, len(value))
		}
		if err != nil {
			return nil, &SpecError{name, img, err.Error()}
		}
	}
	return values, nil
}

// checkValueSize refuses a value that is longer than the constant: one of another type.
func checkValueSize(described props.Value, size int) error {
	parts, end := 0, uint32(0)
	if err := eachPart(described, func(_, offset, n uint32) error {
		parts, end = parts+1, max(end, offset+n)
		return nil
	}); err != nil {
		return err
	}
	whole := sizeWithPadding(described, end)
	exact := parts == 1 || whole > end
	if extra := size - int(whole); extra > 0 && (exact || extra >= mostAlignment(size)) {
		return fmt.Errorf("the value has %d bytes, and the constant has %d", size, whole)
	}
	return nil
}

// mostAlignment is the largest alignment that a type of a size may have. The padding at the end
// of a structure, which some front ends do not describe, is less.
func mostAlignment(size int) int { return size & -size }

// eachPart calls f for the parts of a constant.
func eachPart(described props.Value, f func(id, offset, size uint32) error) error {
	data := described.Data()
	if described.Type() != props.TypeByteArray || len(data)%descriptorSize != 0 {
		return fmt.Errorf("its description in the image has %d bytes, which are not descriptors of %d", len(data), descriptorSize)
	}
	for ; len(data) > 0; data = data[descriptorSize:] {
		id := binary.LittleEndian.Uint32(data)
		if id == paddingID {
			continue
		}
		if err := f(id, binary.LittleEndian.Uint32(data[4:]), binary.LittleEndian.Uint32(data[8:])); err != nil {
			return err
		}
	}
	return nil
}

// specKey returns a key that is the same for the same values only.
func specKey(values map[uint32][]byte) string {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(&b, "%d=%x;", id, values[id])
	}
	return b.String()
}

// SpecBuffer returns the values of all specialization constants of the kernel's image, one
// after another. Code that was compiled ahead of time reads them from this buffer, as it
// has no constants that could be set (emulated specialization constants). It is nil for an
// image without defaults.
func (p *Program) SpecBuffer(values SpecConstants) ([]byte, error) {
	return values.bufferFor(p.Link.Images[0])
}

// bufferFor returns the values of all specialization constants of an image, as
// SpecBuffer does.
func (c SpecConstants) bufferFor(img *registry.Image) ([]byte, error) {
	defaults, ok := img.Properties.Get(props.SetSpecConstantsDefaults).Get("all")
	if !ok || defaults.Type() != props.TypeByteArray {
		return nil, nil
	}
	buffer := slices.Clone(defaults.Data())
	set := img.Properties.Get(props.SetSpecConstants)
	start := uint32(0)
	for _, name := range set.Names() { // in the order of their numbers
		described, _ := set.Get(name)
		size := uint32(0)
		value := c[name]
		err := eachPart(described, func(_, offset, n uint32) error {
			size = max(size, offset+n)
			if value == nil {
				return nil
			}
			if uint64(offset)+uint64(n) > uint64(len(value)) || uint64(start)+uint64(offset)+uint64(n) > uint64(len(buffer)) {
				return fmt.Errorf("%d bytes at offset %d do not lie in a value of %d bytes", n, offset, len(value))
			}
			copy(buffer[start+offset:], value[offset:offset+n])
			return nil
		})
		if err != nil {
			return nil, &SpecError{name, img, err.Error()}
		}
		start += sizeWithPadding(described, size)
	}
	return buffer, nil
}

// sizeWithPadding is the size of a constant with the padding at its end, which
// has a descriptor of its own.
func sizeWithPadding(described props.Value, size uint32) uint32 {
	data := described.Data()
	for ; len(data) >= descriptorSize; data = data[descriptorSize:] {
		size = max(size, binary.LittleEndian.Uint32(data[4:])+binary.LittleEndian.Uint32(data[8:]))
	}
	return size
}
