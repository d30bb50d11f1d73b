package drivertest

import (
	"bytes"
	"errors"
	"testing"

	"offlink/runtime/driver"
)

// testClosedMemory: memory that is closed under commands stays until they have
// ended, whether their queue is open or was closed at work, and whether they wait for
// the host or run.
func (s *suite) testClosedMemory(t *testing.T) {
	for name, c := range map[string]struct{ outOfOrder, waits, close bool }{
		"running":                  {},
		"waiting":                  {waits: true},
		"running, queue closed":    {close: true},
		"waiting, queue closed":    {waits: true, close: true},
		"running, out of order":    {outOfOrder: true},
		"waiting, out of order":    {outOfOrder: true, waits: true},
		"out of order, and closed": {outOfOrder: true, waits: true, close: true},
	} {
		t.Run(name, func(t *testing.T) {
			for range 3 {
				s.closeMemoryAtWork(t, c.outOfOrder, c.waits, c.close)
			}
		})
	}
}

// The work of a case of testClosedMemory: launches of so many work-items, each of
// which adds one to the memory.
const (
	closeLaunches  = 8
	closeWorkItems = 1 << 12
	closeSize      = 1 << 12
)

func (s *suite) closeMemoryAtWork(t *testing.T, outOfOrder, waits, closesQueue bool) {
	k := kernelByName(t, s.newProgram(t, s.appModule(), s.libModule()), "count")
	q, err := s.device.NewQueue(driver.QueueOptions{OutOfOrder: outOfOrder})
	if err != nil {
		t.Fatal(err)
	}
	gate, after := s.closingGate(t, waits)
	used, err := s.device.Alloc(driver.DeviceMemory, closeSize)
	if err != nil {
		t.Fatal(err)
	}
	result := s.newMemory(t, 4)
	for range closeLaunches {
		err = errors.Join(err, q.Launch(k, driver.Range{Global: []int{closeWorkItems}}, []driver.Arg{{Memory: used}}, driver.Sync{After: after}))
	}
	var counted driver.Event
	if err = errors.Join(err, q.Barrier(driver.Sync{Done: &counted})); err != nil {
		t.Fatal(err)
	}
	defer closeAtEnd(t, counted)
	if err := errors.Join(q.Copy(result, 0, used, 0, 4, driver.Sync{After: []driver.Event{counted}}), q.Flush()); err != nil {
		t.Fatal(err)
	}
	if closesQueue {
		closeAtEnd(t, q)
	}
	closeAtEnd(t, used)
	others := s.fillOthers(t)
	if gate != nil {
		gate.Complete(nil)
		defer closeAtEnd(t, gate)
	}
	if !closesQueue {
		if err := q.Finish(); err != nil {
			t.Errorf("Finish: %v", err)
		}
		// In the same queue: rusticl of Mesa 22 may show others the bytes from before.
		expectInts(t, "the closed memory", int32sOf(readMemory(t, q, result, 0, 4)), closeLaunches*closeWorkItems)
		closeAtEnd(t, q)
	}
	others()
}

// testClosedProgram: a kernel and its program that are closed under launches run to
// their end, whether they wait for the host or run. A program that is built afterwards
// may have their place.
func (s *suite) testClosedProgram(t *testing.T) {
	for name, waits := range map[string]bool{"running": false, "waiting": true} {
		t.Run(name, func(t *testing.T) {
			for range 3 {
				s.closeProgramAtWork(t, waits)
			}
		})
	}
}

func (s *suite) closeProgramAtWork(t *testing.T, waits bool) {
	p, err := driver.Build(t.Context(), s.device, []driver.Module{s.appModule(), s.libModule()}, driver.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("count")
	if err != nil {
		t.Fatal(err)
	}
	q := s.newQueue(t)
	gate, after := s.closingGate(t, waits)
	counter := s.newMemory(t, 4)
	for range closeLaunches {
		err = errors.Join(err, q.Launch(k, driver.Range{Global: []int{closeWorkItems}}, []driver.Arg{{Memory: counter}}, driver.Sync{After: after}))
	}
	if err = errors.Join(err, q.Flush()); err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, k)
	closeAtEnd(t, p)
	other := s.newProgram(t, s.appModule(), s.libModule())
	if gate != nil {
		gate.Complete(nil)
		defer closeAtEnd(t, gate)
	}
	if err := q.Finish(); err != nil {
		t.Errorf("Finish: %v", err)
	}
	expectInts(t, "of the closed program", int32sOf(readMemory(t, q, counter, 0, 4)), closeLaunches*closeWorkItems)
	next := s.newMemory(t, 4)
	if err := q.Launch(kernelByName(t, other, "count"), driver.Range{Global: []int{16}}, []driver.Arg{{Memory: next}}, driver.Sync{}); err != nil {
		t.Fatal(err)
	}
	expectInts(t, "of the next program", int32sOf(readMemory(t, q, next, 0, 4)), 16)
}

// closingGate returns an event that holds the commands back, nil if they are to run or if
// the device makes no such events.
func (s *suite) closingGate(t *testing.T, waits bool) (driver.UserEvent, []driver.Event) {
	maker, ok := s.device.(driver.EventMaker)
	if !ok || !waits {
		return nil, nil
	}
	gate, err := maker.NewEvent()
	if errors.Is(err, driver.ErrUnsupported) {
		return nil, nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return gate, []driver.Event{gate}
}

// fillOthers makes memories, which would get the address of one that was freed too early,
// and returns a check that nothing else wrote there.
func (s *suite) fillOthers(t *testing.T) (check func()) {
	q, want := s.newQueue(t), bytes.Repeat([]byte{0xa5}, closeSize)
	var list []driver.Memory
	for range 8 {
		m := s.newMemory(t, closeSize)
		if err := q.Write(m, 0, want, blocking); err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	return func() {
		for i, m := range list {
			if got := readMemory(t, q, m, 0, closeSize); !bytes.Equal(got, want) {
				t.Errorf("memory %d that was made afterwards was written to: it begins with %v", i, got[:8])
			}
		}
	}
}
