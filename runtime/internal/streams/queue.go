package streams

import (
	"context"
	"errors"
	"sync"
	"time"

	"offlink/runtime/driver"
)

// Queue is a stream, or several if commands may run out of order. A back end's
// queue embeds it and adds the commands.
type Queue struct {
	device   *Device
	opts     driver.QueueOptions
	streams  []Stream
	imported bool         // Close leaves the stream
	onEnd    func(Stream) // called when a stream has no more work; may be nil

	mu     sync.Mutex
	next   int   // the stream of the next command
	err    error // the first failure since the last Finish
	closed bool
	over   bool // closed, and its work has ended
	// deferred are commands that wait for an event which is not in a stream
	// yet, and in an in-order queue those after them.
	deferred []*command
	idle     sync.Cond // deferred became empty
	base     timeBase
	// tracked are the events of commands whose failure the driver reports only through
	// them. Their native events are held until collectEnded has looked at them, in
	// Finish or when there are trackedLimit of them. failure is the first of their
	// failures since the last Finish, and failed the number of its command.
	tracked      []*event
	trackedLimit int
	failure      error
	failed       uint64
	count        uint64 // of commands that were submitted
}

// outOfOrderStreams is the number of commands of an out-of-order queue that run at the
// same time.
const outOfOrderStreams = 4

