package irtext

import "offlink/ir"

// parseBody steps over the body of a function, whose parameters are defined in p.locals. It returns
// where the use-list orders at its end begin, or 0. The body is checked as far as a split relies on
// it: blocks end in terminators, names are defined, references are known. Types of operands are not
// compared, as LLVM's verifier does that.
func (p *parser) parseBody() (cut int) {
	start := p.pos
	p.expectByte('{')
	open, blocks := false, 0 // the block being parsed has no terminator yet
	for p.peekByte() != '}' && cut == 0 {
		switch n, pos, isLabel := p.blockLabel(); {
		case isLabel && open:
			p.failAt(pos, "expected a terminator before the label")
		case isLabel:
			p.locals.defineLocal(p, n, pos, true)
			open, blocks = true, blocks+1
		case !open && p.acceptWord("uselistorder"):
			cut = p.useListOrders(p.pos - len("uselistorder"))
		default:
			if !open {
				p.locals.defineNext(p, p.pos, true)
				blocks++
			}
			open = !p.parseStatement()
		}
	}
	if open {
		p.failUnexpected("an instruction (the block has no terminator)")
	}
	if blocks == 0 {
		p.failAt(start, "function body without blocks")
	}
	p.expectByte('}')
	return cut
}

// parseStatement steps over an instruction or debug record and reports whether it ends a block.
func (p *parser) parseStatement() (terminator bool) {
	if p.peekByte() == '#' {
		p.debugRecord()
		return false
	}
	return p.parseInstruction()
}

// blockLabel steps over "name:", if that is next. Until the colon, a label looks like the first
// word of an instruction.
func (p *parser) blockLabel() (n name, pos int, ok bool) {
	c := p.peekByte()
	pos = p.pos
	switch {
	case c == '"':
		n = p.readName()
	case class[c]&classWord != 0:
		end := pos + 1
		for end < len(p.data) && class[p.data[end]]&classWord != 0 {
			end++
		}
		if end >= len(p.data) || p.data[end] != ':' {
			return n, pos, false
		}
		n = p.labelName(end)
	default:
		return n, pos, false
	}
	p.noteLocalName(pos, n)
	if p.byteAt(0) != ':' {
		p.failUnexpected("':'")
	}
	p.pos++
	return n, pos, true
}

// labelName steps over a bare label. A label of digits only is a number.
func (p *parser) labelName(end int) name {
	text := p.data[p.pos:end]
	for _, c := range text {
		if class[c]&classDigit == 0 {
			p.pos = end
			return name{text: text}
		}
	}
	return name{number: p.number32(), numbered: true}
}

// useListOrders steps over the directives at the end of a body and returns where they start. They
// state in which order LLVM holds the uses of a value (Language Reference, "Use-list Order
// Directives"), which only matters to a reader that wants LLVM's memory back bit by bit. A
// partition has fewer uses, so its text is cut there.
func (p *parser) useListOrders(start int) int {
	p.useListOrder()
	for p.acceptWord("uselistorder") {
		p.useListOrder()
	}
	if p.peekByte() != '}' {
		p.failUnexpected("'}'")
	}
	return start
}

// useListOrder steps over the operands of "uselistorder".
func (p *parser) useListOrder() {
	p.withoutNodes(p.parseOperand)
	p.expectByte(',')
	p.indexList()
}

// useListOrderBlock steps over the operands of "uselistorder_bb".
func (p *parser) useListOrderBlock() {
	p.expectByte('@')
	p.readName()
	p.expectByte(',')
	p.expectByte('%')
	p.readName()
	p.expectByte(',')
	p.indexList()
}

// indexList steps over `{ 0, 1, ... }` of a use-list order.
func (p *parser) indexList() {
	p.expectByte('{')
	for more := true; more; more = p.acceptByte(',') {
		p.readInteger()
	}
	p.expectByte('}')
}

// parseCall steps over a call from its calling convention on, up to its attributes. It returns
// whether the call has a result: if so, the instruction may take the next number, and all later
// numbers of the body depend on that.
func (p *parser) parseCall() (hasResult bool) {
	p.resultAttributes()
	p.peekByte()
	result := p.pos
	shape := p.skipType()
	hasResult = shape != shapeVoid
	if shape == shapeFunction {
		hasResult = p.functionResult(result)
	}
	typeEnd := p.endOfToken()
	direct := p.parseCallee()
	p.peekByte()
	p.site.arguments = p.pos
	p.parseArguments()
	if p.undeclared != nil {
		p.noteIntrinsic(result, typeEnd, shape == shapeFunction)
	}
	if !direct && p.resolve && p.refs != nil {
		p.noteIndirect(result, shape == shapeFunction)
	}
	p.callAttributes()
	return hasResult
}

