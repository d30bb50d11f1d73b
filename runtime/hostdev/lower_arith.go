package hostdev

import (
	"math"
	"math/bits"

	"offlink/lazy"
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// Arithmetic that the form has: component by component. An operation that it
// lacks is done by the interpreter's own operations (lower_host.go).

// lowerWords1 and lowerWords2 lower an operation on one word of the operands. They return
// nil for one that the form does not have.
type (
	lowerWords1 func(l *lowering, x *lanes.Value, from, to word) *lanes.Value
	lowerWords2 func(l *lowering, x, y *lanes.Value, w word) *lanes.Value
)

func registerArithLowerers() {
	lowerers.register(func() map[spirv.Opcode]func(*lowering, *spirv.Instruction) {
		table := map[spirv.Opcode]func(*lowering, *spirv.Instruction){
			spirv.OpSelect:             (*lowering).lowerSelect,
			spirv.OpCompositeConstruct: (*lowering).lowerConstruct,
			spirv.OpCompositeExtract:   (*lowering).lowerExtract,
			spirv.OpCompositeInsert:    (*lowering).lowerInsert,
			spirv.OpVectorShuffle:      (*lowering).lowerShuffle,
			spirv.OpBitcast:            (*lowering).lowerBitcast,
			spirv.OpVectorTimesScalar:  (*lowering).lowerVectorTimesScalar,
			spirv.OpDot:                (*lowering).lowerDot,

			spirv.OpVectorExtractDynamic: (*lowering).lowerExtractDynamic,
			spirv.OpVectorInsertDynamic:  (*lowering).lowerInsertDynamic,
		}
		for op, f := range lowerInts.Get() {
			table[op] = func(l *lowering, in *spirv.Instruction) { l.lower2(in, f) }
		}
		for op, f := range lowerFloats.Get() {
			table[op] = func(l *lowering, in *spirv.Instruction) { l.lower2(in, f) }
		}
		for op, f := range lowerUnary.Get() {
			table[op] = func(l *lowering, in *spirv.Instruction) { l.lower1(in, f) }
		}
		for _, op := range []spirv.Opcode{spirv.OpConvertFToS, spirv.OpConvertFToU} {
			table[op] = func(l *lowering, in *spirv.Instruction) {
				l.lower1(in, lowerTruncation(op, isSaturated(l.p.module, in)))
			}
		}
		return table
	})
}

// lower1 lowers an operation of one operand.
func (l *lowering) lower1(in *spirv.Instruction, f lowerWords1) {
	x, t := l.arg(in, 0), l.typeOf(in.Type())
	x = l.spell(x)
	from, to := wordsOf(x.t), wordsOf(t)
	var words []*lanes.Value
	for i, v := range x.words {
		r := f(l, v, from[i], to[i])
		if r == nil || l.rounded(in) {
			l.lowerPure(in)
			return
		}
		words = append(words, r)
	}
	l.define(in, words)
}

// rounded tells whether the result is decorated with a rounding mode, or is an integer made of
// another one and decorated as saturated.
func (l *lowering) rounded(in *spirv.Instruction) bool {
	_, mode := l.p.module.Decoration(in.Result(), spirv.DecorationFPRoundingMode)
	return mode || lowerTruncation(in.Op, true) == nil && isSaturated(l.p.module, in)
}

// lower2 lowers an operation of two operands.
func (l *lowering) lower2(in *spirv.Instruction, f lowerWords2) {
	x, y := l.spell(l.arg(in, 0)), l.spell(l.arg(in, 1))
	w := wordsOf(x.t)
	var words []*lanes.Value
	for i := range x.words {
		r := f(l, x.words[i], y.words[i], w[i])
		if r == nil {
			l.lowerPure(in)
			return
		}
		words = append(words, r)
	}
	l.define(in, words)
}

// Integers of a width: zero-extended in 32 or 64 bits.

// cut clears the bits beyond the width.
func (l *lowering) cut(v *lanes.Value, width int) *lanes.Value {
	if width == 32 || width == 64 {
		return v
	}
	return l.b.Add(lanes.OpAnd, v.Kind, v, l.f.Const(v.Kind, mask(width)))
}

// signed is the number sign-extended to 32 or 64 bits.
func (l *lowering) signed(v *lanes.Value, width int) *lanes.Value {
	b := l.b
	switch {
	case width == 32 || width == 64:
		return v
	case width == 8:
		return b.Add(lanes.OpSExt8, v.Kind, v)
	case width == 16:
		return b.Add(lanes.OpSExt16, v.Kind, v)
	}
	shift := 32 - width
	if v.Kind == lanes.I64 {
		shift = 64 - width
	}
	n := l.f.Const(v.Kind, uint64(shift))
	return b.Add(lanes.OpAShr, v.Kind, b.Add(lanes.OpShl, v.Kind, v, n), n)
}

// resized is a number as a word of another width: its low bits.
func (l *lowering) resized(v *lanes.Value, to word) *lanes.Value {
	switch {
	case to.lane == lanes.I32:
		v = v.Low()
	case v.Kind == lanes.I32:
		v = l.b.Add(lanes.OpZExt, lanes.I64, v)
	}
	return l.cut(v, to.width)
}

// lowBitsOf is for sums, differences and products, whose low bits depend on the low
// bits of the operands alone: the operands need no extension, and only the result
// is cut.
func lowBitsOf(op lanes.Op) lowerWords2 {
	return func(l *lowering, x, y *lanes.Value, w word) *lanes.Value {
		return l.cut(l.b.Add(op, x.Kind, x, y), w.width)
	}
}

// unsignedOf is for operations that set no bit above those of the operands, so that
// nothing needs to be cut.
func unsignedOf(op lanes.Op) lowerWords2 {
	return func(l *lowering, x, y *lanes.Value, w word) *lanes.Value { return l.b.Add(op, x.Kind, x, y) }
}

// signedOf is for quotients and remainders. The result is cut as the least number
// divided by -1 has one bit more than the width.
func signedOf(op lanes.Op) lowerWords2 {
	return func(l *lowering, x, y *lanes.Value, w word) *lanes.Value {
		return l.cut(l.b.Add(op, x.Kind, l.signed(x, w.width), l.signed(y, w.width)), w.width)
	}
}

// shiftOf takes the amount modulo the width, as the interpreter does; SPIR-V leaves
// greater amounts open. Widths that are not powers of two are left to the
// interpreter.
func shiftOf(op lanes.Op) lowerWords2 {
	return func(l *lowering, x, y *lanes.Value, w word) *lanes.Value {
		if bits.OnesCount(uint(w.width)) != 1 {
			return nil
		}
		amount := y
		if x.Kind == lanes.I32 {
			amount = y.Low()
		} else if y.Kind == lanes.I32 {
			amount = l.b.Add(lanes.OpZExt, lanes.I64, y)
		}
		if w.width < 32 {
			amount = l.b.Add(lanes.OpAnd, lanes.I32, amount, l.i32(int64(w.width-1)))
		}
		if op == lanes.OpAShr {
			x = l.signed(x, w.width)
		}
		return l.cut(l.b.Add(op, x.Kind, x, amount), w.width)
	}
}

// compareOf compares numbers without sign, booleans and pointers; swap exchanges
// the operands.
func compareOf(op lanes.Op, swap bool) lowerWords2 {
	return func(l *lowering, x, y *lanes.Value, _ word) *lanes.Value {
		if swap {
			x, y = y, x
		}
		return l.b.Add(op, lanes.Bool, x, y)
	}
}

// compareSignedOf compares signed numbers. Pointers are left to the interpreter: an
// address in the upper half would be negative.
func compareSignedOf(op lanes.Op, swap bool) lowerWords2 {
	return func(l *lowering, x, y *lanes.Value, w word) *lanes.Value {
		if w.kind == kindPointer {
			return nil
		}
		x, y = l.signed(x, w.width), l.signed(y, w.width)
		if swap {
			x, y = y, x
		}
		return l.b.Add(op, lanes.Bool, x, y)
	}
}

// divides stops a division by zero. The check is apart from the division, which may thus be done
// ahead of the branch that guards it, and for lanes that did not come there.
func divides(f lowerWords2) lowerWords2 {
	return func(l *lowering, x, y *lanes.Value, w word) *lanes.Value {
		if !l.isNotZero(y, 0) {
			l.b.TrapIf(l.b.Add(lanes.OpEq, lanes.Bool, y, l.f.Const(y.Kind, 0)), lanes.TrapDivision)
		}
		return f(l, x, y, w)
	}
}

// isNotZero reports whether a number is known not to be zero.
func (l *lowering) isNotZero(v *lanes.Value, depth int) bool {
	if depth > maxRangeDepth {
		return false
	}
	is := func(i int) bool { return l.isNotZero(v.Args[i], depth+1) }
	switch v.Op {
	case lanes.OpConst:
		return v.Imm != 0
	case lanes.OpArg: // the sizes of a work-group, and how many there are
		return v.Imm >= lanes.RecordLocal && v.Imm < lanes.RecordItem || v.Imm >= lanes.RecordEnqueued && v.Imm < lanes.RecordWords || v.Imm >= lanes.RecordGlobal && v.Imm < lanes.RecordOffset && v.Imm%8 == 0
	case lanes.OpZExt, lanes.OpSExt:
		return is(0)
	case lanes.OpOr:
		return is(0) || is(1)
	case lanes.OpSelect:
		return is(1) && is(2)
	case lanes.OpAdd:
		return v.Kind == lanes.I32 && (is(0) || is(1)) && l.largest(v.Args[0], depth)+l.largest(v.Args[1], depth) <= math.MaxUint32
	}
	return false
}

var lowerInts = lazy.Map[spirv.Opcode, lowerWords2]{New: func() map[spirv.Opcode]lowerWords2 {
	return map[spirv.Opcode]lowerWords2{
		spirv.OpIAdd:       lowBitsOf(lanes.OpAdd),
		spirv.OpISub:       lowBitsOf(lanes.OpSub),
		spirv.OpIMul:       lowBitsOf(lanes.OpMul),
		spirv.OpBitwiseAnd: unsignedOf(lanes.OpAnd),
		spirv.OpBitwiseOr:  unsignedOf(lanes.OpOr),
		spirv.OpBitwiseXor: unsignedOf(lanes.OpXor),
		spirv.OpUDiv:       divides(unsignedOf(lanes.OpUDiv)),
		spirv.OpUMod:       divides(unsignedOf(lanes.OpURem)),
		spirv.OpSDiv:       divides(signedOf(lanes.OpSDiv)),
		spirv.OpSRem:       divides(signedOf(lanes.OpSRem)),

		spirv.OpShiftLeftLogical:     shiftOf(lanes.OpShl),
		spirv.OpShiftRightLogical:    shiftOf(lanes.OpLShr),
		spirv.OpShiftRightArithmetic: shiftOf(lanes.OpAShr),

		spirv.OpIEqual:            compareOf(lanes.OpEq, false),
		spirv.OpINotEqual:         compareOf(lanes.OpNe, false),
		spirv.OpULessThan:         compareOf(lanes.OpULt, false),
		spirv.OpULessThanEqual:    compareOf(lanes.OpULe, false),
		spirv.OpUGreaterThan:      compareOf(lanes.OpULt, true),
		spirv.OpUGreaterThanEqual: compareOf(lanes.OpULe, true),
		spirv.OpSLessThan:         compareSignedOf(lanes.OpSLt, false),
		spirv.OpSLessThanEqual:    compareSignedOf(lanes.OpSLe, false),
		spirv.OpSGreaterThan:      compareSignedOf(lanes.OpSLt, true),
		spirv.OpSGreaterThanEqual: compareSignedOf(lanes.OpSLe, true),

		spirv.OpLogicalEqual:    compareOf(lanes.OpEq, false),
		spirv.OpLogicalNotEqual: unsignedOf(lanes.OpXor),
		spirv.OpLogicalOr:       unsignedOf(lanes.OpOr),
		spirv.OpLogicalAnd:      unsignedOf(lanes.OpAnd),
	}
}}

// Floats. Other operations on halves than these are the interpreter's.

// floatOf computes with floats, and with halves as floats that are rounded again.
func floatOf(op lanes.Op) lowerWords2 {
	return onHalves2(func(l *lowering, x, y *lanes.Value, w word) *lanes.Value {
		return l.b.Add(op, x.Kind, x, y)
	})
}

// compareFloats compares, with the operands exchanged and the result negated if so
// asked. Comparisons of the form are false for a NaN, so the unordered ones are the
// opposite of ordered ones: not less is unordered, equal or greater.
func compareFloats(op lanes.Op, swap, not bool) lowerWords2 {
	return onHalves2(func(l *lowering, x, y *lanes.Value, w word) *lanes.Value {
		if swap {
			x, y = y, x
		}
		r := l.b.Add(op, lanes.Bool, x, y)
		if not {
			return l.not(r)
		}
		return r
	})
}

func (l *lowering) not(v *lanes.Value) *lanes.Value {
	return l.b.Add(lanes.OpXor, lanes.Bool, v, l.f.Const(lanes.Bool, 1))
}

// orderedNotEqual is true for less or greater, which is false for a NaN, or the
// opposite of that.
func orderedNotEqual(not bool) lowerWords2 {
	return onHalves2(func(l *lowering, x, y *lanes.Value, w word) *lanes.Value {
		r := l.b.Add(lanes.OpOr, lanes.Bool, l.b.Add(lanes.OpFLt, lanes.Bool, x, y), l.b.Add(lanes.OpFLt, lanes.Bool, y, x))
		if not {
			return l.not(r)
		}
		return r
	})
}

// ordered compares each operand with itself: only a NaN differs from itself.
func ordered(not bool) lowerWords2 {
	return onHalves2(func(l *lowering, x, y *lanes.Value, w word) *lanes.Value {
		r := l.b.Add(lanes.OpAnd, lanes.Bool, l.b.Add(lanes.OpEq, lanes.Bool, x, x), l.b.Add(lanes.OpEq, lanes.Bool, y, y))
		if not {
			return l.not(r)
		}
		return r
	})
}

var lowerFloats = lazy.Map[spirv.Opcode, lowerWords2]{New: func() map[spirv.Opcode]lowerWords2 {
	return map[spirv.Opcode]lowerWords2{
		spirv.OpFAdd: floatOf(lanes.OpFAdd), spirv.OpFSub: floatOf(lanes.OpFSub),
		spirv.OpFMul: floatOf(lanes.OpFMul), spirv.OpFDiv: floatOf(lanes.OpFDiv),

		spirv.OpFOrdEqual:              compareFloats(lanes.OpEq, false, false),
		spirv.OpFUnordNotEqual:         compareFloats(lanes.OpNe, false, false),
		spirv.OpFOrdLessThan:           compareFloats(lanes.OpFLt, false, false),
		spirv.OpFOrdLessThanEqual:      compareFloats(lanes.OpFLe, false, false),
		spirv.OpFOrdGreaterThan:        compareFloats(lanes.OpFLt, true, false),
		spirv.OpFOrdGreaterThanEqual:   compareFloats(lanes.OpFLe, true, false),
		spirv.OpFUnordLessThan:         compareFloats(lanes.OpFLe, true, true),
		spirv.OpFUnordLessThanEqual:    compareFloats(lanes.OpFLt, true, true),
		spirv.OpFUnordGreaterThan:      compareFloats(lanes.OpFLe, false, true),
		spirv.OpFUnordGreaterThanEqual: compareFloats(lanes.OpFLt, false, true),
		spirv.OpFOrdNotEqual:           orderedNotEqual(false),
		spirv.OpLessOrGreater:          orderedNotEqual(false),
		spirv.OpFUnordEqual:            orderedNotEqual(true),
		spirv.OpOrdered:                ordered(false),
		spirv.OpUnordered:              ordered(true),
	}
}}

// plain1 is for operations of one operand that the form has.
func plain1(op lanes.Op) lowerWords1 {
	return onHalves1(func(l *lowering, x *lanes.Value, _, _ word) *lanes.Value { return l.b.Add(op, x.Kind, x) })
}

var lowerUnary = lazy.Map[spirv.Opcode, lowerWords1]{New: func() map[spirv.Opcode]lowerWords1 {
	return map[spirv.Opcode]lowerWords1{
		spirv.OpFNegate: plain1(lanes.OpFNeg),
		spirv.OpSNegate: func(l *lowering, x *lanes.Value, w, _ word) *lanes.Value {
			return l.cut(l.b.Add(lanes.OpSub, x.Kind, l.f.Const(x.Kind, 0), x), w.width)
		},
		spirv.OpNot: func(l *lowering, x *lanes.Value, w, _ word) *lanes.Value {
			return l.b.Add(lanes.OpXor, x.Kind, x, l.f.Const(x.Kind, mask(w.width)))
		},
		spirv.OpLogicalNot: func(l *lowering, x *lanes.Value, _, _ word) *lanes.Value { return l.not(x) },
		spirv.OpIsNan: onHalves1(func(l *lowering, x *lanes.Value, _, _ word) *lanes.Value {
			return l.b.Add(lanes.OpNe, lanes.Bool, x, x)
		}),
		spirv.OpUConvert: func(l *lowering, x *lanes.Value, _, to word) *lanes.Value { return l.resized(x, to) },
		spirv.OpSConvert: func(l *lowering, x *lanes.Value, from, to word) *lanes.Value {
			x = l.signed(x, from.width)
			if x.Kind == lanes.I32 && to.lane == lanes.I64 {
				return l.cut(l.b.Add(lanes.OpSExt, lanes.I64, x), to.width)
			}
			return l.resized(x, to)
		},
		spirv.OpFConvert: func(l *lowering, x *lanes.Value, from, to word) *lanes.Value {
			switch {
			case from.width == 32 && to.width == 64:
				return l.b.Add(lanes.OpFWiden, lanes.F64, x)
			case from.width == 64 && to.width == 32:
				return l.b.Add(lanes.OpFNarrow, lanes.F32, x)
			case from.isHalf() && to.width == 32:
				return l.fromHalf(x)
			case from.isHalf() && to.width == 64:
				return l.b.Add(lanes.OpFWiden, lanes.F64, l.fromHalf(x))
			case from.width == 32 && to.isHalf():
				return l.toHalf(x)
			}
			return nil
		},
		spirv.OpConvertSToF: func(l *lowering, x *lanes.Value, from, to word) *lanes.Value {
			if to.width < 32 {
				return nil
			}
			return l.b.Add(lanes.OpSToF, to.lane, l.signed(x, from.width))
		},
		spirv.OpConvertUToF: func(l *lowering, x *lanes.Value, _, to word) *lanes.Value {
			if to.width < 32 {
				return nil
			}
			return l.b.Add(lanes.OpUToF, to.lane, x)
		},
	}
}}

// choose is x if x op y, else y; with other it is y if x op y, else x.
func (l *lowering) choose(op lanes.Op, x, y *lanes.Value, other ...bool) *lanes.Value {
	is := l.b.Add(op, lanes.Bool, x, y)
	if len(other) > 0 {
		return l.b.Add(lanes.OpSelect, x.Kind, is, y, x)
	}
	return l.b.Add(lanes.OpSelect, x.Kind, is, x, y)
}

// lowerSelect chooses words by one condition or one for each component. A pointer
// that is chosen brings the bounds of its allocation along.
func (l *lowering) lowerSelect(in *spirv.Instruction) {
	cond, x, y := l.arg(in, 0), l.spell(l.arg(in, 1)), l.spell(l.arg(in, 2))
	var words []*lanes.Value
	for i := range x.words {
		c := cond.words[min(i, len(cond.words)-1)]
		words = append(words, l.b.Add(lanes.OpSelect, x.words[i].Kind, c, x.words[i], y.words[i]))
	}
	v := lowered{t: l.typeOf(in.Type()), words: words}
	if v.t.kind == kindPointer {
		v.root = l.chosenRoot(cond.words[0], x, y)
		v.steps.unknown = !x.steps.isStart() || !y.steps.isStart()
	}
	l.call().values[in.Result()] = v
}

// Composites.

func (l *lowering) lowerConstruct(in *spirv.Instruction) {
	var words []*lanes.Value
	for _, id := range in.Operands() {
		words = append(words, l.spell(l.value(spirv.ID(id))).words...)
	}
	l.define(in, words)
}

// wordsAt finds the words of a part of a composite.
func wordsAt(t *typ, indexes []uint32) (part *typ, at int64) {
	for _, i := range indexes {
		next, _, start, _ := t.part(uint64(i))
		t, at = next, at+start
	}
	return t, at
}

func (l *lowering) lowerExtract(in *spirv.Instruction) {
	v := l.arg(in, 0)
	t, at := wordsAt(v.t, in.Operands()[1:])
	l.define(in, v.words[at:at+t.words])
}

// lowerInsert copies the list of words: the composite stays as it was, and its
// words are shared.
func (l *lowering) lowerInsert(in *spirv.Instruction) {
	object, composite := l.spell(l.arg(in, 0)), l.arg(in, 1)
	_, at := wordsAt(composite.t, in.Operands()[2:])
	words := append([]*lanes.Value{}, composite.words...)
	copy(words[at:], object.words)
	l.define(in, words)
}

// lowerShuffle picks components of two vectors. A component that is said to be
// undefined is the first one, as any value will do.
func (l *lowering) lowerShuffle(in *spirv.Instruction) {
	x, y := l.arg(in, 0), l.arg(in, 1)
	all := append(append([]*lanes.Value{}, x.words...), y.words...)
	var words []*lanes.Value
	for _, pick := range in.Operands()[2:] {
		if pick == ^uint32(0) {
			pick = 0
		}
		words = append(words, all[pick])
	}
	l.define(in, words)
}

// lowerExtractDynamic compares the index with each component, of which a vector has
// 16 at most. An index that is too large gives 0, as in the interpreter; SPIR-V
// leaves it open.
func (l *lowering) lowerExtractDynamic(in *spirv.Instruction) {
	v, i := l.arg(in, 0), l.arg(in, 1).words[0]
	r := l.zero(v.t.elem).words[0]
	for n, w := range v.words {
		is := l.b.Add(lanes.OpEq, lanes.Bool, i, l.f.Const(i.Kind, uint64(n)))
		r = l.b.Add(lanes.OpSelect, w.Kind, is, w, r)
	}
	l.define(in, []*lanes.Value{r})
}

// lowerInsertDynamic changes nothing where the index is too large.
func (l *lowering) lowerInsertDynamic(in *spirv.Instruction) {
	v, part, i := l.arg(in, 0), l.arg(in, 1).words[0], l.arg(in, 2).words[0]
	var words []*lanes.Value
	for n, w := range v.words {
		is := l.b.Add(lanes.OpEq, lanes.Bool, i, l.f.Const(i.Kind, uint64(n)))
		words = append(words, l.b.Add(lanes.OpSelect, w.Kind, is, part, w))
	}
	l.define(in, words)
}

// lowerVectorTimesScalar leaves halves to the interpreter.
func (l *lowering) lowerVectorTimesScalar(in *spirv.Instruction) {
	x, y := l.arg(in, 0), l.arg(in, 1)
	if y.t.width < 32 {
		l.lowerPure(in)
		return
	}
	var words []*lanes.Value
	for _, v := range x.words {
		words = append(words, l.b.Add(lanes.OpFMul, v.Kind, v, y.words[0]))
	}
	l.define(in, words)
}

// lowerDot sums from the first component to the last, as the interpreter does: the order
// decides the rounding.
func (l *lowering) lowerDot(in *spirv.Instruction) {
	x, y := l.arg(in, 0), l.arg(in, 1)
	if x.t.scalar().width < 32 {
		l.lowerPure(in)
		return
	}
	var sum *lanes.Value
	for i, v := range x.words {
		product := l.b.Add(lanes.OpFMul, v.Kind, v, y.words[i])
		if sum == nil {
			sum = product
		} else {
			sum = l.b.Add(lanes.OpFAdd, v.Kind, sum, product)
		}
	}
	l.define(in, []*lanes.Value{sum})
}

// lowerBitcast cuts the bits anew where the widths differ.
func (l *lowering) lowerBitcast(in *spirv.Instruction) {
	x, t := l.arg(in, 0), l.typeOf(in.Type())
	if x.t.kind == kindPointer && t.kind == kindPointer {
		x.t = t
		l.call().values[in.Result()] = x
		return
	}
	x = l.spell(x)
	to := wordsOf(t)
	var units []*lanes.Value // I64 words with the bits
	for _, v := range x.words {
		units = append(units, l.toWord(v))
	}
	fromBits, toBits := x.t.scalar().bits(), t.scalar().bits()
	var words []*lanes.Value
	for i, w := range to {
		words = append(words, l.fromWord(l.recut(units, fromBits, toBits, i), w))
	}
	l.define(in, words)
}

// recut is the bits of word i of the new width.
func (l *lowering) recut(units []*lanes.Value, from, to, i int) *lanes.Value {
	b := l.b
	shift := func(op lanes.Op, v *lanes.Value, n int) *lanes.Value {
		return b.Add(op, lanes.I64, v, l.f.Const(lanes.I64, uint64(n)))
	}
	switch {
	case from == to:
		return units[i]
	case from > to && from%to == 0:
		at := i * to
		v := shift(lanes.OpLShr, units[at/from], at%from)
		return b.Add(lanes.OpAnd, lanes.I64, v, l.f.Const(lanes.I64, mask(to)))
	case to%from == 0:
		first := i * to / from
		v := units[first]
		for n := 1; n < to/from; n++ {
			v = b.Add(lanes.OpOr, lanes.I64, v, shift(lanes.OpShl, units[first+n], n*from))
		}
		return v
	}
	l.unsupported("a cast between %d and %d bits", from, to)
	return nil
}
