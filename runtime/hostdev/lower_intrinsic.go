package hostdev

import (
	"offlink/lazy"
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// LLVM's intrinsics that the form has; the others are called, see
// intrinsic.go.

// sameIntrinsics are those that OpenCL.std has under another name.
var sameIntrinsics = lazy.Map[string, string]{New: func() map[string]string {
	return map[string]string{
		"smin": "s_min", "smax": "s_max", "umin": "u_min", "umax": "u_max", "abs": "s_abs",
		"ctlz": "clz", "cttz": "ctz", "ctpop": "popcount",
	}
}}

// lowerIntrinsic lowers a call of an intrinsic. Arguments after the operands, which make
// some results undefined, are cut off.
func (l *lowering) lowerIntrinsic(in *spirv.Instruction, name string) {
	base := intrinsicBase(name)
	ids := in.Words[3:]
	switch base {
	case "fshl", "fshr":
		l.lowerFunnel(in, ids, base == "fshl")
		return
	}
	same := sameIntrinsics.Get()[base]
	switch {
	case same == "":
	case stdLower1.Get()[same] != nil && l.lowerStd(in, same, ids[:1]):
		return
	case stdLower2.Get()[same] != nil && l.lowerStd(in, same, ids[:2]):
		return
	}
	l.lowerPure(in)
}

// lowerFunnel shifts two integers that are joined side by side, by an amount modulo
// the width.
func (l *lowering) lowerFunnel(in *spirv.Instruction, ids []uint32, left bool) {
	high, low, amount := l.value(spirv.ID(ids[0])), l.value(spirv.ID(ids[1])), l.value(spirv.ID(ids[2]))
	width := high.t.scalar().width
	if width != 32 && width != 64 {
		l.lowerPure(in)
		return
	}
	var words []*lanes.Value
	for i, x := range high.words {
		words = append(words, l.funnel(x, low.words[i], amount.words[i], uint64(width-1), left))
	}
	l.define(in, words)
}

// funnel shifts the other half in two steps, as its whole amount may be the
// width.
func (l *lowering) funnel(x, y, n *lanes.Value, most uint64, left bool) *lanes.Value {
	b, k := l.b, x.Kind
	n = b.Add(lanes.OpAnd, k, n, l.f.Const(k, most))
	rest := b.Add(lanes.OpSub, k, l.f.Const(k, most), n)
	one := l.f.Const(k, 1)
	if left {
		y = b.Add(lanes.OpLShr, k, b.Add(lanes.OpLShr, k, y, one), rest)
		return b.Add(lanes.OpOr, k, b.Add(lanes.OpShl, k, x, n), y)
	}
	x = b.Add(lanes.OpShl, k, b.Add(lanes.OpShl, k, x, one), rest)
	return b.Add(lanes.OpOr, k, x, b.Add(lanes.OpLShr, k, y, n))
}
