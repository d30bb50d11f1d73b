package fromir_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"offlink/spirv/fromir"
)

// repeated joins format applied to the numbers below n.
func repeated(n int, format string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i)))
	}
	return b.String()
}

const hostileKernel = "define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {\n"

// TestHostile: bodies that are long or deep in one way are translated in about the
// time that their length takes, or refused. Each would take minutes, or gigabytes,
// in steps that multiply.
func TestHostile(t *testing.T) {
	const n = 20_000
	tests := []struct{ name, text, want, refused string }{
		{name: "switch to one phi", text: hostileKernel + "  switch i32 %n, label %d [\n" + repeated(n, "i32 #, label %d\n") + "]\nd:\n  %x = phi i32 [ 0, %0 ]" +
			repeated(n, ", [ 0, %0 ]") + "\n  store i32 %x, ptr addrspace(1) %p\n  ret void\n}\n", want: "OpSwitch"},
		{name: "switch to phis", text: hostileKernel + "  switch i32 %n, label %d [\n" + repeated(n, "i32 #, label %b#\n") + "]\n" + repeated(n, "b#:\n  %x# = phi i32 [ #, %0 ]\n  ret void\n") +
			"d:\n  ret void\n}\n", want: "OpSwitch"},
		{name: "phi of many blocks", text: hostileKernel + "  switch i32 %n, label %d [\n" + repeated(2*n, "i32 #, label %b#\n") + "]\n" + repeated(2*n, "b#:\n  br label %d\n") +
			"d:\n  %x = phi i32 [ 0, %0 ]" + repeated(2*n, ", [ #, %b# ]") + "\n  ret void\n}\n", refused: "function k: phi: an instruction of 80005 words"},
		{name: "ring of two entries", text: hostileKernel + "  %z = icmp eq i32 %n, 7\n  br i1 %z, label %b0, label %b19999\n" + blockRing(n) + "}\n", want: "OpBranchConditional"},
		{name: "chain of loads", text: hostileKernel + "  %l0 = load ptr, ptr addrspace(1) %p\n" + loadChain(n) + "  ret void\n}\n", want: "OpLoad"},
		{name: "annotated pointers", text: "@s = private addrspace(1) constant [5 x i8] c\"{44}\\00\"\ndeclare ptr addrspace(1) @llvm.ptr.annotation.p1.p1(ptr addrspace(1), ptr addrspace(1), ptr addrspace(1), i32, ptr addrspace(1))\n" +
			hostileKernel + repeated(n, "  %g# = getelementptr i32, ptr addrspace(1) %p, i32 #\n  %a# = call ptr addrspace(1) @llvm.ptr.annotation.p1.p1(ptr addrspace(1) %g#, ptr addrspace(1) @s, ptr addrspace(1) null, i32 0, ptr addrspace(1) null)\n") + "  ret void\n}\n", want: "OpPtrAccessChain"},
		{
			name: "phi of a block elsewhere", text: hostileKernel + "  br label %b\na:\n  br label %b\nb:\n  %x = phi i32 [ 0, %0 ], [ 0, %a ]\n  br label %c\nc:\n  %y = phi i32 [ 1, %0 ]\n  ret void\n}\n",
			refused: "phi: a value for a block that does not lead to the phi",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, err := fromir.Translate(parseIR(t, test.text), options())
			var refused *fromir.Error
			switch {
			case test.refused != "":
				if !errors.As(err, &refused) || !strings.Contains(err.Error(), test.refused) {
					t.Errorf("error %v, want %q", err, test.refused)
				}
			case err != nil:
				t.Error(err)
			default:
				if test.name != "ring of two entries" { // the validator takes minutes
					validate(t, code)
				}
				if !strings.Contains(dump(t, verified(t, code)), test.want) {
					t.Errorf("no %s", test.want)
				}
			}
		})
	}
}

// loadChain loads a pointer through a pointer, n times.
func loadChain(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  %%l%d = load ptr, ptr %%l%d\n", i+1, i)
	}
	return b.String()
}

// blockRing is a ring of blocks, each of which leads to both its neighbours.
func blockRing(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "b%d:\n  %%c%d = icmp eq i32 %%n, %d\n  br i1 %%c%d, label %%b%d, label %%b%d\n", i, i, i, i, (i+1)%n, (i+n-1)%n)
	}
	return b.String()
}

// TestNamesThatEndEarly: a mangled name may say a length that is beyond its end.
func TestNamesThatEndEarly(t *testing.T) {
	for _, name := range []string{"_Z12__spirv_IsNan9", "_Z3absP44__x", "_Z3absU9AS", "_Z3absPU3AS144__spirv_X", "_Z3absDv4_9x", "_Z3absI9"} {
		text := kernelOf("call spir_func void @"+name+"(i32 %n)", "declare spir_func void @"+name+"(i32)\n!opencl.ocl.version = !{!0}\n!0 = !{i32 2, i32 0}")
		code, err := fromir.Translate(parseIR(t, text), options())
		if err == nil {
			verified(t, code)
		}
	}
}

