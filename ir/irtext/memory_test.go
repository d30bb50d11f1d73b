package irtext_test

import (
	"runtime"
	"strings"
	"testing"

	"offlink/ir/irtext"
)

// Many small values cost a small multiple of the input: all allocations
// together, not only those that stay.
func TestMemoryOfManyValues(t *testing.T) {
	var b strings.Builder
	for i := range 100_000 {
		b.WriteString("@g" + itoa(i) + " = global i32 " + itoa(i) + "\n")
	}
	data := []byte(b.String())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := irtext.Parse("in.ll", data)
	runtime.ReadMemStats(&after)
	if err != nil || len(m.Values) != 100_000 {
		t.Fatal(err)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 8*uint64(len(data)) {
		t.Errorf("%d bytes for an input of %d: %.1f times", allocated, len(data), float64(allocated)/float64(len(data)))
	}
}
