package downgrade

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"offlink/internal/testtool"
)

var toEarly19 = Target{LLVM: 19, Snapshot: true}

// newest returns the text as bitcode of LLVM 22.
func newest(t *testing.T, text string) []byte {
	t.Helper()
	cmd := exec.Command(testtool.Python(t, "bin/python"), "-c",
		"import sys, llvmlite.binding as llvm; sys.stdout.buffer.write(llvm.parse_assembly(sys.stdin.read()).as_bitcode())")
	cmd.Stdin = strings.NewReader(text)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	return out
}

// assembled returns the text as bitcode of that LLVM.
func assembled(t *testing.T, text string, llvm int) []byte {
	t.Helper()
	data, err := os.ReadFile(assemble(t, []byte(text), llvm))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// disassemble returns the bitcode as LLVM 19 prints it, once it is verified.
func disassemble(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in.bc")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	run(t, testtool.Path(t, "opt-19"), "-passes=verify", "-disable-output", path)
	out, err := exec.Command(testtool.Path(t, "llvm-dis-19"), path, "-o", "-").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// translate lets the snapshot's llvm-spirv read the bitcode and returns the
// SPIR-V as its text.
func translate(t *testing.T, data []byte) string {
	t.Helper()
	llvmSPIRV := testtool.PinnedTranslator(t)
	in := filepath.Join(t.TempDir(), "in.bc")
	if err := os.WriteFile(in, data, 0o666); err != nil {
		t.Fatal(err)
	}
	out := in + ".txt"
	run(t, llvmSPIRV, "--spirv-ext=+all", "--spirv-text", in, "-o", out)
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every bitcode module of DPC++ is read by LLVM 19 and by its snapshot, and
// has the functions and instructions that its text has.
func TestSYCLBitcode(t *testing.T) {
	inputs, err := filepath.Glob("../../testdata/sycl/*/*/ir.bc")
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no inputs: %v", err)
	}
	for _, input := range inputs {
		t.Run(input[len("../../testdata/sycl/"):len(input)-len("/ir.bc")], func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(input)
			if err != nil {
				t.Fatal(err)
			}
			out, err := Bitcode(input, data, to19)
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(strings.TrimSuffix(input, ".bc") + ".ll")
			if err != nil {
				t.Fatal(err)
			}
			if text, err = Text(input, text, to19); err != nil {
				t.Fatal(err)
			}
			got, want := code(disassemble(t, out)), code(disassemble(t, assembled(t, string(text), 19)))
			for i := range min(len(got), len(want)) {
				if got[i] != want[i] {
					t.Fatalf("line %d of the code:\n got %s\nwant %s", i, got[i], want[i])
				}
			}
			if len(got) != len(want) {
				t.Fatalf("%d lines of code, want %d", len(got), len(want))
			}
			if out, err = Bitcode(input, data, toEarly19); err != nil {
				t.Fatal(err)
			}
			translate(t, out)
		})
	}
}

var numbers = regexp.MustCompile(`[#!]\d+|![a-z_.]+`)

// code returns the definitions of a module, line by line, without the numbers of
// attribute groups and metadata and without lifetime markers.
func code(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if !strings.ContainsAny(line[:1], ";!a\n") && !strings.Contains(line, "llvm.lifetime.") && !strings.Contains(line, "@llvm.lifetime(") {
			line, _, _ = strings.Cut(numbers.ReplaceAllString(line, ""), " comdat")
			lines = append(lines, strings.TrimRight(line, ", {\n"))
		}
	}
	return lines
}

// head is the beginning of a module that llvm-spirv takes.
const head = `target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024"
target triple = "spir64-unknown-unknown"
`

