package fromir

import "offlink/lazy"

// knownExtensions are the extensions that llvm-spirv knows by name. A name that is not among
// them is an error: a misspelt one would otherwise have no effect and no message.
var knownExtensions = lazy.Map[string, bool]{New: func() map[string]bool {
	return map[string]bool{
		"SPV_ALTERA_arbitrary_precision_integers": true, "SPV_AMD_weak_linkage": true, "SPV_EXT_arithmetic_fence": true, "SPV_EXT_float8": true,
		"SPV_EXT_image_raw10_raw12": true, "SPV_EXT_long_vector": true, "SPV_EXT_ocp_microscaling_types": true, "SPV_EXT_optnone": true,
		"SPV_EXT_relaxed_printf_string_address_space": true, "SPV_EXT_shader_atomic_float16_add": true, "SPV_EXT_shader_atomic_float_add": true,
		"SPV_EXT_shader_atomic_float_min_max": true, "SPV_EXT_shader_image_int64": true, "SPV_INTEL_16bit_atomics": true,
		"SPV_INTEL_2d_block_io": true, "SPV_INTEL_arbitrary_precision_fixed_point": true, "SPV_INTEL_arbitrary_precision_floating_point": true,
		"SPV_INTEL_arbitrary_precision_integers": true, "SPV_INTEL_arithmetic_fence": true, "SPV_INTEL_bfloat16_arithmetic": true,
		"SPV_INTEL_bfloat16_conversion": true, "SPV_INTEL_bindless_images": true, "SPV_INTEL_blocking_pipes": true,
		"SPV_INTEL_cache_controls": true, "SPV_INTEL_complex_float_mul_div": true, "SPV_INTEL_debug_module": true,
		"SPV_INTEL_device_barrier": true, "SPV_INTEL_device_side_avc_motion_estimation": true, "SPV_INTEL_fast_composite": true, "SPV_INTEL_float4": true,
		"SPV_INTEL_float_controls2": true, "SPV_INTEL_fp_conversions": true, "SPV_INTEL_fp_fast_math_mode": true, "SPV_INTEL_fp_max_error": true,
		"SPV_INTEL_fpga_argument_interfaces": true, "SPV_INTEL_fpga_buffer_location": true, "SPV_INTEL_fpga_cluster_attributes": true,
		"SPV_INTEL_fpga_dsp_control": true, "SPV_INTEL_fpga_invocation_pipelining_attributes": true, "SPV_INTEL_fpga_latency_control": true,
		"SPV_INTEL_fpga_loop_controls": true, "SPV_INTEL_fpga_memory_accesses": true, "SPV_INTEL_fpga_memory_attributes": true,
		"SPV_INTEL_fpga_reg": true, "SPV_INTEL_function_pointers": true, "SPV_INTEL_function_variants": true,
		"SPV_INTEL_global_variable_decorations": true, "SPV_INTEL_global_variable_fpga_decorations": true,
		"SPV_INTEL_global_variable_host_access": true, "SPV_INTEL_hw_thread_queries": true, "SPV_INTEL_inline_assembly": true,
		"SPV_INTEL_int4": true, "SPV_INTEL_io_pipes": true, "SPV_INTEL_joint_matrix": true, "SPV_INTEL_kernel_attributes": true,
		"SPV_INTEL_long_composites": true, "SPV_INTEL_loop_fuse": true, "SPV_INTEL_masked_gather_scatter": true,
		"SPV_INTEL_maximum_registers": true, "SPV_INTEL_media_block_io": true, "SPV_INTEL_memory_access_aliasing": true,
		"SPV_INTEL_optimization_hints": true, "SPV_INTEL_optnone": true, "SPV_INTEL_predicated_io": true, "SPV_INTEL_rounded_divide_sqrt": true,
		"SPV_INTEL_runtime_aligned": true, "SPV_INTEL_sigmoid": true, "SPV_INTEL_split_barrier": true, "SPV_INTEL_subgroup_buffer_prefetch": true,
		"SPV_INTEL_subgroup_matrix_multiply_accumulate": true, "SPV_INTEL_subgroup_matrix_multiply_accumulate_float4": true,
		"SPV_INTEL_subgroup_matrix_multiply_accumulate_float8": true, "SPV_INTEL_subgroup_requirements": true,
		"SPV_INTEL_subgroup_scaled_matrix_multiply_accumulate": true, "SPV_INTEL_subgroups": true, "SPV_INTEL_task_sequence": true,
		"SPV_INTEL_tensor_float32_conversion": true, "SPV_INTEL_ternary_bitwise_function": true, "SPV_INTEL_token_type": true,
		"SPV_INTEL_unstructured_loop_controls": true, "SPV_INTEL_usm_storage_classes": true, "SPV_INTEL_variable_length_array": true,
		"SPV_INTEL_vector_compute": true, "SPV_KHR_abort": true, "SPV_KHR_bfloat16": true, "SPV_KHR_bit_instructions": true,
		"SPV_KHR_cooperative_matrix": true, "SPV_KHR_expect_assume": true, "SPV_KHR_float_controls": true, "SPV_KHR_float_controls2": true,
		"SPV_KHR_fma": true, "SPV_KHR_integer_dot_product": true, "SPV_KHR_linkonce_odr": true, "SPV_KHR_no_integer_wrap_decoration": true,
		"SPV_KHR_non_semantic_info": true, "SPV_KHR_poison_freeze": true, "SPV_KHR_relaxed_extended_instruction": true,
		"SPV_KHR_shader_clock": true, "SPV_KHR_subgroup_rotate": true, "SPV_KHR_uniform_group_instructions": true,
		"SPV_KHR_untyped_pointers": true, "SPV_NV_shader_atomic_fp16_vector": true,
	}
}}

// earlierNames maps the names that extensions had before they were published to those that
// they have now. Compiler drivers of that time still pass them.
var earlierNames = lazy.Map[string, string]{New: func() map[string]string {
	return map[string]string{
		"SPV_INTEL_long_constant_composite":       longComposites,                                // LLVM 11 to 17
		"SPV_INTEL_non_constant_addrspace_printf": "SPV_EXT_relaxed_printf_string_address_space", // LLVM 15 to 17
		"SPV_INTEL_tensor_float32_rounding":       "SPV_INTEL_tensor_float32_conversion",
	}
}}
