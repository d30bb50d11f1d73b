package fromir_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"
	"offlink/ir"
	"offlink/ir/irfile"
	"offlink/spirv"
	"offlink/spirv/fromir"
)

// parseIR reads textual IR with the triple of OpenCL.
func parseIR(t testing.TB, text string) *ir.Module {
	t.Helper()
	m, err := irfile.Parse("in.ll", []byte("target triple = \"spir64-unknown-unknown\"\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// options allow all extensions but those that give most modules another form, which
// the validator does not know.
func options() fromir.Options {
	return fromir.Options{Version: spirv.Version1_4, AllExtensions: true, Extensions: map[string]bool{"SPV_KHR_float_controls2": false, "SPV_KHR_fma": false, "SPV_INTEL_runtime_aligned": false, "SPV_AMD_weak_linkage": false}}
}

// verified parses and verifies a module.
func verified(t testing.TB, code []byte) *spirv.Module {
	t.Helper()
	m, err := spirv.Parse(code)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Verify(); err != nil {
		t.Fatal(err)
	}
	return m
}

// validatorLimits are messages of the validator about modules that are as they
// should be: constructs of extensions that it does not know.
var validatorLimits = []string{
	"OpConstantFunctionPointerINTEL", "Invalid use of function type result id", "Invalid capability operand: 6146", "Invalid capability operand: 6022", "Invalid capability operand: 6169", "Invalid capability operand: 6427", "Invalid cooperative matrix operands operand",
	// It wants these within functions; the extension has them among the types.
	"AliasDomainDeclINTEL must appear in a block",
	// A pointer of no address space has the number that the Khronos translator writes.
	"Invalid storage class operand: 4294967295",
	// Its newest rules: base types of other kinds, and extensions.
	"DebugTypedef: expected operand Base Type", "ExtInstWithForwardRefs", "SPV_KHR_relaxed_extended_instruction", "Invalid opcode: 4433",
	// The specification has FloatingPointModeINTEL for the modes of operation.
	"requires one of these capabilities: RoundToInfinityINTEL",
	// Modules that sycl-post-link has not taken the specialization constants of.
	"__usid_str",
	// NonSemantic.AuxData names functions before they are defined.
	"[%f]' has not been defined", "may not be decorated with Import Linkage",
	// Structs of more members than the universal limits allow.
	"has exceeded the limit (16383)",
}

// validate runs spirv-val if it is installed.
func validate(t testing.TB, code []byte) {
	t.Helper()
	if message := validatorMessage(t, code); message != "" {
		t.Errorf("spirv-val: %s", message)
	}
}

// validatorMessage returns the objections of spirv-val to a module, beside the known
// limits; "" where it is not installed.
func validatorMessage(t testing.TB, code []byte) string {
	t.Helper()
	if !testtool.Installed("spirv-val") {
		if testtool.Expected("spirv-val") {
			t.Fatal("spirv-val is not installed")
		}
		return ""
	}
	path := filepath.Join(t.TempDir(), "a.spv")
	if err := os.WriteFile(path, code, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("spirv-val", path).CombinedOutput()
	if err == nil {
		return ""
	}
	for _, limit := range validatorLimits {
		if strings.Contains(string(out), limit) {
			return ""
		}
	}
	return string(out)
}

// TestCorpus translates the modules of the SYCL compilers, from both formats,
// to the same words.
func TestCorpus(t *testing.T) {
	modules, err := filepath.Glob("../../testdata/sycl/*/*/ir.bc")
	if err != nil || len(modules) == 0 {
		t.Fatal("no corpus", err)
	}
	for _, path := range modules {
		t.Run(filepath.Base(filepath.Dir(filepath.Dir(path)))+"/"+filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			f, err := irfile.Open(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			code, err := fromir.Translate(f.Module, options())
			if err != nil {
				t.Fatal(err)
			}
			again, err := fromir.Translate(f.Module, options())
			if err != nil || !bytes.Equal(code, again) {
				t.Error("translated again, the module differs", err)
			}
			verified(t, code)
			validate(t, code)
		})
	}
}

// dump spells a module.
func dump(t testing.TB, m *spirv.Module) string {
	t.Helper()
	var out bytes.Buffer
	if err := m.Dump(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

const kernelHead = "define spir_kernel void @k(ptr addrspace(1) %p, i32 %n, float %x, <4 x i32> %v) {\n"

// TestInstructions translates instructions and looks for the expected output,
// in order.
func TestInstructions(t *testing.T) {
	tests := []struct {
		name, body, declare string
		want                []string
	}{
		{"wrap flags", "%a = add nsw i32 %n, 1\nstore i32 %a, ptr addrspace(1) %p", "", []string{"NoSignedWrap", "OpIAdd", "OpStore"}},
		{"zext of i1", "%a = icmp slt i32 %n, 3\n%b = zext i1 %a to i32\nstore i32 %b, ptr addrspace(1) %p", "", []string{"OpSLessThan", "OpSelect", "OpStore"}},
		{"trunc to i1", "%a = trunc i32 %n to i1\n%b = select i1 %a, i32 1, i32 2\nstore i32 %b, ptr addrspace(1) %p", "", []string{"OpBitwiseAnd", "OpINotEqual", "OpSelect"}},
		{"ordered load", "%a = load atomic i32, ptr addrspace(1) %p syncscope(\"workgroup\") acquire, align 4\nstore i32 %a, ptr addrspace(1) %p", "", []string{"OpAtomicLoad"}},
		{"cmpxchg", "%a = cmpxchg ptr addrspace(1) %p, i32 %n, i32 2 seq_cst monotonic\n%b = extractvalue { i32, i1 } %a, 0\nstore i32 %b, ptr addrspace(1) %p", "", []string{"OpAtomicCompareExchange", "OpIEqual", "OpCompositeInsert", "OpCompositeExtract"}},
		{"rotate", "%a = call i32 @llvm.fshl.i32(i32 %n, i32 %n, i32 7)\nstore i32 %a, ptr addrspace(1) %p", "declare i32 @llvm.fshl.i32(i32, i32, i32)", []string{"OpExtInst", "rotate"}},
		{"reduction", "%a = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %v)\nstore i32 %a, ptr addrspace(1) %p", "declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)", []string{"OpCompositeExtract", "OpIAdd", "OpIAdd", "OpIAdd"}},
		{"signed product", "%a = call { i32, i1 } @llvm.smul.with.overflow.i32(i32 %n, i32 7)\n%b = extractvalue { i32, i1 } %a, 0\nstore i32 %b, ptr addrspace(1) %p", "declare { i32, i1 } @llvm.smul.with.overflow.i32(i32, i32)", []string{"OpIMul", "OpExtInst", "OpShiftRightArithmetic", "OpINotEqual"}},
		{"pointers", "%a = icmp eq ptr addrspace(1) %p, null\n%b = zext i1 %a to i32\nstore i32 %b, ptr addrspace(1) %p", "", []string{"OpConvertPtrToU", "OpIEqual"}},
		{"select of vectors", "%a = icmp eq i32 %n, 3\n%b = select i1 %a, <2 x i32> zeroinitializer, <2 x i32> <i32 1, i32 2>\nstore <2 x i32> %b, ptr addrspace(1) %p", "", []string{"OpCompositeConstruct", "OpSelect"}},
		{"private constant", "%a = getelementptr [2 x i32], ptr @c, i64 0, i32 %n\n%b = load i32, ptr %a\nstore i32 %b, ptr addrspace(1) %p", "@c = private constant [2 x i32] [i32 5, i32 6]", []string{"OpVariable", "OpPtrAccessChain"}},
		{"cases to one block", "switch i32 %n, label %z [ i32 1, label %y\n i32 2, label %y ]\nz:\nbr label %y\ny:\n%a = phi i32 [ 5, %0 ], [ 5, %0 ], [ 6, %z ]\nstore i32 %a, ptr addrspace(1) %p", "", []string{"OpSwitch", "OpBranch", "OpPhi"}},
		{"overflow", "%a = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %n, i32 7)\n%b = extractvalue { i32, i1 } %a, 0\nstore i32 %b, ptr addrspace(1) %p", "declare { i32, i1 } @llvm.uadd.with.overflow.i32(i32, i32)", []string{"OpIAdd", "OpULessThan", "OpCompositeConstruct"}},
		{"saturation", "%a = call i32 @llvm.fptosi.sat.i32.f32(float %x)\nstore i32 %a, ptr addrspace(1) %p", "declare i32 @llvm.fptosi.sat.i32.f32(float)", []string{"SaturatedConversion", "OpConvertFToS"}},
		{"memcpy", "call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) align 4 %p, ptr addrspace(1) align 4 %p, i64 16, i1 false)", "declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)", []string{"OpCopyMemorySized"}},
		{"memset of unknown length", "%l = zext i32 %n to i64\ncall void @llvm.memset.p1.i64(ptr addrspace(1) %p, i8 0, i64 %l, i1 false)", "declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)", []string{"offlink.memset.p1.i64", "OpFunctionCall"}},
		{"work-item function", "%a = call i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)\nstore i64 %a, ptr addrspace(1) %p", "declare i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)", []string{"BuiltIn GlobalInvocationId", "OpLoad", "OpCompositeExtract"}},
		{"bytes and words", "%a = getelementptr i8, ptr addrspace(1) %p, i64 4\nstore i32 %n, ptr addrspace(1) %a", "", []string{"OpPtrAccessChain", "OpBitcast", "OpStore"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, err := fromir.Translate(parseIR(t, kernelHead+test.body+"\nret void\n}\n"+test.declare+"\n"), options())
			if err != nil {
				t.Fatal(err)
			}
			text := dump(t, verified(t, code))
			validate(t, code)
			rest := text
			for _, want := range test.want {
				_, after, found := strings.Cut(rest, want)
				if !found {
					t.Fatalf("no %q where it should be in\n%s", want, text)
				}
				rest = after
			}
		})
	}
}

// TestCalledKernel: an entry point may not be called, so a kernel that another one
// calls is a function, and its entry point another.
func TestCalledKernel(t *testing.T) {
	const text = "define spir_kernel void @inner(ptr addrspace(1) %p) {\n  store i32 1, ptr addrspace(1) %p\n  ret void\n}\n" +
		"define spir_kernel void @outer(ptr addrspace(1) %p) {\n  call spir_kernel void @inner(ptr addrspace(1) %p)\n  ret void\n}\n"
	code, err := fromir.Translate(parseIR(t, text), options())
	if err != nil {
		t.Fatal(err)
	}
	validate(t, code)
	m := verified(t, code)
	if n := len(m.EntryPoints()); n != 2 {
		t.Errorf("%d entry points, want 2", n)
	}
	if n := len(m.Functions()); n != 3 {
		t.Errorf("%d functions, want 3", n)
	}
}

// TestAnnotations: an entry of llvm.global.annotations for a function becomes a
// decoration, from SPIR-V 1.4 on.
func TestAnnotations(t *testing.T) {
	const text = `@s = private constant [5 x i8] c"mark\00", section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @k, ptr @s, ptr @s, i32 3, ptr null }], section "llvm.metadata"
define spir_kernel void @k() {
  ret void
}`
	for version, want := range map[spirv.Version]bool{spirv.Version1_3: false, spirv.Version1_4: true} {
		code, err := fromir.Translate(parseIR(t, text), fromir.Options{Version: version})
		if err != nil {
			t.Fatal(err)
		}
		validate(t, code)
		if text := dump(t, verified(t, code)); strings.Contains(text, `UserSemantic "mark"`) != want {
			t.Errorf("SPIR-V %v: %s", version, text)
		}
	}
}

// TestAddressInInitialiser: the address of a variable in an aggregate is a
// constant, as the validator wants.
func TestAddressInInitialiser(t *testing.T) {
	code, err := fromir.Translate(parseIR(t, "@counter = addrspace(1) global i32 7\n@s = addrspace(1) global { i32, i32 addrspace(1)* } { i32 3, i32 addrspace(1)* @counter }\n"), options())
	if err != nil {
		t.Fatal(err)
	}
	text := dump(t, verified(t, code))
	validate(t, code)
	if !strings.Contains(text, "OpSpecConstantOp") {
		t.Errorf("the variable stands in the composite:\n%s", text)
	}
}

// TestRefusals: errors name the function and the instruction.
func TestRefusals(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"invoke", "define void @f() personality ptr null {\n  invoke void @f() to label %a unwind label %b\na:\n  ret void\nb:\n  %c = landingpad i32 cleanup\n  ret void\n}", "in.ll: function f: "},
		{"intrinsic", "declare void @llvm.odd()\ndefine void @f() {\n  call void @llvm.odd()\n  ret void\n}", "in.ll: function f: call of llvm.odd: the intrinsic has no counterpart"},
		{"private variable", "@g = global i32 0", "the variable g is in address space 0"},
		{"type", "define x86_fp80 @f(x86_fp80 %a) {\n  ret x86_fp80 %a\n}", "floating-point numbers of 80 bits"},
		{"extension", "define i99 @f(i99 %a) {\n  ret i99 %a\n}", "SPV_INTEL_arbitrary_precision_integers"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := fromir.Translate(parseIR(t, test.text), fromir.Options{Version: spirv.Version1_4})
			var refused *fromir.Error
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestAllowExtensions(t *testing.T) {
	var o fromir.Options
	for _, bad := range []string{"SPV_KHR_fma", "+", "+KHR_x"} {
		if err := o.AllowExtensions(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	if err := o.AllowExtensions("+SPV_A"); !errors.Is(err, fromir.ErrUnknownExtension) {
		t.Errorf("an unknown extension: %v", err)
	}
	if err := o.AllowExtensions("+SPV_KHR_fma,+all,-SPV_KHR_expect_assume"); err != nil || !o.AllExtensions || o.Extensions["SPV_KHR_expect_assume"] {
		t.Errorf("%v %+v", err, o)
	}
}

// FuzzTranslate: any module that the readers accept gives an error, or a
// module that the verifier accepts.
func FuzzTranslate(f *testing.F) {
	f.Add([]byte("define spir_kernel void @k(ptr addrspace(1) %p) {\n  store i32 1, ptr addrspace(1) %p\n  ret void\n}\n"))
	f.Add([]byte("define i32 @f(i32 %a) {\n  br label %x\nx:\n  %b = phi i32 [ %a, %0 ], [ %c, %x ]\n  %c = add i32 %b, 1\n  %d = icmp eq i32 %c, 9\n  br i1 %d, label %y, label %x\ny:\n  ret i32 %c\n}\n"))
	f.Add([]byte("@t = addrspace(2) constant [2 x ptr addrspace(2)] [ptr addrspace(2) null, ptr addrspace(2) @t]\n"))
	for _, seed := range []string{"instructions", "constants", "globals", "typed", "records"} {
		data, err := os.ReadFile("../../ir/irtext/testdata/whole/" + seed + ".ll")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := irfile.Parse("in", data)
		if err != nil {
			return
		}
		code, err := fromir.Translate(m, options())
		if err != nil {
			return
		}
		parsed, err := spirv.Parse(code)
		if err != nil {
			t.Fatal(err)
		}
		if err := parsed.Verify(); err != nil {
			t.Fatal(err)
		}
	})
}
