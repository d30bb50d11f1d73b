package hostdev

import (
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// Conversions of floats to integers. The form has them to 32 and 64 bits, saturating.

// lowerTruncation lowers a conversion whose result is saturated or not; it is nil for other
// operations.
func lowerTruncation(op spirv.Opcode, saturated bool) lowerWords1 {
	switch {
	case op == spirv.OpConvertFToS && saturated:
		return onHalves1((*lowering).saturateSigned)
	case op == spirv.OpConvertFToS:
		return onHalves1((*lowering).truncateSigned)
	case op == spirv.OpConvertFToU && saturated:
		return onHalves1((*lowering).saturateUnsigned)
	case op == spirv.OpConvertFToU:
		return onHalves1((*lowering).truncateUnsigned)
	}
	return nil
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
