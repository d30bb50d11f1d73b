package mem

import (
	"bytes"
	"testing"
)

func TestReserve(t *testing.T) {
	r, err := Reserve(1<<62, 1<<32, 1<<28)
	if err != nil {
		t.Fatal(err)
	}
	other, err := Reserve(1<<32, 1<<28)
	if err != nil {
		t.Fatal(err)
	}
	if r.Base()%RegionAlignment != 0 || other.Base()%RegionAlignment != 0 || r.Base() == other.Base() {
		t.Errorf("regions at %#x and %#x", r.Base(), other.Base())
	}
	if n := int64(len(r.Bytes())); n != 1<<32 && n != 1<<28 {
		t.Errorf("the region has %d bytes", n)
	}
	if _, err := Reserve(1 << 62); err == nil {
		t.Error("2^62 bytes were reserved")
	}
	const at = 3 * PageSize
	if err := r.Commit(at, PageSize); err != nil {
		t.Fatal(err)
	}
	part := r.Bytes()[at : at+PageSize]
	copy(part, "written")
	r.Discard(at, PageSize)
	if err := r.Commit(at, PageSize); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(part, make([]byte, PageSize)) {
		t.Errorf("after Discard there is %q", part[:8])
	}
}
