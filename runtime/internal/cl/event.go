package cl

import (
	"unsafe"

	"offlink/runtime/internal/dl"
)

// Wait waits for events. The error of one that failed is ErrorInWaitList.
func (a *API) Wait(events ...Handle) error {
	return a.callFunction(WaitForEvents, uintptr(len(events)), uintptr(pointer(events)))
}

// EventStatus is an execution status: 3 queued, 2 submitted, 1 running, 0
// complete, negative for a failure.
func (a *API) EventStatus(event Handle) (int, error) {
	status := new(int32)
	err := a.callFunction(GetEventInfo, uintptr(event), EventCommandStatus, unsafe.Sizeof(*status), uintptr(unsafe.Pointer(status)), 0)
	return int(*status), err
}

// KeepEvent adds a use of an event. Hooks cannot make it fail, as for releases: memory that the
// event's command uses would be freed.
func (a *API) KeepEvent(event Handle) error { return a.releaseObject(RetainEvent, event) }

// EventTime is one of a command's times, in nanoseconds.
func (a *API) EventTime(event Handle, param uint32) (uint64, error) {
	time := new(uint64)
	err := a.callFunction(GetEventProfilingInfo, uintptr(event), uintptr(param), unsafe.Sizeof(*time), uintptr(unsafe.Pointer(time)), 0)
	return *time, err
}

// NewUserEvent makes an event that the host ends.
func (a *API) NewUserEvent(context Handle) (Handle, error) {
	return a.createObject(CreateUserEvent, uintptr(context))
}

// SetUserEvent ends it: 0 for success, negative for a failure.
func (a *API) SetUserEvent(event Handle, status int) error {
	return a.callFunction(SetUserEventStatus, uintptr(event), uintptr(status))
}

// OnEnd has the callback called with the event, its status and user when the
// event ends, on a thread of the driver.
func (a *API) OnEnd(event Handle, callback, user uintptr) error {
	return a.callFunction(SetEventCallback, uintptr(event), 0, callback, user)
}

// EventCallback makes a callback of OnEnd. It is never freed.
func EventCallback(f func(status int, user uintptr)) uintptr {
	return dl.NewCallback(func(_ uintptr, status int32, user uintptr) uintptr {
		f(int(status), user)
		return 0
	})
}
