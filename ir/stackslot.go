package ir

import (
	"strconv"
	"strings"
)

// stackSlot is a variable on a function's stack that is not an aggregate, or a member of a variable
// that is not. If it holds one constant address from its store on, a load of it gives that address:
// code without optimisation passes constants to calls this way.
type stackSlot struct {
	loads, stores []int // instructions
	address       ValueID
	// constant is true if loads give the address, and nothing else reads or
	// writes the variable.
	constant bool
}

// stackPlace is a place in a variable on the stack: the member that a path of
// indices leads to.
type stackPlace struct {
	alloca uint32
	path   string
	typ    TypeID
}

// maxPointerSteps limits through how many casts and geps of its address a variable is looked for.
// In blocks that nothing reaches, these may depend on each other in a cycle.
const maxPointerSteps = 8

// slotOf returns the variable that a value is loaded from, or nil.
func (f *bodyFinder) slotOf(v Value) *stackSlot {
	if v.Kind != ValueInstruction || f.body.Instructions[v.Index].Op != OpLoad {
		return nil
	}
	place, ok := f.placeOf(f.body.Instructions[v.Index].Operands[0], maxPointerSteps)
	if !ok {
		return nil
	}
	return f.slotsOf(place.alloca)[place.path]
}

// placeOf returns the place that an address names, if that is certain.
func (f *bodyFinder) placeOf(v Value, steps int) (place stackPlace, ok bool) {
	if v.Kind != ValueInstruction || steps == 0 {
		return place, false
	}
	switch in := &f.body.Instructions[v.Index]; {
	case in.Op == OpAlloca:
		return stackPlace{alloca: v.Index, typ: f.namedType(in.Element)}, true
	case isPointerCast(in):
		return f.placeOf(in.Operands[0], steps-1)
	case in.Op == OpGEP:
		if place, ok = f.placeOf(in.Operands[0], steps-1); ok {
			return f.memberPlace(place, in)
		}
	}
	return place, false
}

// memberPlace returns the place that a getelementptr names. The instruction has to use the
// variable's own type and stay within the variable.
func (f *bodyFinder) memberPlace(place stackPlace, gep *Instruction) (stackPlace, bool) {
	if f.namedType(gep.Element) != place.typ {
		return place, false
	}
	for i, v := range gep.Operands[1:] {
		index, ok := f.indexOf(v)
		switch {
		case !ok:
			return place, false
		case i == 0 && index == 0: // the variable itself
			continue
		case i == 0:
			return place, false
		}
		switch t := &f.reader.Types()[place.typ]; {
		case t.Kind == TypeStruct && index < uint64(len(t.Elements)):
			place.typ = f.namedType(t.Elements[index])
		case t.Kind == TypeArray && index < t.Length:
			place.typ = f.namedType(t.Elements[0])
		default:
			return place, false
		}
		place.path += "." + strconv.FormatUint(index, 10)
	}
	return place, place.typ != NoType
}

// indexOf returns a constant index. A negative one is beyond every bound, as it is unsigned here.
func (f *bodyFinder) indexOf(v Value) (uint64, bool) {
	if v.Kind != ValueConstant {
		return 0, false
	}
	c := f.body.Constants.At(v)
	if c.Kind != ConstantInt || len(c.Words) != 1 {
		return 0, false
	}
	return c.Words[0], true
}

// namedType returns the type that a name stands for, or NoType if there is none.
func (f *bodyFinder) namedType(id TypeID) TypeID {
	types := f.reader.Types()
	for range maxPointerSteps {
		if int(id) >= len(types) {
			break
		}
		if !types[id].Alias {
			return id
		}
		id = types[id].Of
	}
	return NoType
}

// isPointerCast reports whether the result of an instruction is the address that its operand is.
func isPointerCast(in *Instruction) bool { return in.Op == OpBitCast || in.Op == OpAddrSpaceCast }

