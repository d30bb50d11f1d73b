package runtime

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

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
		"kernel app", "new queue", "alloc 16", "launch app over [4] in [] with 1 args",
		"free 16", "close queue", "close kernel app", "close program", "close objects", "close objects", "close driver",
	}
	calls := fake.Calls()
	for i, call := range calls { // in any order
		if strings.HasPrefix(call, "close object") {
			calls[i] = "close objects"
		}
	}
	if diff := cmp.Diff(want, calls); diff != "" {
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

// TestFailureIsRemembered: it comes again without a build until the images
// change; being out of resources is tried again.
func TestFailureIsRemembered(t *testing.T) {
	fake := newFake()
	rt, device := open(t, fake)
	fake.BuildError = &driver.BuildError{Device: "fake", Log: "note\nerror: out of luck\n"}
	for range 3 {
		_, err := rt.Program(t.Context(), device, KernelRef{Name: "app"})
		if want := "kernel app: fake: build failed: error: out of luck"; err == nil || err.Error() != want {
			t.Errorf("got %v; want %s", err, want)
		}
	}
	if n := links(fake); n != 1 {
		t.Errorf("%d links; want 1", n)
	}
	fake.BuildError = nil
	if _, err := rt.Program(t.Context(), device, KernelRef{Name: "app"}); err == nil {
		t.Error("the failure was forgotten")
	}
	rt.Register(appOwner, []*devimg.Image{appImage()})
	program, err := rt.Program(t.Context(), device, KernelRef{Name: "app"})
	if err != nil {
		t.Fatal(err)
	}
	_ = program.Close()
	s := rt.Statistics().Programs
	if s.Failed != 1 || s.Replayed != 3 || s.Built != 2 {
		t.Errorf("counters %+v", s)
	}
	if err := rt.Shutdown(); err != nil || fake.Live() != 0 {
		t.Errorf("Shutdown: %v, %d things are open", err, fake.Live())
	}
}

// links counts the links since the last call of Calls.
func links(f *drivertest.Fake) (n int) {
	for _, call := range f.Calls() {
		if strings.HasPrefix(call, "link") {
			n++
		}
	}
	return n
}

// TestOutOfResources: idle programs are given back, and the build is tried
// again.
func TestOutOfResources(t *testing.T) {
	fake := newFake()
	rt, device := open(t, fake)
	_ = must(rt.Program(t.Context(), device, KernelRef{Name: "app"})).Close()
	rt.Register(libOwner, []*devimg.Image{image(drivertest.Code{Kernels: []string{"other"}})})
	failures := 1
	fake.Fail = func(call string) error {
		if call == "Link" && failures > 0 {
			failures--
			return &driver.CallError{Call: "clLinkProgram", Code: driver.CodeOutOfResources}
		}
		return nil
	}
	fake.Calls()
	_ = must(rt.Program(t.Context(), device, KernelRef{Name: "other"})).Close()
	if calls := strings.Join(fake.Calls(), "\n"); !strings.Contains(calls, "close program") {
		t.Errorf("no program was given back:\n%s", calls)
	}
	_ = rt.Shutdown()
	if n := fake.Live(); n != 0 {
		t.Errorf("%d things are open", n)
	}
}

// TestCompiledOnce: the library's code is compiled once, whether its own
// kernel or the application's comes first, and a program serves the kernels of
// all its images.
func TestCompiledOnce(t *testing.T) {
	for _, order := range [][]string{{"own", "app"}, {"app", "own"}} {
		fake := newFake()
		fake.Kernels["own"] = double
		rt := New([]driver.Driver{fake})
		rt.Register(appOwner, []*devimg.Image{appImage()})
		rt.Register(libOwner, []*devimg.Image{image(drivertest.Code{Kernels: []string{"own"}, Exports: []string{"LibDeviceFunc"}})})
		device := must(rt.Device(""))
		var programs []*Program
		for _, name := range order {
			p := must(rt.Program(t.Context(), device, KernelRef{Name: name}))
			_ = must(p.Kernel()).Close()
			programs = append(programs, p)
		}
		compiles := map[string]int{}
		linked := 0
		for _, call := range fake.Calls() {
			if strings.HasPrefix(call, "compile") {
				compiles[call]++
			}
			if strings.HasPrefix(call, "link") {
				linked++
			}
		}
		if len(compiles) != 2 || compiles[`compile "libhelpers.so: image 0 (spir64, spirv)"`] != 1 {
			t.Errorf("%v: %v", order, compiles)
		}
		if want := map[string]int{"own": 2, "app": 1}[order[0]]; linked != want {
			t.Errorf("%v: %d links; want %d", order, linked, want)
		}
		for _, p := range programs {
			_ = p.Close()
		}
		if _ = rt.Shutdown(); fake.Live() != 0 || len(fake.ClosedTwice()) > 0 {
			t.Errorf("%d things are open, closed twice %v", fake.Live(), fake.ClosedTwice())
		}
	}
}

// TestProgramsAreBounded: the programs that were used last are kept.
func TestProgramsAreBounded(t *testing.T) {
	fake := newFake()
	rt := New([]driver.Driver{fake})
	rt.programs.limit, rt.objects.limit = 3, 3
	device := must(rt.Device(""))
	for i := range 10 {
		name := fmt.Sprint("k", i)
		rt.Register(appOwner, []*devimg.Image{image(drivertest.Code{Kernels: []string{name}})})
		_ = must(rt.Program(t.Context(), device, KernelRef{Name: name})).Close()
		_ = must(rt.Program(t.Context(), device, KernelRef{Name: "k0"})).Close()
	}
	s := rt.Statistics()
	if s.Programs.Kept != 3 || s.Programs.Evicted != 7 || s.Programs.Built != 10 || s.Programs.Hits != 10 {
		t.Errorf("counters %+v", s.Programs)
	}
	if s.Objects.Kept > 3 {
		t.Errorf("counters of objects %+v", s.Objects)
	}
	if _ = rt.Shutdown(); fake.Live() != 0 {
		t.Errorf("%d things are open", fake.Live())
	}
}

// TestEachCallFails has every call of the driver fail in turn.
func TestEachCallFails(t *testing.T) {
	var fake *drivertest.Fake
	drivertest.EachFault(t, func(f *drivertest.Faults) error {
		fake = newFake()
		fake.Fail = f.Call
		rt := New([]driver.Driver{fake})
		defer rt.Shutdown()
		rt.Register(appOwner, []*devimg.Image{appImage()})
		rt.Register(libOwner, []*devimg.Image{libImage()})
		device, err := rt.Device("")
		if err != nil {
			return err
		}
		program, err := rt.Program(t.Context(), device, KernelRef{Name: "app"})
		if err != nil {
			return err
		}
		defer program.Close()
		kernel, err := program.Kernel()
		if err != nil {
			return err
		}
		return kernel.Close()
	}, func(t *testing.T) {
		if fake.Live() != 0 || len(fake.ClosedTwice()) > 0 {
			t.Errorf("%d things are open, closed twice %v; calls %q", fake.Live(), fake.ClosedTwice(), fake.Calls())
		}
	})
}

func TestOptionsOfTheEnvironment(t *testing.T) {
	img := &registry.Image{Image: &devimg.Image{CompileOptions: "-a", LinkOptions: "-b"}}
	for _, c := range []struct {
		env           map[string]string
		compile, link string
	}{
		{nil, "-a", "-b"},
		{map[string]string{"SYCL_PROGRAM_COMPILE_OPTIONS": "-x", "SYCL_PROGRAM_APPEND_LINK_OPTIONS": "-y"}, "-x", "-b -y"},
		{map[string]string{"SYCL_PROGRAM_LINK_OPTIONS": "-x", "SYCL_PROGRAM_APPEND_COMPILE_OPTIONS": "-y"}, "-a -y", "-x"},
	} {
		o := Options{Getenv: func(name string) string { return c.env[name] }}
		if o.compileOptions(img) != c.compile || o.linkOptions(img) != c.link {
			t.Errorf("%v: %q, %q", c.env, o.compileOptions(img), o.linkOptions(img))
		}
	}
}

// TestHintsOfProperties: the miscellaneous properties that concern a driver's compiler.
func TestHintsOfProperties(t *testing.T) {
	const replaced = "SYCL_PROGRAM_COMPILE_OPTIONS"
	for _, c := range []struct {
		properties map[string]uint32
		env        string
		want       driver.CompileHints
	}{
		{nil, "", driver.CompileHints{}},
		{map[string]uint32{"optLevel": 2, "sycl-grf-size": 128}, "", driver.CompileHints{}},
		{map[string]uint32{"optLevel": 0}, "", driver.CompileHints{Unoptimized: true}},
		{map[string]uint32{"optLevel": 0, "sycl-grf-size": 256}, "-x", driver.CompileHints{Registers: driver.RegistersLarge}},
		{map[string]uint32{"sycl-register-alloc-mode": 2}, "", driver.CompileHints{Registers: driver.RegistersLarge}},
		{map[string]uint32{"sycl-register-alloc-mode": 0}, "", driver.CompileHints{Registers: driver.RegistersAutomatic}},
		{map[string]uint32{"sycl-register-alloc-mode": 1}, "", driver.CompileHints{}},
		{map[string]uint32{"sycl-grf-size": 0, "isEsimdImage": 1}, "", driver.CompileHints{ExplicitSIMD: true, Registers: driver.RegistersAutomatic}},
	} {
		img := &registry.Image{Image: &devimg.Image{Properties: new(props.Sets)}}
		for name, value := range c.properties {
			img.Properties.Put(props.SetMiscProperties, name, props.Uint32(value))
		}
		o := Options{Getenv: func(name string) string { return map[string]string{replaced: c.env}[name] }}
		if got := o.compileHints(img); got != c.want {
			t.Errorf("%v, options %q: %+v", c.properties, c.env, got)
		}
		c.want.GlobalAddresses = true
		img.Properties.Put(props.SetDeviceGlobals, "x", props.Bytes([]byte{4, 0, 0, 0, 0, 0, 0, 0}))
		if got := o.compileHints(img); got != c.want {
			t.Errorf("%v, a device global: %+v", c.properties, got)
		}
	}
}

// TestVariablesOfDeviceLibraries: the list of extensions that are not to be used, and no library.
func TestVariablesOfDeviceLibraries(t *testing.T) {
	const extension, other = "cl_intel_devicelib_math", "cl_intel_devicelib_assert"
	for _, c := range []struct {
		inhibited        string
		math, assertFail bool
	}{{"", true, true}, {extension, false, true}, {other + " " + extension, false, false}, {extension + "," + other, false, false}, {"cl_khr_fp64", true, true}} {
		o := Options{Getenv: func(name string) string { return map[string]string{"SYCL_DEVICELIB_INHIBIT_NATIVE": c.inhibited}[name] }}
		native := o.nativeSymbols([]string{extension, other})
		if native("__devicelib_sinf") != c.math || native("__devicelib_assert_fail") != c.assertFail {
			t.Errorf("%q: the device's own are used: %v, %v", c.inhibited, native("__devicelib_sinf"), native("__devicelib_assert_fail"))
		}
	}
	for value, there := range map[string]bool{"": true, "1": false} {
		o := Options{Getenv: func(name string) string { return map[string]string{"SYCL_DEVICELIB_NO_FALLBACK": value}[name] }}
		if library := o.deviceLibrary(); (library != nil) != there || there && library("sinf") == nil {
			t.Errorf("SYCL_DEVICELIB_NO_FALLBACK=%q: the library is used: %v", value, library != nil)
		}
	}
}

// TestSpecConstants: values reach the parts that descriptors name, and other
// values are another program.
func TestSpecConstants(t *testing.T) {
	fake := newFake()
	rt := New([]driver.Driver{fake})
	img := image(drivertest.Code{Kernels: []string{"app"}})
	img.Properties.Put(props.SetSpecConstants, "pair", props.Uint32s(7, 0, 4, 8, 8, 2, 1<<32-1, 10, 6))
	img.Properties.Put(props.SetSpecConstants, "flag", props.Uint32s(9, 0, 1))
	img.Properties.Put(props.SetSpecConstants, "three", props.Uint32s(10, 0, 4, 11, 4, 4, 12, 8, 4))
	img.Properties.Put(props.SetSpecConstantsDefaults, "all", props.Bytes([]byte{1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3}))
	rt.Register(appOwner, []*devimg.Image{img})
	device := must(rt.Device(""))
	compiles := func(spec SpecConstants) []string {
		p := must(rt.Program(t.Context(), device, KernelRef{Name: "app", Spec: spec}))
		_ = p.Close()
		return slices.DeleteFunc(fake.Calls(), func(call string) bool { return !strings.HasPrefix(call, "compile") })
	}
	const name = `compile "a.out: image 0 (spir64, spirv)"`
	pair := []byte{1, 2, 3, 4, 0, 0, 0, 0, 5, 6, 0, 0, 0, 0, 0, 0}
	for i, c := range []struct {
		spec SpecConstants
		want []string
	}{
		{nil, []string{name}},
		{SpecConstants{"unknown": {1}}, []string{}},
		{SpecConstants{"pair": pair}, []string{name + " with map[7:[1 2 3 4] 8:[5 6]]"}},
		{SpecConstants{"pair": pair, "flag": {1}}, []string{name + " with map[7:[1 2 3 4] 8:[5 6] 9:[1]]"}},
		{SpecConstants{"pair": pair, "unknown": {1}}, []string{}},
		{nil, []string{}},
	} {
		if diff := cmp.Diff(c.want, compiles(c.spec), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%d: %s", i, diff)
		}
	}
	for _, wrong := range []SpecConstants{{"pair": {1, 2, 3, 4}}, {"pair": append(pair, 0)}, {"flag": {1, 0}}, {"three": make([]byte, 28)}} {
		_, err := rt.Program(t.Context(), device, KernelRef{Name: "app", Spec: wrong})
		if _, ok := errors.AsType[*SpecError](err); !ok {
			t.Errorf("a value of another size, %v: %v", wrong, err)
		}
	}
	// Some front ends do not describe the padding at the end.
	_ = must(rt.Program(t.Context(), device, KernelRef{Name: "app", Spec: SpecConstants{"three": make([]byte, 16)}})).Close()
	p := must(rt.Program(t.Context(), device, KernelRef{Name: "app"}))
	defer p.Close()
	buffer, err := p.SpecBuffer(SpecConstants{"flag": {9}})
	if diff := cmp.Diff([]byte{1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 9}, buffer); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}

func TestWaiterIsCancelled(t *testing.T) {
	var c programStore
	building, finish := make(chan struct{}), make(chan struct{})
	slow := func(context.Context) (*linkedProgram, error) {
		close(building)
		<-finish
		return nil, errors.New("failed at last")
	}
	key := programKey{images: "x"}
	done := make(chan error)
	go func() {
		_, err := c.getOrBuild(context.Background(), key, nil, slow)
		done <- err
	}()
	<-building
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.getOrBuild(ctx, key, nil, slow); !errors.Is(err, context.Canceled) {
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
	var c programStore
	key := programKey{images: "x"}
	building, waiting := make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := c.getOrBuild(ctx, key, nil, func(ctx context.Context) (*linkedProgram, error) {
			close(building)
			<-waiting
			cancel()
			return nil, ctx.Err()
		})
		done <- err
	}()
	<-building
	go func() {
		_, err := c.getOrBuild(t.Context(), key, nil, func(context.Context) (*linkedProgram, error) {
			return nil, errors.New("built again")
		})
		done <- err
	}()
	for !isAwaited(&c, key) {
		goruntime.Gosched()
	}
	close(waiting)
	got := map[string]bool{(<-done).Error(): true, (<-done).Error(): true}
	if !got["context canceled"] || !got["built again"] {
		t.Errorf("got %v", got)
	}
}

// isAwaited tells whether two use the program besides the cache.
func isAwaited(c *programStore, key programKey) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.entries[key]
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.uses == 3
}