// Constructs that LLVM 22 writes and LLVM 19 does not read.
func TestBitcodeOfLLVM22(t *testing.T) {
	for _, c := range []struct {
		name string
		in   string
		want []string // in the text that LLVM 19 prints
		not  []string
	}{
		{
			"attributes",
			"declare void @f(ptr captures(none), ptr captures(address), ptr dead_on_return noalias) nocreateundeforpoison nofree\ndeclare void @g() nocreateundeforpoison\n",
			[]string{"declare void @f(ptr nocapture, ptr, ptr noalias) #0", "attributes #0 = { nofree }", "declare void @g()\n"},
			nil,
		},
		{
			"string attributes",
			"declare void @f() nocreateundeforpoison \"a\"=\"b\" \"c\" \"d\"=\"\"\n",
			[]string{`attributes #0 = { "a"="b" "c" "d" }`},
			nil,
		},
		{
			"ranges", "declare range(i8 1, 5) i8 @f(ptr initializes((0, 4), (8, 12)) captures(none), i128 range(i128 0, 1267650600228229401496703205376))\n",
			[]string{"declare range(i8 1, 5) i8 @f(ptr nocapture initializes((0, 4), (8, 12)), i128 range(i128 0, 1267650600228229401496703205376))"},
			nil,
		},
		{
			"effects",
			"declare void @a() memory(read)\ndeclare void @b() memory(argmem: readwrite, errnomem: write)\ndeclare void @c() memory(none, target_mem0: read)\ndeclare void @d() memory(none)\n",
			[]string{"#0 = { memory(read) }", "#1 = { memory(write, argmem: readwrite, inaccessiblemem: none) }", "#2 = { memory(inaccessiblemem: read) }", "#3 = { memory(none) }"},
			nil,
		},
		{
			"instructions",
			"define i1 @f(i32 %a, ptr %p, float %x, <2 x i32> %v) {\n  br label %second\nfirst:\n  %c = icmp samesign ult i32 %d, %a\n  %g = ptrtoaddr ptr %p to i64\n  %h = ptrtoaddr ptr %q to i64\n  %y = fpext fast float %x to double\n  %o = fcmp fast olt float %x, %z\n  %w = icmp samesign eq <2 x i32> %v, splat (i32 1)\n  ret i1 %c\nsecond:\n  %q = getelementptr nuw i8, ptr %p, i64 1\n  %z = fadd float %x, 1.0\n  %d = add i32 %a, 1\n  br label %first\n}\n",
			[]string{"%c = icmp ult i32 %d, %a", "%g = ptrtoint ptr %p to i64", "%h = ptrtoint ptr %q to i64", "%o = fcmp fast olt float %x, %z", "%w = icmp eq <2 x i32> %v, <i32 1, i32 1>", "getelementptr nuw i8"},
			nil,
		},
		{
			"constants",
			"@h = global [4 x i32] zeroinitializer\n@g = global i64 ptrtoaddr (ptr @h to i64)\n@i = global ptr getelementptr inbounds nuw (i8, ptr @h, i64 4)\n",
			[]string{"@g = global i64 ptrtoint (ptr @h to i64)", "getelementptr inbounds nuw"},
			nil,
		},
		{
			"lifetime",
			"declare void @llvm.lifetime.start.p0(ptr)\ndeclare void @llvm.lifetime.end.p0(ptr)\ndeclare i32 @g(ptr)\ndefine i32 @f() {\n  %a = alloca i32\n  call void @llvm.lifetime.start.p0(ptr %a)\n  %r = call i32 @g(ptr %a), !srcloc !0\n  call void @llvm.lifetime.end.p0(ptr %a)\n  %s = add i32 %r, 1, !annotation !1\n  ret i32 %s\n}\n!0 = !{i64 7}\n!1 = !{!\"x\"}\n",
			[]string{"%r = call i32 @g(ptr %a), !srcloc !0", "%s = add i32 %r, 1, !annotation !1", "!0 = !{i64 7}"},
			[]string{"@llvm.lifetime.start", "@llvm.lifetime.end"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := Bitcode("in.bc", newest(t, c.in), to19)
			if err != nil {
				t.Fatal(err)
			}
			text := disassemble(t, out)
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("%s is missing in\n%s", want, text)
				}
			}
			for _, not := range c.not {
				if strings.Contains(text, not) {
					t.Errorf("%s is in\n%s", not, text)
				}
			}
		})
	}
}

