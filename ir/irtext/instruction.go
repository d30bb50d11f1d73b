package irtext

// opcode groups the instructions by their grammar.
type opcode uint8

const (
	// The parser steps over instructions by these; bodyReader (bodyinstruction.go) reads
	// their operands, and only of bodies that are translated.
	opNone opcode = iota
	opRet
	opBranch
	opSwitch
	opIndirectBranch
	opInvoke
	opCallBranch
	opResume
	opCatchSwitch
	opCatchReturn
	opCleanupReturn
	opUnreachable
	opUnary       // flags, type, value
	opBinary      // flags, type, value, value
	opCast        // flags, type, value, to, type
	opCompare     // flags, type, value, value
	opOperands    // flags, operands with types
	opExtractAt   // extractvalue: operand, indices
	opInsertAt    // insertvalue: operand, operand, indices
	opAllocate    // alloca
	opLoad        // load
	opStore       // store, cmpxchg, atomicrmw: operands and ordering
	opFence       // fence
	opAddress     // getelementptr
	opPhi         // phi
	opCall        // call
	opTail        // tail, musttail, notail
	opVaArg       // va_arg
	opLandingPad  // landingpad
	opFuncletPad  // catchpad, cleanuppad
	opStoreResult // cmpxchg, atomicrmw: as opStore, with a result
)

// opcodeOf returns the instruction that the word begins.
func opcodeOf(w []byte) opcode {
	switch string(w) {
	case "call":
		return opCall
	case "load":
		return opLoad
	case "store":
		return opStore
	case "getelementptr":
		return opAddress
	case "br":
		return opBranch
	case "ret":
		return opRet
	case "tail", "musttail", "notail":
		return opTail
	case "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr",
		"and", "or", "xor", "fadd", "fsub", "fmul", "fdiv", "frem":
		return opBinary
	case "icmp", "fcmp":
		return opCompare
	case "zext", "sext", "trunc", "bitcast", "addrspacecast", "inttoptr", "ptrtoint",
		"ptrtoaddr", "fptrunc", "fpext", "uitofp", "sitofp", "fptoui", "fptosi":
		return opCast
	case "phi":
		return opPhi
	case "fneg", "freeze":
		return opUnary
	case "select", "extractelement", "insertelement", "shufflevector":
		return opOperands
	case "extractvalue":
		return opExtractAt
	case "insertvalue":
		return opInsertAt
	case "alloca":
		return opAllocate
	case "cmpxchg", "atomicrmw":
		return opStoreResult
	case "fence":
		return opFence
	}
	return rareOpcode(w)
}

// rareOpcode looks up the instructions that device code seldom has, after the
// frequent ones.
func rareOpcode(w []byte) opcode {
	switch string(w) {
	case "switch":
		return opSwitch
	case "unreachable":
		return opUnreachable
	case "indirectbr":
		return opIndirectBranch
	case "invoke":
		return opInvoke
	case "callbr":
		return opCallBranch
	case "resume":
		return opResume
	case "catchswitch":
		return opCatchSwitch
	case "catchret":
		return opCatchReturn
	case "cleanupret":
		return opCleanupReturn
	case "va_arg":
		return opVaArg
	case "landingpad":
		return opLandingPad
	case "catchpad", "cleanuppad":
		return opFuncletPad
	}
	return opNone
}

// parseInstruction steps over one instruction and reports whether it ends a block.
func (p *parser) parseInstruction() (terminator bool) {
	start := p.pos
	result, resultPos := p.parseResult()
	p.peekByte()
	wordPos := p.pos
	w := p.readWord()
	op := opcodeOf(w)
	if op == opNone {
		p.failAt(wordPos, "unknown instruction '"+string(w)+"'")
	}
	refs := p.refCount()
	hasResult := p.parseOperation(op)
	p.site.tail = p.pos
	p.instructionTail()
	p.defineResult(result, resultPos, wordPos, hasResult)
	if p.onInstruction != nil {
		// LLVM numbers results without a name, in the order of the text,
		// together with arguments and blocks (LangRef, "Identifiers").
		if resultPos < 0 && hasResult {
			result = name{number: p.locals.next - 1, numbered: true}
		}
		p.site.start, p.site.end, p.site.refs = start, p.endOfToken(), refs
		p.site.result, p.site.hasName = result, resultPos >= 0
		p.onInstruction(&p.site)
	}
	// Terminators have the lowest numbers, for this comparison.
	return op <= opUnreachable
}

// parseResult steps over "%name =".
func (p *parser) parseResult() (n name, pos int) {
	if p.peekByte() != '%' {
		return n, -1
	}
	p.pos++
	pos = p.pos
	n = p.readName()
	p.noteLocalName(pos, n)
	p.expectByte('=')
	return n, pos
}

