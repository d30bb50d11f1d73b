package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
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
// llvm-spirv's on both devices; "conformance matrix" does so with all. Debian 13 has
// one of the two.
func TestMatrix(t *testing.T) {
	clangs := "15,19"
	if testtool.Unavailable("clang-15") {
		clangs = "19"
	}
	for version := range strings.SplitSeq(clangs, ",") {
		testtool.Need(t, "clang-"+version, "llvm-dis-"+version)
	}
	testtool.Need(t, "opt-19", "spirv-val")
	testtool.Python(t, "lib/libintelocl.so")
	testtool.PinnedTranslator(t)
	runHere(t, "matrix", "-short", "-clang="+clangs)
}

// TestStress compares a few generated modules.
func TestStress(t *testing.T) {
	testtool.Need(t, "clang-14", "clang-15", "clang-16", "clang-19", "llvm-as-19", "opt-19", "spirv-val")
	testtool.PinnedTranslator(t)
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

// TestBuild: an OpenCL driver's answers about our image and about the one of the released
// translator are compared, and a real image that it refuses makes a difference.
func TestBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("-short builds no programs")
	}
	testtool.Python(t, "lib/libintelocl.so")
	translator := testtool.PinnedTranslator(t)
	t.Chdir(filepath.Join("..", ".."))
	real := t.TempDir()
	folder := filepath.Join(real, "free_functions", "2025.3.3", "none")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	m, err := newImageMaker()
	defer m.close()
	if err != nil {
		t.Fatal(err)
	}
	stem, image := filepath.Join(m.dir, "real"), filepath.Join(folder, "0.spv")
	input := filepath.Join("testdata", "sycl", "free_functions", "2025.3.3", "ir.bc")
	if _, err := runTool(m.postlink, "-to=spirv", "-split=none", "-translator=llvm-spirv", "-llvm-spirv="+translator, "-o", stem+".table", input); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(stem+"_0.spv", image); err != nil {
		t.Fatal(err)
	}
	args := []string{"build", "-real=" + real, "-input=" + filepath.Join("testdata", "sycl")}
	var out bytes.Buffer
	failed, err := runCommand(args, &out)
	if err != nil || failed || !strings.Contains(out.String(), "| 2025.3.3 none | 1 | 1 | 0 | 0 | 0 |") {
		t.Errorf("%v: %v\n%s", args, err, out.String())
	}
	if err := os.WriteFile(image, []byte("no SPIR-V"), 0o666); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	failed, err = runCommand(args, &out)
	if err != nil || !failed || !strings.Contains(out.String(), "| 2025.3.3 none | 1 | 0 | 0 | 1 | 0 |") {
		t.Errorf("%v: %v\n%s", args, err, out.String())
	}
}

// TestCorpus checks every output of a program with ordered atomics and of text with
// most constructs; "conformance corpus" does so with all modules.
func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("-short builds no programs")
	}
	testtool.Need(t, "opt-19", "spirv-val")
	testtool.Python(t, "lib/python3*/site-packages/cmeel.prefix/bin/spirv-val")
	testtool.PinnedTranslator(t)
	runHere(t, "corpus", "-corpus="+filepath.Join("testdata", "sycl", "graph_bfs", "2025.3.3", "ir.bc"),
		"-corpus="+filepath.Join("ir", "irtext", "testdata", "whole", "instructions.ll"))
}

// TestToolGaps: the page for users lists every message that does not tell a fault of a module.
func TestToolGaps(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "to-spirv.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, gap := range append(slices.Clone(validatorGaps), readerGaps...) {
		if row := "| `" + gap.message + "` | " + gap.reason + " |"; !strings.Contains(string(page), row) {
			t.Errorf("docs/to-spirv.md has no row %s", row)
		}
	}
}

// TestSYCL launches the kernels of a SYCL program as both releases of DPC++ compile
// it; "conformance sycl" does so with the others.
func TestSYCL(t *testing.T) {
	if testing.Short() {
		t.Skip("-short builds no programs")
	}
	testtool.Python(t, "lib/libintelocl.so")
	testtool.PinnedTranslator(t)
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
