package opencl

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"offlink/internal/testtool"
	"offlink/runtime/driver"
	"offlink/runtime/drivertest"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/dl"
)

// fakeLibrary is the library of testdata/libopencl.c, whose variables the test
// sets and reads. It is held open until the end of the test.
type fakeLibrary struct {
	t       *testing.T
	library *dl.Library
}

// compiled has the libraries that were built, by their options.
var compiled = map[string][]byte{}

// compileFake compiles the library to path, or copies it: a library that is
// opened by another path has variables of its own.
func compileFake(t *testing.T, path string, options []string) {
	t.Helper()
	key := strings.Join(options, " ")
	if code, ok := compiled[key]; ok {
		if err := os.WriteFile(path, code, 0o700); err != nil {
			t.Fatal(err)
		}
		return
	}
	args := append([]string{"-shared", "-fPIC", "-I../drivertest/testdata", "-o", path, "testdata/libopencl.c", "-lpthread"}, options...)
	if out, err := exec.Command(testtool.Path(t, "gcc"), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	code, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	compiled[key] = code
}

// buildFake builds and opens the library.
func buildFake(t *testing.T, options ...string) *fakeLibrary {
	t.Helper()
	path := filepath.Join(t.TempDir(), "libOpenCL.so.1")
	compileFake(t, path, options)
	library, err := dl.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = library.Close() })
	return &fakeLibrary{t, library}
}

func (f *fakeLibrary) bytes(name string, size int) []byte {
	f.t.Helper()
	address, err := f.library.Symbol(name)
	if err != nil {
		f.t.Fatal(err)
	}
	return dl.Bytes(address, size)
}

func (f *fakeLibrary) number(name string) int {
	f.t.Helper()
	return int(int32(binary.NativeEndian.Uint32(f.bytes(name, 4))))
}

func (f *fakeLibrary) set(name string, value int) {
	f.t.Helper()
	binary.NativeEndian.PutUint32(f.bytes(name, 4), uint32(int32(value)))
}

func (f *fakeLibrary) setText(name, value string) {
	f.t.Helper()
	copy(f.bytes(name, len(value)+1), value+"\x00")
}

// open opens the back end, which is closed at the end of the test; then nothing
// is left of the objects that the library gave out.
func (f *fakeLibrary) open(o Options) *Driver {
	f.t.Helper()
	f.t.Cleanup(func() {
		for _, counter := range []string{"device_live", "device_misuses"} {
			if n := f.number(counter); n != 0 {
				f.t.Errorf("%s is %d", counter, n)
			}
		}
	})
	o.Libraries = []string{f.library.Path}
	return openDriver(f.t, o)
}

// fakeBuilds are the libraries with all functions, and with fewer and fewer.
var fakeBuilds = map[string][]string{
	"unified memory":         nil,
	"variables by name":      {"-DNO_POINTERS"},
	"virtual memory":         {"-DNO_USM"},
	"buffers":                {"-DNO_USM", "-DNO_SVM", "-DNO_POINTERS"},
	"added kernels":          {"-DNO_USM", "-DNO_SVM", "-DNO_POINTERS", "-DNO_NAMES"},
	"SPIR-V by an extension": {"-DNO_USM", "-DNO_SVM", "-DNO_IL"},
}

// TestFakeConformance runs the suite on the library of testdata with each set of
// functions, and as a driver of OpenCL 1.2.
func TestFakeConformance(t *testing.T) {
	for name, options := range fakeBuilds {
		for _, version := range []string{"OpenCL 3.0 fake", "OpenCL 1.2 fake"} {
			if version == "OpenCL 1.2 fake" && name == "unified memory" {
				continue // the extension needs clSetKernelExecInfo of 2.0
			}
			t.Run(name+", "+version, func(t *testing.T) {
				f := buildFake(t, options...)
				f.setText("fake_version", version)
				d := f.open(Options{})
				drivertest.Test(t, d, drivertest.Options{OffsetMultiple: map[bool]int{true: 128}[onlyDevice(t, d).able.memory == buffers]})
			})
		}
	}
}

