package fromir

import (
	"offlink/ir"
	"offlink/lazy"
	"offlink/spirv"
)

// integerIntrinsics write the intrinsics of integers of all widths. Those of odd widths
// are computed in the type that holds them, with zeros above the width (width.go).
var integerIntrinsics = lazy.Map[string, func(*callSite)]{New: func() map[string]func(*callSite) {
	return map[string]func(*callSite){
		"abs":  func(c *callSite) { c.integerIntrinsic("abs", c.absoluteValue) },
		"ctlz": func(c *callSite) { c.integerIntrinsic("ctlz", c.leadingZeros) },
		"cttz": func(c *callSite) { c.integerIntrinsic("cttz", c.trailingZeros) },
		"ctpop": func(c *callSite) {
			c.integerIntrinsic("ctpop", func() id { return c.emitResult(spirv.OpBitCount, c.typ, c.argumentID(0)) })
		},
		"bitreverse": func(c *callSite) { c.integerIntrinsic("bitreverse", c.bitReverse) },
		"bswap":      func(c *callSite) { c.integerIntrinsic("bswap", c.byteSwap) },
		"fshl":       func(c *callSite) { c.integerIntrinsic("fshl", func() id { return c.funnelShift(true) }) },
		"fshr":       func(c *callSite) { c.integerIntrinsic("fshr", func() id { return c.funnelShift(false) }) },

		"smax": func(c *callSite) { c.integerExtremum("smax", spirv.OpSGreaterThan) },
		"smin": func(c *callSite) { c.integerExtremum("smin", spirv.OpSLessThan) },
		"umax": func(c *callSite) { c.integerExtremum("umax", spirv.OpUGreaterThan) },
		"umin": func(c *callSite) { c.integerExtremum("umin", spirv.OpULessThan) },

		"sadd.sat": func(c *callSite) { c.saturatedSum("sadd.sat", spirv.OpIAdd, "s_add_sat") },
		"ssub.sat": func(c *callSite) { c.saturatedSum("ssub.sat", spirv.OpISub, "s_sub_sat") },
		"uadd.sat": func(c *callSite) { c.saturatedSum("uadd.sat", spirv.OpIAdd, "u_add_sat") },
		"usub.sat": func(c *callSite) { c.saturatedSum("usub.sat", spirv.OpISub, "u_sub_sat") },
		"sshl.sat": func(c *callSite) { c.integerIntrinsic("sshl.sat", func() id { return c.saturatedShift(true) }) },
		"ushl.sat": func(c *callSite) { c.integerIntrinsic("ushl.sat", func() id { return c.saturatedShift(false) }) },

		"uadd.with.overflow": func(c *callSite) { c.overflowPair("uadd", c.addCarry) },
		"usub.with.overflow": func(c *callSite) { c.overflowPair("usub", c.subtractBorrow) },
		"umul.with.overflow": func(c *callSite) { c.overflowPair("umul", c.unsignedProduct) },
		"smul.with.overflow": func(c *callSite) { c.overflowPair("smul", c.signedProduct) },
		"sadd.with.overflow": func(c *callSite) { c.overflowPair("sadd", func() (id, id) { return c.signedOverflow(spirv.OpIAdd) }) },
		"ssub.with.overflow": func(c *callSite) { c.overflowPair("ssub", func() (id, id) { return c.signedOverflow(spirv.OpISub) }) },

		"fptosi.sat": func(c *callSite) { c.saturatedConversion(spirv.OpConvertFToS) },
		"fptoui.sat": func(c *callSite) { c.saturatedConversion(spirv.OpConvertFToU) },
		"scmp":       func(c *callSite) { c.threeWay(true) },
		"ucmp":       func(c *callSite) { c.threeWay(false) },

		"vector.reduce.add": func(c *callSite) { c.reduceIntegers(spirv.OpIAdd, spirv.OpLogicalNotEqual) },
		"vector.reduce.mul": func(c *callSite) { c.reduceIntegers(spirv.OpIMul, spirv.OpLogicalAnd) },
		"vector.reduce.and": func(c *callSite) { c.reduceIntegers(spirv.OpBitwiseAnd, spirv.OpLogicalAnd) },
		"vector.reduce.or":  func(c *callSite) { c.reduceIntegers(spirv.OpBitwiseOr, spirv.OpLogicalOr) },
		"vector.reduce.xor": func(c *callSite) { c.reduceIntegers(spirv.OpBitwiseXor, spirv.OpLogicalNotEqual) },

		"vector.reduce.smax": func(c *callSite) { c.reduceExtremum("s_max", true, spirv.OpLogicalAnd) },
		"vector.reduce.smin": func(c *callSite) { c.reduceExtremum("s_min", true, spirv.OpLogicalOr) },
		"vector.reduce.umax": func(c *callSite) { c.reduceExtremum("u_max", false, spirv.OpLogicalOr) },
		"vector.reduce.umin": func(c *callSite) { c.reduceExtremum("u_min", false, spirv.OpLogicalAnd) },
	}
}}

