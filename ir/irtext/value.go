package irtext

import "offlink/ir"

// parseOperand steps over a type and a value of that type.
func (p *parser) parseOperand() {
	switch shape := p.skipType(); shape {
	case shapeMetadata:
		p.metadataOperand()
	case shapeLabel:
		p.parseLabel()
	default:
		p.parseValue()
	}
}

// parseValue steps over a constant or a local value; its type has been read.
func (p *parser) parseValue() {
	switch c := p.peekByte(); {
	case c == '%':
		p.localUse(false)
	case c == '@':
		p.globalUse(ir.RefAddress)
	case class[c]&classDigit != 0, c == '-', c == '+':
		p.numberValue()
	case c == '[':
		p.pos++
		p.operandList(']')
	case c == '{':
		p.pos++
		p.operandList('}')
	case c == '<':
		p.vectorValue()
	case class[c]&classLetter != 0:
		p.wordValue()
	default:
		p.failUnexpected("a value")
	}
}

// numberValue steps over a number. C libraries print the payload of a NaN in parentheses.
func (p *parser) numberValue() {
	p.readNumber()
	if p.byteAt(0) == '(' && class[p.data[p.pos-1]]&classDigit == 0 {
		p.skipBalanced() // -nan(0x1)
	}
}

// operandList steps over operands up to the closing byte. A list without operands is a zero-length
// array or an empty struct.
func (p *parser) operandList(closing byte) {
	p.enterNesting()
	for more := p.peekByte() != closing; more; more = p.acceptByte(',') {
		p.parseOperand()
	}
	p.expectByte(closing)
	p.leaveNesting()
}

// vectorValue steps over <...>, a vector, and <{...}>, a packed struct.
func (p *parser) vectorValue() {
	p.expectByte('<')
	if p.acceptByte('{') {
		p.operandList('}')
		p.expectByte('>')
		return
	}
	p.operandList('>')
}

// wordValue steps over a constant that begins with a letter.
func (p *parser) wordValue() {
	start := p.pos
	w := p.readWord()
	switch string(w) {
	case "null", "true", "false", "undef", "poison", "zeroinitializer", "none":
		return
	case "c":
		p.readQuoted()
		return
	case "asm":
		p.inlineAsm()
		return
	case "blockaddress":
		p.blockAddress()
		return
	case "dso_local_equivalent", "no_cfi":
		p.globalUse(ir.RefAddress)
		return
	}
	if hexWord(w) {
		return
	}
	if isConstantExpression(w) {
		p.constantExpression()
		return
	}
	p.failAt(start, "expected a value, found '"+string(w)+"'")
}

// hexWord reports whether the word is a number in the form u0x1F, s0x1F or f0x1F.
func hexWord(w []byte) bool {
	return len(w) > 3 && (w[0] == 'u' || w[0] == 's' || w[0] == 'f') && w[1] == '0' && w[2] == 'x'
}

// inlineAsm steps over inline assembly. Its text may name any symbol; a module that does this for
// global values lists them in llvm.used.
func (p *parser) inlineAsm() {
	for p.peekByte() != '"' {
		p.readWord() // sideeffect, alignstack, inteldialect, unwind
	}
	p.readQuoted()
	p.expectByte(',')
	p.readQuoted()
}

// blockAddress parses `blockaddress(@f, %label)`. It is a reference to the function, whose body
// must then stay with it. The label is checked once the function has been read.
func (p *parser) blockAddress() {
	p.expectByte('(')
	function, resolved := p.globalUse(ir.RefAddress)
	p.expectByte(',')
	p.peekByte()
	start := p.pos
	p.expectByte('%')
	label := p.readName()
	p.expectByte(')')
	if resolved {
		p.labels = append(p.labels, labelUse{function, label, start})
	}
}

// isConstantExpression reports whether the word begins a constant expression: word, flags, operands
// in parentheses.
func isConstantExpression(w []byte) bool {
	switch string(w) {
	case "getelementptr", "bitcast", "addrspacecast", "inttoptr", "ptrtoint", "ptrtoaddr",
		"trunc", "zext", "sext", "fptrunc", "fpext", "uitofp", "sitofp", "fptoui", "fptosi",
		"select", "icmp", "fcmp", "extractelement", "insertelement", "shufflevector",
		"extractvalue", "insertvalue", "add", "sub", "mul", "udiv", "sdiv", "urem", "srem",
		"shl", "lshr", "ashr", "and", "or", "xor", "fadd", "fsub", "fmul", "fdiv", "frem",
		"fneg", "splat", "ptrauth":
		return true
	}
	return false
}

// constantExpression steps over the flags and operands of a constant expression.
func (p *parser) constantExpression() {
	p.enterNesting()
	for class[p.peekByte()]&classLetter != 0 {
		if string(p.readWord()) == "inrange" {
			p.peekByte()
			p.skipBalanced() // the bounds of a getelementptr: inrange(-8, 16)
		}
	}
	p.expectByte('(')
	for more := p.peekByte() != ')'; more; more = p.acceptByte(',') {
		p.expressionOperand()
	}
	p.expectByte(')')
	p.leaveNesting()
}

// expressionOperand steps over one operand of a constant expression: a type, an index, or a type
// and a value, perhaps followed by a type to convert to.
func (p *parser) expressionOperand() {
	p.acceptWord("inrange")
	if c := p.peekByte(); class[c]&classDigit != 0 {
		p.readInteger()
		return
	}
	p.skipType()
	switch p.peekByte() {
	case ',', ')':
		return
	}
	p.parseValue()
	if p.acceptWord("to") {
		p.skipType()
	}
}

// localUse steps over the use of a local value or label. Without a table of locals, as in an
// initialiser, it is a fault.
func (p *parser) localUse(label bool) {
	p.expectByte('%')
	start := p.pos
	n := p.readName()
	if p.locals == nil {
		if p.resolve {
			p.failAt(start-1, "local value outside of a function")
		}
		return
	}
	p.noteLocalName(start, n)
	p.locals.useLocal(p, n, start, label)
}

// parseLabel steps over the name of a block after "label".
func (p *parser) parseLabel() { p.localUse(true) }
