package headers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/internal/testtool"
)

const runSource = `#include <offlink/device.h>
OFFLINK_DEVICE_GLOBAL(int, counter) = 7;
OFFLINK_EXTERNAL INLINE int twice(int i) { return i * 2 + counter; }
OFFLINK_KERNEL void app(OFFLINK_GLOBAL int *out, OFFLINK_LOCAL int *tmp) {
  __SIZE_TYPE__ i = get_global_id(0);
  tmp[get_local_id(0)] = (int)get_global_size(0);
  barrier(1u);
  out[i] = twice((int)i) + tmp[0] + (int)get_work_dim();
}
`

// TestDeviceRuns takes a marked kernel in every language through all the
// programs. (Translators of LLVM 15 take typed pointers only.)
func TestDeviceRuns(t *testing.T) {
	for _, tool := range []string{"clang-14", "clang-15", "llvm-as-15", "llvm-spirv-15"} {
		testtool.Need(t, tool)
	}
	bin := t.TempDir()
	execute(t, ".", "go", "build", "-o", bin, "../../cmd/postlink", "../../cmd/offload-wrap", "../../cmd/devrun")
	for _, compiler := range []string{"clang-14", "clang-15 -Xclang -no-opaque-pointers"} {
		for _, l := range []struct{ args, inline, kernel string }{
			{"-x cl -cl-std=CL3.0", "", "app"},
			{"-x cl -cl-std=clc++", "inline", "app"},
			{"-x c", "", "app"},
			{"-x c++", "inline", "_Z3appPU3AS1iPU3AS3i"},
		} {
			for _, text := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s %s text=%v", compiler, l.args, text), func(t *testing.T) {
					t.Parallel()
					dir := filepath.Dir(write(t, "dev", strings.ReplaceAll(runSource, "INLINE", l.inline)))
					object := wrapDevice(t, bin, dir, strings.Fields(compiler+" "+l.args), text)
					got := execute(t, dir, filepath.Join(bin, "devrun"), "launch", "--kernel", l.kernel, "--global", "4",
						"--arg", "buf:i32:4", "--arg", "local:64", object)
					if want := "arg0: 12 14 16 18\n"; got != want {
						t.Errorf("got %s; want %s", got, want)
					}
				})
			}
		}
	}
}

// postlinkFlags are the flags for images that the runtime links.
var postlinkFlags = []string{
	"-split=source", "-symbols", "-properties", "-emit-exported-symbols", "-emit-imported-symbols",
	"-device-globals", "-device-image-dependencies=externals",
}

// wrapDevice makes an object of dir/dev, whose module is text or bitcode.
func wrapDevice(t *testing.T, bin, dir string, compiler []string, text bool) string {
	t.Helper()
	module, form := "dev.bc", "-c"
	if text {
		module, form = "dev.ll", "-S"
	}
	compileDevice(t, dir, compiler, form, module)
	postlink := append(slices.Clone(postlinkFlags), "-o", "dev.table", module)
	if text {
		postlink = append(postlink, "-S")
	}
	execute(t, dir, filepath.Join(bin, "postlink"), postlink...)
	if text {
		execute(t, dir, "llvm-as-15", "-o", "dev_0.bc", "dev_0.ll")
	}
	execute(t, dir, "llvm-spirv-15", "--spirv-max-version=1.1", "-o", "dev.spv", "dev_0.bc")
	execute(t, dir, filepath.Join(bin, "offload-wrap"), "-kind=sycl", "-target=spir64", "-format=spirv",
		"-entries=dev_0.sym", "-properties=dev_0.prop", "-o", "dev.o", "dev.spv")
	return "dev.o"
}

// compileDevice compiles dir/dev; form is -S or -c.
func compileDevice(t *testing.T, dir string, compiler []string, form, out string) {
	t.Helper()
	include, err := filepath.Abs("../../include")
	if err != nil {
		t.Fatal(err)
	}
	args := append(slices.Clone(compiler[1:]), "--target=spir64-unknown-unknown", "-O2", "-I"+include, form, "-emit-llvm", "-o", out, "dev")
	execute(t, dir, compiler[0], args...)
}