// numberType returns the type of the numbers that the intrinsic takes.
func (c *callSite) numberType() ir.TypeID { return c.operand(0).Type }

// integerIntrinsic writes an intrinsic with write, or on i1 as an operation on truth
// values, which are not numbers in SPIR-V.
func (c *callSite) integerIntrinsic(name string, write func() id) {
	if c.isBool(c.numberType()) {
		c.finishCall(c.ofBools(name))
		return
	}
	c.finishCall(write())
}

// ofBools writes an intrinsic of i1. Its values are 0 and 1 if unsigned, 0 and -1 if
// signed, so that smax is umin, and sums saturate to an or.
func (c *callSite) ofBools(name string) id {
	a := c.argumentID(0)
	switch name {
	case "ctlz", "cttz":
		return c.emitResult(spirv.OpLogicalNot, c.typ, a)
	case "fshr":
		return c.argumentID(1)
	case "umax", "smin", "uadd.sat", "sadd.sat":
		return c.emitResult(spirv.OpLogicalOr, c.typ, a, c.argumentID(1))
	case "umin", "smax":
		return c.emitResult(spirv.OpLogicalAnd, c.typ, a, c.argumentID(1))
	case "usub.sat", "ssub.sat":
		return c.emitResult(spirv.OpLogicalAnd, c.typ, a, c.emitResult(spirv.OpLogicalNot, c.typ, c.argumentID(1)))
	}
	return a // a shift by nothing, or an operation that leaves one bit unchanged
}

// signedArg returns an argument with its sign in the bits above its width.
func (c *callSite) signedArg(i int) id { return c.signExtended(c.operand(i).Type, c.argumentID(i)) }

// intConst returns a constant of the type of an argument.
func (c *callSite) intConst(i int, value uint64) id {
	return c.splatConstant(c.operand(i).Type, value)
}

// absoluteValue writes abs. The least number has no positive counterpart: it stays as it is, or is
// poison, as LLVM allows both.
func (c *callSite) absoluteValue() id {
	return c.cutToWidth(c.numberType(), c.extInst("s_abs", c.signedArg(0)))
}

// leadingZeros subtracts the zeros above an odd width, which clz counts as well.
func (c *callSite) leadingZeros() id {
	n := c.extInst("clz", c.argumentID(0))
	if !c.hasOddWidth(c.numberType()) {
		return n
	}
	bits := c.scalarBits(c.numberType())
	return c.emitResult(spirv.OpISub, c.typ, n, c.intConst(0, uint64(c.heldBits(bits)-bits)))
}

// trailingZeros writes cttz. The zeros above an odd width must not count.
func (c *callSite) trailingZeros() id {
	n := c.argumentID(0)
	if c.hasOddWidth(c.numberType()) {
		// The bit just above the width makes the count stop there: zero has as many
		// trailing zeros as the type has bits.
		n = c.emitResult(spirv.OpBitwiseOr, c.typ, n, c.intConst(0, 1<<c.scalarBits(c.numberType())))
	}
	return c.extInst("ctz", n)
}

// bitReverse reverses the bits of the next width that is a power of two, and shifts the
// result down by the difference of the widths.
func (c *callSite) bitReverse() id {
	bits := c.scalarBits(c.numberType())
	if bits > 64 {
		c.failf("integers of %d bits", bits)
	}
	wide := nextPower(bits)
	typ, constant := c.intLikeType(c.numberType(), wide), c.integerLike(c.numberType(), wide)
	n := c.argumentID(0)
	if typ != c.typ {
		n = c.emitResult(spirv.OpUConvert, typ, n)
	}
	if c.options.allowsExtension("SPV_KHR_bit_instructions") {
		c.instructionNeeds(spirv.OpBitReverse)
		n = c.emitResult(spirv.OpBitReverse, typ, n)
	} else {
		n = c.exchangeAll(n, typ, wide, constant)
	}
	if wide != bits {
		n = c.emitResult(spirv.OpShiftRightLogical, typ, n, constant(uint64(wide-bits)))
	}
	if typ != c.typ {
		n = c.emitResult(spirv.OpUConvert, c.typ, n)
	}
	return n
}

