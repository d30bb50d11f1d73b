package irtext

import "offlink/ir"

// readInstruction reads an instruction and returns the name of its result,
// which may be empty.
func (r *bodyReader) readInstruction(in *ir.Instruction) name {
	n, _ := r.parseResult()
	r.peekByte()
	start := r.pos
	w := r.readWord()
	// tail, musttail and notail stand before the word that names the
	// instruction.
	for ir.ParseFlag(w)&(ir.FlagTail|ir.FlagMustTail|ir.FlagNoTail) != 0 {
		in.Flags |= ir.ParseFlag(w)
		w = r.readWord()
	}
	in.Op = ir.ParseOpcode(w)
	if in.Op == ir.OpInvalid {
		r.failAt(start, "unknown instruction '"+string(w)+"'")
	}
	// Instructions without a result keep this type; the others overwrite it.
	in.Type = r.InternType(ir.Type{Name: "void"})
	r.scratch = r.scratch[:0]
	r.readOperation(in)
	in.Operands = r.body.Values(r.scratch)
	r.readTail(in)
	return n
}

// addOperand adds an operand of the instruction that is read. The list is copied into the
// body's own memory when it is whole.
func (r *bodyReader) addOperand(v ir.Value) { r.scratch = append(r.scratch, v) }

// readOperation reads the operands of an instruction by its family.
func (r *bodyReader) readOperation(in *ir.Instruction) {
	switch op := in.Op; {
	case op >= ir.OpFNeg && op <= ir.OpXor || op == ir.OpFreeze:
		r.readFlags(in)
		r.readBinary(in)
	case op == ir.OpICmp || op == ir.OpFCmp:
		r.readCompare(in)
	case op >= ir.OpTrunc && op <= ir.OpPtrToAddr:
		r.readFlags(in)
		r.addOperand(r.typedValue())
		r.expectWord("to")
		in.Type, _ = r.parseType()
	case op >= ir.OpAlloca && op <= ir.OpAtomicRMW:
		r.readMemory(in)
	case op.IsTerminator():
		r.readTerminator(in)
	default:
		r.readOther(in)
	}
}

// readFlags takes the flags in front of a type. Words that are not known are
// stepped over. A later LLVM's flag only allows more optimization, so that
// leaving it out keeps the meaning.
func (r *bodyReader) readFlags(in *ir.Instruction) {
	for {
		w := r.peekWord()
		if w == nil || isTypeWord(w) {
			return
		}
		in.Flags |= ir.ParseFlag(w)
		r.pos += len(w)
		if r.byteAt(0) == '(' {
			r.attributeArguments()
		}
	}
}

// readBinary takes a type and a value, and the further values of that type.
func (r *bodyReader) readBinary(in *ir.Instruction) {
	first := r.typedValue()
	in.Type = r.typeOf(first)
	r.addOperand(first)
	if in.Op != ir.OpFNeg && in.Op != ir.OpFreeze {
		r.expectByte(',')
		r.addOperand(r.bodyValue(in.Type))
	}
}

// readCompare reads a comparison. Flags (samesign, fast) stand before the
// predicate.
func (r *bodyReader) readCompare(in *ir.Instruction) {
	for {
		w := r.readWord()
		if p, ok := ir.ParsePredicate(in.Op, w); ok {
			in.Predicate = p
			break
		}
		in.Flags |= ir.ParseFlag(w)
	}
	typ, _ := r.parseType()
	r.addOperand(r.bodyValue(typ))
	r.expectByte(',')
	r.addOperand(r.bodyValue(typ))
	in.Type = ir.ComparisonType(r, typ)
}

// typeOf returns the type that was written before the value. A forward use has it as well.
func (r *bodyReader) typeOf(v ir.Value) ir.TypeID { return v.Type }

