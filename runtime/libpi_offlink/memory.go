package main

import "C" // for the exports

import (
	"math/bits"
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
	// shared: the host's memory is an allocation of the device, which the buffer uses itself and
	// does not free.
	shared bool
	mapped
}

// Close releases the memory.
func (b *buffer) Close() error {
	switch {
	case b.parent != 0:
		releaseHandle(b.parent)
	case !b.shared:
		return b.memory.Close()
	}
	return nil
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

// Flags of memory objects.
const (
	kernelAccess    = 1<<0 | 1<<1 | 1<<2 // reads and writes, writes, reads
	useHostMemory   = 1 << 3
	allocHostMemory = 1 << 4
	copyHostMemory  = 1 << 5
	hostAccess      = hostWrites | hostReads | hostNoAccess
	allMemoryFlags  = kernelAccess | useHostMemory | allocHostMemory | copyHostMemory | hostAccess
)

// checkMemoryFlags returns an error for flags that exclude each other. Higher ones are those of
// extensions, which hosts of the plugin interface pass.
func checkMemoryFlags(flags uint64) error {
	if bits.OnesCount64(flags&kernelAccess) > 1 || bits.OnesCount64(flags&hostAccess) > 1 ||
		flags&useHostMemory != 0 && flags&(allocHostMemory|copyHostMemory) != 0 {
		return failure(invalidValue, "the flags %#x of memory exclude each other", flags)
	}
	return nil
}

// inheritedFlags are the flags of a memory object that shares another's memory: where it has
// none of its own, those of the other.
func inheritedFlags(flags, parent uint64) uint64 {
	for _, group := range []uint64{kernelAccess, hostAccess} {
		if flags&group == 0 {
			flags |= parent & group
		}
	}
	return flags | parent&(useHostMemory|allocHostMemory|copyHostMemory)
}

//export offlink_piMemBufferCreate
func offlink_piMemBufferCreate(contextHandle uintptr, flags uint64, size, host uintptr, out *uintptr, unused2 unsafe.Pointer) int32 {
	return perform(func() error {
		if err := checkMemoryFlags(flags); err != nil {
			return err
		}
		if p, ok := device().Pointer(uint64(host)); ok && flags&useHostMemory != 0 && int64(size) <= p.Memory.Size()-p.Offset {
			*out = newHandle(&buffer{memory: p.Memory, offset: p.Offset, size: int64(size), flags: flags, host: host, shared: true}, contextHandle)
			return nil
		}
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

	readsAndWrites    = 1 << 0
	misalignedPart    = -13
	invalidBufferSize = -61
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
		if b.parent != 0 {
			return failure(invalidMemory, "a part of a buffer has no parts")
		}
		if _, err := b.bytes(where[0], where[1]); err != nil {
			return err
		}
		if err := checkPart(flags, b.flags, where); err != nil {
			return err
		}
		part := &buffer{memory: b.memory, offset: b.offset + int64(where[0]), size: int64(where[1]), flags: inheritedFlags(flags, b.flags), parent: handle, shared: b.shared}
		if b.host != 0 {
			part.host = b.host + where[0]
		}
		retainHandle(handle)
		*out = newHandle(part, contextOf(handle))
		return nil
	})
}

// checkPart returns an error for a part that a buffer cannot have.
func checkPart(flags, ofBuffer uint64, where []uintptr) error {
	switch {
	case where[1] == 0:
		return failure(invalidBufferSize, "a part of no bytes")
	case flags&(useHostMemory|allocHostMemory|copyHostMemory) != 0:
		return failure(invalidValue, "a part with flags of the host's memory, which are the buffer's")
	case where[0]%largestType != 0:
		return failure(misalignedPart, "a part at offset %d, which is not a multiple of %d", where[0], largestType)
	}
	for _, access := range []uint64{kernelAccess, hostAccess} {
		own, of := flags&access, ofBuffer&access
		if own != 0 && of != 0 && of != readsAndWrites && own != of && own != hostNoAccess {
			return failure(invalidValue, "a part with the flags %#x of a buffer with %#x", flags, ofBuffer)
		}
	}
	return checkMemoryFlags(flags)
}

// memoryObject is a cl_mem.
type memoryObject interface {
	memoryAnswer(handle uintptr, param uint32) answer
}

//export offlink_piMemGetInfo
func offlink_piMemGetInfo(handle uintptr, param uint32, room uintptr, out unsafe.Pointer, size *uintptr) int32 {
	return perform(func() error {
		m, err := objectOf[memoryObject](handle)
		if err != nil {
			return err
		}
		return reply(m.memoryAnswer(handle, param), param, room, out, size)
	})
}

//export offlink_piMemRetain
func offlink_piMemRetain(handle uintptr) int32 { return retainHandle(handle) }

//export offlink_piMemRelease
func offlink_piMemRelease(handle uintptr) int32 { return releaseHandle(handle) }