// exchangeAll reverses the bits of a number: it swaps its halves, then the halves of
// these, and so on down to neighbouring bits.
func (c *callSite) exchangeAll(n, typ id, bits uint32, constant func(uint64) id) id {
	for step := bits / 2; step > 0; step /= 2 {
		mask := uint64(0) // the lower groups
		for i := range bits {
			if i/step%2 == 0 {
				mask |= 1 << i
			}
		}
		shift, low := constant(uint64(step)), constant(mask)
		up := c.emitResult(spirv.OpShiftLeftLogical, typ, c.emitResult(spirv.OpBitwiseAnd, typ, n, low), shift)
		down := c.emitResult(spirv.OpBitwiseAnd, typ, c.emitResult(spirv.OpShiftRightLogical, typ, n, shift), low)
		n = c.emitResult(spirv.OpBitwiseOr, typ, up, down)
	}
	return n
}

// byteSwap shifts each byte to its place: OpenCL.std has no such instruction.
func (c *callSite) byteSwap() id {
	bits := c.scalarBits(c.numberType())
	if bits > 64 {
		c.failf("integers of %d bits", bits)
	}
	n, sum := c.argumentID(0), id(0)
	for at := uint32(0); at < bits; at += 8 {
		part, to := n, bits-8-at
		switch {
		case to > at:
			part = c.emitResult(spirv.OpShiftLeftLogical, c.typ, n, c.intConst(0, uint64(to-at)))
		case to < at:
			part = c.emitResult(spirv.OpShiftRightLogical, c.typ, n, c.intConst(0, uint64(at-to)))
		}
		part = c.emitResult(spirv.OpBitwiseAnd, c.typ, part, c.intConst(0, 0xff<<to))
		if sum == 0 {
			sum = part
		} else {
			sum = c.emitResult(spirv.OpBitwiseOr, c.typ, sum, part)
		}
	}
	return sum
}

// funnelShift writes fshl and fshr: a shift of two numbers that are joined to one of twice
// the width, of which the high or the low half is the result.
func (c *callSite) funnelShift(left bool) id {
	width := c.scalarBits(c.numberType())
	bits := uint64(width)
	high, low, by := c.argumentID(0), c.argumentID(1), c.argumentID(2)
	// OpenCL.std's rotate takes its amount modulo the width, as fshl does.
	if left && c.operand(0) == c.operand(1) && width == nextPower(width) {
		return c.extInst("rotate", high, by)
	}
	if bits&(bits-1) != 0 {
		by = c.emitResult(spirv.OpUMod, c.typ, by, c.intConst(0, bits))
	} else {
		by = c.emitResult(spirv.OpBitwiseAnd, c.typ, by, c.intConst(0, bits-1))
	}
	// A shift by the whole width is undefined in SPIR-V, and needed where the
	// amount is 0: one bit is shifted first, the rest after it.
	rest := c.emitResult(spirv.OpISub, c.typ, c.intConst(0, bits-1), by)
	one := c.intConst(0, 1)
	var a, b id
	if left {
		a = c.emitResult(spirv.OpShiftLeftLogical, c.typ, high, by)
		b = c.emitResult(spirv.OpShiftRightLogical, c.typ, c.emitResult(spirv.OpShiftRightLogical, c.typ, low, one), rest)
	} else {
		a = c.emitResult(spirv.OpShiftLeftLogical, c.typ, c.emitResult(spirv.OpShiftLeftLogical, c.typ, high, one), rest)
		b = c.emitResult(spirv.OpShiftRightLogical, c.typ, low, by)
	}
	return c.cutToWidth(c.numberType(), c.emitResult(spirv.OpBitwiseOr, c.typ, a, b))
}

// integerExtremum writes a minimum or maximum.
func (c *callSite) integerExtremum(name string, op spirv.Opcode) {
	c.integerIntrinsic(name, func() id {
		a, b := c.argumentID(0), c.argumentID(1)
		x, y := a, b
		if op == spirv.OpSGreaterThan || op == spirv.OpSLessThan {
			x, y = c.signedArg(0), c.signedArg(1)
		}
		return c.emitResult(spirv.OpSelect, c.typ, c.emitResult(op, c.intLikeBool(c.in.Type), x, y), a, b)
	})
}

