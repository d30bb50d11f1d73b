package main

import "C" // for the exports

import (
	"slices"
	"sync"
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
)

// commandBuffer is a cl_command_buffer_khr (cl_khr_command_buffer 0.9.8): commands that are
// recorded once and queued together as often as the host likes. SYCL's graphs are made of them.
type commandBuffer struct {
	queue      uintptr
	device     uintptr
	ordered    bool     // the queue is in order
	mutable    bool     // launches may be changed later
	properties []uint64 // with the 0 at their end

	mu        sync.Mutex
	recorder  recorder
	points    []*recordedEvent // sync points, from number 1 on
	finalized bool
	uses      []uintptr // objects of the commands
}

// Codes, properties and queries of command buffers.
const (
	invalidCommandBuffer = -1138
	invalidSyncPoints    = -1139
	incompatibleQueue    = -1140
	invalidProperty      = -64

	commandBufferFlags        = 0x1293
	commandBufferAsserts      = 0x12B7
	commandBufferSimultaneous = 1 << 0
	commandBufferMutable      = 1 << 1

	commandBufferQueues     = 0x1294
	commandBufferNumQueues  = 0x1295
	commandBufferReferences = 0x1296
	commandBufferState      = 0x1297
	commandBufferProperties = 0x1298
	commandBufferContext    = 0x1299

	// CL_COMMAND_BUFFER_CAPABILITY_..._KHR: printf in kernels, several uses at once, queues
	// out of order (a bit of versions up to 0.9.5).
	commandBufferCapabilities = 1<<0 | 1<<2 | 1<<3
)

// Close ends the use of the queue and of the commands' objects.
func (b *commandBuffer) Close() error {
	for _, handle := range b.uses {
		releaseHandle(handle)
	}
	offlink_clReleaseQueue(b.queue) // whose commands end all the same
	return nil
}

//export offlink_clCreateCommandBuffer
func offlink_clCreateCommandBuffer(count uint32, queue uintptr, properties *uint64, out *uintptr) int32 {
	return perform(func() error {
		if count != 1 {
			return failure(invalidValue, "a command buffer for %d queues; it has one", count)
		}
		q, err := objectOf[*deviceQueue](queue)
		if err != nil {
			return err
		}
		b := &commandBuffer{queue: queue, device: q.device, ordered: q.properties&cl.QueueOutOfOrder == 0}
		if properties != nil {
			b.properties = pairs(properties)
		}
		flags, err := flagsOfBuffer(b.properties)
		if err != nil {
			return err
		}
		b.mutable = flags&commandBufferMutable != 0
		retainHandle(queue)
		*out = newHandle(b, contextOf(queue))
		return nil
	})
}

func flagsOfBuffer(properties []uint64) (flags uint64, err error) {
	for pair := range slices.Chunk(properties, 2) {
		switch {
		case len(pair) < 2: // the end
		case pair[0] != commandBufferFlags && pair[0] != commandBufferAsserts:
			return 0, failure(invalidValue, "a command buffer with the property %#x", pair[0])
		case pair[0] == commandBufferAsserts: // promises of the host
		case pair[1]&^(commandBufferSimultaneous|commandBufferMutable) != 0:
			return 0, failure(invalidProperty, "a command buffer with the flags %#x", pair[1])
		default:
			flags = pair[1]
		}
	}
	return flags, nil
}

