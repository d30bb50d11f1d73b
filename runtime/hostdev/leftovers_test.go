package hostdev

import (
	"testing"

	"offlink/runtime/driver"
)

// TestLeftovers: each work-group finds zeros in its local memory, whatever the size.
func TestLeftovers(t *testing.T) {
	for _, e := range executors {
		if e.options.Check {
			continue // it reports that the memory is read before it is written
		}
		p := buildModules(t, e.options, driver.BuildOptions{}, readModules(t, "golden/barriers.spv")...)
		for _, words := range []int{1, 15, 16, 17, 31, 63, 64, 65, 80, 127, 128, 250, 256, 2047} {
			out := p.buffer([]int32{0})
			p.launch("leftovers", driver.Range{Global: []int{64}, Local: []int{16}}, out,
				driver.Arg{LocalSize: int64(4 * words)}, byValueOf(int32(words)))
			if n := readBuffer[int32](p, out)[0]; n != 0 {
				t.Errorf("%s: %d of %d words were not cleared", e.name, n, 4*words)
			}
		}
	}
}
