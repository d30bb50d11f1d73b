package main

import (
	"encoding/binary"
	"strings"
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
)

// answer is the result of a query in the bytes that the host gets.
type answer []byte

// textAnswer is a text with a terminating zero, which the size of the answer includes
// (cl.h).
func textAnswer(text string) answer { return append([]byte(text), 0) }

func word32(n uint32) answer { return binary.NativeEndian.AppendUint32(nil, n) }
func word64(n uint64) answer { return binary.NativeEndian.AppendUint64(nil, n) }

// flag is a pi_bool, of 32 bits.
func flag(yes bool) answer {
	if yes {
		return word32(1)
	}
	return word32(0)
}

// words64 is an array of size_t or of 64-bit numbers.
func words64(list ...int) (a answer) {
	for _, n := range list {
		a = binary.NativeEndian.AppendUint64(a, uint64(n))
	}
	return a
}

// reply stores an answer in the host's memory. A nil answer says that the query is not
// known.
func reply(a answer, param uint32, room uintptr, out unsafe.Pointer, size *uintptr) error {
	if a == nil {
		return failure(invalidValue, "the query %#x is not known", param)
	}
	// Hosts ask twice: for the size first, without room, and then for the
	// answer.
	if size != nil {
		*size = uintptr(len(a))
	}
	if out == nil {
		return nil
	}
	if room < uintptr(len(a)) {
		return failure(invalidValue, "the answer to %#x has %d bytes, and there is room for %d", param, len(a), room)
	}
	copy(unsafe.Slice((*byte)(out), len(a)), a)
	return nil
}

// Queries of the interface that OpenCL does not have, or that package cl does
// not use.
const (
	platformProfile    = 0x0900
	platformBackend    = 0x21000
	openCLBackend      = 2 // PI_EXT_PLATFORM_BACKEND_OPENCL
	deviceDimensions   = 0x1003
	deviceAvailable    = 0x1027
	deviceExecution    = 0x1029
	deviceProfile      = 0x102E
	devicePlatform     = 0x1031
	deviceParent       = 0x1042
	deviceReferences   = 0x1047
	deviceOpenCLC      = 0x103D
	deviceBuiltins     = 0x103F
	deviceCacheType    = 0x101C
	deviceConstantArgs = 0x1021
	deviceAffinity     = 0x1045
	devicePartition    = 0x1046
	deviceIndependent  = 0x105D
	partitionByCounts  = 0x1087
	readWriteCache     = 2

	// Those of DPC++'s extensions (pi.h).
	deviceBuildsParts   = 0x10028
	deviceQueueIndices  = 0x10032
	deviceAtomic64      = 0x10110
	deviceAtomicOrders  = 0x10111
	deviceAtomicScopes  = 0x11000
	deviceMaxGroups     = 0x20000
	deviceMaxGroups1D   = 0x20001
	deviceMaxGroups2D   = 0x20002
	deviceMaxGroups3D   = 0x20003
	deviceFenceOrders   = 0x20006
	deviceFenceScopes   = 0x20007
	deviceMemoryChannel = 0x20008
	deviceESIMD         = 0x2000A

	allOrders = 1<<5 - 1 // relaxed to sequentially consistent
	allScopes = 1<<5 - 1 // work-item to system
)

func platformAnswer(param uint32) answer {
	info := device().Info()
	switch param {
	case cl.PlatformName:
		return textAnswer(info.Platform)
	case cl.PlatformVersion:
		return textAnswer("OpenCL 3.0 offlink " + info.PlatformVersion)
	case cl.PlatformVendor:
		return textAnswer(info.Vendor)
	case cl.PlatformExtensions:
		return textAnswer("cl_khr_icd")
	case platformProfile:
		return textAnswer("FULL_PROFILE")
	// DPC++'s runtime takes SPIR-V for compatible with devices of the back ends that it
	// knows: others have no kernel bundles. Native handles are refused.
	case platformBackend:
		return word32(openCLBackend)
	}
	return openCLPlatform(param)
}

// answer answers a query of the device, nil if it is not known. The functions that
// it tries are grouped by the type of the answer, whose size has to match the variable
// that the host gives.
func (d *pluginDevice) answer(param uint32) answer {
	info := device().Info()
	info.ComputeUnits = d.units
	for _, answers := range []func(*driver.Info, uint32) answer{deviceText, deviceNumber, deviceLimit, deviceFlag, deviceMemory, openCLDevice} {
		if a := answers(&info, param); a != nil {
			return a
		}
	}
	return nil
}

func deviceText(info *driver.Info, param uint32) answer {
	switch param {
	case cl.DeviceName:
		return textAnswer(info.Name)
	case cl.DeviceVendor:
		return textAnswer(info.Vendor)
	case cl.DriverVersion:
		return textAnswer(info.DriverVersion)
	case cl.DeviceVersion:
		return textAnswer("OpenCL 3.0 " + info.Version)
	case deviceOpenCLC:
		return textAnswer("OpenCL C 3.0 " + info.Version)
	case cl.DeviceExtensions:
		return textAnswer(strings.Join(allExtensions(info), " "))
	case cl.DeviceILVersion:
		return textAnswer(strings.Join(info.ILVersions, " "))
	case deviceProfile:
		return textAnswer("FULL_PROFILE")
	case deviceBuiltins:
		return textAnswer("")
	}
	return nil
}

