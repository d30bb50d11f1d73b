package streams

import (
	"errors"
	"sync"

	"offlink/runtime/driver"
)

// HostMemory keeps memory of Go that commands of a queue read or write until
// they have ended. A queue that never finishes gives up memory when more is
// kept: every markEvery transfers a barrier with an event is queued, and the
// memory before one that has ended is let go. The zero value is ready.
type HostMemory struct {
	mu       sync.Mutex
	kept     [][]byte
	dropped  int // how many were given up before kept[0], ever
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

// Keep holds host memory of a command that is queued next. Queued is called after
// that: until then, a mark or a Finish of another goroutine may come before the
// command, and gives nothing up.
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

// Sweep is called after a command was queued: it gives up the memory of commands
// that have ended, and queues a mark where one is due. mark queues a barrier
// and returns its event.
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

// Count is how much has been kept ever: Release takes it after a Finish that
// began later.
func (h *HostMemory) Count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.pending > 0 {
		return h.dropped
	}
	return h.dropped + len(h.kept)
}

// Release gives up the memory that was kept before Count was asked, and the
// marks that have ended.
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

// Held is how many pieces of memory are kept, for tests.
func (h *HostMemory) Held() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.kept)
}
