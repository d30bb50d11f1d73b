package hostdev

import (
	"context"
	"sync/atomic"

	"offlink/runtime/driver"
)

// command is one command of a queue. It runs when the last hold on it is
// released, on the goroutine that releases it: the caller's, that of the
// previous command, or one of its own.
type command struct {
	event
	queue   *queue
	do      func() error    // the work, unless it is a launch or a barrier
	launch  *launch         // a kernel, if any
	pending atomic.Int32    // holds: events, and the caller while it enqueues
	claimed atomic.Bool     // it runs or was dropped
	after   map[*event]bool // the events of the caller's wait list
	shared  bool            // a caller that waits for it or stops it refers to it; guarded by the queue's lock
}

// releaseHold ends one hold and tells whether the command is ready.
func (c *command) releaseHold() bool { return c.pending.Add(-1) == 0 }

// runAll runs the command, then one of those that it made ready, and so on;
// the others get goroutines of their own.
func (c *command) runAll() {
	for c != nil {
		ready := c.run()
		c = nil
		for i, next := range ready {
			if i == 0 {
				c = next
				continue
			}
			go next.runAll()
		}
	}
}

// runHere runs the command on the caller's goroutine, and those after it on
// others.
func (c *command) runHere() {
	for _, next := range c.run() {
		go next.runAll()
	}
}

// run runs the command, unless it was dropped, and returns those that became ready.
func (c *command) run() []*command {
	if !c.claimed.CompareAndSwap(false, true) {
		return nil
	}
	c.advanceStatus(driver.Submitted)
	err := c.waitedFor()
	if err == nil {
		err = c.queue.beginCommand(c)
	}
	if err == nil && !c.isBarrier() {
		c.advanceStatus(driver.Running)
		err = c.work()
	}
	return c.queue.endCommand(c, err)
}

func (c *command) isBarrier() bool { return c.do == nil && c.launch == nil }

func (c *command) work() error {
	if c.launch != nil {
		return c.launch.run()
	}
	return c.do()
}

// waitedFor returns the failure of an event of the caller's wait list. All of
// them have ended.
func (c *command) waitedFor() error {
	for e := range c.after {
		if err := e.result(); err != nil {
			return driver.InheritError(err)
		}
	}
	return nil
}

// dropCommand ends a command that has not started, and returns those that became ready.
func (c *command) dropCommand(cause error) []*command {
	if !c.claimed.CompareAndSwap(false, true) {
		return nil
	}
	return c.queue.endCommand(c, cause)
}

// waitDone waits for the end.
func (c *command) waitDone() error {
	if c.Status() >= driver.Complete {
		return c.result()
	}
	return c.Wait(context.Background())
}
