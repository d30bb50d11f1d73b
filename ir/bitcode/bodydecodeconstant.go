package bitcode

import (
	"offlink/ir"
	"offlink/ir/llvmschema"
)

// Limits of decoding a constant. A hostile constant can contain itself, and constants share parts,
// so that a few records can spell a tree that has no end in practice.
const (
	maxConstantDepth = 256
	maxConstantParts = 1 << 22
)

// decodeConstant returns a constant of the module or of the function, adding it to the pool if it
// is not there yet. Constants are decoded on demand and once for each body: the module's table may
// hold a million, of which a body names five.
func (d *bodyDecoder) decodeConstant(key constantKey, depth int) ir.Value {
	if v, ok := d.constants[key]; ok {
		return v
	}
	if depth > maxConstantDepth {
		d.failf("constant of more than %d levels", maxConstantDepth)
	}
	if len(d.pool.Nodes) > maxConstantParts {
		d.failf("constant of more than %d parts", maxConstantParts)
	}
	// The type of a record is that of the last SETTYPE record in front of it; the table has it
	// by the constant's number.
	t := &d.source.constants
	if key.local {
		t = &d.compact.constants
	}
	c := t.openRecord(int(key.index))
	rec := c.takeHead()
	start := len(d.parts)
	d.parts = c.takeOperands(rec, d.parts)
	list := d.parts[start:]
	node := ir.ConstantNode{Type: ir.TypeID(t.types[key.index])}
	v, done := d.simpleConstant(&node, rec.code, list), true
	if v.Kind == ir.ValueNone {
		v, done = d.constantExpression(&node, rec.code, list, depth)
	}
	if !done {
		d.failf("constant record %s is not decoded", llvmschema.Constants.Get()[rec.code].Name)
	}
	d.parts = d.parts[:start]
	d.constants[key] = v
	return v
}

// simpleConstant decodes constants that name no others, and returns NoValue for the rest. NULL
// stands for the zero of any type; for numbers, the model has the number 0, as text has.
func (d *bodyDecoder) simpleConstant(c *ir.ConstantNode, code uint32, list []operand) ir.Value {
	t := &d.types[c.Type]
	switch code {
	case llvmschema.ConstantNull:
		c.Kind = ir.ConstantZero
		switch {
		case t.Kind == ir.TypeInteger && t.Bits <= 64:
			c.Kind, c.Words = ir.ConstantInt, []uint64{0}
		case t.Kind == ir.TypeFloat && t.Bits <= 64:
			c.Kind, c.Words = ir.ConstantFloat, []uint64{0}
		}
	case llvmschema.ConstantUndef:
		c.Kind = ir.ConstantUndef
	case llvmschema.ConstantPoison:
		c.Kind = ir.ConstantPoison
	case llvmschema.ConstantInteger, llvmschema.ConstantWideInteger, llvmschema.ConstantFloat:
		return d.numberConstant(c, code, list)
	case llvmschema.ConstantString, llvmschema.ConstantCString:
		c.Kind, c.Bytes = ir.ConstantBytes, constantBytes(list, code == llvmschema.ConstantCString)
	case llvmschema.ConstantData:
		return d.dataConstant(c, list)
	default:
		return ir.NoValue
	}
	return d.pool.Add(*c)
}

// numberConstant decodes a number, or a vector of equal numbers (LLVM 22).
func (d *bodyDecoder) numberConstant(c *ir.ConstantNode, code uint32, list []operand) ir.Value {
	element, length := d.types[c.Type], uint64(0)
	// Since LLVM 22 a number whose type is a vector is a splat.
	if element.Kind == ir.TypeVector {
		if element.Scalable || element.Length > maxSplat {
			return d.pool.Add(*c) // ConstantOther
		}
		element, length = d.types[element.Elements[0]], element.Length
	}
	switch {
	case element.Bits > maxWideBits:
		return d.pool.Add(*c) // ConstantOther: the width is a number in the input
	case code == llvmschema.ConstantFloat && element.Kind == ir.TypeFloat:
		c.Kind, c.Words = ir.ConstantFloat, floatWords(list, element.Bits)
	case code != llvmschema.ConstantFloat && element.Kind == ir.TypeInteger:
		c.Kind, c.Words = ir.ConstantInt, integerWords(list, element.Bits)
	default:
		d.failf("number of a type that has none")
	}
	if length == 0 {
		return d.pool.Add(*c)
	}
	return d.splatConstant(c, length)
}

// maxSplat limits the elements of a vector that one number stands for.
const maxSplat = 1 << 12

// splatConstant adds the vector that has the number in each of its elements.
func (d *bodyDecoder) splatConstant(c *ir.ConstantNode, length uint64) ir.Value {
	if len(c.Words) != 1 {
		d.failf("splat of a wide number")
	}
	vector := ir.ConstantNode{Kind: ir.ConstantData, Type: c.Type, Words: make([]uint64, length)}
	for i := range vector.Words {
		vector.Words[i] = c.Words[0]
	}
	return d.pool.Add(vector)
}

// maxWideBits limits the width of the integers that are decoded.
const maxWideBits = 1 << 16

