package fromir_test

import (
	"errors"
	"strings"
	"testing"

	"offlink/spirv"
	"offlink/spirv/fromir"
)

// TestTraps: a trap is not left out.
func TestTraps(t *testing.T) {
	for _, call := range []string{"@llvm.trap()", "@llvm.debugtrap()", "@llvm.ubsantrap(i8 3)"} {
		name, arguments, _ := strings.Cut(call, "(")
		declared := map[bool]string{true: "()", false: "(i8)"}[arguments == ")"]
		code, err := fromir.Translate(parseIR(t, "define spir_kernel void @k() {\n  call void "+call+"\n  ret void\n}\ndeclare void "+name+declared+"\n"), options())
		if err != nil {
			t.Fatal(err)
		}
		validate(t, code)
		if text := dump(t, verified(t, code)); !strings.Contains(text, "OpStore") || !strings.Contains(text, "Volatile") {
			t.Errorf("%s:\n%s", call, text)
		}
	}
}

// TestFreeze: nothing that a freeze depends on is undefined.
func TestFreeze(t *testing.T) {
	tests := []struct{ name, body string }{
		{"undef", "  %a = freeze i32 undef\n"},
		{"poison vector", "  %v = freeze <2 x i32> <i32 poison, i32 3>\n  %a = extractelement <2 x i32> %v, i32 0\n"},
		{"phi", "  br i1 %c, label %l, label %m\nl:\n  br label %m\nm:\n  %p = phi i32 [ undef, %l ], [ %n, %0 ]\n  %a = freeze i32 %p\n"},
		{"sum", "  %s = add nsw i32 %n, 1\n  %x = select i1 %c, i32 poison, i32 %s\n  %a = freeze i32 %x\n"},
		{"shuffle", "  %w = insertelement <2 x i32> undef, i32 %n, i32 0\n  %v = shufflevector <2 x i32> %w, <2 x i32> undef, <2 x i32> <i32 0, i32 undef>\n  %f = freeze <2 x i32> %v\n  %a = extractelement <2 x i32> %f, i32 1\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := "define spir_kernel void @k(ptr addrspace(1) %q, i32 %n, i1 %c) {\n" + test.body + "  store i32 %a, ptr addrspace(1) %q\n  ret void\n}\n"
			code, err := fromir.Translate(parseIR(t, text), options())
			if err != nil {
				t.Fatal(err)
			}
			validate(t, code)
			got := dump(t, verified(t, code))
			for _, bad := range []string{"OpUndef", "NoSignedWrap", "0xffffffff", "4294967295"} {
				if strings.Contains(got, bad) {
					t.Errorf("%s in\n%s", bad, got)
				}
			}
		})
	}
}

// TestInitializers: kernels of llvm.global_ctors get an execution mode; other
// functions there are refused.
func TestInitializers(t *testing.T) {
	const list = "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @f, ptr null }]\n"
	code, err := fromir.Translate(parseIR(t, list+"define spir_kernel void @f() {\n  ret void\n}\n"), options())
	if err != nil {
		t.Fatal(err)
	}
	validate(t, code)
	if text := dump(t, verified(t, code)); !strings.Contains(text, "Initializer") {
		t.Error(text)
	}
	_, err = fromir.Translate(parseIR(t, list+"define internal void @f() {\n  ret void\n}\n"), fromir.Options{Version: spirv.Version1_4})
	var refused *fromir.Error
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "llvm.global_ctors lists f") {
		t.Errorf("error %v", err)
	}
}

