package hostdev

import (
	"errors"
	"fmt"
	"math/bits"
	"sync"

	"offlink/runtime/driver"
)

// queue orders commands. It has no goroutine of its own: each command of an
// in-order queue holds the next one; the commands of an out-of-order queue hold
// barriers and are held by them.
type queue struct {
	device  *Device
	opts    driver.QueueOptions
	threads int // the most of a launch; 0: as many as there are processors

	mu      sync.Mutex
	err     error // the first failure since the last Finish
	aborted error // the cause of Abort: later commands fail with it
	last    *command
	barrier *command
	open    map[*command]struct{} // commands that have not ended
}

func newQueue(d *Device, opts driver.QueueOptions) *queue {
	q := &queue{device: d, opts: opts, open: make(map[*command]struct{})}
	d.queues.AddQueue(q)
	return q
}

// presentCommands are the commands that have not ended, of all queues.
func (d *Device) presentCommands() (list []driver.Working) {
	for _, q := range d.queues.ListQueues() {
		for _, c := range q.unfinishedCommands() {
			list = append(list, func() (bool, error) { return c.Status() < driver.Complete, nil })
		}
	}
	return list
}

// enqueueCommand adds a command, and runs it if nothing holds it. The count of
// pending begins at one, for this call itself, so that a command whose
// predecessors end meanwhile starts once, here.
func (q *queue) enqueueCommand(c *command, s driver.Sync) error {
	c.queue, c.device, c.profiled = q, q.device, q.opts.Profiling
	c.pending.Store(1)
	for _, e := range s.After {
		own, err := q.device.ownEvent(e)
		if err != nil {
			return err
		}
		if c.after == nil {
			c.after = make(map[*event]bool)
		}
		c.after[own] = true
	}
	if err := q.admitCommand(c); err != nil {
		return err
	}
	for e := range c.after {
		_, _ = e.holdCommand(c)
	}
	if s.Done != nil {
		*s.Done = &c.event
	}
	ready := c.pending.Add(-1) == 0
	switch {
	// A caller that waits runs the command itself, which saves two switches of
	// goroutines in a short launch.
	case ready && s.Block:
		if c.launch != nil {
			c.launch.yield = s.Yield
		}
		c.runHere()
	case ready:
		go c.runAll()
	}
	if s.Block {
		return c.waitDone()
	}
	return nil
}

// admitCommand makes the command wait for those that the order of the queue
// requires.
func (q *queue) admitCommand(c *command) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.aborted != nil {
		return q.aborted
	}
	c.stampTime(driver.Queued)
	switch {
	case !q.opts.OutOfOrder && q.last != nil:
		_, _ = q.last.holdCommand(c)
	case q.opts.OutOfOrder && c.isBarrier():
		for other := range q.open {
			_, _ = other.holdCommand(c)
		}
		q.barrier = c
	case q.opts.OutOfOrder && q.barrier != nil:
		_, _ = q.barrier.holdCommand(c)
	}
	q.last = c
	q.open[c] = struct{}{}
	return nil
}

// beginCommand returns the reason why a command must not run, or nil. In an
// in-order queue a failure ends all that follows, since later commands count on
// the results of earlier ones.
func (q *queue) beginCommand(c *command) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.aborted != nil {
		return q.aborted
	}
	if !q.opts.OutOfOrder && q.err != nil {
		return driver.FollowError(q.err)
	}
	return nil
}

// endCommand records the result of a command, and returns the commands that
// became ready.
func (q *queue) endCommand(c *command, err error) []*command {
	q.mu.Lock()
	if q.err == nil {
		q.err = err
	}
	delete(q.open, c)
	// Ended commands are let go, so that an idle queue keeps nothing of the
	// past alive.
	if q.last == c {
		q.last = nil
	}
	if q.barrier == c {
		q.barrier = nil
	}
	q.mu.Unlock()
	return c.event.endEvent(err)
}

// Write copies data into device memory.
func (q *queue) Write(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	to, err := q.part("Write", m, offset, int64(len(data)))
	if err != nil {
		return err
	}
	return q.enqueueCommand(&command{do: func() error { copy(to, data); return nil }}, s)
}

// Read copies device memory into data.
func (q *queue) Read(m driver.Memory, offset int64, data []byte, s driver.Sync) error {
	from, err := q.part("Read", m, offset, int64(len(data)))
	if err != nil {
		return err
	}
	return q.enqueueCommand(&command{do: func() error { copy(data, from); return nil }}, s)
}

// Copy copies between memories.
func (q *queue) Copy(to driver.Memory, toOffset int64, from driver.Memory, fromOffset, size int64, s driver.Sync) error {
	target, err := q.part("Copy", to, toOffset, size)
	if err != nil {
		return err
	}
	source, err := q.transferBytes(from, fromOffset, size)
	if err != nil {
		return fmt.Errorf("Copy: %w", err)
	}
	return q.enqueueCommand(&command{do: func() error { copy(target, source); return nil }}, s)
}

const maxPattern = 128

