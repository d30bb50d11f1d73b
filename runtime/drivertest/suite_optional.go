package drivertest

import (
	"debug/elf"
	"errors"
	"testing"

	"offlink/runtime/driver"
)

// The cases of this file are those of optional interfaces that few back ends have.

// testIdle: a queue is idle until it has a command, and again once that has ended.
func (s *suite) testIdle(t *testing.T) {
	q, m := s.newQueue(t), s.newMemory(t, 16)
	idler, ok := q.(driver.Idler)
	if !ok {
		t.Skip("queues do not tell whether they are idle")
	}
	if !idler.Idle() {
		t.Error("a new queue is not idle")
	}
	gate, after := s.closingGate(t, true)
	if err := q.Fill(m, 0, 16, []byte{1}, driver.Sync{After: after}); err != nil {
		t.Fatal(err)
	}
	if gate != nil {
		if idler.Idle() {
			t.Error("a queue with a command that waits is idle")
		}
		gate.Complete(nil)
		defer closeAtEnd(t, gate)
	}
	if err := q.Finish(); err != nil {
		t.Fatal(err)
	}
	if !idler.Idle() {
		t.Error("the queue is not idle after Finish")
	}
}

// testCaller: on an idle queue a command that blocks runs where it was called, and
// calls back from there while it runs; one that does not block returns before its end.
func (s *suite) testCaller(t *testing.T) {
	if _, ok := s.device.(driver.CallerRunner); !ok {
		t.Skip("commands run on the driver's threads")
	}
	p, m := s.newProgram(t, s.appModule(), s.libModule()), s.newMemory(t, 4)
	k, q := kernelByName(t, p, "endless"), s.newQueue(t)
	aborter, ok := q.(driver.Aborter)
	if !ok {
		t.Fatal("a device that runs commands on the caller's goroutine cannot stop them")
	}
	cause, yields := errors.New("enough"), 0
	yield := func() {
		if yields++; yields == 3 {
			aborter.Abort(cause)
		}
	}
	args := []driver.Arg{{Memory: m}}
	err := q.Launch(k, driver.Range{Global: []int{1}}, args, driver.Sync{Block: true, Yield: yield})
	if !errors.Is(err, cause) || yields < 3 {
		t.Errorf("the endless kernel called back %d times and ended with %v", yields, err)
	}
	other := s.newQueue(t)
	var event driver.Event
	// Nothing stops the kernel before the launch has returned.
	if err := other.Launch(k, driver.Range{Global: []int{1}}, args, driver.Sync{Done: &event}); err != nil {
		t.Fatal(err)
	}
	defer closeAtEnd(t, event)
	other.(driver.Aborter).Abort(cause)
	if err := event.Wait(t.Context()); !errors.Is(err, cause) {
		t.Errorf("the kernel that was stopped ended with %v", err)
	}
}

// testChecked: the device that looks for faults runs kernels as the other does, has
// memory of its own, and reports a kernel that writes outside its memory.
func (s *suite) testChecked(t *testing.T) {
	checker, ok := s.device.(driver.Checker)
	if !ok {
		t.Skip("no checked mode")
	}
	checked := &suite{checker.Checked(), s.options, s.kernelSet}
	t.Run("info", checked.testInfo)
	t.Run("launch", checked.testLaunch)
	t.Run("own memory", func(t *testing.T) { s.refuseForeign(t, checked) })
	t.Run("fault", func(t *testing.T) {
		p, q := checked.newProgram(t, s.appModule(), s.libModule()), checked.newQueue(t)
		args := []driver.Arg{{Memory: checked.newMemory(t, 4*4)}}
		err := errors.Join(q.Launch(kernelByName(t, p, "app"), driver.Range{Global: []int{5}}, args, driver.Sync{}), q.Finish())
		if err == nil {
			t.Error("a kernel wrote five numbers to memory of four")
		}
	})
}

