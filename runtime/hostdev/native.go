package hostdev

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"offlink/runtime/hostdev/internal/emitwasm"
	"offlink/runtime/hostdev/internal/engine"
	"offlink/runtime/hostdev/internal/lanes"
)

// The executor of compiled kernels: WebAssembly (engine.go), or native code (swap.go). Workers
// (worker.go) run it in the memory of the device, and it comes back to Go after some groups.
// WebAssembly also calls Go after some iterations of loops.

// nativeKernel is the compiled code of a kernel for one kind of rows. Launches share it, and
// take its idle workers in turn.
type nativeKernel struct {
	module engine.Module // nil if native code was there at once
	code   *lanes.Code
	wide   *lanes.Code // for native code: as code, or with more lanes
	sites  []site
	local  int64 // bytes of the local variables

	mu   sync.Mutex
	idle []*worker // of earlier launches

	variables []uint64 // only of code compiled ahead of time: addresses that the record has

	pace    atomic.Int64 // nanoseconds that a group of the last launch took; 0: none yet
	verdict verdict

	fast         atomic.Pointer[compiledC] // nil until it is ready
	compiling    sync.WaitGroup
	stopCompiler context.CancelFunc // nil if none was started
}

// nativeState is a kernel's code, or why it has none.
type nativeState struct {
	once sync.Once
	code *nativeKernel
	err  error
}

// rowsOf are the rows of a launch. Nearly all launches have rows that every width divides,
// and then the code for the rest of a row need not be made.
func (k *kernel) rowsOf(local [3]int) lanes.Rows {
	switch {
	case k.subgroup != 1:
		return lanes.SubgroupRows
	case local[0]%smallLanes == 0:
		return lanes.WholeSteps
	}
	return lanes.AnyRows
}

// nativeCode compiles the kernel when it is first launched with such rows. Launches at the
// same time wait for the one that compiles.
func (k *kernel) nativeCode(rows lanes.Rows) (*nativeKernel, error) {
	state := &k.native[rows]
	state.once.Do(func() { state.code, state.err = k.compileNative(rows) })
	return state.code, state.err
}

// compileNative compiles the kernel, unless a native image has its code. Whatever the
// error, the kernel is interpreted; a panic is a mistake of the compiler, and becomes
// such an error.
func (k *kernel) compileNative(rows lanes.Rows) (n *nativeKernel, err error) {
	defer func() {
		if r := recover(); r != nil {
			n, err = nil, lanes.Unsupported("%v", r)
		}
	}()
	e, err := k.p.device.engine()
	if err != nil {
		return nil, err
	}
	if n, err = k.precompiledKernel(); err == nil {
		return n, nil
	}
	l, err := lowerKernel(k, &k.p.host)
	if err != nil {
		return nil, err
	}
	wide, err := k.compileLanes(l.f, k.p.device.options.Lanes, rows)
	if err != nil {
		return nil, err
	}
	n = &nativeKernel{code: wide, wide: wide, sites: l.sites, local: k.localSize(l)}
	// Native code may be in the cache, and WebAssembly is then not made.
	n.startCompiler(k.p.device)
	if n.fast.Load() != nil {
		return n, nil
	}
	if n.code, err = k.narrowLanes(l.f, wide, rows); err != nil {
		n.closeCompiler()
		return nil, err
	}
	n.module, err = e.runtime.Instantiate(emitwasm.Emit(n.code, e.pages()))
	if err != nil {
		n.closeCompiler()
		return nil, err
	}
	return n, nil
}

// defaultLanes is the width of a step. Small kernels have smallLanes, as one check of
// bounds then serves more work-items.
const (
	defaultLanes = 8
	smallLanes   = 16
	smallKernel  = 256 // operations

	largeKernel = 8000 // operations, of which lanes and masks would make a million instructions

	divergentLanes = 4    // see narrowLanes
	smallCode      = 1500 // the most instructions at smallLanes, which bounds the time to compile
)

