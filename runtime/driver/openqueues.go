package driver

import (
	"maps"
	"slices"
	"sync"
)

// OpenQueues are the queues of a device that have commands or may get some, for a
// back end that looks at all of them before it frees memory. The zero value is ready,
// and it is safe for concurrent use.
type OpenQueues[Q comparable] struct {
	mu   sync.Mutex
	open map[Q]struct{}
}

// AddQueue notes a queue.
func (o *OpenQueues[Q]) AddQueue(q Q) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open == nil {
		o.open = make(map[Q]struct{})
	}
	o.open[q] = struct{}{}
}

// RemoveQueue takes out a queue that has no commands any more.
func (o *OpenQueues[Q]) RemoveQueue(q Q) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.open, q)
}

// ListQueues returns the present queues, in any order. One may close meanwhile.
func (o *OpenQueues[Q]) ListQueues() []Q {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Collect(maps.Keys(o.open))
}