// TestVirtualMemoryInUse: memory stays until the commands have ended that use it,
// those of closed queues too.
func TestVirtualMemoryInUse(t *testing.T) {
	f := buildFake(t, "-DNO_USM")
	f.set("fake_lazy", 1)
	device := onlyDevice(t, f.open(Options{}))
	for _, closed := range []bool{false, true} {
		q, err := device.NewQueue(driver.QueueOptions{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := device.Alloc(driver.DeviceMemory, 64)
		if err != nil {
			t.Fatal(err)
		}
		if err := q.Fill(m, 0, 64, []byte{1}, driver.Sync{}); err != nil {
			t.Fatal(err)
		}
		if closed {
			err = errors.Join(q.Close(), m.Close())
		} else {
			err = errors.Join(m.Close(), q.Close())
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// TestLazyDriver: a driver that starts commands when they are flushed starts those
// that anyone waits for.
func TestLazyDriver(t *testing.T) {
	f := buildFake(t)
	f.set("fake_lazy", 1)
	drivertest.Test(t, f.open(Options{}), drivertest.Options{})
}

// TestLaunchBeforeWait: a launch that blocks ends although another thread enqueues a command
// after it that waits for an event, which comes later.
func TestLaunchBeforeWait(t *testing.T) {
	const rounds, slow = 20, 5000 // microseconds
	f := buildFake(t)
	f.set("fake_slow_finish", slow)
	device := onlyDevice(t, f.open(Options{}))
	p, err := testBuild(t, device)
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("app")
	if err != nil {
		t.Fatal(err)
	}
	m, err := device.Alloc(driver.DeviceMemory, 64)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(k.Close(), m.Close(), p.Close()); err != nil {
			t.Error(err)
		}
	}()
	for range rounds {
		launchBeforeWait(t, device, k, m)
	}
}

func launchBeforeWait(t *testing.T, device *Device, k driver.Kernel, m driver.Memory) {
	t.Helper()
	made, err := device.NewQueue(driver.QueueOptions{})
	if err != nil {
		t.Fatal(err)
	}
	q := made.(*queue)
	late, err := device.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	launched := make(chan error, 1)
	go func() {
		launched <- q.Launch(k, driver.Range{Global: []int{5}}, []driver.Arg{{Memory: m}}, driver.Sync{Block: true})
	}()
	for q.submittedCommands() == 0 {
		runtime.Gosched()
	}
	if err := q.Barrier(driver.Sync{After: []driver.Event{late}}); err != nil {
		t.Fatal(err)
	}
	select {
	case err = <-launched:
	case <-time.After(time.Minute):
		t.Fatal("the launch waits for the command after it")
	}
	late.Complete(nil)
	if err := errors.Join(err, q.Finish(), q.Close(), late.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestFakeFaults has each call fail in turn, and from the n-th call on every
// call, as those of a device that was lost do: nothing is leaked or released
// twice.
func TestFakeFaults(t *testing.T) {
	for name, options := range fakeBuilds {
		f := buildFake(t, options...)
		t.Run(name, func(t *testing.T) { failEachCall(t, f, nil) })
	}
	for name, alter := range failureQuirks {
		f := buildFake(t)
		t.Run(name, func(t *testing.T) { failEachCall(t, f, alter) })
	}
}

func failEachCall(t *testing.T, f *fakeLibrary, alter func(*abilities)) {
	for _, variable := range []string{"fake_next_code", "fake_lost_code"} {
		t.Run(variable, func(t *testing.T) {
			drivertest.TestFaults(t, func(fail func(call string) error) (driver.Driver, func() int) {
				d, err := Open(Options{Libraries: []string{f.library.Path}, alter: alter, Fail: func(call string) error {
					if neverFails(call) {
						return nil
					}
					err := fail(call)
					if failed, ok := errors.AsType[*driver.CallError](err); ok {
						f.set(variable, failed.Code)
						if call == "clSVMAlloc" {
							f.set("fake_next_code", 0)
							return err // it has no code of its own
						}
					}
					return nil
				}})
				if err != nil {
					t.Fatal(err)
				}
				return d, func() int {
					f.set(variable, 0)
					return f.number("device_live") + f.number("device_misuses")
				}
			})
		})
	}
}

// testBuild builds a program of the tests' modules.
func testBuild(t *testing.T, d *Device) (driver.Program, error) {
	t.Helper()
	return driver.Build(t.Context(), d, []driver.Module{testModule(t, "app"), testModule(t, "lib")}, driver.BuildOptions{})
}

// TestBuildLogs: a log is kept whole, and a message has a line of it.
func TestBuildLogs(t *testing.T) {
	const megabytes = 8 << 20
	for name, c := range map[string]struct{ stage, size, lines int }{
		"compile":  {1, megabytes, 1 << 16},
		"link":     {2, megabytes, 1 << 16},
		"one line": {1, megabytes, 1},
		"no log":   {1, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			f := buildFake(t)
			for variable, value := range map[string]int{"fake_fail_builds": c.stage, "device_log_size": c.size, "device_log_lines": c.lines} {
				f.set(variable, value)
			}
			_, err := testBuild(t, onlyDevice(t, f.open(Options{})))
			build, ok := errors.AsType[*driver.BuildError](err)
			if !ok {
				t.Fatalf("%v; want a BuildError", err)
			}
			if len(build.Log) < c.size-1 || c.size > 0 && !strings.HasPrefix(build.Log, "error: the first of many") {
				t.Errorf("the log has %d bytes of %d", len(build.Log), c.size)
			}
			if n := len(err.Error()); n > 2000 {
				t.Errorf("the message has %d bytes", n)
			}
		})
	}
}

// TestLogTooLong: of a log that is not read the length is told.
func TestLogTooLong(t *testing.T) {
	f := buildFake(t)
	f.set("fake_fail_builds", 1)
	f.set("device_log_size", 65<<20)
	_, err := testBuild(t, onlyDevice(t, f.open(Options{})))
	if err == nil || !strings.Contains(err.Error(), "68157441 bytes") || !strings.Contains(err.Error(), "CL_COMPILE_PROGRAM_FAILURE") {
		t.Errorf("%v", err)
	}
}

// TestLostDevice: commands that a lost device drops are told by their events and
// by Finish, with the code.
func TestLostDevice(t *testing.T) {
	for code, name := range map[int]string{-5: "CL_OUT_OF_RESOURCES", -2: "CL_DEVICE_NOT_AVAILABLE"} {
		t.Run(name, func(t *testing.T) {
			f := buildFake(t)
			d := onlyDevice(t, f.open(Options{}))
			q, err1 := d.NewQueue(driver.QueueOptions{})
			m, err2 := d.Alloc(driver.DeviceMemory, 16)
			gate, err3 := d.NewEvent()
			if err := errors.Join(err1, err2, err3); err != nil {
				t.Fatal(err)
			}
			var waiting driver.Event
			if err := q.Write(m, 0, make([]byte, 16), driver.Sync{After: []driver.Event{gate}, Done: &waiting}); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			waiting.OnDone(func(err error) { ended <- err })
			f.set("fake_lost_code", code)
			for what, err := range map[string]error{
				"Fill": q.Fill(m, 0, 16, []byte{1}, driver.Sync{}), "Finish": q.Finish(), "the event": waiting.Wait(t.Context()), "the callback": <-ended,
				"a blocking write": q.Write(m, 0, make([]byte, 16), driver.Sync{Block: true}),
			} {
				if err == nil || !strings.Contains(err.Error(), name) {
					t.Errorf("%s: %v; want %s", what, err, name)
				}
				if errors.Is(err, driver.ErrOutOfResources) != (code == -5) {
					t.Errorf("%s: %v is used-up resources", what, err)
				}
			}
			if waiting.Status() != driver.Failed {
				t.Errorf("the event is %v", waiting.Status())
			}
			if err := errors.Join(waiting.Close(), gate.Close()); err != nil {
				t.Errorf("Close: %v", err)
			}
			// Nobody can tell whether its commands have ended.
			for what, err := range map[string]error{"memory": m.Close(), "queue": q.Close()} {
				if err != nil && !strings.Contains(err.Error(), name) {
					t.Errorf("Close of the %s: %v; want %s", what, err, name)
				}
			}
		})
	}
}

// TestLateEnd: a command that ends after its device was closed calls the driver no more, and
// leaves nothing open; a wait that was given up before is such a case.
func TestLateEnd(t *testing.T) {
	var closed atomic.Bool
	f := buildFake(t)
	d := onlyDevice(t, f.open(Options{Enter: func(call string) {
		if closed.Load() {
			t.Errorf("%s is called after the end", call)
		}
	}}))
	gate, err := d.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	waiting := gate.(*event)
	given, cancel := context.WithCancel(t.Context())
	cancel()
	if err := waiting.Wait(given); !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that is given up: %v", err)
	}
	told := make(chan error, 2)
	waiting.OnDone(func(err error) { told <- err })
	left := make(chan error)
	go func() { left <- waiting.Wait(contextWithEnd(t)) }()
	for callbackCount(d) < 3 {
		time.Sleep(time.Millisecond)
	}
	callbacks.Lock()
	numbers := slices.Collect(maps.Keys(callbacks.waiting))
	callbacks.Unlock()
	if err := gate.Close(); err != nil {
		t.Error(err)
	}
	if err := d.driver.Close(); err != nil {
		t.Error(err)
	}
	closed.Store(true)
	if err := <-left; !errors.Is(err, errDeviceClosed) {
		t.Errorf("a wait under the end of the device: %v", err)
	}
	if err := <-told; !errors.Is(err, errDeviceClosed) {
		t.Errorf("the function is called with %v", err)
	}
	for _, number := range numbers {
		if takeCallback(number) != nil {
			t.Errorf("function %d is still there", number)
		}
	}
	if len(told) > 0 {
		t.Error("the function is called twice")
	}
	if n := f.number("device_live"); n != 0 {
		t.Errorf("device_live is %d", n)
	}
}

// contextWithEnd is a context that can end, and does with the test.
func contextWithEnd(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	return ctx
}

// callbackCount is the number of functions that wait for events of a device.
func callbackCount(d *Device) (n int) {
	callbacks.Lock()
	defer callbacks.Unlock()
	for _, w := range callbacks.waiting {
		if w.event.device == d {
			n++
		}
	}
	return n
}

// TestFailedCommand: a command that fails on the device is told by Finish and by
// its event, and those after it in the queue do not run.
func TestFailedCommand(t *testing.T) {
	const outOfResources = -5
	f := buildFake(t)
	d := onlyDevice(t, f.open(Options{}))
	q, err1 := d.NewQueue(driver.QueueOptions{})
	m, err2 := d.Alloc(driver.DeviceMemory, 16)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(m.Close(), q.Close()); err != nil {
			t.Error(err)
		}
	}()
	data := make([]byte, 16)
	f.set("fake_next_status", outOfResources)
	if err := q.Write(m, 0, []byte{1}, driver.Sync{}); err != nil {
		t.Fatal(err)
	}
	if err := q.Finish(); !errors.Is(err, driver.ErrOutOfResources) || !strings.Contains(err.Error(), "CL_OUT_OF_RESOURCES") {
		t.Errorf("Finish after a failed write: %v", err)
	}
	f.set("fake_next_status", outOfResources)
	if err := q.Read(m, 0, data, driver.Sync{Block: true}); err == nil {
		t.Error("a blocking read that failed is no error")
	}
	if err := errors.Join(q.Finish(), q.Read(m, 0, data, driver.Sync{Block: true})); err != nil {
		t.Errorf("the queue after it: %v", err)
	}
}

// TestUntoldFailures: a command that nobody wants an event of, and that fails on the
// device by its event alone, is told by Finish and by the next wait; in an in-order queue
// those after it fail up to Finish.
func TestUntoldFailures(t *testing.T) {
	const outOfResources = -5
	f := buildFake(t)
	d := onlyDevice(t, f.open(Options{}))
	p, err := testBuild(t, d)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	k, err := p.Kernel("app")
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	m, err := d.Alloc(driver.DeviceMemory, 4096)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	launch := func(q driver.Queue, s driver.Sync) error {
		return q.Launch(k, driver.Range{Global: []int{4}}, []driver.Arg{{Memory: m}}, s)
	}
	read := func(q driver.Queue, s driver.Sync) error { return q.Read(m, 0, make([]byte, 8), s) }
	commands := map[string]func(q driver.Queue, s driver.Sync) error{
		"launch": launch,
		"copy":   func(q driver.Queue, s driver.Sync) error { return q.Copy(m, 0, m, 64, 16, s) },
		"fill":   func(q driver.Queue, s driver.Sync) error { return q.Fill(m, 0, 16, []byte{1}, s) },
		"write":  func(q driver.Queue, s driver.Sync) error { return q.Write(m, 0, make([]byte, 8), s) },
		"launch with an event": func(q driver.Queue, s driver.Sync) error {
			var e driver.Event
			s.Done = &e
			if err := launch(q, s); err != nil {
				return err
			}
			return e.Close()
		},
	}
	for name, command := range commands {
		for _, lazy := range []int{0, 1} {
			for _, order := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, lazy %d, out of order %v", name, lazy, order), func(t *testing.T) {
					f.set("fake_lazy", lazy)
					defer f.set("fake_lazy", 0)
					check := func(what string, err error) {
						t.Helper()
						if !errors.Is(err, driver.ErrOutOfResources) {
							t.Errorf("%s: %v; want CL_OUT_OF_RESOURCES", what, err)
						}
					}
					q, err := d.NewQueue(driver.QueueOptions{OutOfOrder: order})
					if err != nil {
						t.Fatal(err)
					}
					fail := func() {
						t.Helper()
						f.set("fake_next_status", outOfResources)
						if err := command(q, driver.Sync{}); err != nil {
							t.Fatal(err)
						}
					}
					fail()
					check("Finish", q.Finish())
					if err := errors.Join(command(q, driver.Sync{}), q.Finish()); err != nil {
						t.Errorf("after Finish: %v", err)
					}
					fail()
					for range 3 * maxPending { // the failure is found among many
						_ = command(q, driver.Sync{})
					}
					check("Finish after many", q.Finish())
					if !order {
						for wait, blocking := range map[string]func(driver.Queue, driver.Sync) error{"read": read, "launch": launch} {
							fail()
							check("a "+wait+" that waits", blocking(q, driver.Sync{Block: true}))
							check("a launch after that", launch(q, driver.Sync{}))
							check("Finish after both", q.Finish())
						}
						fail()
						var e driver.Event
						if err := launch(q, driver.Sync{Done: &e}); err != nil {
							check("a launch with an event", err)
						} else {
							check("the next event", e.Wait(t.Context()))
							if e.Status() != driver.Failed {
								t.Errorf("the next event is %v", e.Status())
							}
							check("Finish after the event", q.Finish())
							check("the event after Finish", errors.Join(e.Wait(t.Context()), e.Close()))
						}
						_ = q.Finish()
					}
					if err := errors.Join(launch(q, driver.Sync{Block: true}), read(q, driver.Sync{Block: true}), q.Finish(), q.Close()); err != nil {
						t.Errorf("the queue after it: %v", err)
					}
				})
			}
		}
	}
}

