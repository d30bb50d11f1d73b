package container

import (
	"sync"
	"testing"
)

// TestReleaseWhileMapping: readers of images release pages while an edit maps files. The
// race detector tells.
func TestReleaseWhileMapping(t *testing.T) {
	b := NewScratchBudget(0)
	defer b.Close()
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for range 100 {
				b.Release()
			}
		})
	}
	for range 20 {
		f, err := b.Scratch()
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Truncate(1 << 16); err != nil {
			t.Fatal(err)
		}
		if _, err := b.MapFile(f, 1<<16); err != nil {
			t.Fatal(err)
		}
	}
	group.Wait()
	if n := len(b.scratch.mappings()); n != 20 {
		t.Errorf("%d mappings; want 20", n)
	}
}