// refuseForeign: neither of two devices takes the memory of the other.
func (s *suite) refuseForeign(t *testing.T, other *suite) {
	if s.device == other.device {
		t.Skip("the device itself")
	}
	for _, pair := range [][2]*suite{{s, other}, {other, s}} {
		q, foreign := pair[0].newQueue(t), pair[1].newMemory(t, 16)
		p := pair[0].newProgram(t, s.appModule(), s.libModule())
		for what, err := range map[string]error{
			"Write": q.Write(foreign, 0, make([]byte, 16), blocking),
			"Launch": q.Launch(kernelByName(t, p, "count"), driver.Range{Global: []int{1}},
				[]driver.Arg{{Memory: foreign}}, blocking),
		} {
			if err == nil {
				t.Errorf("%s took the memory of another device", what)
			}
		}
		_ = q.Finish() // may report the refusals
		expectInts(t, "the memory", int32sOf(readMemory(t, pair[1].newQueue(t), foreign, 0, 16)), 0, 0, 0, 0)
	}
}

// testTimer: a kernel reports how long its last launch ran, 0 before the first.
func (s *suite) testTimer(t *testing.T) {
	p, q := s.newProgram(t, s.appModule(), s.libModule()), s.newQueue(t)
	m, k := s.newMemory(t, 4), kernelByName(t, p, "count")
	timer, ok := k.(driver.Timer)
	if !ok {
		t.Skip("kernels do not tell how long they ran")
	}
	if d := timer.LastRun(); d != 0 {
		t.Errorf("before any launch the last one ran %v", d)
	}
	runKernel(t, q, k, driver.Range{Global: []int{1 << 12}}, driver.Arg{Memory: m})
	if d := timer.LastRun(); d <= 0 {
		t.Errorf("the launch ran %v", d)
	}
}

// testPrecompiled: bytes that are not native code of the device are refused. Its own
// are tested where they can be made.
func (s *suite) testPrecompiled(t *testing.T) {
	taker, ok := s.device.(driver.PrecompiledTaker)
	if !ok {
		t.Skip("no native code beside SPIR-V")
	}
	for _, code := range []string{"", elf.ELFMAG, "no code at all......"} {
		if native, err := taker.OpenPrecompiled([]byte(code), s.app); err == nil {
			t.Errorf("%q was opened as %v", code, native)
		} else if errors.Is(err, driver.ErrUnsupported) {
			t.Skip(err)
		}
	}
}

// testSubDevices: the parts of a device are devices with contexts of their own, and
// the same ones each time.
func (s *suite) testSubDevices(t *testing.T) {
	partitioner, ok := s.device.(driver.Partitioner)
	if !ok {
		t.Skip("no sub-devices")
	}
	parts, err := partitioner.SubDevices()
	if err != nil {
		t.Fatal(err)
	}
	again, err := partitioner.SubDevices()
	if err != nil || len(again) != len(parts) {
		t.Errorf("%d sub-devices, then %d: %v", len(parts), len(again), err)
	}
	if len(parts) == 0 {
		t.Skip("the device has no parts")
	}
	units := s.device.Info().ComputeUnits
	for i, d := range parts {
		if d == s.device || i < len(again) && again[i] != d {
			t.Errorf("sub-device %d is the device itself, or another one the second time", i)
		}
		if n := d.Info().ComputeUnits; n > units {
			t.Errorf("sub-device %d has %d compute units of %d", i, n, units)
		}
		part := &suite{d, s.options, s.kernelSet}
		t.Run("info", part.testInfo)
		t.Run("memory", part.testMemory)
		t.Run("launch", part.testLaunch)
		t.Run("own memory", func(t *testing.T) { s.refuseForeign(t, part) })
	}
}

// testDirect: the back end shares the arguments of a kernel and the state of a queue
// with callers of the driver itself. The calls are tested where C is
// (runtime/libofflink-core).
func (s *suite) testDirect(t *testing.T) {
	caller, ok := s.device.(driver.DirectCaller)
	if !ok {
		t.Skip("no calls beside the back end")
	}
	calls, ok := caller.DirectCalls()
	if !ok {
		t.Skip("calls go through the back end")
	}
	if calls.SetValue == 0 || calls.Launch == 0 || calls.Wait == 0 || calls.Release == 0 || calls.Finish == 0 ||
		(calls.SetAddress == 0) != (calls.Copy == 0) {
		t.Errorf("functions are missing: %+v", calls)
	}
	p := s.newProgram(t, s.appModule(), s.libModule())
	t.Run("arguments", func(t *testing.T) { s.shareArguments(t, p) })
	t.Run("state", func(t *testing.T) { s.shareState(t, p) })
	t.Run("failure", func(t *testing.T) { s.directFailure(t, p) })
}

