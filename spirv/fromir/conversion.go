package fromir

import (
	"offlink/ir"
	"offlink/spirv"
)

// Conversions between types, address spaces among them, and the constants that they need.

// addressSpaceCast writes a cast between address spaces; within one storage class it is
// at most a cast of the pointee.
func (f *function) addressSpaceCast(in *ir.Instruction, typ id, emit emitter) id {
	v := in.Operands[0]
	// The numbers are clang's for SPIR: 1 global, 2 constant, 3 local, 4
	// generic, 5 and 6 global memory of the device and of the host
	// (SPV_INTEL_usm_storage_classes).
	from, to := f.moduleType(v.Type).AddressSpace, f.moduleType(in.Type).AddressSpace
	own := f.typeOf(v)
	if v.Kind == ir.ValueConstant {
		if c := f.ir.Constants.At(v); c.Kind == ir.ConstantZero && from != 4 {
			return f.constNull(typ)
		}
	}
	pointee := f.pointeeID(own)
	n := f.operandID(v, 0)
	if f.storageClass(from) == f.storageClass(to) {
		return f.castPointer(n, own, typ)
	}
	op, ok := spaceCast(from, to)
	if from == 5 || from == 6 || to == 5 || to == 6 {
		op, ok = f.usmCast(from, to)
	}
	if !ok {
		f.failKind(ErrorModule, in.Op.String(), "a cast from address space %d to %d has no counterpart in SPIR-V", from, to)
	}
	// The instructions change only the storage class, so a cast of the pointee must
	// come first.
	if f.pointerType(pointee, to) != typ {
		n = f.castPointer(n, own, f.pointerType(f.pointeeID(typ), from))
	}
	return f.emitLast(emit, op, typ, n)
}

// usmCast returns the instruction that casts from or to the address spaces of
// SPV_INTEL_usm_storage_classes.
func (f *function) usmCast(from, to uint32) (spirv.Opcode, bool) {
	switch {
	case to == 4:
		return spirv.OpPtrCastToGeneric, true
	case from == 4:
		return spirv.OpGenericCastToPtr, true
	case to == 1:
		return spirv.OpPtrCastToCrossWorkgroupINTEL, true
	case from == 1:
		return spirv.OpCrossWorkgroupCastToPtrINTEL, true
	}
	return spirv.OpNop, false
}

// pointeeID returns the pointee of a pointer type, or 0 for other types.
func (t *translator) pointeeID(pointer id) id {
	if e := t.b.entryOf(pointer); e != nil && e.op == spirv.OpTypePointer {
		return e.words[2]
	}
	return 0
}

// writeBitcast writes a cast that keeps the bits.
func (f *function) writeBitcast(in *ir.Instruction, typ id, emit emitter) id {
	v := in.Operands[0]
	own := f.typeOf(v)
	if f.isPointer(in.Type) && f.isPointer(v.Type) {
		if own == typ || v.Kind == ir.ValueConstant && f.ir.Constants.At(v).Kind != ir.ConstantExpression {
			return f.operandID(v, typ)
		}
		return f.emitLast(emit, spirv.OpBitcast, typ, f.operandID(v, 0))
	}
	if own == typ {
		return f.valueID(v)
	}
	if f.isBool(v.Type) || f.isBool(in.Type) {
		return f.bitcastBools(in, typ, emit)
	}
	if f.hasOddWidth(v.Type) || f.hasOddWidth(in.Type) {
		f.failf("a cast between integers of %d and %d bits has no counterpart in SPIR-V", f.scalarBits(v.Type), f.scalarBits(in.Type))
	}
	return f.emitLast(emit, spirv.OpBitcast, typ, f.valueID(v))
}

// bitcastBools writes a cast between a vector of i1 and an integer of as many
// bits. Element k is bit k, as in LLVM on little-endian targets, which SPIR is.
func (f *function) bitcastBools(in *ir.Instruction, typ id, emit emitter) id {
	v := in.Operands[0]
	from, to := *f.moduleType(v.Type), *f.moduleType(in.Type)
	n := f.valueID(v)
	switch {
	case from.Kind == ir.TypeVector && to.Kind == ir.TypeInteger && from.Length == uint64(to.Bits):
		sum := f.constInt(to.Bits, 0)
		for k := range from.Length {
			bit := f.emitResult(spirv.OpCompositeExtract, f.boolType(), n, uint32(k))
			bit = f.emitResult(spirv.OpSelect, typ, bit, f.constInt(to.Bits, 1<<k), f.constInt(to.Bits, 0))
			sum = f.emitResult(spirv.OpBitwiseOr, typ, sum, bit)
		}
		return sum
	case to.Kind == ir.TypeVector && from.Kind == ir.TypeInteger && to.Length == uint64(from.Bits):
		parts := make([]id, to.Length)
		for k := range parts {
			bit := f.emitResult(spirv.OpBitwiseAnd, f.typeID(v.Type), n, f.constInt(from.Bits, 1<<k))
			parts[k] = f.emitResult(spirv.OpINotEqual, f.boolType(), bit, f.constInt(from.Bits, 0))
		}
		return f.emitLast(emit, spirv.OpCompositeConstruct, typ, parts...)
	}
	f.failf("a cast of i1 that has no counterpart in SPIR-V")
	return 0
}