// defineResult defines the result of an instruction, by name or by the number
// that LLVM gives it.
func (p *parser) defineResult(n name, pos, wordPos int, hasResult bool) {
	switch {
	case pos >= 0 && !hasResult:
		p.failAt(pos-1, "the instruction has no result that could be named")
	case pos >= 0:
		p.locals.defineLocal(p, n, pos-1, false)
	case hasResult:
		p.locals.defineNext(p, wordPos, false)
	}
}

// parseOperation steps over the operands of an instruction and reports whether it
// has a result.
func (p *parser) parseOperation(op opcode) (hasResult bool) {
	switch op {
	case opTail:
		p.expectWord("call")
		return p.parseCall()
	case opCall:
		return p.parseCall()
	case opLoad:
		p.parseLoad()
	case opStore:
		p.memoryOperation()
		return false
	case opStoreResult:
		p.memoryOperation()
	case opAddress:
		p.skipFlags()
		p.skipType()
		p.moreOperands()
	case opBinary, opCompare:
		p.skipFlags()
		p.parseOperand()
		p.expectByte(',')
		p.parseValue()
	case opUnary:
		p.skipFlags()
		p.parseOperand()
	case opCast:
		p.skipFlags()
		p.parseOperand()
		p.expectWord("to")
		p.skipType()
	case opPhi:
		p.parsePhi()
	default:
		return p.rareOperation(op)
	}
	return true
}

// rareOperation steps over the operands of the less frequent instructions.
func (p *parser) rareOperation(op opcode) (hasResult bool) {
	switch op {
	case opOperands:
		p.skipFlags()
		p.parseOperand()
		p.moreOperands()
	case opExtractAt:
		p.parseOperand()
		p.parseIndices()
	case opInsertAt:
		p.parseOperand()
		p.expectByte(',')
		p.parseOperand()
		p.parseIndices()
	case opAllocate:
		p.parseAlloca()
	case opVaArg:
		p.parseOperand()
		p.expectByte(',')
		p.skipType()
	case opLandingPad:
		p.landingPad()
	case opFuncletPad:
		p.parseWithin()
		p.funcletArguments()
	default:
		return p.parseTerminator(op)
	}
	return true
}

// parseTerminator steps over fences and terminators.
func (p *parser) parseTerminator(op opcode) (hasResult bool) {
	switch op {
	case opFence:
		p.parseOrdering()
	case opRet:
		if p.skipType() != shapeVoid {
			p.parseValue()
		}
	case opBranch:
		p.parseBranch()
	case opSwitch:
		p.switchTable()
	case opIndirectBranch:
		p.parseOperand()
		p.expectByte(',')
		p.labelList()
	case opInvoke:
		return p.parseInvoke()
	case opCallBranch:
		return p.callBranch()
	case opResume:
		p.parseOperand()
	// The funclet instructions of Windows exceptions: device code has none, but
	// a module must not fail because a function that no image keeps has them.
	case opCatchSwitch:
		p.parseWithin()
		p.labelList()
		p.parseUnwind()
		return true
	case opCatchReturn:
		p.expectWord("from")
		p.parseValue()
		p.expectWord("to")
		p.parseOperand()
	case opCleanupReturn:
		p.expectWord("from")
		p.parseValue()
		p.parseUnwind()
	case opUnreachable:
	}
	return false
}

// instructionTail steps over the parts after commas at the end:
// alignment, address space, attachments.
func (p *parser) instructionTail() {
	for p.acceptByte(',') {
		if p.peekByte() == '!' {
			p.parseAttachment()
			continue
		}
		p.alignOrSpace()
	}
}

// alignOrSpace steps over an alignment, an address space or metadata after the
// operands of a memory instruction.
func (p *parser) alignOrSpace() {
	switch {
	case p.acceptWord("align"):
		p.parseAlign()
	case p.acceptWord("addrspace"):
		p.addressSpace()
	default:
		p.failUnexpected("metadata, 'align' or 'addrspace'")
	}
}

// moreOperands steps over ", operand" as often as that follows. A comma before
// metadata is the tail's: the grammar has no other sign for the end of the
// operands.
func (p *parser) moreOperands() {
	for p.peekByte() == ',' {
		start := p.pos
		p.pos++
		if p.peekByte() == '!' {
			p.pos = start
			return
		}
		p.acceptWord("inrange")
		p.parseOperand()
	}
}

// parseIndices steps over ", number" as often as that follows.
func (p *parser) parseIndices() {
	for p.peekByte() == ',' {
		start := p.pos
		p.pos++
		if class[p.peekByte()]&classDigit == 0 {
			p.pos = start
			return
		}
		p.readInteger()
	}
}

