package derive

import (
	"slices"

	"offlink/ir"
	"offlink/ir/sycl"
	"offlink/lazy"
	"offlink/split"
)

// device has the features of a target that device code can ask for (intel/llvm,
// DeviceConfigFile.td).
type device struct {
	aspects   []string
	subGroups []int64
}

// The aspects that targets share. Those of a vendor are common to all its devices.
var (
	usmAspects = `usm_device_allocations usm_host_allocations usm_shared_allocations usm_system_allocations
		usm_atomic_host_allocations usm_atomic_shared_allocations`

	intelAspects = `fp16 atomic64 ext_intel_esimd`

	nvidiaAspects = usmAspects + ` gpu fp64 online_compiler online_linker queue_profiling ext_intel_pci_address
		ext_intel_max_mem_bandwidth ext_intel_memory_bus_width ext_intel_device_info_uuid ext_oneapi_native_assert
		ext_intel_free_memory ext_intel_device_id ext_intel_memory_clock_rate ext_oneapi_ballot_group
		ext_oneapi_fixed_size_group ext_oneapi_opportunistic_group ext_oneapi_graph ext_oneapi_limited_graph
		ext_oneapi_bindless_images ext_oneapi_bindless_images_shared_usm ext_oneapi_bindless_images_1d_usm
		ext_oneapi_bindless_images_2d_usm ext_oneapi_interop_memory_import ext_oneapi_interop_semaphore_import
		ext_oneapi_mipmap ext_oneapi_mipmap_anisotropy ext_oneapi_mipmap_level_reference ext_oneapi_cubemap
		ext_oneapi_cubemap_seamless_filtering`

	// The reference lists neither fp16 nor atomic64, which these devices have.
	amdAspects = usmAspects + ` gpu fp16 fp64 atomic64 online_compiler online_linker queue_profiling
		ext_intel_pci_address ext_intel_max_mem_bandwidth ext_intel_device_id ext_intel_memory_clock_rate
		ext_intel_memory_bus_width ext_intel_free_memory ext_intel_device_info_uuid ext_oneapi_graph
		ext_oneapi_limited_graph`
)

