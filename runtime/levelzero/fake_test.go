package levelzero

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"offlink/internal/testtool"
	"offlink/runtime/driver"
	"offlink/runtime/drivertest"
	"offlink/runtime/hostdev"
	_ "offlink/runtime/hostdev/wazeroengine" // compiles its kernels
	"offlink/runtime/internal/dl"
	"offlink/runtime/internal/fakelib"
)

// TestMain builds the driver and has the loader find it: the loader reads the
// environment once.
func TestMain(m *testing.M) {
	code := 1
	func() {
		dir, err := os.MkdirTemp("", "fakeze")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return
		}
		defer os.RemoveAll(dir)
		fakePath = filepath.Join(dir, "libfakeze.so")
		out, err := exec.Command("gcc", "-O1", "-shared", "-fPIC", "-o", fakePath, "testdata/driver.c", "-lpthread").CombinedOutput()
		if err != nil {
			fakeError = fmt.Errorf("gcc: %w\n%s", err, out)
		}
		os.Setenv("ZE_ENABLE_ALT_DRIVERS", fakePath)
		if os.Getenv("ZE_ENABLE_VALIDATION_LAYER") == "" {
			// Not the check of handles: that of loader 1.20 refuses every command of an
			// immediate command list. Nor that of events: its graph and its tables have no lock,
			// so that programs whose threads create events at the same time crash in it.
			for _, check := range []string{
				"ZE_ENABLE_VALIDATION_LAYER", "ZE_ENABLE_PARAMETER_VALIDATION", "ZE_ENABLE_THREADING_VALIDATION",
				"ZEL_ENABLE_BASIC_LEAK_CHECKER",
			} {
				os.Setenv(check, "1")
			}
		}
		code = m.Run()
	}()
	os.Exit(code)
}

var (
	fakePath  string
	fakeError error
)

// fake is the driver of testdata/driver.c, with kernels on the embedded device.
type fake struct{ *fakelib.Library }

func openFake(t testing.TB) *fake {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the test's driver is built on Linux")
	}
	testtool.Need(t, "gcc")
	if fakeError != nil { // most likely the headers
		testtool.Missing(t, &exec.Error{Name: "libze-dev", Err: fakeError})
	}
	if loader, err := dl.Open(DefaultLibrary()); err != nil {
		testtool.Missing(t, &exec.Error{Name: "libze1", Err: err})
	} else {
		loader.Close()
	}
	f := &fake{fakelib.Open(t, fakePath)}
	backendOnce.Do(makeBackend)
	f.Call(t, "fake_set_backend", uintptr(unsafe.Pointer(&backendTable)))
	f.Call(t, "fake_reset")
	f.Call(t, "fake_set_programs", 1)
	return f
}

// The work of the driver, on the embedded device.
var (
	backendOnce  sync.Once
	backendTable [9]uintptr
	engine       driver.Device
	things       struct {
		sync.Mutex
		next     uintptr
		memory   map[uintptr]driver.Memory
		modules  map[uintptr]*fakeModule
		kernels  map[uintptr]driver.Kernel
		hidden   map[string]bool  // names of variables that the driver does not know
		programs []driver.Program // of links, closed with their modules
	}
)

type fakeModule struct {
	objects []driver.Object
	program driver.Program // nil: it has imports
	linked  bool           // program is of several modules
}

func makeBackend() {
	devices, err := hostdev.New(hostdev.Options{}).Devices()
	if err != nil {
		panic(err)
	}
	engine = devices[0]
	things.memory, things.modules, things.kernels = map[uintptr]driver.Memory{}, map[uintptr]*fakeModule{}, map[uintptr]driver.Kernel{}
	backendTable = [9]uintptr{
		dl.NewCallback(fakeAlloc), dl.NewCallback(fakeRelease), dl.NewCallback(fakeModuleCreate), dl.NewCallback(fakeLink),
		dl.NewCallback(fakeUnload), dl.NewCallback(fakeGlobal), dl.NewCallback(fakeKernel), dl.NewCallback(fakeForget), dl.NewCallback(fakeLaunch),
	}
}

func fakeAlloc(_, size uintptr) uintptr {
	m, err := engine.Alloc(driver.DeviceMemory, int64(size))
	if err != nil {
		return 0
	}
	data := m.(driver.HostVisible).Bytes()
	for i := range data {
		data[i] = 0xa5 // drivers do not clear memory
	}
	things.Lock()
	defer things.Unlock()
	address := uintptr(m.(driver.Addresser).Address())
	things.memory[address] = m
	return address
}

func fakeRelease(address uintptr) uintptr {
	things.Lock()
	m := things.memory[address]
	delete(things.memory, address)
	things.Unlock()
	if m == nil || m.Close() != nil {
		return 0
	}
	return 1
}

