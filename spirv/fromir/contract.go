package fromir

import (
	"offlink/ir"
)

// findContraction notes, as bodies are written, whether they may be contracted: an
// addition that does not say so may be that of a product which the compiler was
// not to fuse, and a call of an unknown function may hide one.
func (f *function) findContraction() {
	for i := range f.ir.Instructions {
		in := &f.ir.Instructions[i]
		if f.leavesUnfused(in) {
			f.uncontracted = true
			return
		}
	}
}

// leavesUnfused reports whether an instruction keeps a function from contraction.
func (f *function) leavesUnfused(in *ir.Instruction) bool {
	switch in.Op {
	case ir.OpFAdd, ir.OpFSub:
		return in.Flags&ir.FlagContract == 0
	case ir.OpCall:
		if f.ir.Calls[in.Call].Asm != nil {
			return true
		}
		info := f.calledFunction(in)
		return info == nil || info.builtin == nil && f.view.isDeclared(info.number)
	}
	return false
}

// keepsApart reports whether a kernel, or a function that it calls, keeps it from
// contraction. A function whose address it takes, maybe in a table of virtual
// functions, counts as called.
func (m *image) keepsApart(kernel int) (apart bool) {
	m.eachReached(kernel, func(at int) bool {
		u := m.values[at].unit
		apart = u != nil && u.uncontracted
		return !apart
	})
	return apart
}
