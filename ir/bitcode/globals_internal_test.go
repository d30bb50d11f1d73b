package bitcode

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRecordFields: fields of records whose numbers have one byte or several, within the words of
// eight bytes and across them, and after the numbers that are stored.
func TestRecordFields(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		want := make([]uint64, random.IntN(24))
		var data []byte
		for i := range want {
			want[i] = random.Uint64() >> (random.UintN(2)*63 + random.UintN(64)) // half of them have one bit at most
			data = binary.AppendUvarint(data, want[i])
		}
		rec := globalRecord{count: len(want) + 2, stored: len(want), data: data}
		want = append(want, 0, 0)
		if got := rec.appendFields(nil); !slices.Equal(got, want) {
			t.Fatalf("appendFields = %v, want %v", got, want)
		}
		for i, n := range want {
			if got := rec.fieldAt(i); got != n {
				t.Fatalf("field %d of %v = %d", i, want, got)
			}
			rest := rec
			rest.skipFields(i)
			if got := rest.appendFields(nil); !slices.Equal(got, want[i:]) {
				t.Fatalf("after %d fields of %v: %v", i, want, got)
			}
		}
	}
}