// readMemory reads the instructions that touch memory.
func (r *bodyReader) readMemory(in *ir.Instruction) {
	switch in.Op {
	case ir.OpAlloca:
		r.readAlloca(in)
	case ir.OpLoad:
		r.readFlags(in)
		in.Element, _ = r.parseType()
		in.Type = in.Element
		r.expectByte(',')
		r.addOperand(r.typedValue())
	case ir.OpStore:
		r.readFlags(in)
		r.addOperand(r.typedValue())
		r.expectByte(',')
		r.addOperand(r.typedValue())
	case ir.OpGEP:
		r.readAddress(in)
		return
	case ir.OpCmpXchg:
		r.readFlags(in)
		for i := range 3 {
			if i > 0 {
				r.expectByte(',')
			}
			r.addOperand(r.typedValue())
		}
		// The old value, and whether it was the expected one.
		in.Type = r.InternType(ir.Type{Kind: ir.TypeStruct, Elements: []ir.TypeID{r.scratch[1].Type, r.IntegerType(1)}})
	case ir.OpAtomicRMW:
		r.readAtomicOperation(in)
		r.addOperand(r.typedValue())
		r.expectByte(',')
		r.addOperand(r.typedValue())
		in.Type = r.scratch[1].Type
	}
	r.readOrdering(in)
}

// readAtomicOperation reads the operation of an atomicrmw; volatile may stand
// before it.
func (r *bodyReader) readAtomicOperation(in *ir.Instruction) {
	for {
		r.peekByte()
		start := r.pos
		w := r.readWord()
		if operation, ok := ir.ParseAtomicOperation(w); ok {
			in.Operation = operation
			return
		}
		if isTypeWord(w) || r.startsType() {
			r.failAt(start, "unknown atomic operation '"+string(w)+"'")
		}
		in.Flags |= ir.ParseFlag(w)
	}
}

// readOrdering reads `syncscope("name") ordering`, of which the scope may be
// missing.
func (r *bodyReader) readOrdering(in *ir.Instruction) {
	for class[r.peekByte()]&classLetter != 0 {
		w := r.peekWord()
		if string(w) == "syncscope" {
			r.pos += len(w)
			r.expectByte('(')
			in.Scope = string(r.readDecoded())
			r.expectByte(')')
			continue
		}
		order, ok := ir.ParseOrdering(w)
		if !ok {
			return
		}
		r.pos += len(w)
		// cmpxchg has two orderings: the first is for success, the second for failure.
		if in.Order == ir.NotAtomic {
			in.Order = order
		} else {
			in.FailureOrder = order
		}
	}
}

// readAlloca reads an alloca. What follows a comma is a count, an alignment,
// an address space or metadata; only the count begins with a type.
func (r *bodyReader) readAlloca(in *ir.Instruction) {
	r.readFlags(in)
	in.Element, _ = r.parseType()
	if r.peekByte() == ',' {
		start := r.pos
		r.pos++
		if r.startsType() {
			r.addOperand(r.typedValue())
		} else {
			r.pos = start
		}
	}
	// Bitcode always has the count, so the model has it too.
	if len(r.scratch) == 0 {
		r.addOperand(r.pool.Add(ir.ConstantNode{Kind: ir.ConstantInt, Type: r.IntegerType(32), Words: []uint64{1}}))
	}
	in.Type = ir.NoType // until its address space is known
}

// readAddress reads a getelementptr up to its metadata.
func (r *bodyReader) readAddress(in *ir.Instruction) {
	r.readFlags(in)
	in.Element, _ = r.parseType()
	for r.peekByte() == ',' {
		start := r.pos
		r.pos++
		if r.peekByte() == '!' {
			r.pos = start
			break
		}
		r.acceptWord("inrange")
		r.addOperand(r.typedValue())
	}
	// The text states the source type alone; the result is a pointer, or a
	// vector of them where an operand is one.
	in.Type = r.derivedType(ir.AddressType(r, r.pool, in.Element, r.scratch))
}

