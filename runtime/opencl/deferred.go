package opencl

import (
	"errors"
	"slices"
	"sync"
	"time"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
)

// OpenCL keeps a cl_mem until the commands that use it have ended, but not memory with an
// address: clSVMFree and clMemFreeINTEL wait for nothing, and clMemBlockingFreeINTEL waits
// for all queues, even for one that waits for the host. So such memory is freed here, once
// markers have ended that were put after the commands of each queue. Where a driver makes no
// marker, the events of the commands serve, which may still run.

// workingQueues are the queues of a device whose commands may use its memory. The
// zero value is ready, and it is safe for concurrent use.
type workingQueues struct {
	mu   sync.Mutex
	open map[*queue]struct{}
	// closed are the markers at the end of queues that were closed while they worked.
	closed []*marker
}

func (w *workingQueues) addQueue(q *queue) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == nil {
		w.open = make(map[*queue]struct{})
	}
	w.open[q] = struct{}{}
}

// removeQueue takes a closed queue out. end is nil where it had no commands. The error is that
// of dropEnded.
func (w *workingQueues) removeQueue(q *queue, end *marker) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.open, q)
	err := w.dropEnded()
	if end != nil {
		w.closed = append(w.closed, end)
	}
	return err
}

// dropEnded forgets the closed queues whose commands have ended. An error of the driver, which
// it returns, counts as the end.
func (w *workingQueues) dropEnded() (err error) {
	w.closed = slices.DeleteFunc(w.closed, func(m *marker) bool {
		working, failed := m.isWorking()
		err = errors.Join(err, failed)
		return !working
	})
	return err
}

// countClosed is the number of closed queues that work, with the error of dropEnded.
func (w *workingQueues) countClosed() (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.dropEnded()
	return len(w.closed), err
}

// presentCommands are the commands that may not have ended, of all queues. With an
// error there may be more of them.
func (w *workingQueues) presentCommands() (list []driver.Working, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for q := range w.open {
		m, failed := q.markCommands()
		if m != nil {
			list = append(list, m.isWorking)
		}
		err = errors.Join(err, failed)
	}
	for _, m := range w.closed {
		list = append(list, m.isWorking)
	}
	return list, err
}

// freeLater frees the memory once the commands submitted before have ended. If these could not
// be marked, others may have made some of them: clMemBlockingFreeINTEL waits for all.
func (m *memory) freeLater() error {
	if m.buffer != 0 {
		return m.freeMemory() // the driver defers that
	}
	commands, err := m.device.queues.presentCommands()
	free := m.freeMemory
	if err != nil && m.device.able.memory == unifiedMemory {
		free = m.freeBlocking
	}
	return errors.Join(err, m.device.frees.FreeAfter(commands, free))
}

func (m *memory) freeBlocking() error {
	context, err := m.device.openContext()
	if err != nil {
		return err
	}
	return m.device.api.FreeUSM(cl.MemBlockingFreeINTEL, context, m.address)
}

// lastCommands is how long the end of a device waits for commands whose memory was closed.
// If they take longer, the memory is not freed.
const lastCommands = time.Second / 2

// collectLast frees memory, and the events of commands of closed queues, when the device ends.
func (d *Device) collectLast() (err error) {
	defer d.releaseUnknown()
	for end := time.Now().Add(lastCommands); ; time.Sleep(time.Millisecond) {
		closed, failed := d.queues.countClosed()
		err = errors.Join(err, failed)
		left := d.frees.CollectEnded() + closed + d.keepOrphans(nil)
		if left == 0 || time.Now().After(end) {
			return errors.Join(err, d.frees.Failure())
		}
	}
}

// marker is a command without work that ends after the first commands of a queue, or stands for
// these commands.
type marker struct {
	api   *cl.API
	state *driver.QueueState
	// count is the number of those commands.
	count uint64

	mu     sync.Mutex
	events []cl.Handle // its own, or those of the commands; none after its end
}

// isWorking reports whether the commands before the marker have not ended.
func (m *marker) isWorking() (working bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.events) == 0 {
		return false, nil
	}
	if m.state.Ended.Load() < m.count {
		if working, err = m.askEvents(); working {
			return true, nil
		}
		m.state.NoteEnded(m.count)
	}
	for _, e := range m.events {
		err = errors.Join(err, m.api.Release(cl.ReleaseEvent, e))
	}
	m.events = nil
	return false, err
}

// askEvents reports whether one of the events has not ended.
func (m *marker) askEvents() (working bool, err error) {
	for _, e := range m.events {
		status, failed := m.api.EventStatus(e)
		if failed == nil && status > 0 {
			return true, nil
		}
		err = errors.Join(err, failed)
	}
	return false, err
}

// markCommands puts a marker after the commands of the queue and has the device
// start them; nil if all have ended. The marker of a queue without new commands
// serves again.
func (q *queue) markCommands() (*marker, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.markLocked()
}

// markLocked is markCommands with the queue locked. If the handle of the queue was given
// out, commands may be in it that are not counted, so that it always gets a new marker.
func (q *queue) markLocked() (*marker, error) {
	state, others, last := q.state.Load(), q.others.Load(), q.marker
	count := state.Submitted.Load()
	if q.closed || !others && last != nil && last.count == count {
		return last, nil
	}
	if !others && state.Ended.Load() >= count {
		return nil, nil
	}
	if others {
		count = state.Submitted.Add(1) // the marker itself: Ended must not report it before its end
	}
	m := &marker{api: q.device.api, state: state, count: count}
	var event cl.Handle
	if err := q.enqueueMark(&event); err != nil {
		m.events, err = q.useEvents(err)
		return m, err
	}
	m.events, q.marker = []cl.Handle{event}, m
	return m, m.api.Flush(q.handle)
}

// useEvents returns the events of the commands that may not have ended, each with a use, and
// joins an error with those of the driver. q.mu is held.
func (q *queue) useEvents(err error) ([]cl.Handle, error) {
	var list []cl.Handle
	q.takeShared()
	for _, c := range q.untold {
		list = append(list, c.event)
	}
	for _, p := range q.pending {
		list = append(list, p.event.handle)
	}
	var used []cl.Handle
	for _, e := range list {
		if failed := q.device.api.KeepEvent(e); failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		used = append(used, e)
	}
	return used, err
}

// noteSubmitted counts a command that was enqueued. before is the count from before it was.
// It returns how many commands are known to have ended when this one has, in an in-order
// queue. That is the command's own number, unless another thread has counted a command
// meanwhile, whose place in the queue is not known.
func (q *queue) noteSubmitted(before uint64) uint64 {
	if n := q.state.Load().Submitted.Add(1); n == before+1 {
		return n
	}
	return before
}

// submittedCommands is the count for noteSubmitted.
func (q *queue) submittedCommands() uint64 { return q.state.Load().Submitted.Load() }

// noteEnded notes that a command of that number has ended: in an in-order queue all
// before it have.
func (q *queue) noteEnded(number uint64) {
	if !q.opts.OutOfOrder {
		q.state.Load().NoteEnded(number)
	}
}
