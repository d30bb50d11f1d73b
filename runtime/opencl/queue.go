package opencl

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
)

// queue is a command queue. OpenCL reports a failed command only through its event, and
// host memory belongs to a transfer until its end. So the commands that may fail, or
// that use host memory of Go, are pending here with their events.
type queue struct {
	device *Device
	handle cl.Handle
	opts   driver.QueueOptions

	mu      sync.Mutex
	closed  bool
	pending []pendingCommand
	// pendingLimit is the number of pending commands at which ended ones are looked
	// for: twice the number that the last look left.
	pendingLimit int
	// chain is the last command that may fail: in an in-order queue the next
	// one waits for it, so that it fails too.
	chain *event
	err   error // the first failure since the last Finish
	// untold are commands whose event the caller did not ask for (untold.go), failure is
	// that of one of them. They are looked at again when there are untoldLimit.
	untold      []untoldCommand
	untoldLimit int
	waits       []cl.Handle // the events of untold, a buffer for a call
	failure     queueFailure
	// state counts the commands, for memory that is closed (deferred.go). If shared is
	// set, it belongs to others that use the queue.
	state  atomic.Pointer[driver.QueueState]
	shared bool
	// finishing is held during a wait by clFinish for one's own last command, and while a
	// command that waits for an event is enqueued.
	finishing sync.RWMutex
	others    atomic.Bool // holders of the native handle may have queued uncounted commands
	marker    *marker     // the last one
}

// pendingCommand is a command whose end matters.
type pendingCommand struct {
	event *event
	host  []byte // in use until the end
}

// NewQueue makes a queue.
func (d *Device) NewQueue(opts driver.QueueOptions) (driver.Queue, error) {
	context, err := d.openContext()
	if err != nil {
		return nil, err
	}
	var properties uint64
	if opts.OutOfOrder && d.info.OutOfOrder {
		properties |= cl.QueueOutOfOrder
	}
	if opts.Profiling {
		properties |= cl.QueueProfiling
	}
	handle, err := d.newCommandQueue(context, properties)
	if err != nil {
		return nil, err
	}
	opts.OutOfOrder = properties&cl.QueueOutOfOrder != 0
	return d.newQueue(handle, opts), nil
}

func (d *Device) newQueue(handle cl.Handle, opts driver.QueueOptions) *queue {
	q := &queue{device: d, handle: handle, opts: opts}
	q.state.Store(new(driver.QueueState))
	d.queues.addQueue(q)
	return q
}

// Handle is the cl_command_queue. Its receiver may give it commands.
func (q *queue) Handle() uint64 {
	q.others.Store(true)
	return uint64(q.handle)
}

// maxPending is the number of pending commands below which ended ones are not looked for.
const maxPending = 64

// submitCommand enqueues a command after its events. host is memory of Go that
// the command uses.
func (q *queue) submitCommand(f cl.Function, s driver.Sync, host []byte, enqueue func(cl.Handle, *cl.Order) error) error {
	after, err := q.device.ownEvents(s.After)
	if err != nil {
		return err
	}
	e, err := q.admitApart(f, after, s, host, enqueue)
	if err != nil || e == nil {
		return err
	}
	if s.Done != nil {
		*s.Done = e
	}
	if !s.Block {
		return nil
	}
	err = q.device.api.Wait(e.handle)
	if err == nil || cl.IsCode(err, cl.ErrorInWaitList) {
		err = e.endResult()
	} else if s.Done == nil {
		q.keepUnended(e)
		return err
	}
	if s.Done == nil {
		err = errors.Join(err, e.releaseUse())
	}
	return err
}

// keepUnended takes the use of a command that may run, as the driver did not wait for it.
func (q *queue) keepUnended(e *event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	defer q.tellState()
	q.pending = append(q.pending, pendingCommand{event: e})
}

