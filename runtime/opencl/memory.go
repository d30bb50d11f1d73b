package opencl

import (
	"errors"
	"fmt"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/dl"
)

// memory is an allocation: at an address, or a buffer.
type memory struct {
	device  *Device
	kind    driver.MemoryKind
	size    int64
	address uintptr   // of unified and virtual memory
	buffer  cl.Handle // on a device that has neither
	foreign bool      // imported: its owner frees the native memory
}

// addressed is a memory with an address, so that it implements driver.Addresser.
type addressed struct{ memory }

// visible is a memory that the host reads and writes.
type visible struct{ addressed }

func (m *memory) Size() int64             { return m.size }
func (m *memory) Kind() driver.MemoryKind { return m.kind }
func (m *memory) baseMemory() *memory     { return m }

// Handle is the address, or the cl_mem.
func (m *memory) Handle() uint64 { return uint64(m.address) | uint64(m.buffer) }

// Address is the address on the device; that of host and shared memory is the
// host's too.
func (m *addressed) Address() uint64 { return uint64(m.address) }

// Bytes is the memory itself.
func (m *visible) Bytes() []byte { return dl.Bytes(m.address, int(m.size)) }

// place is any memory of this back end but a variable.
type place interface {
	driver.Memory
	baseMemory() *memory
}

// ownMemory returns the argument as a memory of this device.
func (d *Device) ownMemory(m driver.Memory) (*memory, error) {
	own, ok := m.(place)
	if !ok || own.baseMemory().device != d {
		return nil, errors.New("the memory is not of this device")
	}
	return own.baseMemory(), nil
}

// Alloc returns zeroed memory.
func (d *Device) Alloc(kind driver.MemoryKind, size int64) (driver.Memory, error) {
	if kind < driver.DeviceMemory || kind > driver.SharedMemory {
		return nil, fmt.Errorf("%v memory: %w", kind, driver.ErrUnsupported)
	}
	if kind != driver.DeviceMemory && !d.able.hostMemory {
		return nil, fmt.Errorf("%v memory on %s: %w", kind, d.info.Name, driver.ErrUnsupported)
	}
	if size < 0 || size > d.info.MaxAllocation && d.info.MaxAllocation > 0 {
		return nil, fmt.Errorf("%d bytes cannot be allocated; %s takes up to %d", size, d.info.Name, d.info.MaxAllocation)
	}
	d.frees.CollectEnded()
	m, err := d.allocateMemory(kind, size)
	if err != nil {
		return nil, err
	}
	if err := d.zeroMemory(m); err != nil {
		return nil, errors.Join(err, m.freeLater())
	}
	return d.presentMemory(m), nil
}

// presentMemory returns a memory with the type whose methods it supports, and lists it for
// Pointer.
func (d *Device) presentMemory(m *memory) driver.Memory {
	var shown place = m
	switch {
	case m.address != 0 && m.kind != driver.DeviceMemory:
		shown = &visible{addressed{*m}}
	case m.address != 0:
		shown = &addressed{*m}
	}
	if m.address != 0 && !m.foreign {
		d.memories.Insert(uint64(m.address), shown)
	}
	return shown
}

// minAllocation is allocated for memories of no bytes, which OpenCL refuses.
const minAllocation = 1

func (d *Device) allocateMemory(kind driver.MemoryKind, size int64) (*memory, error) {
	context, err := d.openContext()
	if err != nil {
		return nil, err
	}
	m := &memory{device: d, kind: kind, size: size}
	bytes := max(size, minAllocation)
	switch d.able.memory {
	case unifiedMemory:
		f := map[driver.MemoryKind]cl.Function{
			driver.DeviceMemory: cl.DeviceMemAllocINTEL, driver.HostMemory: cl.HostMemAllocINTEL, driver.SharedMemory: cl.SharedMemAllocINTEL,
		}[kind]
		m.address, err = d.api.AllocUSM(f, context, d.handle, bytes)
	case virtualMemory:
		flags := uint64(cl.MemReadWrite)
		if d.able.fineSVM {
			flags |= cl.MemSVMFine
		}
		m.address, err = d.api.AllocSVM(context, flags, bytes)
	default:
		m.buffer, err = d.api.NewBuffer(context, bytes)
	}
	if err != nil {
		return nil, fmt.Errorf("%d bytes of %v memory: %w", size, kind, err)
	}
	return m, nil
}

// zeroMemory fills a new memory with zeros.
func (d *Device) zeroMemory(m *memory) error {
	if m.size == 0 {
		return nil
	}
	queue, err := d.ownQueue()
	if err != nil {
		return err
	}
	defer d.frees.CollectEnded()
	return queue.submitCommand(cl.EnqueueMemFillINTEL, driver.Sync{Block: true}, nil, func(handle cl.Handle, o *cl.Order) error {
		return d.fillMemory(handle, m, 0, m.size, []byte{0}, o)
	})
}

// fillMemory enqueues a fill at an offset that is a multiple of the pattern.
func (d *Device) fillMemory(queue cl.Handle, m *memory, offset, size int64, pattern []byte, o *cl.Order) error {
	switch {
	case m.buffer != 0:
		return d.api.FillBuffer(queue, m.buffer, pattern, offset, size, o)
	case d.able.memory == unifiedMemory:
		return d.api.FillAddress(cl.EnqueueMemFillINTEL, queue, m.address+uintptr(offset), pattern, size, o)
	}
	return d.api.FillAddress(cl.EnqueueSVMMemFill, queue, m.address+uintptr(offset), pattern, size, o)
}

// copyFunction copies between addresses.
func (d *Device) copyFunction() cl.Function {
	if d.able.memory == unifiedMemory {
		return cl.EnqueueMemcpyINTEL
	}
	return cl.EnqueueSVMMemcpy
}

// Close releases the memory once the commands submitted before have ended. Imported memory
// is not freed.
func (m *memory) Close() error {
	m.device.freed.Add(1)
	if m.foreign {
		return nil
	}
	if m.address != 0 {
		m.device.memories.Remove(uint64(m.address))
	}
	return m.freeLater()
}

func (m *memory) freeMemory() error {
	d := m.device
	context, err := d.openContext()
	switch {
	case err != nil:
		return err
	case m.buffer != 0:
		return d.api.Release(cl.ReleaseMemObject, m.buffer)
	case d.able.memory == unifiedMemory:
		return d.api.FreeUSM(cl.MemFreeINTEL, context, m.address)
	}
	d.api.FreeSVM(context, m.address)
	return nil
}

// Pointer describes the allocation that holds an address.
func (d *Device) Pointer(address uint64) (driver.Pointer, bool) { return d.memories.Find(address) }
