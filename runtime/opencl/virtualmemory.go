package opencl

import (
	"errors"
	"maps"
	"slices"
	"sync"

	"offlink/runtime/internal/cl"
)

// unfinished knows the commands of a device that may use virtual memory. clSVMFree
// waits for none (OpenCL 2.0, 5.6.1), while releasing a cl_mem leaves it to its
// commands and clMemBlockingFreeINTEL waits. The zero value is ready, and it is safe for
// concurrent use.
type unfinished struct {
	mu      sync.Mutex
	queues  map[*queue]bool
	leaving []cl.Handle // events: the ends of queues that were closed at work
}

// addQueue notes an open queue.
func (u *unfinished) addQueue(q *queue) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.queues == nil {
		u.queues = make(map[*queue]bool)
	}
	u.queues[q] = true
}

// removeQueue takes a queue that closes, with the event of its end, 0 for none.
func (u *unfinished) removeQueue(q *queue, end cl.Handle) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.queues, q)
	if end != 0 {
		u.leaving = append(u.leaving, end)
	}
}

// takeCommands returns the open queues, and the events of closed ones, which the caller
// releases.
func (u *unfinished) takeCommands() (open []*queue, leaving []cl.Handle) {
	u.mu.Lock()
	defer u.mu.Unlock()
	leaving, u.leaving = u.leaving, nil
	return slices.Collect(maps.Keys(u.queues)), leaving
}

// awaitCommands waits until all commands that were enqueued before have ended, of
// open queues and of closed ones. Failures of the commands are told elsewhere.
func (d *Device) awaitCommands() error {
	open, ends := d.unfinished.takeCommands()
	var errs []error
	for _, q := range open {
		q.mu.Lock()
		if !q.closed {
			end, err := q.markEnd()
			ends, errs = append(ends, end), append(errs, err)
		}
		q.mu.Unlock()
	}
	for _, end := range ends {
		if end == 0 {
			continue
		}
		if err := d.api.Wait(end); !cl.IsCode(err, cl.ErrorInWaitList) {
			errs = append(errs, err)
		}
		errs = append(errs, d.api.Release(cl.ReleaseEvent, end))
	}
	return errors.Join(errs...)
}

// markEnd returns an event that ends after all commands of the queue, which it has the
// device start; 0 where the driver makes none. The caller has the queue's lock, and
// releases the event.
func (q *queue) markEnd() (end cl.Handle, err error) {
	if err := q.enqueueBarrier(&cl.Order{Event: &end}); err != nil {
		return 0, err
	}
	return end, q.device.api.Flush(q.handle)
}
