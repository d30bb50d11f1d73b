package hostdev

import (
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// Dot products of bytes whose result has 32 bits; the others are the
// interpreter's (emit_dot.go).

func registerDotLowerers() {
	lowerers.register(func() map[spirv.Opcode]func(*lowering, *spirv.Instruction) {
		return map[spirv.Opcode]func(*lowering, *spirv.Instruction){
			spirv.OpSDot: integerDotLowerer(true, true, false), spirv.OpSDotAccSat: integerDotLowerer(true, true, true),
			spirv.OpUDot: integerDotLowerer(false, false, false), spirv.OpUDotAccSat: integerDotLowerer(false, false, true),
			spirv.OpSUDot: integerDotLowerer(true, false, false), spirv.OpSUDotAccSat: integerDotLowerer(true, false, true),
		}
	})
}

// integerDotLowerer sums in 32 bits, which hold the products of four bytes with any signs.
func integerDotLowerer(signX, signY, accumulate bool) func(*lowering, *spirv.Instruction) {
	return func(l *lowering, in *spirv.Instruction) {
		x, y := l.byteElements(l.arg(in, 0), signX), l.byteElements(l.arg(in, 1), signY)
		if x == nil || l.typeOf(in.Type()).width != 32 {
			l.lowerPure(in)
			return
		}
		sum := l.i32(0)
		for i := range x {
			sum = l.b.Add(lanes.OpAdd, lanes.I32, sum, l.b.Add(lanes.OpMul, lanes.I32, x[i], y[i]))
		}
		if accumulate {
			sum = l.saturatedSum(sum, l.arg(in, 2).words[0], signX || signY)
		}
		l.define(in, []*lanes.Value{sum})
	}
}

// byteElements are the bytes of a vector or of a packed number, with their
// signs; nil for other elements.
func (l *lowering) byteElements(v lowered, sign bool) (list []*lanes.Value) {
	packed := v.t.kind == kindInt
	if !packed && v.t.scalar().width != 8 {
		return nil
	}
	for i := range 4 {
		if packed {
			part := l.b.Add(lanes.OpLShr, lanes.I32, v.words[0], l.i32(int64(8*i)))
			list = append(list, l.cut(part, 8))
		} else if i < len(v.words) {
			list = append(list, v.words[i])
		}
	}
	if !packed && len(v.words) > len(list) {
		return nil
	}
	for i, b := range list {
		if sign {
			list[i] = l.signed(b, 8)
		}
	}
	return list
}

// saturatedSum adds in 64 bits, where nothing overflows, and limits the sum to 32.
func (l *lowering) saturatedSum(x, y *lanes.Value, sign bool) *lanes.Value {
	extend, less := lanes.OpZExt, lanes.OpULt
	least, most := uint64(0), uint64(1<<32-1)
	if sign {
		extend, less = lanes.OpSExt, lanes.OpSLt
		least, most = ^uint64(1<<31-1), 1<<31-1
	}
	b := l.b
	sum := b.Add(lanes.OpAdd, lanes.I64, b.Add(extend, lanes.I64, x), b.Add(extend, lanes.I64, y))
	low, high := l.f.Const(lanes.I64, least), l.f.Const(lanes.I64, most)
	sum = b.Add(lanes.OpSelect, lanes.I64, b.Add(less, lanes.Bool, high, sum), high, sum)
	return b.Add(lanes.OpSelect, lanes.I64, b.Add(less, lanes.Bool, sum, low), low, sum).Low()
}
