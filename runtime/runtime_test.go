package runtime

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/props"
	"offlink/runtime/driver"
	"offlink/runtime/drivertest"
	"offlink/runtime/registry"
	"offlink/runtime/resolve"
	"offlink/wrapper/devimg"
)

var (
	appOwner = registry.Owner{ID: 1, Name: "a.out"}
	libOwner = registry.Owner{ID: 2, Name: "libhelpers.so"}
)

// double writes 2*i for each work-item i.
var double = drivertest.FakeKernel{
	Params: []driver.Param{{Kind: driver.ParamBuffer, Type: "int*"}},
	Run: func(r driver.Range, args []drivertest.FakeArg) error {
		for i := range r.Global[0] {
			binary.LittleEndian.PutUint32(args[0].Buffer[4*i:], uint32(2*i))
		}
		return nil
	},
}

func newFake() *drivertest.Fake {
	return &drivertest.Fake{Kernels: map[string]drivertest.FakeKernel{"app": double}}
}

func image(code drivertest.Code) *devimg.Image {
	img := &devimg.Image{Target: "spir64", Format: devimg.FormatSPIRV, Code: devimg.Bytes(drivertest.SPIRV(code)), HasEntries: true}
	img.Entries = append(append(img.Entries, code.Kernels...), code.Exports...)
	img.Properties = new(props.Sets)
	for _, name := range code.Exports {
		img.Properties.Put(props.SetExportedSymbols, name, props.Uint32(1))
	}
	return img
}

func appImage() *devimg.Image {
	return image(drivertest.Code{Kernels: []string{"app"}, Imports: []string{"LibDeviceFunc"}})
}

func libImage() *devimg.Image { return image(drivertest.Code{Exports: []string{"LibDeviceFunc"}}) }

// open registers app and lib and returns the runtime and its device.
func open(t *testing.T, f *drivertest.Fake) (*Runtime, *Device) {
	t.Helper()
	rt := New([]driver.Driver{f})
	rt.Register(appOwner, []*devimg.Image{appImage()})
	rt.Register(libOwner, []*devimg.Image{libImage()})
	device, err := rt.Device("")
	if err != nil {
		t.Fatal(err)
	}
	return rt, device
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestWalk(t *testing.T) {
	fake := newFake()
	rt, device := open(t, fake)
	program := must(rt.Program(t.Context(), device, KernelRef{Name: "app"}))
	kernel := must(program.Kernel())
	queue := must(device.NewQueue(driver.QueueOptions{}))
	out := must(device.Alloc(driver.DeviceMemory, 16))
	if err := kernel.Launch(queue, driver.Range{Global: []int{4}}, []driver.Arg{{Memory: out}}, driver.Sync{}); err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 16)
	if err := queue.Read(out, 0, data, driver.Sync{Block: true}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []interface{ Close() error }{out, queue, kernel, program} {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := rt.Shutdown(); err != nil {
		t.Error(err)
	}
	if got := binary.LittleEndian.Uint32(data[12:]); got != 6 {
		t.Errorf("out[3] = %d; want 6", got)
	}
	want := []string{
		`compile "a.out: image 0 (spir64, spirv)"`, `compile "libhelpers.so: image 0 (spir64, spirv)"`,
		`link ["a.out: image 0 (spir64, spirv)" "libhelpers.so: image 0 (spir64, spirv)"]`,
		"close object a.out: image 0 (spir64, spirv)", "close object libhelpers.so: image 0 (spir64, spirv)",
		"kernel app", "new queue", "alloc 16", "launch app over [4] in [] with 1 args",
		"free 16", "close queue", "close kernel app", "close program", "close driver",
	}
	if diff := cmp.Diff(want, fake.Calls()); diff != "" {
		t.Error(diff)
	}
	if n := fake.Live(); n != 0 {
		t.Errorf("%d objects were not closed", n)
	}
}

func TestBuiltOnce(t *testing.T) {
	fake := newFake()
	rt, device := open(t, fake)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			program := must(rt.Program(t.Context(), device, KernelRef{Name: "app"}))
			kernel := must(program.Kernel())
			_ = kernel.Close()
			_ = program.Close()
		})
	}
	wg.Wait()
	builds := 0
	for _, call := range fake.Calls() {
		if strings.HasPrefix(call, "link") {
			builds++
		}
	}
	if builds != 1 {
		t.Errorf("%d builds; want 1", builds)
	}
}

// TestUnregisterKeepsHeldProgram: a program outlives its library, but nobody
// gets it any more.
func TestUnregisterKeepsHeldProgram(t *testing.T) {
	fake := newFake()
	rt := New([]driver.Driver{fake})
	rt.Register(appOwner, []*devimg.Image{appImage()})
	lib := rt.Register(libOwner, []*devimg.Image{libImage()})
	device := must(rt.Device(""))
	program := must(rt.Program(t.Context(), device, KernelRef{Name: "app"}))
	fake.Calls()
	rt.Unregister(lib)
	if calls := fake.Calls(); len(calls) > 0 {
		t.Errorf("Unregister called the driver: %q", calls)
	}
	if _, err := program.Kernel(); err != nil {
		t.Errorf("held program: %v", err)
	}
	_, err := rt.Program(t.Context(), device, KernelRef{Name: "app"})
	if unresolved := new(resolve.UnresolvedError); !errors.As(err, &unresolved) {
		t.Errorf("after Unregister: %v; want an UnresolvedError", err)
	}
	rt.Register(libOwner, []*devimg.Image{libImage()})
	again := must(rt.Program(t.Context(), device, KernelRef{Name: "app"}))
	if again.built == program.built {
		t.Error("the program of the unloaded library was given out again")
	}
}

