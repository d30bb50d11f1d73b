package fromir

import (
	"math/rand/v2"
	"testing"
)

// A table agrees with a map, through growth and emptying.
func TestWordTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var table wordTable
	for round := range 5 {
		var values []uint32
		known := map[uint32]uint32{}
		hash := func(n uint32) uint64 { return hashWord(1, values[n]) }
		for range 3000 {
			v := r.Uint32N(1000 * uint32(round+1))
			values = append(values, v)
			fresh := uint32(len(values) - 1)
			n, found := table.findNumber(hashWord(1, v), fresh, func(n uint32) bool { return values[n] == v }, hash)
			want, ok := known[v]
			if !ok {
				known[v], want = fresh, fresh
			}
			if found != ok || n != want {
				t.Fatalf("round %d: %d is number %d, %v; want %d, %v", round, v, n, found, want, ok)
			}
		}
		table.resetTable()
	}
}
