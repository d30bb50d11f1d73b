package bitcode

import (
	"offlink/abort"
	"offlink/ir"
	"offlink/ir/llvmschema"
	"offlink/lazy"
)

// takeLiteral takes an operand that is a number.
func (d *bodyDecoder) takeLiteral() uint64 { return d.takeOperand().value }

// takeOperand takes the next operand of the record. Layouts were checked when
// the module was read; a record that lacks an operand is still refused.
func (d *bodyDecoder) takeOperand() operand {
	if d.at >= len(d.operands) {
		d.failf("an instruction is cut short")
	}
	d.at++
	return d.operands[d.at-1]
}

// hasMore reports whether operands are left.
func (d *bodyDecoder) hasMore() bool { return d.at < len(d.operands) }

// optionalLiteral takes a number that may be left out.
func (d *bodyDecoder) optionalLiteral() uint64 {
	if d.hasMore() {
		return d.takeLiteral()
	}
	return 0
}

// typedValue takes a value, and the type that follows it if the value is not defined yet.
func (d *bodyDecoder) typedValue() ir.Value {
	o := d.takeOperand()
	typ := ir.NoType
	if d.hasMore() && d.operands[d.at].kind == opForwardType {
		typ = ir.TypeID(d.takeLiteral())
	}
	v := d.decodeValue(o, typ)
	// The instruction before this one is held back for its debug location, so that its value
	// is not among the locals yet.
	if v.Type == ir.NoType && v.Kind == ir.ValueForward && d.held && d.defines && v.Index == d.symbol {
		v.Type = d.pending.Type
	}
	return v
}

// valueOfType takes a value of that type.
func (d *bodyDecoder) valueOfType(typ ir.TypeID) ir.Value { return d.decodeValue(d.takeOperand(), typ) }

// takeType takes a type by its number in the module.
func (d *bodyDecoder) takeType() ir.TypeID { return ir.TypeID(d.takeLiteral()) }

// takeBlock takes a basic block by its number in the order of the function. The reader has
// checked the number against DECLAREBLOCKS.
func (d *bodyDecoder) takeBlock() ir.Value {
	return ir.Value{Kind: ir.ValueBlock, Index: uint32(d.takeLiteral()), Type: ir.NoType}
}

// pushOperand adds an operand of the instruction that is decoded. The list is copied into
// the body's own memory when it is whole.
func (d *bodyDecoder) pushOperand(v ir.Value) { d.list = append(d.list, v) }

// decodeRecord decodes a record of the function block. Debug locations and operand bundles are
// records of their own: a location follows its instruction, bundles precede their call.
func (d *bodyDecoder) decodeRecord(rec record) {
	switch rec.code {
	case llvmschema.FunctionDeclareBlocks, llvmschema.FunctionBlockAddrUsers:
		return
	case llvmschema.FunctionDebugLoc:
		d.debugLocation()
		return
	case llvmschema.FunctionDebugLocAgain:
		d.pending.Location = d.location
		return
	case llvmschema.FunctionOperandBundle:
		d.decodeBundle()
		return
	}
	in := ir.Instruction{Call: -1, Element: ir.NoType, Type: d.voidType()}
	d.list = d.list[:0]
	if rec.code >= llvmschema.FunctionRecordValue && rec.code <= llvmschema.FunctionRecordDeclareValue {
		d.debugRecord(rec.code, &in)
		in.Operands = d.body.Values(d.list)
		d.emitInstruction(in)
		return
	}
	// Flushed first: uses of the previous instruction's value need its index.
	d.flushInstruction()
	d.decodeInstruction(rec, &in)
	in.Operands = d.body.Values(d.list)
	d.pending, d.held, d.defines = in, true, rec.defines
	if rec.defines {
		d.pending.Name, d.symbol = d.names[d.next], d.next
		d.next++
	}
}

