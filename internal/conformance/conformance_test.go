package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"
)

// TestMain lets the test be the child that launches on an OpenCL device.
func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestMatrix compiles the kernels with two compilers and launches ours and
// llvm-spirv's on both devices; "conformance matrix" does so with all.
func TestMatrix(t *testing.T) {
	testtool.Need(t, "clang-15", "clang-19", "llvm-dis-15", "llvm-dis-19", "opt-19", "spirv-val")
	testtool.Python(t, "lib/libintelocl.so")
	testtool.Python(t, "lib/python3*/site-packages/dpcpp_llvm_spirv/bin/llvm-spirv")
	runHere(t, "matrix", "-short")
}

// TestStress compares a few generated modules.
func TestStress(t *testing.T) {
	testtool.Need(t, "clang-14", "clang-15", "clang-16", "clang-19", "llvm-as-19", "opt-19", "spirv-val")
	testtool.Python(t, "lib/python3*/site-packages/dpcpp_llvm_spirv/bin/llvm-spirv")
	runHere(t, "stress", "-count=10", "-seed=1", "-corpus=ir/irtext/testdata/whole/*.ll", "-icd=")
}

// TestGolden compares the images of real SYCL programs with those that the
// post-link of two releases of DPC++ wrote, whose facts are recorded.
func TestGolden(t *testing.T) {
	if testing.Short() {
		t.Skip("-short builds no programs")
	}
	runHere(t, "golden", "-real="+filepath.Join("internal", "conformance", "testdata", "real.gz"), "-input="+filepath.Join("testdata", "sycl"))
}

// TestSYCL launches the kernels of a SYCL program as both releases of DPC++ compile
// it; "conformance sycl" does so with the others.
func TestSYCL(t *testing.T) {
	if testing.Short() {
		t.Skip("-short builds no programs")
	}
	testtool.Python(t, "lib/libintelocl.so")
	testtool.Python(t, "lib/python3*/site-packages/dpcpp_llvm_spirv/bin/llvm-spirv")
	runHere(t, "sycl", "-input="+filepath.Join("testdata", "sycl", "free_functions"))
}

// runHere runs a command in the root of the repository. It must find no fault.
func runHere(t *testing.T, args ...string) {
	t.Helper()
	t.Chdir(filepath.Join("..", ".."))
	var out bytes.Buffer
	failed, err := runCommand(args, &out)
	if err != nil {
		t.Fatal(err)
	}
	if failed || !strings.Contains(out.String(), "|") && args[0] != "stress" {
		t.Errorf("%v:\n%s", args, out.String())
	}
}

// TestFacts: facts name the function or variable that they are of.
func TestFacts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "devdiff", "testdata", "subgroup_scan*.spv"))
	if err != nil || len(files) == 0 {
		t.Fatal("no modules", err)
	}
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		facts, err := moduleFacts(code)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(facts, "\n")
		for _, want := range []string{"OpEntryPoint Kernel \"_ZTS", "OpCapability Kernel", "OpDecorate parameter 0 of kernel _ZTS", "BuiltIn"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %s in\n%s", file, want, text)
			}
		}
	}
}
