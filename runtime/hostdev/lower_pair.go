package hostdev

import (
	"offlink/lazy"
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// Instructions of integers with two results, which are a struct: sum and carry, and the
// halves of a product; and the remainder with the sign of the divisor.

func registerPairLowerers() {
	lowerers.register(func() map[spirv.Opcode]func(*lowering, *spirv.Instruction) {
		table := map[spirv.Opcode]func(*lowering, *spirv.Instruction){
			spirv.OpSMod: func(l *lowering, in *spirv.Instruction) { l.lower2(in, divides(floorRemainder)) },
		}
		for op, f := range lowerPairs.Get() {
			table[op] = func(l *lowering, in *spirv.Instruction) { l.lowerPair(in, f) }
		}
		return table
	})
}

// pairWords lowers one component.
type pairWords func(l *lowering, x, y *lanes.Value, w word) (low, high *lanes.Value)

var lowerPairs = lazy.Map[spirv.Opcode, pairWords]{New: func() map[spirv.Opcode]pairWords {
	return map[spirv.Opcode]pairWords{
		spirv.OpIAddCarry: func(l *lowering, x, y *lanes.Value, w word) (sum, carry *lanes.Value) {
			sum = l.cut(l.b.Add(lanes.OpAdd, x.Kind, x, y), w.width)
			return sum, l.oneOrZero(x.Kind, l.b.Add(lanes.OpULt, lanes.Bool, sum, x))
		},
		spirv.OpISubBorrow: func(l *lowering, x, y *lanes.Value, w word) (difference, borrow *lanes.Value) {
			difference = l.cut(l.b.Add(lanes.OpSub, x.Kind, x, y), w.width)
			return difference, l.oneOrZero(x.Kind, l.b.Add(lanes.OpULt, lanes.Bool, x, y))
		},
		spirv.OpUMulExtended: func(l *lowering, x, y *lanes.Value, w word) (low, high *lanes.Value) {
			if w.width <= 32 {
				return l.halves(l.b.Add(lanes.OpZExt, lanes.I64, x), l.b.Add(lanes.OpZExt, lanes.I64, y), w)
			}
			return l.b.Add(lanes.OpMul, x.Kind, x, y), l.highProduct(x, y)
		},
		spirv.OpSMulExtended: func(l *lowering, x, y *lanes.Value, w word) (low, high *lanes.Value) {
			b := l.b
			if w.width <= 32 {
				return l.halves(b.Add(lanes.OpSExt, lanes.I64, l.signed(x, w.width)), b.Add(lanes.OpSExt, lanes.I64, l.signed(y, w.width)), w)
			}
			zero := l.f.Const(x.Kind, 0)
			high = l.highProduct(x, y)
			for _, of := range [][2]*lanes.Value{{x, y}, {y, x}} {
				less := b.Add(lanes.OpSelect, x.Kind, b.Add(lanes.OpSLt, lanes.Bool, of[0], zero), of[1], zero)
				high = b.Add(lanes.OpSub, x.Kind, high, less)
			}
			return b.Add(lanes.OpMul, x.Kind, x, y), high
		},
	}
}}

// lowerPair gives first the first result of all components, as the struct has them. The carry
// may be a Boolean: SPIR-V does not allow that, but llvm-spirv of 2024 and earlier writes it.
func (l *lowering) lowerPair(in *spirv.Instruction, f pairWords) {
	x, y := l.spell(l.arg(in, 0)), l.spell(l.arg(in, 1))
	results := wordsOf(l.typeOf(in.Type()))
	flag := results[len(results)-1].kind == kindBool
	var first, second []*lanes.Value
	for i, w := range wordsOf(x.t) {
		if w.width > 32 && w.width != 64 {
			l.lowerPure(in)
			return
		}
		a, b := f(l, x.words[i], y.words[i], w)
		if flag {
			b = l.b.Add(lanes.OpNe, lanes.Bool, b, l.f.Const(b.Kind, 0))
		}
		first, second = append(first, a), append(second, b)
	}
	l.define(in, append(first, second...))
}

// oneOrZero is 1 or 0.
func (l *lowering) oneOrZero(k lanes.Kind, is *lanes.Value) *lanes.Value {
	return l.b.Add(lanes.OpSelect, k, is, l.f.Const(k, 1), l.f.Const(k, 0))
}

// halves takes the product of numbers that were extended to 64 bits apart.
func (l *lowering) halves(x, y *lanes.Value, w word) (low, high *lanes.Value) {
	p := l.b.Add(lanes.OpMul, lanes.I64, x, y)
	return l.resized(p, w), l.resized(l.b.Add(lanes.OpLShr, lanes.I64, p, l.f.Const(lanes.I64, uint64(w.width))), w)
}

// highProduct is the upper half of the unsigned product of numbers of 64 bits, by the four
// products of their halves.
func (l *lowering) highProduct(x, y *lanes.Value) *lanes.Value {
	b, k := l.b, lanes.I64
	lower := func(v *lanes.Value) *lanes.Value { return b.Add(lanes.OpAnd, k, v, l.f.Const(k, 0xffffffff)) }
	upper := func(v *lanes.Value) *lanes.Value { return b.Add(lanes.OpLShr, k, v, l.f.Const(k, 32)) }
	mul := func(a, c *lanes.Value) *lanes.Value { return b.Add(lanes.OpMul, k, a, c) }
	add := func(a, c *lanes.Value) *lanes.Value { return b.Add(lanes.OpAdd, k, a, c) }
	x0, x1, y0, y1 := lower(x), upper(x), lower(y), upper(y)
	middle := add(mul(x1, y0), upper(mul(x0, y0)))
	other := add(mul(x0, y1), lower(middle))
	return add(add(mul(x1, y1), upper(middle)), upper(other))
}

// floorRemainder has the sign of the divisor.
func floorRemainder(l *lowering, x, y *lanes.Value, w word) *lanes.Value {
	b, k, zero := l.b, x.Kind, l.f.Const(x.Kind, 0)
	y = l.signed(y, w.width)
	r := b.Add(lanes.OpSRem, k, l.signed(x, w.width), y)
	differ := b.Add(lanes.OpSLt, lanes.Bool, b.Add(lanes.OpXor, k, r, y), zero)
	moves := b.Add(lanes.OpAnd, lanes.Bool, differ, b.Add(lanes.OpNe, lanes.Bool, r, zero))
	// A divisor of 0 leaves the remainder as it is: y is added in vain.
	return l.cut(b.Add(lanes.OpSelect, k, moves, b.Add(lanes.OpAdd, k, r, y), r), w.width)
}
