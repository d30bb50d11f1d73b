package drivertest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"offlink/runtime/driver"
)

// blocking has a call return at the command's end.
var blocking = driver.Sync{Block: true}

func (s *suite) writeInts(t *testing.T, q driver.Queue, m driver.Memory, values ...int32) {
	t.Helper()
	data, _ := binary.Append(nil, binary.LittleEndian, values)
	if err := q.Write(m, 0, data, blocking); err != nil {
		t.Fatal(err)
	}
}

// testTransfers: copies and fills, at offsets, and beyond the ends.
// A refused command must leave the queue usable: errors of arguments are the caller's,
// failures of commands the queue's.
func (s *suite) testTransfers(t *testing.T) {
	q, a, b := s.newQueue(t), s.newMemory(t, 32), s.newMemory(t, 16)
	s.writeInts(t, q, a, 1, 2, 3, 4, 5, 6, 7, 8)
	if err := errors.Join(
		q.Copy(b, 4, a, 8, 8, driver.Sync{}),
		q.Copy(a, 0, a, 24, 4, driver.Sync{}),
		q.Fill(b, 12, 4, []byte{9, 0}, driver.Sync{}),
		q.Fill(a, 4, 8, []byte{1, 0, 0, 0, 2, 0, 0, 0}, driver.Sync{}),
		q.Copy(b, 16, a, 0, 0, driver.Sync{}),
		q.Flush(), q.Finish()); err != nil {
		t.Fatal(err)
	}
	expectInts(t, "copied", int32sOf(readMemory(t, q, b, 0, 16)), 0, 3, 4, 9|9<<16)
	expectInts(t, "filled", int32sOf(readMemory(t, q, a, 0, 32)), 7, 1, 2, 4, 5, 6, 7, 8)
	for name, err := range map[string]error{
		"Copy beyond the target": q.Copy(b, 12, a, 0, 8, blocking),
		"Copy beyond the source": q.Copy(b, 0, a, 28, 8, blocking),
		"Copy before the source": q.Copy(b, 0, a, -4, 8, blocking),
		"Fill beyond the end":    q.Fill(b, 12, 8, []byte{1}, blocking),
		"Fill with no pattern":   q.Fill(b, 0, 8, nil, blocking),
		"Fill with three bytes":  q.Fill(b, 0, 12, []byte{1, 2, 3}, blocking),
		"Fill of half a pattern": q.Fill(b, 0, 6, []byte{1, 2, 3, 4}, blocking),
	} {
		if err == nil {
			t.Errorf("%s: done", name)
		}
	}
	// The failures may be told here too; the next Write must not be one of
	// them.
	_ = q.Finish()
	if err := q.Write(b, 0, make([]byte, 16), blocking); err != nil {
		t.Errorf("a refused command spoils the queue: %v", err)
	}
}

// testAddresses: kernels find addresses in arguments by value and in memory.
func (s *suite) testAddresses(t *testing.T) {
	p, q := s.newProgram(t, s.appModule(), s.libModule()), s.newQueue(t)
	for _, kind := range []driver.MemoryKind{driver.DeviceMemory, driver.HostMemory, driver.SharedMemory} {
		m, err := s.device.Alloc(kind, 64)
		if errors.Is(err, driver.ErrUnsupported) {
			t.Logf("no %v memory", kind)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if m.Kind() != kind || m.Size() != 64 {
			t.Errorf("%v memory says it is %v, of %d bytes", kind, m.Kind(), m.Size())
		}
		s.addressKernel(t, p, q, m)
		closeAtEnd(t, m)
	}
	// The zero value of a kind is a mistake of the caller, not a default.
	if m, err := s.device.Alloc(0, 64); err == nil {
		t.Error("memory of no kind was allocated")
		closeAtEnd(t, m)
	}
}

// addressKernel: addresses in a struct and in a linked list are two cases. A driver may
// find those in arguments, and must make memory resident that only other memory names.
func (s *suite) addressKernel(t *testing.T, p driver.Program, q driver.Queue, m driver.Memory) {
	a, ok := m.(driver.Addresser)
	if !ok {
		t.Logf("%v memory has no address", m.Kind())
		return
	}
	s.writeInts(t, q, m, 1, 2, 3, 4)
	from, to := a.Address(), a.Address()+32
	value := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, from), to)
	runKernel(t, q, kernelByName(t, p, "follow"), driver.Range{Global: []int{4}}, driver.Arg{Value: value})
	expectInts(t, "through addresses in a struct", int32sOf(readMemory(t, q, m, 32, 16)), 2, 3, 4, 5)

	// A list: {value, next}, from 0 to 32 to 16.
	var list []byte
	for _, word := range []uint64{1, from + 32, 3, 0, 2, from + 16} {
		list = binary.LittleEndian.AppendUint64(list, word)
	}
	if err := q.Write(m, 0, list, blocking); err != nil {
		t.Fatal(err)
	}
	out := s.newMemory(t, 4)
	runKernel(t, q, kernelByName(t, p, "last"), driver.Range{Global: []int{1}}, driver.Arg{Memory: m}, driver.Arg{Memory: out})
	expectInts(t, "the last of a list", int32sOf(readMemory(t, q, out, 0, 4)), 3)
	runKernel(t, q, kernelByName(t, p, "last"), driver.Range{Global: []int{1}},
		driver.Arg{Value: binary.LittleEndian.AppendUint64(nil, from)}, driver.Arg{Memory: out})
	expectInts(t, "the last of a list that an address names", int32sOf(readMemory(t, q, out, 0, 4)), 3)

	if v, ok := m.(driver.HostVisible); ok && !bytes.Equal(v.Bytes()[:len(list)], list) {
		t.Errorf("the host sees %v; want %v", v.Bytes(), list)
	} else if !ok && m.Kind() != driver.DeviceMemory {
		t.Errorf("%v memory is not visible to the host", m.Kind())
	}
	s.checkPointers(t, m, from)
}

