package lazy_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"offlink/lazy"
)

func TestValueIsMadeOnce(t *testing.T) {
	var made atomic.Int32
	v := lazy.Map[string, int]{New: func() map[string]int {
		made.Add(1)
		return map[string]int{"one": 1}
	}}
	if made.Load() != 0 {
		t.Fatal("the value was made before it was wanted")
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if v.Get()["one"] != 1 {
				t.Error("the table lacks its row")
			}
		})
	}
	all.Wait()
	if n := made.Load(); n != 1 {
		t.Errorf("the value was made %d times", n)
	}
}
