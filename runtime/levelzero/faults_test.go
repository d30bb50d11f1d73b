package levelzero

import (
	"errors"
	"strings"
	"testing"
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/drivertest"
	"offlink/runtime/internal/dl"
)

// set sets a number of the driver's until the end of the test.
func (f *fake) set(t *testing.T, name string, value int) {
	t.Helper()
	put := func(value int) int {
		return int(int32(f.Call(t, "fake_set", uintptr(unsafe.Pointer(dl.CString(name))), uintptr(uint32(int32(value))))))
	}
	before := put(value)
	t.Cleanup(func() { put(before) })
}

const deviceLost = 0x70000001

// TestLostDevice: calls, events, callbacks and Finish tell that the device was lost
// while commands ran, and everything can be given back.
func TestLostDevice(t *testing.T) {
	f := openFake(t)
	before := f.Live(t)
	d := f.open(t)
	device := d.devices[0].(*Device)
	q, err1 := device.NewQueue(driver.QueueOptions{})
	m, err2 := device.Alloc(driver.DeviceMemory, 16)
	gate, err3 := device.NewEvent()
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	var ran, waiting driver.Event
	if err := errors.Join(q.Fill(m, 0, 16, []byte{1}, driver.Sync{Done: &ran}), q.Write(m, 0, make([]byte, 16), driver.Sync{After: []driver.Event{gate}, Done: &waiting})); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	waiting.OnDone(func(err error) { ended <- err })
	f.set(t, "lost", deviceLost)
	gate.Complete(nil)
	_, allocated := device.Alloc(driver.DeviceMemory, 16)
	for what, err := range map[string]error{
		"Alloc": allocated, "a blocking read": q.Read(m, 0, make([]byte, 16), driver.Sync{Block: true}), "Finish": q.Finish(),
		"the event": ran.Wait(t.Context()), "the waiting one": waiting.Wait(t.Context()), "the callback": <-ended,
	} {
		if err == nil || !strings.Contains(err.Error(), "ZE_RESULT_ERROR_DEVICE_LOST") {
			t.Errorf("%s: %v; want ZE_RESULT_ERROR_DEVICE_LOST", what, err)
		}
	}
	if ran.Status() != driver.Failed || waiting.Status() != driver.Failed {
		t.Errorf("the events are %v and %v", ran.Status(), waiting.Status())
	}
	_ = errors.Join(ran.Close(), waiting.Close(), gate.Close(), m.Close(), q.Close(), d.Close()) // may tell of the loss
	f.Verify(t)
	if n := f.Live(t) - before; n != 0 {
		t.Errorf("%d things were not released", n)
	}
}

// TestBuildLogs: a log is kept whole, a message has a line of it, and of one that is
// too long to be read the length is told.
func TestBuildLogs(t *testing.T) {
	const megabyte = 1 << 20
	for name, b := range map[string]struct {
		stage       string
		size, lines int
	}{
		"build": {"fail_builds", 8 * megabyte, 1 << 16}, "link": {"fail_links", 8 * megabyte, 1 << 16},
		"one line": {"fail_builds", 8 * megabyte, 1}, "too long": {"fail_builds", 65 * megabyte, 1},
	} {
		t.Run(name, func(t *testing.T) {
			f := openFake(t)
			f.Call(t, "fake_set_programs", 0)
			f.set(t, b.stage, 1)
			f.set(t, "log_size", b.size)
			f.set(t, "log_lines", b.lines)
			before := f.Live(t)
			d := f.open(t)
			_, err := driver.Build(t.Context(), d.devices[0], []driver.Module{spirvModule("a"), spirvModule("b")}, driver.BuildOptions{})
			build, ok := errors.AsType[*driver.BuildError](err)
			if !ok {
				t.Fatalf("%v; want a BuildError", err)
			}
			if name == "too long" {
				if !strings.Contains(err.Error(), "68157441 bytes") || !strings.Contains(err.Error(), "ZE_RESULT_ERROR_MODULE_BUILD_FAILURE") {
					t.Errorf("%v", err)
				}
			} else if len(build.Log) < b.size-1 || !strings.HasPrefix(build.Log, "error: the first of many") || len(err.Error()) > 2000 {
				t.Errorf("the log has %d bytes of %d, the message %d", len(build.Log), b.size, len(err.Error()))
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			f.Verify(t)
			if n := f.Live(t) - before; n != 0 {
				t.Errorf("%d things were not released", n)
			}
		})
	}
}

// spirvModule is a module with a kernel of that name.
func spirvModule(name string) driver.Module {
	code := drivertest.SPIRV(drivertest.Code{Kernels: []string{name}})
	return driver.Module{Name: name, Image: driver.Image{Format: "spirv", Target: "spir64"}, Code: code}
}

// TestOddDrivers: numbers, handles and names that no driver should give.
func TestOddDrivers(t *testing.T) {
	for name, c := range map[string]struct {
		value, devices int
		err            string
	}{
		"claimed_handles": {-1, 0, "4294967295"},
		"null_devices":    {1, 0, "null handle"},
		"bad_device":      {deviceLost, 0, "driver 0: device 0: zeDeviceGetProperties failed with ZE_RESULT_ERROR_DEVICE_LOST"},
		"odd_name":        {1, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := openFake(t)
			f.set(t, name, c.value)
			before := f.Live(t)
			d, err := New(Options{})
			var list []driver.Device
			if err == nil {
				list, err = d.Devices()
			}
			if len(list) != c.devices || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("%d devices, %v; want %d, %q", len(list), err, c.devices, c.err)
			}
			if name == "odd_name" {
				if i := list[0].Info(); !strings.HasPrefix(i.Name, "Fake?[2JGPU  ?xxx") || i.MaxAllocation < 1 {
					t.Errorf("%+v", i)
				}
			}
			if d != nil {
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			}
			if n := f.Live(t) - before; n != 0 {
				t.Errorf("%d things were not released", n)
			}
		})
	}
}

// TestHugeBinary: a size that a driver tells is not allocated.
func TestHugeBinary(t *testing.T) {
	f := openFake(t)
	d := f.open(t)
	p, err := driver.Build(t.Context(), d.devices[0], []driver.Module{spirvModule("a")}, driver.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f.set(t, "huge_binary", 1)
	if code, err := p.(driver.BinaryProgram).Binary(); err == nil || !strings.Contains(err.Error(), "9223372036854775807 bytes") {
		t.Errorf("%d bytes, %v", len(code), err)
	}
	if err := errors.Join(p.Close(), d.Close()); err != nil {
		t.Error(err)
	}
	f.Verify(t)
}
