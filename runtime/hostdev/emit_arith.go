package hostdev

import "offlink/spirv"

// Arithmetic, comparisons and logic, from the tables of operations.

func registerArithEmitters() {
	emitters.register(func() map[spirv.Opcode]func(*builder, *spirv.Instruction) {
		table := map[spirv.Opcode]func(*builder, *spirv.Instruction){
			spirv.OpLogicalEqual:      logicalEmitter(func(a, b uint64) uint64 { return boolWord(a == b) }),
			spirv.OpLogicalNotEqual:   logicalEmitter(func(a, b uint64) uint64 { return a ^ b }),
			spirv.OpLogicalOr:         logicalEmitter(func(a, b uint64) uint64 { return a | b }),
			spirv.OpLogicalAnd:        logicalEmitter(func(a, b uint64) uint64 { return a & b }),
			spirv.OpLogicalNot:        (*builder).emitLogicalNot,
			spirv.OpSelect:            (*builder).emitSelect,
			spirv.OpAny:               foldBooleans(0, func(a, b uint64) uint64 { return a | b }),
			spirv.OpAll:               foldBooleans(1, func(a, b uint64) uint64 { return a & b }),
			spirv.OpDot:               (*builder).emitDot,
			spirv.OpVectorTimesScalar: (*builder).emitVectorTimesScalar,
			spirv.OpBitFieldInsert:    (*builder).emitBitFieldInsert,
			spirv.OpBitFieldSExtract:  bitFieldExtract(true),
			spirv.OpBitFieldUExtract:  bitFieldExtract(false),
			spirv.OpQuantizeToF16:     (*builder).emitQuantize,
		}
		for op, row := range intBinary.Get() {
			table[op] = intBinaryEmitter(row, op)
		}
		for op, row := range intCompare.Get() {
			table[op] = intCompareEmitter(row, op)
		}
		for op, row := range intUnary.Get() {
			table[op] = intUnaryEmitter(row, op)
		}
		for op, f := range wide.Get() {
			table[op] = wideEmitter(f, op == spirv.OpIAddCarry || op == spirv.OpISubBorrow)
		}
		for op, row := range floatBinary.Get() {
			table[op] = func(b *builder, in *spirv.Instruction) { b.floats2(in, row) }
		}
		for op, row := range floatUnary.Get() {
			table[op] = func(b *builder, in *spirv.Instruction) { b.floats1(in, row) }
		}
		for op, row := range floatCompare.Get() {
			table[op] = floatCompareEmitter(row, op)
		}
		for op, row := range floatTest.Get() {
			table[op] = floatTestEmitter(row)
		}
		return table
	})
}

// checkLanes checks that values are of a kind and have as many components as
// the result, and returns the width of their components.
func (b *builder) checkLanes(k kind, to value, values ...value) int {
	first := values[0].t.scalar()
	for _, v := range values {
		s := v.t.scalar()
		b.require(s.kind == k && s.width == first.width && v.t.words == to.t.words,
			"an operand of type %s does not fit", b.typeName(v.t))
	}
	return first.width
}

func (b *builder) emit1(to, x value, f unary) {
	b.emit(inst{step: stepLanes1, dst: to.at, a: x.at, n: int32(to.t.words), f1: f})
}

func (b *builder) emit2(to, x, y value, f binary2) {
	b.emit(inst{step: stepLanes2, dst: to.at, a: x.at, b: y.at, n: int32(to.t.words), f2: f})
}

// fastBinary emits a scalar operation, with the step of fast.go if there is one.
func (b *builder) fastBinary(op spirv.Opcode, width int, to, x, y value, f binary2) {
	if step := fastSteps.Get()[binaryKey{op, width}]; step != nil && to.t.words == 1 {
		b.emit(inst{step: step, dst: to.at, a: x.at, b: y.at})
		return
	}
	b.emit2(to, x, y, f)
}

func (b *builder) emit3(to, x, y, z value, f func(a, b, c uint64) uint64) {
	b.emit(inst{step: stepLanes3, dst: to.at, a: x.at, b: y.at, c: z.at, n: int32(to.t.words), f3: f})
}

