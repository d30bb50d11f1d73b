package shadow

import (
	"bytes"
	"testing"
)

func TestUndefined(t *testing.T) {
	var u Undefined
	bits := bytes.Repeat([]byte{0xff}, 3*pageSize)
	bits[5] = 0x0f
	u.Write(pageSize/2, bits)
	u.Define(pageSize, 10)
	got := make([]byte, len(bits)+2)
	if !u.Read(pageSize/2-1, got) {
		t.Error("nothing is undefined after undefined bits were written")
	}
	want := append(append([]byte{0}, bits...), 0)
	clear(want[pageSize/2+1 : pageSize/2+11])
	if !bytes.Equal(got, want) {
		t.Error("other bits are undefined than those written")
	}
	u.Define(0, 4*pageSize)
	if u.Read(pageSize/2-1, got) {
		t.Error("bits are undefined after all were defined")
	}
}

// access is one access of a test: site 1 reads, site 2 writes.
func (a *Accesses) access(at, n int64, item, site, barrier uint32) bool {
	now := Access{Time: barrier, Item: item, Site: site}
	ordered := func(earlier Access) bool { return earlier.Time < barrier }
	var found bool
	if site&^Atomic == 1 {
		_, found = a.Load(at, n, now, ordered)
	} else {
		_, found = a.Store(at, n, now, ordered)
	}
	return found
}

func TestAccesses(t *testing.T) {
	const read, write = 1, 2
	type step struct {
		at, n         int64
		item, site    uint32
		barrier       uint32
		race          bool
		whatThisTells string
	}
	for _, test := range [][]step{
		{{0, 4, 1, read, 1, false, ""}, {0, 4, 2, read, 1, false, "reads do not race"}, {0, 4, 1, write, 1, true, "item 2 has read"}},
		{{0, 4, 1, write, 1, false, ""}, {0, 4, 1, read, 1, false, "one item"}, {0, 4, 2, read, 1, true, ""}},
		{{0, 4, 1, write, 1, false, ""}, {0, 4, 2, read, 2, false, "after a barrier"}},
		{{0, 1, 1, write, 1, false, ""}, {1, 1, 2, write, 1, false, "another byte"}, {0, 4, 3, read, 1, true, ""}},
		{{0, 4, 1, write, 1, false, ""}, {3, 2, 2, write, 1, true, "one byte is common"}},
		{{pageSize - 4, 8, 1, write, 1, false, ""}, {pageSize, 4, 2, write, 1, true, "over the end of a page"}},
		{{0, 4, 1, write | Atomic, 1, false, ""}, {0, 4, 2, write | Atomic, 1, false, "both atomic"}, {0, 4, 3, read, 1, true, "not atomic"}},
	} {
		a := Accesses{SameGroup: func(x, y uint32) bool { return true }}
		for i, s := range test {
			if got := a.access(s.at, s.n, s.item, s.site, s.barrier); got != s.race {
				t.Errorf("%v: step %d: race %v; want %v", test, i, got, s.race)
			}
		}
	}
}

func TestLimit(t *testing.T) {
	a := Accesses{Limit: 1, SameGroup: func(x, y uint32) bool { return true }}
	a.access(0, 4, 1, 2, 1)
	if a.access(pageSize, 4, 1, 2, 1); !a.Full() || a.access(pageSize, 4, 2, 2, 1) {
		t.Error("a page beyond the limit is watched")
	}
	if !a.access(0, 4, 2, 2, 1) {
		t.Error("a page within the limit is not watched")
	}
}
