package hostdev

import (
	"math"

	"offlink/lazy"
	"offlink/spirv"
)

// mathUnary are the functions of one float. They are computed in double and rounded, for
// halves by way of a float, which is within the limits of OpenCL for floats and halves;
// for doubles the functions of math.go take the place of those of package math that are
// not exact enough.
var mathUnary = lazy.Map[string, unaryFloat]{New: func() map[string]unaryFloat {
	table := map[string]unaryFloat{
		"acos":   double1(acos),
		"acosh":  double1(math.Acosh),
		"acospi": double1(func(x float64) float64 { return overPi(acos(x)) }),
		"asin":   double1(asin),
		"asinh":  double1(math.Asinh),
		"asinpi": double1(func(x float64) float64 { return overPi(asin(x)) }),
		"atan":   double1(math.Atan),
		"atanh":  double1(math.Atanh),
		"atanpi": double1(func(x float64) float64 { return overPi(math.Atan(x)) }),
		"cbrt":   double1(math.Cbrt),
		"ceil":   double1(math.Ceil),
		"cos":    double1(cos),
		"cosh":   double1(cosh),
		"cospi":  double1(cospi),
		"erf":    double1(math.Erf),
		"erfc":   double1(math.Erfc),
		"exp":    double1(math.Exp),
		"exp2":   double1(math.Exp2),
		"exp10":  double1(exp10),
		"expm1":  double1(math.Expm1),
		"fabs":   double1(math.Abs),
		"floor":  double1(math.Floor),
		"lgamma": double1(func(x float64) float64 { v, _ := lgamma(x); return v }),
		"log":    double1(log),
		"log10":  double1(log10),
		"log1p":  double1(math.Log1p),
		"log2":   double1(log2of),
		"logb":   double1(math.Logb),
		"rint":   double1(math.RoundToEven),
		"round":  double1(math.Round),
		"rsqrt":  double1(func(x float64) float64 { return 1 / math.Sqrt(x) }),
		"sin":    double1(sin),
		"sinh":   double1(sinh),
		"sinpi":  double1(sinpi),
		"sqrt":   double1(math.Sqrt),
		"tan":    double1(tan),
		"tanh":   double1(math.Tanh),
		"tanpi":  double1(tanpi),
		"tgamma": double1(tgamma),
		"trunc":  double1(math.Trunc),

		"degrees": double1(func(x float64) float64 { return x * (180 / math.Pi) }),
		"radians": double1(func(x float64) float64 { return x * (math.Pi / 180) }),
		"sign":    double1(sign),

		"half_recip":   double1(func(x float64) float64 { return 1 / x }),
		"native_recip": double1(func(x float64) float64 { return 1 / x }),
	}
	for _, name := range sameAs {
		table["half_"+name], table["native_"+name] = table[name], table[name]
	}
	return table
}}

// mathBinary are the functions of two floats.
var mathBinary = lazy.Map[string, binaryFloat]{New: func() map[string]binaryFloat {
	table := map[string]binaryFloat{
		"atan2":     double2(math.Atan2),
		"atan2pi":   double2(func(y, x float64) float64 { return overPi(math.Atan2(y, x)) }),
		"copysign":  double2(math.Copysign),
		"fdim":      float2(fdim[float32], fdim[float64]),
		"fmax":      floatMax,
		"fmin":      floatMin,
		"fmod":      double2(math.Mod),
		"hypot":     double2(math.Hypot),
		"maxmag":    double2(maxmag),
		"minmag":    double2(minmag),
		"nextafter": nextafter,
		"pow":       double2(pow),
		"powr":      double2(powr),
		"remainder": double2(math.Remainder),
		"step":      double2(step),

		"fmax_common": floatMax,
		"fmin_common": floatMin,

		"half_divide":   double2(func(x, y float64) float64 { return x / y }),
		"native_divide": double2(func(x, y float64) float64 { return x / y }),
	}
	table["half_powr"], table["native_powr"] = table["powr"], table["powr"]
	return table
}}