// defineLanes defines the result, which must have components of the kind and
// width.
func (b *builder) defineLanes(in *spirv.Instruction, k kind, width int) value {
	to := b.defineResult(in)
	s := to.t.scalar()
	b.require(s.kind == k && (width == 0 || s.width == width), "a result of type %s does not fit", b.typeName(to.t))
	return to
}

// intBinaryEmitter wants operands and results of one width, except that the amount of a
// shift may have another one.
func intBinaryEmitter(row binaryByWidth, op spirv.Opcode) func(*builder, *spirv.Instruction) {
	shift := op == spirv.OpShiftLeftLogical || op == spirv.OpShiftRightLogical || op == spirv.OpShiftRightArithmetic
	return func(b *builder, in *spirv.Instruction) {
		x, y := b.arg(in, 0), b.arg(in, 1)
		to := b.defineLanes(in, kindInt, 0)
		width := b.checkLanes(kindInt, to, x)
		if b.checkLanes(kindInt, to, y) != width && !shift || to.t.scalar().width != width {
			b.refuse("operands of different widths")
		}
		b.fastBinary(op, width, to, x, y, row(width))
	}
}

func intCompareEmitter(row binaryByWidth, op spirv.Opcode) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		x, y := b.arg(in, 0), b.arg(in, 1)
		to := b.defineLanes(in, kindBool, 0)
		if x.t.is(kindPointer) && y.t.is(kindPointer) && x.t.words == to.t.words && y.t.words == to.t.words {
			b.emit2(to, x, y, row(64)) // llvm-spirv compares pointers with integer instructions
			return
		}
		width := b.checkLanes(kindInt, to, x, y)
		b.fastBinary(op, width, to, x, y, row(width))
	}
}

func intUnaryEmitter(row unaryByWidth, op spirv.Opcode) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		x, to := b.arg(in, 0), b.defineLanes(in, kindInt, 0)
		width := b.checkLanes(kindInt, to, x)
		b.require(to.t.scalar().width == width || op == spirv.OpBitCount, "operand and result are of different widths")
		b.emit1(to, x, row(width))
	}
}

// wideEmitter compiles an operation whose result is a struct of two values of
// the operands' type. Translators also make the second one, if it is a carry,
// a boolean.
func wideEmitter(f func(a, b uint64, width int) (low, high uint64), carry bool) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		x, y, to := b.arg(in, 0), b.arg(in, 1), b.defineResult(in)
		b.require(to.t.kind == kindStruct && len(to.t.members) == 2, "its result is not a struct of two")
		low := value{to.at, to.t.members[0]}
		high := value{to.at + int32(low.t.words), to.t.members[1]}
		if !carry || !high.t.is(kindBool) || high.t.words != low.t.words {
			b.requireSameWords(low.t, high.t)
		}
		b.requireSameWords(low.t, x.t)
		w := b.checkLanes(kindInt, low, x, y)
		b.emit2(low, x, y, func(a, c uint64) uint64 { v, _ := f(a, c, w); return v & mask(w) })
		b.emit2(high, x, y, func(a, c uint64) uint64 { _, v := f(a, c, w); return v & mask(w) })
	}
}

// logicalEmitter combines booleans as bits: a boolean is the word 0 or 1, which
// every step that makes one keeps to.
func logicalEmitter(f binary2) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		x, y, to := b.arg(in, 0), b.arg(in, 1), b.defineLanes(in, kindBool, 0)
		b.checkLanes(kindBool, to, x, y)
		b.emit2(to, x, y, f)
	}
}

func (b *builder) emitLogicalNot(in *spirv.Instruction) {
	x, to := b.arg(in, 0), b.defineLanes(in, kindBool, 0)
	b.checkLanes(kindBool, to, x)
	b.emit1(to, x, func(a uint64) uint64 { return a ^ 1 })
}