// readTerminator reads an instruction that ends a block.
func (r *bodyReader) readTerminator(in *ir.Instruction) {
	switch in.Op {
	case ir.OpRet:
		if typ, shape := r.parseType(); shape != shapeVoid {
			r.addOperand(r.bodyValue(typ))
		}
	case ir.OpBr:
		r.readBranch()
	case ir.OpSwitch:
		r.operandPair()
		r.expectByte('[')
		for !r.acceptByte(']') {
			r.operandPair()
		}
	case ir.OpIndirectBr:
		r.addOperand(r.typedValue())
		r.expectByte(',')
		r.blockList()
	case ir.OpInvoke:
		r.readCall(in)
		r.expectWord("to")
		r.addOperand(r.typedValue())
		r.expectWord("unwind")
		r.addOperand(r.typedValue())
	case ir.OpCallBr:
		r.readCall(in)
		r.expectWord("to")
		r.addOperand(r.typedValue())
		r.blockList()
	case ir.OpUnreachable:
	default:
		r.skipOperation(in.Op)
	}
}

// readBranch reads the operands of a br: a block, or a condition and two.
func (r *bodyReader) readBranch() {
	typ, shape := r.parseType()
	if shape == shapeLabel {
		r.addOperand(r.blockValue())
		return
	}
	r.addOperand(r.bodyValue(typ))
	r.expectByte(',')
	r.operandPair()
}

// operandPair reads two operands with a comma between them.
func (r *bodyReader) operandPair() {
	r.addOperand(r.typedValue())
	r.expectByte(',')
	r.addOperand(r.typedValue())
}

// blockList reads the destinations of an indirectbr or callbr.
func (r *bodyReader) blockList() {
	r.expectByte('[')
	for more := r.peekByte() != ']'; more; more = r.acceptByte(',') {
		r.addOperand(r.typedValue())
	}
	r.expectByte(']')
}

// skipOperation steps over the operands of an instruction that is not decoded.
func (r *bodyReader) skipOperation(op ir.Opcode) {
	// The parser has stepped over it once already, when the module was read.
	r.parser.parseOperation(opcodeOf([]byte(op.String())))
}

// readOther reads the instructions that belong to no family above.
func (r *bodyReader) readOther(in *ir.Instruction) {
	switch in.Op {
	case ir.OpPhi:
		r.readPhi(in)
	case ir.OpCall:
		r.readCall(in)
	case ir.OpSelect, ir.OpExtractElement, ir.OpInsertElement, ir.OpShuffleVector:
		r.readFlags(in)
		r.addOperand(r.typedValue())
		for r.acceptOperand() {
			r.addOperand(r.typedValue())
		}
		r.elementType(in)
	case ir.OpExtractValue:
		r.addOperand(r.typedValue())
		in.Indices = r.readIndices()
		in.Type = r.scratch[0].Type
		for _, index := range in.Indices {
			in.Type = r.elementAt(in.Type, index)
		}
	case ir.OpInsertValue:
		r.addOperand(r.typedValue())
		r.expectByte(',')
		r.addOperand(r.typedValue())
		in.Indices = r.readIndices()
		in.Type = r.scratch[0].Type
	case ir.OpVAArg:
		r.addOperand(r.typedValue())
		r.expectByte(',')
		in.Type, _ = r.parseType()
		in.Element = in.Type
	default:
		r.skipOperation(in.Op)
		// Pads and tokens of exceptions have no counterpart in a device's
		// language; translation refuses them by their opcode.
		in.Type = r.InternType(ir.Type{Name: "token"})
	}
}

// acceptOperand steps over a comma unless an attachment follows it.
func (r *bodyReader) acceptOperand() bool {
	if r.peekByte() != ',' {
		return false
	}
	start := r.pos
	r.pos++
	if r.peekByte() == '!' {
		r.pos = start
		return false
	}
	return true
}

// elementType sets the type of select and the instructions on vectors.
func (r *bodyReader) elementType(in *ir.Instruction) {
	first := r.scratch[0].Type
	switch in.Op {
	case ir.OpSelect:
		in.Type = r.scratch[1].Type
	case ir.OpExtractElement:
		in.Type = r.elementAt(first, 0)
	case ir.OpInsertElement:
		in.Type = first
	case ir.OpShuffleVector:
		mask := r.scratch[2]
		in.Indices = r.shuffleMask(mask)
		r.scratch = r.scratch[:2]
		in.Type = r.derivedType(ir.ShuffleType(r, first, mask.Type))
	}
}

