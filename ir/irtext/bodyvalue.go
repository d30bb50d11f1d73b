package irtext

import (
	"bytes"
	"strconv"
	"strings"

	"offlink/ir"
)

// typedValue takes a type and a value.
func (r *bodyReader) typedValue() ir.Value {
	typ, shape := r.parseType()
	switch shape {
	case shapeMetadata:
		return r.metadataValue()
	case shapeLabel:
		return r.blockValue()
	}
	return r.bodyValue(typ)
}

// bodyValue takes a value of that type.
func (r *bodyReader) bodyValue(typ ir.TypeID) ir.Value {
	if r.peekByte() == '%' {
		return r.localValue(typ)
	}
	return r.readConstant(typ)
}

// localValue reads the name of a local value. Initialisers have none.
func (r *bodyReader) localValue(typ ir.TypeID) ir.Value {
	r.expectByte('%')
	if r.body == nil {
		r.failAt(r.pos, "local value outside of a function")
	}
	v := r.local.useLocal(r.readName(), typ)
	if !ir.SameType(r.extra.types, typ, v.Type) {
		r.failAt(r.pos, "the value is defined with another type than that which stands before its use")
	}
	return v
}

func (r *bodyReader) blockValue() ir.Value { return r.localValue(ir.NoType) }

// metadataValue takes metadata as an operand. A DIArgList is the one specialised node that may name
// local values, so it is never a node of the module: it has no number and is read in place
// (Language Reference, "DIArgList").
func (r *bodyReader) metadataValue() ir.Value {
	if r.peekByte() != '!' {
		v := r.typedValue()
		return r.addMetadata(ir.MetadataUse{Values: []ir.Value{v}})
	}
	if bytes.HasPrefix(r.data[r.pos:], []byte("!DIArgList(")) {
		r.pos += len("!DIArgList(")
		var list []ir.Value
		for more := r.peekByte() != ')'; more; more = r.acceptByte(',') {
			list = append(list, r.typedValue())
		}
		r.expectByte(')')
		return r.addMetadata(ir.MetadataUse{Values: list})
	}
	return r.addMetadata(ir.MetadataUse{Operand: r.decodeMetadata()})
}

// addMetadata adds metadata that a call names to the body.
func (r *bodyReader) addMetadata(m ir.MetadataUse) ir.Value {
	r.body.Metadata = append(r.body.Metadata, m)
	return ir.Value{Kind: ir.ValueMetadata, Index: uint32(len(r.body.Metadata) - 1), Type: ir.NoType}
}

// readConstant takes a constant of that type. A global value needs no node in the pool: its own
// number and the type that was written are enough, and thousands of operands name one.
func (r *bodyReader) readConstant(typ ir.TypeID) ir.Value {
	switch c := r.peekByte(); {
	case c == '@':
		id, _ := r.globalUse(ir.RefAddress)
		return ir.Value{Kind: ir.ValueGlobal, Index: uint32(id), Type: typ}
	case class[c]&classDigit != 0, c == '-', c == '+':
		start := r.pos
		r.numberValue()
		return r.numberConstant(typ, string(r.data[start:r.endOfToken()]))
	case c == '[':
		r.pos++
		return r.aggregateConstant(typ, ']')
	case c == '{':
		r.pos++
		return r.aggregateConstant(typ, '}')
	case c == '<':
		r.pos++
		if !r.acceptByte('{') {
			return r.aggregateConstant(typ, '>')
		}
		v := r.aggregateConstant(typ, '}')
		r.expectByte('>')
		return v
	case class[c]&classLetter != 0:
		return r.wordConstant(typ)
	}
	r.failUnexpected("a value")
	return ir.NoValue
}

// aggregateConstant takes the elements up to the closing byte.
func (r *bodyReader) aggregateConstant(typ ir.TypeID, closing byte) ir.Value {
	r.enterNesting()
	defer r.leaveNesting()
	first := len(r.pool.Nodes)
	var list []ir.Value
	for more := r.peekByte() != closing; more; more = r.acceptByte(',') {
		element, _ := r.parseType()
		list = append(list, r.readConstant(element))
	}
	r.expectByte(closing)
	if closing != '}' && r.isData(list, first) {
		return r.dataConstant(typ, list, first)
	}
	return r.pool.Add(ir.ConstantNode{Kind: ir.ConstantAggregate, Type: typ, Operands: list})
}

// isData reports whether the elements, which are the constants from first on, are numbers of at
// most 64 bits. LLVM holds such arrays and vectors as ConstantDataSequential, and bitcode has one
// record for them; the model does the same, so that an array of a million floats is one node.
func (r *bodyReader) isData(list []ir.Value, first int) bool {
	if len(list) == 0 || len(r.pool.Nodes)-first != len(list) {
		return false
	}
	for i := range r.pool.Nodes[first:] {
		c := &r.pool.Nodes[first+i]
		if c.Kind != ir.ConstantInt && c.Kind != ir.ConstantFloat || len(c.Words) != 1 {
			return false
		}
	}
	return true
}