// emitSelect has a scalar condition for every type, or a vector of conditions
// for a vector.
func (b *builder) emitSelect(in *spirv.Instruction) {
	cond, x, y, to := b.arg(in, 0), b.arg(in, 1), b.arg(in, 2), b.defineResult(in)
	b.requireSameWords(x.t, to.t)
	b.requireSameWords(y.t, to.t)
	b.require(cond.t.is(kindBool), "the condition is not a boolean")
	if cond.t.kind == kindBool {
		b.emit(inst{step: stepSelect, dst: to.at, a: cond.at, b: x.at, c: y.at, n: int32(to.t.words)})
		return
	}
	b.require(cond.t.words == to.t.words && to.t.kind == kindVector, "the condition has another number of components")
	b.emit3(to, cond, x, y, func(c, x, y uint64) uint64 {
		if c != 0 {
			return x
		}
		return y
	})
}

// stepSelect copies all words of the value. One condition for a whole composite
// is allowed from SPIR-V 1.4 on, and taken from any module.
func stepSelect(it *item, in *inst) status {
	from := in.c
	if it.s[in.a] != 0 {
		from = in.b
	}
	copy(it.s[in.dst:in.dst+in.n], it.s[from:from+in.n])
	return running
}

// foldBooleans compiles OpAny and OpAll: it combines the components of a
// vector of booleans.
func foldBooleans(start uint64, f binary2) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		x, to := b.arg(in, 0), b.defineLanes(in, kindBool, 0)
		b.require(x.t.is(kindBool) && to.t.kind == kindBool, "the operand is not a vector of booleans")
		b.emit(inst{step: stepFold, dst: to.at, a: x.at, n: int32(x.t.words), imm: start, f2: f})
	}
}

// stepFold combines all components, without an early end: the components are
// words, and a branch costs more.
func stepFold(it *item, in *inst) status {
	v := in.imm
	for _, x := range it.s[in.a : in.a+in.n] {
		v = in.f2(v, x)
	}
	it.s[in.dst] = v
	return running
}

func (b *builder) emitDot(in *spirv.Instruction) {
	x, y, to := b.arg(in, 0), b.arg(in, 1), b.defineLanes(in, kindFloat, 0)
	b.requireSameWords(x.t, y.t)
	b.require(to.t.kind == kindFloat, "its result is a vector")
	width := b.checkLanes(kindFloat, value{t: x.t}, x, y)
	b.require(to.t.width == width, "operands and result are of different widths")
	b.emitDotProduct(to, x, y)
}

// emitDotProduct sums the products of components from first to last; the
// order decides the rounding.
func (b *builder) emitDotProduct(to, x, y value) {
	i := floatIndex(to.t.scalar().width)
	b.emit(inst{
		step: stepDot, dst: to.at, a: x.at, b: y.at, n: int32(x.t.words),
		f2: floatBinary.Get()[spirv.OpFMul][i], ext: floatBinary.Get()[spirv.OpFAdd][i],
	})
}

func stepDot(it *item, in *inst) status {
	add := in.ext.(binary2)
	sum := in.f2(it.s[in.a], it.s[in.b])
	for i := int32(1); i < in.n; i++ {
		sum = add(sum, in.f2(it.s[in.a+i], it.s[in.b+i]))
	}
	it.s[in.dst] = sum
	return running
}

func (b *builder) emitVectorTimesScalar(in *spirv.Instruction) {
	x, y, to := b.arg(in, 0), b.arg(in, 1), b.defineLanes(in, kindFloat, 0)
	b.requireSameWords(x.t, to.t)
	b.requireSameWords(y.t, to.t.scalar())
	b.emit2(to, x, b.spreadScalar(y, to.t), floatBinary.Get()[spirv.OpFMul][floatIndex(y.t.width)])
}

// spreadScalar copies a scalar to all components of a vector type t; other
// values are returned as they are.
func (b *builder) spreadScalar(v value, t *typ) value {
	if v.t.words == t.words {
		return v
	}
	to := value{b.newTemporary(t.words), t}
	var into, from []int32
	for i := range int32(t.words) {
		into, from = append(into, to.at+i), append(from, v.at)
	}
	b.moveWords(into, from)
	return to
}

