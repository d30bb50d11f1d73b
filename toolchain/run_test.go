//go:build !windows

package toolchain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestRunKeepsOutput(t *testing.T) {
	path := fake(t, t.TempDir()+"/tool", `echo warming up; echo "$0: error: line 7 is odd" >&2; echo "more $1"; exit 3`)
	err := (&Runner{}).Run(t.Context(), Tool{Path: path}, "text")
	e, ok := errors.AsType[*ToolError](err)
	if !ok {
		t.Fatalf("%v", err)
	}
	if e.ExitCode != 3 || e.Output != "warming up\n"+path+": error: line 7 is odd\nmore text\n" {
		t.Errorf("exit code %d, output %q", e.ExitCode, e.Output)
	}
	if want := path + ": exit status 3: " + path + ": error: line 7 is odd"; e.Error() != want {
		t.Errorf("%v", e)
	}
}

func TestRunCrash(t *testing.T) {
	path := fake(t, t.TempDir()+"/tool", `echo "x.cpp:1: Assertion 'p' failed."; kill -ABRT $$`)
	err := (&Runner{}).Run(t.Context(), Tool{Path: path})
	if err == nil || !strings.Contains(err.Error(), "crashed (aborted): x.cpp:1: Assertion") {
		t.Errorf("%v", err)
	}
}

func TestRunLauncher(t *testing.T) {
	dir := t.TempDir()
	launcher := fake(t, dir+"/launcher", `echo "$@" >`+dir+`/log; shift; exec "$@"`)
	tool := fake(t, dir+"/tool", `test "$1" = "two words"`)
	r := &Runner{Launcher: []string{launcher, "--flag"}}
	if err := r.Run(t.Context(), Tool{Path: tool}, "two words"); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(dir + "/log")
	if err != nil || string(log) != "--flag "+tool+" two words\n" {
		t.Errorf("%q, %v", log, err)
	}
	if err := (&Runner{Launcher: []string{dir + "/none"}}).Run(t.Context(), Tool{Path: tool}); err == nil {
		t.Error("a launcher that is not there was no error")
	}
}

// Cancellation ends the tool and its child processes: all of them hold the FIFO
// open, so that reading it ends when the last of them has.
func TestRunCancel(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "alive")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	launcher := fake(t, dir+"/launcher", `"$@"; exit 1`)
	tool := fake(t, dir+"/tool", `exec 3>`+fifo+`; echo started >&3; while :; do sleep 0.02; done`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- (&Runner{Launcher: []string{launcher}}).Run(ctx, Tool{Path: tool}) }()
	alive, err := os.Open(fifo) // returns when the tool has it open
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	started := make([]byte, len("started\n"))
	if _, err := io.ReadFull(alive, started); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
	if rest, err := io.ReadAll(alive); len(rest) > 0 || err != nil {
		t.Errorf("%q, %v", rest, err)
	}
}

func TestFirstError(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"\n  \nInvalid record\n", "Invalid record"},
		{"note\nin.ll:3:5: error: expected type\n  foo\n", "in.ll:3:5: error: expected type"},
		{
			"RequiresExtension: Feature requires the following SPIR-V extension:\n SPV_INTEL_subgroups\n",
			"RequiresExtension: Feature requires the following SPIR-V extension: SPV_INTEL_subgroups",
		},
		{"PLEASE submit a bug report\nllvm-spirv: Type.cpp:1: Assertion `x' failed.\n", "llvm-spirv: Type.cpp:1: Assertion `x' failed."},
	} {
		if got := FirstError(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestOutputIsBounded(t *testing.T) {
	for _, size := range []int{0, 100, keptHead, keptHead + 100, keptHead + keptTail, keptHead + keptTail + 1, 3 << 20} {
		for _, chunk := range []int{1000, 70_000, 5 << 20} {
			text := make([]byte, size)
			for i := range text {
				text[i] = byte('a' + i%26)
			}
			o := &output{}
			for rest := text; len(rest) > 0; {
				n, err := o.Write(rest[:min(chunk, len(rest))])
				if err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			want := string(text)
			if left := size - keptHead - keptTail; left > 0 {
				want = want[:keptHead] + fmt.Sprintf("\n... (%d bytes are left out here)\n", left) + want[size-keptTail:]
			}
			if o.String() != want {
				t.Errorf("%d bytes in chunks of %d: what is kept is wrong", size, chunk)
			}
		}
	}
}

// A launcher that leaves a child with its streams open has succeeded, and the
// last output of a failed tool is not lost.
func TestRunLeavesChild(t *testing.T) {
	dir := t.TempDir()
	launcher := fake(t, dir+"/launcher", `(exec sleep 100 & echo $! >>`+dir+`/child); "$@"`)
	t.Cleanup(func() {
		if text, err := os.ReadFile(dir + "/child"); err == nil {
			for line := range strings.Lines(string(text)) {
				if pid, err := strconv.Atoi(strings.TrimSpace(line)); err == nil {
					syscall.Kill(pid, syscall.SIGKILL)
				}
			}
		}
	})
	r := &Runner{Launcher: []string{launcher}}
	good := fake(t, dir+"/good", `echo fine`)
	if err := r.Run(t.Context(), Tool{Path: good}); err != nil {
		t.Error(err)
	}
	bad := fake(t, dir+"/bad", `echo "error: last words" >&2; exit 1`)
	if err := r.Run(t.Context(), Tool{Path: bad}); err == nil || !strings.Contains(err.Error(), "error: last words") {
		t.Errorf("%v", err)
	}
	version := fake(t, dir+"/llvm-as", `echo "LLVM version 19.1.7"; exec sleep 100 & echo $! >>`+dir+`/child`)
	if v, err := askVersion(t.Context(), version); v != 19 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
}

// Much output neither stops a tool nor is kept.
func TestRunMuchOutput(t *testing.T) {
	path := fake(t, t.TempDir()+"/tool", `echo "error: first"; head -c 20000000 /dev/zero; echo; echo last; exit 1`)
	err := (&Runner{}).Run(t.Context(), Tool{Path: path})
	e, ok := errors.AsType[*ToolError](err)
	if !ok || len(e.Output) > keptHead+keptTail+100 || !strings.HasPrefix(e.Output, "error: first\n") || !strings.HasSuffix(e.Output, "\nlast\n") {
		t.Errorf("%d bytes are kept", len(e.Output))
	}
}
