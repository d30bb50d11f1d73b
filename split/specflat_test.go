package split_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/split"
)

// nested returns a module whose kernel reads one constant of type %t, which
// the default value, with its own type, nests in its own way.
func nested(types, defaultType, value string) string {
	return "target datalayout = \"e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256\"\ntarget triple = \"spir64-unknown-unknown\"\n" + types + `
@n = private constant [2 x i8] c"c\00"
@d = private constant { ` + defaultType + " } { " + defaultType + " " + value + ` }
define spir_kernel void @k(ptr %p, ptr %buffer) {
  call void @_Z40__sycl_getComposite2020SpecConstantValueT(ptr sret(%t) %p, ptr @n, ptr @d, ptr %buffer)
  ret void
}
declare void @_Z40__sycl_getComposite2020SpecConstantValueT(ptr sret(%t), ptr, ptr, ptr)
`
}

// The default value of a constant is the bytes that it has in memory, however
// it is nested: the type's member at an offset gets the value's bytes there.
// The types and values are those of clang and DPC++ for the C++ that the names
// say.
func TestNestingOfDefaultValues(t *testing.T) {
	for _, tt := range []struct{ name, types, defaultType, value, constant, call string }{
		{
			"classes derived from one another and from empty ones",
			"%d1 = type { i8 }\n%d2 = type { %d1, double }\n%t = type <{ %d2, i16, i8, [5 x i8] }>",
			"{ i8, double, i16, i8 }", "{ i8 1, double 2.5, i16 3, i8 4 }",
			"c 0:0+1 1:8+8 2:16+2 3:18+1 -1:19+5 010000000000000000000000000004400300040000000000",
			"Composited2saA5_a_Rt(Composited1d_Rd2(Compositea_Rd1(ia(0x0, 0x1)), id(0x1, 0x4004000000000000)), is(0x2, 0x3), ia(0x3, 0x4), undef)",
		},
		{
			"members in the padding of the base",
			"%base = type <{ i32, i8 }>\n%t = type { %base, i8, [2 x i8] }",
			"{ i32, i8, i8 }", "{ i32 1, i8 2, i8 3 }",
			"c 0:0+4 1:4+1 2:5+1 -1:6+2 0100000002030000",
			"CompositebaseaA2_a_Rt(Compositeia_Rbase(ii(0x0, 0x1), ia(0x1, 0x2)), ia(0x2, 0x3), undef)",
		},
		{
			"an empty member",
			"%t = type { [4 x i8], i32 }", "%t", "{ [4 x i8] undef, i32 9 }",
			"c 1:4+4 0000000009000000",
			"CompositeA4_ai_Rt(undef, ii(0x1, 0x9))",
		},
		{
			"bit-fields of more than a byte",
			"%t = type { i32, i32 }", "{ i8, i8, i8, i32 }", "{ i8 97, i8 73, i8 0, i32 70000 }",
			"c 0:0+4 1:4+4 6149000070110100",
			"Compositeii_Rt(ia(0x0, 0x4961), ii(0x1, 0x11170))",
		},
		{
			"bit-fields of seven bytes",
			"%t = type { [7 x i8], i8 }", "{ i8, i8, i8, i8, i8, i8, i8, i8 }",
			"{ i8 1, i8 0, i8 2, i8 0, i8 0, i8 0, i8 -1, i8 3 }",
			"c 0:0+1 1:1+1 2:2+1 3:3+1 4:4+1 5:5+1 6:6+1 7:7+1 010002000000ff03",
			"CompositeA7_aa_Rt(Compositeaaaaaaa_RA7_a(ia(0x0, 0x1), ia(0x1, 0x0), ia(0x2, 0x2), ia(0x3, 0x0), ia(0x4, 0x0), ia(0x5, 0x0), ia(0x6, 0xff)), ia(0x7, 0x3))",
		},
		{
			"a union whose largest member is another one",
			"%t = type { double, [8 x i8] }", "{ float, [12 x i8] }", "{ float 2.5, [12 x i8] undef }",
			"c 0:0+8 -1:8+8 00002040000000000000000000000000",
			"CompositedA8_a_Rt(if(0x0, 0x40200000), undef)",
		},
		{
			"a union of a structure",
			"%in = type { i8, i16 }\n%t = type { double }", "{ %in, [4 x i8] }", "{ %in { i8 1, i16 2 }, [4 x i8] poison }",
			"c 0:0+8 0100020000000000",
			"Composited_Rt(ia(0x0, 0x20001))",
		},
		{
			"a byte that the value writes wider",
			"%t = type { i8, i8, i8, i8 }", "{ i32 }", "{ i32 67305985 }",
			"c 0:0+1 1:1+1 2:2+1 3:3+1 01020304",
			"Compositeaaaa_Rt(ii(0x0, 0x1), ia(0x1, 0x2), ia(0x2, 0x3), ia(0x3, 0x4))",
		},
		{
			"a vector of three in a structure",
			"%vec = type { <3 x float> }\n%t = type { i8, %vec }", "{ i8, [15 x i8], <3 x float> }",
			"{ i8 1, [15 x i8] undef, <3 x float> <float 1.0, float 2.0, float 3.0> }",
			"c 0:0+1 1:16+4 2:20+4 3:24+4 -1:28+4 010000000000000000000000000000000000803f000000400000404000000000",
			"Compositeavec_Rt(ia(0x0, 0x1), CompositeDv3_f_Rvec(Compositefff_RDv3_f(if(0x1, 0x3f800000), if(0x2, 0x40000000), if(0x3, 0x40400000))))",
		},
		{
			"an array of structures with padding",
			"%e = type { i16, i8 }\n%t = type { [2 x %e] }", "{ i16, i8, i8, i16, i8 }", "{ i16 1, i8 2, i8 undef, i16 3, i8 4 }",
			"c 0:0+2 1:2+1 -1:3+1 2:4+2 3:6+1 -1:7+1 0100020003000400",
			"CompositeA2_e_Rt(Compositeee_RA2_e(Compositesa_Re(is(0x0, 0x1), ia(0x1, 0x2)), Compositesa_Re(is(0x2, 0x3), ia(0x3, 0x4))))",
		},
		{
			"zeros, with the padding that the type names",
			"%t = type <{ i32, i8, [3 x i8] }>", "{ i32, i8 }", "zeroinitializer",
			"c 0:0+4 1:4+1 -1:5+3 0000000000000000",
			"CompositeiaA3_a_Rt(ii(0x0, 0x0), ia(0x1, 0x0), undef)",
		},
		{
			"parts that are undef",
			"%t = type { [3 x i16], i8, float }", "%t", "{ [3 x i16] [i16 1, i16 undef, i16 3], i8 poison, float 1.0 }",
			"c 0:0+2 1:2+2 2:4+2 4:8+4 01000000030000000000803f",
			"CompositeA3_saf_Rt(Compositesss_RA3_s(is(0x0, 0x1), is(0x1, 0x0), is(0x2, 0x3)), undef, if(0x4, 0x3f800000))",
		},
		{
			"nothing but undef",
			"%t = type { i8 }", "%t", "undef", "c 0:0+1 00", "Compositea_Rt(ia(0x0, 0x0))",
		},
		{
			"an empty std::optional, whose value the host may set",
			"%u = type { double }\n%t = type { %u, i8 }", "%t", "{ %u undef, i8 0 }",
			"c 0:0+8 1:8+1 -1:9+7 00000000000000000000000000000000",
			"Compositeua_Rt(Composited_Ru(id(0x0, 0x0)), ia(0x1, 0x0))",
		},
		{
			"a union whose default value is a shorter member",
			"%u = type { [2 x double] }\n%t = type { i32, %u }", "{ i32, [4 x i8], i8, [15 x i8] }", "{ i32 7, [4 x i8] undef, i8 1, [15 x i8] undef }",
			"c 0:0+4 1:8+8 2:16+8 070000000000000001000000000000000000000000000000",
			"Compositeiu_Rt(ii(0x0, 0x7), CompositeA2_d_Ru(Compositedd_RA2_d(ia(0x1, 0x1), id(0x2, 0x0))))",
		},
		{
			"bytes of a union",
			"%u = type { [4 x i8] }\n%t = type { i32, %u }", "%t", "{ i32 7, %u undef }",
			"c 0:0+4 1:4+1 2:5+1 3:6+1 4:7+1 0700000000000000",
			"Compositeiu_Rt(ii(0x0, 0x7), CompositeA4_a_Ru(Compositeaaaa_RA4_a(ia(0x1, 0x0), ia(0x2, 0x0), ia(0x3, 0x0), ia(0x4, 0x0))))",
		},
		{
			"members without size",
			"%t = type { [0 x i32], i32, {}, half }", "{ i32, half, [2 x i8] }", "{ i32 1, half 0xH3C00, [2 x i8] undef }",
			"c 1:0+4 3:4+2 -1:6+2 01000000003c0000",
			"CompositeA0_iiDh_Rt(undef, ii(0x1, 0x1), undef, iDh(0x3, 0x3c00))",
		},
		{
			"a number of the brain format, in another nesting",
			"%b = type { bfloat }\n%t = type { %b, i16 }", "{ i16, bfloat }", "{ i16 16256, bfloat 0xR3F80 }",
			"c 0:0+2 1:2+2 803f803f",
			"Compositebs_Rt(CompositeDF16b_Rb(iDF16b(0x0, 0x3f80)), is(0x1, 0x3f80))",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := extractFirst(t, nested(tt.types, tt.defaultType, tt.value), split.Options{SpecConstants: split.SpecConstantsNative})
			if diff := cmp.Diff([]string{tt.constant}, constants(s)); diff != "" {
				t.Errorf("constants (-want +got):\n%s", diff)
			}
			call := strings.NewReplacer("_Z29__spirv_SpecConstant", "", "_Z20__spirv_SpecConstant", "").Replace(edits(s)[0])
			if diff := cmp.Diff(tt.call, call); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
		})
	}
}

