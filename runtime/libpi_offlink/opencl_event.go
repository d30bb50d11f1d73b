package main

import "C" // for the exports

import (
	"fmt"

	"offlink/runtime/driver"
	"offlink/runtime/internal/dl"
)

// userEvent is the type of the command of an event that the host completes.
const userEvent = 0x1204 // CL_COMMAND_USER

//export offlink_clCreateUserEvent
func offlink_clCreateUserEvent(contextHandle uintptr, out *uintptr) int32 {
	return perform(func() error {
		e, err := device().NewEvent()
		if err != nil {
			return err
		}
		*out = newHandle(driver.Event(e), contextHandle)
		offlink_clNoteCommand(*out, 0, userEvent)
		return nil
	})
}

//export offlink_clSetUserEventStatus
func offlink_clSetUserEventStatus(handle uintptr, status int32) int32 {
	return onEvent(handle, func(e driver.Event) error {
		own, ok := e.(driver.UserEvent)
		if !ok || commandOf(handle).kind != userEvent {
			return failure(invalidValue, "%#x is not an event of the host", handle)
		}
		if s := e.Status(); s == driver.Complete || s == driver.Failed {
			return failure(invalidOperation, "the status of the event is set already")
		}
		var cause error
		if status < 0 {
			cause = fmt.Errorf("the host set the event to %d", status)
		}
		own.Complete(cause)
		return nil
	})
}

// offlink_clSetEventCallback has the host's function called, on a thread of this library,
// when the event has ended: also for the earlier states, which it has passed then. The event
// is in use until then.
//
//export offlink_clSetEventCallback
func offlink_clSetEventCallback(handle, native uintptr, kind int32, callback, user uintptr) int32 {
	return onEvent(handle, func(e driver.Event) error {
		retainHandle(handle)
		e.OnDone(func(err error) {
			status := kind
			if err != nil {
				status = outOfResources
			}
			dl.Call(callback, native, uintptr(uint32(status)), user)
			releaseHandle(handle)
		})
		return nil
	})
}
