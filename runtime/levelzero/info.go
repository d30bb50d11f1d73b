package levelzero

import (
	"fmt"
	"math"

	"offlink/runtime/driver"
	"offlink/runtime/internal/clinfo"
	"offlink/runtime/internal/ze"
)

// typesOf are the types of devices that run kernels. A processor for neural networks has a
// driver too, which takes no SPIR-V.
var typesOf = map[uint32]driver.Type{1: driver.GPU, 2: driver.CPU, 3: driver.Accelerator}

const (
	flagIntegrated = 1
	flagECC        = 4
	vendorIntel    = 0x8086
)

// readInfo fills the description of the device. It asks one that runs no kernels for
// nothing but its type.
func (d *Device) readInfo() error {
	p, err := d.library.Properties(d.handle)
	if err != nil || typesOf[p.Type] == "" {
		return err
	}
	compute, err := d.library.Compute(d.handle)
	if err != nil {
		return err
	}
	modules, err := d.library.Modules(d.handle)
	if err != nil {
		return err
	}
	total, err := d.library.TotalMemory(d.handle)
	if err != nil {
		return err
	}
	if d.group, err = d.library.ComputeGroup(d.handle); err != nil {
		return err
	}
	d.ticks, d.bits = p.TimerResolution, p.KernelTimestampBits
	for i := range 3 {
		d.limits.Group[i], d.limits.Groups[i] = int(compute.MaxGroupSize[i]), int64(compute.MaxGroupCount[i])
	}
	d.info = describeDevice(p, compute)
	d.info.GlobalMemory = total
	d.info.PlatformVersion = fmt.Sprintf("Level Zero %d.%d", d.major, d.minor)
	d.info.DriverVersion = fmt.Sprint(d.version)
	d.info.MaxWorkItems, d.info.MaxGroups = d.limits.Group, d.limits.Groups
	describeModules(&d.info, modules)
	return nil
}

func describeDevice(p *ze.DeviceProperties, compute *ze.ComputeProperties) driver.Info {
	info := driver.Info{
		Name: clinfo.Printable(p.Name()), Type: typesOf[p.Type],
		ComputeUnits: int(max(1, p.Slices*p.SubslicesPerSlice*p.EUsPerSubslice)),
		MaxWorkGroup: int(compute.MaxGroup), LocalMemory: int64(compute.LocalMemory),
		MaxAllocation: int64(min(p.MaxAllocation, math.MaxInt64)),

		Vendor: fmt.Sprintf("PCI vendor %#x", p.VendorID), VendorID: p.VendorID,
		Version: fmt.Sprintf("device %#x", p.DeviceID), Platform: "Level Zero",

		SubGroupSizes: compute.SubGroupSizes(), ClockMHz: int(p.ClockRate), AddressBits: 64, MemoryAlignment: allocationAlign,
		HostUnified: p.Flags&flagIntegrated != 0, LocalIsDedicated: true, ErrorCorrection: p.Flags&flagECC != 0,
		TimerResolution: int(p.TimerResolution), OutOfOrder: true,
	}
	if p.VendorID == vendorIntel {
		info.Vendor = "Intel Corporation"
	}
	return info
}

// describeModules adds the code that the device takes, and the aspects that follow.
func describeModules(info *driver.Info, p *ze.ModuleProperties) {
	info.MaxParameterSize, info.PrintfBuffer = int(p.MaxArguments), int64(p.PrintfBuffer)
	info.Half, info.Single, info.Double = p.Half.Config(), p.Single.Config(), p.Double.Config()
	info.VectorWidths = driver.VectorWidths{Char: 1, Short: 1, Int: 1, Long: 1, Float: 1}
	info.Aspects = []string{map[driver.Type]string{driver.CPU: "cpu", driver.GPU: "gpu", driver.Accelerator: "accelerator"}[info.Type]}
	if p.Flags&ze.ModuleHalf != 0 {
		info.VectorWidths.Half = 1
		info.Aspects = append(info.Aspects, "fp16")
	}
	if p.Flags&ze.ModuleDouble != 0 {
		info.VectorWidths.Double = 1
		info.Aspects = append(info.Aspects, "fp64")
	}
	if p.Flags&ze.ModuleAtomic64 != 0 {
		info.Aspects = append(info.Aspects, "atomic64")
	}
	if info.ILVersions = spirvVersions(p.SPIRV); len(info.ILVersions) > 0 {
		info.Formats, info.Extensions = []string{"spirv"}, []string{driver.LinkExtension("spir64")}
		info.Aspects = append(info.Aspects, "online_compiler", "online_linker")
	}
	info.Aspects = append(info.Aspects, "queue_profiling", "usm_device_allocations", "usm_host_allocations", "usm_shared_allocations")
}

// newestSPIRV is the minor version of the newest SPIR-V, which bounds the answer of a driver.
const newestSPIRV = 6

// spirvVersions are the versions of SPIR-V up to one, in the words of OpenCL.
func spirvVersions(newest uint32) (list []string) {
	major, minor := newest>>16, newest&0xffff
	if major > 1 {
		minor = newestSPIRV
	}
	for i := range min(minor, newestSPIRV) + 1 {
		if major > 0 {
			list = append(list, fmt.Sprintf("SPIR-V_1.%d", i))
		}
	}
	return list
}
