package hostdev

import (
	"offlink/lazy"
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// Atomic operations. Floats go as their bits.

func registerAtomicLowerers() {
	lowerers.register(func() map[spirv.Opcode]func(*lowering, *spirv.Instruction) {
		table := map[spirv.Opcode]func(*lowering, *spirv.Instruction){
			spirv.OpAtomicLoad: func(l *lowering, in *spirv.Instruction) { l.lowerAtomic(in, lanes.AtomicLoad, nil) },
			spirv.OpAtomicStore: func(l *lowering, in *spirv.Instruction) {
				p, v := l.value(spirv.ID(in.Words[0])), l.value(spirv.ID(in.Words[3]))
				l.b.AddAtomic(lanes.AtomicStore, l.atomicKind(v.t), int(v.t.size), l.boundsOf(p), l.addressOf(p).Low(), l.atomicBits(v))
			},
			spirv.OpAtomicIIncrement: atomicOne(lanes.AtomicAdd),
			spirv.OpAtomicIDecrement: atomicOne(lanes.AtomicSub),

			spirv.OpAtomicFlagTestAndSet: (*lowering).lowerTestAndSet,
			spirv.OpAtomicFlagClear: func(l *lowering, in *spirv.Instruction) {
				p := l.value(spirv.ID(in.Words[0]))
				l.b.AddAtomic(lanes.AtomicStore, lanes.I32, flagSize, l.boundsOf(p), l.addressOf(p).Low(), l.i32(0))
			},

			spirv.OpAtomicCompareExchange:     (*lowering).lowerCompareExchange,
			spirv.OpAtomicCompareExchangeWeak: (*lowering).lowerCompareExchange,
		}
		for op, atomic := range map[spirv.Opcode]lanes.AtomicOp{
			spirv.OpAtomicExchange: lanes.AtomicExchange, spirv.OpAtomicIAdd: lanes.AtomicAdd, spirv.OpAtomicISub: lanes.AtomicSub,
			spirv.OpAtomicAnd: lanes.AtomicAnd, spirv.OpAtomicOr: lanes.AtomicOr, spirv.OpAtomicXor: lanes.AtomicXor,
			spirv.OpAtomicSMin: lanes.AtomicSMin, spirv.OpAtomicSMax: lanes.AtomicSMax,
			spirv.OpAtomicUMin: lanes.AtomicUMin, spirv.OpAtomicUMax: lanes.AtomicUMax,
			spirv.OpAtomicFAddEXT: lanes.AtomicFAdd, spirv.OpAtomicFMinEXT: lanes.AtomicFMin, spirv.OpAtomicFMaxEXT: lanes.AtomicFMax,
		} {
			table[op] = func(l *lowering, in *spirv.Instruction) {
				v := l.arg(in, 3)
				l.lowerAtomic(in, atomic, []*lanes.Value{l.atomicBits(v)})
			}
		}
		return table
	})
}

func (l *lowering) atomicKind(t *typ) lanes.Kind {
	switch {
	case t.kind == kindPointer || t.words != 1 || !isAccessSize(t.size):
		l.unsupported("an atomic operation on this type")
	case t.bits() == 64:
		return lanes.I64
	}
	return lanes.I32
}

func (l *lowering) atomicBits(v lowered) *lanes.Value { return l.cast(v.words[0], l.atomicKind(v.t)) }

func (l *lowering) lowerAtomic(in *spirv.Instruction, op lanes.AtomicOp, args []*lanes.Value) {
	t := l.typeOf(in.Type())
	k := l.atomicKind(t)
	if op >= lanes.AtomicFAdd && t.bits() == 16 {
		l.lowerHalfAtomic(in, op)
		return
	}
	p := l.arg(in, 0)
	v := l.b.AddAtomic(op, k, int(t.size), l.boundsOf(p), append([]*lanes.Value{l.addressOf(p).Low()}, args...)...)
	l.define(in, []*lanes.Value{l.cast(v, wordsOf(t)[0].lane)})
}

// halfAtomics are the operations that an atomic one makes with a half in memory.
var halfAtomics = lazy.Map[lanes.AtomicOp, lowerWords2]{New: func() map[lanes.AtomicOp]lowerWords2 {
	return map[lanes.AtomicOp]lowerWords2{
		lanes.AtomicFAdd: onHalves2(func(l *lowering, x, y *lanes.Value, _ word) *lanes.Value {
			return l.b.Add(lanes.OpFAdd, x.Kind, x, y)
		}),
		lanes.AtomicFMin: stdNumber(lanes.OpFMin), lanes.AtomicFMax: stdNumber(lanes.OpFMax),
	}
}}

// lowerHalfAtomic is a loop that tries to exchange the half, until nobody else has changed it
// since it was read: the form has sums of floats of 32 and 64 bits alone.
func (l *lowering) lowerHalfAtomic(in *spirv.Instruction, op lanes.AtomicOp) {
	const size = 2
	p, x, w := l.arg(in, 0), l.arg(in, 3).words[0], wordsOf(l.typeOf(in.Type()))[0]
	bounds, address := l.boundsOf(p), l.addressOf(p).Low()
	seen := l.f.NewRegister(lanes.I32)
	l.b.Set(seen, l.b.AddAtomic(lanes.AtomicLoad, lanes.I32, size, bounds, address))
	again, after := l.f.NewBlock(), l.f.NewBlock()
	l.jump(again)
	l.b = again
	old := again.Get(seen)
	next := halfAtomics.Get()[op](l, old, x, w)
	got := again.AddAtomic(lanes.AtomicCompareExchange, lanes.I32, size, bounds, address, next, old)
	again.Set(seen, got)
	again.Term, again.Cond = lanes.Branch, again.Add(lanes.OpEq, lanes.Bool, got, old)
	again.Succs = []*lanes.Block{after, again}
	l.b = after
	l.define(in, []*lanes.Value{after.Get(seen)})
}

func atomicOne(op lanes.AtomicOp) func(*lowering, *spirv.Instruction) {
	return func(l *lowering, in *spirv.Instruction) {
		l.lowerAtomic(in, op, []*lanes.Value{l.f.Const(l.atomicKind(l.typeOf(in.Type())), 1)})
	}
}

func (l *lowering) lowerCompareExchange(in *spirv.Instruction) {
	l.lowerAtomic(in, lanes.AtomicCompareExchange, []*lanes.Value{l.atomicBits(l.arg(in, 4)), l.atomicBits(l.arg(in, 5))})
}

// flagSize is the bytes of a flag.
const flagSize = 4

func (l *lowering) lowerTestAndSet(in *spirv.Instruction) {
	p := l.arg(in, 0)
	old := l.b.AddAtomic(lanes.AtomicExchange, lanes.I32, flagSize, l.boundsOf(p), l.addressOf(p).Low(), l.i32(1))
	l.define(in, []*lanes.Value{l.b.Add(lanes.OpBool, lanes.Bool, old)})
}