func deviceNumber(info *driver.Info, param uint32) answer {
	widths := info.VectorWidths
	for _, n := range []struct {
		param uint32
		value int
	}{
		{cl.DeviceVendorID, int(info.VendorID)},
		{cl.DeviceMaxComputeUnits, info.ComputeUnits},
		{deviceDimensions, 3},
		{cl.DeviceMaxClockFrequency, info.ClockMHz},
		{cl.DeviceAddressBits, info.AddressBits},
		// In bits (cl.h): parts of buffers begin at its multiples.
		{cl.DeviceMemoryAlignment, 8 * largestType},
		{cl.DeviceCacheLine, info.CacheLine},
		{deviceCacheType, readWriteCache},
		// CL_GLOBAL: local memory is memory of the host.
		{cl.DeviceLocalMemoryType, 2},
		{deviceConstantArgs, 8},
		{cl.DeviceMaxSubGroups, info.MaxSubGroups},
		{deviceQueueIndices, 1},
		{cl.DeviceVectorWidthChar, widths.Char},
		{cl.DeviceVectorWidthShort, widths.Short},
		{cl.DeviceVectorWidthInt, widths.Int},
		{cl.DeviceVectorWidthLong, widths.Long},
		{cl.DeviceVectorWidthHalf, widths.Half},
		{cl.DeviceVectorWidthFloat, widths.Float},
		{cl.DeviceVectorWidthDouble, widths.Double},
	} {
		if n.param == param {
			return word32(uint32(n.value))
		}
	}
	return nil
}

func deviceLimit(info *driver.Info, param uint32) answer {
	switch param {
	case cl.DeviceMaxWorkGroupSize:
		return words64(info.MaxWorkGroup)
	case cl.DeviceMaxWorkItemSizes:
		return words64(info.MaxWorkItems[:]...)
	case cl.DeviceMaxParameterSize:
		return words64(info.MaxParameterSize)
	case cl.DevicePrintfBuffer:
		return words64(int(info.PrintfBuffer))
	case cl.DeviceTimerResolution:
		return words64(info.TimerResolution)
	case cl.DeviceSubGroupSizes:
		return words64(info.SubGroupSizes...) // size_t, as DPC++'s runtime reads them
	case deviceMaxGroups, deviceMaxGroups1D:
		return words64(int(info.MaxGroups[0]))
	// Reversed: SYCL's last dimension is OpenCL's first.
	case deviceMaxGroups2D:
		return words64(int(info.MaxGroups[1]), int(info.MaxGroups[0]))
	case deviceMaxGroups3D:
		return words64(int(info.MaxGroups[2]), int(info.MaxGroups[1]), int(info.MaxGroups[0]))
	}
	return nil
}

func deviceFlag(info *driver.Info, param uint32) answer {
	switch param {
	case cl.DeviceEndianLittle:
		return flag(!info.BigEndian)
	case cl.DeviceHostUnified:
		return flag(info.HostUnified)
	case cl.DeviceErrorCorrection:
		return flag(info.ErrorCorrection)
	case cl.DeviceCompilerAvailable, cl.DeviceLinkerAvailable, deviceAvailable, deviceIndependent:
		return flag(true)
	case deviceAtomic64:
		return flag(info.HasAspect("atomic64"))
	// The plugin interface of images is not implemented, though the device has
	// images.
	case cl.DeviceImageSupport, deviceBuildsParts, deviceMemoryChannel, deviceESIMD:
		return flag(false)
	}
	return nil
}

const (
	executesKernels = 1
	usmCapabilities = 1<<4 - 1 // access, atomic, by host and device at once
)

func deviceMemory(info *driver.Info, param uint32) answer {
	switch param {
	case cl.DeviceType:
		return word64(cl.TypeCPU)
	case cl.DeviceLocalMemory:
		return word64(uint64(info.LocalMemory))
	case cl.DeviceGlobalMemory:
		return word64(uint64(info.GlobalMemory))
	case cl.DeviceMaxAllocation:
		return word64(uint64(info.MaxAllocation))
	case cl.DeviceConstantMemory:
		return word64(uint64(info.ConstantMemory))
	case cl.DeviceCacheSize:
		return word64(uint64(info.CacheSize))
	case cl.DeviceSingleConfig:
		return word64(uint64(info.Single))
	case cl.DeviceHalfConfig:
		return word64(uint64(info.Half))
	case cl.DeviceDoubleConfig:
		return word64(uint64(info.Double))
	case cl.DeviceQueueProperties:
		return word64(cl.QueueOutOfOrder | cl.QueueProfiling)
	case deviceExecution:
		return word64(executesKernels)
	case deviceAtomicOrders, deviceFenceOrders:
		return word64(allOrders)
	case deviceAtomicScopes, deviceFenceScopes:
		return word64(allScopes)
	case cl.DeviceUSMHost, cl.DeviceUSMDevice, cl.DeviceUSMShared:
		return word64(usmCapabilities)
	// Memory that the device did not allocate is not in its region.
	case cl.DeviceUSMSharedCross, cl.DeviceUSMSharedSystem:
		return word64(0)
	case cl.DeviceSVMCapabilities:
		return word64(svmCapabilities)
	case devicePlatform:
		return words64(platformHandle)
	}
	return nil
}
