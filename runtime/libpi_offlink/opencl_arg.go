package main

import (
	"unsafe"

	"offlink/runtime/driver"
)

// Codes of OpenCL for arguments.
const invalidArgValue = -50

// setPlain sets a value, or the size of local memory.
func setPlain(handle uintptr, index uint32, kind driver.ParamKind, size uintptr, value unsafe.Pointer) int32 {
	wrong := ""
	code := int32(invalidArgValue)
	switch {
	case kind == driver.ParamValue && value == nil:
		wrong = "is a value, and none is given"
	case kind == driver.ParamLocal && value != nil:
		wrong = "is local memory, which has a size alone"
	case kind == driver.ParamLocal && size == 0:
		wrong, code = "is local memory of no bytes", invalidArgSize
	}
	if wrong != "" {
		return perform(func() error { return failure(code, "argument %d %s", index, wrong) })
	}
	return offlink_piKernelSetArg(handle, index, size, value)
}

// setImageArgument takes an image or a sampler by its native handle.
func setImageArgument(handle uintptr, index uint32, kind driver.ParamKind, size uintptr, value unsafe.Pointer) int32 {
	return onKernel(handle, func(k *kernel) error {
		if size != unsafe.Sizeof(handle) {
			return failure(invalidArgSize, "argument %d has %d bytes; it is an image or a sampler", index, size)
		}
		if value == nil {
			return failure(invalidArgValue, "argument %d is an image or a sampler, and none is given", index)
		}
		own := offlink_handle_of(*(*uintptr)(value))
		if kind == driver.ParamSampler {
			s, err := objectOf[*sampler](own)
			if err != nil {
				return err
			}
			return k.setArgument(index, driver.Arg{Sampler: &s.Sampler})
		}
		m, err := objectOf[*image](own)
		if err != nil {
			return err
		}
		return k.setArgument(index, driver.Arg{Memory: m.memory})
	})
}
