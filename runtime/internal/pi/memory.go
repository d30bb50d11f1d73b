package pi

import (
	"unsafe"

	"offlink/runtime/internal/cl"
)

// NewBuffer allocates a buffer.
func (p *Plugin) NewBuffer(context Handle, size int64) (Handle, error) {
	place := handles.Get().(*Handle)
	defer handles.Put(place)
	*place = 0
	err := p.call(MemBufferCreate, uintptr(context), cl.MemReadWrite, uintptr(size), 0, uintptr(unsafe.Pointer(place)), 0)
	return *place, err
}

// NewSubBuffer makes a buffer of a part of another.
func (p *Plugin) NewSubBuffer(buffer Handle, offset, size int64) (Handle, error) {
	const region = 0x1220
	where := [2]uintptr{uintptr(offset), uintptr(size)}
	return p.create(MemBufferPartition, uintptr(buffer), cl.MemReadWrite, region, uintptr(unsafe.Pointer(&where)))
}

// AllocUSM allocates unified shared memory by one of the functions for its
// kinds; device is not used for host memory.
func (p *Plugin) AllocUSM(f Function, context, device Handle, size int64, alignment uint32) (uintptr, error) {
	var address Handle
	var err error
	if f == ExtUSMHostAlloc {
		address, err = p.createFirst(f, uintptr(context), 0, uintptr(size), uintptr(alignment))
	} else {
		address, err = p.createFirst(f, uintptr(context), uintptr(device), 0, uintptr(size), uintptr(alignment))
	}
	return uintptr(address), err
}

// FreeUSM frees it. No command may use it.
func (p *Plugin) FreeUSM(context Handle, address uintptr) error {
	return p.release(ExtUSMFree, uintptr(context), address)
}

// AllocInfo asks about an address of unified shared memory; size is that of
// the answer in bytes.
func (p *Plugin) AllocInfo(context Handle, address uintptr, param uint32, size int) (uint64, error) {
	value := new(uint64)
	err := p.call(ExtUSMGetMemAllocInfo, uintptr(context), address, uintptr(param), uintptr(size), uintptr(unsafe.Pointer(value)), 0)
	return *value, err
}