// splatConstant returns a number as a constant of a type; a vector has it in each
// element.
func (f *function) splatConstant(n ir.TypeID, value uint64) id {
	typ := *f.moduleType(n)
	if typ.Kind != ir.TypeVector || typ.Length == 1 {
		return f.scalarConstant(n, value)
	}
	if value == 0 {
		return f.constNull(f.typeID(n))
	}
	parts := make([]id, typ.Length)
	for i := range parts {
		parts[i] = f.scalarConstant(typ.Elements[0], value)
	}
	return f.constComposite(f.typeID(n), parts)
}

// scalarConstant returns a number as a constant of the element type.
func (f *function) scalarConstant(n ir.TypeID, value uint64) id {
	typ := *f.moduleType(n)
	if typ.Kind == ir.TypeVector {
		typ = *f.moduleType(typ.Elements[0])
	}
	if typ.Bits == 1 {
		return f.constBool(value != 0)
	}
	return f.b.constantEntry(spirv.OpConstant, f.typeID(n), constantWords(typ.Bits, []uint64{value}))
}

// scalarBits returns the width of a number or of the elements of a vector.
func (f *function) scalarBits(n ir.TypeID) uint32 {
	typ := f.moduleType(n)
	if typ.Kind == ir.TypeVector {
		typ = f.moduleType(typ.Elements[0])
	}
	return typ.Bits
}

// allOnes returns the number whose lowest bits are all set: -1 in that width.
func allOnes(bits uint32) uint64 {
	if bits >= 64 {
		return 1<<64 - 1
	}
	return 1<<bits - 1
}

// writeConversion writes a conversion of numbers. Booleans are not numbers in SPIR-V:
// conversions from i1 are selections, and conversions to i1 are comparisons.
func (f *function) writeConversion(in *ir.Instruction, typ id, emit emitter) id {
	v := in.Operands[0]
	from, to := f.isBool(v.Type), f.isBool(in.Type)
	n := f.valueID(v)
	switch {
	case from && (in.Op == ir.OpZExt || in.Op == ir.OpSExt):
		one := uint64(1)
		if in.Op == ir.OpSExt {
			one = allOnes(f.scalarBits(in.Type))
		}
		return f.emitLast(emit, spirv.OpSelect, typ, n, f.splatConstant(in.Type, one), f.splatConstant(in.Type, 0))
	case from:
		whole := f.integerLike(v.Type, 32)
		one := uint64(1)
		if in.Op == ir.OpSIToFP {
			one = allOnes(32)
		}
		n = f.emitResult(spirv.OpSelect, f.intLikeType(v.Type, 32), n, whole(one), whole(0))
	// A truncation to i1 keeps the lowest bit.
	case to && in.Op == ir.OpTrunc:
		bit := f.emitResult(spirv.OpBitwiseAnd, f.typeID(v.Type), n, f.splatConstant(v.Type, 1))
		return f.emitLast(emit, spirv.OpINotEqual, typ, bit, f.splatConstant(v.Type, 0))
	case to:
		// A number that i1 cannot hold is poison (LangRef, fptoui), so that any
		// truth value will do for it.
		wide := f.intLikeType(in.Type, 32)
		n = f.emitResult(plainOpcodes[in.Op], wide, n)
		return f.emitLast(emit, spirv.OpINotEqual, typ, n, f.integerLike(in.Type, 32)(0))
	case f.hasOddWidth(v.Type) || f.hasOddWidth(in.Type):
		return f.convertOdd(in, typ)
	}
	return f.emitLast(emit, plainOpcodes[in.Op], typ, n)
}

// intLikeType returns the integer type of that width, or a vector of it as long as
// type n if that is a vector.
func (f *function) intLikeType(n ir.TypeID, bits uint32) id {
	scalar := f.intType(bits)
	if typ := f.moduleType(n); typ.Kind == ir.TypeVector && typ.Length > 1 {
		return f.vectorType(scalar, uint32(typ.Length))
	}
	return scalar
}

// integerLike returns a function that makes constants of the type that intLikeType
// returns.
func (f *function) integerLike(n ir.TypeID, bits uint32) func(uint64) id {
	length := 1
	if typ := f.moduleType(n); typ.Kind == ir.TypeVector {
		length = int(typ.Length)
	}
	return func(value uint64) id {
		scalar := f.constInt(bits, value)
		if length == 1 {
			return scalar
		}
		parts := make([]id, length)
		for i := range parts {
			parts[i] = scalar
		}
		return f.constComposite(f.intLikeType(n, bits), parts)
	}
}
