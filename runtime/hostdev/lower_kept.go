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
	looked map[any]bool // registers with an allocation that was looked up, in this round or one before
	keys   map[*lanes.Register]any
	read   map[any]bool // those that this round took for kept
	count  int
	none   bool // all registers are looked up: the rounds shall end
	failed bool
}

func newKeptRoots() *keptRoots { return &keptRoots{looked: map[any]bool{}} }

// begin begins a round.
func (k *keptRoots) begin(none bool) {
	k.keys, k.read, k.count, k.none, k.failed = map[*lanes.Register]any{}, map[any]bool{}, 0, none, false
}

// add adds the registers of an allocation, of which base is the first. Those of one instruction
// have the same number in each round, as the order of instructions does not change.
func (k *keptRoots) add(base *lanes.Register) {
	k.count++
	k.keys[base] = k.count
}

// addVariable adds registers of a pointer in a variable.
func (k *keptRoots) addVariable(base *lanes.Register, key rootKey) { k.keys[base] = key }

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
