package irtext

import (
	"math"
	"strconv"
	"strings"

	"offlink/ir"
)

// Operands implements [ir.Source].
func (t *text) Operands(id ir.NodeID) (operands []ir.Operand, err error) {
	p := t.newDecoder()
	f := catchFault(func() {
		p.pos = int(t.nodes[id].start) + 1
		p.number32()
		p.expectByte('=')
		p.acceptWord("distinct")
		operands = p.decodeMetadata().Elements
	})
	if f != nil {
		return nil, errorAt(t.module.Path, t.data, f)
	}
	return operands, nil
}

// newDecoder returns a parser for decoding in one goroutine.
func (t *text) newDecoder() *parser {
	p := t.newParser()
	p.types = t.table.frozenCopy()
	return p
}

// decodeAt decodes the metadata at pos.
func (p *parser) decodeAt(pos int) ir.Operand {
	refs, types := p.refs, p.types
	p.refs, p.types = nil, p.text.table.frozenCopy()
	p.pos = pos
	operand := p.decodeMetadata()
	p.refs, p.types = refs, types
	return operand
}

// decodeMetadata decodes metadata that begins with '!'.
func (p *parser) decodeMetadata() ir.Operand {
	p.expectByte('!')
	switch c := p.peekByte(); {
	case class[c]&classDigit != 0:
		id, _ := p.nodeUse()
		return ir.Operand{Kind: ir.OperandNode, Node: id}
	case c == '"':
		return ir.Operand{Kind: ir.OperandString, String: string(p.readDecoded())}
	case c == '{':
		return ir.Operand{Kind: ir.OperandTuple, Elements: p.decodeList()}
	}
	kind := string(p.metadataName())
	return ir.Operand{Kind: ir.OperandTuple, String: kind, Elements: p.decodeFields()}
}

// decodeList decodes the elements of a tuple.
func (p *parser) decodeList() (elements []ir.Operand) {
	p.enterNesting()
	p.expectByte('{')
	for more := p.peekByte() != '}'; more; more = p.acceptByte(',') {
		elements = append(elements, p.decodeElement())
	}
	p.expectByte('}')
	p.leaveNesting()
	return elements
}

// decodeElement decodes an element of a tuple.
func (p *parser) decodeElement() ir.Operand {
	switch {
	case p.peekByte() == '!':
		return p.decodeMetadata()
	case p.acceptWord("null"):
		return ir.Operand{}
	}
	if o, ok := p.decodeInteger(); ok {
		return o
	}
	p.peekByte()
	start := p.pos
	id, _ := p.parseType()
	return p.decodeTyped(id, p.numberText(start))
}

// decodeInteger decodes an integer with its type, which the module need not
// record. It steps over nothing if something else is next.
func (p *parser) decodeInteger() (o ir.Operand, ok bool) {
	w := p.peekWord()
	if w == nil {
		return o, false
	}
	bits, ok := sizedType(w, 'i')
	if !ok || bits > 64 {
		return o, false
	}
	start := p.pos
	p.pos += len(w)
	if c := p.peekByte(); class[c]&classDigit != 0 || c == '-' {
		n, ok := integerBits(string(p.readNumber()))
		return ir.Operand{Kind: ir.OperandInt, Int: signExtend(n, int(bits)), Bits: int(bits)}, ok
	}
	p.pos = start
	return o, false
}

// decodeTyped decodes a constant as a metadata operand.
func (p *parser) decodeTyped(id ir.TypeID, typ string) ir.Operand {
	p.peekByte()
	start := p.pos
	o := ir.Operand{Kind: ir.OperandOther, String: typ}
	switch c := p.decodeConstant(id); c.Kind {
	case ir.ConstantInt:
		return ir.Operand{Kind: ir.OperandInt, Int: signExtend(c.Int, c.Bits), Bits: c.Bits}
	case ir.ConstantValue:
		return ir.Operand{Kind: ir.OperandValue, Value: c.Value}
	}
	// The module need not record the type.
	if bits := map[string]int{"half": 16, "bfloat": 16, "float": 32, "double": 64}[typ]; bits != 0 {
		if n, ok := floatBits(strings.TrimSpace(string(p.data[start:p.pos])), typ); ok {
			o.Int, o.Bits = int64(n), bits
		}
	}
	return o
}

// numberText returns the text of a type from start on, if it is that of a number or
// of a vector of numbers.
func (p *parser) numberText(start int) string {
	text := strings.Join(strings.Fields(string(p.data[start:p.pos])), " ")
	element := text
	if rest, ok := strings.CutPrefix(text, "<"); ok {
		_, rest, _ = strings.Cut(rest, " x ")
		element, _, _ = strings.Cut(rest, ">")
	}
	switch element = strings.TrimSpace(element); element {
	case "half", "bfloat", "float", "double", "i1", "i8", "i16", "i32", "i64":
		return text
	}
	return ""
}

