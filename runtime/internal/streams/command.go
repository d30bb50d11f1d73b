package streams

import (
	"errors"
	"fmt"
	"time"
)

// command is one command of a queue.
type command struct {
	event   *event // nil: nobody asks
	after   []*event
	held    bool // the events of after are held
	barrier bool
	submit  func(Stream) error
	queued  time.Duration
}

// submitCommand puts a command into a stream. The queue is locked. A fault is the
// reason why the command failed without being run; err is that of the driver.
func (q *Queue) submitCommand(c *command) (fault, err error) {
	if q.err != nil && !q.opts.OutOfOrder {
		return q.err, nil
	}
	stream, within := q.nextStream(), q.device.Native.WithinStream
	if c.event != nil || c.barrier { // which make events
		within = q.device.Native.Within
	}
	err = within(func() error {
		for _, e := range c.after {
			state, mark, failed := e.stateSnapshot()
			if failed != nil {
				fault = fmt.Errorf("an event that it waits for failed: %w", failed)
				return nil
			}
			if state == eventSubmitted {
				if err := q.device.Native.StreamWait(stream, mark); err != nil {
					return err
				}
			}
		}
		return q.recordCommand(c, stream)
	})
	if err == nil && fault != nil && q.err == nil {
		q.err = fault
	}
	return fault, err
}

// recordCommand submits the command between its events.
func (q *Queue) recordCommand(c *command, stream Stream) (err error) {
	e, native := c.event, q.device.Native
	if e == nil {
		return c.submit(stream)
	}
	var begin, end Mark
	defer func() {
		if err != nil {
			err = errors.Join(err, q.device.destroyMarks(begin, end))
		}
	}()
	if q.opts.Profiling {
		if err := q.refreshBase(stream); err != nil {
			return err
		}
		if begin, err = native.NewMark(true); err != nil {
			return err
		}
		if err := native.Record(begin, stream); err != nil {
			return err
		}
	}
	if end, err = native.NewMark(q.opts.Profiling); err != nil {
		return err
	}
	e.submitted = q.device.sinceEpoch()
	if err := c.submit(stream); err != nil {
		return err
	}
	if err := native.Record(end, stream); err != nil {
		return err
	}
	e.mu.Lock()
	e.begin, e.end = begin, end
	e.mu.Unlock()
	return nil
}

// tellEvent has the command's event know that it was submitted, or failed.
func (c *command) tellEvent(fault error) {
	if c.event == nil {
		return
	}
	if fault != nil {
		c.event.advanceState(eventOver, fault)
		return
	}
	c.event.advanceState(eventSubmitted, nil)
}

// endCommand ends a command that was deferred.
func (c *command) endCommand(fault error) error {
	c.tellEvent(fault)
	var errs []error
	if c.held {
		for _, e := range c.after {
			errs = append(errs, e.releaseMarks())
		}
	}
	return errors.Join(errs...)
}

// submitReady submits the deferred commands whose events are in a stream or
// over, in their order.
func (q *Queue) submitReady() {
	q.mu.Lock()
	var ended []*command
	var faults []error
	left := q.deferred[:0:0]
	blocked := false
	for _, c := range q.deferred {
		if blocked || c.barrier && len(left) > 0 || q.watchEvents(c) {
			left = append(left, c)
			blocked = blocked || !q.opts.OutOfOrder || c.barrier
			continue
		}
		fault, err := q.submitCommand(c)
		if err != nil && q.err == nil {
			q.err = err
		}
		ended, faults = append(ended, c), append(faults, errors.Join(fault, err))
	}
	q.deferred = left
	if len(left) == 0 {
		q.idle.Broadcast()
	}
	q.mu.Unlock()
	for i, c := range ended {
		if err := c.endCommand(faults[i]); err != nil {
			q.keepError(err)
		}
	}
}

// keepError keeps a failure for Finish.
func (q *Queue) keepError(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil {
		q.err = err
	}
}
