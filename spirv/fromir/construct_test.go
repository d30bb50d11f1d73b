package fromir_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"offlink/spirv"
	"offlink/spirv/fromir"
)

// construct is a row of a test: a module with one construct, and parts of the module
// that it becomes, in order.
type construct struct {
	name       string
	extensions string // as --spirv-ext has them; "+all" if empty
	version    spirv.Version
	ir         string
	want       []string
	absent     []string
	err        string         // part of the message, where the module is refused
	options    fromir.Options // beside the version and the extensions
	// disputed is part of an objection that newer validators have and the specification
	// does not share.
	disputed string
}

// checkConstructs translates rows. Constructs that the validator does not know are in validatorLimits.
func checkConstructs(t *testing.T, rows []construct) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) { row.check(t) })
	}
}

func (row *construct) check(t *testing.T) {
	o := row.options
	o.Version = row.version
	if o.Version == 0 {
		o.Version = spirv.Version1_6
	}
	list := row.extensions
	if list == "" {
		list = "+all"
	}
	if err := o.AllowExtensions(list); err != nil {
		t.Fatal(err)
	}
	code, err := fromir.Translate(parseIR(t, row.ir), o)
	if row.err != "" {
		if err == nil || !strings.Contains(err.Error(), row.err) {
			t.Fatalf("error %v, want %q", err, row.err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	text := nameIDs(dump(t, verified(t, code)))
	rest := text
	for _, want := range row.want {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Fatalf("no %q in the rest of:\n%s", want, text)
		}
		rest = after
	}
	for _, absent := range row.absent {
		if strings.Contains(text, absent) {
			t.Errorf("%q in:\n%s", absent, text)
		}
	}
	if message := validatorMessage(t, code); row.disputed == "" || !strings.Contains(message, row.disputed) {
		reportUnlessUnknown(t, message)
	}
}

var (
	idName  = regexp.MustCompile(`OpName (%\d+) "([^"]*)"`)
	idToken = regexp.MustCompile(`%\d+`)
	// unknownNumber are messages about numbers and operands of extensions that are newer
	// than the validator. Verify has read them already, by the newest grammar.
	unknownNumber = regexp.MustCompile(`used for OpTypeInt|requires one of these extensions: SPV_INTEL_arbitrary_precision_integers|expected Format storage class to be UniformConstant|OpFixedSinCosINTEL starting at|LongConstantCompositeINTEL|OpFPGARegINTEL starting at|Invalid instruction OpLoopMerge .*expected no more operands|Invalid [a-z -]+ operand: \d+|Invalid opcode: \d+|Invalid instruction OpDecorate .*expected no more operands|is not supported: SPV_`)
)

// nameIDs spells identifiers by their names in the text of a module.
func nameIDs(text string) string {
	names := map[string]string{}
	for _, m := range idName.FindAllStringSubmatch(text, -1) {
		names[m[1]] = "%" + m[2]
	}
	return idToken.ReplaceAllStringFunc(text, func(n string) string {
		if name, ok := names[n]; ok {
			return name
		}
		return n
	})
}

// reportUnlessUnknown reports spirv-val's message unless it is that it does not know an extension.
func reportUnlessUnknown(t *testing.T, message string) {
	t.Helper()
	if message != "" && !unknownNumber.MatchString(message) {
		t.Errorf("spirv-val: %s", message)
	}
}

// kernelOf wraps instructions into a kernel with parameters %p, %n, %x, %v.
func kernelOf(body string, declarations ...string) string {
	return kernelHead + body + "\nret void\n}\n" + strings.Join(declarations, "\n")
}

// replaceBody puts instructions where a module has the word BODY.
func replaceBody(module, body string) string { return strings.Replace(module, "BODY", body, 1) }

// TestLifetimeSizes: the size is 0 unless the pointer leads to bytes. Translators of SPIR-V to
// LLVM IR end at another one.
func TestLifetimeSizes(t *testing.T) {
	const declared = "declare void @llvm.lifetime.start.p0(i64, ptr)"
	checkConstructs(t, []construct{
		{
			name: "array", ir: kernelOf("%a = alloca [4 x i32]\ncall void @llvm.lifetime.start.p0(i64 16, ptr %a)\nstore i32 %n, ptr %a", declared),
			want: []string{"OpLifetimeStart %a 0"},
		},
		{
			name: "number", ir: kernelOf("%a = alloca i32\ncall void @llvm.lifetime.start.p0(i64 4, ptr %a)\nstore i32 %n, ptr %a", declared),
			want: []string{"OpLifetimeStart %a 0"},
		},
		{
			name: "byte", ir: kernelOf("%a = alloca i8\ncall void @llvm.lifetime.start.p0(i64 1, ptr %a)\nstore i8 1, ptr %a", declared),
			want: []string{"OpLifetimeStart %a 1"},
		},
	})
}

// TestWeakLinkage: weak definitions are exports, unless the extension for them is allowed by name.
func TestWeakLinkage(t *testing.T) {
	const module = `@v = weak addrspace(1) global i32 1
define weak spir_func i32 @f() { ret i32 1 }
define weak_odr spir_func i32 @o() { ret i32 1 }
define linkonce_odr spir_func i32 @l() { ret i32 1 }`
	exports := []string{`"v" Export`, `"f" Export`, `"o" Export`}
	checkConstructs(t, []construct{
		{name: "default", extensions: fromir.PortableExtensions, ir: module, want: append(exports, `"l" LinkOnceODR`), absent: []string{"WeakLinkageAMD", "SPV_AMD_weak_linkage"}},
		{name: "none", extensions: "-all", ir: module, want: append(exports, `"l" Export`)},
		{
			name: "by name", extensions: "+SPV_AMD_weak_linkage", ir: module,
			want: []string{"OpCapability WeakLinkageAMD", `OpExtension "SPV_AMD_weak_linkage"`, `"v" WeakAMD`, `"f" WeakAMD`, `"o" Export`, `"l" Export`},
		},
	})
}

// TestBoolVectors: vectors of i1 in memory are bits, the first element the lowest one. Within other
// types in memory they are refused.
func TestBoolVectors(t *testing.T) {
	const global = "@g = addrspace(1) constant [1 x <4 x i1>] [<4 x i1> <i1 1, i1 0, i1 0, i1 1>]\n"
	checkConstructs(t, []construct{
		{
			name: "load", ir: kernelOf("%q = alloca <3 x i1>\n%m = load <3 x i1>, ptr %q\n%e = extractelement <3 x i1> %m, i32 2\n%z = zext i1 %e to i32\nstore i32 %z, ptr addrspace(1) %p"),
			want: []string{"OpLoad", "Aligned 1", "OpBitwiseAnd", "OpINotEqual", "OpBitwiseAnd", "OpINotEqual", "OpBitwiseAnd", "OpINotEqual", "OpCompositeConstruct"},
		},
		{
			name: "store", ir: kernelOf("%m = icmp eq <4 x i32> %v, zeroinitializer\nstore <4 x i1> %m, ptr addrspace(1) %p"),
			want: []string{"OpSelect", "OpSelect", "OpBitwiseOr", "OpSelect", "OpBitwiseOr", "OpSelect", "OpBitwiseOr", "OpStore", "Aligned 1"},
		},
		{name: "address", ir: kernelOf("%q = getelementptr <4 x i1>, ptr addrspace(1) %p, i32 %n\n%m = load <4 x i1>, ptr addrspace(1) %q\nstore <4 x i1> %m, ptr addrspace(1) %p"), err: "a vector of integers of 1 bits within a type in memory"},
		{name: "member", ir: kernelOf("%m = load { i32, [2 x <4 x i1>] }, ptr addrspace(1) %p\n%e = extractvalue { i32, [2 x <4 x i1>] } %m, 0\nstore i32 %e, ptr addrspace(1) %p"), err: "a vector of integers of 1 bits within a type in memory"},
		{name: "initialiser", ir: global + kernelOf("%m = load <4 x i1>, ptr addrspace(1) @g\nstore <4 x i1> %m, ptr addrspace(1) %p"), err: "a vector of integers of 1 bits within a type in memory"},
	})
}

// TestRefusedKinds: errors have the kind and the subject that llvm-spirv reports.
func TestRefusedKinds(t *testing.T) {
	tests := []struct {
		name, ir string
		kind     fromir.ErrorKind
		subject  string
	}{
		{"extension", kernelOf("%a = call i32 asm \"\", \"=r,r\"(i32 %n)"), fromir.ErrorExtension, "SPV_INTEL_inline_assembly"},
		{"intrinsic", kernelOf("%a = call float @llvm.foo(float %x)", "declare float @llvm.foo(float)"), fromir.ErrorIntrinsic, "llvm.foo"},
		{"width", "define void @f(i128 %x) { ret void }", fromir.ErrorBitWidth, "128"},
		{"variadic", "define void @f(i32 %x, ...) { ret void }", fromir.ErrorVariadic, "f"},
		{"function pointer", kernelOf("%a = ptrtoint ptr @g to i64\n%b = trunc i64 %a to i32\nstore i32 %b, ptr addrspace(1) %p", "declare void @g()"), fromir.ErrorFunctionPointer, "g"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := fromir.Translate(parseIR(t, test.ir), fromir.Options{Version: spirv.Version1_6})
			e, ok := errors.AsType[*fromir.Error](err)
			if !ok || e.Kind != test.kind || e.Subject != test.subject {
				t.Errorf("error %v: %+v", err, e)
			}
		})
	}
	o := fromir.Options{}
	if err := o.AllowExtensions("+SPV_KHR_fmaa"); !errors.Is(err, fromir.ErrUnknownExtension) {
		t.Errorf("a misspelt extension: %v", err)
	}
	if err := o.AllowExtensions(fromir.PortableExtensions); err != nil {
		t.Error(err)
	}
}
