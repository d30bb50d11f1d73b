package hostdev

import (
	"offlink/runtime/hostdev/internal/shadow"
)

// The shadows of a work-item: of the words of its frames, and of its private
// memory; and those of its group's local memory.

// shadowWord is the shadow of a word of a frame.
type shadowWord struct {
	undefined uint64 // a bit is set if that of the word is undefined
	object    uint32 // for which a pointer was made, also as a number; 0: not known
	origin    uint32 // the load that brought an undefined bit
}

// itemCheck is the shadow of a work-item.
type itemCheck struct {
	c      *checker
	number uint32 // of the work-item, in the launch

	stack []shadowWord
	s     []shadowWord // of the frame

	private      [][]byte // undefined bits of the private allocations; nil: all are defined
	firstPrivate int      // of the function that runs
	firsts       []int    // of its callers
	stored       map[pointer]storedWord

	atomic bool // the access that runs is an atomic one
	// undefined is whether the instruction that runs has loaded an undefined
	// byte, for those whose accesses are inside a function of OpenCL.std.
	undefined uint32
	bits      []byte // of a copy, between its two steps

	order itemOrder
}

// storedWord is the shadow of a word in memory: the allocation of a
// pointer, while the memory holds the same number, and the origin of undefined
// bits, while there are any.
type storedWord struct {
	value          uint64
	object, origin uint32
}

// groupCheck is the shadow of local memory.
type groupCheck struct {
	undefined [][]byte
	accesses  []shadow.Accesses
	stored    map[pointer]storedWord
	order     groupOrder
}

// startGroup makes local memory undefined.
func (c *checker) startGroup(g *group) {
	k := &groupCheck{
		undefined: make([][]byte, len(g.local)), accesses: make([]shadow.Accesses, len(g.local)),
		stored: map[pointer]storedWord{},
	}
	for i, data := range g.local {
		k.undefined[i] = undefinedBytes(int64(len(data)))
		k.accesses[i].SameGroup = c.sameGroup
	}
	for _, v := range g.launch.k.locals {
		definePadding(k.undefined[v.index], v.t)
	}
	g.check = k
	c.tick(g)
}

func undefinedBytes(n int64) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = 0xff
	}
	return b
}

// definePadding makes the bytes between the members of a variable defined: they
// are copied with it and never written.
func definePadding(bits []byte, t *typ) {
	if t.words > maxConstantWords || t.words == 0 {
		return
	}
	clear(bits)
	for _, l := range t.leaves() {
		for i := l.offset; i < min(l.offset+l.size, int64(len(bits))); i++ {
			bits[i] = 0xff
		}
	}
}

// startItem makes the shadow of the first frame.
func (it *item) startItem() {
	g := it.group
	size := groupSize(g.launch.r.enqueued)
	k := &itemCheck{c: g.launch.checker}
	if it.check != nil {
		k.stack = it.check.stack
	}
	k.number = uint32(g.number()*size + it.localIndex())
	it.check = k
	k.enterFrame(0, it.fn)
	for _, a := range g.launch.argObjects {
		k.s[int64(len(it.fn.consts))+a.word].object = a.object
	}
}

// enterFrame takes the shadows of a frame, all defined, from a stack that grows as that of
// the frames does.
func (k *itemCheck) enterFrame(base int, fn *function) {
	for len(k.stack) < base+fn.words {
		k.stack = append(k.stack, make([]shadowWord, max(base+fn.words-len(k.stack), len(k.stack)))...)
	}
	k.s = k.stack[base : base+fn.words]
	clear(k.s)
}

// enterCall passes the shadows of the arguments.
func (k *itemCheck) enterCall(base int, fn *function, private int, list []int32) {
	caller := k.s
	k.firsts = append(k.firsts, k.firstPrivate)
	k.firstPrivate = private
	k.enterFrame(base, fn)
	for i, at := range list {
		k.s[len(fn.consts)+i] = caller[at]
	}
}

