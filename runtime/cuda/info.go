package cuda

import (
	"fmt"

	"offlink/runtime/driver"
	"offlink/runtime/internal/libcuda"
	"offlink/runtime/internal/streams"
)

// limits are those of launches; a work-group is a block of threads.
type limits struct {
	streams.Limits
	warp   int
	static int // bytes of shared memory that a launch gets without asking for more
	major  int // of the compute capability
	minor  int
}

// vendorID is NVIDIA's PCI vendor ID.
const vendorID = 0x10de

// attributeReader reads attributes up to the first failure.
type attributeReader struct {
	device *Device
	err    error
}

func (r *attributeReader) readAttribute(a libcuda.Attribute) int {
	if r.err != nil {
		return 0
	}
	value := 0
	value, r.err = r.device.library.Attribute(r.device.number, a)
	return value
}

// readInfo fills the description of the device.
func (d *Device) readInfo() error {
	name, err := d.library.Name(d.number)
	if err != nil {
		return err
	}
	total, err := d.library.TotalMemory(d.number)
	if err != nil {
		return err
	}
	r := &attributeReader{device: d}
	d.readLimits(r)
	d.info = driver.Info{
		Name: name, Type: driver.GPU,
		ComputeUnits: r.readAttribute(libcuda.MultiprocessorCount),
		MaxWorkGroup: r.readAttribute(libcuda.MaxThreadsPerBlock),
		LocalMemory:  int64(max(r.readAttribute(libcuda.MaxSharedPerBlock), r.readAttribute(libcuda.MaxSharedPerBlockOptin))),
		GlobalMemory: total, MaxAllocation: total,
		Formats: []string{"none", "native"},

		Vendor: "NVIDIA Corporation", VendorID: vendorID,
		Version:       fmt.Sprintf("compute capability %d.%d", d.limits.major, d.limits.minor),
		DriverVersion: "CUDA " + d.driver.Version(),
		Platform:      "NVIDIA CUDA", PlatformVersion: "CUDA " + d.driver.Version(),

		MaxWorkItems: d.limits.Group, MaxGroups: d.limits.Groups,
		SubGroupSizes: []int{d.limits.warp}, MaxParameterSize: maxParameters,
		ClockMHz: r.readAttribute(libcuda.ClockRate) / 1000, AddressBits: 64,

		MemoryAlignment: 256,
		ConstantMemory:  int64(r.readAttribute(libcuda.TotalConstantMemory)),
		CacheSize:       int64(r.readAttribute(libcuda.L2CacheSize)), CacheLine: 128,
		HostUnified:      r.readAttribute(libcuda.Integrated) != 0,
		LocalIsDedicated: true, ErrorCorrection: r.readAttribute(libcuda.ECCEnabled) != 0,

		VectorWidths:    driver.VectorWidths{Char: 1, Short: 1, Int: 1, Long: 1, Half: 1, Float: 1, Double: 1},
		Half:            floats,
		Single:          floats | driver.FloatCorrectlyRoundedDivideSqrt,
		Double:          floats,
		TimerResolution: 500, OutOfOrder: true, // cuEventElapsedTime
		Extensions: extensions, Aspects: d.listAspects(r),
	}
	if d.limits.warp > 0 {
		d.info.MaxSubGroups = d.info.MaxWorkGroup / d.limits.warp
	}
	return r.err
}

func (d *Device) readLimits(r *attributeReader) {
	for i := range 3 {
		d.limits.Group[i] = r.readAttribute(libcuda.MaxBlockDimX + libcuda.Attribute(i))
		d.limits.Groups[i] = int64(r.readAttribute(libcuda.MaxGridDimX + libcuda.Attribute(i)))
	}
	d.limits.warp = r.readAttribute(libcuda.WarpSize)
	d.limits.static = r.readAttribute(libcuda.MaxSharedPerBlock)
	d.readsPageable = r.readAttribute(libcuda.PageableMemoryAccess) != 0
	d.limits.major, d.limits.minor = r.readAttribute(libcuda.ComputeCapabilityMajor), r.readAttribute(libcuda.ComputeCapabilityMinor)
}

const (
	floats = driver.FloatDenorm | driver.FloatInfNaN | driver.FloatRoundToNearest | driver.FloatRoundToZero |
		driver.FloatRoundToInf | driver.FloatFMA
	maxParameters = 4 << 10 // of all devices; more from compute capability 7 and CUDA 12.1 on
)

var extensions = []string{
	"cl_khr_byte_addressable_store", "cl_khr_fp16", "cl_khr_fp64", "cl_khr_global_int32_base_atomics",
	"cl_khr_global_int32_extended_atomics", "cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics",
	"cl_khr_local_int32_base_atomics", "cl_khr_local_int32_extended_atomics",
}

// listAspects are SYCL's names for the device's abilities.
func (d *Device) listAspects(r *attributeReader) []string {
	list := []string{
		"gpu", "fp64", "atomic64", "queue_profiling", "usm_device_allocations", "usm_host_allocations",
	}
	if d.limits.major*10+d.limits.minor >= 53 {
		list = append(list, "fp16")
	}
	if r.readAttribute(libcuda.ManagedMemory) != 0 {
		list = append(list, "usm_shared_allocations")
	}
	if r.readAttribute(libcuda.ConcurrentManagedAccess) != 0 {
		list = append(list, "usm_atomic_shared_allocations")
	}
	return list
}

// Info describes the device.
func (d *Device) Info() driver.Info { return d.info }
