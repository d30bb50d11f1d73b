package main

import "C" // for the exports

import (
	"slices"
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
func offlink_piDeviceGetInfo(handle uintptr, param uint32, room uintptr, out unsafe.Pointer, size *uintptr) int32 {
	return onDevice(handle, func(d *pluginDevice) error {
		a := d.partAnswer(handle, param)
		if a == nil {
			a = d.answer(param)
		}
		return reply(a, param, room, out, size)
	})
}

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

// deviceContext is a pi_context. It has nothing but its devices, as the embedded device has a
// context of its own, which its sub-devices share.
type deviceContext struct {
	devices    []uintptr
	properties []uintptr // of OpenCL, with the 0 at their end; nil for none
}

// Close ends the uses of the sub-devices.
func (c *deviceContext) Close() error {
	for _, handle := range c.devices {
		releaseDevice(handle)
	}
	return nil
}

//export offlink_piContextCreate
func offlink_piContextCreate(unused1 unsafe.Pointer, count uint32, devices *uintptr, unused3, unused4 uintptr, out *uintptr) int32 {
	return perform(func() error {
		list := slices.Clone(wordsAt(devices, int(min(count, mostParts))))
		if len(list) == 0 {
			return failure(invalidValue, "a context without a device")
		}
		for _, handle := range list {
			if _, err := objectOf[*pluginDevice](handle); err != nil {
				return failure(invalidDevice, "%v", err)
			}
		}
		for _, handle := range list {
			retainDevice(handle)
		}
		openLoader()
		*out = newHandle(&deviceContext{devices: list}, 0)
		return nil
	})
}

// devicesOf are the devices of a context.
func devicesOf(contextHandle uintptr) []int {
	c, err := objectOf[*deviceContext](contextHandle)
	if err != nil {
		return []int{deviceHandle} // it is released, and its objects are not
	}
	var list []int
	for _, handle := range c.devices {
		list = append(list, int(handle))
	}
	return list
}

const (
	contextReferences = 0x1080
	contextDevices    = 0x1081
	contextProperties = 0x1082
	contextCount      = 0x1083
)

func propertiesOf(handle uintptr) answer {
	a := answer{}
	if c, err := objectOf[*deviceContext](handle); err == nil {
		for _, word := range c.properties {
			a = append(a, word64(uint64(word))...)
		}
	}
	return a
}

//export offlink_piContextGetInfo
func offlink_piContextGetInfo(handle uintptr, param uint32, room uintptr, out unsafe.Pointer, size *uintptr) int32 {
	return perform(func() error {
		devices := devicesOf(handle)
		a := flag(false) // fills and copies of two dimensions
		switch param {
		case contextReferences:
			a = word32(uint32(usesOf(handle)))
		case contextDevices:
			a = words64(devices...)
		case contextCount:
			a = word32(uint32(len(devices)))
		case contextProperties:
			a = propertiesOf(handle)
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
