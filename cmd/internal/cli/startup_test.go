//go:build linux && (amd64 || arm64)

package cli

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"
)

// buildAsRelease builds a program with the command that make runs for postlink.
func buildAsRelease(t *testing.T, program string) (binary string) {
	t.Helper()
	testtool.Need(t, "make")
	makefile := exec.Command("make", "-s", "-n", "-B", "bin/postlink")
	makefile.Dir = filepath.Join("..", "..", "..")
	recipe, err := makefile.Output()
	if err != nil {
		t.Fatalf("make: %v", err)
	}
	binary = filepath.Join(t.TempDir(), "program")
	command := strings.NewReplacer("bin/postlink", binary, "./cmd/postlink", program).Replace(string(recipe))
	build := exec.Command("sh", "-c", command)
	build.Dir = makefile.Dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return binary
}

// TestClosedStreams has a program started without some of its standard streams.
func TestClosedStreams(t *testing.T) {
	program := buildAsRelease(t, "./cmd/internal/cli/testdata/streams")
	for _, test := range []struct {
		line, stderr string
		code         int
	}{
		{"print >&-", "streams: standard output is closed\n", ExitFailed},
		{"print >&- 2>&-", "", ExitFailed},
		{"print >&- <&-", "streams: standard output is closed\n", ExitFailed},
		{"output >&-", "streams: error opening the file '/dev/stdout': the stream is closed\n", ExitFailed},
		{"become >&- 2>/dev/null", "", ExitFailed},
		{"become >/dev/null", "", ExitOK},
		{"nothing <&- >&- 2>&-", "", ExitOK},
		{"print <&- 2>&-", "", ExitOK},
		{"read <&-", "0 bytes\nstreams: standard input is closed\n", ExitFailed},
		{"read </dev/null", "0 bytes\n", ExitOK},
		// As Python and Node.js open it for a child whose streams nobody wants.
		{"print 1<>/dev/null", "", ExitOK},
		{"output 1<>/dev/null", "", ExitOK},
		{"read 0<>/dev/null", "0 bytes\n", ExitOK},
		{"print >/dev/full", "streams: error writing to standard output: no space left on device\n", ExitFailed},
		{"print 2>/dev/full", "", ExitOK},
	} {
		var stderr bytes.Buffer
		cmd := exec.Command("sh", "-c", `"$0" `+test.line, program)
		cmd.Stderr = &stderr
		err := cmd.Run()
		code := 0
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			code = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		if code != test.code || stderr.String() != test.stderr {
			t.Errorf("%s: exit %d, want %d; standard error %q, want %q", test.line, code, test.code, stderr.String(), test.stderr)
		}
	}
}