// decodeInstruction dispatches on the family of the instruction, so that no function becomes too
// long to read. Codes and operand orders are those of LLVM's BitcodeWriter::writeInstruction;
// ir/llvmschema has them as rows for the reader, which steps over operands without knowing
// their meaning.
func (d *bodyDecoder) decodeInstruction(rec record, in *ir.Instruction) {
	switch rec.code {
	case llvmschema.FunctionBinop, llvmschema.FunctionUnop, llvmschema.FunctionCast, llvmschema.FunctionFreeze:
		d.decodeArithmetic(rec.code, in)
	case llvmschema.FunctionCompare, llvmschema.FunctionCompareOld:
		d.decodeCompare(in)
	case llvmschema.FunctionAlloca, llvmschema.FunctionLoad, llvmschema.FunctionLoadAtomic, llvmschema.FunctionStore, llvmschema.FunctionStoreAtomic, llvmschema.FunctionGEP, llvmschema.FunctionFence, llvmschema.FunctionCmpXchg, llvmschema.FunctionAtomicRMW:
		d.decodeMemory(rec.code, in)
	case llvmschema.FunctionSelect, llvmschema.FunctionSelectOld, llvmschema.FunctionExtractElement, llvmschema.FunctionInsertElement, llvmschema.FunctionShuffle, llvmschema.FunctionExtractValue, llvmschema.FunctionInsertValue, llvmschema.FunctionPhi, llvmschema.FunctionVAArg:
		d.decodeSelection(rec.code, in)
	case llvmschema.FunctionCall, llvmschema.FunctionInvoke, llvmschema.FunctionCallBr:
		d.decodeCall(rec.code, in)
	default:
		d.decodeTerminator(rec.code, in)
	}
}

// binaryOpcodes are the operations by their numbers (LLVMBitCodes.h, BinaryOpcodes). Only some
// of them exist for floating-point types.
var binaryOpcodes = [...]struct{ integer, float ir.Opcode }{
	{ir.OpAdd, ir.OpFAdd},
	{ir.OpSub, ir.OpFSub},
	{ir.OpMul, ir.OpFMul},
	{ir.OpUDiv, ir.OpInvalid},
	{ir.OpSDiv, ir.OpFDiv},
	{ir.OpURem, ir.OpInvalid},
	{ir.OpSRem, ir.OpFRem},
	{ir.OpShl, ir.OpInvalid},
	{ir.OpLShr, ir.OpInvalid},
	{ir.OpAShr, ir.OpInvalid},
	{ir.OpAnd, ir.OpInvalid},
	{ir.OpOr, ir.OpInvalid},
	{ir.OpXor, ir.OpInvalid},
}

// castOpcodes are the casts by their numbers (LLVMBitCodes.h, CastOpcodes).
var castOpcodes = [...]ir.Opcode{
	ir.OpTrunc, ir.OpZExt, ir.OpSExt, ir.OpFPToUI, ir.OpFPToSI, ir.OpUIToFP, ir.OpSIToFP,
	ir.OpFPTrunc, ir.OpFPExt, ir.OpPtrToInt, ir.OpIntToPtr, ir.OpBitCast, ir.OpAddrSpaceCast, ir.OpPtrToAddr,
}

// isFloat reports whether the type is a floating-point type or a vector of
// one.
func (d *bodyDecoder) isFloat(id ir.TypeID) bool {
	if id == ir.NoType {
		return false
	}
	t := &d.types[id]
	if t.Kind == ir.TypeVector {
		t = &d.types[t.Elements[0]]
	}
	return t.Kind == ir.TypeFloat
}

// binaryOpcode returns the opcode of a binary operation. Bitcode has one
// number for add and fadd; the type of the operands tells them apart.
func (d *bodyDecoder) binaryOpcode(n uint64, typ ir.TypeID) ir.Opcode {
	if n >= uint64(len(binaryOpcodes)) {
		d.failf("binary operation %d", n)
	}
	op := binaryOpcodes[n].integer
	if d.isFloat(typ) {
		op = binaryOpcodes[n].float
	}
	if op == ir.OpInvalid {
		d.failf("binary operation %d of a floating-point type", n)
	}
	return op
}

