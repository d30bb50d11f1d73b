package irtext_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"offlink/internal/irgen"
	"offlink/ir"
	"offlink/ir/irtext"
)

func parseText(t testing.TB, text string) *ir.Module {
	t.Helper()
	m, err := irtext.Parse("in.ll", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// reached returns the partition of the values of those names and the values that they
// refer to.
func reached(t testing.TB, m *ir.Module, names ...string) *ir.Partition {
	t.Helper()
	s := &ir.Partition{Module: m}
	seen := make(map[ir.ValueID]bool)
	var visit func(id ir.ValueID)
	visit = func(id ir.ValueID) {
		if seen[id] {
			return
		}
		seen[id] = true
		if m.Values[id].Declaration {
			s.Declarations = append(s.Declarations, id)
			return
		}
		s.Definitions = append(s.Definitions, id)
		for _, ref := range m.Refs(&m.Values[id]) {
			if ref.Kind() == ir.RefCallee || ref.Kind() == ir.RefAddress {
				visit(ir.ValueID(ref.Index()))
			}
		}
	}
	for _, name := range names {
		id, ok := m.Lookup(name)
		if !ok {
			t.Fatalf("no @%s", name)
		}
		visit(id)
	}
	slices.Sort(s.Definitions)
	slices.Sort(s.Declarations)
	return s
}

const editModule = `%T = type { i32 }
%unused = type { i8 }
$c = comdat any
@v = hidden dllexport global [3 x ptr] [ptr @a, ptr @b, ptr null], section "s", comdat($c), align 8, !old !0 #1
define weak_odr protected fastcc zeroext i8 @a(i32 %x) unnamed_addr #0 "own"="1" section "t" comdat($c) align 4 personality ptr @b !old !0 !dbg !9 {
  ret i8 0
}
define void @b(%T %t) #0 {
  ret void
}
declare !old !0 void @d() #1
attributes #0 = { nounwind align=4 "one" "two"="x" cold }
attributes #1 = { "two"="x" "three" }
!named = !{!0, !1}
!0 = !{ptr @a, ptr @b, i32 5}
!1 = !{}
!2 = !{!"unused"}
!9 = distinct !DISubprogram(name: "a", spFlags: DISPFlagDefinition, unit: !10)
!10 = distinct !DICompileUnit(language: DW_LANG_C, file: !11, emissionKind: FullDebug, globals: !{!12})
!11 = !DIFile(filename: "f", directory: "")
!12 = !DIGlobalVariableExpression(var: !13, expr: !DIExpression(DW_OP_constu, 5, DW_OP_stack_value))
!13 = distinct !DIGlobalVariable(name: "k", scope: !10)
!llvm.dbg.cu = !{!10}
`

// Each edit changes the text as it says, and no more.
func TestEdits(t *testing.T) {
	linkage := func(l ir.Linkage) ir.Edit { return ir.Edit{SetLinkage: true, Linkage: l} }
	node := ir.NewNode{Operands: []ir.Operand{{Kind: ir.OperandInt, Int: 6147, Bits: 32}, {Kind: ir.OperandString, String: "id"}}}
	tests := []struct {
		name, value string
		edit        ir.Edit
		want        []string
	}{
		{"none", "a", ir.Edit{}, []string{
			`define weak_odr protected fastcc zeroext i8 @a(i32 %x) unnamed_addr #0 "own"="1" section "t" comdat($c) align 4 personality ptr @b !old !0 !dbg !9 {`,
		}},
		{"internal", "a", linkage(ir.Internal), []string{
			`define internal fastcc zeroext i8 @a(i32 %x) unnamed_addr #0 "own"="1" section "t" comdat($c) align 4`,
		}},
		{"external", "a", linkage(ir.External), []string{`define protected fastcc zeroext i8 @a`}},
		{"no comdat", "a", ir.Edit{DropComdat: true}, []string{`section "t" align 4`}},
		{"attributes", "a", ir.Edit{Add: []ir.Attribute{{Key: "new"}, {Key: "q", Value: "\""}}, Remove: []string{"two", "own"}}, []string{
			`@a(i32 %x) unnamed_addr #2 "new" "q"="\22" section "t"`, `attributes #2 = { nounwind align=4 "one" cold }`,
		}},
		{"attachment", "a", ir.Edit{Attach: []ir.NewAttachment{{Kind: "new kind", Node: node}, {Kind: "old", Node: node}}}, []string{
			`personality ptr @b !dbg !9 !new\20kind !14 !old !15 {`, `!14 = !{i32 6147, !"id"}`,
		}},
		{"variable internal", "v", linkage(ir.Internal), []string{
			`@v = internal global [3 x ptr] [ptr @a, ptr @b, ptr null], section "s", comdat($c), align 8, !old !0 #1`,
		}},
		{"variable attachment", "v", ir.Edit{Attach: []ir.NewAttachment{{Kind: "old", Node: node}}}, []string{`align 8, !old !14 #1`}},
		{"variable attribute", "v", ir.Edit{Add: []ir.Attribute{{Key: "new"}}, Remove: []string{"three"}}, []string{
			`, !old !0 #2 "new"`, `attributes #2 = { "two"="x" }`,
		}},
		{"elements", "v", ir.Edit{KeepElements: []int{1}}, []string{`global [1 x ptr] [ptr @b], section "s"`}},
		{"wrapped", "v", ir.Edit{Wrap: true}, []string{`global { [3 x ptr] } { [3 x ptr] [ptr @a, ptr @b, ptr null] }, section "s"`}},
		{"declaration attached", "d", ir.Edit{Attach: []ir.NewAttachment{{Kind: "new", Node: node}}}, []string{`declare !new !14 !old !0 void @d() #1`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := parseText(t, editModule)
			s := whole(m)
			id, _ := m.Lookup(test.value)
			*s.Edit(id) = test.edit
			out := string(write(t, s))
			for _, want := range test.want {
				if !strings.Contains(out, want) {
					t.Errorf("the output lacks %s:\n%s", want, out)
				}
			}
			if strings.Contains(out, "unused") {
				t.Errorf("the output has parts that nothing uses:\n%s", out)
			}
			if _, err := irtext.Parse("out.ll", []byte(out)); err != nil {
				t.Error(err)
			}
		})
	}
}

// A declaration of a value that the module defines has nothing that only definitions
// have, and metadata that names a dropped value names nothing.
func TestDeclare(t *testing.T) {
	m := parseText(t, editModule)
	a, _ := m.Lookup("a")
	v, _ := m.Lookup("v")
	s := &ir.Partition{Module: m, Declarations: []ir.ValueID{v, a}}
	out := string(write(t, s))
	for _, want := range []string{
		`@v = external hidden global [3 x ptr], align 8, !old !0 #1`,
		`declare protected fastcc zeroext i8 @a(i32 %x) unnamed_addr #0 "own"="1" align 4`,
		`!0 = !{ptr @a, null, i32 5}`,
		`!llvm.dbg.cu = !{!10}`, // it has a constant, which needs no variable
	} {
		if !strings.Contains(out, want+"\n") {
			t.Errorf("the output lacks %s:\n%s", want, out)
		}
	}
	for _, not := range []string{"$c", "%T", "DISubprogram", "personality"} {
		if strings.Contains(out, not) {
			t.Errorf("the output has %s:\n%s", not, out)
		}
	}
}

// Changes of the model by steps before the split are written.
func TestChangedModel(t *testing.T) {
	m := parseText(t, editModule)
	b, _ := m.Lookup("b")
	v := &m.Values[b]
	v.CallingConv, _ = m.CallingConvID("spir_kernel")
	v.EditDetails().Attributes = []ir.Attribute{{Key: "sycl-module-id", Value: "x.cpp"}}
	if out := string(write(t, reached(t, m, "b"))); !strings.Contains(out, `define spir_kernel void @b(%T %t) #0 "sycl-module-id"="x.cpp" {`) {
		t.Errorf("the output lacks the changes:\n%s", out)
	}
}

func TestMissingValue(t *testing.T) {
	m := parseText(t, editModule)
	a, _ := m.Lookup("a")
	err := m.Source.NewWriter().WritePartition(io.Discard, &ir.Partition{Module: m, Definitions: []ir.ValueID{a}})
	if want := "in.ll: the partition lacks '@b', which '@a' refers to"; err == nil || err.Error() != want {
		t.Errorf("WritePartition() = %v; want %s", err, want)
	}
}

// Writers share one module, and the output of each depends neither on the others
// nor on its earlier output.
func TestConcurrentWriters(t *testing.T) {
	m := parseText(t, string(generated(t, irgen.Config{Kernels: 30, Debug: true})))
	want := make([][]byte, 40)
	for seed := range want {
		want[seed] = write(t, randomPartition(m, uint64(seed)))
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			w := m.Source.NewWriter()
			for seed := range want {
				var out bytes.Buffer
				if err := w.WritePartition(&out, randomPartition(m, uint64(seed))); err != nil || !bytes.Equal(out.Bytes(), want[seed]) {
					t.Errorf("slice %d differs (%v)", seed, err)
				}
			}
		})
	}
	group.Wait()
}

// A partition costs as much as it holds, however large its module is.
func TestSliceCost(t *testing.T) {
	allocated := func(kernels int) float64 {
		m := parseText(t, string(generated(t, irgen.Config{Kernels: kernels, Debug: true})))
		w, s := m.Source.NewWriter(), reached(t, m, "_ZTS6KernelILi5EE")
		return testing.AllocsPerRun(5, func() {
			if err := w.WritePartition(io.Discard, s); err != nil {
				t.Fatal(err)
			}
		})
	}
	if small, large := allocated(20), allocated(600); large > 2*small+20 {
		t.Errorf("a partition allocates %v times in a module of 20 kernels, %v times in one of 600", small, large)
	}
}