// shuffleMask returns the numbers of a constant mask.
func (r *bodyReader) shuffleMask(mask ir.Value) []uint32 {
	list, err := r.pool.ShuffleMask(r.extra.types, mask)
	if err != nil {
		r.failAt(r.statement, err.Error())
	}
	return list
}

// readIndices reads literal indices up to the metadata, which has a comma
// before it as well.
func (r *bodyReader) readIndices() (list []uint32) {
	for r.peekByte() == ',' {
		start := r.pos
		r.pos++
		if class[r.peekByte()]&classDigit == 0 {
			r.pos = start
			break
		}
		list = append(list, r.number32())
	}
	return list
}

// readPhi reads a phi: pairs of value and block in brackets.
func (r *bodyReader) readPhi(in *ir.Instruction) {
	r.readFlags(in)
	in.Type, _ = r.parseType()
	if r.peekByte() != '[' {
		return // of a block that nothing branches to
	}
	for {
		r.expectByte('[')
		r.addOperand(r.bodyValue(in.Type))
		r.expectByte(',')
		r.addOperand(r.blockValue())
		r.expectByte(']')
		if !r.acceptCommaBefore('[') {
			return
		}
	}
}

// readTail takes alignment, address space and attachments.
func (r *bodyReader) readTail(in *ir.Instruction) {
	space := uint32(0)
	for r.acceptByte(',') {
		switch {
		case r.peekByte() == '!':
			r.readAttachment(in)
		case r.acceptWord("align"):
			in.Align = r.readAlign()
		case r.acceptWord("addrspace"):
			space = r.addressSpace()
		default:
			r.failUnexpected("metadata, 'align' or 'addrspace'")
		}
	}
	if in.Op == ir.OpAlloca {
		in.Type = r.PointerTo(in.Element, space)
	}
}

// readAlign takes the number after "align".
func (r *bodyReader) readAlign() uint64 {
	if r.acceptByte('(') {
		n := r.readInteger()
		r.expectByte(')')
		return n
	}
	return r.readInteger()
}

// readAttachment reads metadata attached to an instruction. !dbg becomes the
// location, as bitcode has a record of its own for it.
func (r *bodyReader) readAttachment(in *ir.Instruction) {
	kind := r.internString(r.attachmentName())
	o := r.decodeMetadata()
	if kind == "dbg" {
		in.Location = r.readLocation(o)
		return
	}
	in.Attachments = append(in.Attachments, ir.Attachment{Kind: kind, Operand: o})
}

// readLocation decodes a DILocation. One location serves many instructions;
// each node is decoded once.
func (r *bodyReader) readLocation(o ir.Operand) *ir.Location {
	if o.Kind == ir.OperandNode {
		if known, ok := r.locations[o.Node]; ok {
			return known
		}
	}
	fields, err := r.text.module.Resolve(o)
	if err != nil {
		r.failAt(r.pos, err.Error())
	}
	found := ir.NewLocation(fields)
	if o.Kind == ir.OperandNode {
		r.locations[o.Node] = found
	}
	return found
}

// readRecord reads a debug record.
func (r *bodyReader) readRecord(in *ir.Instruction) {
	r.expectByte('#')
	in.Op, in.Type = ir.OpDebugRecord, r.InternType(ir.Type{Name: "void"})
	// The record's kind (value, declare, assign, label) is kept in Scope, which
	// records do not use otherwise.
	in.Scope = string(r.readWord()[len("dbg_"):])
	r.expectByte('(')
	r.scratch = r.scratch[:0]
	for more := r.peekByte() != ')'; more; more = r.acceptByte(',') {
		if r.peekByte() == '!' {
			r.addOperand(r.metadataValue())
			continue
		}
		v := r.typedValue()
		r.addOperand(r.addMetadata(ir.MetadataUse{Values: []ir.Value{v}}))
	}
	r.expectByte(')')
	in.Operands = r.body.Values(r.scratch)
	if n := len(in.Operands); n > 0 {
		in.Location = r.readLocation(r.body.Metadata[in.Operands[n-1].Index].Operand)
	}
}
