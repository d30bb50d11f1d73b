package fromir_test

import (
	"errors"
	"strings"
	"testing"

	"offlink/spirv"
	"offlink/spirv/fromir"
)

// TestAbort: the instruction ends its block. Where the block leads on to others, a function has it.
func TestAbort(t *testing.T) {
	const declare = "declare spir_func void @_Z16__spirv_AbortKHRIiEvT_(i32)"
	const call = "call spir_func void @_Z16__spirv_AbortKHRIiEvT_(i32 %n)\n"
	checkConstructs(t, []construct{
		{
			name: "at the end", ir: "define spir_kernel void @k(i32 %n) {\n" + call + "%a = add i32 %n, 1\nunreachable\n}\n" + declare,
			want: []string{"OpCapability AbortKHR", "SPV_KHR_abort", "OpAbortKHR", "OpFunctionEnd"}, absent: []string{"OpUnreachable", "OpIAdd", "OpFunctionCall"},
		},
		{
			name: "before another block", ir: "define spir_kernel void @k(i32 %n, ptr addrspace(1) %p) {\n%c = icmp eq i32 %n, 3\nbr i1 %c, label %a, label %b\na:\n" + call + "br label %b\n" +
				"b:\n%r = phi i32 [ 1, %0 ], [ 2, %a ]\nstore i32 %r, ptr addrspace(1) %p\nret void\n}\n" + declare,
			want: []string{"OpAbortKHR", "OpFunctionEnd", "OpFunctionCall", "OpPhi"},
		},
		{name: "not allowed", extensions: "-all", ir: kernelOf(call, declare), err: "SPV_KHR_abort"},
		{name: "two arguments", ir: kernelOf("call spir_func void @_Z16__spirv_AbortKHRii(i32 1, i32 2)", "declare spir_func void @_Z16__spirv_AbortKHRii(i32, i32)"), err: "operands do not fit"},
	})
}

// TestWrappedNumbers: SYCL's half and bfloat16, structs of one number that pointers lead to.
func TestWrappedNumbers(t *testing.T) {
	const half = "%half = type { half }\n"
	checkConstructs(t, []construct{
		{
			name: "shuffle", ir: half + kernelOf("%r = alloca %half\n%v2 = alloca %half\ncall spir_func void @_Z34__spirv_GroupNonUniformShuffleDowni4halfj(ptr sret(%half) %r, i32 3, ptr byval(%half) %v2, i32 %n)",
				"declare spir_func void @_Z34__spirv_GroupNonUniformShuffleDowni4halfj(ptr sret(%half), i32, ptr byval(%half), i32)"),
			want: []string{"OpTypeFloat 16", "OpBitcast", "OpLoad", "OpGroupNonUniformShuffleDown", "OpStore"},
		},
		{
			name: "element", ir: half + kernelOf("%r = alloca %half\ncall spir_func void @_Z28__spirv_VectorExtractDynamicDv4_DF16_i(ptr sret(%half) %r, <4 x half> zeroinitializer, i32 %n)",
				"declare spir_func void @_Z28__spirv_VectorExtractDynamicDv4_DF16_i(ptr sret(%half), <4 x half>, i32)"),
			want: []string{"OpVectorExtractDynamic", "OpStore"},
		},
		{
			name: "changed element", ir: half + kernelOf("%r = alloca %half\n%a = call spir_func <4 x half> @_Z27__spirv_VectorInsertDynamicDv4_DF16_4halfi(<4 x half> zeroinitializer, ptr byval(%half) %r, i32 %n)\nstore <4 x half> %a, ptr addrspace(1) %p",
				"declare spir_func <4 x half> @_Z27__spirv_VectorInsertDynamicDv4_DF16_4halfi(<4 x half>, ptr byval(%half), i32)"),
			want: []string{"OpLoad", "OpVectorInsertDynamic"},
		},
	})
}

// TestClusteredReduce: a reduction of clusters needs another capability than one of the group.
func TestClusteredReduce(t *testing.T) {
	const declare = "declare spir_func i32 @_Z27__spirv_GroupNonUniformIAddjjjj(i32, i32, i32, i32)\ndeclare spir_func i32 @_Z27__spirv_GroupNonUniformIAddjjj(i32, i32, i32)"
	checkConstructs(t, []construct{
		{
			name: "clusters", ir: kernelOf("%a = call spir_func i32 @_Z27__spirv_GroupNonUniformIAddjjjj(i32 3, i32 3, i32 %n, i32 8)", declare),
			want: []string{"OpCapability GroupNonUniformClustered", "ClusteredReduce"},
		},
		{
			name: "group", ir: kernelOf("%a = call spir_func i32 @_Z27__spirv_GroupNonUniformIAddjjj(i32 3, i32 0, i32 %n)", declare),
			want: []string{"OpCapability GroupNonUniformArithmetic", "Reduce"}, absent: []string{"GroupNonUniformClustered"},
		},
	})
}

