//go:build linux

package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/internal/testtool"
)

// stoppedProcess is the process that the tests send signals to: it
// makes files that must be removed and waits, as mode says.
func stoppedProcess(dir, mode string) {
	watchCrashSignals()
	ctx, stop := context.Background(), func() {}
	if mode == "context" || mode == "stuck" {
		ctx, stop = StoppedBySignal(ctx)
	}
	defer stop()
	var o Outputs
	if err := o.WriteFile(filepath.Join(dir, "a"), []byte("a")); err != nil {
		panic(err)
	}
	if _, _, err := TempDir("x"); err != nil {
		panic(err)
	}
	fmt.Fprintln(os.Stderr, "ready")
	switch mode {
	case "context":
		<-ctx.Done()
		fmt.Fprintln(os.Stderr, context.Cause(ctx))
		o.Abort()
		Exit(ExitFailed)
	case "stuck":
		<-ctx.Done()
		fmt.Fprintln(os.Stderr, context.Cause(ctx))
	case "large":
		err := o.WriteFile(filepath.Join(dir, "b"), make([]byte, 1<<20))
		fmt.Fprintln(os.Stderr, err)
		o.Abort()
		os.Exit(ExitFailed)
	case "pipe":
		io.ReadAll(os.Stdin)
		s := OSStreams()
		_, err := s.Out.Write([]byte("x"))
		Exit(s.Report("x", err))
	}
	select {} // until a signal ends the process
}

// process starts the test's process and waits until it is ready. TMPDIR is a
// folder below dir.
func process(t *testing.T, dir, mode, shell string) (*exec.Cmd, *bufio.Reader, io.Closer) {
	t.Helper()
	testtool.RestoreSignals()
	if err := os.MkdirAll(filepath.Join(dir, "tmp"), 0o777); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", shell+`exec "$0" -test.run=^TestSignals$`, self)
	cmd.Env = append(os.Environ(), "OFFLINK_TEST_SIGNALS="+dir, "OFFLINK_TEST_MODE="+mode, "TMPDIR="+filepath.Join(dir, "tmp"))
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close() // its standard output has no reader
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() { cmd.Process.Kill() })
	lines := bufio.NewReader(stderr)
	if line, err := lines.ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	return cmd, lines, stdin
}

func wantSignal(t *testing.T, cmd *exec.Cmd, want syscall.Signal) {
	t.Helper()
	cmd.Wait()
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != want {
		t.Errorf("ended with %v; want %v", cmd.ProcessState, want)
	}
}

func wantNothingLeft(t *testing.T, dir string) {
	t.Helper()
	if got := names(t, dir); !cmp.Equal(got, []string{"tmp"}) {
		t.Errorf("left: %q", got)
	}
	if got := names(t, filepath.Join(dir, "tmp")); len(got) > 0 {
		t.Errorf("left in TMPDIR: %q", got)
	}
}

// A signal removes temporary files, and ends the process as it would have.
func TestSignals(t *testing.T) {
	if dir := os.Getenv("OFFLINK_TEST_SIGNALS"); dir != "" {
		stoppedProcess(dir, os.Getenv("OFFLINK_TEST_MODE"))
	}
	for _, mode := range []string{"plain", "context", "stuck"} {
		for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
			dir := t.TempDir()
			cmd, lines, _ := process(t, dir, mode, "")
			cmd.Process.Signal(s)
			if mode != "plain" {
				if line, _ := lines.ReadString('\n'); line != "interrupted ("+s.String()+")\n" {
					t.Errorf("the cause is %q", line)
				}
			}
			if mode == "stuck" {
				cmd.Process.Signal(s) // an impatient user's second; sooner, the two would be one
			}
			wantSignal(t, cmd, s)
			wantNothingLeft(t, dir)
		}
	}
}

// A reader that goes away is a signal too.
func TestSignalPipe(t *testing.T) {
	dir := t.TempDir()
	cmd, lines, stdin := process(t, dir, "pipe", "")
	stdin.Close()
	if text, _ := io.ReadAll(lines); len(text) > 0 {
		t.Errorf("it says %q", text)
	}
	wantSignal(t, cmd, syscall.SIGPIPE)
	wantNothingLeft(t, dir)
}

// A signal that the process was told to ignore stays ignored.
func TestSignalIgnored(t *testing.T) {
	dir := t.TempDir()
	cmd, _, _ := process(t, dir, "plain", "trap '' HUP; ")
	cmd.Process.Signal(syscall.SIGHUP)
	cmd.Process.Signal(syscall.SIGTERM)
	wantSignal(t, cmd, syscall.SIGTERM)
	wantNothingLeft(t, dir)
}

// A quit, which the Go runtime would answer with its goroutines, leaves nothing
// either, and the shell's exit code is that of the signal.
func TestSignalQuit(t *testing.T) {
	limits := map[syscall.Signal]string{syscall.SIGQUIT: "", syscall.SIGXCPU: "ulimit -t 1000; "}
	for s, limit := range limits {
		dir := t.TempDir()
		cmd, lines, _ := process(t, dir, "plain", limit)
		cmd.Process.Signal(s)
		if text, _ := io.ReadAll(lines); len(text) > 0 {
			t.Errorf("%v: it says %q", s, text)
		}
		cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != 128+int(s) {
			t.Errorf("%v: exit code %d", s, got)
		}
		wantNothingLeft(t, dir)
	}
}

// A file beyond the limit of ulimit -f is an error, not a crash.
func TestSignalLargeFile(t *testing.T) {
	dir := t.TempDir()
	cmd, lines, _ := process(t, dir, "large", "ulimit -f 100; ")
	want := fmt.Sprintf("error writing the file '%s': %v\n", filepath.Join(dir, "b"), syscall.EFBIG)
	if text, _ := io.ReadAll(lines); string(text) != want {
		t.Errorf("it says %q, want %q", text, want)
	}
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != ExitFailed {
		t.Errorf("exit code %d", got)
	}
}

// A signal amid Commit removes the files that have their names already.
func TestSignalInCommit(t *testing.T) {
	dir := t.TempDir()
	var o Outputs
	for _, name := range []string{"a", "b"} {
		if err := o.WriteFile(filepath.Join(dir, name), []byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.commitFile(o.pending[0]); err != nil {
		t.Fatal(err)
	}
	o.abortForGood()
	if got := names(t, dir); len(got) > 0 {
		t.Errorf("left: %q", got)
	}
}
