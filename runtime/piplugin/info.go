package piplugin

import (
	"errors"
	"fmt"
	"strings"

	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
	"offlink/runtime/internal/clinfo"
	"offlink/runtime/internal/pi"
)

func (d *Driver) newPlatform(handle pi.Handle) (*platform, error) {
	p := &platform{handle: handle}
	var named, versioned error
	p.name, named = d.plugin.Text(pi.PlatformGetInfo, cl.PlatformName, handle)
	p.version, versioned = d.plugin.Text(pi.PlatformGetInfo, cl.PlatformVersion, handle)
	p.name, p.version = clinfo.Printable(p.name), clinfo.Printable(p.version)
	return p, errors.Join(named, versioned)
}

// isIntelOpenCL reports whether a platform is Intel's OpenCL driver, which calls
// exit when it finds an unknown extension or instruction.
func isIntelOpenCL(platform string) bool { return strings.HasPrefix(platform, "Intel(R) OpenCL") }

// infoReader asks for the device's properties, whose numbers are OpenCL's.
func (d *Device) infoReader() *clinfo.Reader {
	return &clinfo.Reader{Lenient: true, Query: func(param uint32) (value []byte, err error) {
		if value, err = d.plugin.Raw(pi.DeviceGetInfo, param, d.handle); err != nil {
			err = fmt.Errorf("property %#x: %w", param, err)
		}
		return value, err
	}}
}

// readInfo fills the description of the device.
func (d *Device) readInfo() error {
	r := d.infoReader()
	d.info = clinfo.Device(r)
	d.info.Platform, d.info.PlatformVersion = d.platform.name, d.platform.version
	d.info.OutOfOrder = true // several queues in order
	return r.Err
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
	info.Aspects = clinfo.Aspects(d.infoReader(), info, clinfo.Abilities{
		Linker: info.HasExtension(driver.LinkExtension("spir64")), Profiling: d.plugin.Has(pi.EventGetProfilingInfo),
		UnifiedMemory: d.able.usm, HostMemory: d.able.hostMemory,
	})
	return nil
}
