package irtext

// opcode groups the instructions by their grammar.
type opcode uint8

const (
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

// instruction steps over one instruction and reports whether it ends a block.
func (p *parser) instruction() (terminator bool) {
	start := p.pos
	result, resultPos := p.result()
	p.peek()
	wordPos := p.pos
	w := p.word()
	op := opcodeOf(w)
	if op == opNone {
		p.fail(wordPos, "unknown instruction '"+string(w)+"'")
	}
	p.site.direct = false
	refs := p.refCount()
	hasResult := p.operation(op)
	p.site.tail = p.pos
	p.instructionTail()
	p.defineResult(result, resultPos, wordPos, hasResult)
	if p.onInstruction != nil {
		if resultPos < 0 && hasResult {
			result = name{number: p.locals.next - 1, numbered: true}
		}
		p.onInstruction(&instructionSite{
			op: op, start: start, word: wordPos, tail: p.site.tail, end: p.end(), refs: refs,
			direct: p.site.direct, callee: p.site.callee, result: result, hasResult: hasResult,
		})
	}
	if p.onCall != nil && p.site.direct {
		p.site.start, p.site.end, p.site.refs = start, p.end(), refs
		p.site.result, p.site.hasName = result, resultPos >= 0
		p.site.number = p.locals.next - 1
		p.onCall(&p.site)
	}
	return op <= opUnreachable
}

// result steps over "%name =".
func (p *parser) result() (n name, pos int) {
	if p.peek() != '%' {
		return n, -1
	}
	p.pos++
	pos = p.pos
	n = p.name()
	p.observe(pos, n, true)
	p.expect('=')
	return n, pos
}

func (p *parser) defineResult(n name, pos, wordPos int, hasResult bool) {
	switch {
	case pos >= 0 && !hasResult:
		p.fail(pos-1, "the instruction has no result that could be named")
	case pos >= 0:
		p.locals.define(p, n, pos-1, false)
	case hasResult:
		p.locals.defineNext(p, wordPos, false)
	}
}

// operation steps over the operands of an instruction and reports whether it
// has a result.
func (p *parser) operation(op opcode) (hasResult bool) {
	switch op {
	case opTail:
		p.expectWord("call")
		return p.call()
	case opCall:
		return p.call()
	case opLoad:
		p.load()
	case opStore:
		p.memoryOperation()
		return false
	case opStoreResult:
		p.memoryOperation()
	case opAddress:
		p.flags()
		p.skipType()
		p.moreOperands()
	case opBinary, opCompare:
		p.flags()
		p.operand()
		p.expect(',')
		p.value()
	case opUnary:
		p.flags()
		p.operand()
	case opCast:
		p.flags()
		p.operand()
		p.expectWord("to")
		p.skipType()
	case opPhi:
		p.phi()
	default:
		return p.rareOperation(op)
	}
	return true
}

func (p *parser) rareOperation(op opcode) (hasResult bool) {
	switch op {
	case opOperands:
		p.flags()
		p.operand()
		p.moreOperands()
	case opExtractAt:
		p.operand()
		p.indices()
	case opInsertAt:
		p.operand()
		p.expect(',')
		p.operand()
		p.indices()
	case opAllocate:
		p.allocate()
	case opVaArg:
		p.operand()
		p.expect(',')
		p.skipType()
	case opLandingPad:
		p.landingPad()
	case opFuncletPad:
		p.within()
		p.funcletArguments()
	default:
		return p.control(op)
	}
	return true
}

// control steps over fences and terminators.
func (p *parser) control(op opcode) (hasResult bool) {
	switch op {
	case opFence:
		p.ordering()
	case opRet:
		if p.skipType() != shapeVoid {
			p.value()
		}
	case opBranch:
		p.branch()
	case opSwitch:
		p.switchTable()
	case opIndirectBranch:
		p.operand()
		p.expect(',')
		p.labelList()
	case opInvoke:
		return p.invoke()
	case opCallBranch:
		return p.callBranch()
	case opResume:
		p.operand()
	case opCatchSwitch:
		p.within()
		p.labelList()
		p.unwind()
		return true
	case opCatchReturn:
		p.expectWord("from")
		p.value()
		p.expectWord("to")
		p.operand()
	case opCleanupReturn:
		p.expectWord("from")
		p.value()
		p.unwind()
	case opUnreachable:
	}
	return false
}

// instructionTail steps over the parts after commas at the end:
// alignment, address space, attachments.
func (p *parser) instructionTail() {
	for p.accept(',') {
		if p.peek() == '!' {
			p.attachment()
			continue
		}
		p.alignOrSpace()
	}
}

func (p *parser) alignOrSpace() {
	switch {
	case p.acceptWord("align"):
		p.align()
	case p.acceptWord("addrspace"):
		p.addressSpace()
	default:
		p.unexpected("metadata, 'align' or 'addrspace'")
	}
}

// moreOperands steps over ", operand" as often as that follows.
func (p *parser) moreOperands() {
	for p.peek() == ',' {
		start := p.pos
		p.pos++
		if p.peek() == '!' {
			p.pos = start
			return
		}
		p.acceptWord("inrange")
		p.operand()
	}
}

// indices steps over ", number" as often as that follows.
func (p *parser) indices() {
	for p.peek() == ',' {
		start := p.pos
		p.pos++
		if class[p.peek()]&classDigit == 0 {
			p.pos = start
			return
		}
		p.integer()
	}
}

// load steps over flags, type, pointer and ordering. Loads without a type, as LLVM
// before 3.7 printed them, are not accepted.
func (p *parser) load() {
	p.flags()
	p.skipType()
	p.expect(',')
	p.operand()
	p.ordering()
}

// memoryOperation steps over flags, operands and ordering.
func (p *parser) memoryOperation() {
	p.flags()
	p.operand()
	for p.peek() == ',' {
		start := p.pos
		p.pos++
		if !p.startsType() {
			p.pos = start
			break
		}
		p.operand()
	}
	p.ordering()
}

// ordering steps over syncscope("...") and memory orderings.
func (p *parser) ordering() {
	for class[p.peek()]&classLetter != 0 {
		w := p.peekWord()
		switch string(w) {
		case "syncscope":
			p.pos += len(w)
			p.expect('(')
			p.quoted()
			p.expect(')')
		case "unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst":
			p.pos += len(w)
		default:
			return
		}
	}
}

func (p *parser) phi() {
	p.flags()
	p.skipType()
	if p.peek() != '[' {
		return // of a block that nothing branches to
	}
	for {
		p.expect('[')
		p.value()
		p.expect(',')
		p.label()
		p.expect(']')
		if !p.acceptCommaBefore('[') {
			return
		}
	}
}

// acceptCommaBefore steps over a comma if the byte c follows it.
func (p *parser) acceptCommaBefore(c byte) bool {
	if p.peek() != ',' {
		return false
	}
	start := p.pos
	p.pos++
	if p.peek() == c {
		return true
	}
	p.pos = start
	return false
}

func (p *parser) allocate() {
	p.flags() // inalloca, swifterror
	p.skipType()
	if p.peek() != ',' {
		return
	}
	start := p.pos
	p.pos++
	if !p.startsType() {
		p.pos = start
		return
	}
	p.operand()
}

func (p *parser) branch() {
	if p.skipType() == shapeLabel {
		p.label()
		return
	}
	p.value()
	p.expect(',')
	p.operandLabel()
	p.expect(',')
	p.operandLabel()
}

// operandLabel steps over "label %name".
func (p *parser) operandLabel() {
	p.expectWord("label")
	p.label()
}

func (p *parser) switchTable() {
	p.operand()
	p.expect(',')
	p.operandLabel()
	p.expect('[')
	for !p.accept(']') {
		p.operand()
		p.expect(',')
		p.operandLabel()
	}
}

func (p *parser) labelList() {
	p.expect('[')
	for more := p.peek() != ']'; more; more = p.accept(',') {
		p.operandLabel()
	}
	p.expect(']')
}

func (p *parser) invoke() bool {
	hasResult := p.call()
	p.expectWord("to")
	p.operandLabel()
	p.expectWord("unwind")
	p.operandLabel()
	return hasResult
}

func (p *parser) callBranch() bool {
	hasResult := p.call()
	p.expectWord("to")
	p.operandLabel()
	p.labelList()
	return hasResult
}

// within steps over "within" and the token after it.
func (p *parser) within() {
	p.expectWord("within")
	p.value()
}

// unwind steps over "unwind to caller" or "unwind label %name".
func (p *parser) unwind() {
	p.expectWord("unwind")
	if p.acceptWord("to") {
		p.expectWord("caller")
		return
	}
	p.operandLabel()
}

func (p *parser) landingPad() {
	p.skipType()
	p.acceptWord("cleanup")
	for p.acceptWord("catch") || p.acceptWord("filter") {
		p.operand()
	}
}

func (p *parser) funcletArguments() {
	p.expect('[')
	for more := p.peek() != ']'; more; more = p.accept(',') {
		if p.skipType() == shapeMetadata {
			p.metadataOperand()
			continue
		}
		p.value()
	}
	p.expect(']')
}