// TestAsyncCopies: these instructions need the capability Kernel alone.
func TestAsyncCopies(t *testing.T) {
	for name, module := range map[string]string{
		"OpenCL C": kernelOf("%a = call spir_func ptr @_Z21async_work_group_copyPU3AS3jPU3AS1Kjm9ocl_event(ptr addrspace(3) null, ptr addrspace(1) %p, i64 32, ptr null)\n%e = alloca ptr\nstore ptr %a, ptr %e\ncall spir_func void @_Z17wait_group_eventsiP9ocl_event(i32 1, ptr %e)",
			"declare spir_func ptr @_Z21async_work_group_copyPU3AS3jPU3AS1Kjm9ocl_event(ptr addrspace(3), ptr addrspace(1), i64, ptr)\ndeclare spir_func void @_Z17wait_group_eventsiP9ocl_event(i32, ptr)\n"+openclDoc),
		"SPIR-V": kernelOf(`%a = call spir_func target("spirv.Event") @_Z22__spirv_GroupAsyncCopyjPU3AS3iPU3AS1immP9ocl_event(i32 2, ptr addrspace(3) null, ptr addrspace(1) %p, i64 32, i64 1, target("spirv.Event") zeroinitializer)`,
			`declare spir_func target("spirv.Event") @_Z22__spirv_GroupAsyncCopyjPU3AS3iPU3AS1immP9ocl_event(i32, ptr addrspace(3), ptr addrspace(1), i64, i64, target("spirv.Event"))`),
	} {
		checkConstructs(t, []construct{{name: name, ir: module, want: []string{"OpGroupAsyncCopy"}, absent: []string{"OpCapability Groups"}}})
	}
}

// TestCallAttributes: attributes of the arguments of a call through a pointer.
func TestCallAttributes(t *testing.T) {
	checkConstructs(t, []construct{{
		name: "arguments", ir: "define spir_func i32 @f(ptr %g, i32 %x, ptr %q) {\n%a = call spir_func i32 %g(i32 signext %x, ptr noalias nocapture readonly %q)\nret i32 %a\n}",
		want: []string{"%a ArgumentAttributeINTEL 0 Sext", "%a ArgumentAttributeINTEL 1 NoAlias", "%a ArgumentAttributeINTEL 1 NoCapture", "%a ArgumentAttributeINTEL 1 NoWrite", "OpFunctionPointerCallINTEL"},
	}})
}

// TestRefusedModules: kinds of errors that name no extension.
func TestRefusedModules(t *testing.T) {
	for _, test := range []struct {
		name, ir string
		kind     fromir.ErrorKind
	}{
		{"assembly", "module asm \"nop\"\ndefine spir_func void @f() {\nret void\n}", fromir.ErrorInput},
		{"instruction", kernelOf("%a = atomicrmw nand ptr addrspace(1) %p, i32 %n seq_cst"), fromir.ErrorInstruction},
		{"variable", "@v = global i32 1\n" + kernelOf("%a = load i32, ptr @v\nstore i32 %a, ptr addrspace(1) %p"), fromir.ErrorInstruction},
		{"cast", kernelOf("%a = addrspacecast ptr addrspace(1) %p to ptr addrspace(3)\nstore i32 1, ptr addrspace(3) %a"), fromir.ErrorModule},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := fromir.Translate(parseIR(t, test.ir), fromir.Options{Version: spirv.Version1_6})
			if e, ok := errors.AsType[*fromir.Error](err); !ok || e.Kind != test.kind || e.Subject == "" {
				t.Errorf("error %v: %+v", err, e)
			}
		})
	}
}

// TestLeastVersion: a module has at least the version that is asked for.
func TestLeastVersion(t *testing.T) {
	code, err := fromir.Translate(parseIR(t, kernelOf("")), fromir.Options{Version: spirv.Version1_4, LeastVersion: spirv.Version1_3})
	if err != nil {
		t.Fatal(err)
	}
	if m := verified(t, code); m.Version != spirv.Version1_3 {
		t.Errorf("version %v", m.Version)
	}
}

// TestSampleOperands: the mask of an image's operands is followed by those that its bits ask for.
func TestSampleOperands(t *testing.T) {
	const image = `target("spirv.SampledImage", void, 1, 0, 0, 0, 0, 0, 0)`
	sample := func(operands, types string) string {
		return "define spir_kernel void @k(" + image + " %s, <2 x float> %c, ptr addrspace(1) %p) {\n" +
			"%v = call spir_func <4 x float> @_Z30__spirv_ImageSampleExplicitLodI1aDv4_fDv2_fET0_T_T1_i(" + image + " %s, <2 x float> %c, " + operands + ")\n" +
			"store <4 x float> %v, ptr addrspace(1) %p\nret void\n}\n" +
			"declare spir_func <4 x float> @_Z30__spirv_ImageSampleExplicitLodI1aDv4_fDv2_fET0_T_T1_i(" + image + ", <2 x float>, " + types + ")\n"
	}
	checkConstructs(t, []construct{
		{name: "level", ir: sample("i32 2, float 1.0", "i32, float"), want: []string{"OpImageSampleExplicitLod", "Lod"}},
		{name: "gradient", ir: sample("i32 4, <2 x float> %c, <2 x float> %c", "i32, <2 x float>, <2 x float>"), want: []string{"OpImageSampleExplicitLod", "Grad"}},
	})
}

