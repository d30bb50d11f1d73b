package runtime

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"offlink/props"
	"offlink/runtime/driver"
	"offlink/runtime/drivertest"
	"offlink/runtime/globals"
	"offlink/wrapper/devimg"
)

// withGlobals is an image with the kernel and device globals.
func withGlobals(kernel string, scope byte, ids ...string) *devimg.Image {
	img := image(drivertest.Code{Kernels: []string{kernel}})
	for _, id := range ids {
		img.Properties.Put(props.SetDeviceGlobals, id, props.Bytes([]byte{16, 0, 0, 0, scope, 0, 0, 0}))
	}
	return img
}

func globalsRuntime(t *testing.T) (*drivertest.Fake, *Runtime, *Device, driver.Queue) {
	t.Helper()
	fake := newFake()
	fake.Kernels["k1"], fake.Kernels["k2"] = drivertest.FakeKernel{}, drivertest.FakeKernel{}
	fake.Variables = map[string]int64{"shared": 8, "own": 16}
	rt := New([]driver.Driver{fake})
	device := must(rt.Device(""))
	queue := must(device.NewQueue(driver.QueueOptions{}))
	t.Cleanup(func() {
		_ = queue.Close()
		if err := rt.Shutdown(); err != nil || fake.Live() != 0 || len(fake.ClosedTwice()) > 0 {
			t.Errorf("Shutdown: %v, %d things are open, closed twice %v", err, fake.Live(), fake.ClosedTwice())
		}
	})
	return fake, rt, device, queue
}

// TestSharedGlobal: every program of the device gets a pointer to one memory.
func TestSharedGlobal(t *testing.T) {
	_, rt, device, queue := globalsRuntime(t)
	rt.Register(appOwner, []*devimg.Image{withGlobals("k1", 0, "shared")})
	rt.Register(libOwner, []*devimg.Image{withGlobals("k2", 0, "shared")})
	v := must(rt.DeviceGlobals().ByID("shared"))
	if err := rt.WriteGlobal(t.Context(), device, queue, v, 4, []byte{1, 2, 3, 4}, driver.Sync{Block: true}); err != nil {
		t.Fatal(err)
	}
	var addresses []uint64
	for _, name := range []string{"k1", "k2"} {
		p := must(rt.Program(t.Context(), device, KernelRef{Name: name}))
		for range 2 {
			_ = must(p.Kernel()).Close()
		}
		pointer := make([]byte, 8)
		if err := queue.Read(must(p.built.value.Variable("shared")), 0, pointer, driver.Sync{Block: true}); err != nil {
			t.Fatal(err)
		}
		addresses = append(addresses, binary.LittleEndian.Uint64(pointer))
		_ = p.Close()
	}
	if addresses[0] == 0 || addresses[0] != addresses[1] {
		t.Errorf("the programs point to %#x", addresses)
	}
	data := make([]byte, 16)
	if err := rt.ReadGlobal(t.Context(), device, queue, v, 0, data, driver.Sync{Block: true}); err != nil || string(data) != "\x00\x00\x00\x00\x01\x02\x03\x04\x00\x00\x00\x00\x00\x00\x00\x00" {
		t.Errorf("read %v, %v", data, err)
	}
	if err := rt.WriteGlobal(t.Context(), device, queue, v, 13, []byte{1, 2, 3, 4}, driver.Sync{}); !errors.Is(err, globals.ErrCopyTo) {
		t.Errorf("beyond the end: %v", err)
	}
}

// TestGlobalOfAnotherSize: a library that comes back with a larger variable gets memory for
// it, which begins as zeros.
func TestGlobalOfAnotherSize(t *testing.T) {
	_, rt, device, queue := globalsRuntime(t)
	registration := rt.Register(appOwner, []*devimg.Image{withGlobals("k1", 0, "shared")})
	small := must(rt.DeviceGlobals().ByID("shared"))
	if err := rt.WriteGlobal(t.Context(), device, queue, small, 0, make([]byte, 16), driver.Sync{Block: true}); err != nil {
		t.Fatal(err)
	}
	rt.Unregister(registration)
	larger := withGlobals("k1", 0)
	larger.Properties.Put(props.SetDeviceGlobals, "shared", props.Bytes([]byte{64, 0, 0, 0, 0, 0, 0, 0}))
	rt.Register(libOwner, []*devimg.Image{larger})
	v := must(rt.DeviceGlobals().ByID("shared"))
	data := make([]byte, 64)
	if err := rt.ReadGlobal(t.Context(), device, queue, v, 0, data, driver.Sync{Block: true}); err != nil || v.Size != 64 {
		t.Errorf("%d bytes: %v", v.Size, err)
	}
	if err := rt.WriteGlobal(t.Context(), device, queue, v, 32, data[:32], driver.Sync{Block: true}); err != nil {
		t.Errorf("its end: %v", err)
	}
}

