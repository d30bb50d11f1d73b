package hostdev

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"offlink/runtime/driver"
	"offlink/runtime/hostdev/internal/emitwasm"
	"offlink/runtime/hostdev/internal/engine"
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/runtime/hostdev/internal/mem"
	"offlink/runtime/hostdev/internal/wasm"
)

// The executor of compiled kernels: WebAssembly, or native code (swap.go), that works in
// the memory of the device, which is a region, and comes back to Go after some groups.
// WebAssembly also calls Go after some iterations of loops.

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

// The memory of a worker: rooms, each of which is an allocation of its own. Pointers of
// the kernel cannot reach the first one, which has the data that the code relies on.
const (
	roomRecord = iota
	roomLocal
	roomFrame
	rooms
)

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

// allocation is where the allocation of a pointer starts in the memory of
// compiled kernels, and its size; the null pointer has one of no bytes.
func (d *Device) allocation(p pointer) (start, size uint32, ok bool) {
	if p == 0 {
		return lanes.Foreign, 0, true
	}
	m, _ := d.heap.allocationAt(uint64(p))
	if m == nil {
		return 0, 0, false
	}
	return uint32(m.at), uint32(len(m.data)), true
}

// engineState is the engine, or the reason why there is none.
type engineState struct {
	once   sync.Once
	engine *kernelEngine
	err    error
}

// worker runs groups of a launch on one goroutine.
type worker struct {
	l      *launch
	rooms  [rooms]*memory
	record uint32 // its offset
	data   []byte // from the record on
	item   *item  // for calls of the host
	fault  error
	crew   *crew // of the worker on the caller's goroutine, else nil

	at       layout
	function engine.Function // the kernel's, with a stack of its own; nil where it must be made
	stack    [lanes.NumParams]uint64
}

// layout is the offsets of things in a worker's rooms, and the sizes of the rooms.
type layout struct {
	private, context, call, scratch int64
	localArgs                       []int64 // by argument
	sizes                           [rooms]int64
}

