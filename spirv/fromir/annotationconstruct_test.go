package fromir_test

import (
	"strings"
	"testing"
)

// TestAnnotationCalls: the intrinsics that annotate values.
func TestAnnotationCalls(t *testing.T) {
	const (
		strings = `@reg = private addrspace(1) constant [25 x i8] c"__builtin_intel_fpga_reg\00", section "llvm.metadata"
@label = private addrspace(1) constant [9 x i8] c"{6172:3}\00", section "llvm.metadata"
@cache = private addrspace(1) constant [19 x i8] c"{6442:\220\22,\221\22}ab\00", section "llvm.metadata"
@text = private addrspace(1) constant [5 x i8] c"text\00", section "llvm.metadata"
@numbers = private addrspace(1) constant { i32, i1, i8 } { i32 -1, i1 true, i8 -5 }, section "llvm.metadata"
@zeros = private addrspace(1) constant { i32, i32 } zeroinitializer, section "llvm.metadata"
declare i32 @llvm.annotation.i32.p1(i32, ptr addrspace(1), ptr addrspace(1), i32)
declare ptr addrspace(1) @llvm.ptr.annotation.p1.p1(ptr addrspace(1), ptr addrspace(1), ptr addrspace(1), i32, ptr addrspace(1))
declare void @llvm.var.annotation.p0.p1(ptr, ptr addrspace(1), ptr addrspace(1), i32, ptr addrspace(1))`
		file     = ", ptr addrspace(1) @text, i32 3"
		register = "%a = call i32 @llvm.annotation.i32.p1(i32 %n, ptr addrspace(1) @reg" + file + ")\nstore i32 %a, ptr addrspace(1) %p"
		address  = "%g = getelementptr i32, ptr addrspace(1) %p, i32 %n\n%a = call ptr addrspace(1) @llvm.ptr.annotation.p1.p1(ptr addrspace(1) %g, ptr addrspace(1) @"
		variable = "%m = alloca i32\nstore i32 1, ptr %m\ncall void @llvm.var.annotation.p0.p1(ptr %m, ptr addrspace(1) @text" + file + ", ptr addrspace(1) @"
	)
	checkConstructs(t, []construct{
		{name: "register", ir: kernelOf(register, strings), want: []string{"OpCapability FPGARegINTEL", "SPV_INTEL_fpga_reg", "%a = OpFPGARegINTEL", "%n"}},
		{name: "register, not allowed", extensions: "-all", ir: kernelOf(register, strings), want: []string{"OpStore %p %n"}, absent: []string{"FPGAReg"}},
		{name: "register of a pointer", ir: kernelOf(address+"reg"+file+", ptr addrspace(1) null)\nstore i32 1, ptr addrspace(1) %a", strings), want: []string{"%a = OpFPGARegINTEL", "OpStore %a"}},
		{name: "latency of a store", ir: kernelOf(address+"label"+file+", ptr addrspace(1) null)\nstore i32 1, ptr addrspace(1) %a", strings), want: []string{"OpDecorate %g LatencyControlLabelINTEL 3", "OpStore %g"}},
		{name: "latency of a cast", ir: kernelOf(address+"label"+file+", ptr addrspace(1) null)\n%b = addrspacecast ptr addrspace(1) %a to ptr addrspace(4)\nstore i32 1, ptr addrspace(4) %b", strings), want: []string{"OpDecorate %g LatencyControlLabelINTEL 3"}},
		{name: "latency of nothing", ir: kernelOf(address+"label"+file+", ptr addrspace(1) null)", strings), absent: []string{"Latency"}},
		{name: "cache of a parameter", ir: kernelOf("%a = call ptr addrspace(1) @llvm.ptr.annotation.p1.p1(ptr addrspace(1) %p, ptr addrspace(1) @cache"+file+", ptr addrspace(1) null)\nstore i32 1, ptr addrspace(1) %a", strings), want: []string{"OpDecorate %p CacheControlLoadINTEL 0 CachedINTEL", "OpStore %p"}},
		{name: "variable", ir: kernelOf(variable+"numbers)", strings), want: []string{`OpDecorate %m UserSemantic "text: -1, -1, -5"`}},
		{name: "variable with zeros", ir: kernelOf(variable+"zeros)", strings), want: []string{`OpDecorate %m UserSemantic "text: 0, 0"`}},
		{name: "alignment that the text does not say", ir: kernelOf("%m = alloca { i32, i32 }\nstore i32 1, ptr %m"), want: []string{"OpDecorate %m Alignment 8"}},
	})
}