// admitApart is admitCommand, apart from waits by clFinish for a command that waits for an event.
func (q *queue) admitApart(f cl.Function, after []*event, s driver.Sync, host []byte, enqueue func(cl.Handle, *cl.Order) error) (*event, error) {
	if len(after) > 0 && !q.opts.OutOfOrder {
		q.finishing.Lock()
		defer q.finishing.Unlock()
	}
	return q.admitCommand(f, after, s, host, enqueue)
}

// admitCommand enqueues the command, and returns its event if the caller asked for one or
// blocks. An in-order queue has it wait for the last command that may fail, so that it
// fails too.
func (q *queue) admitCommand(f cl.Function, after []*event, s driver.Sync, host []byte, enqueue func(cl.Handle, *cl.Order) error) (*event, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	defer q.tellState()
	if err := q.presentFailure(); err != nil {
		return nil, err
	}
	if !q.opts.OutOfOrder && q.chain != nil {
		after = append(after, q.chain)
	}
	place, err := q.placeCommand(after)
	if err != nil {
		return nil, err
	}
	defer func() { _ = place.release(q.device) }() // the command has its outcome
	mayFail := len(after) > 0
	order := &cl.Order{Wait: place.wait}
	caller, before := s.Done != nil || s.Block, q.submittedCommands()
	tracked := mayFail || host != nil || s.Done != nil // Finish reports its failure too
	var handle cl.Handle
	order.Event = &handle
	if place.failed {
		handle, err = q.device.failedEvent()
	} else {
		err = enqueue(place.queue, order)
	}
	if err != nil {
		return nil, err
	}
	if !caller && !tracked {
		q.keepUntoldLocked(handle, f)
		return nil, nil
	}
	uses := int32(0)
	if caller {
		uses++
	}
	if tracked {
		uses++
	}
	e := q.device.newEvent(q, handle, f.String(), after, uses)
	e.number, e.apart = q.noteSubmitted(before), place.apart
	e.mayFail = slices.ContainsFunc(after, func(before *event) bool { return before.mayFail })
	place.startJoin(e)
	if tracked {
		q.trackCommand(e, host, mayFail)
	}
	if caller {
		return e, nil
	}
	return nil, nil
}

func (q *queue) trackCommand(e *event, host []byte, mayFail bool) {
	if mayFail {
		q.chain = e
	}
	if len(q.pending) >= max(maxPending, q.pendingLimit) {
		q.collectEnded()
		q.pendingLimit = 2 * len(q.pending)
	}
	q.pending = append(q.pending, pendingCommand{e, host})
}

// collectEnded drops the pending commands that have ended, and keeps the first failure.
// A failed chain stays until Finish, as later commands inherit its failure.
func (q *queue) collectEnded() {
	kept := q.pending[:0]
	for _, p := range q.pending {
		status, err := p.event.readStatus()
		if err == nil && status > 0 {
			kept = append(kept, p)
			continue
		}
		unknown := err
		if err == nil {
			err = p.event.errorOf(status)
		}
		q.keepFirst(err)
		if err == nil {
			p.event.forgetCauses()
		}
		if q.chain == p.event && err == nil {
			q.chain = nil
		}
		if q.chain == p.event {
			q.noteFailure(unknown, p.event.number) // which the driver does not pass on
			kept = append(kept, p)                 // those after it fail too, up to Finish
			continue
		}
		q.noteFailure(err, p.event.number)
		q.device.releaseEnded(p, err)
	}
	clear(q.pending[len(kept):])
	q.pending = kept
}

