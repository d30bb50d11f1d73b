package main

import "C" // for the exports

import (
	"context"
	"errors"
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/dl"
)

// offlink_piEventCreate makes an event that has ended, as the interface has it from 11.15 on.
//
//export offlink_piEventCreate
func offlink_piEventCreate(contextHandle uintptr, out *uintptr) int32 {
	return perform(func() error {
		e, err := device().NewEvent()
		if err != nil {
			return err
		}
		e.Complete(nil)
		*out = newHandle(driver.Event(e), contextHandle)
		return nil
	})
}

// onEvent calls f with an event.
func onEvent(handle uintptr, f func(e driver.Event) error) int32 {
	return perform(func() error {
		e, err := objectOf[driver.Event](handle)
		if err != nil {
			return err
		}
		return f(e)
	})
}

// Execution statuses of OpenCL.
var statuses = map[driver.Status]int32{driver.Queued: 3, driver.Submitted: 2, driver.Running: 1, driver.Complete: 0, driver.Failed: pluginSpecificError}

const (
	profilingComplete = 0x1284

	eventQueue      = 0x11D0
	eventCommand    = 0x11D1
	eventReferences = 0x11D2
	eventContext    = 0x11D4
)

//export offlink_piEventGetInfo
func offlink_piEventGetInfo(handle uintptr, param uint32, room uintptr, out unsafe.Pointer, size *uintptr) int32 {
	return onEvent(handle, func(e driver.Event) error {
		var a answer
		switch param {
		case cl.EventCommandStatus:
			a = word32(uint32(statuses[e.Status()]))
		case eventReferences:
			a = word32(uint32(usesOf(handle)))
		case eventContext:
			a = words64(int(contextOf(handle)))
		case eventQueue:
			a = words64(int(commandOf(handle).queue))
		case eventCommand:
			a = word32(commandOf(handle).kind)
		}
		return reply(a, param, room, out, size)
	})
}

//export offlink_piEventGetProfilingInfo
func offlink_piEventGetProfilingInfo(handle uintptr, param uint32, room uintptr, out unsafe.Pointer, size *uintptr) int32 {
	return onEvent(handle, func(e driver.Event) error {
		times, err := e.Times()
		if err != nil {
			return failure(noProfilingInfo, "%v", err)
		}
		var a answer
		switch param {
		case cl.ProfilingQueued:
			a = word64(uint64(times.Queued))
		case cl.ProfilingSubmit:
			a = word64(uint64(times.Submitted))
		case cl.ProfilingStart:
			a = word64(uint64(times.Started))
		case cl.ProfilingEnd, profilingComplete:
			a = word64(uint64(times.Ended))
		}
		return reply(a, param, room, out, size)
	})
}

//export offlink_piEventsWait
func offlink_piEventsWait(count uint32, list *uintptr) int32 {
	return perform(func() error {
		var errs []error
		for _, handle := range wordsAt(list, int(count)) {
			e, err := objectOf[driver.Event](handle)
			if err == nil {
				err = e.Wait(context.Background())
			}
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	})
}

// offlink_piEventSetCallback has the host's function called, on a thread of this library,
// when the event has ended.
//
//export offlink_piEventSetCallback
func offlink_piEventSetCallback(handle uintptr, unused1 int32, callback, user uintptr) int32 {
	return onEvent(handle, func(e driver.Event) error {
		e.OnDone(func(err error) {
			status := int32(0)
			if err != nil {
				status = pluginSpecificError
			}
			dl.Call(callback, handle, uintptr(uint32(status)), user)
		})
		return nil
	})
}

//export offlink_piEventRetain
func offlink_piEventRetain(handle uintptr) int32 { return retainHandle(handle) }

//export offlink_piEventRelease
func offlink_piEventRelease(handle uintptr) int32 { return releaseHandle(handle) }

//export offlink_piextEventGetNativeHandle
func offlink_piextEventGetNativeHandle(handle uintptr, out *uintptr) int32 {
	return nativeHandle(handle, out)
}
