package main

import (
	"encoding/binary"
	"errors"
	"sync"
	"testing"

	"offlink/props"
	"offlink/runtime"
	"offlink/runtime/cache"
	"offlink/runtime/driver"
	"offlink/runtime/drivertest"
	"offlink/runtime/registry"
	"offlink/runtime/resolve"
	"offlink/wrapper/devimg"
)

// scale multiplies a buffer of 32-bit integers by a value.
var scale = drivertest.FakeKernel{
	Params: []driver.Param{{Kind: driver.ParamBuffer}, {Kind: driver.ParamValue, Size: 4}, {Kind: driver.ParamLocal}},
	Run: func(r driver.Range, args []drivertest.FakeArg) error {
		by := binary.LittleEndian.Uint32(args[1].Value)
		for i := range r.Global[0] {
			at := args[0].Buffer[4*i:]
			binary.LittleEndian.PutUint32(at, by*binary.LittleEndian.Uint32(at))
		}
		return nil
	},
}

func launchWith(s *session, kernel uint64, r driver.Range, args []argument) error {
	_, err := s.launchKernel(kernel, &launchRequest{size: r, args: args})
	return err
}

// newTestSession returns a session with the kernel "scale" and a device.
func newTestSession(t *testing.T) (*session, *drivertest.Fake, uint64) {
	t.Helper()
	fake := &drivertest.Fake{Kernels: map[string]drivertest.FakeKernel{"scale": scale}}
	s := newSession(func(*cache.Cache, func(string)) []runtime.Backend { return []runtime.Backend{fakeBackend(fake)} })
	s.runtime.Register(registry.Owner{ID: 1, Name: "app"}, []*devimg.Image{{
		Target: "spir64", Format: devimg.FormatSPIRV, Entries: []string{"scale"}, Properties: new(props.Sets),
		Code: devimg.Bytes(drivertest.SPIRV(drivertest.Code{Kernels: []string{"scale"}})),
	}})
	device, name, err := s.openDevice("")
	if err != nil || name != "fake device" {
		t.Fatalf("device %q, %v", name, err)
	}
	return s, fake, device
}

func TestSessionRun(t *testing.T) {
	s, fake, device := newTestSession(t)
	k, args, err := s.openKernel(device, 0, runtime.KernelRef{Name: "scale"})
	if err != nil || args != 3 {
		t.Fatalf("%d arguments, %v", args, err)
	}
	b, _, err := s.createBuffer(device, 8, []byte{1, 0, 0, 0, 2, 0, 0, 0})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.writeBuffer(b, 4, []byte{5, 0, 0, 0}); err != nil {
		t.Fatal(err)
	}
	list := []argument{{kind: argBuffer, buffer: b}, {kind: argValue, value: []byte{3, 0, 0, 0}}, {kind: argLocal, size: 16}}
	if err := launchWith(s, k, driver.Range{Global: []int{2}}, list); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 5)
	if err := s.readBuffer(b, 0, got); err != nil || got[0] != 3 || got[4] != 15 {
		t.Errorf("%v, %v", got, err)
	}
	for _, handle := range []uint64{b, k, device, b} {
		s.closeHandle(handle)
	}
	s.closeAll()
	if n := fake.Live(); n != 0 {
		t.Errorf("%d objects were not closed", n)
	}
}

