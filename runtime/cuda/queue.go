package cuda

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"offlink/runtime/driver"
	"offlink/runtime/internal/libcuda"
)

// queue is a stream, or several if commands may run out of order.
type queue struct {
	device   *Device
	opts     driver.QueueOptions
	streams  []libcuda.Stream
	imported bool // Close leaves the stream

	mu     sync.Mutex
	next   int   // the stream of the next command
	err    error // the first failure since the last Finish
	closed bool
	// deferred are commands that wait for an event which is not in a stream
	// yet, and in an in-order queue those after them.
	deferred []*command
	idle     sync.Cond // deferred became empty
	scratch  libcuda.Launch
	joins    []libcuda.Event // for barriers over the streams
	// programs are those that the queue launched kernels of.
	programs    map[*launchVariables]bool
	lastProgram *launchVariables
	base        timeBase
}

// outOfOrderStreams is how many commands of an out-of-order queue run at the
// same time.
const outOfOrderStreams = 4

func newQueue(d *Device, opts driver.QueueOptions) (*queue, error) {
	q := &queue{device: d, opts: opts}
	q.idle.L = &q.mu
	count := 1
	if opts.OutOfOrder {
		count = outOfOrderStreams
	}
	err := d.withContext(func() error {
		for range count {
			s, err := d.library.NewStream()
			if err != nil {
				return errors.Join(err, q.destroyStreams())
			}
			q.streams = append(q.streams, s)
		}
		d.probeContext(q.streams[0])
		return nil
	})
	if err != nil {
		return nil, err
	}
	return q, nil
}

// destroyStreams gives everything native back.
func (q *queue) destroyStreams() error {
	var errs []error
	for _, e := range append(q.joins, q.base.event) {
		if e != 0 {
			errs = append(errs, q.device.library.DestroyEvent(e))
		}
	}
	for _, s := range q.streams {
		for v := range q.programs {
			v.forgetStream(s)
		}
		if !q.imported {
			errs = append(errs, q.device.library.DestroyStream(s))
		}
	}
	return errors.Join(errs...)
}

// Handle is the CUstream; the first one of a queue out of order.
func (q *queue) Handle() uint64 { return uint64(q.streams[0]) }

// Write copies data into memory. Of memory that the driver does not know it
// makes a copy before the call returns.
func (q *queue) Write(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	to, err := q.device.rangeAddress(m, offset, int64(len(data)))
	if err != nil {
		return fmt.Errorf("Write: %w", err)
	}
	if len(data) == 0 {
		return q.Barrier(s)
	}
	return q.enqueue(s, &command{submit: func(stream libcuda.Stream) error { return q.device.library.Write(to, data, stream) }})
}

// Read copies memory into data. The driver returns when the copy is done,
// unless it knows the memory that data is.
func (q *queue) Read(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	from, err := q.device.rangeAddress(m, offset, int64(len(data)))
	if err != nil {
		return fmt.Errorf("Read: %w", err)
	}
	if len(data) == 0 {
		return q.Barrier(s)
	}
	return q.enqueue(s, &command{submit: func(stream libcuda.Stream) error { return q.device.library.Read(data, from, stream) }})
}

// Copy copies between memories of the device.
func (q *queue) Copy(to driver.Memory, toOffset int64, from driver.Memory, fromOffset, size int64, s driver.Sync) error {
	target, err := q.device.rangeAddress(to, toOffset, size)
	if err != nil {
		return fmt.Errorf("Copy: %w", err)
	}
	source, err := q.device.rangeAddress(from, fromOffset, size)
	if err != nil {
		return fmt.Errorf("Copy: %w", err)
	}
	if size == 0 {
		return q.Barrier(s)
	}
	return q.enqueue(s, &command{submit: func(stream libcuda.Stream) error {
		return q.device.library.Copy(target, source, size, stream)
	}})
}

