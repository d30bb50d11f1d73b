package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"

	"offlink/filetable"
	"offlink/internal/testtool"
	"offlink/spirv"
)

// toSPIRV runs postlink in dir, which has VIRTUAL_ENV's llvm-spirv and the
// machine's llvm-as.
func toSPIRV(t *testing.T, dir string, args ...string) error {
	t.Helper()
	cmd := exec.Command(program, append([]string{"-to=spirv", "-o", "out.table"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "VIRTUAL_ENV="+filepath.Dir(filepath.Dir(testtool.Python(t, "bin/python"))), "MAKEFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// codeFiles returns the Code column of the table in dir.
func codeFiles(t *testing.T, dir string) (files []string) {
	t.Helper()
	table, err := filetable.Parse(readFile(t, filepath.Join(dir, "out.table")))
	if err != nil {
		t.Fatal(err)
	}
	for row := range table.Rows {
		files = append(files, filepath.Join(dir, table.Cell(row, filetable.ColumnCode)))
	}
	return files
}

// TestSYCLToSPIRV takes the modules of testdata/sycl, LLVM 21 to 23, to SPIR-V,
// from text and from bitcode. Each image has the entry points and linkage
// names that the SPIR-V of the real toolchain had.
func TestSYCLToSPIRV(t *testing.T) {
	testtool.PinnedTranslator(t)
	modules, err := filepath.Glob("../../testdata/sycl/*/*/ir.[bl][cl]")
	if err != nil || len(modules) < 2 {
		t.Fatalf("no test data (%v)", err)
	}
	for _, module := range modules {
		modes := []string{"auto", "kernel"}
		if strings.HasSuffix(module, ".bc") {
			modes = modes[:1] // the images are the same
		}
		for _, mode := range modes {
			t.Run(strings.TrimPrefix(module, "../../testdata/sycl/")+"/"+mode, func(t *testing.T) {
				t.Parallel()
				testSYCLToSPIRV(t, module, mode)
			})
		}
	}
}

func testSYCLToSPIRV(t *testing.T, module, mode string) {
	archive, err := txtar.ParseFile(filepath.Join(filepath.Dir(module), mode+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	input, err := filepath.Abs(module)
	if err != nil {
		t.Fatal(err)
	}
	recorded := map[string]string{}
	for _, f := range archive.Files {
		recorded[f.Name] = string(f.Data)
	}
	dir := t.TempDir()
	err = toSPIRV(t, dir, "-split="+mode, "-symbols", "-emit-only-kernels-as-entry-points", "-device-globals", input)
	if recorded["exit"] != "0\n" {
		if err == nil {
			t.Error("it went well; the recorded exit code is " + recorded["exit"])
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	files := codeFiles(t, dir)
	for n, file := range files {
		code := readFile(t, file)
		if version := binary.LittleEndian.Uint32(code[4:]); version != 0x10300 {
			t.Errorf("image %d has version %#x, want 1.3", n, version)
		}
		want := recordedNames(recorded[fmt.Sprintf("%d.names", n)])
		if diff := cmp.Diff(want, writtenNames(t, code)); diff != "" {
			t.Errorf("image %d:\n%s", n, diff)
		}
		validate(t, module, file)
	}
	if recorded[fmt.Sprintf("%d.names", len(files))] != "" || recorded[fmt.Sprintf("%d.names", len(files)-1)] == "" {
		t.Errorf("%d images", len(files))
	}
}

// recordedNames are the entry points, and the symbols that the image shares:
// kernels, which 2025.3.3 exports besides, helpers for memset, which it exports so
// that no two images with one can be linked, and built-in variables left out.
// __assert_fail calls __devicelib_assert_fail, once the device libraries are
// linked in.
func recordedNames(text string) []string {
	text = strings.ReplaceAll(text, "import function __devicelib_assert_fail", "import function __assert_fail")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool {
		name, exported := strings.CutPrefix(line, "export function ")
		return exported && (slices.Contains(lines, "entry "+name) || strings.HasPrefix(name, "spirv.llvm_mem")) ||
			strings.HasPrefix(line, "import variable __spirv_BuiltIn")
	})
	slices.Sort(lines)
	return lines
}

func writtenNames(t *testing.T, code []byte) (names []string) {
	m, err := spirv.Parse(code)
	if err != nil {
		t.Fatal(err)
	}
	isEntry := map[string]bool{}
	for _, e := range m.EntryPoints() {
		isEntry[e.Name] = true
		names = append(names, "entry "+e.Name)
	}
	for _, s := range append(m.Imports(), m.Exports()...) {
		if s.Function && isEntry[s.Name] {
			continue
		}
		kind, linkage := "variable", map[spirv.Linkage]string{spirv.LinkageExport: "export", spirv.LinkageImport: "import", spirv.LinkageLinkOnceODR: "linkonceodr"}[s.Linkage]
		if s.Function {
			// The real toolchain wrote virtual functions, which are
			// linkonce_odr in the IR, as plain exports.
			kind, linkage = "function", strings.Replace(linkage, "linkonceodr", "export", 1)
		}
		names = append(names, linkage+" "+kind+" "+s.Name)
	}
	slices.Sort(names)
	return names
}

// unfair are the programs that spirv-val refuses through no fault of this
// project, with the reason.
var unfair = map[string]string{
	"image_pipeline":     "does not know the draft of HostAccessINTEL",
	"plugin_chain":       "does not know the draft of HostAccessINTEL",
	"global_units":       "does not know the draft of HostAccessINTEL",
	"matrix_kinds":       "does not know the matrix operands of Intel's extension",
	"virtual_shapes":     "does not take function pointers",
	"virtual_units":      "does not take function pointers",
	"function_pointers":  "does not take function pointers",
	"spec_filter":        "the constants are not lowered, and their names are variables in generic memory",
	"graph_bfs/2025.3.3": "memory order of the program's compare-exchange",
}

func validate(t *testing.T, module, file string) {
	for part := range unfair {
		if strings.Contains(module, "/"+part) {
			return
		}
	}
	cmd := exec.Command(testtool.Python(t, "lib/python3*/site-packages/cmeel.prefix/bin/spirv-val"), file)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", file, err, out)
	}
}

// clang compiles OpenCL C for spir64.
func clang(t *testing.T, version, out string, args ...string) {
	t.Helper()
	path := testtool.Path(t, "clang-"+version)
	source := filepath.Join(t.TempDir(), "in.cl")
	if err := os.WriteFile(source, []byte(clangSource), 0o666); err != nil {
		t.Fatal(err)
	}
	args = append(args, "--target=spir64-unknown-unknown", "-x", "cl", "-cl-std=CL3.0", "-w", source, "-o", out)
	if text, err := exec.Command(path, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

const clangSource = `
typedef struct { int a; float b; } S;
constant float table[4] = { 1, 2, 3, 4 };
__attribute__((noinline, annotate("mark"))) float helper(global float *p, int n) {
	float s = 0;
	for (int i = 0; i < n; i++) s += p[i] * table[i & 3];
	return s;
}
kernel void k(global float *a, global int *b, local float *l, S s) {
	int i = get_global_id(0);
	l[get_local_id(0)] = a[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	b[i] = popcount(b[i]) + rotate(b[i], 3) + s.a;
	a[i] = helper(a, b[i]) + sqrt(l[0]) + fma(a[0], a[1], s.b);
	int4 v = vload4(0, b);
	vstore4(v * 2 + (int4)(1, 1, 1, 1), 1, b);
}
`

// TestClangToSPIRV takes the output of stock clang, with and without debug
// information and optimisation, to SPIR-V.
func TestClangToSPIRV(t *testing.T) {
	for _, version := range []string{"14", "15", "16", "19"} {
		for _, flags := range [][]string{{"-O0"}, {"-O2"}, {"-O2", "-g"}, {"-O0", "-g"}} {
			for _, format := range [][]string{{"-S", "ll"}, {"-c", "bc"}} {
				name := version + strings.Join(flags, "") + "." + format[1]
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					dir := t.TempDir()
					clang(t, version, filepath.Join(dir, "in."+format[1]), append(flags, "-emit-llvm", format[0])...)
					if err := toSPIRV(t, dir, "-split=auto", "-properties", "in."+format[1]); err != nil {
						t.Fatal(err)
					}
					names := writtenNames(t, readFile(t, codeFiles(t, dir)[0]))
					if len(names) == 0 || names[0] != "entry k" {
						t.Errorf("names %q", names)
					}
				})
			}
		}
	}
}

// TestTypedToSPIRV is the same for typed pointers and Debian's llvm-spirv-15.
func TestTypedToSPIRV(t *testing.T) {
	llvmSPIRV := testtool.Path(t, "llvm-spirv-15")
	for version, flags := range map[string][]string{"14": nil, "15": {"-Xclang", "-no-opaque-pointers"}} {
		for _, format := range [][]string{{"-S", "ll"}, {"-c", "bc"}} {
			t.Run(version+"."+format[1], func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				clang(t, version, filepath.Join(dir, "in."+format[1]), append(flags, "-O1", "-emit-llvm", format[0])...)
				if err := toSPIRV(t, dir, "-split=auto", "-llvm-spirv="+llvmSPIRV, "in."+format[1]); err != nil {
					t.Fatal(err)
				}
				if code := readFile(t, codeFiles(t, dir)[0]); binary.LittleEndian.Uint32(code[4:]) != 0x10300 {
					t.Errorf("version %#x", code[4:8])
				}
			})
		}
	}
}

// TestSPIRVIsTheSame: the number of jobs and where temporary files lie change
// nothing.
func TestSPIRVIsTheSame(t *testing.T) {
	input, err := filepath.Abs("../../testdata/sycl/plugin_chain/2026.2.0/ir.ll")
	if err != nil {
		t.Fatal(err)
	}
	one, many := t.TempDir(), t.TempDir()
	if err := toSPIRV(t, one, "-split=kernel", "-j1", input); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	if err := toSPIRV(t, many, "-split=kernel", "-j", "7", input); err != nil {
		t.Fatal(err)
	}
	left, _ := os.ReadDir(os.Getenv("TMPDIR"))
	if len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	files := codeFiles(t, one)
	if len(files) < 3 {
		t.Fatalf("%d images", len(files))
	}
	for i, file := range codeFiles(t, many) {
		if !bytes.Equal(readFile(t, file), readFile(t, files[i])) {
			t.Errorf("%s differs", filepath.Base(file))
		}
	}
}

// TestSPIRVScripts are command lines with tools that the scripts write: which
// tools are found and started, and the errors if one is missing or fails.
func TestSPIRVScripts(t *testing.T) {
	testtool.RestoreSignals()
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/spirv",
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			for _, tool := range []string{"sh", "cat", "echo", "cp", "printf", "test", "sleep", "basename"} {
				if path, err := exec.LookPath(tool); err == nil {
					if err := os.Symlink(path, filepath.Join(e.WorkDir, tool)); err != nil {
						return err
					}
				}
			}
			e.Setenv("TMPDIR", filepath.Join(e.WorkDir, "tmp"))
			e.Setenv("PATH", e.Getenv("PATH")[:strings.IndexByte(e.Getenv("PATH"), ':')]+":"+filepath.Join(e.WorkDir, "tools")+":"+e.WorkDir)
			return os.Mkdir(filepath.Join(e.WorkDir, "tmp"), 0o777)
		},
	})
}

// TestRefusedExtensions: constructs that few devices take are refused with their place,
// in text and bitcode, unless -spirv-ext allows it.
func TestRefusedExtensions(t *testing.T) {
	testtool.PinnedTranslator(t)
	testtool.Need(t, "llvm-as-19")
	const odd = `target triple = "spir64-unknown-unknown"
define internal spir_func i64 @helper(i64 %x) {
  %a = OPEN i64 %x to TYPE
  %b = mul TYPE %a, 3
  %c = CLOSE TYPE %b to i64
  ret i64 %c
}
define spir_kernel void @other() {
  ret void
}
define spir_kernel void @k(ptr addrspace(1) %p) {
  %x = load i64, ptr addrspace(1) %p
  %r = call spir_func i64 @helper(i64 %x)
  store i64 %r, ptr addrspace(1) %p
  ret void
}
`
	const assembly = `target triple = "spir64-unknown-unknown"
define spir_kernel void @k(ptr addrspace(1) %p) {
  %r = call i32 asm "mov $0, $1", "=r,r"(i32 1)
  store i32 %r, ptr addrspace(1) %p
  ret void
}
`
	const pointers = `target triple = "spir64-unknown-unknown"
define spir_kernel void @k(ptr addrspace(1) %p, <2 x i64> %at) {
  %both = getelementptr i32, ptr addrspace(1) %p, <2 x i64> %at
  %one = extractelement <2 x ptr addrspace(1)> %both, i32 1
  store i32 1, ptr addrspace(1) %one
  ret void
}
`
	for _, c := range []struct{ name, module, want string }{
		{
			"i33", strings.NewReplacer("TYPE", "i33", "OPEN", "trunc", "CLOSE", "zext").Replace(odd),
			"", // held in 64 bits
		},
		{
			"i128", strings.NewReplacer("TYPE", "i128", "OPEN", "zext", "CLOSE", "trunc").Replace(odd),
			"@helper, which kernel k uses, has integers of 128 bits; few",
		},
		{"assembly", assembly, `kernel k has inline assembly ("mov $0, $1"); few devices take that (SPV_INTEL_inline_assembly)`},
		{"pointers", pointers, "kernel k has vectors of pointers; few devices take that (SPV_INTEL_masked_gather_scatter)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "in.ll"), []byte(c.module), 0o666); err != nil {
				t.Fatal(err)
			}
			as := exec.Command("llvm-as-19", "in.ll")
			as.Dir = dir
			if out, err := as.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, input := range []string{"in.ll", "in.bc"} {
				err := toSPIRV(t, dir, "-split=auto", input)
				if c.want == "" {
					if err != nil {
						t.Errorf("%s: %v", input, err)
					}
					continue
				}
				if err == nil || !strings.Contains(err.Error(), "postlink: -to=spirv: "+input+": "+c.want) {
					t.Errorf("%s: %v; want %s", input, err, c.want)
				}
				if _, err := os.Stat(filepath.Join(dir, "out.table")); err == nil {
					t.Errorf("%s: a table was written", input)
				}
			}
			if err := toSPIRV(t, dir, "-split=auto", "-spirv-ext=+all", "in.ll"); err != nil {
				t.Error(err)
			}
			place, _, _ := strings.Cut(c.want, ";")
			err := toSPIRV(t, dir, "-split=auto", "-spirv-ext=+all,-SPV_INTEL_inline_assembly,-SPV_INTEL_arbitrary_precision_integers,-SPV_ALTERA_arbitrary_precision_integers,-SPV_INTEL_masked_gather_scatter", "in.ll")
			if c.want == "" {
				if err != nil {
					t.Errorf("not allowed: %v", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), "in.ll: "+place+", and -spirv-ext does not allow SPV_INTEL_") {
				t.Errorf("not allowed: %v", err)
			}
		})
	}
}

// TestSPIRVTools: -spirv-opt changes modules, -spirv-val checks them, and
// nothing is written when one of them fails.
func TestSPIRVTools(t *testing.T) {
	testtool.Need(t, "spirv-opt", "spirv-val")
	input := filepath.Join(t.TempDir(), "in.ll")
	const kernel = "target triple = \"spir64-unknown-unknown\"\ndefine spir_kernel void @k(ptr addrspace(1) %buffer) {\n  store i32 1, ptr addrspace(1) %buffer\n  ret void\n}\n"
	if err := os.WriteFile(input, []byte(kernel), 0o600); err != nil {
		t.Fatal(err)
	}
	plain, stripped := t.TempDir(), t.TempDir()
	if err := toSPIRV(t, plain, "-split=auto", "-S", "-spirv-val", input); err != nil {
		t.Fatal(err)
	}
	if err := toSPIRV(t, stripped, "-split=auto", "-S", "-spirv-val", "-spirv-opt=--strip-debug --eliminate-dead-const", input); err != nil {
		t.Fatal(err)
	}
	for i, file := range codeFiles(t, plain) {
		before, after := readFile(t, file), readFile(t, codeFiles(t, stripped)[i])
		if len(after) >= len(before) {
			t.Errorf("image %d: %d bytes, %d after -spirv-opt", i, len(before), len(after))
		}
	}
	failing := t.TempDir()
	fake := filepath.Join(failing, "spirv-val")
	if err := os.WriteFile(fake, []byte("#!/bin/sh\necho error: $1 is odd\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", failing+string(os.PathListSeparator)+os.Getenv("PATH"))
	for option, want := range map[string]string{"-spirv-opt=--no-such-pass": "-spirv-opt: ", "-spirv-val": "in.ll, image 0 is odd"} {
		dir := t.TempDir()
		err := toSPIRV(t, dir, "-split=auto", "-S", option, input)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", option, err, want)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("%s: %v is left", option, left)
		}
	}
	if err := toSPIRV(t, t.TempDir(), "-spirv-opt=", input); err == nil {
		t.Error("-spirv-opt= is taken")
	}
}
