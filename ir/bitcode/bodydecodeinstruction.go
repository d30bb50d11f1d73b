package bitcode

import (
	"offlink/ir"
	"offlink/ir/llvmschema"
)

// literal takes an operand that is a number.
func (d *bodyDecoder) literal() uint64 { return d.operand().value }

func (d *bodyDecoder) operand() operand {
	if d.at >= len(d.operands) {
		d.fail("an instruction is cut short")
	}
	d.at++
	return d.operands[d.at-1]
}

// more reports whether operands are left.
func (d *bodyDecoder) more() bool { return d.at < len(d.operands) }

// optional takes a number that may be left out.
func (d *bodyDecoder) optional() uint64 {
	if d.more() {
		return d.literal()
	}
	return 0
}

// pair takes a value and the type that follows one that is not defined yet.
func (d *bodyDecoder) pair() ir.Value {
	o := d.operand()
	typ := ir.NoType
	if d.more() && d.operands[d.at].kind == opForwardType {
		typ = ir.TypeID(d.literal())
	}
	v := d.value(o, typ)
	if v.Type == ir.NoType && v.Kind == valueForward && d.held && d.defines && v.Index == d.symbol {
		v.Type = d.pending.Type
	}
	return v
}

// same takes a value of that type.
func (d *bodyDecoder) same(typ ir.TypeID) ir.Value { return d.value(d.operand(), typ) }

func (d *bodyDecoder) typ() ir.TypeID { return ir.TypeID(d.literal()) }

func (d *bodyDecoder) block() ir.Value {
	return ir.Value{Kind: ir.ValueBlock, Index: uint32(d.literal()), Type: ir.NoType}
}

func (d *bodyDecoder) push(v ir.Value) { d.list = append(d.list, v) }

// record decodes a record of the function block.
func (d *bodyDecoder) record(rec record) {
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
		d.bundle()
		return
	}
	in := ir.Instruction{Call: -1, Element: ir.NoType, Type: d.intern(ir.Type{Name: "void"})}
	d.list = d.list[:0]
	if rec.code >= llvmschema.FunctionRecordValue && rec.code <= llvmschema.FunctionRecordDeclareValue {
		d.debugRecord(rec.code, &in)
		in.Operands = d.body.Values(d.list)
		d.emit(in)
		return
	}
	// Uses of the value of the instruction before it see its index.
	d.flush()
	d.instruction(rec, &in)
	in.Operands = d.body.Values(d.list)
	d.pending, d.held, d.defines = in, true, rec.defines
	if rec.defines {
		d.pending.Name, d.symbol = d.names[d.next], d.next
		d.next++
	}
}

func (d *bodyDecoder) instruction(rec record, in *ir.Instruction) {
	switch rec.code {
	case llvmschema.FunctionBinop, llvmschema.FunctionUnop, llvmschema.FunctionCast, llvmschema.FunctionFreeze:
		d.arithmetic(rec.code, in)
	case llvmschema.FunctionCompare, llvmschema.FunctionCompareOld:
		d.compare(in)
	case llvmschema.FunctionAlloca, llvmschema.FunctionLoad, llvmschema.FunctionLoadAtomic, llvmschema.FunctionStore, llvmschema.FunctionStoreAtomic, llvmschema.FunctionGEP, llvmschema.FunctionFence, llvmschema.FunctionCmpXchg, llvmschema.FunctionAtomicRMW:
		d.memory(rec.code, in)
	case llvmschema.FunctionSelect, llvmschema.FunctionSelectOld, llvmschema.FunctionExtractElement, llvmschema.FunctionInsertElement, llvmschema.FunctionShuffle, llvmschema.FunctionExtractValue, llvmschema.FunctionInsertValue, llvmschema.FunctionPhi, llvmschema.FunctionVAArg:
		d.selection(rec.code, in)
	case llvmschema.FunctionCall, llvmschema.FunctionInvoke, llvmschema.FunctionCallBr:
		d.call(rec.code, in)
	default:
		d.terminator(rec.code, in)
	}
}

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

func (d *bodyDecoder) binaryOpcode(n uint64, typ ir.TypeID) ir.Opcode {
	if n >= uint64(len(binaryOpcodes)) {
		d.fail("binary operation %d", n)
	}
	op := binaryOpcodes[n].integer
	if d.isFloat(typ) {
		op = binaryOpcodes[n].float
	}
	if op == ir.OpInvalid {
		d.fail("binary operation %d of a floating-point type", n)
	}
	return op
}

