package streams

import (
	"errors"
	"slices"

	"offlink/runtime/driver"
)

// A driver that reports failures only through events has a queue look at the events of its
// commands. A command fails, too, if one did that it waited for, which may be in another queue
// and have waited for one of this queue. So no queue is locked while the results of such
// causes are found, and while others are told of the end of a command.

// maxTracked is the number of tracked commands below which a submission does not look
// for ended ones.
const maxTracked = 64

// trackCommand has Finish look at a command. The queue is locked.
func (q *Queue) trackCommand(e *event, after []*event) {
	for _, cause := range after {
		e.addCause(cause)
	}
	e.holdMarks()
	q.tracked = append(q.tracked, e)
}

// limitTracked looks for ended commands if there are many. The limit doubles with the commands
// that are left, so that the look at all of them costs each submission a constant time on
// average.
func (q *Queue) limitTracked() {
	q.mu.Lock()
	many := len(q.tracked) >= max(maxTracked, q.trackedLimit)
	q.mu.Unlock()
	if !many {
		return
	}
	q.collectTracked(nil)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.trackedLimit = 2 * len(q.tracked)
}

// collectTracked drops the tracked commands that have ended and keeps the first failure. The
// results are found of all of them, or of those up to one, on which its own depends.
func (q *Queue) collectTracked(last *event) {
	for _, cause := range q.trackedCauses(last) {
		cause.Status()
		if err := cause.releaseMarks(); err != nil {
			q.keepError(err)
		}
	}
	q.mu.Lock()
	ended := q.collectEnded()
	q.mu.Unlock()
	for _, c := range ended {
		c.event.advanceState(eventOver, c.err)
		if err := c.event.releaseMarks(); err != nil {
			q.keepError(err)
		}
	}
}

// trackedCauses are the events that tracked commands waited for, with their marks held.
func (q *Queue) trackedCauses(last *event) (causes []*event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, e := range q.tracked {
		if last == nil || e == last || !q.opts.OutOfOrder && e.number < last.number {
			causes = append(causes, e.heldCauses()...)
		}
	}
	return causes
}

// endedCommand is a command that has ended, with its result.
type endedCommand struct {
	event *event
	err   error
}

// collectEnded removes and returns the tracked commands that have ended. The queue is locked. In
// an in-order queue the driver has run the commands after a failed one all the same: they
// are made to fail here.
func (q *Queue) collectEnded() (list []endedCommand) {
	kept := q.tracked[:0]
	for i, e := range q.tracked {
		ended, err := e.trackedResult()
		if !ended {
			kept = append(kept, e)
			if !q.opts.OutOfOrder {
				kept = append(kept, q.tracked[i+1:]...)
				break
			}
			continue
		}
		switch {
		case err == nil:
			err = q.failureBefore(e)
		case q.failure == nil:
			q.failure, q.failed = err, e.number
		}
		if q.err == nil {
			q.err = err
		}
		list = append(list, endedCommand{e, err})
	}
	clear(q.tracked[len(kept):])
	q.tracked = kept
	return list
}

// failureBefore is the failure of a command before one that has ended, in an in-order
// queue. The queue is locked.
func (q *Queue) failureBefore(e *event) error {
	if q.failure == nil || q.opts.OutOfOrder || q.failed > e.number {
		return nil
	}
	return driver.FollowError(q.failure)
}

// endTracked returns the result of a command that ended with err, where the driver
// reports failures only through events. q is nil for drivers that report them otherwise.
func (q *Queue) endTracked(e *event, err error) error {
	if q == nil {
		return err
	}
	q.collectTracked(e)
	if inherited, _ := e.inheritedFailure(); inherited != nil {
		return inherited
	}
	if err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.failureBefore(e)
}

// trackedResult reports whether the command has ended and its causes' results are known, and
// returns the driver's error for it.
func (e *event) trackedResult() (ended bool, err error) {
	state, end, err := e.stateSnapshot()
	if state == eventOver {
		return true, err
	}
	done, err := e.isDone(end)
	if err == nil && !done {
		return false, nil
	}
	inherited, known := e.inheritedFailure()
	if inherited != nil {
		return true, inherited
	}
	return known, err
}

// inheritedFailure is the failure of an event that the command waited for, which takes
// precedence over its own. known reports whether the results of all of them are known.
func (e *event) inheritedFailure() (err error, known bool) {
	causes := e.heldCauses()
	defer func() { _ = releaseCauses(causes) }() // a failure shows in the cause's own queue
	known = true
	for _, cause := range causes {
		state, _, failed := cause.stateSnapshot()
		if failed != nil {
			return driver.InheritError(failed), true
		}
		known = known && state == eventOver
	}
	return nil, known
}

// addCause notes an event that the command waits for on the device.
func (e *event) addCause(cause *event) {
	cause.holdMarks()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.causes = append(e.causes, cause)
}

// heldCauses returns the causes with their marks held: another goroutine that finds the command
// ended releases the event's own use of them.
func (e *event) heldCauses() []*event {
	e.mu.Lock()
	defer e.mu.Unlock()
	causes := slices.Clone(e.causes)
	for _, cause := range causes {
		cause.holdMarks()
	}
	return causes
}

func releaseCauses(list []*event) error {
	var errs []error
	for _, cause := range list {
		errs = append(errs, cause.releaseMarks())
	}
	return errors.Join(errs...)
}
