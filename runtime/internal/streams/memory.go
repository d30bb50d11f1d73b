package streams

import (
	"errors"
	"fmt"

	"offlink/runtime/driver"
	"offlink/runtime/internal/dl"
)

// Memory is an allocation, memory of another owner, or a variable of a
// program. Memory of the host is a hostMemory.
type Memory struct {
	device  *Device
	kind    driver.MemoryKind
	address uint64
	size    int64
	owned   bool // Close frees it
}

// hostMemory is memory that the host reaches too.
type hostMemory struct{ Memory }

// Bytes is the memory itself, until Close.
func (m *hostMemory) Bytes() []byte { return dl.Bytes(uintptr(m.address), int(m.size)) }

// Size implements driver.Memory, as do Kind and Close.
func (m *Memory) Size() int64 { return m.size }

// Kind is where the memory lies.
func (m *Memory) Kind() driver.MemoryKind { return m.kind }

// Address is the address on the device; that of host and shared memory is the
// host's too.
func (m *Memory) Address() uint64 { return m.address }

// Handle is the address: a CUdeviceptr, a pointer of Level Zero.
func (m *Memory) Handle() uint64 { return m.address }

// Close frees an allocation once the commands submitted before have ended.
func (m *Memory) Close() error {
	if !m.owned {
		return nil
	}
	m.device.allocations.Remove(m.address)
	return m.device.FreeLater(func() error { return m.device.memory.FreeMemory(m.kind, m.address) })
}

// NewVariable returns the memory of a program's variable, which lives as long
// as its program.
func (d *Device) NewVariable(address uint64, size int64) *Memory {
	return &Memory{device: d, kind: driver.DeviceMemory, address: address, size: size}
}

// minAllocation is allocated for memories of no bytes, which drivers refuse.
const minAllocation = 1

// Alloc allocates zeroed memory.
func (d *Device) Alloc(kind driver.MemoryKind, size int64) (driver.Memory, error) {
	if kind < driver.DeviceMemory || kind > driver.SharedMemory {
		return nil, fmt.Errorf("%v memory: %w", kind, driver.ErrUnsupported)
	}
	if most := d.memory.MaxAllocation(); size < 0 || size > most {
		return nil, fmt.Errorf("cannot allocate %d bytes: the device allocates up to %d at once", size, most)
	}
	d.CollectFrees()
	m := Memory{device: d, kind: kind, size: size, owned: true}
	bytes := max(size, minAllocation)
	err := d.Native.Within(func() (err error) {
		if m.address, err = d.memory.AllocateMemory(kind, bytes); err != nil {
			return err
		}
		if kind == driver.HostMemory {
			clear((&hostMemory{m}).Bytes())
		} else if err = d.memory.ClearMemory(m.address, bytes); err != nil {
			err = errors.Join(err, d.memory.FreeMemory(kind, m.address))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	made := withHostAccess(m)
	d.allocations.Insert(m.address, made)
	return made, nil
}

// ImportMemory makes a memory of an address of this device's context.
func (d *Device) ImportMemory(handle uint64, size int64) (driver.Memory, error) {
	if handle == 0 || size < 1 {
		return nil, fmt.Errorf("%d bytes at %#x are not memory", size, handle)
	}
	kind := driver.DeviceMemory
	rest := int64(0)
	if p, ok := d.Pointer(handle); ok {
		kind, rest = p.Memory.Kind(), p.Memory.Size()-p.Offset
	} else if err := d.Native.Within(func() error {
		a, err := d.memory.FindAllocation(handle)
		kind, rest = a.Kind, a.Size-int64(handle-a.Start)
		return err
	}); err != nil {
		return nil, fmt.Errorf("%#x is not an address of the device: %w", handle, err)
	}
	if size > rest {
		return nil, fmt.Errorf("%d bytes at %#x: the allocation ends after %d", size, handle, rest)
	}
	return withHostAccess(Memory{device: d, kind: kind, address: handle, size: size}), nil
}

func withHostAccess(m Memory) driver.Memory {
	if m.kind == driver.DeviceMemory {
		return &m
	}
	return &hostMemory{m}
}

// Pointer describes the allocation that holds an address.
func (d *Device) Pointer(address uint64) (p driver.Pointer, ok bool) {
	return d.allocations.Find(address)
}

// RangeAddress checks that size bytes at the offset lie in a memory of this
// device, and returns the address of the first.
func (d *Device) RangeAddress(m driver.Memory, offset, size int64) (uint64, error) {
	var own *Memory
	switch m := m.(type) {
	case *Memory:
		own = m
	case *hostMemory:
		own = &m.Memory
	}
	if own == nil || own.device != d {
		return 0, errors.New("the memory is not of this device")
	}
	if err := driver.CheckRange(own, offset, size); err != nil {
		return 0, err
	}
	return own.address + uint64(offset), nil
}
