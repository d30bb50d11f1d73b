package fromir

import (
	"offlink/ir"
	"offlink/lazy"
	"offlink/spirv"
)

// extremum is one of IEEE 754-2019's minima and maxima, for which -0 is less than +0; fmin
// and fmax of OpenCL leave that open. Of two zeros the maximum is the and of their bits and
// the minimum the or, which also gives x where both numbers are x.
type extremum struct {
	instruction string
	zeros       spirv.Opcode // for the bits of equal numbers
	nan         bool         // the result is NaN if one of the numbers is
}

var extrema = lazy.Map[string, extremum]{New: func() map[string]extremum {
	return map[string]extremum{
		"maximum": {"fmax", spirv.OpBitwiseAnd, true}, "maximumnum": {"fmax", spirv.OpBitwiseAnd, false},
		"minimum": {"fmin", spirv.OpBitwiseOr, true}, "minimumnum": {"fmin", spirv.OpBitwiseOr, false},
	}
}}

// floatExtremum writes such a minimum or maximum of numbers of type n: of their bits if they
// are equal, by OpenCL.std if not. A sum makes the NaN where the result must be one.
func (c *callSite) floatExtremum(e extremum, n ir.TypeID, a, b id) id {
	truth, typ := c.intLikeBool(n), c.typeID(n)
	whole := c.intLikeType(n, c.scalarBits(n))
	bits := c.emitResult(e.zeros, whole, c.emitResult(spirv.OpBitcast, whole, a), c.emitResult(spirv.OpBitcast, whole, b))
	same := c.emitResult(spirv.OpFOrdEqual, truth, a, b)
	found := c.emitResult(spirv.OpSelect, typ, same, c.emitResult(spirv.OpBitcast, typ, bits), c.extInst(e.instruction, a, b))
	if !e.nan {
		return found
	}
	return c.emitResult(spirv.OpSelect, typ, c.emitResult(spirv.OpUnordered, truth, a, b), c.emitResult(spirv.OpFAdd, typ, a, b), found)
}

// roundToInteger writes an intrinsic that rounds, by an instruction of OpenCL.std, and gives an
// integer. A number that is too large has no defined result, of the intrinsic either.
func (c *callSite) roundToInteger(instruction string) {
	rounded := c.extInstOf(c.operand(0).Type, instruction, c.argumentID(0))
	if bits := c.scalarBits(c.in.Type); c.heldBits(bits) != bits {
		c.failf("the result is an integer of %d bits", bits)
	}
	c.finishCall(c.emitResult(spirv.OpConvertFToS, c.typ, rounded))
}

// The classes of floating-point numbers, as llvm.is.fpclass numbers them.
const (
	classSignalingNaN = 1 << iota
	classQuietNaN
	classNegativeInf
	classNegativeNormal
	classNegativeSubnormal
	classNegativeZero
	classPositiveZero
	classPositiveSubnormal
	classPositiveNormal
	classPositiveInf
)

// classTest writes the tests of llvm.is.fpclass. Parts that several tests share are written
// when the first of them needs them.
type classTest struct {
	*callSite
	truth, whole              id
	constant                  func(uint64) id
	sign, inf, quiet, small   uint64 // bits: of the sign, of infinity, of quiet NaNs, of the least normal number
	number                    id
	rawBits, magnitude        id
	negativeBool, positiveOne id
}

// floatClass writes llvm.is.fpclass: by the instructions that test for a class, or by the
// bits of the number where there is none. A mask whose opposite is a simple class is tested
// by that.
func (c *callSite) floatClass() {
	number := c.operand(0).Type
	bits := c.scalarBits(number)
	fraction, ok := map[uint32]uint32{16: 10, 32: 23, 64: 52}[bits]
	if c.isBfloat(number) {
		fraction = 7
		c.bfloatArithmetic()
	}
	if !ok {
		c.failf("a class of numbers of %d bits", bits)
	}
	mask := uint32(c.constantArgument(1)) & 1023
	if mask == 0 || mask == 1023 {
		c.finishCall(c.constantTruth(c.in.Type, c.typ, mask != 0))
		return
	}
	t := &classTest{
		callSite: c, truth: c.intLikeBool(number), whole: c.intLikeType(number, bits), constant: c.integerLike(number, bits),
		sign: 1 << (bits - 1), quiet: 1 << (fraction - 1), small: 1 << fraction, number: c.argumentID(0),
	}
	t.inf = (t.sign - 1) &^ (t.small - 1)
	if inverted := ^mask & 1023; simpleClasses.Get()[inverted] {
		c.finishCall(c.emitResult(spirv.OpLogicalNot, t.truth, t.testClasses(inverted)))
		return
	}
	c.finishCall(t.testClasses(mask))
}

