package pi

import (
	"unsafe"

	"offlink/runtime/internal/cl"
)

// Launch launches a kernel. The slices have the dimensions of global; local
// and offset may be nil.
func (p *Plugin) Launch(queue, kernel Handle, global, local, offset []int) error {
	return p.call(EnqueueKernelLaunch, uintptr(queue), uintptr(kernel), uintptr(len(global)),
		uintptr(pointer(offset)), uintptr(pointer(global)), uintptr(pointer(local)), 0, 0, 0)
}

// ReadBuffer copies a buffer to host memory, which must stay in place until
// the command has ended.
func (p *Plugin) ReadBuffer(queue, buffer Handle, offset int64, data []byte) error {
	return p.call(EnqueueMemBufferRead, uintptr(queue), uintptr(buffer), 0, uintptr(offset), uintptr(len(data)), uintptr(pointer(data)), 0, 0, 0)
}

// WriteBuffer copies host memory to a buffer; as ReadBuffer.
func (p *Plugin) WriteBuffer(queue, buffer Handle, offset int64, data []byte) error {
	return p.call(EnqueueMemBufferWrite, uintptr(queue), uintptr(buffer), 0, uintptr(offset), uintptr(len(data)), uintptr(pointer(data)), 0, 0, 0)
}

// CopyBuffer copies between buffers.
func (p *Plugin) CopyBuffer(queue, from, to Handle, fromOffset, toOffset, size int64) error {
	return p.call(EnqueueMemBufferCopy, uintptr(queue), uintptr(from), uintptr(to), uintptr(fromOffset), uintptr(toOffset), uintptr(size), 0, 0, 0)
}

// FillBuffer repeats a byte in a buffer.
func (p *Plugin) FillBuffer(queue, buffer Handle, value byte, offset, size int64) error {
	pattern := []byte{value}
	return p.call(EnqueueMemBufferFill, uintptr(queue), uintptr(buffer), uintptr(pointer(pattern)), 1, uintptr(offset), uintptr(size), 0, 0, 0)
}

// CopyAddress copies between addresses.
func (p *Plugin) CopyAddress(queue Handle, to, from uintptr, size int64) error {
	return p.call(ExtUSMEnqueueMemcpy, uintptr(queue), 0, to, from, uintptr(size), 0, 0, 0)
}

// ReadAddress copies to host memory of Go; as ReadBuffer.
func (p *Plugin) ReadAddress(queue Handle, data []byte, from uintptr) error {
	return p.call(ExtUSMEnqueueMemcpy, uintptr(queue), 0, uintptr(pointer(data)), from, uintptr(len(data)), 0, 0, 0)
}

// WriteAddress copies host memory of Go; as WriteBuffer.
func (p *Plugin) WriteAddress(queue Handle, to uintptr, data []byte) error {
	return p.call(ExtUSMEnqueueMemcpy, uintptr(queue), 0, to, uintptr(pointer(data)), uintptr(len(data)), 0, 0, 0)
}

// FillAddress repeats a byte.
func (p *Plugin) FillAddress(queue Handle, to uintptr, value byte, size int64) error {
	return p.call(ExtUSMEnqueueMemset, uintptr(queue), to, uintptr(value), uintptr(size), 0, 0, 0)
}

// ReadVariable and WriteVariable transfer a program-scope variable by its
// linkage name, a C string.
func (p *Plugin) ReadVariable(queue, program Handle, name *byte, offset int64, data []byte) error {
	return p.call(ExtEnqueueDeviceGlobalVariableRead, uintptr(queue), uintptr(program), uintptr(unsafe.Pointer(name)), 0,
		uintptr(len(data)), uintptr(offset), uintptr(pointer(data)), 0, 0, 0)
}

// WriteVariable is ReadVariable the other way.
func (p *Plugin) WriteVariable(queue, program Handle, name *byte, offset int64, data []byte) error {
	return p.call(ExtEnqueueDeviceGlobalVariableWrite, uintptr(queue), uintptr(program), uintptr(unsafe.Pointer(name)), 0,
		uintptr(len(data)), uintptr(offset), uintptr(pointer(data)), 0, 0, 0)
}

// Mark makes an event that ends when the commands before it have ended.
func (p *Plugin) Mark(queue Handle) (Handle, error) {
	return p.create(EnqueueEventsWait, uintptr(queue), 0, 0)
}

// WaitFor has the later commands of a queue wait for an event.
func (p *Plugin) WaitFor(queue, event Handle) error {
	return p.call(EnqueueEventsWaitWithBarrier, uintptr(queue), 1, uintptr(unsafe.Pointer(&event)), 0)
}

// Finish waits for all commands of the queue.
func (p *Plugin) Finish(queue Handle) error { return p.call(QueueFinish, uintptr(queue)) }

// Flush has the device start. Plugins before 9.11 lack it: they start by
// themselves.
func (p *Plugin) Flush(queue Handle) error {
	if !p.Has(QueueFlush) {
		return nil
	}
	return p.call(QueueFlush, uintptr(queue))
}

// Wait waits for an event.
func (p *Plugin) Wait(event Handle) error {
	return p.call(EventsWait, 1, uintptr(unsafe.Pointer(&event)))
}

// EventStatus is an execution status: 3 queued, 2 submitted, 1 running, 0
// complete, negative for a failure.
func (p *Plugin) EventStatus(event Handle) (int, error) {
	status, size := new(int32), new(uintptr)
	err := p.call(EventGetInfo, uintptr(event), cl.EventCommandStatus, unsafe.Sizeof(*status), uintptr(unsafe.Pointer(status)), uintptr(unsafe.Pointer(size)))
	return int(*status), err
}

// EventEnd is when the event's command ended, in nanoseconds.
func (p *Plugin) EventEnd(event Handle) (uint64, error) {
	time, size := new(uint64), new(uintptr)
	err := p.call(EventGetProfilingInfo, uintptr(event), cl.ProfilingEnd, unsafe.Sizeof(*time), uintptr(unsafe.Pointer(time)), uintptr(unsafe.Pointer(size)))
	return *time, err
}
