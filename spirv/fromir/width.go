package fromir

import (
	"offlink/ir"
	"offlink/spirv"
)

// Integers of widths that SPIR-V has only by an extension are held in the next width that
// it has (heldBits). The invariant is that the bits above the width are zero: operations
// that would set them clear them afterwards (cutToWidth), and signed operations extend the
// sign of their operands first (signExtended).

// heldBits returns the width of the SPIR-V type that holds integers of a width: the same
// width if the module may have it.
func (t *translator) heldBits(bits uint32) uint32 {
	switch {
	case bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits > 64 || !t.options.WidenIntegers && t.hasOddIntegers(bits):
		return bits
	case bits < 8:
		return 8
	}
	return nextPower(bits)
}

const int4 = "SPV_INTEL_int4"

// arbitraryIntegers are the extensions for integers of any width: that of Intel, and its newer
// name.
var arbitraryIntegers = [...]string{"SPV_INTEL_arbitrary_precision_integers", "SPV_ALTERA_arbitrary_precision_integers"}

// hasOddIntegers reports whether an extension is allowed for integers of a width that the core
// of SPIR-V lacks.
func (t *translator) hasOddIntegers(bits uint32) bool {
	return t.options.allowsExtension(arbitraryIntegers[0]) || t.options.allowsExtension(arbitraryIntegers[1]) || bits == 4 && t.options.allowsExtension(int4)
}

// nextPower returns the least power of two that is at least bits, and at least 8.
func nextPower(bits uint32) uint32 {
	n := uint32(8)
	for n < bits {
		n *= 2
	}
	return n
}

// hasOddWidth reports whether a type is an integer that is held in more bits than it
// has, or a vector of such.
func (f *function) hasOddWidth(n ir.TypeID) bool {
	bits, isInteger := f.integerBits(n)
	return isInteger && f.heldBits(bits) != bits
}

// integerBits returns the width of an integer or of the elements of a vector.
func (f *function) integerBits(n ir.TypeID) (bits uint32, isInteger bool) {
	typ := f.moduleType(n)
	if typ.Kind == ir.TypeVector {
		typ = f.moduleType(typ.Elements[0])
	}
	return typ.Bits, typ.Kind == ir.TypeInteger
}

// cutToWidth clears the bits above the width of a type.
func (f *function) cutToWidth(n ir.TypeID, value id) id {
	if !f.hasOddWidth(n) {
		return value
	}
	return f.emitResult(spirv.OpBitwiseAnd, f.typeID(n), value, f.splatConstant(n, allOnes(f.scalarBits(n))))
}

// signExtended copies the sign of a number to the bits above its width.
func (f *function) signExtended(n ir.TypeID, value id) id {
	if !f.hasOddWidth(n) {
		return value
	}
	bits, typ := f.scalarBits(n), f.typeID(n)
	by := f.splatConstant(n, uint64(f.heldBits(bits)-bits))
	return f.emitResult(spirv.OpShiftRightArithmetic, typ, f.emitResult(spirv.OpShiftLeftLogical, typ, value, by), by)
}

// oddArithmetic writes an operation on integers that are held in more bits. Those that
// cannot set a bit above the width need no cut.
func (f *function) oddArithmetic(in *ir.Instruction, typ id) id {
	a, b := f.valueID(in.Operands[0]), f.valueID(in.Operands[1])
	op := plainOpcodes[in.Op]
	switch in.Op {
	case ir.OpSDiv, ir.OpSRem:
		a, b = f.signExtended(in.Type, a), f.signExtended(in.Type, b)
	case ir.OpAShr:
		a = f.signExtended(in.Type, a)
	case ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpLShr, ir.OpUDiv, ir.OpURem:
		return f.emitResult(op, typ, a, b)
	}
	return f.cutToWidth(in.Type, f.emitResult(op, typ, a, b))
}

// boolArithmetic writes the operations on i1 that are defined only for one second operand:
// division by true, and shifts by false. Neither changes the first operand.
func (f *function) boolArithmetic(in *ir.Instruction) (made id, ok bool) {
	switch in.Op {
	case ir.OpUDiv, ir.OpSDiv, ir.OpShl, ir.OpLShr, ir.OpAShr:
		return f.valueID(in.Operands[0]), true
	case ir.OpURem, ir.OpSRem:
		return f.constantTruth(in.Type, f.typeID(in.Type), false), true
	}
	return 0, false
}

