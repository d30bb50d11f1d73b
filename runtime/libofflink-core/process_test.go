package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"offlink/internal/testtool"
	"offlink/props"
	"offlink/wrapper"
	"offlink/wrapper/devimg"
)

var update = flag.Bool("update", false, "rewrite the expected output in the scripts")

// TestScripts runs testdata/script: C programs with device code, on both
// libraries as they are installed. $LIB has the libraries, $INCLUDE is the
// folder of offlink.h. app.o and lib.o are wrapped images of the conformance
// suite's modules: lib.o exports LibDeviceFunc, which the kernel "app" in app.o
// imports.
func TestScripts(t *testing.T) {
	testtool.Need(t, "gcc")
	lib := buildLibraries(t)
	include, err := filepath.Abs("../../include")
	if err != nil {
		t.Fatal(err)
	}
	app := wrapModule(t, "app", []string{"app", "fill"}, nil)
	library := wrapModule(t, "lib", []string{"add_variable"}, []string{"LibDeviceFunc"})
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("LIB", lib)
			e.Setenv("INCLUDE", include)
			e.Setenv("LD_LIBRARY_PATH", lib+":"+e.WorkDir)
			if err := os.WriteFile(filepath.Join(e.WorkDir, "app.o"), app, 0o666); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(e.WorkDir, "lib.o"), library, 0o666)
		},
	})
}

func buildLibraries(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	shim := exec.Command("make", "-s", "-C", "../libofflink", "OUT="+dir, "CC=gcc")
	core := exec.Command("go", "build", "-buildmode=c-shared", "-o", filepath.Join(dir, "libofflink-core.so"), ".")
	for _, c := range []*exec.Cmd{shim, core} {
		c.Env = append(os.Environ(), "CGO_ENABLED=1")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", c, err, out)
		}
	}
	return dir
}

// wrapModule wraps a module of the conformance suite.
func wrapModule(t *testing.T, name string, kernels, exports []string) []byte {
	t.Helper()
	code, err := os.ReadFile("../drivertest/testdata/" + name + ".spv")
	if err != nil {
		t.Fatal(err)
	}
	img := &devimg.Image{
		Kind: devimg.KindSYCL, Format: devimg.FormatSPIRV, Target: "spir64", HasEntries: true,
		Entries: append(kernels, exports...), Code: devimg.Bytes(code), Properties: new(props.Sets),
	}
	img.Properties.Open(props.SetExportedSymbols)
	for _, symbol := range exports {
		img.Properties.Put(props.SetExportedSymbols, symbol, props.Uint32(1))
	}
	var object bytes.Buffer
	if err := wrapper.Wrap(&object, []*devimg.Image{img}, wrapper.WrapOptions{}); err != nil {
		t.Fatal(err)
	}
	return object.Bytes()
}
