package hostdev

import (
	"strings"

	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// Halves: a word of 32 bits with the bits of a half. Operations are done on
// floats of 32 bits and rounded, as the interpreter does: 24 bits of significand are
// two more than twice those of a half, so that sums, products, quotients and
// roots are rounded as if once.

// floatWord is a float of 32 bits.
var floatWord = word{kind: kindFloat, width: 32, lane: lanes.F32}

func (w word) isHalf() bool { return w.kind == kindFloat && w.width == 16 }

// onHalves1 lets an operation on floats serve halves.
func onHalves1(f lowerWords1) lowerWords1 {
	return func(l *lowering, x *lanes.Value, from, to word) *lanes.Value {
		if !from.isHalf() {
			return f(l, x, from, to)
		}
		if !to.isHalf() {
			return f(l, l.fromHalf(x), floatWord, to)
		}
		return l.toHalf(f(l, l.fromHalf(x), floatWord, floatWord))
	}
}

// onHalves2 is for two operands; comparisons give no half.
func onHalves2(f lowerWords2) lowerWords2 {
	return func(l *lowering, x, y *lanes.Value, w word) *lanes.Value {
		if !w.isHalf() {
			return f(l, x, y, w)
		}
		r := f(l, l.fromHalf(x), l.fromHalf(y), floatWord)
		if r == nil || r.Kind == lanes.Bool {
			return r
		}
		return l.toHalf(r)
	}
}

// fromHalf widens a half, exactly: the bits moved to their places are the number
// times 2^-112, denormals too.
func (l *lowering) fromHalf(h *lanes.Value) *lanes.Value {
	b := l.b
	add := func(op lanes.Op, x *lanes.Value, n uint64) *lanes.Value {
		return b.Add(op, lanes.I32, x, l.f.Const(lanes.I32, n))
	}
	size := add(lanes.OpAnd, h, 0x7fff)
	sign := add(lanes.OpShl, add(lanes.OpAnd, h, 0x8000), 16)
	moved := add(lanes.OpShl, size, 13)
	number := b.Add(lanes.OpFMul, lanes.F32, b.Add(lanes.OpCast, lanes.F32, moved), l.f.Const(lanes.F32, bits32(0x1p112)))
	finite := b.Add(lanes.OpULt, lanes.Bool, size, l.f.Const(lanes.I32, 0x7c00))
	bits := b.Add(lanes.OpSelect, lanes.I32, finite, b.Add(lanes.OpCast, lanes.I32, number), add(lanes.OpOr, moved, 0x7f800000))
	return b.Add(lanes.OpCast, lanes.F32, b.Add(lanes.OpOr, lanes.I32, bits, sign))
}

// toHalf rounds to the nearest half, ties to even.
func (l *lowering) toHalf(f *lanes.Value) *lanes.Value {
	b := l.b
	add := func(op lanes.Op, x *lanes.Value, n uint64) *lanes.Value {
		return b.Add(op, lanes.I32, x, l.f.Const(lanes.I32, n))
	}
	under := func(x *lanes.Value, n uint64) *lanes.Value {
		return b.Add(lanes.OpULt, lanes.Bool, x, l.f.Const(lanes.I32, n))
	}
	bits := b.Add(lanes.OpCast, lanes.I32, f)
	size := add(lanes.OpAnd, bits, 0x7fffffff)
	sign := add(lanes.OpAnd, add(lanes.OpLShr, bits, 16), 0x8000)

	// Half of the last place less one, and one more for an odd number; the
	// exponent's bias goes from 127 to 15.
	odd := add(lanes.OpAnd, add(lanes.OpLShr, size, 13), 1)
	normal := add(lanes.OpLShr, b.Add(lanes.OpAdd, lanes.I32, add(lanes.OpAdd, size, 1<<32+0xfff-112<<23), odd), 13)
	// Added to a half, a number keeps its multiple of 2^-24.
	sum := b.Add(lanes.OpFAdd, lanes.F32, b.Add(lanes.OpCast, lanes.F32, size), l.f.Const(lanes.F32, bits32(0.5)))
	denormal := add(lanes.OpSub, b.Add(lanes.OpCast, lanes.I32, sum), bits32(0.5))
	nan := add(lanes.OpOr, add(lanes.OpAnd, add(lanes.OpLShr, size, 13), 0x3ff), 0x7e00)

	r := b.Add(lanes.OpSelect, lanes.I32, under(size, 0x38800000), denormal, normal)
	r = b.Add(lanes.OpSelect, lanes.I32, under(size, 0x477ff000), r, l.f.Const(lanes.I32, 0x7c00)) // 65520 and more
	r = b.Add(lanes.OpSelect, lanes.I32, under(size, 0x7f800001), r, nan)
	return b.Add(lanes.OpOr, lanes.I32, r, sign)
}

// lowerHalfAccess lowers vload_half, vstore_half and their variants; false for
// roundings and types that are the interpreter's.
func (l *lowering) lowerHalfAccess(in *spirv.Instruction, name string, ids []uint32) bool {
	store, aligned := strings.HasPrefix(name, "vstore"), strings.HasPrefix(name, "vloada") || strings.HasPrefix(name, "vstorea")
	data := lowered{t: l.typeOf(in.Type())}
	if store {
		data, ids = l.value(spirv.ID(ids[0])), ids[1:]
		if len(ids) > 2 && ids[2] != uint32(roundEven) || data.t.scalar().width != 32 {
			return false
		}
	} else if data.t.scalar().width != 32 {
		return false
	}
	stride := data.t.words
	if aligned && stride == 3 {
		stride = 4
	}
	p := l.value(spirv.ID(ids[1]))
	p = l.plus(p, place{indexes: []scaled{{l.index(l.value(spirv.ID(ids[0]))), 2 * stride}}}, p.t)
	half := word{kind: kindFloat, width: 16, lane: lanes.I32}
	var words []*lanes.Value
	for i := range data.t.words {
		leaf := leaf{2 * i, 2, 16}
		if store {
			l.storeWord(p, leaf, half, l.toHalf(data.words[i]))
		} else {
			words = append(words, l.fromHalf(l.loadWord(p, leaf, half)))
		}
	}
	if !store {
		l.define(in, words)
	}
	return true
}
