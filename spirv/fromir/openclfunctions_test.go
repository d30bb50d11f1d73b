package fromir_test

import "testing"

// TestOpenCLExtensionFunctions: functions of OpenCL C's extensions.
func TestOpenCLExtensionFunctions(t *testing.T) {
	const store = "\nstore i32 %a, ptr addrspace(1) %p"
	opencl := func(body string, declarations ...string) string {
		return kernelOf(body, append(declarations, openclDoc)...)
	}
	checkConstructs(t, []construct{
		{
			name: "clock", ir: opencl("%a = call spir_func i64 @_Z17clock_read_devicev()\nstore i64 %a, ptr addrspace(1) %p", "declare spir_func i64 @_Z17clock_read_devicev()"),
			want: []string{"OpCapability ShaderClockKHR", "SPV_KHR_shader_clock", " 1\n", "OpReadClockKHR"},
		},
		{
			name: "halves of a clock", ir: opencl("%a = call spir_func <2 x i32> @_Z25clock_read_hilo_sub_groupv()\nstore <2 x i32> %a, ptr addrspace(1) %p", "declare spir_func <2 x i32> @_Z25clock_read_hilo_sub_groupv()"),
			want: []string{" 3\n", "OpReadClockKHR"},
		},
		{
			name: "clock of another type", ir: opencl("%a = call spir_func i32 @_Z17clock_read_devicev()"+store, "declare spir_func i32 @_Z17clock_read_devicev()"),
			err: "the result of a clock",
		},
		{
			name: "reversed bits", ir: opencl("%a = call spir_func i32 @_Z11bit_reversei(i32 %n)"+store, "declare spir_func i32 @_Z11bit_reversei(i32)"),
			want: []string{"OpCapability BitInstructions", "SPV_KHR_bit_instructions", "OpBitReverse"},
		},
		{
			name: "bits of a vector", ir: opencl("%a = call spir_func <4 x i32> @_Z15bitfield_insertDv4_iS_jj(<4 x i32> %v, <4 x i32> %v, i32 1, i32 2)\nstore <4 x i32> %a, ptr addrspace(1) %p", "declare spir_func <4 x i32> @_Z15bitfield_insertDv4_iS_jj(<4 x i32>, <4 x i32>, i32, i32)"),
			want: []string{"OpBitFieldInsert"},
		},
		{
			name: "extracted bits", ir: opencl("%a = call spir_func i32 @_Z23bitfield_extract_signedijj(i32 %n, i32 1, i32 2)"+store, "declare spir_func i32 @_Z23bitfield_extract_signedijj(i32, i32, i32)"),
			want: []string{"OpBitFieldSExtract"},
		},
		{
			name: "to bfloat16", ir: opencl("%a = call spir_func i16 @_Z32intel_convert_bfloat16_as_ushortf(float %x)\nstore i16 %a, ptr addrspace(1) %p", "declare spir_func i16 @_Z32intel_convert_bfloat16_as_ushortf(float)"),
			want: []string{"SPV_INTEL_bfloat16_conversion", "OpConvertFToBF16INTEL"},
		},
		{
			name: "from bfloat16", ir: opencl("%a = call spir_func <2 x float> @_Z33intel_convert_as_bfloat162_float2Dv2_t(<2 x i16> zeroinitializer)\nstore <2 x float> %a, ptr addrspace(1) %p", "declare spir_func <2 x float> @_Z33intel_convert_as_bfloat162_float2Dv2_t(<2 x i16>)"),
			want: []string{"OpConvertBF16ToFINTEL"},
		},
		{
			name: "pipe that blocks", ir: opencl("call spir_func void @__read_pipe_2_bl(target(\"spirv.Pipe\", 0) zeroinitializer, ptr addrspace(4) null, i32 4, i32 4)", "declare spir_func void @__read_pipe_2_bl(target(\"spirv.Pipe\", 0), ptr addrspace(4), i32, i32)"),
			want: []string{"SPV_INTEL_blocking_pipes", "OpReadPipeBlockingINTEL"}, disputed: "is defined more than once",
		},
		{
			name: "levels", ir: opencl("%i = call target(\"spirv.Image\", void, 1, 0, 0, 0, 0, 0, 0) @image()\n%a = call spir_func i32 @_Z24get_image_num_mip_levels14ocl_image2d_ro(target(\"spirv.Image\", void, 1, 0, 0, 0, 0, 0, 0) %i)"+store,
				"declare spir_func i32 @_Z24get_image_num_mip_levels14ocl_image2d_ro(target(\"spirv.Image\", void, 1, 0, 0, 0, 0, 0, 0))", "declare target(\"spirv.Image\", void, 1, 0, 0, 0, 0, 0, 0) @image()"),
			want: []string{"OpImageQueryLevels"},
		},
	})
}

