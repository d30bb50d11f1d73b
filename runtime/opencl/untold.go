package opencl

import (
	"slices"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
)

// OpenCL reports that a command failed on the device only through the event of that command:
// clFinish, and the events of the commands after it, report success. So every command has an
// event, also if the caller asked for none. Such an event is looked at when the caller waits
// for the queue.

// untoldCommand is a command whose result nobody has asked for yet.
type untoldCommand struct {
	event  cl.Handle
	call   cl.Function
	number uint64 // in its queue
}

// queueFailure is the failure of a command that those after it did not wait for. In an
// in-order queue the commands after it are made to fail too, up to the next Finish.
type queueFailure struct {
	err    error
	number uint64 // of the command
	until  uint64 // the last command before the Finish that reported it; 0: none has yet
}

// reaches reports whether a command of that number comes after the failure.
func (f *queueFailure) reaches(number uint64) bool {
	return f.err != nil && number > f.number && (f.until == 0 || number <= f.until)
}

// keepUntold counts a command that was enqueued, and keeps its event, which was made only
// for this.
func (q *queue) keepUntold(event cl.Handle, call cl.Function) {
	q.mu.Lock()
	defer q.mu.Unlock()
	defer q.tellState()
	q.keepUntoldLocked(event, call)
}

func (q *queue) keepUntoldLocked(event cl.Handle, call cl.Function) {
	q.untold = append(q.untold, untoldCommand{event, call, q.state.Load().Submitted.Add(1)})
	if len(q.untold) >= max(maxPending, q.untoldLimit) {
		q.collectUntold(0)
		q.untoldLimit = 2 * len(q.untold)
	}
}

// collectUntold drops the untold commands that have ended, and keeps the first failure.
// Commands with numbers up to through are known to have ended. q.mu is held.
func (q *queue) collectUntold(through uint64) {
	q.takeShared()
	if len(q.untold) == 0 || q.passEnded(through) {
		return
	}
	kept := q.untold[:0]
	for i, c := range q.untold {
		status, err := q.device.api.EventStatus(c.event)
		if err == nil && status > 0 {
			kept = append(kept, c)
			if !q.opts.OutOfOrder {
				kept = append(kept, q.untold[i+1:]...)
				break
			}
			continue
		}
		q.endUntold(c, status, err)
	}
	q.untold = kept
}

// passEnded drops all untold commands if all have ended and succeeded, which one wait for
// all of their events shows. It reports whether it did.
func (q *queue) passEnded(through uint64) bool {
	q.waits = q.waits[:0]
	for _, c := range q.untold {
		if c.number > through {
			return false
		}
		q.waits = append(q.waits, c.event)
	}
	if err := q.device.api.Wait(q.waits...); err != nil {
		if !cl.IsCode(err, cl.ErrorInWaitList) { // then the status of the event has the cause
			q.keepFirst(err)
		}
		return false
	}
	for _, event := range q.waits {
		q.keepFirst(q.device.api.Release(cl.ReleaseEvent, event))
	}
	q.untold = q.untold[:0]
	return true
}

// endUntold releases the event of a command that has ended.
func (q *queue) endUntold(c untoldCommand, status int, err error) {
	if err == nil && status < 0 {
		err = &driver.CallError{Call: c.call.String(), Code: status, Name: cl.CodeName(status)}
	}
	q.noteFailure(err, c.number)
	q.keepFirst(err)
	q.keepFirst(q.device.api.Release(cl.ReleaseEvent, c.event))
}

// noteFailure notes the first failure that a later command does not inherit.
func (q *queue) noteFailure(err error, number uint64) {
	if err != nil && (q.failure.err == nil || q.failure.until > 0) {
		q.failure = queueFailure{err: err, number: number}
	}
}

// keepFirst keeps the first failure for Finish.
func (q *queue) keepFirst(err error) {
	if q.err == nil {
		q.err = err
	}
}

// failureBefore returns the failure of a command before the one of that number in an
// in-order queue. The latter has ended: the driver has run it in spite of the failure.
func (q *queue) failureBefore(number uint64) error {
	f := q.firstFailure()
	if !f.reaches(number) {
		return nil
	}
	return driver.FollowError(f.err)
}

// failureUpTo is failureBefore, or the failure of the command itself: the driver may have
// refused to tell its end to firstFailure, and have told it before.
func (q *queue) failureUpTo(number uint64) error {
	f := q.firstFailure()
	switch {
	case f.err != nil && f.number == number:
		return f.err
	case f.reaches(number):
		return driver.FollowError(f.err)
	}
	return nil
}

// firstFailure is the failure of an in-order queue after a look at the commands that have ended.
func (q *queue) firstFailure() queueFailure {
	if q == nil || q.opts.OutOfOrder {
		return queueFailure{}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	defer q.tellState()
	q.collectUntold(0)
	if len(q.pending) > 0 {
		q.collectEnded()
	}
	return q.failure
}

// presentFailure returns the error for a new command after one that is known to have
// failed. q.mu is held.
func (q *queue) presentFailure() error {
	if q.opts.OutOfOrder || q.failure.err == nil || q.failure.until > 0 {
		return nil
	}
	return driver.FollowError(q.failure.err)
}

// tellFailure ends the present failure, as Finish reports it.
func (q *queue) tellFailure(submitted uint64) {
	if q.failure.err != nil && q.failure.until == 0 {
		q.failure.until = max(submitted, 1)
	}
}

// takeShared takes the untold launches that others have made.
func (q *queue) takeShared() {
	if !q.shared {
		return
	}
	present := len(q.untold)
	for i := range q.state.Load().Untold {
		if event, number, ok := q.state.Load().Untold[i].TakeLaunch(); ok {
			q.untold = append(q.untold, untoldCommand{cl.Handle(event), cl.EnqueueNDRangeKernel, number})
		}
	}
	if len(q.untold) > present {
		slices.SortFunc(q.untold, func(a, b untoldCommand) int { return int(int64(a.number - b.number)) })
	}
}

// dropUntold releases the events of a queue that closes.
func (q *queue) dropUntold() {
	q.takeShared()
	for _, c := range q.untold {
		_ = q.device.api.Release(cl.ReleaseEvent, c.event) // the queue is gone, and Finish with it
	}
	q.untold = nil
}