// onCommandBuffer calls f with a command buffer under its lock.
func onCommandBuffer(handle uintptr, f func(b *commandBuffer) error) int32 {
	return perform(func() error {
		b, err := objectOf[*commandBuffer](handle)
		if err != nil {
			return failure(invalidCommandBuffer, "%v", err)
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		return f(b)
	})
}

// record adds a command. The events of the order are numbers of sync points.
func (b *commandBuffer) record(o order, command func(q driver.Queue, s driver.Sync) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.finalized {
		return failure(invalidOperation, "the command buffer is finalized")
	}
	var done driver.Event
	s := driver.Sync{Done: &done}
	for _, number := range wordsAt(o.list, int(o.count)) {
		if number < 1 || number > uintptr(len(b.points)) {
			return failure(invalidSyncPoints, "%d is not a sync point of the command buffer", number)
		}
		s.After = append(s.After, b.points[number-1])
	}
	before := len(b.recorder.steps)
	if err := command(&b.recorder, s); err != nil {
		b.recorder.steps = b.recorder.steps[:before]
		return err
	}
	b.points = append(b.points, done.(*recordedEvent))
	if o.event != nil {
		*o.event = uintptr(len(b.points))
	}
	return nil
}

// offlink_clRecordUse keeps an object of a command in use as long as the command buffer.
//
//export offlink_clRecordUse
func offlink_clRecordUse(handle, used uintptr) {
	onCommandBuffer(handle, func(b *commandBuffer) error {
		if retainHandle(used) == success {
			b.uses = append(b.uses, used)
		}
		return nil
	})
}

//export offlink_clRetainCommandBuffer
func offlink_clRetainCommandBuffer(handle uintptr) int32 {
	code := onCommandBuffer(handle, func(*commandBuffer) error { return nil })
	if code == success {
		code = retainHandle(handle)
	}
	return code
}

//export offlink_clReleaseCommandBuffer
func offlink_clReleaseCommandBuffer(handle uintptr) int32 {
	code := onCommandBuffer(handle, func(*commandBuffer) error { return nil })
	if code == success {
		code = releaseHandle(handle)
	}
	return code
}

//export offlink_clFinalizeCommandBuffer
func offlink_clFinalizeCommandBuffer(handle uintptr) int32 {
	return onCommandBuffer(handle, func(b *commandBuffer) error {
		if b.finalized {
			return failure(invalidOperation, "the command buffer is finalized already")
		}
		b.finalized = true
		return nil
	})
}

// offlink_clEnqueueCommandBuffer queues the commands, on the queue that they were recorded for
// unless the host names another one of the context. Commands that were recorded for a queue in
// order keep their order on one that has none: hosts record for a queue of their own making.
//
//export offlink_clEnqueueCommandBuffer
func offlink_clEnqueueCommandBuffer(queue, handle uintptr, count uint32, list, event *uintptr) int32 {
	b, err := objectOf[*commandBuffer](handle)
	if err != nil {
		return perform(func() error { return failure(invalidCommandBuffer, "%v", err) })
	}
	if queue == 0 {
		queue = b.queue
	}
	return enqueue(queue, order{count, list, event, false}, func(q driver.Queue, s driver.Sync) error {
		b.mu.Lock()
		defer b.mu.Unlock()
		if !b.finalized {
			return failure(invalidOperation, "the command buffer is not finalized")
		}
		if err := b.checkQueue(queue, q); err != nil {
			return err
		}
		return b.recorder.replay(q, s, b.ordered)
	})
}

// checkQueue returns an error unless the queue is of the same context and device.
func (b *commandBuffer) checkQueue(handle uintptr, q driver.Queue) error {
	own, ok := q.(*deviceQueue)
	if !ok || own.device != b.device || contextOf(handle) != contextOf(b.queue) {
		return failure(incompatibleQueue, "the queue is of another context or device than the command buffer")
	}
	return nil
}

//export offlink_clGetCommandBufferInfo
func offlink_clGetCommandBufferInfo(handle uintptr, param uint32, room uintptr, out unsafe.Pointer, size *uintptr) int32 {
	return onCommandBuffer(handle, func(b *commandBuffer) error {
		var a answer
		switch param {
		case commandBufferQueues:
			a = words64(int(b.queue))
		case commandBufferNumQueues:
			a = word32(1)
		case commandBufferReferences:
			a = word32(uint32(usesOf(handle)))
		case commandBufferState:
			a = word32(0) // recording
			if b.finalized {
				a = word32(1) // executable
			}
		case commandBufferProperties:
			a = propertyList(b.properties)
		case commandBufferContext:
			a = words64(int(contextOf(handle)))
		}
		return reply(a, param, room, out, size)
	})
}