// devices are the known targets, in groups of equal features.
var devices = lazy.Map[string, device]{New: func() map[string]device {
	known := make(map[string]device)
	for _, group := range []struct {
		names, aspects string
		subGroups      []int64
	}{
		{`intel_gpu_lnl_m intel_gpu_bmg_g21 intel_gpu_pvc intel_gpu_pvc_vg`, intelAspects + ` fp64`, []int64{16, 32}},
		{`intel_gpu_arl_h intel_gpu_mtl_h intel_gpu_mtl_u
		  intel_gpu_cml intel_gpu_aml intel_gpu_whl intel_gpu_glk intel_gpu_apl intel_gpu_cfl intel_gpu_kbl
		  intel_gpu_skl intel_gpu_bdw`, intelAspects + ` fp64`, []int64{8, 16, 32}},
		{`intel_gpu_acm_g10 intel_gpu_acm_g11 intel_gpu_acm_g12 intel_gpu_dg1 intel_gpu_adl_n intel_gpu_adl_p
		  intel_gpu_adl_s intel_gpu_rkl intel_gpu_tgllp intel_gpu_ehl intel_gpu_icllp`, intelAspects, []int64{8, 16, 32}},
		{`nvidia_gpu_sm_50 nvidia_gpu_sm_52`, nvidiaAspects, []int64{32}},
		{`nvidia_gpu_sm_53`, nvidiaAspects + ` fp16`, []int64{32}},
		{`nvidia_gpu_sm_60 nvidia_gpu_sm_61 nvidia_gpu_sm_62 nvidia_gpu_sm_70 nvidia_gpu_sm_72 nvidia_gpu_sm_75`, nvidiaAspects + ` fp16 atomic64`, []int64{32}},
		{`nvidia_gpu_sm_80 nvidia_gpu_sm_86 nvidia_gpu_sm_87 nvidia_gpu_sm_89`, nvidiaAspects + ` fp16 atomic64 ext_oneapi_cuda_async_barrier`, []int64{32}},
		{`nvidia_gpu_sm_90 nvidia_gpu_sm_90a`, nvidiaAspects + ` fp16 atomic64 ext_oneapi_cuda_async_barrier ext_oneapi_cuda_cluster_group`, []int64{32}},
		{`amd_gpu_gfx700 amd_gpu_gfx701 amd_gpu_gfx702 amd_gpu_gfx801 amd_gpu_gfx802 amd_gpu_gfx803 amd_gpu_gfx805
		  amd_gpu_gfx810 amd_gpu_gfx900 amd_gpu_gfx902 amd_gpu_gfx904 amd_gpu_gfx906 amd_gpu_gfx908 amd_gpu_gfx909
		  amd_gpu_gfx90c amd_gpu_gfx940 amd_gpu_gfx941 amd_gpu_gfx942`, amdAspects, []int64{64}},
		{`amd_gpu_gfx90a`, amdAspects + ` ext_oneapi_native_assert`, []int64{64}},
		{`amd_gpu_gfx1010 amd_gpu_gfx1011 amd_gpu_gfx1012 amd_gpu_gfx1013 amd_gpu_gfx1030 amd_gpu_gfx1031
		  amd_gpu_gfx1032 amd_gpu_gfx1033 amd_gpu_gfx1034 amd_gpu_gfx1035 amd_gpu_gfx1036 amd_gpu_gfx1100
		  amd_gpu_gfx1101 amd_gpu_gfx1102 amd_gpu_gfx1103 amd_gpu_gfx1150 amd_gpu_gfx1151`, amdAspects, []int64{32, 64}},
	} {
		features := device{splitWords(group.aspects), group.subGroups}
		for _, name := range splitWords(group.names) {
			known[name] = features
		}
	}
	return known
}}

// CanRun reports whether a target can run the image: whether it has the aspects and the sub-group
// size that the code uses. It is true for an empty or unknown target. Aspects are compared by name,
// since their numbers change between releases.
func CanRun(s *split.Partition, target string) (bool, error) {
	d, known := devices.Get()[target]
	if !known {
		return true, nil
	}
	i := &image{Partition: s}
	for _, v := range i.eachFunction {
		if can, err := i.canRunFunction(v, d); !can || err != nil {
			return false, err
		}
	}
	if i.Group.Part == split.PartESIMD {
		return true, nil // ESIMD code runs in sub-groups of one work-item
	}
	return i.canRunSubGroups(d)
}

// canRunSubGroups reports whether a device has the sub-group sizes of the
// entry points.
func (i *image) canRunSubGroups(d device) (bool, error) {
	for _, id := range i.Group.Entries {
		sizes, err := sycl.Integers(i.Module, i.valueOf(id), sycl.KindSubGroupSize)
		if err != nil {
			return false, err
		}
		if len(sizes) > 0 && !slices.Contains(d.subGroups, sizes[0]) {
			return false, nil
		}
	}
	return true, nil
}

// canRunFunction reports whether a device has the aspects that a function uses.
// Aspects with negative numbers are internal to the compiler; no device is asked
// for them.
func (i *image) canRunFunction(v *ir.GlobalValue, d device) (bool, error) {
	if len(v.Details().Attachments) == 0 {
		return true, nil
	}
	aspects, _, err := sycl.Attached(i.Module, v, sycl.KindUsedAspects)
	if err != nil {
		return false, err
	}
	for _, a := range aspects {
		pair, err := i.Module.Resolve(a)
		if err != nil {
			return false, err
		}
		if internal := a.Kind == ir.OperandInt && a.Int < 0; internal {
			continue
		}
		if len(pair) == 0 || !slices.Contains(d.aspects, pair[0].String) {
			return false, nil
		}
	}
	return true, nil
}
