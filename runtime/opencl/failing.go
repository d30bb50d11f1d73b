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
// a command that is enqueued after an event that has failed. Where an event fails on one thread
// while another that the same command waits for ends on a second, with a failure or without,
// both threads of PoCL end the command, which is freed after the first time; the command before
// it in an in-order queue is such an event as well. On these drivers (abilities.diesOfFailures)
//
//   - a command after an event that has failed is not enqueued, and a failed event of the
//     host stands for it;
//   - of the events that may fail, a command waits for one that stands for all;
//   - a command of an out-of-order queue that waits for such an event is enqueued apart, in
//     a queue of its own that is in order;
//   - on PoCL (abilities.failsAlone) one of an in-order queue is, too, and waits for nothing
//     else: the event stands for all that it waits for.

// placement is where a command is enqueued, and the events that the driver has it wait for.
type placement struct {
	queue  cl.Handle
	wait   []cl.Handle
	failed bool  // it is not enqueued
	apart  bool  // the queue was made for it
	joined *join // one of wait stands for the events causes and before; nil for none
	causes []*event
	before *event    // the end of the commands before it, which does not fail; nil for none
	marker cl.Handle // the same in wait, 0 for none
}

// startJoin has the joined event end as the others do. The command must be enqueued by then,
// as it may never end if its event has failed before.
func (p *placement) startJoin(e *event) {
	if p.joined != nil {
		p.joined.start(e, p.causes, p.before)
		p.joined = nil
	}
}

// release gives back the objects that the place needed until the command was enqueued, or
// was not.
func (p *placement) release(d *Device) error {
	var errs []error
	if p.joined != nil {
		errs = append(errs, p.joined.event.releaseUse())
	}
	if p.before != nil {
		errs = append(errs, p.before.releaseUse())
	}
	if p.marker != 0 {
		errs = append(errs, d.api.Release(cl.ReleaseEvent, p.marker))
	}
	if p.apart {
		errs = append(errs, d.api.Release(cl.ReleaseCommandQueue, p.queue))
	}
	return errors.Join(errs...)
}

// placeCommand finds the place of a command that waits for events. q.mu is held.
func (q *queue) placeCommand(after []*event) (placement, error) {
	p := placement{queue: q.handle}
	var risky, safe []*event
	for _, e := range after {
		status, err := e.risk()
		switch {
		case err != nil:
			return p, err
		case status < 0:
			return placement{queue: q.handle, failed: true}, nil
		case status > 0:
			risky = append(risky, e)
		default:
			safe = append(safe, e)
		}
	}
	switch {
	case len(risky) > 0 && q.device.able.failsAlone:
		return q.placeAlone(p, after)
	case len(risky) > 0:
		p.wait = handlesOf(safe)
		return q.placeApart(p, risky)
	}
	p.wait = handlesOf(after)
	return p, nil
}

func handlesOf(list []*event) (handles []cl.Handle) {
	for _, e := range list {
		handles = append(handles, e.handle)
	}
	return handles
}

// risk is positive for an event that may fail, negative for one that has failed, and 0 for
// others, among them all events of a driver that copes with failures.
func (e *event) risk() (int, error) {
	if !e.device.able.diesOfFailures || !e.mayFail {
		return 0, nil
	}
	return e.readStatus()
}

// placeApart joins the events that may fail, and makes the queue of a command that is not in
// order. Such a command also waits for those before it, since one of them may be a barrier.
func (q *queue) placeApart(p placement, risky []*event) (placement, error) {
	err := q.joinCauses(&p, risky)
	if err != nil || !q.opts.OutOfOrder {
		return p, err
	}
	if p.queue, p.marker, err = q.openApart(); err != nil {
		return p, errors.Join(err, p.joined.event.releaseUse())
	}
	p.apart = true
	p.wait = append(p.wait, p.marker)
	return p, nil
}

// placeAlone has the command wait for one event, in a queue of its own.
func (q *queue) placeAlone(p placement, after []*event) (placement, error) {
	err := q.joinCauses(&p, after)
	if err != nil {
		return p, err
	}
	if chain := q.chain; chain != nil && chain.apart && !q.others.Load() {
		p.queue, err = q.newApart() // all commands before it end before the chain, which it waits for
	} else if p.queue, p.marker, err = q.openApart(); err == nil {
		p.before, p.marker = q.device.newEvent(q, p.marker, cl.EnqueueMarkerWithWaitList.String(), nil, 1), 0
	}
	if err != nil {
		return p, errors.Join(err, p.joined.event.releaseUse())
	}
	p.apart = true
	return p, nil
}

// joinCauses has the command wait for an event that stands for the list.
func (q *queue) joinCauses(p *placement, list []*event) (err error) {
	if p.joined, err = q.device.newJoin(); err == nil {
		p.wait, p.causes = append(p.wait, p.joined.event.handle), list
	}
	return err
}

