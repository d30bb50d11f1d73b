package split

import (
	"errors"
	"fmt"
	"strings"

	"offlink/ir"
)

// Functions that the SPIR-V translator turns into specialization constants.
const (
	spirvScalar    = "_Z20__spirv_SpecConstant"
	spirvComposite = "_Z29__spirv_SpecConstantComposite"
)

// memberTypes returns the types of the members of a composite type, and whether the type is
// composite.
func (c *specConstants) memberTypes(id ir.TypeID) ([]ir.TypeID, bool) {
	t := &c.layout.module.Types[id]
	switch t.Kind {
	case ir.TypeStruct:
		return t.Elements, true
	case ir.TypeArray, ir.TypeVector:
		if c.storeSize(id) == 0 {
			return nil, true
		}
		list := make([]ir.TypeID, t.Length)
		for i := range list {
			list[i] = t.Elements[0]
		}
		return list, true
	}
	return nil, false
}

// nativeConstant returns the calls that make a specialization constant of SPIR-V for the part of a
// value at an offset. Its scalars are numbered from *id on. Padding takes a number but no constant,
// as the reference numbers members.
func (n *specNumbering) nativeConstant(read *specRead, offset uint64, typ ir.TypeID, id *uint32) (ir.Expression, error) {
	c := n.source
	members, composite := c.memberTypes(typ)
	if !composite {
		*id++
		return n.scalarConstant(read, offset, typ, *id-1)
	}
	e := ir.Expression{Kind: ir.ExpressionCall, Type: typ}
	var name strings.Builder
	name.WriteString(spirvComposite)
	offsets := c.memberOffsets(typ, len(members))
	for i, t := range members {
		name.WriteString(c.mangleType(t))
		operand := constantExpression(ir.Constant{Kind: ir.ConstantUndef, Type: t})
		if !c.isSettable(read.value, typ, offset+offsets[i], t) {
			*id++
		} else {
			var err error
			if operand, err = n.nativeConstant(read, offset+offsets[i], t, id); err != nil {
				return e, err
			}
		}
		e.Operands = append(e.Operands, operand)
	}
	name.WriteString("_R" + c.mangleType(typ))
	e.Callee = n.names.compositeName(name.String(), typ)
	return e, nil
}

// scalarConstant returns the call that makes a scalar specialization constant.
func (n *specNumbering) scalarConstant(read *specRead, offset uint64, typ ir.TypeID, id uint32) (ir.Expression, error) {
	c := n.source
	value, err := c.numberAt(read.value, offset, typ)
	if err != nil {
		return ir.Expression{}, err
	}
	from, ok := read.value.scalarAt(offset)
	if !ok {
		from = typ
	}
	number := ir.Constant{Kind: ir.ConstantInt, Type: c.int32, Int: uint64(id), Bits: 32}
	return ir.Expression{
		Kind: ir.ExpressionCall, Type: typ, Callee: n.names.scalarName(typ, from),
		Operands: []ir.Expression{constantExpression(number), constantExpression(value)},
	}, nil
}

// constantExpression returns the expression of a constant.
func constantExpression(value ir.Constant) ir.Expression {
	return ir.Expression{Kind: ir.ExpressionConstant, Type: value.Type, Constant: value}
}

// ErrNotNative says that a specialization constant has a part that [SpecConstantsNative] cannot
// write; [SpecConstantsEmulated] can.
var ErrNotNative = errors.New("of which SPIR-V has no specialization constants")