func TestFailedBuildIsTriedAgain(t *testing.T) {
	fake := newFake()
	rt, device := open(t, fake)
	fake.BuildError = &driver.BuildError{Device: "fake", Log: "note\nerror: out of luck\n"}
	_, err := rt.Program(t.Context(), device, KernelRef{Name: "app"})
	if want := "kernel app: fake: build failed: error: out of luck"; err == nil || err.Error() != want {
		t.Errorf("got %v; want %s", err, want)
	}
	fake.BuildError = nil
	if _, err := rt.Program(t.Context(), device, KernelRef{Name: "app"}); err != nil {
		t.Error(err)
	}
}

func TestWaiterIsCancelled(t *testing.T) {
	var c programs
	building, finish := make(chan struct{}), make(chan struct{})
	slow := func(context.Context) (driver.Program, error) {
		close(building)
		<-finish
		return nil, errors.New("failed at last")
	}
	key := programKey{images: "x"}
	done := make(chan error)
	go func() {
		_, err := c.get(context.Background(), key, nil, slow)
		done <- err
	}()
	<-building
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.get(ctx, key, nil, slow); !errors.Is(err, context.Canceled) {
		t.Errorf("waiter: %v", err)
	}
	close(finish)
	if err := <-done; err == nil || err.Error() != "failed at last" {
		t.Errorf("builder: %v", err)
	}
}

// TestBuilderIsCancelled: who waits for a build that is given up builds
// itself.
func TestBuilderIsCancelled(t *testing.T) {
	var c programs
	key := programKey{images: "x"}
	building, waiting := make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := c.get(ctx, key, nil, func(ctx context.Context) (driver.Program, error) {
			close(building)
			<-waiting
			cancel()
			return nil, ctx.Err()
		})
		done <- err
	}()
	<-building
	go func() {
		_, err := c.get(t.Context(), key, nil, func(context.Context) (driver.Program, error) {
			return nil, errors.New("built again")
		})
		done <- err
	}()
	for !c.isAwaited(key) {
		goruntime.Gosched()
	}
	close(waiting)
	got := map[string]bool{(<-done).Error(): true, (<-done).Error(): true}
	if !got["context canceled"] || !got["built again"] {
		t.Errorf("got %v", got)
	}
}

// isAwaited tells whether two use the program besides the cache.
func (c *programs) isAwaited(key programKey) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.built[key]
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.uses == 3
}

func TestDevice(t *testing.T) {
	gpu := newFake()
	gpu.Type = driver.GPU
	rt := New([]driver.Driver{newFake(), gpu})
	for _, c := range []struct{ selector, want string }{
		{"", "cpu"}, {"*", "cpu"}, {"FAKE", "cpu"}, {"fake:gpu", "gpu"}, {"*:GPU", "gpu"}, {"fake:0", "cpu"},
		{"fake:1", ""}, {"host", ""}, {"*:fpga", ""},
	} {
		d, err := rt.Device(c.selector)
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%q: %v; want an error", c.selector, d)
		case c.want != "" && (err != nil || string(d.Info().Type) != c.want):
			t.Errorf("%q: %v, %v; want %s", c.selector, d, err, c.want)
		}
	}
	_, err := rt.Device("host")
	if want := `no device fits "host"; there are: fake:0 (cpu, fake device), fake:0 (gpu, fake device)`; err.Error() != want {
		t.Errorf("got %v; want %s", err, want)
	}
	if _, err := New(nil).Device(""); err == nil {
		t.Error("no drivers, and a device")
	}
}

func TestUseAfterShutdown(t *testing.T) {
	rt, device := open(t, newFake())
	if err := errors.Join(rt.Shutdown(), rt.Shutdown()); err != nil {
		t.Fatal(err)
	}
	if _, err := rt.Device(""); !errors.Is(err, ErrShutdown) {
		t.Errorf("Device: %v", err)
	}
	if _, err := rt.Program(t.Context(), device, KernelRef{Name: "app"}); !errors.Is(err, ErrShutdown) {
		t.Errorf("Program: %v", err)
	}
}

// TestLibrariesComeAndGo is for the race detector.
func TestLibrariesComeAndGo(t *testing.T) {
	fake := newFake()
	rt, device := open(t, fake)
	var wg sync.WaitGroup
	for g := range 4 {
		owner := registry.Owner{ID: uint64(10 + g), Name: fmt.Sprint("plugin", g)}
		wg.Go(func() {
			for range 50 {
				reg := rt.Register(owner, []*devimg.Image{appImage()})
				program := must(rt.Program(t.Context(), device, KernelRef{Name: "app", Owner: owner}))
				rt.Unregister(reg)
				if program.Link.Images[0].Owner != owner {
					t.Errorf("%v got the kernel of %v", owner, program.Link.Images[0])
				}
				_ = must(program.Kernel()).Close()
				_ = program.Close()
			}
		})
	}
	wg.Wait()
	_ = rt.Shutdown()
	if n := fake.Live(); n != 0 {
		t.Errorf("%d objects were not closed", n)
	}
}
