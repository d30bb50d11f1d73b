package hostdev

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"offlink/runtime/cache"
	"offlink/runtime/driver"
	"offlink/runtime/internal/dl"
	"offlink/spirv"
)

// seedModules are the modules that the fuzz target changes.
func seedModules(f *testing.F) [][]byte {
	f.Helper()
	var modules [][]byte
	for _, pattern := range []string{"testdata/*.spv", "testdata/asm/*.spv", "testdata/golden/*.spv"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			f.Fatalf("no modules %s: %v", pattern, err)
		}
		for _, name := range names {
			code, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			modules = append(modules, code)
		}
	}
	return modules
}

// mutate changes words of a module: every four bytes of edits are the place of
// a word, counted from the header on, and the number to add to it.
func mutate(code, edits []byte) []byte {
	code = bytes.Clone(code)
	for ; len(edits) >= 4; edits = edits[4:] {
		at := 20 + 4*int(binary.LittleEndian.Uint16(edits))
		if at+4 <= len(code) {
			v := binary.LittleEndian.Uint32(code[at:])
			binary.LittleEndian.PutUint32(code[at:], v+uint32(int16(binary.LittleEndian.Uint16(edits[2:]))))
		}
	}
	return code
}

// FuzzDevice builds a module with changed words and runs its kernels: they are
// refused, run, or fault. Nothing else is allowed to happen.
func FuzzDevice(f *testing.F) {
	modules := seedModules(f)
	for i := range modules {
		f.Add(uint8(i), []byte{})
		f.Add(uint8(i), []byte{60, 0, 1, 0, 200, 0, 1, 0})
	}
	f.Fuzz(func(t *testing.T, which uint8, edits []byte) {
		code := mutate(modules[int(which)%len(modules)], edits)
		device := New(Options{Output: io.Discard, Steps: 1 << 16}).device
		p, err := driver.Build(t.Context(), device, []driver.Module{module("m", code)}, driver.BuildOptions{})
		if (p == nil) == (err == nil) {
			t.Fatalf("Build = %v, %v", p, err)
		}
		if err != nil {
			return
		}
		defer p.Close()
		for _, k := range p.(*program).kernels {
			fuzzLaunch(t, device, k)
		}
	})
}

// fuzzLaunch runs a kernel with small buffers.
func fuzzLaunch(t *testing.T, d *Device, k *kernel) {
	q := newQueue(d, driver.QueueOptions{})
	defer q.Close()
	var args []driver.Arg
	for _, p := range k.params {
		switch p.Kind {
		case driver.ParamBuffer:
			m, err := d.Alloc(driver.DeviceMemory, 256)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			args = append(args, driver.Arg{Memory: m})
		case driver.ParamLocal:
			args = append(args, driver.Arg{LocalSize: 64})
		default:
			args = append(args, driver.Arg{Value: make([]byte, p.Size)})
		}
	}
	r := driver.Range{Global: []int{4}}
	if k.size[0] != 0 {
		r.Global = k.size[:]
	}
	if err := q.Launch(k, r, args, driver.Sync{}); err != nil {
		t.Logf("refused: %v", err)
		return
	}
	var fault *Fault
	if err := q.Finish(); err != nil && !errors.As(err, &fault) {
		t.Fatalf("error %v is no Fault", err)
	}
}

// FuzzExecutors runs the kernels of a changed module in the interpreter and
// compiled: those that both run to the end leave the same memory, and one that is
// stopped here is stopped there.
func FuzzExecutors(f *testing.F) {
	// Each input is compiled several times over: large modules take longer than
	// a fuzzer waits.
	modules := slices.DeleteFunc(seedModules(f), func(code []byte) bool { return len(code) > 8<<10 })
	for i := range modules {
		f.Add(uint8(i), []byte{})
		f.Add(uint8(i), []byte{60, 0, 1, 0, 200, 0, 1, 0})
	}
	store := cache.New(cache.Options{Dir: f.TempDir()})
	f.Cleanup(func() { store.Close() })
	f.Fuzz(func(t *testing.T, which uint8, edits []byte) {
		compareExecutors(t, store, mutate(modules[int(which)%len(modules)], edits), edits)
	})
}

