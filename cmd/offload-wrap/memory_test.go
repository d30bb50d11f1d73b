package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"offlink/cmd/internal/cli"
)

// compressedImages wraps images that differ in their middle, compressed with the
// largest window that is not inflated into a file.
func compressedImages(t *testing.T, count int) (object string) {
	t.Helper()
	dir := t.TempDir()
	piece, code := make([]byte, 1<<20), []byte(nil)
	rand.Read(piece)
	for range 12 {
		code = append(code, piece...)
	}
	table := bytes.NewBufferString("[Code]\n")
	for i := range count {
		name := filepath.Join(dir, fmt.Sprintf("%d.bin", i))
		rand.Read(code[6<<20 : 6<<20+64])
		if err := os.WriteFile(name, code, 0o600); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(table, name)
	}
	list := filepath.Join(dir, "images.table")
	if err := os.WriteFile(list, table.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	object = filepath.Join(dir, "images.o")
	runPeak(t, 0, "-kind=sycl", "-target=spir64", "-host=x86_64-unknown-linux-gnu", "-digest",
		"-offload-compress", "-o", object, "-batch", list)
	return object
}

// peakProgram is the name by which tests call peakCommand.
const peakProgram = "offload-wrap-peak"

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
	cmd.Env = append(os.Environ(), "GOMAXPROCS=16")
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

// Windows of compressed images are held for two at a time, however many
// processors there are and images that are compared and left.
func TestMemoryOfCompressedImages(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("images of 12 MiB")
	}
	first, second := compressedImages(t, 10), compressedImages(t, 10)
	for _, c := range []struct {
		exit int
		args []string
	}{
		{0, []string{"list", "-v", first}},
		{1, []string{"diff", first, second}},
		{0, []string{"extract", "-o", t.TempDir(), first}},
	} {
		limit := int64(64 << 20)
		for _, object := range []string{first, second} { // the mapped files are memory of the process, too
			info, err := os.Stat(object)
			if err != nil {
				t.Fatal(err)
			}
			limit += info.Size()
		}
		if peak := runPeak(t, c.exit, c.args...); peak > limit {
			t.Errorf("%s: %d MB at most, the limit is %d MB", c.args[0], peak>>20, limit>>20)
		} else {
			t.Logf("%s: %d MB at most", c.args[0], peak>>20)
		}
	}
}