// TestUntoldZeros: memory whose zeros failed is not given out.
func TestUntoldZeros(t *testing.T) {
	f := buildFake(t)
	d := onlyDevice(t, f.open(Options{}))
	f.set("fake_next_status", -5)
	if _, err := d.Alloc(driver.DeviceMemory, 64); !errors.Is(err, driver.ErrOutOfResources) {
		t.Errorf("Alloc: %v", err)
	}
}

// TestNullObjects: a call that tells success and makes nothing is an error.
func TestNullObjects(t *testing.T) {
	f := buildFake(t)
	d := onlyDevice(t, f.open(Options{}))
	q, err1 := d.NewQueue(driver.QueueOptions{})
	m, err2 := d.Alloc(driver.DeviceMemory, 16)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	f.set("fake_null_objects", 1)
	var e driver.Event
	_, queueErr := d.NewQueue(driver.QueueOptions{})
	for call, err := range map[string]error{
		"clCreateCommandQueueWithProperties": queueErr,
		"clEnqueueMemFillINTEL":              q.Fill(m, 0, 16, []byte{1}, driver.Sync{}),
		"clEnqueueMemcpyINTEL":               q.Copy(m, 0, m, 8, 8, driver.Sync{Done: &e}),
		"clEnqueueBarrierWithWaitList":       q.Barrier(driver.Sync{Block: true}),
	} {
		if !errors.Is(err, driver.ErrNullHandle) || !strings.Contains(err.Error(), call) || e != nil {
			t.Errorf("%s: %v", call, err)
		}
	}
	f.set("fake_null_objects", 0)
	if err := errors.Join(q.Finish(), m.Close(), q.Close()); err != nil {
		t.Error(err)
	}
}

