package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"offlink/runtime/driver"
	"offlink/runtime/drivertest"
	"offlink/runtime/internal/dl"
	"offlink/runtime/internal/streams"
)

// openInstalled opens the installed driver. Machines without a GPU have none.
func openInstalled(t *testing.T) (*Driver, *Device) {
	t.Helper()
	d, err := New(Options{})
	if err != nil {
		t.Skipf("no GPU: %v", err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	if len(d.devices) == 0 {
		t.Skip("the driver has no device")
	}
	return d, d.devices[0].(*Device)
}

func TestInstalledDriver(t *testing.T) {
	d, device := openInstalled(t)
	t.Logf("%s, CUDA %s: %+v", d.Path(), d.Version(), device.Info())
	drivertest.Test(t, d, drivertest.Options{})
}

func moreProgram(t *testing.T, d *Device) driver.Program {
	t.Helper()
	text, err := os.ReadFile("testdata/more.ptx")
	if err != nil {
		t.Fatal(err)
	}
	p := buildPTX(t, d, string(text), map[string]string{"the counter": "counter"})
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func newTestQueue(t *testing.T, d *Device, opts driver.QueueOptions) driver.Queue {
	t.Helper()
	q, err := d.NewQueue(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
	return q
}

func newTestMemory(t *testing.T, d *Device, kind driver.MemoryKind, size int64) driver.Memory {
	t.Helper()
	m, err := d.Alloc(kind, size)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func kernelOf(t *testing.T, p driver.Program, name string) driver.Kernel {
	t.Helper()
	k, err := p.Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func uint32Arg(n uint32) driver.Arg {
	return driver.Arg{Value: binary.LittleEndian.AppendUint32(nil, n)}
}

func uint64sOf(data []byte) []uint64 {
	list := make([]uint64, len(data)/8)
	for i := range list {
		list[i] = binary.LittleEndian.Uint64(data[8*i:])
	}
	return list
}

// TestOffsetsAndDimensions: a kernel sees those of its own launch.
func TestOffsetsAndDimensions(t *testing.T) {
	_, d := openInstalled(t)
	p, q := moreProgram(t, d), newTestQueue(t, d, driver.QueueOptions{})
	m, k := newTestMemory(t, d, driver.DeviceMemory, 32*4), kernelOf(t, p, "place")
	for _, c := range []struct {
		r    driver.Range
		want []uint64
	}{
		{driver.Range{Global: []int{2}}, []uint64{1, 0, 0, 0, 1, 1, 0, 0}},
		{driver.Range{Global: []int{2, 1}, Offset: []int{7, 9}}, []uint64{2, 7, 9, 7, 2, 8, 9, 7}},
		{driver.Range{Global: []int{1, 2, 1}, Offset: []int{1 << 33, 0, 0}}, []uint64{3, 1 << 33, 0, 1 << 33, 3, 1 << 33, 1, 1 << 33}},
		{driver.Range{Global: []int{1}}, []uint64{1, 0, 0, 0}},
	} {
		got := make([]byte, 8*len(c.want))
		if err := errors.Join(q.Launch(k, c.r, []driver.Arg{{Memory: m}}, driver.Sync{}), q.Read(m, 0, got, driver.Sync{}), q.Finish()); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(uint64sOf(got), c.want) {
			t.Errorf("%+v: %v; want %v", c.r, uint64sOf(got), c.want)
		}
	}
}

// TestOffsetsOfManyStreams: launches with different offsets in many queues at
// once, of kernels that read theirs late, each see their own.
func TestOffsetsOfManyStreams(t *testing.T) {
	_, d := openInstalled(t)
	p := moreProgram(t, d)
	k := kernelOf(t, p, "late")
	const queues, launches = 6, 30
	var wg sync.WaitGroup
	for i := range queues {
		q := newTestQueue(t, d, driver.QueueOptions{OutOfOrder: i%2 == 1})
		m := newTestMemory(t, d, driver.DeviceMemory, 8*launches)
		wg.Go(func() {
			for j := range launches {
				r := driver.Range{Global: []int{1}, Offset: []int{100*i + j/3}}
				if err := q.Launch(k, r, []driver.Arg{{Memory: m, Offset: int64(8 * j)}, uint32Arg(20000)}, driver.Sync{}); err != nil {
					t.Error(err)
				}
			}
			got := make([]byte, 8*launches)
			if err := errors.Join(q.Finish(), q.Read(m, 0, got, driver.Sync{Block: true})); err != nil {
				t.Error(err)
			}
			for j, offset := range uint64sOf(got) {
				if offset != uint64(100*i+j/3) {
					t.Errorf("queue %d, launch %d: its offset was %d; want %d", i, j, offset, 100*i+j/3)
				}
			}
		})
	}
	wg.Wait()
}

// TestVariableByHostName: the host reads and writes a device global.
func TestVariableByHostName(t *testing.T) {
	_, d := openInstalled(t)
	p, q := moreProgram(t, d), newTestQueue(t, d, driver.QueueOptions{})
	m, k := newTestMemory(t, d, driver.SharedMemory, 4), kernelOf(t, p, "count")
	v, err := p.Variable("the counter")
	if err != nil {
		t.Fatal(err)
	}
	launch := func() {
		err = errors.Join(err, q.Launch(k, driver.Range{Global: []int{1}}, []driver.Arg{{Memory: m}}, driver.Sync{Block: true}))
	}
	launch()
	first := binary.LittleEndian.Uint32(m.(driver.HostVisible).Bytes())
	err = errors.Join(err, q.Write(v, 0, []byte{99, 0, 0, 0}, driver.Sync{}))
	launch()
	second := binary.LittleEndian.Uint32(m.(driver.HostVisible).Bytes())
	if err != nil || first != 41 || second != 100 {
		t.Errorf("the counter was %d, then %d: %v", first, second, err)
	}
}

// TestLocalArguments: local memory of the code and of arguments do not
// overlap, up to all that the device has.
func TestLocalArguments(t *testing.T) {
	_, d := openInstalled(t)
	p, q := moreProgram(t, d), newTestQueue(t, d, driver.QueueOptions{})
	m, k := newTestMemory(t, d, driver.DeviceMemory, 4*64), kernelOf(t, p, "locals")
	base, err := d.sharedBase()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("shared memory begins at %d; the kernel has %d bytes of its own", base, k.Info().LocalMemory)
	for _, sizes := range [][2]int64{{1, 1}, {3, 1000}, {5000, 7}, {0, 4}, {16 << 10, 4 << 10}} {
		if 4*(sizes[0]+sizes[1])+512 > d.Info().LocalMemory {
			continue
		}
		got := make([]byte, 4*64)
		args := []driver.Arg{{Memory: m}, {LocalSize: 4 * sizes[0]}, uint32Arg(uint32(sizes[0])), {LocalSize: 4 * sizes[1]}, uint32Arg(uint32(sizes[1]))}
		if err := errors.Join(q.Fill(m, 0, 4*64, []byte{1}, driver.Sync{}),
			q.Launch(k, driver.Range{Global: []int{64}, Local: []int{32}}, args, driver.Sync{}),
			q.Read(m, 0, got, driver.Sync{Block: true})); err != nil {
			t.Fatalf("%v: %v", sizes, err)
		}
		if slices.Max(got) != 0 {
			t.Errorf("%v: wrong elements: %v", sizes, got)
		}
	}
	args := []driver.Arg{{Memory: m}, {LocalSize: d.Info().LocalMemory}, uint32Arg(1), {LocalSize: 4}, uint32Arg(1)}
	if err := q.Launch(k, driver.Range{Global: []int{1}}, args, driver.Sync{Block: true}); err == nil {
		t.Error("more local memory than the device has was given")
	}
}

// TestLogs: the driver's whole log is in the error.
func TestLogs(t *testing.T) {
	_, d := openInstalled(t)
	var calls, imports strings.Builder
	const count = 3000
	for i := range count {
		fmt.Fprintf(&imports, ".extern .func missing_function_number_%d ();\n", i)
		fmt.Fprintf(&calls, "call missing_function_number_%d, ();\n", i)
	}
	text := ".version 6.3\n.target sm_75\n.address_size 64\n" + imports.String() + ".visible .entry app() {\n" + calls.String() + "ret;\n}\n"
	_, err := driver.Build(t.Context(), d, []driver.Module{{Name: "m", Image: driver.Image{Format: "none", Target: Target}, Code: []byte(text)}}, driver.BuildOptions{})
	build, ok := errors.AsType[*driver.BuildError](err)
	if !ok {
		t.Fatalf("%v; want a BuildError", err)
	}
	t.Logf("%d bytes of log; %.200s", len(build.Log), build.Error())
	if !strings.Contains(build.Log, "missing_function_number_") || build.Device == "" {
		t.Errorf("the log does not name a function: %.500s", build.Log)
	}
	_, err = driver.Build(t.Context(), d, []driver.Module{{
		Name: "m", Image: driver.Image{Format: "none", Target: Target},
		Code: []byte(".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry app() {\nno such instruction;\nret;\n}\n"),
	}}, driver.BuildOptions{})
	if build, ok := errors.AsType[*driver.BuildError](err); !ok || !strings.Contains(build.Log, "line") {
		t.Errorf("bad PTX: %v", err)
	}
	_, err = d.LoadBinary(t.Context(), nil)
	if err == nil {
		t.Error("no bytes were loaded")
	}
}

// TestKernelsOverlap: an out-of-order queue runs long kernels at the same time,
// and waiting gives up with its context.
func TestKernelsOverlap(t *testing.T) {
	_, d := openInstalled(t)
	p, m := moreProgram(t, d), newTestMemory(t, d, driver.DeviceMemory, 8)
	k := kernelOf(t, p, "late")
	args := []driver.Arg{{Memory: m}, uint32Arg(4 << 20)}
	took := func(opts driver.QueueOptions, count int) time.Duration {
		q := newTestQueue(t, d, opts)
		err := q.Launch(k, driver.Range{Global: []int{1}}, args, driver.Sync{Block: true})
		start := time.Now()
		for range count {
			err = errors.Join(err, q.Launch(k, driver.Range{Global: []int{1}}, args, driver.Sync{}))
		}
		if err := errors.Join(err, q.Finish()); err != nil {
			t.Fatal(err)
		}
		return time.Since(start)
	}
	t.Logf("4 kernels in order %v, out of order %v", took(driver.QueueOptions{}, 4), took(driver.QueueOptions{OutOfOrder: true}, 4))
}

// TestDevicesAtOnce: goroutines work on all devices at the same time, on
// whichever threads Go gives them.
func TestDevicesAtOnce(t *testing.T) {
	driverOf, _ := openInstalled(t)
	if len(driverOf.devices) < 2 {
		t.Skip("there is one device")
	}
	var wg sync.WaitGroup
	for i := range 8 * len(driverOf.devices) {
		d := driverOf.devices[i%len(driverOf.devices)].(*Device)
		p, q := moreProgram(t, d), newTestQueue(t, d, driver.QueueOptions{OutOfOrder: i%3 == 0})
		m, k := newTestMemory(t, d, driver.DeviceMemory, 8), kernelOf(t, p, "late")
		wg.Go(func() {
			got := make([]byte, 8)
			for j := range 200 {
				if err := errors.Join(q.Launch(k, driver.Range{Global: []int{1}, Offset: []int{j}}, []driver.Arg{{Memory: m}, uint32Arg(10)}, driver.Sync{}),
					q.Barrier(driver.Sync{}), q.Read(m, 0, got, driver.Sync{}), q.Finish()); err != nil {
					t.Errorf("device %d: %v", d.number, err)
					return
				}
				if n := uint64sOf(got)[0]; n != uint64(j) {
					t.Errorf("device %d: got %d; want %d", d.number, n, j)
				}
			}
		})
	}
	wg.Wait()
	for _, device := range driverOf.devices {
		t.Logf("%s: calls with a stream need no context: %v", device.Info().Name, device.(*Device).needsNoContext)
	}
}

// TestImportedStream: a queue of a stream of another owner.
func TestImportedStream(t *testing.T) {
	_, d := openInstalled(t)
	owner := newTestQueue(t, d, driver.QueueOptions{})
	q, err := d.ImportQueue(owner.(driver.NativeHandle).Handle())
	if err != nil {
		t.Fatal(err)
	}
	m, got := newTestMemory(t, d, driver.DeviceMemory, 4), make([]byte, 4)
	if err := errors.Join(q.Fill(m, 0, 4, []byte{5}, driver.Sync{}), owner.Read(m, 0, got, driver.Sync{Block: true}), q.Close()); err != nil || got[0] != 5 {
		t.Errorf("got %v: %v", got, err)
	}
	if err := errors.Join(owner.Fill(m, 0, 4, []byte{6}, driver.Sync{}), owner.Finish()); err != nil {
		t.Errorf("the stream after Close of the imported queue: %v", err)
	}
}

// blockingStream makes a stream as cudaStreamCreate does, which the default stream waits for.
func blockingStream(t *testing.T, d *Device) (s uintptr) {
	t.Helper()
	library, err := dl.Open(DefaultLibrary())
	if err != nil {
		t.Fatal(err)
	}
	create, err := library.Symbol("cuStreamCreate")
	if err != nil {
		t.Fatal(err)
	}
	made := new(uintptr)
	if err := d.withContext(func() error {
		if code := int32(dl.Call(create, uintptr(unsafe.Pointer(made)), 0)); code != 0 {
			return fmt.Errorf("cuStreamCreate: %d", code)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := (native{d}).DestroyStream(streams.Stream(*made)); err != nil {
			t.Error(err)
		}
	})
	return *made
}

// TestClearedBesideKernels: memory is cleared while a kernel runs in a stream of a host program.
func TestClearedBesideKernels(t *testing.T) {
	_, d := openInstalled(t)
	p, m, cleared := moreProgram(t, d), newTestMemory(t, d, driver.DeviceMemory, 8), newTestMemory(t, d, driver.DeviceMemory, 1<<20)
	q, err := d.ImportQueue(uint64(blockingStream(t, d)))
	if err != nil {
		t.Fatal(err)
	}
	address, err := d.RangeAddress(cleared, 0, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	const turns = 1 << 28 // a second or more
	var e driver.Event
	if err := q.Launch(kernelOf(t, p, "late"), driver.Range{Global: []int{1}}, []driver.Arg{{Memory: m}, uint32Arg(turns)}, driver.Sync{Done: &e}); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	err = d.withContext(func() error { return native{d}.ClearMemory(address, 1<<20) })
	took, status := time.Since(start), e.Status()
	if err != nil || status == driver.Complete {
		t.Errorf("%v; after %v the kernel is %v", err, took, status)
	}
	start = time.Now()
	if err := errors.Join(q.Finish(), e.Close(), q.Close()); err != nil {
		t.Error(err)
	}
	t.Logf("the memory was cleared in %v, the kernel ran %v longer", took, time.Since(start))
}

const crashVariable = "OFFLINK_TEST_CRASH"

// TestLostContext: a kernel that reads where nothing is ends the context; each
// call after it is an error with the driver's code, and nothing hangs. It runs
// in a process of its own.
func TestLostContext(t *testing.T) {
	if os.Getenv(crashVariable) == "" {
		if d, err := New(Options{}); err != nil {
			t.Skipf("no GPU: %v", err)
		} else if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestLostContext$", "-test.v")
		cmd.Env = append(os.Environ(), crashVariable+"=1")
		out, err := cmd.CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Error(err)
		}
		return
	}
	d, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	device := d.devices[0].(*Device)
	text, err := os.ReadFile("testdata/more.ptx")
	if err != nil {
		t.Fatal(err)
	}
	p := buildPTX(t, device, string(text), nil)
	q, err := device.NewQueue(driver.QueueOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := device.Alloc(driver.DeviceMemory, 4)
	if err != nil {
		t.Fatal(err)
	}
	var e driver.Event
	if err := q.Launch(kernelOf(t, p, "crash"), driver.Range{Global: []int{1}}, []driver.Arg{{Memory: m}}, driver.Sync{Done: &e}); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{"Wait": e.Wait(t.Context()), "Finish": q.Finish(), "Fill": q.Fill(m, 0, 4, []byte{1}, driver.Sync{Block: true})} {
		call, ok := errors.AsType[*driver.CallError](err)
		if !ok || call.Name == "" {
			t.Errorf("%s: %v; want the driver's error", name, err)
		}
		t.Logf("%s: %v", name, err)
	}
	if e.Status() != driver.Failed {
		t.Errorf("the event is %v", e.Status())
	}
	t.Logf("closing: %v", errors.Join(e.Close(), m.Close(), q.Close(), p.Close(), d.Close()))
}
