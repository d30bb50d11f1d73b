package main

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"offlink/runtime"
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

// listValues returns all values, in the order of their handles.
func (h *handles) listValues() []any {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []any
	for _, handle := range slices.Sorted(maps.Keys(h.values)) {
		list = append(list, h.values[handle])
	}
	return list
}

// endObjects takes the objects of some devices away: a use of their handles is an
// error from then on. The handles stay, so that the error can name the device.
func (h *handles) endObjects(ends func(*runtime.Device) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for handle, v := range h.values {
		if d := deviceOf(v); d != nil && ends(d) {
			h.values[handle] = endedObject{d}
		}
	}
}

// lookupHandle returns the value of a handle if it is of that type; the text is the name of
// the type in errors.
func lookupHandle[T any](h *handles, handle uint64, what string) (T, error) {
	held := h.getHandle(handle)
	v, ok := held.(T)
	if ok {
		return v, nil
	}
	if e, ended := held.(endedObject); ended {
		return v, &endedError{e.device}
	}
	return v, &invalidError{fmt.Sprintf("not an open %s", what)}
}
