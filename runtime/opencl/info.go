package opencl

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
)

// infoReader asks for a device's properties. It keeps the first error of those
// that every device must answer; others are 0 where the device does not know
// them.
type infoReader struct {
	api    *cl.API
	device cl.Handle
	err    error
}

func (r *infoReader) readText(param uint32) string {
	text, err := r.api.Text(cl.GetDeviceInfo, param, r.device)
	r.err = errors.Join(r.err, err)
	return printable(text)
}

// printable makes a driver's text fit for one line of a terminal: control
// characters become spaces or question marks, and so do bytes that are not UTF-8.
func printable(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case c == unicode.ReplacementChar || !unicode.IsPrint(c):
			return '?'
		}
		return c
	}, text)
}

func (r *infoReader) readNumber(param uint32) uint64 {
	n, err := r.api.Number(cl.GetDeviceInfo, param, r.device)
	r.err = errors.Join(r.err, err)
	return n
}

// readOptional asks for a property of a later version or of an extension.
func (r *infoReader) readOptional(param uint32) uint64 {
	n, err := r.api.Number(cl.GetDeviceInfo, param, r.device)
	if err != nil {
		return 0
	}
	return n
}

func (r *infoReader) readSize(param uint32) int64 {
	return int64(min(r.readNumber(param), 1<<63-1))
}