// Launch runs a kernel.
func (q *queue) Launch(k driver.Kernel, r driver.Range, args []driver.Arg, s driver.Sync) error {
	own, err := q.device.ownKernel(k)
	if err != nil {
		return err
	}
	if s.After == nil && s.Done == nil && !s.Block && !q.opts.Profiling {
		done, err := q.launchDirectly(own, r, args)
		if err != nil {
			return fmt.Errorf("kernel %s: %w", own.name, err)
		}
		if done {
			return nil
		}
	}
	n := new(libcuda.Launch)
	if err := own.prepareLaunch(n, r, args); err != nil {
		return fmt.Errorf("kernel %s: %w", own.name, err)
	}
	err = q.enqueue(s, &command{submit: func(stream libcuda.Stream) error { return q.submitLaunch(own, r, n, stream) }})
	if err != nil {
		return fmt.Errorf("kernel %s: %w", own.name, err)
	}
	return nil
}

// launchDirectly is the short way of a launch that nobody waits for, in the
// queue's own scratch memory. It is false where commands wait before it.
func (q *queue) launchDirectly(k *kernel, r driver.Range, args []driver.Arg) (done bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.deferred) > 0 || q.err != nil || q.closed {
		return false, nil
	}
	if err := k.prepareLaunch(&q.scratch, r, args); err != nil {
		return false, err
	}
	stream := q.nextStream()
	return true, q.device.withStream(func() error { return q.submitLaunch(k, r, &q.scratch, stream) })
}

// submitLaunch launches in a stream. The queue is locked.
func (q *queue) submitLaunch(k *kernel, r driver.Range, n *libcuda.Launch, stream libcuda.Stream) error {
	v := &k.program.launch
	if q.lastProgram != v {
		if q.programs == nil {
			q.programs = map[*launchVariables]bool{}
		}
		q.programs[v], q.lastProgram = true, v
	}
	f := k.function
	if k.usesOffset(r) {
		f = k.withOffset
	}
	return v.withValues(q.device, stream, v.wanted(r), func() error { return q.device.library.Launch(f, stream, n) })
}

// nextStream gives the streams in turn.
func (q *queue) nextStream() libcuda.Stream {
	s := q.streams[q.next]
	q.next = (q.next + 1) % len(q.streams)
	return s
}

// Barrier ends when all commands before it have ended.
func (q *queue) Barrier(s driver.Sync) error {
	return q.enqueue(s, &command{barrier: true, submit: q.joinStreams})
}

// joinStreams makes every stream wait for all others.
func (q *queue) joinStreams(stream libcuda.Stream) error {
	if len(q.streams) == 1 {
		return nil
	}
	library := q.device.library
	for len(q.joins) < len(q.streams) {
		e, err := library.NewEvent(false)
		if err != nil {
			return err
		}
		q.joins = append(q.joins, e)
	}
	for i, s := range q.streams {
		if s == stream {
			continue
		}
		if err := errors.Join(library.Record(q.joins[i], s), library.StreamWait(stream, q.joins[i])); err != nil {
			return err
		}
	}
	joined := q.joins[0]
	if err := library.Record(joined, stream); err != nil {
		return err
	}
	for _, s := range q.streams {
		if s != stream {
			if err := library.StreamWait(s, joined); err != nil {
				return err
			}
		}
	}
	return nil
}

// Flush does nothing: the driver starts work when it has it.
func (q *queue) Flush() error { return nil }

// Finish waits for everything queued.
func (q *queue) Finish() error {
	q.mu.Lock()
	for len(q.deferred) > 0 {
		q.idle.Wait()
	}
	err := q.err
	q.err = nil
	q.mu.Unlock()
	return errors.Join(err, q.synchronize())
}

// synchronize waits for the streams.
func (q *queue) synchronize() error {
	return q.device.withStream(func() error {
		var err error
		for _, s := range q.streams {
			if failed := q.device.library.Synchronize(s); err == nil {
				err = failed
			}
		}
		return err
	})
}

var errClosed = errors.New("the queue was closed")

// Close drops the commands that are in no stream yet. What runs goes on, as
// nothing stops it: the stream is given back at its end.
func (q *queue) Close() error {
	q.mu.Lock()
	q.closed = true
	dropped := q.deferred
	q.deferred = nil
	q.idle.Broadcast()
	q.mu.Unlock()
	var errs []error
	for _, c := range dropped {
		errs = append(errs, c.end(errClosed))
	}
	working, err := q.isWorking()
	if !working {
		return errors.Join(append(errs, err, q.device.releaseInContext(q.destroyStreams))...)
	}
	q.device.working.Go(func() {
		_ = q.synchronize()
		_ = q.device.releaseInContext(q.destroyStreams)
	})
	return errors.Join(append(errs, err)...)
}

