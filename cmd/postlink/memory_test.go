package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"offlink/cmd/internal/cli"
	"offlink/internal/testtool"
)

// millionGlobals is a module of a million variables and a kernel.
func millionGlobals() []byte {
	var b bytes.Buffer
	b.WriteString("target triple = \"spir64-unknown-unknown\"\n")
	for i := range 1_000_000 {
		fmt.Fprintf(&b, "@g%d = global i32 %d\n", i, i%10)
	}
	b.WriteString("define spir_kernel void @k() {\n  ret void\n}\n")
	return b.Bytes()
}

// A module of many small values is split within four times its size and 64 MB:
// the whole process, as the system counts its memory.
func TestMemoryOfAMillionGlobals(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("a module of 24 MB")
	}
	dir := t.TempDir()
	text, code := filepath.Join(dir, "in.ll"), filepath.Join(dir, "in.bc")
	if err := os.WriteFile(text, millionGlobals(), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("text", func(t *testing.T) { checkPeak(t, text, "-S") })
	t.Run("bitcode", func(t *testing.T) {
		if out, err := exec.Command(testtool.Path(t, "llvm-as-19"), text, "-o", code).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		checkPeak(t, code)
	})
}

// checkPeak splits a module in a process of its own.
func checkPeak(t *testing.T, input string, options ...string) {
	t.Helper()
	info, err := os.Stat(input)
	if err != nil {
		t.Fatal(err)
	}
	options = append(options, "-split=kernel", "-symbols", "-properties", "-o", filepath.Join(t.TempDir(), "out.table"), input)
	peak := runPeak(t, 0, options...)
	// The program is the tests' own, which is some megabytes larger.
	if limit := 4*info.Size() + 70<<20; peak > limit {
		t.Errorf("%d MB at most, for an input of %d MB; the limit is %d MB", peak>>20, info.Size()>>20, limit>>20)
	}
}

// peakProgram is the name by which tests call peakCommand.
const peakProgram = "postlink-peak"

// peakCommand is the program that prints the most memory that it had, after its
// own output. The system's count for a child begins with that of its parent.
func peakCommand() {
	code := run(os.Args[1:], cli.OSStreams())
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Fprintf(os.Stderr, "peak %s\n", strings.Fields(peak)[0])
	os.Exit(code)
}

// runPeak runs the program in a process of its own and returns the most memory
// that it had, in bytes.
func runPeak(t *testing.T, exit int, args ...string) int64 {
	t.Helper()
	path, err := exec.LookPath(peakProgram) // testscript puts it in the path
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	out, _ := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != exit {
		t.Fatalf("%s: exit code %d, want %d\n%s", args[0], cmd.ProcessState.ExitCode(), exit, out)
	}
	_, peak, _ := strings.Cut(string(out), "peak ")
	kib, err := strconv.ParseInt(strings.TrimSpace(peak), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}
