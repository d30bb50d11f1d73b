package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"offlink/cmd/internal/cli"
	"offlink/internal/testtool"
)

// wrapManyImages wraps images of so many MiB each that differ in their middle.
func wrapManyImages(t *testing.T, count, size int, options ...string) (object string) {
	t.Helper()
	dir := t.TempDir()
	piece := make([]byte, 1<<20)
	rand.Read(piece)
	code := bytes.Repeat(piece, size)
	table := bytes.NewBufferString("[Code]\n")
	for i := range count {
		name := filepath.Join(dir, fmt.Sprintf("%d.bin", i))
		rand.Read(code[len(code)/2:][:64])
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
	args := []string{"-kind=sycl", "-target=spir64", "-host=x86_64-unknown-linux-gnu", "-digest"}
	testtool.Peak(t, peakProgram, 0, append(append(args, options...), "-o", object, "-batch", list)...)
	return object
}

// peakProgram is the name by which [testtool.Peak] calls the program.
const peakProgram = "offload-wrap-peak"

func peakCommand() {
	testtool.PrintPeak(func() int { return run(os.Args[1:], cli.OSStreams()) })
}

// Windows of compressed images are held for two at a time, however many
// processors there are and images that are compared and left. The images have
// the largest window that is not inflated into a file.
func TestMemoryOfCompressedImages(t *testing.T) {
	checkReaderPeaks(t, 7, 9, "-offload-compress")
}

// Pages of the file go when many small images were read, as they do within a
// large one.
func TestMemoryOfManyImages(t *testing.T) { checkReaderPeaks(t, 90, 1) }

// checkReaderPeaks reads two files of such images, in each way, within 64 MiB.
func checkReaderPeaks(t *testing.T, count, size int, options ...string) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("files of up to 90 MiB")
	}
	t.Setenv("GOMAXPROCS", "16") // as on a large machine
	first, second := wrapManyImages(t, count, size, options...), wrapManyImages(t, count, size, options...)
	for _, c := range []struct {
		exit int
		args []string
	}{
		{0, []string{"list", "-v", first}},
		{1, []string{"diff", first, second}},
		{0, []string{"extract", "-o", t.TempDir(), first}},
	} {
		const limit = 64 << 20
		if peak := testtool.Peak(t, peakProgram, c.exit, c.args...); peak > limit {
			t.Errorf("%s: %d MB at most, the limit is %d MB", c.args[0], peak>>20, limit>>20)
		} else {
			t.Logf("%s: %d MB at most", c.args[0], peak>>20)
		}
	}
}
