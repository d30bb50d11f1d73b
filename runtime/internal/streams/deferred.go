package streams

import (
	"errors"
	"slices"

	"offlink/runtime/driver"
)

// presentCommands returns the commands that all queues have now.
func (d *Device) presentCommands() (list []driver.Working) {
	for _, q := range d.queues.ListQueues() {
		list = append(list, (&commandsBefore{queue: q, deferred: q.deferredCommands()}).isWorking)
	}
	return list
}

// FreeLater calls free, which releases memory, once the commands that were submitted before
// have ended: now or in a later call for the device. Drivers do not do that: they free at
// once, or wait for all work.
func (d *Device) FreeLater(free func() error) error {
	return d.frees.FreeAfter(d.presentCommands(), free)
}

// CollectFrees frees the memory that FreeLater kept and whose commands have ended.
func (d *Device) CollectFrees() { d.frees.CollectEnded() }

// commandsBefore are the commands that a queue had at some time.
type commandsBefore struct {
	queue    *Queue
	deferred []*command // those in no stream then
	marked   bool
	marks    []Mark // after the others, and after the deferred ones
}

func (q *Queue) deferredCommands() []*command {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.deferred)
}

// isWorking implements driver.Working.
func (c *commandsBefore) isWorking() (working bool, err error) {
	native := c.queue.device.Native
	err = native.Within(func() error {
		if !c.marked {
			if working, err = c.markStreams(); working || err != nil {
				return err
			}
		}
		for len(c.marks) > 0 {
			done, err := native.IsMarkDone(c.marks[0])
			if working = err == nil && !done; working {
				return nil
			}
			if err = errors.Join(err, native.DestroyMark(c.marks[0])); err != nil {
				return err
			}
			c.marks = c.marks[1:]
		}
		return nil
	})
	if err != nil {
		return false, errors.Join(err, c.queue.device.destroyMarks(c.marks...))
	}
	return working, nil
}

// markStreams puts a mark into each stream that has work, once the deferred commands
// are in streams. working says that it was too early. The streams of a closed queue
// take no marks: they end with their work.
func (c *commandsBefore) markStreams() (working bool, err error) {
	q := c.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return !q.over, nil
	}
	if slices.ContainsFunc(c.deferred, func(d *command) bool { return slices.Contains(q.deferred, d) }) {
		return true, nil
	}
	c.marked = true
	for _, s := range q.streams {
		if err := c.markStream(s); err != nil {
			return false, err
		}
	}
	return false, nil
}

func (c *commandsBefore) markStream(s Stream) error {
	native := c.queue.device.Native
	if done, err := native.IsStreamDone(s); done || err != nil {
		return err
	}
	m, err := native.NewMark(false)
	if err != nil {
		return err
	}
	c.marks = append(c.marks, m)
	return native.Record(m, s)
}
