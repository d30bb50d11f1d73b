package libcuda

import (
	"unsafe"
)

// Flags of allocations (cuda.h).
const (
	hostPortable       = 1 // CU_MEMHOSTALLOC_PORTABLE
	hostMapped         = 2 // CU_MEMHOSTALLOC_DEVICEMAP
	managedGlobal      = 1 // CU_MEM_ATTACH_GLOBAL
	hostMemoryType     = 1 // CU_MEMORYTYPE_HOST
	attributeType      = 2 // of pointers: CU_POINTER_ATTRIBUTE_MEMORY_TYPE
	attributeManaged   = 8
	attributeOrdinal   = 9
	attributeRange     = 11
	attributeRangeSize = 12
)

// Alloc allocates memory of the device, Free frees it and managed memory.
func (l *Library) Alloc(size int64) (uint64, error) {
	var address uint64
	err := l.callFunction(fnMemAlloc, uintptr(unsafe.Pointer(&address)), uintptr(size))
	return address, checkMade(fnMemAlloc, address, err)
}

// AllocManaged allocates memory that moves between host and device.
func (l *Library) AllocManaged(size int64) (uint64, error) {
	var address uint64
	err := l.callFunction(fnMemAllocManaged, uintptr(unsafe.Pointer(&address)), uintptr(size), managedGlobal)
	return address, checkMade(fnMemAllocManaged, address, err)
}

// AllocHost allocates memory of the host that the device reaches by the same
// address, FreeHost frees it.
func (l *Library) AllocHost(size int64) (uint64, error) {
	var address uint64
	err := l.callFunction(fnMemHostAlloc, uintptr(unsafe.Pointer(&address)), uintptr(size), hostPortable|hostMapped)
	return address, checkMade(fnMemHostAlloc, address, err)
}

// Free frees memory of the device, and managed memory.
func (l *Library) Free(address uint64) error { return l.callFunction(fnMemFree, uintptr(address)) }

// FreeHost frees memory of the host.
func (l *Library) FreeHost(address uint64) error {
	return l.callFunction(fnMemFreeHost, uintptr(address))
}

// Allocation is memory of the driver.
type Allocation struct {
	Start         uint64
	Size          int64
	Host, Managed bool   // pinned memory of the host; memory that moves
	Device        Device // that made it
}

// Find returns the allocation that an address is in.
func (l *Library) Find(address uint64) (Allocation, error) {
	attributes := [...]uintptr{attributeRange, attributeRangeSize, attributeType, attributeManaged, attributeOrdinal}
	var values [len(attributes)]uint64 // the driver writes 32 or 64 bits
	for i, attribute := range attributes {
		if err := l.callFunction(fnPointerGetAttribute, uintptr(unsafe.Pointer(&values[i])), attribute, uintptr(address)); err != nil {
			return Allocation{}, err
		}
	}
	return Allocation{
		Start: values[0], Size: int64(values[1]), Host: uint32(values[2]) == hostMemoryType, Managed: uint32(values[3]) != 0, Device: Device(values[4]),
	}, nil
}

// Copy copies between two addresses of any kind, in the order of the stream.
func (l *Library) Copy(to, from uint64, size int64, s Stream) error {
	return l.callFunction(fnMemcpyAsync, uintptr(to), uintptr(from), uintptr(size), uintptr(s))
}

// Write copies host memory to an address. The caller keeps data alive until
// the copy has ended.
func (l *Library) Write(to uint64, data []byte, s Stream) error {
	return l.callFunction(fnMemcpyAsync, uintptr(to), uintptr(unsafe.Pointer(unsafe.SliceData(data))), uintptr(len(data)), uintptr(s))
}

// Read copies from an address to host memory, as Write does.
func (l *Library) Read(data []byte, from uint64, s Stream) error {
	return l.callFunction(fnMemcpyAsync, uintptr(unsafe.Pointer(unsafe.SliceData(data))), uintptr(from), uintptr(len(data)), uintptr(s))
}

// Set repeats a value of 1, 2 or 4 bytes at an address that is a multiple of
// that.
func (l *Library) Set(to uint64, value uint32, width int, count int64, s Stream) error {
	function := fnMemsetD8Async
	switch width {
	case 2:
		function = fnMemsetD16Async
	case 4:
		function = fnMemsetD32Async
	}
	return l.callFunction(function, uintptr(to), uintptr(value), uintptr(count), uintptr(s))
}

// SetStrided writes a value of 1 or 4 bytes count times, pitch bytes apart.
func (l *Library) SetStrided(to uint64, pitch int, value uint32, width int, count int64, s Stream) error {
	function := fnMemsetD2D8Async
	if width == 4 {
		function = fnMemsetD2D32Async
	}
	return l.callFunction(function, uintptr(to), uintptr(pitch), uintptr(value), 1, uintptr(count), uintptr(s))
}
