package pi

import (
	"fmt"
	"unsafe"

	"offlink/runtime/internal/dl"
)

// maxObjects bounds the platforms and devices of a plugin.
const maxObjects = 1 << 16

// listObjects calls ask twice: for the number of objects, and then for the objects. f is
// the function that it calls, for messages.
func listObjects(f Function, ask func(list []Handle, count *uint32) error) ([]Handle, error) {
	count := new(uint32)
	err := ask(nil, count)
	if IsCode(err, DeviceNotFound) || err == nil && *count == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if *count > maxObjects {
		return nil, fmt.Errorf("%v: the plugin says %d; up to %d are listed", f, *count, maxObjects)
	}
	list := make([]Handle, *count)
	if err := ask(list, count); err != nil {
		return nil, err
	}
	return list[:min(int(*count), len(list))], nil
}

// Platforms lists the platforms. A plugin without a device may have none.
func (p *Plugin) Platforms() ([]Handle, error) {
	return listObjects(PlatformsGet, func(list []Handle, count *uint32) error {
		return p.call(PlatformsGet, uintptr(len(list)), uintptr(pointer(list)), uintptr(unsafe.Pointer(count)))
	})
}

// allDevices is PI_DEVICE_TYPE_ALL.
const allDevices = 0xFFFFFFFF

// Devices lists the devices of a platform.
func (p *Plugin) Devices(platform Handle) ([]Handle, error) {
	return listObjects(DevicesGet, func(list []Handle, count *uint32) error {
		return p.call(DevicesGet, uintptr(platform), allDevices, uintptr(len(list)), uintptr(pointer(list)), uintptr(unsafe.Pointer(count)))
	})
}

// SubDevices partitions a device; the properties end with 0. The caller releases the parts.
func (p *Plugin) SubDevices(device Handle, properties []uintptr) ([]Handle, error) {
	return listObjects(DevicePartition, func(list []Handle, count *uint32) error {
		return p.call(DevicePartition, uintptr(device), uintptr(pointer(properties)), uintptr(len(list)), uintptr(pointer(list)), uintptr(unsafe.Pointer(count)))
	})
}

// Release releases an object by the function for its kind.
func (p *Plugin) Release(f Function, object Handle) error { return p.release(f, uintptr(object)) }

// NewContext makes a context of one device.
func (p *Plugin) NewContext(device Handle) (Handle, error) {
	return p.create(ContextCreate, 0, 1, uintptr(unsafe.Pointer(&device)), 0, 0)
}

// queueFlags is PI_QUEUE_FLAGS, the key of the flags in a list of properties.
const queueFlags = ^uint64(0)

// NewQueue makes a queue with flags: 1 out of order, 2 profiling.
func (p *Plugin) NewQueue(context, device Handle, flags uint64) (Handle, error) {
	if p.Has(ExtQueueCreate) {
		properties := []uint64{queueFlags, flags, 0}
		return p.create(ExtQueueCreate, uintptr(context), uintptr(device), uintptr(pointer(properties)))
	}
	return p.create(QueueCreate, uintptr(context), uintptr(device), uintptr(flags))
}

// NativeHandle is an object's handle of the native interface, by the function
// for its kind.
func (p *Plugin) NativeHandle(f Function, object Handle) (uint64, error) {
	native, description := new(uintptr), new(int32)
	// Only piextQueueGetNativeHandle has the last parameter, from 12.27 on. In C an
	// argument too many does no harm.
	err := p.call(f, uintptr(object), uintptr(unsafe.Pointer(native)), uintptr(unsafe.Pointer(description)))
	return uint64(*native), err
}

// QueueImports reports whether ImportQueue knows the parameters of this version, which
// changed often.
func (p *Plugin) QueueImports() bool { return p.since(9, 11) && p.Has(ExtQueueCreateWithNativeHandle) }

// ImportQueue makes a queue of a native one, which stays the caller's.
func (p *Plugin) ImportQueue(native uint64, context, device Handle) (Handle, error) {
	if p.since(13, 32) {
		properties := []uint64{queueFlags, 0, 0} // plugins over Unified Runtime read them
		return p.create(ExtQueueCreateWithNativeHandle, uintptr(native), 0, uintptr(context), uintptr(device), 0, uintptr(pointer(properties)))
	}
	return p.create(ExtQueueCreateWithNativeHandle, uintptr(native), uintptr(context), uintptr(device), 0)
}

// deviceBinary is struct pi_device_binary_struct of version 2, the version of programs'
// images. Plugins look only at the target.
type deviceBinary struct {
	version      uint16
	kind, format uint8
	target       *byte
	options      [2]*byte
	manifest     [2]uintptr
	code         [2]*byte
	entries      [2]uintptr
	properties   [2]uintptr
}

const (
	binaryVersion = 2
	kindSYCL      = 4
)

// SelectsTarget asks whether a device takes images for a target.
func (p *Plugin) SelectsTarget(device Handle, target string) (bool, error) {
	empty := dl.CString("")
	image := &deviceBinary{version: binaryVersion, kind: kindSYCL, target: dl.CString(target), options: [2]*byte{empty, empty}, code: [2]*byte{empty, empty}}
	index := new(uint32)
	*index = ^uint32(0)
	err := p.selectBinary(uintptr(device), uintptr(unsafe.Pointer(&image)), uintptr(unsafe.Pointer(index)), uintptr(unsafe.Pointer(image)))
	if IsCode(err, InvalidBinary) || IsCode(err, InvalidDevice) {
		return false, nil
	}
	return err == nil && *index == 0, err
}

//go:uintptrescapes
func (p *Plugin) selectBinary(device, images, index, _ uintptr) error {
	return p.call(ExtDeviceSelectBinary, device, images, 1, index)
}
