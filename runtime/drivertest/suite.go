package drivertest

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"offlink/runtime/driver"
)

//go:generate testdata/build.sh

var (
	//go:embed testdata/app.spv
	appSPIRV []byte
	//go:embed testdata/lib.spv
	libSPIRV []byte
	//go:embed testdata/plain.spv
	plainSPIRV []byte
	//go:embed testdata/app.ptx
	appPTX []byte
	//go:embed testdata/lib.ptx
	libPTX []byte
	//go:embed testdata/special.ptx
	specialPTX []byte
)

// kernelSet is the suite's kernels in a form that a device takes. The kernels
// are compiled and kept here (testdata/build.sh), so that a back end is tested
// without a compiler.
type kernelSet struct {
	image    driver.Image
	app, lib []byte
}

// kernelSets are the forms, the preferred one first.
var kernelSets = []kernelSet{
	{driver.Image{Format: "spirv", Target: "spir64"}, appSPIRV, libSPIRV},
	{driver.Image{Format: "none", Target: "nvptx64"}, appPTX, libPTX},
}

// kernelsFor returns the form that the device takes, nil with the reasons if
// it takes none.
func kernelsFor(d driver.Device) (*kernelSet, error) {
	var reasons []error
	for i := range kernelSets {
		err := d.Accepts(kernelSets[i].image)
		if err == nil {
			return &kernelSets[i], nil
		}
		reasons = append(reasons, err)
	}
	return nil, errors.Join(reasons...)
}

func (s *kernelSet) moduleOf(name string, code []byte) driver.Module {
	return driver.Module{Name: name, Image: s.image, Code: code}
}

func (s *kernelSet) appModule() driver.Module { return s.moduleOf("app", s.app) }
func (s *kernelSet) libModule() driver.Module { return s.moduleOf("lib", s.lib) }

// isSPIRV reports whether the modules have specialization constants.
func (s *kernelSet) isSPIRV() bool { return s.image.Format == "spirv" }

// Options list the tests that a back end is excused from.
type Options struct {
	// NoVariables: program-scope variables cannot be reached by the host, or
	// programs do not have variables of their own.
	NoVariables bool
	// RefusesVariables: the device takes no module with program-scope variables
	// that change. The suite's modules then have none.
	RefusesVariables bool
	// OffsetMultiple: a kernel gets a part of a buffer only from a multiple of
	// that many bytes on; 0 means any.
	OffsetMultiple int
	// NoFunctionPointers: the driver returns the addresses of kernels only.
	NoFunctionPointers bool
}

// Test is the conformance suite: it runs every rule of package driver on
// every device that takes SPIR-V or PTX. The caller closes the driver.
func Test(t *testing.T, d driver.Driver, o Options) {
	if d.Name() == "" || strings.ContainsAny(d.Name(), ":, ") {
		t.Errorf("driver name %q cannot stand in a selector", d.Name())
	}
	devices, err := d.Devices()
	if err != nil {
		t.Fatal(err)
	}
	if len(devices) == 0 {
		t.Skip("no device")
	}
	for _, device := range devices {
		t.Run(device.Info().Name, func(t *testing.T) { testDevice(t, device, o) })
	}
}

