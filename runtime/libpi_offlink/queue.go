package main

import "C" // for the exports

import (
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
)

// deviceQueue is a pi_queue, and has the device whose commands it takes.
type deviceQueue struct {
	driver.Queue
	device     uintptr
	properties uint64
	list       []uint64 // the properties of OpenCL that it was made with, with the 0 at their end
}

// Close closes the queue, and ends its use of the device.
func (q *deviceQueue) Close() error {
	err := q.Queue.Close()
	releaseDevice(q.device)
	return err
}

func newQueue(contextHandle, on uintptr, flags uint64, out *uintptr) int32 {
	return onDevice(on, func(d *pluginDevice) error {
		options := driver.QueueOptions{OutOfOrder: flags&cl.QueueOutOfOrder != 0, Profiling: flags&cl.QueueProfiling != 0}
		q, err := device().NewPartQueue(options, d.units)
		if err != nil {
			return err
		}
		retainDevice(on)
		*out = newHandle(&deviceQueue{q, on, flags, nil}, contextHandle)
		return nil
	})
}

//export offlink_piQueueCreate
func offlink_piQueueCreate(contextHandle, on uintptr, flags uint64, out *uintptr) int32 {
	return newQueue(contextHandle, on, flags, out)
}

const (
	invalidWaitList  = -57
	queueFlags       = ^uint64(0) // PI_QUEUE_FLAGS, the key of a property
	mostProperties   = 64
	queueContextInfo = 0x1090
	queueDeviceInfo  = 0x1091
	queueReferences  = 0x1092
)

//export offlink_piextQueueCreate
func offlink_piextQueueCreate(contextHandle, on uintptr, properties *uint64, out *uintptr) int32 {
	var flags uint64
	list := wordsAt(properties, mostProperties)
	for i := 0; i+1 < len(list) && list[i] != 0; i += 2 {
		if list[i] == queueFlags {
			flags = list[i+1]
		}
	}
	return newQueue(contextHandle, on, flags, out)
}

//export offlink_piQueueGetInfo
func offlink_piQueueGetInfo(handle uintptr, param uint32, room uintptr, out unsafe.Pointer, size *uintptr) int32 {
	return perform(func() error {
		q, err := objectOf[*deviceQueue](handle)
		if err != nil {
			return err
		}
		var a answer
		switch param {
		case queueContextInfo:
			a = words64(int(contextOf(handle)))
		case queueDeviceInfo:
			a = words64(int(q.device))
		case queueReferences:
			a = word32(uint32(usesOf(handle)))
		case cl.QueueProperties:
			a = word64(q.properties)
		case queueProperties:
			a = propertyList(q.list)
		case queueSize: // of queues on the device
			return failure(invalidQueue, "the queue has no size")
		}
		return reply(a, param, room, out, size)
	})
}

// onQueue calls f with a queue.
func onQueue(handle uintptr, f func(q driver.Queue) error) int32 {
	return perform(func() error {
		q, err := objectOf[driver.Queue](handle)
		if err != nil {
			return err
		}
		return f(q)
	})
}

//export offlink_piQueueFinish
func offlink_piQueueFinish(handle uintptr) int32 { return onQueue(handle, driver.Queue.Finish) }

//export offlink_piQueueFlush
func offlink_piQueueFlush(handle uintptr) int32 { return onQueue(handle, driver.Queue.Flush) }

//export offlink_piQueueRetain
func offlink_piQueueRetain(handle uintptr) int32 { return retainHandle(handle) }

// offlink_piQueueRelease lets the queue end its work before it closes it, as the interface
// requires.
//
//export offlink_piQueueRelease
func offlink_piQueueRelease(handle uintptr) int32 {
	return releaseQueue(handle, func(end func() error) error { return end() })
}

// offlink_clReleaseQueue does not wait for the work, as OpenCL requires: it may wait for an
// event that the host sets later.
//
//export offlink_clReleaseQueue
func offlink_clReleaseQueue(handle uintptr) int32 {
	return releaseQueue(handle, func(end func() error) error {
		go perform(end)
		return nil
	})
}

// releaseQueue ends a use of a queue, and has run end it after the last one.
func releaseQueue(handle uintptr, run func(end func() error) error) int32 {
	return perform(func() error {
		q, err := objectOf[*deviceQueue](handle)
		if err != nil {
			return err
		}
		entry, err := endUse(handle)
		if entry == nil {
			return err
		}
		return run(func() error {
			if err := q.Finish(); err != nil { // not an error of the release
				told.tellFailure(err)
			}
			err := q.Close()
			entry.finish()
			return err
		})
	})
}

//export offlink_piextQueueGetNativeHandle
func offlink_piextQueueGetNativeHandle(handle uintptr, out *uintptr, unused1 *int32) int32 {
	return nativeHandle(handle, out)
}

// order has the events that a command of the host waits for, and the place for its own.
type order struct {
	count uint32
	list  *uintptr
	event *uintptr
	block bool
}

// enqueue has a command queued, and stores its event where the host wants one; or has a command
// buffer record it, which a host names in the place of a queue.
func enqueue(queue uintptr, o order, command func(q driver.Queue, s driver.Sync) error) int32 {
	return perform(func() error {
		q, err := objectOf[driver.Queue](queue)
		if err != nil {
			if b, wrong := objectOf[*commandBuffer](queue); wrong == nil {
				return b.record(o, command)
			}
			return err
		}
		s := driver.Sync{Block: o.block}
		for _, handle := range wordsAt(o.list, int(o.count)) {
			e, err := objectOf[driver.Event](handle)
			if err != nil {
				return failure(invalidWaitList, "%v", err)
			}
			s.After = appendEvent(s.After, e)
		}
		var done driver.Event
		if o.event != nil {
			s.Done = &done
		}
		err = command(q, s)
		if done != nil {
			*o.event = newHandle(done, contextOf(queue))
		}
		return err
	})
}

// appendEvent adds an event, or those of the commands that it stands for.
func appendEvent(list []driver.Event, e driver.Event) []driver.Event {
	if all, ok := e.(*replayedEvent); ok {
		return append(list, all.events...)
	}
	return append(list, e)
}

//export offlink_piEnqueueEventsWait
func offlink_piEnqueueEventsWait(queue uintptr, count uint32, list, event *uintptr) int32 {
	return enqueue(queue, order{count, list, event, false}, driver.Queue.Barrier)
}

//export offlink_piEnqueueEventsWaitWithBarrier
func offlink_piEnqueueEventsWaitWithBarrier(queue uintptr, count uint32, list, event *uintptr) int32 {
	return enqueue(queue, order{count, list, event, false}, driver.Queue.Barrier)
}
