package fromir_test

import "testing"

// TestNumberFormats: numbers of 8 and 4 bits, which LLVM IR keeps in integers.
func TestNumberFormats(t *testing.T) {
	const (
		e4m3   = "declare spir_func i8 @_Z36__builtin_spirv_ConvertFP16ToE4M3EXTDh(half)"
		e2m1   = "declare spir_func i32 @_Z36__builtin_spirv_ConvertFP16ToE2M1EXTDv8_Dh(<8 x half>)"
		matrix = `target("spirv.CooperativeMatrixKHR", i8, 3, 8, 8, 0)`
		halves = `target("spirv.CooperativeMatrixKHR", half, 3, 8, 8, 0)`
	)
	half := "%h = fptrunc float %x to half\n%b = fptrunc float %x to bfloat\n"
	checkConstructs(t, []construct{
		{
			name: "to 8 bits", ir: kernelOf(half+"%a = call spir_func i8 @_Z36__builtin_spirv_ConvertFP16ToE4M3EXTDh(half %h)\nstore i8 %a, ptr addrspace(1) %p", e4m3),
			want:   []string{"OpCapability Float8EXT", `OpExtension "SPV_EXT_float8"`, "OpTypeFloat 8 Float8E4M3EXT", "OpFConvert", "OpBitcast"},
			absent: []string{"LinkageAttributes", "SaturatedToLargest", "OpFunctionCall"},
		},
		{
			name: "clamped", ir: kernelOf(half+"%a = call spir_func i8 @_Z43__builtin_spirv_ClampConvertBF16ToE5M2INTELDF16b(bfloat %b)\nstore i8 %a, ptr addrspace(1) %p", "declare spir_func i8 @_Z43__builtin_spirv_ClampConvertBF16ToE5M2INTELDF16b(bfloat)"),
			want: []string{"SaturatedToLargestFloat8NormalConversionEXT", "OpTypeFloat 8 Float8E5M2EXT", "OpFConvert"},
		},
		{
			name: "packed 4 bits", ir: kernelOf("%a = call spir_func i32 @_Z36__builtin_spirv_ConvertFP16ToE2M1EXTDv8_Dh(<8 x half> zeroinitializer)\nstore i32 %a, ptr addrspace(1) %p", e2m1),
			want: []string{"OpCapability Float4EXT", "SPV_EXT_ocp_microscaling_types", "OpTypeFloat 4 Float4E2M1EXT", "OpTypeVector", "OpFConvert", "OpBitcast"},
		},
		{
			name: "4 bits of Intel", ir: kernelOf("%a = call spir_func <8 x half> @_Z38__builtin_spirv_ConvertE2M1ToFP16INTELi(i32 %n)\nstore <8 x half> %a, ptr addrspace(1) %p", "declare spir_func <8 x half> @_Z38__builtin_spirv_ConvertE2M1ToFP16INTELi(i32)"),
			want: []string{"OpCapability Float4E2M1INTEL", "SPV_INTEL_float4", "OpTypeFloat 4 Float4E2M1INTEL", "OpBitcast", "OpFConvert"},
		},
		{
			name: "packed integers", ir: kernelOf("%a = call spir_func <8 x i8> @_Z38__builtin_spirv_ConvertInt4ToInt8INTELi(i32 %n)\nstore <8 x i8> %a, ptr addrspace(1) %p", "declare spir_func <8 x i8> @_Z38__builtin_spirv_ConvertInt4ToInt8INTELi(i32)"),
			want: []string{"OpCapability Int4TypeINTEL", "SPV_INTEL_int4", "OpTypeInt 4 0", "OpBitcast", "OpSConvert"},
		},
		{
			name: "stochastic", ir: kernelOf(half+"%a = call spir_func i8 @_Z51__builtin_spirv_ClampStochasticRoundFP16ToE4M3INTELDhi(half %h, i32 %n)\nstore i8 %a, ptr addrspace(1) %p", "declare spir_func i8 @_Z51__builtin_spirv_ClampStochasticRoundFP16ToE4M3INTELDhi(half, i32)"),
			want: []string{"OpCapability FloatConversionsFToFINTEL", "SPV_INTEL_fp_conversions", "SaturatedToLargest", "OpStochasticRoundFToFINTEL", "OpBitcast"},
		},
		{
			name: "clamped integers", ir: kernelOf("%a = call spir_func i8 @_Z43__builtin_spirv_ClampConvertFP16ToInt4INTELDv2_Dh(<2 x half> zeroinitializer)\nstore i8 %a, ptr addrspace(1) %p", "declare spir_func i8 @_Z43__builtin_spirv_ClampConvertFP16ToInt4INTELDv2_Dh(<2 x half>)"),
			want: []string{"OpClampConvertFToSINTEL", "OpBitcast"}, absent: []string{"SaturatedToLargest"},
		},
		{
			name: "matrix", ir: "declare spir_func " + halves + " @_Z36__builtin_spirv_ConvertE5M2ToFP16EXTPU3AS144__spirv_CooperativeMatrixKHR__char_3_8_8_0(" + matrix + ")\n" +
				"define spir_func " + halves + " @f(" + matrix + " %m) {\n%a = call spir_func " + halves + " @_Z36__builtin_spirv_ConvertE5M2ToFP16EXTPU3AS144__spirv_CooperativeMatrixKHR__char_3_8_8_0(" + matrix + " %m)\nret " + halves + " %a\n}",
			want: []string{"OpCapability Float8CooperativeMatrixEXT", "OpBitcast", "OpFConvert"},
		},
		{
			name: "not allowed", extensions: "-all", ir: kernelOf(half+"%a = call spir_func i8 @_Z36__builtin_spirv_ConvertFP16ToE4M3EXTDh(half %h)\nstore i8 %a, ptr addrspace(1) %p", e4m3),
			err: "SPV_KHR_bfloat16",
		},
		{
			name: "not allowed without bfloat16", extensions: "+SPV_KHR_bfloat16", ir: kernelOf(half+"%a = call spir_func i8 @_Z36__builtin_spirv_ConvertFP16ToE4M3EXTDh(half %h)\nstore i8 %a, ptr addrspace(1) %p", e4m3),
			err: "SPV_EXT_float8",
		},
		{
			name: "other types", ir: kernelOf("%a = call spir_func i8 @_Z36__builtin_spirv_ConvertFP16ToE4M3EXTDh(float %x)\nstore i8 %a, ptr addrspace(1) %p", "declare spir_func i8 @_Z36__builtin_spirv_ConvertFP16ToE4M3EXTDh(float)"),
			err: "the types are not those of the conversion",
		},
		{
			name: "another name", ir: kernelOf("%a = call spir_func i8 @_Z36__builtin_spirv_ConvertE4M3ToE4M3EXTc(i8 1)\nstore i8 %a, ptr addrspace(1) %p", "declare spir_func i8 @_Z36__builtin_spirv_ConvertE4M3ToE4M3EXTc(i8)"),
			want: []string{"OpFunctionCall"},
		},
		{name: "integers of 4 bits", extensions: "+SPV_INTEL_int4", ir: "define spir_func i4 @f(i4 %a) {\n%b = add i4 %a, 3\nret i4 %b\n}", want: []string{"OpCapability Int4TypeINTEL", "SPV_INTEL_int4", "OpTypeInt 4 0"}, absent: []string{"ArbitraryPrecision"}},
		{name: "integers of any width", extensions: "+SPV_ALTERA_arbitrary_precision_integers", ir: "define spir_func i77 @f(i77 %a) {\n%b = add i77 %a, 3\nret i77 %b\n}", want: []string{"ArbitraryPrecisionIntegersINTEL", `OpExtension "SPV_ALTERA_arbitrary_precision_integers"`, "OpTypeInt 77 0"}},
	})
}

