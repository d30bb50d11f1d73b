package hostdev

import (
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// Arguments by value. A parameter that is decorated FuncParamAttr ByVal is a
// pointer to the caller's value, which the function may change without the caller
// seeing it: each call copies. The argument of a kernel is a copy already, and
// no function calls an entry point.

// isCopied tells whether a function has its own copy of a parameter's value.
func (p *program) isCopied(f *spirv.Function, param *spirv.Instruction) bool {
	return p.isByVal(param.Result()) && !p.entryPoints[f.ID()]
}

// declareCopy makes a variable of the function for the value of a parameter, and
// copies it at the start.
func (b *builder) declareCopy(param *spirv.Instruction) {
	v := b.values[param.Result()]
	if v.t.kind != kindPointer || !v.t.elem.isValue() || v.t.elem.size > maxPrivate {
		b.refuse("a parameter by value that is not a pointer to a value that private memory holds")
	}
	own := b.define(param.Result(), v.t)
	b.addPrivate(param.Result(), v.t.elem)
	size := b.constant([]uint64{uint64(v.t.elem.size)})
	if b.checked {
		b.checkCopy(own.at, v.at, size)
	}
	b.emit(inst{step: stepCopyMemory, a: own.at, b: v.at, c: size})
	if b.checked {
		b.emit(inst{step: stepCopyAfter, a: own.at, b: v.at, c: size})
	}
}

// copyArgument is the copy of an argument in compiled code: a variable of the
// kernel, as the function is put in the place of the call.
func (l *lowering) copyArgument(v lowered) lowered {
	t := v.t.elem
	own := lowered{t: v.t, place: &place{v: l.newVariable(t)}}
	if t.words > maxLoweredWords {
		l.copyLong(own, v, lowered{words: []*lanes.Value{l.i32(t.size)}})
	} else {
		l.copyValue(own, v, t)
	}
	return own
}
