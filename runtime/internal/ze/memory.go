package ze

import (
	"structs"
	"unsafe"
)

// allocDesc are ze_device_mem_alloc_desc_t, and ze_host_mem_alloc_desc_t, which
// has no ordinal.
type allocDesc struct {
	_ structs.HostLayout
	header
	flags, ordinal uint32
}

func newAllocDesc(stype uint32) *allocDesc { return &allocDesc{header: header{stype: stype}} }

// AllocDevice allocates memory of a device.
func (l *Library) AllocDevice(context, device Handle, size, align int64) (address uint64, err error) {
	desc := newAllocDesc(typeDeviceAllocDesc)
	err = l.callFunction(fnMemAllocDevice, uintptr(context), uintptr(unsafe.Pointer(desc)), uintptr(size), uintptr(align), uintptr(device), uintptr(unsafe.Pointer(&address)))
	return address, checkMade(fnMemAllocDevice, address, err)
}

// AllocHost allocates memory of the host that devices reach.
func (l *Library) AllocHost(context Handle, size, align int64) (address uint64, err error) {
	desc := newAllocDesc(typeHostAllocDesc)
	err = l.callFunction(fnMemAllocHost, uintptr(context), uintptr(unsafe.Pointer(desc)), uintptr(size), uintptr(align), uintptr(unsafe.Pointer(&address)))
	return address, checkMade(fnMemAllocHost, address, err)
}

// AllocShared allocates memory that moves between host and device.
func (l *Library) AllocShared(context, device Handle, size, align int64) (address uint64, err error) {
	onDevice, onHost := newAllocDesc(typeDeviceAllocDesc), newAllocDesc(typeHostAllocDesc)
	err = l.callFunction(fnMemAllocShared, uintptr(context), uintptr(unsafe.Pointer(onDevice)), uintptr(unsafe.Pointer(onHost)), uintptr(size), uintptr(align),
		uintptr(device), uintptr(unsafe.Pointer(&address)))
	return address, checkMade(fnMemAllocShared, address, err)
}

// Free frees memory of any kind.
func (l *Library) Free(context Handle, address uint64) error {
	return l.callFunction(fnMemFree, uintptr(context), uintptr(address))
}

// Range returns the allocation that an address is in.
func (l *Library) Range(context Handle, address uint64) (start uint64, size int64, err error) {
	err = l.callFunction(fnMemGetAddressRange, uintptr(context), uintptr(address), uintptr(unsafe.Pointer(&start)), uintptr(unsafe.Pointer(&size)))
	return start, size, err
}
