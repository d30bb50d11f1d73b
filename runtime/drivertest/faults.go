package drivertest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"offlink/runtime/driver"
)

// Faults makes one call of a back end fail. The back end asks its method Call before each
// call that can fail. Faults counts calls and does not name them, so that a new call of
// a back end is tested without a change here.
type Faults struct {
	mu    sync.Mutex
	count int
	fail  int // the call that fails, counted from 1; 0: none
	// lasting has all calls after it fail too, as those of a lost device do.
	lasting bool
	call    string // the first that failed
}

// faultCode is the code of injected failures, a code that nothing else has.
const faultCode = -4711

// Call counts a call, and returns the error for the one that is to fail.
func (f *Faults) Call(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	if f.count != f.fail && !(f.lasting && f.fail != 0 && f.count > f.fail) {
		return nil
	}
	if f.call == "" {
		f.call = name
	}
	return &driver.CallError{Call: name, Code: faultCode, Name: "INJECTED"}
}

// maxFaults bounds the runs of a test: one of a back end that repeats a failed call would
// never end.
const maxFaults = 10000

// EachFault runs the test's work repeatedly, each time with the next call failing, until
// no call is left to fail. The error of the work must wrap the injected one, with the
// call and the code in its text. After each run, done checks that nothing was leaked.
func EachFault(t *testing.T, work func(f *Faults) error, done func(t *testing.T)) {
	t.Helper()
	eachFault(t, false, work, done)
}

// eachFault is EachFault, with the calls after the failing one failing too if lasting.
func eachFault(t *testing.T, lasting bool, work func(f *Faults) error, done func(t *testing.T)) {
	t.Helper()
	for n := 1; n < maxFaults; n++ {
		f := &Faults{fail: n, lasting: lasting}
		err := work(f)
		done(t)
		if f.call == "" {
			if err != nil {
				t.Errorf("no call failed, and the work did: %v", err)
			}
			if n == 1 {
				t.Error("the work makes no call that can fail")
			}
			return
		}
		if _, ok := errors.AsType[*driver.CallError](err); !ok {
			t.Errorf("call %d, %s, failed; the error is %v, which does not wrap the call's", n, f.call, err)
			continue
		}
		for _, part := range []string{f.call, fmt.Sprint(faultCode)} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("call %d, %s, failed; %q does not name %s", n, f.call, err, part)
			}
		}
	}
	t.Errorf("%d calls, and no end", maxFaults)
}

// failedDriver is a back end that could not be opened.
type failedDriver struct{ err error }

func (d failedDriver) Name() string                      { return "failed" }
func (d failedDriver) Devices() ([]driver.Device, error) { return nil, d.err }
func (d failedDriver) Close() error                      { return nil }

// FailedDriver returns the driver that open of TestFaults gives where the back end cannot be
// opened: its Devices fails with the error.
func FailedDriver(err error) driver.Driver { return failedDriver{err} }

// TestFaults walks through a back end with each of its calls failing in turn, and again
// with all calls from each one on failing. open opens it so that it asks fail before each
// call, and returns a FailedDriver where that fails; live counts the things that it created
// and that were not closed. Calls that release something must be made in any case, and count
// as done even if they fail.
func TestFaults(t *testing.T, open func(fail func(call string) error) (d driver.Driver, live func() int)) {
	for _, lasting := range []bool{false, true} {
		var live func() int
		eachFault(t, lasting, func(f *Faults) error {
			var d driver.Driver
			d, live = open(f.Call)
			return errors.Join(walkDevice(t, d), d.Close())
		}, func(t *testing.T) {
			t.Helper()
			if n := live(); n != 0 {
				t.Errorf("%d things were not closed (all calls from one on fail: %v)", n, lasting)
			}
		})
	}
}

