package bitcode

import (
	"strings"

	"offlink/ir"
	"offlink/ir/llvmschema"
)

// slotFinder finds the variables on a function's stack that hold one constant
// address from their store on: a load of such a variable gives that address.
// Code without optimisation passes constants to calls this way.
type slotFinder struct {
	source *source
	body   *body
	list   []instruction
	define map[uint32]int   // by symbol: the instruction
	users  map[uint32][]int // by symbol: the instructions that name it
	slots  map[uint32]*slot
}

// maxPointerCasts limits how many casts of its address a variable is looked
// for through.
const maxPointerCasts = 8

// slot is a variable on the stack.
type slot struct {
	loads, stores []int // instructions
	address       ir.ValueID
	constant      bool // loads give the address, and nothing else reads or writes the variable
}

func newSlotFinder(s *source, b *body, list []instruction) *slotFinder {
	f := &slotFinder{
		source: s, body: b, list: list,
		define: make(map[uint32]int), users: make(map[uint32][]int), slots: make(map[uint32]*slot),
	}
	for i := range list {
		if list[i].defines {
			f.define[list[i].symbol] = i
		}
		for _, o := range list[i].operands {
			if o.kind == opLocalRel || o.kind == opLocalSigned || o.kind == opLocal {
				f.users[uint32(o.value)] = append(f.users[uint32(o.value)], i)
			}
		}
	}
	return f
}

// address returns the address that a value of the function is when it was
// loaded from a variable that holds nothing else.
func (f *slotFinder) address(symbol uint32) (ir.ValueID, bool) {
	s := f.slotOf(symbol)
	if s == nil || !s.constant {
		return 0, false
	}
	return s.address, true
}

// slotOf returns the variable that a value is loaded from, or nil.
func (f *slotFinder) slotOf(symbol uint32) *slot {
	i, ok := f.define[symbol]
	if !ok || f.list[i].code != llvmschema.FunctionLoad {
		return nil
	}
	for range maxPointerCasts {
		from := f.list[i].operands[0]
		if from.kind != opLocalRel {
			return nil
		}
		if i, ok = f.define[uint32(from.value)]; !ok {
			return nil
		}
		switch in := &f.list[i]; {
		case in.code == llvmschema.FunctionAlloca:
			return f.slot(in.symbol)
		case !in.isPointerCast():
			return nil
		}
	}
	return nil
}

// isPointerCast reports whether an instruction gives the address that its
// operand is.
func (in *instruction) isPointerCast() bool {
	if in.code != llvmschema.FunctionCast {
		return false
	}
	for i, o := range in.operands {
		if o.kind == opType && i+1 < len(in.operands) {
			code := in.operands[i+1].value
			return code == llvmschema.CastBitCast || code == llvmschema.CastAddrSpaceCast
		}
	}
	return false
}

// slot looks at all uses of a variable and of casts of its address.
func (f *slotFinder) slot(symbol uint32) *slot {
	if s, known := f.slots[symbol]; known {
		return s
	}
	s := &slot{constant: true}
	f.slots[symbol] = s
	for work := []uint32{symbol}; len(work) > 0; {
		users := f.users[work[0]]
		work = work[1:]
		for _, i := range users {
			switch in := &f.list[i]; {
			case in.code == llvmschema.FunctionLoad:
				s.loads = append(s.loads, i)
			case in.code == llvmschema.FunctionStore:
				s.constant = f.store(s, i) && s.constant
			case in.isPointerCast():
				work = append(work, in.symbol)
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
func (f *slotFinder) isMarker(in *instruction) bool {
	if in.call < 0 {
		return in.isDebugRecord()
	}
	callee := f.source.module.Values[in.operands[in.calleeIndex()].value].Name
	return strings.HasPrefix(callee, "llvm.lifetime.") || strings.HasPrefix(callee, "llvm.dbg.")
}

// store takes in a store that names the variable. It returns false unless it
// writes the address that the others write. Its operands are the pointer, the
// value, the alignment and whether it is volatile.
func (f *slotFinder) store(s *slot, i int) bool {
	operands := f.list[i].operands
	if operands[len(operands)-1].value != 0 {
		return false
	}
	at := 1
	if operands[at].kind == opForwardType {
		at++
	}
	d := constantDecoder{source: f.source, body: f.body}
	var value ir.Constant
	var err error
	switch o := operands[at]; o.kind {
	case opGlobalRel:
		value, err = d.globalConstant(uint32(o.value), 0)
	case opLocalRel:
		value, err = d.localConstant(o.value, 0)
	}
	if err != nil || value.Kind != ir.ConstantValue || len(s.stores) > 0 && value.Value != s.address {
		return false
	}
	s.stores, s.address = append(s.stores, i), value.Value
	return true
}

// serving returns the stores that nothing reads once the calls of those
// numbers are gone.
func (f *slotFinder) serving(gone func(call int) bool) map[int]bool {
	stores, seen := make(map[int]bool), make(map[*slot]bool)
	for i := range f.list {
		if in := &f.list[i]; in.call < 0 || !gone(in.call) {
			continue
		}
		for _, o := range f.list[i].operands {
			if o.kind != opLocalRel {
				continue
			}
			s := f.slotOf(uint32(o.value))
			if s == nil || !s.constant || seen[s] {
				continue
			}
			seen[s] = true
			if f.serves(s, gone) {
				for _, store := range s.stores {
					stores[store] = true
				}
			}
		}
	}
	return stores
}

func (f *slotFinder) serves(s *slot, gone func(call int) bool) bool {
	for _, load := range s.loads {
		for _, user := range f.users[f.list[load].symbol] {
			if in := &f.list[user]; !(in.call >= 0 && gone(in.call)) && !f.isMarker(in) {
				return false
			}
		}
	}
	return true
}
