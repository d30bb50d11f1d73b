package clinfo

import (
	"offlink/runtime/driver"
	"offlink/runtime/internal/cl"
)

// Abilities are the abilities of a device that its back end uses, as far as aspects report
// them.
type Abilities struct {
	Linker        bool // images of SPIR-V are linked
	Profiling     bool
	UnifiedMemory bool // addresses of cl_intel_unified_shared_memory, or of virtual memory
	HostMemory    bool // host and shared memory exist
	// NoUSMQueries: the device has virtual memory, and does not know the queries of
	// unified memory.
	NoUSMQueries bool
}

// Aspects are SYCL's names of a device's abilities.
func Aspects(r *Reader, info *driver.Info, a Abilities) []string {
	list := []string{map[driver.Type]string{driver.CPU: "cpu", driver.GPU: "gpu", driver.Accelerator: "accelerator"}[info.Type]}
	queries := !a.NoUSMQueries && a.UnifiedMemory
	for _, aspect := range []struct {
		name string
		has  bool
	}{
		{"fp16", info.HasExtension("cl_khr_fp16")},
		{"fp64", info.HasExtension("cl_khr_fp64") || info.Double != 0},
		{"atomic64", info.HasExtension("cl_khr_int64_base_atomics") && info.HasExtension("cl_khr_int64_extended_atomics")},
		{"image", r.OptionalNumber(cl.DeviceImageSupport) != 0},
		{"online_compiler", r.OptionalNumber(cl.DeviceCompilerAvailable) != 0},
		{"online_linker", a.Linker},
		{"queue_profiling", a.Profiling},
		{"usm_device_allocations", a.UnifiedMemory},
		{"usm_host_allocations", a.HostMemory},
		{"usm_shared_allocations", a.HostMemory},
		{"usm_atomic_host_allocations", queries && a.HostMemory && r.has(cl.DeviceUSMHost, cl.USMAtomic)},
		{"usm_atomic_shared_allocations", queries && a.HostMemory && r.has(cl.DeviceUSMShared, cl.USMAtomic)},
		{"usm_system_allocations", queries && r.has(cl.DeviceUSMSharedSystem, cl.USMAccess)},
	} {
		if aspect.has {
			list = append(list, aspect.name)
		}
	}
	return list
}