// mathTernary are the functions of three floats. mad rounds twice.
var mathTernary = lazy.Map[string, ternaryFloat]{New: func() map[string]ternaryFloat {
	return map[string]ternaryFloat{
		// The product of two floats or halves is exact in double. The sum is
		// rounded to odd, so that rounding it again to the narrow type is as if
		// there were one rounding.
		"fma": {
			func(a, b, c uint64) uint64 {
				return uint64(doubleToHalf(oddSum(float64(half32of(a))*float64(half32of(b)), float64(half32of(c))), roundEven))
			},
			func(a, b, c uint64) uint64 {
				return bits32(float32(oddSum(float64(float64(float32of(a))*float64(float32of(b))), float64(float32of(c)))))
			},
			func(a, b, c uint64) uint64 { return bits64(math.FMA(float64of(a), float64of(b), float64of(c))) },
		},
		"mad":        float3(mad[float32], mad[float64]),
		"mix":        float3(mix[float32], mix[float64]),
		"fclamp":     double3(func(x, low, high float64) float64 { return minNumber(maxNumber(x, low), high) }),
		"smoothstep": double3(smoothstep),
	}
}}

// sameAs has the functions with native_ and half_ variants, which may be less
// exact: the device uses one implementation for all.
var sameAs = []string{"cos", "exp", "exp2", "exp10", "log", "log2", "log10", "rsqrt", "sin", "sqrt", "tan"}

func registerStdMath() {
	stdEmitters.register(func() map[string]func(*builder, *spirv.Instruction) {
		table := map[string]func(*builder, *spirv.Instruction){
			"nan":      (*builder).emitNan,
			"ilogb":    (*builder).emitIlogb,
			"ldexp":    floatAndInt(ldexp),
			"pown":     floatAndInt(func(x float64, n int64) float64 { return pow(x, float64(n)) }),
			"rootn":    floatAndInt(rootn),
			"fract":    floatAndFloatPointer(fract, belowOne),
			"modf":     floatAndFloatPointer(modf, narrow),
			"sincos":   floatAndFloatPointer(sincos, narrow),
			"frexp":    floatAndIntPointer(math.Frexp),
			"lgamma_r": floatAndIntPointer(lgamma),
			"remquo":   (*builder).emitRemquo,
		}
		for name, row := range mathUnary.Get() {
			table[name] = func(b *builder, in *spirv.Instruction) { b.floats1(in, row) }
		}
		for name, row := range mathBinary.Get() {
			table[name] = func(b *builder, in *spirv.Instruction) { b.floats2(in, row) }
		}
		for name, row := range mathTernary.Get() {
			table[name] = func(b *builder, in *spirv.Instruction) { b.floats3(in, row) }
		}
		return table
	})
}

func (b *builder) floats3(in *spirv.Instruction, row ternaryFloat) {
	x, y, z := b.arg(in, 0), b.arg(in, 1), b.arg(in, 2)
	to := b.defineLanes(in, kindFloat, x.t.scalar().width)
	b.emit3(to, x, y, z, row[floatIndex(b.checkLanes(kindFloat, to, x, y, z))])
}

// floatAndInt are functions of a float and an integer. The integer may be
// narrower than the float, or wider; it is signed (OpenCL C, "Math Functions").
func floatAndInt(f func(x float64, n int64) float64) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		x, n := b.arg(in, 0), b.arg(in, 1)
		to := b.defineLanes(in, kindFloat, x.t.scalar().width)
		width := b.checkLanes(kindFloat, to, x)
		wide, round := widenToDouble(width), narrow(width, roundEven)
		intWidth := b.checkLanes(kindInt, to, n)
		b.emit2(to, x, n, func(x, n uint64) uint64 { return round(f(wide(x), signExtend(n, intWidth))) })
	}
}

// emitNan keeps the bits of the operand below the quiet bit, as OpenCL C says
// of nan.
func (b *builder) emitNan(in *spirv.Instruction) {
	x, to := b.arg(in, 0), b.defineLanes(in, kindFloat, 0)
	width := b.checkLanes(kindInt, to, x)
	b.require(to.t.scalar().width == width, "operand and result are of different widths")
	quiet := map[int]uint64{16: 0x7e00, 32: 0x7fc00000, 64: 0x7ff8000000000000}[width]
	b.emit1(to, x, func(a uint64) uint64 { return quiet | a&(quiet&-quiet-1) })
}

