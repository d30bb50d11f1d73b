package main

import (
	"crypto/sha256"
	"slices"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
)

// openCLExtensions are those of this library, besides those of its device.
var openCLExtensions = []string{
	"cl_intel_device_attribute_query",
	"cl_intel_devicelib_assert", "cl_intel_devicelib_bfloat16", "cl_intel_devicelib_complex", "cl_intel_devicelib_complex_fp64",
	"cl_intel_devicelib_cstring", "cl_intel_devicelib_imf", "cl_intel_devicelib_imf_fp64", "cl_intel_devicelib_math", "cl_intel_devicelib_math_fp64",
	"cl_intel_global_variable_access", "cl_intel_required_subgroup_size",
	"cl_intel_unified_shared_memory", "cl_khr_command_buffer", "cl_khr_command_buffer_mutable_dispatch",
	"cl_khr_create_command_queue", "cl_khr_device_uuid", "cl_khr_extended_versioning", "cl_khr_subgroups",
	"cl_khr_suggested_local_work_size",
}

// allExtensions are those of a device.
func allExtensions(info *driver.Info) []string {
	return slices.Concat(info.Extensions, openCLExtensions, imageExtensions)
}

// betaVersions are those of extensions whose version is not 1.0.0.
var betaVersions = map[string]uint32{"cl_khr_command_buffer": 9<<12 | 8, "cl_khr_command_buffer_mutable_dispatch": 9<<12 | 5}

// Queries of extensions (cl_ext.h).
const (
	deviceUUID     = 0x106A // cl_khr_device_uuid
	driverUUID     = 0x106B
	deviceHasLUID  = 0x106C
	deviceLUID     = 0x106D
	deviceNodeMask = 0x106E

	deviceDotProducts     = 0x1073 // cl_khr_integer_dot_product
	deviceFastDot8Bit     = 0x1074
	deviceFastDotPacked   = 0x1075
	deviceBufferQueues    = 0x129A // cl_khr_command_buffer
	deviceBufferAbilities = 0x12A9
	deviceBufferNeeds     = 0x12AA
	deviceMutableFields   = 0x12B0 // cl_khr_command_buffer_mutable_dispatch

	deviceFloatAtomics  = 0x4231 // cl_ext_float_atomics, and those of double and half
	deviceDoubleAtomics = 0x4232
	deviceHalfAtomics   = 0x4233

	deviceAttributeVersion  = 0x4250 // cl_intel_device_attribute_query, to features
	deviceAttributeSlices   = 0x4252
	deviceAttributeThreads  = 0x4255
	deviceAttributeFeatures = 0x4256

	dotProducts  = 1<<0 | 1<<1 // packed and not
	floatAtomics = 7 | 7<<16   // load and store, add, min and max: global, local
	fastDotSize  = 6 * 4       // cl_device_integer_dot_product_acceleration_properties_khr
	uuidSize     = 16          // CL_UUID_SIZE_KHR
	luidSize     = 8           // CL_LUID_SIZE_KHR
	queueKinds   = cl.QueueOutOfOrder | cl.QueueProfiling
)

// extensionAnswer answers the queries that extensions have added.
func extensionAnswer(info *driver.Info, param uint32) answer {
	switch param {
	case deviceUUID:
		return uuidOf(info.Name, info.Vendor)
	case driverUUID:
		return uuidOf(info.Platform, info.DriverVersion)
	case deviceHasLUID:
		return flag(false)
	case deviceLUID:
		return make(answer, luidSize)
	case deviceNodeMask:
		return word32(0)
	case deviceDotProducts:
		return word64(dotProducts)
	case deviceFastDot8Bit, deviceFastDotPacked:
		return make(answer, fastDotSize) // no faster than the same in other instructions
	case deviceBufferQueues:
		return word64(queueKinds)
	case deviceBufferAbilities:
		return word64(commandBufferCapabilities)
	case deviceBufferNeeds:
		return word64(0)
	case deviceMutableFields:
		return word64(mutableCapabilities)
	case deviceFloatAtomics, deviceDoubleAtomics, deviceHalfAtomics:
		return word64(floatAtomics)
	case deviceAttributeFeatures:
		return word64(0)
	}
	switch {
	case param >= deviceAttributeVersion && param < deviceAttributeSlices: // the version, the number of the kind
		return word32(0)
	case param >= deviceAttributeSlices && param <= deviceAttributeThreads:
		return word32(attributeCount(info, param))
	}
	return nil
}

// attributeCount is the number of slices, parts of a slice, units of a part, or threads of a unit:
// one of each but for the units.
func attributeCount(info *driver.Info, param uint32) uint32 {
	const units = 0x4254 // CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL
	if param == units {
		return uint32(info.ComputeUnits)
	}
	return 1
}

// uuidOf makes a UUID of names: each host has one of these devices, the same each time.
func uuidOf(names ...string) answer {
	h := sha256.New()
	for _, name := range names {
		h.Write(append([]byte(name), 0))
	}
	return h.Sum(nil)[:uuidSize]
}