// TestUnload: a loader whose devices were listed only is unloaded; one whose device was
// used stays, as drivers have threads and exit handlers then.
func TestUnload(t *testing.T) {
	for name, use := range map[string]bool{"listed": false, "used": true} {
		path := filepath.Join(t.TempDir(), "libOpenCL.so.1")
		compileFake(t, path, nil)
		d, err := Open(Options{Libraries: []string{path}})
		if err != nil {
			t.Fatal(err)
		}
		device := onlyDevice(t, d)
		if use {
			q, err := device.NewQueue(driver.QueueOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if err := q.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := d.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if loaded := dl.IsLoaded(path); loaded != use {
			t.Errorf("%s: the library is loaded: %v", name, loaded)
		}
	}
}

// TestOutOfMemory: each code of used-up memory is told as such, for each way of
// allocating.
func TestOutOfMemory(t *testing.T) {
	for name, options := range map[string][]string{"unified": nil, "virtual": {"-DNO_USM"}, "buffers": {"-DNO_USM", "-DNO_SVM"}} {
		f := buildFake(t, options...)
		d := onlyDevice(t, f.open(Options{}))
		for _, code := range []int{-4, -5, -6} {
			f.set("fake_memory_code", code)
			if m, err := d.Alloc(driver.DeviceMemory, 16); !errors.Is(err, driver.ErrOutOfResources) {
				t.Errorf("%s, %d: %v, %v", name, code, m, err)
			}
		}
		f.set("fake_memory_code", 0)
		m, err := d.Alloc(driver.DeviceMemory, 16)
		if err != nil {
			t.Fatal(err)
		}
		_ = m.Close()
	}
}

// TestOddPlatforms: loaders that list nothing, null pointers, or more than there
// is; the devices that are there are found.
func TestOddPlatforms(t *testing.T) {
	for name, c := range map[string]struct {
		set  map[string]int
		want int    // devices
		err  string // in the error
	}{
		"no platform":           {map[string]int{"fake_platforms": 0}, 0, ""},
		"no device":             {map[string]int{"fake_devices": 0}, 0, ""},
		"two platforms":         {map[string]int{"fake_platforms": 2}, 2, ""},
		"a null platform":       {map[string]int{"fake_null_platforms": 1}, 1, "null platform"},
		"null platforms alone":  {map[string]int{"fake_null_platforms": 2, "fake_platforms": 0}, 0, "null platform"},
		"a null device":         {map[string]int{"fake_null_devices": 1}, 1, "null device"},
		"more platforms said":   {map[string]int{"fake_claimed_platforms": 9}, 1, ""},
		"more devices said":     {map[string]int{"fake_claimed_devices": 9}, 1, ""},
		"2^32 - 1 platforms":    {map[string]int{"fake_claimed_platforms": -1}, 0, "4294967295"},
		"2^32 - 1 devices":      {map[string]int{"fake_claimed_devices": -1}, 0, "4294967295"},
		"sizes of 2^64 - 1":     {map[string]int{"fake_wrong_sizes": 1}, 1, ""},
		"every call is refused": {map[string]int{"fake_lost_code": -6}, 0, "CL_OUT_OF_HOST_MEMORY"},
	} {
		t.Run(name, func(t *testing.T) {
			f := buildFake(t)
			for variable, value := range c.set {
				f.set(variable, value)
			}
			list, err := f.open(Options{}).Devices()
			if len(list) != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("%d devices, %v; want %d, %q", len(list), err, c.want, c.err)
			}
		})
	}
}

// TestOddDevices: versions, names and extensions that drivers may give.
func TestOddDevices(t *testing.T) {
	for name, c := range map[string]struct {
		variable, value string
		check           func(d *Device) bool
	}{
		"a version with more text":  {"fake_version", "OpenCL 3.0 foo", func(d *Device) bool { return d.able.version == 30 && d.able.takesSPIRV() }},
		"a version without text":    {"fake_version", "OpenCL 2.1", func(d *Device) bool { return d.able.version == 21 }},
		"no version":                {"fake_version", "fake", func(d *Device) bool { return d.able.version == 12 }},
		"an empty version":          {"fake_version", "", func(d *Device) bool { return d.able.version == 12 }},
		"a version of many digits":  {"fake_version", "OpenCL 99999999999999999999.1", func(d *Device) bool { return d.able.version == 12 }},
		"extensions of spaces":      {"fake_extensions", "  \t cl_khr_fp64 \n cl_khr_il_program  ", func(d *Device) bool { return d.info.HasExtension("cl_khr_fp64") }},
		"garbage among extensions":  {"fake_extensions", "\xff\xfe \x1b[31m cl_khr_fp64\x01 cl_khr_fp16", func(d *Device) bool { return d.info.HasExtension("cl_khr_fp16") && !d.info.HasExtension("cl_khr_fp64") }},
		"a name that moves cursors": {"fake_name", "Fake\x1b[2Jdevice\r\n\xff", func(d *Device) bool { return d.info.Name == "Fake?[2Jdevice  ?" }},
		"odd versions of SPIR-V":    {"fake_il", "SPIR-V_ SPIR-V_x.y SPIR-V_1.2 OTHER_1.0", func(d *Device) bool { return slices.Contains(d.info.ILVersions, "SPIR-V_1.2") }},
	} {
		t.Run(name, func(t *testing.T) {
			f := buildFake(t, "-DNO_USM")
			f.setText(c.variable, c.value)
			d := onlyDevice(t, f.open(Options{}))
			if !c.check(d) {
				t.Errorf("%+v, version %d", d.info, d.able.version)
			}
			linkAndRun(t, d)
		})
	}
}

// TestOldVersions: functions that a driver's version does not have are not called, and
// devices before OpenCL 1.2 are left out with the reason.
func TestOldVersions(t *testing.T) {
	for _, version := range []string{"OpenCL 1.0 old", "OpenCL 1.1 old"} {
		f := buildFake(t)
		f.setText("fake_version", version)
		f.setText("fake_platform_version", version)
		list, err := f.open(Options{}).Devices()
		if len(list) != 0 || err == nil || !strings.Contains(err.Error(), version) || !strings.Contains(err.Error(), "1.2") {
			t.Errorf("%s: %d devices, %v", version, len(list), err)
		}
	}
	old := buildFake(t, "-DNO_LINKING")
	if _, err := Open(Options{Libraries: []string{old.library.Path}}); err == nil || !strings.Contains(err.Error(), "clCompileProgram") {
		t.Errorf("a library without clCompileProgram: %v", err)
	}
	without := buildFake(t, "-DNO_EXTENSIONS", "-DNO_USM", "-DNO_POINTERS", "-DNO_NAMES")
	linkAndRun(t, onlyDevice(t, without.open(Options{})))
}

// TestMissingCompiler: a device without a compiler takes no SPIR-V, with the
// reason, and its binaries; one without a linker gets a module that is linked.
func TestMissingCompiler(t *testing.T) {
	f := buildFake(t)
	f.set("fake_no_compiler", 1)
	d := onlyDevice(t, f.open(Options{}))
	if err := d.Accepts(driver.Image{Format: "spirv", Target: "spir64"}); err == nil || !strings.Contains(err.Error(), "compiler") {
		t.Errorf("SPIR-V without a compiler: %v", err)
	}
	if _, err := testBuild(t, d); err == nil || !strings.Contains(err.Error(), "compiler") {
		t.Errorf("a program without a compiler: %v", err)
	}
	if err := d.Accepts(driver.Image{Format: "native", Target: "spir64_x86_64"}); err != nil {
		t.Errorf("native code: %v", err)
	}

	linker := buildFake(t, "-DNO_POINTERS")
	linker.set("fake_no_linker", 1)
	drivertest.Test(t, linker.open(Options{}), drivertest.Options{})
}

// TestImportedQueue: a queue that another part of the program made is used and
// given back once.
func TestImportedQueue(t *testing.T) {
	f := buildFake(t)
	d := onlyDevice(t, f.open(Options{}))
	own, err := d.NewQueue(driver.QueueOptions{Profiling: true})
	if err != nil {
		t.Fatal(err)
	}
	handle := own.(driver.NativeHandle).Handle()
	q, err := d.ImportQueue(handle)
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Alloc(driver.DeviceMemory, 16)
	if err != nil {
		t.Fatal(err)
	}
	var done driver.Event
	if err := errors.Join(q.Fill(m, 0, 16, []byte{3}, driver.Sync{Done: &done}), q.Finish()); err != nil {
		t.Fatal(err)
	}
	if _, err := done.Times(); err != nil {
		t.Errorf("the times of a queue with profiling: %v", err)
	}
	if q.(driver.NativeHandle).Handle() != handle || done.(driver.NativeHandle).Handle() == 0 {
		t.Error("the handles differ")
	}
	if err := errors.Join(done.Close(), q.Close(), own.Finish(), own.Close(), m.Close()); err != nil {
		t.Error(err)
	}
	for what, handle := range map[string]uint64{"NULL": 0, "a cl_context": uint64(d.context)} {
		if q, err := d.ImportQueue(handle); err == nil {
			t.Errorf("%s was imported as %v", what, q)
		}
	}
	f.set("device_misuses", 0) // the context
}

// TestFunctionPointers: the address of an exported function, and the reasons why
// there is none.
func TestFunctionPointers(t *testing.T) {
	f := buildFake(t)
	d := onlyDevice(t, f.open(Options{}))
	p, err := testBuild(t, d)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	pointers := p.(driver.FunctionPointers)
	if address, err := pointers.FunctionPointer("LibDeviceFunc"); err != nil || address != p.(driver.NativeHandle).Handle() {
		t.Errorf("LibDeviceFunc is at %#x, %v", address, err)
	}
	if _, err := pointers.FunctionPointer("nobody"); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("nobody: %v", err)
	}
	f.set("fake_next_code", cl.InvalidArgValue)
	if _, err := pointers.FunctionPointer("LibDeviceFunc"); !errors.Is(err, driver.ErrNotFound) || !strings.Contains(err.Error(), "ReferencedIndirectly") {
		t.Errorf("a function that nothing refers to: %v", err)
	}
	without := buildFake(t)
	p, err = testBuild(t, onlyDevice(t, without.open(Options{without: []cl.Function{cl.GetDeviceFunctionPointerINTEL}})))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := p.(driver.FunctionPointers).FunctionPointer("LibDeviceFunc"); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("a driver without function pointers: %v", err)
	}
}
