package hostdev

import (
	"math/bits"

	"offlink/lazy"
	"offlink/spirv"
)

// Operations on integers. A row gives the operation for a width, which is 1 to
// 64 bits: the widths of OpenCL C, and those that optimizers make of vectors of
// booleans and of byte-wise loads. Operands and results are zero-extended
// words. Division by zero gives 0 and its remainder the dividend; shift amounts
// are taken modulo the width. SPIR-V leaves both undefined, but this process
// must not panic.

type (
	unary   func(a uint64) uint64
	binary2 func(a, b uint64) uint64
)

type (
	unaryByWidth  func(width int) unary
	binaryByWidth func(width int) binary2
)

// lowBits makes a row from a 64-bit operation whose low bits depend only on the
// low bits of its operands.
func lowBits(f binary2) binaryByWidth {
	return func(width int) binary2 {
		switch width {
		case 8:
			return func(a, b uint64) uint64 { return uint64(uint8(f(a, b))) }
		case 16:
			return func(a, b uint64) uint64 { return uint64(uint16(f(a, b))) }
		case 32:
			return func(a, b uint64) uint64 { return uint64(uint32(f(a, b))) }
		case 64:
			return f
		}
		return func(a, b uint64) uint64 { return f(a, b) & mask(width) }
	}
}

// zeroExtended makes a row of an operation on zero-extended operands.
func zeroExtended(f func(a, b uint64, width int) uint64) binaryByWidth {
	return func(width int) binary2 {
		return func(a, b uint64) uint64 { return f(a, b, width) & mask(width) }
	}
}

// signExtended makes a row of an operation on sign-extended operands.
func signExtended(f func(a, b int64, width int) int64) binaryByWidth {
	return func(width int) binary2 {
		shift := 64 - width
		return func(a, b uint64) uint64 {
			return uint64(f(int64(a<<shift)>>shift, int64(b<<shift)>>shift, width)) & mask(width)
		}
	}
}

func signExtend(v uint64, width int) int64 {
	shift := 64 - width
	return int64(v<<shift) >> shift
}

var intBinary = lazy.Map[spirv.Opcode, binaryByWidth]{New: func() map[spirv.Opcode]binaryByWidth {
	return map[spirv.Opcode]binaryByWidth{
		spirv.OpIAdd:                 lowBits(func(a, b uint64) uint64 { return a + b }),
		spirv.OpISub:                 lowBits(func(a, b uint64) uint64 { return a - b }),
		spirv.OpIMul:                 lowBits(func(a, b uint64) uint64 { return a * b }),
		spirv.OpBitwiseAnd:           lowBits(func(a, b uint64) uint64 { return a & b }),
		spirv.OpBitwiseOr:            lowBits(func(a, b uint64) uint64 { return a | b }),
		spirv.OpBitwiseXor:           lowBits(func(a, b uint64) uint64 { return a ^ b }),
		spirv.OpUDiv:                 zeroExtended(udiv),
		spirv.OpUMod:                 zeroExtended(umod),
		spirv.OpSDiv:                 signExtended(sdiv),
		spirv.OpSRem:                 signExtended(srem),
		spirv.OpSMod:                 signExtended(smod),
		spirv.OpShiftLeftLogical:     zeroExtended(func(a, b uint64, w int) uint64 { return a << (b % uint64(w)) }),
		spirv.OpShiftRightLogical:    zeroExtended(func(a, b uint64, w int) uint64 { return a >> (b % uint64(w)) }),
		spirv.OpShiftRightArithmetic: arithmeticShift,
	}
}}

// arithmeticShift takes its amount as a zero-extended number.
func arithmeticShift(width int) binary2 {
	return func(a, b uint64) uint64 { return uint64(signExtend(a, width)>>(b%uint64(width))) & mask(width) }
}

// divisionByZero is the message where an integer is divided by zero, which OpenCL C and SPIR-V leave
// undefined: a launch ends. The quotient of the least number and -1 is that number.
const divisionByZero = "division of an integer by zero"

// divisions are the instructions that divide integers.
var divisions = []spirv.Opcode{spirv.OpUDiv, spirv.OpSDiv, spirv.OpUMod, spirv.OpSRem, spirv.OpSMod}

// emitDivisorCheck makes the next instruction fault where a component of its divisor is zero.
func (b *builder) emitDivisorCheck(in *spirv.Instruction) {
	divisor := b.arg(in, 1)
	check := inst{step: stepRefuseZero}
	for i := range int32(divisor.t.words) {
		check.list = append(check.list, divisor.at+i)
	}
	b.emit(check)
}

// stepRefuseZero faults where a word of inst.list is zero.
func stepRefuseZero(it *item, in *inst) status {
	for _, word := range in.list {
		if it.s[word] == 0 {
			return it.failf(divisionByZero)
		}
	}
	return running
}

func udiv(a, b uint64, _ int) uint64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func umod(a, b uint64, _ int) uint64 {
	if b == 0 {
		return a
	}
	return a % b
}

// sdiv divides; the quotient of the least number and -1 wraps to that number.
func sdiv(a, b int64, _ int) int64 {
	switch b {
	case 0:
		return 0
	case -1:
		return -a
	}
	return a / b
}

