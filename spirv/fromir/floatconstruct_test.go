package fromir_test

import (
	"testing"

	"offlink/spirv"
)

const (
	storeX    = "\nstore float %a, ptr addrspace(1) %p"
	fmaDecl   = "declare float @llvm.fma.f32(float, float, float)"
	openclDoc = "!opencl.ocl.version = !{!0}\n!0 = !{i32 2, i32 0}\n"
)

// TestFloatConstructs: fast-math flags, fused operations, rounding modes and errors.
func TestFloatConstructs(t *testing.T) {
	const sqrt = "declare float @llvm.sqrt.f32(float)"
	checkConstructs(t, []construct{
		{
			name: "fused", ir: kernelOf("%a = call float @llvm.fma.f32(float %x, float %x, float %x)"+storeX, fmaDecl),
			want: []string{"OpCapability FMAKHR", `OpExtension "SPV_KHR_fma"`, "OpFmaKHR"},
		},
		{
			name: "fused without the extension", extensions: "-all", ir: kernelOf("%a = call float @llvm.fma.f32(float %x, float %x, float %x)"+storeX, fmaDecl),
			want: []string{"OpExtInst", "fma"}, absent: []string{"FmaKHR"},
		},
		{
			name: "fused by name", ir: kernelOf("%a = call spir_func float @_Z3fmafff(float %x, float %x, float %x)"+storeX, "declare spir_func float @_Z3fmafff(float, float, float)", openclDoc),
			want: []string{"OpFmaKHR"},
		},
		{
			name: "fused by SPIR-V name", ir: kernelOf("%a = call spir_func float @_Z15__spirv_ocl_fmafff(float %x, float %x, float %x)"+storeX, "declare spir_func float @_Z15__spirv_ocl_fmafff(float, float, float)"),
			want: []string{"OpFmaKHR"},
		},
		{
			name: "greatest of a vector and a number", extensions: "+SPV_KHR_float_controls2",
			ir:   kernelOf("%v4 = insertelement <4 x float> zeroinitializer, float %x, i32 1\n%m = call spir_func <4 x float> @_Z3maxDv4_ff(<4 x float> %v4, float %x)\n%a = extractelement <4 x float> %m, i32 0"+storeX, "declare spir_func <4 x float> @_Z3maxDv4_ff(<4 x float>, float)", openclDoc),
			want: []string{"OpCompositeConstruct", "fmax"},
		},
		{
			name: "lesser of two numbers", extensions: "-all",
			ir:   kernelOf("%a = call spir_func float @_Z3minff(float %x, float 1.0)"+storeX, "declare spir_func float @_Z3minff(float, float)", openclDoc),
			want: []string{"fmin"}, absent: []string{"fmin_common"},
		},
		{name: "fast", extensions: "-all", ir: kernelOf("%a = fadd fast float %x, %x" + storeX), want: []string{"FPFastMathMode Fast"}},
		{
			name: "fast with float_controls2", extensions: "+SPV_KHR_float_controls2", ir: kernelOf("%a = fadd fast float %x, %x" + storeX),
			want: []string{"OpCapability FloatControls2", `OpExtension "SPV_KHR_float_controls2"`, "AllowRecip|AllowContractFastINTEL|AllowReassocINTEL|AllowTransform"},
		},
		{name: "reassoc of Intel", extensions: "+SPV_INTEL_fp_fast_math_mode", ir: kernelOf("%a = fadd reassoc float %x, %x" + storeX), want: []string{"OpCapability FPFastMathModeINTEL", "FPFastMathMode AllowReassoc"}},
		{name: "negation", extensions: "-all", ir: kernelOf("%a = fneg nnan float %x" + storeX), want: []string{"FPFastMathMode NotNaN", "OpFNegate"}},
		{name: "negation before 1.6", extensions: "-all", version: spirv.Version1_4, ir: kernelOf("%a = fneg nnan float %x" + storeX), want: []string{"OpFNegate"}, absent: []string{"FPFastMathMode"}},
		{name: "instruction of a set", extensions: "-all", ir: kernelOf("%a = call nnan ninf float @llvm.sqrt.f32(float %x)"+storeX, sqrt), want: []string{"FPFastMathMode NotNaN|NotInf", "sqrt"}},
		{name: "call", extensions: "+SPV_KHR_float_controls2", ir: kernelOf("%a = call nnan float @f(float %x)"+storeX, "declare float @f(float)"), want: []string{"FPFastMathMode NotNaN", "OpFunctionCall"}},
		{name: "no contraction with float_controls2", extensions: "+SPV_KHR_float_controls2", ir: kernelOf("%a = fadd float %x, %x" + storeX), want: []string{"OpExecutionModeId %k FPFastMathDefault"}, absent: []string{"ContractionOff"}},
		{
			name: "rounded quotient", ir: kernelOf("%a = call float @llvm.experimental.constrained.fdiv.f32(float %x, float %x, metadata !\"round.upward\", metadata !\"fpexcept.strict\")"+storeX,
				"declare float @llvm.experimental.constrained.fdiv.f32(float, float, metadata, metadata)"),
			want: []string{"OpCapability RoundedDivideSqrtINTEL", "SPV_INTEL_rounded_divide_sqrt", "FPRoundingMode RTP", "OpFDiv"},
		},
		{
			name: "sum of a rounding mode", ir: kernelOf("%a = call float @llvm.experimental.constrained.fadd.f32(float %x, float %x, metadata !\"round.upward\", metadata !\"fpexcept.strict\")"+storeX,
				"declare float @llvm.experimental.constrained.fadd.f32(float, float, metadata, metadata)"),
			want: []string{"OpFAdd"}, absent: []string{"FPRoundingMode"},
		},
		{
			name: "rounded number", extensions: "-all", ir: kernelOf("%a = call float @llvm.experimental.constrained.sitofp.f32.i32(i32 %n, metadata !\"round.downward\", metadata !\"fpexcept.strict\")"+storeX,
				"declare float @llvm.experimental.constrained.sitofp.f32.i32(i32, metadata, metadata)"),
			want: []string{"FPRoundingMode RTN", "OpConvertSToF"},
		},
		{
			name: "fence of arithmetic", ir: kernelOf("%a = call float @llvm.arithmetic.fence.f32(float %x)"+storeX, "declare float @llvm.arithmetic.fence.f32(float)"),
			want: []string{"OpCapability ArithmeticFenceEXT", "SPV_EXT_arithmetic_fence", "OpArithmeticFenceEXT"},
		},
		{
			name: "fence of arithmetic by its older name", extensions: "+SPV_INTEL_arithmetic_fence", disputed: "requires one of these extensions: SPV_EXT_arithmetic_fence", ir: kernelOf("%a = call float @llvm.arithmetic.fence.f32(float %x)"+storeX, "declare float @llvm.arithmetic.fence.f32(float)"),
			want: []string{"SPV_INTEL_arithmetic_fence", "OpArithmeticFenceEXT"},
		},
	})
}

