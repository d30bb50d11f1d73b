package bitcode

import (
	"errors"

	"offlink/ir"
	"offlink/ir/llvmschema"
)

// Limits of decoding a constant into a tree: constants can share parts, so a
// few records can spell a tree that has no end in practice.
const (
	maxConstantDepth = 256
	maxConstantParts = 1 << 22
)

var (
	errDeep  = errors.New("constant of more than 256 levels")
	errLarge = errors.New("constant of more than four million parts")
)

// constantDecoder makes trees of constants. b is the function whose constants
// are meant beside the module's, or nil.
type constantDecoder struct {
	source *source
	body   *body
	parts  int
}

// constantOf decodes a value of the module's numbering.
func (s *source) constantOf(id uint32, depth int) (ir.Constant, error) {
	d := constantDecoder{source: s}
	return d.globalConstant(id, depth)
}

// globalConstant decodes a value of the module's numbering.
func (d *constantDecoder) globalConstant(id uint32, depth int) (ir.Constant, error) {
	s := d.source
	if n := uint32(s.values.count()); id >= n {
		return d.decodeRecord(&s.constants, int(id-n), depth)
	}
	return ir.Constant{Kind: ir.ConstantValue, Type: s.module.Values[id].Type, Value: ir.ValueID(id)}, nil
}

// localConstant decodes a value of the function, counted from its first.
func (d *constantDecoder) localConstant(i uint64, depth int) (ir.Constant, error) {
	if d.body == nil || i < uint64(d.body.arguments) || i-uint64(d.body.arguments) >= uint64(d.body.constants.count()) {
		return ir.Constant{}, nil
	}
	return d.decodeRecord(&d.body.constants, int(i)-d.body.arguments, depth)
}

func (d *constantDecoder) operandConstant(o operand, depth int) (ir.Constant, error) {
	if o.kind == opGlobal {
		return d.globalConstant(uint32(o.value), depth)
	}
	return d.localConstant(o.value, depth)
}

func (d *constantDecoder) decodeRecord(t *constantTable, i, depth int) (ir.Constant, error) {
	if depth > maxConstantDepth {
		return ir.Constant{}, errDeep
	}
	dec := t.openRecord(i)
	rec := dec.takeHead()
	if d.parts += rec.count + 1; d.parts > maxConstantParts {
		return ir.Constant{}, errLarge
	}
	typ := ir.TypeID(t.types[i])
	operands := dec.takeOperands(rec, nil)
	c := ir.Constant{Type: typ}
	switch rec.code {
	case llvmschema.ConstantNull:
		d.nullConstant(&c)
	case llvmschema.ConstantUndef, llvmschema.ConstantPoison:
		c.Kind = ir.ConstantUndef
	case llvmschema.ConstantInteger, llvmschema.ConstantWideInteger:
		d.integerConstant(&c, operands)
	case llvmschema.ConstantFloat:
		d.floatConstant(&c, operands)
	case llvmschema.ConstantString, llvmschema.ConstantCString:
		d.stringConstant(&c, operands, rec.code == llvmschema.ConstantCString)
	case llvmschema.ConstantData:
		d.dataConstant(&c, operands)
	case llvmschema.ConstantAggregate:
		return d.aggregateConstant(c, operands, depth)
	case llvmschema.ConstantCast:
		return d.castConstant(c, operands, depth)
	case llvmschema.ConstantGEP, llvmschema.ConstantGEPOld, llvmschema.ConstantInboundsGEP, llvmschema.ConstantGEPInrange, llvmschema.ConstantGEPInrangeOld:
		return d.gepConstant(c, rec.code, operands, depth)
	}
	return c, nil
}

// nullConstant decodes a zero, which bitcode writes the same way for every type.
func (d *constantDecoder) nullConstant(c *ir.Constant) {
	c.Kind = ir.ConstantZero
	switch e := d.source.module.Types[c.Type]; {
	case e.Kind == ir.TypeInteger && e.Bits <= 64:
		c.Kind, c.Bits = ir.ConstantInt, int(e.Bits)
	case e.Kind == ir.TypeFloat && e.Bits <= 64:
		c.Kind, c.Bits = ir.ConstantFloat, int(e.Bits)
	}
}