// Emulation hands over the value in memory, pointers included.
func TestEmulatedPointer(t *testing.T) {
	text := nested("%t = type { i32, ptr }", "{ i32, ptr }", "{ i32 3, ptr null }")
	s := extractFirst(t, text, split.Options{SpecConstants: split.SpecConstantsEmulated})
	if diff := cmp.Diff([]string{"c 0:0+16 03000000000000000000000000000000"}, constants(s)); diff != "" {
		t.Errorf("constants (-want +got):\n%s", diff)
	}
}

// Two types without a name that are alike in their members, and a number that
// the value writes with another type than a constant beside it has, are made
// by functions of different names: a name means one type.
func TestSpirvNamesAreUnique(t *testing.T) {
	types := "%0 = type { i16, i8, i8 }\n%1 = type { i16, i8, i8 }\n"
	var calls []string
	s := extractFirst(t, specModule(types,
		[2]string{"%0", "{ i16 1, i8 2, i8 3 }"}, [2]string{"%1", "{ i16 4, i8 5, i8 6 }"}), split.Options{SpecConstants: split.SpecConstantsNative})
	for _, e := range edits(s) {
		name, _, _ := strings.Cut(e, "(")
		calls = append(calls, name)
	}
	if diff := cmp.Diff([]string{"_Z29__spirv_SpecConstantCompositesaa_R", "_Z29__spirv_SpecConstantCompositesaa_R.1"}, calls); diff != "" {
		t.Errorf("composites (-want +got):\n%s", diff)
	}
	s = extractFirst(t, nested("%t = type { i16, i8 }", "{ i8, i8, i8, i8 }", "{ i8 1, i8 2, i8 3, i8 undef }"), split.Options{SpecConstants: split.SpecConstantsNative})
	want := "_Z29__spirv_SpecConstantCompositesa_Rt(_Z20__spirv_SpecConstantis(0x0, 0x201), _Z20__spirv_SpecConstantia(0x1, 0x3))"
	if diff := cmp.Diff(want, edits(s)[0]); diff != "" {
		t.Errorf("scalars (-want +got):\n%s", diff)
	}
}

