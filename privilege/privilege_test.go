package privilege

import (
	"encoding/binary"
	"testing"
)

func TestSecureEntry(t *testing.T) {
	vector := func(words ...uint64) (b []byte) {
		for _, w := range words {
			b = binary.NativeEndian.AppendUint64(b, w)
		}
		return b
	}
	for _, c := range []struct {
		vector []byte
		want   bool
	}{{nil, false}, {vector(6, 4096, 23, 1, 0, 0), true}, {vector(23, 0, 0, 0), false}, {vector(6, 23), false}, {vector(6, 4096, 23), false}} {
		if got := hasSecureEntry(c.vector); got != c.want {
			t.Errorf("%v: %v", c.vector, got)
		}
	}
	if Raised() {
		t.Error("the test has more rights than its user")
	}
}
