package hostdev

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"offlink/privilege"
	"offlink/runtime/cache"
	"offlink/runtime/hostdev/internal/emitc"
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/runtime/hostdev/internal/mem"
	"offlink/toolchain"
)

// Native code by the system's C compiler. Where there is one, and a cache to keep its
// results in, a kernel starts as WebAssembly, and takes the native code as soon as that is
// ready, between two groups of a launch too: both are made of code of package lanes, which
// gives the same bits at any width.

// Loader opens shared libraries and calls their functions. This package does not
// do so itself: a program that only compiles kernels must not be linked with a
// dynamic loader.
type Loader interface {
	// Open opens a library by its path.
	Open(path string) (library uintptr, err error)
	Symbol(library uintptr, name string) (function uintptr, err error)
	// Call calls a C function of four arguments.
	Call(function, a, b, c, d uintptr) uintptr
	// Callback makes a C function of a Go function. It is never freed.
	Callback(f func(a, b, c uintptr) uintptr) uintptr
	Close(library uintptr) error
}

// compiledC is the native code of a kernel.
type compiledC struct {
	loader  Loader
	library uintptr // to be closed; 0 for that of a native image, which stays open
	run     uintptr
	calls   bool // the host, by way of serveNative
}

// compilerNames are the C compilers that are tried.
var compilerNames = []string{"gcc", "clang", "cc"}

// compilerFlags keep the bits: nothing is fused, and no rule of C about types
// or overflow is used.
func compilerFlags() []string { return append(NativeFlags("native"), "-shared", "-x", "c") }

// NativeFlags are the flags of gcc and clang with which the C of kernels must be
// compiled for a processor; all others that change the value of an operation must
// be left out.
func NativeFlags(processor string) []string {
	return []string{
		"-O2", "-march=" + processor, "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math",
		"-fno-strict-aliasing", "-fwrapv", "-w", "-fPIC",
	}
}

// compiler is the system's C compiler with the facts that its results depend on.
type compiler struct{ path, version, processor string }

var systemCompiler = sync.OnceValue(func() *compiler {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		return nil
	}
	if privilege.Raised() {
		return nil // PATH chooses the compiler, and further variables the programs that it runs
	}
	for _, name := range compilerNames {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		version, err := compilerVersion(path)
		if err != nil {
			continue
		}
		return &compiler{path, version, processorFlags()}
	}
	return nil
})

// The time that the C compiler has: to tell its version, while a launch waits for it,
// and for a kernel, in the background.
const (
	versionTime = 20 * time.Second
	compileTime = 2 * time.Minute
)

func compilerVersion(path string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), versionTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.WaitDelay = time.Second // a process that it has started may keep its output open
	version, err := cmd.Output()
	return string(version), err
}

// processorFlags tells processors apart whose native code differs.
func processorFlags() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	var kept []string
	for line := range strings.Lines(string(info)) {
		name, _, _ := strings.Cut(line, ":")
		switch strings.TrimSpace(name) {
		case "flags", "Features", "model name", "CPU part":
			kept = append(kept, line)
		case "":
			return cache.Digest([]byte(strings.Join(kept, ""))) // the first processor is enough
		}
	}
	return cache.Digest([]byte(strings.Join(kept, "")))
}

// startCompiler takes native code from the cache, or has it made in the background. It
// reports no errors: without native code, the kernel stays WebAssembly.
func (n *nativeKernel) startCompiler(d *Device) {
	if d.options.Cache == nil || d.options.Loader == nil || systemCompiler() == nil {
		return
	}
	source, calls, err := emitc.Emit(n.wide)
	if err != nil {
		return
	}
	n.saveSource(d.options.SaveTemps, source)
	job := &compileJob{store: d.options.Cache, loader: d.options.Loader, compiler: systemCompiler(), source: source, calls: calls}
	if c := job.fromCache(); c != nil {
		n.fast.Store(c)
		return
	}
	ctx, cancel, ok := d.compilers.begin()
	if !ok {
		return
	}
	n.stopCompiler = cancel
	n.compiling.Add(1)
	go func() {
		defer d.compilers.running.Done()
		defer n.compiling.Done()
		defer cancel()
		if c, err := job.compile(ctx); err == nil {
			n.fast.Store(c)
		}
	}()
	if d.options.AwaitCompiler {
		n.compiling.Wait()
	}
}

// saveSource keeps the C of a kernel for people.
func (n *nativeKernel) saveSource(dir, source string) {
	if dir == "" {
		return
	}
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' {
			return r
		}
		return '_'
	}, n.wide.Name)
	if len(name) > 100 {
		name = name[:60] + "_" + cache.Digest([]byte(name))[:16]
	}
	// A file for people to read is not worth a failure.
	_ = os.WriteFile(filepath.Join(dir, name+".c"), []byte(source), 0o666)
}

// compileJob is the native code of one kernel.
type compileJob struct {
	store    *cache.Cache
	loader   Loader
	compiler *compiler
	source   string
	calls    bool // the host
}

func (j *compileJob) inputs() cache.Inputs {
	return cache.Inputs{
		{Name: "offlink", Value: "C of a kernel"},
		{Name: "compiler", Value: j.compiler.version},
		{Name: "compiler options", Value: strings.Join(compilerFlags(), " ")},
		{Name: "processor", Value: j.compiler.processor},
		{Name: "source", Value: cache.Digest([]byte(j.source))},
	}
}