func (d *bodyDecoder) castOpcode(n uint64) ir.Opcode {
	if n >= uint64(len(castOpcodes)) {
		d.fail("cast %d", n)
	}
	return castOpcodes[n]
}

func (d *bodyDecoder) arithmetic(code uint32, in *ir.Instruction) {
	first := d.pair()
	d.push(first)
	in.Type = first.Type
	switch code {
	case llvmschema.FunctionBinop:
		d.push(d.same(first.Type))
		in.Op = d.binaryOpcode(d.literal(), first.Type)
		in.Flags = operationFlags(in.Op, d.optional())
	case llvmschema.FunctionUnop:
		if n := d.literal(); n != 0 {
			d.fail("unary operation %d", n)
		}
		in.Op = ir.OpFNeg
		in.Flags = fastMathFlags(d.optional())
	case llvmschema.FunctionCast:
		in.Type = d.typ()
		in.Op = d.castOpcode(d.literal())
		in.Flags = operationFlags(in.Op, d.optional())
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
		// A fast-math flag has the same bit since LLVM 21, and means little.
		if bits&1 != 0 {
			flags |= ir.FlagNNeg
		}
	case ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFDiv, ir.OpFRem, ir.OpFPTrunc, ir.OpFPExt:
		flags = fastMathFlags(bits)
	}
	return flags
}

// fastMathFlags decodes fast-math flags; the lowest bit is "fast" of old.
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

func (d *bodyDecoder) compare(in *ir.Instruction) {
	first := d.pair()
	d.push(first)
	d.push(d.same(first.Type))
	in.Predicate = ir.Predicate(d.literal())
	in.Op = ir.OpICmp
	flags := d.optional()
	if d.isFloat(first.Type) {
		in.Op, in.Flags = ir.OpFCmp, fastMathFlags(flags)
	} else if flags&1 != 0 {
		in.Flags = ir.FlagSameSign
	}
	in.Type = d.comparisonType(first.Type)
}

// alignOf decodes an alignment: the logarithm plus one, or 0.
func alignOf(n uint64) uint64 {
	if n == 0 || n > 63 {
		return 0
	}
	return 1 << (n - 1)
}

func (d *bodyDecoder) memory(code uint32, in *ir.Instruction) {
	switch code {
	case llvmschema.FunctionAlloca:
		d.alloca(in)
	case llvmschema.FunctionLoad, llvmschema.FunctionLoadAtomic:
		in.Op = ir.OpLoad
		d.push(d.pair())
		in.Element = d.typ()
		in.Type = in.Element
		d.access(in, code == llvmschema.FunctionLoadAtomic)
	case llvmschema.FunctionStore, llvmschema.FunctionStoreAtomic:
		in.Op = ir.OpStore
		pointer := d.pair()
		d.push(d.pair())
		d.push(pointer)
		d.access(in, code == llvmschema.FunctionStoreAtomic)
	case llvmschema.FunctionGEP:
		d.address(in)
	case llvmschema.FunctionFence:
		in.Op = ir.OpFence
		d.ordering(in)
	case llvmschema.FunctionCmpXchg:
		in.Op = ir.OpCmpXchg
		d.push(d.pair())
		compare := d.pair()
		d.push(compare)
		d.push(d.same(compare.Type))
		d.volatile(in)
		d.ordering(in)
		in.FailureOrder = ir.Ordering(d.literal())
		if d.literal() != 0 {
			in.Flags |= ir.FlagWeak
		}
		in.Align = alignOf(d.optional())
		in.Type = d.intern(ir.Type{Kind: ir.TypeStruct, Elements: []ir.TypeID{compare.Type, d.integerType(1)}})
	case llvmschema.FunctionAtomicRMW:
		in.Op = ir.OpAtomicRMW
		d.push(d.pair())
		value := d.pair()
		d.push(value)
		in.Type = value.Type
		in.Operation = ir.AtomicOperation(d.literal())
		d.volatile(in)
		d.ordering(in)
		in.Align = alignOf(d.optional())
	}
}

func (d *bodyDecoder) volatile(in *ir.Instruction) {
	if d.literal() != 0 {
		in.Flags |= ir.FlagVolatile
	}
}

