package hostdev

import (
	"fmt"

	"offlink/runtime/hostdev/internal/mem"
)

// item is one work-item: an interpreter that can be stopped at a rendezvous
// and resumed.
type item struct {
	s  []uint64 // the frame
	pc int32
	fn *function

	flat   flat
	spaces [spaces]segments
	fuel   int // jumps and calls until the next look at the launch's budget

	stack  []uint64
	base   int // of the frame in the stack
	frames []frame
	arena  arena

	check  *itemCheck // in checked mode
	group  *group
	local  [3]int // local id
	state  status // of the last run
	at     *inst  // the instruction at which it waits, finished or faulted
	fault  *Fault
	loaded *function // the function whose constants are at the start of the stack
	inputs []input
}

// frame is the saved state of a caller.
type frame struct {
	fn      *function
	pc      int32
	base    int
	dst     int32
	private int // allocations before the call
	mark    mark
}

const (
	// The limits bound recursion, which OpenCL C forbids ("Restrictions") and SPIR-V may
	// contain.
	maxDepth = 1024    // calls within calls
	maxStack = 1 << 20 // words
)

// run executes instructions until the work-item waits, finishes or faults.
func (it *item) run() status {
	for {
		in := &it.fn.code[it.pc]
		it.pc++
		if st := in.step(it, in); st != running {
			it.at, it.state = in, st
			return st
		}
	}
}

// start prepares the kernel's function with its arguments.
func (it *item) start(k *kernel, args []uint64) bool {
	fn := k.entered
	it.frames = it.frames[:0]
	it.base, it.pc, it.fn = 0, 0, fn
	it.arena.reset()
	if len(it.spaces[spacePrivate]) > 0 {
		it.spaces[spacePrivate] = it.spaces[spacePrivate][:0]
	}
	// The constants of the last work-item are still there: no instruction
	// writes to them.
	if it.loaded != fn {
		it.stack = growTo(it.stack, fn.words)
		copy(it.stack, fn.consts)
		it.loaded = fn
	}
	it.s = it.stack[:fn.words]
	copy(it.s[len(fn.consts):], args)
	if it.group.launch.checker != nil {
		it.startItem()
	}
	return len(fn.private) == 0 && it.check == nil || it.enterFunction(fn)
}

// growTo at least doubles, so that deep calls copy a stack a few times only.
func growTo(s []uint64, n int) []uint64 {
	if n <= len(s) {
		return s
	}
	return append(s, make([]uint64, max(n-len(s), len(s)))...)
}

// enterFunction allocates the variables of a function. Each call has its own
// variables, as the pointers to those of a caller stay valid.
func (it *item) enterFunction(fn *function) bool {
	private := it.spaces[spacePrivate]
	if it.check != nil {
		it.check.enterVariables(fn, len(private))
	}
	for i, size := range fn.private {
		data := it.arena.alloc(size)
		if data == nil || len(private) > maxIndex {
			it.failPrivate()
			return false
		}
		it.s[fn.privateBase+int32(i)] = uint64(makePointer(spacePrivate, len(private), 0))
		private = append(private, data)
	}
	it.spaces[spacePrivate] = private
	return true
}

// failPrivate is the fault of a work-item that has no private memory left.
func (it *item) failPrivate() {
	if it.arena.limit < maxPrivate {
		it.failf("its private memory is larger than %d bytes, its part of %d for a work-group; a smaller local size may do", it.arena.limit, int64(maxGroupPrivate))
		return
	}
	it.failf("its private memory is larger than %d bytes", it.arena.limit)
}

// failf makes the fault; group.place completes it.
func (it *item) failf(format string, args ...any) status {
	it.fault = &Fault{Message: fmt.Sprintf(format, args...)}
	return faulted
}

// bytesAt returns the memory of an access, or nil if it is out of bounds.
func (it *item) bytesAt(p pointer, n int64) []byte {
	data := it.readableBytes(p, n)
	if it.check != nil && data != nil {
		it.touch(p, data, false)
	}
	return data
}

func (it *item) readableBytes(p pointer, n int64) []byte {
	if s := p.space(); s != spaceGlobal {
		return it.spaces[s].at(p.index(), p.offset(), n)
	}
	return it.flat.bytesAt(p, n, 0)
}