const (
	classNaN       = classSignalingNaN | classQuietNaN
	classInf       = classNegativeInf | classPositiveInf
	classNormal    = classNegativeNormal | classPositiveNormal
	classSubnormal = classNegativeSubnormal | classPositiveSubnormal
	classZero      = classNegativeZero | classPositiveZero
)

// simpleClasses are the masks that take few instructions, so that it pays to test them for
// their opposite.
var simpleClasses = lazy.Map[uint32, bool]{New: func() map[uint32]bool {
	return map[uint32]bool{
		classNaN: true, classSignalingNaN: true, classQuietNaN: true, classInf: true, classPositiveInf: true, classNegativeInf: true,
		classNormal: true, classPositiveNormal: true, classNegativeNormal: true, classSubnormal: true, classPositiveSubnormal: true,
		classNegativeSubnormal: true, classZero: true, classPositiveZero: true, classNegativeZero: true,
	}
}}

// testClasses returns whether the number belongs to one of the classes of a mask.
func (t *classTest) testClasses(mask uint32) (found id) {
	for _, class := range []struct {
		both, negative uint32
		test           func(mask uint32) id
	}{
		{classNaN, 0, t.isNaN},
		{classInf, classNegativeInf, func(uint32) id { return t.emitResult(spirv.OpIsInf, t.truth, t.number) }},
		{classNormal, classNegativeNormal, func(uint32) id { return t.emitResult(spirv.OpIsNormal, t.truth, t.number) }},
		{classSubnormal, classNegativeSubnormal, func(uint32) id { return t.sizeBetween(1, t.small) }},
		{classZero, 0, t.isZero},
	} {
		part := mask & class.both
		if part == 0 {
			continue
		}
		n := class.test(part)
		if class.negative != 0 && part != class.both {
			n = t.emitResult(spirv.OpLogicalAnd, t.truth, t.signTest(part == class.negative), n)
		}
		if found != 0 {
			n = t.emitResult(spirv.OpLogicalOr, t.truth, found, n)
		}
		found = n
	}
	return found
}

// isNaN tests for NaNs. Without the sign, their bits are greater than those of infinity, and the
// quiet ones have the highest bit of the fraction set.
func (t *classTest) isNaN(mask uint32) id {
	switch mask {
	case classSignalingNaN:
		return t.sizeBetween(t.inf+1, t.inf|t.quiet)
	case classQuietNaN:
		return t.emitResult(spirv.OpUGreaterThanEqual, t.truth, t.unsignedBits(), t.constant(t.inf|t.quiet))
	}
	return t.emitResult(spirv.OpIsNan, t.truth, t.number)
}

func (t *classTest) isZero(mask uint32) id {
	switch mask {
	case classPositiveZero:
		return t.emitResult(spirv.OpIEqual, t.truth, t.bitPattern(), t.constant(0))
	case classNegativeZero:
		return t.emitResult(spirv.OpIEqual, t.truth, t.bitPattern(), t.constant(t.sign))
	}
	return t.emitResult(spirv.OpIEqual, t.truth, t.unsignedBits(), t.constant(0))
}

// bitPattern returns the bits of the number.
func (t *classTest) bitPattern() id {
	if t.rawBits == 0 {
		t.rawBits = t.emitResult(spirv.OpBitcast, t.whole, t.number)
	}
	return t.rawBits
}

// unsignedBits returns the bits without the sign.
func (t *classTest) unsignedBits() id {
	if t.magnitude == 0 {
		t.magnitude = t.emitResult(spirv.OpBitwiseAnd, t.whole, t.bitPattern(), t.constant(t.sign-1))
	}
	return t.magnitude
}

// sizeBetween returns low <= magnitude < high, with one comparison: a lesser number wraps
// around to a large one when low is subtracted.
func (t *classTest) sizeBetween(low, high uint64) id {
	shifted := t.emitResult(spirv.OpISub, t.whole, t.unsignedBits(), t.constant(low))
	return t.emitResult(spirv.OpULessThan, t.truth, shifted, t.constant(high-low))
}

func (t *classTest) signTest(negative bool) id {
	if t.negativeBool == 0 {
		t.negativeBool = t.emitResult(spirv.OpSignBitSet, t.truth, t.number)
	}
	if !negative && t.positiveOne == 0 {
		t.positiveOne = t.emitResult(spirv.OpLogicalNot, t.truth, t.negativeBool)
	}
	if negative {
		return t.negativeBool
	}
	return t.positiveOne
}
