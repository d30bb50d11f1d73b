package irtext

import "offlink/ir"

// metadataOperand steps over a value of type metadata: metadata, or a typed
// value that stands for metadata.
func (p *parser) metadataOperand() {
	if p.peekByte() == '!' {
		p.parseMetadata()
		return
	}
	p.parseOperand()
}

// parseMetadata steps over a node's number, a string, or metadata in place. A name and parentheses
// are a specialised node in place, such as !DIExpression(...). LLVM prints expressions and argument
// lists like this, and accepts any node.
func (p *parser) parseMetadata() {
	p.expectByte('!')
	switch c := p.peekByte(); {
	case class[c]&classDigit != 0:
		p.nodeUse()
	case c == '"':
		p.readQuoted()
	case c == '{':
		p.metadataList()
	default:
		p.metadataName()
		p.parseFields()
	}
}

// metadataList steps over the elements of a tuple.
func (p *parser) metadataList() {
	p.enterNesting()
	p.expectByte('{')
	for more := p.peekByte() != '}'; more; more = p.acceptByte(',') {
		p.metadataElement()
	}
	p.expectByte('}')
	p.leaveNesting()
}

// metadataElement steps over an element of a tuple.
func (p *parser) metadataElement() {
	switch {
	case p.peekByte() == '!':
		p.parseMetadata()
	case p.acceptWord("null"):
	default:
		start := p.pos
		p.parseOperand()
		p.noteOperand(start)
	}
}

// noteOperand notes the typed operand that ends here. If the value is not in a partition, its
// writer has to replace the whole operand, type and value, by null.
func (p *parser) noteOperand(start int) {
	if p.operands != nil {
		*p.operands = append(*p.operands, p.spanFrom(start))
	}
}

// parseFields steps over the fields of a specialised node, or the elements of an
// expression or list, in parentheses.
func (p *parser) parseFields() {
	p.enterNesting()
	p.expectByte('(')
	for more := p.peekByte() != ')'; more; more = p.acceptByte(',') {
		p.parseField()
	}
	p.expectByte(')')
	p.leaveNesting()
}

// parseField steps over "name: value" or a value. The fields are not compared with those of the
// node's kind: a node of a newer LLVM is copied whether or not its fields are known (ir/llvmschema
// has those that matter).
func (p *parser) parseField() {
	if w := p.peekWord(); w != nil && p.byteAt(len(w)) == ':' {
		p.pos += len(w) + 1
	}
	switch c := p.peekByte(); {
	case c == '!':
		p.parseMetadata()
	case c == '"':
		p.readQuoted()
	case class[c]&classDigit != 0, c == '-', c == '+':
		p.readNumber()
	case c == '{' && p.startsList():
		p.metadataList()
	case p.startsType():
		p.fieldValue()
	default:
		p.fieldWords()
	}
}

// fieldWords steps over words joined by '|', which may have parentheses
// (DIOpArg(0, ptr)).
func (p *parser) fieldWords() {
	for {
		if class[p.peekByte()]&classDigit != 0 { // a flag without a name
			p.readNumber()
		} else {
			p.readWord()
		}
		if p.byteAt(0) == '(' {
			p.parseFields()
		}
		if !p.acceptByte('|') {
			return
		}
	}
}

// startsList tells the metadata list of a GenericDINode from a struct type. `{}` is taken for the
// list, as no field has an empty struct.
func (p *parser) startsList() bool {
	ahead := parser{scanner: p.scanner}
	ahead.pos++
	c := ahead.peekByte()
	return c == '!' || c == '}' || string(ahead.peekWord()) == "null"
}

// fieldValue steps over a type and the value that may follow it.
func (p *parser) fieldValue() {
	p.peekByte()
	defer p.noteOperand(p.pos)
	shape := p.skipType()
	switch p.peekByte() {
	case ',', ')':
		return
	}
	if shape == shapeMetadata {
		p.metadataOperand()
		return
	}
	p.parseValue()
}

// nodeBody steps over the text after "!N =".
func (p *parser) nodeBody() (kind []byte) {
	p.acceptWord("distinct")
	p.expectByte('!')
	if p.peekByte() == '{' {
		p.metadataList()
		return nil
	}
	kind = p.metadataName()
	p.parseFields()
	return kind
}

