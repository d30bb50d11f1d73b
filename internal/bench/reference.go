package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"offlink/internal/irgen"
)

// referenceRelease is the release of intel-sycl-rt whose post-link step and
// translator, both in libsycl-jit.so, postlink is compared with.
const referenceRelease = "2026.2.0"

// printReference prints the table of README in Markdown. It measures bitcode to SPIR-V images, one a kernel, beside the
// released tools' code in one process: nothing is charged to the reference for
// starting a translator for each image, as its compiler driver does.
func printReference(dir string) error {
	library, err := filepath.Abs(filepath.Join("build", "dpcpp", referenceRelease, "lib", "libsycl-jit.so"))
	if err != nil {
		return err
	}
	_, missing := exec.LookPath("llvm-as-19")
	if _, err := os.Stat(library); err != nil || missing != nil {
		fmt.Printf("reference                    left out: it needs llvm-as-19 and scripts/dpcpp-env %s\n", referenceRelease)
		return nil
	}
	reference := filepath.Join(dir, "reference")
	include := filepath.Join(filepath.Dir(library), "..", "include")
	if _, err := runOnce("", "g++", "-std=c++17", "-w", "-O1", "-I", include, "-I", "examples/sycl", "-o", reference, "internal/bench/testdata/reference.cpp", "-ldl"); err != nil {
		return err
	}
	printMachine()
	fmt.Printf("| bitcode to SPIR-V images, one a kernel | `postlink` | DPC++ %s | CPU time, DPC++ : `postlink` |\n|---|---|---|---|\n", referenceRelease)
	for _, kernels := range []int{100, 500, 2000} {
		if err := printReferenceRow(dir, reference, library, kernels); err != nil {
			return err
		}
	}
	return nil
}

func printReferenceRow(dir, reference, library string, kernels int) error {
	bitcode, err := generateInput(dir, "bc", irgen.Config{Kernels: kernels})
	if err != nil {
		return err
	}
	out := filepath.Join(dir, "out")
	empty := func() {
		os.RemoveAll(out)
		os.Mkdir(out, 0o777)
	}
	empty()
	ours, theirs, err := alternateRuns(
		func() (cost, error) {
			return runOnce("", programPath("postlink"), "-split=kernel", "-symbols", "-properties", "-emit-param-info",
				"-emit-program-metadata", "-emit-only-kernels-as-entry-points", "-emit-exported-symbols", "-emit-imported-symbols",
				"-device-globals", "-to=spirv", "-o", filepath.Join(out, "t.table"), bitcode)
		},
		func() (cost, error) {
			os.Setenv("LD_LIBRARY_PATH", filepath.Dir(library))
			defer os.Unsetenv("LD_LIBRARY_PATH")
			return runOnce("", reference, library, bitcode, out, "-fsycl-device-code-split=per_kernel")
		},
		empty)
	if err != nil {
		return err
	}
	fmt.Printf("| %d kernels | %.2f s, %s MB | %.2f s, %s MB | %.1f |\n", kernels,
		ours.wall.Seconds(), formatMB(ours.peak), theirs.wall.Seconds(), formatMB(theirs.peak), theirs.cpu.Seconds()/ours.cpu.Seconds())
	return nil
}

// printMachine prints the sentence above the table: the date and the
// machine of the measurement.
func printMachine() {
	model := "an unknown processor"
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if _, line, found := strings.Cut(string(info), "model name\t: "); found {
			model, _, _ = strings.Cut(line, "\n")
		}
	}
	fmt.Printf("Measured on %s on %d cores of %s: wall clock and peak memory of whole processes, the least of %d runs.\n\n",
		time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), model, rounds)
}
