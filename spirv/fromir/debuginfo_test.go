package fromir_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"offlink/spirv"
	"offlink/spirv/fromir"
)

const debugModule = `define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) !dbg !10 {
entry:
  %x = alloca i32, align 4
  call void @llvm.dbg.declare(metadata ptr %x, metadata !20, metadata !DIExpression()), !dbg !21
  store i32 %n, ptr %x, align 4, !dbg !22
  call void @llvm.dbg.value(metadata i32 %n, metadata !23, metadata !DIExpression(DW_OP_plus_uconst, 4, DW_OP_stack_value)), !dbg !24
  store i32 %n, ptr addrspace(1) %p, align 4, !dbg !24
  ret void
}
declare void @llvm.dbg.declare(metadata, metadata, metadata)
declare void @llvm.dbg.value(metadata, metadata, metadata)
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_OpenCL, file: !1, producer: "cc", isOptimized: false, emissionKind: FullDebug)
!1 = !DIFile(filename: "k.cl", directory: "/src", checksumkind: CSK_MD5, checksum: "00112233445566778899aabbccddeeff")
!2 = !{i32 7, !"Dwarf Version", i32 4}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!10 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 1, type: !11, scopeLine: 1, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0)
!11 = !DISubroutineType(types: !12)
!12 = !{null, !13, !14}
!13 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !14, size: 64, dwarfAddressSpace: 1)
!14 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!15 = !DICompositeType(tag: DW_TAG_structure_type, name: "list", file: !1, line: 3, size: 64, elements: !16)
!16 = !{!17, !18}
!17 = !DIDerivedType(tag: DW_TAG_member, name: "next", scope: !15, file: !1, line: 3, baseType: !19, size: 64)
!18 = !DIDerivedType(tag: DW_TAG_member, name: "values", scope: !15, file: !1, line: 3, baseType: !28, size: 64, offset: 64)
!19 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !15, size: 64)
!20 = !DILocalVariable(name: "x", scope: !10, file: !1, line: 2, type: !15)
!21 = !DILocation(line: 2, column: 3, scope: !10)
!22 = !DILocation(line: 3, column: 3, scope: !25)
!23 = !DILocalVariable(name: "y", scope: !26, file: !1, line: 5, type: !14)
!24 = !DILocation(line: 5, column: 4, scope: !26, inlinedAt: !27)
!25 = distinct !DILexicalBlock(scope: !10, file: !1, line: 2, column: 2)
!26 = distinct !DISubprogram(name: "inlined", scope: !1, file: !1, line: 4, type: !11, scopeLine: 4, spFlags: DISPFlagDefinition, unit: !0)
!27 = distinct !DILocation(line: 3, column: 9, scope: !25)
!28 = !DICompositeType(tag: DW_TAG_array_type, baseType: !14, size: 64, elements: !29)
!29 = !{!30}
!30 = !DISubrange(count: 2)
`

// TestDebugInformation: each set describes scopes, types, variables and inlined
// calls, and the result is valid.
func TestDebugInformation(t *testing.T) {
	sets := map[fromir.DebugInfo][]string{
		fromir.DebugOpenCL100: {
			"DebugCompilationUnit", "DebugTypeComposite", "DebugTypeMember", "DebugFunction", "DebugLexicalBlock", "DebugInlinedAt",
			"DebugLocalVariable", "DebugExpression", "DebugScope", "DebugDeclare", "DebugValue", "OpLine", "OpModuleProcessed",
		},
		fromir.DebugShader100: {"NonSemantic.Shader.DebugInfo.100"},
		fromir.DebugShader200: {"NonSemantic.Shader.DebugInfo.200"},
	}
	for set, want := range sets {
		o := options()
		o.Debug = set
		code, err := fromir.Translate(parseIR(t, debugModule), o)
		if err != nil {
			t.Fatal(err)
		}
		text := dump(t, verified(t, code))
		if set != fromir.DebugShader200 { // the validator does not know it
			validate(t, code)
		}
		for _, name := range want {
			if !strings.Contains(text, name) {
				t.Errorf("set %d: no %s in\n%s", set, name, text)
			}
		}
		if set == fromir.DebugOpenCL100 {
			checkArrayBounds(t, text)
		}
	}
	code, err := fromir.Translate(parseIR(t, debugModule), fromir.Options{Version: spirv.Version1_4})
	if err != nil {
		t.Fatal(err)
	}
	if text := dump(t, verified(t, code)); strings.Contains(text, "Debug") || !strings.Contains(text, "OpLine") {
		t.Errorf("without a set:\n%s", text)
	}
}

// checkArrayBounds: the lower bound of an array is DebugInfoNone where the module states none, as
// llvm-spirv writes it. SPIRV-Tools refuse that, and a bound of 0 too.
func checkArrayBounds(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "DebugTypeArray") {
			continue
		}
		words := strings.Fields(line)
		if bound := words[len(words)-1]; !regexp.MustCompile(regexp.QuoteMeta(bound) + ` = OpExtInst \S+ \S+ DebugInfoNone`).MatchString(text) {
			t.Errorf("the lower bound %s of the array is not DebugInfoNone in\n%s", bound, text)
		}
		return
	}
	t.Errorf("no DebugTypeArray in\n%s", text)
}