// Debug information of LLVM 22: locations stay with their instructions, types
// keep their sizes, and parts that LLVM 19 lacks get poorer.
func TestBitcodeDebugInformation(t *testing.T) {
	in, err := os.ReadFile("testdata/debug22.ll")
	if err != nil {
		t.Fatal(err)
	}
	out, err := Bitcode("debug22.bc", newest(t, string(in)), to19)
	if err != nil {
		t.Fatal(err)
	}
	text := disassemble(t, out)
	for _, want := range []string{
		`DICompileUnit(language: DW_LANG_C11,`,
		`!DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)`,
		`!DIDerivedType(tag: DW_TAG_member, name: "m", baseType: !`,
		`size: 24, offset: 8`,
		`!DIBasicType(tag: DW_TAG_unspecified_type)`,
		`!DILabel(scope: !`,
		"#dbg_value(i32 %x,", "#dbg_assign(", "#dbg_label(",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	for instruction, line := range map[string]int{"store i32 1,": 3, "store i32 2,": 4, "store i32 3,": 4, "store i32 4,": 5, "ret void": 5} {
		if got := lineOf(text, instruction); got != line {
			t.Errorf("%s is of line %d, want %d in\n%s", instruction, got, line, text)
		}
	}
}

// lineOf returns the line of the source that the instruction's location says.
func lineOf(text, instruction string) (line int) {
	_, rest, _ := strings.Cut(text, instruction)
	_, rest, _ = strings.Cut(rest, "!dbg ")
	location, _, _ := strings.Cut(rest, "\n")
	_, rest, _ = strings.Cut(text, "\n"+location+" = !DILocation(line: ")
	fmt.Sscan(strings.SplitN(rest, ",", 2)[0], &line)
	return line
}

// The snapshot takes constant getelementptrs of the release for undef and
// every flag for inbounds, and refuses debug information.
func TestBitcodeForSnapshot(t *testing.T) {
	in := head + `
@h = addrspace(1) global [4 x i32] zeroinitializer
define spir_kernel void @k(ptr addrspace(1) %p, i64 %i) !dbg !3 {
  %v = load i32, ptr addrspace(1) getelementptr inbounds (i8, ptr addrspace(1) @h, i64 4)
  %w = load i32, ptr addrspace(1) getelementptr inbounds inrange(-8, 8) (i8, ptr addrspace(1) @h, i64 8)
  %a = getelementptr nuw i32, ptr addrspace(1) %p, i64 %i
    #dbg_value(i32 %v, !6, !DIExpression(), !7)
  store i32 %v, ptr addrspace(1) %a, !dbg !7
  store i32 %w, ptr addrspace(1) %a, !dbg !7
  ret void
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!9}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.cl", directory: "/")
!2 = !DISubroutineType(types: !{})
!3 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 1, type: !2, spFlags: DISPFlagDefinition, unit: !0)
!4 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!5 = !DIDerivedType(tag: DW_TAG_typedef, name: "T", file: !1, line: 1, baseType: !4)
!6 = !DILocalVariable(name: "v", scope: !3, file: !1, line: 2, type: !5)
!7 = !DILocation(line: 2, scope: !3)
!9 = !{i32 2, !"Debug Info Version", i32 3}
`
	out, err := Bitcode("in.bc", assembled(t, in, 19), toEarly19)
	if err != nil {
		t.Fatal(err)
	}
	text := translate(t, out)
	if strings.Contains(text, " Undef ") {
		t.Errorf("a constant became undef in\n%s", text)
	}
	if in, out := strings.Count(text, "InBoundsPtrAccessChain"), strings.Count(text, " PtrAccessChain "); in != 2 || out != 1 {
		t.Errorf("%d accesses in bounds and %d others, want 2 and 1 in\n%s", in, out, text)
	}
}

func TestBitcodeRefused(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"atomic operations", "define void @f(ptr %p) {\n  %a = atomicrmw usub_cond ptr %p, i32 1 seq_cst\n  ret void\n}\n", "atomic operation 17 has no form in LLVM 19"},
		{"masked accesses", "declare <2 x i8> @llvm.masked.load.v2i8.p0(ptr, <2 x i1>, <2 x i8>)\ndefine <2 x i8> @f(ptr %p, <2 x i1> %m) {\n  %r = call <2 x i8> @llvm.masked.load.v2i8.p0(ptr align 4 %p, <2 x i1> %m, <2 x i8> poison)\n  ret <2 x i8> %r\n}\n", "a masked access without its alignment operand"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Bitcode("in.bc", newest(t, c.in), to19); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "in.bc: bit ") {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
	if _, err := Bitcode("in.bc", []byte("BC\xc0\xde"), to15); err == nil || !strings.Contains(err.Error(), "for LLVM 19 only") {
		t.Errorf("%v", err)
	}
	for _, bad := range []string{"", "; text", "BC\xc0\xde\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b"} {
		if out, err := Bitcode("in.bc", []byte(bad), to19); err == nil {
			t.Errorf("%q: %d bytes", bad, len(out))
		}
	}
}

// Attributes that are cut short, and lengths that lie.
func TestAttributeLength(t *testing.T) {
	for _, c := range []struct {
		ops  []uint64
		want int // 0 or more than there is: refused
	}{
		{[]uint64{0, 5, 9}, 2},
		{[]uint64{1, 5, 9}, 3},
		{[]uint64{3, 'a', 0, 7}, 3},
		{[]uint64{4, 'a', 0, 'b', 'c', 0, 7}, 6},
		{[]uint64{7, 92, 8, 1, 2, 3}, 5},
		{[]uint64{7, 92, 128, 2<<32 | 1, 5, 6, 7, 8}, 7},
		{[]uint64{8, 94, 2, 64, 1, 2, 3, 4, 5}, 8},
		{[]uint64{3, 'a'}, 3},
		{[]uint64{4, 'a', 0}, 4},
		{[]uint64{7}, 0},
		{[]uint64{8, 94, 1 << 60, 64, 1, 2}, 0},
		{[]uint64{9, 1}, 0},
	} {
		got := attributeLength(c.ops)
		if c.want == 0 {
			if got > 0 && got <= len(c.ops) {
				t.Errorf("%v: %d", c.ops, got)
			}
		} else if got != c.want {
			t.Errorf("%v: %d, want %d", c.ops, got, c.want)
		}
	}
}

func FuzzBitcode(f *testing.F) {
	for _, name := range []string{"assert_printf/2026.2.0", "graph_bfs/2025.3.3"} {
		data, err := os.ReadFile("../../testdata/sycl/" + name + "/ir.bc")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, target := range []Target{to19, toEarly19} {
			out, err := Bitcode("in.bc", data, target)
			if err != nil {
				continue
			}
			again, err := Bitcode("out.bc", out, target)
			if err != nil {
				t.Fatalf("what was written is not read: %v", err)
			}
			if !bytes.Equal(out, again) {
				t.Fatal("what was written is rewritten again")
			}
		}
	})
}
