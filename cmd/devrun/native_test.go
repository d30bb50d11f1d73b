package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"offlink/internal/testtool"
	"offlink/props"
	offlink "offlink/runtime"
	"offlink/runtime/backends"
	"offlink/runtime/devicefile"
	"offlink/runtime/driver"
	"offlink/runtime/hostdev"
	"offlink/runtime/registry"
	"offlink/runtime/resolve"
)

// builtTools builds the programs that make native images, in a folder.
func builtTools(t *testing.T) string {
	t.Helper()
	if runtime.GOARCH != "amd64" || runtime.GOOS != "linux" {
		t.Skip("the scripts make native images for x86-64")
	}
	testtool.Need(t, "gcc", "go")
	dir := t.TempDir()
	cmd := exec.Command("go", "build", "-o", dir, "../postlink", "../offload-wrap")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// TestNativeScripts runs the scripts of testdata/native: device code, to a native
// image, to a launch. $TOOLS has postlink and offload-wrap, $CLANG is a clang,
// $ONLYDEVRUN devrun and nothing else.
func TestNativeScripts(t *testing.T) {
	tools, clang := builtTools(t), testtool.OpenCLCompiler(t).Clang
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/native",
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("TOOLS", tools)
			e.Setenv("CLANG", clang)
			commands, _, _ := strings.Cut(e.Getenv("PATH"), ":") // where the script's own commands are
			e.Setenv("ONLYDEVRUN", commands)
			e.Setenv("ONEAPI_DEVICE_SELECTOR", "*:*")
			e.Setenv("OCL_ICD_VENDORS", e.WorkDir) // none
			return nil
		},
	})
}

// nativeObject makes an object of SPIR-V and native images of a module.
func nativeObject(t *testing.T, tools, module string, options ...string) string {
	t.Helper()
	dir := t.TempDir()
	table, object := filepath.Join(dir, "n.table"), filepath.Join(dir, "n.o")
	run := func(name string, args ...string) {
		if out, err := exec.Command(filepath.Join(tools, name), args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
	}
	run("postlink", append(append([]string{"-symbols", "-properties", "-to=x86_64", "-native-arch=x86-64-v2"}, options...), "-o", table, module)...)
	run("offload-wrap", "-kind=sycl", "-target=spir64", "-format=spirv", "-o", object, "-batch", table)
	return object
}

// openObject registers an object's images.
func openObject(t *testing.T, object string) (*offlink.Runtime, *registry.Snapshot) {
	t.Helper()
	rt := offlink.NewLazily(backends.Lazy(backends.Options{}), offlink.Options{Warn: func(line string) { t.Log(line) }})
	t.Cleanup(func() { rt.Shutdown() })
	f, err := devicefile.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	rt.Register(registry.Owner{Name: object}, f.Images)
	return rt, rt.Registered()
}

// A constant that is set takes the program out of the native image, whose constants
// have their defaults.
func TestNativeSpecConstants(t *testing.T) {
	tools := builtTools(t)
	object := nativeObject(t, tools, "../../testdata/sycl/spec_filter/2025.3.3/ir.bc", "-split=kernel", "-spec-const=native")
	rt, images := openObject(t, object)
	device, err := rt.Device("host")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, img := range images.Images {
		set := img.Properties.Get("SYCL/specialization constants")
		kernels := img.Kernels()
		if set == nil || len(kernels) == 0 {
			continue
		}
		precompiled := func(spec offlink.SpecConstants) error {
			p, err := rt.Program(context.Background(), device, offlink.KernelRef{Name: kernels[0], Spec: spec})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			k, err := p.Kernel()
			if err != nil {
				t.Fatal(err)
			}
			defer k.Close()
			return hostdev.Precompiled(k.Driver())
		}
		if precompiled(nil) != nil {
			continue // a kernel that has no native code
		}
		seen++
		name := set.Names()[0]
		if err := precompiled(offlink.SpecConstants{name: make([]byte, constantSize(t, set, name))}); !errors.Is(err, hostdev.ErrNoNativeImage) {
			t.Errorf("kernel %s with %s set: %v; want that it is compiled", kernels[0], name, err)
		}
	}
	if seen == 0 {
		t.Error("no kernel with specialization constants has native code")
	}
}

// constantSize is the size of a specialization constant, whose property has a record of three
// numbers of 32 bits for each part: number, place and size.
func constantSize(t *testing.T, set *props.Set, name string) uint32 {
	t.Helper()
	v, ok := set.Get(name)
	if !ok {
		t.Fatalf("no constant %s", name)
	}
	size := uint32(0)
	for data := v.Data(); len(data) >= 12; data = data[12:] {
		size = max(size, binary.LittleEndian.Uint32(data[4:])+binary.LittleEndian.Uint32(data[8:]))
	}
	return size
}

// No device but the embedded one takes a native image, though Intel's CPU device has
// native code of the same target.
func TestNativeImagesAreOurs(t *testing.T) {
	tools := builtTools(t)
	dir := t.TempDir()
	source, module := filepath.Join(dir, "k.cl"), filepath.Join(dir, "k.bc")
	if err := os.WriteFile(source, []byte("kernel void twice(global int *p) { p[get_global_id(0)] *= 2; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(testtool.OpenCLCompiler(t).Clang, "--target=spir64-unknown-unknown", "-x", "cl", "-cl-std=CL3.0", "-O1", "-c", "-emit-llvm", "-o", module, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	object := nativeObject(t, tools, module)
	_, images := openObject(t, object)
	natives := 0
	for _, img := range images.Images {
		if _, ok := img.NativeOf(); ok {
			natives++
			if got := resolve.DriverImage(img); got.Format != driver.FormatOfflinkNative || got.Target != "spir64_x86_64" {
				t.Errorf("a native image is %+v to drivers", got)
			}
		}
	}
	if natives != 1 {
		t.Errorf("%d native images, want 1", natives)
	}
	intel := testtool.Python(t, "lib/libintelocl.so")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "devrun") // the name by which the test runs the command
	if err := os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(link, "launch", "-v", "--device", "opencl:cpu", "--kernel", "twice", "--global", "3", "--arg", "buf:i32:1,2,3", object)
	cmd.Env = append(os.Environ(), "OCL_ICD_VENDORS="+intel, "ONEAPI_DEVICE_SELECTOR=*:*")
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("arg0: 2 4 6")) || !strings.Contains(string(out), "opencl") {
		t.Errorf("on Intel's CPU device: %v: %s", err, out)
	}
}