// TestBfloat16: instructions on bfloat16 need more than the type.
func TestBfloat16(t *testing.T) {
	const fneg = "%b = fptrunc float %x to bfloat\n%a = fneg bfloat %b\nstore bfloat %a, ptr addrspace(1) %p"
	const matrix = `target("spirv.CooperativeMatrixKHR", bfloat, 3, 8, 8, 0)`
	checkConstructs(t, []construct{
		{name: "arithmetic", ir: kernelOf(fneg), want: []string{"OpCapability BFloat16ArithmeticINTEL", "SPV_INTEL_bfloat16_arithmetic", "OpFNegate"}},
		{name: "arithmetic is not allowed", extensions: "+SPV_KHR_bfloat16", ir: kernelOf(fneg), err: "SPV_INTEL_bfloat16_arithmetic"},
		{name: "vectors", ir: kernelOf("%b = load <2 x bfloat>, ptr addrspace(1) %p\n%a = fadd <2 x bfloat> %b, %b\nstore <2 x bfloat> %a, ptr addrspace(1) %p"), want: []string{"OpCapability BFloat16ArithmeticINTEL"}},
		{name: "comparison", ir: kernelOf("%b = load bfloat, ptr addrspace(1) %p\n%a = fcmp olt bfloat %b, 0.0\n%c = zext i1 %a to i32\nstore i32 %c, ptr addrspace(1) %p"), want: []string{"OpCapability BFloat16ArithmeticINTEL", "OpFOrdLessThan"}},
		{name: "function of OpenCL.std", ir: kernelOf("%b = load bfloat, ptr addrspace(1) %p\n%a = call bfloat @llvm.fabs.bf16(bfloat %b)\nstore bfloat %a, ptr addrspace(1) %p", "declare bfloat @llvm.fabs.bf16(bfloat)"), want: []string{"OpCapability BFloat16ArithmeticINTEL", "fabs"}},
		{name: "conversion", extensions: "+SPV_KHR_bfloat16", ir: kernelOf("%b = load bfloat, ptr addrspace(1) %p\n%a = fpext bfloat %b to float\nstore float %a, ptr addrspace(1) %p"), want: []string{"OpFConvert"}, absent: []string{"Arithmetic"}},
		{name: "matrix", ir: "define spir_func " + matrix + " @f(" + matrix + " %m) {\nret " + matrix + " %m\n}", want: []string{"OpCapability BFloat16CooperativeMatrixKHR"}},
		// A bfloat16 has 7 bits of fraction: the least normal number is 128.
		{name: "classes", ir: kernelOf("%b = load bfloat, ptr addrspace(1) %p\n%a = call i1 @llvm.is.fpclass.bf16(bfloat %b, i32 144)\n%c = zext i1 %a to i32\nstore i32 %c, ptr addrspace(1) %p", "declare i1 @llvm.is.fpclass.bf16(bfloat, i32)"), want: []string{" 127\n"}},
	})
}

