package hostdev

import "offlink/runtime/hostdev/internal/lanes"

// keptRoots has, for the registers that hold the allocations of pointers, whether each allocation
// that is put there is the one that the pointer was made for: that of an argument or a variable.
// An index that leads out of it is then out of bounds, whatever is there. The table of allocations
// (Bounds.Table) has only the allocation that the pointer leads to at the time, which after
// arithmetic may be another one.
//
// A round of the lowering assumes this of all registers until it puts an allocation of the table
// into some; if these were read before, as in a loop, everything is lowered again.
type keptRoots struct {
	looked map[keptKey]bool // registers that held an allocation of the table, in this round or an earlier one
	keys   map[*lanes.Register]keptKey
	read   map[keptKey]bool // those of which this round has used the assumption
	count  int              // of the instructions that have registers
	none   bool             // nothing is assumed any more, so that the rounds end
	failed bool
}

// keptKey identifies registers in every round: those of an instruction by a number from 1 on,
// those of a variable by their place in it.
type keptKey struct {
	number int
	place  rootKey
}

func newKeptRoots() *keptRoots { return &keptRoots{looked: map[keptKey]bool{}} }

// begin begins a round.
func (k *keptRoots) begin(none bool) {
	k.keys, k.read, k.count, k.none, k.failed = map[*lanes.Register]keptKey{}, map[keptKey]bool{}, 0, none, false
}

// add adds the registers of an allocation, of which base is the first. They get the same number in
// each round, as the order of instructions does not change.
func (k *keptRoots) add(base *lanes.Register) {
	k.count++
	k.keys[base] = keptKey{number: k.count}
}

// addVariable adds registers of a pointer in a variable.
func (k *keptRoots) addVariable(base *lanes.Register, place rootKey) {
	k.keys[base] = keptKey{place: place}
}

// set notes an allocation that is put into registers.
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