func (b *builder) emitIlogb(in *spirv.Instruction) {
	x, to := b.arg(in, 0), b.defineLanes(in, kindInt, 32)
	wide := widenToDouble(b.checkLanes(kindFloat, to, x))
	b.emit1(to, x, func(a uint64) uint64 { return uint64(uint32(int32(math.Ilogb(wide(a))))) })
}

// storeTarget checks a pointer to a number of words of a kind.
func (b *builder) storeTarget(p value, k kind, words int64) value {
	b.require(p.t.kind == kindPointer && p.t.elem.is(k) && p.t.elem.words == words, "the pointer %s does not fit", b.typeName(p.t))
	return p
}

// twoResults computes the result and the stored value, both with f.
func (b *builder) twoResults(to, p, x value, f func(a uint64) (result, stored uint64)) {
	stored := value{b.newTemporary(p.t.elem.words), p.t.elem}
	b.emit1(stored, x, func(a uint64) uint64 { _, v := f(a); return v })
	b.emit1(to, x, func(a uint64) uint64 { v, _ := f(a); return v })
	b.emitStoreWords(p, stored)
}

// belowOne narrows to the largest number below 1 if rounding would give 1: fract
// must be less than 1.
func belowOne(width int, mode rounding) func(float64) uint64 {
	round := narrow(width, mode)
	one := round(1)
	return func(f float64) uint64 {
		if v := round(f); v != one {
			return v
		}
		return one - 1
	}
}

// floatAndFloatPointer compiles a function with a second result that is stored;
// finish narrows the first one.
func floatAndFloatPointer(f func(x float64) (result, stored float64), finish func(int, rounding) func(float64) uint64) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		x, p := b.arg(in, 0), b.arg(in, 1)
		to := b.defineLanes(in, kindFloat, x.t.scalar().width)
		width := b.checkLanes(kindFloat, to, x)
		b.requireSameWords(b.storeTarget(p, kindFloat, to.t.words).t.elem, to.t)
		wide, round, last := widenToDouble(width), narrow(width, roundEven), finish(width, roundEven)
		b.twoResults(to, p, x, func(a uint64) (uint64, uint64) {
			result, stored := f(wide(a))
			return last(result), round(stored)
		})
	}
}

func floatAndIntPointer(f func(x float64) (float64, int)) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		x, p := b.arg(in, 0), b.arg(in, 1)
		to := b.defineLanes(in, kindFloat, x.t.scalar().width)
		width := b.checkLanes(kindFloat, to, x)
		intWidth := b.storeTarget(p, kindInt, to.t.words).t.elem.scalar().width
		wide, round := widenToDouble(width), narrow(width, roundEven)
		b.twoResults(to, p, x, func(a uint64) (uint64, uint64) {
			result, stored := f(wide(a))
			return round(result), uint64(stored) & mask(intWidth)
		})
	}
}

// emitRemquo computes twice, as an operation on words has one result.
func (b *builder) emitRemquo(in *spirv.Instruction) {
	x, y, p := b.arg(in, 0), b.arg(in, 1), b.arg(in, 2)
	to := b.defineLanes(in, kindFloat, x.t.scalar().width)
	width := b.checkLanes(kindFloat, to, x, y)
	intWidth := b.storeTarget(p, kindInt, to.t.words).t.elem.scalar().width
	wide, round := widenToDouble(width), narrow(width, roundEven)
	quotient := value{b.newTemporary(to.t.words), p.t.elem}
	b.emit2(quotient, x, y, func(x, y uint64) uint64 {
		_, q := remquo(wide(x), wide(y))
		return uint64(q) & mask(intWidth)
	})
	b.emit2(to, x, y, func(x, y uint64) uint64 {
		r, _ := remquo(wide(x), wide(y))
		return round(r)
	})
	b.emitStoreWords(p, quotient)
}
