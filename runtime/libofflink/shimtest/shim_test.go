// Package shimtest tests libofflink.so with a core that only prints the calls
// it gets: the orders in which constructors, dlopen, fork and exit can come.
package shimtest

import (
	"flag"
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
	shim := build(t)
	include, err := filepath.Abs("../../../include")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
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