// compileLanes compiles for steps of several work-items, or of one where that is not
// supported. A sub-group of several is exactly one step, so that its width is given and
// nothing narrower serves.
func (k *kernel) compileLanes(f *lanes.Function, width int, rows lanes.Rows) (*lanes.Code, error) {
	switch k.subgroup {
	case 1:
	case 4, 8, 16, 32:
		return lanes.Compile(f, k.subgroup, lanes.SubgroupRows)
	default:
		return nil, lanes.Unsupported("sub-groups of %d work-items", k.subgroup)
	}
	if width == 0 {
		width = defaultLanes
		switch size := f.Size(); {
		case size <= smallKernel:
			width = smallLanes
		case size > largeKernel:
			width = 1
		}
	}
	code, err := lanes.Compile(f, width, rows)
	if width > 1 && errors.Is(err, lanes.ErrUnsupported) {
		return lanes.Compile(f, 1, rows)
	}
	return code, err
}

// narrowLanes returns the code for WebAssembly. Its steps are narrower than those of
// wide in two cases: where lanes leave a loop at different times, as those that have
// left cost as much as the rest, and in long code. Native code keeps the wide steps, as
// its registers hold more.
func (k *kernel) narrowLanes(f *lanes.Function, wide *lanes.Code, rows lanes.Rows) (*lanes.Code, error) {
	switch {
	case k.p.device.options.Lanes != 0 || k.subgroup != 1 || wide.Width == 1:
		return wide, nil
	case wide.Diverges:
		return lanes.Compile(f, divergentLanes, rows)
	case wide.Width > defaultLanes && len(wide.Insts) > smallCode:
		return lanes.Compile(f, defaultLanes, rows)
	}
	return wide, nil
}

// errNotNative is that a launch is to be interpreted.
var errNotNative = errors.New("the launch is interpreted")

// runNative runs the launch with the kernel's code; errNotNative says that
// nothing was done.
func (l *launch) runNative() error {
	if l.device.options.Interpret || l.device.options.Backwards || !l.fitsNative() {
		return errNotNative
	}
	code, err := l.k.nativeCode(l.k.rowsOf(l.r.local))
	if err != nil {
		return errNotNative
	}
	total := l.total()
	if total == 0 {
		return nil
	}
	e, _ := l.device.engine()
	first, ok := l.newWorker(e, code)
	if !ok {
		return errNotNative
	}
	first.shareBudget()
	c := &l.crew
	c.launch, c.engine, c.code, c.total = l, e, code, total
	c.run(first)
	return l.outcome()
}

// fitsNative tells whether compiled code can run the launch: rows must be whole
// sub-groups, and ids must fit 31 bits, as lanes count them as signed numbers of 32.
func (l *launch) fitsNative() bool {
	if l.r.local[0]%l.k.subgroup != 0 || l.total() > 1<<30 {
		return false
	}
	for i := range l.r.global {
		if int64(l.r.global[i])+int64(l.r.offset[i]) > math.MaxInt32 || int64(l.r.offset[i]) > math.MaxInt32 {
			return false
		}
	}
	return true
}

// close stops the C compiler, frees the memory of the idle workers and closes the module.
func (n *nativeKernel) close(e *kernelEngine) {
	n.closeCompiler()
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, w := range n.idle {
		for room := range w.rooms {
			w.dropRoom(e, room)
		}
	}
	n.idle = nil
	if n.module != nil {
		n.module.Close()
	}
}

// outcome is how the launch ended: a fault of the kernel comes before the reason
// why others were stopped. One that is stopped between two work-groups has no work-item to
// name.
func (l *launch) outcome() error {
	if l.fault != nil {
		return l.fault
	}
	if err := l.stop.Load(); err != nil {
		return fmt.Errorf("kernel %s: %w", l.k.name, *err)
	}
	return nil
}
