package piplugin

import (
	"errors"
	"strings"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/pi"
)

func (d *Driver) newPlatform(handle pi.Handle) (*platform, error) {
	p := &platform{handle: handle}
	var named, versioned error
	p.name, named = d.plugin.Text(pi.PlatformGetInfo, cl.PlatformName, handle)
	p.version, versioned = d.plugin.Text(pi.PlatformGetInfo, cl.PlatformVersion, handle)
	return p, errors.Join(named, versioned)
}

// isIntelOpenCL tells whether a platform is Intel's OpenCL driver, which calls
// exit when it meets an unknown extension or instruction.
func isIntelOpenCL(platform string) bool { return strings.HasPrefix(platform, "Intel(R) OpenCL") }

// infoReader asks for a device's properties, whose numbers are OpenCL's. It
// keeps the first error of those that every device must answer; others are 0
// where the plugin does not know them.
type infoReader struct {
	device *Device
	err    error
}

func (r *infoReader) text(param uint32) string {
	text, err := r.device.plugin.Text(pi.DeviceGetInfo, param, r.device.handle)
	r.err = errors.Join(r.err, err)
	return text
}

func (r *infoReader) number(param uint32) uint64 {
	n, err := r.device.plugin.Number(pi.DeviceGetInfo, param, r.device.handle)
	r.err = errors.Join(r.err, err)
	return n
}

// optional asks for a property that a version or a device may lack.
func (r *infoReader) optional(param uint32) uint64 {
	n, err := r.device.plugin.Number(pi.DeviceGetInfo, param, r.device.handle)
	if err != nil {
		return 0
	}
	return n
}

func (r *infoReader) optionalText(param uint32) string {
	text, _ := r.device.plugin.Text(pi.DeviceGetInfo, param, r.device.handle)
	return text
}

func (r *infoReader) size(param uint32) int64 { return int64(min(r.number(param), 1<<63-1)) }

// readInfo fills the description of the device.
func (d *Device) readInfo() error {
	r := &infoReader{device: d}
	d.info = driver.Info{
		Name:          r.text(cl.DeviceName),
		Type:          typeOf(r.number(cl.DeviceType)),
		ComputeUnits:  int(r.number(cl.DeviceMaxComputeUnits)),
		MaxWorkGroup:  int(r.number(cl.DeviceMaxWorkGroupSize)),
		LocalMemory:   r.size(cl.DeviceLocalMemory),
		GlobalMemory:  r.size(cl.DeviceGlobalMemory),
		MaxAllocation: r.size(cl.DeviceMaxAllocation),

		Vendor:          r.text(cl.DeviceVendor),
		VendorID:        uint32(r.optional(cl.DeviceVendorID)),
		Version:         r.optionalText(cl.DeviceVersion),
		DriverVersion:   r.optionalText(cl.DriverVersion),
		Platform:        d.platform.name,
		PlatformVersion: d.platform.version,
		ILVersions:      strings.Fields(r.optionalText(cl.DeviceILVersion)),
		Extensions:      strings.Fields(r.optionalText(cl.DeviceExtensions)),
	}
	r.readDetails(&d.info)
	return r.err
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
	info.MaxParameterSize = int(r.optional(cl.DeviceMaxParameterSize))
	info.ClockMHz = int(r.optional(cl.DeviceMaxClockFrequency))
	info.AddressBits = int(r.optional(cl.DeviceAddressBits))
	info.BigEndian = r.optional(cl.DeviceEndianLittle) == 0
	info.MemoryAlignment = int(r.optional(cl.DeviceMemoryAlignment) / 8)
	info.ConstantMemory = int64(r.optional(cl.DeviceConstantMemory))
	info.CacheSize = int64(r.optional(cl.DeviceCacheSize))
	info.CacheLine = int(r.optional(cl.DeviceCacheLine))
	info.HostUnified = r.optional(cl.DeviceHostUnified) != 0
	info.LocalIsDedicated = r.optional(cl.DeviceLocalMemoryType) == 1
	info.ErrorCorrection = r.optional(cl.DeviceErrorCorrection) != 0
	info.VectorWidths = driver.VectorWidths{
		Char: int(r.optional(cl.DeviceVectorWidthChar)), Short: int(r.optional(cl.DeviceVectorWidthShort)),
		Int: int(r.optional(cl.DeviceVectorWidthInt)), Long: int(r.optional(cl.DeviceVectorWidthLong)),
		Half: int(r.optional(cl.DeviceVectorWidthHalf)), Float: int(r.optional(cl.DeviceVectorWidthFloat)),
		Double: int(r.optional(cl.DeviceVectorWidthDouble)),
	}
	info.Half = driver.FloatConfig(r.optional(cl.DeviceHalfConfig))
	info.Single = driver.FloatConfig(r.optional(cl.DeviceSingleConfig))
	info.Double = driver.FloatConfig(r.optional(cl.DeviceDoubleConfig))
	info.PrintfBuffer = int64(r.optional(cl.DevicePrintfBuffer))
	info.TimerResolution = int(r.optional(cl.DeviceTimerResolution))
	info.OutOfOrder = true // several queues in order
	r.readGroups(info)
}

