package main

import (
	"io"
	"slices"
	"testing"

	"offlink/internal/testtool"
	"offlink/runtime/driver"
	"offlink/runtime/hostdev"
)

// sampledImages is which of the launches of devdiff -images a test makes.
const sampledImages = 5

// sampledEdges is which of those at edges it makes in all executors.
const sampledEdges = 11

// TestImages compares images and samplers with Intel's CPU device.
func TestImages(t *testing.T) {
	icd, clang := testtool.Python(t, "lib/libintelocl.so"), testtool.Path(t, "clang-19")
	code := imageKernels(t, clang)
	d, err := hostdev.New(hostdev.Options{Output: io.Discard}).Devices()
	if err != nil {
		t.Fatal(err)
	}
	var jobs []*imageJob
	for i, j := range imageJobs(d[0].(driver.ImageDevice).ImageFormats) {
		if i%sampledImages == 0 {
			jobs = append(jobs, j)
		}
	}
	if err := runImages(jobs, code, hostdev.Options{}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := runImagesElsewhere(options{icd: icd, python: "python3"}, dir, jobs, code, nil); err != nil {
		t.Fatal(err)
	}
	if reportImages(options{}, dir, jobs) {
		t.Error("Intel's device leaves other texels")
	}
}

const imageSource = "../../runtime/hostdev/testdata/kernels/images.cl"

func imageKernels(t *testing.T, clang string) []byte {
	t.Helper()
	p := kernelPackage{flags: []string{"-cl-std=CL1.2"}}
	code, err := p.compileSource(clang, ".", imageSource)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// TestImageEdges: coordinates at borders of texels, outside images and far away give the
// same colors in all executors, and those that OpenCL fixes Intel's too.
func TestImageEdges(t *testing.T) {
	code := imageKernels(t, testtool.Path(t, "clang-19"))
	d, err := hostdev.New(hostdev.Options{Output: io.Discard}).Devices()
	if err != nil {
		t.Fatal(err)
	}
	var jobs []*imageJob
	formats := d[0].(driver.ImageDevice).ImageFormats
	for i, j := range append(imageEdgeJobs(nearEdges, formats), imageEdgeJobs(farEdges, formats)...) {
		if i%sampledEdges == 0 {
			jobs = append(jobs, j)
		}
	}
	store, release, err := openStore()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	lines, err := compareImageExecutors(jobs, code, store)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		t.Error(line)
	}
	jobs = slices.DeleteFunc(jobs, func(j *imageJob) bool { return !j.isForAll() })
	dir, o := t.TempDir(), options{icd: testtool.Python(t, "lib/libintelocl.so"), python: "python3"}
	if err := runImagesElsewhere(o, dir, jobs, code, nil); err != nil {
		t.Fatal(err)
	}
	if reportImages(o, dir, jobs) {
		t.Error("Intel's device leaves other texels")
	}
}
