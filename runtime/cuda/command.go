package cuda

import (
	"errors"
	"fmt"
	"time"

	"offlink/runtime/driver"
	"offlink/runtime/internal/libcuda"
)

// command is one command of a queue.
type command struct {
	event   *event // nil: nobody asks
	after   []*event
	held    bool // the events of after are held
	barrier bool
	submit  func(libcuda.Stream) error
	queued  time.Duration
}

// submit puts a command into a stream. The queue is locked. A fault is the
// reason why the command failed without being run; err is that of the driver.
func (q *queue) submit(c *command) (fault, err error) {
	if q.err != nil && !q.opts.OutOfOrder {
		return q.err, nil
	}
	stream, within := q.nextStream(), q.device.withStream
	if c.event != nil || c.barrier { // which make events
		within = q.device.withContext
	}
	err = within(func() error {
		for _, e := range c.after {
			state, failed, native := e.snapshot()
			if failed != nil {
				fault = fmt.Errorf("an event that it waits for failed: %w", failed)
				return nil
			}
			if state == eventSubmitted {
				if err := q.device.library.StreamWait(stream, native); err != nil {
					return err
				}
			}
		}
		return q.record(c, stream)
	})
	if err == nil && fault != nil && q.err == nil {
		q.err = fault
	}
	return fault, err
}

// record submits the command between its events.
func (q *queue) record(c *command, stream libcuda.Stream) (err error) {
	e, library := c.event, q.device.library
	if e == nil {
		return c.submit(stream)
	}
	var begin, end libcuda.Event
	defer func() {
		if err != nil {
			err = errors.Join(err, q.device.destroyEvents(begin, end))
		}
	}()
	if q.opts.Profiling {
		if err := q.refreshBase(stream); err != nil {
			return err
		}
		if begin, err = library.NewEvent(true); err != nil {
			return err
		}
		if err := library.Record(begin, stream); err != nil {
			return err
		}
	}
	if end, err = library.NewEvent(q.opts.Profiling); err != nil {
		return err
	}
	e.submitted = q.device.now()
	if err := c.submit(stream); err != nil {
		return err
	}
	if err := library.Record(end, stream); err != nil {
		return err
	}
	e.mu.Lock()
	e.begin, e.end = begin, end
	e.mu.Unlock()
	return nil
}

// tell has the command's event know that it was submitted, or failed.
func (c *command) tell(fault error) {
	if c.event == nil {
		return
	}
	if fault != nil {
		c.event.advance(eventOver, fault)
		return
	}
	c.event.advance(eventSubmitted, nil)
}

// end ends a command that was deferred.
func (c *command) end(fault error) error {
	c.tell(fault)
	var errs []error
	if c.held {
		for _, e := range c.after {
			errs = append(errs, e.release())
		}
	}
	return errors.Join(errs...)
}

// submitReady submits the deferred commands whose events are in a stream or
// over, in their order.
func (q *queue) submitReady() {
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
		fault, err := q.submit(c)
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
		if err := c.end(faults[i]); err != nil {
			q.keepError(err)
		}
	}
}

// keepError keeps a failure for Finish.
func (q *queue) keepError(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil {
		q.err = err
	}
}

// Fill repeats a pattern.
func (q *queue) Fill(m driver.Memory, offset, size int64, pattern []byte, s driver.Sync) error {
	to, err := q.device.rangeAddress(m, offset, size)
	if err != nil {
		return fmt.Errorf("Fill: %w", err)
	}
	n := len(pattern)
	if n < 1 || n > maxPattern || n&(n-1) != 0 {
		return fmt.Errorf("Fill: a pattern of %d bytes; it has 1 to %d, a power of two", n, maxPattern)
	}
	if size%int64(n) != 0 {
		return fmt.Errorf("Fill: %d bytes are not a multiple of the pattern's %d", size, n)
	}
	if size == 0 {
		return q.Barrier(s)
	}
	pattern = append([]byte(nil), pattern...)
	return q.enqueue(s, &command{submit: func(stream libcuda.Stream) error {
		return q.device.fillMemory(to, size, pattern, stream)
	}})
}

const maxPattern = 128

// fillMemory repeats a pattern with the widest values that the driver sets and
// the address allows: each value of the pattern is one series.
func (d *Device) fillMemory(to uint64, size int64, pattern []byte, s libcuda.Stream) error {
	width := min(len(pattern), 4)
	for to%uint64(width) != 0 {
		width /= 2
	}
	if len(pattern) == width {
		return d.library.Set(to, littleEndian(pattern), width, size/int64(width), s)
	}
	if width == 2 { // there are no series of these
		width = 1
	}
	for i := 0; i < len(pattern); i += width {
		if err := d.library.SetStrided(to+uint64(i), len(pattern), littleEndian(pattern[i:i+width]), width, size/int64(len(pattern)), s); err != nil {
			return err
		}
	}
	return nil
}

func littleEndian(b []byte) (value uint32) {
	for i, c := range b {
		value |= uint32(c) << (8 * i)
	}
	return value
}
