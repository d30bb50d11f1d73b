package cl

import "unsafe"

// NewBuffer allocates a buffer.
func (a *API) NewBuffer(context Handle, size int64) (Handle, error) {
	const readWrite = 1
	return a.createObject(CreateBuffer, uintptr(context), readWrite, uintptr(size), 0)
}

// NewSubBuffer makes a buffer of a part of another.
func (a *API) NewSubBuffer(buffer Handle, offset, size int64) (Handle, error) {
	const region = 0x1220
	where := [2]uintptr{uintptr(offset), uintptr(size)}
	return a.createObject(CreateSubBuffer, uintptr(buffer), 0, region, uintptr(unsafe.Pointer(&where)))
}

// AllocUSM allocates unified shared memory by one of the functions of
// cl_intel_unified_shared_memory; device is 0 for host memory.
func (a *API) AllocUSM(f Function, context, device Handle, size int64) (uintptr, error) {
	var h Handle
	var err error
	if f == HostMemAllocINTEL {
		h, err = a.createObject(f, uintptr(context), 0, uintptr(size), 0)
	} else {
		h, err = a.createObject(f, uintptr(context), uintptr(device), 0, uintptr(size), 0)
	}
	return uintptr(h), err
}

// FreeUSM frees unified shared memory by clMemFreeINTEL, when no command uses it, or by
// clMemBlockingFreeINTEL, which waits for the commands of all queues.
func (a *API) FreeUSM(f Function, context Handle, address uintptr) error {
	code := int(int32(a.enterFunction(f, uintptr(context), address)))
	a.tellAfter(f, []uintptr{uintptr(context), address}, code)
	if code != 0 {
		return callError(f, code)
	}
	return nil
}

// AllocSVM allocates shared virtual memory. It is 0 when there is none left.
func (a *API) AllocSVM(context Handle, flags uint64, size int64) (uintptr, error) {
	if err := a.askBefore(SVMAlloc); err != nil {
		return 0, err
	}
	args := []uintptr{uintptr(context), uintptr(flags), uintptr(size), 0}
	address := a.enterFunction(SVMAlloc, args...)
	if address == 0 {
		a.tellAfter(SVMAlloc, args, OutOfResources)
		return 0, callError(SVMAlloc, OutOfResources) // it returns no code
	}
	a.tellAfter(SVMAlloc, args, 0)
	return address, nil
}

// FreeSVM frees shared virtual memory, which no command may use any more.
func (a *API) FreeSVM(context Handle, address uintptr) {
	a.enterFunction(SVMFree, uintptr(context), address)
	a.tellAfter(SVMFree, []uintptr{uintptr(context), address}, 0)
}

// AllocInfo asks about an address of unified shared memory.
func (a *API) AllocInfo(context Handle, address uintptr, param uint32) (uint64, error) {
	value := new(uint64)
	err := a.callFunction(GetMemAllocInfoINTEL, uintptr(context), address, uintptr(param), unsafe.Sizeof(*value), uintptr(unsafe.Pointer(value)), 0)
	return *value, err
}
