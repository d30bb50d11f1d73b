package hostdev

import (
	"context"
	"errors"
	"sync"
	"time"

	"offlink/runtime/driver"
)

// event is the event of a command, or one that the host completes.
type event struct {
	device   *Device
	profiled bool

	mu      sync.Mutex
	status  driver.Status
	err     error
	ended   chan struct{} // closed at the end; made when the first caller waits
	waiting []*command
	calls   []func(error)
	times   [driver.Failed + 1]time.Duration
}

// advanceStatus records a status that is not the last one.
func (e *event) advanceStatus(s driver.Status) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.status < s && !e.isOver() {
		e.status = s
		e.stampTime(s)
	}
}

func (e *event) stampTime(s driver.Status) {
	if e.profiled {
		e.times[s] = e.device.now()
	}
}

// now is the time on the device's clock, which costs one look at the system's.
func (d *Device) now() time.Duration { return time.Since(d.epoch) }

// Clock is the time on the clock of events' times.
func (d *Device) Clock() time.Duration { return d.now() }

func (e *event) isOver() bool { return e.status >= driver.Complete }

// endEvent ends the event and returns the commands that may start now. Only the
// first call has an effect.
func (e *event) endEvent(err error) (ready []*command) {
	e.mu.Lock()
	if e.isOver() {
		e.mu.Unlock()
		return nil
	}
	e.status, e.err = driver.Complete, err
	if err != nil {
		e.status = driver.Failed
	}
	e.stampTime(driver.Complete)
	waiting, calls := e.waiting, e.calls
	e.waiting, e.calls = nil, nil
	if e.ended != nil {
		close(e.ended)
	}
	e.mu.Unlock()
	// On goroutines of their own, as they may block or call the queue.
	for _, f := range calls {
		go f(err)
	}
	for _, c := range waiting {
		if c.releaseHold() {
			ready = append(ready, c)
		}
	}
	return ready
}

// holdCommand makes a command wait for the event. If the event has ended, held
// is false and err is the event's error.
func (e *event) holdCommand(c *command) (held bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.isOver() {
		return false, e.err
	}
	c.pending.Add(1)
	e.waiting = append(e.waiting, c)
	return true, nil
}

// doneChannel returns a channel that is closed when the event ends.
func (e *event) doneChannel() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended == nil {
		e.ended = make(chan struct{})
		if e.isOver() {
			close(e.ended)
		}
	}
	return e.ended
}

func (e *event) result() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// Wait implements driver.Event.
func (e *event) Wait(ctx context.Context) error {
	select {
	case <-e.doneChannel():
		return e.result()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Status implements driver.Event.
func (e *event) Status() driver.Status {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.status
}

var (
	errNotProfiled = errors.New("the event has no times: its queue was made without profiling")
	errNotOver     = errors.New("the event has no times yet: its command has not ended")
)

// Times implements driver.Event.
func (e *event) Times() (driver.Times, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case !e.profiled:
		return driver.Times{}, errNotProfiled
	case !e.isOver():
		return driver.Times{}, errNotOver
	}
	times := e.times
	for s := driver.Complete; s > driver.Queued; s-- {
		if times[s-1] == 0 { // a barrier passes over states
			times[s-1] = times[s]
		}
	}
	return driver.Times{Queued: times[driver.Queued], Submitted: times[driver.Submitted], Started: times[driver.Running], Ended: times[driver.Complete]}, nil
}

// OnDone implements driver.Event.
func (e *event) OnDone(f func(error)) {
	e.mu.Lock()
	if !e.isOver() {
		e.calls = append(e.calls, f)
		e.mu.Unlock()
		return
	}
	err := e.err
	e.mu.Unlock()
	f(err)
}

// Complete implements driver.UserEvent.
func (e *event) Complete(err error) {
	for _, c := range e.endEvent(err) {
		go c.runAll()
	}
}

// Close does nothing: events are collected as garbage.
func (e *event) Close() error { return nil }

// ownEvent returns the argument as an event of this device.
func (d *Device) ownEvent(e driver.Event) (*event, error) {
	own, ok := e.(*event)
	if !ok || own.device != d {
		return nil, errors.New("the event is not of this device")
	}
	return own, nil
}
