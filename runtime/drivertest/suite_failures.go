package drivertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"offlink/runtime/driver"
)

// testManyFailures: of the events that commands wait for several fail, before a command is
// queued or later, again and again; each such command fails, and no other does.
func (s *suite) testManyFailures(t *testing.T) {
	for _, outOfOrder := range []bool{false, true} {
		for _, late := range []bool{false, true} {
			t.Run(fmt.Sprintf("OutOfOrder=%v,Late=%v", outOfOrder, late), func(t *testing.T) {
				q := s.newQueueWith(t, driver.QueueOptions{OutOfOrder: outOfOrder})
				for range 20 {
					s.failTogether(t, q, late)
				}
			})
		}
	}
}

func (s *suite) newQueueWith(t *testing.T, options driver.QueueOptions) driver.Queue {
	t.Helper()
	q, err := s.device.NewQueue(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeAtEnd(t, q) })
	return q
}

// failTogether has three commands wait for two events that fail, and for each other.
func (s *suite) failTogether(t *testing.T, q driver.Queue, late bool) {
	t.Helper()
	m := s.newMemory(t, 4)
	var waits []driver.Event
	fail := func() {
		for _, e := range waits[:2] {
			e.(driver.UserEvent).Complete(errors.New("the host gave up"))
		}
	}
	for range 2 {
		gate, after := s.closingGate(t, true)
		if gate == nil {
			t.Skip("the device makes no events")
		}
		defer closeAtEnd(t, gate)
		waits = append(waits, after...)
	}
	if !late {
		fail()
	}
	for range 3 {
		var done driver.Event
		if err := q.Fill(m, 0, 4, []byte{1}, driver.Sync{After: slices.Clone(waits), Done: &done}); err != nil {
			t.Fatal(err)
		}
		defer closeAtEnd(t, done)
		waits = append(waits, done)
	}
	if late {
		fail()
	}
	for i, e := range waits[2:] {
		if err := e.Wait(t.Context()); err == nil || e.Status() != driver.Failed {
			t.Errorf("command %d after failed events: %v, %v", i, err, e.Status())
		}
	}
	if err := q.Finish(); err == nil {
		t.Error("Finish does not tell of the failures")
	}
	expectInts(t, "the memory", int32sOf(readMemory(t, q, m, 0, 4)), 0)
	if err := errors.Join(q.Barrier(driver.Sync{}), q.Fill(m, 0, 4, []byte{2}, driver.Sync{}), q.Finish()); err != nil {
		t.Errorf("commands after the failures: %v", err)
	}
}

// testBarrierAfterFailure: a barrier waits for a command that waits for an event of the host,
// which fails.
func (s *suite) testBarrierAfterFailure(t *testing.T) {
	gate, after := s.closingGate(t, true)
	if gate == nil {
		t.Skip("the device makes no events")
	}
	t.Cleanup(func() { closeAtEnd(t, gate) })
	q, m := s.newQueueWith(t, driver.QueueOptions{OutOfOrder: true}), s.newMemory(t, 4)
	var waits, barrier driver.Event
	if err := errors.Join(
		q.Fill(m, 0, 4, []byte{1}, driver.Sync{After: after, Done: &waits}),
		q.Barrier(driver.Sync{Done: &barrier}),
	); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeAtEnd(t, waits) })
	t.Cleanup(func() { closeAtEnd(t, barrier) })
	soon, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if err := barrier.Wait(soon); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the barrier did not wait: %v", err)
	}
	gate.Complete(errors.New("the host gave up"))
	if err := waits.Wait(t.Context()); err == nil {
		t.Error("the command after a failed event succeeded")
	}
	_ = barrier.Wait(t.Context()) // devices differ in whether it fails too
	_ = q.Finish()
	expectInts(t, "the memory", int32sOf(readMemory(t, q, m, 0, 4)), 0)
}
