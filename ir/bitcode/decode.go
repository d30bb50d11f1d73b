package bitcode

import (
	"fmt"

	"offlink/abort"
	"offlink/ir"
	"offlink/ir/llvmschema"
)

// Operands decodes the operands of a metadata node. It implements [ir.Source].
func (s *source) Operands(id ir.NodeID) ([]ir.Operand, error) {
	if int(id) >= s.module.Nodes.Len() {
		return nil, fmt.Errorf("metadata node %d of %d", id, s.module.Nodes.Len())
	}
	t, i, base := s.findNode(id)
	if t.entries[i].size != isRecord {
		return []ir.Operand{{Kind: ir.OperandString, String: string(s.stringText(t.entries[i]))}}, nil
	}
	d := t.openRecord(i)
	rec := d.takeHead()
	var buffer [16]operand // most nodes are short, and images ask for many
	operands := d.takeOperands(rec, buffer[:0])
	if rec.code == llvmschema.MetadataValue {
		return []ir.Operand{s.valueOperand(operands)}, nil
	}
	layout := llvmschema.Nodes.Get()[rec.code]
	var plainBuffer [16]uint64
	plain := plainBuffer[:0]
	for _, o := range operands {
		plain = append(plain, o.value)
	}
	l, err := layout.Layout(plain)
	if err != nil {
		return nil, err
	}
	list := make([]ir.Operand, 0, len(operands))
	for j, o := range operands {
		if j == 0 && len(l.Fields) > 0 {
			continue // distinct or not, and the version of the record
		}
		list = append(list, s.nodeOperand(t, &l, j, o, plain, base))
	}
	return list, nil
}

// findNode returns the table that holds a node, its place there, and the number of the table's
// first node if it is a function's. In the model, the nodes of functions are numbered after those
// of the module, function by function; in bitcode, the nodes of each function are numbered from the
// module's end on.
func (s *source) findNode(id ir.NodeID) (t *metadataTable, i int, base ir.NodeID) {
	if int(id) < len(s.metadata.entries) {
		return &s.metadata, int(id), 0
	}
	low, high := 0, len(s.bodies) // bodies without metadata share the base of the next
	for low < high {
		if middle := (low + high) / 2; s.bodies[middle].base <= id {
			low = middle + 1
		} else {
			high = middle
		}
	}
	b := &s.bodies[low-1]
	return &b.metadata, int(id - b.base), b.base
}

// nodeOperand decodes one operand of a node. plain has the values of all its operands, on which the
// form of one may depend.
func (s *source) nodeOperand(t *metadataTable, l *llvmschema.Node, i int, o operand, plain []uint64, base ir.NodeID) ir.Operand {
	name := ""
	if i < len(l.Fields) {
		name = l.Fields[i].Name
	}
	switch o.kind {
	case opNode, opNodePlus1:
		return s.namedField(&s.metadata, o.value, 0, name)
	case opFunNode, opFunNodePlus1:
		return s.namedField(t, o.value, base, name)
	}
	switch form, _ := l.FormAt(i, plain); form {
	// The form says how the record encodes an operand. Operands of these forms that name an entry
	// have the kinds above; the others were 0, which names nothing.
	case llvmschema.FormNode, llvmschema.FormString:
		return ir.Operand{Kind: ir.OperandNull, Field: name}
	case llvmschema.FormSigned:
		return ir.Operand{Kind: ir.OperandField, Field: name, Int: decodeSigned(o.value)}
	}
	return ir.Operand{Kind: ir.OperandField, Field: name, Int: int64(o.value)}
}

// namedField decodes an operand that names an entry of a table. LLVM stores a value in metadata as
// an entry of its own (METADATA_VALUE). Text writes it in place, and so does the model.
func (s *source) namedField(t *metadataTable, i uint64, base ir.NodeID, field string) ir.Operand {
	e := t.entries[i]
	if e.size != isRecord {
		return ir.Operand{Kind: ir.OperandString, Field: field, String: string(s.stringText(e))}
	}
	d := t.openRecord(int(i))
	rec := d.takeHead()
	if rec.code != llvmschema.MetadataValue {
		return ir.Operand{Kind: ir.OperandNode, Field: field, Node: base + ir.NodeID(i)}
	}
	var buffer [2]operand
	o := s.valueOperand(d.takeOperands(rec, buffer[:0]))
	o.Field = field
	return o
}

// valueOperand decodes the operands of METADATA_VALUE. A constant that cannot be decoded, such as
// one that contains itself, is OperandOther.
func (s *source) valueOperand(operands []operand) ir.Operand {
	if operands[1].kind != opGlobal {
		return ir.Operand{Kind: ir.OperandOther}
	}
	c, err := s.moduleConstant(uint32(operands[1].value))
	switch {
	case err != nil:
	case c.Kind == ir.ConstantInt:
		return ir.Operand{Kind: ir.OperandInt, Int: signExtend(c.Int, c.Bits), Bits: c.Bits}
	case c.Kind == ir.ConstantValue:
		return ir.Operand{Kind: ir.OperandValue, Value: c.Value}
	}
	other := ir.Operand{Kind: ir.OperandOther, String: ir.NumberTypeText(s.module.Types, ir.TypeID(operands[0].value))}
	if err == nil && c.Kind == ir.ConstantFloat {
		other.Int, other.Bits = int64(c.Int), c.Bits
	}
	return other
}

