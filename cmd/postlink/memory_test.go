package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
	peak := testtool.Peak(t, peakProgram, 0, options...)
	if limit := 4*info.Size() + 64<<20; peak > limit {
		t.Errorf("%d MB at most, for an input of %d MB; the limit is %d MB", peak>>20, info.Size()>>20, limit>>20)
	} else {
		t.Logf("%d MB at most, the limit is %d MB", peak>>20, limit>>20)
	}
}

// peakProgram is the name by which [testtool.Peak] calls the program.
const peakProgram = "postlink-peak"

func peakCommand() {
	testtool.PrintPeak(func() int { return run(os.Args[1:], cli.OSStreams()) })
}