func wordsAt(address uintptr, count int) []uintptr {
	if count == 0 {
		return nil
	}
	const size = unsafe.Sizeof(address)
	return unsafe.Slice((*uintptr)(unsafe.Pointer(&dl.Bytes(address, count*int(size))[0])), count)
}

func writeLog(log uintptr, err error) {
	const most = 4095
	text := dl.Bytes(log, most+1)
	text[copy(text[:most], err.Error())] = 0
}

func fakeModuleCreate(codes, sizes, count, log uintptr) uintptr {
	m := &fakeModule{}
	codeList, sizeList := wordsAt(codes, int(count)), wordsAt(sizes, int(count))
	for i := range codeList {
		code := append([]byte(nil), dl.Bytes(codeList[i], int(sizeList[i]))...)
		o, err := engine.Compile(context.Background(), driver.Module{Name: "m", Image: driver.Image{Format: "spirv", Target: "spir64"}, Code: code}, driver.CompileOptions{})
		if err != nil {
			writeLog(log, err)
			return 0
		}
		m.objects = append(m.objects, o)
	}
	p, err := engine.Link(context.Background(), m.objects, driver.LinkOptions{})
	if err != nil && count > 1 {
		writeLog(log, err)
		return 0
	}
	m.program = p // nil for a module with imports
	things.Lock()
	defer things.Unlock()
	things.next++
	things.modules[things.next] = m
	return things.next
}

// fakeLink links modules as zeModuleDynamicLink does: all of them then have the
// kernels of the whole.
func fakeLink(ids, count, log uintptr) uintptr {
	things.Lock()
	defer things.Unlock()
	var objects []driver.Object
	for _, id := range wordsAt(ids, int(count)) {
		objects = append(objects, things.modules[id].objects...)
	}
	p, err := engine.Link(context.Background(), objects, driver.LinkOptions{})
	if err != nil {
		writeLog(log, err)
		return 0
	}
	things.programs = append(things.programs, p)
	for _, id := range wordsAt(ids, int(count)) {
		m := things.modules[id]
		if m.program != nil && !m.linked {
			m.program.Close()
		}
		m.program, m.linked = p, true
	}
	return 1
}

func fakeUnload(id uintptr) uintptr {
	things.Lock()
	defer things.Unlock()
	m := things.modules[id]
	delete(things.modules, id)
	if m.program != nil && !m.linked {
		m.program.Close()
	}
	for _, o := range m.objects {
		o.Close()
	}
	if len(things.modules) == 0 {
		for _, p := range things.programs {
			p.Close()
		}
		things.programs = nil
	}
	return 1
}

func fakeGlobal(id, name, size uintptr) uintptr {
	things.Lock()
	defer things.Unlock()
	m := things.modules[id]
	if m.program == nil || things.hidden[dl.String(name)] {
		return 0
	}
	v, err := m.program.Variable(dl.String(name))
	if err != nil {
		return 0
	}
	wordsAt(size, 1)[0] = uintptr(v.Size())
	return uintptr(v.(driver.Addresser).Address())
}

func fakeKernel(id, name, required uintptr) uintptr {
	things.Lock()
	defer things.Unlock()
	m := things.modules[id]
	if m.program == nil {
		return 0
	}
	k, err := m.program.Kernel(dl.String(name))
	if err != nil {
		return 0
	}
	for i, n := range k.Info().RequiredGroup {
		binary.LittleEndian.PutUint32(dl.Bytes(required, 12)[4*i:], uint32(n))
	}
	things.next++
	things.kernels[things.next] = k
	return things.next
}

func fakeForget(id uintptr) uintptr {
	things.Lock()
	k := things.kernels[id]
	delete(things.kernels, id)
	things.Unlock()
	if k.Close() != nil {
		return 0
	}
	return 1
}

func fakeLaunch(id, sizes, values, shape uintptr) uintptr {
	things.Lock()
	k := things.kernels[id]
	things.Unlock()
	params := k.Params()
	sizeList, valueList := wordsAt(sizes, len(params)), wordsAt(values, len(params))
	args := make([]driver.Arg, len(params))
	for i, p := range params {
		switch {
		case p.Kind == driver.ParamLocal:
			args[i].LocalSize = int64(sizeList[i])
		case valueList[i] != 0:
			args[i].Value = append([]byte(nil), dl.Bytes(valueList[i], int(sizeList[i]))...)
		}
	}
	words := dl.Bytes(shape, 4*9)
	word := func(i int) int { return int(binary.LittleEndian.Uint32(words[4*i:])) }
	r := driver.Range{}
	for i := range 3 {
		r.Local, r.Global, r.Offset = append(r.Local, word(i)), append(r.Global, word(i)*word(3+i)), append(r.Offset, word(6+i))
	}
	q, err := engine.NewQueue(driver.QueueOptions{})
	if err == nil {
		err = q.Launch(k, r, args, driver.Sync{Block: true})
		q.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "the embedded device:", err)
		return 0
	}
	return 1
}

