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

// constant decodes a value of the module's numbering.
func (s *source) constant(id uint32, depth int) (ir.Constant, error) {
	d := constantDecoder{source: s}
	return d.global(id, depth)
}

// global decodes a value of the module's numbering.
func (d *constantDecoder) global(id uint32, depth int) (ir.Constant, error) {
	s := d.source
	if n := uint32(len(s.values)); id >= n {
		return d.decode(&s.constants, int(id-n), depth)
	}
	return ir.Constant{Kind: ir.ConstantValue, Type: s.module.Values[id].Type, Value: ir.ValueID(id)}, nil
}

// local decodes a value of the function, counted from its first.
func (d *constantDecoder) local(i uint64, depth int) (ir.Constant, error) {
	if d.body == nil || i < uint64(d.body.arguments) || i-uint64(d.body.arguments) >= uint64(d.body.constants.len()) {
		return ir.Constant{}, nil
	}
	return d.decode(&d.body.constants, int(i)-d.body.arguments, depth)
}

func (d *constantDecoder) operand(o operand, depth int) (ir.Constant, error) {
	if o.kind == opGlobal {
		return d.global(uint32(o.value), depth)
	}
	return d.local(o.value, depth)
}

func (d *constantDecoder) decode(t *constantTable, i, depth int) (ir.Constant, error) {
	if depth > maxConstantDepth {
		return ir.Constant{}, errDeep
	}
	dec := t.open(i)
	rec := dec.head()
	if d.parts += rec.count + 1; d.parts > maxConstantParts {
		return ir.Constant{}, errLarge
	}
	typ := ir.TypeID(t.types[i])
	operands := dec.operands(rec, nil)
	c := ir.Constant{Type: typ}
	switch rec.code {
	case llvmschema.ConstantNull:
		d.null(&c)
	case llvmschema.ConstantUndef, llvmschema.ConstantPoison:
		c.Kind = ir.ConstantUndef
	case llvmschema.ConstantInteger:
		d.integer(&c, operands)
	case llvmschema.ConstantFloat:
		if e := d.source.module.Types[typ]; e.Kind == ir.TypeFloat && e.Bits <= 64 {
			c.Kind, c.Int, c.Bits = ir.ConstantFloat, operands[0].value, int(e.Bits)
		}
	case llvmschema.ConstantString, llvmschema.ConstantCString:
		d.bytes(&c, operands, rec.code == llvmschema.ConstantCString)
	case llvmschema.ConstantData:
		d.data(&c, operands)
	case llvmschema.ConstantAggregate:
		return d.aggregate(c, operands, depth)
	case llvmschema.ConstantCast:
		return d.cast(c, operands, depth)
	case llvmschema.ConstantGEP, llvmschema.ConstantGEPOld, llvmschema.ConstantInboundsGEP, llvmschema.ConstantGEPInrange, llvmschema.ConstantGEPInrangeOld:
		return d.gep(c, rec.code, operands, depth)
	}
	return c, nil
}

// null decodes a zero, which bitcode writes the same way for every type.
func (d *constantDecoder) null(c *ir.Constant) {
	c.Kind = ir.ConstantZero
	switch e := d.source.module.Types[c.Type]; {
	case e.Kind == ir.TypeInteger && e.Bits <= 64:
		c.Kind, c.Bits = ir.ConstantInt, int(e.Bits)
	case e.Kind == ir.TypeFloat && e.Bits <= 64:
		c.Kind, c.Bits = ir.ConstantFloat, int(e.Bits)
	}
}

func (d *constantDecoder) integer(c *ir.Constant, operands []operand) {
	e := d.source.module.Types[c.Type]
	if e.Kind != ir.TypeInteger || e.Bits > 64 {
		return
	}
	c.Kind, c.Bits = ir.ConstantInt, int(e.Bits)
	c.Int = truncate(uint64(unrotate(operands[0].value)), c.Bits)
}

func truncate(v uint64, bits int) uint64 {
	if bits >= 64 {
		return v
	}
	return v & (1<<bits - 1)
}

func (d *constantDecoder) bytes(c *ir.Constant, operands []operand, terminated bool) {
	c.Kind = ir.ConstantBytes
	c.Bytes = make([]byte, 0, len(operands)+1)
	for _, o := range operands {
		c.Bytes = append(c.Bytes, byte(o.value))
	}
	if terminated {
		c.Bytes = append(c.Bytes, 0)
	}
}

// data decodes an array or vector of plain numbers.
func (d *constantDecoder) data(c *ir.Constant, operands []operand) {
	types := d.source.module.Types
	t := &types[c.Type]
	if len(t.Elements) != 1 {
		return
	}
	element := &types[t.Elements[0]]
	if t.Kind == ir.TypeArray && element.Kind == ir.TypeInteger && element.Bits == 8 {
		d.bytes(c, operands, false)
		return
	}
	kind := ir.ConstantInt
	if element.Kind == ir.TypeFloat {
		kind = ir.ConstantFloat
	}
	c.Kind = ir.ConstantAggregate
	for _, o := range operands {
		c.Elements = append(c.Elements, ir.Constant{Kind: kind, Type: t.Elements[0], Int: truncate(o.value, int(element.Bits)), Bits: int(element.Bits)})
	}
}

func (d *constantDecoder) aggregate(c ir.Constant, operands []operand, depth int) (ir.Constant, error) {
	c.Kind = ir.ConstantAggregate
	c.Elements = make([]ir.Constant, 0, len(operands))
	for _, o := range operands {
		e, err := d.operand(o, depth+1)
		if err != nil {
			return c, err
		}
		c.Elements = append(c.Elements, e)
	}
	return c, nil
}

// cast looks through casts of addresses.
func (d *constantDecoder) cast(c ir.Constant, operands []operand, depth int) (ir.Constant, error) {
	switch operands[0].value {
	case llvmschema.CastBitCast, llvmschema.CastAddrSpaceCast, llvmschema.CastPtrToInt, llvmschema.CastIntToPtr, llvmschema.CastPtrToAddr:
		from, err := d.operand(operands[2], depth+1)
		if err != nil || from.Kind != ir.ConstantValue {
			return c, err
		}
		from.Type = c.Type
		return from, nil
	}
	return c, nil
}

// gep looks through the address of a part of a global value: its operands are
// pairs of type and value after the head.
func (d *constantDecoder) gep(c ir.Constant, code uint32, operands []operand, depth int) (ir.Constant, error) {
	base, err := d.operand(operands[gepHead(code, operands)+1], depth+1)
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
