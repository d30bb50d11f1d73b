package opencl

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"offlink/runtime/driver"
	"offlink/runtime/drivertest"
)

// TestFailedChain: commands wait for a function of the host that waits for a command which
// fails, as in the C library, and the wait for the queue returns. Intel's driver does not
// survive that (docs/opencl.md).
func TestFailedChain(t *testing.T) {
	for _, device := range testDevices {
		t.Run(device.name, func(t *testing.T) {
			if !inChild(t, device) {
				return
			}
			d := onlyDevice(t, openDriver(t, Options{}))
			if d.able.noHostEvents != "" {
				t.Skip(d.able.noHostEvents)
			}
			for range 50 {
				failedChain(t, d, false)
				failedChain(t, d, true)
			}
			if n := callbackCount(d); n != 0 {
				t.Errorf("%d callbacks are left", n)
			}
		})
	}
}

func failedChain(t *testing.T, d *Device, outOfOrder bool) {
	t.Helper()
	q, err1 := d.NewQueue(driver.QueueOptions{OutOfOrder: outOfOrder})
	m, err2 := d.Alloc(driver.DeviceMemory, 64)
	gate, err3 := d.NewEvent()
	ends, err4 := d.NewEvent()
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	cause := errors.New("the host gave up")
	var filled, begins, done, last driver.Event
	err := errors.Join(
		q.Fill(m, 0, 64, []byte{1}, driver.Sync{After: []driver.Event{gate}, Done: &filled}),
		q.Barrier(driver.Sync{After: []driver.Event{filled}, Done: &begins}),
		q.Barrier(driver.Sync{After: []driver.Event{ends}, Done: &done}))
	if err != nil {
		t.Fatal(err)
	}
	begins.OnDone(ends.Complete)
	if err := q.Fill(m, 0, 64, []byte{2}, driver.Sync{After: []driver.Event{done}, Done: &last}); err != nil {
		t.Fatal(err)
	}
	gate.Complete(cause)
	finished := make(chan error, 1)
	go func() { finished <- q.Finish() }()
	select {
	case err := <-finished:
		if !errors.Is(err, cause) {
			t.Errorf("Finish: %v; want %v", err, cause)
		}
	case <-time.After(10 * time.Second):
		panic(fmt.Sprintf("Finish does not return, out of order: %v", outOfOrder)) // the queue cannot be closed
	}
	if err := last.Wait(t.Context()); err == nil {
		t.Error("the last command did not fail")
	}
	for _, c := range []interface{ Close() error }{filled, begins, done, last, gate, ends, q, m} {
		if err := c.Close(); err != nil {
			t.Errorf("Close of %T: %v", c, err)
		}
	}
}

// failureQuirks are the ways around drivers that die of failures.
var failureQuirks = map[string]func(*abilities){
	"apart": func(a *abilities) { a.diesOfFailures = true },
	"alone": func(a *abilities) { a.diesOfFailures, a.failsAlone = true, true },
}

// TestFailureQuirks runs the suite with them, and on a driver that starts commands only when
// they are flushed.
func TestFailureQuirks(t *testing.T) {
	for name, alter := range failureQuirks {
		for lazy := range 2 {
			t.Run(fmt.Sprintf("%s,Lazy=%v", name, lazy == 1), func(t *testing.T) {
				f := buildFake(t)
				f.set("fake_lazy", lazy)
				drivertest.Test(t, f.open(Options{alter: alter}), drivertest.Options{})
			})
		}
	}
}

// TestStandInTellsNothing: a failed event that stands for a command ends before the commands
// before it in its queue, whose memory stays until they have ended.
func TestStandInTellsNothing(t *testing.T) {
	f := buildFake(t)
	f.set("fake_lazy", 1)
	d := onlyDevice(t, f.open(Options{alter: failureQuirks["apart"]}))
	q, err1 := d.NewQueue(driver.QueueOptions{})
	m, err2 := d.Alloc(driver.DeviceMemory, 64)
	gate, err3 := d.NewEvent()
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	gate.Complete(errors.New("the host gave up"))
	var failed driver.Event
	if err := errors.Join(
		q.Fill(m, 0, 64, []byte{1}, driver.Sync{}), // starts when it is flushed
		q.Fill(m, 0, 64, []byte{2}, driver.Sync{After: []driver.Event{gate}, Done: &failed}),
	); err != nil {
		t.Fatal(err)
	}
	if failed.Status() != driver.Failed {
		t.Error("the command after a failed event did not fail")
	}
	if n := q.(*queue).state.Load().Ended.Load(); n != 0 {
		t.Errorf("%d commands count as ended", n)
	}
	if err := q.Finish(); err == nil {
		t.Error("Finish does not tell of the failure")
	}
	for _, c := range []interface{ Close() error }{failed, gate, q, m} {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
