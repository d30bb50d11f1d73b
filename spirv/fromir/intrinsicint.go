package fromir

import (
	"offlink/ir"
	"offlink/spirv"
)

// integerIntrinsics write the intrinsics of integers, at all widths.
var integerIntrinsics = map[string]func(*callSite){
	"abs":        func(c *callSite) { c.integer("abs", c.absolute) },
	"ctlz":       func(c *callSite) { c.integer("ctlz", c.leadingZeros) },
	"cttz":       func(c *callSite) { c.integer("cttz", c.trailingZeros) },
	"ctpop":      func(c *callSite) { c.integer("ctpop", func() id { return c.emit(spirv.OpBitCount, c.typ, c.arg(0)) }) },
	"bitreverse": func(c *callSite) { c.integer("bitreverse", c.bitReverse) },
	"bswap":      func(c *callSite) { c.integer("bswap", c.byteSwap) },
	"fshl":       func(c *callSite) { c.integer("fshl", func() id { return c.funnelShift(true) }) },
	"fshr":       func(c *callSite) { c.integer("fshr", func() id { return c.funnelShift(false) }) },

	"smax": func(c *callSite) { c.extremum("smax", spirv.OpSGreaterThan) },
	"smin": func(c *callSite) { c.extremum("smin", spirv.OpSLessThan) },
	"umax": func(c *callSite) { c.extremum("umax", spirv.OpUGreaterThan) },
	"umin": func(c *callSite) { c.extremum("umin", spirv.OpULessThan) },

	"sadd.sat": func(c *callSite) { c.saturated("sadd.sat", spirv.OpIAdd, "s_add_sat") },
	"ssub.sat": func(c *callSite) { c.saturated("ssub.sat", spirv.OpISub, "s_sub_sat") },
	"uadd.sat": func(c *callSite) { c.saturated("uadd.sat", spirv.OpIAdd, "u_add_sat") },
	"usub.sat": func(c *callSite) { c.saturated("usub.sat", spirv.OpISub, "u_sub_sat") },
	"sshl.sat": func(c *callSite) { c.integer("sshl.sat", func() id { return c.saturatedShift(true) }) },
	"ushl.sat": func(c *callSite) { c.integer("ushl.sat", func() id { return c.saturatedShift(false) }) },

	"uadd.with.overflow": func(c *callSite) { c.overflowing("uadd", c.carry) },
	"usub.with.overflow": func(c *callSite) { c.overflowing("usub", c.borrow) },
	"umul.with.overflow": func(c *callSite) { c.overflowing("umul", c.unsignedProduct) },
	"smul.with.overflow": func(c *callSite) { c.overflowing("smul", c.signedProduct) },
	"sadd.with.overflow": func(c *callSite) { c.overflowing("sadd", func() (id, id) { return c.signedOverflow(spirv.OpIAdd) }) },
	"ssub.with.overflow": func(c *callSite) { c.overflowing("ssub", func() (id, id) { return c.signedOverflow(spirv.OpISub) }) },

	"fptosi.sat": func(c *callSite) { c.saturate(spirv.OpConvertFToS) },
	"fptoui.sat": func(c *callSite) { c.saturate(spirv.OpConvertFToU) },
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

// numberType is the type of the numbers that the intrinsic takes.
func (c *callSite) numberType() ir.TypeID { return c.operands[0].Type }

// integer writes an intrinsic; those of i1 are operations on truth values.
func (c *callSite) integer(name string, write func() id) {
	if c.isBool(c.numberType()) {
		c.done(c.ofBools(name))
		return
	}
	c.done(write())
}

// ofBools writes an intrinsic of i1, which is 0 or 1, or 0 or -1 when signed.
func (c *callSite) ofBools(name string) id {
	a := c.arg(0)
	switch name {
	case "ctlz", "cttz":
		return c.emit(spirv.OpLogicalNot, c.typ, a)
	case "fshr":
		return c.arg(1)
	case "umax", "smin", "uadd.sat", "sadd.sat":
		return c.emit(spirv.OpLogicalOr, c.typ, a, c.arg(1))
	case "umin", "smax":
		return c.emit(spirv.OpLogicalAnd, c.typ, a, c.arg(1))
	case "usub.sat", "ssub.sat":
		return c.emit(spirv.OpLogicalAnd, c.typ, a, c.emit(spirv.OpLogicalNot, c.typ, c.arg(1)))
	}
	return a // a shift by nothing, or an operation that leaves one bit unchanged
}

// signedArg returns an argument with its sign in the bits above its width.
func (c *callSite) signedArg(i int) id { return c.signExtended(c.operands[i].Type, c.arg(i)) }

// intConst returns a constant of the type of an argument.
func (c *callSite) intConst(i int, value uint64) id { return c.splat(c.operands[i].Type, value) }

func (c *callSite) absolute() id { return c.cut(c.numberType(), c.extInst("s_abs", c.signedArg(0))) }

func (c *callSite) leadingZeros() id {
	n := c.extInst("clz", c.arg(0))
	if !c.odd(c.numberType()) {
		return n
	}
	bits := c.scalarBits(c.numberType())
	return c.emit(spirv.OpISub, c.typ, n, c.intConst(0, uint64(c.heldBits(bits)-bits)))
}

func (c *callSite) trailingZeros() id {
	n := c.arg(0)
	if c.odd(c.numberType()) {
		n = c.emit(spirv.OpBitwiseOr, c.typ, n, c.intConst(0, 1<<c.scalarBits(c.numberType())))
	}
	return c.extInst("ctz", n)
}

// bitReverse reverses the bits at a width that is a power of two, and shifts
// down the missing bits.
func (c *callSite) bitReverse() id {
	bits := c.scalarBits(c.numberType())
	if bits > 64 {
		c.failf("integers of %d bits", bits)
	}
	wide := nextPower(bits)
	typ, constant := c.intLikeType(c.numberType(), wide), c.integerLike(c.numberType(), wide)
	n := c.arg(0)
	if typ != c.typ {
		n = c.emit(spirv.OpUConvert, typ, n)
	}
	if c.options.allowed("SPV_KHR_bit_instructions") {
		c.instructionNeeds(spirv.OpBitReverse)
		n = c.emit(spirv.OpBitReverse, typ, n)
	} else {
		n = c.exchangeAll(n, typ, wide, constant)
	}
	if wide != bits {
		n = c.emit(spirv.OpShiftRightLogical, typ, n, constant(uint64(wide-bits)))
	}
	if typ != c.typ {
		n = c.emit(spirv.OpUConvert, c.typ, n)
	}
	return n
}

// exchangeAll swaps neighbouring groups of bits, halves first.
func (c *callSite) exchangeAll(n, typ id, bits uint32, constant func(uint64) id) id {
	for step := bits / 2; step > 0; step /= 2 {
		mask := uint64(0) // the lower groups
		for i := range bits {
			if i/step%2 == 0 {
				mask |= 1 << i
			}
		}
		shift, low := constant(uint64(step)), constant(mask)
		up := c.emit(spirv.OpShiftLeftLogical, typ, c.emit(spirv.OpBitwiseAnd, typ, n, low), shift)
		down := c.emit(spirv.OpBitwiseAnd, typ, c.emit(spirv.OpShiftRightLogical, typ, n, shift), low)
		n = c.emit(spirv.OpBitwiseOr, typ, up, down)
	}
	return n
}

func (c *callSite) byteSwap() id {
	bits := c.scalarBits(c.numberType())
	if bits > 64 {
		c.failf("integers of %d bits", bits)
	}
	n, sum := c.arg(0), id(0)
	for at := uint32(0); at < bits; at += 8 {
		part, to := n, bits-8-at
		switch {
		case to > at:
			part = c.emit(spirv.OpShiftLeftLogical, c.typ, n, c.intConst(0, uint64(to-at)))
		case to < at:
			part = c.emit(spirv.OpShiftRightLogical, c.typ, n, c.intConst(0, uint64(at-to)))
		}
		part = c.emit(spirv.OpBitwiseAnd, c.typ, part, c.intConst(0, 0xff<<to))
		if sum == 0 {
			sum = part
		} else {
			sum = c.emit(spirv.OpBitwiseOr, c.typ, sum, part)
		}
	}
	return sum
}

// funnelShift writes fshl and fshr: the shift of two numbers side by side.
func (c *callSite) funnelShift(left bool) id {
	width := c.scalarBits(c.numberType())
	bits := uint64(width)
	high, low, by := c.arg(0), c.arg(1), c.arg(2)
	if left && c.operands[0] == c.operands[1] && width == nextPower(width) {
		return c.extInst("rotate", high, by)
	}
	if bits&(bits-1) != 0 {
		by = c.emit(spirv.OpUMod, c.typ, by, c.intConst(0, bits))
	} else {
		by = c.emit(spirv.OpBitwiseAnd, c.typ, by, c.intConst(0, bits-1))
	}
	rest := c.emit(spirv.OpISub, c.typ, c.intConst(0, bits-1), by)
	one := c.intConst(0, 1)
	var a, b id
	if left {
		a = c.emit(spirv.OpShiftLeftLogical, c.typ, high, by)
		b = c.emit(spirv.OpShiftRightLogical, c.typ, c.emit(spirv.OpShiftRightLogical, c.typ, low, one), rest)
	} else {
		a = c.emit(spirv.OpShiftLeftLogical, c.typ, c.emit(spirv.OpShiftLeftLogical, c.typ, high, one), rest)
		b = c.emit(spirv.OpShiftRightLogical, c.typ, low, by)
	}
	return c.cut(c.numberType(), c.emit(spirv.OpBitwiseOr, c.typ, a, b))
}

// extremum writes a minimum or maximum.
func (c *callSite) extremum(name string, op spirv.Opcode) {
	c.integer(name, func() id {
		a, b := c.arg(0), c.arg(1)
		x, y := a, b
		if op == spirv.OpSGreaterThan || op == spirv.OpSLessThan {
			x, y = c.signedArg(0), c.signedArg(1)
		}
		return c.emit(spirv.OpSelect, c.typ, c.emit(op, c.intLikeBool(c.in.Type), x, y), a, b)
	})
}

// signedBounds returns the least and greatest number of a width that is held
// in more bits.
func (c *callSite) signedBounds(n ir.TypeID) (low, high id) {
	greatest := allOnes(c.scalarBits(n)) >> 1
	return c.splat(n, ^greatest), c.splat(n, greatest)
}

// clamped bounds a number to a width that is held in more bits.
func (c *callSite) clamped(n ir.TypeID, value id, signed bool) id {
	if !c.odd(n) {
		return value
	}
	if !signed {
		return c.extInst("u_min", value, c.splat(n, allOnes(c.scalarBits(n))))
	}
	low, high := c.signedBounds(n)
	return c.cut(n, c.extInst("s_min", c.extInst("s_max", value, low), high))
}

// saturated writes a sum or difference that stays within its type.
func (c *callSite) saturated(name string, op spirv.Opcode, instruction string) {
	signed := name[0] == 's'
	c.integer(name, func() id {
		switch {
		case !c.odd(c.numberType()) || name == "usub.sat":
			return c.extInst(instruction, c.arg(0), c.arg(1))
		case signed:
			return c.clamped(c.numberType(), c.emit(op, c.typ, c.signedArg(0), c.signedArg(1)), true)
		}
		return c.clamped(c.numberType(), c.emit(op, c.typ, c.arg(0), c.arg(1)), false)
	})
}

// saturatedShift writes a shift to the left, or the number nearest to it.
func (c *callSite) saturatedShift(signed bool) id {
	n := c.numberType()
	a, by := c.arg(0), c.arg(1)
	bits := c.scalarBits(n)
	shifted := c.cut(n, c.emit(spirv.OpShiftLeftLogical, c.typ, a, by))
	limit := c.splat(n, allOnes(bits))
	back := shifted
	if signed {
		a = c.signExtended(n, a)
		sign := c.emit(spirv.OpShiftRightArithmetic, c.typ, a, c.intConst(0, uint64(c.heldBits(bits)-1)))
		limit = c.cut(n, c.emit(spirv.OpBitwiseXor, c.typ, sign, c.splat(n, allOnes(bits)>>1)))
		back = c.emit(spirv.OpShiftRightArithmetic, c.typ, c.signExtended(n, shifted), by)
	} else {
		back = c.emit(spirv.OpShiftRightLogical, c.typ, back, by)
	}
	same := c.emit(spirv.OpIEqual, c.intLikeBool(n), back, a)
	return c.emit(spirv.OpSelect, c.typ, same, shifted, limit)
}

// overflowing writes the struct of a number and whether it overflowed.
func (c *callSite) overflowing(name string, write func() (n, over id)) {
	var n, over id
	if c.isBool(c.numberType()) {
		n, over = c.overflowOfBools(name)
	} else {
		n, over = write()
	}
	c.done(c.emit(spirv.OpCompositeConstruct, c.typ, n, over))
}

func (c *callSite) overflowOfBools(name string) (n, over id) {
	typ := c.typeID(c.numberType())
	a, b := c.arg(0), c.arg(1)
	both := c.emit(spirv.OpLogicalAnd, typ, a, b)
	switch name {
	case "umul":
		return both, c.constantTruth(c.numberType(), typ, false)
	case "smul":
		return both, both
	}
	n = c.emit(spirv.OpLogicalNotEqual, typ, a, b)
	if name == "uadd" || name == "sadd" {
		return n, both
	}
	return n, c.emit(spirv.OpLogicalAnd, typ, c.emit(spirv.OpLogicalNot, typ, a), b)
}

// pairResult writes an instruction whose result is a struct of two numbers.
func (c *callSite) pairResult(op spirv.Opcode, a, b id) (first, second id) {
	element := c.typeID(c.numberType())
	pair := c.b.typeEntry(spirv.OpTypeStruct, []uint32{element, element}, element, element)
	both := c.emit(op, pair, a, b)
	return c.emit(spirv.OpCompositeExtract, element, both, 0), c.emit(spirv.OpCompositeExtract, element, both, 1)
}

// differ writes whether two numbers differ.
func (c *callSite) differ(a, b id) id {
	return c.emit(spirv.OpINotEqual, c.intLikeBool(c.numberType()), a, b)
}

func (c *callSite) carry() (n, over id) {
	number := c.numberType()
	if !c.odd(number) {
		sum, carried := c.pairResult(spirv.OpIAddCarry, c.arg(0), c.arg(1))
		return sum, c.differ(carried, c.intConst(0, 0))
	}
	sum := c.emit(spirv.OpIAdd, c.typeID(number), c.arg(0), c.arg(1))
	n = c.cut(number, sum)
	return n, c.differ(n, sum)
}

func (c *callSite) borrow() (n, over id) {
	number := c.numberType()
	if !c.odd(number) {
		difference, borrowed := c.pairResult(spirv.OpISubBorrow, c.arg(0), c.arg(1))
		return difference, c.differ(borrowed, c.intConst(0, 0))
	}
	difference := c.emit(spirv.OpISub, c.typeID(number), c.arg(0), c.arg(1))
	n = c.cut(number, difference)
	return n, c.differ(n, difference)
}

func (c *callSite) unsignedProduct() (n, over id) {
	low, high := c.pairResult(spirv.OpUMulExtended, c.arg(0), c.arg(1))
	n = c.cut(c.numberType(), low)
	over = c.differ(high, c.intConst(0, 0))
	if c.odd(c.numberType()) {
		over = c.emit(spirv.OpLogicalOr, c.intLikeBool(c.numberType()), over, c.differ(low, n))
	}
	return n, over
}

func (c *callSite) signedProduct() (n, over id) {
	number := c.numberType()
	bits := c.heldBits(c.scalarBits(number))
	low, high := c.pairResult(spirv.OpSMulExtended, c.signedArg(0), c.signedArg(1))
	n = c.cut(number, low)
	sign := c.emit(spirv.OpShiftRightArithmetic, c.typeID(number), low, c.intConst(0, uint64(bits-1)))
	over = c.differ(high, sign)
	if c.odd(number) {
		over = c.emit(spirv.OpLogicalOr, c.intLikeBool(number), over, c.differ(c.signExtended(number, n), low))
	}
	return n, over
}

// signedOverflow writes a signed sum or difference and whether its sign is
// wrong.
func (c *callSite) signedOverflow(op spirv.Opcode) (n, over id) {
	number := c.numberType()
	element := c.typeID(number)
	a, b := c.signedArg(0), c.signedArg(1)
	whole := c.emit(op, element, a, b)
	if c.odd(number) {
		n = c.cut(number, whole)
		return n, c.differ(c.signExtended(number, n), whole)
	}
	x := c.emit(spirv.OpBitwiseXor, element, a, whole)
	other := whole
	if op == spirv.OpISub {
		other = a
	}
	y := c.emit(spirv.OpBitwiseXor, element, b, other)
	both := c.emit(spirv.OpBitwiseAnd, element, x, y)
	return whole, c.emit(spirv.OpSLessThan, c.intLikeBool(number), both, c.intConst(0, 0))
}

// saturate writes a conversion of floating-point numbers to the nearest
// integer of its type; NaN becomes 0.
func (c *callSite) saturate(op spirv.Opcode) {
	if c.isBool(c.in.Type) {
		whole, zero := c.intLikeType(c.in.Type, 32), c.integerLike(c.in.Type, 32)(0)
		n := c.emit(op, whole, c.arg(0))
		c.b.decorate(n, decSaturated)
		test := spirv.OpSLessThan // -1 or less
		if op == spirv.OpConvertFToU {
			test = spirv.OpINotEqual
		}
		c.done(c.emit(test, c.typ, n, zero))
		return
	}
	n := c.emit(op, c.typ, c.arg(0))
	c.b.decorate(n, decSaturated)
	c.done(c.clamped(c.in.Type, n, op == spirv.OpConvertFToS))
}

// threeWay writes scmp and ucmp: -1, 0 or 1.
func (c *callSite) threeWay(signed bool) {
	number := c.numberType()
	truth := c.intLikeBool(number)
	a, b := c.arg(0), c.arg(1)
	less, greater := spirv.OpULessThan, spirv.OpUGreaterThan
	var down, up id
	switch {
	case c.isBool(number):
		down = c.emit(spirv.OpLogicalAnd, truth, c.emit(spirv.OpLogicalNot, truth, a), b)
		up = c.emit(spirv.OpLogicalAnd, truth, a, c.emit(spirv.OpLogicalNot, truth, b))
		if signed {
			down, up = up, down
		}
	case signed:
		less, greater = spirv.OpSLessThan, spirv.OpSGreaterThan
		a, b = c.signExtended(number, a), c.signExtended(number, b)
		fallthrough
	default:
		down, up = c.emit(less, truth, a, b), c.emit(greater, truth, a, b)
	}
	bits := c.scalarBits(c.in.Type)
	n := c.emit(spirv.OpSelect, c.typ, up, c.splat(c.in.Type, 1), c.splat(c.in.Type, 0))
	c.done(c.emit(spirv.OpSelect, c.typ, down, c.splat(c.in.Type, allOnes(bits)), n))
}

// reduce folds the elements of a vector.
func (c *callSite) reduce(fold func(a, b id) id) { c.done(c.folded(c.arg(0), fold)) }

func (c *callSite) folded(vector id, fold func(a, b id) id) id {
	if c.function.typ(c.numberType()).Length == 1 {
		return vector
	}
	sum := c.emit(spirv.OpCompositeExtract, c.typ, vector, 0)
	for k := uint64(1); k < c.function.typ(c.numberType()).Length; k++ {
		sum = fold(sum, c.emit(spirv.OpCompositeExtract, c.typ, vector, uint32(k)))
	}
	return sum
}

func (c *callSite) reduceIntegers(op, ofBools spirv.Opcode) {
	if c.isBool(c.numberType()) {
		op = ofBools
	}
	c.done(c.cut(c.in.Type, c.folded(c.arg(0), func(a, b id) id { return c.emit(op, c.typ, a, b) })))
}

func (c *callSite) reduceExtremum(instruction string, signed bool, ofBools spirv.Opcode) {
	if c.isBool(c.numberType()) {
		c.reduceIntegers(ofBools, ofBools)
		return
	}
	fold := func(a, b id) id { return c.extInst(instruction, a, b) }
	if signed {
		c.done(c.cut(c.in.Type, c.folded(c.signedArg(0), fold)))
		return
	}
	c.done(c.folded(c.arg(0), fold))
}
