package fromir

import (
	"offlink/ir"
	"offlink/spirv"
)

// plainOpcodes are the operations that become one instruction with the same operands; the others
// have OpNop.
// For unsigned numbers the remainder and the modulus are the same, so OpUMod serves.
var plainOpcodes = [1 << 8]spirv.Opcode{
	ir.OpFNeg: spirv.OpFNegate, ir.OpAdd: spirv.OpIAdd, ir.OpFAdd: spirv.OpFAdd, ir.OpSub: spirv.OpISub, ir.OpFSub: spirv.OpFSub,
	ir.OpMul: spirv.OpIMul, ir.OpFMul: spirv.OpFMul, ir.OpUDiv: spirv.OpUDiv, ir.OpSDiv: spirv.OpSDiv, ir.OpFDiv: spirv.OpFDiv,
	ir.OpURem: spirv.OpUMod, ir.OpSRem: spirv.OpSRem, ir.OpFRem: spirv.OpFRem, ir.OpShl: spirv.OpShiftLeftLogical,
	ir.OpLShr: spirv.OpShiftRightLogical, ir.OpAShr: spirv.OpShiftRightArithmetic, ir.OpAnd: spirv.OpBitwiseAnd,
	ir.OpOr: spirv.OpBitwiseOr, ir.OpXor: spirv.OpBitwiseXor, ir.OpTrunc: spirv.OpUConvert, ir.OpZExt: spirv.OpUConvert,
	ir.OpSExt: spirv.OpSConvert, ir.OpFPToUI: spirv.OpConvertFToU, ir.OpFPToSI: spirv.OpConvertFToS,
	ir.OpUIToFP: spirv.OpConvertUToF, ir.OpSIToFP: spirv.OpConvertSToF, ir.OpFPTrunc: spirv.OpFConvert,
	ir.OpFPExt: spirv.OpFConvert, ir.OpPtrToInt: spirv.OpConvertPtrToU, ir.OpPtrToAddr: spirv.OpConvertPtrToU,
	ir.OpIntToPtr: spirv.OpConvertUToPtr, ir.OpBitCast: spirv.OpBitcast,
}

// boolOpcodes are the operations on i1, which computes modulo 2: sums and differences
// are exclusive ors, and products are conjunctions.
var boolOpcodes = [1 << 8]spirv.Opcode{
	ir.OpAnd: spirv.OpLogicalAnd, ir.OpOr: spirv.OpLogicalOr, ir.OpXor: spirv.OpLogicalNotEqual,
	ir.OpAdd: spirv.OpLogicalNotEqual, ir.OpSub: spirv.OpLogicalNotEqual, ir.OpMul: spirv.OpLogicalAnd,
}

// compareOpcodes are the comparisons by predicate. FCmpFalse and FCmpTrue are not among them:
// they have no instruction.
var compareOpcodes = [1 << 8]spirv.Opcode{
	ir.ICmpEQ: spirv.OpIEqual, ir.ICmpNE: spirv.OpINotEqual, ir.ICmpUGT: spirv.OpUGreaterThan, ir.ICmpUGE: spirv.OpUGreaterThanEqual,
	ir.ICmpULT: spirv.OpULessThan, ir.ICmpULE: spirv.OpULessThanEqual, ir.ICmpSGT: spirv.OpSGreaterThan,
	ir.ICmpSGE: spirv.OpSGreaterThanEqual, ir.ICmpSLT: spirv.OpSLessThan, ir.ICmpSLE: spirv.OpSLessThanEqual,
	ir.FCmpOEQ: spirv.OpFOrdEqual, ir.FCmpOGT: spirv.OpFOrdGreaterThan, ir.FCmpOGE: spirv.OpFOrdGreaterThanEqual,
	ir.FCmpOLT: spirv.OpFOrdLessThan, ir.FCmpOLE: spirv.OpFOrdLessThanEqual, ir.FCmpONE: spirv.OpFOrdNotEqual,
	ir.FCmpORD: spirv.OpOrdered, ir.FCmpUNO: spirv.OpUnordered, ir.FCmpUEQ: spirv.OpFUnordEqual,
	ir.FCmpUGT: spirv.OpFUnordGreaterThan, ir.FCmpUGE: spirv.OpFUnordGreaterThanEqual, ir.FCmpULT: spirv.OpFUnordLessThan,
	ir.FCmpULE: spirv.OpFUnordLessThanEqual, ir.FCmpUNE: spirv.OpFUnordNotEqual,
}

