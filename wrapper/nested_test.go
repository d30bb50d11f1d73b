package wrapper

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/wrapper/devimg"
)

// where lists images as "place: code".
func where(t *testing.T, name string) []string {
	t.Helper()
	f, err := Open(name, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []string
	for i := range f.Images() {
		img := &f.Images()[i]
		code, err := devimg.ReadCode(img.Code)
		if err != nil {
			t.Fatal(err)
		}
		if img.Offset >= 0 && !bytes.Equal(f.data[img.Offset:][:len(code)], code) {
			t.Errorf("image %d is not at %#x", i, img.Offset)
		}
		img.Offset = -1
		list = append(list, img.Location.String()+": "+string(code[:min(len(code), 16)]))
	}
	return list
}

// inFolder writes files into a new folder and makes it the current one.
func inFolder(t *testing.T, contents map[string][]byte) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, data := range contents {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func goldenFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(goldenDir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestNested makes archives, fat objects and OffloadBinaries with LLVM's
// tools, in each other, and finds, replaces and removes the images in them.
func TestNested(t *testing.T) {
	inFolder(t, map[string][]byte{
		"wrapped.o": goldenFile(t, "batch_of_three/wrapped.pic.o"),
		"win.obj":   goldenFile(t, "windows_one_image/wrapped.obj"),
		"empty.c":   []byte("int unit;\n"),
		"a.bc":      []byte("BC\xc0\xdefirst"),
		"b.bc":      []byte("BC\xc0\xdesecond"),
	})
	run(t, "gcc", "-c", "-o", "host.o", "empty.c")
	needBundler(t)
	run(t, "clang-offload-packager-19", "-o", "packed.bin",
		"--image=file=a.bc,triple=spir64,arch=,kind=openmp", "--image=file=b.bc,triple=nvptx64,arch=sm_70,kind=cuda")
	run(t, "llvm-objcopy-19", "--add-section=.llvm.offloading=packed.bin", "--set-section-flags=.llvm.offloading=exclude", "host.o", "offload.o")
	run(t, "clang-offload-bundler-19", "-compress", "-type=bc", "-targets=host-x86_64-unknown-linux-gnu,hip-amdgcn-amd-amdhsa--gfx906",
		"-input=a.bc", "-input=b.bc", "-output=bundle.bc")
	run(t, "llvm-objcopy-19", "--add-section=__CLANG_OFFLOAD_BUNDLE__sycl-spir64=a.bc", "--add-section=__CLANG_OFFLOAD_BUNDLE__host-x86_64=wrapped.o",
		"--add-section=__CLANG_OFFLOAD_BUNDLE__hip-gfx906=bundle.bc", "host.o", "fat.o")
	run(t, "llvm-ar-19", "rcs", "lib.a", "wrapped.o", "offload.o", "fat.o", "empty.c", "win.obj")
	// An archive in a section of an object, as fat archives have.
	run(t, "llvm-objcopy-19", "--add-section=__CLANG_OFFLOAD_BUNDLE__sycl-spir64_gen=lib.a", "host.o", "deep.o")

	inner := []string{
		"(wrapped.o) section __CLANG_OFFLOAD_BUNDLE__sycl-spir64: \x03\x02#\a",
		"(offload.o) (.llvm.offloading) OffloadBinary: BC\xc0\xdefirst",
		"(offload.o) (.llvm.offloading) OffloadBinary: BC\xc0\xdesecond",
		"(fat.o) section __CLANG_OFFLOAD_BUNDLE__sycl-spir64: BC\xc0\xdefirst",
		"(fat.o) (__CLANG_OFFLOAD_BUNDLE__host-x86_64) section __CLANG_OFFLOAD_BUNDLE__sycl-spir64: \x03\x02#\a",
		"(fat.o) (__CLANG_OFFLOAD_BUNDLE__hip-gfx906) clang offload bundle (compressed): BC\xc0\xdesecond",
		"(win.obj) section __CLANG_OFFLOAD_BUNDLE__sycl-spir64: \x03\x02#\a",
	}
	for _, test := range []struct{ name, prefix string }{{"lib.a", ""}, {"deep.o", "(__CLANG_OFFLOAD_BUNDLE__sycl-spir64_gen) "}} {
		var got []string
		for _, line := range where(t, test.name) {
			place, code, _ := strings.Cut(line, ": ")
			if strings.HasPrefix(code, "\x03\x02#\a") { // SPIR-V: the rest is not looked at
				code = code[:4]
			}
			got = append(got, place+": "+code)
		}
		var want []string
		for _, line := range inner {
			want = append(want, test.prefix+line)
		}
		if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
			t.Errorf("images of %s (-want +got):\n%s", test.name, diff)
		}
		testNestedEdits(t, test.name)
	}
	run(t, "gcc", "-c", "-o", "main.o", "-x", "c", "/dev/null")
	run(t, "llvm-nm-19", "--print-armap", edited(t, "lib.a", func(f *File, w *os.File) error {
		return f.Replace(w, 0, devimg.Bytes(make([]byte, 12345)), EditOptions{})
	}))
}

// testNestedEdits replaces and removes each image and reads the others.
func testNestedEdits(t *testing.T, name string) {
	t.Helper()
	before := where(t, name)
	for i := range before {
		for _, code := range []string{"tiny", strings.Repeat("large", 3000)} {
			want := slices.Clone(before)
			place, _, _ := strings.Cut(want[i], ": ")
			want[i] = place + ": " + code[:min(16, len(code))]
			if diff := cmp.Diff(want, where(t, replaced(t, name, i, []byte(code)))); diff != "" {
				t.Errorf("%s: after replacing image %d (-want +got):\n%s", name, i, diff)
			}
		}
		if strings.Contains(before[i], "fat.o) section") {
			testRefused(t, name, i, "llvm-objcopy")
			continue
		}
		if diff := cmp.Diff(append(before[:i:i], before[i+1:]...), where(t, removed(t, name, i))); diff != "" {
			t.Errorf("%s: after removing image %d (-want +got):\n%s", name, i, diff)
		}
	}
}

// testRefused removes an image that cannot be removed.
func testRefused(t *testing.T, name string, i int, want string) {
	t.Helper()
	f, err := Open(name, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Remove(io.Discard, i); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Remove(%d) of %s = %v, want %q", i, name, err, want)
	}
}
