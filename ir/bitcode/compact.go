package bitcode

import "encoding/binary"

// Records of constants, metadata and function bodies are kept in a compact form: a string of
// variable-length numbers, in which each operand that names an entry (a value, a type, metadata,
// ...) is marked with the entry's kind. A partition, whose entries have other numbers, replaces the
// marked operands and copies the rest.
//
// A record is its code and whether it defines a value, the index of its
// abbreviation in the input plus one, the number of operands, and these. An
// operand ends in one or two bits of mark:
//
//	...0     a literal
//	...01    an operand of kind opLocalRel
//	kkkk11   an operand of kind k

// operandKind tells the entries apart that operands name.
type operandKind uint8

// The kinds of operands. "Relative" is the distance back from the number that
// the next value would get, modulo 2^32. Globals here are all values of the
// module's own numbering: global values and module-level constants.
const (
	opGlobalRel    operandKind = iota // a global, written relative
	opGlobalSigned                    // a global, written relative and signed
	opGlobal                          // a global
	opForwardType                     // the type of the value before it, which is defined later
	opLocalSigned                     // a value of the function, written relative and signed
	opLocal                           // a value of the function, counted from its first
	opType                            // a type
	opList                            // an attribute list plus one, 0 for none
	opNode                            // metadata of the module
	opNodePlus1                       // metadata of the module plus one
	opNodeRel                         // metadata of the module, written relative
	opFunNode                         // metadata of the function, counted from its first
	opFunNodePlus1                    // the same plus one
	opFunNodeRel                      // the same, written relative
	opWide                            // a literal that does not fit otherwise
	opBytes                           // the number of literals that follow in a byte each

	opLiteral  operandKind = 0xfe
	opLocalRel operandKind = 0xff // a value of the function, as written: relative
)

// operand is an operand of a compact record.
type operand struct {
	kind  operandKind
	value uint64
}

// encoder appends records to an arena.
type encoder struct {
	arena   []byte
	scratch []byte // operands of the record under way
	count   uint64
}

// appendLiteral adds a plain number.
func (e *encoder) appendLiteral(v uint64) {
	e.count++
	if v>>63 == 0 {
		e.scratch = binary.AppendUvarint(e.scratch, v<<1)
		return
	}
	e.scratch = binary.AppendUvarint(e.scratch, uint64(opWide)<<2|3)
	e.scratch = binary.AppendUvarint(e.scratch, v)
}

// appendLiterals adds plain numbers. Four or more that fit into bytes are stored as bytes.
func (e *encoder) appendLiterals(list []uint64) {
	if len(list) < 4 || !allBytes(list) {
		for _, v := range list {
			e.appendLiteral(v)
		}
		return
	}
	e.appendOperand(opBytes, uint64(len(list)))
	for _, v := range list {
		e.scratch = append(e.scratch, byte(v))
	}
}

func allBytes(list []uint64) bool {
	for _, v := range list {
		if v > 0xff {
			return false
		}
	}
	return true
}

// appendOperand adds an operand that names an entry.
func (e *encoder) appendOperand(kind operandKind, v uint64) {
	e.count++
	e.scratch = binary.AppendUvarint(e.scratch, v<<6|uint64(kind)<<2|3)
}

// localRel adds an operand that names a value of the function, which has the shortest mark since
// most operands are of this kind.
func (e *encoder) localRel(v uint64) {
	e.count++
	e.scratch = binary.AppendUvarint(e.scratch, v<<2|1)
}

// finishRecord ends the record and appends it to the arena.
func (e *encoder) finishRecord(code uint32, abbrev int, defines bool) {
	head := uint64(code) << 1
	if defines {
		head |= 1
	}
	e.arena = binary.AppendUvarint(e.arena, head)
	e.arena = binary.AppendUvarint(e.arena, uint64(abbrev+1))
	e.arena = binary.AppendUvarint(e.arena, e.count)
	e.arena = append(e.arena, e.scratch...)
	e.scratch, e.count = e.scratch[:0], 0
}

// decoder walks compact records.
type decoder struct {
	data []byte
	pos  int
}

// record is the head of a compact record; the decoder stands at its operands.
type record struct {
	code    uint32
	abbrev  int
	defines bool
	count   int
}

func (d *decoder) readNumber() uint64 {
	if b := d.data[d.pos]; b < 0x80 {
		d.pos++
		return uint64(b)
	}
	v, n := binary.Uvarint(d.data[d.pos:])
	d.pos += n
	return v
}

func (d *decoder) atEnd() bool { return d.pos >= len(d.data) }

func (d *decoder) takeHead() record {
	head := d.readNumber()
	abbrev := int(d.readNumber()) - 1
	return record{uint32(head >> 1), abbrev, head&1 != 0, int(d.readNumber())}
}

// takeOperand returns the next operand. After an operand of kind opBytes, the decoder stands at the
// bytes, which the caller has to take.
func (d *decoder) takeOperand() operand {
	v := d.readNumber()
	switch {
	case v&1 == 0:
		return operand{opLiteral, v >> 1}
	case v&2 == 0:
		return operand{opLocalRel, v >> 2}
	}
	kind := operandKind(v >> 2 & 15)
	if kind == opWide {
		return operand{opLiteral, d.readNumber()}
	}
	return operand{kind, v >> 6}
}

// takeBytes takes the bytes of an opBytes operand.
func (d *decoder) takeBytes(n uint64) []byte {
	b := d.data[d.pos:][:n]
	d.pos += int(n)
	return b
}

// takeOperands appends the operands of the record. Bytes become literals.
func (d *decoder) takeOperands(r record, list []operand) []operand {
	for range r.count {
		o := d.takeOperand()
		if o.kind != opBytes {
			list = append(list, o)
			continue
		}
		for _, b := range d.takeBytes(o.value) {
			list = append(list, operand{opLiteral, uint64(b)})
		}
	}
	return list
}

// skipOperands steps over the operands of the record.
func (d *decoder) skipOperands(r record) {
	for range r.count {
		if o := d.takeOperand(); o.kind == opBytes {
			d.pos += int(o.value)
		}
	}
}
