package fromir

import (
	"slices"
	"strings"

	"offlink/ir"
	"offlink/lazy"
)

// accessIntrinsics are the address computations that clang keeps apart from others for
// relocations by debug information (__builtin_preserve_access_index), with the argument that
// is the index. A last argument of the struct form is the index in debug information
// (Language Reference, "llvm.preserve.array.access.index Intrinsic" and the next).
var accessIntrinsics = lazy.Map[string, int]{New: func() map[string]int {
	return map[string]int{"llvm.preserve.array.access.index.": 2, "llvm.preserve.struct.access.index.": 1}
}}

// deepestAccess bounds the dimensions that a call of hostile input may ask for.
const deepestAccess = 64

// lowerAccessIndices replaces such calls of a body by the getelementptr for which each
// stands. Malformed ones stay calls, and are refused as unknown intrinsics.
func (t *translator) lowerAccessIndices() {
	for i := range t.body.Instructions {
		in := &t.body.Instructions[i]
		if in.Op != ir.OpCall || len(in.Operands) != 4 || in.Operands[0].Kind != ir.ValueGlobal {
			continue
		}
		name := t.module.Values[in.Operands[0].Index].Name
		for prefix, at := range accessIntrinsics.Get() {
			if strings.HasPrefix(name, prefix) {
				t.lowerAccess(in, at)
			}
		}
	}
}

// lowerAccess replaces a call whose index is argument at by a getelementptr. Zeros precede
// the index: one for a member of a struct, and for an element as many as the dimension says.
func (t *translator) lowerAccess(in *ir.Instruction, at int) {
	pool, arguments := &t.body.Constants, in.Operands[1:]
	index, zeros := arguments[at], uint64(1)
	if at == 2 {
		zeros = constantNumber(pool, arguments[1])
	}
	element := t.accessedType(in)
	if element == ir.NoType || zeros > deepestAccess || t.moduleType(index.Type).Kind != ir.TypeInteger {
		return
	}
	zero := pool.Add(ir.ConstantNode{Kind: ir.ConstantInt, Type: index.Type, Words: []uint64{0}})
	operands := append([]ir.Value{arguments[0]}, slices.Repeat([]ir.Value{zero}, int(zeros))...)
	operands = append(operands, index)
	if t.leadsTo(element, operands[2:], in.Type, arguments[0].Type) {
		in.Op, in.Element, in.Operands, in.Call, in.Flags = ir.OpGEP, element, operands, -1, ir.FlagInBounds|ir.FlagNUSW
	}
}

// accessedType returns the type to which the first argument of a call points, NoType if it is
// not known: for an opaque pointer it is in the attribute elementtype.
func (t *translator) accessedType(in *ir.Instruction) ir.TypeID {
	switch base := t.moduleType(in.Operands[1].Type); {
	case base.Kind != ir.TypePointer:
	case len(base.Elements) > 0:
		return base.Elements[0]
	case in.Call >= 0:
		if a := ir.FindAttribute(t.body.Calls[in.Call].Attributes.Parameter(0), "elementtype"); a != nil {
			return a.Type
		}
	}
	return ir.NoType
}

// leadsTo reports whether the indices after the first lead from a type to the one to which
// the result points. An opaque result only has to be of the type of the base.
func (t *translator) leadsTo(element ir.TypeID, indices []ir.Value, result, base ir.TypeID) bool {
	for _, v := range indices {
		typ := t.moduleType(element)
		n := constantNumber(&t.body.Constants, v)
		switch {
		case typ.Kind == ir.TypeStruct && n < uint64(len(typ.Elements)):
			element = typ.Elements[n]
		case typ.Kind == ir.TypeArray || typ.Kind == ir.TypeVector:
			element = typ.Elements[0]
		default:
			return false
		}
	}
	typ := t.moduleType(result)
	if typ.Kind != ir.TypePointer || len(typ.Elements) == 0 {
		return result == base
	}
	return typ.Elements[0] == element && typ.AddressSpace == t.moduleType(base).AddressSpace
}
