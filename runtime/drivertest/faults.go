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
	testFaults(t, open, walkDevice, false, true)
}

// TestSingleFaults is TestFaults with one call failing at a time.
func TestSingleFaults(t *testing.T, open func(fail func(call string) error) (d driver.Driver, live func() int)) {
	testFaults(t, open, walkDevice, false)
}

// TestPlainFaults is TestFaults without events, native handles and parts of memory, for a driver
// whose commands run on after its calls have failed, even after the call that waits for them.
func TestPlainFaults(t *testing.T, open func(fail func(call string) error) (d driver.Driver, live func() int)) {
	testFaults(t, open, walkPlainly, false, true)
}

func testFaults(t *testing.T, open func(fail func(call string) error) (d driver.Driver, live func() int), walk func(*testing.T, driver.Driver) error, modes ...bool) {
	for _, lasting := range modes {
		var live func() int
		eachFault(t, lasting, func(f *Faults) error {
			var d driver.Driver
			d, live = open(f.Call)
			return errors.Join(walk(t, d), d.Close())
		}, func(t *testing.T) {
			t.Helper()
			if n := live(); n != 0 {
				t.Errorf("%d things were not closed (all calls from one on fail: %v)", n, lasting)
			}
		})
	}
}
