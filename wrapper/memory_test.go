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

// memoryLimit is what reading images may take, whatever their size.
const memoryLimit = 64 << 20

// TestMemoryOfImages reads, hashes and compares images of 200 MiB, compressed
// and not, in a process of its own and looks at the most memory that it had.
func TestMemoryOfImages(t *testing.T) {
	if name := os.Getenv("OFFLINK_TEST_MEMORY"); name != "" {
		readImages(t, name)
		return
	}
	testtool.Need(t, "clang-offload-bundler-19")
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
	bundle := filepath.Join(dir, "bundle")
	// A window of 128 MiB: clang asks for long-distance matches.
	run(t, "clang-offload-bundler-19", "-type=o", "-targets=host-x86_64-unknown-linux-gnu,hip-amdgcn-amd-amdhsa--gfx906",
		"-input="+os.DevNull, "-input="+code, "-output="+bundle, "--compress")
	for name, file := range map[string]string{
		"plain":             wrapped(t, "x86_64-unknown-linux-gnu", []*devimg.Image{large}),
		"compressed":        wrapped(t, "x86_64-unknown-linux-gnu", packed),
		"compressed bundle": bundle,
	} {
		t.Run(name, func(t *testing.T) {
			c := exec.Command(os.Args[0], "-test.run=^TestMemoryOfImages$", "-test.v")
			c.Env = append(os.Environ(), "OFFLINK_TEST_MEMORY="+file)
			out, err := c.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			_, peak, _ := strings.Cut(string(out), "peak ")
			peak, _, _ = strings.Cut(peak, " ")
			kib, err := strconv.ParseInt(peak, 10, 64)
			if err != nil || kib<<10 > memoryLimit {
				t.Errorf("%q KiB at most, want %d\n%s", peak, memoryLimit>>10, out)
			}
		})
	}
}

// readImages does what list, extract and diff do with images.
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
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Printf("peak %s \n", strings.Fields(peak)[0])
}