// isPlain reports whether a command needs nothing but its call.
func (q *queue) isPlain(s driver.Sync) bool {
	if len(s.After) > 0 || s.Done != nil {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.chain == nil && q.presentFailure() == nil
}

// Barrier ends when every command before it has ended. OpenCL's barrier with
// events waits for those alone, so a second one waits for it and for the rest.
func (q *queue) Barrier(s driver.Sync) error {
	if q.opts.OutOfOrder && q.device.able.diesOfFailures {
		return q.barrierOfAll(s)
	}
	return q.plainBarrier(s)
}

func (q *queue) plainBarrier(s driver.Sync) error {
	if len(s.After) > 0 && q.opts.OutOfOrder {
		if err := q.submitCommand(cl.EnqueueBarrierWithWaitList, driver.Sync{After: s.After}, nil, q.enqueueBarrier); err != nil {
			return err
		}
		s.After = nil
	}
	return q.submitCommand(cl.EnqueueBarrierWithWaitList, s, nil, q.enqueueBarrier)
}

func (q *queue) enqueueBarrier(queue cl.Handle, o *cl.Order) error {
	return q.device.api.Marker(cl.EnqueueBarrierWithWaitList, queue, o)
}

// Flush has the device start the commands.
func (q *queue) Flush() error { return q.device.api.Flush(q.handle) }

// flushOpen is Flush for a queue that may be closed: its release has flushed it.
func (q *queue) flushOpen() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil
	}
	return q.device.api.Flush(q.handle)
}

// Finish waits for everything queued and reports the first failure since the
// last Finish.
func (q *queue) Finish() error {
	state := q.state.Load()
	submitted := state.Submitted.Load()
	err := q.device.api.Finish(q.handle)
	err = errors.Join(err, q.waitForApart())
	if err == nil {
		state.NoteEnded(submitted)
	}
	q.device.frees.CollectEnded()
	q.mu.Lock()
	defer q.mu.Unlock()
	defer q.tellState()
	q.collectUntold(submitted)
	if len(q.pending) > 0 {
		q.collectEnded()
		q.dropChain()
	}
	q.tellFailure(submitted)
	err = errors.Join(q.err, err)
	q.err = nil
	return err
}

// dropChain ends the failure that later commands inherit.
func (q *queue) dropChain() {
	kept := q.pending[:0]
	for _, p := range q.pending {
		if p.event == q.chain {
			if status, err := p.event.readStatus(); err != nil || status <= 0 {
				_ = p.event.releaseUse()
				q.chain = nil
				continue
			}
		}
		kept = append(kept, p)
	}
	clear(q.pending[len(kept):])
	q.pending = kept
}

// Close releases the queue. OpenCL cannot stop a command that runs: the device keeps
// the Go memory that such a command uses.
func (q *queue) Close() error {
	end, err := q.closeCommands()
	return errors.Join(err, q.device.queues.removeQueue(q, end))
}

// closeCommands returns the end of the commands that go on; nil if there are none.
func (q *queue) closeCommands() (end *marker, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	end, err = q.markLocked()
	q.closed = true
	defer q.tellState()
	q.dropUntold()
	q.collectEnded()
	q.dropChain()
	if len(q.pending) > 0 {
		q.device.keepOrphans(q.pending)
		q.pending = nil
	}
	return end, errors.Join(err, q.device.api.Release(cl.ReleaseCommandQueue, q.handle))
}

// releaseEnded releases the event of a command that has ended; err is its result. Without a
// result from the driver the device keeps the host memory, which may be in use.
func (d *Device) releaseEnded(p pendingCommand, err error) {
	if p.host == nil || !errors.Is(err, errEndUnknown) {
		_ = p.event.releaseUse()
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.orphans = append(d.orphans, p)
}

// keepOrphans holds the host memory of commands that outlive their queue. It returns how many of
// them work.
func (d *Device) keepOrphans(list []pendingCommand) (working int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var kept []pendingCommand
	for _, p := range append(d.orphans, list...) {
		status, err := p.event.readStatus()
		switch {
		case err == nil && status > 0:
			working++
			kept = append(kept, p)
		case errors.Is(err, errEndUnknown):
			kept = append(kept, p)
		default:
			_ = p.event.releaseUse()
		}
	}
	d.orphans = kept
	return working
}

// releaseUnknown releases the events of commands whose end the driver did not tell.
func (d *Device) releaseUnknown() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.orphans = slices.DeleteFunc(d.orphans, func(p pendingCommand) bool {
		_, err := p.event.readStatus()
		if err != nil {
			_ = p.event.releaseUse()
		}
		return err != nil
	})
}
