package irtext

import (
	"math"
	"slices"
	"strconv"

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

// newDecoder returns a parser for decoding in one goroutine. Many goroutines decode after the
// module was read, when its table of types must not change any more, so types that the module does
// not record get numbers of the parser's own.
func (t *text) newDecoder() *parser {
	p := t.newParser()
	p.types = t.decodingTypes()
	return p
}

// decodingTypes returns a table of types for decoding.
func (t *text) decodingTypes() *typeTable {
	types := t.table.frozenCopy()
	types.extra = &extraTypes{types: slices.Clip(t.module.Types)}
	return types
}

// decodeAt decodes the metadata at pos, without noting references.
func (p *parser) decodeAt(pos int) ir.Operand {
	refs, types := p.refs, p.types
	p.refs, p.types = nil, p.text.decodingTypes()
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
	id, _ := p.parseType()
	return p.decodeTyped(id)
}

// decodeTyped decodes a constant as a metadata operand. The decoder of initialisers serves for it;
// metadata only distinguishes integers, values and the rest.
func (p *parser) decodeTyped(id ir.TypeID) ir.Operand {
	var pool ir.ConstantPool
	types := p.types.extra
	r := bodyReader{parser: p, extra: types, pool: &pool}
	v := r.readConstant(id)
	c, err := ir.NewConstantTree(p.text.module, types.types, &pool).Constant(v)
	if err != nil {
		p.failAt(p.pos, err.Error())
	}
	switch c.Kind {
	case ir.ConstantInt:
		return ir.Operand{Kind: ir.OperandInt, Int: signExtend(c.Int, c.Bits), Bits: c.Bits}
	case ir.ConstantValue:
		return ir.Operand{Kind: ir.OperandValue, Value: c.Value}
	}
	o := ir.Operand{Kind: ir.OperandOther, String: ir.NumberTypeText(types.types, id)}
	if c.Kind == ir.ConstantFloat {
		o.Int, o.Bits = int64(c.Int), c.Bits
	}
	return o
}

// signExtend returns the number that the lowest bits stand for in two's complement.
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

// decodeField decodes a field of a node, with its name: `line: 12`. Positional fields of old nodes
// have no name.
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

// decodeFieldValue decodes a field: metadata, a string, a list, a number, a typed constant, or
// words such as DW_TAG_member.
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
		id, _ := p.parseType()
		if c := p.peekByte(); c == ',' || c == ')' {
			return ir.Operand{Kind: ir.OperandOther}
		}
		return p.decodeTyped(id)
	case p.acceptWord("null"):
		return ir.Operand{}
	}
	return p.decodeFieldWords()
}

// decodeFieldNumber decodes a number of a field. Field numbers have no type: LLVM takes each as
// wide as the field, up to 64 bits (the dwoId of a unit). Numbers beyond int64, such as hashes,
// keep their bits; longer ones stay text.
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

// decodeFieldWords decodes words joined by '|', which stay text.
func (p *parser) decodeFieldWords() ir.Operand {
	p.peekByte()
	start := p.pos
	p.withoutNodes(p.fieldWords)
	return ir.Operand{Kind: ir.OperandField, String: string(p.data[start:p.endOfToken()])}
}

// findInitializer returns where the initialiser of a variable is, or the value that an alias or
// ifunc stands for. The model does not keep these places: a module may have a million initialisers,
// of which a split needs few.
func (p *parser) findInitializer(id ir.ValueID) (at item, found bool) {
	p.withoutNodes(func() { p.valueHeader(&p.text.values[id]) })
	for _, at := range p.header.items {
		if at.kind == itemInitializer {
			return at, true
		}
	}
	return item{}, false
}

// maxSplat limits the elements that a splat is decoded to. No vector of device code is longer, and
// hostile text may write any length in a few bytes.
const maxSplat = 1 << 12

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

// floatBits returns the bits of a number as LLVM prints it for that type: decimal; 0x and the bits
// of the double of that value; 0xH or 0xR and the bits of a half or bfloat. LLVM prints a float as
// the bits of the double of the same value whenever decimal digits would not give it exactly
// (Language Reference, "Simple Constants"). f0x1F (LLVM 23) has the bits of the type itself.
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

// roundFloat rounds f to a format with that many bits of exponent and fraction, to the nearest
// number and halves to even. Go has no conversion to 16 bits, and rounding to float32 first would
// round twice.
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
