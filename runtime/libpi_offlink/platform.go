package main

import "C" // for the exports

import (
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/internal/dl"
)

// listOne answers a query for a list with the one object that there is. Hosts ask twice: for
// the count first, without a list.
func listOne(handle uintptr, room uint32, list, count unsafe.Pointer) error {
	if list != nil {
		if room == 0 {
			return failure(invalidValue, "a list without room")
		}
		*(*uintptr)(list) = handle
	}
	if count != nil {
		*(*uint32)(count) = 1
	}
	return nil
}

//export offlink_piPlatformsGet
func offlink_piPlatformsGet(room uint32, list, count unsafe.Pointer) int32 {
	return perform(func() error { return listOne(platformHandle, room, list, count) })
}

//export offlink_piPlatformGetInfo
func offlink_piPlatformGetInfo(unused1 uintptr, param uint32, room uintptr, out unsafe.Pointer, size *uintptr) int32 {
	return perform(func() error { return reply(platformAnswer(param), param, room, out, size) })
}

//export offlink_piextPlatformGetNativeHandle
func offlink_piextPlatformGetNativeHandle(handle uintptr, out *uintptr) int32 {
	return nativeHandle(handle, out)
}

const (
	typeDefault = 1
	typeCPU     = 2
)

//export offlink_piDevicesGet
func offlink_piDevicesGet(unused1 uintptr, kind uint64, room uint32, list, count unsafe.Pointer) int32 {
	return perform(func() error {
		if kind&(typeDefault|typeCPU) == 0 {
			if count != nil {
				*(*uint32)(count) = 0
			}
			return nil
		}
		return listOne(deviceHandle, room, list, count)
	})
}

//export offlink_piDeviceGetInfo
func offlink_piDeviceGetInfo(unused1 uintptr, param uint32, room uintptr, out unsafe.Pointer, size *uintptr) int32 {
	return perform(func() error { return reply(deviceAnswer(param), param, room, out, size) })
}

// offlink_piDeviceRetain does nothing: the device is never released, so that its uses are
// not counted.
//
//export offlink_piDeviceRetain
func offlink_piDeviceRetain(uintptr) int32 { return success }

//export offlink_piDeviceRelease
func offlink_piDeviceRelease(uintptr) int32 { return success }

//export offlink_piextDeviceGetNativeHandle
func offlink_piextDeviceGetNativeHandle(handle uintptr, out *uintptr) int32 {
	return nativeHandle(handle, out)
}

// deviceBinary is the beginning of struct pi_device_binary_struct.
type deviceBinary struct {
	_      uint64 // version, kind, format
	target uintptr
}

//export offlink_piextDeviceSelectBinary
func offlink_piextDeviceSelectBinary(unused1 uintptr, images unsafe.Pointer, count uint32, index *uint32) int32 {
	return perform(func() error {
		for i, image := range wordsAt((**deviceBinary)(images), int(count)) {
			if image != nil && device().Accepts(driver.Image{Format: "spirv", Target: dl.String(image.target)}) == nil {
				*index = uint32(i)
				return nil
			}
		}
		return failure(invalidBinary, "the device takes SPIR-V for spir64")
	})
}

// deviceContext is a pi_context. It is empty, as the device has a context of its own.
type deviceContext struct{}

//export offlink_piContextCreate
func offlink_piContextCreate(unused1 unsafe.Pointer, count uint32, unused2 unsafe.Pointer, unused3, unused4 uintptr, out *uintptr) int32 {
	return perform(func() error {
		if count != 1 {
			return failure(invalidValue, "a context of %d devices; there is one", count)
		}
		openLoader()
		*out = newHandle(&deviceContext{}, 0)
		return nil
	})
}

const (
	contextReferences = 0x1080
	contextDevices    = 0x1081
	contextCount      = 0x1083
)

//export offlink_piContextGetInfo
func offlink_piContextGetInfo(unused1 uintptr, param uint32, room uintptr, out unsafe.Pointer, size *uintptr) int32 {
	return perform(func() error {
		a := map[uint32]answer{contextReferences: word32(1), contextDevices: words64(deviceHandle), contextCount: word32(1)}[param]
		if a == nil {
			a = flag(false) // fills and copies of two dimensions
		}
		return reply(a, param, room, out, size)
	})
}

//export offlink_piContextRetain
func offlink_piContextRetain(handle uintptr) int32 { return retainHandle(handle) }

//export offlink_piContextRelease
func offlink_piContextRelease(handle uintptr) int32 { return releaseHandle(handle) }

//export offlink_piextContextGetNativeHandle
func offlink_piextContextGetNativeHandle(handle uintptr, out *uintptr) int32 {
	return nativeHandle(handle, out)
}
