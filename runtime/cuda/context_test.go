package cuda

import (
	"errors"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/internal/dl"
	"offlink/runtime/internal/libcuda"
)

// TestThreadsKeepTheirContext: a thread of a host program that calls the back end has its
// own context current after each call.
func TestThreadsKeepTheirContext(t *testing.T) {
	for _, version := range versions {
		f := openFake(t)
		f.Call(t, "fake_set_version", version)
		d := f.open(t)
		device := d.devices[0].(*Device)
		runtime.LockOSThread()
		var q driver.Queue
		var m driver.Memory
		var p driver.Program
		var e driver.Event
		for _, step := range []struct {
			name string
			call func() error
		}{
			{"Build", func() error { p = buildPTX(t, device, head+".visible .entry nothing() { ret; }\n", nil); return nil }},
			{"NewQueue", func() (err error) { q, err = device.NewQueue(driver.QueueOptions{}); return err }},
			{"Alloc", func() (err error) { m, err = device.Alloc(driver.DeviceMemory, 64); return err }},
			{"Write", func() error { return q.Write(m, 0, make([]byte, 64), driver.Sync{Done: &e}) }},
			{"Wait", func() error { return errors.Join(e.Wait(t.Context()), e.Close()) }},
			{"Launch", func() error {
				k, err := p.Kernel("nothing")
				return errors.Join(err, q.Launch(k, driver.Range{Global: []int{1}}, nil, driver.Sync{}))
			}},
			{"Finish", func() error { return q.Finish() }},
			{"Close", func() error { return errors.Join(q.Close(), m.Close(), p.Close(), d.Close()) }},
		} {
			f.Call(t, "fake_push_other")
			err := step.call()
			if f.Call(t, "fake_pop_other") != 1 || err != nil {
				t.Fatalf("CUDA %d: after %s the thread has another context than before (%v)", version, step.name, err)
			}
		}
		runtime.UnlockOSThread()
		f.Verify(t)
	}
}

