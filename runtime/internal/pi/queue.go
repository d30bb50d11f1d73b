package pi

import (
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
)

// Order is the place of a command: its queue, the events that it waits for, and where its
// own event is stored, nil for none. Event must point to the heap, where its address
// does not change during the call.
type Order struct {
	Queue Handle
	Wait  []Handle
	Event *Handle
}

// checkEvent is the error of the command: err, or that it has no event.
func (o *Order) checkEvent(f Function, err error) error {
	if err != nil || o.Event == nil {
		return err
	}
	return driver.CheckMade(f.String(), *o.Event, nil)
}

// Launch launches a kernel. The slices have the dimensions of global; local
// and offset may be nil.
func (p *Plugin) Launch(o Order, kernel Handle, global, local, offset []int) error {
	return o.checkEvent(EnqueueKernelLaunch, p.call(EnqueueKernelLaunch, uintptr(o.Queue), uintptr(kernel), uintptr(len(global)),
		uintptr(pointer(offset)), uintptr(pointer(global)), uintptr(pointer(local)), uintptr(len(o.Wait)), uintptr(pointer(o.Wait)), uintptr(unsafe.Pointer(o.Event))))
}

// ReadBuffer copies a buffer to host memory, which must stay in place until
// the command has ended.
func (p *Plugin) ReadBuffer(o Order, buffer Handle, offset int64, data []byte) error {
	return o.checkEvent(EnqueueMemBufferRead, p.call(EnqueueMemBufferRead, uintptr(o.Queue), uintptr(buffer), 0, uintptr(offset), uintptr(len(data)), uintptr(pointer(data)), uintptr(len(o.Wait)), uintptr(pointer(o.Wait)), uintptr(unsafe.Pointer(o.Event))))
}

// WriteBuffer copies host memory to a buffer; as ReadBuffer.
func (p *Plugin) WriteBuffer(o Order, buffer Handle, offset int64, data []byte) error {
	return o.checkEvent(EnqueueMemBufferWrite, p.call(EnqueueMemBufferWrite, uintptr(o.Queue), uintptr(buffer), 0, uintptr(offset), uintptr(len(data)), uintptr(pointer(data)), uintptr(len(o.Wait)), uintptr(pointer(o.Wait)), uintptr(unsafe.Pointer(o.Event))))
}

// CopyBuffer copies between buffers.
func (p *Plugin) CopyBuffer(o Order, from, to Handle, fromOffset, toOffset, size int64) error {
	return o.checkEvent(EnqueueMemBufferCopy, p.call(EnqueueMemBufferCopy, uintptr(o.Queue), uintptr(from), uintptr(to), uintptr(fromOffset), uintptr(toOffset), uintptr(size), uintptr(len(o.Wait)), uintptr(pointer(o.Wait)), uintptr(unsafe.Pointer(o.Event))))
}

// FillBuffer repeats a byte in a buffer.
func (p *Plugin) FillBuffer(o Order, buffer Handle, value byte, offset, size int64) error {
	pattern := []byte{value}
	return o.checkEvent(EnqueueMemBufferFill, p.call(EnqueueMemBufferFill, uintptr(o.Queue), uintptr(buffer), uintptr(pointer(pattern)), 1, uintptr(offset), uintptr(size), uintptr(len(o.Wait)), uintptr(pointer(o.Wait)), uintptr(unsafe.Pointer(o.Event))))
}

// CopyAddress copies between addresses.
func (p *Plugin) CopyAddress(o Order, to, from uintptr, size int64) error {
	return o.checkEvent(ExtUSMEnqueueMemcpy, p.call(ExtUSMEnqueueMemcpy, uintptr(o.Queue), 0, to, from, uintptr(size), uintptr(len(o.Wait)), uintptr(pointer(o.Wait)), uintptr(unsafe.Pointer(o.Event))))
}

// ReadAddress copies to host memory of Go; as ReadBuffer.
func (p *Plugin) ReadAddress(o Order, data []byte, from uintptr) error {
	return o.checkEvent(ExtUSMEnqueueMemcpy, p.call(ExtUSMEnqueueMemcpy, uintptr(o.Queue), 0, uintptr(pointer(data)), from, uintptr(len(data)), uintptr(len(o.Wait)), uintptr(pointer(o.Wait)), uintptr(unsafe.Pointer(o.Event))))
}

// WriteAddress copies host memory of Go; as WriteBuffer.
func (p *Plugin) WriteAddress(o Order, to uintptr, data []byte) error {
	return o.checkEvent(ExtUSMEnqueueMemcpy, p.call(ExtUSMEnqueueMemcpy, uintptr(o.Queue), 0, to, uintptr(pointer(data)), uintptr(len(data)), uintptr(len(o.Wait)), uintptr(pointer(o.Wait)), uintptr(unsafe.Pointer(o.Event))))
}

// FillAddress repeats a byte.
func (p *Plugin) FillAddress(o Order, to uintptr, value byte, size int64) error {
	return o.checkEvent(ExtUSMEnqueueMemset, p.call(ExtUSMEnqueueMemset, uintptr(o.Queue), to, uintptr(value), uintptr(size), uintptr(len(o.Wait)), uintptr(pointer(o.Wait)), uintptr(unsafe.Pointer(o.Event))))
}

// ReadVariable and WriteVariable transfer a program-scope variable by its
// linkage name, a C string.
func (p *Plugin) ReadVariable(o Order, program Handle, name *byte, offset int64, data []byte) error {
	return o.checkEvent(ExtEnqueueDeviceGlobalVariableRead, p.call(ExtEnqueueDeviceGlobalVariableRead, uintptr(o.Queue), uintptr(program), uintptr(unsafe.Pointer(name)), 0,
		uintptr(len(data)), uintptr(offset), uintptr(pointer(data)), uintptr(len(o.Wait)), uintptr(pointer(o.Wait)), uintptr(unsafe.Pointer(o.Event))))
}

// WriteVariable is ReadVariable the other way.
func (p *Plugin) WriteVariable(o Order, program Handle, name *byte, offset int64, data []byte) error {
	return o.checkEvent(ExtEnqueueDeviceGlobalVariableWrite, p.call(ExtEnqueueDeviceGlobalVariableWrite, uintptr(o.Queue), uintptr(program), uintptr(unsafe.Pointer(name)), 0,
		uintptr(len(data)), uintptr(offset), uintptr(pointer(data)), uintptr(len(o.Wait)), uintptr(pointer(o.Wait)), uintptr(unsafe.Pointer(o.Event))))
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

// Flush has the device start the commands. Plugins before 9.11 lack the function: they
// start commands by themselves.
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
