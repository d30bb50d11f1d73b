package ze

import (
	"bytes"
	"fmt"
	"structs"
	"unsafe"

	"offlink/runtime/driver"
)

// The types of structures (ze_structure_type_t).
const (
	typeDriverProperties  = 0x1
	typeDeviceProperties  = 0x3
	typeComputeProperties = 0x4
	typeDeviceModules     = 0x5
	typeQueueGroup        = 0x6
	typeMemoryProperties  = 0x7
	typeContextDesc       = 0xd
	typeQueueDesc         = 0xe
	typeEventPoolDesc     = 0x10
	typeEventDesc         = 0x11
	typeDeviceAllocDesc   = 0x15
	typeHostAllocDesc     = 0x16
	typeModuleDesc        = 0x1b
	typeModuleProperties  = 0x1c
	typeKernelDesc        = 0x1d
	typeKernelProperties  = 0x1e
	typeModuleProgramDesc = 0x00020002
)

// header begins each structure.
type header struct {
	stype uint32
	next  unsafe.Pointer
}

// DeviceProperties are ze_device_properties_t.
type DeviceProperties struct {
	_ structs.HostLayout
	header
	Type                uint32 // 1: GPU, 2: CPU, 3: FPGA
	VendorID            uint32
	DeviceID            uint32
	Flags               uint32 // 1: integrated, 4: ECC
	SubdeviceID         uint32
	ClockRate           uint32 // MHz
	MaxAllocation       uint64
	MaxContexts         uint32
	MaxPriority         uint32
	ThreadsPerEU        uint32
	SIMDWidth           uint32
	EUsPerSubslice      uint32
	SubslicesPerSlice   uint32
	Slices              uint32
	TimerResolution     uint64 // nanoseconds a tick
	TimestampBits       uint32
	KernelTimestampBits uint32
	UUID                [16]byte
	name                [256]byte
}

// Name is the device's name.
func (p *DeviceProperties) Name() string { return textOf(p.name[:]) }

func textOf(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	return string(b)
}

// Properties describes a device.
func (l *Library) Properties(device Handle) (*DeviceProperties, error) {
	p := &DeviceProperties{header: header{stype: typeDeviceProperties}}
	return p, l.callFunction(fnDeviceGetProperties, uintptr(device), uintptr(unsafe.Pointer(p)))
}

// ComputeProperties are ze_device_compute_properties_t.
type ComputeProperties struct {
	_ structs.HostLayout
	header
	MaxGroup      uint32
	MaxGroupSize  [3]uint32
	MaxGroupCount [3]uint32
	LocalMemory   uint32
	subGroupCount uint32
	subGroups     [8]uint32
}

// SubGroupSizes are the sizes that the device has.
func (p *ComputeProperties) SubGroupSizes() []int {
	var sizes []int
	for _, n := range p.subGroups[:min(int(p.subGroupCount), len(p.subGroups))] {
		sizes = append(sizes, int(n))
	}
	return sizes
}

// Compute describes a device's limits of launches.
func (l *Library) Compute(device Handle) (*ComputeProperties, error) {
	p := &ComputeProperties{header: header{stype: typeComputeProperties}}
	return p, l.callFunction(fnDeviceGetComputeProperties, uintptr(device), uintptr(unsafe.Pointer(p)))
}

// ModuleProperties are ze_device_module_properties_t.
type ModuleProperties struct {
	_ structs.HostLayout
	header
	SPIRV        uint32 // the newest version, major and minor in 16 bits each; 0: it takes no SPIR-V
	Flags        uint32 // of the constants below
	Half         FloatFlags
	Single       FloatFlags
	Double       FloatFlags
	MaxArguments uint32 // bytes of a kernel's arguments
	PrintfBuffer uint32 // bytes
	native       [16]byte
}

// The bits of ModuleProperties.Flags.
const (
	ModuleHalf     = 1
	ModuleDouble   = 2
	ModuleAtomic64 = 4
)

// FloatFlags are ze_device_fp_flags_t.
type FloatFlags uint32

// Config returns the flags as OpenCL numbers them: the last two are the other way round
// there.
func (f FloatFlags) Config() driver.FloatConfig {
	const (
		common       = 1<<6 - 1
		roundedSqrt  = 1 << 6
		softwareOnly = 1 << 7
	)
	config := driver.FloatConfig(f & common)
	if f&roundedSqrt != 0 {
		config |= driver.FloatCorrectlyRoundedDivideSqrt
	}
	if f&softwareOnly != 0 {
		config |= driver.FloatSoft
	}
	return config
}

// Modules describes the code that a device takes.
func (l *Library) Modules(device Handle) (*ModuleProperties, error) {
	p := &ModuleProperties{header: header{stype: typeDeviceModules}}
	return p, l.callFunction(fnDeviceGetModuleProperties, uintptr(device), uintptr(unsafe.Pointer(p)))
}

