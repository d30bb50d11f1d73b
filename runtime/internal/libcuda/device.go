package libcuda

import (
	"bytes"
	"unsafe"
)

// Attribute is an attribute of a device (cuda.h, CUdevice_attribute).
type Attribute int

// The attributes of devices that the back end asks for.
const (
	MaxThreadsPerBlock      Attribute = 1
	MaxBlockDimX            Attribute = 2 // Y and Z follow
	MaxGridDimX             Attribute = 5 // Y and Z follow
	MaxSharedPerBlock       Attribute = 8
	TotalConstantMemory     Attribute = 9
	WarpSize                Attribute = 10
	ClockRate               Attribute = 13 // in kHz
	MultiprocessorCount     Attribute = 16
	Integrated              Attribute = 18
	ECCEnabled              Attribute = 32
	L2CacheSize             Attribute = 38
	ComputeCapabilityMajor  Attribute = 75
	ComputeCapabilityMinor  Attribute = 76
	ManagedMemory           Attribute = 83
	PageableMemoryAccess    Attribute = 88
	ConcurrentManagedAccess Attribute = 89
	MaxSharedPerBlockOptin  Attribute = 97
)

// Version is the version of CUDA that the driver is for: 12040 is 12.4.
func (l *Library) Version() (int, error) {
	var version int32
	err := l.callFunction(fnDriverGetVersion, uintptr(unsafe.Pointer(&version)))
	return int(version), err
}

// Devices lists the devices.
func (l *Library) Devices() ([]Device, error) {
	var count int32
	if err := l.callFunction(fnDeviceGetCount, uintptr(unsafe.Pointer(&count))); err != nil {
		return nil, err
	}
	var devices []Device
	for i := range count {
		var d Device
		if err := l.callFunction(fnDeviceGet, uintptr(unsafe.Pointer(&d)), uintptr(i)); err != nil {
			return nil, err
		}
		devices = append(devices, d)
	}
	return devices, nil
}

// Name is the device's name.
func (l *Library) Name(d Device) (string, error) {
	name := make([]byte, 256)
	err := l.callFunction(fnDeviceGetName, uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)), uintptr(d))
	name, _, _ = bytes.Cut(name, []byte{0})
	return string(name), err
}

// Attribute returns an attribute of the device.
func (l *Library) Attribute(d Device, a Attribute) (int, error) {
	var value int32
	err := l.callFunction(fnDeviceGetAttribute, uintptr(unsafe.Pointer(&value)), uintptr(a), uintptr(d))
	return int(value), err
}

// TotalMemory is the device's memory in bytes.
func (l *Library) TotalMemory(d Device) (int64, error) {
	var size uint64
	err := l.callFunction(fnDeviceTotalMem, uintptr(unsafe.Pointer(&size)), uintptr(d))
	return int64(size), err
}

// RetainPrimary returns the device's primary context, which the runtime API of
// CUDA uses too. ReleasePrimary releases it.
func (l *Library) RetainPrimary(d Device) (Context, error) {
	var c Context
	err := l.callFunction(fnDevicePrimaryCtxRetain, uintptr(unsafe.Pointer(&c)), uintptr(d))
	return c, checkMade(fnDevicePrimaryCtxRetain, c, err)
}

// ReleasePrimary undoes one RetainPrimary.
func (l *Library) ReleasePrimary(d Device) error {
	return l.callFunction(fnDevicePrimaryCtxRelease, uintptr(d))
}

// PushCurrent makes the context that of this thread. PopCurrent undoes that: the one that
// the thread had before, which may be a program's own, is current again.
func (l *Library) PushCurrent(c Context) error { return l.callFunction(fnCtxPushCurrent, uintptr(c)) }

// PopCurrent undoes one PushCurrent.
func (l *Library) PopCurrent() error {
	var popped Context
	return l.callFunction(fnCtxPopCurrent, uintptr(unsafe.Pointer(&popped)))
}
