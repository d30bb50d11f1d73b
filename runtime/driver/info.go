package driver

// Type is the type of a device, in the spelling of selectors.
type Type string

// The device types.
const (
	CPU         Type = "cpu"
	GPU         Type = "gpu"
	Accelerator Type = "fpga"
)

// Info describes a device: the answers to OpenCL's clGetDeviceInfo and SYCL's
// info::device. Sizes are in bytes. A field is 0, or nil, if the driver does not
// report it; the first eight are always set. The slices must not be changed.
type Info struct {
	Name          string
	Type          Type
	ComputeUnits  int
	MaxWorkGroup  int // work-items
	LocalMemory   int64
	GlobalMemory  int64
	MaxAllocation int64
	Formats       []string // image formats taken: "spirv", "llvmbc", "native"

	Vendor          string
	VendorID        uint32 // of PCI, or of Khronos
	Version         string // of the device
	DriverVersion   string
	Platform        string
	PlatformVersion string
	ILVersions      []string // "SPIR-V_1.0", ...

	MaxWorkItems     [3]int // of a work-group, in each dimension
	MaxGroups        [3]int64
	SubGroupSizes    []int
	MaxSubGroups     int // of a work-group
	MaxParameterSize int // of all arguments of a kernel
	ClockMHz         int
	AddressBits      int
	BigEndian        bool

	MemoryAlignment  int // of allocations
	ConstantMemory   int64
	CacheSize        int64 // of global memory
	CacheLine        int
	HostUnified      bool // the device works in the host's memory
	LocalIsDedicated bool // local memory is faster than global memory
	ErrorCorrection  bool

	// VectorWidths are the preferred numbers of elements of a vector.
	VectorWidths VectorWidths
	Half         FloatConfig
	Single       FloatConfig
	Double       FloatConfig
	PrintfBuffer int64

	// TimerResolution is in nanoseconds.
	TimerResolution int
	// OutOfOrder queues run commands at the same time.
	OutOfOrder bool

	// Extensions are the driver's own strings: "cl_khr_fp64", ...; the ability
	// to link is one of pi_ext_spirv64_linking and its siblings.
	Extensions []string
	// Aspects are SYCL's names: "fp64", "usm_device_allocations", ...
	Aspects []string
}

// HasExtension reports whether the device lists the extension.
func (i *Info) HasExtension(name string) bool { return contains(i.Extensions, name) }

// HasAspect reports whether the device has an aspect of SYCL.
func (i *Info) HasAspect(name string) bool { return contains(i.Aspects, name) }

func contains(list []string, name string) bool {
	for _, s := range list {
		if s == name {
			return true
		}
	}
	return false
}

// VectorWidths are numbers of elements by the type of an element; 0 is a type
// that the device lacks.
type VectorWidths struct {
	Char, Short, Int, Long, Half, Float, Double int
}

// FloatConfig is the behavior of a floating-point type, in the bits of
// OpenCL's cl_device_fp_config; 0 is a type that the device lacks.
type FloatConfig uint32

// The bits of FloatConfig.
const (
	FloatDenorm                     FloatConfig = 1 << iota
	FloatInfNaN                                 // INF and NaNs
	FloatRoundToNearest                         // to nearest even
	FloatRoundToZero                            //
	FloatRoundToInf                             // to both infinities
	FloatFMA                                    // fused multiply-add
	FloatSoft                                   // done in software
	FloatCorrectlyRoundedDivideSqrt             // division and sqrt
)

// LinkExtension is the extension string that says that images for the target
// can be linked with others, "" for a target that has none (SharedLibraries
// design document of DPC++).
func LinkExtension(target string) string {
	switch target {
	case "spir64":
		return "pi_ext_spirv64_linking"
	case "spir64_x86_64":
		return "pi_ext_spirv64_x86_64_linking"
	case "spir64_gen":
		return "pi_ext_spirv64_gen_linking"
	case "spir64_fpga":
		return "pi_ext_spirv64_fpga_linking"
	}
	return ""
}
