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
	"offlink/runtime/internal/fakelib"
)

// fake is the library of testdata/fakecuda.c.
type fake struct {
	*fakelib.Library
	path string
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
	f := &fake{fakelib.Open(t, path), path}
	f.Call(t, "fake_reset")
	t.Cleanup(func() {
		f.Call(t, "fake_set_pageable", 0)
		f.Call(t, "fake_set_ordinal", 0)
		f.Call(t, "fake_set_devices", 1)
		f.Call(t, "fake_set_version", versions[0])
		f.Call(t, "fake_set_capability", 80)
	})
	return f
}

func (f *fake) open(t testing.TB) *Driver {
	t.Helper()
	d, err := New(Options{Library: f.path})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// versions are those of drivers that the back end treats in different ways.
var versions = []uintptr{12040, 13000}

func TestConformance(t *testing.T) {
	for _, version := range versions {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			f := openFake(t)
			f.Call(t, "fake_set_version", version)
			d := f.open(t)
			drivertest.Test(t, d, drivertest.Options{})
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			f.Verify(t)
			if n := f.Live(t); n != 0 {
				t.Errorf("%d things were not released", n)
			}
		})
	}
}

func TestEachCallFails(t *testing.T) {
	f := openFake(t)
	drivertest.TestFaults(t, func(fail func(string) error) (driver.Driver, func() int) {
		contextFailed := false
		f.SetHook(t, func(call string) error {
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
			return drivertest.FailedDriver(err), func() int { return f.Live(t) }
		}
		return d, func() int { return f.Live(t) }
	})
	f.Verify(t)
}

// TestOneBadDevice: the devices beside one that fails are listed, with its failure.
func TestOneBadDevice(t *testing.T) {
	f := openFake(t)
	f.Call(t, "fake_set_devices", 3)
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
	f.Verify(t)
}
