package main

import (
	"testing"

	"offlink/internal/testtool"
	"offlink/runtime"
	"offlink/runtime/driver"
)

// quietQueue takes every launch and does nothing, so that the allocations of a
// launch are those of the runtime alone.
type quietQueue struct{ driver.Queue }

func (quietQueue) Launch(driver.Kernel, driver.Range, []driver.Arg, driver.Sync) error { return nil }

type quietDevice struct{ driver.Device }

func (d quietDevice) NewQueue(opts driver.QueueOptions) (driver.Queue, error) {
	q, err := d.Device.NewQueue(opts)
	return quietQueue{q}, err
}

// TestLaunchAllocates: a launch makes no more than one allocation in Go.
func TestLaunchAllocates(t *testing.T) {
	if testtool.RaceDetector {
		t.Skip("the race detector drops pooled launches at random")
	}
	host, hostLaunch := newLaunchLoop(t)
	defer host.closeAll()
	fake, _, device := newTestSession(t)
	d, err := lookupHandle[*runtime.Device](&fake.handles, device, "device")
	if err != nil {
		t.Fatal(err)
	}
	d.Device = quietDevice{d.Device}
	k, _, err := fake.openKernel(device, 0, runtime.KernelRef{Name: "scale"})
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := fake.createBuffer(device, 8, nil)
	if err != nil {
		t.Fatal(err)
	}
	value := []byte{2, 0, 0, 0}
	r := &launchRequest{}
	fakeLaunch := func() error {
		r.forgetLaunch()
		r.sizes[0][0] = 2
		r.size.Global = r.sizes[0][:1]
		r.args = append(r.args, argument{kind: argBuffer, buffer: b}, argument{kind: argValue, value: value}, argument{kind: argLocal, size: 4})
		_, err := fake.launchKernel(k, r)
		return err
	}
	for name, launch := range map[string]func() error{"embedded device": hostLaunch, "fake driver": fakeLaunch} {
		n := testing.AllocsPerRun(200, func() {
			if err := launch(); err != nil {
				t.Fatal(err)
			}
		})
		if n > 1 {
			t.Errorf("%s: %v allocations a launch", name, n)
		}
	}
}