func (d *Device) readInfo() (driver.Info, error) {
	r := &infoReader{api: d.api, device: d.handle}
	info := driver.Info{
		Name:          r.readText(cl.DeviceName),
		Type:          typeOf(r.readNumber(cl.DeviceType)),
		ComputeUnits:  int(r.readNumber(cl.DeviceMaxComputeUnits)),
		MaxWorkGroup:  int(r.readNumber(cl.DeviceMaxWorkGroupSize)),
		LocalMemory:   r.readSize(cl.DeviceLocalMemory),
		GlobalMemory:  r.readSize(cl.DeviceGlobalMemory),
		MaxAllocation: r.readSize(cl.DeviceMaxAllocation),

		Vendor:          r.readText(cl.DeviceVendor),
		VendorID:        uint32(r.readNumber(cl.DeviceVendorID)),
		Version:         r.readText(cl.DeviceVersion),
		DriverVersion:   r.readText(cl.DriverVersion),
		Platform:        d.platform.name,
		PlatformVersion: d.platform.version,
		Extensions:      strings.Fields(r.readText(cl.DeviceExtensions)),
	}
	r.readDetails(&info)
	return info, r.err
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

func (r *infoReader) readDetails(info *driver.Info) {
	info.MaxParameterSize = int(r.readNumber(cl.DeviceMaxParameterSize))
	info.ClockMHz = int(r.readOptional(cl.DeviceMaxClockFrequency))
	info.AddressBits = int(r.readNumber(cl.DeviceAddressBits))
	info.BigEndian = r.readOptional(cl.DeviceEndianLittle) == 0
	info.MemoryAlignment = int(r.readNumber(cl.DeviceMemoryAlignment) / 8)
	info.ConstantMemory = r.readSize(cl.DeviceConstantMemory)
	info.CacheSize = int64(r.readOptional(cl.DeviceCacheSize))
	info.CacheLine = int(r.readOptional(cl.DeviceCacheLine))
	info.HostUnified = r.readOptional(cl.DeviceHostUnified) != 0
	info.LocalIsDedicated = r.readOptional(cl.DeviceLocalMemoryType) == 1
	info.ErrorCorrection = r.readOptional(cl.DeviceErrorCorrection) != 0
	info.VectorWidths = driver.VectorWidths{
		Char: int(r.readOptional(cl.DeviceVectorWidthChar)), Short: int(r.readOptional(cl.DeviceVectorWidthShort)),
		Int: int(r.readOptional(cl.DeviceVectorWidthInt)), Long: int(r.readOptional(cl.DeviceVectorWidthLong)),
		Half: int(r.readOptional(cl.DeviceVectorWidthHalf)), Float: int(r.readOptional(cl.DeviceVectorWidthFloat)),
		Double: int(r.readOptional(cl.DeviceVectorWidthDouble)),
	}
	info.Half = driver.FloatConfig(r.readOptional(cl.DeviceHalfConfig))
	info.Single = driver.FloatConfig(r.readOptional(cl.DeviceSingleConfig))
	info.Double = driver.FloatConfig(r.readOptional(cl.DeviceDoubleConfig))
	info.PrintfBuffer = int64(r.readOptional(cl.DevicePrintfBuffer))
	info.TimerResolution = int(r.readOptional(cl.DeviceTimerResolution))
	info.OutOfOrder = r.readOptional(cl.DeviceQueueProperties)&cl.QueueOutOfOrder != 0
	r.readGroups(info)
}

func (r *infoReader) readGroups(info *driver.Info) {
	items, err := r.api.Numbers(cl.GetDeviceInfo, cl.DeviceMaxWorkItemSizes, 8, r.device)
	if err == nil {
		for i := range min(len(items), 3) {
			info.MaxWorkItems[i] = int(items[i])
		}
	}
	info.MaxSubGroups = int(r.readOptional(cl.DeviceMaxSubGroups))
	if info.HasExtension("cl_intel_required_subgroup_size") {
		sizes, _ := r.api.Numbers(cl.GetDeviceInfo, cl.DeviceSubGroupSizes, 8, r.device)
		for _, s := range sizes {
			info.SubGroupSizes = append(info.SubGroupSizes, int(s))
		}
	}
	il, err := r.api.Text(cl.GetDeviceInfo, cl.DeviceILVersion, r.device)
	if err == nil {
		info.ILVersions = strings.Fields(il)
	}
}

// completeInfo adds what follows from the abilities.
func (d *Device) completeInfo() {
	info := &d.info
	if d.able.takesSPIRV() {
		info.Formats = append(info.Formats, "spirv")
		info.Extensions = append(slices.Clone(info.Extensions), driver.LinkExtension("spir64"))
	}
	if info.HasExtension("cl_khr_spir") || d.able.bitcode {
		info.Formats = append(info.Formats, "llvmbc")
	}
	info.Formats = append(info.Formats, "native")
	info.Aspects = d.listAspects()
}

// listAspects are SYCL's names of the device's abilities.
func (d *Device) listAspects() []string {
	list := []string{map[driver.Type]string{driver.CPU: "cpu", driver.GPU: "gpu", driver.Accelerator: "accelerator"}[d.info.Type]}
	r := &infoReader{api: d.api, device: d.handle}
	for _, a := range []struct {
		name string
		has  bool
	}{
		{"fp16", d.info.HasExtension("cl_khr_fp16")},
		{"fp64", d.info.HasExtension("cl_khr_fp64") || d.info.Double != 0},
		{"atomic64", d.info.HasExtension("cl_khr_int64_base_atomics") && d.info.HasExtension("cl_khr_int64_extended_atomics")},
		{"image", r.readOptional(cl.DeviceImageSupport) != 0},
		{"online_compiler", r.readOptional(cl.DeviceCompilerAvailable) != 0},
		{"online_linker", d.able.takesSPIRV()},
		{"queue_profiling", r.readOptional(cl.DeviceQueueProperties)&cl.QueueProfiling != 0},
	} {
		if a.has {
			list = append(list, a.name)
		}
	}
	return append(list, d.memoryAspects(r)...)
}

func (d *Device) memoryAspects(r *infoReader) (list []string) {
	if d.able.memory == buffers {
		return nil
	}
	list = append(list, "usm_device_allocations")
	if d.able.hostMemory {
		list = append(list, "usm_host_allocations", "usm_shared_allocations")
	}
	if d.able.memory != unifiedMemory {
		return list
	}
	for _, a := range []struct {
		name  string
		param uint32
	}{
		{"usm_atomic_host_allocations", cl.DeviceUSMHost},
		{"usm_atomic_shared_allocations", cl.DeviceUSMShared},
	} {
		if r.readOptional(a.param)&cl.USMAtomic != 0 {
			list = append(list, a.name)
		}
	}
	if r.readOptional(cl.DeviceUSMSharedSystem)&cl.USMAccess != 0 {
		list = append(list, "usm_system_allocations")
	}
	return list
}
