package downgrade

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"
)

// assemble lets the target's llvm-as read the text and its opt verify it, and
// returns the bitcode.
func assemble(t *testing.T, text []byte, llvm int) string {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.ll"), filepath.Join(dir, "out.bc")
	if err := os.WriteFile(in, text, 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{in, "-o", out}
	verify := []string{"-passes=verify", "-disable-output", out}
	if llvm == 14 {
		args, verify = append(args, "-opaque-pointers"), append(verify, "-opaque-pointers")
	}
	run(t, testtool.Path(t, fmt.Sprintf("llvm-as-%d", llvm)), args...)
	run(t, testtool.Path(t, fmt.Sprintf("opt-%d", llvm)), verify...)
	return out
}

func run(t *testing.T, path string, args ...string) {
	t.Helper()
	if out, err := exec.Command(path, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v\n%s", path, args, err, out)
	}
}

// Every module that DPC++ made (LLVM 21 to 23) is read by older LLVM, but for
// those with types that it has none for.
func TestSYCLModules(t *testing.T) {
	inputs, err := filepath.Glob("../../testdata/sycl/*/*/ir.ll")
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no inputs: %v", err)
	}
	for _, input := range inputs {
		for _, llvm := range []int{19, 16, 15} {
			t.Run(fmt.Sprintf("%s/%d", input[len("../../testdata/sycl/"):len(input)-len("/ir.ll")], llvm), func(t *testing.T) {
				t.Parallel()
				text, err := os.ReadFile(input)
				if err != nil {
					t.Fatal(err)
				}
				out, err := Text(input, text, Target{LLVM: llvm})
				if llvm < 16 && bytes.Contains(text, []byte(`target("spirv.`)) {
					if err == nil {
						t.Error("target types were not refused")
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				assemble(t, out, llvm)
			})
		}
	}
}

// The output of clang 19 for C++, with and without debug information and
// optimisation, is read by LLVM 16 and 15.
func TestClangModules(t *testing.T) {
	clang := testtool.Path(t, "clang-19")
	for _, flags := range []string{"-O0", "-O0 -g", "-O2", "-O2 -g", "-O3 -ffast-math -march=x86-64-v3 -gdwarf-5 -gembed-source"} {
		t.Run(flags, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "in.ll")
			args := append(strings.Fields(flags), "-std=c++20", "-S", "-emit-llvm", "-o", path, "testdata/features.cpp")
			run(t, clang, args...)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, llvm := range []int{16, 15} {
				out, err := Text(path, text, Target{LLVM: llvm})
				if err != nil {
					t.Fatal(err)
				}
				assemble(t, out, llvm)
			}
		})
	}
}
