package downgrade

import (
	"bytes"
	"strings"
	"testing"

	"offlink/ir/irtext"
)

var (
	to19 = Target{LLVM: 19}
	to16 = Target{LLVM: 16}
	to15 = Target{LLVM: 15}
	to14 = Target{LLVM: 14}
	to22 = Target{LLVM: 22}
)

func TestText(t *testing.T) {
	for _, c := range []struct {
		name   string
		target Target
		in     string
		want   string // "" for in itself
	}{
		// Text that only looks like a construct stays.
		{"labels", to14, "writable:\n  br label %captures\ncaptures:\n  ret void\n", ""},
		{"names", to14, `@"captures(none)" = global i8 0, section "splat (i32 1)" ; memory(none)` + "\n", ""},
		{"strings", to14, `!0 = !{!"range(i32 0, 5)"}` + "\n", ""},
		{"range metadata", to14, "  %1 = load i8, ptr %0, !range !2\n", ""},
		{"target lines", to14, "target triple = \"spir64-unknown-unknown\"\n", ""},
		{"older flags", to14, "  %1 = getelementptr inbounds i8, ptr %0, i64 1\n  %2 = add nuw nsw i32 1, 2\n  %3 = lshr exact i32 %2, 1\n", ""},

		{"captures(none)", to19, "declare void @f(ptr captures(none) %0)\n", "declare void @f(ptr nocapture %0)\n"},
		{"captures of parts", to19, "declare void @f(ptr noundef captures(ret: address, provenance) %0)\n", "declare void @f(ptr noundef %0)\n"},
		{"captures read", to22, "declare void @f(ptr captures(none))\n", ""},
		{"initializes", to16, "declare void @f(ptr initializes((0, 20), (24, 32)) %p)\n", "declare void @f(ptr %p)\n"},
		{"initializes read", to19, "declare void @f(ptr initializes((0, 20)))\n", ""},
		{"range", to16, "declare range(i32 0, 5) i32 @f(i32 range(i32 0, 5) %0)\n", "declare i32 @f(i32 %0)\n"},
		{"attribute words", to16, "define void @f(ptr dead_on_unwind noalias writable sret(i32) %0) optdebug nounwind {\n", "define void @f(ptr noalias sret(i32) %0) nounwind {\n"},
		{"dead_on_return", to19, "declare void @f(ptr dead_on_return(8) dead_on_return)\n", "declare void @f(ptr)\n"},
		{"uwtable", to14, "attributes #0 = { uwtable(sync) nounwind uwtable }\n", "attributes #0 = { uwtable nounwind uwtable }\n"},
		{"group", to19, "attributes #0 = { nocallback nocreateundeforpoison nofree }\n", "attributes #0 = { nocallback nofree }\n"},
		{"group that loses all", to19, "attributes #0 = { nocreateundeforpoison }\nattributes #1 = { nounwind }\n", "attributes #0 = { \"dropped\" }\nattributes #1 = { nounwind }\n"},
		{"group of effects alone", to15, "attributes #0 = { memory(readwrite) }\n", "attributes #0 = { \"dropped\" }\n"},
		{"denormal_fpenv", to22, "attributes #0 = { denormal_fpenv(preservesign) }\n", "attributes #0 = { \"denormal-fp-math\"=\"preserve-sign,preserve-sign\" }\n"},
		{"denormal_fpenv both", to19, "define void @f() denormal_fpenv(ieee|dynamic, float: positivezero) {\n", "define void @f() \"denormal-fp-math\"=\"ieee,dynamic\" \"denormal-fp-math-f32\"=\"positive-zero,positive-zero\" {\n"},

		{"errnomem", to19, "attributes #0 = { memory(argmem: readwrite, errnomem: write) }\n", "attributes #0 = { memory(write, argmem: readwrite, inaccessiblemem: none) }\n"},
		{"target_mem", to19, "attributes #0 = { memory(none, target_mem0: read, target_mem1: write) }\n", "attributes #0 = { memory(none, inaccessiblemem: readwrite) }\n"},
		{"memory read", to19, "attributes #0 = { memory(argmem: read) }\n", ""},

		{
			"flags", to16, "  %1 = zext nneg i32 %0 to i64\n  %2 = or disjoint i32 1, %0\n  %3 = trunc nuw nsw i32 %0 to i8\n  %4 = uitofp nneg i32 %0 to float\n",
			"  %1 = zext i32 %0 to i64\n  %2 = or i32 1, %0\n  %3 = trunc i32 %0 to i8\n  %4 = uitofp i32 %0 to float\n",
		},
		{"samesign", to19, "  %1 = icmp samesign ult i32 %0, 5\n", "  %1 = icmp ult i32 %0, 5\n"},
		{
			"getelementptr", to16, "  %1 = getelementptr inbounds nuw i8, ptr %0, i64 1\n  %2 = getelementptr nusw nuw i8, ptr %0, i64 1\n",
			"  %1 = getelementptr inbounds i8, ptr %0, i64 1\n  %2 = getelementptr i8, ptr %0, i64 1\n",
		},
		{"getelementptr in a constant", to16, "@g = global ptr getelementptr inbounds inrange(-8, 8) (i8, ptr @h, i64 8)\n", "@g = global ptr getelementptr inbounds (i8, ptr @h, i64 8)\n"},
		{"getelementptr read", to19, "@g = global ptr getelementptr inbounds nuw inrange(-8, 8) (i8, ptr @h, i64 8)\n", ""},
		{
			"fast-math flags of casts", to19, "  %1 = fpext nnan ninf float %0 to double\n  %2 = fptrunc fast double %1 to float\n  %3 = fadd fast float %0, %2\n",
			"  %1 = fpext float %0 to double\n  %2 = fptrunc double %1 to float\n  %3 = fadd fast float %0, %2\n",
		},
		{"ptrtoaddr", to19, "  %1 = ptrtoaddr ptr %0 to i64\n", "  %1 = ptrtoint ptr %0 to i64\n"},

		{"splat in an initialiser", to16, "@g = constant <3 x i32> splat (i32 -1)\n", "@g = constant <3 x i32> <i32 -1, i32 -1, i32 -1>\n"},
		{"splat as second operand", to16, "  %3 = fadd <2 x float> %1, splat (float 0x7FF0000000000000)\n", "  %3 = fadd <2 x float> %1, <float 0x7FF0000000000000, float 0x7FF0000000000000>\n"},
		{"splat of pointers", to16, "  store <2 x ptr addrspace(1)> splat (ptr addrspace(1) null), ptr %0\n", "  store <2 x ptr addrspace(1)> <ptr addrspace(1) null, ptr addrspace(1) null>, ptr %0\n"},
		{"splat in an aggregate", to16, "@g = global [1 x <2 x i8>] [<2 x i8> splat (i8 1)]\n", "@g = global [1 x <2 x i8>] [<2 x i8> <i8 1, i8 1>]\n"},
		{
			"splat of something rewritten", to16, "@g = global <2 x ptr> splat (ptr getelementptr inbounds nuw (i8, ptr @h, i64 1))\n",
			"@g = global <2 x ptr> <ptr getelementptr inbounds (i8, ptr @h, i64 1), ptr getelementptr inbounds (i8, ptr @h, i64 1)>\n",
		},

		{
			"lifetime", to19, "define void @f() {\n  call void @llvm.lifetime.start.p4(ptr addrspace(4) nonnull %x)\n}\ndeclare void @llvm.lifetime.end.p0(ptr captures(none)) #0\n",
			"define void @f() {\n  call void @llvm.lifetime.start.p4(i64 -1, ptr addrspace(4) nonnull %x)\n}\ndeclare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #0\n",
		},
		{"older lifetime", to19, "define void @f() {\n  call void @llvm.lifetime.start.p0(i64 4, ptr %x)\n}\ndeclare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture)\n", ""},
		{"lifetime left behind", to19, "declare void @llvm.lifetime.start.i64(i64) #1\n\ndeclare void @f()\n", "\n\ndeclare void @f()\n"},

		{
			"masked accesses", to19, "define void @f() {\n  %r = call <2 x i8> @llvm.masked.load.v2i8.p0(ptr noundef align 4 %p, <2 x i1> splat (i1 true), <2 x i8> poison)\n  call void @llvm.masked.scatter.v2i8.v2p0(<2 x i8> %r, <2 x ptr> align 8 getelementptr nuw (i8, ptr null, i64 1), <2 x i1> %m), !tbaa !1\n  call void @llvm.masked.store.v2i8.p0(<2 x i8> %r, ptr %p, <2 x i1> %m)\n}\ndeclare void @llvm.masked.store.v2i8.p0(<2 x i8>, ptr captures(none), <2 x i1>) #1\n",
			"define void @f() {\n  %r = call <2 x i8> @llvm.masked.load.v2i8.p0(ptr noundef %p, i32 4, <2 x i1> splat (i1 true), <2 x i8> poison)\n  call void @llvm.masked.scatter.v2i8.v2p0(<2 x i8> %r, <2 x ptr> getelementptr nuw (i8, ptr null, i64 1), i32 8, <2 x i1> %m), !tbaa !1\n  call void @llvm.masked.store.v2i8.p0(<2 x i8> %r, ptr %p, i32 1, <2 x i1> %m)\n}\ndeclare void @llvm.masked.store.v2i8.p0(<2 x i8>, ptr nocapture, i32 immarg, <2 x i1>) #1\n",
		},
		{"older masked accesses", to19, "define void @f() {\n  call void @llvm.masked.store.v2i8.p0(<2 x i8> %r, ptr %p, i32 1, <2 x i1> %m)\n}\n", ""},
		{"other masked operations", to19, "  %r = call <2 x i8> @llvm.masked.expandload.v2i8(ptr align 1 %p, <2 x i1> %m, <2 x i8> %q)\n", ""},
		{"branch weights", to16, "!1 = !{!\"branch_weights\", !\"expected\", i32 1, i32 2000}\n!2 = !{!\"branch_weights\", i32 1, i32 2000}\n", "!1 = !{!\"branch_weights\", i32 1, i32 2000}\n!2 = !{!\"branch_weights\", i32 1, i32 2000}\n"},
		{"static members", to16, "!1 = !DIDerivedType(tag: DW_TAG_variable, name: \"n\")\n!2 = !DIDerivedType(tag: DW_TAG_member, name: \"n\")\n", "!1 = !DIDerivedType(tag: DW_TAG_member, name: \"n\")\n!2 = !DIDerivedType(tag: DW_TAG_member, name: \"n\")\n"},
		{
			"debug records", to16, "    #dbg_value(i32 %0, !4, !DIExpression(DW_OP_plus_uconst, 3), !5)\n    #dbg_declare(ptr %1, !4, !DIExpression(), !5)\n  ret void\n",
			"    call void @llvm.dbg.value(metadata i32 %0, metadata !4, metadata !DIExpression(DW_OP_plus_uconst, 3)), !dbg !5\n    call void @llvm.dbg.declare(metadata ptr %1, metadata !4, metadata !DIExpression()), !dbg !5\n  ret void\n" +
				"\ndeclare void @llvm.dbg.declare(metadata, metadata, metadata)\n\ndeclare void @llvm.dbg.value(metadata, metadata, metadata)\n",
		},
		{
			"debug records with lists", to16, "    #dbg_value(!DIArgList(i32 %0, <2 x i8> splat (i8 1)), !4, !DIExpression(), !DILocation(line: 1, scope: !2, atomGroup: 1))\ndeclare void @llvm.dbg.value(metadata, metadata, metadata)\n",
			"    call void @llvm.dbg.value(metadata !DIArgList(i32 %0, <2 x i8> <i8 1, i8 1>), metadata !4, metadata !DIExpression()), !dbg !DILocation(line: 1, scope: !2)\ndeclare void @llvm.dbg.value(metadata, metadata, metadata)\n",
		},
		{"dbg_assign", to15, "    #dbg_assign(i1 false, !1, !DIExpression(), !2, ptr %0, !DIExpression(), !3)\n", "    call void @llvm.dbg.value(metadata i1 false, metadata !1, metadata !DIExpression()), !dbg !3\n\ndeclare void @llvm.dbg.value(metadata, metadata, metadata)\n"},
		{"dbg_label", to15, "    #dbg_label(!1, !2)\n", "    call void @llvm.dbg.label(metadata !1), !dbg !2\n\ndeclare void @llvm.dbg.label(metadata)\n"},
		{"debug records read", to19, "    #dbg_value(i32 %0, !4, !DIExpression(), !5)\n", ""},
		{"newer debug records", to19, "    #dbg_declare_value(i32 %0, !4, !DIExpression(), !5)\n  ret void\n", "\n  ret void\n"},

		{"field in the middle", to19, "!1 = !DILocation(line: 1, atomGroup: 2, column: 3)\n", "!1 = !DILocation(line: 1, column: 3)\n"},
		{"fields at the end", to19, "!1 = !DILocation(line: 1, atomGroup: 2, atomRank: 1)\n", "!1 = !DILocation(line: 1)\n"},
		{"fields at the beginning", to19, "!1 = !DILocation(atomGroup: 2, atomRank: 1, line: 1)\n", "!1 = !DILocation(line: 1)\n"},
		{"every field", to19, "!1 = !DILocation(atomGroup: 2, atomRank: 1)\n", "!1 = !DILocation()\n"},
		{"field of another node", to19, "!1 = !DISubprogram(name: \"atomGroup: 2\", line: 1, keyInstructions: true, type: !3)\n", "!1 = !DISubprogram(name: \"atomGroup: 2\", line: 1, type: !3)\n"},
		{"field with a node", to19, "!1 = !DICompositeType(tag: DW_TAG_array_type, specification: !DIFoo(a: (b, c)), line: 2)\n", "!1 = !DICompositeType(tag: DW_TAG_array_type, line: 2)\n"},
		{"size that is no number", to19, "!1 = !DIBasicType(name: \"x\", size: !4)\n!2 = !DIBasicType(name: \"x\", size: 32)\n", "!1 = !DIBasicType(name: \"x\")\n!2 = !DIBasicType(name: \"x\", size: 32)\n"},
		{"node kinds", to19, "!1 = !DISubrangeType(name: \"x\", baseType: !2)\n", "!1 = !DIBasicType(tag: DW_TAG_unspecified_type)\n"},
		{"DIAssignID", to15, "!1 = distinct !DIAssignID()\n", "!1 = distinct !{}\n"},
		{"languages", to16, "!1 = distinct !DICompileUnit(language: DW_LANG_HIP, file: !2)\n!3 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_17)\n", "!1 = distinct !DICompileUnit(language: 48, file: !2)\n!3 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_17)\n"},
		{"language names", to19, "!1 = distinct !DICompileUnit(sourceLanguageName: DW_LNAME_C_plus_plus, sourceLanguageVersion: 201703, file: !2)\n", "!1 = distinct !DICompileUnit(language: 33, file: !2)\n"},
		{"dialect", to19, "!1 = distinct !DICompileUnit(language: DW_LANG_C99, dialect: DW_LLVM_LANG_DIALECT_simt, file: !2)\n", "!1 = distinct !DICompileUnit(language: DW_LANG_C99, file: !2)\n"},
		{"calling convention", to19, "!1 = !DISubroutineType(cc: DW_CC_LLVM_DeviceKernel, types: !2)\n", "!1 = !DISubroutineType(cc: DW_CC_LLVM_OpenCLKernel, types: !2)\n"},
		{"alignment that is none", to19, "call void @llvm.masked.store.v1i8.p0(<1 x i8> %r, ptr align(8) @\"p  align 4 q\", <1 x i1> %m)\n", "call void @llvm.masked.store.v1i8.p0(<1 x i8> %r, ptr @\"p  align 4 q\", i32 8, <1 x i1> %m)\n"},
		{"freeze", to15, "  %2 = freeze i32 %1\n  %4 = freeze <4 x i1> %3, !dbg !1\n  %f = freeze i1 poison\n", "  %2 = or i32 %1, %1\n  %4 = or <4 x i1> %3, %3, !dbg !1\n  %f = or i1 0, 0\n"},
		{"freeze of others", to15, "  %2 = freeze float %1\n  %3 = freeze ptr %p\n", ""},
		{"freeze read", to16, "  %2 = freeze i32 %1\n", ""},
		{
			"comments in a call", to19, "define void @f() {\n  call void @llvm.masked.store.v4i32.p0(<4 x i32> %r, ; the value\n    ptr align 4 %p, ; where\n    <4 x i1> %m) ; which\n}\n",
			"define void @f() {\n  call void @llvm.masked.store.v4i32.p0(<4 x i32> %r, ptr %p, i32 4, <4 x i1> %m)\n\n ; which\n}\n",
		},
		{"comment that is none", to19, "call void @llvm.masked.store.v1i8.p0(<1 x i8> %r, ptr @\";\", <1 x i1> %m)\n", "call void @llvm.masked.store.v1i8.p0(<1 x i8> %r, ptr @\";\", i32 1, <1 x i1> %m)\n"},
		{"comment in a splat", to16, "@g = global <2 ; two\n x i8> splat (i8 ; a byte\n 1)\n", "@g = global <2 ; two\n x i8> <i8 \n 1, i8 \n 1>\n"},
		{"comment in a record", to16, "  #dbg_label(!1, ; the label\n !2)\ndeclare void @llvm.dbg.label(metadata)\n", "  call void @llvm.dbg.label(metadata !1), !dbg !2\n\ndeclare void @llvm.dbg.label(metadata)\n"},
		{"comment in memory", to19, "attributes #0 = { memory(argmem: read, ; and\n errnomem: write) }\n", "attributes #0 = { memory(write, argmem: read, inaccessiblemem: none)\n }\n"},
		{"lines stay", to19, "declare void @f(ptr captures(\n ret: address\n) %0)\n", "declare void @f(ptr\n\n %0)\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := c.want
			if want == "" {
				want = c.in
			}
			got, err := Text("in.ll", []byte(c.in), c.target)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

func TestMemoryWords(t *testing.T) {
	for in, want := range map[string]string{
		"none":                                 "readnone",
		"read":                                 "readonly",
		"write":                                "writeonly",
		"readwrite":                            "",
		"argmem: read":                         "argmemonly readonly",
		"argmem: readwrite":                    "argmemonly",
		"inaccessiblemem: write":               "inaccessiblememonly writeonly",
		"argmem: read, inaccessiblemem: read":  "inaccessiblemem_or_argmemonly readonly",
		"argmem: read, inaccessiblemem: write": "inaccessiblemem_or_argmemonly",
		"read, argmem: readwrite":              "",
		"read, inaccessiblemem: none":          "readonly",
		"errnomem: write":                      "writeonly",
		"none, target_mem0: read":              "inaccessiblememonly readonly",

		"readwrite, argmem: none, errnomem: read": "",
	} {
		m, _, ok := parseMemory(in)
		if !ok || m.memoryWords() != want {
			t.Errorf("memory(%s): %q, want %q", in, m.memoryWords(), want)
		}
	}
	for _, bad := range []string{"", "some", "read, elsewhere: read", "argmem: read:"} {
		if _, _, ok := parseMemory(bad); ok {
			t.Errorf("memory(%s) was understood", bad)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		target Target
		in     string
		want   string
	}{
		{"target types", to15, "declare void @f(\n  target(\"spirv.Sampler\"))\n", "in.ll:2:3: 'target' (types of the target's own) came with LLVM 16 and has no form in LLVM 15"},
		{"atomic operations", to19, "  %1 = atomicrmw usub_cond ptr %0, i32 1 seq_cst\n", "in.ll:1:18: 'usub_cond' (an atomic operation) came with LLVM 20 and has no form in LLVM 19"},
		{"ptrauth", to16, "@g = global ptr ptrauth (ptr @f, i32 0)\n", "in.ll:1:17: 'ptrauth' (signed pointers) came with LLVM 19"},
		{"memory", to19, "attributes #0 = { memory(elsewhere: read) }\n", "in.ll:1:19: memory(elsewhere: read): not understood"},
		{"denormals", to19, "attributes #0 = { denormal_fpenv(x) }\n", "in.ll:1:19: denormal_fpenv(x): not understood"},
		{"splat of nothing", to16, "@g = constant splat (i32 1)\n", "in.ll:1:15: splat: "},
		{"scalable splat", to16, "@g = constant <vscale x 4 x i32> splat (i32 1)\n", "in.ll:1:34: splat: "},
		{"huge splat", to16, "@g = constant <4000000000 x i8> splat (i8 1)\n", "in.ll:1:33: splat: "},
		{"open bracket", to19, "declare void @f(ptr captures(\n", "in.ll:2:1: a bracket is not closed"},
		{"open record", to16, "#dbg_value(i32 %0, !1", "a bracket is not closed"},
		{"open string", to19, "x \"", "in.ll:1:3: string without end"},
		{"record", to16, "#dbg_value(i32 %0)\n", "in.ll:1:1: a debug record with 1 operands, want 4"},
		{"field", to19, "!0 = !DILocation(1)\n", "in.ll:1:18: expected a field of !DILocation"},
		{"depth", to19, "!0 = " + strings.Repeat("!DIFoo(a: ", 1000), "nested too deeply"},
		{"depth of splat", to16, "<2 x i8> " + strings.Repeat("splat (", 1000), "nested too deeply"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Text("in.ll", []byte(c.in), c.target)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q, %v; want %s", got, err, c.want)
			}
		})
	}
}

// The table has each construct once, with a version and a reason.
func TestConstructs(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Constructs() {
		if seen[c.Name] || c.Name == "" || c.Why == "" || c.Since < 15 || c.Since > 23 {
			t.Errorf("%+v", c)
		}
		seen[c.Name] = true
	}
}

// nested splats multiply: the output must stay bounded by limits, not memory.
func TestSplatGrowth(t *testing.T) {
	in := "@g = global <64 x i8> " + strings.Repeat("splat (", 20) + "i8 1" + strings.Repeat(")", 20)
	if _, err := Text("in.ll", []byte(in), to16); err == nil {
		t.Error("accepted")
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{
		"define void @f(ptr captures(none) %0) memory(errnomem: read) {\n  call void @llvm.lifetime.start.p0(ptr %0)\n    #dbg_value(i32 0, !1, !DIExpression(), !2)\n  ret void\n}\n",
		"@g = global <2 x i8> splat (i8 1)\nattributes #0 = { nocreateundeforpoison }\n!1 = !DILocation(line: 1, atomGroup: 2)\n",
		"declare void @llvm.lifetime.end.i64(i64) #1\n%x = getelementptr inbounds nuw inrange(1, 2) (i8, ptr @g)\n",
	} {
		f.Add([]byte(seed))
	}
	f.Add([]byte("call void @llvm.masked.store.v1i8.p0(<1 x i8> %r,\n ptr align 4 %p\n, <1 x i1> %m)\n #dbg_label(\n!1,\n!2)\n!1 = !{!\"branch_weights\", !\"expected\", i32 1}\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		_, wrong := irtext.Parse("in.ll", in)
		readable := wrong == nil
		for _, target := range []Target{to15, to19} {
			out, err := Text("in.ll", in, target)
			if err != nil {
				continue
			}
			if bytes.Count(out, []byte("\n")) < bytes.Count(in, []byte("\n")) {
				t.Fatalf("lines went:\n%s\n%s", in, out)
			}
			if !readable {
				continue // text that is not IR may become anything
			}
			again, err := Text("out.ll", out, target)
			if err != nil {
				t.Fatalf("%v\n%s\n%s", err, in, out)
			}
			if !bytes.Equal(out, again) {
				t.Fatalf("not stable:\n%s\n%s\n%s", in, out, again)
			}
		}
	})
}
