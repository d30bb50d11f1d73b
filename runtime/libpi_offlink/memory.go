package main

import "C" // for the exports

import (
	"sync"
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/dl"
)

// usmDevices has the sub-devices that memory was allocated for, by its address. Other memory is
// the whole device's.
var usmDevices sync.Map

// allocateUSM stores the address of new memory. No handle is kept for it: the device finds
// the allocation by the address.
func allocateUSM(out *uintptr, on uintptr, kind driver.MemoryKind, size uintptr) int32 {
	return onDevice(on, func(*pluginDevice) error {
		m, err := device().Alloc(kind, int64(size))
		if err != nil {
			return err
		}
		*out = uintptr(m.(driver.Addresser).Address())
		if on != deviceHandle {
			usmDevices.Store(*out, on)
		}
		return nil
	})
}

//export offlink_piextUSMHostAlloc
func offlink_piextUSMHostAlloc(out *uintptr, unused1 uintptr, unused2 unsafe.Pointer, size uintptr, unused3 uint32) int32 {
	return allocateUSM(out, deviceHandle, driver.HostMemory, size)
}

//export offlink_piextUSMDeviceAlloc
func offlink_piextUSMDeviceAlloc(out *uintptr, unused1, on uintptr, unused3 unsafe.Pointer, size uintptr, unused4 uint32) int32 {
	return allocateUSM(out, on, driver.DeviceMemory, size)
}

//export offlink_piextUSMSharedAlloc
func offlink_piextUSMSharedAlloc(out *uintptr, unused1, on uintptr, unused3 unsafe.Pointer, size uintptr, unused4 uint32) int32 {
	return allocateUSM(out, on, driver.SharedMemory, size)
}

//export offlink_piextUSMFree
func offlink_piextUSMFree(unused1 uintptr, address uintptr) int32 {
	return perform(func() error {
		if address == 0 {
			return nil
		}
		p, ok := device().Pointer(uint64(address))
		if !ok || p.Offset != 0 {
			return failure(invalidValue, "%#x is not the beginning of an allocation", address)
		}
		usmDevices.Delete(address)
		return p.Memory.Close()
	})
}

var usmTypes = map[driver.MemoryKind]uint32{
	driver.HostMemory: cl.TypeHostUSM, driver.DeviceMemory: cl.TypeDeviceUSM, driver.SharedMemory: cl.TypeSharedUSM,
}

const (
	usmUnknown   = 0x4196
	usmOfDevices = 0x419D
)

//export offlink_piextUSMGetMemAllocInfo
func offlink_piextUSMGetMemAllocInfo(unused1 uintptr, address uintptr, param uint32, room uintptr, out unsafe.Pointer, size *uintptr) int32 {
	return perform(func() error { return reply(allocationAnswer(address, param), param, room, out, size) })
}

func allocationAnswer(address uintptr, param uint32) answer {
	p, ok := device().Pointer(uint64(address))
	if !ok {
		if param == cl.MemAllocType {
			return word32(usmUnknown)
		}
		return words64(0)
	}
	switch param {
	case cl.MemAllocType:
		return word32(usmTypes[p.Memory.Kind()])
	case cl.MemAllocBase:
		return words64(int(address) - int(p.Offset))
	case cl.MemAllocSize:
		return words64(int(p.Memory.Size()))
	case usmOfDevices:
		if on, ok := usmDevices.Load(address - uintptr(p.Offset)); ok {
			return words64(int(on.(uintptr)))
		}
		return words64(deviceHandle)
	}
	return nil
}

// buffer is memory of the device, or a part of a buffer, which it keeps in use.
type buffer struct {
	memory driver.Memory
	offset int64
	size   int64
	flags  uint64
	parent uintptr // the handle of the buffer that this is a part of, 0 for none
	// host is the memory that the host gave for the buffer, 0 if none. A map returns
	// it: it has the buffer's contents while the buffer is mapped.
	host uintptr
}

// Close releases the memory.
func (b *buffer) Close() error {
	if b.parent != 0 {
		releaseHandle(b.parent)
		return nil
	}
	return b.memory.Close()
}

func (b *buffer) address() uintptr {
	return uintptr(b.memory.(driver.Addresser).Address()) + uintptr(b.offset)
}

// bytes is the memory itself, which lies in this process.
func (b *buffer) bytes(offset, size uintptr) ([]byte, error) {
	if offset > uintptr(b.size) || size > uintptr(b.size)-offset {
		return nil, failure(invalidValue, "%d bytes at offset %d are beyond the end of a buffer of %d", size, offset, b.size)
	}
	return dl.Bytes(b.address()+offset, int(size)), nil
}

// Flags of piMemBufferCreate.
const (
	useHostMemory  = 1 << 3
	copyHostMemory = 1 << 5
)

//export offlink_piMemBufferCreate
func offlink_piMemBufferCreate(contextHandle uintptr, flags uint64, size, host uintptr, out *uintptr, unused2 unsafe.Pointer) int32 {
	return perform(func() error {
		m, err := device().Alloc(driver.DeviceMemory, int64(size))
		if err != nil {
			return err
		}
		b := &buffer{memory: m, size: int64(size), flags: flags}
		if flags&(useHostMemory|copyHostMemory) != 0 {
			copy(dl.Bytes(b.address(), int(size)), dl.Bytes(host, int(size)))
		}
		if flags&useHostMemory != 0 {
			b.host = host
		}
		*out = newHandle(b, contextHandle)
		return nil
	})
}

const (
	partRegion    = 0x1220 // PI_BUFFER_CREATE_TYPE_REGION
	memoryContext = 0x1106
)

//export offlink_piMemBufferPartition
func offlink_piMemBufferPartition(handle uintptr, flags uint64, kind uint32, region *uintptr, out *uintptr) int32 {
	return perform(func() error {
		b, err := objectOf[*buffer](handle)
		if err != nil {
			return err
		}
		where := wordsAt(region, 2)
		if kind != partRegion || where == nil {
			return failure(invalidValue, "a part of the kind %#x", kind)
		}
		if _, err := b.bytes(where[0], where[1]); err != nil {
			return err
		}
		part := &buffer{memory: b.memory, offset: b.offset + int64(where[0]), size: int64(where[1]), flags: flags, parent: handle}
		if b.host != 0 {
			part.host = b.host + where[0]
		}
		retainHandle(handle)
		*out = newHandle(part, contextOf(handle))
		return nil
	})
}

//export offlink_piMemGetInfo
func offlink_piMemGetInfo(handle uintptr, param uint32, room uintptr, out unsafe.Pointer, size *uintptr) int32 {
	return perform(func() error {
		b, err := objectOf[*buffer](handle)
		if err != nil {
			return err
		}
		var a answer
		switch param {
		case cl.MemSize:
			a = words64(int(b.size))
		case memoryContext:
			a = words64(int(contextOf(handle)))
		default:
			a = b.openCLAnswer(handle, param)
		}
		return reply(a, param, room, out, size)
	})
}

//export offlink_piMemRetain
func offlink_piMemRetain(handle uintptr) int32 { return retainHandle(handle) }

//export offlink_piMemRelease
func offlink_piMemRelease(handle uintptr) int32 { return releaseHandle(handle) }
