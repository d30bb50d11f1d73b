package fromir

import (
	"offlink/ir"
	"offlink/spirv"
)

// extremum is one of IEEE 754-2019's minima and maxima, for which -0 is less
// than +0. fmin and fmax of OpenCL leave that open.
type extremum struct {
	instruction string
	zeros       spirv.Opcode // of the bits of two zeros
	nan         bool         // the result is NaN if one of the numbers is
}

var extrema = map[string]extremum{
	"maximum": {"fmax", spirv.OpBitwiseAnd, true}, "maximumnum": {"fmax", spirv.OpBitwiseAnd, false},
	"minimum": {"fmin", spirv.OpBitwiseOr, true}, "minimumnum": {"fmin", spirv.OpBitwiseOr, false},
}

// floatExtremum writes such a minimum or maximum of numbers of a type.
func (c *callSite) floatExtremum(e extremum, n ir.TypeID, a, b id) id {
	truth, typ := c.intLikeBool(n), c.typeID(n)
	whole := c.intLikeType(n, c.scalarBits(n))
	bits := c.emit(e.zeros, whole, c.emit(spirv.OpBitcast, whole, a), c.emit(spirv.OpBitcast, whole, b))
	same := c.emit(spirv.OpFOrdEqual, truth, a, b)
	found := c.emit(spirv.OpSelect, typ, same, c.emit(spirv.OpBitcast, typ, bits), c.extInst(e.instruction, a, b))
	if !e.nan {
		return found
	}
	return c.emit(spirv.OpSelect, typ, c.emit(spirv.OpUnordered, truth, a, b), c.emit(spirv.OpFAdd, typ, a, b), found)
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

// floatClass writes llvm.is.fpclass by the bits of the number.
func (c *callSite) floatClass() {
	number := c.operands[0].Type
	bits := c.scalarBits(number)
	layout, ok := map[uint32]struct{ fraction uint32 }{16: {10}, 32: {23}, 64: {52}}[bits]
	if !ok {
		c.failf("a class of numbers of %d bits", bits)
	}
	mask := uint32(c.constantArgument(1))
	truth, whole := c.intLikeBool(number), c.intLikeType(number, bits)
	constant := c.integerLike(number, bits)
	raw := c.emit(spirv.OpBitcast, whole, c.arg(0))
	sign := uint64(1) << (bits - 1)
	inf := (sign - 1) &^ (1<<layout.fraction - 1)
	quiet := uint64(1) << (layout.fraction - 1)
	size := c.emit(spirv.OpBitwiseAnd, whole, raw, constant(sign-1))
	negative := c.emit(spirv.OpSLessThan, truth, raw, constant(0))
	positive := c.emit(spirv.OpLogicalNot, truth, negative)
	and := func(a, b id) id { return c.emit(spirv.OpLogicalAnd, truth, a, b) }
	between := func(low, high uint64) id { // low <= size < high
		shifted := c.emit(spirv.OpISub, whole, size, constant(low))
		return c.emit(spirv.OpULessThan, truth, shifted, constant(high-low))
	}
	tests := []struct {
		class uint32
		test  func() id
	}{
		{classSignalingNaN, func() id { return between(inf+1, inf|quiet) }},
		{classQuietNaN, func() id { return c.emit(spirv.OpUGreaterThanEqual, truth, size, constant(inf|quiet)) }},
		{classNegativeInf, func() id { return and(negative, c.emit(spirv.OpIEqual, truth, size, constant(inf))) }},
		{classNegativeNormal, func() id { return and(negative, between(1<<layout.fraction, inf)) }},
		{classNegativeSubnormal, func() id { return and(negative, between(1, 1<<layout.fraction)) }},
		{classNegativeZero, func() id { return c.emit(spirv.OpIEqual, truth, raw, constant(sign)) }},
		{classPositiveZero, func() id { return c.emit(spirv.OpIEqual, truth, raw, constant(0)) }},
		{classPositiveSubnormal, func() id { return and(positive, between(1, 1<<layout.fraction)) }},
		{classPositiveNormal, func() id { return and(positive, between(1<<layout.fraction, inf)) }},
		{classPositiveInf, func() id { return c.emit(spirv.OpIEqual, truth, raw, constant(inf)) }},
	}
	found := id(0)
	for _, t := range tests {
		if mask&t.class == 0 {
			continue
		}
		if n := t.test(); found == 0 {
			found = n
		} else {
			found = c.emit(spirv.OpLogicalOr, truth, found, n)
		}
	}
	if found == 0 {
		found = c.constantTruth(c.in.Type, c.typ, false)
	}
	c.done(found)
}