// dataConstant replaces the elements by one constant. They are the last nodes of the pool, as
// isData has made sure, so that they can be taken back.
func (r *bodyReader) dataConstant(typ ir.TypeID, list []ir.Value, first int) ir.Value {
	words := make([]uint64, len(list))
	for i := range words {
		words[i] = r.pool.Nodes[first+i].Words[0]
	}
	r.pool.Nodes = r.pool.Nodes[:first]
	return r.pool.Add(ir.ConstantNode{Kind: ir.ConstantData, Type: typ, Words: words})
}

// wordConstant reads a constant that begins with a letter: a keyword, a
// hexadecimal number or an expression.
func (r *bodyReader) wordConstant(typ ir.TypeID) ir.Value {
	start := r.pos
	w := r.readWord()
	simple := func(kind ir.ConstantKind) ir.Value { return r.pool.Add(ir.ConstantNode{Kind: kind, Type: typ}) }
	switch string(w) {
	case "null", "zeroinitializer", "none":
		return r.zeroConstant(typ)
	case "undef":
		return simple(ir.ConstantUndef)
	case "poison":
		return simple(ir.ConstantPoison)
	case "true", "false":
		return r.pool.Add(ir.ConstantNode{Kind: ir.ConstantInt, Type: typ, Words: []uint64{uint64(boolBits(w[0] == 't'))}})
	case "c":
		return r.pool.Add(ir.ConstantNode{Kind: ir.ConstantBytes, Type: typ, Bytes: bytes.Clone(r.readDecoded())})
	case "splat":
		return r.splatConstant(typ)
	case "blockaddress":
		return r.blockAddressConstant(typ)
	case "dso_local_equivalent", "no_cfi":
		id, _ := r.globalUse(ir.RefAddress)
		return ir.Value{Kind: ir.ValueGlobal, Index: uint32(id), Type: typ}
	}
	if hexWord(w) {
		return r.numberConstant(typ, string(w))
	}
	if !isConstantExpression(w) {
		r.failAt(start, "expected a value, found '"+string(w)+"'")
	}
	return r.readExpression(typ, ir.ParseOpcode(w))
}

// zeroConstant makes a zero: the number 0 for numbers, as bitcode has it. `zeroinitializer` and 0
// are one constant in LLVM, and this way readers of the model only have to look for the number.
func (r *bodyReader) zeroConstant(typ ir.TypeID) ir.Value {
	c := ir.ConstantNode{Kind: ir.ConstantZero, Type: typ}
	if typ != ir.NoType {
		switch t := &r.extra.types[typ]; {
		case t.Kind == ir.TypeInteger && t.Bits <= 64:
			c.Kind, c.Words = ir.ConstantInt, []uint64{0}
		case t.Kind == ir.TypeFloat && t.Bits <= 64:
			c.Kind, c.Words = ir.ConstantFloat, []uint64{0}
		}
	}
	return r.pool.Add(c)
}

// blockAddressConstant reads `blockaddress(@f, %label)`, of which the model has the function only.
// Device code cannot jump to a computed address, so nothing that reads bodies needs the block.
func (r *bodyReader) blockAddressConstant(typ ir.TypeID) ir.Value {
	r.expectByte('(')
	id, _ := r.globalUse(ir.RefAddress)
	r.expectByte(',')
	r.expectByte('%')
	r.readName()
	r.expectByte(')')
	function := ir.Value{Kind: ir.ValueGlobal, Index: uint32(id), Type: typ}
	return r.pool.Add(ir.ConstantNode{Kind: ir.ConstantBlockAddress, Type: typ, Operands: []ir.Value{function}})
}

// splatConstant reads `splat (type value)` (LLVM 19) as the vector that it stands for. The length
// is a number in the input, so it is bounded: a vector that is longer, or scalable, becomes a
// ConstantOther.
func (r *bodyReader) splatConstant(typ ir.TypeID) ir.Value {
	r.expectByte('(')
	element, _ := r.parseType()
	first := len(r.pool.Nodes)
	v := r.readConstant(element)
	r.expectByte(')')
	if typ == ir.NoType {
		r.failAt(r.pos, "splat without a type")
	}
	t := r.extra.types[typ]
	if t.Kind != ir.TypeVector || t.Scalable || t.Length > maxSplat {
		return r.pool.Add(ir.ConstantNode{Kind: ir.ConstantOther, Type: typ})
	}
	list := make([]ir.Value, t.Length)
	for i := range list {
		list[i] = v
	}
	if r.isData(list[:1], first) {
		words := make([]uint64, t.Length)
		for i := range words {
			words[i] = r.pool.Nodes[first].Words[0]
		}
		r.pool.Nodes = r.pool.Nodes[:first]
		return r.pool.Add(ir.ConstantNode{Kind: ir.ConstantData, Type: typ, Words: words})
	}
	return r.pool.Add(ir.ConstantNode{Kind: ir.ConstantAggregate, Type: typ, Operands: list})
}

