package ze

import (
	"structs"
	"unsafe"
)

// queueDesc is ze_command_queue_desc_t.
type queueDesc struct {
	_ structs.HostLayout
	header
	ordinal, index, flags, mode, priority uint32
}

const (
	modeAsynchronous   = 2 // ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS
	poolHostVisible    = 1
	poolTimestamps     = 4
	scopeHost          = 4 // ZE_EVENT_SCOPE_FLAG_HOST
	indirectHost       = 1
	indirectDevice     = 2
	indirectShared     = 4
	waitForEver        = ^uintptr(0)
	timestampGlobalEnd = 1
)

// NewList makes an immediate command list in a group of queues: commands run when they
// are appended.
func (l *Library) NewList(context, device Handle, group uint32) (list Handle, err error) {
	desc := &queueDesc{header: header{stype: typeQueueDesc}, ordinal: group, mode: modeAsynchronous}
	err = l.callFunction(fnCommandListCreateImmediate, uintptr(context), uintptr(device), uintptr(unsafe.Pointer(desc)), uintptr(unsafe.Pointer(&list)))
	return list, checkMade(fnCommandListCreateImmediate, list, err)
}

// DestroyList releases a command list, which has no work.
func (l *Library) DestroyList(list Handle) error {
	return l.callFunction(fnCommandListDestroy, uintptr(list))
}

// Barrier has the later commands of a list wait for those before.
func (l *Library) Barrier(list Handle) error {
	return l.callFunction(fnCommandListAppendBarrier, uintptr(list), 0, 0, 0)
}

// Signal has a list set an event after the barrier before it.
func (l *Library) Signal(list, event Handle) error {
	return l.callFunction(fnCommandListAppendSignalEvent, uintptr(list), uintptr(event))
}

// Wait has the later commands of a list wait for an event.
func (l *Library) Wait(list, event Handle) error {
	return l.callFunction(fnCommandListAppendWaitOnEvents, uintptr(list), 1, uintptr(unsafe.Pointer(&event)))
}

// Copy copies between two addresses.
func (l *Library) Copy(list Handle, to, from uint64, size int64) error {
	return l.callFunction(fnCommandListAppendMemoryCopy, uintptr(list), uintptr(to), uintptr(from), uintptr(size), 0, 0, 0)
}

// Write copies host memory to an address. The caller keeps data in place until the copy has
// ended, as for Read.
func (l *Library) Write(list Handle, to uint64, data []byte) error {
	return l.callFunction(fnCommandListAppendMemoryCopy, uintptr(list), uintptr(to), uintptr(unsafe.Pointer(unsafe.SliceData(data))), uintptr(len(data)), 0, 0, 0)
}

// Read copies from an address to host memory.
func (l *Library) Read(list Handle, data []byte, from uint64) error {
	return l.callFunction(fnCommandListAppendMemoryCopy, uintptr(list), uintptr(unsafe.Pointer(unsafe.SliceData(data))), uintptr(from), uintptr(len(data)), 0, 0, 0)
}

// Fill repeats a pattern, which the driver copies.
func (l *Library) Fill(list Handle, to uint64, pattern []byte, size int64) error {
	return l.callFunction(fnCommandListAppendMemoryFill, uintptr(list), uintptr(to), uintptr(unsafe.Pointer(&pattern[0])), uintptr(len(pattern)), uintptr(size), 0, 0, 0)
}

// Launch launches a kernel over a number of groups, with the arguments and the group size
// that are set in the kernel.
func (l *Library) Launch(list, kernel Handle, groups [3]uint32) error {
	return l.callFunction(fnCommandListAppendLaunchKernel, uintptr(list), uintptr(kernel), uintptr(unsafe.Pointer(&groups)), 0, 0, 0)
}

// eventPoolDesc is ze_event_pool_desc_t.
type eventPoolDesc struct {
	_ structs.HostLayout
	header
	flags, count uint32
}

// eventDesc is ze_event_desc_t.
type eventDesc struct {
	_ structs.HostLayout
	header
	index, signal, wait uint32
}

// Event is an event with a pool of its own.
type Event struct{ Pool, Event Handle }

// NewEvent makes an event that the host sees.
func (l *Library) NewEvent(context, device Handle, timed bool) (e Event, err error) {
	pool := &eventPoolDesc{header: header{stype: typeEventPoolDesc}, flags: poolHostVisible, count: 1}
	if timed {
		pool.flags |= poolTimestamps
	}
	err = l.callFunction(fnEventPoolCreate, uintptr(context), uintptr(unsafe.Pointer(pool)), 1, uintptr(unsafe.Pointer(&device)), uintptr(unsafe.Pointer(&e.Pool)))
	if err = checkMade(fnEventPoolCreate, e.Pool, err); err != nil {
		return e, err
	}
	desc := &eventDesc{header: header{stype: typeEventDesc}, signal: scopeHost, wait: scopeHost}
	err = l.callFunction(fnEventCreate, uintptr(e.Pool), uintptr(unsafe.Pointer(desc)), uintptr(unsafe.Pointer(&e.Event)))
	if err = checkMade(fnEventCreate, e.Event, err); err != nil {
		_ = l.callFunction(fnEventPoolDestroy, uintptr(e.Pool))
		return e, err
	}
	return e, nil
}

// DestroyEvent releases an event that nothing waits for.
func (l *Library) DestroyEvent(e Event) error {
	err := l.callFunction(fnEventDestroy, uintptr(e.Event))
	if pool := l.callFunction(fnEventPoolDestroy, uintptr(e.Pool)); err == nil {
		err = pool
	}
	return err
}

// WaitEvent blocks until the event happens.
func (l *Library) WaitEvent(event Handle) error {
	return l.callFunction(fnEventHostSynchronize, uintptr(event), waitForEver)
}

// QueryEvent is nil for an event that has happened, and an error that
// IsNotReady for one that has not.
func (l *Library) QueryEvent(event Handle) error {
	return l.callFunction(fnEventQueryStatus, uintptr(event))
}

// Timestamp is when the event of a timed pool happened, in ticks of the device.
func (l *Library) Timestamp(event Handle) (ticks uint64, err error) {
	var result [4]uint64 // begin and end on the global clock, and on the context's
	err = l.callFunction(fnEventQueryKernelTimestamp, uintptr(event), uintptr(unsafe.Pointer(&result)))
	return result[timestampGlobalEnd], err
}
