package streams

import (
	"errors"
	"sync"

	"offlink/runtime/driver"
)

// HostMemory keeps the Go memory that commands of a queue read or write until they have
// ended. So that a queue which is never finished does not keep all of it, a barrier with an
// event is queued every markEvery transfers, and the memory of the transfers before a
// barrier is dropped once its event has happened. The zero value is ready.
type HostMemory struct {
	mu       sync.Mutex
	kept     [][]byte
	dropped  int // the number of all that were dropped: the index of kept[0]
	unmarked int // kept since the last mark
	pending  int // kept for commands that are not queued yet
	marks    []keptMark
}

// keptMark is an event after which the memory before an index is free.
type keptMark struct {
	event driver.Event
	end   int // of the memory, counted from the first ever
}

// markEvery is the number of transfers between marks.
const markEvery = 64

// Keep holds the host memory of a command that is queued next. Queued is called after that.
// Until then a mark or a Finish of another goroutine may come before the command in the
// queue, so that it must not drop the memory.
func (h *HostMemory) Keep(data []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kept = append(h.kept, data)
	h.unmarked++
	h.pending++
}

// Queued is called once for each Keep, also where the command was refused.
func (h *HostMemory) Queued() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pending--
}

// Sweep is called after a command was queued. If a mark is due, it drops the memory before
// marks that have ended, and queues a mark. mark queues a barrier and returns its event.
func (h *HostMemory) Sweep(mark func() (driver.Event, error)) error {
	h.mu.Lock()
	due := h.unmarked >= markEvery && h.pending == 0
	if due {
		h.unmarked = 0
	}
	end := h.dropped + len(h.kept)
	h.mu.Unlock()
	if !due {
		return nil
	}
	err := h.dropMarked()
	event, failed := mark()
	if failed != nil {
		return errors.Join(err, failed)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.marks = append(h.marks, keptMark{event, end})
	return err
}

// dropMarked gives up the memory before the last mark that has ended.
func (h *HostMemory) dropMarked() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var errs []error
	for len(h.marks) > 0 && h.marks[0].event.Status() >= driver.Complete {
		h.dropUpTo(h.marks[0].end)
		errs = append(errs, h.marks[0].event.Close())
		h.marks = h.marks[1:]
	}
	return errors.Join(errs...)
}

// dropUpTo gives up the memory before an index. It is called locked.
func (h *HostMemory) dropUpTo(end int) {
	if n := min(end-h.dropped, len(h.kept)); n > 0 {
		h.kept = append(h.kept[:0:0], h.kept[n:]...)
		h.dropped += n
	}
}

// Count returns the index after the memory that a Finish which begins now will cover, for
// Release after that. While a command is not queued yet, that is none of the kept memory.
func (h *HostMemory) Count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.pending > 0 {
		return h.dropped
	}
	return h.dropped + len(h.kept)
}

// Release drops the memory up to an index that Count returned, and the marks that have
// ended.
func (h *HostMemory) Release(count int) error {
	h.mu.Lock()
	h.dropUpTo(count)
	h.mu.Unlock()
	return h.dropMarked()
}

// Close releases the marks. The memory stays until h is gone.
func (h *HostMemory) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var errs []error
	for _, m := range h.marks {
		errs = append(errs, m.event.Close())
	}
	h.marks = nil
	return errors.Join(errs...)
}

// Held is the number of pieces of memory that are kept, for tests.
func (h *HostMemory) Held() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.kept)
}
