package fromir

import "offlink/spirv"

// PortableExtensions is the default list for Options.AllowExtensions: all extensions except
// those that a module can do without, most of which are for hints. A module uses an extension
// that few devices support only if its code needs that.
const PortableExtensions = "+all,-SPV_KHR_expect_assume,-SPV_KHR_no_integer_wrap_decoration,-SPV_KHR_bit_instructions," +
	"-SPV_INTEL_memory_access_aliasing,-SPV_INTEL_runtime_aligned,-SPV_INTEL_fp_fast_math_mode,-SPV_INTEL_optnone," +
	"-SPV_EXT_optnone,-SPV_INTEL_unstructured_loop_controls,-SPV_INTEL_fp_max_error,-SPV_KHR_poison_freeze," +
	"-SPV_EXT_long_vector,-SPV_KHR_fma,-SPV_KHR_float_controls2,-SPV_EXT_arithmetic_fence,-SPV_INTEL_arithmetic_fence," +
	"-SPV_INTEL_maximum_registers,-SPV_INTEL_rounded_divide_sqrt,-SPV_INTEL_16bit_atomics,-SPV_INTEL_device_barrier,-SPV_AMD_weak_linkage"

// PortableOptions are the options for a module that any device may get: SPIR-V 1.3, the
// extensions of PortableExtensions, and integers in the next width that SPIR-V has.
func PortableOptions() Options {
	o := Options{Version: spirv.Version1_3, WidenIntegers: true}
	if err := o.AllowExtensions(PortableExtensions); err != nil {
		panic(err) // the list is a constant
	}
	return o
}
