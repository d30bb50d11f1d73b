package driver

import "testing"

// sized is a memory of which only the size counts.
type sized struct {
	Memory
	size int64
}

func (m *sized) Size() int64 { return m.size }

func TestAllocations(t *testing.T) {
	var a Allocations
	first, empty, last := &sized{size: 16}, &sized{}, &sized{size: 8}
	a.Insert(300, last)
	a.Insert(100, first)
	a.Insert(200, empty)
	for address, want := range map[uint64]Pointer{
		99: {}, 100: {first, 0}, 115: {first, 15}, 116: {}, 200: {empty, 0}, 201: {}, 299: {}, 307: {last, 7}, 308: {},
	} {
		if got, ok := a.Find(address); got != want || ok != (want.Memory != nil) {
			t.Errorf("%d: %v, %v; want %v", address, got, ok, want)
		}
	}
	a.Remove(150) // within one: none begins there
	a.Remove(200)
	if _, ok := a.Find(200); ok {
		t.Error("a memory that was removed is found")
	}
	if p, _ := a.Find(100); p.Memory != Memory(first) {
		t.Errorf("%v is found", p)
	}
}

func TestCheckRange(t *testing.T) {
	m := &sized{size: 8}
	for _, c := range []struct {
		offset, size int64
		ok           bool
	}{{0, 8, true}, {8, 0, true}, {8, 1, false}, {-1, 1, false}, {0, -1, false}, {1, 1<<63 - 1, false}, {9, 0, false}} {
		if err := CheckRange(m, c.offset, c.size); (err == nil) != c.ok {
			t.Errorf("%d bytes at %d: %v", c.size, c.offset, err)
		}
	}
}