// badAccess is the fault of an access that bytesAt refused.
func (it *item) badAccess(what string, p pointer, n int64) status {
	s, index, offset := p.split()
	if s == spaceGlobal {
		return it.badGlobal(what, p, n)
	}
	switch {
	case s == spaceFar:
		return it.badFar(what, p, n)
	case s > spaceInput:
		return it.failf("%s of %d bytes through %s", what, n, describePointer(p))
	case index >= len(it.spaces[s]) || it.spaces[s][index] == nil:
		return it.failf("%s of %d bytes in %s that is not allocated (any more)", what, n, spaceNames[s])
	}
	return it.failf("%s of %d bytes at offset %d of an allocation of %d bytes in %s",
		what, n, offset, len(it.spaces[s][index]), spaceNames[s])
}

// badFar is badAccess of a pointer that an index has led away.
func (it *item) badFar(what string, p pointer, n int64) status {
	if s, index := p.farOrigin(); it.hasSegment(s, index) {
		return it.failf("%s of %d bytes far outside of an allocation of %d bytes in %s", what, n, len(it.spaces[s][index]), spaceNames[s])
	}
	return it.failf("%s of %d bytes through a pointer that an index has led out of 64 bits", what, n)
}

// badGlobal is badAccess of the flat address space.
func (it *item) badGlobal(what string, p pointer, n int64) status {
	if uint64(p)-it.flat.base >= uint64(len(it.flat.data)) {
		return it.failf("%s of %d bytes through %s", what, n, describePointer(p))
	}
	entry, within := it.flat.entryNear(p)
	if entry == 0 {
		return it.failf("%s of %d bytes in %s that is not allocated (any more)", what, n, spaceNames[spaceGlobal])
	}
	name := spaceNames[spaceGlobal]
	if entry&entryReadOnly != 0 {
		name = "constant memory"
	}
	return it.failf("%s of %d bytes at offset %d of an allocation of %d bytes in %s", what, n, within, entrySize(entry), name)
}

func describePointer(p pointer) string {
	if p == 0 {
		return "a null pointer"
	}
	return fmt.Sprintf("%#x, which is not a pointer", uint64(p))
}

// fuelStep is the number of jumps of a work-item between two looks at whether
// its launch was stopped: a look costs an atomic load.
const fuelStep = 1 << 14

// burnFuel counts one jump or call.
func (it *item) burnFuel() bool {
	it.fuel--
	return it.fuel > 0 || it.takeFuel()
}

// takeFuel is the slow half of burnFuel, kept apart so that the fast half is
// inlined.
func (it *item) takeFuel() bool {
	it.fuel = fuelStep
	it.group.pause()
	if err := it.group.launch.tick(); err != nil {
		it.fault = &Fault{Message: err.Error(), Err: err}
		return false
	}
	return true
}

// arena is the private memory of a work-item: a stack of blocks that do not
// move.
type arena struct {
	blocks [][]byte
	block  int   // in use
	used   int64 // of it
	total  int64 // of all blocks in use before it
	limit  int64
}

type mark struct {
	block int
	used  int64
	total int64
}

func (a *arena) mark() mark     { return mark{a.block, a.used, a.total} }
func (a *arena) release(m mark) { a.block, a.used, a.total = m.block, m.used, m.total }
func (a *arena) reset()         { a.release(mark{}) }

const arenaBlock = 4 << 10

// alloc returns zeroed memory, or nil if the limit is reached.
func (a *arena) alloc(size int64) []byte {
	room := alignUp(max(size, 1), 16)
	if a.total+a.used+room > a.limit {
		return nil
	}
	// A block that has too little room left is closed; the rest of it stays unused.
	for a.block < len(a.blocks) && a.used+room > int64(len(a.blocks[a.block])) {
		a.total += a.used
		a.block, a.used = a.block+1, 0
	}
	if a.block == len(a.blocks) {
		a.blocks = append(a.blocks, mem.New(max(room, arenaBlock)))
	}
	// The third index keeps an append of the owner from growing into the next
	// variable. The memory is cleared, so that a kernel which reads before it
	// writes gives the same result in every run.
	data := a.blocks[a.block][a.used : a.used+size : a.used+size]
	a.used += room
	clear(data)
	return data
}
