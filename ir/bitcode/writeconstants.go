package bitcode

import (
	"math/bits"

	"offlink/ir/bitcode/bitstream"
	"offlink/ir/llvmschema"
)

// constantWriter writes a constants block.
type constantWriter struct {
	w       *partitionWriter
	current uint64 // type plus one
	// aggregate, text, seven and six are the abbreviations that this block defines for its
	// records, or -1 if it defines none.
	aggregate, text, seven, six int
	// locals is the number of the function's first value.
	locals uint64
}

// writeConstants writes the module's constants that are kept, then those that
// the partition adds.
func (w *partitionWriter) writeConstants() {
	if len(w.numbers.constants.kept)+len(w.added.values) == 0 {
		return
	}
	w.out.Enter(llvmschema.BlockConstants, w.abbrevWidth(llvmschema.BlockConstants, 4, 4))
	number := uint64(bits.Len32(w.body.globals))
	literal := func(code uint64, element bitstream.Operand) int {
		return w.out.Define(bitstream.Abbrev{{Encoding: bitstream.Literal, Value: code}, {Encoding: bitstream.Array}, element})
	}
	cw := constantWriter{w: w}
	cw.aggregate = literal(llvmschema.ConstantAggregate, bitstream.Operand{Encoding: bitstream.Fixed, Value: number})
	cw.text = literal(llvmschema.ConstantString, bitstream.Operand{Encoding: bitstream.Fixed, Value: 8})
	cw.seven = literal(llvmschema.ConstantCString, bitstream.Operand{Encoding: bitstream.Fixed, Value: 7})
	cw.six = literal(llvmschema.ConstantCString, bitstream.Operand{Encoding: bitstream.Char6})
	t := &w.source.constants
	for _, i := range w.numbers.constants.kept {
		d := t.openRecord(int(i))
		cw.writeConstant(t.types[i], &d)
	}
	for i := range w.added.values {
		cw.writeAdded(&w.added.values[i])
	}
	w.out.End()
}

// setType writes the type of the constants that follow, if it is another one.
func (cw *constantWriter) setType(id uint32) {
	if t := cw.w.typeNumber(id) + 1; t != cw.current {
		cw.w.out.Record(0, llvmschema.ConstantSetType, []uint64{t - 1}) // the first abbreviation of LLVM's
		cw.current = t
	}
}

// writeConstant copies a constant.
func (cw *constantWriter) writeConstant(typ uint32, d *decoder) {
	cw.setType(typ)
	rec := d.takeHead()
	w := cw.w
	w.operands = w.operands[:0]
	for range rec.count {
		o := d.takeOperand()
		if o.kind == opBytes {
			for _, b := range d.takeBytes(o.value) {
				w.operands = append(w.operands, uint64(b))
			}
			continue
		}
		w.operands = append(w.operands, cw.operandNumber(o))
	}
	w.out.Record(cw.chooseAbbrev(rec), rec.code, w.operands)
}

// operandNumber returns the number of a constant's part in the partition.
func (cw *constantWriter) operandNumber(o operand) uint64 {
	switch o.kind {
	case opType:
		return cw.w.typeNumber(uint32(o.value))
	case opGlobal:
		return cw.w.valueNumber(uint32(o.value))
	case opLocal:
		return cw.locals + o.value
	}
	return o.value
}

// chooseAbbrev returns the abbreviation to try for a record whose operands are
// ready: the one it had, if that is of BLOCKINFO, else one of this block's.
func (cw *constantWriter) chooseAbbrev(rec record) int {
	if rec.abbrev < len(cw.w.source.info[llvmschema.BlockConstants]) {
		return rec.abbrev
	}
	switch rec.code {
	case llvmschema.ConstantAggregate:
		return cw.aggregate
	case llvmschema.ConstantString:
		return cw.text
	case llvmschema.ConstantCString:
		for _, v := range cw.w.operands {
			if v > 127 || !isChar6(string(rune(v))) {
				return cw.seven
			}
		}
		return cw.six
	}
	return -1
}

// writeAdded writes a constant that the partition adds.
func (cw *constantWriter) writeAdded(v *addedValue) {
	cw.setType(v.typ)
	w := cw.w
	w.operands = w.operands[:0]
	for _, o := range v.operands {
		w.operands = append(w.operands, cw.operandNumber(o))
	}
	w.out.Record(-1, v.code, w.operands)
}