// attachmentName steps over !kind and returns the kind.
func (p *parser) attachmentName() []byte {
	p.expectByte('!')
	return p.metadataName()
}

// parseAttachment steps over "!kind !node" of an instruction.
func (p *parser) parseAttachment() {
	p.attachmentName()
	p.parseMetadata()
}

// debugRecord steps over "#dbg_value(...)" and the like. LLVM 19 replaced calls of llvm.dbg.* by
// these records. They take no number and are not instructions.
func (p *parser) debugRecord() {
	p.expectByte('#')
	start := p.pos
	if w := p.readWord(); len(w) < 4 || string(w[:4]) != "dbg_" {
		p.failAt(start, "expected a debug record, found '#"+string(w)+"'")
	}
	p.expectByte('(')
	for more := p.peekByte() != ')'; more; more = p.acceptByte(',') {
		if p.peekByte() == '!' {
			p.parseMetadata()
		} else {
			p.parseOperand()
		}
	}
	p.expectByte(')')
}

// metadataDefinition steps over "!N = ..." and "!name = ..." in the first pass. The contents of
// nodes are stepped over by their brackets.
func (p *parser) metadataDefinition() {
	start := p.pos
	p.expectByte('!')
	if class[p.peekByte()]&classDigit == 0 {
		p.namedDefinition(start)
		return
	}
	number := p.number32()
	p.checkNumber(start, number)
	p.expectByte('=')
	p.acceptWord("distinct")
	p.expectByte('!')
	if p.peekByte() != '{' {
		p.metadataName()
		p.peekByte()
	}
	p.skipBalanced()
	t := p.text
	if len(t.nodes) >= ir.MaxIndex {
		p.failAt(start, "too many metadata nodes")
	}
	t.nodes = append(t.nodes, nodeText{uint32(start), uint32(p.pos - start)})
	t.nodeIndex.addNumber(number)
	t.lastNode = max(t.lastNode, number)
}

// checkNumber leaves room for the numbers that partitions add: the writer numbers added nodes and
// groups from the highest one on, in 32 bits.
func (p *parser) checkNumber(pos int, number uint32) {
	if number > maxNumber {
		p.failAt(pos, "number too large")
	}
}

// maxNumber is the largest number of a node or attribute group.
const maxNumber = 1 << 31

// namedDefinition steps over "!name = !{...}". Several definitions of a name are one list. The
// operands may be nodes that are defined later in the text, so only the place is kept.
func (p *parser) namedDefinition(start int) {
	name := string(p.metadataName())
	p.expectByte('=')
	p.expectByte('!')
	p.peekByte()
	t := p.text
	t.lists = append(t.lists, namedText{name, p.pos})
	p.skipBalanced()
}

// namedText is a list of named metadata and where its '{' is.
type namedText struct {
	name string
	pos  int
}

// resolveNamed decodes the lists of named metadata, and joins those of one name.
func (p *parser) resolveNamed() {
	t := p.text
	index := make(map[string]int)
	for _, list := range t.lists {
		i, ok := index[list.name]
		if !ok {
			i = len(t.named)
			index[list.name] = i
			t.named = append(t.named, nil)
			t.module.NamedMetadata = append(t.module.NamedMetadata, ir.NamedMetadata{Name: list.name})
		}
		p.pos = list.pos
		p.resolveList(i)
	}
	t.lists = nil
}

// resolveList decodes the operands of named metadata in braces.
func (p *parser) resolveList(index int) {
	n := &p.text.module.NamedMetadata[index]
	p.expectByte('{')
	for more := p.peekByte() != '}'; more; more = p.acceptByte(',') {
		p.peekByte()
		start := p.pos
		o := p.decodeMetadata()
		// LLVM accepts expressions here, which have no number, and nothing else in place.
		if o.Kind != ir.OperandNode && !(o.Kind == ir.OperandTuple && o.String == "DIExpression") {
			p.failAt(start, "an entry of named metadata is not a node")
		}
		n.Operands = append(n.Operands, o)
		p.text.named[index] = append(p.text.named[index], p.spanFrom(start))
	}
	p.expectByte('}')
}