// emitter appends an instruction and returns the identifier of its result.
type emitter func(op spirv.Opcode, typ id, operands ...uint32) id

// writeInstruction writes instruction i with its decorations. It returns true when
// nothing may follow in the block.
func (f *function) writeInstruction(i int, in *ir.Instruction) (ended bool) {
	f.writeLine(in)
	f.cacheControls(in)
	ended = f.writeUndecorated(i, in)
	f.decorateInstruction(i, in)
	clear(f.cached) // the values of phis are written before the next instruction
	return ended
}

// writeUndecorated writes an instruction by its opcode. Those that settle their result themselves
// have a case; all others are operations, whose result settleResult settles.
func (f *function) writeUndecorated(i int, in *ir.Instruction) (ended bool) {
	switch in.Op {
	case ir.OpPhi:
		f.writePhi(i, in)
		return false
	case ir.OpAlloca:
		f.writeAlloca(i, in)
	case ir.OpLoad:
		f.writeLoad(i, in)
	case ir.OpStore:
		f.writeStore(in)
	case ir.OpCall:
		f.writeCall(i, in)
	case ir.OpCmpXchg:
		f.compareExchange(i, in)
	case ir.OpAtomicRMW:
		f.readModifyWrite(i, in)
	case ir.OpFence:
		f.writeFence(in)
	case ir.OpDebugRecord:
		if f.describesDebug() {
			f.writeScope(in)
			f.debugVariable(in.Scope, in.Operands)
		}
		return false
	default:
		if in.Op.IsTerminator() {
			f.writeTerminator(in)
			return true
		}
		if f.skipInput(in) {
			return false
		}
		before := f.ids[i]
		made := f.writeOperation(in, f.resultType(i), func(op spirv.Opcode, typ id, operands ...uint32) id {
			return f.emitResult(op, typ, operands...)
		})
		f.settleResult(i, in, made, before)
	}
	return false
}

// settleResult makes the value that was computed the result of instruction i. before is
// the identifier that the result got when a phi used it before it was written, or 0. If
// the last instruction written made the value, its result is renumbered to before; only
// otherwise does the value need a copy.
func (f *function) settleResult(i int, in *ir.Instruction, made, before id) {
	if before == 0 {
		f.ids[i] = made
		if f.isLast(made) && in.Name != "" {
			f.b.setName(made, in.Name)
		}
	} else if f.isLast(made) {
		f.renumberLast(made, before)
		made = before
	} else {
		f.defineResult(i, made)
		return
	}
	f.decorateArithmetic(made, in)
}

// isLast reports whether the identifier is the result of the last instruction
// written.
func (f *function) isLast(n id) bool {
	return f.lastAt+2 < len(f.code) && f.lastAt+int(f.code[f.lastAt]>>16) == len(f.code) && f.code[f.lastAt+2] == n
}

// renumberLast gives the result of the last instruction the identifier that earlier
// uses have. The alias makes its decorations follow.
func (f *function) renumberLast(from, to id) {
	f.code[f.lastAt+2] = to
	f.b.alias[from] = to
	// A cast that is kept under the old identifier would name one that nothing
	// defines.
	for key, n := range f.casts {
		if n == from {
			delete(f.casts, key)
		}
	}
}

