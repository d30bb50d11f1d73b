package ir_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/ir"
	"offlink/ir/irtext"
)

// reachModule has three compile units with code, one whose variables are
// constants only, and one that nothing keeps.
const reachModule = `%list = type { %item*, i32 }
%item = type { %list, %far addrspace(1)* }
%far = type { i8 }
%other = type { i8 }
$group = comdat any
@kept = global i32 1, !dbg !40
@gone = global i32 2, !dbg !43
@v = linkonce_odr global i32 0, comdat($group)
define void @one(%list* %l) #0 !dbg !20 {
  call void @helper() #1, !dbg !21
  ret void
}
define void @two() !attached !{!60} {
  %x = load i32, i32* @kept
  ret void
}
define linkonce_odr void @helper() comdat($group) {
  ret void
}
declare %other* @declared(%other*) #2
attributes #0 = { preallocated(%other) "a" }
attributes #1 = { "b" }
attributes #2 = { "c" }
!llvm.dbg.cu = !{!0, !1, !2, !3, !4}
!plain = !{!50}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !10, globals: !{!43}, imports: !{!11})
!1 = distinct !DICompileUnit(language: DW_LANG_C, file: !10, globals: !70)
!2 = distinct !DICompileUnit(language: DW_LANG_C, file: !10, globals: !71)
!3 = distinct !DICompileUnit(language: DW_LANG_C, file: !10)
!4 = distinct !DICompileUnit(language: DW_LANG_C, file: !10, globals: !{!43}, retainedTypes: !{!72})
!10 = !DIFile(filename: "f", directory: "")
!11 = !DIImportedEntity(tag: DW_TAG_imported_declaration, scope: !0, entity: !30)
!20 = distinct !DISubprogram(name: "one", unit: !0)
!21 = !DILocation(line: 1, scope: !20)
!30 = distinct !DISubprogram(name: "in3", unit: !3)
!40 = !DIGlobalVariableExpression(var: !41, expr: !DIExpression())
!41 = distinct !DIGlobalVariable(name: "kept", scope: !1)
!43 = !DIGlobalVariableExpression(var: !44, expr: !DIExpression())
!44 = distinct !DIGlobalVariable(name: "gone", scope: !0)
!45 = !DIGlobalVariableExpression(var: !46, expr: !DIExpression(DW_OP_consts, 5, DW_OP_stack_value, DW_OP_LLVM_fragment, 0, 8))
!46 = distinct !DIGlobalVariable(name: "constant", scope: !2)
!50 = !{!51}
!51 = distinct !{!51, !50}
!60 = !{}
!70 = !{!40, !43}
!71 = !{!43, !45, null}
!72 = !{}
`

func values(t *testing.T, m *ir.Module, names string) (ids []ir.ValueID) {
	t.Helper()
	for _, name := range strings.Fields(names) {
		id, ok := m.Lookup(name)
		if !ok {
			t.Fatalf("no @%s", name)
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// numbers returns the numbers that the nodes have in the text.
func numbers(m *ir.Module, ids []ir.NodeID) string {
	var lines []string
	for _, line := range strings.Split(reachModule, "\n") {
		if len(line) > 1 && line[0] == '!' && '0' <= line[1] && line[1] <= '9' {
			number, _, _ := strings.Cut(line[1:], " ")
			lines = append(lines, number)
		}
	}
	var list []string
	for _, id := range ids {
		list = append(list, lines[id])
	}
	return strings.Join(list, " ")
}

func summary(m *ir.Module, r *ir.Reach) string {
	var b strings.Builder
	for _, id := range r.Types {
		fmt.Fprintf(&b, "%%%s ", m.Types[id].Name)
	}
	for _, id := range r.AttributeGroups {
		fmt.Fprintf(&b, "#%d ", id)
	}
	for _, id := range r.Comdats {
		fmt.Fprintf(&b, "$%s ", m.Comdats[id].Name)
	}
	fmt.Fprintf(&b, "listed %v nodes %s", r.Listed, numbers(m, r.Nodes))
	for _, u := range r.Units {
		fmt.Fprintf(&b, "; unit %s: %s", numbers(m, []ir.NodeID{u.Node}), numbers(m, u.Globals))
	}
	return b.String()
}

func TestReach(t *testing.T) {
	m, err := irtext.Parse("in.ll", []byte(reachModule))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, definitions, declarations, want string }{
		{"nothing", "", "", "listed [2] nodes 2 10 45 46 50 51; unit 2: 45"},
		{
			"code, which imports from another unit", "one helper", "",
			"%list %item %far %other #0 #1 $group listed [0 2 3] nodes 0 2 3 10 11 20 21 30 45 46 50 51; unit 0: ; unit 2: 45",
		},
		{"a variable", "two kept", "", "listed [1 2] nodes 1 2 10 40 41 45 46 50 51 60; unit 1: 40; unit 2: 45"},
		{"variables", "kept gone", "", "listed [0 1 2 3 4] nodes 0 1 2 3 4 10 11 30 40 41 43 44 45 46 50 51 70 71 72"},
		{"declarations", "", "one two declared", "%list %item %far %other #0 #2 listed [2] nodes 2 10 45 46 50 51; unit 2: 45"},
	}
	r := ir.NewReacher(m)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &ir.Partition{Module: m, Definitions: values(t, m, test.definitions), Declarations: values(t, m, test.declarations)}
			for range 2 { // the second time with the marks of the first
				reach, err := r.Reach(s)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.want, summary(m, reach)); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
			}
		})
	}
}

// TestReachAfterError: a partition that fails leaves nothing to the next one.
func TestReachAfterError(t *testing.T) {
	m, err := irtext.Parse("in.ll", []byte(reachModule))
	if err != nil {
		t.Fatal(err)
	}
	nothing := &ir.Partition{Module: m}
	alone, err := ir.NewReacher(m).Reach(nothing)
	if err != nil {
		t.Fatal(err)
	}
	r := ir.NewReacher(m)
	// The function's metadata are marked before the call of @helper is found.
	if _, err := r.Reach(&ir.Partition{Module: m, Definitions: values(t, m, "kept two one")}); err == nil {
		t.Fatal("a partition without a function that is called is taken")
	}
	after, err := r.Reach(nothing)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(summary(m, alone), summary(m, after)); diff != "" {
		t.Errorf("after an error (-alone +after)\n%s", diff)
	}
}