// signExtend returns the number that the lowest bits are in two's complement.
func signExtend(n uint64, bits int) int64 {
	if bits >= 64 || bits == 0 {
		return int64(n)
	}
	return int64(n<<(64-bits)) >> (64 - bits)
}

// decodeFields decodes the fields of a specialised node.
func (p *parser) decodeFields() (fields []ir.Operand) {
	p.enterNesting()
	p.expectByte('(')
	for more := p.peekByte() != ')'; more; more = p.acceptByte(',') {
		fields = append(fields, p.decodeField())
	}
	p.expectByte(')')
	p.leaveNesting()
	return fields
}

// decodeField decodes a field of a node, with its name: `line: 12`. Positional
// fields of old nodes have none.
func (p *parser) decodeField() ir.Operand {
	field := ""
	if w := p.peekWord(); w != nil && p.byteAt(len(w)) == ':' {
		field = string(w)
		p.pos += len(w) + 1
	}
	operand := p.decodeFieldValue()
	operand.Field = field
	return operand
}

// decodeFieldValue decodes a field: metadata, a string, a list, a number, a
// typed constant, or words such as DW_TAG_member.
func (p *parser) decodeFieldValue() ir.Operand {
	switch c := p.peekByte(); {
	case c == '!':
		return p.decodeMetadata()
	case c == '"':
		return ir.Operand{Kind: ir.OperandField, String: string(p.readDecoded())}
	case c == '{' && p.startsList():
		return ir.Operand{Kind: ir.OperandTuple, Elements: p.decodeList()}
	case class[c]&classDigit != 0, c == '-', c == '+':
		return decodeFieldNumber(p.readNumber())
	case p.startsType():
		if o, ok := p.decodeInteger(); ok {
			return o
		}
		start := p.pos
		id, _ := p.parseType()
		if c := p.peekByte(); c == ',' || c == ')' {
			return ir.Operand{Kind: ir.OperandOther}
		}
		return p.decodeTyped(id, p.numberText(start))
	case p.acceptWord("null"):
		return ir.Operand{}
	}
	return p.decodeFieldWords()
}

// decodeFieldNumber decodes a number of a field. Those beyond int64, as hashes
// are, keep their bits; longer ones stay text.
func decodeFieldNumber(text []byte) ir.Operand {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		wide, err := strconv.ParseUint(string(text), 10, 64)
		if err != nil {
			return ir.Operand{Kind: ir.OperandField, String: string(text)}
		}
		n = int64(wide)
	}
	return ir.Operand{Kind: ir.OperandField, Int: n}
}

// decodeFieldWords decodes words joined by '|'.
func (p *parser) decodeFieldWords() ir.Operand {
	p.peekByte()
	start := p.pos
	p.withoutNodes(p.fieldWords)
	return ir.Operand{Kind: ir.OperandField, String: string(p.data[start:p.endOfToken()])}
}

// Initializer implements [ir.Source].
func (t *text) Initializer(id ir.ValueID) (constant ir.Constant, err error) {
	p := t.newDecoder()
	f := catchFault(func() { constant = p.decodeInitializer(id) })
	if f != nil {
		return ir.Constant{}, errorAt(t.module.Path, t.data, f)
	}
	return constant, nil
}

// decodeInitializer decodes the initialiser of a variable, or the aliasee of
// an alias, which says its own type unless it is an expression.
func (p *parser) decodeInitializer(id ir.ValueID) ir.Constant {
	v := &p.text.module.Values[id]
	at, found := p.findInitializer(id)
	if !found {
		return ir.Constant{Type: v.Type}
	}
	p.pos = at.start
	if v.Kind == ir.Variable {
		return p.decodeConstant(v.Type)
	}
	if isConstantExpression(p.peekWord()) {
		return p.decodeConstant(ir.NoType)
	}
	typ, _ := p.parseType()
	return p.decodeConstant(typ)
}

// findInitializer returns where the initialiser of a variable is, or the value that an
// alias or ifunc stands for.
func (p *parser) findInitializer(id ir.ValueID) (at item, found bool) {
	p.withoutNodes(func() { p.valueHeader(&p.text.values[id]) })
	for _, at := range p.header.items {
		if at.kind == itemInitializer {
			return at, true
		}
	}
	return item{}, false
}

