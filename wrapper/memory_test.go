//go:build linux

package wrapper

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"offlink/internal/testtool"
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

// largeCode writes code of that many MiB, a quarter of which does not compress.
func largeCode(t *testing.T, mib int) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "large.bin")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	piece := make([]byte, 1<<20)
	for range mib {
		rand.Read(piece[:256<<10])
		if _, err := f.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	return name
}

// memoryLimit bounds the memory of reading images, whatever their size.
const memoryLimit = 64 << 20

// TestMemoryOfImages reads, hashes and compares images of 200 MiB, compressed
// and not, in a process of its own and looks at the most memory that it had.
func TestMemoryOfImages(t *testing.T) {
	if name := os.Getenv("OFFLINK_TEST_MEMORY"); name != "" {
		readImages(t, name)
		return
	}
	needBundler(t)
	dir, code := t.TempDir(), largeCode(t, 200)
	image, err := devimg.FromFile(code)
	if err != nil {
		t.Fatal(err)
	}
	large := &devimg.Image{Kind: devimg.KindSYCL, Target: "spir64", Code: image}
	scratch, err := os.Create(filepath.Join(dir, "scratch"))
	if err != nil {
		t.Fatal(err)
	}
	defer scratch.Close()
	packed, err := Compress([]*devimg.Image{large}, DefaultCompressionLevel, scratch)
	if err != nil {
		t.Fatal(err)
	}
	withSize, withoutSize := wideWindow(t, code, true), wideWindow(t, code, false)
	bundle := filepath.Join(dir, "bundle")
	// A window of 128 MiB: clang asks for long-distance matches.
	run(t, "clang-offload-bundler-19", "-type=o", "-targets=host-x86_64-unknown-linux-gnu,hip-amdgcn-amd-amdhsa--gfx906",
		"-input="+os.DevNull, "-input="+code, "-output="+bundle, "--compress")
	for name, file := range map[string]string{
		"plain":             wrapped(t, "x86_64-unknown-linux-gnu", []*devimg.Image{large}),
		"compressed":        wrapped(t, "x86_64-unknown-linux-gnu", packed),
		"compressed bundle": bundle,
		"large window":      wrapped(t, "x86_64-unknown-linux-gnu", []*devimg.Image{withSize}),
		"no size":           wrapped(t, "x86_64-unknown-linux-gnu", []*devimg.Image{withoutSize}),
	} {
		t.Run(name, func(t *testing.T) { checkPeak(t, "TestMemoryOfImages", "OFFLINK_TEST_MEMORY="+file) })
	}
}

// checkPeak runs a test in a process of its own, which prints the most memory
// that it had, and holds that to the limit. Pages of mapped files count until
// a goroutine has released them, which a busy machine lets wait: the best of
// some runs counts.
func checkPeak(t *testing.T, name string, environment ...string) {
	t.Helper()
	for run := 1; ; run++ {
		peak, out := peakOf(t, name, environment)
		t.Logf("%d MiB", peak>>20)
		if peak <= memoryLimit {
			return
		}
		if run == 5 {
			t.Fatalf("%d KiB at most in each of %d runs, want %d\n%s", peak>>10, run, memoryLimit>>10, out)
		}
	}
}

// peakOf returns the bytes that the process of a test printed, and all that it printed.
func peakOf(t *testing.T, name string, environment []string) (int64, []byte) {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^"+name+"$", "-test.v")
	c.Env = append(os.Environ(), environment...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, peak, _ := strings.Cut(string(out), "peak ")
	peak, _, _ = strings.Cut(peak, " ")
	kib, err := strconv.ParseInt(peak, 10, 64)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return kib << 10, out
}

// TestMemoryOfLibrary looks for images in a library whose data and relocations, which
// are read whole, are far more than the limit.
func TestMemoryOfLibrary(t *testing.T) {
	if name := os.Getenv("OFFLINK_TEST_LIBRARY"); name != "" {
		readImages(t, name)
		return
	}
	if testing.Short() {
		t.Skip("a library of 190 MB")
	}
	dir := t.TempDir()
	source, library := filepath.Join(dir, "large.s"), filepath.Join(dir, "large.so")
	const text = `.section .rodata
.fill 20000000, 8, 0x100000001
.section .data.rel.ro, "aw"
here:
.rept 1000000
.quad here
.endr
.section .note.GNU-stack, ""
`
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, testtool.Path(t, "gcc"), "-shared", "-nostdlib", "-o", library, source)
	checkPeak(t, "TestMemoryOfLibrary", "OFFLINK_TEST_LIBRARY="+library)
}

// TestMemoryOfReplace replaces code in a compressed bundle, which is inflated
// and compressed anew, in a process of its own.
func TestMemoryOfReplace(t *testing.T) {
	if name := os.Getenv("OFFLINK_TEST_REPLACE"); name != "" {
		replaceCode(t, name)
		return
	}
	needBundler(t)
	code := largeCode(t, 64)
	bundle := filepath.Join(t.TempDir(), "bundle")
	run(t, "clang-offload-bundler-19", "-type=o", "-targets=host-x86_64-unknown-linux-gnu,hip-amdgcn-amd-amdhsa--gfx906,hip-amdgcn-amd-amdhsa--gfx90a",
		"-input="+os.DevNull, "-input="+code, "-input="+code, "-output="+bundle, "--compress")
	checkPeak(t, "TestMemoryOfReplace", "OFFLINK_TEST_REPLACE="+bundle, "OFFLINK_TEST_CODE="+code)
}

func replaceCode(t *testing.T, name string) {
	f, err := Open(name, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	code, err := devimg.FromFile(os.Getenv("OFFLINK_TEST_CODE"))
	if err != nil {
		t.Fatal(err)
	}
	// One byte less: the same code would leave the file as it is.
	if err := f.Replace(io.Discard, 0, devimg.Section(code, 1, code.Size()-1), EditOptions{}); err != nil {
		t.Fatal(err)
	}
	printPeak(t)
}

// wideWindow returns an image of code that was compressed with a window of
// 128 MiB, as zstd --ultra -22 does, in a frame that says the size of its
// content or does not.
func wideWindow(t *testing.T, code string, sized bool) *devimg.Image {
	t.Helper()
	in, err := os.Open(code)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "wide.zst")
	out, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	encoder, err := zstd.NewWriter(nil, zstd.WithWindowSize(128<<20), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	if sized {
		encoder.ResetContentSize(out, info.Size())
	} else {
		encoder.Reset(out)
	}
	if _, err := io.Copy(encoder, in); err != nil {
		t.Fatal(err)
	}
	if err := encoder.Close(); err != nil {
		t.Fatal(err)
	}
	packed, err := devimg.FromFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return &devimg.Image{Kind: devimg.KindSYCL, Format: devimg.FormatCompressedNone, Target: "spir64", Code: packed}
}

// readImages reads images as list, extract and diff do.
func readImages(t *testing.T, name string) {
	f, err := Open(name, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	differences, err := Compare(f.Images(), f.Images(), container.NewBudget(0))
	if err != nil || len(differences) > 0 {
		t.Fatal(differences, err)
	}
	for i := range f.Images() {
		plain, err := container.Uncompress(&f.Images()[i].Image, container.NewBudget(0))
		if err != nil {
			t.Fatal(err)
		}
		if err := devimg.Copy(io.Discard, plain.Code); err != nil {
			t.Fatal(err)
		}
	}
	printPeak(t)
}

// printPeak prints the most memory that the process had.
func printPeak(t *testing.T) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Printf("peak %s \n", strings.Fields(peak)[0])
}