// TestPipes: each function of pipes becomes its instruction.
func TestPipes(t *testing.T) {
	text := `!opencl.ocl.version = !{!0}
!0 = !{i32 2, i32 0}
define spir_kernel void @k(target("spirv.Pipe", 0) %r, target("spirv.Pipe", 1) %w, ptr addrspace(4) %p) {
  %a = call i32 @__read_pipe_2(target("spirv.Pipe", 0) %r, ptr addrspace(4) %p, i32 4, i32 4)
  %b = call i32 @__write_pipe_2(target("spirv.Pipe", 1) %w, ptr addrspace(4) %p, i32 4, i32 4)
  %c = call i32 @__get_pipe_num_packets_ro(target("spirv.Pipe", 0) %r, i32 4, i32 4)
  ret void
}
declare i32 @__read_pipe_2(target("spirv.Pipe", 0), ptr addrspace(4), i32, i32)
declare i32 @__write_pipe_2(target("spirv.Pipe", 1), ptr addrspace(4), i32, i32)
declare i32 @__get_pipe_num_packets_ro(target("spirv.Pipe", 0), i32, i32)
`
	code, err := fromir.Translate(parseIR(t, text), options())
	if err != nil {
		t.Fatal(err)
	}
	validate(t, code)
	got := dump(t, verified(t, code))
	for _, want := range []string{"OpReadPipe", "OpWritePipe", "OpGetNumPipePackets", "Capability Pipes"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, "OpFunctionCall") {
		t.Error(got)
	}
}

// TestExtensions: constructs of extensions become their instructions.
func TestExtensions(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"gather", "define spir_kernel void @k(ptr addrspace(1) %p, <4 x ptr addrspace(1)> %q, <4 x i1> %m, <4 x i32> %v) {\n  %r = call <4 x i32> @llvm.masked.gather.v4i32.v4p1(<4 x ptr addrspace(1)> %q, i32 4, <4 x i1> %m, <4 x i32> %v)\n  store <4 x i32> %r, ptr addrspace(1) %p\n  ret void\n}\ndeclare <4 x i32> @llvm.masked.gather.v4i32.v4p1(<4 x ptr addrspace(1)>, i32, <4 x i1>, <4 x i32>)\n", "OpMaskedGatherINTEL"},
		{"addresses", "define spir_kernel void @k(ptr addrspace(1) %p, <2 x i64> %i) {\n  %q = getelementptr i32, ptr addrspace(1) %p, <2 x i64> %i\n  %e = extractelement <2 x ptr addrspace(1)> %q, i32 1\n  store i32 1, ptr addrspace(1) %e\n  ret void\n}\n", "OpCompositeConstruct"},
		{"alias scopes", "define spir_kernel void @k(ptr addrspace(1) %p) {\n  store i32 1, ptr addrspace(1) %p, align 4, !alias.scope !0\n  ret void\n}\n!0 = !{!1}\n!1 = distinct !{!1, !2}\n!2 = distinct !{!2}\n", "OpAliasScopeListDeclINTEL"},
		{"assembly", "define spir_kernel void @k(i32 %n) {\n  call void asm sideeffect \"nop $0\", \"r\"(i32 %n)\n  ret void\n}\n", "OpAsmCallINTEL"},
		{"parts", "define spir_kernel void @k(ptr addrspace(1) %p, float %x) {\n  %r = call { float, float } @llvm.modf.f32(float %x)\n  %a = extractvalue { float, float } %r, 1\n  store float %a, ptr addrspace(1) %p\n  ret void\n}\ndeclare { float, float } @llvm.modf.f32(float)\n", "modf"},
		{"type hint", "define spir_kernel void @k() !vec_type_hint !0 {\n  ret void\n}\n!0 = !{<4 x float> undef, i32 0}\n", "VecTypeHint 262149"},
		{"allowed error", "define spir_kernel void @k(ptr addrspace(1) %p, float %x) {\n  %a = fdiv float %x, 3.0, !fpmath !0\n  store float %a, ptr addrspace(1) %p\n  ret void\n}\n!0 = !{float 2.5}\n", "FPMaxErrorDecorationINTEL"},
		{"split barrier", "!opencl.ocl.version = !{!0}\n!0 = !{i32 3, i32 0}\ndefine spir_kernel void @k() {\n  call void @_Z31intel_work_group_barrier_arrivej(i32 1)\n  call void @_Z29intel_work_group_barrier_waitj(i32 1)\n  ret void\n}\ndeclare void @_Z31intel_work_group_barrier_arrivej(i32)\ndeclare void @_Z29intel_work_group_barrier_waitj(i32)\n", "OpControlBarrierWaitINTEL"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, err := fromir.Translate(parseIR(t, test.text), options())
			if err != nil {
				t.Fatal(err)
			}
			if text := dump(t, verified(t, code)); !strings.Contains(text, test.want) {
				t.Errorf("no %s in\n%s", test.want, text)
			}
		})
	}
}
