package main

/*
#cgo CFLAGS: -I${SRCDIR}/../libofflink -I${SRCDIR}/../../include
#include "mailbox.h"
*/
import "C"

import (
	"fmt"
	"math"
	"time"
	"unsafe"

	"offlink/runtime"
	"offlink/runtime/driver"
)

// dispatchCommand calls the methods for memory by address, queues and events.
func dispatchCommand(s *session, c *C.struct_offlink_call) (err error) {
	object := uint64(c.object)
	switch c.function {
	case C.OFFLINK_CORE_MEMORY_ALLOC:
		return allocateCall(s, c)
	case C.OFFLINK_CORE_MEMORY_FREE:
		return s.freeMemory(object, addressOf(c.data))
	case C.OFFLINK_CORE_QUEUE_CREATE:
		handle, err := s.createQueue(object, driver.QueueOptions{
			OutOfOrder: c.flags&C.OFFLINK_QUEUE_OUT_OF_ORDER != 0, Profiling: c.flags&C.OFFLINK_QUEUE_PROFILING != 0,
		})
		c.created, c.direct_queue = C.offlink_handle(handle), s.shareQueue(handle)
		return err
	case C.OFFLINK_CORE_QUEUE_FINISH:
		if c.has_timeout != 0 {
			return s.finishFor(object, timeoutOf(c))
		}
		start := time.Now()
		err := s.finishQueue(object, c.here == 0)
		if err != errElsewhere {
			c.quick = cBool(s.finishesQuickly(object, time.Since(start)))
		}
		return err
	case C.OFFLINK_CORE_QUEUE_ABORT:
		return s.abortQueue(object)
	case C.OFFLINK_CORE_EVENT_WAIT:
		return s.waitEvent(object, c.here == 0, timeoutOf(c))
	case C.OFFLINK_CORE_EVENT_TIMES:
		return eventTimes(s, c)
	case C.OFFLINK_CORE_GLOBAL_READ, C.OFFLINK_CORE_GLOBAL_WRITE:
		return useGlobal(s, c)
	}
	return dispatchMore(s, c)
}

// timeoutOf is how long a call may wait; negative: for ever.
func timeoutOf(c *C.struct_offlink_call) time.Duration {
	if c.has_timeout == 0 {
		return -1
	}
	// A limit beyond 292 years must not become negative, which is for ever.
	return time.Duration(min(uint64(c.timeout), math.MaxInt64))
}

// enqueueCall calls the method of one command.
func enqueueCall(s *session, c *C.struct_offlink_call) (uint64, error) {
	object, sync := uint64(c.object), syncOf(c)
	if uint64(c.size) > math.MaxInt64/2 {
		return 0, invalidArgument("%d bytes are more than there can be", uint64(c.size))
	}
	switch c.function {
	case C.OFFLINK_CORE_ENQUEUE_LAUNCH:
		// Launches are frequent, so that the memory of their lists is reused.
		request := launches.Get().(*launchRequest)
		defer launches.Put(request)
		if err := fillRequest(request, c); err != nil {
			return 0, err
		}
		handle, quick, err := s.enqueueLaunch(object, sync, uint64(c.kernel), request)
		// The next launch of the kernel runs on the caller's thread if this one
		// was short.
		c.short_command = cBool(quick)
		if err == nil {
			s.allowDirect(request.kernel, c)
		}
		return handle, err
	case C.OFFLINK_CORE_ENQUEUE_COPY:
		size := c.size
		host := func(address uint64) ([]byte, error) { return hostBytes(uintptr(address), size) }
		return s.copyBytes(object, sync, addressOf(c.data), addressOf(unsafe.Pointer(c.base)), host, int64(size))
	case C.OFFLINK_CORE_ENQUEUE_FILL:
		pattern, err := hostBytes(uintptr(unsafe.Pointer(c.base)), c.pattern_size)
		if err != nil {
			return 0, err
		}
		return s.fillMemory(object, sync, addressOf(c.data), pattern, int64(c.size))
	case C.OFFLINK_CORE_ENQUEUE_BARRIER:
		return s.queueBarrier(object, sync)
	case C.OFFLINK_CORE_ENQUEUE_HOST:
		return enqueueHost(s, c, sync)
	}
	return 0, fmt.Errorf("internal error of offlink: function %d", int(c.function))
}

func addressOf(p unsafe.Pointer) uint64 { return uint64(uintptr(p)) }

// userData is the pointer that a function of the program gets, as an integer: programs pass
// small numbers there, and Go ends a process in which it finds one in a variable that is a
// pointer.
func userData(c *C.struct_offlink_call) C.uintptr_t { return C.uintptr_t(uintptr(c.data)) }

func syncOf(c *C.struct_offlink_call) commandSync {
	sync := commandSync{event: c.event != 0, block: c.block != 0, here: c.here != 0, short: c.short_command != 0}
	for _, handle := range unsafe.Slice(c.after, int(c.after_count)) {
		sync.after = append(sync.after, uint64(handle))
	}
	return sync
}

func allocateCall(s *session, c *C.struct_offlink_call) error {
	if uint64(c.size) > math.MaxInt64/2 {
		return invalidArgument("%d bytes are more than there can be", uint64(c.size))
	}
	address, err := s.allocateMemory(uint64(c.object), driver.MemoryKind(c.flags), int64(c.size))
	c.address = unsafe.Add(unsafe.Pointer(nil), address)
	return err
}

func eventTimes(s *session, c *C.struct_offlink_call) error {
	times, err := s.eventTimes(uint64(c.object))
	storeTimes(c, times)
	return err
}

func storeTimes(c *C.struct_offlink_call, times [4]uint64) {
	for i, t := range times {
		c.times[i] = C.uint64_t(t)
	}
}

func useGlobal(s *session, c *C.struct_offlink_call) error {
	data, err := hostBytes(uintptr(c.data), c.size)
	if err != nil {
		return err
	}
	return s.useGlobal(uint64(c.object), addressOf(unsafe.Pointer(c.base)), C.GoString(c.text), int64(c.offset), data, c.function == C.OFFLINK_CORE_GLOBAL_WRITE)
}

// constantsOf copies the values of specialization constants.
func constantsOf(c *C.struct_offlink_call) (runtime.SpecConstants, error) {
	var spec runtime.SpecConstants
	for _, constant := range unsafe.Slice(c.constants, int(c.constant_count)) {
		value, err := hostBytes(uintptr(constant.value), constant.size)
		switch {
		case err != nil:
			return nil, err
		case constant.name == nil || value == nil:
			return nil, invalidArgument("a specialization constant without a name or a value")
		}
		if spec == nil {
			spec = make(runtime.SpecConstants)
		}
		spec[C.GoString(constant.name)] = append([]byte(nil), value...)
	}
	return spec, nil
}