func TestDevice(t *testing.T) {
	gpu := newFake()
	gpu.Type = driver.GPU
	rt := New([]driver.Driver{newFake(), gpu})
	for _, c := range []struct{ selector, want string }{
		{"", "cpu"},
		{"*", "cpu"},
		{"FAKE", "cpu"},
		{"fake:gpu", "gpu"},
		{"*:GPU", "gpu"},
		{"fake:0", "cpu"},
		{"fake:1", ""},
		{"host", ""},
		{"*:fpga", ""},
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

// TestShutdownOrder: the runtime ends programs and memory of device globals before the
// drivers that they are of.
func TestShutdownOrder(t *testing.T) {
	fake, rt, device, queue := globalsRuntime(t)
	rt.Register(appOwner, []*devimg.Image{withGlobals("k1", 0, "shared")})
	v := must(rt.DeviceGlobals().ByID("shared"))
	if err := rt.WriteGlobal(t.Context(), device, queue, v, 0, []byte{1}, driver.Sync{Block: true}); err != nil {
		t.Fatal(err)
	}
	_ = must(rt.Program(t.Context(), device, KernelRef{Name: "k1"})).Close()
	fake.Calls()
	if err := rt.Shutdown(); err != nil {
		t.Fatal(err)
	}
	var kinds []string // each once
	for _, call := range fake.Calls() {
		if kind := strings.Join(strings.Fields(call)[:2], " "); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if diff := cmp.Diff([]string{"close program", "close object", "free 16", "close driver"}, kinds); diff != "" {
		t.Error(diff)
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

// severalFakes is a driver with the devices of several fakes.
type severalFakes struct {
	driver.Driver
	devices []driver.Device
}

func (s severalFakes) Devices() ([]driver.Device, error) { return s.devices, nil }

// TestGPUsComeFirst: in a back end that lists a CPU before a GPU, the GPU is the
// one that nothing else was chosen for; its number stays.
func TestGPUsComeFirst(t *testing.T) {
	gpu := newFake()
	gpu.Type = driver.GPU
	both := severalFakes{Driver: newFake()}
	for _, f := range []driver.Driver{newFake(), gpu, newFake()} {
		list, err := f.Devices()
		if err != nil {
			t.Fatal(err)
		}
		both.devices = append(both.devices, list...)
	}
	rt := New([]driver.Driver{both})
	for selector, want := range map[string]string{"": "fake:1", "fake:*": "fake:1", "fake:0": "fake:0", "*:cpu": "fake:0", "fake:2": "fake:2"} {
		if d, err := rt.Device(selector); err != nil || d.String() != want {
			t.Errorf("%q: %v, %v; want %s", selector, d, err, want)
		}
	}
}