// One name stands for one constant: two types of one layout are as good as
// one, others would read parts of other constants.
func TestSpecConstantOfTwoTypes(t *testing.T) {
	for _, tt := range []struct {
		second string
		mode   split.SpecConstantMode
		ok     bool
	}{
		{"{ i32, i32 }", split.SpecConstantsNative, true},
		{"{ i32, i32 }", split.SpecConstantsEmulated, true},
		{"{ i64 }", split.SpecConstantsNative, false},
		{"{ i32, i32, i32 }", split.SpecConstantsEmulated, false},
	} {
		text := specModule("%a = type { i32, i32 }\n%b = type "+tt.second+"\n", [2]string{"%a", "zeroinitializer"}, [2]string{"%b", "zeroinitializer"})
		text = strings.ReplaceAll(text, "ptr @n1", "ptr @n0")
		g := graph(t, text, split.Options{SpecConstants: tt.mode})
		groups, err := g.Plan()
		if err != nil {
			t.Fatal(err)
		}
		_, err = g.NewExtractor().Extract(&groups[0])
		if ok := err == nil; ok != tt.ok || !ok && !strings.Contains(err.Error(), "\"c0\": it is read with two types") {
			t.Errorf("%s: Extract() = %v", tt.second, err)
		}
	}
}

// allocation returns a module whose kernel allocates as many doubles as a
// constant of that type says.
func allocation(triple, typ, value string) string {
	return fmt.Sprintf(`target triple = %q
@n = private constant [2 x i8] c"c\00"
@d = private constant { %[2]s } { %[2]s %[3]s }
define spir_kernel void @k(ptr %%buffer) {
  %%p = call ptr @llvm.sycl.alloca.p0.p0.p0.p0.f64(ptr @n, ptr @d, ptr %%buffer, double 0.0, i64 16)
  ret void
}
declare ptr @llvm.sycl.alloca.p0.p0.p0.p0.f64(ptr, ptr, ptr, double, i64)
`, triple, typ, value)
}