func (r *infoReader) readGroups(info *driver.Info) {
	d := r.device
	items, err := d.plugin.Numbers(pi.DeviceGetInfo, cl.DeviceMaxWorkItemSizes, 8, d.handle)
	if err == nil {
		for i := range min(len(items), 3) {
			info.MaxWorkItems[i] = int(items[i])
		}
	}
	info.MaxSubGroups = int(r.optional(cl.DeviceMaxSubGroups))
	// OpenCL's plugins answer in size_t, those of Unified Runtime in 32 bits.
	sizes, err := d.plugin.Numbers(pi.DeviceGetInfo, cl.DeviceSubGroupSizes, 4, d.handle)
	for _, s := range sizes {
		if err == nil && s != 0 {
			info.SubGroupSizes = append(info.SubGroupSizes, int(s))
		}
	}
}

// completeInfo adds what follows from the abilities. Its error is that of a
// call that failed.
func (d *Device) completeInfo() error {
	info := &d.info
	refused := d.Accepts(driver.Image{Format: "spirv", Target: "spir64"})
	if _, failed := errors.AsType[*driver.CallError](refused); failed {
		return refused
	}
	if refused == nil {
		info.Formats = append(info.Formats, "spirv")
		info.Extensions = append(info.Extensions, driver.LinkExtension("spir64"))
	}
	if d.plugin.Has(pi.ProgramCreateWithBinary) && d.plugin.Has(pi.ProgramBuild) {
		info.Formats = append(info.Formats, "native")
	}
	info.Aspects = d.aspects()
	return nil
}

// aspects are SYCL's names of the device's abilities.
func (d *Device) aspects() []string {
	list := []string{map[driver.Type]string{driver.CPU: "cpu", driver.GPU: "gpu", driver.Accelerator: "accelerator"}[d.info.Type]}
	r := &infoReader{device: d}
	for _, a := range []struct {
		name string
		has  bool
	}{
		{"fp16", d.info.HasExtension("cl_khr_fp16")},
		{"fp64", d.info.HasExtension("cl_khr_fp64") || d.info.Double != 0},
		{"atomic64", d.info.HasExtension("cl_khr_int64_base_atomics") && d.info.HasExtension("cl_khr_int64_extended_atomics")},
		{"image", r.optional(cl.DeviceImageSupport) != 0},
		{"online_compiler", r.optional(cl.DeviceCompilerAvailable) != 0},
		{"online_linker", d.info.HasExtension(driver.LinkExtension("spir64"))},
		{"queue_profiling", d.plugin.Has(pi.EventGetProfilingInfo)},
		{"usm_device_allocations", d.able.usm},
		{"usm_host_allocations", d.able.hostMemory},
		{"usm_shared_allocations", d.able.hostMemory},
		{"usm_atomic_host_allocations", d.able.hostMemory && r.optional(cl.DeviceUSMHost)&cl.USMAtomic != 0},
		{"usm_atomic_shared_allocations", d.able.hostMemory && r.optional(cl.DeviceUSMShared)&cl.USMAtomic != 0},
		{"usm_system_allocations", d.able.usm && r.optional(cl.DeviceUSMSharedSystem)&cl.USMAccess != 0},
	} {
		if a.has {
			list = append(list, a.name)
		}
	}
	return list
}
