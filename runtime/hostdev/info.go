package hostdev

import (
	"cmp"
	"runtime"

	"offlink/runtime/driver"
)

// Info describes the device.
func (d *Device) Info() driver.Info {
	name := deviceName
	if d.options.Check {
		name += ", checked"
	}
	cached := processorCache.Get()
	return driver.Info{
		Name:          name,
		Type:          driver.CPU,
		ComputeUnits:  runtime.GOMAXPROCS(0),
		ClockMHz:      processorMHz.Get(),
		MaxWorkGroup:  maxGroup,
		LocalMemory:   maxLocal,
		GlobalMemory:  maxGlobal,
		MaxAllocation: maxAllocation,
		Formats:       formats,

		Vendor:          "offlink",
		Version:         "SPIR-V 1.6",
		DriverVersion:   driverVersion,
		Platform:        "offlink",
		PlatformVersion: driverVersion,
		ILVersions:      ilVersions,

		MaxWorkItems:     [3]int{maxGroup, maxGroup, maxGroup},
		MaxGroups:        [3]int64{maxItems, maxItems, maxItems},
		SubGroupSizes:    subGroupSizes,
		MaxSubGroups:     maxGroup,
		MaxParameterSize: 64 << 10,
		AddressBits:      64,

		MemoryAlignment: granule,
		ConstantMemory:  maxAllocation,
		CacheSize:       cached.size,
		CacheLine:       int(cmp.Or(cached.line, usualCacheLine)),
		HostUnified:     true,

		VectorWidths: driver.VectorWidths{Char: 1, Short: 1, Int: 1, Long: 1, Half: 1, Float: 1, Double: 1},
		Half:         floats,
		Single:       floats | driver.FloatCorrectlyRoundedDivideSqrt,
		Double:       floats,
		PrintfBuffer: 1 << 30,

		TimerResolution: 1,
		OutOfOrder:      true,
		Extensions:      extensions,
		Aspects:         aspects,
	}
}

// usualCacheLine is the length, in bytes, where the system does not tell it.
const usualCacheLine = 64

// driverVersion is part of the binaries of programs; it changes with their
// format.
const driverVersion = "1"

const floats = driver.FloatDenorm | driver.FloatInfNaN | driver.FloatRoundToNearest | driver.FloatFMA

var (
	formats       = []string{"spirv"}
	subGroupSizes = []int{1, 2, 4, 8, 16, 32, 64}
	ilVersions    = []string{"SPIR-V_1.0", "SPIR-V_1.1", "SPIR-V_1.2", "SPIR-V_1.3", "SPIR-V_1.4", "SPIR-V_1.5", "SPIR-V_1.6"}
	extensions    = []string{
		"cl_ext_float_atomics",
		"cl_khr_3d_image_writes", "cl_khr_byte_addressable_store", "cl_khr_expect_assume", "cl_khr_extended_bit_ops", "cl_khr_fp16", "cl_khr_fp64",
		"cl_khr_global_int32_base_atomics", "cl_khr_global_int32_extended_atomics", "cl_khr_il_program",
		"cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics", "cl_khr_integer_dot_product",
		"cl_khr_local_int32_base_atomics", "cl_khr_local_int32_extended_atomics",
		"cl_khr_spir", "cl_khr_spirv_linkonce_odr", "cl_khr_spirv_no_integer_wrap_decoration",
		"cl_khr_subgroup_ballot", "cl_khr_subgroup_clustered_reduce", "cl_khr_subgroup_extended_types",
		"cl_khr_subgroup_non_uniform_arithmetic", "cl_khr_subgroup_non_uniform_vote", "cl_khr_subgroup_rotate",
		"cl_khr_subgroup_shuffle", "cl_khr_subgroup_shuffle_relative",
		"pi_ext_spirv64_linking",
	}
	aspects = []string{
		"cpu", "fp16", "fp64", "atomic64", "image", "online_compiler", "online_linker", "queue_profiling",
		"usm_device_allocations", "usm_host_allocations", "usm_shared_allocations", "usm_atomic_host_allocations",
		"usm_atomic_shared_allocations",
	}
)
