package hostdev

import (
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// Conversions of floats to integers. The form has them to 32 and 64 bits, saturating.

// lowerTruncations are the conversions by whether the result is saturated.
var lowerTruncations = map[spirv.Opcode]func(saturated bool) lowerWords1{
	spirv.OpConvertFToS: func(saturated bool) lowerWords1 {
		if saturated {
			return onHalves1((*lowering).saturateSigned)
		}
		return onHalves1((*lowering).truncateSigned)
	},
	spirv.OpConvertFToU: func(saturated bool) lowerWords1 {
		if saturated {
			return onHalves1((*lowering).saturateUnsigned)
		}
		return onHalves1((*lowering).truncateUnsigned)
	},
}

// isLane tells whether the form has integers of the word's width.
func (w word) isLane() bool { return w.width == 32 || w.width == 64 }

// truncateSigned keeps the low bits of a larger integer (see [truncatedWidth]).
func (l *lowering) truncateSigned(x *lanes.Value, _, to word) *lanes.Value {
	return l.cut(l.b.Add(lanes.OpFToS, to.lane, x), to.width)
}

func (l *lowering) truncateUnsigned(x *lanes.Value, from, to word) *lanes.Value {
	if to.isLane() {
		return l.b.Add(lanes.OpFToU, to.lane, x)
	}
	return l.truncateSigned(x, from, to)
}

// saturateSigned limits narrower integers after the form's conversion.
func (l *lowering) saturateSigned(x *lanes.Value, _, to word) *lanes.Value {
	v := l.b.Add(lanes.OpFToS, to.lane, x)
	if to.isLane() {
		return v
	}
	limit := mask(to.width) >> 1
	v = l.choose(lanes.OpSLt, v, l.f.Const(v.Kind, limit))
	return l.cut(l.choose(lanes.OpSLt, l.f.Const(v.Kind, ^limit), v, true), to.width)
}

func (l *lowering) saturateUnsigned(x *lanes.Value, _, to word) *lanes.Value {
	v := l.b.Add(lanes.OpFToU, to.lane, x)
	if to.isLane() {
		return v
	}
	return l.choose(lanes.OpULt, v, l.f.Const(v.Kind, mask(to.width)))
}