// newApart makes a queue for one command, which the driver keeps to its end.
func (q *queue) newApart() (cl.Handle, error) {
	context, err := q.device.openContext()
	if err != nil {
		return 0, err
	}
	var properties uint64
	if q.opts.Profiling {
		properties = cl.QueueProfiling
	}
	return q.device.newCommandQueue(context, properties)
}

// openApart makes such a queue, and the event of a marker after the commands of this queue.
func (q *queue) openApart() (own, before cl.Handle, err error) {
	if own, err = q.newApart(); err != nil {
		return 0, 0, err
	}
	api := q.device.api
	if err = api.Marker(cl.EnqueueMarkerWithWaitList, q.handle, &cl.Order{Event: &before}); err == nil {
		if err = api.Flush(q.handle); err == nil {
			return own, before, nil
		}
		err = errors.Join(err, api.Release(cl.ReleaseEvent, before))
	}
	return 0, 0, errors.Join(err, api.Release(cl.ReleaseCommandQueue, own))
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
	if err := d.api.SetUserEvent(handle, hostFailure); err != nil {
		return 0, errors.Join(err, d.api.Release(cl.ReleaseEvent, handle))
	}
	return handle, nil
}

// join is an event of the host that ends when several others have ended, and fails if one of
// them has failed that it inherits from. It has a use of the event until then.
type join struct {
	event *event
	// dependent is the command that waits for the event, with a use: PoCL up to 3.1 uses the
	// event of a command that has failed until the call returns that ended the cause.
	dependent *event

	mu    sync.Mutex
	left  int
	cause error
}

func (d *Device) newJoin() (*join, error) {
	made, err := d.NewEvent()
	if err != nil {
		return nil, err
	}
	return &join{event: made.(*event)}, nil
}

// start has the event end after the causes, which it inherits failures from, and after another
// event, if that is not nil.
func (j *join) start(dependent *event, causes []*event, other *event) {
	dependent.uses.Add(1)
	j.dependent, j.left = dependent, len(causes)
	if other != nil {
		j.left++
		_ = j.follow(other, j.endOther) // the event fails with the error
	}
	for _, e := range causes {
		_ = j.follow(e, j.end)
	}
}

// follow has a function called at the end of an event. If the driver refuses that, the joined
// event inherits the error.
func (j *join) follow(e *event, end func(error)) error {
	err := e.onEnd(end)
	if err != nil {
		j.end(err)
	}
	return err
}

// end counts the end of an event. Nothing waits any more when the device is closed.
func (j *join) end(err error) {
	if errors.Is(err, errDeviceClosed) {
		return
	}
	j.mu.Lock()
	j.left--
	if j.cause == nil {
		j.cause = err
	}
	last := j.left == 0
	j.mu.Unlock()
	if last {
		j.complete()
	}
}

// endOther is end for an event whose failure is not inherited. It is if the event may not
// have ended, since the commands after it would run too early.
func (j *join) endOther(err error) {
	if !errors.Is(err, errDeviceClosed) && !errors.Is(err, errEndUnknown) {
		err = nil
	}
	j.end(err)
}

func (j *join) complete() {
	late := j.event.device.late
	if !late.enter() {
		return
	}
	defer late.leave()
	j.event.Complete(j.cause)
	if j.dependent != nil {
		if j.cause != nil {
			j.dependent.tellFailure()
		}
		_ = j.dependent.releaseUse() // an error has no receiver here
	}
	_ = j.event.releaseUse() // nor here
}

// joinEnds returns an event that ends when all of the list have ended, with failures or
// without, and fails only if the driver does not tell their ends. The caller has a use of it.
func (d *Device) joinEnds(list []*event) (*event, error) {
	j, err := d.newJoin()
	if err != nil {
		return nil, err
	}
	j.event.mayFail, j.left = false, len(list)
	j.event.uses.Add(1)
	for _, e := range list {
		err = errors.Join(err, j.follow(e, j.endOther))
	}
	if err != nil {
		return nil, errors.Join(err, j.event.releaseUse())
	}
	return j.event, nil
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
	joined, err := q.device.joinEnds(list)
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
	for _, e := range after {
		switch status, err := e.risk(); {
		case err != nil:
			return err
		case status != 0:
			return q.barrierApart(s)
		}
	}
	return q.plainBarrier(s)
}

func (q *queue) barrierApart(s driver.Sync) error {
	var done driver.Event
	if err := q.submitCommand(cl.EnqueueBarrierWithWaitList, driver.Sync{After: s.After, Done: &done}, nil, q.enqueueBarrier); err != nil {
		return err
	}
	barrier := done.(*event)
	held, err := q.device.joinEnds([]*event{barrier})
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
	joined, err := q.device.joinEnds(list)
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
