package main

import "C" // for the exports

import (
	"slices"
	"unsafe"

	"offlink/runtime/driver"
)

// sampler is a cl_sampler. It has nothing to release.
type sampler struct {
	driver.Sampler
	properties []uint64 // that it was made with, with the 0 at their end; nil for none
}

// Queries of samplers, which are the names of their properties too (cl.h).
const (
	samplerReferences = 0x1150 + iota
	samplerContext
	samplerNormalized
	samplerAddressing
	samplerFilter
	samplerProperties = 0x1158

	filterNearest  = 0x1140
	filterLinear   = 0x1141
	invalidSampler = -41
)

// offlink_clCreateSampler makes a sampler of a list of properties; without them the coordinates
// are normalized, and the border is read outside.
//
//export offlink_clCreateSampler
func offlink_clCreateSampler(contextHandle uintptr, properties *uint64, out *uintptr) int32 {
	return perform(func() error {
		if _, err := objectOf[*deviceContext](contextHandle); err != nil {
			return err
		}
		own := &sampler{Sampler: driver.Sampler{Normalized: true, Addressing: driver.AddressClamp}}
		if properties != nil {
			own.properties = pairs(properties)
		}
		named := map[uint64]bool{}
		for pair := range slices.Chunk(own.properties, 2) {
			if len(pair) < 2 {
				break // the end
			}
			if named[pair[0]] || !own.setProperty(pair[0], pair[1]) {
				return failure(invalidValue, "the sampler property %#x of %#x", pair[0], pair[1])
			}
			named[pair[0]] = true
		}
		*out = newHandle(own, contextHandle)
		return nil
	})
}

// setProperty tells whether there is a property with such a value.
func (s *sampler) setProperty(name, value uint64) bool {
	switch name {
	case samplerNormalized:
		s.Normalized = value != 0
		return value <= 1
	case samplerAddressing:
		s.Addressing = driver.AddressingMode(value)
		return value >= uint64(driver.AddressNone) && value <= uint64(driver.AddressMirroredRepeat)
	case samplerFilter:
		s.Linear = value == filterLinear
		return value == filterNearest || value == filterLinear
	}
	return false
}

//export offlink_clGetSamplerInfo
func offlink_clGetSamplerInfo(handle uintptr, param uint32, room uintptr, out unsafe.Pointer, size *uintptr) int32 {
	return perform(func() error {
		s, err := objectOf[*sampler](handle)
		if err != nil {
			return err
		}
		var a answer
		switch param {
		case samplerReferences:
			a = word32(uint32(usesOf(handle)))
		case samplerContext:
			a = words64(int(contextOf(handle)))
		case samplerNormalized:
			a = flag(s.Normalized)
		case samplerAddressing:
			a = word32(uint32(s.Addressing))
		case samplerFilter:
			a = word32(filterNearest)
			if s.Linear {
				a = word32(filterLinear)
			}
		case samplerProperties:
			a = propertyList(s.properties)
		}
		return reply(a, param, room, out, size)
	})
}

//export offlink_clRetainSampler
func offlink_clRetainSampler(handle uintptr) int32 {
	return onSampler(handle, func() int32 { return retainHandle(handle) })
}

//export offlink_clReleaseSampler
func offlink_clReleaseSampler(handle uintptr) int32 {
	return onSampler(handle, func() int32 { return releaseHandle(handle) })
}

func onSampler(handle uintptr, f func() int32) int32 {
	if code := perform(func() error { _, err := objectOf[*sampler](handle); return err }); code != success {
		return code
	}
	return f()
}
