package hostdev

import (
	"math/bits"

	"offlink/lazy"
	"offlink/spirv"
)

// stdIntUnary are the functions of one integer.
var stdIntUnary = lazy.Map[string, unaryByWidth]{New: func() map[string]unaryByWidth {
	return map[string]unaryByWidth{
		"s_abs":    eachWidth(func(a uint64, w int) uint64 { return magnitude(signExtend(a, w)) }),
		"u_abs":    eachWidth(func(a uint64, _ int) uint64 { return a }),
		"clz":      eachWidth(func(a uint64, w int) uint64 { return uint64(bits.LeadingZeros64(a) - 64 + w) }),
		"ctz":      eachWidth(func(a uint64, w int) uint64 { return uint64(min(bits.TrailingZeros64(a), w)) }),
		"popcount": eachWidth(func(a uint64, _ int) uint64 { return uint64(bits.OnesCount64(a)) }),
	}
}}

// stdIntBinary are the functions of two integers. Values are zero-extended to
// 64 bits; signExtended widens them by sign first, and both cut the result to
// the width.
var stdIntBinary = lazy.Map[string, binaryByWidth]{New: func() map[string]binaryByWidth {
	return map[string]binaryByWidth{
		"s_min": intMin, "s_max": intMax, "u_min": uintMin, "u_max": uintMax,

		"s_abs_diff": signExtended(func(a, b int64, _ int) int64 { return int64(uint64(max(a, b)) - uint64(min(a, b))) }),
		"u_abs_diff": zeroExtended(func(a, b uint64, _ int) uint64 { return max(a, b) - min(a, b) }),
		"s_add_sat":  signExtended(addSigned),
		"u_add_sat":  zeroExtended(addUnsigned),
		"s_sub_sat":  signExtended(subSigned),
		"u_sub_sat":  zeroExtended(func(a, b uint64, _ int) uint64 { return a - min(a, b) }),
		// Without the sum, which would need one bit more than 64.
		"s_hadd":   signExtended(func(a, b int64, _ int) int64 { return a&b + (a^b)>>1 }),
		"u_hadd":   zeroExtended(func(a, b uint64, _ int) uint64 { return a&b + (a^b)>>1 }),
		"s_rhadd":  signExtended(func(a, b int64, _ int) int64 { return a | b - (a^b)>>1 }),
		"u_rhadd":  zeroExtended(func(a, b uint64, _ int) uint64 { return a | b - (a^b)>>1 }),
		"s_mul_hi": zeroExtended(mulHighSigned),
		"u_mul_hi": zeroExtended(mulHighUnsigned),
		"rotate":   zeroExtended(rotateLeft),
		"s_mul24":  zeroExtended(func(a, b uint64, _ int) uint64 { return uint64(signExtend(a, 24) * signExtend(b, 24)) }),
		"u_mul24":  zeroExtended(func(a, b uint64, _ int) uint64 { return (a & 0xffffff) * (b & 0xffffff) }),
	}
}}

// rotateLeft needs no case for n = 0, as a shift by the whole width leaves no bit.
func rotateLeft(a, n uint64, w int) uint64 {
	n %= uint64(w)
	return a<<n | a>>(uint64(w)-n)
}

// addSigned saturates at the ends of the range.
func addSigned(a, b int64, w int) int64 {
	sum := a + b
	if (a < 0) == (b < 0) && (sum < 0) != (a < 0) { // of 64 bits
		return saturatedInt(a < 0, 64)
	}
	return signExtend(clampSigned(sum, w), w)
}

func subSigned(a, b int64, w int) int64 {
	difference := a - b
	if (a < 0) != (b < 0) && (difference < 0) != (a < 0) {
		return saturatedInt(a < 0, 64)
	}
	return signExtend(clampSigned(difference, w), w)
}

// saturatedInt returns the least or the greatest number of a width.
func saturatedInt(negative bool, w int) int64 {
	greatest := int64(mask(w) >> 1)
	if negative {
		return -greatest - 1
	}
	return greatest
}

func addUnsigned(a, b uint64, w int) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 || sum > mask(w) {
		return mask(w)
	}
	return sum
}

