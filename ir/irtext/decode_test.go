package irtext_test

import (
	"math"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/internal/irgen"
	"offlink/ir"
	"offlink/ir/irtext"
)

func TestInitializer(t *testing.T) {
	integer := func(n uint64, bits int) ir.Constant { return ir.Constant{Kind: ir.ConstantInt, Int: n, Bits: bits} }
	float := func(n uint64, bits int) ir.Constant { return ir.Constant{Kind: ir.ConstantFloat, Int: n, Bits: bits} }
	wide := func(bits int, words ...uint64) ir.Constant {
		return ir.Constant{Kind: ir.ConstantWide, Words: words, Bits: bits}
	}
	list := func(c ...ir.Constant) ir.Constant { return ir.Constant{Kind: ir.ConstantAggregate, Elements: c} }
	bytes := func(s string) ir.Constant { return ir.Constant{Kind: ir.ConstantBytes, Bytes: []byte(s)} }
	zero, undef := ir.Constant{Kind: ir.ConstantZero}, ir.Constant{Kind: ir.ConstantUndef}
	target := ir.Constant{Kind: ir.ConstantValue, Value: 0}
	tests := []struct {
		text string
		want ir.Constant
	}{
		{"i32 -5", integer(1<<32-5, 32)},
		{"i64 -1", integer(math.MaxUint64, 64)},
		{"i64 18446744073709551615", integer(math.MaxUint64, 64)},
		{"i8 u0xFF", integer(255, 8)},
		{"i16 s0xFF", integer(0xFFFF, 16)},
		{"i1 true", integer(1, 1)},
		{"i128 5", wide(128, 5, 0)},
		{"i128 -2", wide(128, 1<<64-2, 1<<64-1)},
		{"i80 -1", wide(80, 1<<64-1, 0xFFFF)},
		{"i8000000 5", ir.Constant{}},
		{"float 1.5", float(uint64(math.Float32bits(1.5)), 32)},
		{"float 0x3FB99999A0000000", float(uint64(math.Float32bits(0.1)), 32)},
		{"double -2.5e-3", float(math.Float64bits(-2.5e-3), 64)},
		{"double 0x7FF0000000000000", float(math.Float64bits(math.Inf(1)), 64)},
		{"half 0xH3C00", float(0x3C00, 16)},
		{"half 6.5e4", float(0x7BEF, 16)},
		{"half 1.0e6", float(0x7C00, 16)},
		{"half 5.9604644775390625e-08", float(0x0001, 16)},
		{"bfloat 0xR3F80", float(0x3F80, 16)},
		{"bfloat 3.0", float(0x4040, 16)},
		{"half -0.0", float(0x8000, 16)},
		{"fp128 0xL00000000000000003FFF000000000000", wide(128, 0, 0x3FFF<<48)},
		{"x86_fp80 0xK3FFF8000000000000001", wide(80, 1<<63+1, 0x3FFF)},
		{"ptr null", zero},
		{"{ i32, ptr } zeroinitializer", zero},
		{"i32 undef", undef},
		{"i32 poison", undef},
		{`[3 x i8] c"a\5C\00"`, bytes("a\\\x00")},
		{"[2 x i8] [i8 1, i8 -1]", bytes("\x01\xFF")},
		{"[2 x i16] [i16 1, i16 undef]", list(integer(1, 16), undef)},
		{"<{ i8, { float } }> <{ i8 1, { float } { float 0.0 } }>", list(integer(1, 8), list(float(0, 32)))},
		{"<2 x i1> <i1 true, i1 false>", list(integer(1, 1), integer(0, 1))},
		{"<3 x i8> splat (i8 7)", list(integer(7, 8), integer(7, 8), integer(7, 8))},
		{"<vscale x 3 x i8> splat (i8 7)", ir.Constant{}},
		{"ptr @t", target},
		{"ptr addrspace(4) addrspacecast (ptr @t to ptr addrspace(4))", target},
		{"ptr getelementptr inbounds nuw inrange(-8, 16) ([4 x i8], ptr @t, i64 0, i64 1)", target},
		{"ptr getelementptr (i8, ptr getelementptr (i8, ptr @t, i32 1), i32 -1)", target},
		{"i8* bitcast (i32* @t to i8*)", target},
		{"i64 ptrtoint (ptr @t to i64)", target},
		{"ptr inttoptr (i64 5 to ptr)", ir.Constant{}},
		{"i64 sub (i64 ptrtoint (ptr @t to i64), i64 1)", ir.Constant{}},
	}
	for _, test := range tests {
		m := parseText(t, "@t = external global i32\n@v = global "+test.text)
		got, err := m.Initializer(1)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if got.Type != m.Values[1].Type {
			t.Errorf("%s: type %d; want %d", test.text, got.Type, m.Values[1].Type)
		}
		withoutTypes(&got)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.text, diff)
		}
	}
}

func withoutTypes(c *ir.Constant) {
	c.Type = 0
	for i := range c.Elements {
		withoutTypes(&c.Elements[i])
	}
}

