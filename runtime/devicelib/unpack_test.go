package devicelib

import "testing"

// TestUnpacksFewBlocks: the first use of a function unpacks the block that it is in, and no other.
func TestUnpacksFewBlocks(t *testing.T) {
	fresh := make(map[*block]bool)
	for _, e := range entries() {
		fresh[e.block] = e.block.code == nil
	}
	if len(fresh) < 10 {
		t.Fatalf("%d blocks; want some dozens", len(fresh))
	}
	const symbol = "__devicelib_ldexpf"
	e := entries()[symbol]
	first := Image(symbol)
	if e == nil || first == nil || first != Image(symbol) {
		t.Fatalf("no image of %s, or two", symbol)
	}
	for b, wasFresh := range fresh {
		if wasFresh && b != e.block && b.code != nil {
			t.Error("another block was unpacked")
		}
	}
	if Image("no such function") != nil {
		t.Error("an image of no function")
	}
}
