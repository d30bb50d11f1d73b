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
// markers have ended that were put after the commands of each queue.

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

// removeQueue takes a closed queue out. end is nil where it had no commands.
func (w *workingQueues) removeQueue(q *queue, end *marker) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.open, q)
	w.dropEnded()
	if end != nil {
		w.closed = append(w.closed, end)
	}
}

// dropEnded forgets the closed queues whose commands have ended.
func (w *workingQueues) dropEnded() {
	w.closed = slices.DeleteFunc(w.closed, func(m *marker) bool {
		working, _ := m.isWorking() // an error counts as the end
		return !working
	})
}

// countClosed is the number of closed queues that work.
func (w *workingQueues) countClosed() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dropEnded()
	return len(w.closed)
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

// freeLater frees the memory once the commands submitted before have ended. If these could
// not be marked, clMemBlockingFreeINTEL waits for them; virtual memory has no such call.
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

// collectLast frees memory, and the events of closed queues, when the device ends.
func (d *Device) collectLast() {
	defer d.keepOrphans(nil)
	for end := time.Now().Add(lastCommands); ; time.Sleep(time.Millisecond) {
		left := d.frees.CollectEnded() + d.queues.countClosed()
		if left == 0 || time.Now().After(end) {
			return
		}
	}
}

// marker is a command without work that ends after the first commands of a queue.
type marker struct {
	api   *cl.API
	state *driver.QueueState
	// count is the number of those commands.
	count uint64

	mu     sync.Mutex
	handle cl.Handle // 0 after its end
}

// isWorking reports whether the commands before the marker have not ended.
func (m *marker) isWorking() (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.handle == 0 {
		return false, nil
	}
	var err error
	if m.state.Ended.Load() < m.count {
		var status int
		if status, err = m.api.EventStatus(m.handle); err == nil && status > 0 {
			return true, nil
		}
		m.state.NoteEnded(m.count)
	}
	err = errors.Join(err, m.api.Release(cl.ReleaseEvent, m.handle))
	m.handle = 0
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
	if err := q.enqueueMark(&m.handle); err != nil {
		return nil, err
	}
	q.marker = m
	return m, m.api.Flush(q.handle)
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
