package main

import (
	"io"
	"testing"

	"offlink/internal/testtool"
	"offlink/runtime/driver"
	"offlink/runtime/hostdev"
)

// sampledImages is which of the launches of devdiff -images a test makes.
const sampledImages = 5

// TestImages compares images and samplers with Intel's CPU device.
func TestImages(t *testing.T) {
	icd, clang := testtool.Python(t, "lib/libintelocl.so"), testtool.Path(t, "clang-19")
	source := "../../runtime/hostdev/testdata/kernels/images.cl"
	p := kernelPackage{flags: []string{"-cl-std=CL1.2"}}
	code, err := p.compileSource(clang, ".", source)
	if err != nil {
		t.Fatal(err)
	}
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