// MakeQueue makes a queue. onEnd, unless it is nil, is called for each stream
// when its last work has ended, before the stream is given back.
func (d *Device) MakeQueue(opts driver.QueueOptions, onEnd func(Stream)) (*Queue, error) {
	q := &Queue{device: d, opts: opts, onEnd: onEnd}
	q.idle.L = &q.mu
	count := 1
	if opts.OutOfOrder {
		count = outOfOrderStreams
	}
	err := d.Native.Within(func() error {
		for range count {
			s, err := d.Native.NewStream(opts.Profiling)
			if err != nil {
				return errors.Join(err, q.destroyStreams())
			}
			q.streams = append(q.streams, s)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	d.queues.AddQueue(q)
	return q, nil
}

// AdoptStream makes a queue of a stream that the caller keeps: Close does not destroy it.
func (d *Device) AdoptStream(s Stream, onEnd func(Stream)) *Queue {
	q := &Queue{device: d, streams: []Stream{s}, imported: true, onEnd: onEnd}
	q.idle.L = &q.mu
	d.queues.AddQueue(q)
	return q
}

// destroyStreams releases everything native.
func (q *Queue) destroyStreams() error {
	errs := []error{q.device.destroyMarks(q.base.mark)}
	for _, s := range q.streams {
		if q.onEnd != nil {
			q.onEnd(s)
		}
		if !q.imported {
			errs = append(errs, q.device.Native.DestroyStream(s))
		}
	}
	return errors.Join(errs...)
}

// Handle is the stream, or the first stream of an out-of-order queue.
func (q *Queue) Handle() uint64 { return uint64(q.streams[0]) }

// LockStream is the short way of a command that nobody waits for and that waits
// for nothing but the queue: the caller submits it to the stream, on a thread
// that can, and calls UnlockStream. It is false, and nothing was done, where the
// command needs Enqueue. A function instead of two would cost an allocation a
// launch.
func (q *Queue) LockStream(s *driver.Sync) (stream Stream, ok bool) {
	if s.After != nil || s.Done != nil || s.Block || q.opts.Profiling || q.device.TellsByEvent {
		return 0, false
	}
	q.mu.Lock()
	if len(q.deferred) > 0 || q.err != nil || q.closed {
		q.mu.Unlock()
		return 0, false
	}
	return q.nextStream(), true
}

// UnlockStream releases the lock of LockStream.
func (q *Queue) UnlockStream() { q.mu.Unlock() }

// Enqueue submits a command, or keeps it until the events that it waits for are
// in a stream. submit is called with the queue locked.
func (q *Queue) Enqueue(s driver.Sync, submit func(Stream) error) error {
	return q.enqueueCommand(s, &command{submit: submit})
}

// Order is the place of a command that sets its own mark.
type Order struct {
	Stream  Stream
	After   []Mark // the command waits for them
	Mark    Mark   // to be set at its end; 0: none is wanted
	Awaited bool   // others may wait for the mark; else Finish alone looks at it
}

// EnqueueMarked is Enqueue for drivers that report a command's failure by its own
// event alone: submit passes the events that the command waits for, and has it set
// the mark.
func (q *Queue) EnqueueMarked(s driver.Sync, submit func(Order) error) error {
	return q.enqueueCommand(s, &command{submitMarked: submit})
}

// nextStream gives the streams in turn.
func (q *Queue) nextStream() Stream {
	s := q.streams[q.next]
	if q.next++; q.next == len(q.streams) {
		q.next = 0
	}
	return s
}

// Barrier ends when all commands before it have ended.
func (q *Queue) Barrier(s driver.Sync) error {
	return q.enqueueCommand(s, &command{barrier: true, submit: q.joinStreams})
}

// joinStreams makes every stream wait for all others: first one stream for the rest, then
// the rest for that one, which takes 2(n-1) waits instead of n(n-1).
func (q *Queue) joinStreams(stream Stream) error {
	for _, s := range q.streams {
		if s != stream {
			if err := q.waitFor(stream, s); err != nil {
				return err
			}
		}
	}
	for _, s := range q.streams {
		if s != stream {
			if err := q.waitFor(s, stream); err != nil {
				return err
			}
		}
	}
	return nil
}

// waitFor makes the later work of a stream wait for the present work of another.
func (q *Queue) waitFor(s, other Stream) (err error) {
	native := q.device.Native
	m, err := native.NewMark(false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, native.DestroyMark(m)) }()
	if err := native.Record(m, other); err != nil {
		return err
	}
	return native.StreamWait(s, m)
}

// Flush does nothing: the driver starts work as soon as it is submitted.
func (q *Queue) Flush() error { return nil }

// EachStream calls f for every stream of the queue.
func (q *Queue) EachStream(f func(Stream) error) error {
	return q.device.Native.WithinStream(func() error {
		for _, s := range q.streams {
			if err := f(s); err != nil {
				return err
			}
		}
		return nil
	})
}

// Finish waits for everything queued.
func (q *Queue) Finish() error {
	q.mu.Lock()
	for len(q.deferred) > 0 {
		q.idle.Wait()
	}
	err := q.err
	q.err = nil
	q.mu.Unlock()
	err = errors.Join(err, q.synchronizeStreams())
	q.device.CollectFrees()
	q.collectTracked(nil)
	q.mu.Lock()
	defer q.mu.Unlock()
	if err == nil {
		err = q.err
	}
	q.err, q.failure = nil, nil
	return err
}

// synchronizeStreams waits for the streams.
func (q *Queue) synchronizeStreams() error {
	return q.device.Native.WithinStream(func() error {
		var err error
		for _, s := range q.streams {
			if failed := q.device.Native.Synchronize(s); err == nil {
				err = failed
			}
		}
		return err
	})
}

// Close drops the commands that are in no stream yet. Those in a stream run to their
// end, as nothing can stop them: a goroutine destroys the streams after that.
func (q *Queue) Close() error {
	q.mu.Lock()
	q.closed = true
	dropped, tracked := q.deferred, q.tracked
	q.deferred, q.tracked = nil, nil
	q.idle.Broadcast()
	q.mu.Unlock()
	var errs []error
	for _, e := range tracked {
		errs = append(errs, e.releaseMarks())
	}
	for _, c := range dropped {
		errs = append(errs, c.endCommand(driver.ErrQueueClosed))
	}
	working, err := q.isWorking()
	if !working {
		q.endWork()
		return errors.Join(append(errs, err, q.destroyStreams())...)
	}
	q.device.working.Go(func() {
		_ = q.synchronizeStreams()
		q.endWork()
		_ = q.destroyStreams()
	})
	return errors.Join(append(errs, err)...)
}

// endWork notes that a closed queue has no more work.
func (q *Queue) endWork() {
	q.mu.Lock()
	q.over = true
	q.mu.Unlock()
	q.device.queues.RemoveQueue(q)
}

// isWorking reports whether a stream has work. After a failure of the device none
// counts as working: nothing would end the wait for it.
func (q *Queue) isWorking() (working bool, err error) {
	err = q.device.Native.Within(func() error {
		for _, s := range q.streams {
			done, err := q.device.Native.IsStreamDone(s)
			if err != nil {
				return err
			}
			working = working || !done
		}
		return nil
	})
	return working, err
}

// timeBase is a moment on both clocks: a mark of the device and the host's time for it.
type timeBase struct {
	mark Mark
	at   time.Duration // since the device's epoch
}

// maxBaseAge bounds the time since the base: the driver returns intervals as floats,
// whose precision falls as they grow.
const maxBaseAge = 10 * time.Second

// refreshBase takes a new base where the old one is far away. It waits for the
// stream, which has no work then or soon.
func (q *Queue) refreshBase(s Stream) error {
	if q.base.mark != 0 && q.device.sinceEpoch()-q.base.at < maxBaseAge {
		return nil
	}
	e, err := q.device.Native.NewMark(true)
	if err != nil {
		return err
	}
	if err = q.device.Native.Record(e, s); err == nil {
		err = q.device.Native.WaitMark(e)
	}
	if err != nil {
		return errors.Join(err, q.device.Native.DestroyMark(e))
	}
	if q.base.mark == 0 {
		q.base = timeBase{e, q.device.sinceEpoch()}
		return nil
	}
	// The mark of the old base stays, as the times of earlier events are counted from
	// it: only the host's time for it is corrected.
	took, err := q.device.Native.Elapsed(q.base.mark, e)
	if err == nil {
		q.base.at = q.device.sinceEpoch() - took
	}
	return errors.Join(err, q.device.Native.DestroyMark(e))
}

// commandTimes returns when a command started, and how long it took.
func (q *Queue) commandTimes(begin, end Mark) (started, took time.Duration, err error) {
	q.mu.Lock()
	base := q.base
	q.mu.Unlock()
	err = q.device.Native.Within(func() error {
		if started, err = q.device.Native.Elapsed(base.mark, begin); err != nil {
			return err
		}
		took, err = q.device.Native.Elapsed(begin, end)
		return err
	})
	return base.at + started, took, err
}

// enqueueCommand submits a command, or keeps it until the events that it waits for
// are in a stream.
func (q *Queue) enqueueCommand(s driver.Sync, c *command) error {
	after, err := q.device.ownEvents(s.After)
	if err != nil {
		return err
	}
	c.after, c.queued = after, q.device.sinceEpoch()
	c.awaited = s.Done != nil || s.Block
	// A call that blocks returns the failure of its command itself.
	c.tracked = q.device.TellsByEvent && (len(after) > 0 || s.Done != nil || !s.Block)
	if c.awaited || q.opts.Profiling || c.tracked {
		c.event = &event{device: q.device, queued: c.queued}
		if q.device.TellsByEvent {
			c.event.tracker = q
		}
		if q.opts.Profiling {
			c.event.queue = q
		}
	}
	if err := q.admitCommand(c); err != nil {
		return err
	}
	q.limitTracked()
	if s.Done != nil {
		*s.Done = c.event
	}
	if s.Block {
		err = c.event.Wait(context.Background())
	}
	if s.Done == nil && c.event != nil {
		err = errors.Join(err, c.event.Close())
	}
	return err
}

// admitCommand submits the command now, or defers it.
func (q *Queue) admitCommand(c *command) error {
	q.mu.Lock()
	switch {
	case q.closed:
		q.mu.Unlock()
		return driver.ErrQueueClosed
	case len(q.deferred) > 0 && (!q.opts.OutOfOrder || c.barrier || q.barrierWaits()) || q.watchEvents(c):
		for _, e := range c.after {
			e.holdMarks()
		}
		c.held = true
		q.deferred = append(q.deferred, c)
		q.mu.Unlock()
		q.submitReady() // an event may have changed meanwhile
		return nil
	}
	fault, err := q.submitCommand(c)
	q.mu.Unlock()
	if err != nil {
		return err
	}
	c.tellEvent(fault)
	return nil
}

func (q *Queue) barrierWaits() bool {
	for _, c := range q.deferred {
		if c.barrier {
			return true
		}
	}
	return false
}

// watchEvents reports whether the command waits for an event that is in no
// stream yet.
func (q *Queue) watchEvents(c *command) bool {
	for _, e := range c.after {
		if e.addWatcher(q) {
			return true
		}
	}
	return false
}