// functionResult reports whether the function type at pos has a result.
func (p *parser) functionResult(pos int) bool {
	ahead := parser{scanner: scanner{data: p.data, pos: pos}}
	if ahead.peekByte() == '%' {
		if t, ok := p.namedFunction(pos); ok {
			r := &p.text.module.Types[t.Elements[0]]
			return r.Kind != ir.TypeOther || r.Name != "void"
		}
	}
	if _, shape := ahead.baseType(); shape != shapeVoid || ahead.peekByte() != '(' {
		return true
	}
	// `void ()` has none. With typed pointers `void ()* (i32)` has: the first parameters are
	// those of the function that the result points to.
	ahead.skipBalanced()
	c := ahead.peekByte()
	return c == '*' || c == '(' || ahead.acceptWord("addrspace")
}

// namedFunction returns the function type of the name at pos, if that name is the whole type there.
func (p *parser) namedFunction(pos int) (*ir.Type, bool) {
	ahead := scanner{data: p.data, pos: pos + 1}
	id, ok := p.text.lookupType(ahead.readName())
	if c := ahead.peekByte(); !ok || c == '*' || c == '(' || !p.text.module.Types[id].Alias {
		return nil, false
	}
	t := &p.text.module.Types[id]
	return t, t.Kind == ir.TypeFunction
}

// parseCallee steps over the callee. It returns false if the callee is not known, that is, neither
// a function nor inline assembly.
func (p *parser) parseCallee() (known bool) {
	switch c := p.peekByte(); {
	case c == '@':
		p.globalUse(ir.RefCallee)
		return true
	case c == '%':
		p.localUse(false)
		return false
	case p.acceptWord("asm"):
		p.inlineAsm()
		return true
	}
	p.parseValue()
	return false
}

// parseArguments steps over the arguments of a call.
func (p *parser) parseArguments() {
	p.argTypes = p.argTypes[:0]
	p.expectByte('(')
	for more := p.peekByte() != ')'; more; more = p.acceptByte(',') {
		if p.acceptDots() {
			break
		}
		p.peekByte()
		p.argTypes = append(p.argTypes, p.pos)
		p.parseArgument()
	}
	p.expectByte(')')
}

// parseArgument steps over an argument. It looks for attributes only if the next byte cannot begin
// a value, as most arguments have none.
func (p *parser) parseArgument() {
	if p.skipType() == shapeMetadata {
		p.metadataOperand()
		return
	}
	if c := p.peekByte(); c != '%' && c != '@' && class[c]&classDigit == 0 {
		p.valueAttributes(true)
	}
	p.parseValue()
}

// noteIndirect notes a call without known callee. The types of its arguments are needed to match it
// with functions whose address is taken. They are built after the second pass, as its workers must
// not add types.
func (p *parser) noteIndirect(result int, functionType bool) {
	call := indirectCall{caller: p.function, result: result}
	if !functionType {
		call.args = append([]int{}, p.argTypes...)
	}
	p.indirects = append(p.indirects, call)
}

// callAttributes steps over function attributes and operand bundles after the arguments of a call.
// Instructions have no end mark: a label, an opcode, the `to` of an invoke or a use-list order ends
// the attributes.
func (p *parser) callAttributes() {
	for {
		switch c := p.peekByte(); {
		case c == '#' && class[p.byteAt(1)]&classDigit != 0:
			p.groupUse()
		case c == '"':
			if p.quotedLabel() {
				return
			}
			p.skipStringAttribute()
		case c == '[':
			p.operandBundles()
		case class[c]&classLetter != 0:
			w := p.peekWord()
			if p.byteAt(len(w)) == ':' || opcodeOf(w) != opNone || string(w) == "to" || string(w) == "uselistorder" {
				return
			}
			if !attributeFollows(w) {
				p.failUnexpected("an instruction")
			}
			p.pos += len(w)
			p.wordAttribute(w)
		default:
			return
		}
	}
}

// quotedLabel reports whether the string that is next is a label: labels may be quoted, as string
// attributes are.
func (p *parser) quotedLabel() bool {
	ahead := p.scanner
	ahead.readQuoted()
	return ahead.byteAt(0) == ':'
}

// operandBundles steps over [ "tag"(operands), ... ].
func (p *parser) operandBundles() {
	p.expectByte('[')
	for more := p.peekByte() != ']'; more; more = p.acceptByte(',') {
		p.readQuoted()
		p.expectByte('(')
		for more := p.peekByte() != ')'; more; more = p.acceptByte(',') {
			p.parseOperand()
		}
		p.expectByte(')')
	}
	p.expectByte(']')
}