// signedBounds returns the least and the greatest signed number of a width that is held in
// more bits, with the sign in those.
func (c *callSite) signedBounds(n ir.TypeID) (low, high id) {
	greatest := allOnes(c.scalarBits(n)) >> 1
	return c.splatConstant(n, ^greatest), c.splatConstant(n, greatest)
}

// clampedTo saturates a number to its width; one that is not held in more bits is within
// it already.
func (c *callSite) clampedTo(n ir.TypeID, value id, signed bool) id {
	if !c.hasOddWidth(n) {
		return value
	}
	if !signed {
		return c.extInst("u_min", value, c.splatConstant(n, allOnes(c.scalarBits(n))))
	}
	low, high := c.signedBounds(n)
	return c.cutToWidth(n, c.extInst("s_min", c.extInst("s_max", value, low), high))
}

// saturatedSum writes a sum or difference that saturates. At odd widths the type that
// holds the numbers has room for the exact result, which is then clamped; only an unsigned
// difference can be below 0 there, and OpenCL.std saturates that correctly.
func (c *callSite) saturatedSum(name string, op spirv.Opcode, instruction string) {
	signed := name[0] == 's'
	c.integerIntrinsic(name, func() id {
		switch {
		case !c.hasOddWidth(c.numberType()) || name == "usub.sat":
			return c.extInst(instruction, c.argumentID(0), c.argumentID(1))
		case signed:
			return c.clampedTo(c.numberType(), c.emitResult(op, c.typ, c.signedArg(0), c.signedArg(1)), true)
		}
		return c.clampedTo(c.numberType(), c.emitResult(op, c.typ, c.argumentID(0), c.argumentID(1)), false)
	})
}

// saturatedShift writes a shift to the left that saturates. Bits were lost if shifting
// back does not restore the number; the result is the greatest number of the width then,
// or the least for a negative one.
func (c *callSite) saturatedShift(signed bool) id {
	n := c.numberType()
	a, by := c.argumentID(0), c.argumentID(1)
	bits := c.scalarBits(n)
	shifted := c.cutToWidth(n, c.emitResult(spirv.OpShiftLeftLogical, c.typ, a, by))
	limit := c.splatConstant(n, allOnes(bits))
	back := shifted
	if signed {
		a = c.signExtended(n, a)
		sign := c.emitResult(spirv.OpShiftRightArithmetic, c.typ, a, c.intConst(0, uint64(c.heldBits(bits)-1)))
		limit = c.cutToWidth(n, c.emitResult(spirv.OpBitwiseXor, c.typ, sign, c.splatConstant(n, allOnes(bits)>>1)))
		back = c.emitResult(spirv.OpShiftRightArithmetic, c.typ, c.signExtended(n, shifted), by)
	} else {
		back = c.emitResult(spirv.OpShiftRightLogical, c.typ, back, by)
	}
	same := c.emitResult(spirv.OpIEqual, c.intLikeBool(n), back, a)
	return c.emitResult(spirv.OpSelect, c.typ, same, shifted, limit)
}

// overflowPair writes an intrinsic whose result is a struct of the number and whether it
// overflowed.
func (c *callSite) overflowPair(name string, write func() (n, over id)) {
	var n, over id
	if c.isBool(c.numberType()) {
		n, over = c.overflowOfBools(name)
	} else {
		n, over = write()
	}
	c.finishCall(c.emitResult(spirv.OpCompositeConstruct, c.typ, n, over))
}

// overflowOfBools is overflowPair's writer for i1, where true is 1 if unsigned and -1 if signed:
// 1+1 and -1 + -1 overflow to 0, 0-1 and 0 - -1 overflow to true, and so does -1 * -1.
func (c *callSite) overflowOfBools(name string) (n, over id) {
	typ := c.typeID(c.numberType())
	a, b := c.argumentID(0), c.argumentID(1)
	both := c.emitResult(spirv.OpLogicalAnd, typ, a, b)
	switch name {
	case "umul":
		return both, c.constantTruth(c.numberType(), typ, false)
	case "smul":
		return both, both
	}
	n = c.emitResult(spirv.OpLogicalNotEqual, typ, a, b)
	if name == "uadd" || name == "sadd" {
		return n, both
	}
	return n, c.emitResult(spirv.OpLogicalAnd, typ, c.emitResult(spirv.OpLogicalNot, typ, a), b)
}

