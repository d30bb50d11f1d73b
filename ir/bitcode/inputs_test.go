package bitcode_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// versions are the LLVM versions that inputs are assembled with.
var versions = []string{"14", "15", "16", "19"}

// programs are the sources in testdata/clang and how they are compiled.
var programs = []struct{ file, flags string }{
	{"kernels.cl", "--target=spir64-unknown-unknown -cl-std=CL2.0"},
	{"kernels.cl", "--target=nvptx64-nvidia-cuda -cl-std=CL2.0 -DNO_BUILTINS"},
	{"kernels.cl", "--target=amdgcn-amd-amdhsa -nogpulib -cl-std=CL2.0"},
	{"shapes.clcpp", "--target=spir-unknown-unknown -cl-std=clc++2021"},
	{"host.c", "--target=x86_64-linux-gnu -w"},
	{"host.cpp", "--target=x86_64-linux-gnu"},
	{"host.cpp", "--target=x86_64-pc-windows-msvc -fexceptions -fcxx-exceptions"},
}

// modes are how each compiler compiles them. LLVM 14 writes typed pointers,
// and 15 does when told to.
var modes = []struct{ version, flags string }{
	{"14", "-O0"},
	{"14", "-O0 -g"},
	{"14", "-O2"},
	{"14", "-O2 -g"},
	{"15", "-O0"},
	{"15", "-O0 -g"},
	{"15", "-O2"},
	{"15", "-O2 -g"},
	{"15", "-O1 -g -Xclang -no-opaque-pointers"},
	{"16", "-O0"},
	{"16", "-O0 -g"},
	{"16", "-O2"},
	{"16", "-O2 -g"},
	{"19", "-O0"},
	{"19", "-O0 -g"},
	{"19", "-O2"},
	{"19", "-O2 -g"},
}

// compiled returns a program as clang writes it.
func compiled(t testing.TB, version, flags, file string) *module {
	t.Helper()
	args := append(strings.Fields(flags), "-c", "-emit-llvm", "-o", "-", filepath.Join("../../testdata/clang", file))
	return &module{name: file, version: version, bitcode: filter(t, nil, llvmTool(t, "clang", version), args...)}
}

// eachProgram runs a test for each program in each mode.
func eachProgram(t *testing.T, test func(t *testing.T, m *module)) {
	for _, mode := range modes {
		for _, program := range programs {
			name := fmt.Sprintf("%s%s/%s%s", mode.version, mode.flags, program.file, program.flags)
			t.Run(strings.ReplaceAll(name, " ", ""), func(t *testing.T) {
				t.Parallel()
				test(t, compiled(t, mode.version, mode.flags+" "+program.flags, program.file))
			})
		}
	}
}

// text is a module of the tests as text.
type text struct {
	name string
	data []byte
}

// goldenTexts returns the textual modules of testdata/postlink.
func goldenTexts(t testing.TB) (list []text) {
	t.Helper()
	files, err := filepath.Glob("../../testdata/postlink/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no inputs: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, ".ll") && !strings.Contains(f.Name, "/") {
				list = append(list, text{strings.TrimSuffix(filepath.Base(file), ".txtar") + "/" + f.Name, f.Data})
			}
		}
	}
	return list
}

// eachGolden runs a test for each textual module that an LLVM takes.
func eachGolden(t *testing.T, test func(t *testing.T, m *module)) {
	for _, version := range versions {
		for _, x := range goldenTexts(t) {
			t.Run(version+"/"+x.name, func(t *testing.T) {
				t.Parallel()
				m := assemble(t, x.name, version, version == "14", x.data)
				if m == nil {
					t.Skip("LLVM does not take it")
				}
				test(t, m)
			})
		}
	}
}

// syclFiles returns the bitcode of the DPC++ front end in testdata/sycl.
func syclFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("../../testdata/sycl/*/*/ir.bc")
	if err != nil || len(files) == 0 {
		t.Fatalf("no inputs: %v", err)
	}
	return files
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(data)
}