// TestGlobalComesBack: the variable of a library that was unloaded and loaded again is a new
// one, of zeros. A program of before keeps the old one, whose memory goes after it.
func TestGlobalComesBack(t *testing.T) {
	fake, rt, device, queue := globalsRuntime(t)
	registration := rt.Register(appOwner, []*devimg.Image{withGlobals("k1", 0, "shared")})
	v := must(rt.DeviceGlobals().ByID("shared"))
	if err := rt.WriteGlobal(t.Context(), device, queue, v, 0, []byte("sixteen bytes of"), driver.Sync{Block: true}); err != nil {
		t.Fatal(err)
	}
	old := must(rt.Program(t.Context(), device, KernelRef{Name: "k1"}))
	_ = must(old.Kernel()).Close()
	for round := range 3 {
		rt.Unregister(registration)
		registration = rt.Register(appOwner, []*devimg.Image{withGlobals("k1", 0, "shared")})
		v = must(rt.DeviceGlobals().ByID("shared"))
		data := make([]byte, 16)
		if err := rt.ReadGlobal(t.Context(), device, queue, v, 0, data, driver.Sync{Block: true}); err != nil || string(data) != string(make([]byte, 16)) {
			t.Errorf("round %d: the new variable is %q, %v", round, data, err)
		}
		if err := rt.WriteGlobal(t.Context(), device, queue, v, 0, []byte{1}, driver.Sync{Block: true}); err != nil {
			t.Fatal(err)
		}
		if n := len(rt.globals.buffers); n != 2 {
			t.Errorf("round %d: there is memory of %d variables; want that of the old program and the new one", round, n)
		}
	}
	if users := old.built.value.pointsTo; len(users) != 1 || users[0].users.Load() != 1 {
		t.Errorf("the old program points to %v", users)
	}
	live := fake.Live()
	_ = old.Close()
	rt.Register(libOwner, []*devimg.Image{withGlobals("k2", 0, "other")})
	other := must(rt.DeviceGlobals().ByID("other"))
	_ = must(rt.Program(t.Context(), device, KernelRef{Name: "k2"})).Close() // gives the old program up
	rt.Unregister(registration)
	if err := rt.WriteGlobal(t.Context(), device, queue, other, 0, []byte{1}, driver.Sync{Block: true}); err != nil {
		t.Fatal(err)
	}
	if n := len(rt.globals.buffers); n != 1 {
		t.Errorf("there is memory of %d variables after all but one went (%d things of the driver were open, %d are)", n, live, fake.Live())
	}
}

// TestOwnGlobal: a variable of image scope is read and written where the one
// image has it.
func TestOwnGlobal(t *testing.T) {
	_, rt, device, queue := globalsRuntime(t)
	first := rt.Register(appOwner, []*devimg.Image{withGlobals("k1", 1, "own")})
	v := must(rt.DeviceGlobals().ByID("own"))
	if err := rt.WriteGlobal(t.Context(), device, queue, v, 0, []byte{9}, driver.Sync{Block: true}); err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 1)
	if err := rt.ReadGlobal(t.Context(), device, queue, v, 0, data, driver.Sync{Block: true}); err != nil || data[0] != 9 {
		t.Errorf("read %v, %v", data, err)
	}
	if built := rt.Statistics().Programs.Built; built != 1 {
		t.Errorf("%d programs were built; want 1", built)
	}
	rt.Register(libOwner, []*devimg.Image{withGlobals("k2", 1, "own")})
	v = must(rt.DeviceGlobals().ByID("own"))
	if err := rt.ReadGlobal(t.Context(), device, queue, v, 0, data, driver.Sync{Block: true}); !errors.Is(err, globals.ErrManyImage) {
		t.Errorf("in two images: %v", err)
	}
	rt.Unregister(first)
	v.Images = nil
	if err := rt.ReadGlobal(t.Context(), device, queue, v, 0, data, driver.Sync{Block: true}); !errors.Is(err, globals.ErrNoImage) {
		t.Errorf("in no image: %v", err)
	}
}

