package hostdev

import (
	"offlink/lazy"
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// Questions about the bits of a number: classes of floats, and counts and orders of the bits
// of integers; any and all of a vector.

func registerBitLowerers() {
	lowerers.register(func() map[spirv.Opcode]func(*lowering, *spirv.Instruction) {
		table := map[spirv.Opcode]func(*lowering, *spirv.Instruction){
			spirv.OpAny: func(l *lowering, in *spirv.Instruction) { l.lowerReduction(in, lanes.OpOr) },
			spirv.OpAll: func(l *lowering, in *spirv.Instruction) { l.lowerReduction(in, lanes.OpAnd) },
		}
		for op, test := range classTests.Get() {
			table[op] = func(l *lowering, in *spirv.Instruction) {
				l.lower1(in, func(l *lowering, x *lanes.Value, w, _ word) *lanes.Value { return test(l.floatBits(x, w)) })
			}
		}
		for op, f := range lowerBits.Get() {
			table[op] = func(l *lowering, in *spirv.Instruction) { l.lower1(in, f) }
		}
		return table
	})
}

// lowerReduction joins the components of a vector of bool.
func (l *lowering) lowerReduction(in *spirv.Instruction, op lanes.Op) {
	words := l.spell(l.arg(in, 0)).words
	r := words[0]
	for _, w := range words[1:] {
		r = l.b.Add(op, lanes.Bool, r, w)
	}
	l.define(in, []*lanes.Value{r})
}

// floatBits is the bits of a float with the masks of its parts.
type floatBits struct {
	l              *lowering
	bits           *lanes.Value
	sign, exponent uint64
	least          uint64 // the bits of the least normal number
}

func (l *lowering) floatBits(x *lanes.Value, w word) floatBits {
	f := floatBits{l: l, bits: x, sign: 1 << (w.width - 1)}
	switch w.width {
	case 16: // halves are in words of integers
		f.exponent, f.least = 0x7c00, 1<<10
	case 32:
		f.bits, f.exponent, f.least = l.b.Add(lanes.OpCast, lanes.I32, x), 0x7f800000, 1<<23
	case 64:
		f.bits, f.exponent, f.least = l.b.Add(lanes.OpCast, lanes.I64, x), 0x7ff<<52, 1<<52
	}
	return f
}

// test compares the bits without the sign, less an offset, with a number.
func (f floatBits) test(op lanes.Op, less, with uint64) *lanes.Value {
	b, k := f.l.b, f.bits.Kind
	v := b.Add(lanes.OpAnd, k, f.bits, f.l.f.Const(k, f.sign-1))
	if less != 0 {
		v = b.Add(lanes.OpSub, k, v, f.l.f.Const(k, less))
	}
	return b.Add(op, lanes.Bool, v, f.l.f.Const(k, with))
}

// classTests are the questions about a float. A number is normal if its exponent is neither
// the least nor the largest one, which one comparison of unsigned numbers finds.
var classTests = lazy.Map[spirv.Opcode, func(f floatBits) *lanes.Value]{New: func() map[spirv.Opcode]func(f floatBits) *lanes.Value {
	return map[spirv.Opcode]func(f floatBits) *lanes.Value{
		spirv.OpIsInf:    func(f floatBits) *lanes.Value { return f.test(lanes.OpEq, 0, f.exponent) },
		spirv.OpIsFinite: func(f floatBits) *lanes.Value { return f.test(lanes.OpULt, 0, f.exponent) },
		spirv.OpIsNormal: func(f floatBits) *lanes.Value { return f.test(lanes.OpULt, f.least, f.exponent-f.least) },
		spirv.OpSignBitSet: func(f floatBits) *lanes.Value {
			k := f.bits.Kind
			return f.l.b.Add(lanes.OpNe, lanes.Bool, f.l.b.Add(lanes.OpAnd, k, f.bits, f.l.f.Const(k, f.sign)), f.l.f.Const(k, 0))
		},
	}
}}

var lowerBits = lazy.Map[spirv.Opcode, lowerWords1]{New: func() map[spirv.Opcode]lowerWords1 {
	return map[spirv.Opcode]lowerWords1{
		spirv.OpBitCount: func(l *lowering, x *lanes.Value, _, to word) *lanes.Value {
			return l.resized(l.b.Add(lanes.OpPopcnt, x.Kind, x), to)
		},
		spirv.OpBitReverse: func(l *lowering, x *lanes.Value, w, _ word) *lanes.Value { return l.reversed(x, w.width) },
	}
}}

// reversed swaps neighbours of 1, 2, 4 and more bits; a number narrower than its
// word comes down by a shift.
func (l *lowering) reversed(x *lanes.Value, width int) *lanes.Value {
	b, k, bits := l.b, x.Kind, 32
	if k == lanes.I64 {
		bits = 64
	}
	masks := []uint64{0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f, 0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff}
	for i := 0; 1<<i < bits; i++ {
		m, n := l.f.Const(k, masks[i]&mask(bits)), l.f.Const(k, 1<<i)
		down := b.Add(lanes.OpAnd, k, b.Add(lanes.OpLShr, k, x, n), m)
		x = b.Add(lanes.OpOr, k, down, b.Add(lanes.OpShl, k, b.Add(lanes.OpAnd, k, x, m), n))
	}
	if width < bits {
		x = b.Add(lanes.OpLShr, k, x, l.f.Const(k, uint64(bits-width)))
	}
	return x
}