func (d *bodyDecoder) ordering(in *ir.Instruction) {
	in.Order = ir.Ordering(d.literal())
	if scope := d.literal(); scope < uint64(len(d.source.scopes)) {
		in.Scope = d.source.scopes[scope]
	}
}

// access takes the operands that loads and stores have in common.
func (d *bodyDecoder) access(in *ir.Instruction, atomic bool) {
	in.Align = alignOf(d.literal())
	d.volatile(in)
	if atomic {
		in.Flags |= ir.FlagAtomic
		d.ordering(in)
	}
}

func (d *bodyDecoder) alloca(in *ir.Instruction) {
	in.Op = ir.OpAlloca
	in.Element = d.typ()
	d.typ()
	d.push(d.value(d.operand(), ir.NoType))
	bits := d.literal()
	in.Align = alignOf(bits&31 | bits>>8&7<<5)
	space := uint32(d.allocaSpace())
	if d.more() {
		space = uint32(d.literal())
	}
	in.Type = d.pointerTo(in.Element, space)
}

// allocaSpace returns the address space of allocas, which the data layout
// says.
func (d *bodyDecoder) allocaSpace() (space uint64) {
	layout := d.source.module.DataLayout
	for i := 0; i < len(layout); i++ {
		if layout[i] == 'A' && (i == 0 || layout[i-1] == '-') {
			for i++; i < len(layout) && layout[i] >= '0' && layout[i] <= '9' && space < 1<<24; i++ {
				space = space*10 + uint64(layout[i]-'0')
			}
		}
	}
	return space
}

func (d *bodyDecoder) address(in *ir.Instruction) {
	in.Op = ir.OpGEP
	in.Flags = addressFlags(d.literal())
	in.Element = d.typ()
	for d.more() {
		d.push(d.pair())
	}
	in.Type = d.addressType(in.Element, d.list)
}

func addressFlags(bits uint64) (flags ir.Flags) {
	if bits&1 != 0 {
		flags |= ir.FlagInBounds | ir.FlagNUSW
	}
	if bits&2 != 0 {
		flags |= ir.FlagNUSW
	}
	if bits&4 != 0 {
		flags |= ir.FlagNUW
	}
	return flags
}

func (d *bodyDecoder) selection(code uint32, in *ir.Instruction) {
	switch code {
	case llvmschema.FunctionSelect, llvmschema.FunctionSelectOld:
		in.Op = ir.OpSelect
		first := d.pair()
		second := d.same(first.Type)
		var condition ir.Value
		if code == llvmschema.FunctionSelect {
			condition = d.pair()
		} else {
			condition = d.same(d.integerType(1))
		}
		d.list = append(d.list, condition, first, second)
		in.Type, in.Flags = first.Type, fastMathFlags(d.optional())
	case llvmschema.FunctionExtractElement:
		in.Op = ir.OpExtractElement
		d.push(d.pair())
		d.push(d.pair())
		in.Type = d.elementAt(d.list[0].Type, 0)
	case llvmschema.FunctionInsertElement:
		in.Op = ir.OpInsertElement
		vector := d.pair()
		d.push(vector)
		d.push(d.same(d.elementAt(vector.Type, 0)))
		d.push(d.pair())
		in.Type = vector.Type
	case llvmschema.FunctionShuffle:
		in.Op = ir.OpShuffleVector
		vector := d.pair()
		d.push(vector)
		d.push(d.same(vector.Type))
		d.shuffle(in, vector.Type, d.pair())
	case llvmschema.FunctionExtractValue:
		in.Op = ir.OpExtractValue
		d.push(d.pair())
		in.Type = d.list[0].Type
		d.indices(in)
		for _, index := range in.Indices {
			in.Type = d.elementAt(in.Type, uint64(index))
		}
	case llvmschema.FunctionInsertValue:
		in.Op = ir.OpInsertValue
		d.push(d.pair())
		d.push(d.pair())
		d.indices(in)
		in.Type = d.list[0].Type
	case llvmschema.FunctionPhi:
		d.phi(in)
	case llvmschema.FunctionVAArg:
		in.Op = ir.OpVAArg
		list := d.typ()
		d.push(d.same(list))
		in.Type = d.typ()
		in.Element = in.Type
	}
}

// shuffle sets the mask and the type of a shufflevector.
func (d *bodyDecoder) shuffle(in *ir.Instruction, vector ir.TypeID, mask ir.Value) {
	in.Indices = d.shuffleMask(mask)
	m, v := d.types[mask.Type], d.types[vector]
	in.Type = d.intern(ir.Type{Kind: ir.TypeVector, Length: m.Length, Scalable: m.Scalable, Elements: v.Elements})
}

