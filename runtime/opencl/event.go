package opencl

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
)

// event is the event of a command, or one that the host ends. The queue and
// the caller may both hold it.
type event struct {
	device *Device
	queue  *queue // of the command; nil for an event that the host ends
	handle cl.Handle
	call   string // that made the command
	number uint64 // in its queue
	uses   atomic.Int32

	mu    sync.Mutex
	after []*event // that the command waits for, to name the first cause; nil once it succeeded
	ended bool     // the host ended it
	cause error    // the host's

	mayFail bool // for an event of the host: itself, or one that the command waits for
	apart   bool // the command is in a queue of its own (failing.go)

	numbers []uintptr // of the functions that tellFailure calls; under the lock of callbacks
}

func (d *Device) newEvent(q *queue, handle cl.Handle, call string, after []*event, uses int32) *event {
	e := &event{device: d, queue: q, handle: handle, call: call, after: after}
	e.uses.Store(uses)
	return e
}

// waitsFor are the events that the command waits for.
func (e *event) waitsFor() []*event {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.after
}

// forgetCauses drops the events before one that succeeded. They would keep the events
// before them in turn: in a long-lived queue, all of them.
func (e *event) forgetCauses() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.after = nil
}

// releaseUse ends one use.
func (e *event) releaseUse() error {
	if e.uses.Add(-1) > 0 {
		return nil
	}
	return e.device.api.Release(cl.ReleaseEvent, e.handle)
}

// Close releases the event.
func (e *event) Close() error { return e.releaseUse() }

// Handle is the cl_event.
func (e *event) Handle() uint64 { return uint64(e.handle) }

// errEndUnknown is the error of an event whose status the driver did not tell: its command may
// still run.
var errEndUnknown = errors.New("it is not known whether the command has ended")

// readStatus returns OpenCL's execution status. Intel's driver reports "complete" for a
// command that was dropped because one that it waited for failed; clWaitForEvents
// returns the failure.
func (e *event) readStatus() (int, error) {
	status, err := e.device.api.EventStatus(e.handle)
	if err != nil {
		return status, fmt.Errorf("%w: %w", errEndUnknown, err)
	}
	if status != 0 {
		return status, nil // the commands before one that failed may run
	}
	if len(e.waitsFor()) > 0 {
		err = e.device.api.Wait(e.handle) // has ended: returns at once
		if cl.IsCode(err, cl.ErrorInWaitList) {
			return cl.ErrorInWaitList, nil
		}
	}
	if err == nil && e.queue != nil {
		e.queue.noteEnded(e.number)
	}
	return status, err
}

// Status implements driver.Event.
func (e *event) Status() driver.Status {
	status, err := e.readStatus()
	if err == nil && status == 0 {
		err = e.queue.failureUpTo(e.number)
	}
	switch {
	case err != nil || status < 0:
		return driver.Failed
	case status == 0:
		return driver.Complete
	case status == 1:
		return driver.Running
	case status == 2:
		return driver.Submitted
	}
	return driver.Queued
}

// endResult is the error of an event that has ended.
func (e *event) endResult() error {
	if err := e.driverResult(); err != nil {
		return err
	}
	return e.queue.failureUpTo(e.number)
}

// driverResult returns the error that the driver reports for an event that has ended.
func (e *event) driverResult() error {
	status, err := e.readStatus()
	if err != nil {
		return err
	}
	return e.errorOf(status)
}

// errorOf returns the error for a status. If an event that the command waited for failed,
// that failure is given as the cause.
func (e *event) errorOf(status int) error {
	if status >= 0 {
		return nil
	}
	e.mu.Lock()
	cause := e.cause
	e.mu.Unlock()
	if cause != nil {
		return cause
	}
	failed := &driver.CallError{Call: e.call, Code: status, Name: cl.CodeName(status)}
	for _, before := range e.waitsFor() {
		if err := before.knownFailure(); err != nil {
			failed.Err = err
			failed.Code = inheritedCode(status)
			failed.Name = cl.CodeName(failed.Code)
			break
		}
	}
	return failed
}

// inheritedCode is the code of a command that failed because an event did that it waited
// for. PoCL gives it -1, the number of CL_DEVICE_NOT_FOUND.
func inheritedCode(status int) int {
	if status == -1 {
		return cl.ErrorInWaitList
	}
	return status
}

