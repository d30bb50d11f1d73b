package split

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"offlink/ir"
)

// flatDefault is the default value of a specialization constant as memory. The value need not nest
// as the constant's type does: front ends write bases, padding, bit-fields and unions differently
// in a constant than in a type. The bytes at one offset mean the same in both.
type flatDefault struct {
	// data holds the bytes, zeros where defined is false: in padding and
	// where the value is undef. It is as long as the longer of the two types.
	data    []byte
	defined []bool
	// scalars are the numbers that the value is made of, by offset.
	scalars []flatScalar
}

// flatScalar is a number of the value: its offset and its type.
type flatScalar struct {
	offset uint64
	typ    ir.TypeID
}

// flattenDefault lays out a default value of type from as memory, which is large enough for the
// constant's type, too.
func (c *specConstants) flattenDefault(from, to ir.TypeID, value *ir.Constant) (*flatDefault, error) {
	size := uint64(0)
	for _, typ := range []ir.TypeID{from, to} {
		if _, _, err := c.layout.typeSize(typ); err != nil {
			return nil, err
		}
		size = max(size, c.storeSize(typ))
	}
	f := &flatDefault{data: make([]byte, size), defined: make([]bool, size)}
	return f, c.flattenAt(f, 0, from, value)
}

// flattenAt stores a part of the value at an offset. Undefined parts are left out.
func (c *specConstants) flattenAt(f *flatDefault, offset uint64, typ ir.TypeID, value *ir.Constant) error {
	size := c.storeSize(typ)
	if size == 0 || value.Kind == ir.ConstantUndef {
		return nil
	}
	members, composite := c.memberTypes(typ)
	if !composite {
		return f.storeNumber(flatScalar{offset, typ}, size, value)
	}
	offsets := c.memberOffsets(typ, len(members))
	for i, t := range members {
		m := member(value, i)
		if err := c.flattenAt(f, offset+offsets[i], t, &m); err != nil {
			return err
		}
	}
	return nil
}

// storeNumber stores a number, or a null pointer.
func (f *flatDefault) storeNumber(s flatScalar, size uint64, value *ir.Constant) error {
	switch value.Kind {
	case ir.ConstantZero:
	case ir.ConstantInt, ir.ConstantFloat:
		f.storeWords(s.offset, size, value.Int)
	case ir.ConstantWide:
		f.storeWords(s.offset, size, value.Words...)
	default:
		return fmt.Errorf("the default value has a part that is neither a number nor a null pointer")
	}
	for i := s.offset; i < s.offset+size; i++ {
		f.defined[i] = true
	}
	f.scalars = append(f.scalars, s)
	return nil
}

// storeWords stores the lowest bytes of a number.
func (f *flatDefault) storeWords(offset, size uint64, words ...uint64) {
	var all []byte
	for _, w := range words {
		all = binary.LittleEndian.AppendUint64(all, w)
	}
	copy(f.data[offset:offset+size], all)
}

// isDefined reports whether any of the bytes is defined.
func (f *flatDefault) isDefined(offset, size uint64) bool {
	return slices.Contains(f.defined[offset:offset+size], true)
}

// isSettable reports whether the host can set the member of type t of a composite. Padding has no
// constant. Front ends write padding as undefined bytes next to other members. An undefined part of
// another type, or one that is alone in its struct, belongs to an empty std::optional or to a union
// whose default value is a shorter member: the host may set it, and it is zero until then.
// sycl-post-link has no constant for such a part, so that the host's value is lost there.
func (c *specConstants) isSettable(f *flatDefault, composite ir.TypeID, offset uint64, t ir.TypeID) bool {
	size := c.storeSize(t)
	if size == 0 || f.isDefined(offset, size) {
		return size != 0
	}
	parent := &c.layout.module.Types[composite]
	alone := parent.Kind != ir.TypeStruct || len(parent.Elements) == 1
	return alone || !c.isByteArray(t) && !c.isByte(t)
}

// scalarAt returns the type of the number that begins at an offset.
func (f *flatDefault) scalarAt(offset uint64) (ir.TypeID, bool) {
	i, ok := slices.BinarySearchFunc(f.scalars, offset, func(s flatScalar, offset uint64) int { return cmp.Compare(s.offset, offset) })
	if !ok {
		return ir.NoType, false
	}
	return f.scalars[i].typ, true
}

// constantAt returns the value as a constant of a type: a number has its value if any of its bytes
// is defined, and is undef otherwise.
func (c *specConstants) constantAt(f *flatDefault, offset uint64, typ ir.TypeID) (ir.Constant, error) {
	size := c.storeSize(typ)
	members, composite := c.memberTypes(typ)
	switch {
	case !f.isDefined(offset, size):
		return ir.Constant{Kind: ir.ConstantUndef, Type: typ}, nil
	case !composite:
		return c.numberAt(f, offset, typ)
	case c.isByteArray(typ) && !slices.Contains(f.defined[offset:offset+size], false):
		return ir.Constant{Kind: ir.ConstantBytes, Type: typ, Bytes: f.data[offset : offset+size]}, nil
	}
	value := ir.Constant{Kind: ir.ConstantAggregate, Type: typ, Elements: make([]ir.Constant, 0, len(members))}
	offsets := c.memberOffsets(typ, len(members))
	for i, t := range members {
		m, err := c.constantAt(f, offset+offsets[i], t)
		if err != nil {
			return value, err
		}
		value.Elements = append(value.Elements, m)
	}
	return value, nil
}

func (c *specConstants) isByteArray(typ ir.TypeID) bool {
	t := &c.layout.module.Types[typ]
	if t.Kind != ir.TypeArray {
		return false
	}
	return c.isByte(t.Elements[0])
}

func (c *specConstants) isByte(typ ir.TypeID) bool {
	t := &c.layout.module.Types[typ]
	return t.Kind == ir.TypeInteger && t.Bits == 8
}

// numberAt returns the number of the given type that begins at an offset.
func (c *specConstants) numberAt(f *flatDefault, offset uint64, typ ir.TypeID) (ir.Constant, error) {
	t := &c.layout.module.Types[typ]
	data := f.data[offset : offset+c.storeSize(typ)]
	if t.Kind == ir.TypePointer || len(data) > 8 {
		if !slices.ContainsFunc(data, func(b byte) bool { return b != 0 }) {
			return ir.Constant{Kind: ir.ConstantZero, Type: typ}, nil
		}
		if t.Kind == ir.TypePointer {
			return ir.Constant{}, fmt.Errorf("the default value of a pointer is not null")
		}
		return ir.Constant{Kind: ir.ConstantWide, Type: typ, Bits: int(t.Bits), Words: wideWords(data, t.Bits)}, nil
	}
	value := ir.Constant{Kind: ir.ConstantInt, Type: typ, Bits: int(t.Bits)}
	if t.Kind == ir.TypeFloat {
		value.Kind = ir.ConstantFloat
	}
	for i, b := range data {
		value.Int |= uint64(b) << (8 * i)
	}
	if t.Bits < 64 {
		value.Int &= 1<<t.Bits - 1
	}
	return value, nil
}

// wideWords returns the words of a number of more than 64 bits, lowest first.
func wideWords(data []byte, bits uint32) []uint64 {
	words := make([]uint64, (bits+63)/64)
	for i, b := range data {
		words[i/8] |= uint64(b) << (i % 8 * 8)
	}
	if rest := bits % 64; rest != 0 {
		words[len(words)-1] &= 1<<rest - 1
	}
	return words
}
