package mem

import (
	"encoding/binary"
	"testing"
)

func TestNew(t *testing.T) {
	for _, size := range []int64{0, 1, 7, 8, 9, 4096} {
		b := New(size)
		if int64(len(b)) != size || int64(cap(b)) != size {
			t.Errorf("New(%d) has %d bytes of %d", size, len(b), cap(b))
		}
		if size > 0 && !Aligned(b, Alignment) {
			t.Errorf("New(%d) is not aligned", size)
		}
	}
	if Aligned(New(16)[4:], 8) {
		t.Error("four bytes on, it is aligned to eight")
	}
}

// TestOrder: the words are little-endian, whatever the host is.
func TestOrder(t *testing.T) {
	b := New(16)
	Store32(b, 0x01020304)
	Store64(b[8:], 0x05060708090a0b0c)
	if got := binary.LittleEndian.Uint32(b); got != 0x01020304 {
		t.Errorf("stored %#x", got)
	}
	if got := binary.LittleEndian.Uint64(b[8:]); got != 0x05060708090a0b0c {
		t.Errorf("stored %#x", got)
	}
	if CompareAndSwap32(b, 1, 2) || !CompareAndSwap32(b, 0x01020304, 7) || Load32(b) != 7 {
		t.Errorf("compare and swap left %#x", Load32(b))
	}
	if CompareAndSwap64(b[8:], 1, 2) || !CompareAndSwap64(b[8:], 0x05060708090a0b0c, 7) || Load64(b[8:]) != 7 {
		t.Errorf("compare and swap left %#x", Load64(b[8:]))
	}
}

// TestBounds: an access beyond the end panics before it is made.
func TestBounds(t *testing.T) {
	for name, access := range map[string]func(b []byte){
		"Load32": func(b []byte) { Load32(b[:3]) },
		"Load64": func(b []byte) { Load64(b[:7]) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s reads beyond the end", name)
				}
			}()
			access(New(8))
		}()
	}
}