// TestFloatBuiltins: llvm.fpbuiltin.* with the error that the caller allows.
func TestFloatBuiltins(t *testing.T) {
	const limit = "\nattributes #0 = { \"fpbuiltin-max-error\"=\"2.5\" }"
	binary := func(name string) string {
		return kernelOf("%a = call float @llvm.fpbuiltin."+name+".f32(float %x, float %x) #0"+storeX, "declare float @llvm.fpbuiltin."+name+".f32(float, float)") + limit
	}
	checkConstructs(t, []construct{
		{name: "sum", ir: binary("fadd"), want: []string{"OpCapability FPMaxErrorINTEL", "SPV_INTEL_fp_max_error", "FPMaxErrorDecorationINTEL", "OpFAdd"}},
		{name: "power", ir: binary("pow"), want: []string{"FPMaxErrorDecorationINTEL", "OpExtInst", "pow"}},
		{name: "not allowed", extensions: "-all", ir: binary("fdiv"), err: "SPV_INTEL_fp_max_error"},
		{
			name: "sine and cosine", ir: kernelOf("%s = alloca float\n%c = alloca float\ncall void @llvm.fpbuiltin.sincos.f32(float %x, ptr %s, ptr %c) #0", "declare void @llvm.fpbuiltin.sincos.f32(float, ptr, ptr)") + limit,
			want: []string{"FPMaxErrorDecorationINTEL", "sincos", "OpStore"},
		},
		{
			name: "without a limit", extensions: "-all", ir: kernelOf("%a = call float @llvm.fpbuiltin.sin.f32(float %x)"+storeX, "declare float @llvm.fpbuiltin.sin.f32(float)"),
			want: []string{"sin"}, absent: []string{"FPMaxError"},
		},
		{name: "fpmath", ir: kernelOf("%a = fdiv float %x, %x, !fpmath !1"+storeX, "!1 = !{float 2.5}"), want: []string{"FPMaxErrorDecorationINTEL", "OpFDiv"}},
	})
}

// TestIntegerPower: the exponent of llvm.powi is one number for all elements, and may have another
// width than pown's.
func TestIntegerPower(t *testing.T) {
	checkConstructs(t, []construct{
		{
			name: "vector", ir: kernelOf("%y = insertelement <4 x float> zeroinitializer, float %x, i32 0\n%a = call <4 x float> @llvm.powi.v4f32.i32(<4 x float> %y, i32 %n)\nstore <4 x float> %a, ptr addrspace(1) %p", "declare <4 x float> @llvm.powi.v4f32.i32(<4 x float>, i32)"),
			want: []string{"OpCompositeConstruct", "%n %n %n %n", "pown"},
		},
		{
			name: "16 bits", ir: kernelOf("%e = trunc i32 %n to i16\n%a = call float @llvm.powi.f32.i16(float %x, i16 %e)\nstore float %a, ptr addrspace(1) %p", "declare float @llvm.powi.f32.i16(float, i16)"),
			want: []string{"OpSConvert", "pown"},
		},
	})
}

// TestInvariantRegion: the mark of a region whose memory does not change is null, wherever it goes.
func TestInvariantRegion(t *testing.T) {
	checkConstructs(t, []construct{{
		name: "stored", ir: kernelOf("%a = call ptr @llvm.invariant.start.p1(i64 4, ptr addrspace(1) %p)\n%q = alloca ptr\nstore ptr %a, ptr %q", "declare ptr @llvm.invariant.start.p1(i64, ptr addrspace(1))"),
		want: []string{"OpConstantNull", "OpStore"},
	}})
}