// checkNative refuses types for which SPIR-V has no specialization constants.
func (c *specConstants) checkNative(typ ir.TypeID) error {
	switch t := &c.layout.module.Types[typ]; {
	case c.storeSize(typ) == 0:
	case t.Kind == ir.TypePointer:
		return fmt.Errorf("it has a pointer, %w", ErrNotNative)
	case t.Kind == ir.TypeInteger && t.Bits > 64, t.Kind == ir.TypeFloat && t.Bits > 64:
		return fmt.Errorf("it has a number of %d bits, %w", t.Bits, ErrNotNative)
	case t.Kind == ir.TypeArray || t.Kind == ir.TypeVector:
		return c.checkNative(t.Elements[0])
	case t.Kind == ir.TypeStruct:
		for _, e := range t.Elements {
			if err := c.checkNative(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// mangleType spells a type as the names of those functions do.
func (c *specConstants) mangleType(id ir.TypeID) string {
	t := &c.layout.module.Types[id]
	switch t.Kind {
	case ir.TypeInteger:
		if s, ok := map[uint32]string{1: "b", 8: "a", 16: "s", 32: "i", 64: "x"}[t.Bits]; ok {
			return s
		}
		return fmt.Sprintf("i%d", t.Bits)
	case ir.TypeFloat:
		if s, ok := map[string]string{"half": "Dh", "bfloat": "DF16b", "float": "f", "double": "d"}[t.Name]; ok {
			return s
		}
		return t.Name
	case ir.TypeVector:
		return fmt.Sprintf("Dv%d_%s", t.Length, c.mangleType(t.Elements[0]))
	case ir.TypeArray:
		return fmt.Sprintf("A%d_%s", t.Length, c.mangleType(t.Elements[0]))
	}
	return t.Name
}

// constantParts returns the descriptors of a constant, numbering its scalars as nativeConstant
// does. They cover all bytes of the value, so that the runtime finds where the next constant
// begins.
func (c *specConstants) constantParts(typ ir.TypeID, value *flatDefault, id *uint32) []SpecConstantPart {
	var parts []SpecConstantPart
	end := c.addParts(&parts, 0, typ, value, id)
	return addPadding(parts, end, uint64(len(value.data)))
}

// addParts adds the descriptors of the part of a value at an offset and returns the offset at which
// they end. Members that the host cannot set take a number and get no descriptor.
func (c *specConstants) addParts(parts *[]SpecConstantPart, offset uint64, typ ir.TypeID, value *flatDefault, id *uint32) (end uint64) {
	members, composite := c.memberTypes(typ)
	if !composite {
		size := c.storeSize(typ)
		*parts = append(*parts, SpecConstantPart{*id, uint32(offset), uint32(size)})
		*id++
		return offset + size
	}
	end = offset
	offsets := c.memberOffsets(typ, len(members))
	isStruct := c.layout.module.Types[typ].Kind == ir.TypeStruct
	for i, t := range members {
		at := offset + offsets[i]
		switch {
		case c.isSettable(value, typ, at, t):
			end = c.addParts(parts, at, t, value, id)
			continue
		case isStruct:
			end = at
		}
		*id++
	}
	if !isStruct {
		return end
	}
	*parts = addPadding(*parts, end, offset+c.storeSize(typ))
	return offset + c.storeSize(typ)
}

// addPadding adds a descriptor for the bytes between two offsets, if there are any.
func addPadding(parts []SpecConstantPart, from, to uint64) []SpecConstantPart {
	if from >= to {
		return parts
	}
	return append(parts, SpecConstantPart{PaddingID, uint32(from), uint32(to - from)})
}

// memberOffsets returns the offsets of the n members of a composite. The type's size was computed
// before, so no errors can occur here.
func (c *specConstants) memberOffsets(typ ir.TypeID, n int) []uint64 {
	t := &c.layout.module.Types[typ]
	if t.Kind == ir.TypeStruct {
		offsets, _, _ := c.layout.structLayout(t, 64)
		return offsets
	}
	step, _, _ := c.layout.typeSize(t.Elements[0])
	offsets := make([]uint64, n)
	for i := range offsets {
		offsets[i] = uint64(i) * step
	}
	return offsets
}

// storeSize returns the size of a value in memory. The type's size was computed before.
func (c *specConstants) storeSize(typ ir.TypeID) uint64 {
	t := &c.layout.module.Types[typ]
	switch t.Kind {
	case ir.TypeInteger:
		return uint64(t.Bits+7) / 8
	case ir.TypeFloat:
		return uint64(t.Bits) / 8
	case ir.TypeVector:
		step, _, _ := c.layout.typeSize(t.Elements[0])
		return t.Length * step
	}
	size, _, _ := c.layout.typeSize(typ)
	return size
}