func (s *suite) shareArguments(t *testing.T, p driver.Program) {
	k, q, m := kernelByName(t, p, "count"), s.newQueue(t), s.newMemory(t, 4)
	shared, ok := k.(driver.DirectKernel)
	if !ok || shared.Handle() == 0 {
		t.Fatalf("%T has no native kernel to share", k)
	}
	var guard driver.ArgumentGuard
	shared.ShareArguments(&guard)
	runKernel(t, q, k, driver.Range{Global: []int{3}}, driver.Arg{Memory: m})
	epoch := guard.Epoch.Load()
	if epoch == 0 || guard.Lock.Load() != 0 {
		t.Errorf("after a launch: epoch %d, lock %d", epoch, guard.Lock.Load())
	}
	guard.Lock.Store(1)
	launched := make(chan error)
	go func() {
		launched <- q.Launch(k, driver.Range{Global: []int{3}}, []driver.Arg{{Memory: m}}, driver.Sync{})
	}()
	if guard.Epoch.Load() != epoch {
		t.Error("a launch set arguments while another held the guard")
	}
	guard.Lock.Store(0)
	if err := errors.Join(<-launched, q.Finish()); err != nil || guard.Epoch.Load() == epoch {
		t.Errorf("the launch after that: %v, epoch %d", err, guard.Epoch.Load())
	}
	expectInts(t, "count", int32sOf(readMemory(t, q, m, 0, 4)), 6)
}

func (s *suite) shareState(t *testing.T, p driver.Program) {
	k, q, m := kernelByName(t, p, "count"), s.newQueue(t), s.newMemory(t, 4)
	shared, ok := q.(driver.DirectQueue)
	if !ok || shared.Handle() == 0 {
		t.Fatalf("%T has no native queue to share", q)
	}
	const all = driver.DirectLaunches | driver.DirectFinish
	state := new(driver.QueueState)
	shared.ShareState(state)
	if allowed := state.Allowed.Load(); allowed != all {
		t.Errorf("an idle queue allows %#x; want %#x", allowed, all)
	}
	before := state.Submitted.Load()
	if err := q.Launch(k, driver.Range{Global: []int{3}}, []driver.Arg{{Memory: m}}, driver.Sync{}); err != nil {
		t.Fatal(err)
	}
	if n := state.Submitted.Load(); n <= before {
		t.Errorf("%d commands were submitted before the launch, %d after it", before, n)
	}
	if state.Allowed.Load()&driver.DirectFinish != 0 {
		t.Error("nobody need look at a launch that may fail")
	}
	if err := q.Finish(); err != nil {
		t.Fatal(err)
	}
	if state.Ended.Load() != state.Submitted.Load() || state.Allowed.Load() != all {
		t.Errorf("after Finish: %d of %d commands have ended, %#x is allowed", state.Ended.Load(), state.Submitted.Load(), state.Allowed.Load())
	}
}

// directFailure: the status with which the wait for an event failed is an error, even
// where the driver reports none for the event itself.
func (s *suite) directFailure(t *testing.T, p driver.Program) {
	k, q, m := kernelByName(t, p, "count"), s.newQueue(t), s.newMemory(t, 4)
	var event driver.Event
	if err := errors.Join(q.Launch(k, driver.Range{Global: []int{3}}, []driver.Arg{{Memory: m}}, driver.Sync{Done: &event}), q.Finish()); err != nil {
		t.Fatal(err)
	}
	// The native event goes to DirectFailure, which releases it in place of Close.
	err := k.(driver.DirectKernel).DirectFailure(event.(driver.NativeHandle).Handle(), faultCode)
	if failed, ok := errors.AsType[*driver.CallError](err); !ok || failed.Code != faultCode {
		t.Errorf("DirectFailure: %v; want a CallError with %d", err, faultCode)
	}
}