func TestOperands(t *testing.T) {
	m := parseText(t, `@v = external global i32
!0 = !{null, !"a\22", !2, i32 -7, i1 true, i64 9223372036854775807, ptr @v, !{i8 3, !{}}, float 1.5, i77 5, ptr getelementptr (i8, ptr @v, i32 1)}
!2 = distinct !DISubprogram(name: "n\5C", scope: null, line: 12, unit: !0, flags: A | B, isLocal: true, e: !DIExpression(DW_OP_constu, 5, DIOpArg(0, ptr)), list: !{!2}, value: i16 -3, ops: {null, !0})
`)
	want := [][]ir.Operand{
		{
			{},
			{Kind: ir.OperandString, String: `a"`},
			{Kind: ir.OperandNode, Node: 1},
			{Kind: ir.OperandInt, Int: -7, Bits: 32},
			{Kind: ir.OperandInt, Int: -1, Bits: 1},
			{Kind: ir.OperandInt, Int: math.MaxInt64, Bits: 64},
			{Kind: ir.OperandValue},
			{Kind: ir.OperandTuple, Elements: []ir.Operand{{Kind: ir.OperandInt, Int: 3, Bits: 8}, {Kind: ir.OperandTuple}}},
			{Kind: ir.OperandOther, String: "float", Int: 0x3fc00000, Bits: 32},
			{Kind: ir.OperandOther},
			{Kind: ir.OperandValue},
		},
		{
			{Kind: ir.OperandField, Field: "name", String: `n\`},
			{Field: "scope"},
			{Kind: ir.OperandField, Field: "line", Int: 12},
			{Kind: ir.OperandNode, Field: "unit", Node: 0},
			{Kind: ir.OperandField, Field: "flags", String: "A | B"},
			{Kind: ir.OperandField, Field: "isLocal", String: "true"},
			{Kind: ir.OperandTuple, Field: "e", String: "DIExpression", Elements: []ir.Operand{
				{Kind: ir.OperandField, String: "DW_OP_constu"}, {Kind: ir.OperandField, Int: 5}, {Kind: ir.OperandField, String: "DIOpArg(0, ptr)"},
			}},
			{Kind: ir.OperandTuple, Field: "list", Elements: []ir.Operand{{Kind: ir.OperandNode, Node: 1}}},
			{Kind: ir.OperandInt, Field: "value", Int: -3, Bits: 16},
			{Kind: ir.OperandTuple, Field: "ops", Elements: []ir.Operand{{}, {Kind: ir.OperandNode, Node: 0}}},
		},
	}
	for id := range want {
		got, err := m.Source.Operands(ir.NodeID(id))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want[id], got); diff != "" {
			t.Errorf("node %d: (-want +got)\n%s", id, diff)
		}
	}
}

// The references of a function, and their kinds.
func TestRefs(t *testing.T) {
	m := parseText(t, `%T = type { %U }
%U = type { i8 }
%V = type { i16 }
@v = external global i32
@list = global [2 x ptr] [ptr @f, ptr @v]
declare void @f(ptr)
define void @caller(ptr byval(%T) %p) #0 !kind !0 prefix i32 5 personality ptr @f {
  call void @f(ptr @f) #1, !dbg !1
  call void @f(ptr @v), !dbg !1
  %x = call i32 %p(ptr addrspace(1) null, i8 2)
  call void (i32, ...) %p(i32 1)
  %z = alloca %V
  ret void, !other !{!2, ptr @list}
}
attributes #0 = { cold }
attributes #1 = { hot }
!0 = !{}
!1 = !{!2}
!2 = !{}
`)
	caller, _ := m.Lookup("caller")
	v := &m.Values[caller]
	var got []string
	for _, ref := range m.Refs(v) {
		got = append(got, describe(m, ref))
	}
	want := []string{
		"type T", "group 0", "address f", "callee f", "group 1", "node 1", "address v", "type V", "node 2", "address list",
		"indirect [integer pointer integer]", "indirect [other integer] ...",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
	if v.SignatureRefs != 2 {
		t.Errorf("%d references of the signature; want 2", v.SignatureRefs)
	}
	if len(v.Details().Attachments) != 1 || v.Details().Attachments[0].Kind != "kind" || v.Details().Attachments[0].Operand.Node != 0 {
		t.Errorf("attachments: %+v", v.Details().Attachments)
	}
	without, err := m.Source.RefsWithout(caller, []int{1})
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	for _, ref := range without {
		got = append(got, describe(m, ref))
	}
	if diff := cmp.Diff(append(want[:6:6], want[7:]...), got); diff != "" {
		t.Errorf("references without the second call (-want +got):\n%s", diff)
	}
}

func describe(m *ir.Module, ref ir.Ref) string {
	switch i := ref.Index(); ref.Kind() {
	case ir.RefCallee:
		return "callee " + m.Values[i].Name
	case ir.RefAddress:
		return "address " + m.Values[i].Name
	case ir.RefType:
		return "type " + m.Types[i].Name
	case ir.RefAttributes:
		return "group " + itoa(int(i))
	case ir.RefNode:
		return "node " + itoa(int(i))
	default:
		text := "indirect ["
		for k, e := range m.Types[i].Elements {
			if k > 0 {
				text += " "
			}
			text += map[ir.TypeKind]string{ir.TypeInteger: "integer", ir.TypePointer: "pointer", ir.TypeOther: "other"}[m.Types[e].Kind]
		}
		if text += "]"; m.Types[i].Variadic {
			text += " ..."
		}
		return text
	}
}

// Reading needs memory in proportion to the input, also for debug
// information.
func TestParseMemory(t *testing.T) {
	for _, debug := range []bool{false, true} {
		data := generated(t, irgen.Config{Kernels: 500, Debug: debug})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := irtext.Parse("in.ll", data); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if got, limit := after.TotalAlloc-before.TotalAlloc, uint64(2*len(data)+1<<20); got > limit {
			t.Errorf("debug=%t: reading %d bytes allocates %d; want at most %d", debug, len(data), got, limit)
		}
	}
}
