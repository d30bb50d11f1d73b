package bitcode_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"runtime"
	"testing"

	"offlink/internal/testtool"
	"offlink/ir/bitcode"
)

// Many small values cost a small multiple of the input: all allocations
// together, not only those that stay.
func TestMemoryOfManyValues(t *testing.T) {
	var text bytes.Buffer
	for i := range 100_000 {
		fmt.Fprintf(&text, "@g%d = global i32 %d\n", i, i%10)
	}
	cmd := exec.Command(testtool.Path(t, "llvm-as-19"), "-", "-o", "-")
	cmd.Stdin = &text
	data, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := bitcode.Read("in.bc", data)
	runtime.ReadMemStats(&after)
	if err != nil || len(m.Values) != 100_000 {
		t.Fatal(err)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 10*uint64(len(data)) {
		t.Errorf("%d bytes for an input of %d: %.1f times", allocated, len(data), float64(allocated)/float64(len(data)))
	}
}
