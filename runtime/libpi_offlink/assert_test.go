package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestAssert runs a kernel whose assertion fails: the process aborts, as it does on Intel's
// devices, and the messages name the assertion and the kernel.
func TestAssert(t *testing.T) {
	path, host := buildLibrary(t), filepath.Join(t.TempDir(), "host")
	if _, err := os.Stat("/usr/include/CL/cl.h"); err != nil {
		t.Skip("OpenCL's headers are not installed (opencl-c-headers)")
	}
	build := exec.Command("gcc", "-w", "-o", host, "testdata/assert.c", "-l:libOpenCL.so.1")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := exec.Command(host)
	run.Env = append(os.Environ(), "OCL_ICD_VENDORS="+path)
	out, err := run.CombinedOutput()
	var ended *exec.ExitError
	if !errors.As(err, &ended) {
		t.Fatalf("error = %v; want that the process aborts\n%s", err, out)
	}
	if ended.ExitCode() == 77 {
		t.Skip("no clang is installed")
	}
	if status := ended.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGABRT {
		t.Errorf("%v; want SIGABRT", err)
	}
	for _, want := range []string{"global id: [5,0,0], local id: ", "Assertion `i < 5` failed.\n", "libpi_offlink: kernel k, work-item (5,0,0) of work-group (", "): an assertion failed"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("output\n%s\nwant %q", out, want)
		}
	}
}
