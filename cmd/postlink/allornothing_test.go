//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"offlink/internal/irgen"
	"offlink/internal/testtool"
)

// manyKernels writes a module of that many kernels, followed by more, and returns
// its file, and a folder for outputs.
func manyKernels(t *testing.T, kernels int, more string) (input, out string) {
	t.Helper()
	dir := t.TempDir()
	input, out = filepath.Join(dir, "in.ll"), filepath.Join(dir, "out")
	var text bytes.Buffer
	if err := irgen.Write(&text, irgen.Config{Kernels: kernels}); err != nil {
		t.Fatal(err)
	}
	text.WriteString(more)
	if err := os.WriteFile(input, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(out, 0o700); err != nil {
		t.Fatal(err)
	}
	return input, out
}

// splitToSPIRV is a process that splits a module into SPIR-V images.
func splitToSPIRV(t *testing.T, input, out string, jobs int) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatal(err)
	}
	return exec.Command(path, "-to=spirv", "-split=kernel", "-symbols", "-properties", fmt.Sprintf("-j=%d", jobs), "-o", filepath.Join(out, "out.table"), input)
}

func fileCount(t *testing.T, dir string) int {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// One image that is refused leaves nothing of the others, and the message does not
// depend on how many are made at a time.
func TestRefusedImageWritesNothing(t *testing.T) {
	// The last kernel, so that others are written by then.
	input, out := manyKernels(t, 60, `
define spir_kernel void @zz_refused(ptr addrspace(1) %p) #0 {
  %x = load fp128, ptr addrspace(1) %p
  store fp128 %x, ptr addrspace(1) %p
  ret void
}
`)
	first := ""
	for _, jobs := range []int{1, 2, 8} {
		message, err := splitToSPIRV(t, input, out, jobs).CombinedOutput()
		if err == nil || !strings.Contains(string(message), "zz_refused") {
			t.Fatalf("-j=%d: %v: %s", jobs, err, message)
		}
		if first == "" {
			first = string(message)
		}
		if string(message) != first {
			t.Errorf("-j=%d: %s\n-j=1: %s", jobs, message, first)
		}
		if n := fileCount(t, out); n > 0 {
			t.Errorf("-j=%d left %d files", jobs, n)
		}
	}
}

// A signal at any time leaves all outputs or none.
func TestKilledWritesNothing(t *testing.T) {
	testtool.RestoreSignals()
	const kernels = 150
	input, out := manyKernels(t, kernels, "")
	start := time.Now()
	if message, err := splitToSPIRV(t, input, out, 2).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, message)
	}
	whole, all := time.Since(start), fileCount(t, out)
	if all != 3*kernels+1 {
		t.Fatalf("%d files", all)
	}
	signals, runs := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}, 12
	if testing.Short() {
		runs = 6
	}
	for run := range runs {
		out := t.TempDir()
		cmd := splitToSPIRV(t, input, out, []int{1, 2, 8}[run%3])
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.Int64N(int64(whole))))
		cmd.Process.Signal(signals[run%2])
		cmd.Wait()
		status := cmd.ProcessState.Sys().(syscall.WaitStatus)
		switch n := fileCount(t, out); {
		case n == 0 && status.Signaled() && status.Signal() == signals[run%2]:
		case n == all: // it came too late
		default:
			t.Errorf("run %d: ended with %v and left %d files of %d", run, cmd.ProcessState, n, all)
		}
	}
}
