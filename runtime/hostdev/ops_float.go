package hostdev

import (
	"math"

	"offlink/lazy"
	"offlink/spirv"
)

// Operations on floats: a row has one for half, float and double. Halves are
// computed as floats and rounded once more. For + - * / and the square root this
// gives the correctly rounded half, because a float has more than twice as many
// bits.

type (
	unaryFloat   [3]unary
	binaryFloat  [3]binary2
	ternary      func(a, b, c uint64) uint64
	ternaryFloat [3]ternary
)

func floatIndex(width int) int { return log2(width) - 4 }

func float32of(a uint64) float32 { return math.Float32frombits(uint32(a)) }
func float64of(a uint64) float64 { return math.Float64frombits(a) }
func bits32(f float32) uint64    { return uint64(math.Float32bits(f)) }
func bits64(f float64) uint64    { return math.Float64bits(f) }
func half32of(a uint64) float32  { return halfToFloat(uint16(a)) }
func bits16(f float32) uint64    { return uint64(floatToHalf(f, roundEven)) }

func float1(f func(float32) float32, d func(float64) float64) unaryFloat {
	return unaryFloat{
		func(a uint64) uint64 { return bits16(f(half32of(a))) },
		func(a uint64) uint64 { return bits32(f(float32of(a))) },
		func(a uint64) uint64 { return bits64(d(float64of(a))) },
	}
}

func float2(f func(x, y float32) float32, d func(x, y float64) float64) binaryFloat {
	return binaryFloat{
		func(a, b uint64) uint64 { return bits16(f(half32of(a), half32of(b))) },
		func(a, b uint64) uint64 { return bits32(f(float32of(a), float32of(b))) },
		func(a, b uint64) uint64 { return bits64(d(float64of(a), float64of(b))) },
	}
}

func float3(f func(x, y, z float32) float32, d func(x, y, z float64) float64) ternaryFloat {
	return ternaryFloat{
		func(a, b, c uint64) uint64 { return bits16(f(half32of(a), half32of(b), half32of(c))) },
		func(a, b, c uint64) uint64 { return bits32(f(float32of(a), float32of(b), float32of(c))) },
		func(a, b, c uint64) uint64 { return bits64(d(float64of(a), float64of(b), float64of(c))) },
	}
}

// double1 makes a row of a function of doubles, which floats are computed
// with as well.
func double1(d func(float64) float64) unaryFloat {
	return float1(func(x float32) float32 { return float32(d(float64(x))) }, d)
}

func double2(d func(x, y float64) float64) binaryFloat {
	return float2(func(x, y float32) float32 { return float32(d(float64(x), float64(y))) }, d)
}

func double3(d func(x, y, z float64) float64) ternaryFloat {
	return float3(func(x, y, z float32) float32 { return float32(d(float64(x), float64(y), float64(z))) }, d)
}

// compare2 makes a row of a comparison, exact in double.
func compare2(f func(x, y float64) bool) binaryFloat {
	return binaryFloat{
		func(a, b uint64) uint64 { return boolWord(f(float64(half32of(a)), float64(half32of(b)))) },
		func(a, b uint64) uint64 { return boolWord(f(float64(float32of(a)), float64(float32of(b)))) },
		func(a, b uint64) uint64 { return boolWord(f(float64of(a), float64of(b))) },
	}
}

// test1 makes a row of a test of the exponent's and the fraction's bits.
func test1(f func(sign, exponent, fraction, maxExponent uint64) bool) unaryFloat {
	layout := func(fractionBits, exponentBits int) unary {
		largest := uint64(1)<<exponentBits - 1
		return func(a uint64) uint64 {
			return boolWord(f(a>>(fractionBits+exponentBits)&1, a>>fractionBits&largest, a&(1<<fractionBits-1), largest))
		}
	}
	return unaryFloat{layout(10, 5), layout(23, 8), layout(52, 11)}
}

