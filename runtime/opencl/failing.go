package opencl

import (
	"context"
	"errors"
	"slices"
	"sync"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
)

// Intel's driver uses freed memory where two events fail that one command waits for, and in
// an out-of-order queue once a command was dropped because of such an event. PoCL's never ends
// the former command. On such a driver (abilities.diesOfFailures)
//
//   - a command after an event that has failed is not enqueued, and a failed event of the
//     host stands for it;
//   - of the events that may fail, a command waits for one that stands for all;
//   - a command of an out-of-order queue that waits for such an event is enqueued apart, in
//     a queue of its own that is in order.

// placement is where a command is enqueued, and the events that the driver has it wait for.
type placement struct {
	queue  cl.Handle
	wait   []cl.Handle
	failed bool   // it is not enqueued
	joined *event // stands for several events of wait; nil for none
	after  func() error
}

// release gives back the objects that the place needed until the command was enqueued.
func (p *placement) release() {
	if p.after != nil {
		_ = p.after() // the command has its outcome
	}
}

// placeCommand finds the place of a command that waits for events. q.mu is held.
func (q *queue) placeCommand(after []*event) (placement, error) {
	p := placement{queue: q.handle}
	var risky []*event
	for _, e := range after {
		status := e.risk()
		switch {
		case status < 0:
			return placement{queue: q.handle, failed: true}, nil
		case status > 0:
			risky = append(risky, e)
		default:
			p.wait = append(p.wait, e.handle)
		}
	}
	switch {
	case len(risky) == 1 && !q.opts.OutOfOrder:
		p.wait = append(p.wait, risky[0].handle)
		return p, nil
	case len(risky) > 0:
		return q.placeApart(p, risky)
	}
	return p, nil
}

// risk is positive for an event that may fail, negative for one that has failed, and 0 for
// others, among them all events of a driver that copes with failures.
func (e *event) risk() int {
	if !e.device.able.diesOfFailures || e.cannotFail || e.queue != nil && len(e.waitsFor()) == 0 {
		return 0
	}
	status, err := e.readStatus()
	if err != nil {
		return 0 // the driver reports the fault
	}
	return status
}

// placeApart joins the events that may fail, and makes the queue of a command that is not in
// order. Such a command also waits for those before it, since one of them may be a barrier.
func (q *queue) placeApart(p placement, risky []*event) (placement, error) {
	joined, err := q.device.joinEvents(risky, true)
	if err != nil {
		return p, err
	}
	p.wait, p.joined, p.after = append(p.wait, joined.handle), joined, joined.releaseUse
	if !q.opts.OutOfOrder {
		return p, nil
	}
	own, before, err := q.openApart()
	if err != nil {
		return p, errors.Join(err, joined.releaseUse())
	}
	p.queue, p.wait = own, append(p.wait, before)
	p.after = func() error {
		return errors.Join(joined.releaseUse(), q.device.api.Release(cl.ReleaseEvent, before), q.device.api.Release(cl.ReleaseCommandQueue, own))
	}
	return p, nil
}

// openApart makes a queue for one command, which the driver keeps to its end, and the event
// of a marker after the commands of the out-of-order queue.
func (q *queue) openApart() (own, before cl.Handle, err error) {
	context, err := q.device.openContext()
	if err != nil {
		return 0, 0, err
	}
	var properties uint64
	if q.opts.Profiling {
		properties = cl.QueueProfiling
	}
	if own, err = q.device.newCommandQueue(context, properties); err != nil {
		return 0, 0, err
	}
	err = errors.Join(
		q.device.api.Marker(cl.EnqueueMarkerWithWaitList, q.handle, &cl.Order{Event: &before}),
		q.device.api.Flush(q.handle),
	)
	if err != nil {
		return 0, 0, errors.Join(err, q.device.api.Release(cl.ReleaseCommandQueue, own))
	}
	return own, before, nil
}

// failedEvent is an event that stands for a command that is not enqueued.
func (d *Device) failedEvent() (cl.Handle, error) {
	context, err := d.openContext()
	if err != nil {
		return 0, err
	}
	handle, err := d.api.NewUserEvent(context)
	if err != nil {
		return 0, err
	}
	return handle, d.api.SetUserEvent(handle, hostFailure)
}

