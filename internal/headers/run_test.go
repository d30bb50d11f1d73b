package headers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

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
			t.Run(compiler+" "+l.args, func(t *testing.T) {
				t.Parallel()
				dir := filepath.Dir(write(t, "dev", strings.ReplaceAll(runSource, "INLINE", l.inline)))
				object := wrapDevice(t, bin, dir, strings.Fields(compiler+" "+l.args))
				got := execute(t, dir, filepath.Join(bin, "devrun"), "launch", "--kernel", l.kernel, "--global", "4",
					"--arg", "buf:i32:4", "--arg", "local:64", object)
				if want := "arg0: 12 14 16 18\n"; got != want {
					t.Errorf("got %s; want %s", got, want)
				}
			})
		}
	}
}

// wrapDevice makes an object of dir/dev.
func wrapDevice(t *testing.T, bin, dir string, compiler []string) string {
	t.Helper()
	include, err := filepath.Abs("../../include")
	if err != nil {
		t.Fatal(err)
	}
	execute(t, dir, compiler[0], append(compiler[1:], "--target=spir64-unknown-unknown", "-O2", "-I"+include, "-S", "-emit-llvm", "-o", "dev.ll", "dev")...)
	execute(t, dir, filepath.Join(bin, "postlink"), "-split=source", "-symbols", "-properties", "-emit-exported-symbols",
		"-emit-imported-symbols", "-device-globals", "-device-image-dependencies=externals", "-S", "-o", "dev.table", "dev.ll")
	execute(t, dir, "llvm-as-15", "-o", "dev.bc", "dev_0.ll")
	execute(t, dir, "llvm-spirv-15", "--spirv-max-version=1.1", "-o", "dev.spv", "dev.bc")
	execute(t, dir, filepath.Join(bin, "offload-wrap"), "-kind=sycl", "-target=spir64", "-format=spirv",
		"-entries=dev_0.sym", "-properties=dev_0.prop", "-o", "dev.o", "dev.spv")
	return "dev.o"
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