// testDevice runs the tests on one device. Those that most others rely on come first:
// where memory or a build fails, the later failures say nothing new.
func testDevice(t *testing.T, d driver.Device, o Options) {
	kernels, refused := kernelsFor(d)
	if o.RefusesVariables && refused == nil {
		o.NoVariables = true
		kernels = &kernelSet{kernels.image, kernels.app, plainSPIRV}
	}
	s := &suite{d, o, kernels}
	t.Run("Info", s.testInfo)
	t.Run("Memory", s.testMemory)
	if refused != nil {
		t.Logf("no further tests: the device takes neither SPIR-V nor PTX: %v", refused)
		return
	}
	t.Run("Build", s.testBuild)
	t.Run("Params", s.testParams)
	t.Run("Launch", s.testLaunch)
	t.Run("Ranges", s.testRanges)
	t.Run("LocalMemory", s.localMemory)
	t.Run("Order", s.testOrder)
	t.Run("Threads", s.testThreads)
	t.Run("Objects", s.testObjects)
	t.Run("SpecConstants", s.testSpecConstants)
	t.Run("Transfers", s.testTransfers)
	t.Run("Addresses", s.testAddresses)
	t.Run("Events", s.testEvents)
	t.Run("OutOfOrder", s.testOutOfOrder)
	t.Run("ClosedMemory", s.testClosedMemory)
	t.Run("ClosedProgram", s.testClosedProgram)
	t.Run("Failures", s.testFailures)
	t.Run("ManyFailures", s.testManyFailures)
	t.Run("BarrierAfterFailure", s.testBarrierAfterFailure)
	t.Run("FailuresMeet", s.testFailuresMeet)
	t.Run("Profiling", s.testProfiling)
	t.Run("Abort", s.testAbort)
	t.Run("Binaries", s.testBinaries)
	t.Run("Handles", s.testHandles)
	t.Run("QueueImport", s.testQueueImport)
	t.Run("Idle", s.testIdle)
	t.Run("Caller", s.testCaller)
	t.Run("Checked", s.testChecked)
	t.Run("Timer", s.testTimer)
	t.Run("Precompiled", s.testPrecompiled)
	t.Run("SubDevices", s.testSubDevices)
	t.Run("Direct", s.testDirect)
	t.Run("Images", s.testImages)
	if !o.NoFunctionPointers {
		t.Run("FunctionPointers", s.testFunctionPointers)
	}
	if !o.NoVariables {
		t.Run("Variables", s.testVariables)
	}
}

type suite struct {
	device  driver.Device
	options Options
	*kernelSet
}

func (s *suite) testInfo(t *testing.T) {
	i := s.device.Info()
	if i.Name == "" || i.Type == "" || i.ComputeUnits < 1 || i.MaxWorkGroup < 1 || i.LocalMemory < 1 ||
		i.GlobalMemory < 1 || i.MaxAllocation < 1 || len(i.Formats) == 0 {
		t.Errorf("Info is incomplete: %+v", i)
	}
	// The reason is shown to users among the candidates that did not serve.
	if err := s.device.Accepts(driver.Image{Format: "nonsense", Target: "nowhere"}); err == nil || err.Error() == "" {
		t.Errorf("Accepts(nonsense) = %v; want a reason", err)
	}
}

func (s *suite) testMemory(t *testing.T) {
	q, m := s.newQueue(t), s.newMemory(t, 64)
	if m.Size() != 64 {
		t.Errorf("Size() = %d; want 64", m.Size())
	}
	if got := readMemory(t, q, m, 0, 64); strings.Trim(string(got), "\x00") != "" {
		t.Errorf("new memory is not zeroed: %v", got)
	}
	if err := q.Write(m, 60, []byte{1, 2, 3, 4}, driver.Sync{}); err != nil {
		t.Fatal(err)
	}
	if got := readMemory(t, q, m, 58, 6); string(got) != "\x00\x00\x01\x02\x03\x04" {
		t.Errorf("read %v", got)
	}
	// MaxInt64 finds sums of offset and size that overflow.
	for _, at := range []int64{-1, 61, 65, math.MaxInt64} {
		if err := errors.Join(q.Write(m, at, []byte{1, 2, 3, 4}, driver.Sync{}), q.Finish()); err == nil {
			t.Errorf("4 bytes were written at %d of 64", at)
		}
		if err := errors.Join(q.Read(m, at, make([]byte, 4), driver.Sync{}), q.Finish()); err == nil {
			t.Errorf("4 bytes were read at %d of 64", at)
		}
	}
	for _, size := range []int64{-1, math.MaxInt64} {
		if m, err := s.device.Alloc(driver.DeviceMemory, size); err == nil {
			t.Errorf("%d bytes were allocated", size)
			closeAtEnd(t, m)
		}
	}
	s.testEmptyMemory(t, q, m)
}