// numbersDiffer returns the truth value of a != b.
func (c *callSite) numbersDiffer(a, b id) id {
	return c.emitResult(spirv.OpINotEqual, c.intLikeBool(c.numberType()), a, b)
}

// wideProduct writes the low and the high half of a product. The core's OpUMulExtended
// would be shorter, as OpIAddCarry and OpISubBorrow would be elsewhere, but Intel's CPU
// driver and released readers of SPIR-V lack them.
func (c *callSite) wideProduct(highHalf string, a, b id) (low, high id) {
	number := c.typeID(c.numberType())
	instruction, _ := spirv.ExtInstNumber("OpenCL.std", highHalf)
	low = c.emitResult(spirv.OpIMul, number, a, b)
	return low, c.emitResult(spirv.OpExtInst, number, c.opencl, instruction, a, b)
}

// addCarry writes an unsigned sum and whether it overflowed: a sum that wrapped is less
// than its operands. At odd widths it has bits above the width instead.
func (c *callSite) addCarry() (n, over id) {
	number := c.numberType()
	if !c.hasOddWidth(number) {
		a := c.argumentID(0)
		sum := c.emitResult(spirv.OpIAdd, c.typeID(number), a, c.argumentID(1))
		return sum, c.emitResult(spirv.OpULessThan, c.intLikeBool(number), sum, a)
	}
	sum := c.emitResult(spirv.OpIAdd, c.typeID(number), c.argumentID(0), c.argumentID(1))
	n = c.cutToWidth(number, sum)
	return n, c.numbersDiffer(n, sum)
}

// subtractBorrow writes an unsigned difference and whether it is below 0.
func (c *callSite) subtractBorrow() (n, over id) {
	number := c.numberType()
	if !c.hasOddWidth(number) {
		a, b := c.argumentID(0), c.argumentID(1)
		difference := c.emitResult(spirv.OpISub, c.typeID(number), a, b)
		return difference, c.emitResult(spirv.OpULessThan, c.intLikeBool(number), a, b)
	}
	difference := c.emitResult(spirv.OpISub, c.typeID(number), c.argumentID(0), c.argumentID(1))
	n = c.cutToWidth(number, difference)
	return n, c.numbersDiffer(n, difference)
}

// unsignedProduct writes a product and whether it overflowed: then its high half, or the bits
// above an odd width, are not 0.
func (c *callSite) unsignedProduct() (n, over id) {
	low, high := c.wideProduct("u_mul_hi", c.argumentID(0), c.argumentID(1))
	n = c.cutToWidth(c.numberType(), low)
	over = c.numbersDiffer(high, c.intConst(0, 0))
	if c.hasOddWidth(c.numberType()) {
		over = c.emitResult(spirv.OpLogicalOr, c.intLikeBool(c.numberType()), over, c.numbersDiffer(low, n))
	}
	return n, over
}

// signedProduct writes a product and whether it overflowed: then its high half is not the
// repeated sign of the low half, or cutting it to an odd width changes it.
func (c *callSite) signedProduct() (n, over id) {
	number := c.numberType()
	bits := c.heldBits(c.scalarBits(number))
	low, high := c.wideProduct("s_mul_hi", c.signedArg(0), c.signedArg(1))
	n = c.cutToWidth(number, low)
	sign := c.emitResult(spirv.OpShiftRightArithmetic, c.typeID(number), low, c.intConst(0, uint64(bits-1)))
	over = c.numbersDiffer(high, sign)
	if c.hasOddWidth(number) {
		over = c.emitResult(spirv.OpLogicalOr, c.intLikeBool(number), over, c.numbersDiffer(c.signExtended(number, n), low))
	}
	return n, over
}

// signedOverflow writes a signed sum or difference and whether it overflowed. A sum has
// overflowed if its sign differs from those of both operands, a difference if the
// operands have different signs and its own is not that of the first.
func (c *callSite) signedOverflow(op spirv.Opcode) (n, over id) {
	number := c.numberType()
	element := c.typeID(number)
	a, b := c.signedArg(0), c.signedArg(1)
	whole := c.emitResult(op, element, a, b)
	if c.hasOddWidth(number) {
		n = c.cutToWidth(number, whole)
		return n, c.numbersDiffer(c.signExtended(number, n), whole)
	}
	x := c.emitResult(spirv.OpBitwiseXor, element, a, whole)
	other := whole
	if op == spirv.OpISub {
		other = a
	}
	y := c.emitResult(spirv.OpBitwiseXor, element, b, other)
	both := c.emitResult(spirv.OpBitwiseAnd, element, x, y)
	return whole, c.emitResult(spirv.OpSLessThan, c.intLikeBool(number), both, c.intConst(0, 0))
}