// integerWords decodes an integer: 64 bits an operand, each with its sign in the lowest bit. The
// record leaves out words at the end that are zero.
func integerWords(list []operand, bits uint32) []uint64 {
	words := make([]uint64, (bits+63)/64)
	for i := range words {
		if i < len(list) {
			words[i] = uint64(decodeSigned(list[i].value))
		}
	}
	if rest := int(bits % 64); rest != 0 {
		words[len(words)-1] = truncateBits(words[len(words)-1], rest)
	}
	return words
}

// floatWords decodes the bits of a number of that width. The model has the lowest bits first, as
// APInt has, and as text writes them.
func floatWords(list []operand, bits uint32) []uint64 {
	if bits == 80 && len(list) == 2 { // sign, exponent and the top of the mantissa come first
		return []uint64{list[0].value<<16 | list[1].value&0xffff, list[0].value >> 48}
	}
	return plainWords(list)
}

// truncateBits returns the lowest bits of a number.
func truncateBits(v uint64, bits int) uint64 {
	if bits >= 64 {
		return v
	}
	return v & (1<<bits - 1)
}

// plainWords returns the bits of numbers that have no sign.
func plainWords(list []operand) []uint64 {
	words := make([]uint64, len(list))
	for i, o := range list {
		words[i] = o.value
	}
	return words
}

// constantBytes returns a string constant. CSTRING leaves out the zero byte at the end of the
// string.
func constantBytes(list []operand, terminated bool) []byte {
	b := make([]byte, 0, len(list)+1)
	for _, o := range list {
		b = append(b, byte(o.value))
	}
	if terminated {
		b = append(b, 0)
	}
	return b
}

// dataConstant decodes an array or vector of numbers of at most 64 bits, which DATA writes without
// a record for each. Operands are as wide as the encoder found convenient; bits above those of the
// element mean nothing.
func (d *bodyDecoder) dataConstant(c *ir.ConstantNode, list []operand) ir.Value {
	t := &d.types[c.Type]
	if t.Kind != ir.TypeArray && t.Kind != ir.TypeVector {
		d.failf("data of a type that is neither an array nor a vector")
	}
	element := &d.types[t.Elements[0]]
	if t.Kind == ir.TypeArray && element.Kind == ir.TypeInteger && element.Bits == 8 {
		c.Kind, c.Bytes = ir.ConstantBytes, constantBytes(list, false)
		return d.pool.Add(*c)
	}
	c.Kind, c.Words = ir.ConstantData, plainWords(list)
	for i := range c.Words {
		c.Words[i] = truncateBits(c.Words[i], int(element.Bits))
	}
	return d.pool.Add(*c)
}

// constantPart returns the value that an operand of a constant names.
func (d *bodyDecoder) constantPart(o operand, depth int) ir.Value {
	switch o.kind {
	case opGlobal:
		return d.globalValue(uint32(o.value), depth+1)
	case opLocal:
		i := int64(o.value)
		// An initialiser belongs to no function, but a hostile record may number such a value.
		if d.compact == nil {
			d.failf("a constant of the module names a value of a function")
		}
		if i -= int64(d.compact.arguments); i < 0 || i >= int64(d.compact.constants.count()) {
			d.failf("a constant is made of a value that is not a constant")
		}
		return d.decodeConstant(constantKey{uint32(i), true}, depth+1)
	}
	d.failf("a constant is made of an operand that is not a value")
	return ir.NoValue
}

// constantParts decodes the elements of an aggregate or the operands of an
// expression.
func (d *bodyDecoder) constantParts(list []operand, depth int) []ir.Value {
	values := make([]ir.Value, len(list))
	for i, o := range list {
		values[i] = d.constantPart(o, depth)
	}
	return values
}

// constantExpression decodes constants that are made of others. The layouts are those of
// BitcodeWriter::writeConstants, most of which have a type in front of each value (the values could
// once come after the record). The schema checked the lengths when the module was read.
func (d *bodyDecoder) constantExpression(c *ir.ConstantNode, code uint32, list []operand, depth int) (ir.Value, bool) {
	e := &ir.Instruction{Type: c.Type, Call: -1, Element: ir.NoType}
	c.Kind, c.Expression = ir.ConstantExpression, e
	switch code {
	case llvmschema.ConstantAggregate:
		c.Kind, c.Expression, c.Operands = ir.ConstantAggregate, nil, d.constantParts(list, depth)
		d.makeData(c)
	case llvmschema.ConstantBlockAddress:
		c.Kind, c.Expression, c.Operands = ir.ConstantBlockAddress, nil, d.constantParts(list[1:2], depth)
	case llvmschema.ConstantDSOLocal, llvmschema.ConstantNoCFI:
		return d.constantPart(list[1], depth), true
	case llvmschema.ConstantUnop:
		e.Op = ir.OpFNeg
		c.Operands = d.constantParts(list[1:2], depth)
	case llvmschema.ConstantBinop:
		c.Operands = d.constantParts(list[1:3], depth)
		e.Op = d.binaryOpcode(list[0].value, c.Type)
		if len(list) > 3 {
			e.Flags = operationFlags(e.Op, list[3].value)
		}
	case llvmschema.ConstantCast:
		e.Op = d.castOpcode(list[0].value)
		c.Operands = d.constantParts(list[2:3], depth)
	case llvmschema.ConstantSelect:
		e.Op = ir.OpSelect
		c.Operands = d.constantParts(list, depth)
	case llvmschema.ConstantExtractElement, llvmschema.ConstantInsertElement, llvmschema.ConstantShuffle, llvmschema.ConstantShuffleEx:
		d.constantVector(c, code, list, depth)
	case llvmschema.ConstantCompare:
		e.Op = ir.OpICmp
		c.Operands = d.constantParts(list[1:3], depth)
		if e.Predicate = ir.Predicate(list[3].value); e.Predicate < ir.ICmpEQ {
			e.Op = ir.OpFCmp
		}
	case llvmschema.ConstantGEP, llvmschema.ConstantGEPOld, llvmschema.ConstantInboundsGEP, llvmschema.ConstantGEPInrange, llvmschema.ConstantGEPInrangeOld:
		d.constantAddress(c, code, list, depth)
	case llvmschema.ConstantPtrAuth, llvmschema.ConstantPtrAuthDeactivate:
		e.Op = ir.OpInvalid
		c.Operands = d.constantParts(list, depth)
	default:
		return ir.NoValue, false
	}
	return d.pool.Add(*c), true
}

