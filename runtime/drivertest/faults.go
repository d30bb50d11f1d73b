package drivertest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"offlink/runtime/driver"
)

// Faults makes one call of a back end fail. The back end asks its method Call
// before each call that can fail.
type Faults struct {
	mu    sync.Mutex
	count int
	fail  int // the call that fails, counted from 1; 0: none
	call  string
}

// faultCode is the code of injected failures, a code that nothing else has.
const faultCode = -4711

// Call counts a call, and returns the error for the one that is to fail.
func (f *Faults) Call(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	if f.count != f.fail {
		return nil
	}
	f.call = name
	return &driver.CallError{Call: name, Code: faultCode, Name: "INJECTED"}
}

// maxFaults bounds the calls of a test.
const maxFaults = 10000

// EachFault runs the test's work again and again, on each run with the next
// call failing, until none is left to fail. The work reports its error; that
// must be the injected one, with the call and the code in its text. After each
// run, done checks that nothing was leaked.
func EachFault(t *testing.T, work func(f *Faults) error, done func(t *testing.T)) {
	t.Helper()
	for n := 1; n < maxFaults; n++ {
		f := &Faults{fail: n}
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

// TestFaults walks through a back end with each of its calls failing in turn.
// open opens it so that it asks fail before each call; live counts the things
// that it gave out and that were not closed.
func TestFaults(t *testing.T, open func(fail func(call string) error) (d driver.Driver, live func() int)) {
	var live func() int
	EachFault(t, func(f *Faults) error {
		var d driver.Driver
		d, live = open(f.Call)
		return errors.Join(walkDevice(t, d), d.Close())
	}, func(t *testing.T) {
		t.Helper()
		if n := live(); n != 0 {
			t.Errorf("%d things were not closed", n)
		}
	})
}

// walkDevice uses every part of a device once, and closes it.
func walkDevice(t *testing.T, d driver.Driver) (err error) {
	var open []closer
	defer func() {
		for i := len(open) - 1; i >= 0; i-- {
			err = errors.Join(err, open[i].Close())
		}
	}()
	keep := func(c closer, failed error) error {
		if failed == nil {
			open = append(open, c)
		}
		return failed
	}
	devices, err := d.Devices()
	if err != nil {
		return err
	}
	device := devices[0]
	kernels, err := kernelsFor(device)
	if err != nil {
		return err
	}
	q, err := device.NewQueue(driver.QueueOptions{})
	if err := keep(q, err); err != nil {
		return err
	}
	m, err := device.Alloc(driver.DeviceMemory, 64)
	if err := keep(m, err); err != nil {
		return err
	}
	p, err := driver.Build(t.Context(), device, []driver.Module{kernels.appModule(), kernels.libModule()}, driver.BuildOptions{})
	if err := keep(p, err); err != nil {
		return err
	}
	k, err := p.Kernel("app")
	if err := keep(k, err); err != nil {
		return err
	}
	data := make([]byte, 16)
	for _, step := range []func() error{
		func() error { return q.Write(m, 0, data, driver.Sync{}) },
		func() error { return q.Fill(m, 32, 16, []byte{1}, driver.Sync{}) },
		func() error { return q.Copy(m, 0, m, 32, 16, driver.Sync{}) },
		func() error { return q.Barrier(driver.Sync{}) },
		func() error {
			return q.Launch(k, driver.Range{Global: []int{4}}, []driver.Arg{{Memory: m}}, driver.Sync{})
		},
		func() error { return q.Read(m, 0, data, driver.Sync{}) },
		q.Flush, q.Finish,
		func() error { _, err := p.Variable("variable"); return err },
	} {
		if err := step(); err != nil {
			return errors.Join(err, q.Finish())
		}
	}
	return walkBinary(t, device, p)
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