func (d *constantDecoder) integerConstant(c *ir.Constant, operands []operand) {
	e := d.source.module.Types[c.Type]
	if e.Kind != ir.TypeInteger || e.Bits > maxWideBits || len(operands) == 0 {
		return
	}
	c.Bits = int(e.Bits)
	if e.Bits > 64 {
		c.Kind, c.Words = ir.ConstantWide, integerWords(operands, e.Bits)
		return
	}
	c.Kind = ir.ConstantInt
	c.Int = truncateBits(uint64(decodeSigned(operands[0].value)), c.Bits)
}

// floatConstant decodes the bits of a number.
func (d *constantDecoder) floatConstant(c *ir.Constant, operands []operand) {
	e := d.source.module.Types[c.Type]
	if e.Kind != ir.TypeFloat || len(operands) < int(e.Bits+63)/64 {
		return
	}
	c.Kind, c.Bits, c.Int = ir.ConstantFloat, int(e.Bits), operands[0].value
	if e.Bits > 64 {
		c.Kind, c.Words = ir.ConstantWide, floatWords(operands, e.Bits)
	}
}

func truncateBits(v uint64, bits int) uint64 {
	if bits >= 64 {
		return v
	}
	return v & (1<<bits - 1)
}

func (d *constantDecoder) stringConstant(c *ir.Constant, operands []operand, terminated bool) {
	c.Kind = ir.ConstantBytes
	c.Bytes = make([]byte, 0, len(operands)+1)
	for _, o := range operands {
		c.Bytes = append(c.Bytes, byte(o.value))
	}
	if terminated {
		c.Bytes = append(c.Bytes, 0)
	}
}

// dataConstant decodes an array or vector of plain numbers.
func (d *constantDecoder) dataConstant(c *ir.Constant, operands []operand) {
	types := d.source.module.Types
	t := &types[c.Type]
	if len(t.Elements) != 1 {
		return
	}
	element := &types[t.Elements[0]]
	if t.Kind == ir.TypeArray && element.Kind == ir.TypeInteger && element.Bits == 8 {
		d.stringConstant(c, operands, false)
		return
	}
	kind := ir.ConstantInt
	if element.Kind == ir.TypeFloat {
		kind = ir.ConstantFloat
	}
	c.Kind = ir.ConstantAggregate
	for _, o := range operands {
		c.Elements = append(c.Elements, ir.Constant{Kind: kind, Type: t.Elements[0], Int: truncateBits(o.value, int(element.Bits)), Bits: int(element.Bits)})
	}
}

func (d *constantDecoder) aggregateConstant(c ir.Constant, operands []operand, depth int) (ir.Constant, error) {
	c.Kind = ir.ConstantAggregate
	c.Elements = make([]ir.Constant, 0, len(operands))
	for _, o := range operands {
		e, err := d.operandConstant(o, depth+1)
		if err != nil {
			return c, err
		}
		c.Elements = append(c.Elements, e)
	}
	return c, nil
}

// castConstant looks through casts of addresses.
func (d *constantDecoder) castConstant(c ir.Constant, operands []operand, depth int) (ir.Constant, error) {
	switch operands[0].value {
	case llvmschema.CastBitCast, llvmschema.CastAddrSpaceCast, llvmschema.CastPtrToInt, llvmschema.CastIntToPtr, llvmschema.CastPtrToAddr:
		from, err := d.operandConstant(operands[2], depth+1)
		if err != nil || from.Kind != ir.ConstantValue {
			return c, err
		}
		from.Type = c.Type
		return from, nil
	}
	return c, nil
}

// gepConstant looks through the address of a part of a global value: its operands are
// pairs of type and value after the head.
func (d *constantDecoder) gepConstant(c ir.Constant, code uint32, operands []operand, depth int) (ir.Constant, error) {
	base, err := d.operandConstant(operands[gepHead(code, operands)+1], depth+1)
	if err != nil || base.Kind != ir.ConstantValue {
		return c, err
	}
	base.Type = c.Type
	return base, nil
}

// gepHead returns where the pairs begin.
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