// TestDebugTemplates: members name the class as their parent and not the DebugTypeTemplate, which
// comes after them, and validators take it for no scope.
func TestDebugTemplates(t *testing.T) {
	const module = `define spir_kernel void @k(i32 %n) !dbg !10 {
  %x = alloca i32, align 4
  call void @llvm.dbg.declare(metadata ptr %x, metadata !20, metadata !DIExpression()), !dbg !21
  ret void
}
declare void @llvm.dbg.declare(metadata, metadata, metadata)
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, producer: "cc", isOptimized: false, emissionKind: FullDebug)
!1 = !DIFile(filename: "k.cpp", directory: "/src")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!10 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 1, type: !11, scopeLine: 1, spFlags: DISPFlagDefinition, unit: !0)
!11 = !DISubroutineType(types: !12)
!12 = !{null, !14}
!14 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!15 = !DICompositeType(tag: DW_TAG_structure_type, name: "box<int>", file: !1, line: 3, size: 64, elements: !16, templateParams: !30)
!16 = !{!17, !18}
!17 = !DIDerivedType(tag: DW_TAG_member, name: "first", scope: !15, file: !1, line: 3, baseType: !14, size: 32)
!18 = !DIDerivedType(tag: DW_TAG_member, name: "inner", scope: !15, file: !1, line: 3, baseType: !19, size: 32, offset: 32)
!19 = !DICompositeType(tag: DW_TAG_structure_type, name: "in", scope: !15, file: !1, line: 3, size: 32, elements: !22)
!20 = !DILocalVariable(name: "x", scope: !10, file: !1, line: 2, type: !15)
!21 = !DILocation(line: 2, column: 3, scope: !10)
!22 = !{!23}
!23 = !DIDerivedType(tag: DW_TAG_member, name: "value", scope: !19, file: !1, line: 3, baseType: !14, size: 32)
!30 = !{!31}
!31 = !DITemplateTypeParameter(name: "T", type: !14)
`
	for _, set := range []fromir.DebugInfo{fromir.DebugOpenCL100, fromir.DebugShader100} {
		o := options()
		o.Debug = set
		code, err := fromir.Translate(parseIR(t, module), o)
		if err != nil {
			t.Fatal(err)
		}
		text := dump(t, verified(t, code))
		// The dump has names for OpenCL's set and numbers for the others.
		template := regexp.MustCompile(`(%\d+) = OpExtInst\S* %\d+ %\d+ (?:DebugTypeTemplate|14) (%\d+)`).FindStringSubmatch(text)
		if template == nil {
			t.Fatalf("set %d: no template in\n%s", set, text)
		}
		for id, want := range map[string]int{
			template[1] + " ": 2,     // itself, and the type of the variable
			template[2] + " ": 2 + 3, // itself, its template, two members and the inner class
		} {
			if set == fromir.DebugShader100 && id == template[2]+" " {
				want = 2 + 1 // members have no parent
			}
			if got := strings.Count(strings.ReplaceAll(text, "\n", " \n"), id); got != want {
				t.Errorf("set %d: %s has %d places, want %d in\n%s", set, id, got, want, text)
			}
		}
		validate(t, code)
	}
}

// TestDebugImports: imported entities have the word of llvm-spirv's readers where they want
// one, and modules are written where their extension is allowed.
func TestDebugImports(t *testing.T) {
	const module = `define spir_func void @f() !dbg !10 {
  ret void, !dbg !20
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_Fortran90, file: !1, producer: "cc", isOptimized: false, emissionKind: FullDebug, imports: !30)
!1 = !DIFile(filename: "m.f90", directory: "/src")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!10 = distinct !DISubprogram(name: "f", scope: !15, file: !1, line: 3, type: !11, scopeLine: 3, spFlags: DISPFlagDefinition, unit: !0)
!11 = !DISubroutineType(types: !12)
!12 = !{null}
!15 = !DIModule(scope: !0, name: "mod", configMacros: "-DX", includePath: "/inc", apinotes: "notes", file: !1, line: 2)
!20 = !DILocation(line: 4, column: 1, scope: !10)
!30 = !{!31}
!31 = !DIImportedEntity(tag: DW_TAG_imported_module, scope: !10, entity: !15, file: !1, line: 5)
`
	for _, test := range []struct {
		set        fromir.DebugInfo
		extensions string
		want       []string
		absent     string
	}{
		{fromir.DebugOpenCL100, "+all", []string{`DebugImportedEntity %\d+ 0 0 %\d+ %\d+ 5 0 %\d+`, `DebugModuleINTEL %\d+ %\d+ 2 (%\d+ ){4}0`, "OpCapability DebugInfoModuleINTEL", "SPV_INTEL_debug_module"}, "none"},
		{fromir.DebugOpenCL100, "-all", []string{`DebugImportedEntity %\d+ 0 0 %\d+ %\d+ 5 0 %\d+`}, "Module"},
		{fromir.DebugShader100, "+all", []string{`OpExtInst %\d+ %\d+ 34( %\d+){7}\n`}, ` 200( %\d+){8}\n`},
		{fromir.DebugShader200, "+all", []string{`OpExtInst %\d+ %\d+ 34( %\d+){7}\n`, ` 200( %\d+){8}\n`}, "DebugInfoModuleINTEL"},
	} {
		o := fromir.Options{Version: spirv.Version1_6, Debug: test.set}
		if err := o.AllowExtensions(test.extensions); err != nil {
			t.Fatal(err)
		}
		code, err := fromir.Translate(parseIR(t, module), o)
		if err != nil {
			t.Fatal(err)
		}
		text := dump(t, verified(t, code))
		text = strings.ReplaceAll(text, "OpModuleProcessed", "")
		for _, pattern := range test.want {
			if !regexp.MustCompile(pattern).MatchString(text) {
				t.Errorf("set %d, %s: no %s in\n%s", test.set, test.extensions, pattern, text)
			}
		}
		if regexp.MustCompile(test.absent).MatchString(text) {
			t.Errorf("set %d, %s: %s in\n%s", test.set, test.extensions, test.absent, text)
		}
	}
}