// stdIntTernary are the functions of three integers, zero-extended.
var stdIntTernary = lazy.Map[string, func(a, b, c uint64, w int) uint64]{New: func() map[string]func(a, b, c uint64, w int) uint64 {
	return map[string]func(a, b, c uint64, w int) uint64{
		"u_clamp": func(a, low, high uint64, _ int) uint64 { return min(max(a, low), high) },
		"s_clamp": func(a, low, high uint64, w int) uint64 {
			return uint64(min(max(signExtend(a, w), signExtend(low, w)), signExtend(high, w)))
		},
		"s_mad_hi":  func(a, b, c uint64, w int) uint64 { return mulHighSigned(a, b, w) + c },
		"u_mad_hi":  func(a, b, c uint64, w int) uint64 { return mulHighUnsigned(a, b, w) + c },
		"s_mad_sat": madSigned,
		"u_mad_sat": madUnsigned,
		"s_mad24":   func(a, b, c uint64, _ int) uint64 { return uint64(signExtend(a, 24)*signExtend(b, 24)) + c },
		"u_mad24":   func(a, b, c uint64, _ int) uint64 { return (a&0xffffff)*(b&0xffffff) + c },
		// The bits of floats are selected too.
		"bitselect": func(a, b, c uint64, _ int) uint64 { return a&^c | b&c },
	}
}}

func madUnsigned(a, b, c uint64, w int) uint64 {
	high, low := bits.Mul64(a, b)
	sum, carry := bits.Add64(low, c, 0)
	if high != 0 || carry != 0 || sum > mask(w) {
		return mask(w)
	}
	return sum
}

// madSigned computes with 128 bits.
func madSigned(a, b, c uint64, w int) uint64 {
	x, y, z := uint64(signExtend(a, w)), uint64(signExtend(b, w)), uint64(signExtend(c, w))
	high, low := mulHighSigned(x, y, 64), x*y
	low, carry := bits.Add64(low, z, 0)
	high, _ = bits.Add64(high, uint64(int64(z)>>63), carry)
	if high != uint64(int64(low)>>63) { // not of 64 bits
		return uint64(saturatedInt(int64(high) < 0, w))
	}
	return clampSigned(int64(low), w)
}

func registerStdIntegers() {
	stdEmitters.register(func() map[string]func(*builder, *spirv.Instruction) {
		table := map[string]func(*builder, *spirv.Instruction){
			"select":     (*builder).emitStdSelect,
			"s_upsample": (*builder).emitUpsample,
			"u_upsample": (*builder).emitUpsample,
		}
		for name, row := range stdIntUnary.Get() {
			table[name] = intUnaryEmitter(row, spirv.OpExtInst)
		}
		for name, row := range stdIntBinary.Get() {
			table[name] = intBinaryEmitter(row, spirv.OpExtInst)
		}
		for name, f := range stdIntTernary.Get() {
			table[name] = func(b *builder, in *spirv.Instruction) { b.ints3(in, f) }
		}
		return table
	})
}

// ints3 also accepts floats, for bitselect, and takes their bits.
func (b *builder) ints3(in *spirv.Instruction, f func(a, b, c uint64, w int) uint64) {
	x, y, z, to := b.arg(in, 0), b.arg(in, 1), b.arg(in, 2), b.defineResult(in)
	b.requireSameWords(x.t, to.t)
	b.requireSameWords(y.t, to.t)
	b.requireSameWords(z.t, to.t)
	b.require(to.t.is(kindInt) || to.t.is(kindFloat), "the operands are not numbers")
	w := to.t.scalar().width
	b.emit3(to, x, y, z, func(a, b, c uint64) uint64 { return f(a, b, c, w) & mask(w) })
}

// emitStdSelect tests the highest bit of each component of a vector condition,
// but compares a scalar condition with 0 (OpenCL C, select).
func (b *builder) emitStdSelect(in *spirv.Instruction) {
	x, y, c, to := b.arg(in, 0), b.arg(in, 1), b.arg(in, 2), b.defineResult(in)
	b.requireSameWords(x.t, to.t)
	b.requireSameWords(y.t, to.t)
	width := b.checkLanes(kindInt, to, c)
	bits := mask(width)
	if to.t.kind == kindVector {
		bits = 1 << (width - 1)
	}
	b.emit3(to, x, y, c, func(x, y, c uint64) uint64 {
		if c&bits != 0 {
			return y
		}
		return x
	})
}

// emitUpsample joins two integers to one of twice the width.
func (b *builder) emitUpsample(in *spirv.Instruction) {
	high, low, to := b.arg(in, 0), b.arg(in, 1), b.defineLanes(in, kindInt, 0)
	width := b.checkLanes(kindInt, to, high, low)
	b.require(to.t.scalar().width == 2*width, "its result is not twice as wide")
	b.emit2(to, high, low, func(h, l uint64) uint64 { return h<<width | l })
}
