package hostdev

import (
	"encoding/binary"
	"time"

	"offlink/runtime/driver"
	"offlink/runtime/hostdev/internal/engine"
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/runtime/hostdev/internal/mem"
)

// Workers run compiled code: each has memory of its own, with a record that the code reads
// its launch from, and runs groups on one goroutine.

// The memory of a worker: rooms, each of which is an allocation of its own. Pointers of
// the kernel cannot reach the first one, which has the data that the code relies on.
const (
	roomRecord = iota
	roomLocal
	roomFrame
	rooms
)

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
