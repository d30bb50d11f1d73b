package hostdev

import (
	"math/bits"

	"offlink/spirv"
)

// Dot products of integers (SPV_KHR_integer_dot_product, and SPIR-V 1.6): of
// vectors, or of four bytes packed in a number of 32 bits. The products and their
// sum are computed as if in numbers that hold them; the result is the low bits,
// or saturated after an accumulator was added.

func registerDotEmitters() {
	emitters.register(func() map[spirv.Opcode]func(*builder, *spirv.Instruction) {
		return map[spirv.Opcode]func(*builder, *spirv.Instruction){
			spirv.OpSDot: emitIntegerDot(true, true, false), spirv.OpSDotAccSat: emitIntegerDot(true, true, true),
			spirv.OpUDot: emitIntegerDot(false, false, false), spirv.OpUDotAccSat: emitIntegerDot(false, false, true),
			spirv.OpSUDot: emitIntegerDot(true, false, false), spirv.OpSUDotAccSat: emitIntegerDot(true, false, true),
		}
	})
}

// integerDot describes a dot product: which operands have signs, the width of an
// element and of the result.
type integerDot struct {
	signX, signY       bool
	packed, accumulate bool
	width, out         int
}

const packedVector4x8Bit = 0 // PackedVectorFormat

// emitIntegerDot compiles one of the instructions, which share an operand list: two
// factors, for some an accumulator, and the format of packed factors.
func emitIntegerDot(signX, signY, accumulate bool) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		x, y, to := b.arg(in, 0), b.arg(in, 1), b.defineLanes(in, kindInt, 0)
		b.requireSameWords(x.t, y.t)
		b.require(to.t.kind == kindInt, "its result is a vector")
		d := integerDot{signX: signX, signY: signY, accumulate: accumulate, out: to.t.width}
		d.width = b.checkLanes(kindInt, value{t: x.t}, x, y)
		b.require(d.out >= d.width, "the result is narrower than the elements")
		accumulator, rest := int32(0), in.Operands()[2:]
		if accumulate {
			sum := b.arg(in, 2)
			b.requireSameWords(sum.t, to.t)
			accumulator, rest = sum.at, rest[1:]
		}
		if d.packed = x.t.kind == kindInt; d.packed {
			b.require(len(rest) > 0 && rest[0] == packedVector4x8Bit && d.width == 32, "the operands are neither vectors nor four packed bytes")
			d.width = 8
		}
		b.emit(inst{step: stepIntegerDot, dst: to.at, a: x.at, b: y.at, c: accumulator, n: int32(x.t.words), ext: d})
	}
}

// stepIntegerDot sums in 128 bits, and limits the sum only once the accumulator
// was added.
func stepIntegerDot(it *item, in *inst) status {
	d := in.ext.(integerDot)
	element := func(at int32, i int32, sign bool) int128 {
		v := it.s[at]
		if d.packed {
			v = v >> (8 * i) & 0xff
		} else {
			v = it.s[at+i]
		}
		return int128Of(v, d.width, sign)
	}
	n := in.n
	if d.packed {
		n = 4
	}
	var sum int128
	for i := range n {
		sum = sum.plus(element(in.a, i, d.signX).times(element(in.b, i, d.signY)))
	}
	signed := d.signX || d.signY
	if d.accumulate {
		sum = sum.plus(int128Of(it.s[in.c], d.out, signed)).saturated(d.out, signed)
	}
	it.s[in.dst] = sum.low & mask(d.out)
	return running
}

// int128 is a number of 128 bits with a sign: sums of products of numbers of 64 bits
// are mostly smaller, and those that are not wrap, which OpenCL leaves open.
type int128 struct{ high, low uint64 }

func int128Of(v uint64, width int, sign bool) int128 {
	if !sign {
		return int128{0, v & mask(width)}
	}
	shift := 64 - width
	n := int64(v<<shift) >> shift
	return int128{uint64(n >> 63), uint64(n)}
}

func (x int128) plus(y int128) int128 {
	low, carry := bits.Add64(x.low, y.low, 0)
	high, _ := bits.Add64(x.high, y.high, carry)
	return int128{high, low}
}

func (x int128) times(y int128) int128 {
	high, low := bits.Mul64(x.low, y.low)
	return int128{high + x.high*y.low + x.low*y.high, low}
}

// less compares as numbers with a sign.
func (x int128) less(y int128) bool {
	if x.high != y.high {
		return int64(x.high) < int64(y.high)
	}
	return x.low < y.low
}

// saturated is the nearest number of a width.
func (x int128) saturated(width int, sign bool) int128 {
	least, most := int128{}, int128{0, mask(width)}
	if sign {
		least, most = int128{^uint64(0), ^(mask(width) >> 1)}, int128{0, mask(width) >> 1}
	}
	switch {
	case x.less(least):
		return least
	case most.less(x):
		return most
	}
	return x
}