// floatBinary has the arithmetic of two floats. The conversions to float32 and
// float64 in it keep Go from fusing a product with a sum.
var floatBinary = lazy.Map[spirv.Opcode, binaryFloat]{New: func() map[spirv.Opcode]binaryFloat {
	return map[spirv.Opcode]binaryFloat{
		spirv.OpFAdd: float2(func(x, y float32) float32 { return float32(x + y) }, func(x, y float64) float64 { return float64(x + y) }),
		spirv.OpFSub: float2(func(x, y float32) float32 { return float32(x - y) }, func(x, y float64) float64 { return float64(x - y) }),
		spirv.OpFMul: float2(func(x, y float32) float32 { return float32(x * y) }, func(x, y float64) float64 { return float64(x * y) }),
		spirv.OpFDiv: float2(func(x, y float32) float32 { return x / y }, func(x, y float64) float64 { return x / y }),
		spirv.OpFRem: double2(math.Mod),
		spirv.OpFMod: double2(floorMod),
	}
}}

// floorMod is the remainder with the sign of the divisor.
func floorMod(x, y float64) float64 {
	r := math.Mod(x, y)
	if r != 0 && math.Signbit(r) != math.Signbit(y) {
		r += y
	}
	return r
}

var floatUnary = lazy.Map[spirv.Opcode, unaryFloat]{New: func() map[spirv.Opcode]unaryFloat {
	return map[spirv.Opcode]unaryFloat{
		spirv.OpFNegate: {
			func(a uint64) uint64 { return a ^ 1<<15 },
			func(a uint64) uint64 { return a ^ 1<<31 },
			func(a uint64) uint64 { return a ^ 1<<63 },
		},
	}
}}

// floatCompare has the comparisons. With a NaN an ordered one is false and an unordered one
// is true.
var floatCompare = lazy.Map[spirv.Opcode, binaryFloat]{New: func() map[spirv.Opcode]binaryFloat {
	return map[spirv.Opcode]binaryFloat{
		spirv.OpFOrdEqual:              compare2(func(x, y float64) bool { return x == y }),
		spirv.OpFUnordEqual:            compare2(func(x, y float64) bool { return !(x < y || x > y) }),
		spirv.OpFOrdNotEqual:           compare2(func(x, y float64) bool { return x < y || x > y }),
		spirv.OpFUnordNotEqual:         compare2(func(x, y float64) bool { return x != y }),
		spirv.OpFOrdLessThan:           compare2(func(x, y float64) bool { return x < y }),
		spirv.OpFUnordLessThan:         compare2(func(x, y float64) bool { return !(x >= y) }),
		spirv.OpFOrdGreaterThan:        compare2(func(x, y float64) bool { return x > y }),
		spirv.OpFUnordGreaterThan:      compare2(func(x, y float64) bool { return !(x <= y) }),
		spirv.OpFOrdLessThanEqual:      compare2(func(x, y float64) bool { return x <= y }),
		spirv.OpFUnordLessThanEqual:    compare2(func(x, y float64) bool { return !(x > y) }),
		spirv.OpFOrdGreaterThanEqual:   compare2(func(x, y float64) bool { return x >= y }),
		spirv.OpFUnordGreaterThanEqual: compare2(func(x, y float64) bool { return !(x < y) }),
		spirv.OpLessOrGreater:          compare2(func(x, y float64) bool { return x < y || x > y }),
		spirv.OpOrdered:                compare2(func(x, y float64) bool { return x == x && y == y }),
		spirv.OpUnordered:              compare2(func(x, y float64) bool { return x != x || y != y }),
	}
}}

var floatTest = lazy.Map[spirv.Opcode, unaryFloat]{New: func() map[spirv.Opcode]unaryFloat {
	return map[spirv.Opcode]unaryFloat{
		spirv.OpIsNan:      test1(func(_, e, f, largest uint64) bool { return e == largest && f != 0 }),
		spirv.OpIsInf:      test1(func(_, e, f, largest uint64) bool { return e == largest && f == 0 }),
		spirv.OpIsFinite:   test1(func(_, e, _, largest uint64) bool { return e != largest }),
		spirv.OpIsNormal:   test1(func(_, e, _, largest uint64) bool { return e != largest && e != 0 }),
		spirv.OpSignBitSet: test1(func(s, _, _, _ uint64) bool { return s == 1 }),
	}
}}

// floatMin and floatMax are fmin and fmax: of a NaN and a number the result is
// the number.
var (
	floatMin = double2(minNumber)
	floatMax = double2(maxNumber)
)

func minNumber(x, y float64) float64 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return math.Min(x, y)
}

func maxNumber(x, y float64) float64 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return math.Max(x, y)
}