// testEmptyMemory: arrays of no elements are memory too.
func (s *suite) testEmptyMemory(t *testing.T, q driver.Queue, other driver.Memory) {
	for _, kind := range []driver.MemoryKind{driver.DeviceMemory, driver.HostMemory, driver.SharedMemory} {
		m, err := s.device.Alloc(kind, 0)
		if errors.Is(err, driver.ErrUnsupported) {
			continue
		}
		if err != nil {
			t.Errorf("no bytes of %v memory: %v", kind, err)
			continue
		}
		defer closeAtEnd(t, m)
		if err := errors.Join(
			q.Write(m, 0, nil, driver.Sync{}), q.Read(m, 0, nil, driver.Sync{}), q.Copy(m, 0, other, 0, 0, driver.Sync{}),
			q.Fill(m, 0, 0, []byte{1}, driver.Sync{}), q.Finish(),
		); err != nil || m.Size() != 0 {
			t.Errorf("%v memory of %d bytes: %v", kind, m.Size(), err)
		}
		if err := errors.Join(q.Write(m, 0, []byte{1}, driver.Sync{}), q.Finish()); err == nil {
			t.Errorf("a byte was written to %v memory of no bytes", kind)
		}
		if visible, ok := m.(driver.HostVisible); ok && len(visible.Bytes()) != 0 {
			t.Errorf("%v memory of no bytes shows %d", kind, len(visible.Bytes()))
		}
	}
}

