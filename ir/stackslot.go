package ir

import "strings"

// stackSlot is a variable on a function's stack. It may hold one constant
// address from its store on, so that a load of it gives that address: code
// without optimisation passes constants to calls this way.
type stackSlot struct {
	loads, stores []int // instructions
	address       ValueID
	// constant is true if loads give the address, and nothing else reads or
	// writes the variable.
	constant bool
}

// maxPointerCasts limits how many casts of its address a variable is looked
// for through. Blocks that nothing reaches may have casts of one another.
const maxPointerCasts = 8

// slotOf returns the variable that a value is loaded from, or nil.
func (f *bodyFinder) slotOf(v Value) *stackSlot {
	if v.Kind != ValueInstruction || f.body.Instructions[v.Index].Op != OpLoad {
		return nil
	}
	for range maxPointerCasts {
		if v = f.body.Instructions[v.Index].Operands[0]; v.Kind != ValueInstruction {
			return nil
		}
		switch in := &f.body.Instructions[v.Index]; {
		case in.Op == OpAlloca:
			return f.inspectSlot(v.Index)
		case !isPointerCast(in):
			return nil
		}
	}
	return nil
}

// isPointerCast reports whether an instruction gives the address that its
// operand is.
func isPointerCast(in *Instruction) bool { return in.Op == OpBitCast || in.Op == OpAddrSpaceCast }

// inspectSlot looks at all uses of a variable and of casts of its address.
func (f *bodyFinder) inspectSlot(alloca uint32) *stackSlot {
	if s, known := f.slots[alloca]; known {
		return s
	}
	s := &stackSlot{constant: true}
	f.slots[alloca] = s
	for work := []uint32{alloca}; len(work) > 0; {
		users := f.users[work[0]]
		work = work[1:]
		for _, i := range users {
			switch in := &f.body.Instructions[i]; {
			case in.Op == OpLoad:
				s.loads = append(s.loads, i)
			case in.Op == OpStore:
				s.constant = f.inspectStore(s, i) && s.constant
			case isPointerCast(in):
				work = append(work, uint32(i))
			default:
				s.constant = s.constant && f.isMarker(in)
			}
		}
	}
	s.constant = s.constant && len(s.stores) > 0
	return s
}

// isMarker reports whether an instruction says something about a variable and
// neither reads nor writes it.
func (f *bodyFinder) isMarker(in *Instruction) bool {
	if in.Op != OpCall || in.Operands[0].Kind != ValueGlobal {
		return in.Op == OpDebugRecord
	}
	callee := f.module.Values[in.Operands[0].Index].Name
	return strings.HasPrefix(callee, "llvm.lifetime.") || strings.HasPrefix(callee, "llvm.dbg.")
}

// inspectStore takes in a store that names the variable. It returns false
// unless it writes the address that the others write.
func (f *bodyFinder) inspectStore(s *stackSlot, i int) bool {
	in := &f.body.Instructions[i]
	if in.Flags&FlagVolatile != 0 || in.Order != NotAtomic {
		return false
	}
	value := f.constantOf(in.Operands[0])
	if value.Kind != ConstantValue || len(s.stores) > 0 && value.Value != s.address {
		return false
	}
	s.stores, s.address = append(s.stores, i), value.Value
	return true
}

// servingStores returns the stores that nothing reads once those calls are
// gone.
func (f *bodyFinder) servingStores(gone func(call int) bool) map[int]bool {
	stores, seen := make(map[int]bool), make(map[*stackSlot]bool)
	for i := range f.body.Instructions {
		if f.direct[i] < 0 || !gone(f.direct[i]) {
			continue
		}
		for _, v := range f.body.Instructions[i].Operands {
			s := f.slotOf(v)
			if s == nil || !s.constant || seen[s] {
				continue
			}
			seen[s] = true
			if f.servesCalls(s, gone) {
				for _, store := range s.stores {
					stores[f.number[store]] = true
				}
			}
		}
	}
	return stores
}

// servesCalls reports whether only those calls use the loads of a variable.
func (f *bodyFinder) servesCalls(s *stackSlot, gone func(call int) bool) bool {
	for _, load := range s.loads {
		for _, user := range f.users[uint32(load)] {
			if in := &f.body.Instructions[user]; !(f.direct[user] >= 0 && gone(f.direct[user])) && !f.isMarker(in) {
				return false
			}
		}
	}
	return true
}