// TestLackingArguments: calls of known names with fewer arguments than they have, or with
// a number that asks for memory, are refused, as LLVM checks no names but its own.
func TestLackingArguments(t *testing.T) {
	const enqueue = "define spir_kernel void @k(ptr %q, ptr %r) {\n  %s = alloca [4294967296 x i64]\n  %l = alloca { i32, i32 }\n" +
		"  %a = call i32 @__enqueue_kernel_varargs(ptr %q, i32 0, ptr %r, ptr @b_block_invoke_kernel, ptr %l, i32 -1, ptr %s)\n  ret void\n}\n" +
		"declare i32 @__enqueue_kernel_varargs(ptr, i32, ptr, ptr, ptr, i32, ptr)\ndefine spir_kernel void @b_block_invoke_kernel(ptr %x) {\n  ret void\n}\n"
	for _, test := range []struct{ name, text, want string }{
		{"annotation", voidCall("i32", "llvm.annotation.i32"), "other types than the intrinsic"},
		{"annotation of a variable", voidCall("void", "llvm.var.annotation"), "other types than the intrinsic"},
		{"annotation of a pointer", voidCall("ptr", "llvm.ptr.annotation.p0"), "other types than the intrinsic"},
		{"copy", voidCall("void", "llvm.memcpy.p1.p1.i64"), "other types than the intrinsic"},
		{"masked load", voidCall("i32", "llvm.masked.load.v4i32.p1"), "other types than the intrinsic"},
		{"fraction", voidCall("i32", "llvm.frexp.f32.i32"), "other types than the intrinsic"},
		{"atomic", voidCall("i32", "_Z10atomic_addPU3AS1Vii"), "other types than the function's name says"},
		{"image", voidCall("<4 x float>", "_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_f"), "other types than the function's name says"},
		{"work-item", voidCall("i64", "_Z13get_global_idj"), "other types than the function's name says"},
		{"block", voidCall("i32", "__enqueue_kernel_basic"), "0 arguments, want 5"},
		{"query of a block", voidCall("i32", "__get_kernel_work_group_size_impl"), "0 arguments, want 2"},
		{"sizes of local memory", enqueue, "4294967295 sizes of local memory do not fit"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := options()
			if err := o.AllowExtensions("+all"); err != nil {
				t.Fatal(err)
			}
			_, err := fromir.Translate(parseIR(t, "!opencl.ocl.version = !{!0}\n!0 = !{i32 2, i32 0}\n"+test.text), o)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// TestWrongTypes: declarations of known names whose types are others are refused, as
// LLVM's verifier refuses those of its intrinsics.
func TestWrongTypes(t *testing.T) {
	const intrinsic, name = "other types than the intrinsic", "other types than the function's name says"
	for _, test := range []struct{ call, declaration, want string }{
		{`call i32 @llvm.memcpy.p1.p1.i64(metadata !0)`, `declare i32 @llvm.memcpy.p1.p1.i64(metadata)`, intrinsic},
		{`call float @llvm.fshl.i32(float %x, float %x, float %x)`, `declare float @llvm.fshl.i32(float, float, float)`, intrinsic},
		{`call i32 @llvm.ctlz.i32(i32 %n)`, `declare i32 @llvm.ctlz.i32(i32)`, intrinsic},
		{`call {i32, i32} @llvm.umul.with.overflow.i32(i32 %n, i32 %n)`, `declare {i32, i32} @llvm.umul.with.overflow.i32(i32, i32)`, intrinsic},
		{`call <2 x i32> @llvm.fptosi.sat.v2i32.f32(float %x)`, `declare <2 x i32> @llvm.fptosi.sat.v2i32.f32(float)`, intrinsic},
		{`call float @llvm.sin.f32(float %x, float %x)`, `declare float @llvm.sin.f32(float, float)`, intrinsic},
		{`call i32 @_Z10atomic_addPU3AS1Vii(metadata !0, i32 %n)`, `declare i32 @_Z10atomic_addPU3AS1Vii(metadata, i32)`, name},
		{`call float @_Z3sinf(i32 %n)`, `declare float @_Z3sinf(i32)`, name},
		{`call float @_Z4fmaxff(float %x, <2 x float> zeroinitializer)`, `declare float @_Z4fmaxff(float, <2 x float>)`, name},
		{`call float @_Z3sinf(float %x, float %x)`, `declare float @_Z3sinf(float, float)`, name},
		{`call float @_Z3sinf()`, `declare float @_Z3sinf()`, name},
		{`call double @_Z3sinf(float %x)`, `declare double @_Z3sinf(float)`, "argument 1 of sin is of another type than the result"},
		{`call i32 @_Z3maxii(i32 %n, i32 %n, i32 %n)`, `declare i32 @_Z3maxii(i32, i32, i32)`, name},
		{`call float @_Z3fmafff(float %x, float %x)`, `declare float @_Z3fmafff(float, float)`, name},
		{`call i32 @_Z6lengthDv2_f(<2 x float> zeroinitializer)`, `declare i32 @_Z6lengthDv2_f(<2 x float>)`, "of the type of an element"},
		{`call i32 @_Z12convert_charf(float %x)`, `declare i32 @_Z12convert_charf(float)`, "not those of a conversion to char"},
		{`call i8 @_Z12convert_charf(float %x, float %x)`, `declare i8 @_Z12convert_charf(float, float)`, name},
		{`call <2 x float> @_Z6vload2mPU3AS1Kf(i64 0, float %x)`, `declare <2 x float> @_Z6vload2mPU3AS1Kf(i64, float)`, name},
		{`call i32 @_Z10atomic_addPU3AS1Vii(i32 %n, i32 %n)`, `declare i32 @_Z10atomic_addPU3AS1Vii(i32, i32)`, name},
		{`call i16 @_Z8popcountt(i1 true)`, `declare i16 @_Z8popcountt(i1)`, name},
		{`call i32 @_Z21work_group_reduce_addi(i32 %n, i32 %n)`, `declare i32 @_Z21work_group_reduce_addi(i32, i32)`, name},
		{`call i64 @_Z8atom_minPU3AS1Vll(target("spirv.Sampler") poison, i64 0)`, `declare i64 @_Z8atom_minPU3AS1Vll(target("spirv.Sampler"), i64)`, name},
		{`call <4 x float> @_Z11read_imagef14ocl_image3d_ro11ocl_samplerDv4_f(target("spirv.Image", void, 2, 0, 0, 0, 0, 0, 0) poison, double 0.0, <4 x float> zeroinitializer)`, `declare <4 x float> @_Z11read_imagef14ocl_image3d_ro11ocl_samplerDv4_f(target("spirv.Image", void, 2, 0, 0, 0, 0, 0, 0), double, <4 x float>)`, name},
		{`call half @_Z27get_image_channel_data_type14ocl_image2d_ro(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) poison)`, `declare half @_Z27get_image_channel_data_type14ocl_image2d_ro(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0))`, "the result is not an integer"},
		{`call float @_Z15get_image_width14ocl_image2d_ro(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) poison)`, `declare float @_Z15get_image_width14ocl_image2d_ro(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0))`, "the result is not an integer of 32 bits"},
		{`call ptr addrspace(1) @_Z3anyDv2_i(<2 x i32> zeroinitializer)`, `declare ptr addrspace(1) @_Z3anyDv2_i(<2 x i32>)`, "stands for a truth value"},
		{`call i1 @_Z3maxDv4_ff(<4 x float> zeroinitializer, float %x)`, `declare i1 @_Z3maxDv4_ff(<4 x float>, float)`, "argument 1 of"},
		{`call i1 @_Z12vloada_half4mPU3AS1KDh(i64 0, ptr addrspace(1) null)`, `declare i1 @_Z12vloada_half4mPU3AS1KDh(i64, ptr addrspace(1))`, "the result is not 4 numbers"},
		{`call half @_Z6vload3mPU3AS1Ki(i64 0, ptr addrspace(1) null)`, `declare half @_Z6vload3mPU3AS1Ki(i64, ptr addrspace(1))`, "the result is not 3 numbers"},
		{`call i64 @_Z7vstore4Dv4_fmPU3AS1f(<4 x float> zeroinitializer, i64 0, ptr addrspace(1) null)`, `declare i64 @_Z7vstore4Dv4_fmPU3AS1f(<4 x float>, i64, ptr addrspace(1))`, "the result is not void"},
		{`call i8 @_Z8upsamplehh(i8 0, i8 0)`, `declare i8 @_Z8upsamplehh(i8, i8)`, "twice the bits"},
		{`call float @_Z3maxDv4_ff(<4 x float> zeroinitializer, float %x)`, `declare float @_Z3maxDv4_ff(<4 x float>, float)`, "argument 1 of"},
		{`call <2 x i32> @_Z11read_imagei14ocl_image2d_roDv2_i(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) poison, <2 x i32> zeroinitializer)`, `declare <2 x i32> @_Z11read_imagei14ocl_image2d_roDv2_i(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0), <2 x i32>)`, "not that of an image"},
		{`call void @_Z15__spirv_ocl_fmafff(float %x, float %x, float %x)`, `declare void @_Z15__spirv_ocl_fmafff(float, float, float)`, "the result is not a floating-point number"},
		{`call i32 @_Z29__spirv_GroupNonUniformBallotib(i32 3, i1 true)`, `declare i32 @_Z29__spirv_GroupNonUniformBallotib(i32, i1)`, "a vector of four integers"},
		{`call <4 x float> @_Z7shuffleDv4_jS_(<4 x i32> zeroinitializer, <4 x i32> zeroinitializer)`, `declare <4 x float> @_Z7shuffleDv4_jS_(<4 x i32>, <4 x i32>)`, "not those of the result"},
		{`call void @_Z7signbitDh(half 0.0)`, `declare void @_Z7signbitDh(half)`, "the result is not a truth value"},
		{`call void @_Z3clzi(i32 %n)`, `declare void @_Z3clzi(i32)`, "the result is not an integer"},
		{`call float @_Z8popcountc(i8 0)`, `declare float @_Z8popcountc(i8)`, "the result is not an integer"},
		{`call <3 x i8> @_Z8popcountm(i64 0)`, `declare <3 x i8> @_Z8popcountm(i64)`, "vectors of as many"},
		{`call ptr addrspace(3) @_Z9isgreaterDv2_fS_(<2 x float> zeroinitializer, <2 x float> zeroinitializer)`, `declare ptr addrspace(3) @_Z9isgreaterDv2_fS_(<2 x float>, <2 x float>)`, "vectors of as many"},
		{`call i1 @_Z28__spirv_BuiltInWorkgroupSizei(i32 0)`, `declare i1 @_Z28__spirv_BuiltInWorkgroupSizei(i32)`, "not that of a built-in variable"},
		{`call <2 x i32> @_Z24atomic_flag_test_and_setPU3AS4VU7_Atomici(ptr addrspace(4) null)`, `declare <2 x i32> @_Z24atomic_flag_test_and_setPU3AS4VU7_Atomici(ptr addrspace(4))`, "stands for a truth value"},
		{`call ptr addrspace(3) @_Z20atomic_load_explicitPU3AS4VU7_Atomici12memory_order12memory_scope(ptr addrspace(4) null, i32 0, i32 0)`, `declare ptr addrspace(3) @_Z20atomic_load_explicitPU3AS4VU7_Atomici12memory_order12memory_scope(ptr addrspace(4), i32, i32)`, "the result is not a number"},
		{`call i32 @_Z18__spirv_ocl_printfIJiEEiPU3AS2KcDpT_(i32 %n, i32 %n)`, `declare i32 @_Z18__spirv_ocl_printfIJiEEiPU3AS2KcDpT_(i32, i32)`, "the format of printf is a pointer"},
		{`call float @_Z7shuffleDv8_jS_(<8 x i32> zeroinitializer, <8 x i32> zeroinitializer)`, `declare float @_Z7shuffleDv8_jS_(<8 x i32>, <8 x i32>)`, "not those of the result"},
		{`call ptr addrspace(1) @_Z9bitselectDv4_iS_S_(<4 x i32> zeroinitializer, <4 x i32> zeroinitializer, <4 x i32> zeroinitializer)`, `declare ptr addrspace(1) @_Z9bitselectDv4_iS_S_(<4 x i32>, <4 x i32>, <4 x i32>)`, "the result of bitselect is a number"},
		{`call half @_Z9bitselectDv4_iS_S_(<4 x i32> zeroinitializer, <4 x i32> zeroinitializer, <4 x i32> zeroinitializer)`, `declare half @_Z9bitselectDv4_iS_S_(<4 x i32>, <4 x i32>, <4 x i32>)`, "argument 1 of bitselect"},
		{`call i64 @_Z6selectiii(i32 %n, i32 %n, i32 %n)`, `declare i64 @_Z6selectiii(i32, i32, i32)`, "of the type of the result"},
		{`call <3 x i32> @_Z6vload3mPU3AS1Ki(i32 0, ptr addrspace(1) null)`, `declare <3 x i32> @_Z6vload3mPU3AS1Ki(i32, ptr addrspace(1))`, "an integer of 64 bits, a size_t"},
		{`call i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(float 0.0, i32 0)`, `declare i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(float, i32)`, "not the number of a dimension"},
		{`call void @_Z22__spirv_ControlBarrieriii()`, `declare void @_Z22__spirv_ControlBarrieriii()`, "0 operands do not fit the instruction, which has 3"},
	} {
		_, err := fromir.Translate(parseIR(t, kernelOf(test.call, test.declaration, "!opencl.ocl.version = !{!0}\n!0 = !{i32 2, i32 0}")), options())
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.call, err, test.want)
		}
	}
}

// voidCall is a module that calls a function without arguments.
func voidCall(result, name string) string {
	return fmt.Sprintf("define spir_kernel void @k() {\n  call %s @%s()\n  ret void\n}\ndeclare %[1]s @%[2]s()\n", result, name)
}
