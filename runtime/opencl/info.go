package opencl

import (
	"slices"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/clinfo"
)

// infoReader asks for the device's properties.
func (d *Device) infoReader() *clinfo.Reader {
	return &clinfo.Reader{Query: func(param uint32) ([]byte, error) { return d.api.Raw(cl.GetDeviceInfo, param, d.handle) }}
}

func (d *Device) readInfo() (driver.Info, error) {
	r := d.infoReader()
	info := clinfo.Device(r)
	info.Platform, info.PlatformVersion = d.platform.name, d.platform.version
	return info, r.Err
}

// completeInfo adds the formats, extensions and aspects that follow from the abilities.
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
	r := d.infoReader()
	info.Aspects = clinfo.Aspects(r, info, clinfo.Abilities{
		Linker: d.able.takesSPIRV(), Profiling: r.OptionalNumber(cl.DeviceQueueProperties)&cl.QueueProfiling != 0,
		UnifiedMemory: d.able.memory != buffers, HostMemory: d.able.hostMemory, NoUSMQueries: d.able.memory != unifiedMemory,
	})
}