// walkDevice uses every part of a device once, and closes it.
func walkDevice(t *testing.T, d driver.Driver) (err error) {
	var w deviceWalk
	defer func() { err = errors.Join(err, w.closeParts()) }()
	if err := w.openParts(t, d); err != nil {
		return err
	}
	for _, step := range w.queueSteps() {
		if err := step(); err != nil {
			return errors.Join(err, w.queue.Finish())
		}
	}
	return errors.Join(w.walkSubDevices(), walkBinary(t, w.device, w.program))
}

// deviceWalk is a device with one of each of its parts.
type deviceWalk struct {
	device  driver.Device
	queue   driver.Queue
	memory  driver.Memory
	program driver.Program
	kernel  driver.Kernel
	open    []closer
}

// keepPart notes a part that was opened, to be closed at the end.
func (w *deviceWalk) keepPart(c closer, failed error) error {
	if failed == nil {
		w.open = append(w.open, c)
	}
	return failed
}

// closeParts closes the parts in the reverse order: each may use those before it.
func (w *deviceWalk) closeParts() (err error) {
	for i := len(w.open) - 1; i >= 0; i-- {
		err = errors.Join(err, w.open[i].Close())
	}
	return err
}

func (w *deviceWalk) openParts(t *testing.T, d driver.Driver) error {
	devices, err := d.Devices()
	if err != nil {
		return err
	}
	w.device = devices[0]
	kernels, err := kernelsFor(w.device)
	if err != nil {
		return err
	}
	w.queue, err = w.device.NewQueue(driver.QueueOptions{})
	if err := w.keepPart(w.queue, err); err != nil {
		return err
	}
	w.memory, err = w.device.Alloc(driver.DeviceMemory, 64)
	if err := w.keepPart(w.memory, err); err != nil {
		return err
	}
	w.program, err = driver.Build(t.Context(), w.device, []driver.Module{kernels.appModule(), kernels.libModule()}, driver.BuildOptions{})
	if err := w.keepPart(w.program, err); err != nil {
		return err
	}
	w.kernel, err = w.program.Kernel("app")
	return w.keepPart(w.kernel, err)
}

// queueSteps are the commands of a queue, each once.
func (w *deviceWalk) queueSteps() []func() error {
	q, m, data := w.queue, w.memory, make([]byte, 16)
	return []func() error{
		func() error { return q.Write(m, 0, data, driver.Sync{}) },
		func() error { return q.Fill(m, 32, 16, []byte{1}, driver.Sync{}) },
		func() error { return q.Copy(m, 0, m, 32, 16, driver.Sync{}) },
		func() error { return q.Barrier(driver.Sync{}) },
		func() error {
			return q.Launch(w.kernel, driver.Range{Global: []int{4}}, []driver.Arg{{Memory: m}}, driver.Sync{})
		},
		func() error { return q.Read(m, 0, data, driver.Sync{}) },
		q.Flush, q.Finish,
		func() error { _, err := w.program.Variable("variable"); return err },
	}
}

// walkSubDevices uses the first part of the device.
func (w *deviceWalk) walkSubDevices() error {
	whole, ok := w.device.(driver.Partitioner)
	if !ok {
		return nil
	}
	parts, err := whole.SubDevices()
	if err != nil || len(parts) == 0 {
		return err
	}
	q, err := parts[0].NewQueue(driver.QueueOptions{})
	if err != nil {
		return err
	}
	m, err := parts[0].Alloc(driver.DeviceMemory, 64)
	if err != nil {
		return errors.Join(err, q.Close())
	}
	return errors.Join(q.Fill(m, 0, 64, []byte{1}, driver.Sync{}), q.Finish(), q.Close(), m.Close())
}

func walkBinary(t *testing.T, device driver.Device, p driver.Program) error {
	source, ok := p.(driver.BinaryProgram)
	loader, loads := device.(driver.BinaryLoader)
	if !ok || !loads {
		return nil
	}
	binary, err := source.Binary()
	if err != nil {
		return err
	}
	loaded, err := loader.LoadBinary(t.Context(), binary)
	if err != nil {
		return err
	}
	return loaded.Close()
}