func (s *suite) testBuild(t *testing.T) {
	app, lib := s.appModule(), s.libModule()
	s.newProgram(t, app, lib)
	// The order of modules must not matter, and a library alone is a program.
	s.newProgram(t, lib, app)
	s.newProgram(t, lib)
	for _, c := range []struct {
		name    string
		modules []driver.Module
		want    string // in the message
	}{
		{"an import that nobody exports", []driver.Module{app}, "LibDeviceFunc"},
		{"junk", []driver.Module{s.moduleOf("junk", []byte("no code at all......"))}, ""},
		{"truncated", []driver.Module{s.moduleOf("half", s.app[:len(s.app)/2]), lib}, ""},
		{"nothing", nil, ""},
	} {
		p, err := driver.Build(t.Context(), s.device, c.modules, driver.BuildOptions{})
		if err == nil {
			t.Errorf("%s: built", c.name)
			closeAtEnd(t, p)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s named", c.name, err, c.want)
		} else if _, ok := errors.AsType[*driver.BuildError](err); !ok {
			t.Errorf("%s: %v is not a BuildError", c.name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if p, err := driver.Build(ctx, s.device, []driver.Module{app, lib}, driver.BuildOptions{}); err == nil {
		t.Error("built under a cancelled context")
		closeAtEnd(t, p)
	} else if _, ok := errors.AsType[*driver.BuildError](err); !ok || !errors.Is(err, context.Canceled) {
		t.Errorf("under a cancelled context: %v; want a BuildError with the context's error", err)
	}
	p := s.newProgram(t, app, lib)
	if _, err := p.Kernel("nobody"); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("Kernel(nobody): %v; want ErrNotFound", err)
	}
	if _, err := p.Variable("nobody"); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("Variable(nobody): %v; want ErrNotFound", err)
	}
}

// testParams: a driver may leave the size of a value open (0), but must report its
// kind, by which the runtime checks arguments.
func (s *suite) testParams(t *testing.T) {
	p := s.newProgram(t, s.appModule(), s.libModule())
	for name, want := range map[string][]driver.Param{
		"app":  {{Kind: driver.ParamBuffer}},
		"fill": {{Kind: driver.ParamBuffer}, {Kind: driver.ParamValue, Size: 4}, {Kind: driver.ParamValue, Size: 1}},
		"sums": {{Kind: driver.ParamBuffer}, {Kind: driver.ParamBuffer}, {Kind: driver.ParamLocal}},
	} {
		k := kernelByName(t, p, name)
		if k.Name() != name {
			t.Errorf("Name() = %q; want %q", k.Name(), name)
		}
		got := k.Params()
		if len(got) != len(want) {
			t.Errorf("%s has %d parameters; want %d", name, len(got), len(want))
			continue
		}
		for i, p := range got {
			if p.Kind != want[i].Kind || p.Kind == driver.ParamValue && p.Size != 0 && p.Size != want[i].Size {
				t.Errorf("%s: parameter %d is %+v; want %+v", name, i, p, want[i])
			}
		}
	}
}

func (s *suite) testLaunch(t *testing.T) {
	p, q := s.newProgram(t, s.appModule(), s.libModule()), s.newQueue(t)
	out := s.newMemory(t, 4*8)
	runKernel(t, q, kernelByName(t, p, "app"), driver.Range{Global: []int{8}}, driver.Arg{Memory: out})
	expectInts(t, "app", int32sOf(readMemory(t, q, out, 0, 32)), 0, 2, 4, 6, 8, 10, 12, 14)

	// An offset into a buffer, and values of two sizes.
	value := binary.LittleEndian.AppendUint32(nil, math.Float32bits(2.5))
	if s.options.OffsetMultiple > 16 {
		t.Skipf("offsets are multiples of %d", s.options.OffsetMultiple)
	}
	runKernel(t, q, kernelByName(t, p, "fill"), driver.Range{Global: []int{2}},
		driver.Arg{Memory: out, Offset: 16}, driver.Arg{Value: value}, driver.Arg{Value: []byte{0xff}})
	filled := int32(math.Float32bits(1.5))
	expectInts(t, "fill", int32sOf(readMemory(t, q, out, 0, 32)), 0, 2, 4, 6, filled, filled, 12, 14)

	err := errors.Join(q.Launch(kernelByName(t, p, "app"), driver.Range{Global: []int{8}}, nil, driver.Sync{}), q.Finish())
	if err == nil {
		t.Error("launched without its argument")
	}
}

func (s *suite) testRanges(t *testing.T) {
	p, q := s.newProgram(t, s.appModule(), s.libModule()), s.newQueue(t)
	out, k := s.newMemory(t, 4*8), kernelByName(t, p, "ids")
	for _, c := range []struct {
		r    driver.Range
		want []int32
	}{
		{driver.Range{Global: []int{3}}, []int32{0, 1, 2}},
		{driver.Range{Global: []int{3}, Offset: []int{5}}, []int32{5, 6, 7}},
		{driver.Range{Global: []int{2, 2}, Local: []int{1, 2}}, []int32{0, 1, 100, 101}},
		{driver.Range{Global: []int{2, 2, 2}, Offset: []int{0, 1, 2}}, []int32{20100, 20101, 20200, 20201, 30100, 30101, 30200, 30201}},
	} {
		runKernel(t, q, k, c.r, driver.Arg{Memory: out})
		expectInts(t, "ids", int32sOf(readMemory(t, q, out, 0, 4*len(c.want))), c.want...)
	}
	s.testChosenSize(t, q, kernelByName(t, p, "local_size"), out)
}

// testChosenSize: a kernel tells the local size that the device chose for it. Seven is a
// prime: a device that rounded up to its preferred group size would run work-items that do
// not exist.
func (s *suite) testChosenSize(t *testing.T, q driver.Queue, k driver.Kernel, out driver.Memory) {
	for _, items := range []int{7, 8} {
		r := driver.Range{Global: []int{items}}
		runKernel(t, q, k, r, driver.Arg{Memory: out})
		size := int(int32sOf(readMemory(t, q, out, 0, 4))[0])
		if size < 1 || items%size != 0 {
			t.Errorf("the device chose %d work-items a group, which does not divide %d", size, items)
		}
		chooser, ok := k.(driver.LocalChooser)
		if !ok {
			continue
		}
		if local, err := chooser.ChooseLocal(r); err != nil || len(local) != 1 || local[0] != size {
			t.Errorf("ChooseLocal(%v) = %v, %v; the device chose %d", r, local, err, size)
		}
	}
	if chooser, ok := k.(driver.LocalChooser); ok {
		if local, err := chooser.ChooseLocal(driver.Range{Global: []int{1, 1, 1, 1}}); err == nil {
			t.Errorf("four dimensions have the local size %v", local)
		}
	}
}

func (s *suite) localMemory(t *testing.T) {
	p, q := s.newProgram(t, s.appModule(), s.libModule()), s.newQueue(t)
	in, out := s.newMemory(t, 4*16), s.newMemory(t, 4*4)
	data := make([]byte, 64)
	for i := range 16 {
		data[4*i] = byte(i)
	}
	if err := q.Write(in, 0, data, driver.Sync{}); err != nil {
		t.Fatal(err)
	}
	runKernel(t, q, kernelByName(t, p, "sums"), driver.Range{Global: []int{16}, Local: []int{4}},
		driver.Arg{Memory: in}, driver.Arg{Memory: out}, driver.Arg{LocalSize: 16})
	expectInts(t, "sums", int32sOf(readMemory(t, q, out, 0, 16)), 6, 22, 38, 54)
}

// testOrder: a queue runs its commands in order without a Finish between them.
func (s *suite) testOrder(t *testing.T) {
	p, q := s.newProgram(t, s.appModule(), s.libModule()), s.newQueue(t)
	m, k := s.newMemory(t, 4), kernelByName(t, p, "count")
	got := make([]byte, 4)
	err := errors.Join(
		q.Write(m, 0, []byte{100, 0, 0, 0}, driver.Sync{}),
		q.Launch(k, driver.Range{Global: []int{50}}, []driver.Arg{{Memory: m}}, driver.Sync{}),
		q.Launch(k, driver.Range{Global: []int{7}}, []driver.Arg{{Memory: m}}, driver.Sync{}),
		q.Read(m, 0, got, driver.Sync{}), q.Finish())
	if err != nil {
		t.Fatal(err)
	}
	expectInts(t, "count", int32sOf(got), 157)
}

// testThreads: one kernel and one buffer, a queue for each goroutine.
func (s *suite) testThreads(t *testing.T) {
	p := s.newProgram(t, s.appModule(), s.libModule())
	shared, k := s.newMemory(t, 4), kernelByName(t, p, "count")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			q, err := s.device.NewQueue(driver.QueueOptions{})
			if err != nil {
				t.Error(err)
				return
			}
			for range 10 {
				err = errors.Join(err, q.Launch(k, driver.Range{Global: []int{16}}, []driver.Arg{{Memory: shared}}, driver.Sync{}), q.Finish())
			}
			if err := errors.Join(err, q.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	expectInts(t, "count", int32sOf(readMemory(t, s.newQueue(t), shared, 0, 4)), 640)
}

func (s *suite) testVariables(t *testing.T) {
	p, q := s.newProgram(t, s.libModule()), s.newQueue(t)
	v, err := p.Variable("variable")
	if err != nil {
		t.Fatal(err)
	}
	if v.Size() != 4 {
		t.Errorf("Size() = %d; want 4", v.Size())
	}
	out, k := s.newMemory(t, 4), kernelByName(t, p, "add_variable")
	runKernel(t, q, k, driver.Range{Global: []int{1}}, driver.Arg{Memory: out})
	expectInts(t, "its first value", int32sOf(readMemory(t, q, out, 0, 4)), 7)
	expectInts(t, "the variable", int32sOf(readMemory(t, q, v, 0, 4)), 8)
	if err := q.Write(v, 0, []byte{100, 0, 0, 0}, driver.Sync{}); err != nil {
		t.Fatal(err)
	}
	runKernel(t, q, k, driver.Range{Global: []int{1}}, driver.Arg{Memory: out})
	expectInts(t, "the host's write", int32sOf(readMemory(t, q, out, 0, 4)), 107)

	// Another program has a variable of its own.
	other, err := s.newProgram(t, s.libModule()).Variable("variable")
	if err != nil {
		t.Fatal(err)
	}
	expectInts(t, "another program's", int32sOf(readMemory(t, q, other, 0, 4)), 7)
}
