package fromir

import (
	"math/bits"
	"math/rand/v2"
)

// wordTable finds things by the words that they were made of: a hash table of numbers,
// whose words the owner compares. Emptying it costs as much as it holds, not as much
// as it once held.
type wordTable struct {
	slots []uint32 // a number plus 1; 0 for none
	used  []uint32 // slots
}

// hashSeed keeps files from being made for their collisions. No output depends on
// the order of a table.
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

// findNumber returns the number of that hash for which same holds. Without one it
// puts fresh and returns that.
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

// growTable doubles the table; hash tells the hash of a number that it holds.
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