// bitRange is the offset and count of a bit field, cut to the width.
func bitRange(offset, count uint64, width int) (o, n uint64) {
	// SPIR-V leaves a field that reaches beyond the width undefined. It is cut,
	// so that the masks made of it stay within a word.
	o = min(offset, uint64(width))
	return o, min(count, uint64(width)-o)
}

// emitBitFieldInsert makes a mask of the field, which picks each bit of the inserted number
// or of the base.
func (b *builder) emitBitFieldInsert(in *spirv.Instruction) {
	base, insert, to := b.arg(in, 0), b.arg(in, 1), b.defineLanes(in, kindInt, 0)
	offset, count := b.spreadScalar(b.integerOperand(b.arg(in, 2)), to.t), b.spreadScalar(b.integerOperand(b.arg(in, 3)), to.t)
	width := b.checkLanes(kindInt, to, base, insert)
	field := value{b.newTemporary(to.t.words), to.t}
	b.emit2(field, offset, count, func(o, n uint64) uint64 {
		o, n = bitRange(o, n, width)
		return (1<<n - 1) << o
	})
	shifted := value{b.newTemporary(to.t.words), to.t}
	b.emit2(shifted, insert, offset, func(v, o uint64) uint64 { return v << min(o, 63) })
	b.emit3(to, base, shifted, field, func(base, v, field uint64) uint64 { return base&^field | v&field })
}

// integerOperand is a scalar integer operand. Offset and count of a bit field
// may have any width, and are taken as unsigned (SPIR-V, OpBitFieldInsert).
func (b *builder) integerOperand(v value) value {
	b.require(v.t.kind == kindInt, "an operand of type %s is not an integer", b.typeName(v.t))
	return v
}

func bitFieldExtract(signed bool) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		base, to := b.arg(in, 0), b.defineLanes(in, kindInt, 0)
		offset, count := b.spreadScalar(b.integerOperand(b.arg(in, 1)), to.t), b.spreadScalar(b.integerOperand(b.arg(in, 2)), to.t)
		width := b.checkLanes(kindInt, to, base)
		b.emit3(to, base, offset, count, func(v, o, n uint64) uint64 {
			o, n = bitRange(o, n, width)
			switch {
			case n == 0:
				return 0
			case signed:
				return uint64(signExtend(v>>o, int(n))) & mask(width)
			}
			return v >> o & mask(int(n))
		})
	}
}

// Floats.

func (b *builder) floats1(in *spirv.Instruction, row unaryFloat) {
	x := b.arg(in, 0)
	to := b.defineLanes(in, kindFloat, x.t.scalar().width)
	b.emit1(to, x, row[floatIndex(b.checkLanes(kindFloat, to, x))])
}

func (b *builder) floats2(in *spirv.Instruction, row binaryFloat) {
	x, y := b.arg(in, 0), b.arg(in, 1)
	to := b.defineLanes(in, kindFloat, x.t.scalar().width)
	width := b.checkLanes(kindFloat, to, x, y)
	b.fastBinary(in.Op, width, to, x, y, row[floatIndex(width)])
}

func floatCompareEmitter(row binaryFloat, op spirv.Opcode) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		x, y, to := b.arg(in, 0), b.arg(in, 1), b.defineLanes(in, kindBool, 0)
		width := b.checkLanes(kindFloat, to, x, y)
		b.fastBinary(op, width, to, x, y, row[floatIndex(width)])
	}
}

// floatTestEmitter compiles OpIsNan and its relatives, whose tables have an
// operation for each width of float.
func floatTestEmitter(row unaryFloat) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		x, to := b.arg(in, 0), b.defineLanes(in, kindBool, 0)
		b.emit1(to, x, row[floatIndex(b.checkLanes(kindFloat, to, x))])
	}
}

func (b *builder) emitQuantize(in *spirv.Instruction) {
	x, to := b.arg(in, 0), b.defineLanes(in, kindFloat, 32)
	b.checkLanes(kindFloat, to, x)
	b.emit1(to, x, func(a uint64) uint64 { return bits32(halfToFloat(floatToHalf(float32of(a), roundEven))) })
}