// castOpcode returns the opcode of a cast (LLVM, LLVMBitCodes.h, CastOpcodes).
func (d *bodyDecoder) castOpcode(n uint64) ir.Opcode {
	if n >= uint64(len(castOpcodes)) {
		d.failf("cast %d", n)
	}
	return castOpcodes[n]
}

// decodeArithmetic decodes operations on one or two values: value, second
// value, operation, flags. The type of the second is that of the first.
func (d *bodyDecoder) decodeArithmetic(code uint32, in *ir.Instruction) {
	first := d.typedValue()
	d.pushOperand(first)
	in.Type = first.Type
	switch code {
	case llvmschema.FunctionBinop:
		d.pushOperand(d.valueOfType(first.Type))
		in.Op = d.binaryOpcode(d.takeLiteral(), first.Type)
		in.Flags = operationFlags(in.Op, d.optionalLiteral())
	case llvmschema.FunctionUnop:
		if n := d.takeLiteral(); n != 0 {
			d.failf("unary operation %d", n)
		}
		in.Op = ir.OpFNeg
		in.Flags = fastMathFlags(d.optionalLiteral())
	case llvmschema.FunctionCast:
		in.Type = d.takeType()
		in.Op = d.castOpcode(d.takeLiteral())
		in.Flags = operationFlags(in.Op, d.optionalLiteral())
	case llvmschema.FunctionFreeze:
		in.Op = ir.OpFreeze
	}
}

// operationFlags decodes the flags of a binary operation or cast.
func operationFlags(op ir.Opcode, bits uint64) (flags ir.Flags) {
	switch op {
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpShl, ir.OpTrunc:
		if bits&1 != 0 {
			flags |= ir.FlagNUW
		}
		if bits&2 != 0 {
			flags |= ir.FlagNSW
		}
	case ir.OpUDiv, ir.OpSDiv, ir.OpLShr, ir.OpAShr:
		if bits&1 != 0 {
			flags |= ir.FlagExact
		}
	case ir.OpOr:
		if bits&1 != 0 {
			flags |= ir.FlagDisjoint
		}
	case ir.OpZExt:
		if bits&1 != 0 {
			flags |= ir.FlagNNeg
		}
	case ir.OpUIToFP:
		// Since LLVM 21, a fast-math flag shares this bit; it means little on this conversion.
		if bits&1 != 0 {
			flags |= ir.FlagNNeg
		}
	case ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFDiv, ir.OpFRem, ir.OpFPTrunc, ir.OpFPExt:
		flags = fastMathFlags(bits)
	}
	return flags
}

// fastMathFlags decodes fast-math flags; the lowest bit is the single "fast" of old records,
// which stands for all the others.
func fastMathFlags(bits uint64) (flags ir.Flags) {
	for i, f := range []ir.Flags{
		ir.FlagsFast, ir.FlagNoNaNs, ir.FlagNoInfs, ir.FlagNoSignedZeros, ir.FlagReciprocal,
		ir.FlagContract, ir.FlagApprox, ir.FlagReassoc,
	} {
		if bits&(1<<i) != 0 {
			flags |= f
		}
	}
	return flags
}

// decodeCompare decodes a comparison: two values, the predicate, then fast-math flags. The result
// is a vector of i1 if the operands are vectors, else i1.
func (d *bodyDecoder) decodeCompare(in *ir.Instruction) {
	first := d.typedValue()
	d.pushOperand(first)
	d.pushOperand(d.valueOfType(first.Type))
	in.Predicate = ir.Predicate(d.takeLiteral())
	in.Op = ir.OpICmp
	flags := d.optionalLiteral()
	if d.isFloat(first.Type) {
		in.Op, in.Flags = ir.OpFCmp, fastMathFlags(flags)
	} else if flags&1 != 0 {
		in.Flags = ir.FlagSameSign
	}
	in.Type = ir.ComparisonType(d, first.Type)
}

