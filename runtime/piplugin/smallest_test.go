package piplugin

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"
	"offlink/runtime/driver"
)

// compileLibrary compiles a file of C to a shared library, without a warning.
func compileLibrary(t *testing.T, source string, options ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(source), ".c")+".so")
	args := append([]string{"-Wall", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden", "-I../internal/pi/include", "-o", path, source}, options...)
	if out, err := exec.Command(testtool.Path(t, "gcc"), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

const nativeKernel = `
#include <stddef.h>
#include <stdint.h>
__attribute__((visibility("default"))) const uint32_t scale_arguments = 2;
__attribute__((visibility("default"))) void scale(void **arguments, const size_t *id) {
  (*(float **)arguments[0])[id[0]] = *(float *)arguments[1] * (float)id[0];
}
`

// TestSmallestPlugin runs a kernel of native code on the small plugin, which has neither
// SPIR-V nor a compiler: docs/adding-a-backend.md shows it.
func TestSmallestPlugin(t *testing.T) {
	source := filepath.Join(t.TempDir(), "kernel.c")
	if err := os.WriteFile(source, []byte(nativeKernel), 0o666); err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile(compileLibrary(t, source))
	if err != nil {
		t.Fatal(err)
	}
	d := onlyDevice(t, openPlugin(t, compileLibrary(t, "testdata/smallest.c"), Options{}))
	if err := d.Accepts(driver.Image{Format: "spirv", Target: "spir64"}); err == nil || !strings.Contains(err.Error(), "piProgramCreate") {
		t.Errorf("SPIR-V: %v", err)
	}
	m := driver.Module{Name: "kernel.so", Image: driver.Image{Format: "native", Target: "spir64_x86_64"}, Code: code}
	p, err := driver.Build(t.Context(), d, []driver.Module{m}, driver.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if k, err := p.Kernel("nobody"); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("nobody: %v, %v", k, err)
	}
	k, err1 := p.Kernel("scale")
	memory, err2 := d.Alloc(driver.DeviceMemory, 16)
	q, err3 := d.NewQueue(driver.QueueOptions{})
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 16)
	factor := binary.LittleEndian.AppendUint32(nil, math.Float32bits(2.5))
	if err := errors.Join(
		q.Launch(k, driver.Range{Global: []int{4}}, []driver.Arg{{Memory: memory}, {Value: factor}}, driver.Sync{}),
		q.Read(memory, 0, got, driver.Sync{}), q.Finish(),
	); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		if f := math.Float32frombits(binary.LittleEndian.Uint32(got[4*i:])); f != 2.5*float32(i) {
			t.Errorf("element %d is %v", i, f)
		}
	}
	if err := errors.Join(q.Close(), k.Close(), memory.Close(), p.Close()); err != nil {
		t.Error(err)
	}
}

// TestPluginHeader: the functions of the plugin of testdata, which the suite calls, have the
// types that pi_plugin.h declares.
func TestPluginHeader(t *testing.T) {
	args := append([]string{"-c", "-Werror", "-include", "testdata/header.h", "-I../internal/pi/include", "-I../drivertest/testdata", "-o", os.DevNull, "testdata/plugin.c"}, newest...)
	if out, err := exec.Command(testtool.Path(t, "gcc"), args...).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	// A function with other types is an error, so that the test can fail.
	args = append(args, "-DpiQueueFlush(q)=piQueueFlush(q,int more)")
	if out, err := exec.Command(testtool.Path(t, "gcc"), args...).CombinedOutput(); err == nil {
		t.Errorf("a function of other types was compiled: %s", out)
	}
}
