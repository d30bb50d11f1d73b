package irtext

import "offlink/ir"

// operand steps over a type and a value of that type.
func (p *parser) operand() {
	switch shape := p.skipType(); shape {
	case shapeMetadata:
		p.metadataOperand()
	case shapeLabel:
		p.label()
	default:
		p.value()
	}
}

// value steps over a constant or a local value; its type has been read.
func (p *parser) value() {
	switch c := p.peek(); {
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
		p.unexpected("a value")
	}
}

func (p *parser) numberValue() {
	p.number()
	if p.at(0) == '(' && class[p.data[p.pos-1]]&classDigit == 0 {
		p.skipBalanced() // -nan(0x1)
	}
}

// operandList steps over operands up to the closing byte.
func (p *parser) operandList(closing byte) {
	p.enter()
	for more := p.peek() != closing; more; more = p.accept(',') {
		p.operand()
	}
	p.expect(closing)
	p.leave()
}

// vectorValue steps over <...>, a vector, and <{...}>, a packed struct.
func (p *parser) vectorValue() {
	p.expect('<')
	if p.accept('{') {
		p.operandList('}')
		p.expect('>')
		return
	}
	p.operandList('>')
}

func (p *parser) wordValue() {
	start := p.pos
	w := p.word()
	switch string(w) {
	case "null", "true", "false", "undef", "poison", "zeroinitializer", "none":
		return
	case "c":
		p.quoted()
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
	p.fail(start, "expected a value, found '"+string(w)+"'")
}

// hexWord reports whether the word is a number in the form u0x1F, s0x1F or
// f0x1F.
func hexWord(w []byte) bool {
	return len(w) > 3 && (w[0] == 'u' || w[0] == 's' || w[0] == 'f') && w[1] == '0' && w[2] == 'x'
}

func (p *parser) inlineAsm() {
	for p.peek() != '"' {
		p.word() // sideeffect, alignstack, inteldialect, unwind
	}
	p.quoted()
	p.expect(',')
	p.quoted()
}

func (p *parser) blockAddress() {
	p.expect('(')
	function, resolved := p.globalUse(ir.RefAddress)
	p.expect(',')
	p.peek()
	start := p.pos
	p.expect('%')
	label := p.name()
	p.expect(')')
	if resolved {
		p.labels = append(p.labels, labelUse{function, label, start})
	}
}

// isConstantExpression reports whether the word begins a constant expression:
// word, flags, operands in parentheses.
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

// constantExpression steps over the flags and operands of a constant
// expression.
func (p *parser) constantExpression() {
	p.enter()
	for class[p.peek()]&classLetter != 0 {
		if string(p.word()) == "inrange" {
			p.peek()
			p.skipBalanced() // the bounds of a getelementptr: inrange(-8, 16)
		}
	}
	p.expect('(')
	for more := p.peek() != ')'; more; more = p.accept(',') {
		p.expressionOperand()
	}
	p.expect(')')
	p.leave()
}

// expressionOperand steps over one operand of a constant expression: a type,
// an index, or a type and a value, and a type to convert to.
func (p *parser) expressionOperand() {
	p.acceptWord("inrange")
	if c := p.peek(); class[c]&classDigit != 0 {
		p.integer()
		return
	}
	p.skipType()
	switch p.peek() {
	case ',', ')':
		return
	}
	p.value()
	if p.acceptWord("to") {
		p.skipType()
	}
}

// localUse steps over the use of a local value or label.
func (p *parser) localUse(label bool) {
	p.expect('%')
	start := p.pos
	n := p.name()
	if p.locals == nil {
		if p.resolve {
			p.fail(start-1, "local value outside of a function")
		}
		return
	}
	p.observe(start, n, false)
	p.locals.use(p, n, start, label)
}

// label steps over the name of a block after "label".
func (p *parser) label() { p.localUse(true) }