// queueGroupProperties are ze_command_queue_group_properties_t.
type queueGroupProperties struct {
	_ structs.HostLayout
	header
	flags       uint32
	fillPattern uintptr
	queues      uint32
}

const groupComputes = 1 // ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE

// ComputeGroup is the number of a device's first group of queues that run kernels. Others
// only copy, and the order is the driver's.
func (l *Library) ComputeGroup(device Handle) (ordinal uint32, err error) {
	var count uint32
	if err := l.callFunction(fnDeviceGetCommandQueueGroupProperties, uintptr(device), uintptr(unsafe.Pointer(&count)), 0); err != nil || count == 0 {
		return 0, err
	}
	const most = 64
	list := make([]queueGroupProperties, min(count, most))
	count = uint32(len(list))
	for i := range list {
		list[i].stype = typeQueueGroup
	}
	err = l.callFunction(fnDeviceGetCommandQueueGroupProperties, uintptr(device), uintptr(unsafe.Pointer(&count)), uintptr(unsafe.Pointer(&list[0])))
	if err != nil {
		return 0, err
	}
	for i, p := range list {
		if p.flags&groupComputes != 0 {
			return uint32(i), nil
		}
	}
	return 0, fmt.Errorf("%s: no group of queues runs kernels", functionNames[fnDeviceGetCommandQueueGroupProperties])
}

// memoryProperties are ze_device_memory_properties_t.
type memoryProperties struct {
	_ structs.HostLayout
	header
	flags, clock, width uint32
	total               uint64
	name                [256]byte
}

// TotalMemory is the size of all memories of a device.
func (l *Library) TotalMemory(device Handle) (total int64, err error) {
	var count uint32
	if err := l.callFunction(fnDeviceGetMemoryProperties, uintptr(device), uintptr(unsafe.Pointer(&count)), 0); err != nil || count == 0 {
		return 0, err
	}
	const most = 64
	list := make([]memoryProperties, min(count, most))
	count = uint32(len(list))
	for i := range list {
		list[i].stype = typeMemoryProperties
	}
	err = l.callFunction(fnDeviceGetMemoryProperties, uintptr(device), uintptr(unsafe.Pointer(&count)), uintptr(unsafe.Pointer(&list[0])))
	for _, p := range list {
		total += int64(p.total)
	}
	return total, err
}

// APIVersion is the version of Level Zero that a driver has: major and minor.
func (l *Library) APIVersion(driver Handle) (major, minor int, err error) {
	var version uint32
	err = l.callFunction(fnDriverGetAPIVersion, uintptr(driver), uintptr(unsafe.Pointer(&version)))
	return int(version >> 16), int(version & 0xffff), err
}

// driverProperties are ze_driver_properties_t.
type driverProperties struct {
	_ structs.HostLayout
	header
	uuid    [16]byte
	version uint32
}

// DriverVersion is the number that a driver calls its version.
func (l *Library) DriverVersion(driver Handle) (uint32, error) {
	p := &driverProperties{header: header{stype: typeDriverProperties}}
	err := l.callFunction(fnDriverGetProperties, uintptr(driver), uintptr(unsafe.Pointer(p)))
	return p.version, err
}

// extensionProperties are ze_driver_extension_properties_t.
type extensionProperties struct {
	name    [256]byte
	version uint32
}

// Extensions are the names of a driver's extensions.
func (l *Library) Extensions(driver Handle) ([]string, error) {
	var count uint32
	if err := l.callFunction(fnDriverGetExtensionProperties, uintptr(driver), uintptr(unsafe.Pointer(&count)), 0); err != nil || count == 0 {
		return nil, err
	}
	const most = 1 << 10
	list := make([]extensionProperties, min(count, most))
	count = uint32(len(list))
	err := l.callFunction(fnDriverGetExtensionProperties, uintptr(driver), uintptr(unsafe.Pointer(&count)), uintptr(unsafe.Pointer(&list[0])))
	var names []string
	for i := range list[:min(int(count), len(list))] {
		names = append(names, textOf(list[i].name[:]))
	}
	return names, err
}

// flagsDesc are the descriptors that have flags only.
type flagsDesc struct {
	_ structs.HostLayout
	header
	flags uint32
}

// NewContext makes a context of a driver.
func (l *Library) NewContext(driver Handle) (context Handle, err error) {
	desc := &flagsDesc{header: header{stype: typeContextDesc}}
	err = l.callFunction(fnContextCreate, uintptr(driver), uintptr(unsafe.Pointer(desc)), uintptr(unsafe.Pointer(&context)))
	return context, checkMade(fnContextCreate, context, err)
}

// DestroyContext releases a context.
func (l *Library) DestroyContext(context Handle) error {
	return l.callFunction(fnContextDestroy, uintptr(context))
}
