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
func (m *image) keepsApart(kernel ir.ValueID) bool {
	seen := map[ir.ValueID]bool{}
	work := []ir.ValueID{kernel}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		if u := m.units[n]; u != nil && u.uncontracted {
			return true
		}
		for _, r := range m.module.Refs(&m.module.Values[n]) {
			if (r.Kind() == ir.RefCallee || r.Kind() == ir.RefAddress) && m.units[ir.ValueID(r.Index())] != nil {
				work = append(work, ir.ValueID(r.Index()))
			}
		}
	}
	return false
}