// checkPointers: address 16 belongs to no allocation on any device, as the first page is
// never mapped.
func (s *suite) checkPointers(t *testing.T, m driver.Memory, from uint64) {
	d, ok := s.device.(driver.PointerQuerier)
	if !ok {
		return
	}
	if p, ok := d.Pointer(from + 5); !ok || p.Memory != m || p.Offset != 5 {
		t.Errorf("Pointer of byte 5 of %v memory = %+v, %v", m.Kind(), p, ok)
	}
	if p, ok := d.Pointer(16); ok {
		t.Errorf("Pointer(16) = %+v", p)
	}
}

// testEvents: events order commands of several queues. The gate holds the first queue
// back, so that the order of the commands shows which event each of them waits for.
func (s *suite) testEvents(t *testing.T) {
	first, second, m := s.newQueue(t), s.newQueue(t), s.newMemory(t, 8)
	maker, ok := s.device.(driver.EventMaker)
	if !ok {
		t.Skip("the device makes no events")
	}
	gate, err := maker.NewEvent()
	if errors.Is(err, driver.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer closeAtEnd(t, gate)
	var wrote, filled driver.Event
	got := make([]byte, 8)
	if err := errors.Join(
		first.Write(m, 0, []byte{1, 2, 3, 4, 5, 6, 7, 8}, driver.Sync{After: []driver.Event{gate}, Done: &wrote}),
		second.Fill(m, 0, 4, []byte{9}, driver.Sync{After: []driver.Event{wrote}, Done: &filled}),
	); err != nil {
		t.Fatal(err)
	}
	defer closeAtEnd(t, wrote)
	defer closeAtEnd(t, filled)
	ended := make(chan error, 2)
	filled.OnDone(func(err error) { ended <- err })
	soon, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := filled.Wait(soon); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the command did not wait: %v", err)
	}
	if st := wrote.Status(); st >= driver.Running {
		t.Errorf("a command that waits is %v", st)
	}
	gate.Complete(nil)
	// Only the first completion counts.
	gate.Complete(errors.New("too late"))
	if err := filled.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the callback got %v", err)
	}
	filled.OnDone(func(err error) { ended <- err })
	if err := <-ended; err != nil || filled.Status() != driver.Complete || gate.Status() != driver.Complete {
		t.Errorf("a later callback got %v; the events are %v and %v", err, filled.Status(), gate.Status())
	}
	if err := first.Read(m, 0, got, driver.Sync{After: []driver.Event{filled}, Block: true}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, []byte{9, 9, 9, 9, 5, 6, 7, 8}) {
		t.Errorf("got %v", got)
	}
}