// TestDebugRetainedVariables: variables that the optimiser removed are described, those of
// templates too.
func TestDebugRetainedVariables(t *testing.T) {
	const module = `define spir_func void @f() !dbg !10 {
  ret void, !dbg !20
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, producer: "cc", isOptimized: true, emissionKind: FullDebug)
!1 = !DIFile(filename: "m.cpp", directory: "/src")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!10 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 3, type: !11, scopeLine: 3, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !30 TEMPLATE)
!11 = !DISubroutineType(types: !12)
!12 = !{null, !14}
!14 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!20 = !DILocation(line: 4, column: 1, scope: !10)
!30 = !{!31, !32}
!31 = !DILocalVariable(name: "gone", arg: 1, scope: !10, file: !1, line: 3, type: !14)
!32 = !DILocalVariable(name: "inner", scope: !33, file: !1, line: 4, type: !14)
!33 = distinct !DILexicalBlock(scope: !10, file: !1, line: 4, column: 2)
!40 = !{!41}
!41 = !DITemplateTypeParameter(name: "T", type: !14)
`
	for _, template := range []string{"", ", templateParams: !40"} {
		o := options()
		o.Debug = fromir.DebugOpenCL100
		code, err := fromir.Translate(parseIR(t, strings.Replace(module, " TEMPLATE", template, 1)), o)
		if err != nil {
			t.Fatal(err)
		}
		text := dump(t, verified(t, code))
		validate(t, code)
		if strings.Count(text, "DebugLocalVariable") != 2 || !strings.Contains(text, `"gone"`) || !strings.Contains(text, `"inner"`) {
			t.Errorf("%s: not two variables in\n%s", template, text)
		}
	}
}

// TestDebugChainOfFunctions: however long a chain of functions is whose variables have types of
// the next, it is described.
func TestDebugChainOfFunctions(t *testing.T) {
	const length = 500
	module := new(strings.Builder)
	module.WriteString(`define spir_func void @f() !dbg !100 {
  ret void, !dbg !5
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, producer: "cc", isOptimized: true, emissionKind: FullDebug)
!1 = !DIFile(filename: "m.cpp", directory: "/src")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !DILocation(line: 4, column: 1, scope: !100)
!11 = !DISubroutineType(types: !12)
!12 = !{null}
!13 = !{}
`)
	for i := range length {
		n := 100 + 4*i
		fmt.Fprintf(module, "!%d = distinct !DISubprogram(name: \"f\", scope: !1, file: !1, line: 3, type: !11, scopeLine: 3, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !%d)\n", n, n+1)
		fmt.Fprintf(module, "!%d = !{!%d}\n!%d = !DILocalVariable(name: \"v\", scope: !%d, file: !1, line: 3, type: !%d)\n", n+1, n+2, n+2, n, n+3)
		fmt.Fprintf(module, "!%d = !DICompositeType(tag: DW_TAG_structure_type, name: \"s\", scope: !%d, file: !1, line: 3, size: 32, elements: !13)\n", n+3, n+4)
	}
	n := 100 + 4*length
	fmt.Fprintf(module, "!%d = distinct !DISubprogram(name: \"f\", scope: !1, file: !1, line: 3, type: !11, scopeLine: 3, spFlags: DISPFlagDefinition, unit: !0)\n", n)
	o := options()
	o.Debug = fromir.DebugOpenCL100
	code, err := fromir.Translate(parseIR(t, module.String()), o)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(dump(t, verified(t, code)), "DebugLocalVariable"); got != length {
		t.Errorf("%d variables, want %d", got, length)
	}
}
