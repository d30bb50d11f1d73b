package fromir

import (
	"slices"

	"offlink/ir"
	"offlink/spirv"
)

// LLVM keeps a vector of i1 in as many bits of memory, the first element in the lowest bit. Vectors
// of Booleans of SPIR-V have no such form, so that they are loaded and stored byte by byte.

// isBoolVector reports whether a type is a vector of several i1.
func (f *function) isBoolVector(n ir.TypeID) bool {
	return f.moduleType(n).Kind == ir.TypeVector && f.moduleType(n).Length > 1 && f.isBool(n)
}

// loadBools loads a vector of i1.
func (f *function) loadBools(in *ir.Instruction, typ id) id {
	parts := make([]id, f.moduleType(in.Type).Length)
	byteType := f.intType(8)
	f.eachByte(in.Operands[0], uint32(len(parts)+7)/8, func(k uint32, at id) {
		whole := f.emitResult(spirv.OpLoad, byteType, append([]uint32{at}, f.byteAccess(in)...)...)
		for j := int(8 * k); j < min(int(8*k)+8, len(parts)); j++ {
			bit := f.emitResult(spirv.OpBitwiseAnd, byteType, whole, f.constInt(8, 1<<(j%8)))
			parts[j] = f.emitResult(spirv.OpINotEqual, f.boolType(), bit, f.constInt(8, 0))
		}
	})
	return f.emitResult(spirv.OpCompositeConstruct, typ, parts...)
}

// storeBools stores a vector of i1. The other bits of the last byte become 0.
func (f *function) storeBools(in *ir.Instruction) {
	v := in.Operands[0]
	n, length, byteType := f.valueID(v), int(f.moduleType(v.Type).Length), f.intType(8)
	f.eachByte(in.Operands[1], uint32(length+7)/8, func(k uint32, at id) {
		sum := id(0)
		for j := int(8 * k); j < min(int(8*k)+8, length); j++ {
			bit := f.emitResult(spirv.OpCompositeExtract, f.boolType(), n, uint32(j))
			bit = f.emitResult(spirv.OpSelect, byteType, bit, f.constInt(8, 1<<(j%8)), f.constInt(8, 0))
			if sum == 0 {
				sum = bit
				continue
			}
			sum = f.emitResult(spirv.OpBitwiseOr, byteType, sum, bit)
		}
		f.emitPlain(spirv.OpStore, append([]uint32{at, sum}, f.byteAccess(in)...)...)
	})
}

// refuseBools refuses a type that has a vector of i1 within: the places of its parts, and their
// form, would not be those of LLVM's memory.
func (t *translator) refuseBools(n ir.TypeID) {
	if t.hasBoolVector(n) {
		t.failf("a vector of integers of 1 bits within a type in memory has no counterpart in SPIR-V")
	}
}

func (t *translator) hasBoolVector(n ir.TypeID) bool {
	typ := t.moduleType(n)
	switch typ.Kind {
	case ir.TypeVector:
		element := t.moduleType(typ.Elements[0])
		return typ.Length > 1 && element.Kind == ir.TypeInteger && element.Bits == 1
	case ir.TypeArray, ir.TypeStruct:
		has, known := t.boolParts[n]
		if !known {
			has = slices.ContainsFunc(typ.Elements, t.hasBoolVector)
			t.boolParts[n] = has
		}
		return has
	}
	return false
}