// fromCache is nil if the cache does not have it, or its entry does not load.
func (j *compileJob) fromCache() *compiledC {
	code, ok := j.store.Get(j.inputs())
	if !ok {
		return nil
	}
	c, err := j.open(code)
	if err != nil {
		return nil
	}
	return c
}

func (j *compileJob) compile(ctx context.Context) (*compiledC, error) {
	code, err := j.compiler.compile(ctx, j.source)
	if err != nil {
		return nil, err
	}
	c, err := j.open(code)
	// Only code that loads is kept.
	if err == nil {
		j.store.Put(j.inputs(), code)
	}
	return c, err
}

// compile runs the compiler; one that is cancelled is killed with the processes that
// it has started.
func (c *compiler) compile(ctx context.Context, source string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "offlink")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "kernel.c"), filepath.Join(dir, "kernel.so")
	if err := os.WriteFile(in, []byte(source), 0o600); err != nil {
		return nil, err
	}
	var runner toolchain.Runner
	args := append(compilerFlags(), in, "-o", out)
	if err := runner.Run(ctx, toolchain.Tool{Path: c.path}, args...); err != nil {
		return nil, err
	}
	return os.ReadFile(out)
}

// open loads a library out of a file that is gone afterwards.
func (j *compileJob) open(code []byte) (*compiledC, error) {
	library, err := openCode(j.loader, code)
	if err != nil {
		return nil, err
	}
	run, err := j.loader.Symbol(library, emitc.Symbol)
	if err == nil && j.calls {
		err = attachHost(j.loader, library)
	}
	if err != nil {
		_ = j.loader.Close(library) // of an error that is told already
		return nil, err
	}
	return &compiledC{j.loader, library, run, j.calls}, nil
}

// Calls of the host: native code calls serveNative, which finds the worker by the address
// of its record.
var (
	serving       sync.Map // *worker by the address of its record, while it is in native code
	serveCallback struct {
		sync.Once
		address uintptr
	}
)

// attachHost gives a library the function that serves its calls. There is one for the
// process, as a callback is never freed.
func attachHost(loader Loader, library uintptr) error {
	attach, err := loader.Symbol(library, emitc.AttachSymbol)
	if err != nil {
		return err
	}
	serveCallback.Do(func() { serveCallback.address = loader.Callback(serveNative) })
	loader.Call(attach, serveCallback.address, 0, 0, 0)
	return nil
}

// serveNative serves a call of native code. No panic may pass the frames of C: it fails the
// call, and the launch with it.
func serveNative(record, number, words uintptr) (failed uintptr) {
	v, ok := serving.Load(record)
	if !ok {
		return 1
	}
	w := v.(*worker)
	defer func() {
		if r := recover(); r != nil {
			w.fault, failed = fmt.Errorf("%v", r), 1
		}
	}()
	if w.callHost(uint32(number), w.l.flat.data[uint32(words):]) != nil {
		return 1
	}
	return 0
}

// openCode opens the bytes of a library.
func openCode(loader Loader, code []byte) (library uintptr, err error) {
	f, err := os.CreateTemp(privilege.TempDir(), "offlink*.so")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(code)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return 0, err
	}
	return loader.Open(f.Name())
}

// closeCompiler stops the compiler and unloads its code.
func (n *nativeKernel) closeCompiler() {
	if n.stopCompiler != nil {
		n.stopCompiler()
	}
	n.compiling.Wait()
	if c := n.fast.Swap(nil); c != nil {
		if c.library != 0 {
			_ = c.loader.Close(c.library) // nothing runs in it any more
		}
	}
}

// callC runs groups in native code. When the launch is stopped, the record has a note of it
// (askToStop), and the code comes back.
func (w *worker) callC(c *compiledC, first, end int64) error {
	if c.calls {
		record := uintptr(w.l.flat.base) + uintptr(w.record)
		serving.Store(record, w)
		defer serving.Delete(record)
	}
	stop := c.loader.Call(c.run, uintptr(w.l.flat.base), uintptr(w.record), uintptr(first), uintptr(end))
	switch uint32(stop) {
	case emitc.StopTrap:
		return errTrap
	case emitc.StopHost:
		if w.fault == nil {
			w.fault = errNoHost
		}
		return w.fault
	case emitc.StopAsked:
		if err := w.l.tick(); err != nil {
			w.fault = err
			return err
		}
		w.fault = ErrBudget
		return ErrBudget
	}
	return nil
}

var errNoHost = errors.New("a call of native code has no worker")

var errTrap = errors.New("the kernel stopped itself")

// liveWorkers are the workers of a launch that native code may be running for.
type liveWorkers struct {
	mu   sync.Mutex
	list []*worker
}

func (v *liveWorkers) add(w *worker) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.list = append(v.list, w)
}

func (v *liveWorkers) remove(w *worker) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if i := slices.Index(v.list, w); i >= 0 {
		v.list = slices.Delete(v.list, i, i+1)
	}
}

// askToStop makes native code come back: it looks at the record at each tick.
func (v *liveWorkers) askToStop() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, w := range v.list {
		mem.Store32(w.data[lanes.RecordStop:], 1)
	}
}