// leaveCall passes the shadow of the result.
func (k *itemCheck) leaveCall(caller frame, result []shadowWord) {
	k.s = k.stack[caller.base : caller.base+caller.fn.words]
	copy(k.s[caller.dst:], result)
	k.private = k.private[:min(len(k.private), caller.private)]
	last := len(k.firsts) - 1
	k.firstPrivate, k.firsts = k.firsts[last], k.firsts[:last]
}

// enterVariables makes the variables of a function undefined.
func (k *itemCheck) enterVariables(fn *function, first int) {
	k.private = k.private[:min(len(k.private), first)]
	for len(k.private) < first {
		k.private = append(k.private, nil)
	}
	for i, size := range fn.private {
		bits := undefinedBytes(size)
		definePadding(bits, fn.privateTypes[i])
		k.private = append(k.private, bits)
	}
}

// bitsAt returns the undefined bits of local or private memory that an access
// has reached, nil if they are all defined.
func (it *item) bitsAt(p pointer, n int64) []byte {
	var all [][]byte
	switch p.space() {
	case spaceLocal:
		all = it.group.check.undefined
	case spacePrivate:
		all = it.check.private
	}
	if i := p.index(); i < len(all) && p.offset()+n <= int64(len(all[i])) {
		return all[i][p.offset() : p.offset()+n]
	}
	return nil
}

// undefinedBits copies the undefined bits of memory and tells whether there are
// any.
func (it *item) undefinedBits(p pointer, bits []byte) bool {
	if p.space() == spaceGlobal {
		return it.check.c.undefined.Read(int64(uint64(p)-it.flat.base), bits)
	}
	have := it.bitsAt(p, int64(len(bits)))
	if have == nil {
		clear(bits)
		return false
	}
	copy(bits, have)
	return shadow.Any(bits)
}

func (it *item) setUndefinedBits(p pointer, bits []byte) {
	if p.space() == spaceGlobal {
		it.check.c.undefined.Write(int64(uint64(p)-it.flat.base), bits)
		return
	}
	copy(it.bitsAt(p, int64(len(bits))), bits)
}

// storedAt is the table of the pointers in the memory of a pointer.
func (it *item) storedAt(p pointer) map[pointer]storedWord {
	switch p.space() {
	case spaceGlobal:
		return it.check.c.stored
	case spaceLocal:
		return it.group.check.stored
	}
	return it.check.stored
}

// touch is called for each access that is allowed.
func (it *item) touch(p pointer, data []byte, write bool) {
	k, n := it.check, int64(len(data))
	s := p.space()
	if s == spaceInput || n == 0 {
		return
	}
	if s != spacePrivate {
		it.watchOrder(p, data, write)
	}
	switch {
	case !write:
		k.noteUndefined(it, p, n)
	case s == spaceGlobal:
		k.c.undefined.Define(int64(uint64(p)-it.flat.base), n)
	default:
		clear(it.bitsAt(p, n))
	}
}

// noteUndefined remembers that the instruction has loaded an undefined byte.
func (k *itemCheck) noteUndefined(it *item, p pointer, n int64) {
	var room [64]byte
	bits := room[:]
	if n > int64(len(bits)) {
		bits = make([]byte, n)
	}
	if k.undefined == 0 && it.undefinedBits(p, bits[:n]) {
		k.undefined = k.c.originOf(it, p)
	}
}

// origin is a load of undefined bits.
type origin struct {
	Place
	memory string
}

// originKey identifies an origin: loads at one instruction are one.
type originKey struct{ at *inst }

// originOf numbers the load of undefined bits that the work-item executes.
func (c *checker) originOf(it *item, p pointer) uint32 {
	key := originKey{it.current()}
	n, ok := c.loaded[key]
	if !ok {
		n = uint32(len(c.origins))
		c.origins = append(c.origins, origin{it.place(it.fn, int(it.pc)-1), it.memoryName(p)})
		c.loaded[key] = n
	}
	return n
}

// memoryName describes the memory that a pointer leads to.
func (it *item) memoryName(p pointer) string {
	c := it.check.c
	s := p.space()
	if s != spaceGlobal {
		return it.segmentName(s, p.index())
	}
	if n := c.objectAt(p); n != 0 {
		return c.objects[n].String()
	}
	return ""
}