// TestAtomicNeeds: the extensions of atomics on numbers of 16 bits.
func TestAtomicNeeds(t *testing.T) {
	const add = "%a = atomicrmw add ptr addrspace(1) %p, i16 1 seq_cst"
	vector := "%a = call spir_func <2 x half> @_Z21__spirv_AtomicFMaxEXTPU3AS1Dv2_DF16_iiS_(ptr addrspace(1) %p, i32 1, i32 0, <2 x half> zeroinitializer)"
	floats := "%a = call spir_func <2 x float> @_Z21__spirv_AtomicFMaxEXTPU3AS1Dv2_fiiS_(ptr addrspace(1) %p, i32 1, i32 0, <2 x float> zeroinitializer)"
	checkConstructs(t, []construct{
		{name: "sum", ir: kernelOf(add), want: []string{"OpCapability Int16AtomicsINTEL", "SPV_INTEL_16bit_atomics", "OpAtomicIAdd"}},
		{name: "sum without the extension", extensions: "-all", ir: kernelOf(add), want: []string{"OpAtomicIAdd"}, absent: []string{"16bit_atomics"}},
		{name: "exchange", ir: kernelOf("%a = atomicrmw xchg ptr addrspace(1) %p, i16 1 seq_cst"), want: []string{"OpCapability AtomicInt16CompareExchangeINTEL", "OpAtomicExchange"}, absent: []string{"Int16AtomicsINTEL"}},
		{name: "sum of bfloat16", ir: kernelOf("%a = atomicrmw fadd ptr addrspace(1) %p, bfloat 1.0 seq_cst"), want: []string{"OpCapability AtomicBFloat16AddINTEL", "SPV_EXT_shader_atomic_float16_add", "SPV_INTEL_16bit_atomics", "OpAtomicFAddEXT"}, absent: []string{"AtomicFloat16AddEXT"}},
		{name: "least bfloat16", ir: kernelOf("%a = atomicrmw fmin ptr addrspace(1) %p, bfloat 1.0 seq_cst"), want: []string{"OpCapability AtomicBFloat16MinMaxINTEL", "SPV_INTEL_16bit_atomics", "OpAtomicFMinEXT"}},
		{name: "load of bfloat16", ir: kernelOf("%a = load atomic bfloat, ptr addrspace(1) %p seq_cst, align 2"), want: []string{"OpCapability AtomicBFloat16LoadStoreINTEL"}},
		{name: "halves", ir: kernelOf(vector, "declare spir_func <2 x half> @_Z21__spirv_AtomicFMaxEXTPU3AS1Dv2_DF16_iiS_(ptr addrspace(1), i32, i32, <2 x half>)"), want: []string{"OpCapability AtomicFloat16VectorNV", "SPV_NV_shader_atomic_fp16_vector", "OpAtomicFMaxEXT"}, absent: []string{"min_max"}},
		{name: "vector of floats", ir: kernelOf(floats, "declare spir_func <2 x float> @_Z21__spirv_AtomicFMaxEXTPU3AS1Dv2_fiiS_(ptr addrspace(1), i32, i32, <2 x float>)"), err: "not of two or four halves"},
	})
}

// TestRoundToInteger: rounding intrinsics with integers as results.
func TestRoundToInteger(t *testing.T) {
	checkConstructs(t, []construct{
		{name: "away from zero", ir: kernelOf("%a = call i32 @llvm.lround.i32.f32(float %x)\nstore i32 %a, ptr addrspace(1) %p", "declare i32 @llvm.lround.i32.f32(float)"), want: []string{"round", "OpConvertFToS"}},
		{name: "to even", ir: kernelOf("%a = call i64 @llvm.llrint.i64.f32(float %x)\nstore i64 %a, ptr addrspace(1) %p", "declare i64 @llvm.llrint.i64.f32(float)"), want: []string{"rint", "OpConvertFToS"}},
		{name: "another width", extensions: "-all", ir: kernelOf("%a = call i24 @llvm.lround.i24.f32(float %x)", "declare i24 @llvm.lround.i24.f32(float)"), err: "an integer of 24 bits"},
	})
}