// slotsOf returns the slots of a variable by their paths. If any use of its address is not
// understood, it returns none: the variable could be read or written there.
func (f *bodyFinder) slotsOf(alloca uint32) map[string]*stackSlot {
	slots, known := f.slots[alloca]
	if known {
		return slots
	}
	slots = make(map[string]*stackSlot)
	for work := []uint32{alloca}; len(work) > 0; work = work[1:] {
		for _, i := range f.users[work[0]] {
			in := &f.body.Instructions[i]
			switch {
			case isPointerCast(in), in.Op == OpGEP:
				work = append(work, uint32(i))
			case !f.inspectUse(slots, i, work[0]):
				f.slots[alloca] = nil
				return nil
			}
		}
	}
	for _, s := range slots {
		s.constant = s.constant && len(s.stores) > 0
	}
	f.slots[alloca] = slots
	return slots
}

// inspectUse notes an instruction that uses an address, and reports whether all that it does with
// the variable is known. A store of the address itself lets it escape.
func (f *bodyFinder) inspectUse(slots map[string]*stackSlot, i int, address uint32) bool {
	switch in := &f.body.Instructions[i]; in.Op {
	case OpLoad:
		s := f.slotAt(slots, in.Operands[0], in.Type)
		if s == nil {
			return false
		}
		s.loads = append(s.loads, i)
		return true
	case OpStore:
		if v := in.Operands[0]; v.Kind == ValueInstruction && v.Index == address {
			return false
		}
		s := f.slotAt(slots, in.Operands[1], in.Operands[0].Type)
		if s == nil {
			return false
		}
		s.constant = f.inspectStore(s, i) && s.constant
		return true
	default:
		return f.isMarker(in)
	}
}

// slotAt returns the slot that an address names, or nil unless a value of that type fills it.
func (f *bodyFinder) slotAt(slots map[string]*stackSlot, address Value, typ TypeID) *stackSlot {
	place, ok := f.placeOf(address, maxPointerSteps)
	if !ok || place.typ == NoType || f.namedType(typ) != place.typ {
		return nil
	}
	switch f.reader.Types()[place.typ].Kind {
	case TypeInteger, TypeFloat, TypePointer, TypeVector:
	default: // has members, which are slots of their own
		return nil
	}
	if slots[place.path] == nil {
		slots[place.path] = &stackSlot{constant: true}
	}
	return slots[place.path]
}

// isMarker reports whether an instruction only says something about a variable, and neither reads
// nor writes it.
func (f *bodyFinder) isMarker(in *Instruction) bool {
	if in.Op != OpCall || in.Operands[0].Kind != ValueGlobal {
		return in.Op == OpDebugRecord
	}
	callee := f.module.Values[in.Operands[0].Index].Name
	return strings.HasPrefix(callee, "llvm.lifetime.") || strings.HasPrefix(callee, "llvm.dbg.") || callee == "llvm.assume"
}

// inspectStore notes a store to the variable. It returns false unless it writes the same constant
// address as the other stores.
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

// servingStores returns the stores whose values nothing reads once the given calls are removed:
// code without optimisation keeps the arguments of a call in variables on its stack. Calls and
// stores are named by their place among the instructions.
func (f *bodyFinder) servingStores(gone map[int]bool) (stores []int) {
	seen := make(map[*stackSlot]bool)
	for i := range f.body.Instructions {
		if !gone[i] {
			continue
		}
		for _, v := range f.body.Instructions[i].Operands {
			s := f.slotOf(v)
			if s == nil || !s.constant || seen[s] {
				continue
			}
			seen[s] = true
			if f.servesCalls(s, gone) {
				stores = append(stores, s.stores...)
			}
		}
	}
	return stores
}

// servesCalls reports whether only the given calls use the loads of a variable.
func (f *bodyFinder) servesCalls(s *stackSlot, gone map[int]bool) bool {
	for _, load := range s.loads {
		for _, user := range f.users[uint32(load)] {
			if !gone[user] && !f.isMarker(&f.body.Instructions[user]) {
				return false
			}
		}
	}
	return true
}
