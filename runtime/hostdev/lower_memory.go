package hostdev

import (
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// varMode is how a variable of a function is kept. Each serves more than the
// one before.
type varMode uint8

const (
	modeRegisters varMode = iota // each part that is accessed has a register
	modeArray                    // elements of one size, by index
	modeFrame                    // bytes in memory
)

// variableState is a variable of a function.
type variableState struct {
	number int
	t      *typ
	mode   varMode
	leaves []*variableLeaf
	elem   int64      // of an array: the size of an element
	kind   lanes.Kind // of an array
	at     int        // of an array or a frame: its place
}

// variableLeaf is a part of a variable that has a register.
type variableLeaf struct {
	offset, size int64
	reg          *lanes.Register
	root         []*lanes.Register // of the pointer in it, if roots has the part
}

// place is a place in a variable: a number of bytes into it, and the
// addends for indexes that are not constant.
type place struct {
	v       *variableState
	builtin *variable
	offset  int64
	indexes []scaled
}

type scaled struct {
	v     *lanes.Value // I64
	scale int64
}

const (
	maxFrameBytes = 1 << 20 // of the variables of a kernel that are in memory
	maxLeaves     = 256
)

// newVariable numbers variables in the order in which they are met. The order is
// the same when a kernel is lowered again, so that the modes of the round before
// fit.
func (l *lowering) newVariable(t *typ) *variableState {
	v := &variableState{number: len(l.vars), t: t}
	if v.number < len(l.modes) {
		v.mode = l.modes[v.number]
	} else {
		l.modes = append(l.modes, modeRegisters)
	}
	l.vars = append(l.vars, v)
	if v.mode == modeFrame {
		v.at = int(alignUp(int64(l.f.FrameSize), max(t.align, 8)))
		l.f.FrameSize = int(frameEnd(int64(v.at), t.size))
		l.places = append(l.places, framePlace{int64(v.at), t.size})
	}
	if l.f.FrameSize > maxFrameBytes || t.size > maxFrameBytes {
		l.unsupported("variables of more than %d bytes", maxFrameBytes)
	}
	return v
}

// frameEnd is the size of a frame whose last variable is at a place. A pointer to the end of the
// variable is the variable's.
func frameEnd(at, size int64) int64 { return at + alignUp(size+1, 16) }

// need asks for a mode that serves more. All is lowered again with it, as accesses that
// were lowered already took the lesser one. Modes only grow, which ends the rounds.
func (l *lowering) need(v *variableState, mode varMode) {
	l.failed = true
	l.modes[v.number] = max(l.modes[v.number], mode)
}

// addressOf is the address of a place, whose variable then is in memory. The null
// that stands for the address in a round that has failed is never run.
func (l *lowering) addressOf(p lowered) *lanes.Value {
	if p.place == nil {
		return p.words[0]
	}
	v := p.place.v
	if v == nil {
		l.unsupported("the address of a built-in variable")
	}
	if v.mode != modeFrame {
		l.need(v, modeFrame)
		return l.f.Const(lanes.I64, 0)
	}
	return l.sum(l.flat(l.b.ID(lanes.OpFrame, v.at)), p.place.indexes, p.place.offset)
}

// sum is an address with indexes and a number of bytes added.
func (l *lowering) sum(address *lanes.Value, indexes []scaled, offset int64) *lanes.Value {
	var far *lanes.Value
	for _, x := range indexes {
		address = l.b.Add(lanes.OpAdd, lanes.I64, address, l.b.Add(lanes.OpMul, lanes.I64, x.v, l.f.Const(lanes.I64, uint64(x.scale))))
		if beyond := l.productWraps(x); beyond != nil && far != nil {
			far = l.b.Add(lanes.OpOr, lanes.Bool, far, beyond)
		} else if beyond != nil {
			far = beyond
		}
	}
	address = l.b.Add(lanes.OpAdd, lanes.I64, address, l.f.Const(lanes.I64, uint64(offset)))
	if far != nil {
		address = l.b.SelectFar(far, l.f.Const(lanes.I64, nowhere), address)
	}
	return address
}

// moved is the pointer some bytes further on.
func (l *lowering) moved(p lowered, offset int64) lowered {
	if p.place == nil {
		p.steps = p.stepsTo(place{offset: offset})
		p.words = []*lanes.Value{l.b.Add(lanes.OpAdd, lanes.I64, p.words[0], l.f.Const(lanes.I64, uint64(offset)))}
		return p
	}
	next := *p.place
	next.offset += offset
	return lowered{t: p.t, place: &next}
}

func registerMemoryLowerers() {
	lowerers.register(func() map[spirv.Opcode]func(*lowering, *spirv.Instruction) {
		return map[spirv.Opcode]func(*lowering, *spirv.Instruction){
			spirv.OpVariable:                 (*lowering).lowerVariable,
			spirv.OpLoad:                     (*lowering).lowerLoad,
			spirv.OpStore:                    (*lowering).lowerStore,
			spirv.OpCopyMemory:               (*lowering).lowerCopyMemory,
			spirv.OpCopyMemorySized:          (*lowering).lowerCopySized,
			spirv.OpAccessChain:              func(l *lowering, in *spirv.Instruction) { l.lowerChain(in, 1) },
			spirv.OpInBoundsAccessChain:      func(l *lowering, in *spirv.Instruction) { l.lowerChain(in, 1) },
			spirv.OpPtrAccessChain:           func(l *lowering, in *spirv.Instruction) { l.lowerChain(in, 2) },
			spirv.OpInBoundsPtrAccessChain:   func(l *lowering, in *spirv.Instruction) { l.lowerChain(in, 2) },
			spirv.OpPtrCastToGeneric:         (*lowering).lowerPointerCast,
			spirv.OpGenericCastToPtr:         (*lowering).lowerPointerCast,
			spirv.OpCopyObject:               (*lowering).lowerPointerCast,
			spirv.OpGenericCastToPtrExplicit: (*lowering).lowerExplicitCast,
			spirv.OpGenericPtrMemSemantics:   (*lowering).lowerMemSemantics,

			spirv.OpCrossWorkgroupCastToPtrINTEL: (*lowering).lowerPointerCast,
			spirv.OpPtrCastToCrossWorkgroupINTEL: (*lowering).lowerPointerCast,

			spirv.OpPtrEqual:      func(l *lowering, in *spirv.Instruction) { l.comparePointers(in, lanes.OpEq) },
			spirv.OpPtrNotEqual:   func(l *lowering, in *spirv.Instruction) { l.comparePointers(in, lanes.OpNe) },
			spirv.OpPtrDiff:       (*lowering).lowerPtrDiff,
			spirv.OpConvertPtrToU: (*lowering).lowerPtrToU,
			spirv.OpConvertUToPtr: (*lowering).lowerUToPtr,
		}
	})
}

// lowerVariable sets the initial value. A large null is a loop, as a store for each word
// would be long code.
func (l *lowering) lowerVariable(in *spirv.Instruction) {
	t := l.typeOf(in.Type())
	v := lowered{t: t, place: &place{v: l.newVariable(t.elem)}}
	l.call().values[in.Result()] = v
	if len(in.Words) <= 3 {
		return
	}
	init := spirv.ID(in.Words[3])
	if fill, ok := l.p.largeFill(init); ok {
		l.fillBytes(v, fill, t.elem.size)
		return
	}
	l.storeValue(v, l.value(init), t.elem)
}

func (l *lowering) lowerLoad(in *spirv.Instruction) {
	l.call().values[in.Result()] = l.loadValue(l.arg(in, 0), l.typeOf(in.Type()))
}

func (l *lowering) lowerStore(in *spirv.Instruction) {
	to, v := l.value(spirv.ID(in.Words[0])), l.value(spirv.ID(in.Words[1]))
	l.storeValue(to, v, to.t.elem)
}

// loadValue loads a value word by word. A pointer among them is looked up once,
// here: accesses through it are checked against the allocation that it leads to.
func (l *lowering) loadValue(from lowered, t *typ) lowered {
	v := lowered{t: t}
	words := wordsOf(t)
	if from.place != nil && from.place.builtin != nil {
		return l.loadBuiltin(from.place, t)
	}
	for i, leaf := range t.leaves() {
		v.words = append(v.words, l.loadWord(from, leaf, words[i]))
	}
	if t.kind == kindPointer && !l.loadRoot(from, &v) {
		v.root = l.origin(v.words[0], t.storage)
	}
	return v
}

func (l *lowering) storeValue(to, v lowered, t *typ) {
	v = l.spell(v)
	words := wordsOf(t)
	if t.kind == kindPointer {
		l.storedRoot = l.rootToStore(to, v)
		defer func() { l.storedRoot = nil }()
	}
	for i, leaf := range t.leaves() {
		l.storeWord(to, leaf, words[i], v.words[i])
	}
}

func isAccessSize(n int64) bool { return n == 1 || n == 2 || n == 4 || n == 8 }

// loadWord loads a word of a value at a pointer.
func (l *lowering) loadWord(from lowered, leaf leaf, w word) *lanes.Value {
	if !isAccessSize(leaf.size) {
		l.unsupported("integers of %d bits in memory", w.width)
	}
	k := memoryKind(w)
	switch {
	case from.place != nil && from.place.v == nil:
		l.unsupported("a part of a built-in variable")
	case from.place == nil || from.place.v.mode == modeFrame:
		return l.fromMemory(l.b.Load(k, int(leaf.size), l.addressOf(l.moved(from, leaf.offset)).Low(), l.boundsAt(from, leaf.offset)), w, leaf)
	}
	return l.fromMemory(l.loadPlace(from.place, leaf.offset, leaf.size, k), w, leaf)
}

// memoryKind is the kind that a word has in memory.
func memoryKind(w word) lanes.Kind {
	if w.lane == lanes.Bool {
		return lanes.I32
	}
	return w.lane
}

// fromMemory makes the word of a value in memory: bits that the type does not
// have do not count.
func (l *lowering) fromMemory(v *lanes.Value, w word, leaf leaf) *lanes.Value {
	switch {
	case w.lane == lanes.Bool:
		return l.b.Add(lanes.OpBool, lanes.Bool, v)
	case leaf.bits < int(8*leaf.size):
		return l.b.Add(lanes.OpAnd, v.Kind, v, l.f.Const(v.Kind, mask(leaf.bits)))
	}
	return v
}

// storeWord stores a word of a value. A boolean takes a byte or more, which is 0 or
// 1.
func (l *lowering) storeWord(to lowered, leaf leaf, w word, v *lanes.Value) {
	if !isAccessSize(leaf.size) {
		l.unsupported("integers of %d bits in memory", w.width)
	}
	if w.lane == lanes.Bool {
		v = l.b.Add(lanes.OpInt, lanes.I32, v)
	}
	if to.place != nil && to.place.v == nil {
		l.unsupported("a store to a built-in variable")
	}
	if to.place != nil && to.place.v.mode != modeFrame {
		l.storePlace(to.place, leaf.offset, leaf.size, v)
		return
	}
	l.b.Store(int(leaf.size), l.addressOf(l.moved(to, leaf.offset)).Low(), v, l.boundsAt(to, leaf.offset))
}

// boundsOf is the range that accesses through a pointer must stay in.
func (l *lowering) boundsOf(p lowered) *lanes.Bounds { return l.boundsAt(p, 0) }

// boundsAt is the range for an access to a part some bytes into the value at a pointer.
func (l *lowering) boundsAt(p lowered, offset int64) *lanes.Bounds {
	if p.place != nil {
		p = l.spell(p)
	}
	root := l.rootIn(l.b, p)
	return l.exactBounds(root, p.stepsTo(place{offset: offset}), p.words[0])
}

// elements are the indexes of an array. The distance from its start is counted in elements.
func (l *lowering) elements(p *place, offset int64) *lanes.Bounds {
	size := max(p.v.elem, 1)
	start := steps{from: l.i32(0), offset: (p.offset + offset) / size}
	for _, x := range p.indexes {
		start.indexes = append(start.indexes, scaled{x.v, x.scale / size})
	}
	b := &lanes.Bounds{Base: start.from, Len: l.i32(max(p.v.t.size/size, 1))}
	return l.exactBounds(b, start, l.sum(l.f.Const(lanes.I64, 0), p.indexes, p.offset+offset))
}

// cast is the value with another kind of the same size.
func (l *lowering) cast(v *lanes.Value, k lanes.Kind) *lanes.Value {
	if v.Kind == k {
		return v
	}
	return l.b.Add(lanes.OpCast, k, v)
}

// Variables in registers and in arrays.

// loadPlace loads a part of a variable. The 0 that it gives where the variable needs another
// mode is never run, as all is lowered again.
func (l *lowering) loadPlace(p *place, offset, size int64, k lanes.Kind) *lanes.Value {
	if index, ok := l.element(p, offset, size, k); ok {
		return l.cast(l.b.PrivateLoad(p.v.kind, p.v.at, index, l.elements(p, offset)), k)
	}
	leaf := l.leaf(p, offset, size, k)
	if leaf == nil {
		return l.f.Const(k, 0)
	}
	return l.cast(l.b.Get(leaf.reg), k)
}

// storePlace cuts a narrow number, so that a load finds zeros above the number.
func (l *lowering) storePlace(p *place, offset, size int64, v *lanes.Value) {
	narrow := func() *lanes.Value {
		if size < 4 {
			return l.b.Add(lanes.OpAnd, lanes.I32, v, l.f.Const(lanes.I32, mask(int(8*size))))
		}
		return v
	}
	if index, ok := l.element(p, offset, size, v.Kind); ok {
		l.b.PrivateStore(p.v.at, index, l.cast(narrow(), p.v.kind), l.elements(p, offset))
		return
	}
	if leaf := l.leaf(p, offset, size, v.Kind); leaf != nil {
		l.b.Set(leaf.reg, l.cast(narrow(), leaf.reg.Kind))
		switch {
		case leaf.root == nil:
		case l.storedRoot != nil:
			l.setRoot(l.b, leaf.root, l.storedRoot)
		default:
			l.setRoot(l.b, leaf.root, l.origin(l.cast(v, lanes.I64), spirv.StorageGeneric))
		}
	}
}

// leaf is the register of a part of a variable; nil if the variable needs another
// mode: for an index that is computed, for accesses that overlap in part, as of a
// union, and for very many parts.
func (l *lowering) leaf(p *place, offset, size int64, k lanes.Kind) *variableLeaf {
	v := p.v
	if v.mode != modeRegisters {
		return nil
	}
	at := p.offset + offset
	if len(p.indexes) > 0 || at < 0 || at > v.t.size-size || len(v.leaves) > maxLeaves {
		l.need(v, modeArray)
		return nil
	}
	for _, leaf := range v.leaves {
		if leaf.offset == at && leaf.size == size {
			return leaf
		}
		if leaf.offset < at+size && at < leaf.offset+leaf.size {
			l.need(v, modeArray)
			return nil
		}
	}
	leaf := &variableLeaf{offset: at, size: size, reg: l.f.NewRegister(k)}
	if _, ok := l.roots[rootKey{v.number, at}]; ok && size == 8 {
		leaf.root = l.newRootRegs()
		l.kept.addVariable(leaf.root[0], rootKey{v.number, at})
	}
	v.leaves = append(v.leaves, leaf)
	return leaf
}

// element is the index of an element of an array. The first access decides the size
// of all elements; one of another size, or between two elements, takes the variable
// to memory.
func (l *lowering) element(p *place, offset, size int64, k lanes.Kind) (*lanes.Value, bool) {
	v := p.v
	if v.mode != modeArray {
		return nil, false
	}
	if v.elem == 0 {
		v.elem, v.kind = size, k
		slot := int64(4)
		if k.Wide() {
			slot = 8
		}
		v.at = int(alignUp(int64(l.f.PrivateSize), 16))
		l.f.PrivateSize = v.at + int(alignUp(max(v.t.size/size, 1)*slot, 16))
	}
	at := p.offset + offset
	fits := v.elem == size && at%size == 0 && v.kind.Wide() == k.Wide()
	for _, x := range p.indexes {
		fits = fits && x.scale%size == 0
	}
	if !fits {
		l.need(v, modeFrame)
		return l.i32(0), true
	}
	index := l.i32(at / size)
	for _, x := range p.indexes {
		index = l.b.Add(lanes.OpAdd, lanes.I32, l.b.Add(lanes.OpMul, lanes.I32, x.v.Low(), l.i32(x.scale/size)), index)
	}
	return index, true
}

// Addresses.

// lowerChain adds up the steps into a composite. first is the number of the operand
// with the first of them; a chain from a pointer to elements (2) has an index of
// whole elements before it.
func (l *lowering) lowerChain(in *spirv.Instruction, first int) {
	base := l.arg(in, 0)
	t := base.t.elem
	at := place{}
	if first == 2 {
		l.addIndex(&at, spirv.ID(in.Operands()[1]), t.size)
	}
	for _, id := range in.Operands()[first:] {
		if t.kind == kindStruct {
			n, _ := l.p.constantInt(spirv.ID(id))
			part, offset, _, _ := t.part(n)
			at.offset += offset
			t = part
			continue
		}
		l.addIndex(&at, spirv.ID(id), t.elem.size)
		t = t.elem
	}
	l.call().values[in.Result()] = l.plus(base, at, l.typeOf(in.Type()))
}

func (l *lowering) addIndex(at *place, id spirv.ID, scale int64) {
	if n, ok := l.p.constantInt(id); ok {
		shift := uint(64 - l.p.constants[id].t.width)
		at.offset += int64(n<<shift) >> shift * scale
		return
	}
	v := l.value(id)
	at.indexes = append(at.indexes, scaled{l.index(v), scale})
}

// index is a number as a signed one of 64 bits.
func (l *lowering) index(v lowered) *lanes.Value {
	x := l.signed(v.words[0], v.t.width)
	if x.Kind == lanes.I32 {
		x = l.b.Add(lanes.OpSExt, lanes.I64, x)
	}
	return x
}

// plus is a pointer with a place added.
func (l *lowering) plus(base lowered, at place, t *typ) lowered {
	if base.place != nil {
		next := *base.place
		next.offset += at.offset
		next.indexes = append(next.indexes[:len(next.indexes):len(next.indexes)], at.indexes...)
		return lowered{t: t, place: &next}
	}
	sum := l.sum(base.words[0], at.indexes, at.offset)
	return lowered{t: t, words: []*lanes.Value{sum}, root: base.root, steps: base.stepsTo(at)}
}

// lowerPointerCast changes the type alone: an address is the same in every storage class.
func (l *lowering) lowerPointerCast(in *spirv.Instruction) {
	v := l.arg(in, 0)
	v.t = l.typeOf(in.Type())
	l.call().values[in.Result()] = v
}

// comparePointers compares addresses, which a variable in registers does not have:
// it goes to memory.
func (l *lowering) comparePointers(in *spirv.Instruction, op lanes.Op) {
	x, y := l.addressOf(l.arg(in, 0)), l.addressOf(l.arg(in, 1))
	l.define(in, []*lanes.Value{l.b.Add(op, lanes.Bool, x, y)})
}

// lowerPtrDiff gives a number of elements, not bytes.
func (l *lowering) lowerPtrDiff(in *spirv.Instruction) {
	x, y := l.arg(in, 0), l.arg(in, 1)
	bytes := l.b.Add(lanes.OpSub, lanes.I64, l.addressOf(x), l.addressOf(y))
	n := l.b.Add(lanes.OpSDiv, lanes.I64, bytes, l.f.Const(lanes.I64, uint64(max(1, x.t.elem.size))))
	l.define(in, []*lanes.Value{l.resized(n, scalarWord(l.typeOf(in.Type())))})
}

func (l *lowering) lowerPtrToU(in *spirv.Instruction) {
	var words []*lanes.Value
	w := scalarWord(l.typeOf(in.Type()).scalar())
	for _, p := range l.spell(l.arg(in, 0)).words {
		words = append(words, l.resized(p, w))
	}
	l.define(in, words)
}

// lowerUToPtr makes an address of a number, whose allocation is looked up here,
// once for all accesses.
func (l *lowering) lowerUToPtr(in *spirv.Instruction) {
	var words []*lanes.Value
	for _, v := range l.arg(in, 0).words {
		words = append(words, l.toWord(v))
	}
	l.define(in, words)
}
