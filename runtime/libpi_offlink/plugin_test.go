package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"
	"offlink/runtime/drivertest"
	"offlink/runtime/piplugin"
)

// pluginVariable names the library in a child process, which has the Go of the
// test and that of the library.
const pluginVariable = "OFFLINK_TEST_PI_OFFLINK"

// buildLibrary builds libpi_offlink.so as the Makefile does.
func buildLibrary(t *testing.T) string {
	t.Helper()
	testtool.Need(t, "gcc")
	path := filepath.Join(t.TempDir(), "libpi_offlink.so")
	cmd := exec.Command(testtool.Path(t, "go"), "build", "-trimpath", "-ldflags", "-s -w -X runtime.godebugDefault=asyncpreemptoff=1", "-buildmode=c-shared", "-o", path, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// TestConformance runs the suite on the embedded device through the plugin
// interface: this library, and the adapter for plugins.
func TestConformance(t *testing.T) {
	path := os.Getenv(pluginVariable)
	if path == "" {
		path = buildLibrary(t)
		cmd := exec.Command(os.Args[0], "-test.run=^TestConformance$", "-test.v", "-test.timeout=9m")
		cmd.Env = append(os.Environ(), pluginVariable+"="+path)
		out, err := cmd.CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Errorf("the process with the plugin: %v", err)
		}
		return
	}
	d, err := piplugin.Open(piplugin.Options{Libraries: []string{path}})
	if err != nil {
		t.Fatal(err)
	}
	if d.Name() != "offlink" || !strings.HasPrefix(d.Version(), "PI 15.47") {
		t.Errorf("name %s, version %s", d.Name(), d.Version())
	}
	drivertest.Test(t, d, drivertest.Options{})
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestHost runs a host in C: entries that are not supported say so, rectangles are copied,
// native handles are objects of OpenCL, sub-devices have their part of the threads, and a kernel that fails is named on standard error once.
func TestHost(t *testing.T) {
	path, host := buildLibrary(t), filepath.Join(t.TempDir(), "host")
	build := exec.Command(testtool.Path(t, "gcc"), "-w", "-I../internal/pi/include", "-o", host, "testdata/host.c", "-ldl")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var told strings.Builder
	run := exec.Command(host, path, "../backends/testdata/selftest.spv")
	run.Stderr = &told
	run.Env = append(os.Environ(), "GOMAXPROCS=4")
	if out, err := run.Output(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s%s", err, out, &told)
	}
	if text := told.String(); !strings.HasPrefix(text, "libpi_offlink: kernel selftest, ") || strings.Count(text, "libpi_offlink: ") != 1 {
		t.Errorf("standard error: %q; want the failure of the kernel once", text)
	}
}