// writeOperation writes an operation that has a result and touches no memory.
func (f *function) writeOperation(in *ir.Instruction, typ id, emit emitter) id {
	switch in.Op {
	case ir.OpICmp, ir.OpFCmp:
		return f.writeCompare(in, typ, emit)
	case ir.OpSelect:
		return f.selectValue(in, typ, emit)
	case ir.OpGEP:
		return f.writeAddress(in, typ, emit)
	case ir.OpAddrSpaceCast:
		return f.addressSpaceCast(in, typ, emit)
	case ir.OpBitCast:
		return f.writeBitcast(in, typ, emit)
	case ir.OpZExt, ir.OpSExt, ir.OpTrunc, ir.OpUIToFP, ir.OpSIToFP, ir.OpFPToUI, ir.OpFPToSI:
		return f.writeConversion(in, typ, emit)
	case ir.OpExtractElement, ir.OpInsertElement, ir.OpShuffleVector:
		return f.writeVector(in, typ, emit)
	case ir.OpExtractValue:
		words := append([]uint32{f.valueID(in.Operands[0])}, in.Indices...)
		return f.emitLast(emit, spirv.OpCompositeExtract, typ, words...)
	case ir.OpInsertValue:
		return f.insertValue(in, typ, emit)
	case ir.OpFreeze:
		return f.writeFreeze(in, typ, emit)
	}
	op := plainOpcodes[in.Op]
	if op == spirv.OpNop {
		f.failKind(ErrorInstruction, in.Op.String(), "the instruction %v has no counterpart in SPIR-V", in.Op)
	}
	// Integers of 24 bits, say, are held in 32: SPIR-V for kernels has 8, 16,
	// 32 and 64.
	if len(in.Operands) == 2 && f.hasOddWidth(in.Type) {
		return f.oddArithmetic(in, typ)
	}
	if in.Op == ir.OpPtrToInt && f.hasOddWidth(in.Type) {
		return f.cutToWidth(in.Type, f.emitResult(op, typ, f.valueID(in.Operands[0])))
	}
	if f.isBool(in.Operands[0].Type) {
		if made, done := f.boolArithmetic(in); done {
			return made
		}
		if op = boolOpcodes[in.Op]; op == spirv.OpNop {
			f.failKind(ErrorInstruction, in.Op.String(), "the instruction %v on i1 has no counterpart in SPIR-V", in.Op)
		}
	}
	words := make([]uint32, len(in.Operands))
	for k, v := range in.Operands {
		words[k] = f.valueID(v)
	}
	return f.emitLast(emit, op, typ, words...)
}

// emitLast writes the instruction that gives an operation its result. Those before it
// go through emitResult.
func (f *function) emitLast(emit emitter, op spirv.Opcode, typ id, operands ...uint32) id {
	return emit(op, typ, operands...)
}

// isBool reports whether a type is i1 or a vector of it. SPIR-V has a boolean
// type without numbers, on which OpIAdd and the others are not allowed; LLVM
// computes with i1 as with any integer.
func (f *function) isBool(n ir.TypeID) bool {
	typ := f.moduleType(n)
	if typ.Kind == ir.TypeVector {
		typ = f.moduleType(typ.Elements[0])
	}
	return typ.Kind == ir.TypeInteger && typ.Bits == 1
}

// writeCompare writes a comparison of numbers, pointers or truth values.
func (f *function) writeCompare(in *ir.Instruction, typ id, emit emitter) id {
	a, b := in.Operands[0], in.Operands[1]
	switch {
	// LLVM's comparisons that are false or true whatever the operands are have
	// no instruction.
	case in.Predicate == ir.FCmpFalse || in.Predicate == ir.FCmpTrue:
		return f.constantTruth(in.Type, typ, in.Predicate == ir.FCmpTrue)
	case f.moduleType(a.Type).Kind == ir.TypePointer:
		return f.comparePointers(in, typ, emit)
	case f.isBool(a.Type):
		return f.compareBools(in, typ, emit)
	}
	x, y := f.valueID(a), f.valueID(b)
	if f.b.bfloat16 != 0 {
		f.bfloatCompare(a.Type)
	}
	switch in.Predicate {
	// Values of odd widths have zeros above: the sign must be spread before a
	// signed comparison.
	case ir.ICmpSGT, ir.ICmpSGE, ir.ICmpSLT, ir.ICmpSLE:
		x, y = f.signExtended(a.Type, x), f.signExtended(a.Type, y)
	}
	return f.emitLast(emit, compareOpcodes[in.Predicate], typ, x, y)
}