// endError returns the error of an event whose status a callback got. A status of success
// is checked again, as some drivers report it for a command that was dropped.
func (e *event) endError(status int) error {
	if status < 0 {
		return e.errorOf(status)
	}
	return e.endResult()
}

// knownFailure returns the error of an event that was waited for, or nil if there is none
// or if its handle is released already.
func (e *event) knownFailure() error {
	e.mu.Lock()
	cause := e.cause
	e.mu.Unlock()
	if cause != nil || e.uses.Load() <= 0 {
		return cause
	}
	return e.driverResult()
}

// Wait implements driver.Event.
func (e *event) Wait(ctx context.Context) error {
	if ctx.Done() == nil {
		if err := e.device.api.Wait(e.handle); err != nil && !cl.IsCode(err, cl.ErrorInWaitList) {
			return err
		}
		return e.endResult()
	}
	if err := e.flushQueues(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	if err := e.onEnd(func(err error) { ended <- err }); err != nil {
		return err
	}
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-e.device.late.over:
		return errDeviceClosed
	}
}

// OnDone implements driver.Event.
func (e *event) OnDone(f func(error)) {
	status, err := e.readStatus()
	switch {
	case err != nil:
		f(err)
		return
	case status <= 0:
		f(e.endError(status))
		return
	}
	if err = e.flushQueues(); err == nil {
		err = e.onEnd(f)
	}
	if err != nil {
		go f(err)
	}
}

// flushQueues starts the command and those that it waits for: a callback alone does not start
// them, and is not called for a command that was not started.
func (e *event) flushQueues() (err error) {
	seen, list := map[*event]bool{e: true}, []*event{e}
	flushed := map[*queue]bool{}
	for len(list) > 0 {
		last := list[len(list)-1]
		list = list[:len(list)-1]
		if q := last.queue; q != nil && !flushed[q] {
			flushed[q] = true
			err = errors.Join(err, q.flushOpen())
		}
		for _, before := range last.waitsFor() {
			if !seen[before] {
				seen[before] = true
				list = append(list, before)
			}
		}
	}
	return err
}

// callbacks are the functions that wait for the end of an event. Drivers get a number
// for each, as C must not keep pointers to Go's memory.
var callbacks struct {
	sync.Mutex
	next    uintptr
	waiting map[uintptr]*waiter
}

// waiter is a function that waits for the end of an event, of which it has a use.
type waiter struct {
	event *event
	ended func(error)
}

// tellEnd calls the function of an event that has ended with that status.
func (w *waiter) tellEnd(status int) {
	w.callEnded(func() error { return w.event.endError(status) })
}

// callEnded calls the function with a result, on a goroutine, as a driver's thread must not
// call the driver. The calls to the driver were entered.
func (w *waiter) callEnded(result func() error) {
	go func() {
		err := result()
		_ = w.event.releaseUse() // before the function, which may be the last that anyone waits for
		w.event.device.late.leave()
		w.ended(err)
	}()
}

// callback is the C function for all of them, made once.
var callback = sync.OnceValue(func() uintptr {
	return cl.EventCallback(func(status int, number uintptr) {
		if w := takeCallback(number); w != nil {
			w.tellEnd(status)
		}
	})
})

// takeCallback removes and returns the function of a number, for a call of tellEnd. It
// returns nil if it was taken before, as each is called once, or if the device is closed.
func takeCallback(number uintptr) *waiter {
	callbacks.Lock()
	defer callbacks.Unlock()
	w := callbacks.waiting[number]
	if w == nil || !w.event.device.late.enter() {
		return nil
	}
	delete(callbacks.waiting, number)
	return w
}

// forgetCallback removes the function of a number. It reports whether there was one.
func forgetCallback(number uintptr) bool {
	callbacks.Lock()
	defer callbacks.Unlock()
	_, ok := callbacks.waiting[number]
	delete(callbacks.waiting, number)
	return ok
}

// takeCallbacks removes and returns the functions that wait for events of a device.
func takeCallbacks(d *Device) (list []*waiter) {
	callbacks.Lock()
	defer callbacks.Unlock()
	for number, w := range callbacks.waiting {
		if w.event.device == d {
			list = append(list, w)
			delete(callbacks.waiting, number)
		}
	}
	return list
}

