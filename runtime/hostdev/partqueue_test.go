package hostdev

import (
	"runtime"
	"testing"

	"offlink/runtime/driver"
)

// TestPartQueue: a launch in the queue of a part of the device has no more workers than the part
// has threads, and gives the same results.
func TestPartQueue(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	p := buildProgram(t, "golden/throughput.spv")
	if _, err := p.device.(*Device).NewPartQueue(driver.QueueOptions{}, 0); err == nil {
		t.Error("a queue of no threads was made")
	}
	for _, threads := range []int{1, 2, 100} {
		k, err := p.program.Kernel("saxpy")
		if err != nil {
			t.Fatal(err)
		}
		q, err := p.device.(*Device).NewPartQueue(driver.QueueOptions{}, threads)
		if err != nil {
			t.Fatal(err)
		}
		const size = 4096
		x := p.buffer(counted(size, func(i int) float32 { return float32(i) }))
		y := p.buffer(make([]float32, size))
		args := []driver.Arg{byValueOf(float32(2)), x, y}
		if err := q.Launch(k, groups(size, 256), args, driver.Sync{Block: true}); err != nil {
			t.Fatal(err)
		}
		check(t, p, "y", y, counted(size, func(i int) float32 { return float32(2 * i) }))
		code, err := launchedCode(k)
		if err != nil {
			t.Fatal(err)
		}
		// Workers stay with the code, and a worker is taken before the first group runs.
		if n := len(code.idle); n > threads || n < min(threads, 2) {
			t.Errorf("%d workers in a part of %d threads", n, threads)
		}
		code.idle = nil
		code.pace.Store(0)
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	}
}
