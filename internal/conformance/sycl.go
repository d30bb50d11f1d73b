package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// syclRun launches the kernels of SYCL programs by our SPIR-V and by that of the
// translator of DPC++, each on the embedded device and on an OpenCL device.
type syclRun struct {
	options
	dir, postlink, devdiff string
	translator             string
	kernels, same          int
	failed                 bool
}

// runSYCL compares the memory that the kernels of INPUT/RELEASE/ir.bc leave.
// devdiff makes up the arguments, and records the kernels that leave the same on
// both of its devices; so equal records are equal memory four times.
func runSYCL(o options, out io.Writer) (failed bool, err error) {
	r := &syclRun{options: o}
	for _, reference := range o.references {
		if reference.name == "dpcpp-llvm-spirv" {
			r.translator = reference.path
		}
	}
	if r.translator == "" || o.icd == "" {
		return false, fmt.Errorf("%s has no llvm-spirv of DPC++, or no OpenCL driver", o.python)
	}
	if r.dir, err = os.MkdirTemp("", "conformance"); err != nil {
		return false, err
	}
	defer os.RemoveAll(r.dir)
	if r.postlink, err = buildPostlink(r.dir); err != nil {
		return false, err
	}
	r.devdiff = filepath.Join(r.dir, "devdiff")
	if _, err := runTool("go", "build", "-o", r.devdiff, "./internal/devdiff"); err != nil {
		return false, err
	}
	inputs, err := filepath.Glob(filepath.Join(o.input, "*", "ir.bc"))
	if err != nil || len(inputs) == 0 {
		return false, fmt.Errorf("no ir.bc in the folders of %s: %w", o.input, err)
	}
	for n, input := range inputs {
		if err := r.compareProgram(input, filepath.Join(r.dir, fmt.Sprint(n)), out); err != nil {
			fmt.Fprintf(out, "%s: %v\n", input, err)
			r.failed = true
		}
	}
	fmt.Fprintf(out, "| %d kernels launched | %d the same by both translators on both devices |\n", r.kernels, r.same)
	return r.failed, nil
}

// compareProgram compares the records of one module.
func (r *syclRun) compareProgram(input, stem string, out io.Writer) error {
	ours, err := r.recordKernels(input, stem+"-ours")
	if err != nil {
		return err
	}
	theirs, err := r.recordKernels(input, stem+"-theirs", "-translator=llvm-spirv", "-llvm-spirv="+r.translator)
	if err != nil {
		return err
	}
	all := maps.Clone(ours)
	maps.Copy(all, theirs)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		r.kernels++
		if ours[name] != theirs[name] {
			fmt.Fprintf(out, "%s: %s: memory %q by our SPIR-V, %q by DPC++'s\n", input, name, ours[name], theirs[name])
			r.failed = true
			continue
		}
		r.same++
	}
	return nil
}

// recordKernels translates a module, launches its kernels, and returns the digests of
// their memory.
func (r *syclRun) recordKernels(input, stem string, options ...string) (map[string]string, error) {
	args := append([]string{"-to=spirv", "-split=none", "-properties", "-o", stem + ".table"}, options...)
	if _, err := runTool(r.postlink, append(args, input)...); err != nil {
		return nil, err
	}
	python := filepath.Join(r.python, "bin", "python")
	// The exit status is 1 if kernels differ between the devices. These are not recorded.
	out, failure := exec.Command(r.devdiff, "-icd="+r.icd, "-python="+python, "-variants=1000", "-record="+stem+".record", stem+"_0.spv").CombinedOutput()
	text, err := os.ReadFile(stem + ".record")
	if err != nil {
		return nil, fmt.Errorf("devdiff: %w: %s", failure, out)
	}
	digests := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		digest, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		_, name, _ := strings.Cut(rest, " ")
		digests[name] = digest
	}
	return digests, nil
}
