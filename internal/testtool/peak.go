package testtool

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// PrintPeak runs a program's main function and prints the most memory that the
// process had after the program's own output; then it exits with the program's code.
// It is the other end of [Peak]: a command that testscript puts in the path. Linux
// only, as the figure comes from /proc. The system's count for a child (rusage) is of no
// use, as it begins with that of the parent.
func PrintPeak(program func() int) {
	code := program()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Fprintf(os.Stderr, "peak %s\n", strings.Fields(peak)[0])
	os.Exit(code)
}

// Peak runs a command that calls [PrintPeak] in a process of its own and returns the
// most memory that it had, in bytes. Another exit code than the wanted one ends the
// test.
func Peak(t testing.TB, command string, exit int, args ...string) int64 {
	t.Helper()
	path, err := exec.LookPath(command)
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
