package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"offlink/runtime"
	"offlink/runtime/driver"
)

// timeoutError says that a wait took too long.
type timeoutError struct{ after time.Duration }

func (e *timeoutError) Error() string { return fmt.Sprintf("it has not ended after %v", e.after) }

// waitFor waits for an event, without a limit if the timeout is negative.
func waitFor(e driver.Event, timeout time.Duration) error {
	if timeout < 0 {
		return e.Wait(context.Background())
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	err := e.Wait(ctx)
	// If the event ended just at the limit, its own outcome counts.
	if errors.Is(err, context.DeadlineExceeded) && e.Status() < driver.Complete {
		return &timeoutError{timeout}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return e.Wait(context.Background()) // it ended just then
	}
	return err
}

// finishFor is finishQueue with a timeout.
func (s *session) finishFor(handle uint64, timeout time.Duration) error {
	q, err := lookupHandle[*queue](&s.handles, handle, "queue")
	if err != nil {
		return err
	}
	// Queues have no wait with a limit, but events have: that of a barrier ends after
	// all commands so far.
	var all driver.Event
	if err := q.Barrier(driver.Sync{Done: &all}); err != nil {
		return errors.Join(err, q.Finish())
	}
	err = waitFor(all, timeout)
	var late *timeoutError
	if errors.As(err, &late) {
		return errors.Join(err, all.Close())
	}
	return errors.Join(q.Finish(), all.Close())
}

// launchWith runs a kernel, stops it when the timeout is over, and returns its times if
// profiled. A negative timeout is none. It uses a queue of its own, so that aborting
// the queue stops nothing else.
func (s *session) launchWith(handle uint64, r *launchRequest, timeout time.Duration, profiled bool) (times [4]uint64, err error) {
	k, err := lookupHandle[*kernel](&s.handles, handle, "kernel")
	if err != nil {
		return times, err
	}
	list, err := r.driverArgs(s, k)
	if err != nil {
		return times, err
	}
	q, err := k.device.NewQueue(driver.QueueOptions{Profiling: profiled})
	if err != nil {
		return times, err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	aborter, ok := q.(driver.Aborter)
	if timeout >= 0 && !ok {
		return times, fmt.Errorf("kernels of %v cannot be stopped: %w", k.device, driver.ErrUnsupported)
	}
	var done driver.Event
	if err := k.Launch(q, r.size, list, driver.Sync{Done: &done}); err != nil {
		return times, err
	}
	defer done.Close()
	err = waitFor(done, timeout)
	if late, ok := errors.AsType[*timeoutError](err); ok {
		err = stopLate(aborter, done, k.Name, late)
	}
	if err == nil && profiled {
		times, err = timesOf(done)
	}
	return times, err
}

// stopLate stops a kernel and returns its outcome: the device says where it was, if it had begun,
// and it may have ended just then. The kernel may use the caller's arguments until this returns.
func stopLate(q driver.Aborter, done driver.Event, kernel string, late *timeoutError) error {
	q.Abort(late)
	err := done.Wait(context.Background())
	if err == late {
		return fmt.Errorf("kernel %s: %w", kernel, late)
	}
	return err
}

func timesOf(e driver.Event) ([4]uint64, error) {
	t, err := e.Times()
	if err != nil {
		return [4]uint64{}, invalidArgument("%v", err)
	}
	return [4]uint64{uint64(t.Queued), uint64(t.Submitted), uint64(t.Started), uint64(t.Ended)}, nil
}

func (s *session) newUserEvent(d *runtime.Device) (driver.UserEvent, error) {
	maker, ok := d.Device.(driver.EventMaker)
	if !ok {
		// The text names the device, as the same program may run elsewhere.
		return nil, fmt.Errorf("%v has no events that the host ends: %w", d, driver.ErrUnsupported)
	}
	return maker.NewEvent()
}

// createEvent makes an event that C ends.
func (s *session) createEvent(device uint64) (uint64, error) {
	d, err := lookupHandle[*runtime.Device](&s.handles, device, "device")
	if err != nil {
		return 0, err
	}
	e, err := s.newUserEvent(d)
	if err != nil {
		return 0, err
	}
	return s.handles.addHandle(&event{e, d, e}), nil
}

// hostError is the failure with which the program ended an event.
type hostError struct{ outcome status }

func (e *hostError) Error() string {
	return fmt.Sprintf("the program ended the event with status %d", int(e.outcome))
}

func (s *session) completeEvent(handle uint64, outcome status) error {
	e, err := lookupHandle[*event](&s.handles, handle, "event")
	if err != nil {
		return err
	}
	if e.user == nil {
		return invalidArgument("the event is a command's; only those of offlink_event_create can be ended")
	}
	if outcome != statusOK {
		e.user.Complete(&hostError{outcome})
	} else {
		e.user.Complete(nil)
	}
	return nil
}

var (
	errEventClosed = errors.New("the event was closed before the program ended it")
	errEventLeft   = errors.New("the process ends, and the program has not ended the event")
)

// abandon ends an event that the program leaves without an end: commands would wait for it
// for ever, and so would the exit handlers of some drivers. It does nothing to others.
func (e *event) abandon(err error) {
	if e.user != nil {
		e.user.Complete(err)
	}
}

func (s *session) eventStatus(handle uint64) (driver.Status, error) {
	e, err := lookupHandle[*event](&s.handles, handle, "event")
	if err != nil {
		return 0, err
	}
	return e.Status(), nil
}

// whenDone has f called with the event's outcome once it has ended.
func (s *session) whenDone(handle uint64, f func(error)) error {
	e, err := lookupHandle[*event](&s.handles, handle, "event")
	if err != nil {
		return err
	}
	e.OnDone(f)
	return nil
}

// enqueueHost queues a function of the host. start is called when the commands before it
// have ended, with the handle of an event that the program ends when the function has
// returned. The commands after it wait for that event. After an error of the call itself,
// start is not called.
func (s *session) enqueueHost(handle uint64, sync commandSync, start func(ends uint64)) (uint64, error) {
	if sync.here && sync.block {
		return 0, errElsewhere // the function takes its time
	}
	q, err := lookupHandle[*queue](&s.handles, handle, "queue")
	if err != nil {
		return 0, err
	}
	ends, err := s.newUserEvent(q.device)
	if err != nil {
		return 0, err
	}
	// The function begins after the commands before it, and the commands after
	// it begin when it has ended: two barriers, with the event of the function
	// between them.
	begins, err := s.queueBarrier(handle, commandSync{after: sync.after, event: true})
	if err != nil {
		return 0, errors.Join(err, ends.Close())
	}
	waits := s.handles.addHandle(&event{ends, q.device, ends})
	// The second is queued before the function can begin, at whose end the event is closed.
	done, err := s.queueBarrier(handle, commandSync{after: []uint64{waits}, event: sync.event || sync.block})
	if err != nil {
		s.closeHandle(begins)
		s.failHost(waits, err)
		return done, err
	}
	s.startHost(begins, waits, start)
	if sync.block {
		err = s.waitEvent(done, true, -1)
	}
	if done != 0 && !sync.event {
		s.closeHandle(done)
		done = 0
	}
	return done, err
}

// failHost ends the event of a function that is not called, and closes its handle.
func (s *session) failHost(ends uint64, err error) {
	if own, ok := s.handles.endHandle(ends).(*event); ok {
		own.user.Complete(err)
		_ = own.Close() // an error has no receiver here
	}
}

// startHost calls start once the event begins has ended. If that failed, the function is
// not called, and its own event fails too. It closes the handle begins.
func (s *session) startHost(begins, ends uint64, start func(ends uint64)) {
	e, ok := s.handles.endHandle(begins).(*event)
	if !ok {
		return // its driver has ended with the process
	}
	e.OnDone(func(err error) {
		_ = e.Close() // an error has no receiver here
		if err == nil {
			start(ends)
			return
		}
		s.failHost(ends, err)
	})
}