// constantTruth returns a truth value, in each element of a vector.
func (f *function) constantTruth(n ir.TypeID, typ id, truth bool) id {
	t := f.moduleType(n)
	if t.Kind != ir.TypeVector {
		return f.constBool(truth)
	}
	if !truth {
		return f.constNull(typ)
	}
	parts := make([]id, t.Length)
	for i := range parts {
		parts[i] = f.constBool(true)
	}
	return f.constComposite(typ, parts)
}

// comparePointers compares addresses as numbers. SPIR-V 1.4 has OpPtrEqual, but
// released readers of SPIR-V, and drivers made of them, crash on it.
func (f *function) comparePointers(in *ir.Instruction, typ id, emit emitter) id {
	a, b := in.Operands[0], in.Operands[1]
	// A constant has any type; the other operand decides, so that null needs no
	// cast.
	want := f.typeOf(a)
	if a.Kind == ir.ValueConstant && f.ir.Constants.At(a).Kind != ir.ConstantExpression {
		want = f.typeOf(b)
	}
	x, y := f.operandID(a, want), f.operandID(b, want)
	size := f.intType(f.pointerBits)
	x, y = f.emitResult(spirv.OpConvertPtrToU, size, x), f.emitResult(spirv.OpConvertPtrToU, size, y)
	return f.emitLast(emit, compareOpcodes[in.Predicate], typ, x, y)
}

// compareBools writes a comparison of i1, in which true is 1 if unsigned and -1 if
// signed: the signed orders are the reverse of the unsigned ones.
func (f *function) compareBools(in *ir.Instruction, typ id, emit emitter) id {
	x, y := f.valueID(in.Operands[0]), f.valueID(in.Operands[1])
	switch in.Predicate {
	case ir.ICmpEQ:
		return f.emitLast(emit, spirv.OpLogicalEqual, typ, x, y)
	case ir.ICmpNE:
		return f.emitLast(emit, spirv.OpLogicalNotEqual, typ, x, y)
	case ir.ICmpULT, ir.ICmpSGT: // !x & y
		return f.emitLast(emit, spirv.OpLogicalAnd, typ, f.emitResult(spirv.OpLogicalNot, typ, x), y)
	case ir.ICmpUGT, ir.ICmpSLT: // x & !y
		return f.emitLast(emit, spirv.OpLogicalAnd, typ, x, f.emitResult(spirv.OpLogicalNot, typ, y))
	case ir.ICmpULE, ir.ICmpSGE: // !x | y
		return f.emitLast(emit, spirv.OpLogicalOr, typ, f.emitResult(spirv.OpLogicalNot, typ, x), y)
	}
	// UGE and SLE: x | !y
	return f.emitLast(emit, spirv.OpLogicalOr, typ, x, f.emitResult(spirv.OpLogicalNot, typ, y))
}

// selectValue writes a select. SPIR-V allows structs and arrays in it from 1.4 on.
func (f *function) selectValue(in *ir.Instruction, typ id, emit emitter) id {
	condition := f.valueID(in.Operands[0])
	var want id
	if f.isPointer(in.Type) {
		want = typ
	}
	x, y := f.operandID(in.Operands[1], want), f.operandID(in.Operands[2], want)
	switch result := f.moduleType(in.Type); result.Kind {
	case ir.TypeStruct, ir.TypeArray:
		f.needVersion(spirv.Version1_4)
	case ir.TypeVector:
		condition = f.vectorCondition(in.Operands[0].Type, condition, result.Length)
	}
	return f.emitLast(emit, spirv.OpSelect, typ, condition, x, y)
}

