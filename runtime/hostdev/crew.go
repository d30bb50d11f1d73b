package hostdev

import (
	"sync"
	"sync/atomic"
	"time"

	"offlink/runtime/hostdev/internal/threads"
)

// crew is the workers of one launch. The first runs on the caller's goroutine. The others
// start at once, unless the pace of the kernel's last launch says that this one is over
// before another thread is awake: then they start when it takes longer after all. They
// leave where they turn out to hinder each other (trial.go).
type crew struct {
	launch  *launch
	engine  *kernelEngine
	code    *nativeKernel
	total   int64  // groups
	budget  uint32 // the address of the rest of the budget (shareBudget)
	members int64  // workers, with all others

	next    atomic.Int64 // the first group that nobody has taken
	others  sync.WaitGroup
	coming  []*other
	active  atomic.Int64 // others that are at work
	leave   atomic.Bool  // the others are to leave
	started bool
	began   time.Duration // on the device's clock
	yielded time.Duration
	trial   trial
}

// shortLaunch is about the time that it takes to get another thread to work.
const shortLaunch = 30 * time.Microsecond

// run runs all groups.
func (c *crew) run(first *worker) {
	c.began, c.yielded = c.launch.began, c.launch.began
	c.members = min(c.launch.mostThreads(), c.total)
	pace := c.code.pace.Load()
	c.begin()
	if !c.leave.Load() && (pace == 0 || pace > int64(shortLaunch)/c.total) {
		c.startOthers()
	}
	first.crew = c
	first.run(c)
	c.waitOthers()
	c.code.giveBack(first) // not before: the others count the budget down in its record
	c.launch.ended = c.launch.device.now()
	c.code.pace.Store(max(1, int64(c.launch.ended-c.began)/c.total))
}

// other is a worker with a thread to come.
type other struct {
	crew   *crew
	worker *worker
	taken  atomic.Bool // by its thread, or by a crew that has no work for it any more
}

func (c *crew) startOthers() {
	c.started = true
	for range c.members - 1 {
		w, ok := c.launch.newWorker(c.engine, c.code)
		if !ok {
			return // those that there are do the work
		}
		o := &other{crew: c, worker: w}
		c.coming = append(c.coming, o)
		c.others.Add(1)
		threads.Go(o.run)
	}
}

// run is the work of the worker's thread.
func (o *other) run() {
	if !o.taken.CompareAndSwap(false, true) {
		return // and the launch may be over
	}
	c := o.crew
	c.active.Add(1)
	o.worker.run(c)
	c.active.Add(-1)
	o.end()
}

func (o *other) end() {
	o.crew.code.giveBack(o.worker)
	o.crew.others.Done()
}

// mayLeave tells whether a worker is to end although there may be groups left. The first
// never is.
func (c *crew) mayLeave(w *worker) bool { return w.crew == nil && c.leave.Load() }

// share is the number of groups that a worker takes at a time.
type share struct {
	size int64
	pace time.Duration // of a group, the last time
}

// The time that a share takes, about: long beside the call that it costs, and short beside
// a launch, at whose end the other workers wait for the last one.
const (
	longShare  = 100 * time.Microsecond
	shortShare = 10 * time.Microsecond

	shareGrowth = 8 // at most: the groups before may have been the short ones
)

// measure takes note of the time of a share.
func (s *share) measure(groups int64, took time.Duration) {
	s.pace = max(1, took/time.Duration(groups))
}

// take takes groups that nobody has taken yet. The first share is one group, as nothing
// is known of its time; towards the end shares are smaller, but not so small that their
// calls cost more than the waiting.
func (c *crew) take(s *share) (first, end int64) {
	if s.pace == 0 {
		s.size = 1
	} else {
		long := longShare
		if c.members == 1 {
			long = turn
		}
		left := max(0, c.total-c.next.Load())
		size := min(int64(long/s.pace), shareGrowth*s.size)
		size = min(size, max(left/(4*c.members), int64(shortShare/s.pace)))
		s.size = max(1, size)
	}
	first = c.next.Add(s.size) - s.size
	return first, min(first+s.size, c.total)
}

// pause is called by the first worker between pieces of work.
func (c *crew) pause() {
	now := c.launch.device.now()
	if !c.started && !c.leave.Load() && now-c.began > shortLaunch {
		c.startOthers()
	}
	if c.launch.yield != nil && now-c.yielded > turn {
		c.launch.yield()
		c.yielded = now
	}
}

func (w *worker) pause() {
	if w.crew != nil {
		w.crew.pause()
	}
}

// waitOthers waits for the other workers, and yields meanwhile. It does not wait for those
// whose threads are not awake yet: other processes may have the processors.
func (c *crew) waitOthers() {
	if !c.started {
		return
	}
	for _, o := range c.coming {
		if o.taken.CompareAndSwap(false, true) {
			o.end()
		}
	}
	// The last shares are short: it is soon, and to sleep and wake takes as long.
	for until := c.launch.device.now() + shortLaunch; c.active.Load() > 0 && c.launch.device.now() < until; {
	}
	yieldUntil(c.others.Wait, c.launch.yield)
}

// yieldUntil calls wait, and yield now and then until it returns.
func yieldUntil(wait, yield func()) {
	if yield == nil {
		wait()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		wait()
	}()
	for {
		select {
		case <-done:
			return
		case <-time.After(turn):
			yield()
		}
	}
}