// isWorking tells whether a stream has work. A failure of the device counts
// as none.
func (q *queue) isWorking() (working bool, err error) {
	err = q.device.withContext(func() error {
		for _, s := range q.streams {
			err := q.device.library.QueryStream(s)
			if libcuda.IsNotReady(err) {
				working = true
			} else if err != nil {
				return err
			}
		}
		return nil
	})
	return working, err
}

// timeBase is a point that both clocks know.
type timeBase struct {
	event libcuda.Event
	at    time.Duration // since the device's epoch
}

// maxBaseAge bounds the time since the base: the driver tells intervals with
// the precision of a float.
const maxBaseAge = 10 * time.Second

// now is the time since the device's epoch.
func (d *Device) now() time.Duration { return time.Since(d.epoch) }

// refreshBase takes a new base where the old one is far away. It waits for the
// stream, which has no work then or soon.
func (q *queue) refreshBase(s libcuda.Stream) error {
	if q.base.event != 0 && q.device.now()-q.base.at < maxBaseAge {
		return nil
	}
	e, err := q.device.library.NewEvent(true)
	if err != nil {
		return err
	}
	if err := errors.Join(q.device.library.Record(e, s), q.device.library.WaitEvent(e)); err != nil {
		return errors.Join(err, q.device.library.DestroyEvent(e))
	}
	if q.base.event == 0 {
		q.base = timeBase{e, q.device.now()}
		return nil
	}
	// Events of before keep the old base, which their times are counted from:
	// only the host's time for it is corrected.
	took, err := q.device.library.Elapsed(q.base.event, e)
	if err == nil {
		q.base.at = q.device.now() - took
	}
	return errors.Join(err, q.device.library.DestroyEvent(e))
}

// times returns when a command started, and how long it took.
func (q *queue) times(begin, end libcuda.Event) (started, took time.Duration, err error) {
	q.mu.Lock()
	base := q.base
	q.mu.Unlock()
	err = q.device.withContext(func() error {
		if started, err = q.device.library.Elapsed(base.event, begin); err != nil {
			return err
		}
		took, err = q.device.library.Elapsed(begin, end)
		return err
	})
	return base.at + started, took, err
}

// enqueue submits a command, or keeps it until the events that it waits for
// are in a stream.
func (q *queue) enqueue(s driver.Sync, c *command) error {
	after, err := q.device.ownEvents(s.After)
	if err != nil {
		return err
	}
	c.after, c.queued = after, q.device.now()
	if s.Done != nil || s.Block || q.opts.Profiling {
		c.event = &event{device: q.device, queued: c.queued}
		if q.opts.Profiling {
			c.event.queue = q
		}
	}
	if err := q.admit(c); err != nil {
		return err
	}
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

// admit submits the command now, or defers it.
func (q *queue) admit(c *command) error {
	q.mu.Lock()
	switch {
	case q.closed:
		q.mu.Unlock()
		return errClosed
	case len(q.deferred) > 0 && (!q.opts.OutOfOrder || c.barrier || q.barrierWaits()) || q.watchEvents(c):
		for _, e := range c.after {
			e.hold()
		}
		c.held = true
		q.deferred = append(q.deferred, c)
		q.mu.Unlock()
		q.submitReady() // an event may have changed meanwhile
		return nil
	}
	fault, err := q.submit(c)
	q.mu.Unlock()
	if err != nil {
		return err
	}
	c.tell(fault)
	return nil
}

func (q *queue) barrierWaits() bool {
	for _, c := range q.deferred {
		if c.barrier {
			return true
		}
	}
	return false
}

// watchEvents tells whether the command waits for an event that is in no
// stream yet.
func (q *queue) watchEvents(c *command) bool {
	for _, e := range c.after {
		if e.watch(q) {
			return true
		}
	}
	return false
}
