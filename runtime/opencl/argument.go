package opencl

import (
	"errors"
	"fmt"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/kernelargs"
)

// argumentSetter sets the arguments of the cl_kernel, under the kernel's lock.
type argumentSetter kernel

var _ kernelargs.Setter = (*argumentSetter)(nil)

// SetBytes copies a value.
func (k *argumentSetter) SetBytes(i int, value []byte) error {
	return k.device.api.SetArgBytes(k.handle, i, value)
}

// SetLocal asks for local memory.
func (k *argumentSetter) SetLocal(i int, size int64) error {
	return k.device.api.SetArgLocal(k.handle, i, size)
}

// SetAddress sets an address of unified or of shared virtual memory.
func (k *argumentSetter) SetAddress(i int, address uintptr) error {
	f := cl.SetKernelArgMemPointerINTEL
	if k.device.able.memory != unifiedMemory {
		f = cl.SetKernelArgSVMPointer
	}
	return k.device.api.SetArgPointer(f, k.handle, i, address)
}

// SetBuffer sets a buffer. A part of one is a sub-buffer, which is kept as long as
// the argument.
func (k *argumentSetter) SetBuffer(i int, buffer uintptr, offset, size int64) error {
	var part cl.Handle
	if offset > 0 {
		var err error
		if part, err = k.device.api.NewSubBuffer(cl.Handle(buffer), offset, size); err != nil {
			return fmt.Errorf("byte %d of a buffer, where the device wants multiples of %d: %w", offset, k.device.info.MemoryAlignment, err)
		}
		buffer = uintptr(part)
	}
	if err := k.device.api.SetArgHandle(k.handle, i, cl.Handle(buffer)); err != nil {
		if part != 0 {
			err = errors.Join(err, k.releasePart(uintptr(part)))
		}
		return err
	}
	return k.parts.Replace(i, uintptr(part), k.releasePart)
}

func (k *argumentSetter) releasePart(part uintptr) error {
	return k.device.api.Release(cl.ReleaseMemObject, cl.Handle(part))
}

// SetNull sets no buffer.
func (k *argumentSetter) SetNull(i int) error { return k.device.api.SetArgHandle(k.handle, i, 0) }

// Locate describes a memory or a variable of the device.
func (k *argumentSetter) Locate(m driver.Memory) (kernelargs.Location, error) {
	if v, ok := m.(*addressedVariable); ok && v.program.device == k.device {
		return kernelargs.Location{Address: v.address}, nil
	}
	own, err := k.device.ownMemory(m)
	if err != nil {
		return kernelargs.Location{}, err
	}
	return kernelargs.Location{Address: own.address, Buffer: uintptr(own.buffer)}, nil
}

// HasAddresses reports whether the device's memory has addresses.
func (k *argumentSetter) HasAddresses() bool { return k.device.able.memory != buffers }

// Freed counts the memories that were freed.
func (k *argumentSetter) Freed() uint64 { return k.device.freed.Load() }