// TestFunctionsOfSYCL: in modules of SYCL's front end, whose source language is 4, functions that
// are called as OpenCL C's are the program's own, which another module defines.
func TestFunctionsOfSYCL(t *testing.T) {
	const declared = "declare spir_func i64 @_Z3mixmi(i64, i32)\ndeclare spir_func float @_Z4stepff(float, float)\n!spirv.Source = !{!0}\n!0 = !{i32 LANGUAGE, i32 100000}\n"
	const calls = "%a = call spir_func i64 @_Z3mixmi(i64 3, i32 %n)\n%b = call spir_func float @_Z4stepff(float 1.0, float 2.0)"
	source := func(language string) string {
		return kernelOf(calls, strings.Replace(declared, "LANGUAGE", language, 1))
	}
	checkConstructs(t, []construct{
		{name: "SYCL", ir: source("4"), want: []string{`LinkageAttributes "_Z3mixmi" Import`, "OpFunctionCall", "OpFunctionCall"}, absent: []string{"ExtInst "}},
		{name: "OpenCL C", ir: source("3"), err: "call of _Z3mixmi: 2 operands do not fit the instruction, which has 3"},
	})
}

// TestFunctionsAsValues: a function that takes or returns its own address, or that of one that
// does, has a type that ends.
func TestFunctionsAsValues(t *testing.T) {
	const functions = `define spir_func ptr @f() { ret ptr @g }
define spir_func ptr @g() { ret ptr @f }
define spir_func void @h(ptr %x) {
  store ptr @h, ptr %x
  call spir_func void @h(ptr @h)
  ret void
}
`
	checkConstructs(t, []construct{
		{name: "allowed", ir: functions, want: []string{"OpConstantFunctionPointerINTEL", "OpFunctionCall"}, disputed: "has not been defined"},
		{name: "not allowed", extensions: "-all", ir: functions, err: "needs the extension SPV_INTEL_function_pointers"},
	})
}

// TestArbitraryFloats: conversions to integers and powers have the operands of both forms of
// their specification.
func TestArbitraryFloats(t *testing.T) {
	const name = "_Z36__spirv_ArbitraryFloatCastToIntINTELILi43ELi40EEU7_ExtIntIXT0_EEiU7_ExtIntIXT_EEiiiiii"
	call := func(operands, types string) string {
		return "define spir_func i40 @f(i43 %a) {\n%r = call spir_func i40 @" + name + "(i43 %a, " + operands + ")\nret i40 %r\n}\ndeclare spir_func i40 @" + name + "(i43, " + types + ")\n"
	}
	checkConstructs(t, []construct{
		{name: "with a sign", ir: call("i32 34, i32 1, i32 0, i32 2, i32 1", "i32, i32, i32, i32, i32"), want: []string{"OpArbitraryFloatCastToIntINTEL %3 %a 34 1 0 2 1\n"}, disputed: "expected no more operands"},
		{name: "without", ir: call("i32 34, i32 0, i32 2, i32 1", "i32, i32, i32, i32"), want: []string{"OpArbitraryFloatCastToIntINTEL %3 %a 34 0 2 1\n"}},
		{name: "too few", ir: call("i32 34, i32 0", "i32, i32"), err: "3 operands do not fit the instruction, which has 5"},
	})
}

// TestStackRestore: the instruction alone declares its extension.
func TestStackRestore(t *testing.T) {
	checkConstructs(t, []construct{
		{name: "alone", ir: "define spir_func void @f(ptr %p) {\ncall void @llvm.stackrestore.p0(ptr %p)\nret void\n}\ndeclare void @llvm.stackrestore.p0(ptr)\n", want: []string{"OpCapability VariableLengthArrayINTEL", "SPV_INTEL_variable_length_array", "OpRestoreMemoryINTEL"}},
	})
}

// TestTokens: values of type token, which only functions that stand for unknown intrinsics have.
func TestTokens(t *testing.T) {
	const calls = `define spir_func void @f() {
  %t = call token @llvm.foo()
  call void @llvm.bar(token %t)
  ret void
}
declare token @llvm.foo()
declare void @llvm.bar(token)
`
	unknown := fromir.Options{UnknownIntrinsics: []string{"llvm."}}
	checkConstructs(t, []construct{
		{name: "allowed", options: unknown, ir: calls, want: []string{"OpCapability TokenTypeINTEL", "SPV_INTEL_token_type", "%2 = OpTypeTokenINTEL\n%3 = OpTypeFunction %2"}, disputed: "Invalid capability operand: 6112"},
		{name: "not allowed", options: unknown, extensions: "-all", ir: calls, err: "the type token has no counterpart"},
	})
}
