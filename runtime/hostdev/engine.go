package hostdev

import (
	"encoding/binary"
	"errors"
	"runtime"
	"sync"

	"offlink/runtime/hostdev/internal/engine"
	"offlink/runtime/hostdev/internal/wasm"
)

// The engine of compiled kernels: WebAssembly in the memory of the device, which is a
// region, and the calls that the code makes of Go.

// kernelEngine runs the compiled kernels of a device.
type kernelEngine struct {
	memory  []byte // the device's region
	runtime engine.Runtime
	workers sync.Map // *worker by the offset of its record
}

// newEngine creates the WebAssembly runtime. It fails where the program has no compiler, or the
// compiler does not know the system.
func newEngine(memory []byte) (*kernelEngine, error) {
	e := &kernelEngine{memory: memory}
	var err error
	e.runtime, err = engine.New(memory, engine.Host{Tick: e.tick, Call: e.host})
	return e, err
}

// pages is the size of the memory in pages of WebAssembly. All modules declare it,
// as they share the one that is there.
func (e *kernelEngine) pages() uint32 { return uint32(len(e.memory) / wasm.PageSize) }

// engineState is the engine, or the reason why there is none.
type engineState struct {
	once   sync.Once
	engine *kernelEngine
	err    error
}

// engine is the device's, made when it is first asked for. Code counts offsets in
// 32 bits, for which the region must begin at a multiple of 4 GiB; without one,
// kernels are interpreted.
func (d *Device) engine() (*kernelEngine, error) {
	d.start.once.Do(func() {
		if d.heap.size() == 0 {
			d.start.err = errors.New("no region of memory")
			return
		}
		view := d.heap.flatView()
		if view.base<<32 != 0 {
			d.start.err = errors.New("the region of memory is not where the low half of an address is the offset")
			return
		}
		d.start.engine, d.start.err = newEngine(view.data)
		if d.start.err == nil {
			runtime.AddCleanup(d, func(r engine.Runtime) { r.Close() }, d.start.engine.runtime)
		}
	})
	return d.start.engine, d.start.err
}

// tick is called by code now and then; it is where the garbage collector can
// stop the goroutine.
func (e *kernelEngine) tick(stack []uint64) {
	v, ok := e.workers.Load(uint32(stack[0]))
	if !ok {
		panic("offlink: no worker")
	}
	w := v.(*worker)
	w.pause()
	if err := w.l.tick(); err != nil {
		w.fault = err
		panic(err)
	}
}

// host calls a function of the interpreter with words in memory. It runs on the
// worker's goroutine, in the middle of a group.
func (e *kernelEngine) host(stack []uint64) {
	v, ok := e.workers.Load(uint32(stack[0]))
	if !ok {
		panic("offlink: no worker")
	}
	if err := v.(*worker).callHost(uint32(stack[1]), e.memory[uint32(stack[2]):]); err != nil {
		panic(err)
	}
}

// hostFault is the fault of a call of the host, and the instruction that the call is for.
type hostFault struct {
	message string
	at      site
}

func (e *hostFault) Error() string { return e.message }

// callHost runs a function of the host on the words of its arguments, which its results
// replace.
func (w *worker) callHost(number uint32, words []byte) error {
	fn := w.l.k.p.host.get(number)
	if w.item == nil {
		w.item = &item{group: &group{}}
	}
	it := w.item
	it.group.launch, it.flat = w.l, w.l.flat
	// A function that is called through a pointer has memory of its own.
	it.arena.limit = maxPrivate
	it.arena.reset()
	it.spaces[spacePrivate] = it.spaces[spacePrivate][:0]
	it.fuel, it.fn, it.pc = fuelStep, fn, 0
	it.stack = growTo(it.stack, fn.words)
	it.s = it.stack[:fn.words]
	copy(it.s, fn.consts)
	params := it.s[len(fn.consts):]
	for i := range fn.arguments {
		params[i] = binary.LittleEndian.Uint64(words[8*i:])
	}
	if it.run() != finished {
		w.fault = &hostFault{it.fault.Message, site{it.where(), fn.name}}
		return w.fault
	}
	for i := range it.at.n {
		binary.LittleEndian.PutUint64(words[8*i:], it.s[it.at.a+i])
	}
	return nil
}