// saturatedConversion writes a conversion of floating-point numbers to integers, which
// gives the nearest integer of the type, and 0 for NaN. i1 goes by way of 32 bits.
func (c *callSite) saturatedConversion(op spirv.Opcode) {
	if c.isBool(c.in.Type) {
		whole, zero := c.intLikeType(c.in.Type, 32), c.integerLike(c.in.Type, 32)(0)
		n := c.emitResult(op, whole, c.argumentID(0))
		c.b.decorateID(n, decSaturated)
		test := spirv.OpSLessThan // -1 or less
		if op == spirv.OpConvertFToU {
			test = spirv.OpINotEqual
		}
		c.finishCall(c.emitResult(test, c.typ, n, zero))
		return
	}
	n := c.emitResult(op, c.typ, c.argumentID(0))
	c.b.decorateID(n, decSaturated)
	c.finishCall(c.clampedTo(c.in.Type, n, op == spirv.OpConvertFToS))
}

// threeWay writes scmp and ucmp: -1, 0 or 1. A signed i1 has the order of the unsigned one
// reversed, since true is -1.
func (c *callSite) threeWay(signed bool) {
	number := c.numberType()
	truth := c.intLikeBool(number)
	a, b := c.argumentID(0), c.argumentID(1)
	less, greater := spirv.OpULessThan, spirv.OpUGreaterThan
	var down, up id
	switch {
	case c.isBool(number):
		down = c.emitResult(spirv.OpLogicalAnd, truth, c.emitResult(spirv.OpLogicalNot, truth, a), b)
		up = c.emitResult(spirv.OpLogicalAnd, truth, a, c.emitResult(spirv.OpLogicalNot, truth, b))
		if signed {
			down, up = up, down
		}
	case signed:
		less, greater = spirv.OpSLessThan, spirv.OpSGreaterThan
		a, b = c.signExtended(number, a), c.signExtended(number, b)
		fallthrough
	default:
		down, up = c.emitResult(less, truth, a, b), c.emitResult(greater, truth, a, b)
	}
	bits := c.scalarBits(c.in.Type)
	n := c.emitResult(spirv.OpSelect, c.typ, up, c.splatConstant(c.in.Type, 1), c.splatConstant(c.in.Type, 0))
	c.finishCall(c.emitResult(spirv.OpSelect, c.typ, down, c.splatConstant(c.in.Type, allOnes(bits)), n))
}

// reduceVector writes the call's result: the fold of the elements of its vector.
func (c *callSite) reduceVector(fold func(a, b id) id) {
	c.finishCall(c.foldVector(c.argumentID(0), fold))
}

// foldVector folds the elements of a vector from the first to the last.
func (c *callSite) foldVector(vector id, fold func(a, b id) id) id {
	if c.function.moduleType(c.numberType()).Length == 1 {
		return vector
	}
	sum := c.emitResult(spirv.OpCompositeExtract, c.typ, vector, 0)
	for k := uint64(1); k < c.function.moduleType(c.numberType()).Length; k++ {
		sum = fold(sum, c.emitResult(spirv.OpCompositeExtract, c.typ, vector, uint32(k)))
	}
	return sum
}

// reduceIntegers writes a fold of a vector's elements with op, or with ofBools for i1. At odd
// widths one cut after the last step is enough: the bits above the width never influence those
// below.
func (c *callSite) reduceIntegers(op, ofBools spirv.Opcode) {
	if c.isBool(c.numberType()) {
		op = ofBools
	}
	c.finishCall(c.cutToWidth(c.in.Type, c.foldVector(c.argumentID(0), func(a, b id) id { return c.emitResult(op, c.typ, a, b) })))
}

// reduceExtremum writes the minimum or maximum of a vector's elements; of i1, ofBools is the
// operation on truth values.
func (c *callSite) reduceExtremum(instruction string, signed bool, ofBools spirv.Opcode) {
	if c.isBool(c.numberType()) {
		c.reduceIntegers(ofBools, ofBools)
		return
	}
	fold := func(a, b id) id { return c.extInst(instruction, a, b) }
	if signed {
		c.finishCall(c.cutToWidth(c.in.Type, c.foldVector(c.signedArg(0), fold)))
		return
	}
	c.finishCall(c.foldVector(c.argumentID(0), fold))
}
