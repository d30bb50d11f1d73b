package hostdev

import (
	"strings"

	"offlink/runtime/hostdev/internal/lanes"
	"offlink/runtime/hostdev/internal/mathlib"
	"offlink/spirv"
)

// Functions that few arguments need, such as the reduction of large angles, are scalar code
// in a loop: an iteration takes the arguments of the first work-item that is left, computes
// once, and is the last one for those that have the same arguments. For all lanes at once
// such a function would be most of the code of a kernel, and of the time to compile it.

// isRare tells whether a function is one of those, by its name. They read nothing but
// constants.
func (l *lowering) isRare(id spirv.ID) bool {
	return strings.HasPrefix(l.p.functionName(id), mathlib.RarePrefix)
}

// inlineByTurns inlines a function of numbers in such a loop.
func (l *lowering) inlineByTurns(fn *spirv.Function, args []lowered) lowered {
	turn, after := l.f.NewBlock(), l.f.NewBlock()
	l.jump(turn)
	l.b = turn
	same := l.f.Const(lanes.Bool, 1)
	firsts := make([]lowered, len(args))
	for i, arg := range args {
		firsts[i] = lowered{t: arg.t}
		for _, w := range arg.words {
			first := l.b.First(w)
			firsts[i].words = append(firsts[i].words, first)
			same = l.b.Add(lanes.OpAnd, lanes.Bool, same, l.b.Add(lanes.OpEq, lanes.Bool, l.bitsOf(w), l.bitsOf(first)))
		}
	}
	result := l.inline(fn, firsts)
	regs := l.newRegs(result.t, nil)
	l.setRegs(l.b, regs, result)
	l.b.Term, l.b.Cond, l.b.Succs = lanes.Branch, same, []*lanes.Block{after, turn}
	l.b.Turn = true
	l.b = after
	return l.readRegs(result.t, regs)
}

// bitsOf is a number as an integer, in which a NaN is equal to itself.
func (l *lowering) bitsOf(v *lanes.Value) *lanes.Value {
	switch v.Kind {
	case lanes.F32:
		return l.b.Add(lanes.OpCast, lanes.I32, v)
	case lanes.F64:
		return l.b.Add(lanes.OpCast, lanes.I64, v)
	}
	return v
}
