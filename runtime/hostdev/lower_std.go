package hostdev

import (
	"offlink/lazy"
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// The instructions of OpenCL.std that the form has; the others are called.

func registerStdLowerer() {
	lowerers.register(func() map[spirv.Opcode]func(*lowering, *spirv.Instruction) {
		return map[spirv.Opcode]func(*lowering, *spirv.Instruction){spirv.OpExtInst: (*lowering).lowerExtInst}
	})
}

// std1 and std3 lower the words of floats of 32 and 64 bits, or of integers. They return
// nil for those that the form does not have.
type (
	std1 func(l *lowering, x *lanes.Value, w word) *lanes.Value
	std3 func(l *lowering, x, y, z *lanes.Value, w word) *lanes.Value
)

func (l *lowering) lowerExtInst(in *spirv.Instruction) {
	set := l.p.module.ExtInstSet(spirv.ID(in.Words[2]))
	if set != openCLStd {
		return // a set that code does not depend on: the build refuses others
	}
	name := spirv.ExtInstName(set, in.Words[3])
	ids := in.Words[4:]
	switch name {
	case "vloadn", "vstoren":
		l.lowerVectorAccess(in, name, ids)
		return
	case "vload_half", "vload_halfn", "vloada_halfn", "vstore_half", "vstore_halfn", "vstorea_halfn", "vstore_half_r", "vstore_halfn_r", "vstorea_halfn_r":
		if l.lowerHalfAccess(in, name, ids) {
			return
		}
	case "select":
		l.lowerStdSelect(in, ids)
		return
	}
	if !l.lowerStd(in, name, ids) && !l.lowerStdVector(in, name, ids) {
		l.lowerPure(in)
	}
}

// lowerStdVector lowers instructions of whole vectors, and tells whether it could.
func (l *lowering) lowerStdVector(in *spirv.Instruction, name string, ids []uint32) bool {
	f := stdVectors.Get()[name]
	if f == nil {
		return false
	}
	var args []lowered
	for _, id := range ids {
		args = append(args, l.spell(l.value(spirv.ID(id))))
	}
	words := f(l, args)
	if words != nil {
		l.define(in, words)
	}
	return words != nil
}

// lowerStd lowers by the tables, and tells whether it could.
func (l *lowering) lowerStd(in *spirv.Instruction, name string, ids []uint32) bool {
	if stdLower1.Get()[name] == nil && stdLower2.Get()[name] == nil && stdLower3.Get()[name] == nil {
		return false // its operands may be literals
	}
	var args []lowered
	for _, id := range ids {
		args = append(args, l.value(spirv.ID(id)))
	}
	var words []*lanes.Value
	for i, w := range wordsOf(l.typeOf(in.Type())) {
		var r *lanes.Value
		switch f1, f2, f3 := stdLower1.Get()[name], stdLower2.Get()[name], stdLower3.Get()[name]; {
		case f1 != nil && len(args) == 1 && args[0].words != nil:
			r = f1(l, args[0].words[i], w)
		case f2 != nil && len(args) == 2:
			r = f2(l, args[0].words[i], args[1].words[i], w)
		case f3 != nil && len(args) == 3:
			r = f3(l, args[0].words[i], args[1].words[i], args[2].words[i], w)
		}
		if r == nil {
			return false
		}
		words = append(words, r)
	}
	l.define(in, words)
	return true
}

// stdFloat1 is for functions that are exact or rounded once, so that all executors
// give the same bits. Halves are computed by the interpreter.
func stdFloat1(op lanes.Op) std1 {
	return func(l *lowering, x *lanes.Value, w word) *lanes.Value {
		if w.width < 32 {
			return nil
		}
		return l.b.Add(op, x.Kind, x)
	}
}

// stdLower1 has the functions of one operand. OpenCL allows native_ and half_
// functions to be less exact; here they are not, so that a kernel gives the same
// results in every executor.
var stdLower1 = lazy.Map[string, std1]{New: func() map[string]std1 {
	return map[string]std1{
		"fabs": stdFloat1(lanes.OpFAbs), "sqrt": stdFloat1(lanes.OpFSqrt), "floor": stdFloat1(lanes.OpFFloor),
		"ceil": stdFloat1(lanes.OpFCeil), "trunc": stdFloat1(lanes.OpFTrunc), "rint": stdFloat1(lanes.OpFNearest),
		"native_sqrt": stdFloat1(lanes.OpFSqrt), "half_sqrt": stdFloat1(lanes.OpFSqrt),
		"native_recip": stdReciprocal, "half_recip": stdReciprocal,
		"rsqrt": stdRsqrt, "native_rsqrt": stdRsqrt, "half_rsqrt": stdRsqrt,

		"s_abs": func(l *lowering, x *lanes.Value, w word) *lanes.Value {
			x = l.signed(x, w.width)
			negative := l.b.Add(lanes.OpSLt, lanes.Bool, x, l.f.Const(x.Kind, 0))
			minus := l.b.Add(lanes.OpSub, x.Kind, l.f.Const(x.Kind, 0), x)
			return l.cut(l.b.Add(lanes.OpSelect, x.Kind, negative, minus, x), w.width)
		},
		"u_abs": func(_ *lowering, x *lanes.Value, _ word) *lanes.Value { return x },
		"clz":   stdWhole(lanes.OpClz), "ctz": stdWhole(lanes.OpCtz),
		"popcount": func(l *lowering, x *lanes.Value, _ word) *lanes.Value { return l.b.Add(lanes.OpPopcnt, x.Kind, x) },
	}
}}

// stdWhole is for integers that fill 32 or 64 bits: in a narrower one the zeros
// above the number would count.
func stdWhole(op lanes.Op) std1 {
	return func(l *lowering, x *lanes.Value, w word) *lanes.Value {
		if w.width != 32 && w.width != 64 {
			return nil
		}
		return l.b.Add(op, x.Kind, x)
	}
}

// one is the float 1 of a kind.
func (l *lowering) one(k lanes.Kind) *lanes.Value {
	if k == lanes.F64 {
		return l.f.Const(k, bits64(1))
	}
	return l.f.Const(k, bits32(1))
}

// stdReciprocal is the quotient of 1, which is rounded once.
func stdReciprocal(l *lowering, x *lanes.Value, w word) *lanes.Value {
	if w.width < 32 {
		return nil
	}
	return l.b.Add(lanes.OpFDiv, x.Kind, l.one(x.Kind), x)
}

// stdRsqrt computes in double, as the interpreter does: two roundings of a float
// would give other bits than its one.
func stdRsqrt(l *lowering, x *lanes.Value, w word) *lanes.Value {
	switch w.width {
	case 32:
		wide := l.b.Add(lanes.OpFSqrt, lanes.F64, l.b.Add(lanes.OpFWiden, lanes.F64, x))
		return l.b.Add(lanes.OpFNarrow, lanes.F32, l.b.Add(lanes.OpFDiv, lanes.F64, l.one(lanes.F64), wide))
	case 64:
		return l.b.Add(lanes.OpFDiv, lanes.F64, l.one(lanes.F64), l.b.Add(lanes.OpFSqrt, lanes.F64, x))
	}
	return nil
}

// stdNumber is fmin and fmax: a NaN gives way to the other operand. The operation
// of the form is that of WebAssembly, whose result is a NaN if one operand is.
func stdNumber(op lanes.Op) lowerWords2 {
	return onHalves2(func(l *lowering, x, y *lanes.Value, _ word) *lanes.Value {
		b := l.b
		r := b.Add(op, x.Kind, x, y)
		r = b.Add(lanes.OpSelect, x.Kind, b.Add(lanes.OpNe, lanes.Bool, y, y), x, r)
		return b.Add(lanes.OpSelect, x.Kind, b.Add(lanes.OpNe, lanes.Bool, x, x), y, r)
	})
}

// stdExtreme is min and max of integers. The comparison alone needs the sign: one
// of the operands is the result as it is.
func stdExtreme(op lanes.Op, signed, least bool) lowerWords2 {
	return func(l *lowering, x, y *lanes.Value, w word) *lanes.Value {
		a, b := x, y
		if signed {
			a, b = l.signed(x, w.width), l.signed(y, w.width)
		}
		is := l.b.Add(op, lanes.Bool, a, b)
		if least {
			return l.b.Add(lanes.OpSelect, x.Kind, is, x, y)
		}
		return l.b.Add(lanes.OpSelect, x.Kind, is, y, x)
	}
}

// stdLower2 has the functions of two operands.
var stdLower2 = lazy.Map[string, lowerWords2]{New: func() map[string]lowerWords2 {
	return map[string]lowerWords2{
		"fmin": stdNumber(lanes.OpFMin), "fmax": stdNumber(lanes.OpFMax),
		"fmin_common": stdNumber(lanes.OpFMin), "fmax_common": stdNumber(lanes.OpFMax),
		"half_divide": floatOf(lanes.OpFDiv), "native_divide": floatOf(lanes.OpFDiv),
		"s_min": stdExtreme(lanes.OpSLt, true, true), "u_min": stdExtreme(lanes.OpULt, false, true),
		"s_max": stdExtreme(lanes.OpSLt, true, false), "u_max": stdExtreme(lanes.OpULt, false, false),
		"u_add_sat": stdAddSaturated, "u_sub_sat": stdSubSaturated,
		"rotate":  stdRotate,
		"s_mul24": stdMul24(true), "u_mul24": stdMul24(false),
		"copysign": stdCopysign,
	}
}}

// stdAddSaturated and stdSubSaturated are for unsigned integers.
func stdAddSaturated(l *lowering, x, y *lanes.Value, w word) *lanes.Value {
	sum := l.cut(l.b.Add(lanes.OpAdd, x.Kind, x, y), w.width)
	return l.b.Add(lanes.OpSelect, x.Kind, l.b.Add(lanes.OpULt, lanes.Bool, sum, x), l.f.Const(x.Kind, mask(w.width)), sum)
}

func stdSubSaturated(l *lowering, x, y *lanes.Value, _ word) *lanes.Value {
	return l.b.Add(lanes.OpSelect, x.Kind, l.b.Add(lanes.OpULt, lanes.Bool, x, y), l.f.Const(x.Kind, 0), l.b.Add(lanes.OpSub, x.Kind, x, y))
}

// stdRotate rotates to the left. The amount counts modulo the width, and so does
// the one for the way back: a rotation by 0 would shift by the whole width.
func stdRotate(l *lowering, x, n *lanes.Value, w word) *lanes.Value {
	if w.width != 32 && w.width != 64 {
		return nil
	}
	b := l.b
	n = b.Add(lanes.OpAnd, x.Kind, n, l.f.Const(x.Kind, uint64(w.width-1)))
	back := b.Add(lanes.OpAnd, x.Kind, b.Add(lanes.OpSub, x.Kind, l.f.Const(x.Kind, 0), n), l.f.Const(x.Kind, uint64(w.width-1)))
	return b.Add(lanes.OpOr, x.Kind, b.Add(lanes.OpShl, x.Kind, x, n), b.Add(lanes.OpLShr, x.Kind, x, back))
}

// stdMul24 multiplies the low 24 bits. OpenCL leaves open the result where others
// are set, and the interpreter ignores them.
func stdMul24(signed bool) lowerWords2 {
	return func(l *lowering, x, y *lanes.Value, w word) *lanes.Value {
		if w.width != 32 {
			return nil
		}
		low := func(v *lanes.Value) *lanes.Value {
			if signed {
				return l.signed(v, 24)
			}
			return l.cut(v, 24)
		}
		return l.b.Add(lanes.OpMul, lanes.I32, low(x), low(y))
	}
}

// stdCopysign works on the bits, so that the sign of a zero or a NaN counts.
func stdCopysign(l *lowering, x, y *lanes.Value, w word) *lanes.Value {
	if w.width < 32 {
		return nil
	}
	k := lanes.I32
	if w.width == 64 {
		k = lanes.I64
	}
	b, sign := l.b, uint64(1)<<(w.width-1)
	size := b.Add(lanes.OpAnd, k, b.Add(lanes.OpCast, k, x), l.f.Const(k, sign-1))
	return b.Add(lanes.OpCast, x.Kind, b.Add(lanes.OpOr, k, size, b.Add(lanes.OpAnd, k, b.Add(lanes.OpCast, k, y), l.f.Const(k, sign))))
}

// stdLower3 has the functions of three operands. OpenCL leaves open whether mad
// rounds the product; all executors do.
var stdLower3 = lazy.Map[string, std3]{New: func() map[string]std3 {
	return map[string]std3{
		"mad": func(l *lowering, x, y, z *lanes.Value, w word) *lanes.Value {
			if w.width < 32 {
				return nil
			}
			return l.b.Add(lanes.OpFAdd, x.Kind, l.b.Add(lanes.OpFMul, x.Kind, x, y), z)
		},
		"fclamp": func(l *lowering, x, low, high *lanes.Value, w word) *lanes.Value {
			if w.width < 32 {
				return nil
			}
			return stdNumber(lanes.OpFMin)(l, stdNumber(lanes.OpFMax)(l, x, low, w), high, w)
		},
		"s_clamp": func(l *lowering, x, low, high *lanes.Value, w word) *lanes.Value {
			return stdLower2.Get()["s_min"](l, stdLower2.Get()["s_max"](l, x, low, w), high, w)
		},
		"u_clamp": func(l *lowering, x, low, high *lanes.Value, w word) *lanes.Value {
			return stdLower2.Get()["u_min"](l, stdLower2.Get()["u_max"](l, x, low, w), high, w)
		},
		"s_mad24": stdMad24(true), "u_mad24": stdMad24(false),
		"bitselect": func(l *lowering, x, y, z *lanes.Value, w word) *lanes.Value {
			if w.kind != kindInt {
				return nil
			}
			b := l.b
			kept := b.Add(lanes.OpAnd, x.Kind, x, b.Add(lanes.OpXor, x.Kind, z, l.f.Const(x.Kind, mask(w.width))))
			return b.Add(lanes.OpOr, x.Kind, kept, b.Add(lanes.OpAnd, x.Kind, y, z))
		},
	}
}}

// stdMad24 is stdMul24 and a sum, both modulo 2^32.
func stdMad24(signed bool) std3 {
	return func(l *lowering, x, y, z *lanes.Value, w word) *lanes.Value {
		product := stdMul24(signed)(l, x, y, w)
		if product == nil {
			return nil
		}
		return l.b.Add(lanes.OpAdd, lanes.I32, product, z)
	}
}

// lowerStdSelect chooses by the sign bit of each component, or by any bit of a
// scalar (OpenCL C, Relational Functions; see emitStdSelect).
func (l *lowering) lowerStdSelect(in *spirv.Instruction, ids []uint32) {
	x, y, c := l.value(spirv.ID(ids[0])), l.value(spirv.ID(ids[1])), l.value(spirv.ID(ids[2]))
	width := c.t.scalar().width
	set := mask(width)
	if x.t.kind == kindVector {
		set = 1 << (width - 1)
	}
	var words []*lanes.Value
	for i := range x.words {
		v := c.words[i]
		v = l.b.Add(lanes.OpAnd, v.Kind, v, l.f.Const(v.Kind, set))
		is := l.b.Add(lanes.OpNe, lanes.Bool, v, l.f.Const(v.Kind, 0))
		words = append(words, l.b.Add(lanes.OpSelect, x.words[i].Kind, is, y.words[i], x.words[i]))
	}
	l.define(in, words)
}

// lowerVectorAccess lowers vloadn and vstoren: the vector of that number, without
// padding. Its address needs the alignment of an element alone, so it is loaded
// element by element.
func (l *lowering) lowerVectorAccess(in *spirv.Instruction, name string, ids []uint32) {
	var data lowered
	if name == "vstoren" {
		data, ids = l.value(spirv.ID(ids[0])), ids[1:]
	} else {
		data.t = l.typeOf(in.Type())
	}
	offset, p := l.value(spirv.ID(ids[0])), l.value(spirv.ID(ids[1]))
	elem := data.t.elem
	at := place{indexes: []scaled{{l.index(offset), data.t.count * elem.size}}}
	p = l.plus(p, at, p.t)
	w := scalarWord(elem)
	var words []*lanes.Value
	for i := range data.t.count {
		leaf := leaf{i * elem.size, elem.storeSize(), elem.bits()}
		if name == "vstoren" {
			l.storeWord(p, leaf, w, data.words[i])
		} else {
			words = append(words, l.loadWord(p, leaf, w))
		}
	}
	if name == "vloadn" {
		l.define(in, words)
	}
}
