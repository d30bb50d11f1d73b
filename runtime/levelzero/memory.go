package levelzero

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"offlink/runtime/driver"
	"offlink/runtime/internal/ze"
)

// memory is an allocation, memory of another owner, or a variable of a
// program.
type memory struct {
	device  *Device
	kind    driver.MemoryKind
	address uint64
	size    int64
	owned   bool // Close frees it
}

// hostMemory is memory that the host reaches too.
type hostMemory struct{ memory }

// Bytes is the memory itself, until Close.
func (m *hostMemory) Bytes() []byte { return ze.HostBytes(m.address, m.size) }

func (m *memory) Size() int64             { return m.size }
func (m *memory) Kind() driver.MemoryKind { return m.kind }
func (m *memory) Address() uint64         { return m.address }

// Handle is the address.
func (m *memory) Handle() uint64 { return m.address }

// Close frees an allocation.
func (m *memory) Close() error {
	if !m.owned {
		return nil
	}
	m.device.memory.remove(m.address)
	return m.device.library.Free(m.device.context, m.address)
}

// allocationAlign is the alignment of the largest type of OpenCL C.
const allocationAlign = 128

// Alloc allocates zeroed memory.
func (d *Device) Alloc(kind driver.MemoryKind, size int64) (driver.Memory, error) {
	if kind < driver.DeviceMemory || kind > driver.SharedMemory {
		return nil, fmt.Errorf("%v memory: %w", kind, driver.ErrUnsupported)
	}
	if size < 1 || size > d.info.MaxAllocation {
		return nil, fmt.Errorf("cannot allocate %d bytes: the device allocates up to %d at once", size, d.info.MaxAllocation)
	}
	m := memory{device: d, kind: kind, size: size, owned: true}
	var err error
	switch kind {
	case driver.DeviceMemory:
		m.address, err = d.library.AllocDevice(d.context, d.handle, size, allocationAlign)
	case driver.HostMemory:
		m.address, err = d.library.AllocHost(d.context, size, allocationAlign)
	case driver.SharedMemory:
		m.address, err = d.library.AllocShared(d.context, d.handle, size, allocationAlign)
	}
	if err != nil {
		return nil, err
	}
	if err := d.clearMemory(&m); err != nil {
		return nil, errors.Join(err, d.library.Free(d.context, m.address))
	}
	return d.memory.insert(m), nil
}

// clearMemory fills new memory with zeros, and waits for that.
func (d *Device) clearMemory(m *memory) error {
	if m.kind == driver.HostMemory {
		clear(ze.HostBytes(m.address, m.size))
		return nil
	}
	q, err := newQueue(d, driver.QueueOptions{})
	if err != nil {
		return err
	}
	return errors.Join(q.Fill(m, 0, m.size, []byte{0}, driver.Sync{Block: true}), q.Close())
}

// ImportMemory makes a memory of an address of this device's context.
func (d *Device) ImportMemory(handle uint64, size int64) (driver.Memory, error) {
	if handle == 0 || size < 1 {
		return nil, fmt.Errorf("%d bytes at %#x are no memory", size, handle)
	}
	kind := driver.DeviceMemory
	rest := int64(0)
	if p, ok := d.Pointer(handle); ok {
		kind, rest = p.Memory.Kind(), p.Memory.Size()-p.Offset
	} else {
		start, whole, err := d.library.Range(d.context, handle)
		if err != nil {
			return nil, fmt.Errorf("%#x is not an address of the device: %w", handle, err)
		}
		rest = whole - int64(handle-start)
	}
	if size > rest {
		return nil, fmt.Errorf("%d bytes at %#x: the allocation ends after %d", size, handle, rest)
	}
	return withHostAccess(memory{device: d, kind: kind, address: handle, size: size}), nil
}

func withHostAccess(m memory) driver.Memory {
	if m.kind == driver.DeviceMemory {
		return &m
	}
	return &hostMemory{m}
}

// Pointer describes the allocation that holds an address.
func (d *Device) Pointer(address uint64) (p driver.Pointer, ok bool) { return d.memory.find(address) }

// allocations are those that were not freed, in the order of their addresses.
type allocations struct {
	mu   sync.RWMutex
	list []allocation
}

type allocation struct {
	start  uint64
	memory driver.Memory
}

func (a *allocations) search(address uint64) (int, bool) {
	return slices.BinarySearchFunc(a.list, address, func(x allocation, address uint64) int {
		switch {
		case x.start < address:
			return -1
		case x.start > address:
			return 1
		}
		return 0
	})
}

func (a *allocations) insert(m memory) driver.Memory {
	a.mu.Lock()
	defer a.mu.Unlock()
	made := withHostAccess(m)
	i, _ := a.search(m.address)
	a.list = slices.Insert(a.list, i, allocation{m.address, made})
	return made
}

func (a *allocations) remove(address uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if i, ok := a.search(address); ok {
		a.list = slices.Delete(a.list, i, i+1)
	}
}

func (a *allocations) find(address uint64) (p driver.Pointer, ok bool) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	i, exact := a.search(address)
	if !exact {
		i--
	}
	if i < 0 || address-a.list[i].start >= uint64(a.list[i].memory.Size()) {
		return driver.Pointer{}, false
	}
	return driver.Pointer{Memory: a.list[i].memory, Offset: int64(address - a.list[i].start)}, true
}

// ownMemory returns the argument as a memory of this device.
func (d *Device) ownMemory(m driver.Memory) (*memory, error) {
	var own *memory
	switch m := m.(type) {
	case *memory:
		own = m
	case *hostMemory:
		own = &m.memory
	}
	if own == nil || own.device != d {
		return nil, errors.New("the memory is not of this device")
	}
	return own, nil
}

// rangeAddress checks a transfer and returns the address of its first byte.
func (d *Device) rangeAddress(m driver.Memory, offset, size int64) (uint64, error) {
	own, err := d.ownMemory(m)
	if err != nil {
		return 0, err
	}
	if offset < 0 || size < 0 || offset > own.size || size > own.size-offset {
		return 0, fmt.Errorf("%d bytes at offset %d are beyond the end of a memory of %d bytes", size, offset, own.size)
	}
	return own.address + uint64(offset), nil
}