// decodeConstant decodes a constant of that type.
func (p *parser) decodeConstant(id ir.TypeID) ir.Constant {
	switch c := p.peekByte(); {
	case c == '@':
		value, _ := p.globalUse(ir.RefAddress)
		return ir.Constant{Kind: ir.ConstantValue, Type: id, Value: value}
	case class[c]&classDigit != 0, c == '-', c == '+':
		start := p.pos
		p.numberValue()
		return p.decodeNumber(id, string(p.data[start:p.endOfToken()]))
	case c == '[':
		p.pos++
		return p.decodeAggregate(id, ']')
	case c == '{':
		p.pos++
		return p.decodeAggregate(id, '}')
	case c == '<':
		p.pos++
		return p.decodeVector(id)
	case class[c]&classLetter != 0:
		return p.decodeWord(id)
	}
	p.parseValue()
	return ir.Constant{Type: id}
}

// decodeVector decodes a vector, or the elements of a packed struct, which
// begins with '<' too.
func (p *parser) decodeVector(id ir.TypeID) ir.Constant {
	if !p.acceptByte('{') {
		return p.decodeAggregate(id, '>')
	}
	c := p.decodeAggregate(id, '}')
	p.expectByte('>')
	return c
}

// decodeAggregate decodes the elements up to the closing byte.
func (p *parser) decodeAggregate(id ir.TypeID, closing byte) ir.Constant {
	p.enterNesting()
	c := ir.Constant{Kind: ir.ConstantAggregate, Type: id}
	for more := p.peekByte() != closing; more; more = p.acceptByte(',') {
		element, _ := p.parseType()
		c.Elements = append(c.Elements, p.decodeConstant(element))
	}
	p.expectByte(closing)
	p.leaveNesting()
	if closing == ']' {
		asBytes(&c)
	}
	return c
}

// asBytes makes an array of 8-bit integers a string of bytes.
func asBytes(c *ir.Constant) {
	bytes := make([]byte, 0, len(c.Elements))
	for _, e := range c.Elements {
		if e.Kind != ir.ConstantInt || e.Bits != 8 {
			return
		}
		bytes = append(bytes, byte(e.Int))
	}
	if len(bytes) > 0 {
		c.Kind, c.Bytes, c.Elements = ir.ConstantBytes, bytes, nil
	}
}

// decodeWord decodes a constant that begins with a letter. Expressions give
// the address that they are made of.
func (p *parser) decodeWord(id ir.TypeID) ir.Constant {
	start := p.pos
	w := p.readWord()
	switch string(w) {
	case "null", "zeroinitializer", "none":
		return ir.Constant{Kind: ir.ConstantZero, Type: id}
	case "undef", "poison":
		return ir.Constant{Kind: ir.ConstantUndef, Type: id}
	case "true":
		return ir.Constant{Kind: ir.ConstantInt, Type: id, Int: 1, Bits: 1}
	case "false":
		return ir.Constant{Kind: ir.ConstantInt, Type: id, Bits: 1}
	case "c":
		return ir.Constant{Kind: ir.ConstantBytes, Type: id, Bytes: append([]byte(nil), p.readDecoded()...)}
	case "splat":
		return p.decodeSplat(id)
	case "bitcast", "addrspacecast", "getelementptr", "inttoptr", "ptrtoint":
		return p.decodeAddress(id)
	}
	p.pos = start
	if hexWord(w) {
		p.pos += len(w)
		return p.decodeNumber(id, string(w))
	}
	p.parseValue()
	return ir.Constant{Type: id}
}

// maxSplat limits the elements that a splat is decoded to.
const maxSplat = 1 << 12

// decodeSplat decodes a splat as the vector that it stands for.
func (p *parser) decodeSplat(id ir.TypeID) ir.Constant {
	p.expectByte('(')
	element, _ := p.parseType()
	value := p.decodeConstant(element)
	p.expectByte(')')
	c := ir.Constant{Kind: ir.ConstantAggregate, Type: id}
	if id == ir.NoType || p.text.module.Types[id].Scalable || p.text.module.Types[id].Length > maxSplat {
		return ir.Constant{Type: id}
	}
	for range p.text.module.Types[id].Length {
		c.Elements = append(c.Elements, value)
	}
	return c
}

// decodeAddress decodes a cast or getelementptr: the address of its
// operand.
func (p *parser) decodeAddress(id ir.TypeID) ir.Constant {
	p.enterNesting()
	start := p.pos
	c := ir.Constant{Type: id}
	for !p.acceptByte('(') {
		if string(p.readWord()) == "inrange" {
			p.peekByte()
			p.skipBalanced()
		}
	}
	for more, first := true, true; more; more = p.acceptByte(',') {
		p.acceptWord("inrange")
		operand, _ := p.parseType()
		if next := p.peekByte(); next == ',' {
			continue // the source type of a getelementptr
		}
		value := p.decodeConstant(operand)
		if p.acceptWord("to") {
			p.parseType()
		}
		if first && value.Kind == ir.ConstantValue {
			c.Kind, c.Value = ir.ConstantValue, value.Value
		}
		first = false
	}
	if p.peekByte() != ')' {
		p.failAt(start, "expected ')'")
	}
	p.pos++
	p.leaveNesting()
	return c
}