// vectorCondition returns the condition of a select of vectors as a vector with a truth
// value for each element, as versions before 1.4 require.
func (f *function) vectorCondition(n ir.TypeID, condition id, length uint64) id {
	if length == 1 || f.moduleType(n).Kind == ir.TypeVector {
		return condition
	}
	parts := make([]id, length)
	for i := range parts {
		parts[i] = condition
	}
	return f.emitResult(spirv.OpCompositeConstruct, f.vectorType(f.boolType(), uint32(length)), parts...)
}

// writeVector writes the extraction or insertion of an element, or a shuffle.
func (f *function) writeVector(in *ir.Instruction, typ id, emit emitter) id {
	vector := f.valueID(in.Operands[0])
	single := f.moduleType(in.Operands[0].Type).Length == 1
	switch in.Op {
	case ir.OpExtractElement:
		if single {
			return vector
		}
		if n, ok := f.constantIndex(in.Operands[1], in.Operands[0].Type); ok {
			return f.emitLast(emit, spirv.OpCompositeExtract, typ, vector, n)
		}
		return f.emitLast(emit, spirv.OpVectorExtractDynamic, typ, vector, f.valueID(in.Operands[1]))
	case ir.OpInsertElement:
		element := f.operandID(in.Operands[1], f.typeID(f.moduleType(in.Type).Elements[0]))
		if single {
			return element
		}
		if n, ok := f.constantIndex(in.Operands[2], in.Operands[0].Type); ok {
			return f.emitLast(emit, spirv.OpCompositeInsert, typ, element, vector, n)
		}
		return f.emitLast(emit, spirv.OpVectorInsertDynamic, typ, vector, element, f.valueID(in.Operands[2]))
	}
	return f.writeShuffle(in, typ, emit)
}

// constantIndex returns an index that is a constant and within the vector; ok is false
// for all others.
func (f *function) constantIndex(v ir.Value, vector ir.TypeID) (uint32, bool) {
	if v.Kind != ir.ValueConstant || f.ir.Constants.At(v).Kind != ir.ConstantInt {
		return 0, false
	}
	n := f.ir.Constants.At(v).Words[0]
	// Beyond the vector LLVM has poison, and a literal would be invalid SPIR-V:
	// the dynamic form leaves the result undefined.
	return uint32(n), n < f.moduleType(vector).Length
}

// writeShuffle writes a shuffle. SPIR-V has no vectors of one element, so a shuffle that
// takes or makes one is written as extractions and a construction.
func (f *function) writeShuffle(in *ir.Instruction, typ id, emit emitter) id {
	length := f.moduleType(in.Operands[0].Type).Length
	if f.moduleType(in.Type).Length > 1 && length > 1 {
		words := []uint32{f.valueID(in.Operands[0]), f.valueID(in.Operands[1])}
		return f.emitLast(emit, spirv.OpVectorShuffle, typ, append(words, f.shuffleIndices(in.Indices)...)...)
	}
	element := f.typeID(f.moduleType(in.Type).Elements[0])
	parts := make([]id, len(in.Indices))
	for k, index := range in.Indices {
		source, at := in.Operands[0], uint64(index)
		if at >= length {
			source, at = in.Operands[1], at-length
		}
		switch {
		case index == ir.UndefIndex:
			parts[k] = f.undefinedElement(element)
		case length == 1:
			parts[k] = f.valueID(source)
		default:
			parts[k] = f.emitLast(emit, spirv.OpCompositeExtract, element, f.valueID(source), uint32(at))
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return f.emitLast(emit, spirv.OpCompositeConstruct, typ, parts...)
}

// insertValue writes an insertvalue; a pointer is cast to the type of its member.
func (f *function) insertValue(in *ir.Instruction, typ id, emit emitter) id {
	element := in.Type
	for _, index := range in.Indices {
		element = f.elementType(element, uint64(index))
	}
	var want id
	if f.isPointer(element) {
		want = f.typeID(element)
	}
	words := []uint32{f.operandID(in.Operands[1], want), f.valueID(in.Operands[0])}
	return f.emitLast(emit, spirv.OpCompositeInsert, typ, append(words, in.Indices...)...)
}
