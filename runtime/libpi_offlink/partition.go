package main

import "C" // for the exports

import (
	"runtime"
	"slices"
	"unsafe"

	"offlink/runtime/internal/cl"
)

// pluginDevice is a pi_device: the embedded device, or a sub-device of it. A launch on a
// sub-device runs on as many threads as that has compute units; memory and programs are those
// of the whole device.
type pluginDevice struct {
	units     int
	parent    uintptr   // 0: it is the whole device
	partition []uintptr // the properties that made it
}

// wholeDevice is the device that every process has.
var wholeDevice = &pluginDevice{units: runtime.GOMAXPROCS(0)}

// Close releases the use of a parent that is a sub-device itself.
func (d *pluginDevice) Close() error {
	releaseDevice(d.parent)
	return nil
}

// retainDevice counts a use of a sub-device. The whole device is never released, so that its
// uses are not counted.
func retainDevice(handle uintptr) int32 {
	if handle == deviceHandle {
		return success
	}
	return retainHandle(handle)
}

func releaseDevice(handle uintptr) int32 {
	if handle == deviceHandle {
		return success
	}
	return releaseHandle(handle)
}

//export offlink_piDeviceRetain
func offlink_piDeviceRetain(handle uintptr) int32 { return retainDevice(handle) }

//export offlink_piDeviceRelease
func offlink_piDeviceRelease(handle uintptr) int32 { return releaseDevice(handle) }

// onDevice calls f with a device.
func onDevice(handle uintptr, f func(d *pluginDevice) error) int32 {
	return perform(func() error {
		d, err := objectOf[*pluginDevice](handle)
		if err != nil {
			return failure(invalidDevice, "%v", err)
		}
		return f(d)
	})
}

// mostParts bounds the numbers of a list that the host ends with 0.
const mostParts = 1 << 16

// counts are the compute units of each part that the properties ask for.
func (d *pluginDevice) counts(properties []uintptr) ([]int, error) {
	if len(properties) < 2 {
		return nil, failure(invalidValue, "a partition without a number")
	}
	var counts []int
	switch properties[0] {
	case cl.PartitionEqually:
		units := min(properties[1], mostParts)
		if units == 0 {
			return nil, failure(invalidPartitionCount, "sub-devices of no compute units")
		}
		counts = slices.Repeat([]int{int(units)}, d.units/int(units))
	case partitionByCounts:
		total := uintptr(0)
		for _, units := range properties[1:] {
			if total += min(units, mostParts); total > uintptr(d.units) {
				return nil, failure(invalidPartitionCount, "the sub-devices have more compute units than the device, which has %d", d.units)
			}
			counts = append(counts, int(units))
		}
	default:
		return nil, failure(invalidValue, "the device has no partition of the kind %#x: it can be partitioned equally and by counts", properties[0])
	}
	if d.units < 2 || len(counts) == 0 {
		return nil, failure(partitionFailed, "%d compute units cannot be partitioned so", d.units)
	}
	return counts, nil
}

// terminated is a list of the host up to its 0.
func terminated(at *uintptr) []uintptr {
	if at == nil {
		return nil
	}
	var list []uintptr
	for ; *at != 0 && len(list) < mostParts; at = (*uintptr)(unsafe.Add(unsafe.Pointer(at), unsafe.Sizeof(*at))) {
		list = append(list, *at)
	}
	return list
}

// propertyList answers with the properties that an object was made with, without any for nil.
func propertyList(list []uint64) answer {
	a := answer{}
	for _, word := range list {
		a = append(a, word64(word)...)
	}
	return a
}

// pairs is a list of names and values, with the 0 at its end, which stands in the place of a name.
func pairs[T uint64 | uintptr](at *T) []T {
	list := []T{}
	for ; *at != 0 && len(list) < mostParts; at = (*T)(unsafe.Add(unsafe.Pointer(at), 2*unsafe.Sizeof(*at))) {
		list = append(list, wordsAt(at, 2)...)
	}
	return append(list, 0)
}

// offlink_piDevicePartition is clCreateSubDevices: hosts ask for the count first, without a list.
//
//export offlink_piDevicePartition
func offlink_piDevicePartition(handle uintptr, properties *uintptr, room uint32, list, count unsafe.Pointer) int32 {
	return onDevice(handle, func(d *pluginDevice) error {
		partition := terminated(properties)
		counts, err := d.counts(partition)
		if err != nil {
			return err
		}
		if list != nil {
			if int64(room) < int64(len(counts)) {
				return failure(invalidValue, "%d sub-devices, and room for %d", len(counts), room)
			}
			for i, units := range counts {
				retainDevice(handle)
				part := &pluginDevice{units: units, parent: handle, partition: partition}
				wordsAt((*uintptr)(list), len(counts))[i] = newHandle(part, 0)
			}
		}
		if count != nil {
			*(*uint32)(count) = uint32(len(counts))
		}
		return nil
	})
}

// partAnswer answers the queries that are about sub-devices.
func (d *pluginDevice) partAnswer(handle uintptr, param uint32) answer {
	switch param {
	case deviceParent:
		return words64(int(d.parent))
	case deviceReferences:
		return word32(uint32(usesOf(handle)))
	case cl.DeviceMaxSubDevices:
		if d.units < 2 {
			return word32(0)
		}
		return word32(uint32(d.units))
	case cl.DevicePartitions:
		if d.units < 2 {
			return words64(0)
		}
		return words64(cl.PartitionEqually, partitionByCounts)
	case devicePartition:
		return d.partitionAnswer()
	case deviceAffinity:
		return word64(0)
	}
	return nil
}

// partitionAnswer is the properties that made a sub-device, with the 0 at their end.
func (d *pluginDevice) partitionAnswer() answer {
	list := []int{}
	for _, property := range d.partition {
		list = append(list, int(property))
	}
	return words64(append(list, 0)...)
}