func srem(a, b int64, _ int) int64 {
	switch b {
	case 0:
		return a
	case -1:
		return 0
	}
	return a % b
}

// smod has the sign of the divisor.
func smod(a, b int64, w int) int64 {
	r := srem(a, b, w)
	if b != 0 && r != 0 && (r < 0) != (b < 0) {
		r += b
	}
	return r
}

var intCompare = lazy.Map[spirv.Opcode, binaryByWidth]{New: func() map[spirv.Opcode]binaryByWidth {
	return map[spirv.Opcode]binaryByWidth{
		spirv.OpIEqual:            compareUnsigned(func(a, b uint64) bool { return a == b }),
		spirv.OpINotEqual:         compareUnsigned(func(a, b uint64) bool { return a != b }),
		spirv.OpULessThan:         compareUnsigned(func(a, b uint64) bool { return a < b }),
		spirv.OpULessThanEqual:    compareUnsigned(func(a, b uint64) bool { return a <= b }),
		spirv.OpUGreaterThan:      compareUnsigned(func(a, b uint64) bool { return a > b }),
		spirv.OpUGreaterThanEqual: compareUnsigned(func(a, b uint64) bool { return a >= b }),
		spirv.OpSLessThan:         compareSigned(func(a, b int64) bool { return a < b }),
		spirv.OpSLessThanEqual:    compareSigned(func(a, b int64) bool { return a <= b }),
		spirv.OpSGreaterThan:      compareSigned(func(a, b int64) bool { return a > b }),
		spirv.OpSGreaterThanEqual: compareSigned(func(a, b int64) bool { return a >= b }),
	}
}}

func compareUnsigned(f func(a, b uint64) bool) binaryByWidth {
	g := func(a, b uint64) uint64 { return boolWord(f(a, b)) }
	return func(int) binary2 { return g }
}

func compareSigned(f func(a, b int64) bool) binaryByWidth {
	return func(width int) binary2 {
		shift := 64 - width
		return func(a, b uint64) uint64 { return boolWord(f(int64(a<<shift), int64(b<<shift))) }
	}
}

var intUnary = lazy.Map[spirv.Opcode, unaryByWidth]{New: func() map[spirv.Opcode]unaryByWidth {
	return map[spirv.Opcode]unaryByWidth{
		spirv.OpSNegate:    eachWidth(func(a uint64, _ int) uint64 { return -a }),
		spirv.OpNot:        eachWidth(func(a uint64, _ int) uint64 { return ^a }),
		spirv.OpBitReverse: eachWidth(func(a uint64, w int) uint64 { return bits.Reverse64(a) >> (64 - w) }),
		spirv.OpBitCount:   eachWidth(func(a uint64, _ int) uint64 { return uint64(bits.OnesCount64(a)) }),
	}
}}

func eachWidth(f func(a uint64, width int) uint64) unaryByWidth {
	return func(width int) unary {
		return func(a uint64) uint64 { return f(a, width) & mask(width) }
	}
}

// wide are the operations whose result is a struct of two values: low and
// high, sum and carry.
var wide = lazy.Map[spirv.Opcode, func(a, b uint64, width int) (low, high uint64)]{New: func() map[spirv.Opcode]func(a, b uint64, width int) (low, high uint64) {
	return map[spirv.Opcode]func(a, b uint64, width int) (low, high uint64){
		spirv.OpIAddCarry: func(a, b uint64, w int) (uint64, uint64) {
			sum, carry := bits.Add64(a, b, 0)
			if w < 64 { // operands of fewer bits carry into the bit above them
				carry = sum >> w
			}
			return sum, carry
		},
		spirv.OpISubBorrow: func(a, b uint64, _ int) (uint64, uint64) { return a - b, boolWord(a < b) },
		spirv.OpUMulExtended: func(a, b uint64, w int) (uint64, uint64) {
			return a * b, mulHighUnsigned(a, b, w)
		},
		spirv.OpSMulExtended: func(a, b uint64, w int) (uint64, uint64) {
			return uint64(signExtend(a, w) * signExtend(b, w)), mulHighSigned(a, b, w)
		},
	}
}}

// mulHighSigned is the upper half of a signed product: that of the unsigned product, less
// the other operand for each one that is negative.
func mulHighSigned(a, b uint64, width int) uint64 {
	a, b = uint64(signExtend(a, width)), uint64(signExtend(b, width))
	high, low := bits.Mul64(a, b)
	if int64(a) < 0 {
		high -= b
	}
	if int64(b) < 0 {
		high -= a
	}
	return (high<<(64-width) | low>>width) & mask(width)
}

// mulHighUnsigned is the upper half of an unsigned product.
func mulHighUnsigned(a, b uint64, width int) uint64 {
	high, low := bits.Mul64(a, b)
	return (high<<(64-width) | low>>width) & mask(width)
}

var (
	intMin  = signExtended(func(a, b int64, _ int) int64 { return min(a, b) })
	intMax  = signExtended(func(a, b int64, _ int) int64 { return max(a, b) })
	uintMin = zeroExtended(func(a, b uint64, _ int) uint64 { return min(a, b) })
	uintMax = zeroExtended(func(a, b uint64, _ int) uint64 { return max(a, b) })
)
