package bitcode_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"offlink/ir"
	"offlink/ir/bitcode"
)

// After the last block there may be bytes that are too short for a block, as some
// archivers leave them, and zeros; nothing else.
func TestPadding(t *testing.T) {
	data := assemble(t, "k.ll", "19", false, []byte("define void @k() { ret void }")).bitcode
	for _, tt := range []struct {
		padding string
		want    bool
	}{
		{"\x00", true},
		{"\n\n\n\n", true},
		{"\x00\x00\x00\x00\x00", true},
		{"BC\xc0\xdeabcd", true},
		{strings.Repeat("\x00", 12), true},
		{strings.Repeat("\x00", 4093), true},
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", false},
		{strings.Repeat("\x00", 12) + "a", false},
	} {
		m, err := bitcode.Read("k.bc", append(slices.Clip(data), tt.padding...))
		if got := err == nil; got != tt.want {
			t.Errorf("padding %q: %v", tt.padding, err)
		}
		if err == nil && len(m.Values) != 1 {
			t.Errorf("padding %q: %d values", tt.padding, len(m.Values))
		}
	}
}

// A compile unit that no list names and only one function refers to stands in
// the metadata of that function. LLVM writes that where nobody verifies.
func TestUnitOfOneFunction(t *testing.T) {
	const text = `
		@g = global i32 0, !dbg !20
		define void @k() !dbg !3 { ret void }
		define void @l() !dbg !13 {
		  %v = load i32, i32* @g
		  ret void
		}
		!llvm.module.flags = !{!0}
		!0 = !{i32 2, !"Debug Info Version", i32 3}
		!1 = distinct !DICompileUnit(language: DW_LANG_C99, file: !2, emissionKind: FullDebug, globals: !21)
		!2 = !DIFile(filename: "a.c", directory: "/")
		!3 = distinct !DISubprogram(name: "k", file: !2, line: 1, type: !4, scopeLine: 1, spFlags: DISPFlagDefinition, unit: !1)
		!4 = !DISubroutineType(types: !5)
		!5 = !{null}
		!11 = distinct !DICompileUnit(language: DW_LANG_C99, file: !12, emissionKind: FullDebug)
		!12 = !DIFile(filename: "b.c", directory: "/")
		!13 = distinct !DISubprogram(name: "l", file: !12, line: 1, type: !4, scopeLine: 1, spFlags: DISPFlagDefinition, unit: !11)
		!20 = !DIGlobalVariableExpression(var: !22, expr: !DIExpression())
		!21 = !{!20}
		!22 = distinct !DIGlobalVariable(name: "g", scope: !1, file: !2, line: 1, type: !23, isDefinition: true)
		!23 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)`
	for _, version := range []string{"14", "15", "19"} {
		source := text
		if version == "19" {
			source = strings.ReplaceAll(text, "i32*", "ptr")
		}
		m := &module{name: "unit.ll", version: version}
		m.bitcode = filter(t, []byte(source), llvmTool(t, "llvm-as", version), "-disable-verify", "-o", "-")
		whole := m.read(t)
		for name, want := range map[string]string{"k": "a.c", "l": "b.c"} {
			id, _ := whole.Lookup(name)
			s := &ir.Partition{Module: whole, Definitions: []ir.ValueID{id}}
			if g, _ := whole.Lookup("g"); name == "l" {
				s.Definitions = []ir.ValueID{g, id}
			}
			got := m.with(write(t, s))
			printed := got.tool(t, "opt", "-disable-verify", "-S", "-o", "-")
			if !bytes.Contains(printed, []byte("DICompileUnit(language: DW_LANG_C99, file: ")) || !bytes.Contains(printed, []byte(want)) {
				t.Errorf("LLVM %s: the partition of %s lacks its compile unit:\n%s", version, name, printed)
			}
		}
	}
}

// A range of record version 1 has three operands. Zig's compiler writes five, of which LLVM reads
// the three; later fields of later versions are refused.
func TestRangeOfVersion1(t *testing.T) {
	const text = `
		define void @k() { ret void }
		!llvm.module.flags = !{!0}
		!ranges = !{!1}
		!0 = !{i32 2, !"Debug Info Version", i32 3}
		!1 = !DISubrange(count: !2, lowerBound: 0)
		!2 = distinct !DIGlobalVariable(name: "n", type: !3)
		!3 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)`
	m := assemble(t, "range.ll", "19", false, []byte(text))
	top := takeApart(t, m.bitcode)
	record := top.find(8).find(15).record(13)
	count := record.operands[1]
	record.operands = []uint64{1 << 1, count, 8, 0, 0}
	read := (&module{name: "zig", bitcode: putTogether(top)}).read(t)
	again := takeApart(t, write(t, whole(read))).find(8).find(15).record(13)
	if len(again.operands) != 3 || again.operands[2] != 8 {
		t.Errorf("written with the operands %v", again.operands)
	}
}