// TestOwnGlobalInTwoPrograms: a program whose variable of image scope the host has not written,
// although it has written that of another program, comes with a warning, and the name alone
// names neither variable.
func TestOwnGlobalInTwoPrograms(t *testing.T) {
	_, rt, device, queue := globalsRuntime(t)
	var warnings []string
	rt.options.Warn = func(line string) { warnings = append(warnings, line) }
	library := image(drivertest.Code{Kernels: []string{"k1"}, Exports: []string{"LibDeviceFunc"}})
	library.Properties.Put(props.SetDeviceGlobals, "own", props.Bytes([]byte{16, 0, 0, 0, 1, 0, 0, 0}))
	rt.Register(libOwner, []*devimg.Image{library})
	rt.Register(appOwner, []*devimg.Image{image(drivertest.Code{Kernels: []string{"k2"}, Imports: []string{"LibDeviceFunc"}})})
	v := must(rt.DeviceGlobals().ByID("own"))
	data := make([]byte, 1)
	if err := rt.ReadGlobal(t.Context(), device, queue, v, 0, data, driver.Sync{Block: true}); err != nil {
		t.Fatal(err)
	}
	_ = must(rt.Program(t.Context(), device, KernelRef{Name: "k1"})).Close()
	if len(warnings) > 0 {
		t.Errorf("before a write: %q", warnings)
	}
	if err := rt.WriteGlobal(t.Context(), device, queue, v, 0, []byte{9}, driver.Sync{Block: true}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_ = must(rt.Program(t.Context(), device, KernelRef{Name: "k2"})).Close()
	}
	if len(warnings) != 1 || !strings.HasPrefix(warnings[0], "kernel k2: the host has written device global own in the program of kernel k1, and here it has its first value") {
		t.Errorf("after it: %q", warnings)
	}
	if err := rt.ReadGlobal(t.Context(), device, queue, v, 0, data, driver.Sync{Block: true}); !errors.Is(err, globals.ErrManyImage) || !strings.Contains(err.Error(), oneProgram) {
		t.Errorf("of the two: %v", err)
	}
}

// TestOwnGlobalStays: the value of a variable is not lost with a program that nobody holds,
// when there are too many programs or the device is short of memory.
func TestOwnGlobalStays(t *testing.T) {
	_, rt, device, queue := globalsRuntime(t)
	rt.programs.limit = 1
	registration := rt.Register(appOwner, []*devimg.Image{withGlobals("k1", 1, "own")})
	rt.Register(libOwner, []*devimg.Image{image(drivertest.Code{Kernels: []string{"k2"}})})
	v := must(rt.DeviceGlobals().ByID("own"))
	if err := rt.WriteGlobal(t.Context(), device, queue, v, 0, []byte{9}, driver.Sync{Block: true}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_ = must(rt.Program(t.Context(), device, KernelRef{Name: "k2"})).Close()
		_ = rt.programs.dropIdle()
	}
	data := make([]byte, 1)
	if err := rt.ReadGlobal(t.Context(), device, queue, v, 0, data, driver.Sync{Block: true}); err != nil || data[0] != 9 {
		t.Errorf("read %v, %v", data, err)
	}
	rt.Unregister(registration)
	if kept := rt.Statistics().Programs.Kept; kept != 0 {
		t.Errorf("%d programs are kept after the image went", kept)
	}
}

