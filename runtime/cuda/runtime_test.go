package cuda

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"offlink/ptx"
	"offlink/runtime/driver"
	"offlink/runtime/internal/libcuda"
	"offlink/runtime/internal/streams"
)

// TestNoLibrary: the loader's words are kept.
func TestNoLibrary(t *testing.T) {
	if d, err := New(Options{Library: "/nowhere/libcuda.so.1"}); err == nil {
		t.Error("a library was found")
		d.Close()
	}
}

// newFakeDevice is an sm_80.
func newFakeDevice(t *testing.T) (*fake, *Device) {
	f := openFake(t)
	return f, f.openDevice(t)
}

// openDevice opens the fake GPU, and has the end of the test close it.
func (f *fake) openDevice(t *testing.T) *Device {
	d := f.open(t)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		f.Verify(t)
		if n := f.Live(t); n != 0 {
			t.Errorf("%d things were not released", n)
		}
	})
	return d.devices[0].(*Device)
}

func buildPTX(t *testing.T, d *Device, text string, names map[string]string) driver.Program {
	t.Helper()
	m := driver.Module{Name: "m", Image: driver.Image{Format: "none", Target: Target}, Code: []byte(text), HostNames: names}
	p, err := driver.Build(t.Context(), d, []driver.Module{m}, driver.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const head = ".version 7.0\n.target sm_80\n.address_size 64\n"

// TestHostNames: the host's name of a variable is looked up by the map of the
// property sets.
func TestHostNames(t *testing.T) {
	_, d := newFakeDevice(t)
	p := buildPTX(t, d, head+".visible .global .align 4 .u32 _Z1v = 7;\n", map[string]string{"the id": "_Z1v"})
	defer p.Close()
	for _, name := range []string{"the id", "_Z1v"} {
		if v, err := p.Variable(name); err != nil || v.Size() != 4 {
			t.Errorf("Variable(%s) = %v, %v", name, v, err)
		}
	}
	if _, err := p.Variable("v"); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("Variable(v): %v", err)
	}
}

// TestOffsetIsRefused: code that reads block numbers and not the offset would
// give other results.
func TestOffsetIsRefused(t *testing.T) {
	_, d := newFakeDevice(t)
	for body, want := range map[string]bool{
		"mov.u32 %r1, %ctaid.x; ret;": false,
		"mov.u32 %r1, %ctaid.x; ld.const.u64 %rd1, [offlink_global_offset]; ret;": true,
		"call (r), _Z13get_global_idj, (p); ret;":                                 true,
	} {
		text := head + ".extern .func (.param .b64 r) _Z13get_global_idj (.param .b32 p);\n.extern .const .align 8 .b8 offlink_global_offset[24];\n" +
			".visible .entry app(.param .u64 app_param_0) {" + body + "}\n"
		p := buildPTX(t, d, text, nil)
		k, err := p.Kernel("app")
		if err != nil {
			t.Fatal(err)
		}
		var n libcuda.Launch
		args := []driver.Arg{{Value: make([]byte, 8)}}
		r := driver.Range{Global: []int{4}, Offset: []int{1}}
		err = k.(*kernel).prepareLaunch(&n, &r, args)
		if (err == nil) != want || err != nil && !errors.Is(err, driver.ErrUnsupported) {
			t.Errorf("%s: %v; want it taken: %v", body, err, want)
		}
		r.Offset = []int{0}
		if err := k.(*kernel).prepareLaunch(&n, &r, args); err != nil {
			t.Errorf("%s: %v", body, err)
		}
		k.Close()
		p.Close()
	}
}

// TestGroups: a chosen local size divides the global size, and one that the
// device does not take is refused before the driver sees it.
func TestGroups(t *testing.T) {
	_, d := newFakeDevice(t)
	p := buildPTX(t, d, head+".visible .entry app(.param .u64 app_param_0) { ret; }\n.visible .entry required(.param .u64 p)\n.reqntid 4, 2, 1\n{ ret; }\n", nil)
	defer p.Close()
	load := func(name string) *kernel {
		k, err := p.Kernel(name)
		if err != nil {
			t.Fatal(err)
		}
		return k.(*kernel)
	}
	app, required := load("app"), load("required")
	for _, c := range []struct {
		k           *kernel
		r           driver.Range
		block, grid [3]uint32
	}{
		{app, driver.Range{Global: []int{1024}}, [3]uint32{256, 1, 1}, [3]uint32{4, 1, 1}},
		{app, driver.Range{Global: []int{7}}, [3]uint32{7, 1, 1}, [3]uint32{1, 1, 1}},
		{app, driver.Range{Global: []int{1009}}, [3]uint32{1, 1, 1}, [3]uint32{1009, 1, 1}},
		{app, driver.Range{Global: []int{6, 10}}, [3]uint32{6, 10, 1}, [3]uint32{1, 1, 1}},
		{app, driver.Range{Global: []int{6, 10}, Local: []int{3, 2}}, [3]uint32{3, 2, 1}, [3]uint32{2, 5, 1}},
		{required, driver.Range{Global: []int{8, 4}}, [3]uint32{4, 2, 1}, [3]uint32{2, 2, 1}},
		{required, driver.Range{Global: []int{8, 4}, Local: []int{8, 1}}, [3]uint32{}, [3]uint32{}},
		{required, driver.Range{Global: []int{6, 4}}, [3]uint32{}, [3]uint32{}},
		{app, driver.Range{Global: []int{2048}, Local: []int{2048}}, [3]uint32{}, [3]uint32{}},
		{app, driver.Range{Global: []int{64, 64}, Local: []int{64, 64}}, [3]uint32{}, [3]uint32{}},
		{app, driver.Range{Global: []int{1, 70001}}, [3]uint32{}, [3]uint32{}},
	} {
		var n libcuda.Launch
		err := d.limits.Grid(c.r, &c.k.groups, &n.Grid, &n.Block)
		if fails := c.block == [3]uint32{}; fails != (err != nil) || !fails && (n.Block != c.block || n.Grid != c.grid) {
			t.Errorf("%s over %v: blocks %v, grid %v, %v; want %v, %v", c.k.name, c.r, n.Block, n.Grid, err, c.block, c.grid)
		}
	}
}

// TestCloseDropsCommands: commands that wait for the host end with the queue.
func TestCloseDropsCommands(t *testing.T) {
	_, d := newFakeDevice(t)
	q, err := d.NewQueue(driver.QueueOptions{})
	if err != nil {
		t.Fatal(err)
	}
	gate, _ := d.NewEvent()
	m, err := d.Alloc(driver.SharedMemory, 64)
	if err != nil {
		t.Fatal(err)
	}
	var waits, after driver.Event
	if err := errors.Join(q.Fill(m, 0, 64, []byte{1}, driver.Sync{After: []driver.Event{gate}, Done: &waits}),
		q.Fill(m, 0, 64, []byte{2}, driver.Sync{Done: &after})); err != nil {
		t.Fatal(err)
	}
	if err := q.Close(); err != nil {
		t.Error(err)
	}
	for _, e := range []driver.Event{waits, after} {
		if err := e.Wait(context.Background()); !errors.Is(err, driver.ErrQueueClosed) {
			t.Errorf("a dropped command: %v", err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	gate.Complete(nil)
	if got := m.(driver.HostVisible).Bytes(); slices.Max(got) != 0 {
		t.Errorf("the memory is %v", got)
	}
	if err := errors.Join(gate.Close(), m.Close()); err != nil {
		t.Error(err)
	}
}

// TestPatterns: fills of every width, at addresses that are not aligned.
func TestPatterns(t *testing.T) {
	_, d := newFakeDevice(t)
	q, err := d.NewQueue(driver.QueueOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	const size = 512
	m, err := d.Alloc(driver.HostMemory, size)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for n := 1; n <= streams.MaxPattern; n *= 2 {
		pattern := make([]byte, n)
		for i := range pattern {
			pattern[i] = byte(7*i + n)
		}
		for _, offset := range []int64{0, 1, 2, 4, 6} {
			count := int64(2)
			if err := errors.Join(q.Fill(m, 0, size, []byte{0xee}, driver.Sync{}), q.Fill(m, offset, count*int64(n), pattern, driver.Sync{}), q.Finish()); err != nil {
				t.Fatal(err)
			}
			want := slices.Repeat([]byte{0xee}, size)
			copy(want[offset:], slices.Repeat(pattern, int(count)))
			if got := m.(driver.HostVisible).Bytes(); !slices.Equal(got, want) {
				t.Errorf("a pattern of %d bytes at %d: %v", n, offset, got[:offset+count*int64(n)+2])
			}
		}
	}
}

// openLaunch prepares launches of an empty kernel.
func openLaunch(t testing.TB, d *Device) (launch func(), closeAll func()) {
	p, err := driver.Build(t.Context(), d, []driver.Module{{
		Name: "m", Image: driver.Image{Format: "none", Target: Target},
		Code: []byte(head + ".visible .entry app(.param .u64 .ptr .global .align 4 app_param_0) { ret; }\n"),
	}}, driver.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("app")
	if err != nil {
		t.Fatal(err)
	}
	q, err := d.NewQueue(driver.QueueOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Alloc(driver.DeviceMemory, 4*32)
	if err != nil {
		t.Fatal(err)
	}
	args, r := []driver.Arg{{Memory: m}}, driver.Range{Global: []int{32}, Local: []int{32}}
	launch = func() {
		if err := q.Launch(k, r, args, driver.Sync{}); err != nil {
			t.Fatal(err)
		}
	}
	return launch, func() {
		if err := errors.Join(q.Close(), m.Close(), p.Close()); err != nil {
			t.Error(err)
		}
	}
}

// TestLaunchMakesFewCalls: a launch that nobody waits for is one call of the
// driver, between those of the context where the driver wants it.
func TestLaunchMakesFewCalls(t *testing.T) {
	for version, want := range map[uintptr][]string{
		12040: {"cuCtxPushCurrent_v2", "cuLaunchKernel", "cuCtxPopCurrent_v2"},
		13000: {"cuLaunchKernel"},
	} {
		f := openFake(t)
		f.Call(t, "fake_set_version", version)
		d := f.open(t)
		launch, closeAll := openLaunch(t, d.devices[0].(*Device))
		launch()
		f.Call(t, "fake_reset")
		launch()
		if got := f.Calls(t); !slices.Equal(got, want) {
			t.Errorf("with CUDA %d a launch calls %v; want %v", version, got, want)
		}
		closeAll()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		f.Verify(t)
	}
}

// BenchmarkLaunch is the cost of a launch besides the driver's.
func BenchmarkLaunch(b *testing.B) {
	f := openFake(b)
	f.Call(b, "fake_set_version", 13000)
	d := f.open(b)
	launch, closeAll := openLaunch(b, d.devices[0].(*Device))
	f.Call(b, "fake_set_quiet", 1)
	b.ReportAllocs()
	for b.Loop() {
		launch()
	}
	f.Call(b, "fake_set_quiet", 0)
	closeAll()
	if err := d.Close(); err != nil {
		b.Error(err)
	}
}

// TestSpecConstants: a module that reads them gets a variable of its own with
// the values; without a description of them it is refused.
func TestSpecConstants(t *testing.T) {
	_, d := newFakeDevice(t)
	m := driver.Module{Name: "m", Image: driver.Image{Format: "none", Target: Target}, Code: []byte(head +
		".visible .entry app(.param .u64 app_param_0) { .reg .u64 a; mov.u64 a, offlink_spec_constants; ret; }\n")}
	if _, err := d.Compile(t.Context(), m, driver.CompileOptions{}); err == nil || !strings.Contains(err.Error(), "-spec-const=emulation") {
		t.Errorf("without a description: %v", err)
	}
	o, err := d.Compile(t.Context(), m, driver.CompileOptions{SpecBuffer: []byte{1, 0, 255}})
	if err != nil {
		t.Fatal(err)
	}
	code := string(o.(*object).code)
	if want := head + ".global .align 16 .b8 offlink_spec_constants[3] = {1, 0, 255};\n.visible .entry"; !strings.HasPrefix(code, want) {
		t.Errorf("the code is\n%s\nwant it to begin with\n%s", code, want)
	}
	plain, err := d.Compile(t.Context(), driver.Module{Image: m.Image, Code: []byte(head + ".visible .entry app() { ret; }\n")}, driver.CompileOptions{SpecBuffer: []byte{1}})
	if err != nil || strings.Contains(string(plain.(*object).code), "offlink_spec") {
		t.Errorf("a module that reads none: %v", err)
	}
}

// TestSignals: the actions that the driver and its compiler replace are put
// back: Go recovers from a nil pointer.
func TestSignals(t *testing.T) {
	f := openFake(t)
	f.Call(t, "fake_take_signals", 1)
	defer f.Call(t, "fake_take_signals", 0)
	d := f.open(t)
	defer d.Close()
	recoverFromNil(t)
	buildPTX(t, d.devices[0].(*Device), head+".visible .entry app() { ret; }\n", nil).Close()
	recoverFromNil(t)
}

func recoverFromNil(t *testing.T) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	var none *Device
	_ = none.number
}

// TestCompileTargets: an image that says which devices it was compiled for is taken by these and
// newer ones; the fake device is an sm_80.
func TestCompileTargets(t *testing.T) {
	_, d := newFakeDevice(t)
	for target, taken := range map[string]bool{
		"": true, "nvidia_gpu_sm_80": true, "nvidia_gpu_sm_70": true, "nvidia_gpu_sm_90": false, "nvidia_gpu_sm_90a": false, "amd_gpu_gfx90a": true, "nvidia_gpu_": true,
	} {
		err := d.Accepts(driver.Image{Format: "native", Target: Target, CompileTarget: target})
		if (err == nil) != taken {
			t.Errorf("%q: %v", target, err)
		}
	}
}

// TestOtherDevices: code for other devices, and PTX that is newer than the driver, are errors
// that name both; the fake device is an sm_80 of CUDA 12.4.
func TestOtherDevices(t *testing.T) {
	_, d := newFakeDevice(t)
	text := func(version, target string) []byte {
		return fmt.Appendf(nil, ".version %s\n.target %s\n.address_size 64\n.visible .entry k() {\nret;\n}\n", version, target)
	}
	for _, c := range []struct {
		code []byte
		want string // in the error, "" for none
	}{
		{text("8.0", "sm_80"), ""},
		{text("8.0", "sm_75"), ""},
		{text("8.0", "sm_80a"), ""},
		{text("8.0", "sm_90"), "the PTX is for sm_90; the device is an sm_80"},
		{text("8.0", "sm_75a"), "the PTX is for sm_75a alone; the device is an sm_80"},
		{text("8.0", "sm_70f"), "the PTX is for sm_70f and its family; the device is an sm_80"},
		{text("9.1", "sm_80"), "m.ptx is PTX 9.1, and the driver is for CUDA 12.4: install a newer driver, or compile for an older PTX: "},
		{cubinFor(80, false), ""},
		{cubinFor(86, false), "the cubin is for sm_86; the device is an sm_80: give PTX, or a cubin for it"},
		{cubinFor(75, false), "the cubin is for sm_75; the device is an sm_80: give PTX"},
		{cubinFor(100, true), "the cubin is for sm_100a alone; the device is an sm_80"},
	} {
		o, err := d.Compile(t.Context(), driver.Module{Name: "m.ptx", Code: c.code}, driver.CompileOptions{})
		if err == nil && !ptx.IsCubin(c.code) {
			var p driver.Program
			if p, err = d.Link(t.Context(), []driver.Object{o}, driver.LinkOptions{}); err == nil {
				err = p.Close()
			}
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%.40q: %v; want %q", c.code, err, c.want)
		}
	}
}
