package hostdev

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// crew is the workers of one launch. The first runs on the caller's goroutine. The others
// start at once, unless the pace of the kernel's last launch says that this one is over
// before another thread is awake: then they start when it takes longer after all.
type crew struct {
	launch *launch
	engine *engine
	code   *nativeKernel
	total  int64  // groups
	budget uint32 // the address of the rest of the budget (shareBudget)

	next    atomic.Int64 // the first group that nobody has taken
	others  sync.WaitGroup
	started bool
	began   time.Duration // on the device's clock
	yielded time.Duration
}

// shortLaunch is about the time that it takes to get another thread to work.
const shortLaunch = 30 * time.Microsecond

// run runs all groups.
func (c *crew) run(first *worker) {
	c.began, c.yielded = c.launch.began, c.launch.began
	if pace := c.code.pace.Load(); pace == 0 || pace > int64(shortLaunch)/c.total {
		c.startOthers()
	}
	first.crew = c
	first.run(c.code, &c.next, c.total)
	c.waitOthers()
	c.code.giveBack(first) // not before: the others count the budget down in its record
	c.launch.ended = c.launch.device.now()
	c.code.pace.Store(max(1, int64(c.launch.ended-c.began)/c.total))
}

func (c *crew) startOthers() {
	c.started = true
	for range min(int64(runtime.GOMAXPROCS(0)), c.total) - 1 {
		w, ok := c.launch.newWorker(c.engine, c.code)
		if !ok {
			return // those that there are do the work
		}
		c.others.Go(func() {
			w.run(c.code, &c.next, c.total)
			c.code.giveBack(w)
		})
	}
}

// pause is called by the first worker between pieces of work.
func (c *crew) pause() {
	now := c.launch.device.now()
	if !c.started && now-c.began > shortLaunch {
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

// waitOthers waits for the other workers, and yields meanwhile.
func (c *crew) waitOthers() {
	if !c.started {
		return
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
