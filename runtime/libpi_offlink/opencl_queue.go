package main

import "C" // for the exports

import (
	"slices"

	"offlink/runtime/internal/cl"
)

// Properties of queues (cl.h, cl_ext.h): the device takes commands of any priority alike.
const (
	queueFlagsProperty     = cl.QueueProperties
	queuePriority          = 0x1096
	queueThrottle          = 0x1097
	queueSize              = 0x1094 // of queues on the device
	queueProperties        = 0x1098
	queueOnDevice          = 1<<2 | 1<<3
	invalidQueueProperties = -35
)

// offlink_clCreateQueue makes a queue with flags, or with a list of properties.
//
//export offlink_clCreateQueue
func offlink_clCreateQueue(contextHandle, on uintptr, flags uint64, properties *uint64, out *uintptr) int32 {
	var list []uint64
	if properties != nil {
		list = pairs(properties)
	}
	code := perform(func() (err error) {
		if _, err := objectOf[*deviceContext](contextHandle); err != nil {
			return err
		}
		if !slices.Contains(devicesOf(contextHandle), int(on)) {
			return failure(invalidDevice, "%#x is not a device of the context", on)
		}
		flags, err = queueFlagsOf(flags, list)
		return err
	})
	if code == success {
		code = newQueue(contextHandle, on, flags, out)
	}
	if code != success {
		return code
	}
	return perform(func() error {
		q, err := objectOf[*deviceQueue](*out)
		if err == nil {
			q.list = list
		}
		return err
	})
}

func queueFlagsOf(flags uint64, properties []uint64) (uint64, error) {
	for pair := range slices.Chunk(properties, 2) {
		switch {
		case len(pair) < 2: // the end
		case pair[0] == queueFlagsProperty:
			flags = pair[1]
		case pair[0] != queuePriority && pair[0] != queueThrottle:
			return 0, failure(invalidValue, "a queue with the property %#x", pair[0])
		}
	}
	if known := uint64(cl.QueueOutOfOrder | cl.QueueProfiling); flags&^(known|queueOnDevice) != 0 {
		return 0, failure(invalidValue, "a queue with the flags %#x", flags)
	}
	if flags&queueOnDevice != 0 {
		return 0, failure(invalidQueueProperties, "queues on the device are not supported")
	}
	return flags, nil
}