// moduleConstant decodes a value of the module's numbering. Decoders are pooled: many goroutines
// decode nodes one at a time, and a decoder's tables are as large as the module's types.
func (s *source) moduleConstant(id uint32) (c ir.Constant, err error) {
	if id < uint32(s.values.count()) { // most are: no reader is needed
		return ir.Constant{Kind: ir.ConstantValue, Value: ir.ValueID(id)}, nil
	}
	if c, ok := s.smallInteger(id - uint32(s.values.count())); ok {
		return c, nil
	}
	var pool ir.ConstantPool
	d, _ := s.decoders.Get().(*bodyDecoder)
	if d == nil {
		d = s.newBodyDecoder()
	}
	defer s.decoders.Put(d)
	d.usePool(&pool, nil)
	failed := abort.Catch(func() {
		v := d.globalValue(id, 0)
		c, err = ir.NewConstantTree(s.module, d.types, &pool).Constant(v)
	})
	if failed != nil {
		return c, failed
	}
	return c, err
}

// smallInteger decodes constant i of the module if it is an integer of at most 64 bits, as most
// operands of metadata are. It needs no decoder.
func (s *source) smallInteger(i uint32) (c ir.Constant, ok bool) {
	typ := ir.TypeID(s.constants.types[i])
	t := &s.module.Types[typ]
	if t.Kind != ir.TypeInteger || t.Bits == 0 || t.Bits > 64 {
		return c, false
	}
	d := s.constants.openRecord(int(i))
	rec := d.takeHead()
	value := uint64(0)
	switch {
	case rec.code == llvmschema.ConstantInteger && rec.count == 1:
		value = uint64(decodeSigned(d.takeOperand().value))
	case rec.code != llvmschema.ConstantNull:
		return c, false
	}
	return ir.Constant{Kind: ir.ConstantInt, Type: typ, Int: truncateBits(value, int(t.Bits)), Bits: int(t.Bits)}, true
}

func signExtend(v uint64, bits int) int64 {
	if bits <= 0 || bits >= 64 {
		return int64(v)
	}
	return int64(v<<(64-bits)) >> (64 - bits)
}

// decodeSigned decodes a number whose sign is its lowest bit. The form is that of LLVM's
// emitSigned: the absolute value shifted by one, with the sign below. The smallest int64 has no
// absolute value in 63 bits and is written as a negative 0.
func decodeSigned(v uint64) int64 {
	if v&1 == 0 {
		return int64(v >> 1)
	}
	if v == 1 {
		return -1 << 63
	}
	return -int64(v >> 1)
}

// encodeSigned encodes a number with its sign as the lowest bit.
func encodeSigned(v int64) uint64 {
	if v >= 0 {
		return uint64(v) << 1
	}
	return uint64(-v)<<1 | 1
}

// ElementRefs implements [ir.Source]: it returns the references of some elements of an array
// initialiser. Reading all references of the initialiser for every image would cost its length each
// time: lists such as llvm.used have an element for each entry point.
func (s *source) ElementRefs(id ir.ValueID, elements []int) ([]ir.Ref, error) {
	list, _, err := s.arrayElements(id)
	if err != nil {
		return nil, err
	}
	constants, values := newSeen(s.constants.count()), newSeen(s.values.count())
	var refs []ir.Ref
	note := func(id uint32) {
		if values.firstTime(id) {
			refs = append(refs, ir.MakeRef(ir.RefAddress, id))
		}
	}
	for _, i := range elements {
		if i < 0 || i >= len(list) {
			return nil, fmt.Errorf("initialiser of %s: element %d of %d", s.module.Values[id].Name, i, len(list))
		}
		if n := uint32(s.values.count()); list[i] < n {
			note(list[i])
		} else if constants.firstTime(list[i] - n) {
			if err := s.walkConstants(&constants, list[i]-n, note); err != nil {
				return nil, err
			}
		}
	}
	return refs, nil
}

// arrayElements returns the values that an array initialiser is made of, and its type.
func (s *source) arrayElements(id ir.ValueID) (list []uint32, t ir.TypeID, err error) {
	name := s.module.Values[id].Name
	values, count := s.headerRecord(id).headerValues()
	n := uint32(s.values.count())
	if count == 0 || values[0] < n {
		return nil, 0, fmt.Errorf("the initialiser of %s is not an array", name)
	}
	d := s.constants.openRecord(int(values[0] - n))
	rec := d.takeHead()
	if rec.code != llvmschema.ConstantAggregate {
		return nil, 0, fmt.Errorf("the initialiser of %s is not an array", name)
	}
	for range rec.count {
		list = append(list, uint32(d.takeOperand().value))
	}
	return list, ir.TypeID(s.constants.types[values[0]-n]), nil
}
