package split_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/ir"
	"offlink/split"
)

// specModule returns a module with a kernel that reads constants of those
// types and default values, a composite through an sret pointer.
func specModule(types string, constants ...[2]string) string {
	var b, calls, declarations strings.Builder
	b.WriteString("target datalayout = \"e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256\"\n" + types)
	declared := map[string]bool{}
	for i, c := range constants {
		fmt.Fprintf(&b, "@n%d = private constant [3 x i8] c\"c%d\\00\"\n@d%d = private constant { %s } { %s %s }\n", i, i, i, c[0], c[0], c[1])
		name, composite := fmt.Sprintf("@\"_Z37__sycl_getScalar2020SpecConstantValue%s\"", c[0]), strings.ContainsAny(c[0], "%[{<")
		if composite {
			name = fmt.Sprintf("@\"_Z40__sycl_getComposite2020SpecConstantValue%s\"", c[0])
			fmt.Fprintf(&calls, "call void %s(ptr sret(%s) %%p, ptr @n%d, ptr @d%d, ptr %%buffer)\n", name, c[0], i, i)
		} else {
			fmt.Fprintf(&calls, "%%v%d = call %s %s(ptr @n%d, ptr @d%d, ptr %%buffer)\n", i, c[0], name, i, i)
		}
		if declared[name] {
			continue
		}
		declared[name] = true
		if composite {
			fmt.Fprintf(&declarations, "declare void %s(ptr sret(%s), ptr, ptr, ptr)\n", name, c[0])
		} else {
			fmt.Fprintf(&declarations, "declare %s %s(ptr, ptr, ptr)\n", c[0], name)
		}
	}
	return b.String() + "define spir_kernel void @k(ptr %p, ptr %buffer) {\n" + calls.String() + "ret void }\n" + declarations.String()
}

