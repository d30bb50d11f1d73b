package ir

import (
	"hash/maphash"
	"math/bits"
)

// nameTable finds values by their names: an open hash table of ValueIDs, a
// few bytes for each, as modules have millions of values. The names are those
// of the values.
type nameTable struct {
	slots []uint32 // ValueID plus one, 0 for a free slot
	count int
	seed  maphash.Seed
}

func newNameTable(n int) nameTable {
	return nameTable{slots: make([]uint32, max(16, n+n/3+1)), seed: maphash.MakeSeed()}
}

// findEntry returns the slot of the name: the one that has it, or the free one where
// it would be.
func (t *nameTable) findEntry(values []GlobalValue, name []byte) *uint32 {
	first, _ := bits.Mul64(maphash.Bytes(t.seed, name), uint64(len(t.slots)))
	for i := int(first); ; i++ {
		if i == len(t.slots) {
			i = 0
		}
		if slot := &t.slots[i]; *slot == 0 || values[*slot-1].Name == string(name) {
			return slot
		}
	}
}

// lookupName returns the value of that name.
func (t *nameTable) lookupName(values []GlobalValue, name []byte) (ValueID, bool) {
	if t.count == 0 {
		return 0, false
	}
	slot := *t.findEntry(values, name)
	return ValueID(slot - 1), slot != 0
}

// addName adds a value, and reports whether its name was free.
func (t *nameTable) addName(values []GlobalValue, id ValueID) bool {
	if 4*(t.count+1) > 3*len(t.slots) {
		t.growTable(values)
	}
	slot := t.findEntry(values, []byte(values[id].Name))
	if *slot != 0 {
		return false
	}
	*slot = uint32(id) + 1
	t.count++
	return true
}

func (t *nameTable) growTable(values []GlobalValue) {
	old := t.slots
	t.slots = make([]uint32, max(16, 2*len(old)))
	for _, id := range old {
		if id != 0 {
			*t.findEntry(values, []byte(values[id-1].Name)) = id
		}
	}
}
