package runtime

import (
	"encoding/binary"
	"errors"
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
	if err := rt.WriteGlobal(t.Context(), device, queue, v, 0, []byte{9}, driver.Sync{Block: true}); !errors.Is(err, globals.ErrNoImage) {
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