func extractFirst(t *testing.T, text string, o split.Options) *split.Partition {
	t.Helper()
	g := graph(t, text, o)
	groups, err := g.Plan()
	if err != nil {
		t.Fatal(err)
	}
	s, err := g.NewExtractor().Extract(&groups[0])
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// expression writes an expression as a call.
func expression(e ir.Expression) string {
	switch e.Kind {
	case ir.ExpressionLoad:
		return fmt.Sprintf("load(argument %d + %d, align %d)", e.Argument, e.Offset, e.Align)
	case ir.ExpressionAlloca:
		return fmt.Sprintf("alloca(%s, align %d)", expression(e.Operands[0]), e.Align)
	case ir.ExpressionCall:
		var operands []string
		for _, o := range e.Operands {
			operands = append(operands, expression(o))
		}
		return e.Callee + "(" + strings.Join(operands, ", ") + ")"
	}
	switch c := e.Constant; c.Kind {
	case ir.ConstantInt, ir.ConstantFloat:
		return fmt.Sprintf("%#x", c.Int)
	case ir.ConstantUndef:
		return "undef"
	case ir.ConstantZero:
		return "zero"
	}
	return "aggregate"
}

func edits(s *split.Partition) []string {
	var list []string
	id, _ := s.Module.Lookup("k")
	for _, c := range s.Edits[id].Calls {
		list = append(list, expression(c.Value))
	}
	return list
}

func constants(s *split.Partition) []string {
	var list []string
	for _, c := range s.SpecConstants {
		var parts []string
		for _, p := range c.Parts {
			parts = append(parts, fmt.Sprintf("%d:%d+%d", int32(p.ID), p.Offset, p.Size))
		}
		list = append(list, fmt.Sprintf("%s %s %x", c.Name, strings.Join(parts, " "), c.Default))
	}
	return list
}

func TestNativeSpecConstants(t *testing.T) {
	s := extractFirst(t, specModule("%s = type { i8, [3 x i8], <2 x float> }\n%tail = type { i32, i8 }\n%outer = type { %tail, [2 x i16] }\n",
		[2]string{"i1", "true"},
		[2]string{"half", "0xH3C00"},
		[2]string{"%s", "{ i8 1, [3 x i8] undef, <2 x float> <float 1.0, float 2.0> }"},
		[2]string{"i64", "-2"},
		[2]string{"%outer", "zeroinitializer"},
		[2]string{"i64", "7"},
	), split.Options{SpecConstants: split.SpecConstantsNative})
	wantConstants := []string{
		"c0 0:0+1 01",
		"c1 1:0+2 003c",
		"c2 2:0+1 4:8+4 5:12+4 01000000000000000000803f00000040",
		"c3 6:0+8 feffffffffffffff",
		"c5 7:0+8 0700000000000000",
		"c4 8:0+4 9:4+1 -1:5+3 10:8+2 11:10+2 000000000000000000000000",
	}
	if diff := cmp.Diff(wantConstants, constants(s)); diff != "" {
		t.Errorf("constants (-want +got):\n%s", diff)
	}
	wantEdits := []string{
		"_Z20__spirv_SpecConstantia(0x0, 0x1)",
		"_Z20__spirv_SpecConstantiDh(0x1, 0x3c00)",
		"_Z29__spirv_SpecConstantCompositeaA3_aDv2_f_Rs(_Z20__spirv_SpecConstantia(0x2, 0x1), undef, _Z29__spirv_SpecConstantCompositeff_RDv2_f(_Z20__spirv_SpecConstantif(0x4, 0x3f800000), _Z20__spirv_SpecConstantif(0x5, 0x40000000)))",
		"_Z20__spirv_SpecConstantix(0x6, 0xfffffffffffffffe)",
		"_Z29__spirv_SpecConstantCompositetailA2_s_Router(_Z29__spirv_SpecConstantCompositeia_Rtail(_Z20__spirv_SpecConstantii(0x8, 0x0), _Z20__spirv_SpecConstantia(0x9, 0x0)), _Z29__spirv_SpecConstantCompositess_RA2_s(_Z20__spirv_SpecConstantis(0xa, 0x0), _Z20__spirv_SpecConstantis(0xb, 0x0)))",
		"_Z20__spirv_SpecConstantix(0x7, 0x7)",
	}
	if diff := cmp.Diff(wantEdits, edits(s)); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func TestEmulatedSpecConstants(t *testing.T) {
	s := extractFirst(t, specModule("%pair = type { i8, double }\n",
		[2]string{"i8", "1"}, [2]string{"%pair", "{ i8 2, double 1.0 }"}, [2]string{"i8", "3"}, [2]string{"i32", "4"}),
		split.Options{SpecConstants: split.SpecConstantsEmulated})
	wantConstants := []string{
		"c0 0:0+1 01",
		"c2 1:0+1 -1:1+6 03000000000000",
		"c1 2:0+16 0200000000000000000000000000f03f",
		"c3 3:0+4 04000000",
	}
	if diff := cmp.Diff(wantConstants, constants(s)); diff != "" {
		t.Errorf("constants (-want +got):\n%s", diff)
	}
	wantEdits := []string{"load(argument 2 + 0, align 1)", "load(argument 3 + 8, align 8)", "load(argument 2 + 1, align 1)", "load(argument 2 + 24, align 4)"}
	if diff := cmp.Diff(wantEdits, edits(s)); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// The copy with default values reads nothing, and lists nothing.
func TestDefaultSpecConstants(t *testing.T) {
	g := graph(t, specModule("", [2]string{"i32", "5"}), split.Options{SpecConstants: split.SpecConstantsNative})
	groups, _ := g.Plan()
	x := g.NewExtractor()
	if !x.HasSpecConstants(&groups[0]) {
		t.Error("HasSpecConstants() = false")
	}
	s, err := x.ExtractDefaults(&groups[0])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"0x5"}, edits(s)); diff != "" || len(s.SpecConstants) > 0 || !s.Defaults {
		t.Errorf("constants %v, defaults %v, calls (-want +got):\n%s", constants(s), s.Defaults, diff)
	}
	for _, id := range append(s.Definitions, s.Declarations...) {
		if name := s.Module.Values[id].Name; name != "k" {
			t.Errorf("the image still has @%s", name)
		}
	}
}

func TestSpecConstantErrors(t *testing.T) {
	const scalar = "@_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_"
	kernel := func(call string) string {
		return "declare i32 " + scalar + "(ptr, ptr, ptr)\ndefine spir_kernel void @k(ptr %p) {\n" + call + "\nret void }\n"
	}
	for _, tt := range []struct{ name, text, want string }{
		{"name in a register", kernel("%v = call i32 " + scalar + "(ptr %p, ptr %p, ptr %p)"), "the constant's name is not a string constant"},
		{"value in a register", "@n = constant [2 x i8] c\"n\\00\"\n" + kernel("%v = call i32 "+scalar+"(ptr @n, ptr %p, ptr %p)"), "default value is not a variable"},
		{"too few arguments", "declare i32 @_Z37__sycl_getScalar2020SpecConstantValueX(ptr)\ndefine spir_kernel void @k(ptr %p) {\n%v = call i32 @_Z37__sycl_getScalar2020SpecConstantValueX(ptr %p)\nret void }", "it has 1 arguments"},
		{"address taken", kernel("store ptr " + scalar + ", ptr %p"), "takes the address"},
		{"invoked", "@n = constant [2 x i8] c\"n\\00\"\n@d = constant { i32 } { i32 1 }\ndeclare i32 @personality(...)\ndeclare i32 " + scalar +
			"(ptr, ptr, ptr)\ndefine spir_kernel void @k(ptr %p) personality ptr @personality {\n%v = invoke i32 " + scalar +
			"(ptr @n, ptr @d, ptr %p) to label %a unwind label %b\na: ret void\nb: %l = landingpad { ptr, i32 } cleanup\nresume { ptr, i32 } %l\n}\n", "invokes @"},
		{"pointer", specModule("", [2]string{"ptr", "null"}), "it has a pointer, of which SPIR-V has no"},
		{"function", specModule("", [2]string{"{ void () }", "undef"}), "not made of numbers"},
		{"wide", specModule("", [2]string{"[2 x i128]", "zeroinitializer"}), "a number of 128 bits"},
		{"huge", specModule("", [2]string{"[1000000000 x i64]", "zeroinitializer"}), "more than 1048576 bytes"},
		{"many parts", specModule("%e = type { {}, {}, {}, {}, i8 }\n", [2]string{"[1000000 x %e]", "zeroinitializer"}), "bytes or parts"},
		{"nested deeply", specModule(deepTypes(70), [2]string{"%t70", "zeroinitializer"}), "nested too deeply"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := split.NewGraph(parse(t, tt.text), split.Options{SpecConstants: split.SpecConstantsNative})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("NewGraph() = %v; want %q", err, tt.want)
			}
		})
	}
}

func deepTypes(n int) string {
	var b strings.Builder
	b.WriteString("%t0 = type { i8 }\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "%%t%d = type { %%t%d }\n", i, i-1)
	}
	return b.String()
}