// decodeSelection decodes the instructions that choose among values or parts
// of them.
func (d *bodyDecoder) decodeSelection(code uint32, in *ir.Instruction) {
	switch code {
	case llvmschema.FunctionSelect, llvmschema.FunctionSelectOld:
		d.decodeSelect(in, code == llvmschema.FunctionSelectOld)
	case llvmschema.FunctionExtractElement, llvmschema.FunctionInsertElement, llvmschema.FunctionShuffle:
		d.decodeVector(code, in)
	case llvmschema.FunctionExtractValue:
		in.Op = ir.OpExtractValue
		d.pushOperand(d.typedValue())
		in.Type = d.list[0].Type
		d.decodeIndices(in)
		for _, index := range in.Indices {
			in.Type = d.elementAt(in.Type, uint64(index))
		}
	case llvmschema.FunctionInsertValue:
		in.Op = ir.OpInsertValue
		d.pushOperand(d.typedValue())
		d.pushOperand(d.typedValue())
		d.decodeIndices(in)
		in.Type = d.list[0].Type
	case llvmschema.FunctionPhi:
		d.decodePhi(in)
	case llvmschema.FunctionVAArg:
		in.Op = ir.OpVAArg
		list := d.takeType()
		d.pushOperand(d.valueOfType(list))
		in.Type = d.takeType()
		in.Element = in.Type
	}
}

// decodeVector decodes the instructions on elements of vectors.
func (d *bodyDecoder) decodeVector(code uint32, in *ir.Instruction) {
	switch code {
	case llvmschema.FunctionExtractElement:
		in.Op = ir.OpExtractElement
		d.pushOperand(d.typedValue())
		d.pushOperand(d.typedValue())
		in.Type = d.elementAt(d.list[0].Type, 0)
	case llvmschema.FunctionInsertElement:
		in.Op = ir.OpInsertElement
		vector := d.typedValue()
		d.pushOperand(vector)
		d.pushOperand(d.valueOfType(d.elementAt(vector.Type, 0)))
		d.pushOperand(d.typedValue())
		in.Type = vector.Type
	case llvmschema.FunctionShuffle:
		in.Op = ir.OpShuffleVector
		vector := d.typedValue()
		d.pushOperand(vector)
		d.pushOperand(d.valueOfType(vector.Type))
		d.decodeShuffle(in, vector.Type, d.typedValue())
	}
}

// decodeSelect decodes a select. VSELECT has the condition last and with its
// type; that of the old SELECT was always i1. Text has it first.
func (d *bodyDecoder) decodeSelect(in *ir.Instruction, old bool) {
	in.Op = ir.OpSelect
	first := d.typedValue()
	second := d.valueOfType(first.Type)
	var condition ir.Value
	if old {
		condition = d.valueOfType(d.IntegerType(1))
	} else {
		condition = d.typedValue()
	}
	d.list = append(d.list, condition, first, second)
	in.Type, in.Flags = first.Type, fastMathFlags(d.optionalLiteral())
}

// decodeShuffle sets the mask and the type of a shufflevector.
func (d *bodyDecoder) decodeShuffle(in *ir.Instruction, vector ir.TypeID, mask ir.Value) {
	in.Indices = d.shuffleMask(mask)
	in.Type = d.derivedType(ir.ShuffleType(d, vector, mask.Type))
}

// shuffleMask returns the numbers of a constant mask.
func (d *bodyDecoder) shuffleMask(mask ir.Value) []uint32 {
	list, err := d.pool.ShuffleMask(d.types, mask)
	if err != nil {
		abort.With(err)
	}
	return list
}

// decodeIndices decodes the literal indices of extractvalue and insertvalue.
func (d *bodyDecoder) decodeIndices(in *ir.Instruction) {
	var list []uint32
	for d.hasMore() {
		list = append(list, uint32(d.takeLiteral()))
	}
	in.Indices = d.body.IndexList(list)
}

