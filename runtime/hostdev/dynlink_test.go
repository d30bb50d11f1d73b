package hostdev

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/runtime/driver"
)

// TestDynlink launches a kernel of one module that calls a function of
// another.
func TestDynlink(t *testing.T) {
	p := buildProgram(t, "app.spv", "lib.spv")
	out := p.buffer(make([]int32, 8))
	p.launch("app", driver.Range{Global: []int{8}}, out)
	want := []int32{0, 2, 4, 6, 8, 10, 12, 14}
	if diff := cmp.Diff(want, readBuffer[int32](p, out)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
