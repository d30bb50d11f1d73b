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
	testtool.Peak(t, peakProgram, 0, "-kind=sycl", "-target=spir64", "-host=x86_64-unknown-linux-gnu", "-digest",
		"-offload-compress", "-o", object, "-batch", list)
	return object
}

// peakProgram is the name by which [testtool.Peak] calls the program.
const peakProgram = "offload-wrap-peak"

func peakCommand() {
	testtool.PrintPeak(func() int { return run(os.Args[1:], cli.OSStreams()) })
}

// Windows of compressed images are held for two at a time, however many
// processors there are and images that are compared and left.
func TestMemoryOfCompressedImages(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("images of 12 MiB")
	}
	t.Setenv("GOMAXPROCS", "16") // as on a large machine
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
		if peak := testtool.Peak(t, peakProgram, c.exit, c.args...); peak > limit {
			t.Errorf("%s: %d MB at most, the limit is %d MB", c.args[0], peak>>20, limit>>20)
		} else {
			t.Logf("%s: %d MB at most", c.args[0], peak>>20)
		}
	}
}
