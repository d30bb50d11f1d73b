package streams

import (
	"context"
	"errors"
	"sync"
	"time"

	"offlink/runtime/driver"
)

// event is the event of a command, or one that the host ends.
type event struct {
	device *Device
	queue  *Queue // with the base of times, where it is profiled
	// tracker is the command's queue if the driver reports failures only through
	// events, otherwise nil.
	tracker *Queue
	number  uint64 // in the queue

	mu    sync.Mutex
	state eventState
	err   error
	// changed is closed at the next change of state; nil: nobody waits.
	changed  chan struct{}
	watchers []*Queue // with commands that wait for this one to be submitted
	// begin and end are recorded around the command; begin only where it is
	// profiled. They are 0 for an event that the host ends, and for a command
	// that was not submitted.
	begin, end Mark
	holders    int  // users of end besides the receiver of the event
	closed     bool // by its receiver
	waited     bool // a goroutine waits for the end
	// causes are events that the command waits for on the device, with their marks
	// held: drivers may report success for a command that they dropped.
	causes []*event

	queued, submitted time.Duration // since the device's epoch
}

type eventState int

const (
	eventWaiting   eventState = iota // in the queue, or for the host
	eventSubmitted                   // in a stream
	eventOver
)

// advanceState changes the state, and has the queues that wait look again.
func (e *event) advanceState(state eventState, err error) {
	e.mu.Lock()
	if e.state >= state {
		e.mu.Unlock()
		return
	}
	e.state, e.err = state, err
	changed := e.changed
	e.changed = nil
	watchers := e.watchers
	e.watchers = nil
	var causes []*event
	if state == eventOver {
		causes, e.causes = e.causes, nil
	}
	e.mu.Unlock()
	_ = releaseCauses(causes) // a failure shows in the cause's own queue
	if changed != nil {
		close(changed)
	}
	for _, q := range watchers {
		q.submitReady()
	}
}

// addWatcher has the queue look again when the event is submitted or over. It returns
// false if it is so already.
func (e *event) addWatcher(q *Queue) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state != eventWaiting {
		return false
	}
	e.watchers = append(e.watchers, q)
	return true
}

// stateSnapshot returns the present state, the native event and the error.
func (e *event) stateSnapshot() (eventState, Mark, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state, e.end, e.err
}

// holdMarks keeps the native events until releaseMarks.
func (e *event) holdMarks() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.holders++
}

func (e *event) releaseMarks() error {
	e.mu.Lock()
	e.holders--
	begin, end, causes := e.takeNative()
	e.mu.Unlock()
	return errors.Join(e.device.destroyMarks(begin, end), releaseCauses(causes))
}

// Handle is the driver's handle of the event's end; 0 before it is submitted.
func (e *event) Handle() uint64 {
	_, end, _ := e.stateSnapshot()
	if teller, ok := e.device.Native.(HandleTeller); ok && end != 0 {
		return teller.MarkHandle(end)
	}
	return uint64(end)
}

// Close releases the event.
func (e *event) Close() error {
	e.mu.Lock()
	e.closed = true
	begin, end, causes := e.takeNative()
	e.mu.Unlock()
	return errors.Join(e.device.destroyMarks(begin, end), releaseCauses(causes))
}

// takeNative removes and returns the native events and the causes once the event is
// closed and has no holders. The event is locked.
func (e *event) takeNative() (begin, end Mark, causes []*event) {
	if !e.closed || e.holders > 0 {
		return 0, 0, nil
	}
	begin, end, causes = e.begin, e.end, e.causes
	e.begin, e.end, e.causes = 0, 0, nil
	return begin, end, causes
}

// Wait implements driver.Event.
func (e *event) Wait(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		e.mu.Lock()
		if e.state == eventOver {
			defer e.mu.Unlock()
			return e.err
		}
		if e.state == eventSubmitted && ctx.Done() == nil {
			e.mu.Unlock()
			return e.waitNative()
		}
		changed := e.changedChannel()
		e.waitInBackground()
		e.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (e *event) changedChannel() <-chan struct{} {
	if e.changed == nil {
		e.changed = make(chan struct{})
	}
	return e.changed
}

// waitInBackground has a goroutine wait for the device: a caller who may give
// up cannot wait in the driver.
func (e *event) waitInBackground() {
	if e.state == eventSubmitted && !e.waited {
		e.waited = true
		e.holders++
		go func() {
			err := e.nativeResult()
			_ = e.releaseMarks() // first: a goroutine that waits may end the device next
			e.advanceState(eventOver, err)
		}()
	}
}

// waitNative waits for the device. A wait that failed is reported although the command, as was
// found meanwhile, did not fail.
func (e *event) waitNative() error {
	waited := e.nativeResult()
	e.advanceState(eventOver, waited)
	if _, _, err := e.stateSnapshot(); err != nil {
		return err
	}
	return waited
}

// nativeResult waits for the device and returns the command's error.
func (e *event) nativeResult() error {
	_, end, _ := e.stateSnapshot()
	err := e.device.Native.Within(func() error { return e.device.Native.WaitMark(end) })
	return e.tracker.endTracked(e, err)
}

// Status implements driver.Event.
func (e *event) Status() driver.Status {
	e.mu.Lock()
	state, begin, end := e.state, e.begin, e.end
	e.mu.Unlock()
	if state == eventSubmitted {
		done, err := e.isDone(end)
		if err == nil && !done {
			return e.runningStatus(begin)
		}
		e.advanceState(eventOver, e.tracker.endTracked(e, err))
	}
	state, _, err := e.stateSnapshot()
	switch {
	case state == eventWaiting:
		return driver.Queued
	case err != nil:
		return driver.Failed
	}
	return driver.Complete
}

// runningStatus distinguishes a command that runs from one that waits. Only profiled
// commands have a mark at their beginning; others count as waiting.
func (e *event) runningStatus(begin Mark) driver.Status {
	if begin != 0 {
		if done, err := e.isDone(begin); err == nil && done {
			return driver.Running
		}
	}
	return driver.Submitted
}

func (e *event) isDone(m Mark) (done bool, err error) {
	err = e.device.Native.Within(func() (err error) { done, err = e.device.Native.IsMarkDone(m); return err })
	return done, err
}

var (
	errNotProfiled = errors.New("the event has no times: its queue was made without profiling")
	errNotOver     = errors.New("the event has no times yet: its command has not ended")
)

// Times implements driver.Event. The device's clock is compared with the host's only from
// time to time, so that the host's times may come out after the device's: they are
// moved back to keep the order.
func (e *event) Times() (driver.Times, error) {
	e.mu.Lock()
	begin, end, q := e.begin, e.end, e.queue
	e.mu.Unlock()
	if q == nil || begin == 0 {
		return driver.Times{}, errNotProfiled
	}
	if e.Status() != driver.Complete {
		_, _, err := e.stateSnapshot()
		return driver.Times{}, errors.Join(errNotOver, err)
	}
	started, took, err := q.commandTimes(begin, end)
	if err != nil {
		return driver.Times{}, err
	}
	submitted := min(e.submitted, started)
	return driver.Times{Queued: min(e.queued, submitted), Submitted: submitted, Started: started, Ended: started + took}, nil
}

// OnDone implements driver.Event.
func (e *event) OnDone(f func(error)) {
	if state, _, err := e.stateSnapshot(); state == eventOver {
		f(err)
		return
	}
	e.holdMarks()
	go func() {
		err := e.Wait(context.Background())
		_ = e.releaseMarks()
		f(err)
	}()
}

// Complete implements driver.UserEvent.
func (e *event) Complete(err error) { e.advanceState(eventOver, err) }
