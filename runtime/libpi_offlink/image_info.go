package main

import "C" // for the exports

import (
	"unsafe"

	"offlink/runtime/hostdev"
	"offlink/runtime/internal/cl"
)

// mostImages and mostSamplers are how many a kernel may have: the device has no limit of its own,
// and these are within that of the parameters' size.
const (
	mostImages   = 128
	mostSamplers = 16
)

// imageExtensions are those of images, which hosts of OpenCL alone reach.
var imageExtensions = []string{"cl_khr_depth_images", "cl_khr_image2d_from_buffer", "cl_khr_srgb_image_writes"}

// offlink_clGetDeviceInfo answers the queries of OpenCL: it has images, and the interface of
// plugins does not.
//
//export offlink_clGetDeviceInfo
func offlink_clGetDeviceInfo(handle uintptr, param uint32, room uintptr, out unsafe.Pointer, size *uintptr) int32 {
	if a := imageLimit(param); a != nil {
		return onDevice(handle, func(*pluginDevice) error { return reply(a, param, room, out, size) })
	}
	return offlink_piDeviceGetInfo(handle, param, room, out, size)
}

// imageLimit answers the queries of images, nil for others.
func imageLimit(param uint32) answer {
	switch param {
	case cl.DeviceImageSupport:
		return flag(true)
	case deviceImage2DWidth, deviceImage2DHeight:
		return words64(hostdev.MaxImageWidth)
	case deviceImage3DWidth, deviceImage3DHeight, deviceImage3DDepth:
		return words64(hostdev.MaxImageDepth)
	case deviceImageBuffer:
		return words64(hostdev.MaxImageBuffer)
	case deviceImageArray:
		return words64(hostdev.MaxImageLayers)
	case deviceMaxReadImages, deviceMaxWriteImages, deviceReadWriteImages:
		return word32(mostImages)
	case deviceMaxSamplers:
		return word32(mostSamplers)
	case deviceImagePitch, deviceImageBase:
		return word32(1) // texel
	}
	return nil
}
