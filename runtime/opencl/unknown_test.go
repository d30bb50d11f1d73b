package opencl

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"offlink/runtime/driver"
)

// refusals makes the calls of one function fail, once they are switched on.
type refusals struct {
	call   string
	on     atomic.Bool
	passes atomic.Int32 // calls that are made before the first one fails
}

var errRefused = errors.New("refused")

func (r *refusals) fail(call string) error {
	if call != r.call || !r.on.Load() || r.passes.Add(-1) >= 0 {
		return nil
	}
	return &driver.CallError{Call: call, Code: -4711, Err: errRefused}
}

// refusingDevice is the device of a library whose calls of one function can be made to fail,
// with a queue, memory and an event of the host, which the caller closes.
type refusingDevice struct {
	*Device
	*refusals
	q    driver.Queue
	m    driver.Memory
	gate driver.UserEvent
}

func openRefusing(t *testing.T, f *fakeLibrary, call string, opts driver.QueueOptions, alter func(*abilities)) *refusingDevice {
	t.Helper()
	r := &refusals{call: call}
	d := &refusingDevice{refusals: r, Device: onlyDevice(t, f.open(Options{Fail: r.fail, alter: alter}))}
	var err1, err2, err3 error
	d.q, err1 = d.NewQueue(opts)
	d.m, err2 = d.Alloc(driver.DeviceMemory, 64)
	d.gate, err3 = d.NewEvent()
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	return d
}

// end switches the refusals off and closes everything.
func (d *refusingDevice) end(t *testing.T) {
	t.Helper()
	d.on.Store(false)
	d.gate.Complete(nil)
	_ = d.q.Finish() // tells the refusals
	if err := errors.Join(d.gate.Close(), d.m.Close(), d.q.Close()); err != nil {
		t.Error(err)
	}
}

func wantRefused(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, errRefused) {
		t.Errorf("%s: %v; want the refusal", what, err)
	}
}

// TestMemoryWithoutMarker: memory stays in use until its commands have ended although the
// driver makes no marker, also those of a closed queue.
func TestMemoryWithoutMarker(t *testing.T) {
	for _, closed := range []bool{false, true} {
		for name, options := range map[string][]string{"unified": nil, "virtual": {"-DNO_USM"}} {
			t.Run(name, func(t *testing.T) {
				f := buildFake(t, options...)
				f.set("fake_lazy", 1)
				d := openRefusing(t, f, "clEnqueueMarkerWithWaitList", driver.QueueOptions{}, nil)
				err := errors.Join(
					d.q.Fill(d.m, 0, 64, []byte{1}, driver.Sync{}),
					d.q.Write(d.m, 0, make([]byte, 16), driver.Sync{After: []driver.Event{d.gate}}))
				if err != nil {
					t.Fatal(err)
				}
				d.on.Store(true)
				if closed {
					wantRefused(t, "Close of the queue", d.q.Close())
				}
				err = d.m.Close()
				if !closed {
					wantRefused(t, "Close of the memory", err)
				}
				d.gate.Complete(nil)
				if !closed {
					err = errors.Join(d.q.Finish(), d.q.Close())
				}
				if err := errors.Join(err, d.gate.Close()); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestSilentEndUnknown: on a driver that calls nobody for failures, functions that wait for an
// event are called when it does not tell the state any more.
func TestSilentEndUnknown(t *testing.T) {
	d := openRefusing(t, buildFake(t), "clGetEventInfo", driver.QueueOptions{}, func(a *abilities) { a.silentFailures = true })
	defer d.end(t)
	told := make(chan error, 1)
	d.gate.OnDone(func(err error) { told <- err })
	d.on.Store(true)
	select {
	case err := <-told:
		wantRefused(t, "the function", err)
	case <-time.After(time.Minute):
		t.Error("the function is not called")
	}
}

// TestNotStarted: a wait for a command tells that the driver does not start it.
func TestNotStarted(t *testing.T) {
	f := buildFake(t)
	f.set("fake_lazy", 1)
	d := openRefusing(t, f, "clFlush", driver.QueueOptions{}, nil)
	defer d.end(t)
	var filled driver.Event
	if err := d.q.Fill(d.m, 0, 16, []byte{1}, driver.Sync{Done: &filled}); err != nil {
		t.Fatal(err)
	}
	d.on.Store(true)
	wantRefused(t, "a wait with a limit", filled.Wait(contextWithEnd(t)))
	told := make(chan error, 1)
	filled.OnDone(func(err error) { told <- err })
	wantRefused(t, "the function", <-told)
	if err := filled.Close(); err != nil {
		t.Error(err)
	}
}

// TestRiskUnknown: a command is refused if it is not known whether an event has failed that it
// waits for, on drivers that die of those.
func TestRiskUnknown(t *testing.T) {
	for name, alter := range failureQuirks {
		for _, outOfOrder := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				d := openRefusing(t, buildFake(t), "clGetEventInfo", driver.QueueOptions{OutOfOrder: outOfOrder}, alter)
				defer d.end(t)
				d.on.Store(true)
				after := driver.Sync{After: []driver.Event{d.gate}}
				wantRefused(t, "Fill", d.q.Fill(d.m, 0, 16, []byte{1}, after))
				wantRefused(t, "Barrier", d.q.Barrier(after))
			})
		}
	}
}

// TestBarrierWithoutCallback: a barrier after commands whose ends the driver does not tell is
// refused, as it would end too early.
func TestBarrierWithoutCallback(t *testing.T) {
	d := openRefusing(t, buildFake(t), "clSetEventCallback", driver.QueueOptions{OutOfOrder: true}, failureQuirks["apart"])
	defer d.end(t)
	if err := d.q.Fill(d.m, 0, 16, []byte{1}, driver.Sync{After: []driver.Event{d.gate}}); err != nil {
		t.Fatal(err)
	}
	d.on.Store(true)
	wantRefused(t, "Barrier", d.q.Barrier(driver.Sync{}))
}

// TestLastWaitFails: a command that blocks returns the failure of the last wait for it, and not
// only the next Finish.
func TestLastWaitFails(t *testing.T) {
	const waits = 3 // for the end, for its result, for the results of those before
	for passes := range int32(waits) {
		d := openRefusing(t, buildFake(t), "clWaitForEvents", driver.QueueOptions{}, nil)
		d.gate.Complete(nil)
		d.passes.Store(passes)
		d.on.Store(true)
		err := d.q.Write(d.m, 0, make([]byte, 16), driver.Sync{After: []driver.Event{d.gate}, Block: true})
		wantRefused(t, "Write", err)
		if err != nil && strings.Contains(err.Error(), "before it") {
			t.Errorf("Write: %v; the failure is its own", err)
		}
		d.end(t)
	}
}

// TestEndOfOrphans: a device that closes waits for the commands of closed queues, whose events
// it has.
func TestEndOfOrphans(t *testing.T) {
	d := openRefusing(t, buildFake(t), "clEnqueueMarkerWithWaitList", driver.QueueOptions{}, nil)
	if err := d.q.Write(d.m, 0, make([]byte, 16), driver.Sync{After: []driver.Event{d.gate}}); err != nil {
		t.Fatal(err)
	}
	d.on.Store(true)
	wantRefused(t, "Close of the queue", d.q.Close())
	if err := d.m.Close(); err != nil {
		t.Error(err)
	}
	go func() {
		time.Sleep(lastCommands / 10)
		d.gate.Complete(nil)
		_ = d.gate.Close()
	}()
}