// compareExecutors runs the kernels of a module in all executors. The C compiler takes its
// time: it gets one kernel of one input of eight, which the edits choose.
func compareExecutors(t *testing.T, store *cache.Cache, code, edits []byte) {
	// All devices live to the end, so that each has addresses of its own: a
	// kernel that stores one is seen to depend on more than its input.
	var devices []*Device
	defer func() { runtime.KeepAlive(devices) }()
	run := func(o Options, only ...string) map[string]outcome {
		o.Output, o.Steps = io.Discard, 1<<16
		d := New(o).device
		devices = append(devices, d)
		return runEverything(t, d, code, only...)
	}
	want := run(Options{Interpret: true})
	if want == nil {
		return
	}
	again := run(Options{Interpret: true, Backwards: true})
	checked := run(Options{Check: true})
	one, four, eight := run(Options{Lanes: 1}), run(Options{Lanes: 4}), run(Options{Lanes: 8})
	for name, w := range want {
		if !w.equal(again[name]) || w.budget {
			continue // it depends on the order
		}
		if c := checked[name]; !c.budget && c.fault == nil && !c.equal(w) {
			t.Errorf("kernel %s: interpreted %v, checked %v", name, w, c)
		}
		// A kernel with races leaves something else with each width.
		if !one[name].budget && !one[name].equal(w) ||
			!four[name].budget && four[name].equal(eight[name]) && !four[name].equal(w) {
			t.Errorf("kernel %s: interpreted %v, one lane %v, four %v, eight %v", name, w, one[name], four[name], eight[name])
		}
	}
	if len(edits) < 2 || edits[0]%8 != 0 || len(want) == 0 {
		return
	}
	names := slices.Sorted(maps.Keys(want))
	name := names[int(edits[1])%len(names)]
	n := run(Options{Lanes: 4, Cache: store, Loader: dl.Loader{}, AwaitCompiler: true}, name)[name]
	if !n.equal(four[name]) && !n.budget && !four[name].budget && want[name].equal(again[name]) {
		t.Errorf("kernel %s: native code %v, WebAssembly %v", name, n, four[name])
	}
}

// outcome is how a kernel ended.
type outcome struct {
	left   []byte // the memory
	fault  error
	budget bool // it took too many steps
}

// equal compares the memory of kernels that ended; where and how one was stopped
// depends on the order of its work-items.
func (o outcome) equal(p outcome) bool {
	return (o.fault == nil) == (p.fault == nil) && (o.fault != nil || bytes.Equal(o.left, p.left))
}

func (o outcome) String() string {
	if o.fault != nil {
		return o.fault.Error()
	}
	return "leaves " + cache.Digest(o.left)[:8]
}

// runEverything runs each kernel, or those that are named; it returns nothing if
// the module is refused.
func runEverything(t *testing.T, device *Device, code []byte, only ...string) map[string]outcome {
	m, err := spirv.Parse(code)
	if err != nil {
		return nil
	}
	left := map[string]outcome{}
	for _, e := range m.EntryPoints() {
		if len(only) > 0 && !slices.Contains(only, e.Name) {
			continue
		}
		// A program for each: kernels may leave something in its variables.
		p, err := driver.Build(t.Context(), device, []driver.Module{module("m", code)}, driver.BuildOptions{})
		if err != nil {
			return nil
		}
		if k := p.(*program).kernels[e.Name]; k != nil {
			left[e.Name] = runWithBuffers(t, device, k)
		}
		p.Close()
	}
	return left
}

// runWithBuffers runs a kernel with buffers of small numbers.
func runWithBuffers(t *testing.T, d *Device, k *kernel) outcome {
	q := newQueue(d, driver.QueueOptions{})
	defer q.Close()
	var args []driver.Arg
	var buffers []*memory
	for _, p := range k.params {
		switch p.Kind {
		case driver.ParamBuffer:
			m, err := d.heap.allocate(d, driver.DeviceMemory, 2048, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			for i := range len(m.data) / 4 {
				binary.LittleEndian.PutUint32(m.data[4*i:], uint32(i*5%23))
			}
			buffers = append(buffers, m)
			args = append(args, driver.Arg{Memory: m})
		case driver.ParamLocal:
			args = append(args, driver.Arg{LocalSize: 256})
		default:
			value := make([]byte, p.Size)
			for i := 0; i < len(value); i += 4 {
				value[i] = 4
			}
			args = append(args, driver.Arg{Value: value})
		}
	}
	r := driver.Range{Global: []int{16}, Local: []int{16}}
	if k.size[0] != 0 {
		r = driver.Range{Global: k.size[:]}
	}
	if err := errors.Join(q.Launch(k, r, args, driver.Sync{}), q.Finish()); err != nil {
		return outcome{fault: err, budget: errors.Is(err, ErrBudget)}
	}
	var left []byte
	for _, m := range buffers {
		left = append(left, m.data...)
	}
	return outcome{left: left}
}
