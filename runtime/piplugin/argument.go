package piplugin

import (
	"errors"
	"fmt"

	"offlink/runtime/driver"
	"offlink/runtime/internal/kernelargs"
	"offlink/runtime/internal/pi"
)

// argumentSetter sets the arguments of the pi_kernel, under the kernel's lock.
type argumentSetter kernel

var _ kernelargs.Setter = (*argumentSetter)(nil)

// SetBytes copies a value.
func (k *argumentSetter) SetBytes(i int, value []byte) error {
	return k.device.plugin.SetArgBytes(k.handle, i, value)
}

// SetLocal asks for local memory.
func (k *argumentSetter) SetLocal(i int, size int64) error {
	return k.device.plugin.SetArgLocal(k.handle, i, size)
}

// SetAddress sets an address of unified shared memory.
func (k *argumentSetter) SetAddress(i int, address uintptr) error {
	return k.device.plugin.SetArgAddress(k.handle, i, address)
}

// SetBuffer sets a buffer. A part of one is a sub-buffer, which is kept as long as
// the argument.
func (k *argumentSetter) SetBuffer(i int, buffer uintptr, offset, size int64) error {
	part, err := k.newPart(pi.Handle(buffer), offset, size)
	if err != nil {
		return err
	}
	if part != 0 {
		buffer = uintptr(part)
	}
	if err := k.device.plugin.SetArgBuffer(k.handle, i, pi.Handle(buffer)); err != nil {
		if part != 0 {
			err = errors.Join(err, k.releasePart(uintptr(part)))
		}
		return err
	}
	return k.parts.Replace(i, uintptr(part), k.releasePart)
}

// newPart makes the sub-buffer from an offset on, 0 for the whole buffer. Plugins
// do not check the cases that drivers refuse.
func (k *argumentSetter) newPart(buffer pi.Handle, offset, size int64) (pi.Handle, error) {
	align := int64(k.device.info.MemoryAlignment)
	switch {
	case offset == 0:
		return 0, nil
	case size == 0:
		return 0, fmt.Errorf("no bytes of a buffer: %w", driver.ErrUnsupported)
	case align > 0 && offset%align != 0:
		return 0, fmt.Errorf("a part of a buffer at offset %d; the device takes multiples of %d: %w", offset, align, driver.ErrUnsupported)
	}
	return k.device.plugin.NewSubBuffer(buffer, offset, size)
}

func (k *argumentSetter) releasePart(part uintptr) error {
	return k.device.plugin.Release(pi.MemRelease, pi.Handle(part))
}

// SetNull sets the null pointer.
func (k *argumentSetter) SetNull(i int) error {
	return k.device.plugin.SetArgBytes(k.handle, i, make([]byte, 8))
}

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
func (k *argumentSetter) HasAddresses() bool { return k.device.able.usm }

// Freed counts the memories that were freed.
func (k *argumentSetter) Freed() uint64 { return k.device.freed.Load() }
