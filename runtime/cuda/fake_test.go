package cuda

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"offlink/internal/testtool"
	"offlink/runtime/driver"
	"offlink/runtime/drivertest"
	"offlink/runtime/internal/dl"
)

// fake is the library of testdata/fakecuda.c.
type fake struct {
	path    string
	library *dl.Library
}

var buildFake = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "fakecuda")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "libfakecuda.so")
	out, err := exec.Command("gcc", "-O1", "-shared", "-fPIC", "-o", path, "testdata/fakecuda.c", "-lpthread").CombinedOutput()
	if err != nil {
		return "", &exec.Error{Name: "gcc: " + string(out), Err: err}
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := buildFake(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

func openFake(t testing.TB) *fake {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the test's library is built on Linux")
	}
	testtool.Need(t, "gcc")
	path, err := buildFake()
	if err != nil {
		t.Fatal(err)
	}
	library, err := dl.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{path, library}
	f.call(t, "fake_reset")
	t.Cleanup(func() {
		f.call(t, "fake_set_hook", 0)
		f.call(t, "fake_set_pageable", 0)
		f.call(t, "fake_set_ordinal", 0)
		f.call(t, "fake_set_devices", 1)
		f.call(t, "fake_set_version", versions[0])
		f.call(t, "fake_set_capability", 80)
		library.Close()
	})
	return f
}

func (f *fake) call(t testing.TB, name string, args ...uintptr) uintptr {
	t.Helper()
	function, err := f.library.Symbol(name)
	if err != nil {
		t.Fatal(err)
	}
	return dl.Call(function, args...)
}

func (f *fake) live(t testing.TB) int { return int(int32(f.call(t, "fake_live"))) }

// verify reports the faults that the library found.
func (f *fake) verify(t testing.TB) {
	t.Helper()
	if faults := dl.String(f.call(t, "fake_faults")); faults != "" {
		t.Errorf("the driver found:\n%s", faults)
	}
}

func (f *fake) calls(t testing.TB) []string {
	return strings.Fields(dl.String(f.call(t, "fake_calls")))
}

func (f *fake) open(t testing.TB) *Driver {
	t.Helper()
	d, err := New(Options{Library: f.path})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// hook is asked by the library before each call. A process may make few C
// function pointers, so there is one for all tests.
var hook struct {
	once    sync.Once
	pointer uintptr
	fail    func(call string) error
}

func (f *fake) setHook(t testing.TB, fail func(call string) error) {
	t.Helper()
	hook.once.Do(func() {
		hook.pointer = dl.NewCallback(func(name uintptr) uintptr {
			if hook.fail(dl.String(name)) != nil {
				return 1
			}
			return 0
		})
	})
	hook.fail = fail
	f.call(t, "fake_set_hook", hook.pointer)
}

// versions are those of drivers that the back end treats in different ways.
var versions = []uintptr{12040, 13000}

func TestConformance(t *testing.T) {
	for _, version := range versions {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			f := openFake(t)
			f.call(t, "fake_set_version", version)
			d := f.open(t)
			drivertest.Test(t, d, drivertest.Options{})
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			f.verify(t)
			if n := f.live(t); n != 0 {
				t.Errorf("%d things were not released", n)
			}
		})
	}
}

func TestEachCallFails(t *testing.T) {
	f := openFake(t)
	drivertest.TestFaults(t, func(fail func(string) error) (driver.Driver, func() int) {
		contextFailed := false
		f.setHook(t, func(call string) error {
			if call == "cuCtxPushCurrent_v2" && contextFailed {
				return nil // without a context nothing can be given back
			}
			if call == "cuCtxPopCurrent_v2" {
				return nil // it fails as the next call does
			}
			err := fail(call)
			contextFailed = contextFailed || err != nil && call == "cuCtxPushCurrent_v2"
			return err
		})
		d, err := New(Options{Library: f.path})
		if err != nil {
			return drivertest.FailedDriver(err), func() int { return f.live(t) }
		}
		return d, func() int { return f.live(t) }
	})
	f.verify(t)
}

// TestOneBadDevice: the devices beside one that fails are listed, with its failure.
func TestOneBadDevice(t *testing.T) {
	f := openFake(t)
	f.call(t, "fake_set_devices", 3)
	d := f.open(t)
	list, err := d.Devices()
	if err == nil || len(list) != 2 || !strings.Contains(err.Error(), "CUDA device 1: cuDeviceTotalMem_v2") {
		t.Fatalf("%d devices, %v; want the first and the third", len(list), err)
	}
	if name := list[1].Info().Name; name != "Fake GPU 2" {
		t.Errorf("the second is %s", name)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	f.verify(t)
}
