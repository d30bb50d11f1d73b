package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
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
// imports. all.o has the other kernels of that module too, with a specialization
// constant "the answer" of two integers; global.o is lib.o with the device
// global "variable". The kernel "call" in pointers.o calls a pointer to a function,
// such as those that chosen.o exports. The kernel "fill" of subtract.o subtracts.
func TestScripts(t *testing.T) {
	runScripts(t, nil, "", "ONEAPI_DEVICE_SELECTOR=host:*") // whatever drivers are installed
}

// TestScriptsOnOpenCL runs those that do not depend on the embedded device on
// Intel's CPU device.
func TestScriptsOnOpenCL(t *testing.T) {
	driver := testtool.Python(t, "lib/libintelocl.so")
	files := []string{"testdata/script/commands.txtar", "testdata/script/direct.txtar", "testdata/script/direct_failure.txtar", "testdata/script/direct_untold.txtar", "testdata/script/pointers.txtar", "testdata/script/callbacks.txtar", "testdata/script/orders.txtar", "testdata/script/threads.txtar", "testdata/script/classes.txtar"}
	runScripts(t, files, "", "ONEAPI_DEVICE_SELECTOR=opencl:*", "OCL_ICD_VENDORS="+driver, "CANNOT_ABORT=1")
}

// TestScriptsOnBuffers runs the launches without Go on a device whose memory has no
// addresses: the library of the OpenCL back end's own tests.
func TestScriptsOnBuffers(t *testing.T) {
	folder := t.TempDir()
	build := exec.Command(testtool.Path(t, "gcc"), "-shared", "-fPIC", "-DNO_USM", "-DNO_SVM", "-I../drivertest/testdata",
		"-o", filepath.Join(folder, "libOpenCL.so.1"), "../opencl/testdata/libopencl.c", "-lpthread")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files := []string{"testdata/script/direct.txtar", "testdata/script/direct_untold.txtar"}
	runScripts(t, files, folder, "ONEAPI_DEVICE_SELECTOR=opencl:*", "CANNOT_ABORT=1", "FAKE_DRIVER=1")
}

// runScripts runs scripts, all of them if files is nil, with an environment. The
// loader looks into the folder too, unless it is empty.
func runScripts(t *testing.T, files []string, folder string, environment ...string) {
	testtool.Need(t, "gcc", "g++")
	lib := buildLibraries(t)
	include, err := filepath.Abs("../../include")
	if err != nil {
		t.Fatal(err)
	}
	libraryCode, err := os.ReadFile("../drivertest/testdata/lib.spv")
	if err != nil {
		t.Fatal(err)
	}
	app := wrapModule(t, "app", []string{"app", "fill"}, nil)
	library := wrapModule(t, "lib", []string{"add_variable"}, []string{"LibDeviceFunc"})
	all := wrapModule(t, "app", []string{"app", "fill", "ids", "count", "follow", "last", "special", "endless", "sums", "required"}, nil, func(p *props.Sets) {
		p.Put(props.SetSpecConstants, "the answer", props.Uint32s(3, 0, 4, 4, 4, 4))
	})
	global := wrapModule(t, "lib", []string{"add_variable"}, []string{"LibDeviceFunc"}, func(p *props.Sets) {
		p.Put(props.SetDeviceGlobals, "variable", props.Bytes([]byte{4, 0, 0, 0, 1, 0, 0, 0}))
	})
	subtract := subtractingModule(t)
	pointers := wrapModule(t, "pointers", []string{"call"}, []string{"own"})
	chosen := wrapModule(t, "chosen", nil, []string{"twice", "square"})
	params := testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, environment...)
			e.Setenv("LIB", lib)
			e.Setenv("INCLUDE", include)
			path := lib + ":" + e.WorkDir
			if folder != "" {
				path += ":" + folder
			}
			e.Setenv("LD_LIBRARY_PATH", path)
			if err := os.WriteFile(filepath.Join(e.WorkDir, "app.o"), app, 0o666); err != nil {
				return err
			}
			for name, object := range map[string][]byte{"lib.o": library, "all.o": all, "global.o": global, "pointers.o": pointers, "chosen.o": chosen, "subtract.o": subtract, "lib.spv": libraryCode} {
				if err := os.WriteFile(filepath.Join(e.WorkDir, name), object, 0o666); err != nil {
					return err
				}
			}
			return nil
		},
	}
	if files != nil {
		params.Dir, params.Files = "", files
	}
	testscript.Run(t, params)
}

// libraries is the folder that buildLibraries made, once for all tests.
var libraries struct {
	sync.Mutex
	dir string
}

func TestMain(m *testing.M) {
	code := m.Run()
	if libraries.dir != "" {
		os.RemoveAll(libraries.dir)
	}
	os.Exit(code)
}

func buildLibraries(t *testing.T) string {
	t.Helper()
	libraries.Lock()
	defer libraries.Unlock()
	if libraries.dir != "" {
		return libraries.dir
	}
	dir, err := os.MkdirTemp("", "libofflink")
	if err != nil {
		t.Fatal(err)
	}
	shim := exec.Command("make", "-s", "-C", "../libofflink", "OUT="+dir, "CC=gcc")
	core := exec.Command("go", "build", "-buildmode=c-shared", "-ldflags=-X runtime.godebugDefault=asyncpreemptoff=1", "-o", filepath.Join(dir, "libofflink-core.so"), ".")
	for _, c := range []*exec.Cmd{shim, core} {
		c.Env = append(os.Environ(), "CGO_ENABLED=1")
		if out, err := c.CombinedOutput(); err != nil {
			os.RemoveAll(dir)
			t.Fatalf("%v: %v\n%s", c, err, out)
		}
	}
	libraries.dir = dir
	return dir
}

// subtractingModule wraps app.spv with a kernel "fill" that subtracts its argument where
// the original adds it.
func subtractingModule(t *testing.T) []byte {
	t.Helper()
	code, err := os.ReadFile("../drivertest/testdata/app.spv")
	if err != nil {
		t.Fatal(err)
	}
	add, sub := []byte{129, 0, 5, 0}, []byte{131, 0, 5, 0} // OpFAdd, OpFSub
	if bytes.Count(code, add) != 1 {
		t.Fatal("app.spv does not have one addition of floats")
	}
	return bytes.Replace(wrapModule(t, "app", []string{"fill"}, nil), code, bytes.Replace(code, add, sub, 1), 1)
}

// wrapModule wraps a module of the conformance suite.
func wrapModule(t *testing.T, name string, kernels, exports []string, edits ...func(*props.Sets)) []byte {
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
	for _, edit := range edits {
		edit(img.Properties)
	}
	var object bytes.Buffer
	if err := wrapper.Wrap(&object, []*devimg.Image{img}, wrapper.WrapOptions{}); err != nil {
		t.Fatal(err)
	}
	return object.Bytes()
}