func TestPrivateAllocation(t *testing.T) {
	const spir, other = "spir64-unknown-unknown", "nvptx64-nvidia-cuda"
	for _, tt := range []struct {
		triple, typ, value string
		mode               split.SpecConstantMode
		want               string
	}{
		{spir, "i64", "10", split.SpecConstantsNative, "alloca(_Z20__spirv_SpecConstantix(0x0, 0xa), align 16)"},
		{spir, "i8", "1", split.SpecConstantsNative, "alloca(_Z20__spirv_SpecConstantia(0x0, 0x1), align 16)"},
		{other, "i32", "7", split.SpecConstantsEmulated, "alloca(0x7, align 16)"},
	} {
		s := extractFirst(t, allocation(tt.triple, tt.typ, tt.value), split.Options{SpecConstants: tt.mode})
		if diff := cmp.Diff([]string{tt.want}, edits(s)); diff != "" || len(s.SpecConstants) != 1 {
			t.Errorf("%s %s: constants %v, calls (-want +got):\n%s", tt.triple, tt.typ, constants(s), diff)
		}
	}
	for _, tt := range []struct {
		typ, value string
		mode       split.SpecConstantMode
		want       string
	}{
		{"i64", "10", split.SpecConstantsEmulated, split.ErrEmulatedSize.Error()},
		{"float", "1.0", split.SpecConstantsNative, "the size of private memory is not an integer"},
	} {
		_, err := split.NewGraph(parse(t, allocation(spir, tt.typ, tt.value)), split.Options{SpecConstants: tt.mode})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: NewGraph() = %v; want %q", tt.typ, err, tt.want)
		}
	}
}
