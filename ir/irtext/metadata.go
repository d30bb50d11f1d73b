package irtext

import "offlink/ir"

// metadataOperand steps over a value of type metadata: metadata, or a typed
// value that stands for metadata.
func (p *parser) metadataOperand() {
	if p.peek() == '!' {
		p.metadata()
		return
	}
	p.operand()
}

// metadata steps over a node's number, a string, or metadata in place.
func (p *parser) metadata() {
	p.expect('!')
	switch c := p.peek(); {
	case class[c]&classDigit != 0:
		p.nodeUse()
	case c == '"':
		p.quoted()
	case c == '{':
		p.metadataList()
	default:
		p.metadataName()
		p.fields()
	}
}

// metadataList steps over the elements of a tuple.
func (p *parser) metadataList() {
	p.enter()
	p.expect('{')
	for more := p.peek() != '}'; more; more = p.accept(',') {
		p.metadataElement()
	}
	p.expect('}')
	p.leave()
}

func (p *parser) metadataElement() {
	switch {
	case p.peek() == '!':
		p.metadata()
	case p.acceptWord("null"):
	default:
		start := p.pos
		p.operand()
		p.noteOperand(start)
	}
}

// noteOperand notes the typed operand that ends here.
func (p *parser) noteOperand(start int) {
	if p.operands != nil {
		*p.operands = append(*p.operands, p.spanFrom(start))
	}
}

// fields steps over the fields of a specialised node, or the elements of an
// expression or list, in parentheses.
func (p *parser) fields() {
	p.enter()
	p.expect('(')
	for more := p.peek() != ')'; more; more = p.accept(',') {
		p.field()
	}
	p.expect(')')
	p.leave()
}

// field steps over "name: value" or a value.
func (p *parser) field() {
	if w := p.peekWord(); w != nil && p.at(len(w)) == ':' {
		p.pos += len(w) + 1
	}
	switch c := p.peek(); {
	case c == '!':
		p.metadata()
	case c == '"':
		p.quoted()
	case class[c]&classDigit != 0, c == '-', c == '+':
		p.number()
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
		p.word()
		if p.at(0) == '(' {
			p.fields()
		}
		if !p.accept('|') {
			return
		}
	}
}

// startsList tells the metadata list of a GenericDINode from a struct type.
func (p *parser) startsList() bool {
	ahead := parser{scanner: p.scanner}
	ahead.pos++
	c := ahead.peek()
	return c == '!' || c == '}' || string(ahead.peekWord()) == "null"
}

// fieldValue steps over a type and the value that may follow it.
func (p *parser) fieldValue() {
	p.peek()
	defer p.noteOperand(p.pos)
	shape := p.skipType()
	switch p.peek() {
	case ',', ')':
		return
	}
	if shape == shapeMetadata {
		p.metadataOperand()
		return
	}
	p.value()
}

// nodeBody steps over the text after "!N =".
func (p *parser) nodeBody() (kind []byte) {
	p.acceptWord("distinct")
	p.expect('!')
	if p.peek() == '{' {
		p.metadataList()
		return nil
	}
	kind = p.metadataName()
	p.fields()
	return kind
}

// attachmentName steps over !kind and returns the kind.
func (p *parser) attachmentName() []byte {
	p.expect('!')
	return p.metadataName()
}

// attachment steps over "!kind !node" of an instruction.
func (p *parser) attachment() {
	p.attachmentName()
	p.metadata()
}

// debugRecord steps over "#dbg_value(...)" and its like.
func (p *parser) debugRecord() {
	p.expect('#')
	start := p.pos
	if w := p.word(); len(w) < 4 || string(w[:4]) != "dbg_" {
		p.fail(start, "expected a debug record, found '#"+string(w)+"'")
	}
	p.expect('(')
	for more := p.peek() != ')'; more; more = p.accept(',') {
		if p.peek() == '!' {
			p.metadata()
		} else {
			p.operand()
		}
	}
	p.expect(')')
}

// metadataDefinition steps over "!N = ..." and "!name = ..." in the first
// pass. Nodes are stepped over by their brackets.
func (p *parser) metadataDefinition() {
	start := p.pos
	p.expect('!')
	if class[p.peek()]&classDigit == 0 {
		p.namedDefinition(start)
		return
	}
	number := p.number32()
	p.checkNumber(start, number)
	p.expect('=')
	p.acceptWord("distinct")
	p.expect('!')
	if p.peek() != '{' {
		p.metadataName()
		p.peek()
	}
	p.skipBalanced()
	t := p.text
	if len(t.nodes) >= ir.MaxIndex {
		p.fail(start, "too many metadata nodes")
	}
	t.nodes = append(t.nodes, nodeText{uint32(start), uint32(p.pos - start)})
	t.nodeIndex.add(number)
	t.lastNode = max(t.lastNode, number)
}

// checkNumber leaves room for the numbers that partitions add.
func (p *parser) checkNumber(pos int, number uint32) {
	if number > maxNumber {
		p.fail(pos, "number too large")
	}
}

// maxNumber is the largest number of a node or attribute group.
const maxNumber = 1 << 31

// namedDefinition steps over "!name = !{...}". A list that stands twice in a
// module is one list.
func (p *parser) namedDefinition(start int) {
	name := string(p.metadataName())
	p.expect('=')
	p.expect('!')
	p.peek()
	t := p.text
	t.lists = append(t.lists, namedText{name, p.pos})
	p.skipBalanced()
}

// namedText is a list of named metadata and where its '{' is.
type namedText struct {
	name string
	pos  int
}

// resolveNamed decodes the lists of named metadata.
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
	p.expect('{')
	for more := p.peek() != '}'; more; more = p.accept(',') {
		p.peek()
		start := p.pos
		o := p.decodeMetadata()
		if o.Kind != ir.OperandNode && !(o.Kind == ir.OperandTuple && o.String == "DIExpression") {
			p.fail(start, "an entry of named metadata is not a node")
		}
		n.Operands = append(n.Operands, o)
		p.text.named[index] = append(p.text.named[index], p.spanFrom(start))
	}
	p.expect('}')
}
