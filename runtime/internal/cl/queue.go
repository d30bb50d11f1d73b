package cl

import (
	"unsafe"

	"offlink/runtime/driver"
)

// Order has the events that a command waits for, and the place for its own.
type Order struct {
	Wait  []Handle
	Event *Handle // nil: no event
	Block bool    // only reads, writes and copies by address can
}

// checkEvent is the error of the command: err, or that it has no event.
func (o *Order) checkEvent(f Function, err error) error {
	if err != nil || o.Event == nil {
		return err
	}
	return driver.CheckMade(f.String(), *o.Event, nil)
}

func (o *Order) blockingFlag() uintptr {
	if o.Block {
		return 1
	}
	return 0
}

// EnqueueKernel launches a kernel. The slices have the dimensions of global;
// local and offset may be nil.
func (a *API) EnqueueKernel(queue, kernel Handle, global, local, offset []int, o *Order) error {
	return o.checkEvent(EnqueueNDRangeKernel, a.callFunction(EnqueueNDRangeKernel, uintptr(queue), uintptr(kernel), uintptr(len(global)),
		uintptr(pointer(offset)), uintptr(pointer(global)), uintptr(pointer(local)),
		uintptr(len(o.Wait)), uintptr(pointer(o.Wait)), uintptr(unsafe.Pointer(o.Event))))
}

// ReadBuffer copies a buffer to host memory, which must stay in place until
// the command has ended.
func (a *API) ReadBuffer(queue, buffer Handle, offset int64, data []byte, o *Order) error {
	return o.checkEvent(EnqueueReadBuffer, a.callFunction(EnqueueReadBuffer, uintptr(queue), uintptr(buffer), o.blockingFlag(), uintptr(offset), uintptr(len(data)), uintptr(pointer(data)),
		uintptr(len(o.Wait)), uintptr(pointer(o.Wait)), uintptr(unsafe.Pointer(o.Event))))
}

// WriteBuffer copies host memory to a buffer; as ReadBuffer.
func (a *API) WriteBuffer(queue, buffer Handle, offset int64, data []byte, o *Order) error {
	return o.checkEvent(EnqueueWriteBuffer, a.callFunction(EnqueueWriteBuffer, uintptr(queue), uintptr(buffer), o.blockingFlag(), uintptr(offset), uintptr(len(data)), uintptr(pointer(data)),
		uintptr(len(o.Wait)), uintptr(pointer(o.Wait)), uintptr(unsafe.Pointer(o.Event))))
}

// CopyBuffer copies between buffers.
func (a *API) CopyBuffer(queue, from, to Handle, fromOffset, toOffset, size int64, o *Order) error {
	return o.checkEvent(EnqueueCopyBuffer, a.callFunction(EnqueueCopyBuffer, uintptr(queue), uintptr(from), uintptr(to), uintptr(fromOffset), uintptr(toOffset), uintptr(size),
		uintptr(len(o.Wait)), uintptr(pointer(o.Wait)), uintptr(unsafe.Pointer(o.Event))))
}

// FillBuffer repeats a pattern in a buffer; the offset is a multiple of its
// length.
func (a *API) FillBuffer(queue, buffer Handle, pattern []byte, offset, size int64, o *Order) error {
	return o.checkEvent(EnqueueFillBuffer, a.callFunction(EnqueueFillBuffer, uintptr(queue), uintptr(buffer), uintptr(pointer(pattern)), uintptr(len(pattern)), uintptr(offset), uintptr(size),
		uintptr(len(o.Wait)), uintptr(pointer(o.Wait)), uintptr(unsafe.Pointer(o.Event))))
}

// CopyAddress copies between two addresses by EnqueueMemcpyINTEL or
// EnqueueSVMMemcpy.
func (a *API) CopyAddress(f Function, queue Handle, to, from uintptr, size int64, o *Order) error {
	return o.checkEvent(f, a.callFunction(f, uintptr(queue), o.blockingFlag(), to, from, uintptr(size),
		uintptr(len(o.Wait)), uintptr(pointer(o.Wait)), uintptr(unsafe.Pointer(o.Event))))
}

// ReadAddress copies to host memory of Go; as ReadBuffer.
func (a *API) ReadAddress(f Function, queue Handle, data []byte, from uintptr, o *Order) error {
	return o.checkEvent(f, a.callFunction(f, uintptr(queue), o.blockingFlag(), uintptr(pointer(data)), from, uintptr(len(data)),
		uintptr(len(o.Wait)), uintptr(pointer(o.Wait)), uintptr(unsafe.Pointer(o.Event))))
}

// WriteAddress copies host memory of Go; as WriteBuffer.
func (a *API) WriteAddress(f Function, queue Handle, to uintptr, data []byte, o *Order) error {
	return o.checkEvent(f, a.callFunction(f, uintptr(queue), o.blockingFlag(), to, uintptr(pointer(data)), uintptr(len(data)),
		uintptr(len(o.Wait)), uintptr(pointer(o.Wait)), uintptr(unsafe.Pointer(o.Event))))
}

// FillAddress repeats a pattern by EnqueueMemFillINTEL or EnqueueSVMMemFill;
// the address is a multiple of the pattern's length.
func (a *API) FillAddress(f Function, queue Handle, to uintptr, pattern []byte, size int64, o *Order) error {
	return o.checkEvent(f, a.callFunction(f, uintptr(queue), to, uintptr(pointer(pattern)), uintptr(len(pattern)), uintptr(size),
		uintptr(len(o.Wait)), uintptr(pointer(o.Wait)), uintptr(unsafe.Pointer(o.Event))))
}

// ReadVariable and WriteVariable transfer a program-scope variable by its
// linkage name, a C string.
func (a *API) ReadVariable(queue, program Handle, name *byte, offset int64, data []byte, o *Order) error {
	return o.checkEvent(EnqueueReadGlobalVariableINTEL, a.callFunction(EnqueueReadGlobalVariableINTEL, uintptr(queue), uintptr(program), uintptr(unsafe.Pointer(name)), o.blockingFlag(),
		uintptr(len(data)), uintptr(offset), uintptr(pointer(data)),
		uintptr(len(o.Wait)), uintptr(pointer(o.Wait)), uintptr(unsafe.Pointer(o.Event))))
}

// WriteVariable is ReadVariable the other way.
func (a *API) WriteVariable(queue, program Handle, name *byte, offset int64, data []byte, o *Order) error {
	return o.checkEvent(EnqueueWriteGlobalVariableINTEL, a.callFunction(EnqueueWriteGlobalVariableINTEL, uintptr(queue), uintptr(program), uintptr(unsafe.Pointer(name)), o.blockingFlag(),
		uintptr(len(data)), uintptr(offset), uintptr(pointer(data)),
		uintptr(len(o.Wait)), uintptr(pointer(o.Wait)), uintptr(unsafe.Pointer(o.Event))))
}

// Marker ends when the commands before it, or those in the wait list, have
// ended; with f EnqueueBarrierWithWaitList, later commands wait for it.
func (a *API) Marker(f Function, queue Handle, o *Order) error {
	return o.checkEvent(f, a.callFunction(f, uintptr(queue), uintptr(len(o.Wait)), uintptr(pointer(o.Wait)), uintptr(unsafe.Pointer(o.Event))))
}

// Flush has the device start the commands.
func (a *API) Flush(queue Handle) error { return a.callFunction(Flush, uintptr(queue)) }

// Finish waits for all commands of the queue.
func (a *API) Finish(queue Handle) error { return a.callFunction(Finish, uintptr(queue)) }
