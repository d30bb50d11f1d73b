// Package shimtest tests libofflink.so with a core that only prints the calls
// it gets: the orders in which constructors, dlopen, fork and exit can come.
package shimtest

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"offlink/internal/testtool"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expected output in the scripts")

// TestScripts runs testdata/script. In a script $SHIM is a folder with
// libofflink.so and the printing core, $INCLUDE that of offlink.h, and every
// library that is built lies in the working folder.
func TestScripts(t *testing.T) {
	testtool.Need(t, "gcc")
	runScripts(t)
}

// TestSanitized runs the scripts with everything built by gcc's sanitizers: a race, a
// use of freed memory, a leak or undefined behavior fails the program that has it.
func TestSanitized(t *testing.T) {
	gcc := testtool.Path(t, "gcc")
	path := os.Getenv("PATH")
	for _, sanitizers := range []string{"address,undefined", "thread"} {
		t.Run(sanitizers, func(t *testing.T) {
			folder := t.TempDir()
			script := "#!/bin/sh\nexec '" + gcc + "' -g -fsanitize=" + sanitizers + " -fno-sanitize-recover=undefined \"$@\"\n"
			if err := os.WriteFile(filepath.Join(folder, "gcc"), []byte(script), 0o777); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", folder+":"+path)
			// A preloaded library of a script comes before the sanitizer's.
			runScripts(t, "ASAN_OPTIONS=verify_asan_link_order=0")
		})
	}
}

// runScripts runs the scripts with further variables.
func runScripts(t *testing.T, environment ...string) {
	t.Helper()
	shim := build(t)
	include, err := filepath.Abs("../../../include")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, environment...)
			e.Setenv("SHIM", shim)
			e.Setenv("INCLUDE", include)
			e.Setenv("LD_LIBRARY_PATH", shim+":"+e.WorkDir)
			return nil
		},
	})
}

// build makes libofflink.so and its core in a new folder.
func build(t *testing.T) string {
	t.Helper()
	shim := t.TempDir()
	make := exec.Command("make", "-s", "-C", "..", "OUT="+shim, "CC=gcc")
	core := exec.Command("gcc", "-shared", "-fPIC", "-Wall", "-Werror", "-I..", "-I../../../include",
		"-o", filepath.Join(shim, "libofflink-core.so"), "testdata/core.c", "-lpthread")
	for _, c := range []*exec.Cmd{make, core} {
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", c, err, out)
		}
	}
	return shim
}
