package split

import (
	"encoding/binary"
	"fmt"
	"strings"

	"offlink/ir"
)

// Functions that the SPIR-V translator turns into specialization constants.
const (
	spirvScalar    = "_Z20__spirv_SpecConstant"
	spirvComposite = "_Z29__spirv_SpecConstantComposite"
)

// members returns the types of the members of a composite type, and whether
// the type is one.
func (c *specConstants) members(id ir.TypeID) ([]ir.TypeID, bool) {
	t := &c.layout.module.Types[id]
	switch t.Kind {
	case ir.TypeStruct:
		return t.Elements, true
	case ir.TypeArray, ir.TypeVector:
		list := make([]ir.TypeID, t.Length)
		for i := range list {
			list[i] = t.Elements[0]
		}
		return list, true
	}
	return nil, false
}

// native returns the calls that make a specialization constant of SPIR-V. Its
// scalars take the numbers from *id on. Members without a value are padding;
// they take one number, too, and no constant.
func (c *specConstants) native(typ ir.TypeID, value ir.Constant, id *uint32) ir.Expression {
	e := ir.Expression{Kind: ir.ExpressionCall, Type: typ}
	members, composite := c.members(typ)
	if !composite {
		number := ir.Constant{Kind: ir.ConstantInt, Type: c.int32, Int: uint64(*id), Bits: 32}
		*id++
		e.Callee = spirvScalar + "i" + c.mangle(typ)
		e.Operands = []ir.Expression{
			{Kind: ir.ExpressionConstant, Type: c.int32, Constant: number},
			{Kind: ir.ExpressionConstant, Type: typ, Constant: typed(value, typ)},
		}
		return e
	}
	var name strings.Builder
	for i, t := range members {
		m := member(value, i)
		name.WriteString(c.mangle(t))
		if m.Kind == ir.ConstantUndef {
			*id++
			e.Operands = append(e.Operands, ir.Expression{Kind: ir.ExpressionConstant, Type: t, Constant: typed(m, t)})
			continue
		}
		e.Operands = append(e.Operands, c.native(t, m, id))
	}
	e.Callee = spirvComposite + name.String() + "_R" + c.mangle(typ)
	return e
}

// typed returns the constant with its type.
func typed(c ir.Constant, typ ir.TypeID) ir.Constant {
	c.Type = typ
	return c
}

// mangle spells a type as in the names of those functions.
func (c *specConstants) mangle(id ir.TypeID) string {
	t := &c.layout.module.Types[id]
	switch t.Kind {
	case ir.TypeInteger:
		if s, ok := map[uint32]string{1: "b", 8: "a", 16: "s", 32: "i", 64: "x"}[t.Bits]; ok {
			return s
		}
		return fmt.Sprintf("i%d", t.Bits)
	case ir.TypeFloat:
		if s, ok := map[string]string{"half": "Dh", "float": "f", "double": "d"}[t.Name]; ok {
			return s
		}
		return t.Name
	case ir.TypeVector:
		return fmt.Sprintf("Dv%d_%s", t.Length, c.mangle(t.Elements[0]))
	case ir.TypeArray:
		return fmt.Sprintf("A%d_%s", t.Length, c.mangle(t.Elements[0]))
	}
	return t.Name
}

// parts returns the descriptors of a constant, numbering its scalars as native
// does.
func (c *specConstants) parts(typ ir.TypeID, value ir.Constant, id *uint32) ([]SpecConstantPart, error) {
	var parts []SpecConstantPart
	err := c.addParts(&parts, typ, value, 0, id)
	return parts, err
}

func (c *specConstants) addParts(parts *[]SpecConstantPart, typ ir.TypeID, value ir.Constant, offset uint64, id *uint32) error {
	size, _, err := c.layout.size(typ)
	if err != nil {
		return err
	}
	members, composite := c.members(typ)
	if !composite {
		*parts = append(*parts, SpecConstantPart{*id, uint32(offset), uint32(c.storeSize(typ))})
		*id++
		return nil
	}
	end := offset
	offsets := c.offsets(typ, len(members))
	for i, t := range members {
		at, m := offsets[i], member(value, i)
		if m.Kind == ir.ConstantUndef {
			*id++
			continue
		}
		if err := c.addParts(parts, t, m, offset+at, id); err != nil {
			return err
		}
		end = offset + at + c.storeSize(t)
	}
	if c.layout.module.Types[typ].Kind == ir.TypeStruct && offset+size > end {
		*parts = append(*parts, SpecConstantPart{PaddingID, uint32(end), uint32(offset + size - end)})
	}
	return nil
}

// offsets returns where the n members of a composite are. The type has been
// sized before.
func (c *specConstants) offsets(typ ir.TypeID, n int) []uint64 {
	t := &c.layout.module.Types[typ]
	if t.Kind == ir.TypeStruct {
		offsets, _, _, _ := c.layout.structure(t, 64)
		return offsets
	}
	step := c.storeSize(t.Elements[0])
	offsets := make([]uint64, n)
	for i := range offsets {
		offsets[i] = uint64(i) * step
	}
	return offsets
}

// storeSize is the size of a value in memory. Types have been sized before.
func (c *specConstants) storeSize(typ ir.TypeID) uint64 {
	t := &c.layout.module.Types[typ]
	switch t.Kind {
	case ir.TypeInteger:
		return uint64(t.Bits+7) / 8
	case ir.TypeVector:
		return t.Length * c.storeSize(t.Elements[0])
	}
	size, _, _ := c.layout.size(typ)
	return size
}

// encode returns the bytes of a value; padding is zeros.
func (c *specConstants) encode(typ ir.TypeID, value ir.Constant) ([]byte, error) {
	size, _, err := c.layout.size(typ)
	if err != nil {
		return nil, err
	}
	data := make([]byte, size)
	return data, c.encodeTo(data, typ, value)
}

func (c *specConstants) encodeTo(data []byte, typ ir.TypeID, value ir.Constant) error {
	switch value.Kind {
	case ir.ConstantZero, ir.ConstantUndef:
		return nil
	case ir.ConstantInt, ir.ConstantFloat:
		var all [8]byte
		binary.LittleEndian.PutUint64(all[:], value.Int)
		n := c.storeSize(typ)
		if n > 8 || n > uint64(len(data)) {
			return fmt.Errorf("the default value has a number of more than 64 bits")
		}
		copy(data[:n], all[:])
		return nil
	}
	members, composite := c.members(typ)
	if !composite {
		return fmt.Errorf("the default value is no plain constant")
	}
	offsets := c.offsets(typ, len(members))
	for i, t := range members {
		if err := c.encodeTo(data[offsets[i]:], t, member(value, i)); err != nil {
			return err
		}
	}
	return nil
}
