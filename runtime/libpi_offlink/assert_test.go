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

// runOpenCL builds a C program of testdata and runs it on the library as a driver of OpenCL's
// loader. Programs return 77 where no clang is installed.
func runOpenCL(t *testing.T, source string) (out string, err error) {
	t.Helper()
	if _, err := os.Stat("/usr/include/CL/cl.h"); err != nil {
		t.Skip("OpenCL's headers are not installed (opencl-c-headers)")
	}
	path, host := buildLibrary(t), filepath.Join(t.TempDir(), "host")
	build := exec.Command("gcc", "-w", "-o", host, filepath.Join("testdata", source), "-l:libOpenCL.so.1")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := exec.Command(host)
	run.Env = append(os.Environ(), "OCL_ICD_VENDORS="+path)
	text, err := run.CombinedOutput()
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.ExitCode() == 77 {
		t.Skip("no clang is installed")
	}
	return string(text), err
}

// TestAssert runs a kernel whose assertion fails: the process aborts, as it does on Intel's
// devices, and the messages name the assertion and the kernel.
func TestAssert(t *testing.T) {
	out, err := runOpenCL(t, "assert.c")
	var ended *exec.ExitError
	if !errors.As(err, &ended) {
		t.Fatalf("error = %v; want that the process aborts\n%s", err, out)
	}
	if status := ended.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGABRT {
		t.Errorf("%v; want SIGABRT", err)
	}
	for _, want := range []string{"global id: [5,0,0], local id: ", "Assertion `i < 5` failed.\n", "libpi_offlink: kernel k, work-item (5,0,0) of work-group (", "): an assertion failed"} {
		if !strings.Contains(out, want) {
			t.Errorf("output\n%s\nwant %q", out, want)
		}
	}
}

// TestOutputOrder holds that the output of kernels comes between the lines of the program.
func TestOutputOrder(t *testing.T) {
	out, err := runOpenCL(t, "print.c")
	if want := "before\nkernel\nafter\nkernel\nafter\n"; err != nil || out != want {
		t.Errorf("%v, output %q; want %q", err, out, want)
	}
}