// TestInstructionOperands: operands of functions that SPIR-V's instructions name.
func TestInstructionOperands(t *testing.T) {
	const (
		product = "_Z45__spirv_SubgroupMatrixMultiplyAccumulateINTELiDv8_sDv8_iDv8_fi"
		types   = "<8 x float> @" + product + "(i32, <8 x i16>, <8 x i32>, <8 x float>, i32)"
	)
	matrix := func(operands string) string {
		return kernelOf("%m = call spir_func <8 x float> @"+product+"(i32 16, <8 x i16> zeroinitializer, <8 x i32> zeroinitializer, <8 x float> zeroinitializer, i32 "+operands+")\nstore <8 x float> %m, ptr addrspace(1) %p", "declare spir_func "+types)
	}
	checkConstructs(t, []construct{
		{
			name: "alignment of a load", ir: kernelOf("%a = call spir_func i32 @_Z12__spirv_LoadPU3AS1iii(ptr addrspace(1) %p, i32 2, i32 64)\ncall spir_func void @_Z13__spirv_StorePU3AS1iiii(ptr addrspace(1) %p, i32 %a, i32 2, i32 32)",
				"declare spir_func i32 @_Z12__spirv_LoadPU3AS1iii(ptr addrspace(1), i32, i32)", "declare spir_func void @_Z13__spirv_StorePU3AS1iiii(ptr addrspace(1), i32, i32, i32)"),
			want: []string{"%a = OpLoad", "Aligned 64", "OpStore", "Aligned 32"},
		},
		{
			name: "barrier of a device", ir: kernelOf("call spir_func void @_Z22__spirv_ControlBarrieriii(i32 1, i32 1, i32 784)\n%b = call spir_func i1 @_Z38__spirv_BuiltInDeviceBarrierValidINTELv()\n%c = zext i1 %b to i32\nstore i32 %c, ptr addrspace(1) %p",
				"declare spir_func void @_Z22__spirv_ControlBarrieriii(i32, i32, i32)", "declare spir_func i1 @_Z38__spirv_BuiltInDeviceBarrierValidINTELv()"),
			want: []string{"OpCapability DeviceBarrierINTEL", "SPV_INTEL_device_barrier", "BuiltIn DeviceBarrierValidINTEL", "OpTypeBool", "OpControlBarrier"},
		},
		{
			name: "hardware thread", ir: kernelOf("%b = call spir_func i32 @_Z36__spirv_BuiltInGlobalHWThreadIDINTELv()\nstore i32 %b, ptr addrspace(1) %p", "declare spir_func i32 @_Z36__spirv_BuiltInGlobalHWThreadIDINTELv()"),
			want: []string{"OpCapability HWThreadQueryINTEL", "SPV_INTEL_hw_thread_queries", "BuiltIn GlobalHWThreadIDINTEL"}, disputed: "Invalid capability operand: 6134",
		},
		{
			name: "hardware thread, not allowed", extensions: "-all", ir: kernelOf("%b = call spir_func i32 @_Z31__spirv_BuiltInSubDeviceIDINTELv()\nstore i32 %b, ptr addrspace(1) %p", "declare spir_func i32 @_Z31__spirv_BuiltInSubDeviceIDINTELv()"),
			err: "needs the extension SPV_INTEL_hw_thread_queries",
		},
		{
			name: "computed flags", ir: kernelOf("call spir_func void @_Z7barrierj(i32 %n)\ncall spir_func void @_Z9mem_fencej(i32 %n)\ncall spir_func void @_Z22atomic_work_item_fencej12memory_order12memory_scope(i32 %n, i32 4, i32 1)",
				"declare spir_func void @_Z7barrierj(i32)", "declare spir_func void @_Z9mem_fencej(i32)", "declare spir_func void @_Z22atomic_work_item_fencej12memory_order12memory_scope(i32, i32, i32)", openclDoc),
			want: []string{"OpBitwiseAnd", "OpShiftLeftLogical", "OpBitwiseOr", "OpControlBarrier", "OpMemoryBarrier", "OpMemoryBarrier"},
		},
		{
			name: "flags of another type", ir: kernelOf("%w = zext i32 %n to i64\ncall spir_func void @_Z7barrierm(i64 %w)", "declare spir_func void @_Z7barrierm(i64)", openclDoc),
			err: "argument 1 must be a constant, or a number of 32 bits",
		},
		{
			name: "barrier of a work-group", ir: kernelOf("call spir_func void @_Z22__spirv_ControlBarrieriii(i32 2, i32 2, i32 784)", "declare spir_func void @_Z22__spirv_ControlBarrieriii(i32, i32, i32)"),
			want: []string{"OpControlBarrier"}, absent: []string{"DeviceBarrier"},
		},
		{name: "matrices of 8 bits", ir: matrix("81920"), want: []string{"matrix_multiply_accumulate\"", "matrix_multiply_accumulate_float8", "OpSubgroupMatrixMultiplyAccumulateINTEL"}, absent: []string{"float4"}},
		{name: "matrices of 4 bits", ir: matrix("786432"), want: []string{"matrix_multiply_accumulate_float4"}, absent: []string{"float8"}},
		{name: "matrices of 4 bits are not allowed", extensions: "+SPV_INTEL_subgroup_matrix_multiply_accumulate", ir: matrix("786432"), err: "accumulate_float4"},
		{
			name: "image of 64 bits", ir: "define spir_func void @f(target(\"spirv.Image\", i64, 1, 0, 0, 0, 0, 40, 0) %i) {\nret void\n}",
			want: []string{"OpCapability Int64ImageEXT", "SPV_EXT_shader_image_int64"},
		},
		{
			name: "type of motion estimation", ir: "define spir_func void @f(target(\"spirv.AvcImePayloadINTEL\") %a) {\nret void\n}",
			want: []string{"OpCapability SubgroupAvcMotionEstimationINTEL", "SPV_INTEL_device_side_avc_motion_estimation"}, disputed: "must appear in a block",
		},
		{
			name: "type of task sequences", ir: "define spir_func void @f(target(\"spirv.TaskSequenceINTEL\") %a) {\nret void\n}",
			want: []string{"OpCapability TaskSequenceINTEL", "SPV_INTEL_task_sequence"},
		},
		{
			name: "buffers", ir: "define spir_func void @f(target(\"spirv.BufferSurfaceINTEL\", 2) %a) {\nret void\n}",
			want: []string{"OpCapability VectorComputeINTEL", "SPV_INTEL_vector_compute", "OpTypeBufferSurfaceINTEL"}, disputed: "must appear in a block",
		},
	})
}
