package hostdev

import "offlink/runtime/hostdev/internal/lanes"

// keptRoots says of the registers that hold the allocations of pointers whether each allocation
// set there is the one that the pointer was made for: that of an argument or a variable. An index
// that leads out of it is then out of bounds, wherever it leads. The table of allocations tells
// only where a pointer leads when it is looked up (Bounds.Table), which after arithmetic may be
// another allocation than the one that it was made for.
//
// A round of the lowering takes registers for such until it comes to a setting that is not; if
// they were read before, as in a loop, all is lowered again.
type keptRoots struct {
	looked map[keptKey]bool // registers with an allocation that was looked up, in this round or one before
	keys   map[*lanes.Register]keptKey
	read   map[keptKey]bool // those that this round took for kept
	count  int              // of the registers of instructions
	none   bool             // all registers are looked up: the rounds shall end
	failed bool
}

// keptKey is registers in every round: those of an instruction by their number, from 1 on, those
// of a variable by their place in it.
type keptKey struct {
	number int
	place  rootKey
}

func newKeptRoots() *keptRoots { return &keptRoots{looked: map[keptKey]bool{}} }

// begin begins a round.
func (k *keptRoots) begin(none bool) {
	k.keys, k.read, k.count, k.none, k.failed = map[*lanes.Register]keptKey{}, map[keptKey]bool{}, 0, none, false
}

// add adds the registers of an allocation, of which base is the first. Those of one instruction
// have the same number in each round, as the order of instructions does not change.
func (k *keptRoots) add(base *lanes.Register) {
	k.count++
	k.keys[base] = keptKey{number: k.count}
}

// addVariable adds registers of a pointer in a variable.
func (k *keptRoots) addVariable(base *lanes.Register, place rootKey) {
	k.keys[base] = keptKey{place: place}
}

// set notes an allocation that is set in registers.
func (k *keptRoots) set(base *lanes.Register, root *lanes.Bounds) {
	key := k.keys[base]
	if !root.Table || k.looked[key] {
		return
	}
	k.looked[key] = true
	k.failed = k.failed || k.read[key]
}

// keep reports whether registers hold allocations that pointers were made for.
func (k *keptRoots) keep(base *lanes.Register) bool {
	key := k.keys[base]
	if k.none || k.looked[key] {
		return false
	}
	k.read[key] = true
	return true
}