// joinEvents makes an event that ends when all of the list have ended. It fails if inherit is
// set and one of them has failed. The caller has a use of it.
func (d *Device) joinEvents(list []*event, inherit bool) (*event, error) {
	made, err := d.NewEvent()
	if err != nil {
		return nil, err
	}
	joined := made.(*event)
	joined.cannotFail = !inherit
	j := &join{event: joined, left: len(list), inherit: inherit}
	for _, e := range list {
		joined.uses.Add(1)
		if err := e.onEnd(j.end); err != nil {
			j.end(err)
		}
	}
	return joined, nil
}

// join counts the ends of events for joinEvents.
type join struct {
	event   *event
	inherit bool

	mu    sync.Mutex
	left  int
	cause error
}

// end counts one. Nothing waits any more when the device is closed.
func (j *join) end(err error) {
	if errors.Is(err, errDeviceClosed) {
		return
	}
	j.mu.Lock()
	j.left--
	last := j.left == 0
	if j.inherit && j.cause == nil {
		j.cause = err
	}
	cause := j.cause
	j.mu.Unlock()
	if last {
		j.event.Complete(cause)
	}
	_ = j.event.releaseUse() // an error has no receiver here
}

// apartLocked are the commands apart that may not have ended, with a use of each.
func (q *queue) apartLocked() (list []*event) {
	for _, p := range q.pending {
		if p.event.apart {
			p.event.uses.Add(1)
			list = append(list, p.event)
		}
	}
	return list
}

// endOfApart returns an event that ends with the commands apart, and does not fail; nil if
// there are none. The caller has a use of it.
func (q *queue) endOfApart() (*event, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := q.apartLocked()
	if len(list) == 0 {
		return nil, nil
	}
	joined, err := q.device.joinEvents(list, false)
	for _, e := range list {
		err = errors.Join(err, e.releaseUse())
	}
	return joined, err
}

// barrierOfAll is a barrier after the commands apart too. If an event may fail that it waits for,
// it is apart itself, and the commands after it wait for its end, with a failure or without.
func (q *queue) barrierOfAll(s driver.Sync) error {
	apart, err := q.endOfApart()
	if err != nil {
		return err
	}
	if apart != nil {
		defer apart.releaseUse()
		s.After = append(slices.Clip(s.After), apart)
	}
	after, err := q.device.ownEvents(s.After)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(after, func(e *event) bool { return e.risk() != 0 }) {
		return q.plainBarrier(s)
	}
	return q.barrierApart(s)
}

func (q *queue) barrierApart(s driver.Sync) error {
	var done driver.Event
	if err := q.submitCommand(cl.EnqueueBarrierWithWaitList, driver.Sync{After: s.After, Done: &done}, nil, q.enqueueBarrier); err != nil {
		return err
	}
	barrier := done.(*event)
	held, err := q.device.joinEvents([]*event{barrier}, false)
	if err == nil {
		err = errors.Join(q.plainBarrier(driver.Sync{After: []driver.Event{held}}), held.releaseUse())
	}
	if s.Block && err == nil {
		err = barrier.Wait(context.Background())
	}
	if s.Done == nil {
		return errors.Join(err, barrier.Close())
	}
	*s.Done = barrier
	return err
}

// waitForApart waits for the commands apart; their failures are those of their events.
func (q *queue) waitForApart() (err error) {
	q.mu.Lock()
	list := q.apartLocked()
	q.mu.Unlock()
	for _, e := range list {
		if failed := q.device.api.Wait(e.handle); failed != nil && !cl.IsCode(failed, cl.ErrorInWaitList) {
			err = errors.Join(err, failed)
		}
		err = errors.Join(err, e.releaseUse())
	}
	return err
}

// enqueueMark enqueues a marker after all commands, those apart too. q.mu is held.
func (q *queue) enqueueMark(event *cl.Handle) error {
	api, list := q.device.api, q.apartLocked()
	if len(list) == 0 {
		return api.Marker(cl.EnqueueMarkerWithWaitList, q.handle, &cl.Order{Event: event})
	}
	joined, err := q.device.joinEvents(list, false)
	for _, e := range list {
		err = errors.Join(err, e.releaseUse())
	}
	if err != nil {
		return err
	}
	own, before, err := q.openApart()
	if err != nil {
		return errors.Join(err, joined.releaseUse())
	}
	return errors.Join(
		api.Marker(cl.EnqueueMarkerWithWaitList, own, &cl.Order{Wait: []cl.Handle{before, joined.handle}, Event: event}),
		joined.releaseUse(), api.Release(cl.ReleaseEvent, before), api.Release(cl.ReleaseCommandQueue, own),
	)
}