// layout places the memory of a launch; at is overwritten, and its slice used again.
// The result is right for both codes of the kernel, as a launch may change from
// WebAssembly to native code between two groups.
func (n *nativeKernel) layout(l *launch, at *layout) {
	*at = layout{localArgs: at.localArgs[:0]}
	// Without barriers, only the work-items of one step have private memory at a time.
	items := int64(max(n.code.Width, n.wide.Width))
	if n.code.Items {
		items += int64(groupSize(l.r.local))
	}
	next := alignUp(l.k.variablesAt()+8*int64(len(n.variables)), localAlign)
	take := func(size int64) int64 {
		place := next
		next = alignUp(next+size, localAlign)
		return place
	}
	at.call = take(8 * maxHostWords)
	at.scratch = take(int64(n.code.ScratchSize))
	at.private = take(items * int64(n.code.PrivateSize))
	if n.code.Items {
		at.context = take(maxGroup * int64(max(n.code.ContextSize, n.wide.ContextSize)))
	}
	at.sizes[roomRecord] = next
	room := n.local
	for i := range l.k.params {
		start := int64(0)
		if size := l.local[len(l.k.p.locals)+i]; size > 0 {
			start = alignUp(room, localAlign)
			room = start + size
		}
		at.localArgs = append(at.localArgs, start)
	}
	at.sizes[roomLocal] = room
	at.sizes[roomFrame] = items * int64(n.code.FrameSize)
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

// newWorker returns a worker that is ready for the launch, one of an earlier launch if
// there is one. It reports false if there is not enough memory or an argument does not
// lead to the device's memory: the launch is then interpreted.
func (l *launch) newWorker(e *kernelEngine, n *nativeKernel) (*worker, bool) {
	w := n.takeWorker()
	w.l, w.fault, w.crew = l, nil, nil
	n.layout(l, &w.at)
	if w.at.sizes[roomRecord]+w.at.sizes[roomFrame] > maxGroupPrivate || w.fitRooms(e) != nil || !w.fill(&w.at) {
		n.giveBack(w)
		return nil, false
	}
	n.putVariables(w)
	l.natives.add(w)
	return w, true
}

// shareBudget keeps the budget of the launch in this worker's record, where code
// without calls of the host counts it down too. The crew's others come later.
func (w *worker) shareBudget() {
	l := w.l
	l.shared = w.data[lanes.RecordTicks:][:8]
	mem.Store64(l.shared, uint64(l.steps.Load()))
	l.crew.budget = w.record + lanes.RecordTicks
	binary.LittleEndian.PutUint32(w.data[lanes.RecordBudget:], l.crew.budget)
}

// takeWorker returns a worker that no launch uses. A kernel keeps its workers:
// their rooms and stacks cost more than a short launch.
func (n *nativeKernel) takeWorker() *worker {
	n.mu.Lock()
	defer n.mu.Unlock()
	last := len(n.idle) - 1
	if last < 0 {
		return new(worker)
	}
	w := n.idle[last]
	n.idle = n.idle[:last]
	return w
}

// giveBack keeps a worker for the next launch.
func (n *nativeKernel) giveBack(w *worker) {
	w.l.natives.remove(w)
	w.l, w.crew = nil, nil
	n.mu.Lock()
	defer n.mu.Unlock()
	n.idle = append(n.idle, w)
}

// fitRooms gives each room the size that the layout asks for.
func (w *worker) fitRooms(e *kernelEngine) error {
	for room, size := range w.at.sizes {
		// Accesses are checked against the size of a room, so it must be exact. No
		// pointer leads to the record, which may be larger.
		m := w.rooms[room]
		if m != nil && (m.Size() == size || room == roomRecord && m.Size() > size) {
			continue
		}
		w.dropRoom(e, room)
		if size == 0 {
			continue
		}
		flags := uint64(entryDivided)
		if room == roomRecord {
			flags = entryHidden
		}
		m, err := w.l.device.heap.allocate(w.l.device, driver.DeviceMemory, size, flags)
		if err != nil {
			return err
		}
		w.rooms[room] = m
		if room == roomRecord {
			w.record, w.data = uint32(m.at), m.data
			e.workers.Store(w.record, w)
		}
	}
	return nil
}

// dropRoom frees a room. Without its record, a worker can no longer be found by calls
// from the code, which name it by the record's offset.
func (w *worker) dropRoom(e *kernelEngine, room int) {
	m := w.rooms[room]
	if m == nil {
		return
	}
	if room == roomRecord {
		e.workers.Delete(w.record)
	}
	m.release()
	w.rooms[room] = nil
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

// fill writes the record, which the code reads its launch from. It reports false
// where an argument leads out of the device's memory, which the interpreter names.
func (w *worker) fill(at *layout) bool {
	l := w.l
	put32 := func(offset int64, v uint32) { binary.LittleEndian.PutUint32(w.data[offset:], v) }
	put64 := func(offset int64, v uint64) { binary.LittleEndian.PutUint64(w.data[offset:], v) }
	for i := range int64(3) {
		put32(lanes.RecordLocal+4*i, uint32(l.r.local[i]))
		put32(lanes.RecordGroups+4*i, uint32(l.r.groups[i]))
		put64(lanes.RecordGlobal+8*i, uint64(l.r.global[i]))
		put64(lanes.RecordOffset+8*i, uint64(l.r.offset[i]))
		put32(lanes.RecordFirst+4*i, uint32(l.r.first[i]))
		put32(lanes.RecordStart+4*i, uint32(l.r.first[i]*l.r.enqueued[i]))
		put32(lanes.RecordAllGroups+4*i, uint32(l.r.allGroups[i]))
		put32(lanes.RecordEnqueued+4*i, uint32(l.r.enqueued[i]))
	}
	put64(lanes.RecordDims, uint64(l.r.dims))
	put32(lanes.RecordPrivate, w.record+uint32(at.private))
	put32(lanes.RecordContext, w.record+uint32(at.context))
	put32(lanes.RecordScratch, w.record+uint32(at.scratch))
	put32(lanes.RecordCall, w.record+uint32(at.call))
	put32(lanes.RecordMemory, w.start(roomLocal))
	put32(lanes.RecordRoom, uint32(at.sizes[roomLocal]))
	put32(lanes.RecordFrame, w.start(roomFrame))
	put32(lanes.RecordFrames, uint32(at.sizes[roomFrame]))
	put64(lanes.RecordBase, l.flat.base)
	put32(lanes.RecordStop, 0)
	put32(lanes.RecordBudget, l.crew.budget)
	put32(lanes.RecordTrap, uint32(lanes.TrapNone))
	return w.fillArguments(at, put32, put64)
}

// start is where a room starts; an empty one is at an offset that no allocation
// has.
func (w *worker) start(room int) uint32 {
	if w.rooms[room] == nil {
		return lanes.Foreign
	}
	return uint32(w.rooms[room].at)
}

// fillArguments writes the words of the arguments and the bounds of pointers,
// and tells whether all lead to the device's memory.
func (w *worker) fillArguments(at *layout, put32 func(int64, uint32), put func(int64, uint64)) bool {
	l := w.l
	bounds := func(word int64, base, size uint32) {
		put32(l.k.boundsAt()+8*word, base)
		put32(l.k.boundsAt()+8*word+4, size)
	}
	for i := range l.k.params {
		p := &l.k.params[i]
		if p.Kind == driver.ParamLocal {
			start := w.start(roomLocal) + uint32(at.localArgs[i])
			put(lanes.RecordWords+8*p.word, l.flat.base+uint64(start))
			bounds(p.word, start, uint32(l.local[len(l.k.p.locals)+i]))
			continue
		}
		for n := range p.t.words {
			v := l.args[p.word+n]
			put(lanes.RecordWords+8*(p.word+n), v)
			// An argument by value is copied to a variable, which has no bounds here.
			if p.t.kind != kindPointer || p.byVal {
				continue
			}
			start, size, ok := l.device.allocation(pointer(v))
			if !ok {
				return false
			}
			bounds(p.word, start, size)
		}
	}
	for _, v := range l.byVal {
		copy(w.data[l.k.byValueAt(v.param):], v.data)
	}
	return true
}

// turn is about how long the caller's goroutine stays in a kernel's code before it yields.
// It is long beside a call, and short beside the time that a collection of garbage may wait.
const turn = time.Millisecond

// run takes groups until there are none, or the crew wants the worker to leave.
func (w *worker) run(c *crew) {
	n := c.code
	if w.function == nil && n.module != nil {
		w.function = n.module.Function(n.code.Name)
	}
	var size share
	for w.l.stop.Load() == nil && !c.mayLeave(w) {
		first, end := c.take(&size)
		if first >= end {
			return
		}
		before, start := c.active.Load(), c.launch.device.now()
		if code, err := w.runGroups(n, first, end); err != nil {
			w.report(n, code, err)
			w.function = nil // after a failure it is not used again
			return
		}
		took := c.launch.device.now() - start
		size.measure(end-first, took)
		if w.crew != nil && c.observe(before, end-first, took) {
			c.startOthers()
		}
		w.pause()
	}
}

// runGroups runs groups in the best code that there is.
func (w *worker) runGroups(n *nativeKernel, first, end int64) (*lanes.Code, error) {
	if c := n.fast.Load(); c != nil {
		return n.wide, w.callC(c, first, end)
	}
	stack := w.stack[:]
	stack[0], stack[1], stack[2] = uint64(w.record), uint64(first), uint64(end)
	return n.code, w.function.Call(stack)
}

// report turns the record that the code left into a fault of the launch.
func (w *worker) report(n *nativeKernel, code *lanes.Code, err error) {
	get := func(offset int) int { return int(binary.LittleEndian.Uint32(w.data[offset:])) }
	index := get(lanes.RecordGroup)
	g := &group{launch: w.l}
	// The code counts groups linearly, the first dimension fastest, as
	// group.run does.
	rest := index
	for i, count := range w.l.r.groups {
		g.id[i] = w.l.r.first[i] + rest%count
		rest /= count
	}
	it := &item{group: g}
	g.setOrigin()
	for i, n := range w.l.r.local {
		// Between two parts of a kernel with barriers the loops over the work-items are at their end.
		it.local[i] = min(get(lanes.RecordItem+4*i), n-1)
	}
	trap := lanes.Trap(get(lanes.RecordTrap))
	if trap == lanes.TrapBounds {
		var lane int
		it.fault, lane = w.boundsFault(code.Sites[get(lanes.FaultSite)], get)
		it.local[0] += lane
	} else {
		it.fault = w.faultOf(err, trap)
	}
	if trap == lanes.TrapDivision {
		it.local[0] += bits.TrailingZeros32(uint32(get(lanes.FaultLanes)))
	}
	fault := g.place(it)
	// Of these traps, the record has no site.
	if trap != lanes.TrapNone && trap != lanes.TrapBarrier && trap != lanes.TrapUnaligned {
		at := n.sites[code.Sites[get(lanes.FaultSite)].Site]
		fault.Function, fault.Op, fault.File, fault.Line = at.function, at.op, at.file, int(at.line)
	}
	w.l.report(int64(index), fault)
}

// wholeDistance is a distance of which the code knows the low half, and another number.
func wholeDistance(v *lanes.Value, low, far uint32) int64 {
	kind, scale, shift := v.Far()
	offset := shift
	switch kind {
	case lanes.FarHigh:
		return int64(far)<<32 | int64(low)
	case lanes.FarSigned:
		offset += int64(int32(far)) * int64(scale)
	case lanes.FarUnsigned:
		offset += int64(far) * int64(scale)
	default:
		return int64(int32(low))
	}
	return offset + int64(low-uint32(offset)) // from a pointer that lies after the start
}

// boundsFault names the access that was out of bounds, and in which lane of the step.
func (w *worker) boundsFault(v *lanes.Value, get func(offset int) int) (fault *Fault, lane int) {
	size, store := v.Access()
	what := "load"
	if store {
		what = "store"
	}
	if all := get(lanes.FaultLanes); all != 0 {
		lane = bits.TrailingZeros(uint(all))
	}
	if v.Bounds.Table {
		at, base := uint32(get(lanes.FaultDistance)), get(lanes.FaultStride)
		if kind, _, _ := v.Far(); kind != lanes.FarNothing && get(lanes.RecordFar) != 0 {
			at = math.MaxUint32 // of an address elsewhere the low half says nothing
		}
		return w.tableFault(what, at, uint32(base), uint32(get(lanes.FaultLen)), size, store), lane
	}
	at := wholeDistance(v, uint32(get(lanes.FaultDistance)), uint32(get(lanes.RecordFar)))
	stride, length := int64(get(lanes.FaultStride)), int64(get(lanes.FaultLen))
	// The check covers the accesses of all lanes at once; the first lane that
	// is out of bounds is the one to name.
	for stride != 0 && at >= 0 && at <= length-size && lane < 64 {
		at += stride
		lane++
	}
	switch memory := v.Bounds.Memory; {
	case size == 0 && at != int64(int32(at)):
		return &Fault{Message: fmt.Sprintf("%s far outside of an array of %d elements in private memory", what, length)}, lane
	case size == 0:
		return &Fault{Message: fmt.Sprintf("%s of element %d of an array of %d elements in private memory", what, at, length)}, lane
	case store && memory == constantMemory:
		return &Fault{Message: fmt.Sprintf("store of %d bytes to %s, which cannot be written", size, memory)}, lane
	case length == 0:
		return &Fault{Message: fmt.Sprintf("%s of %d bytes through a null pointer", what, size)}, lane
	case at != at<<8>>8:
		return &Fault{Message: fmt.Sprintf("%s of %d bytes far outside of an allocation of %d bytes in %s", what, size, length, memory)}, lane
	default:
		return &Fault{Message: fmt.Sprintf("%s of %d bytes at offset %d of an allocation of %d bytes in %s", what, size, at, length, memory)}, lane
	}
}

// tableFault names an access that the table of allocations does not allow, and that was made for
// the allocation of length bytes from base on.
func (w *worker) tableFault(what string, at, base, length uint32, size int64, store bool) *Fault {
	foreign := base == lanes.Foreign
	flat := &w.l.flat
	entry, within := flat.entryNear(pointer(flat.base + uint64(at)))
	memory := spaceNames[spaceGlobal]
	// Local and private memory are allocations of the region too; the kernel's
	// author knows them by their kind.
	for room, name := range map[int]string{roomLocal: spaceNames[spaceLocal], roomFrame: spaceNames[spacePrivate]} {
		if m := w.rooms[room]; m != nil && entryStart(entry) == m.at {
			memory = name
		}
	}
	entryLength := entrySize(entry)
	if entry&entryDivided != 0 { // of its variables, only the bounds of the pointer tell
		within, entryLength = int64(int32(at-base)), int64(length)
	}
	switch {
	case foreign && at < granule:
		return &Fault{Message: fmt.Sprintf("%s of %d bytes through a null pointer", what, size)}
	case foreign:
		return &Fault{Message: fmt.Sprintf("%s of %d bytes through a pointer that is not of the device's memory", what, size)}
	case entry == 0:
		return &Fault{Message: fmt.Sprintf("%s of %d bytes in %s that is not allocated (any more)", what, size, memory)}
	case store && entry&entryReadOnly != 0:
		return &Fault{Message: fmt.Sprintf("store of %d bytes to %s, which cannot be written", size, constantMemory)}
	}
	return &Fault{Message: fmt.Sprintf("%s of %d bytes at offset %d of an allocation of %d bytes in %s", what, size, within, entryLength, memory)}
}

// faultOf names a fault by the trap that the code noted; one that the engine found
// has its text.
func (w *worker) faultOf(err error, trap lanes.Trap) *Fault {
	text, _, _ := strings.Cut(err.Error(), "\n")
	switch {
	case w.fault != nil:
		f := &Fault{Message: w.fault.Error(), Err: w.fault}
		if call, ok := w.fault.(*hostFault); ok {
			f.Function, f.Op, f.File, f.Line = call.at.function, call.at.op, call.at.file, int(call.at.line)
		}
		return f
	case trap == lanes.TrapUnreachable:
		return &Fault{Message: "the kernel reached a place that its compiler took for unreachable"}
	case trap == lanes.TrapCallee:
		return &Fault{Message: "call through a number that is not a pointer to a function of this type"}
	case trap == lanes.TrapDivision:
		return &Fault{Message: divisionByZero}
	case trap == lanes.TrapSubgroup:
		return &Fault{Message: "the work-item waits for its sub-group, and not all of it come here"}
	case trap == lanes.TrapBarrier:
		return &Fault{Message: "the work-item waits for its work-group, and another one does not come here"}
	case trap == lanes.TrapUnaligned || strings.Contains(text, "unaligned"):
		return &Fault{Message: "atomic access that is not aligned"}
	case strings.Contains(text, "out of bounds memory access"):
		return &Fault{Message: "access through a null pointer, or one that is not of the device's memory"}
	}
	return &Fault{Message: text}
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
