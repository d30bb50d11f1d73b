package fromir

import (
	"offlink/ir"
)

// findContraction notes whether kernels that reach the function must not be contracted. An
// addition without the flag contract may be the sum of a product that the compiler was told
// not to fuse, and a call of an unknown function may hide such an addition.
func (f *function) findContraction() {
	for i := range f.ir.Instructions {
		in := &f.ir.Instructions[i]
		if f.leavesUnfused(in) {
			f.uncontracted = true
			return
		}
	}
}

// leavesUnfused reports whether an instruction forbids the contraction of its function.
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

// keepsApart reports whether a kernel, or a function that it reaches, forbids its contraction.
// A function whose address is taken, for example in a table of virtual functions, counts as
// called.
func (m *image) keepsApart(kernel int) (apart bool) {
	m.eachReached(kernel, func(at int) bool {
		u := m.values[at].unit
		apart = u != nil && u.uncontracted
		return !apart
	})
	return apart
}
