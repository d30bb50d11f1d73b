package fromir

import (
	"math/bits"
	"math/rand/v2"
)

// wordTable finds things by the words of which they were made. It is a hash table of numbers;
// its owner compares the words for which they stand. Emptying it takes time in proportion to
// its contents, not to its size: it is emptied for each unit.
type wordTable struct {
	slots []uint32 // a number plus 1; 0 for none
	used  []uint32 // slots
}

// hashSeed keeps anyone from making files whose words collide. It does not influence outputs,
// which never depend on the order of a table.
var hashSeed = rand.Uint64() | 1

// hashWord adds a word to a hash.
func hashWord(h uint64, w uint32) uint64 {
	high, low := bits.Mul64(h^uint64(w), hashSeed)
	return high ^ low
}

func hashWords(h uint64, words []uint32) uint64 {
	for _, w := range words {
		h = hashWord(h, w)
	}
	return h
}

// resetTable forgets all numbers.
func (t *wordTable) resetTable() {
	for _, at := range t.used {
		t.slots[at] = 0
	}
	t.used = t.used[:0]
}

// findNumber returns the number with hash h for which same returns true. If there is none, it
// adds fresh and returns that. hash returns the hash of a number of the table, which growing
// needs.
func (t *wordTable) findNumber(h uint64, fresh uint32, same func(uint32) bool, hash func(uint32) uint64) (n uint32, found bool) {
	if 2*len(t.used) >= len(t.slots) {
		t.growTable(hash)
	}
	at := uint32(h) & uint32(len(t.slots)-1)
	for ; t.slots[at] != 0; at = (at + 1) & uint32(len(t.slots)-1) {
		if n := t.slots[at] - 1; same(n) {
			return n, true
		}
	}
	t.slots[at] = fresh + 1
	t.used = append(t.used, at)
	return fresh, false
}

// growTable doubles the table and puts its numbers into their new slots.
func (t *wordTable) growTable(hash func(uint32) uint64) {
	old, used := t.slots, t.used
	t.slots, t.used = make([]uint32, max(128, 2*len(old))), make([]uint32, 0, len(old)+64)
	for _, from := range used {
		at := uint32(hash(old[from]-1)) & uint32(len(t.slots)-1)
		for t.slots[at] != 0 {
			at = (at + 1) & uint32(len(t.slots)-1)
		}
		t.slots[at] = old[from]
		t.used = append(t.used, at)
	}
}
