package clinfo

import (
	"strings"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
)

// Device describes a device but for its platform, formats and aspects. Missing
// answers that are required are in the reader's Err.
func Device(r *Reader) driver.Info {
	info := driver.Info{
		Name:          r.RequireText(cl.DeviceName),
		Type:          typeOf(r.RequireNumber(cl.DeviceType)),
		ComputeUnits:  int(r.RequireNumber(cl.DeviceMaxComputeUnits)),
		MaxWorkGroup:  int(r.RequireNumber(cl.DeviceMaxWorkGroupSize)),
		LocalMemory:   r.requireSize(cl.DeviceLocalMemory),
		GlobalMemory:  r.requireSize(cl.DeviceGlobalMemory),
		MaxAllocation: r.requireSize(cl.DeviceMaxAllocation),

		Vendor:        r.RequireText(cl.DeviceVendor),
		VendorID:      uint32(r.coreNumber(cl.DeviceVendorID)),
		Version:       r.coreText(cl.DeviceVersion),
		DriverVersion: r.coreText(cl.DriverVersion),
		ILVersions:    strings.Fields(r.OptionalText(cl.DeviceILVersion)),
		Extensions:    strings.Fields(r.coreText(cl.DeviceExtensions)),
	}
	readMemory(r, &info)
	readArithmetic(r, &info)
	readGroups(r, &info)
	info.ClockMHz = int(r.OptionalNumber(cl.DeviceMaxClockFrequency))
	info.PrintfBuffer = int64(r.OptionalNumber(cl.DevicePrintfBuffer))
	info.TimerResolution = int(r.OptionalNumber(cl.DeviceTimerResolution))
	info.OutOfOrder = r.has(cl.DeviceQueueProperties, cl.QueueOutOfOrder)
	return info
}

func typeOf(bits uint64) driver.Type {
	switch {
	case bits&cl.TypeGPU != 0:
		return driver.GPU
	case bits&cl.TypeAccelerator != 0:
		return driver.Accelerator
	}
	return driver.CPU
}

// localIsDedicated is CL_LOCAL.
const localIsDedicated = 1

func readMemory(r *Reader, info *driver.Info) {
	info.MaxParameterSize = int(r.coreNumber(cl.DeviceMaxParameterSize))
	info.AddressBits = int(r.coreNumber(cl.DeviceAddressBits))
	info.BigEndian = r.OptionalNumber(cl.DeviceEndianLittle) == 0
	info.MemoryAlignment = int(r.coreNumber(cl.DeviceMemoryAlignment) / 8) // of bits
	info.ConstantMemory = clampSize(r.coreNumber(cl.DeviceConstantMemory))
	info.CacheSize = clampSize(r.OptionalNumber(cl.DeviceCacheSize))
	info.CacheLine = int(r.OptionalNumber(cl.DeviceCacheLine))
	info.HostUnified = r.OptionalNumber(cl.DeviceHostUnified) != 0
	info.LocalIsDedicated = r.OptionalNumber(cl.DeviceLocalMemoryType) == localIsDedicated
	info.ErrorCorrection = r.OptionalNumber(cl.DeviceErrorCorrection) != 0
}

func readArithmetic(r *Reader, info *driver.Info) {
	width := func(param uint32) int { return int(r.OptionalNumber(param)) }
	info.VectorWidths = driver.VectorWidths{
		Char: width(cl.DeviceVectorWidthChar), Short: width(cl.DeviceVectorWidthShort),
		Int: width(cl.DeviceVectorWidthInt), Long: width(cl.DeviceVectorWidthLong),
		Half: width(cl.DeviceVectorWidthHalf), Float: width(cl.DeviceVectorWidthFloat),
		Double: width(cl.DeviceVectorWidthDouble),
	}
	info.Half = driver.FloatConfig(r.OptionalNumber(cl.DeviceHalfConfig))
	info.Single = driver.FloatConfig(r.OptionalNumber(cl.DeviceSingleConfig))
	info.Double = driver.FloatConfig(r.OptionalNumber(cl.DeviceDoubleConfig))
}

func readGroups(r *Reader, info *driver.Info) {
	for i, n := range r.optionalNumbers(cl.DeviceMaxWorkItemSizes, 8) {
		if i < len(info.MaxWorkItems) {
			info.MaxWorkItems[i] = int(n)
		}
	}
	info.MaxSubGroups = int(r.OptionalNumber(cl.DeviceMaxSubGroups))
	if !r.Lenient && !info.HasExtension("cl_intel_required_subgroup_size") {
		return
	}
	// Drivers answer in size_t, plugins of Unified Runtime in 32 bits: the upper
	// half of a size_t is 0, which is not a size.
	for _, n := range r.optionalNumbers(cl.DeviceSubGroupSizes, 4) {
		if n != 0 {
			info.SubGroupSizes = append(info.SubGroupSizes, int(n))
		}
	}
}
