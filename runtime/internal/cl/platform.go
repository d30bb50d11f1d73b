package cl

import (
	"errors"
	"unsafe"

	"offlink/runtime/driver"
)

// IsCode tells whether the error is a call that returned the code.
func IsCode(err error, code int) bool {
	call, ok := errors.AsType[*driver.CallError](err)
	return ok && call.Code == code
}

// Platforms lists the platforms. A loader that finds no driver says so by an
// error, which is an empty list here.
func (a *API) Platforms() ([]Handle, error) {
	count := new(uint32)
	err := a.callFunction(GetPlatformIDs, 0, 0, uintptr(unsafe.Pointer(count)))
	if IsCode(err, PlatformNotFound) || err == nil && *count == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list := make([]Handle, *count)
	if err := a.callFunction(GetPlatformIDs, uintptr(*count), uintptr(pointer(list)), uintptr(unsafe.Pointer(count))); err != nil {
		return nil, err
	}
	return list[:min(int(*count), len(list))], nil
}

// allDevices is CL_DEVICE_TYPE_ALL, which is all but custom devices.
const allDevices = 0xFFFFFFFF

// Devices lists the devices of a platform. Platforms without any are common:
// a driver whose hardware is not there.
func (a *API) Devices(platform Handle) ([]Handle, error) {
	count := new(uint32)
	err := a.callFunction(GetDeviceIDs, uintptr(platform), allDevices, 0, 0, uintptr(unsafe.Pointer(count)))
	if IsCode(err, DeviceNotFound) || err == nil && *count == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list := make([]Handle, *count)
	if err := a.callFunction(GetDeviceIDs, uintptr(platform), allDevices, uintptr(*count), uintptr(pointer(list)), uintptr(unsafe.Pointer(count))); err != nil {
		return nil, err
	}
	return list[:min(int(*count), len(list))], nil
}

// SubDevices parts a device; the properties end with 0.
func (a *API) SubDevices(device Handle, properties []uintptr) ([]Handle, error) {
	count := new(uint32)
	if err := a.callFunction(CreateSubDevices, uintptr(device), uintptr(pointer(properties)), 0, 0, uintptr(unsafe.Pointer(count))); err != nil {
		return nil, err
	}
	list := make([]Handle, *count)
	if len(list) == 0 {
		return nil, nil
	}
	if err := a.callFunction(CreateSubDevices, uintptr(device), uintptr(pointer(properties)), uintptr(*count), uintptr(pointer(list)), uintptr(unsafe.Pointer(count))); err != nil {
		return nil, err
	}
	return list[:min(int(*count), len(list))], nil
}

// Release gives an object back by the function for its kind.
func (a *API) Release(f Function, object Handle) error { return a.releaseObject(f, object) }

// NewContext makes a context of one device.
func (a *API) NewContext(platform, device Handle) (Handle, error) {
	const contextPlatform = 0x1084
	properties := []uintptr{contextPlatform, uintptr(platform), 0}
	return a.createObject(CreateContext, uintptr(pointer(properties)), 1, uintptr(unsafe.Pointer(&device)), 0, 0)
}

// NewQueue makes a command queue with properties of QueueOutOfOrder and
// QueueProfiling.
func (a *API) NewQueue(context, device Handle, properties uint64) (Handle, error) {
	if !a.Has(CreateCommandQueueWithProperties) {
		return a.NewQueueOld(context, device, properties)
	}
	list := []uint64{QueueProperties, properties, 0}
	return a.createObject(CreateCommandQueueWithProperties, uintptr(context), uintptr(device), uintptr(pointer(list)))
}

// NewQueueOld is NewQueue of OpenCL 1.
func (a *API) NewQueueOld(context, device Handle, properties uint64) (Handle, error) {
	return a.createObject(CreateCommandQueue, uintptr(context), uintptr(device), uintptr(properties))
}

// Retain adds a use of an object by the function for its kind.
func (a *API) Retain(f Function, object Handle) error { return a.callFunction(f, uintptr(object)) }