// decodeNumber decodes a number of an integer or floating-point type.
func (p *parser) decodeNumber(id ir.TypeID, text string) ir.Constant {
	other := ir.Constant{Type: id}
	if id == ir.NoType {
		return other
	}
	t := &p.text.module.Types[id]
	switch t.Kind {
	case ir.TypeInteger:
		if t.Bits > 64 {
			return wideConstant(other, text, t)
		}
		n, ok := integerBits(text)
		if !ok {
			return other
		}
		return ir.Constant{Kind: ir.ConstantInt, Type: id, Int: lowBits(n, t.Bits), Bits: int(t.Bits)}
	case ir.TypeFloat:
		if t.Bits > 64 {
			return wideConstant(other, text, t)
		}
		n, ok := floatBits(text, t.Name)
		if !ok {
			return other
		}
		return ir.Constant{Kind: ir.ConstantFloat, Type: id, Int: n, Bits: int(t.Bits)}
	}
	return other
}

// wideConstant decodes a number of more than 64 bits into c.
func wideConstant(c ir.Constant, text string, t *ir.Type) ir.Constant {
	words := []uint64(nil)
	if t.Kind == ir.TypeFloat {
		words = wideFloat(text)
	} else {
		words, _ = wideInteger(text, t.Bits)
	}
	if len(words) == 0 {
		return c
	}
	c.Kind, c.Words, c.Bits = ir.ConstantWide, words, int(t.Bits)
	return c
}

// lowBits returns the lowest bits of a number.
func lowBits(n uint64, bits uint32) uint64 {
	if bits >= 64 {
		return n
	}
	return n & (1<<bits - 1)
}

// integerBits returns the two's complement of a decimal number, or of one in
// the form u0x1F or s0x1F.
func integerBits(text string) (uint64, bool) {
	if len(text) > 3 && text[1:3] == "0x" {
		n, err := strconv.ParseUint(text[3:], 16, 64)
		if bits := 4 * (len(text) - 3); text[0] == 's' && bits < 64 {
			n = uint64(signExtend(n, bits))
		}
		return n, err == nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return uint64(n), true
	}
	n, err := strconv.ParseUint(text, 10, 64)
	return n, err == nil
}

// floatBits returns the bits of a number as LLVM prints it for that type:
// decimal, 0x and the bits of the double of that value, or 0xH and 0xR and
// the bits of a half and bfloat.
func floatBits(text, typeName string) (uint64, bool) {
	if len(text) > 3 && text[0] == 'f' && text[1:3] == "0x" {
		n, err := strconv.ParseUint(text[3:], 16, 64)
		return n, err == nil
	}
	if len(text) > 2 && text[:2] == "0x" {
		if text[2] == 'H' || text[2] == 'R' {
			n, err := strconv.ParseUint(text[3:], 16, 16)
			return n, err == nil
		}
		n, err := strconv.ParseUint(text[2:], 16, 64)
		if err != nil {
			return 0, false
		}
		return narrowFloat(math.Float64frombits(n), typeName)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, false
	}
	return narrowFloat(f, typeName)
}

// narrowFloat returns the bits of f in that type.
func narrowFloat(f float64, typeName string) (uint64, bool) {
	switch typeName {
	case "double":
		return math.Float64bits(f), true
	case "float":
		return uint64(math.Float32bits(float32(f))), true
	case "bfloat":
		return roundFloat(f, 8, 7), true
	case "half":
		return roundFloat(f, 5, 10), true
	}
	return 0, false
}

// roundFloat rounds f to the nearest even number of a format with that many
// bits of exponent and fraction.
func roundFloat(f float64, exponentBits, fractionBits int) uint64 {
	sign := uint64(0)
	if math.Signbit(f) {
		sign, f = 1<<(exponentBits+fractionBits), -f
	}
	top := uint64(1<<exponentBits-1) << fractionBits
	switch {
	case math.IsNaN(f):
		return sign | top | 1<<(fractionBits-1)
	case math.IsInf(f, 0):
		return sign | top
	case f == 0:
		return sign
	}
	bias := 1<<(exponentBits-1) - 1
	_, exponent := math.Frexp(f)
	scale := max(exponent-1, 1-bias) // of the leading digit
	n := uint64(math.RoundToEven(math.Ldexp(f, fractionBits-scale)))
	return sign | min(uint64(scale+bias-1)<<fractionBits+n, top)
}
