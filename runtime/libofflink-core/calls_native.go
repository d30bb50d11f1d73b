package main

/*
#cgo CFLAGS: -I${SRCDIR}/../libofflink -I${SRCDIR}/../../include
#include "mailbox.h"
*/
import "C"

import (
	"math"
	"unsafe"
)

// dispatchMore calls the methods for queries, native handles, device code from
// files and the host's side of events.
func dispatchMore(s *session, c *C.struct_offlink_call) error {
	switch c.function {
	case C.OFFLINK_CORE_DEVICE_LIST:
		return deviceList(s, c)
	case C.OFFLINK_CORE_DEVICE_QUERY:
		return queryDevice(s, c)
	case C.OFFLINK_CORE_KERNEL_QUERY:
		return queryKernel(s, c)
	case C.OFFLINK_CORE_FUNCTION_POINTER:
		return functionPointer(s, c)
	case C.OFFLINK_CORE_NATIVE_HANDLE:
		handle, err := s.nativeHandle(uint64(c.object))
		c.number = C.uint64_t(handle)
		return err
	case C.OFFLINK_CORE_BUFFER_IMPORT:
		return importBuffer(s, c)
	case C.OFFLINK_CORE_QUEUE_IMPORT:
		handle, err := s.importQueue(uint64(c.object), uint64(c.number))
		c.created, c.direct_queue = C.offlink_handle(handle), s.shareQueue(handle)
		return err
	case C.OFFLINK_CORE_LAUNCH_FAILED:
		return s.directFailure(uint64(c.object), uint64(c.number), int(int32(c.flags)))
	case C.OFFLINK_CORE_CODE_OPEN:
		handle, module, err := s.openCode(C.GoString(c.text))
		c.created, c.address = C.offlink_handle(handle), unsafe.Add(unsafe.Pointer(nil), module)
		return err
	}
	return dispatchEvents(s, c)
}

func importBuffer(s *session, c *C.struct_offlink_call) error {
	if uint64(c.size) > math.MaxInt64/2 {
		return invalidArgument("%d bytes are more than there can be", uint64(c.size))
	}
	handle, bytes, err := s.importBuffer(uint64(c.object), uint64(c.number), int64(c.size))
	c.created, c.address = C.offlink_handle(handle), unsafe.Pointer(unsafe.SliceData(bytes))
	c.memory = s.directMemory(handle)
	return err
}

// dispatchEvents calls the methods for events that the host sees or ends.
func dispatchEvents(s *session, c *C.struct_offlink_call) error {
	object := uint64(c.object)
	switch c.function {
	case C.OFFLINK_CORE_EVENT_CREATE:
		handle, err := s.createEvent(object)
		c.created = C.offlink_handle(handle)
		return err
	case C.OFFLINK_CORE_EVENT_COMPLETE:
		return s.completeEvent(object, status(c.flags))
	case C.OFFLINK_CORE_EVENT_STATUS:
		state, err := s.eventStatus(object)
		c.number = C.uint64_t(state)
		return err
	case C.OFFLINK_CORE_EVENT_ON_DONE:
		return callWhenDone(s, c)
	case C.OFFLINK_CORE_ADD_GLOBAL:
		s.runtime.DeviceGlobals().AddHost(addressOf(unsafe.Pointer(c.base)), C.GoString(c.text))
		return nil
	case C.OFFLINK_CORE_DROP_GLOBAL:
		s.runtime.DeviceGlobals().RemoveHost(addressOf(unsafe.Pointer(c.base)))
		return nil
	}
	handle, err := enqueueCall(s, c)
	c.created = C.offlink_handle(handle)
	return err
}

func callWhenDone(s *session, c *C.struct_offlink_call) error {
	if C.offlink_prepare_callbacks() == 0 {
		return errMemory
	}
	function, user := c.on_done, userData(c)
	return s.whenDone(uint64(c.object), func(err error) {
		var text *C.char
		if err != nil {
			text = C.CString(err.Error())
		}
		C.offlink_post_on_done(function, user, C.int(statusOf(err)), text)
	})
}

// enqueueHost queues a function of the program.
func enqueueHost(s *session, c *C.struct_offlink_call, sync commandSync) (uint64, error) {
	if C.offlink_prepare_callbacks() == 0 {
		return 0, errMemory
	}
	function, user := c.host, userData(c)
	return s.enqueueHost(uint64(c.object), sync, func(ends uint64) {
		C.offlink_post_host(function, user, C.offlink_handle(ends))
	})
}