// parseLoad steps over flags, type, pointer and ordering. Loads without a type, as LLVM
// before 3.7 printed them, are not accepted.
func (p *parser) parseLoad() {
	p.skipFlags()
	p.skipType()
	p.expectByte(',')
	p.parseOperand()
	p.parseOrdering()
}

// memoryOperation steps over flags, operands and ordering. The words of an
// atomicrmw (its operation) are stepped over as flags.
func (p *parser) memoryOperation() {
	p.skipFlags()
	p.parseOperand()
	for p.peekByte() == ',' {
		start := p.pos
		p.pos++
		if !p.startsType() {
			p.pos = start
			break
		}
		p.parseOperand()
	}
	p.parseOrdering()
}

// parseOrdering steps over syncscope("...") and memory orderings.
func (p *parser) parseOrdering() {
	for class[p.peekByte()]&classLetter != 0 {
		w := p.peekWord()
		switch string(w) {
		case "syncscope":
			p.pos += len(w)
			p.expectByte('(')
			p.readQuoted()
			p.expectByte(')')
		// cmpxchg has two orderings, the others one; how many there are is not
		// checked here.
		case "unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst":
			p.pos += len(w)
		default:
			return
		}
	}
}

// parsePhi steps over a phi, whose values may be defined later.
func (p *parser) parsePhi() {
	p.skipFlags()
	p.skipType()
	if p.peekByte() != '[' {
		return // of a block that nothing branches to
	}
	for {
		p.expectByte('[')
		p.parseValue()
		p.expectByte(',')
		p.parseLabel()
		p.expectByte(']')
		if !p.acceptCommaBefore('[') {
			return
		}
	}
}

// acceptCommaBefore steps over a comma if the byte c follows it.
func (p *parser) acceptCommaBefore(c byte) bool {
	if p.peekByte() != ',' {
		return false
	}
	start := p.pos
	p.pos++
	if p.peekByte() == c {
		return true
	}
	p.pos = start
	return false
}

// parseAlloca steps over an alloca up to its alignment.
func (p *parser) parseAlloca() {
	p.skipFlags() // inalloca, swifterror
	p.skipType()
	if p.peekByte() != ',' {
		return
	}
	start := p.pos
	p.pos++
	if !p.startsType() {
		p.pos = start
		return
	}
	p.parseOperand()
}

// parseBranch steps over `br label %a` or `br i1 %c, label %a, label %b`.
func (p *parser) parseBranch() {
	if p.skipType() == shapeLabel {
		p.parseLabel()
		return
	}
	p.parseValue()
	p.expectByte(',')
	p.operandLabel()
	p.expectByte(',')
	p.operandLabel()
}

// operandLabel steps over "label %name".
func (p *parser) operandLabel() {
	p.expectWord("label")
	p.parseLabel()
}

// switchTable steps over the cases of a switch.
func (p *parser) switchTable() {
	p.parseOperand()
	p.expectByte(',')
	p.operandLabel()
	p.expectByte('[')
	for !p.acceptByte(']') {
		p.parseOperand()
		p.expectByte(',')
		p.operandLabel()
	}
}

// labelList steps over labels in brackets.
func (p *parser) labelList() {
	p.expectByte('[')
	for more := p.peekByte() != ']'; more; more = p.acceptByte(',') {
		p.operandLabel()
	}
	p.expectByte(']')
}

// parseInvoke steps over an invoke: a call, then where it continues and where
// it unwinds to.
func (p *parser) parseInvoke() bool {
	hasResult := p.parseCall()
	p.expectWord("to")
	p.operandLabel()
	p.expectWord("unwind")
	p.operandLabel()
	return hasResult
}

// callBranch steps over a callbr: a call, then where it continues and where
// the assembly may jump to.
func (p *parser) callBranch() bool {
	hasResult := p.parseCall()
	p.expectWord("to")
	p.operandLabel()
	p.labelList()
	return hasResult
}

// parseWithin steps over "within" and the token after it.
func (p *parser) parseWithin() {
	p.expectWord("within")
	p.parseValue()
}

// parseUnwind steps over "unwind to caller" or "unwind label %name".
func (p *parser) parseUnwind() {
	p.expectWord("unwind")
	if p.acceptWord("to") {
		p.expectWord("caller")
		return
	}
	p.operandLabel()
}

// landingPad steps over the clauses of a landing pad.
func (p *parser) landingPad() {
	p.skipType()
	p.acceptWord("cleanup")
	for p.acceptWord("catch") || p.acceptWord("filter") {
		p.parseOperand()
	}
}

// funcletArguments steps over the arguments of a catchpad or cleanuppad.
func (p *parser) funcletArguments() {
	p.expectByte('[')
	for more := p.peekByte() != ']'; more; more = p.acceptByte(',') {
		if p.skipType() == shapeMetadata {
			p.metadataOperand()
			continue
		}
		p.parseValue()
	}
	p.expectByte(']')
}
