package main

import (
	"slices"
	"sync"
	"unsafe"

	"offlink/runtime/driver"
)

// The handles of the platform and the device, which are never released, and the first handle
// of other objects.
const (
	platformHandle = 0x10
	deviceHandle   = 0x20
	firstHandle    = 0x100
	handleStep     = 0x10 // handles look like aligned pointers
)

// handleTable has the objects that the host holds. A handle is never reused, so that a stale
// one is an error.
type handleTable struct {
	mu      sync.Mutex
	next    uintptr
	objects map[uintptr]*handleEntry
	natives map[uintptr]uintptr // the handles of native ones
}

type handleEntry struct {
	object  any
	context uintptr // the handle of the context that it belongs to
	uses    int
	native  uintptr  // its object of OpenCL's loader (icd.c), 0 before anyone asks for it
	ended   []func() // called after the object's end, the last one first
	command command  // of an event
}

// finish calls the host's functions that wait for the end of the object, and ends its use of
// the context.
func (e *handleEntry) finish() {
	for _, f := range slices.Backward(e.ended) {
		f()
	}
	if e.context != 0 {
		releaseHandle(e.context)
	}
}

// The platform and the device have entries for their native handles. Their uses are not
// counted.
type fixedPlatform struct{}

var handles = handleTable{
	next:    firstHandle,
	objects: map[uintptr]*handleEntry{platformHandle: {object: fixedPlatform{}, uses: 1}, deviceHandle: {object: wholeDevice, uses: 1}},
	natives: map[uintptr]uintptr{},
}

// newHandle gives the host an object of a context, which it keeps in use.
func newHandle(object any, context uintptr) uintptr {
	handles.mu.Lock()
	defer handles.mu.Unlock()
	if owner := handles.objects[context]; owner != nil {
		owner.uses++
	}
	handle := handles.next
	handles.next += handleStep
	handles.objects[handle] = &handleEntry{object: object, context: context, uses: 1}
	return handle
}

// contextOf is the context of an object, 0 for a handle that is none.
func contextOf(handle uintptr) uintptr {
	handles.mu.Lock()
	defer handles.mu.Unlock()
	if entry := handles.objects[handle]; entry != nil {
		return entry.context
	}
	return 0
}

// usesOf is how many uses of an object are counted, 0 for a handle that is none.
func usesOf(handle uintptr) int {
	handles.mu.Lock()
	defer handles.mu.Unlock()
	if entry := handles.objects[handle]; entry != nil {
		return entry.uses
	}
	return 0
}

// objectOf is the object of a handle.
func objectOf[T any](handle uintptr) (object T, err error) {
	handles.mu.Lock()
	defer handles.mu.Unlock()
	if entry := handles.objects[handle]; entry != nil {
		if object, ok := entry.object.(T); ok {
			return object, nil
		}
	}
	return object, failure(wrongHandle[T](), "%#x is not a handle of a %T", handle, object)
}

// Codes for handles that are not those of an object of the kind.
const (
	invalidContext = -34
	invalidQueue   = -36
	invalidProgram = -44
	invalidKernel  = -48
	invalidEvent   = -58
)

func wrongHandle[T any]() int32 {
	switch any((*T)(nil)).(type) {
	case **pluginDevice:
		return invalidDevice
	case **deviceContext:
		return invalidContext
	case **deviceQueue, *driver.Queue:
		return invalidQueue
	case **buffer, **image, *memoryObject, *mappable:
		return invalidMemory
	case **sampler:
		return invalidSampler
	case **program:
		return invalidProgram
	case **kernel:
		return invalidKernel
	case *driver.Event:
		return invalidEvent
	}
	return invalidValue
}

// closer is an object that has something to release.
type closer interface{ Close() error }

func retainHandle(handle uintptr) int32 {
	return perform(func() error {
		handles.mu.Lock()
		defer handles.mu.Unlock()
		entry := handles.objects[handle]
		if entry == nil {
			return failure(invalidValue, "%#x is not a handle", handle)
		}
		entry.uses++
		return nil
	})
}

// releaseHandle ends one use, and closes the object after the last.
func releaseHandle(handle uintptr) int32 {
	return perform(func() error {
		entry, err := endUse(handle)
		if entry == nil {
			return err
		}
		if c, ok := entry.object.(closer); ok {
			err = c.Close()
		}
		entry.finish()
		return err
	})
}

// endUse returns the entry if this was its last use.
func endUse(handle uintptr) (*handleEntry, error) {
	handles.mu.Lock()
	defer handles.mu.Unlock()
	entry := handles.objects[handle]
	if entry == nil {
		return nil, failure(invalidValue, "%#x is not a handle", handle)
	}
	if entry.uses--; entry.uses > 0 {
		return nil, nil
	}
	delete(handles.objects, handle)
	handles.dropNative(entry)
	return entry, nil
}

// wordsAt is an array of the host, nil for none.
func wordsAt[T any](at *T, count int) []T {
	if at == nil || count <= 0 {
		return nil
	}
	return unsafe.Slice(at, count)
}