const marksSource = `#include <offlink/device.h>
typedef int quad[4];
OFFLINK_EXTERNAL int imported(int i);
OFFLINK_DEVICE_GLOBAL(int, counter) = 7;
OFFLINK_DEVICE_GLOBAL(quad, table, "the table") = {1, 2, 3, 4};
OFFLINK_EXTERNAL INLINE int twice(int i) { return i * 2 + counter; }
OFFLINK_KERNEL void app(OFFLINK_GLOBAL int *out, OFFLINK_LOCAL int *tmp) {
  __SIZE_TYPE__ i = get_global_id(0);
  tmp[get_local_id(0)] = (int)get_global_size(0);
  barrier(1u);
  out[i] = twice((int)i) + tmp[0] + imported(table[i & 3]);
}
#if defined(__cplusplus) && !defined(__OPENCL_CPP_VERSION__)
namespace n {
template <typename T> OFFLINK_KERNEL void fill(OFFLINK_GLOBAL T *out) { out[get_global_id(0)] = T(3); }
template OFFLINK_KERNEL void fill<float>(OFFLINK_GLOBAL float *);
OFFLINK_KERNEL inline void five(OFFLINK_GLOBAL int *out) { out[get_global_id(0)] = 5; }
}
#endif
`

// TestMarksInBothForms: text and bitcode of one module become the same images,
// kernels among them, with the same properties and symbols.
func TestMarksInBothForms(t *testing.T) {
	dir := t.TempDir()
	build := sync.OnceFunc(func() { execute(t, ".", "go", "build", "-o", dir, "../../cmd/postlink") })
	for _, version := range []string{"14", "15", "16", "19"} {
		for _, l := range []struct {
			args, inline string
			kernels      int
		}{
			{"-x cl -cl-std=CL3.0", "", 1},
			{"-x cl -cl-std=clc++", "inline", 1},
			{"-x c", "", 1},
			{"-x c++ -g", "inline", 3},
		} {
			t.Run(version+" "+l.args, func(t *testing.T) {
				for _, tool := range []string{"clang-", "llvm-as-", "llvm-dis-"} {
					testtool.Need(t, tool+version)
				}
				build() // not for subtests that are all skipped
				t.Parallel()
				bin, dir := dir, filepath.Dir(write(t, "dev", strings.ReplaceAll(marksSource, "INLINE", l.inline)))
				text := markedImage(t, bin, dir, version, l.args, true)
				bitcode := markedImage(t, bin, dir, version, l.args, false)
				if diff := cmp.Diff(text, bitcode); diff != "" {
					t.Errorf("-text +bitcode:\n%s", diff)
				}
				if n := strings.Count(bitcode, "define dso_local spir_kernel") + strings.Count(bitcode, "define weak_odr dso_local spir_kernel") +
					strings.Count(bitcode, "define linkonce_odr dso_local spir_kernel"); n != l.kernels {
					t.Errorf("%d kernels; want %d:\n%s", n, l.kernels, bitcode)
				}
			})
		}
	}
}

// markedImage returns the image as LLVM reads it, its properties and symbols.
func markedImage(t *testing.T, bin, dir, version, args string, text bool) string {
	t.Helper()
	form, name, flags := "-c", "b", postlinkFlags
	if text {
		form, name, flags = "-S", "t", append(slices.Clone(flags), "-S")
	}
	compileDevice(t, dir, strings.Fields("clang-"+version+" "+args), form, name)
	execute(t, dir, filepath.Join(bin, "postlink"), append(slices.Clone(flags), "-o", name+".table", name)...)
	if text {
		execute(t, dir, "llvm-as-"+version, "-o", name+"_0.bc", name+"_0.ll")
	}
	execute(t, dir, "llvm-dis-"+version, "-o", name+".dis", name+"_0.bc")
	var all strings.Builder
	for _, file := range []string{name + ".dis", name + "_0.prop", name + "_0.sym"} {
		b, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, ok := strings.Cut(string(b), "\nsource_filename")
		if !ok { // not the module, whose first line is its file's name
			rest = string(b)
		}
		all.WriteString(rest)
	}
	return all.String()
}

func execute(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	c := exec.Command(program, args...)
	c.Dir, c.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", c, err, out)
	}
	return string(out)
}
