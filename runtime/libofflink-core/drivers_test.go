package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"offlink/internal/testtool"
)

// driverCases are the cases of TestTorture about forks, callbacks and the end of a process,
// whose promises hold on devices of drivers too. The driver's threads and exit
// handlers take part there.
var driverCases = []string{
	"cancelled_wait.c", "events_left.c", "exit_in_thread.c", "fork_after.c", "fork_before.c", "fork_with_plugins.c", "host_function_exit.c", "plugins_while_launching.c",
	"threads_at_exit.c", "working_callbacks.c", "wrong_order_of_closing.c",
}

// TestTortureOnDrivers: a program that forks or ends while a driver works ends in
// time, and with its own code.
func TestTortureOnDrivers(t *testing.T) {
	testtool.Need(t, "gcc")
	pocl := poclDriver(t)
	w := newWorkshop(t)
	for _, name := range []string{"libone.so", "libtwo.so"} {
		// Under dlclose a destructor has the loader's lock, which drivers take in
		// threads of their own: these libraries call nothing there.
		w.library(t, name, "testdata/torture/plugin.c.lib", "-DNO_DESTRUCTOR", "app.o", "lib.o", "-L"+w.lib, "-Wl,--no-as-needed", "-lofflink")
	}
	for _, d := range []struct{ name, vendors, without string }{
		{"intel", testtool.Python(t, "lib/libintelocl.so"), "fork_after.c"}, // in the child its exit handler waits for threads that are not there,
		{"pocl", pocl, "host_function_exit.c"},                              // its exit handler waits for the thread that called exit
	} {
		for _, source := range driverCases {
			if source == d.without {
				continue
			}
			t.Run(d.name+"/"+source, func(t *testing.T) {
				c := w.build(t, filepath.Join("testdata", "torture", source))
				c.env = w.driverEnvironment(d.vendors)
				if problem := c.run(); problem != "" {
					t.Error(problem)
				}
			})
		}
	}
}

// poclDriver is the file that names PoCL to OpenCL's loader. The PoCL of systems with
// LLVM 15 takes no SPIR-V itself.
func poclDriver(t *testing.T) string {
	t.Helper()
	if !testtool.Unavailable("llvm-spirv-15") {
		testtool.Need(t, "llvm-spirv-15")
	}
	const pocl = "/etc/OpenCL/vendors/pocl.icd"
	if _, err := os.Stat(pocl); err != nil {
		testtool.Missing(t, &exec.Error{Name: "pocl-opencl-icd", Err: err})
	}
	return pocl
}

// driverEnvironment has the loader find one driver of OpenCL.
func (w *workshop) driverEnvironment(vendors string) []string {
	return append(w.environment(), "OCL_ICD_VENDORS="+vendors, "ONEAPI_DEVICE_SELECTOR=opencl:*", "OFFLINK_LLVM_SPIRV=llvm-spirv-15", "POCL_CACHE_DIR="+filepath.Join(w.dir, "pocl"))
}

// TestNativeHandles: a C program that uses OpenCL itself and the library share a
// queue, which is the program's.
func TestNativeHandles(t *testing.T) {
	testtool.Need(t, "gcc")
	w := newWorkshop(t)
	w.compile(t, "gcc", "testdata/drivers/native.c", "-o", "native", "-L"+w.lib, "-L"+w.dir, "-Wl,--no-as-needed", "app.o", "-lhelpers", "-lofflink", "-l:libOpenCL.so.1")
	for name, vendors := range map[string]string{"intel": testtool.Python(t, "lib/libintelocl.so"), "pocl": poclDriver(t)} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(filepath.Join(w.dir, "native"))
			cmd.Env = w.driverEnvironment(vendors)
			if out, err := cmd.CombinedOutput(); err != nil || string(out) != "shared\n" {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