// TestCacheControls: the metadata of an instruction decorate a copy of its pointer.
func TestCacheControls(t *testing.T) {
	const controls = "!0 = !{!1, !2}\n!1 = !{i32 6442, i32 0, i32 1, i32 0}\n!2 = !{i32 6442, i32 1, i32 2, i32 0}\n!3 = !{!4}\n!4 = !{i32 6443, i32 0, i32 1, i32 1}\ndeclare void @f(ptr addrspace(1))"
	const body = "%a = load i32, ptr addrspace(1) %p, !spirv.DecorationCacheControlINTEL !0\nstore i32 %a, ptr addrspace(1) %p, !spirv.DecorationCacheControlINTEL !3\ncall void @f(ptr addrspace(1) %p), !spirv.DecorationCacheControlINTEL !0\nstore i32 1, ptr addrspace(1) %p"
	checkConstructs(t, []construct{
		{
			name: "allowed", ir: kernelOf(body, controls),
			// The extension allows one for each cache level.
			disputed: "decorated with CacheControlLoadINTEL multiple times",
			want:     []string{"CacheControlLoadINTEL 0 CachedINTEL", "CacheControlLoadINTEL 1 StreamingINTEL", "CacheControlStoreINTEL 0 WriteThroughINTEL", "OpPtrAccessChain", "OpLoad", "OpPtrAccessChain", "OpStore", "OpPtrAccessChain", "OpFunctionCall", "OpStore %p"},
		},
		{name: "not allowed", extensions: "-all", ir: kernelOf(body, controls), absent: []string{"CacheControl", "OpPtrAccessChain"}},
		{
			name: "of a phi", ir: kernelOf("br label %l\nl:\n%f = phi ptr addrspace(1) [ %p, %0 ], !spirv.DecorationCacheControlINTEL !0\nstore i32 1, ptr addrspace(1) %f", controls),
			want: []string{"OpPhi", "OpStore %f"}, absent: []string{"OpPtrAccessChain"},
		},
	})
}

// TestArgumentsByValue: numbers of more than 64 bits are loaded and stored.
func TestArgumentsByValue(t *testing.T) {
	const fixed = "@_Z24__spirv_FixedSinCosINTELILi66(ptr sret(i34)"
	const body = "%s = alloca i66, align 8\n%r = alloca i34, align 8\ncall spir_func void " + fixed + " %r, ptr byval(i66) %s, i1 zeroext true, i32 3, i32 2, i32 0, i32 0)"
	checkConstructs(t, []construct{{
		name: "fixed point", ir: kernelOf(body, "declare spir_func void "+fixed+", ptr byval(i66), i1 zeroext, i32, i32, i32, i32)"),
		want: []string{"SPV_INTEL_arbitrary_precision_fixed_point", "OpLoad", "%s", "OpFixedSinCosINTEL", " 1 3 2 0 0", "OpStore %r"},
	}})
}

// TestLoopsOfFPGAs: loop controls without a merge block, and those that name arrays.
func TestLoopsOfFPGAs(t *testing.T) {
	const unstructured = "br label %loop\nloop:\nstore volatile i32 %n, ptr addrspace(1) %p\nbr label %next\nnext:\nbr label %loop, !llvm.loop !0\n}\n!0 = distinct !{!0, !1}\n!1 = !{!\"llvm.loop.unroll.enable\"}\ndefine void @f() {"
	const dependent = "%q = alloca ptr addrspace(1)\nbr label %loop\nloop:\n%i = phi i32 [ 0, %0 ], [ %j, %loop ]\n%g = getelementptr i32, ptr addrspace(1) %p, i32 %i, !llvm.index.group !3\n" +
		"%loaded = load ptr addrspace(1), ptr %q\n%h = getelementptr i32, ptr addrspace(1) %loaded, i32 %i, !llvm.index.group !4\n" +
		"store i32 %i, ptr addrspace(1) %g\nstore i32 %i, ptr addrspace(1) %h\n%j = add i32 %i, 1\n%c = icmp slt i32 %j, %n\nbr i1 %c, label %loop, label %end, !llvm.loop !0\nend:"
	const groups = "!0 = distinct !{!0, !1}\n!1 = !{!\"llvm.loop.parallel_access_indices\", !2, !3, i32 5}\n!2 = distinct !{}\n!3 = distinct !{}\n!4 = !{!2, !3}"
	checkConstructs(t, []construct{
		{name: "unstructured", ir: kernelOf(unstructured), want: []string{"OpCapability UnstructuredLoopControlsINTEL", "SPV_INTEL_unstructured_loop_controls", "%loop = OpLabel", "OpLoopControlINTEL 1", "OpBranch %next"}},
		{name: "unstructured, not allowed", extensions: "-all", ir: kernelOf(unstructured), absent: []string{"Loop"}},
		{name: "arrays", ir: kernelOf(dependent, groups), want: []string{"OpCapability FPGALoopControlsINTEL", "OpLoopMerge", "DependencyArrayINTEL 3 %q 5 %p 5 %q 5"}},
		{name: "arrays, a length as large as an identifier", ir: kernelOf(dependent, strings.Replace(groups, "i32 5", "i32 -2147483647", 1)), want: []string{"DependencyArrayINTEL 3 %q 2147483649 %p 2147483649 %q 2147483649"}},
		{name: "arrays, not allowed", extensions: "-all", ir: kernelOf(dependent, groups), absent: []string{"OpLoopMerge"}},
	})
}