// shuffleMask returns the numbers of a constant mask.
func (d *bodyDecoder) shuffleMask(mask ir.Value) []uint32 {
	if mask.Kind != ir.ValueConstant || d.types[mask.Type].Kind != ir.TypeVector || d.types[mask.Type].Length > 1<<16 {
		d.fail("the mask of a shufflevector is not a constant vector")
	}
	list := make([]uint32, d.types[mask.Type].Length)
	switch c := d.pool.At(mask); c.Kind {
	case ir.ConstantUndef, ir.ConstantPoison:
		for i := range list {
			list[i] = ir.UndefIndex
		}
	case ir.ConstantData:
		for i := range min(len(list), len(c.Words)) {
			list[i] = uint32(c.Words[i])
		}
	case ir.ConstantAggregate:
		for i := range min(len(list), len(c.Operands)) {
			list[i] = ir.UndefIndex
			if v := c.Operands[i]; v.Kind == ir.ValueConstant && d.pool.At(v).Kind == ir.ConstantInt {
				list[i] = uint32(d.pool.At(v).Words[0])
			}
		}
	}
	return list
}

func (d *bodyDecoder) indices(in *ir.Instruction) {
	var list []uint32
	for d.more() {
		list = append(list, uint32(d.literal()))
	}
	in.Indices = d.body.IndexList(list)
}

func (d *bodyDecoder) phi(in *ir.Instruction) {
	in.Op = ir.OpPhi
	in.Type = d.typ()
	for len(d.operands)-d.at >= 2 {
		v := d.operand()
		if v.kind == opLiteral {
			d.fail("phi of an operand that is not a value")
		}
		d.push(d.value(v, in.Type))
		d.push(d.block())
	}
	in.Flags = fastMathFlags(d.optional())
}

func (d *bodyDecoder) terminator(code uint32, in *ir.Instruction) {
	switch code {
	case llvmschema.FunctionRet:
		in.Op = ir.OpRet
		if d.more() {
			d.push(d.pair())
		}
	case llvmschema.FunctionBr:
		in.Op = ir.OpBr
		first := d.block()
		if !d.more() {
			d.push(first)
			return
		}
		second := d.block()
		d.push(d.same(d.integerType(1)))
		d.push(first)
		d.push(second)
	case llvmschema.FunctionSwitch:
		in.Op = ir.OpSwitch
		typ := d.typ()
		d.push(d.same(typ))
		d.push(d.block())
		for d.more() {
			d.push(d.value(d.operand(), typ))
			d.push(d.block())
		}
	case llvmschema.FunctionIndirectBr:
		in.Op = ir.OpIndirectBr
		typ := d.typ()
		d.push(d.same(typ))
		for d.more() {
			d.push(d.block())
		}
	default:
		in.Op = undecoded[code]
		if in.Op == ir.OpInvalid {
			d.fail("instruction record %d", code)
		}
		if llvmschema.Instructions[code].Defines {
			in.Type = d.intern(ir.Type{Name: "token"})
		}
	}
}

// undecoded are the instructions whose operands are left out.
var undecoded = map[uint32]ir.Opcode{
	llvmschema.FunctionUnreachable: ir.OpUnreachable, llvmschema.FunctionResume: ir.OpResume, llvmschema.FunctionLandingPad: ir.OpLandingPad,
	llvmschema.FunctionCleanupRet: ir.OpCleanupRet, llvmschema.FunctionCatchRet: ir.OpCatchRet, llvmschema.FunctionCatchPad: ir.OpCatchPad,
	llvmschema.FunctionCleanupPad: ir.OpCleanupPad, llvmschema.FunctionCatchSwitch: ir.OpCatchSwitch,
}

func (d *bodyDecoder) debugLocation() {
	l := &ir.Location{Line: uint32(d.literal()), Column: uint32(d.literal())}
	if o := d.operand(); o.kind != opLiteral {
		l.Scope = uint32(d.node(o)) + 1
	}
	if o := d.operand(); o.kind != opLiteral {
		l.InlinedAt = uint32(d.node(o)) + 1
	}
	if d.location == nil || *d.location != *l {
		d.location = l
	}
	d.pending.Location = d.location
}