// Fill repeats a pattern, which is copied.
func (q *queue) Fill(m driver.Memory, offset, size int64, pattern []byte, s driver.Sync) error {
	to, err := q.part("Fill", m, offset, size)
	if err != nil {
		return err
	}
	n := len(pattern)
	if n > maxPattern || bits.OnesCount(uint(n)) != 1 {
		return fmt.Errorf("Fill: a pattern of %d bytes; it has 1 to %d, a power of two", n, maxPattern)
	}
	if size%int64(n) != 0 {
		return fmt.Errorf("Fill: %d bytes are not a multiple of the pattern's %d", size, n)
	}
	pattern = append([]byte(nil), pattern...)
	return q.enqueueCommand(&command{do: func() error { repeatPattern(to, pattern); return nil }}, s)
}

func repeatPattern(to, pattern []byte) {
	// The part that is filled doubles: a copy of long pieces runs at the speed
	// of memory.
	for done := copy(to, pattern); done < len(to); done *= 2 {
		copy(to[done:], to[:done])
	}
}

// part checks a transfer and returns its bytes.
func (q *queue) part(call string, m driver.Memory, offset, n int64) ([]byte, error) {
	if err := q.device.injectedFailure(call); err != nil {
		return nil, err
	}
	data, err := q.transferBytes(m, offset, n)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", call, err)
	}
	return data, nil
}

func (q *queue) transferBytes(m driver.Memory, offset, n int64) ([]byte, error) {
	own, err := q.device.ownMemory(m)
	if err != nil {
		return nil, err
	}
	return own.transferBytes(offset, n)
}

// Launch checks the arguments and queues the kernel.
func (q *queue) Launch(k driver.Kernel, r driver.Range, args []driver.Arg, s driver.Sync) error {
	if err := q.device.injectedFailure("Launch"); err != nil {
		return err
	}
	own, ok := k.(*kernel)
	if !ok || own.p.device != q.device {
		return errors.New("the kernel is not of this device")
	}
	c, err := q.device.newLaunch(own, r, args)
	if err != nil {
		return err
	}
	c.threads = q.threads
	if err := q.enqueueCommand(&c.command, s); err != nil {
		return err
	}
	// The memory may be used again if the caller has no event of it and no other
	// goroutine waits for it.
	if s.Block && s.Done == nil && !q.isShared(&c.command) {
		c.recycle()
	}
	return nil
}

// isShared tells whether anyone else may refer to a command that has ended.
func (q *queue) isShared(c *command) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return c.shared
}

// Barrier enqueues a command without work: an in-order queue needs only its
// event.
func (q *queue) Barrier(s driver.Sync) error {
	if err := q.device.injectedFailure("Barrier"); err != nil {
		return err
	}
	return q.enqueueCommand(&command{}, s)
}

// Flush does nothing: commands start when they can.
func (q *queue) Flush() error { return q.device.injectedFailure("Flush") }

// Finish waits for the commands that are queued now and returns the first failure since
// the last Finish, or else the cause of Abort.
func (q *queue) Finish() error {
	for _, c := range q.unfinishedCommands() {
		<-c.doneChannel()
	}
	q.device.frees.CollectEnded()
	q.mu.Lock()
	defer q.mu.Unlock()
	err := q.err
	if err == nil {
		err = q.aborted
	}
	q.err = nil
	if err == nil {
		err = q.device.injectedFailure("Finish")
	}
	return err
}

// Idle tells whether every command has ended.
func (q *queue) Idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.open) == 0
}

// unfinishedCommands returns the commands that have not ended; for an in-order queue the
// last one is enough. They are shared from now on, and their memory is not used again.
func (q *queue) unfinishedCommands() []*command {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.opts.OutOfOrder {
		if q.last == nil {
			return nil
		}
		q.last.shared = true
		return []*command{q.last}
	}
	list := make([]*command, 0, len(q.open))
	for c := range q.open {
		c.shared = true
		list = append(list, c)
	}
	return list
}

// Abort stops the running kernels and drops all queued commands: Finish then
// returns the cause. It may be called at any time from any goroutine, and it
// does not wait.
func (q *queue) Abort(cause error) {
	q.mu.Lock()
	if q.aborted == nil {
		q.aborted = cause
	}
	var held []*command
	for c := range q.open {
		c.shared = true
		if c.launch != nil {
			c.launch.abortLaunch(cause)
		}
		// The commands are dropped after the lock is released, as ending one
		// takes it.
		held = append(held, c)
	}
	q.mu.Unlock()
	for _, c := range held {
		for _, next := range c.dropCommand(cause) {
			go next.runAll()
		}
	}
}

// Close stops everything that is still running and waits for its end.
func (q *queue) Close() error {
	q.Abort(driver.ErrQueueClosed)
	q.mu.Lock()
	var open []*command
	for c := range q.open {
		c.shared = true
		open = append(open, c)
	}
	q.mu.Unlock()
	for _, c := range open {
		<-c.doneChannel()
	}
	q.device.queues.RemoveQueue(q)
	return nil
}