// testFailures: a command does not run after one that it waits for failed.
func (s *suite) testFailures(t *testing.T) {
	maker, ok := s.device.(driver.EventMaker)
	if !ok {
		t.Skip("the device makes no events")
	}
	q, m := s.newQueue(t), s.newMemory(t, 4)
	gate, err := maker.NewEvent()
	if errors.Is(err, driver.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer closeAtEnd(t, gate)
	var event driver.Event
	cause := errors.New("the host gave up")
	if err := q.Write(m, 0, []byte{1, 2, 3, 4}, driver.Sync{After: []driver.Event{gate}, Done: &event}); err != nil {
		t.Fatal(err)
	}
	defer closeAtEnd(t, event)
	told := make(chan error, 1)
	event.OnDone(func(err error) { told <- err })
	gate.Complete(cause)
	select {
	case err := <-told:
		if err == nil {
			t.Error("OnDone tells no failure of the command after a failed event")
		}
	case <-time.After(10 * time.Second):
		t.Fatal("OnDone does not tell that the command after a failed event has ended")
	}
	if err := event.Wait(t.Context()); err == nil || event.Status() != driver.Failed {
		t.Errorf("the command after a failed event: %v, %v", err, event.Status())
	}
	if err := q.Finish(); err == nil {
		t.Error("Finish does not tell")
	}
	// A failure is told once: the queue is usable after it.
	if err := q.Finish(); err != nil {
		t.Errorf("Finish tells twice: %v", err)
	}
	expectInts(t, "the memory", int32sOf(readMemory(t, q, m, 0, 4)), 0)
}

// testOutOfOrder: commands that nothing orders all run; barriers and events order them.
// The kernel counts atomically, so that the sum shows that each launch ran exactly
// once, in whatever order.
func (s *suite) testOutOfOrder(t *testing.T) {
	q, err := s.device.NewQueue(driver.QueueOptions{OutOfOrder: true})
	if err != nil {
		t.Fatal(err)
	}
	defer closeAtEnd(t, q)
	p, m := s.newProgram(t, s.appModule(), s.libModule()), s.newMemory(t, 4)
	k := kernelByName(t, p, "count")
	got := make([]byte, 4)
	args := []driver.Arg{{Memory: m}}
	err = q.Write(m, 0, []byte{100, 0, 0, 0}, driver.Sync{})
	err = errors.Join(err, q.Barrier(driver.Sync{}))
	for range 20 {
		err = errors.Join(err, q.Launch(k, driver.Range{Global: []int{5}}, args, driver.Sync{}))
	}
	var last driver.Event
	if err = errors.Join(err, q.Barrier(driver.Sync{Done: &last}),
		q.Read(m, 0, got, driver.Sync{After: []driver.Event{last}}), q.Finish()); err != nil {
		t.Fatal(err)
	}
	defer closeAtEnd(t, last)
	expectInts(t, "count", int32sOf(got), 200)

	var wg sync.WaitGroup
	for range 4 { // several goroutines, one queue
		wg.Go(func() {
			for range 10 {
				if err := q.Launch(k, driver.Range{Global: []int{1}}, args, blocking); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	expectInts(t, "count", int32sOf(readMemory(t, q, m, 0, 4)), 240)
}

// testProfiling: times rise, and are refused where profiling was not asked for.
func (s *suite) testProfiling(t *testing.T) {
	q, err := s.device.NewQueue(driver.QueueOptions{Profiling: true})
	if err != nil {
		t.Fatal(err)
	}
	defer closeAtEnd(t, q)
	m := s.newMemory(t, 1<<16)
	var event, other driver.Event
	if err := errors.Join(q.Fill(m, 0, 1<<16, []byte{1}, driver.Sync{Done: &event}), q.Finish()); err != nil {
		t.Fatal(err)
	}
	defer closeAtEnd(t, event)
	times, err := event.Times()
	if err != nil || times.Queued > times.Submitted || times.Submitted > times.Started || times.Started > times.Ended || times.Ended == 0 {
		t.Errorf("Times = %+v, %v", times, err)
	}
	var barrier driver.Event
	if err := errors.Join(q.Barrier(driver.Sync{Done: &barrier}), q.Finish()); err != nil {
		t.Fatal(err)
	}
	defer closeAtEnd(t, barrier)
	after, err := barrier.Times()
	if err != nil || after.Queued > after.Submitted || after.Submitted > after.Started || after.Started > after.Ended || after.Started < times.Queued {
		t.Errorf("Times of a barrier after %+v = %+v, %v", times, after, err)
	}
	plain := s.newQueue(t)
	if err := errors.Join(plain.Fill(m, 0, 1, []byte{1}, driver.Sync{Done: &other}), plain.Finish()); err != nil {
		t.Fatal(err)
	}
	defer closeAtEnd(t, other)
	// Zeros would look like times.
	if times, err := other.Times(); err == nil {
		t.Errorf("a queue without profiling tells %+v", times)
	}
}

// testAbort: a kernel that never ends is stopped, and all that waits for it ends.
// The kernel writes nothing, so that memory shows whether the command after
// it ran.
func (s *suite) testAbort(t *testing.T) {
	q := s.newQueue(t)
	aborter, ok := q.(driver.Aborter)
	if !ok {
		t.Skip("queues cannot be aborted")
	}
	p, m := s.newProgram(t, s.appModule(), s.libModule()), s.newMemory(t, 4)
	var running, waiting driver.Event
	if err := errors.Join(
		q.Launch(kernelByName(t, p, "endless"), driver.Range{Global: []int{1}}, []driver.Arg{{Memory: m}}, driver.Sync{Done: &running}),
		q.Fill(m, 0, 4, []byte{1}, driver.Sync{Done: &waiting}),
	); err != nil {
		t.Fatal(err)
	}
	defer closeAtEnd(t, running)
	defer closeAtEnd(t, waiting)
	cause := errors.New("enough")
	aborter.Abort(cause)
	for name, err := range map[string]error{"the kernel": running.Wait(t.Context()), "the next command": waiting.Wait(t.Context()), "Finish": q.Finish()} {
		if !errors.Is(err, cause) {
			t.Errorf("%s: %v; want the cause", name, err)
		}
	}
	if err := q.Fill(m, 0, 4, []byte{1}, blocking); !errors.Is(err, cause) {
		t.Errorf("the queue takes more: %v", err)
	}
	expectInts(t, "the memory", int32sOf(readMemory(t, s.newQueue(t), m, 0, 4)), 0)
}