// constantVector decodes the expressions on elements of vectors.
func (d *bodyDecoder) constantVector(c *ir.ConstantNode, code uint32, list []operand, depth int) {
	e := c.Expression
	switch code {
	case llvmschema.ConstantExtractElement:
		e.Op = ir.OpExtractElement
		c.Operands = []ir.Value{d.constantPart(list[1], depth), d.constantPart(list[3], depth)}
	case llvmschema.ConstantInsertElement:
		e.Op = ir.OpInsertElement
		c.Operands = []ir.Value{d.constantPart(list[0], depth), d.constantPart(list[1], depth), d.constantPart(list[3], depth)}
	case llvmschema.ConstantShuffle, llvmschema.ConstantShuffleEx:
		if code == llvmschema.ConstantShuffleEx {
			list = list[1:]
		}
		e.Op = ir.OpShuffleVector
		c.Operands = d.constantParts(list, depth)
		e.Indices = d.shuffleMask(c.Operands[2])
		c.Operands = c.Operands[:2]
	}
}

// makeData turns an array or vector of numbers into data, as bitcode has it for most types. Text
// reads `[2 x i32] [i32 1, i32 2]` as data too. Writers of partitions copy records and never see
// this.
func (d *bodyDecoder) makeData(c *ir.ConstantNode) {
	if d.types[c.Type].Kind == ir.TypeStruct {
		return
	}
	words := make([]uint64, len(c.Operands))
	for i, v := range c.Operands {
		if v.Kind != ir.ValueConstant {
			return
		}
		n := d.pool.At(v)
		if n.Kind != ir.ConstantInt && n.Kind != ir.ConstantFloat || len(n.Words) != 1 {
			return
		}
		words[i] = n.Words[0]
	}
	c.Kind, c.Operands, c.Words = ir.ConstantData, nil, words
}

// constantAddress decodes a constant getelementptr. Its record has had five forms (see gepHead),
// with and without the range of the offset.
func (d *bodyDecoder) constantAddress(c *ir.ConstantNode, code uint32, list []operand, depth int) {
	e := c.Expression
	e.Op = ir.OpGEP
	head := gepHead(code, list)
	if head > 0 {
		e.Element = ir.TypeID(list[0].value)
	}
	switch code {
	case llvmschema.ConstantGEP, llvmschema.ConstantGEPInrange:
		e.Flags = addressFlags(list[1].value)
	case llvmschema.ConstantGEPInrangeOld:
		e.Flags = addressFlags(list[1].value & 1)
	case llvmschema.ConstantInboundsGEP:
		e.Flags = addressFlags(1)
	}
	// Each operand is a pair of type and value.
	for pairs := list[head:]; len(pairs) >= 2; pairs = pairs[2:] {
		c.Operands = append(c.Operands, d.constantPart(pairs[1], depth))
	}
	if len(c.Operands) == 0 {
		d.failf("getelementptr of nothing")
	}
	if e.Element == ir.NoType {
		// Only records of LLVM before 3.7 have no type, which the pointer's type then
		// gives.
		if t := d.types[c.Operands[0].Type]; t.Kind == ir.TypePointer && len(t.Elements) > 0 {
			e.Element = t.Elements[0]
		}
	}
}

// gepHead returns where the pairs begin. GEPInrange holds its range between head and pairs: two
// numbers of the width in operand 2, in words if that is above 64.
func gepHead(code uint32, operands []operand) int {
	switch code {
	case llvmschema.ConstantGEP, llvmschema.ConstantGEPInrangeOld:
		return 2
	case llvmschema.ConstantGEPInrange:
		if operands[2].value > 64 {
			return 4 + int(operands[3].value&(1<<32-1)) + int(operands[3].value>>32)
		}
		return 5
	}
	return len(operands) % 2
}
