package hostdev

import (
	"math"

	"offlink/lazy"
	"offlink/spirv"
)

// The intrinsics of floats that OpenCL.std has under another name.
var (
	sameFloat1 = lazy.Map[string, string]{New: func() map[string]string {
		return map[string]string{
			"acos": "acos", "asin": "asin", "atan": "atan", "ceil": "ceil", "cos": "cos", "cosh": "cosh", "exp": "exp",
			"exp2": "exp2", "exp10": "exp10", "fabs": "fabs", "floor": "floor", "log": "log", "log2": "log2", "log10": "log10",
			"nearbyint": "rint", "rint": "rint", "round": "round", "roundeven": "rint", "sin": "sin", "sinh": "sinh",
			"sqrt": "sqrt", "tan": "tan", "tanh": "tanh", "trunc": "trunc",
		}
	}}
	sameFloat2 = lazy.Map[string, string]{New: func() map[string]string {
		return map[string]string{
			"atan2": "atan2", "copysign": "copysign", "maxnum": "fmax", "minnum": "fmin", "maximumnum": "fmax",
			"minimumnum": "fmin", "pow": "pow",
		}
	}}
	sameFloat3 = lazy.Map[string, string]{New: func() map[string]string {
		return map[string]string{"fma": "fma", "fmuladd": "mad"}
	}}
)

// orNaN makes a row of a minimum or maximum that is NaN if an operand is.
func orNaN(f func(x, y float64) float64) binaryFloat {
	return double2(func(x, y float64) float64 {
		if x != x || y != y {
			return math.NaN()
		}
		return f(x, y)
	})
}

func registerFloatIntrinsics() {
	intrinsicEmitters.register(func() map[string]func(*builder, *spirv.Instruction) {
		table := map[string]func(*builder, *spirv.Instruction){
			"minimum":      func(b *builder, in *spirv.Instruction) { b.floats2(in, orNaN(math.Min)) },
			"maximum":      func(b *builder, in *spirv.Instruction) { b.floats2(in, orNaN(math.Max)) },
			"canonicalize": func(b *builder, in *spirv.Instruction) { b.floats1(in, quieted) },
			"ldexp":        floatAndInt(ldexp),
			"powi":         floatAndInt(func(x float64, n int64) float64 { return pow(x, float64(n)) }),
			"is.fpclass":   (*builder).emitFPClass,
			"fptosi.sat":   saturateFloat(true),
			"fptoui.sat":   saturateFloat(false),
			"lrint":        roundToInt(math.RoundToEven),
			"llrint":       roundToInt(math.RoundToEven),
			"lround":       roundToInt(math.Round),
			"llround":      roundToInt(math.Round),
		}
		for name, std := range sameFloat1.Get() {
			table[name] = func(b *builder, in *spirv.Instruction) { b.floats1(in, mathUnary.Get()[std]) }
		}
		for name, std := range sameFloat2.Get() {
			table[name] = func(b *builder, in *spirv.Instruction) { b.floats2(in, mathBinary.Get()[std]) }
		}
		for name, std := range sameFloat3.Get() {
			table[name] = func(b *builder, in *spirv.Instruction) { b.floats3(in, mathTernary.Get()[std]) }
		}
		return table
	})
}

// roundToInt rounds with a function and converts.
func roundToInt(round func(float64) float64) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		x, to := b.arg(in, 0), b.defineLanes(in, kindInt, 0)
		from, width := b.checkConversion(kindFloat, x, to)
		wide := widenToDouble(from)
		b.emit1(to, x, func(a uint64) uint64 { return doubleToSigned(round(wide(a)), width) })
	}
}

// quieted makes quiet NaNs of signaling ones and leaves the rest.
var quieted = test1With(func(a uint64, layout floatLayout) uint64 {
	if layout.classOf(a)&(classSignaling|classQuiet) != 0 {
		return a | 1<<(layout.fraction-1)
	}
	return a
})

// The classes of llvm.is.fpclass (LLVM, FloatingPointMode.h, FPClassTest).
const (
	classSignaling = 1 << iota
	classQuiet
	classNegativeInfinity
	classNegativeNormal
	classNegativeSubnormal
	classNegativeZero
	classPositiveZero
	classPositiveSubnormal
	classPositiveNormal
	classPositiveInfinity
)

// floatLayout has the number of fraction and exponent bits of a float.
type floatLayout struct{ fraction, exponent int }

var floatLayouts = [3]floatLayout{{10, 5}, {23, 8}, {52, 11}}

// test1With makes a row of a function of the bits and the layout.
func test1With(f func(a uint64, layout floatLayout) uint64) (row unaryFloat) {
	for i, layout := range floatLayouts {
		row[i] = func(a uint64) uint64 { return f(a, layout) }
	}
	return row
}

// classOf is the one class that a number is of.
func (l floatLayout) classOf(a uint64) uint64 {
	fraction, exponent := a&mask(l.fraction), a>>l.fraction&mask(l.exponent)
	positive, negative := uint64(classPositiveNormal), uint64(classNegativeNormal)
	switch {
	case exponent == mask(l.exponent) && fraction>>(l.fraction-1) == 1:
		return classQuiet
	case exponent == mask(l.exponent) && fraction != 0:
		return classSignaling
	case exponent == mask(l.exponent):
		positive, negative = classPositiveInfinity, classNegativeInfinity
	case exponent == 0 && fraction == 0:
		positive, negative = classPositiveZero, classNegativeZero
	case exponent == 0:
		positive, negative = classPositiveSubnormal, classNegativeSubnormal
	}
	if a>>(l.fraction+l.exponent)&1 == 1 {
		return negative
	}
	return positive
}

// emitFPClass tests for the classes in the second argument, a constant.
func (b *builder) emitFPClass(in *spirv.Instruction) {
	x, to := b.arg(in, 0), b.defineLanes(in, kindBool, 0)
	asked, ok := b.p.constantInt(spirv.ID(in.Operands()[1]))
	b.require(ok, "the classes are not constant")
	layout := floatLayouts[floatIndex(b.checkLanes(kindFloat, to, x))]
	b.emit1(to, x, func(a uint64) uint64 { return boolWord(layout.classOf(a)&asked != 0) })
}
