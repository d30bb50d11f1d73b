package bitcode

import (
	"fmt"

	"offlink/ir/bitcode/bitstream"
	"offlink/ir/llvmschema"
)

// constantTable holds constants in compact form, their records in one arena: a module has hundreds
// of thousands, and each decoded one would be an object of its own. They are decoded again where an
// image needs them.
type constantTable struct {
	arena []byte
	ends  []uint32 // of the constants in arena; each begins where the one before ends
	types []uint32
}

func (t *constantTable) count() int { return len(t.ends) }

// openRecord returns a decoder at the constant's record, which ends the data.
func (t *constantTable) openRecord(i int) decoder {
	start := uint32(0)
	if i > 0 {
		start = t.ends[i-1]
	}
	return decoder{data: t.arena[start:t.ends[i]]}
}

// constantReader reads a constants block, of the module or of a function.
type constantReader struct {
	cursor  *bitstream.Cursor
	out     encoder
	table   *constantTable
	globals uint64 // values of the module's numbering; all values where the module's own are read
	types   uint64
	current uint64   // type of the constants that follow
	highest uint64   // value that was named, plus one
	typed   bool     // whether current was set
	labels  []uint64 // functions of which a blockaddress names a block
}

// valueOperand adds an operand that names a value. Constants may name values that
// come later, so the highest number is kept and compared with the count at the end.
func (r *constantReader) valueOperand(v uint64) {
	r.highest = max(r.highest, v+1)
	if v < r.globals {
		r.out.appendOperand(opGlobal, v)
		return
	}
	r.out.appendOperand(opLocal, v-r.globals)
}

// typeOperand adds an operand that names a type. The type table is complete before
// the first constant, so that a number is checked at once.
func (r *constantReader) typeOperand(v uint64) error {
	if v >= r.types {
		return r.cursor.Errorf("constant names type %d of %d", v, r.types)
	}
	r.out.appendOperand(opType, v)
	return nil
}

func (r *constantReader) readBlock() error { return eachRecord(r.cursor, r.readRecord) }

// eachRecord calls read for every record of the cursor's block; blocks inside
// it are passed over.
func eachRecord(c *bitstream.Cursor, read func() error) error {
	for {
		e, err := c.Next()
		if err != nil || e.Kind == bitstream.End {
			return err
		}
		if e.Kind == bitstream.Record {
			if err := read(); err != nil {
				return err
			}
		}
	}
}

// readRecord reads one constant, or the SETTYPE record that gives the type of those
// after it. A record that the schema does not have is refused: its operands may name
// values, whose numbers change in an image.
func (r *constantReader) readRecord() error {
	c := r.cursor
	if c.Code == llvmschema.ConstantSetType {
		if len(c.Operands) < 1 || c.Operands[0] >= r.types {
			return c.Errorf("SETTYPE record without a type of the table")
		}
		r.current, r.typed = c.Operands[0], true
		return nil
	}
	layout, known := llvmschema.Constants.Get()[c.Code]
	if !known {
		return c.Errorf("constant record %d is not known: the bitcode is %s", c.Code, llvmschema.Newer())
	}
	if !r.typed {
		return c.Errorf("constant without a SETTYPE record before it")
	}
	if len(c.Operands) < len(layout.Fixed) {
		return c.Errorf("constant record %s with %d operands", layout.Name, len(c.Operands))
	}
	if err := r.readOperands(layout); err != nil {
		return err
	}
	if c.Code == llvmschema.ConstantBlockAddress {
		r.labels = append(r.labels, c.Operands[1])
	}
	r.out.finishRecord(c.Code, c.AbbrevID, true)
	r.table.ends = append(r.table.ends, uint32(len(r.out.arena)))
	r.table.types = append(r.table.types, uint32(r.current))
	return nil
}

// readOperands adds the operands as the layout says.
func (r *constantReader) readOperands(layout *llvmschema.Constant) error {
	list := r.cursor.Operands
	fixed, ok := layout.Head(list)
	if !ok {
		return r.cursor.Errorf("constant record %s is cut short", layout.Name)
	}
	for i := range len(fixed) {
		if err := r.readOperand(fixed[i], list[i]); err != nil {
			return err
		}
	}
	rest := list[len(fixed):]
	if layout.Some && len(rest) == 0 {
		return r.cursor.Errorf("constant record %s is empty", layout.Name)
	}
	if layout.Rest == "" {
		r.out.appendLiterals(rest)
		return nil
	}
	if len(rest)%len(layout.Rest) != 0 {
		return r.cursor.Errorf("constant record %s with %d operands", layout.Name, len(list))
	}
	for i, v := range rest {
		if err := r.readOperand(layout.Rest[i%len(layout.Rest)], v); err != nil {
			return err
		}
	}
	return nil
}

// readOperand adds one operand by the schema's letter: v names a value, t a type, any
// other is a number that stays as it is. Value numbers have 32 bits, as in LLVM.
func (r *constantReader) readOperand(kind byte, v uint64) error {
	switch kind {
	case 'v':
		if v >= 1<<32 {
			return r.cursor.Errorf("constant names value %d", v)
		}
		r.valueOperand(v)
		return nil
	case 't':
		return r.typeOperand(v)
	}
	r.out.appendLiteral(v)
	return nil
}

// readConstants reads the module's constants. A linked module has several blocks of
// them, which continue one numbering.
func (r *moduleReader) readConstants(c *bitstream.Cursor) error {
	s := r.source
	table := &s.constants
	highest := uint64(0)
	for _, block := range r.constants {
		cr := &constantReader{
			cursor: c.Open(block), table: table, out: encoder{arena: table.arena},
			globals: 1 << 32, types: uint64(len(s.types)),
		}
		if err := cr.readBlock(); err != nil {
			return err
		}
		table.arena, highest = cr.out.arena, max(highest, cr.highest)
		r.labels = append(r.labels, cr.labels...)
	}
	r.constants = nil
	total := s.values.count() + table.count()
	if highest > uint64(total) {
		return c.Errorf("a constant names value %d of %d", highest-1, total)
	}
	if total >= addedFunctionBase/2 || uint64(len(table.arena)) > maxSize {
		return c.Errorf("too many constants")
	}
	return nil
}

// errorAt returns an error with its place, for the parts that no cursor reads.
func errorAt(bit uint64, format string, args ...any) error {
	return &bitstream.Error{Bit: bit, Msg: fmt.Sprintf(format, args...)}
}