func (f *fake) open(t testing.TB) *Driver {
	t.Helper()
	d, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestConformance runs the suite with both ways of linking.
func TestConformance(t *testing.T) {
	for name, programs := range map[string]uintptr{"several modules at once": 1, "zeModuleDynamicLink": 0} {
		t.Run(name, func(t *testing.T) {
			f := openFake(t)
			f.Call(t, "fake_set_programs", programs)
			before := f.Live(t)
			d := f.open(t)
			drivertest.Test(t, d, drivertest.Options{})
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			f.Verify(t)
			if n := f.Live(t) - before; n != 0 {
				t.Errorf("%d things were not released", n)
			}
			linked := false
			for _, call := range f.Calls(t) {
				linked = linked || call == "zeModuleDynamicLink"
			}
			if linked == (programs == 1) {
				t.Errorf("zeModuleDynamicLink was called: %v", linked)
			}
		})
	}
}

func TestEachCallFails(t *testing.T) {
	f := openFake(t)
	before := f.Live(t)
	drivertest.TestFaults(t, func(fail func(string) error) (driver.Driver, func() int) {
		f.SetHook(t, fail)
		d, err := New(Options{})
		if err != nil {
			return drivertest.FailedDriver(err), func() int { return f.Live(t) - before }
		}
		return d, func() int { return f.Live(t) - before }
	})
	f.Verify(t)
}

// TestUnfinishedQueue: a queue that nobody finishes keeps no memory of transfers
// that have ended.
func TestUnfinishedQueue(t *testing.T) {
	f := openFake(t)
	before := f.Live(t)
	d := f.open(t)
	q, err1 := d.devices[0].NewQueue(driver.QueueOptions{})
	m, err2 := d.devices[0].Alloc(driver.DeviceMemory, 16)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	held := func() int { return q.(*queue).Host.Held() }
	const writes, most = 2000, 300
	for n := 0; n < writes || held() > most; n++ {
		if err := q.Write(m, 0, make([]byte, 16), driver.Sync{}); err != nil {
			t.Fatal(err)
		}
		if n > 100*writes {
			t.Fatalf("the queue keeps the memory of %d writes", held())
		}
		if n > writes {
			time.Sleep(time.Millisecond) // the driver's thread runs on its own
		}
	}
	if err := errors.Join(q.Finish(), m.Close(), q.Close(), d.Close()); err != nil {
		t.Error(err)
	}
	if n := held(); n != 0 {
		t.Errorf("the memory of %d writes is kept after Finish", n)
	}
	f.Verify(t)
	if n := f.Live(t) - before; n != 0 {
		t.Errorf("%d things were not released", n)
	}
}

// TestHostNames: a variable is found by the host's name, also where the driver knows
// none of those, and where the code gives it no other.
func TestHostNames(t *testing.T) {
	f := openFake(t)
	for _, hidden := range []map[string]bool{nil, {"the host's": true}} {
		things.hidden = hidden
		d := f.open(t)
		m := driver.Module{Name: "m", Image: driver.Image{Format: "spirv", Target: "spir64"}, Code: drivertest.SPIRV(drivertest.Code{Kernels: []string{"k"}, VariableHostNames: []string{"the host's"}})}
		p, err := driver.Build(t.Context(), d.devices[0], []driver.Module{m}, driver.BuildOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if v, err := p.Variable("the host's"); err != nil || v.Size() != 4 {
			t.Errorf("hidden %v: %v, %v", hidden, v, err)
		}
		if _, err := p.Variable("nobody's"); !errors.Is(err, driver.ErrNotFound) {
			t.Errorf("an unknown name: %v", err)
		}
		if err := errors.Join(p.Close(), d.Close()); err != nil {
			t.Error(err)
		}
	}
	things.hidden = nil
	f.Verify(t)
}

// TestNoLoader: the words of the system's loader are kept.
func TestNoLoader(t *testing.T) {
	if d, err := New(Options{Library: "/nowhere/libze_loader.so.1"}); err == nil || !strings.Contains(err.Error(), "/nowhere") {
		t.Errorf("opened %v: %v", d, err)
	}
}

// TestSignals: the actions that a driver and its compiler replace are put back:
// Go recovers from a nil pointer.
func TestSignals(t *testing.T) {
	f := openFake(t)
	f.Call(t, "fake_take_signals", 1)
	defer f.Call(t, "fake_take_signals", 0)
	d := f.open(t)
	defer d.Close()
	recoverFromNil(t)
	p, err := driver.Build(t.Context(), d.devices[0], []driver.Module{{
		Name: "m", Image: driver.Image{Format: "spirv", Target: "spir64"}, Code: drivertest.SPIRV(drivertest.Code{Kernels: []string{"k"}}),
	}}, driver.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
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
	_ = none.handle
}