// TestGlobalRefusals has each row of the table of copies in DPC++'s design document, with
// the texts that its runtime has for them. A variable without image scope that no kernel
// uses has memory all the same.
func TestGlobalRefusals(t *testing.T) {
	_, rt, device, queue := globalsRuntime(t)
	rt.Register(appOwner, []*devimg.Image{withGlobals("k1", 0, "shared", "unused"), withGlobals("k2", 1, "own", "twice")})
	rt.Register(libOwner, []*devimg.Image{withGlobals("k2", 1, "twice")})
	rt.DeviceGlobals().AddHost(0x1000, "nowhere")
	for _, c := range []struct {
		id           string
		offset, size int64
		write, read  string
	}{
		{id: "shared", offset: 0, size: 16},
		{id: "shared", offset: 16, size: 0},
		{id: "unused", offset: 15, size: 1},
		{id: "own", offset: 8, size: 8},
		{"shared", 1, 16, "Copy to device_global is out of bounds. (16 bytes at offset 1 of 16)", "Copy from device_global is out of bounds. (16 bytes at offset 1 of 16)"},
		{"shared", 17, 0, "Copy to device_global is out of bounds. (0 bytes at offset 17 of 16)", "Copy from device_global is out of bounds. (0 bytes at offset 17 of 16)"},
		{"own", -1, 1, "Copy to device_global is out of bounds. (1 bytes at offset -1 of 16)", "Copy from device_global is out of bounds. (1 bytes at offset -1 of 16)"},
		{"nowhere", 0, 4, "No image exists with the device_global.", "No image exists with the device_global."},
		{"twice", 0, 4, "More than one image exists with the device_global.", "More than one image exists with the device_global."},
	} {
		v := must(rt.DeviceGlobals().ByID(c.id))
		write := rt.WriteGlobal(t.Context(), device, queue, v, c.offset, make([]byte, c.size), driver.Sync{Block: true})
		read := rt.ReadGlobal(t.Context(), device, queue, v, c.offset, make([]byte, c.size), driver.Sync{Block: true})
		for _, got := range []struct {
			err  error
			want string
		}{{write, c.write}, {read, c.read}} {
			if want := "device global " + c.id + ": " + got.want; got.want == "" && got.err != nil || got.want != "" && fmt.Sprint(got.err) != want {
				t.Errorf("%s, %d bytes at %d: %v; want %q", c.id, c.size, c.offset, got.err, got.want)
			}
		}
	}
}

// TestGlobalForTwoTargets: a file has the variable once for each target that it is
// compiled for, and a device takes one of them.
func TestGlobalForTwoTargets(t *testing.T) {
	_, rt, device, queue := globalsRuntime(t)
	other := withGlobals("k1", 1, "own")
	other.Target, other.Format, other.Code = "nvptx64", devimg.FormatNone, devimg.Bytes([]byte(".version 7.0"))
	rt.Register(appOwner, []*devimg.Image{other, withGlobals("k1", 1, "own")})
	v := must(rt.DeviceGlobals().ByID("own"))
	if err := rt.WriteGlobal(t.Context(), device, queue, v, 0, []byte{9}, driver.Sync{Block: true}); err != nil {
		t.Error(err)
	}
	v.Images = v.Images[:1]
	if err := rt.WriteGlobal(t.Context(), device, queue, v, 0, []byte{9}, driver.Sync{Block: true}); !errors.Is(err, globals.ErrNoImage) || !strings.Contains(err.Error(), "does not take it") {
		t.Errorf("an image for another device alone: %v", err)
	}
}

// TestGlobalsEachCallFails has every call of the driver fail in turn.
func TestGlobalsEachCallFails(t *testing.T) {
	var fake *drivertest.Fake
	drivertest.EachFault(t, func(f *drivertest.Faults) error {
		fake = newFake()
		fake.Kernels["k1"] = drivertest.FakeKernel{}
		fake.Variables = map[string]int64{"shared": 8}
		fake.Fail = f.Call
		rt := New([]driver.Driver{fake})
		defer rt.Shutdown()
		rt.Register(appOwner, []*devimg.Image{withGlobals("k1", 0, "shared")})
		device, err := rt.Device("")
		if err != nil {
			return err
		}
		p, err := rt.Program(t.Context(), device, KernelRef{Name: "k1"})
		if err != nil {
			return err
		}
		defer p.Close()
		k, err := p.Kernel()
		if err != nil {
			return err
		}
		return k.Close()
	}, func(t *testing.T) {
		if fake.Live() != 0 || len(fake.ClosedTwice()) > 0 {
			t.Errorf("%d things are open, closed twice %v; calls %q", fake.Live(), fake.ClosedTwice(), fake.Calls())
		}
	})
}
