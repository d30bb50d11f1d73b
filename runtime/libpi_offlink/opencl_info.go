package main

import (
	"encoding/binary"
	"strconv"
	"strings"

	"offlink/runtime/driver"
)

// Queries that hosts of OpenCL ask and those of the plugin interface do not (cl.h,
// cl_ext.h, OpenCL 3.0).
const (
	platformNumericVersion = 0x0906
	platformVersions       = 0x0907 // of the extensions
	platformTimer          = 0x0905
	platformSuffix         = 0x0920

	deviceMaxReadImages    = 0x100E
	deviceMaxWriteImages   = 0x100F
	deviceImage2DWidth     = 0x1011
	deviceImage2DHeight    = 0x1012
	deviceImage3DWidth     = 0x1013
	deviceImage3DHeight    = 0x1014
	deviceImage3DDepth     = 0x1015
	deviceMaxSamplers      = 0x1018
	deviceMinAlignment     = 0x101A
	deviceNativeChar       = 0x1036 // and six more to 0x103C
	deviceNativeHalf       = 0x103C
	deviceImageBuffer      = 0x1040
	deviceImageArray       = 0x1041
	deviceUserSync         = 0x1048
	deviceImagePitch       = 0x104A
	deviceImageBase        = 0x104B
	deviceReadWriteImages  = 0x104C
	deviceMaxVariable      = 0x104D
	deviceQueueOnDevice    = 0x104E
	deviceQueuePreferred   = 0x104F
	deviceQueueMaximum     = 0x1050
	deviceMaxQueues        = 0x1051
	deviceMaxEvents        = 0x1052
	deviceVariableTotal    = 0x1054
	deviceMaxPipes         = 0x1055
	devicePipeReservations = 0x1056
	devicePipePacket       = 0x1057
	devicePlatformAtomics  = 0x1058 // and two more to 0x105A
	deviceLocalAtomics     = 0x105A
	deviceNumericVersion   = 0x105E
	deviceOpenCLCVersion   = 0x105F
	deviceExtensionList    = 0x1060
	deviceILList           = 0x1061
	deviceBuiltinList      = 0x1062
	deviceAtomicMemory     = 0x1063
	deviceAtomicFence      = 0x1064
	deviceUnevenGroups     = 0x1065
	deviceOpenCLCList      = 0x1066
	deviceGroupMultiple    = 0x1067
	deviceGroupCollectives = 0x1068
	deviceGenericSpace     = 0x1069
	deviceFeatures         = 0x106F
	deviceEnqueue          = 0x1070
	devicePipes            = 0x1071
	deviceConformance      = 0x1072
	deviceSPIRVersions     = 0x40E0

	// CL_DEVICE_ATOMIC_ORDER_RELAXED to _SCOPE_ALL_DEVICES.
	atomicCapabilities = 1<<7 - 1

	svmCapabilities = 1<<0 | 1<<1 | 1<<3 // coarse and fine buffers, atomic operations
)

// mostLanes are the work-items that the device computes together.
const mostLanes = 8

// largestType is the size of the largest type, of sixteen 64-bit numbers.
const largestType = 16 * 8

// openCLVersion is 3.0 in the form of cl_version.
const openCLVersion = 3 << 22

func openCLPlatform(param uint32) answer {
	switch param {
	case platformNumericVersion:
		return word32(openCLVersion)
	case platformVersions:
		return namedVersions([]string{"cl_khr_icd"}, 1<<22)
	case platformTimer:
		return word64(1)
	case platformSuffix:
		return textAnswer("OFFLINK")
	}
	return nil
}

// namedVersions is an array of cl_name_version.
func namedVersions(names []string, version uint32) answer {
	list := answer{}
	for _, name := range names {
		version := version
		if own, is := betaVersions[name]; is {
			version = own
		}
		var field [64]byte
		copy(field[:len(field)-1], name)
		list = append(binary.NativeEndian.AppendUint32(list, version), field[:]...)
	}
	return list
}

// ilVersions are the versions of SPIR-V as cl_name_version.
func ilVersions(info *driver.Info) answer {
	list := answer{}
	for _, text := range info.ILVersions {
		name, version, _ := strings.Cut(text, "_")
		major, minor, _ := strings.Cut(version, ".")
		high, _ := strconv.Atoi(major)
		low, _ := strconv.Atoi(minor)
		list = append(list, namedVersions([]string{name}, uint32(high)<<22|uint32(low)<<12)...)
	}
	return list
}

// openCLDevice answers the queries that only hosts of OpenCL make. There are no pipes, and no queues
// on the device.
func openCLDevice(info *driver.Info, param uint32) answer {
	for _, answers := range []func(*driver.Info, uint32) answer{openCLSize, openCLNumber, openCLList, extensionAnswer} {
		if a := answers(info, param); a != nil {
			return a
		}
	}
	return nil
}

func openCLSize(info *driver.Info, param uint32) answer {
	switch {
	case param >= deviceImage2DWidth && param <= deviceImage3DDepth, param == deviceImageBuffer, param == deviceImageArray:
		return words64(0)
	case param == deviceMaxVariable, param == deviceVariableTotal:
		return words64(int(info.MaxAllocation))
	case param == deviceGroupMultiple:
		return words64(mostLanes)
	case param == deviceAtomicMemory, param == deviceAtomicFence:
		return word64(atomicCapabilities)
	case param == deviceQueueOnDevice, param == deviceEnqueue:
		return word64(0)
	}
	return nil
}

func openCLNumber(info *driver.Info, param uint32) answer {
	switch {
	case param >= deviceNativeChar && param <= deviceNativeHalf:
		return word32(1)
	case param >= devicePlatformAtomics && param <= deviceLocalAtomics:
		return word32(0) // the natural alignment
	case param == deviceMinAlignment:
		return word32(largestType)
	case param == deviceNumericVersion, param == deviceOpenCLCVersion:
		return word32(openCLVersion)
	}
	switch param {
	case deviceMaxReadImages, deviceMaxWriteImages, deviceReadWriteImages, deviceMaxSamplers, deviceImagePitch, deviceImageBase,
		deviceQueuePreferred, deviceQueueMaximum, deviceMaxQueues, deviceMaxEvents, deviceMaxPipes, devicePipeReservations, devicePipePacket:
		return word32(0)
	case devicePipes:
		return flag(false)
	case deviceUnevenGroups, deviceUserSync, deviceGroupCollectives, deviceGenericSpace:
		return flag(true)
	}
	return nil
}

func openCLList(info *driver.Info, param uint32) answer {
	switch param {
	case deviceExtensionList:
		return namedVersions(allExtensions(info), 1<<22)
	case deviceILList:
		return ilVersions(info)
	case deviceBuiltinList:
		return answer{}
	case deviceOpenCLCList:
		return namedVersions([]string{"OpenCL C"}, openCLVersion)
	case deviceFeatures:
		return namedVersions([]string{"__opencl_c_3d_image_writes", "__opencl_c_fp64", "__opencl_c_generic_address_space", "__opencl_c_images", "__opencl_c_int64", "__opencl_c_read_write_images", "__opencl_c_subgroups", "__opencl_c_work_group_collective_functions", "__opencl_c_program_scope_global_variables", "__opencl_c_atomic_order_acq_rel", "__opencl_c_atomic_order_seq_cst", "__opencl_c_atomic_scope_device", "__opencl_c_atomic_scope_all_devices"}, openCLVersion)
	case deviceConformance, deviceSPIRVersions:
		return textAnswer("") // nobody has tested it; programs are SPIR-V, not SPIR
	}
	return nil
}
