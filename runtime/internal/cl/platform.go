package cl

import (
	"errors"
	"fmt"
	"unsafe"

	"offlink/runtime/driver"
)

// IsCode reports whether the error is a call that returned the code.
func IsCode(err error, code int) bool {
	call, ok := errors.AsType[*driver.CallError](err)
	return ok && call.Code == code
}

// maxObjects bounds the platforms of a loader and the devices of a platform.
const maxObjects = 1 << 12

// listObjects calls call twice: for the number of objects, and then for the list. A loader
// or driver that finds none may return the code none, which is an empty list here. The list
// may have null handles.
func listObjects(what string, none int, call func(count uintptr, list, number unsafe.Pointer) error) ([]Handle, error) {
	count := new(uint32)
	err := call(0, nil, unsafe.Pointer(count))
	if IsCode(err, none) || err == nil && *count == 0 {
		return nil, nil
	}
	if err == nil && *count > maxObjects {
		err = fmt.Errorf("the driver says that it has %d %s; up to %d are listed", *count, what, maxObjects)
	}
	if err != nil {
		return nil, err
	}
	list := make([]Handle, *count)
	if err := call(uintptr(*count), pointer(list), unsafe.Pointer(count)); err != nil {
		return nil, err
	}
	return list[:min(int(*count), len(list))], nil
}

// Platforms lists the platforms.
func (a *API) Platforms() ([]Handle, error) {
	return listObjects("platforms", PlatformNotFound, func(count uintptr, list, number unsafe.Pointer) error {
		return a.callFunction(GetPlatformIDs, count, uintptr(list), uintptr(number))
	})
}

// allDevices is CL_DEVICE_TYPE_ALL, which is all but custom devices.
const allDevices = 0xFFFFFFFF

// Devices lists the devices of a platform. Platforms without any are common:
// a driver whose hardware is not there.
func (a *API) Devices(platform Handle) ([]Handle, error) {
	return listObjects("devices", DeviceNotFound, func(count uintptr, list, number unsafe.Pointer) error {
		return a.callFunction(GetDeviceIDs, uintptr(platform), allDevices, count, uintptr(list), uintptr(number))
	})
}

// SubDevices partitions a device; the properties end with 0. It returns none if the driver
// cannot do that.
func (a *API) SubDevices(device Handle, properties []uintptr) ([]Handle, error) {
	return listObjects("sub-devices", DevicePartitionFailed, func(count uintptr, list, number unsafe.Pointer) error {
		return a.callFunction(CreateSubDevices, uintptr(device), uintptr(pointer(properties)), count, uintptr(list), uintptr(number))
	})
}

// Release releases an object by the function for its kind.
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
