package streams

import (
	"errors"
	"time"

	"offlink/runtime/driver"
)

// command is one command of a queue.
type command struct {
	event   *event // nil if neither the caller nor the queue needs one
	after   []*event
	held    bool // the events of after are held
	barrier bool
	tracked bool // Finish reports its failure
	awaited bool // others may wait for its event
	submit  func(Stream) error
	// submitMarked takes the place of submit if the command sets its own mark.
	submitMarked func(Order) error
	queued       time.Duration
}

// submitCommand puts a command into a stream. The queue is locked. A fault is the reason
// why the command failed without being run; err is an error of the driver. In an in-order
// queue a command fails after an earlier one has.
func (q *Queue) submitCommand(c *command) (fault, err error) {
	if q.err != nil && !q.opts.OutOfOrder {
		return driver.FollowError(q.err), nil
	}
	stream, within := q.nextStream(), q.device.Native.WithinStream
	if c.event != nil || c.barrier { // which make events
		within = q.device.Native.Within
	}
	err = within(func() error {
		after, failed, err := q.waitForEvents(c, stream)
		if failed != nil || err != nil {
			fault = failed
			return err
		}
		return q.recordCommand(c, Order{Stream: stream, After: after})
	})
	if err == nil && fault != nil && q.err == nil {
		q.err = fault
	}
	return fault, err
}

// waitForEvents has the stream wait for the events of a command, or returns their marks if
// the command itself takes them. failed is the failure of one of the events.
func (q *Queue) waitForEvents(c *command, stream Stream) (after []Mark, failed, err error) {
	for _, e := range c.after {
		state, mark, failed := e.stateSnapshot()
		if failed != nil {
			return nil, driver.InheritError(failed), nil
		}
		if state != eventSubmitted {
			continue
		}
		if c.submitMarked != nil {
			after = append(after, mark)
		} else if err := q.device.Native.StreamWait(stream, mark); err != nil {
			return nil, nil, err
		}
	}
	return after, nil, nil
}

// submitTo submits the command. It reports whether the command sets the mark of the
// order itself.
func (c *command) submitTo(o Order) (marked bool, err error) {
	if c.submitMarked != nil {
		return true, c.submitMarked(o)
	}
	return false, c.submit(o.Stream)
}

// recordCommand submits the command between its events.
func (q *Queue) recordCommand(c *command, o Order) (err error) {
	e, native := c.event, q.device.Native
	if e == nil {
		_, err := c.submitTo(o)
		return err
	}
	q.count++
	e.number = q.count
	var begin, end Mark
	defer func() {
		if err != nil {
			err = errors.Join(err, q.device.destroyMarks(begin, end))
		}
	}()
	if q.opts.Profiling {
		if err := q.refreshBase(o.Stream); err != nil {
			return err
		}
		if begin, err = native.NewMark(true); err != nil {
			return err
		}
		if err := native.Record(begin, o.Stream); err != nil {
			return err
		}
	}
	if end, err = native.NewMark(q.opts.Profiling); err != nil {
		return err
	}
	e.submitted = q.device.sinceEpoch()
	o.Mark, o.Awaited = end, c.awaited
	marked, err := c.submitTo(o)
	if err == nil && !marked {
		err = native.Record(end, o.Stream)
	}
	if err != nil {
		return err
	}
	e.mu.Lock()
	e.begin, e.end = begin, end
	e.mu.Unlock()
	if c.tracked {
		q.trackCommand(e, c.after)
	}
	return nil
}

// tellEvent marks the command's event as submitted, or as failed.
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