func TestSessionRefusals(t *testing.T) {
	s, fake, device := newTestSession(t)
	k, _, err := s.openKernel(device, 0, runtime.KernelRef{Name: "scale"})
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := s.createBuffer(device, 8, nil)
	if err != nil {
		t.Fatal(err)
	}
	one := driver.Range{Global: []int{1}}
	ok := []argument{{kind: argBuffer, buffer: b}, {kind: argValue, value: make([]byte, 4)}, {kind: argLocal, size: 16}}
	with := func(arg argument) []argument { return []argument{arg, ok[1], ok[2]} }
	ignoreBuffer := func(_ uint64, _ []byte, err error) error { return err }
	_, _, noKernel := s.openKernel(device, 0, runtime.KernelRef{Name: "nobody"})
	_, _, noDevice := s.openDevice("nobody")
	_, _, closedDevice := s.openKernel(77, 0, runtime.KernelRef{Name: "scale"})
	for _, c := range []struct {
		name   string
		err    error
		status status
		text   string
	}{
		{"kernel", noKernel, statusNotFound, "kernel nobody: no image has it; the kernels that are there: scale"},
		{"selector", noDevice, statusNotFound, `no device fits "nobody"; there are: fake:0 (cpu, fake device)`},
		{"device", closedDevice, statusInvalid, "not an open device"},
		{"size", ignoreBuffer(s.createBuffer(device, 0, nil)), statusInvalid, "a buffer cannot have 0 bytes"},
		{"memory", ignoreBuffer(s.createBuffer(device, 1<<40, nil)), statusDevice, "cannot allocate 1099511627776 bytes"},
		{"offset", s.readBuffer(b, 6, make([]byte, 4)), statusInvalid, "4 bytes at offset 6 do not lie in a buffer of 8 bytes"},
		{"negative", s.writeBuffer(b, -1, nil), statusInvalid, "0 bytes at offset -1 do not lie in a buffer of 8 bytes"},
		{"buffer", s.readBuffer(k, 0, nil), statusInvalid, "not an open buffer"},
		{"count", launchWith(s, k, one, ok[:2]), statusInvalid, "kernel scale: 2 arguments given; it takes 3"},
		{"range", launchWith(s, k, driver.Range{}, ok), statusInvalid, "kernel scale: the global size has 0 dimensions; give 1 to 3"},
		{"kind", launchWith(s, k, one, with(argument{kind: 9})), statusInvalid, "kernel scale: argument 0: 9 is not a kind of argument; use the offlink_arg functions"},
		{"argument", launchWith(s, k, one, with(argument{kind: argBuffer, buffer: 99})), statusInvalid, "kernel scale: argument 0: not an open buffer"},
		{"kernel handle", launchWith(s, b, one, ok), statusInvalid, "not an open kernel"},
		{"local", launchWith(s, k, one, []argument{ok[0], ok[1], {kind: argLocal, size: 1 << 20}}), statusInvalid, "kernel scale: argument 2: 1048576 bytes of local memory are asked for and the device has 1024"},
	} {
		if got := statusOf(c.err); c.err == nil || got != c.status || c.err.Error() != c.text {
			t.Errorf("%s: status %d, %v; want %d, %s", c.name, got, c.err, c.status, c.text)
		}
	}
	if err := launchWith(s, k, one, []argument{ok[0], ok[1], {kind: argLocal}}); err != nil {
		t.Errorf("no local memory: %v", err)
	}
	fake.Kernels["scale"] = drivertest.FakeKernel{Params: scale.Params, Run: func(driver.Range, []drivertest.FakeArg) error { return errors.New("it trapped") }}
	k, _, _ = s.openKernel(device, 0, runtime.KernelRef{Name: "scale"})
	if err := launchWith(s, k, one, ok); statusOf(err) != statusDevice {
		t.Errorf("trap: status %d, %v", statusOf(err), err)
	}
}

func TestStatusOf(t *testing.T) {
	for _, c := range []struct {
		err  error
		want status
	}{
		{nil, statusOK},
		{&resolve.UnresolvedError{Importer: &registry.Image{}}, statusUnresolved},
		{&resolve.ConflictError{}, statusUnresolved},
		{&resolve.ImageError{}, statusBuild},
		{&driver.BuildError{}, statusBuild},
		{runtime.ErrShutdown, statusRuntime},
		{errors.New("other"), statusDevice},
	} {
		if got := statusOf(c.err); got != c.want {
			t.Errorf("statusOf(%T) = %d; want %d", c.err, got, c.want)
		}
	}
}

// TestUnreadImagesAreTold: a library whose images cannot be read makes no
// noise, until a kernel is missed.
func TestUnreadImagesAreTold(t *testing.T) {
	s, _, device := newTestSession(t)
	if handle := s.addImages(0, 0, "libbroken.so"); handle != 0 {
		t.Errorf("handle %d", handle)
	}
	s.dropImages(0)
	_, _, err := s.openKernel(device, 0, runtime.KernelRef{Name: "nobody"})
	want := "kernel nobody: no image has it; the kernels that are there: scale\nthe device images of libbroken.so could not be read: descriptor at 0x0: a null pointer"
	if err == nil || err.Error() != want {
		t.Errorf("got %v; want %s", err, want)
	}
	if _, _, err := s.openKernel(device, 0, runtime.KernelRef{Name: "scale"}); err != nil {
		t.Error(err)
	}
}

// TestSessionThreads is for the race detector.
func TestSessionThreads(t *testing.T) {
	s, fake, device := newTestSession(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				k, _, err := s.openKernel(device, 0, runtime.KernelRef{Name: "scale"})
				b, _, err2 := s.createBuffer(device, 4, []byte{1, 0, 0, 0})
				list := []argument{{kind: argBuffer, buffer: b}, {kind: argValue, value: []byte{2, 0, 0, 0}}, {kind: argLocal, size: 1}}
				err3 := launchWith(s, k, driver.Range{Global: []int{1}}, list)
				got := make([]byte, 4)
				err4 := s.readBuffer(b, 0, got)
				if err := errors.Join(err, err2, err3, err4); err != nil || got[0] != 2 {
					t.Errorf("%v, %v", got, err)
				}
				s.closeHandle(b)
				s.closeHandle(k)
			}
		})
	}
	wg.Wait()
	s.closeAll()
	if n := fake.Live(); n != 0 {
		t.Errorf("%d objects were not closed", n)
	}
}

// fakeBackend is a back end with one driver, which is opened when it is needed.
func fakeBackend(d driver.Driver) runtime.Backend {
	return runtime.Backend{Name: d.Name(), Open: func() ([]driver.Driver, error) { return []driver.Driver{d}, nil }}
}