// convertOdd writes a conversion from or to integers that are held in more bits.
func (f *function) convertOdd(in *ir.Instruction, typ id) id {
	v := in.Operands[0]
	n := f.valueID(v)
	switch in.Op {
	case ir.OpUIToFP:
		return f.emitResult(spirv.OpConvertUToF, typ, n)
	case ir.OpSIToFP:
		return f.emitResult(spirv.OpConvertSToF, typ, f.signExtended(v.Type, n))
	case ir.OpFPToUI, ir.OpFPToSI:
		return f.cutToWidth(in.Type, f.emitResult(plainOpcodes[in.Op], typ, n))
	}
	op := spirv.OpUConvert
	if in.Op == ir.OpSExt {
		op, n = spirv.OpSConvert, f.signExtended(v.Type, n)
	}
	if f.typeID(v.Type) != typ {
		n = f.emitResult(op, typ, n)
	}
	if in.Op == ir.OpZExt {
		return n
	}
	return f.cutToWidth(in.Type, n)
}

// oddBytes returns how many bytes an integer takes in memory; ok is true if the type that
// holds it takes more, so that it must be loaded and stored byte by byte. Vectors of such
// integers are packed in LLVM's memory, which SPIR-V cannot express: they are refused.
func (f *function) oddBytes(n ir.TypeID) (bytes uint32, ok bool) {
	if f.moduleType(n).Kind == ir.TypeVector && (f.hasOddWidth(n) || f.isBool(n)) && f.moduleType(n).Length > 1 {
		f.failf("a vector of integers of %d bits in memory has no counterpart in SPIR-V", f.scalarBits(n))
	}
	if !f.hasOddWidth(n) {
		return 0, false
	}
	bits := f.scalarBits(n)
	bytes = (bits + 7) / 8
	return bytes, bytes != f.heldBits(bits)/8
}

// loadBytes loads an integer byte by byte.
func (f *function) loadBytes(in *ir.Instruction, typ id, bytes uint32) id {
	sum := id(0)
	f.eachByte(in.Operands[0], bytes, func(k uint32, at id) {
		part := f.emitResult(spirv.OpUConvert, typ, f.emitResult(spirv.OpLoad, f.intType(8), append([]uint32{at}, f.byteAccess(in)...)...))
		if sum == 0 {
			sum = part
			return
		}
		part = f.emitResult(spirv.OpShiftLeftLogical, typ, part, f.splatConstant(in.Type, uint64(8*k)))
		sum = f.emitResult(spirv.OpBitwiseOr, typ, sum, part)
	})
	return sum
}

// storeBytes stores an integer byte by byte, so that the bytes after it are unchanged.
func (f *function) storeBytes(in *ir.Instruction, bytes uint32) {
	v := in.Operands[0]
	n, typ := f.valueID(v), f.typeID(v.Type)
	f.eachByte(in.Operands[1], bytes, func(k uint32, at id) {
		part := n
		if k > 0 {
			part = f.emitResult(spirv.OpShiftRightLogical, typ, n, f.splatConstant(v.Type, uint64(8*k)))
		}
		f.emitPlain(spirv.OpStore, append([]uint32{at, f.emitResult(spirv.OpUConvert, f.intType(8), part)}, f.byteAccess(in)...)...)
	})
}

// eachByte calls write with the number and the address of each byte of an integer in memory, the
// lowest first.
func (f *function) eachByte(pointer ir.Value, bytes uint32, write func(k uint32, at id)) {
	typ := f.pointerType(f.intType(8), f.moduleType(pointer.Type).AddressSpace)
	base := f.operandID(pointer, typ)
	for k := range bytes {
		at := base
		if k > 0 {
			at = f.emitResult(spirv.OpInBoundsPtrAccessChain, typ, base, f.sizeConstant(uint64(k)))
		}
		write(k, at)
	}
}

// byteAccess returns the memory access operands of an instruction for one of its bytes, whose
// alignment is 1.
func (f *function) byteAccess(in *ir.Instruction) []uint32 {
	words := f.accessWords(in)
	words[1] = 1
	return words
}
