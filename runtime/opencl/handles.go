package opencl

import (
	"errors"
	"fmt"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
)

// ImportMemory makes a memory of an address of unified or virtual memory, or of a cl_mem.
// The driver is asked about addresses of unified memory that this back end has not
// allocated; virtual memory has no such query. The caller keeps the native memory alive
// and frees it; Close of the result releases nothing.
func (d *Device) ImportMemory(handle uint64, size int64) (driver.Memory, error) {
	if handle == 0 || size < 0 {
		return nil, fmt.Errorf("%d bytes at handle %#x are not memory", size, handle)
	}
	m := &memory{device: d, kind: driver.DeviceMemory, size: size, foreign: true}
	if d.able.memory == buffers {
		return d.importBuffer(m, cl.Handle(handle))
	}
	m.address = uintptr(handle)
	if p, ok := d.Pointer(handle); ok {
		m.kind = p.Memory.Kind()
		if err := driver.CheckRange(p.Memory, p.Offset, size); err != nil {
			return nil, err
		}
		return d.presentMemory(m), nil
	}
	if d.able.memory != unifiedMemory {
		return nil, fmt.Errorf("%#x is not an address of memory that was allocated here, as buffers of %s are; a cl_mem cannot be one", handle, d.info.Name)
	}
	return d.importAddress(m)
}

func (d *Device) importBuffer(m *memory, buffer cl.Handle) (driver.Memory, error) {
	there, err := d.api.Number(cl.GetMemObjectInfo, cl.MemSize, buffer)
	if err != nil {
		return nil, err
	}
	if m.size > int64(there) {
		return nil, fmt.Errorf("%d bytes are more than the %d of the cl_mem", m.size, there)
	}
	context, err := d.openContext()
	if err != nil {
		return nil, err
	}
	// The specification leaves open when a driver detects a cl_mem of another context.
	if own, err := d.api.Number(cl.GetMemObjectInfo, cl.MemContext, buffer); err != nil || cl.Handle(own) != context {
		return nil, errors.Join(errors.New("the cl_mem is of another context"), err)
	}
	m.buffer = buffer
	return d.presentMemory(m), nil
}

// importAddress asks the driver about an address. clGetMemAllocInfoINTEL answers for every
// address, with the type "unknown" for foreign ones.
func (d *Device) importAddress(m *memory) (driver.Memory, error) {
	context, err := d.openContext()
	if err != nil {
		return nil, err
	}
	kind, err1 := d.api.AllocInfo(context, m.address, cl.MemAllocType)
	base, err2 := d.api.AllocInfo(context, m.address, cl.MemAllocBase)
	size, err3 := d.api.AllocInfo(context, m.address, cl.MemAllocSize)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	switch kind {
	case cl.TypeHostUSM:
		m.kind = driver.HostMemory
	case cl.TypeSharedUSM:
		m.kind = driver.SharedMemory
	case cl.TypeDeviceUSM:
	default:
		return nil, fmt.Errorf("%#x is not an address of unified shared memory of this context, as buffers of this device are; a cl_mem cannot be one", m.address)
	}
	if offset := uint64(m.address) - base; offset > size || uint64(m.size) > size-offset {
		return nil, fmt.Errorf("%d bytes at %#x are beyond the end of an allocation of %d bytes", m.size, m.address, size)
	}
	return d.presentMemory(m), nil
}

// ImportQueue makes a Queue of a cl_command_queue of this device's context. The native queue
// is retained, so that Close here and clReleaseCommandQueue of the caller may come in either
// order.
func (d *Device) ImportQueue(handle uint64) (driver.Queue, error) {
	context, err := d.openContext()
	if err != nil {
		return nil, err
	}
	native := cl.Handle(handle)
	if native == 0 {
		return nil, errors.New("the cl_command_queue is NULL")
	}
	own, err := d.api.Number(cl.GetCommandQueueInfo, cl.QueueContext, native)
	if err != nil {
		return nil, err
	}
	if cl.Handle(own) != context {
		return nil, errors.New("the cl_command_queue is of another context")
	}
	properties, err := d.api.Number(cl.GetCommandQueueInfo, cl.QueueProperties, native)
	if err != nil {
		return nil, err
	}
	if err := d.api.Retain(cl.RetainCommandQueue, native); err != nil {
		return nil, err
	}
	opts := driver.QueueOptions{OutOfOrder: properties&cl.QueueOutOfOrder != 0, Profiling: properties&cl.QueueProfiling != 0}
	q := d.newQueue(native, opts)
	q.others.Store(true)
	return q, nil
}
