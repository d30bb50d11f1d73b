package spirv

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"
)

// compileText compiles OpenCL C given as text.
func compileText(t testing.TB, text string, options ...string) *Module {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a.cl")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := Parse(compile(t, name, "-O0", options...))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func dumpText(t testing.TB, m *Module) string {
	t.Helper()
	var b strings.Builder
	if err := m.Dump(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// checkLinked validates the module with spirv-val, and that it is read back
// as it was written.
func checkLinked(t testing.TB, m *Module) {
	t.Helper()
	code := m.Bytes()
	again, err := Parse(code)
	if err != nil {
		t.Fatalf("the result cannot be read: %v", err)
	}
	if !bytes.Equal(again.Bytes(), code) {
		t.Error("the result is read as another module")
	}
	testtool.Need(t, "spirv-val")
	runTool(t, "spirv-val", "--target-env", "spv"+m.Version.String(), writeTemp(t, code))
}

func TestLink(t *testing.T) {
	app, lib := parseTestdata(t, "app.spv"), parseTestdata(t, "lib.spv")
	for _, order := range [][]Input{{{"app", app}, {"lib", lib}}, {{"lib", lib}, {"app", app}}} {
		m, err := Link(order, LinkOptions{})
		if err != nil {
			t.Fatal(err)
		}
		checkLinked(t, m)
		if text := dumpText(t, m); strings.Contains(text, "Linkage") {
			t.Errorf("the program has linkage:\n%s", text)
		}
		if got := m.EntryPoints(); len(got) != 1 || got[0].Name != "app" {
			t.Errorf("entry points = %v, want app", got)
		}
	}
}

func TestLinkKeepExports(t *testing.T) {
	m, err := Link([]Input{{"lib", parseTestdata(t, "lib.spv")}}, LinkOptions{KeepExports: true})
	if err != nil {
		t.Fatal(err)
	}
	checkLinked(t, m)
	if got := m.Exports(); len(got) != 1 || got[0].Name != "LibDeviceFunc" {
		t.Errorf("exports = %v, want LibDeviceFunc", got)
	}
}

func TestLinkUnresolved(t *testing.T) {
	inputs := []Input{{"app", parseTestdata(t, "app.spv")}}
	_, err := Link(inputs, LinkOptions{})
	var unresolved *UnresolvedError
	if !errors.As(err, &unresolved) || len(unresolved.Symbols) != 1 {
		t.Fatalf("error = %v, want one unresolved symbol", err)
	}
	if s := unresolved.Symbols[0]; s.Name != "LibDeviceFunc" || s.Input != "app" {
		t.Errorf("unresolved = %+v, want LibDeviceFunc of app", s)
	}
	m, err := Link(inputs, LinkOptions{AllowUnresolved: true})
	if err != nil {
		t.Fatal(err)
	}
	checkLinked(t, m)
	if got := m.Imports(); len(got) != 1 || got[0].Name != "LibDeviceFunc" {
		t.Errorf("imports = %v, want LibDeviceFunc", got)
	}
}

const node = "struct other; struct node { int v; struct node *next; struct other *o; };\n" +
	"struct other { struct node *n; float4 q; };\n"

// TestLinkTypes links modules that number their types differently, one of
// them recursive.
func TestLinkTypes(t *testing.T) {
	app := compileText(t, node+`
struct pair { int a; float4 b; };
extern constant int table[4];
int sum(struct node *n, global struct pair *p);
kernel void k(global int *out, global struct pair *p) {
  struct node a = {1, 0, 0}, b = {2, &a, 0};
  out[0] = sum(&b, p) + table[1];
}`)
	lib := compileText(t, "double unused(double d) { return d * 2; }\n"+node+`
struct pair { int a; float4 b; };
constant int table[4] = {10, 20, 30, 40};
int sum(struct node *n, global struct pair *p) {
  int s = p->a; while (n) { s += n->v; n = n->next; } return s;
}`, "--spirv-max-version=1.1")
	if app.Version == lib.Version {
		t.Fatalf("both modules are of version %v", app.Version)
	}
	for _, order := range [][]Input{{{"app", app}, {"lib", lib}}, {{"lib", lib}, {"app", app}}} {
		m, err := Link(order, LinkOptions{})
		if err != nil {
			t.Fatal(err)
		}
		checkLinked(t, m)
		if m.Version != app.Version {
			t.Errorf("version = %v, want %v", m.Version, app.Version)
		}
		text := dumpText(t, m)
		// Opaque pointers make no recursive types.
		if n := strings.Count(text, "OpTypeForwardPointer"); n != 1 && n != 2 && testtool.OpenCLCompiler(t).Typed() {
			t.Errorf("%d forward pointers, want those of one module:\n%s", n, text)
		}
		if n := strings.Count(text, "OpTypeInt 32 "); n != 1 {
			t.Errorf("%d integer types of 32 bits, want 1", n)
		}
	}
}

// TestLinkCycle links modules whose variables name one another's.
func TestLinkCycle(t *testing.T) {
	a := compileText(t, `extern constant int b[2]; constant int a[2] = {1, 2};
constant int *constant pb = b + 1; kernel void ka(global int *o) { o[0] = *pb; }`)
	b := compileText(t, `extern constant int a[2]; constant int b[2] = {3, 4};
constant int *constant pa = a + 1; kernel void kb(global int *o) { o[0] = *pa; }`)
	m, err := Link([]Input{{"a", a}, {"b", b}}, LinkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	checkLinked(t, m)
}

// TestLinkPointers: a function may be spelled with pointers to other types, as
// translators guess those, but not with pointers to other memory.
func TestLinkPointers(t *testing.T) {
	a := compileText(t, `global char *f(global char *p, int i);
kernel void k(global char *o) { global char *p = f(o, 3); *p = 1; f(p, 4)[1] = 2; }`)
	b := compileText(t, "global int *f(global int *p, int i) { return p + i; }")
	m, err := Link([]Input{{"a", a}, {"b", b}}, LinkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	checkLinked(t, m)
	// Two calls, each with a pointer to convert and one that comes back.
	if n := strings.Count(dumpText(t, m), "OpBitcast"); n != 4 {
		t.Errorf("%d conversions:\n%s", n, dumpText(t, m))
	}
	local := compileText(t, "local int *f(local int *p, int i) { return p + i; }")
	if _, err := Link([]Input{{"a", a}, {"local", local}}, LinkOptions{}); err == nil || !strings.Contains(err.Error(), "type mismatch of f") {
		t.Errorf("other memory: %v", err)
	}
}

func TestLinkErrors(t *testing.T) {
	testtool.OpenCLCompiler(t)
	tests := []struct{ name, first, second, want string }{
		{
			"duplicate function", "int f(int i) { return i; }", "int f(int i) { return -i; }",
			"symbol f is defined by first and by second",
		},
		{
			"duplicate variable", "constant int v = 1;", "constant int v = 2;",
			"symbol v is defined by first and by second",
		},
		{
			"duplicate kernel", "kernel void k(global int *o) { o[0] = 1; }", "kernel void k(global int *o) { o[0] = 2; }",
			"symbol k is defined by first and by second",
		},
		{
			"function type", "int f(int i); kernel void k(global int *o) { o[0] = f(1); }", "int f(float i) { return i; }",
			"type mismatch of f: first imports it as int (int), second exports it as int (float)",
		},
		{
			"variable type", "extern constant int v; kernel void k(global int *o) { o[0] = v; }", "constant float v = 1;",
			"type mismatch of v: first imports it as int * UniformConstant, second exports it as float * UniformConstant",
		},
		{
			"function or variable", "extern constant int v; kernel void k(global int *o) { o[0] = v; }", "int v(int i) { return i; }",
			"type mismatch of v: first imports it as int * UniformConstant, second exports it as int (int)",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inputs := []Input{{"first", compileText(t, test.first)}, {"second", compileText(t, test.second)}}
			_, err := Link(inputs, LinkOptions{})
			if err == nil || err.Error() != test.want {
				t.Errorf("error = %v; want %s", err, test.want)
			}
		})
	}
}

// odrModule exports f and v, as a copy that may be there several times or as
// the one definition; f returns the constant.
func odrModule(t *testing.T, linkage string, result int) *Module {
	t.Helper()
	m, err := Parse(assemble(t, fmt.Sprintf(`OpCapability Addresses
OpCapability Linkage
OpCapability Kernel
OpExtension "SPV_KHR_linkonce_odr"
OpMemoryModel Physical64 OpenCL
OpDecorate %%f LinkageAttributes "f" %s
OpDecorate %%v LinkageAttributes "v" %s
OpDecorate %%g LinkageAttributes "g%d" Export
%%int = OpTypeInt 32 0
%%value = OpConstant %%int %d
%%pint = OpTypePointer CrossWorkgroup %%int
%%v = OpVariable %%pint CrossWorkgroup %%value
%%ft = OpTypeFunction %%int
%%f = OpFunction %%int None %%ft
%%a = OpLabel
OpReturnValue %%value
OpFunctionEnd
%%g = OpFunction %%int None %%ft
%%b = OpLabel
%%x = OpFunctionCall %%int %%f
%%y = OpLoad %%int %%v Aligned 4
%%z = OpIAdd %%int %%x %%y
OpReturnValue %%z
OpFunctionEnd
`, linkage, linkage, result, result)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// weakAMD is the weak linkage type, which assemblers do not know by its name.
const weakAMD = "!3"

// TestLinkOnce: one of several definitions that give way stays, and an Export goes
// before all of them.
func TestLinkOnce(t *testing.T) {
	for _, test := range []struct {
		name     string
		linkages []string
		want     int // whose value f returns
		err      string
	}{
		{"the first stays", []string{"LinkOnceODR", "LinkOnceODR", "LinkOnceODR"}, 0, ""},
		{"an export before", []string{"Export", "LinkOnceODR"}, 0, ""},
		{"an export behind", []string{"LinkOnceODR", "LinkOnceODR", "Export"}, 2, ""},
		{"an export between", []string{"LinkOnceODR", "Export", "LinkOnceODR"}, 1, ""},
		{"the first weak one stays", []string{weakAMD, weakAMD}, 0, ""},
		{"an export before a weak one", []string{"Export", weakAMD}, 0, ""},
		{"an export after a weak one", []string{weakAMD, "Export", weakAMD}, 1, ""},
		{"two exports", []string{"Export", "LinkOnceODR", "Export"}, 0, "symbol v is defined by m0 and by m2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var inputs []Input
			for i, linkage := range test.linkages {
				inputs = append(inputs, Input{fmt.Sprintf("m%d", i), odrModule(t, linkage, i)})
			}
			m, err := Link(inputs, LinkOptions{KeepExports: true})
			if test.err != "" {
				if err == nil || err.Error() != test.err {
					t.Errorf("error = %v; want %s", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Verify(); err != nil {
				t.Error(err)
			}
			if n := len(m.Functions()); n != 1+len(inputs) {
				t.Errorf("%d functions; want one f and every g", n)
			}
			checkReturns(t, m, "f", uint64(test.want))
		})
	}
}

// checkReturns checks the constant that an exported function returns.
func checkReturns(t *testing.T, m *Module, name string, want uint64) {
	t.Helper()
	for _, s := range m.Exports() {
		if s.Name != name {
			continue
		}
		for _, f := range m.Functions() {
			if f.ID() == s.ID {
				end := f.Body[len(f.Body)-1]
				if got, _ := m.ConstantInt(ID(end.Words[0])); got != want {
					t.Errorf("%s returns %d; want %d", name, got, want)
				}
				return
			}
		}
	}
	t.Errorf("no function %s", name)
}

// TestLinkDebugInfo renumbers debug information, whose literals look like
// identifiers.
func TestLinkDebugInfo(t *testing.T) {
	rich, err := Parse(debugModule(t, "ocl-100"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := Link([]Input{{"lib", parseTestdata(t, "lib.spv")}, {"rich", rich}}, LinkOptions{AllowUnresolved: true})
	if err != nil {
		t.Fatal(err)
	}
	// spirv-val accepts neither this nor llvm-spirv's module: members refer to
	// their structure before it is defined.
	if err := m.Verify(); err != nil {
		t.Error(err)
	}
	text := dumpText(t, m)
	for _, want := range []string{" DebugCompilationUnit 65536 5 %", " DebugTypeMember "} {
		if n, before := strings.Count(text, want), strings.Count(dumpText(t, rich), want); n != before || n == 0 {
			t.Errorf("%d times %q; before it was %d", n, want, before)
		}
	}
}

// TestLinkModels refuses modules that address memory differently.
func TestLinkModels(t *testing.T) {
	model := func(addressing uint32) *Module {
		m, err := Parse(words(Version1_0, 1, inst(OpMemoryModel, addressing, 2)))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	_, err := Link([]Input{{"a", model(1)}, {"b", model(2)}}, LinkOptions{})
	if want := "a and b do not fit: their memory models are Physical32 OpenCL and Physical64 OpenCL"; err == nil || err.Error() != want {
		t.Errorf("error = %v; want %s", err, want)
	}
	if _, err := Link(nil, LinkOptions{}); err == nil {
		t.Error("no inputs are linked without an error")
	}
}

// TestLinkDeterministic: the same inputs give the same bytes.
func TestLinkDeterministic(t *testing.T) {
	rich := parseTestdata(t, "rich.spv")
	inputs := []Input{{"app", parseTestdata(t, "app.spv")}, {"rich", rich}, {"lib", parseTestdata(t, "lib.spv")}}
	var first []byte
	for range 20 {
		m, err := Link(inputs, LinkOptions{AllowUnresolved: true})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = m.Bytes()
		} else if !bytes.Equal(first, m.Bytes()) {
			t.Fatal("the result changes from run to run")
		}
	}
}

// TestLinkAliasScopes: the declarations stand among the decorations, and
// loads name them.
func TestLinkAliasScopes(t *testing.T) {
	text := `OpCapability Addresses
OpCapability Linkage
OpCapability Kernel
OpCapability MemoryAccessAliasingINTEL
OpExtension "SPV_INTEL_memory_access_aliasing"
OpMemoryModel Physical64 OpenCL
OpName %f "f"
%domain = OpAliasDomainDeclINTEL
%scope = OpAliasScopeDeclINTEL %domain
%list = OpAliasScopeListDeclINTEL %scope
OpDecorate %f LinkageAttributes "f" Export
%int = OpTypeInt 32 0
%pint = OpTypePointer CrossWorkgroup %int
%ft = OpTypeFunction %int %pint
%f = OpFunction %int None %ft
%p = OpFunctionParameter %pint
%a = OpLabel
%x = OpLoad %int %p Aligned|AliasScopeINTELMask 4 %list
OpReturnValue %x
OpFunctionEnd
`
	m, err := Parse(assemble(t, text))
	if err != nil {
		t.Fatal(err)
	}
	linked, err := Link([]Input{{"lib", parseTestdata(t, "lib.spv")}, {"scopes", m}}, LinkOptions{KeepExports: true})
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse(linked.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Verify(); err != nil {
		t.Error(err)
	}
	if text := dumpText(t, again); strings.Count(text, "AliasScopeINTELMask 4 %") != 1 {
		t.Errorf("the load has no scope:\n%s", text)
	}
}