// decodePhi decodes a phi: type, then pairs of value and block, then flags if one more operand
// is left. Values are relative and signed, as they may be defined later.
func (d *bodyDecoder) decodePhi(in *ir.Instruction) {
	in.Op = ir.OpPhi
	in.Type = d.takeType()
	for len(d.operands)-d.at >= 2 {
		v := d.takeOperand()
		if v.kind == opLiteral {
			d.failf("phi of an operand that is not a value")
		}
		d.pushOperand(d.decodeValue(v, in.Type))
		d.pushOperand(d.takeBlock())
	}
	in.Flags = fastMathFlags(d.optionalLiteral())
}

// decodeTerminator decodes the instructions that end blocks, and those of exception handling.
// The record of a switch alternates case values and blocks after the condition and the default,
// as the model does.
func (d *bodyDecoder) decodeTerminator(code uint32, in *ir.Instruction) {
	switch code {
	case llvmschema.FunctionRet:
		in.Op = ir.OpRet
		if d.hasMore() {
			d.pushOperand(d.typedValue())
		}
	case llvmschema.FunctionBr:
		d.decodeBranch(in)
	case llvmschema.FunctionSwitch:
		in.Op = ir.OpSwitch
		typ := d.takeType()
		d.pushOperand(d.valueOfType(typ))
		d.pushOperand(d.takeBlock())
		for d.hasMore() {
			d.pushOperand(d.decodeValue(d.takeOperand(), typ))
			d.pushOperand(d.takeBlock())
		}
	case llvmschema.FunctionIndirectBr:
		in.Op = ir.OpIndirectBr
		typ := d.takeType()
		d.pushOperand(d.valueOfType(typ))
		for d.hasMore() {
			d.pushOperand(d.takeBlock())
		}
	default:
		in.Op = undecoded.Get()[code]
		if in.Op == ir.OpInvalid {
			d.failf("instruction record %d", code)
		}
		if llvmschema.Instructions[code].Defines {
			in.Type = d.InternType(ir.Type{Name: "token"})
		}
	}
}

// decodeBranch decodes a br. A conditional one has its condition after the
// blocks; the model has the order of text.
func (d *bodyDecoder) decodeBranch(in *ir.Instruction) {
	in.Op = ir.OpBr
	first := d.takeBlock()
	if !d.hasMore() {
		d.pushOperand(first)
		return
	}
	second := d.takeBlock()
	d.pushOperand(d.valueOfType(d.IntegerType(1)))
	d.pushOperand(first)
	d.pushOperand(second)
}

// undecoded are unreachable and the instructions of exception handling. Translation only needs
// to know that they are there, so their operands are left out.
var undecoded = lazy.Map[uint32, ir.Opcode]{New: func() map[uint32]ir.Opcode {
	return map[uint32]ir.Opcode{
		llvmschema.FunctionUnreachable: ir.OpUnreachable, llvmschema.FunctionResume: ir.OpResume, llvmschema.FunctionLandingPad: ir.OpLandingPad,
		llvmschema.FunctionCleanupRet: ir.OpCleanupRet, llvmschema.FunctionCatchRet: ir.OpCatchRet, llvmschema.FunctionCatchPad: ir.OpCatchPad,
		llvmschema.FunctionCleanupPad: ir.OpCleanupPad, llvmschema.FunctionCatchSwitch: ir.OpCatchSwitch,
	}
}}

// debugLocation decodes a DEBUG_LOC record, which applies to the instruction before it: line,
// column, scope and inlined-at node. The last two are kept plus one, as 0 means none. Equal
// neighbours share one Location.
func (d *bodyDecoder) debugLocation() {
	l := &ir.Location{Line: uint32(d.takeLiteral()), Column: uint32(d.takeLiteral())}
	if o := d.takeOperand(); o.kind != opLiteral {
		l.Scope = uint32(d.nodeID(o)) + 1
	}
	if o := d.takeOperand(); o.kind != opLiteral {
		l.InlinedAt = uint32(d.nodeID(o)) + 1
	}
	if d.location == nil || *d.location != *l {
		d.location = l
	}
	d.pending.Location = d.location
}
