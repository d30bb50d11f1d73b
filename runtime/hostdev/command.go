package hostdev

import (
	"context"
	"fmt"
	"sync/atomic"

	"offlink/runtime/driver"
)

// command is one command of a queue. It runs when nothing holds it any more,
// on the goroutine that finds that out: the caller's, that of the command
// before it, or one of its own.
type command struct {
	event
	queue   *queue
	do      func() error    // nil: a barrier
	launch  *launch         // that do runs, if any
	pending atomic.Int32    // events that hold it, and the caller while it queues
	claimed atomic.Bool     // it runs, or will never
	after   map[*event]bool // that the caller named
}

// releaseHold ends one hold; the last one makes the command ready.
func (c *command) releaseHold() bool { return c.pending.Add(-1) == 0 }

// runAll runs the command and those that wait for it alone, one after
// another; others get goroutines.
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

// run runs the command, unless it was dropped, and returns those that are
// ready now.
func (c *command) run() []*command {
	if !c.claimed.CompareAndSwap(false, true) {
		return nil
	}
	c.advanceStatus(driver.Submitted)
	err := c.waitedFor()
	if err == nil {
		err = c.queue.beginCommand(c)
	}
	if err == nil && c.do != nil {
		c.advanceStatus(driver.Running)
		err = c.do()
	}
	return c.queue.endCommand(c, err)
}

// waitedFor is the failure of an event that the caller named. All of them are
// over.
func (c *command) waitedFor() error {
	for e := range c.after {
		if err := e.result(); err != nil {
			return fmt.Errorf("an event that it waits for failed: %w", err)
		}
	}
	return nil
}

// dropCommand ends a command that has not run.
func (c *command) dropCommand(cause error) []*command {
	if !c.claimed.CompareAndSwap(false, true) {
		return nil
	}
	return c.queue.endCommand(c, cause)
}

// waitDone waits for the end.
func (c *command) waitDone() error { return c.Wait(context.Background()) }
