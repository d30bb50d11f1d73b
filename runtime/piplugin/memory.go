package piplugin

import (
	"errors"
	"fmt"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/dl"
	"offlink/runtime/internal/pi"
)

// memory is an allocation: at an address, or a buffer.
type memory struct {
	device  *Device
	kind    driver.MemoryKind
	size    int64
	address uintptr   // of unified shared memory; 0 for a buffer
	buffer  pi.Handle // on a device without unified shared memory
	foreign bool      // imported: its owner frees the native memory
}

// addressed is a memory with an address, so that it implements driver.Addresser.
type addressed struct{ memory }

// visible is a memory that the host reads and writes.
type visible struct{ addressed }

func (m *memory) Size() int64             { return m.size }
func (m *memory) Kind() driver.MemoryKind { return m.kind }
func (m *memory) base() *memory           { return m }

// Address is the address on the device; that of host and shared memory is the
// host's too.
func (m *addressed) Address() uint64 { return uint64(m.address) }

// Handle is the address.
func (m *addressed) Handle() uint64 { return uint64(m.address) }

// Bytes is the memory itself.
func (m *visible) Bytes() []byte { return dl.Bytes(m.address, int(m.size)) }

// place is any memory of this back end but a variable.
type place interface {
	driver.Memory
	base() *memory
}

// ownMemory returns the argument as a memory of this device.
func (d *Device) ownMemory(m driver.Memory) (*memory, error) {
	own, ok := m.(place)
	if !ok || own.base().device != d {
		return nil, errors.New("the memory is not of this device")
	}
	return own.base(), nil
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
	d.streams.CollectFrees()
	m, err := d.allocate(kind, size)
	if err != nil {
		return nil, err
	}
	if err := d.zero(m); err != nil {
		return nil, errors.Join(err, m.free())
	}
	return d.present(m), nil
}

// present returns a memory with the type whose methods it supports, and lists it for
// Pointer.
func (d *Device) present(m *memory) driver.Memory {
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

const (
	// minAllocation is allocated for memories of no bytes, which drivers refuse.
	minAllocation = 1
	// defaultAlignment is that of the device's largest type.
	defaultAlignment = 0
)

var allocators = map[driver.MemoryKind]pi.Function{
	driver.DeviceMemory: pi.ExtUSMDeviceAlloc, driver.HostMemory: pi.ExtUSMHostAlloc, driver.SharedMemory: pi.ExtUSMSharedAlloc,
}

func (d *Device) allocate(kind driver.MemoryKind, size int64) (*memory, error) {
	context, err := d.open()
	if err != nil {
		return nil, err
	}
	m := &memory{device: d, kind: kind, size: size}
	bytes := max(size, minAllocation)
	if d.able.usm {
		m.address, err = d.plugin.AllocUSM(allocators[kind], context, d.handle, bytes, defaultAlignment)
	} else {
		m.buffer, err = d.plugin.NewBuffer(context, bytes)
	}
	if err != nil {
		return nil, fmt.Errorf("%d bytes of %v memory: %w", size, kind, err)
	}
	if m.address == 0 && m.buffer == 0 {
		return nil, fmt.Errorf("%d bytes of %v memory: the plugin returned none", size, kind)
	}
	return m, nil
}

// zero fills a new memory with zeros.
func (d *Device) zero(m *memory) error {
	if m.size == 0 {
		return nil
	}
	queue, err := d.ownQueue()
	if err != nil {
		return err
	}
	event := new(pi.Handle)
	if err := d.fill(pi.Order{Queue: queue, Event: event}, m, 0, m.size, 0); err != nil {
		return err
	}
	err = d.plugin.Finish(queue)
	status, failed := d.plugin.EventStatus(*event) // Finish does not report a failure on the device
	if failed == nil && status < 0 {
		failed = commandError(status)
	}
	return errors.Join(err, failed, d.plugin.Release(pi.EventRelease, *event))
}

// fill enqueues a fill with one byte.
func (d *Device) fill(o pi.Order, m *memory, offset, size int64, value byte) error {
	if m.buffer != 0 {
		return d.plugin.FillBuffer(o, m.buffer, value, offset, size)
	}
	return d.plugin.FillAddress(o, m.address+uintptr(offset), value, size)
}

// Close releases the memory once the commands submitted before have ended. Imported
// memory is not freed.
func (m *memory) Close() error {
	m.device.freed.Add(1)
	if m.foreign {
		return nil
	}
	if m.address != 0 {
		m.device.memories.Remove(uint64(m.address))
	}
	return m.device.streams.FreeLater(m.free)
}

func (m *memory) free() error {
	d := m.device
	if m.buffer != 0 {
		return d.plugin.Release(pi.MemRelease, m.buffer)
	}
	context, err := d.open()
	if err != nil {
		return err
	}
	return d.plugin.FreeUSM(context, m.address)
}

// ImportMemory makes a memory of an address of unified shared memory of this
// device's context.
func (d *Device) ImportMemory(handle uint64, size int64) (driver.Memory, error) {
	if handle == 0 || size < 0 {
		return nil, fmt.Errorf("%d bytes at %#x are not memory", size, handle)
	}
	if !d.able.usm {
		return nil, fmt.Errorf("memory of others on a device without addresses: %w", driver.ErrUnsupported)
	}
	m := &memory{device: d, kind: driver.DeviceMemory, size: size, address: uintptr(handle), foreign: true}
	if p, ok := d.Pointer(handle); ok {
		m.kind = p.Memory.Kind()
		if err := driver.CheckRange(p.Memory, p.Offset, size); err != nil {
			return nil, err
		}
		return d.present(m), nil
	}
	return d.importAddress(m)
}

// importAddress asks the plugin about an address.
func (d *Device) importAddress(m *memory) (driver.Memory, error) {
	context, err := d.open()
	if err != nil {
		return nil, err
	}
	const enum, word = 4, 8 // bytes of the answers
	kind, err1 := d.plugin.AllocInfo(context, m.address, cl.MemAllocType, enum)
	base, err2 := d.plugin.AllocInfo(context, m.address, cl.MemAllocBase, word)
	size, err3 := d.plugin.AllocInfo(context, m.address, cl.MemAllocSize, word)
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
		return nil, fmt.Errorf("%#x is not an address of unified shared memory of this context", m.address)
	}
	if offset := uint64(m.address) - base; offset > size || uint64(m.size) > size-offset {
		return nil, fmt.Errorf("%d bytes at %#x are beyond the end of an allocation of %d bytes", m.size, m.address, size)
	}
	return d.present(m), nil
}

// Pointer describes the allocation that holds an address.
func (d *Device) Pointer(address uint64) (driver.Pointer, bool) { return d.memories.Find(address) }
