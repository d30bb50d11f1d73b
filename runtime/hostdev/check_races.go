package hostdev

import (
	"bytes"
	"fmt"

	"offlink/runtime/hostdev/internal/shadow"
)

// Data races. Two accesses of different work-items to a byte, of which one
// writes and not both are atomic, are a race unless one happens before the
// other: by a barrier of the group that orders the memory, by one of the
// sub-group, or by an atomic operation of the first work-item and a later one of
// the second to the same address, with fences or an order other than relaxed. A
// write that leaves the same bytes is not reported: programs set a flag so.
//
// The clock of the launch counts the events that order accesses. An access has the time at
// which it was made; a work-item knows up to which time it has seen the accesses
// of others.

// maxWatched is how many pages of global memory are watched.
const maxWatched = 1 << 15

// The bits of memory semantics that say which memory a barrier orders
// (SPIR-V Specification, 3.32).
const (
	semanticsOrder  = 0x2 | 0x4 | 0x8 | 0x10
	semanticsLocal  = 0x100
	semanticsGlobal = 0x200
)

// groupOrder is when the group's last barriers were.
type groupOrder struct{ global, local uint32 }

// itemOrder is the times up to which a work-item has seen the accesses of others.
type itemOrder struct {
	subgroup uint32 // of its sub-group
	acquired uint32 // of all
	seen     uint32 // of all, once there is a fence
	fenced   bool
}

// conflict is a write that races with an earlier one, and is none if the bytes
// stay as they were.
type conflict struct {
	at       *inst
	finding  *Finding
	data     []byte
	previous []byte
}

func (c *checker) sameGroup(a, b uint32) bool {
	n := uint32(groupSize(c.l.r.enqueued))
	return a/n == b/n
}

// tick advances the clock, and starts a time of the group.
func (c *checker) tick(g *group) uint32 {
	c.clock++
	g.check.order.global, g.check.order.local = c.clock, c.clock
	return c.clock
}

// watchOrder records an access and reports a race.
func (it *item) watchOrder(p pointer, data []byte, write bool) {
	k := it.check
	c := k.c
	c.settleConflict()
	now := shadow.Access{Time: c.clock, Item: k.number, Site: c.siteOf(it)}
	if k.atomic {
		now.Site |= shadow.Atomic
	}
	accesses, at, barrier := &c.accesses, int64(uint64(p)-it.flat.base), it.group.check.order.global
	if p.space() == spaceLocal {
		accesses, at, barrier = &it.group.check.accesses[p.index()], p.offset(), it.group.check.order.local
	}
	ordered := func(earlier shadow.Access) bool { return k.happenedBefore(it, earlier, barrier) }
	var earlier shadow.Conflict
	var found bool
	if write {
		earlier, found = accesses.Store(at, int64(len(data)), now, ordered)
	} else {
		earlier, found = accesses.Load(at, int64(len(data)), now, ordered)
	}
	if found {
		it.noteRace(p, data, write, earlier)
	}
}

// happenedBefore tells whether an access of another work-item is ordered before
// the one that this work-item makes now.
func (k *itemCheck) happenedBefore(it *item, earlier shadow.Access, barrier uint32) bool {
	if earlier.Time < k.order.acquired {
		return true
	}
	if !k.c.sameGroup(earlier.Item, k.number) {
		return false
	}
	n := uint32(it.group.launch.k.subgroup)
	size := uint32(groupSize(it.group.launch.r.enqueued))
	same := earlier.Item%size/n == k.number%size/n
	return earlier.Time < barrier || same && earlier.Time < k.order.subgroup
}

// noteRace makes a finding, at once or when it is known that a write changes
// something.
func (it *item) noteRace(p pointer, data []byte, write bool, earlier shadow.Conflict) {
	c := it.check.c
	f := &Finding{Kind: DataRace, Memory: it.memoryName(p), Earlier: c.placeOf(earlier.Item, earlier.Site)}
	verb := map[bool]string{true: "store", false: "load"}
	where := it.group.id == f.Earlier.Group
	f.Message = fmt.Sprintf("%s of %d bytes, and a %s by another work-item of %s, with nothing that orders them",
		verb[write], len(data), verb[earlier.Wrote], map[bool]string{true: "the work-group", false: "another work-group"}[where])
	f.Place = it.place(it.fn, int(it.pc)-1)
	// The store is not made yet: the next access, or the end, looks at its effect.
	if write && earlier.Wrote && !it.check.atomic && earlier.Site&shadow.Atomic == 0 {
		c.pending = &conflict{at: it.current(), finding: f, data: data, previous: bytes.Clone(data)}
		return
	}
	c.keep(findingKey{DataRace, it.current()}, f)
}

// settleConflict looks whether the last write that raced with another one has
// changed the bytes.
func (c *checker) settleConflict() {
	p := c.pending
	c.pending = nil
	if p != nil && !bytes.Equal(p.data, p.previous) {
		c.keep(findingKey{DataRace, p.at}, p.finding)
	}
}

// atomicOrder notes an atomic operation at an address: accesses before it are ordered
// before those that a work-item makes after a later one at the same address. A relaxed
// operation without a fence orders nothing, until a later fence takes up the order that
// it has seen.
func (it *item) atomicOrder(p pointer, semantics uint64) {
	k := it.check
	c := k.c
	k.order.seen = max(k.order.seen, c.released[p])
	if semantics&semanticsOrder == 0 && !k.order.fenced {
		return
	}
	k.order.acquired = max(k.order.acquired, k.order.seen)
	c.clock++
	c.released[p] = c.clock
}

// fence makes the atomic operations of a work-item order its other accesses.
func (k *itemCheck) fence() {
	k.order.fenced = true
	k.order.acquired = max(k.order.acquired, k.order.seen)
}

// meetItems orders the accesses before a rendezvous of items before those after
// it. A barrier without a kind of memory orders all.
func (g *group) meetItems(items []*item, semantics uint64, subgroup bool) {
	c := g.launch.checker
	if semantics&(semanticsLocal|semanticsGlobal) == 0 {
		semantics |= semanticsLocal | semanticsGlobal
	}
	c.clock++
	acquired := uint32(0)
	for _, it := range items {
		it.check.fence()
		acquired = max(acquired, it.check.order.acquired)
	}
	for _, it := range items {
		it.check.order.acquired = acquired
		if subgroup {
			it.check.order.subgroup = c.clock
		}
	}
	if subgroup {
		return
	}
	if semantics&semanticsLocal != 0 {
		g.check.order.local = c.clock
	}
	if semantics&semanticsGlobal != 0 {
		g.check.order.global = c.clock
	}
}

// number is the linear number of the work-group.
func (g *group) number() int {
	n := g.launch.r.allGroups
	return (g.id[2]*n[1]+g.id[1])*n[0] + g.id[0]
}