// TestContextsAreMadeLate: GPUs that are only listed get no context, and one that another
// process has for itself does not keep the others from being used.
func TestContextsAreMadeLate(t *testing.T) {
	f, d := newFakeDevice(t)
	if calls := f.Calls(t); slices.Contains(calls, "cuDevicePrimaryCtxRetain") {
		t.Errorf("opening the back end calls %v", calls)
	}
	busy := true
	f.SetHook(t, func(call string) error {
		if busy && call == "cuDevicePrimaryCtxRetain" {
			return errors.New("busy")
		}
		return nil
	})
	if m, err := d.Alloc(driver.DeviceMemory, 4); err == nil {
		t.Error("memory was allocated without a context")
		m.Close()
	}
	busy = false
	m, err := d.Alloc(driver.DeviceMemory, 4)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

// TestImports: memory and streams of others keep their kind, and those that the device
// cannot use are refused.
func TestImports(t *testing.T) {
	f, d := newFakeDevice(t)
	for _, kind := range []driver.MemoryKind{driver.DeviceMemory, driver.HostMemory, driver.SharedMemory} {
		var address uint64
		if err := d.withContext(func() (err error) { address, err = native{d}.AllocateMemory(kind, 64); return err }); err != nil {
			t.Fatal(err)
		}
		m, err := d.ImportMemory(address+16, 48)
		if err != nil || m.Kind() != kind {
			t.Errorf("%v memory: %v, %v", kind, m, err)
		} else if _, visible := m.(driver.HostVisible); visible != (kind != driver.DeviceMemory) {
			t.Errorf("%v memory that was imported: the host reaches it: %v", kind, visible)
		}
		f.Call(t, "fake_set_ordinal", 1)
		if _, err := d.ImportMemory(address, 4); (err == nil) != (kind != driver.DeviceMemory) {
			t.Errorf("%v memory of another device: %v", kind, err)
		}
		f.Call(t, "fake_set_ordinal", 0)
		if err := (native{d}).FreeMemory(kind, address); err != nil {
			t.Error(err)
		}
	}
	if q, err := d.ImportQueue(uint64(f.Call(t, "fake_stream_of_other"))); err == nil {
		t.Error("a stream of another context was imported")
		q.Close()
	}
}

// TestGoMemoryIsKept: where the device reads memory of the host by itself, a copy may come
// after the call, and Go must not take the memory back before.
func TestGoMemoryIsKept(t *testing.T) {
	for _, pageable := range []uintptr{0, 1} {
		f := openFake(t)
		f.Call(t, "fake_set_pageable", pageable)
		d := f.open(t)
		t.Cleanup(func() {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
		q := newTestQueue(t, d.devices[0].(*Device), driver.QueueOptions{})
		m := newTestMemory(t, d.devices[0].(*Device), driver.DeviceMemory, 64)
		err := errors.Join(q.Write(m, 0, make([]byte, 64), driver.Sync{}), q.Read(m, 0, make([]byte, 64), driver.Sync{}))
		if held := q.(*queue).Host.Held(); err != nil || held != 2*int(pageable) {
			t.Errorf("with pageable memory access %d the queue keeps %d pieces (%v)", pageable, held, err)
		}
		if err := q.Finish(); err != nil || q.(*queue).Host.Held() != 0 {
			t.Errorf("after Finish the queue keeps %d pieces (%v)", q.(*queue).Host.Held(), err)
		}
	}
}

// TestChangeThatFails: a change of the offset that fails halfway leaves no wrong offset for
// the launches after it.
func TestChangeThatFails(t *testing.T) {
	f, d := newFakeDevice(t)
	p := buildPTX(t, d, head+".visible .const .align 8 .b8 offlink_global_offset[24];\n"+
		".visible .entry app(.param .u64 app_param_0) { mov.u32 %r1, %ctaid.x; ld.const.u64 %rd1, [offlink_global_offset]; ret; }\n", nil)
	defer p.Close()
	q, m, k := newTestQueue(t, d, driver.QueueOptions{}), newTestMemory(t, d, driver.HostMemory, 16), kernelOf(t, p, "app")
	launch := func(q driver.Queue, offset int) error {
		return q.Launch(k, driver.Range{Global: []int{1}, Offset: []int{offset, 0, 0}[:1]}, []driver.Arg{{Memory: m}}, driver.Sync{})
	}
	for _, failing := range []string{"cuMemsetD32Async", "cuEventRecord"} {
		if err := launch(q, 1); err != nil {
			t.Fatal(err)
		}
		sets := 0
		f.SetHook(t, func(call string) error {
			if sets += 1; call == failing && (failing == "cuEventRecord" || slices.Index(f.Calls(t), "cuMemsetD32Async") >= 0 && sets > 1) {
				return errors.New("injected")
			}
			return nil
		})
		// Two words change, so that the second one's failure leaves the first one changed.
		if err := launch(q, 2+1<<32); err == nil {
			t.Fatal("the launch did not fail")
		}
		f.SetHook(t, func(string) error { return nil })
		clear(m.(driver.HostVisible).Bytes())
		if err := errors.Join(launch(q, 1), q.Finish()); err != nil {
			t.Fatal(err)
		}
		if got := m.(driver.HostVisible).Bytes()[4]; got != 2 {
			t.Errorf("%s failed: a launch at offset 1 after it wrote %v", failing, m.(driver.HostVisible).Bytes())
		}
	}
}

// TestSecondForm: DPC++'s kernels take offsets of 32 bits.
func TestSecondForm(t *testing.T) {
	_, d := newFakeDevice(t)
	p := buildPTX(t, d, head+".visible .entry nothing() { ret; }\n.visible .entry nothing_with_offset() { ret; }\n", nil)
	defer p.Close()
	k := kernelOf(t, p, "nothing").(*kernel)
	for offset, want := range map[int]bool{0: true, 1<<32 - 1: true, 1 << 32: false, -1: false} {
		var n libcuda.Launch
		if err := k.prepareLaunch(&n, &driver.Range{Global: []int{1}, Offset: []int{offset}}, nil); (err == nil) != want {
			t.Errorf("the offset %d: %v", offset, err)
		}
	}
}

// TestMostDynamicMemory: a kernel object that uses less shared memory does not take the
// limit back that another one of the same function raised.
func TestMostDynamicMemory(t *testing.T) {
	f, d := newFakeDevice(t)
	p := buildPTX(t, d, head+".visible .entry app(.param .u64 .ptr .shared .align 4 app_param_0) { ret; }\n", nil)
	defer p.Close()
	for _, size := range []int64{90 << 10, 60 << 10} {
		var n libcuda.Launch
		if err := kernelOf(t, p, "app").(*kernel).prepareLaunch(&n, &driver.Range{Global: []int{1}}, []driver.Arg{{LocalSize: size}}); err != nil {
			t.Fatal(err)
		}
	}
	if most := f.Call(t, "fake_most_dynamic"); most < 90<<10 {
		t.Errorf("the limit is %d bytes after a launch with %d", most, 90<<10)
	}
}

// TestResultNames: the names in traces are those that the installed driver has, which the
// errors have too.
func TestResultNames(t *testing.T) {
	f := openFake(t)
	for code, name := range resultNames {
		text := new(uintptr)
		if got := f.Call(t, "cuGetErrorName", uintptr(code), uintptr(unsafe.Pointer(text))); got == 0 && dl.String(*text) != name {
			t.Errorf("%d is %s in traces, and %s to the driver", code, name, dl.String(*text))
		}
	}
	if got := ResultName(12345); got != "CUresult 12345" {
		t.Errorf("an unknown result is %s", got)
	}
	d, err := New(Options{})
	if err != nil {
		return // no GPU: only the names of the test's library were compared
	}
	defer d.Close()
	for code, name := range resultNames {
		if got := d.library.ErrorName(code); got != name {
			t.Errorf("%d is %s in traces, and %s to the installed driver", code, name, got)
		}
	}
}