// onEnd has f called when the event ends, or when the device is closed before that, on a
// goroutine. It keeps the event until then.
func (e *event) onEnd(f func(error)) (err error) {
	e.uses.Add(2) // the callback's, and this function's
	defer func() { err = errors.Join(err, e.releaseUse()) }()
	callbacks.Lock()
	callbacks.next++
	number := callbacks.next
	if callbacks.waiting == nil {
		callbacks.waiting = make(map[uintptr]*waiter)
	}
	callbacks.waiting[number] = &waiter{e, f}
	if e.device.able.silentFailures {
		e.numbers = append(e.numbers, number)
	}
	callbacks.Unlock()
	if err = e.device.api.OnEnd(e.handle, callback(), number); err != nil {
		if forgetCallback(number) {
			err = errors.Join(err, e.releaseUse())
		}
		return err
	}
	// Oclgrind does not call back for an event that has ended already. A driver that
	// does finds the function taken.
	e.tellIfEnded(number)
	e.device.watchFailures()
	return nil
}

var (
	errNotProfiled = errors.New("the event has no times: its queue was made without profiling")
	errNotOver     = errors.New("the event has no times yet: its command has not ended")
)

// Times implements driver.Event.
func (e *event) Times() (driver.Times, error) {
	if e.queue == nil || !e.queue.opts.Profiling {
		return driver.Times{}, errNotProfiled
	}
	if status, err := e.readStatus(); err != nil || status > 0 {
		return driver.Times{}, errors.Join(errNotOver, err)
	}
	var times [4]time.Duration
	for i, param := range []uint32{cl.ProfilingQueued, cl.ProfilingSubmit, cl.ProfilingStart, cl.ProfilingEnd} {
		t, err := e.device.api.EventTime(e.handle, param)
		if err != nil {
			return driver.Times{}, err
		}
		times[i] = time.Duration(t)
	}
	return orderTimes(times), nil
}

// orderTimes puts the times that a driver does not know, which are 0, between the others:
// Intel's of 2021.12 reports of a barrier only when it was submitted.
func orderTimes(times [4]time.Duration) driver.Times {
	for i := len(times) - 2; i >= 0; i-- {
		if times[i] == 0 {
			times[i] = times[i+1]
		}
	}
	for i := 1; i < len(times); i++ {
		times[i] = max(times[i], times[i-1])
	}
	return driver.Times{Queued: times[0], Submitted: times[1], Started: times[2], Ended: times[3]}
}

// NewEvent returns an event that the host ends.
func (d *Device) NewEvent() (driver.UserEvent, error) {
	if why := d.able.noHostEvents; why != "" {
		return nil, fmt.Errorf("events that the host ends: %s: %w", why, driver.ErrUnsupported)
	}
	context, err := d.openContext()
	if err != nil {
		return nil, err
	}
	handle, err := d.api.NewUserEvent(context)
	if err != nil {
		return nil, err
	}
	e := d.newEvent(nil, handle, cl.CreateUserEvent.String(), nil, 1)
	e.mayFail = true
	return e, nil
}

// hostFailure is the status of an event that the host ended with an error. Drivers give it
// to the commands that wait for the event, so that the name of this code is in messages.
const hostFailure = cl.ErrorInWaitList

// Complete implements driver.UserEvent.
func (e *event) Complete(err error) {
	e.mu.Lock()
	if e.ended {
		e.mu.Unlock()
		return
	}
	e.ended, e.cause = true, err
	e.mu.Unlock()
	status := 0
	if err != nil {
		status = hostFailure
	}
	// The call fails only for an event that has ended, and this one has not.
	_ = e.device.api.SetUserEvent(e.handle, status)
}

// ownEvents returns the events as this package's. It fails for those of other devices.
func (d *Device) ownEvents(list []driver.Event) ([]*event, error) {
	var own []*event
	for i, e := range list {
		o, ok := e.(*event)
		if !ok || o.device != d {
			return nil, fmt.Errorf("event %d is not of this device", i)
		}
		own = append(own, o)
	}
	return own, nil
}
