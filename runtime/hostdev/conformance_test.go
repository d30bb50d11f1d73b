package hostdev

import (
	"io"
	"testing"

	"offlink/runtime/driver"
	"offlink/runtime/drivertest"
)

func TestConformance(t *testing.T) {
	d := New(Options{Output: io.Discard})
	drivertest.Test(t, d, drivertest.Options{})
	if n := len(d.device.heap.live); n != 0 {
		t.Errorf("%d allocations are left", n)
	}
}

func TestCheckedConformance(t *testing.T) {
	drivertest.Test(t, New(Options{Output: io.Discard, Check: true}), drivertest.Options{})
}

func TestEachCallFails(t *testing.T) {
	drivertest.TestFaults(t, func(fail func(string) error) (driver.Driver, func() int) {
		d := New(Options{Output: io.Discard, Fail: fail})
		return d, func() int { return len(d.device.heap.live) }
	})
}
