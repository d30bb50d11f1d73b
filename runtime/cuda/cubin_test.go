package cuda

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"offlink/runtime/driver"
)

// linkFiles builds a program of files of ptx/testdata.
func linkFiles(t *testing.T, d *Device, names ...string) (driver.Program, error) {
	t.Helper()
	var objects []driver.Object
	for _, name := range names {
		code, err := os.ReadFile(filepath.Join("..", "..", "ptx", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		o, err := d.Compile(context.Background(), driver.Module{Name: name, Code: code}, driver.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, o)
	}
	p, err := d.Link(context.Background(), objects, driver.LinkOptions{})
	if err == nil {
		t.Cleanup(func() {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return p, err
}

// cubinMixes are the forms in which a kernel and the function that it calls are linked.
var cubinMixes = [][]string{
	{"uses.cubin", "library.cubin"},
	{"uses.cubin", "library.ptx"},
	{"uses.ptx", "library.cubin"},
	{"uses.ptx", "library.ptx"},
}

// TestLinkCubins: cubins that were made for linking are linked, alone and with PTX, and others
// are taken alone.
func TestLinkCubins(t *testing.T) {
	f := openFake(t)
	f.Call(t, "fake_set_capability", 90) // that of the files
	device := f.openDevice(t)
	for _, names := range cubinMixes {
		p, err := linkFiles(t, device, names...)
		if err != nil {
			t.Errorf("%q: %v", names, err)
			continue
		}
		if !strings.Contains(string(p.(*program).image.code), "entry uses\n") {
			t.Errorf("%q: the code is not linked", names)
		}
	}
	_, err := linkFiles(t, device, "uses.cubin")
	if build, ok := errors.AsType[*driver.BuildError](err); !ok || !strings.Contains(build.Error(), "Undefined reference to 'lib_value'") {
		t.Errorf("without the function: %v", err)
	}
	if _, err = linkFiles(t, device, "uses.ptx", "whole.cubin"); err == nil || !strings.Contains(err.Error(), "whole.cubin is a cubin that was linked") {
		t.Errorf("with a cubin that was linked: %v", err)
	}
	f.Verify(t)
}

// TestRunCubins launches them. The cubins are for one kind of GPU.
func TestRunCubins(t *testing.T) {
	_, device := openInstalled(t)
	if device.info.Version != "compute capability 9.0" {
		t.Skipf("the cubins are for sm_90, and this is %s", device.info.Version)
	}
	for _, names := range cubinMixes {
		p, err := linkFiles(t, device, names...)
		if err != nil {
			t.Errorf("%q: %v", names, err)
			continue
		}
		const count = 4
		q := newTestQueue(t, device, driver.QueueOptions{})
		out, got := newTestMemory(t, device, driver.DeviceMemory, 4*count), make([]byte, 4*count)
		r := driver.Range{Global: []int{count}, Local: []int{count}}
		if err := errors.Join(q.Launch(kernelOf(t, p, "uses"), r, []driver.Arg{{Memory: out}}, driver.Sync{}), q.Read(out, 0, got, driver.Sync{}), q.Finish()); err != nil {
			t.Fatal(err)
		}
		for i := range count {
			if v, want := binary.LittleEndian.Uint32(got[4*i:]), uint32(3*i+1+200); v != want {
				t.Errorf("%q: element %d is %d; want %d", names, i, v, want)
			}
		}
	}
}