// readExpression takes the flags and operands of a constant expression. The opcode of one that the
// model does not have (ptrauth) is OpInvalid. LLVM drops constant expressions over time (15, 18 and
// 19 removed many). Which of them a version has does not matter here: text that names one is of a
// version that has it.
func (r *bodyReader) readExpression(typ ir.TypeID, op ir.Opcode) ir.Value {
	r.enterNesting()
	defer r.leaveNesting()
	e := &ir.Instruction{Op: op, Type: typ, Call: -1, Element: ir.NoType}
	for class[r.peekByte()]&classLetter != 0 {
		w := r.readWord()
		e.Flags |= ir.ParseFlag(w)
		if p, ok := ir.ParsePredicate(op, w); ok && (op == ir.OpICmp || op == ir.OpFCmp) {
			e.Predicate = p
		}
		if string(w) == "inrange" {
			r.peekByte()
			r.skipBalanced()
		}
	}
	r.expectByte('(')
	var list []ir.Value
	for more := r.peekByte() != ')'; more; more = r.acceptByte(',') {
		r.expressionPart(e, &list)
	}
	r.expectByte(')')
	if op == ir.OpShuffleVector && len(list) == 3 {
		e.Indices = r.shuffleMask(list[2])
		list = list[:2]
	}
	if e.Type == ir.NoType && op == ir.OpGEP && len(list) > 0 {
		e.Type = r.derivedType(ir.AddressType(r, r.pool, e.Element, list))
	}
	return r.pool.Add(ir.ConstantNode{Kind: ir.ConstantExpression, Type: e.Type, Expression: e, Operands: list})
}

// expressionPart takes one operand of a constant expression: a type, an
// index, or a type and a value, and a type to convert to.
func (r *bodyReader) expressionPart(e *ir.Instruction, list *[]ir.Value) {
	r.acceptWord("inrange")
	if c := r.peekByte(); class[c]&classDigit != 0 {
		e.Indices = append(e.Indices, r.number32())
		return
	}
	typ, _ := r.parseType()
	if c := r.peekByte(); c == ',' || c == ')' {
		e.Element = typ
		return
	}
	*list = append(*list, r.readConstant(typ))
	if r.acceptWord("to") {
		e.Type, _ = r.parseType()
	}
}

// numberConstant makes a constant from the text of a number. The type decides how the digits are
// read: 1 is an integer or, as old text may write it, a float, and 0x begins the bits of a double
// even if the type is float.
func (r *bodyReader) numberConstant(typ ir.TypeID, text string) ir.Value {
	if typ == ir.NoType {
		r.failAt(r.pos, "a number without a type")
	}
	t := &r.extra.types[typ]
	c := ir.ConstantNode{Type: typ}
	switch {
	case t.Kind == ir.TypeInteger && t.Bits > maxWideBits: // ConstantOther
	case t.Kind == ir.TypeInteger:
		c.Kind, c.Words = ir.ConstantInt, r.integerWords(text, t.Bits)
	case t.Kind == ir.TypeFloat && t.Bits <= 64:
		bits, ok := floatBits(text, t.Name)
		if !ok {
			bits, ok = specialFloat(text, t.Name)
		}
		if !ok {
			r.failAt(r.pos, "'"+text+"' is not a number of its type")
		}
		c.Kind, c.Words = ir.ConstantFloat, []uint64{bits}
	case t.Kind == ir.TypeFloat:
		c.Kind, c.Words = ir.ConstantFloat, wideFloat(text)
	default:
		r.failAt(r.pos, "a number of a type that has none")
	}
	return r.pool.Add(c)
}

// integerWords returns the bits of an integer, 64 to a word. The lowest 64 bits come first, as in
// bitcode's wide integers.
func (r *bodyReader) integerWords(text string, bits uint32) []uint64 {
	if bits <= 64 {
		if n, ok := integerBits(text); ok {
			return []uint64{lowBits(n, bits)}
		}
	}
	words, ok := wideInteger(text, bits)
	if !ok {
		r.failAt(r.pos, "'"+text+"' is not an integer of its type")
	}
	return words
}

// specialFloat returns the bits of a number that text (LLVM 23) writes in words: +inf, -qnan,
// +nan(0x1), +snan(0x1). The payload of a NaN lies below the quiet bit, which the word states.
func specialFloat(text, typeName string) (uint64, bool) {
	layout, ok := map[string]struct{ exponent, fraction int }{
		"half": {5, 10}, "bfloat": {8, 7}, "float": {8, 23}, "double": {11, 52},
	}[typeName]
	if !ok || len(text) < 4 {
		return 0, false
	}
	sign := uint64(boolBits(text[0] == '-')) << (layout.exponent + layout.fraction)
	top := sign | (1<<layout.exponent-1)<<layout.fraction
	quiet := uint64(1) << (layout.fraction - 1)
	word, payload, hasPayload := strings.Cut(strings.TrimSuffix(text[1:], ")"), "(0x")
	n, err := strconv.ParseUint(payload, 16, layout.fraction)
	switch {
	case word == "inf":
		return top, true
	case word == "qnan" && !hasPayload:
		return top | quiet, true
	case word == "nan" && hasPayload && err == nil:
		return top | quiet | n, true
	case word == "snan" && hasPayload && err == nil:
		return top | n, true
	}
	return 0, false
}
