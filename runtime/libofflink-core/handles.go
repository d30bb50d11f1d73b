package main

import (
	"fmt"
	"sync"
)

// handles gives out numbers for Go values that C holds. The zero value is
// ready, and it is safe for concurrent use.
type handles struct {
	mu     sync.Mutex
	last   uint64
	values map[uint64]any
}

func (h *handles) addHandle(v any) uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.values == nil {
		h.values = make(map[uint64]any)
	}
	h.last++
	h.values[h.last] = v
	return h.last
}

func (h *handles) getHandle(handle uint64) any {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.values[handle]
}

// endHandle returns the value and ends the handle; nil if there is none.
func (h *handles) endHandle(handle uint64) any {
	h.mu.Lock()
	defer h.mu.Unlock()
	v := h.values[handle]
	delete(h.values, handle)
	return v
}

// lookupHandle returns the value of a handle if it is of that type.
func lookupHandle[T any](h *handles, handle uint64, what string) (T, error) {
	v, ok := h.getHandle(handle).(T)
	if !ok {
		return v, &invalidError{fmt.Sprintf("not an open %s", what)}
	}
	return v, nil
}
