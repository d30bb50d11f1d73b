package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"offlink/runtime/drivertest"
	"offlink/runtime/opencl"
)

// TestOpenCL runs the suite on the embedded device through OpenCL's loader: this library as
// its driver, and the back end for OpenCL.
func TestOpenCL(t *testing.T) {
	path := os.Getenv(pluginVariable)
	if path == "" {
		path = buildLibrary(t)
		cmd := exec.Command(os.Args[0], "-test.run=^TestOpenCL$", "-test.v", "-test.timeout=9m")
		cmd.Env = append(os.Environ(), pluginVariable+"="+path, "OCL_ICD_VENDORS="+path)
		out, err := cmd.CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Errorf("the process with the driver: %v", err)
		}
		return
	}
	d, err := opencl.Open(opencl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	devices, err := d.Devices()
	if err != nil || len(devices) == 0 || !strings.Contains(devices[0].Info().Name, "offlink") {
		t.Fatalf("%v, %v; want the embedded device first", devices, err)
	}
	drivertest.Test(t, d, drivertest.Options{})
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestOpenCLHost runs programs of OpenCL in C: calls that the back end for OpenCL does not
// make, and codes of errors.
func TestOpenCLHost(t *testing.T) {
	if _, err := os.Stat("/usr/include/CL/cl.h"); err != nil {
		t.Skip("OpenCL's headers are not installed (opencl-c-headers)")
	}
	path := buildLibrary(t)
	for _, name := range []string{"opencl", "images", "programs", "command_buffers"} {
		t.Run(name, func(t *testing.T) {
			host := filepath.Join(t.TempDir(), "host")
			build := exec.Command("gcc", "-w", "-o", host, "testdata/"+name+".c", "-l:libOpenCL.so.1")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			run := exec.Command(host, "../backends/testdata/selftest.spv")
			run.Env = append(os.Environ(), "OCL_ICD_VENDORS="+path)
			if out, err := run.Output(); err != nil || len(out) > 0 {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
