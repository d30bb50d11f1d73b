package hostdev

import (
	"encoding/binary"

	"offlink/lazy"
	"offlink/spirv"
)

// Variables, loads, stores, copies and addresses.

func registerMemoryEmitters() {
	emitters.register(func() map[spirv.Opcode]func(*builder, *spirv.Instruction) {
		return map[spirv.Opcode]func(*builder, *spirv.Instruction){
			spirv.OpVariable:                     (*builder).emitVariable,
			spirv.OpLoad:                         (*builder).emitLoad,
			spirv.OpStore:                        (*builder).emitStore,
			spirv.OpCopyMemory:                   (*builder).emitCopyMemory,
			spirv.OpCopyMemorySized:              (*builder).emitCopyMemorySized,
			spirv.OpAccessChain:                  (*builder).emitAccessChain,
			spirv.OpInBoundsAccessChain:          (*builder).emitAccessChain,
			spirv.OpPtrAccessChain:               (*builder).emitPtrAccessChain,
			spirv.OpInBoundsPtrAccessChain:       (*builder).emitPtrAccessChain,
			spirv.OpPtrEqual:                     pointerCompare(func(a, b uint64) uint64 { return boolWord(a == b) }),
			spirv.OpPtrNotEqual:                  pointerCompare(func(a, b uint64) uint64 { return boolWord(a != b) }),
			spirv.OpPtrDiff:                      (*builder).emitPtrDiff,
			spirv.OpPtrCastToGeneric:             (*builder).emitPointerCast,
			spirv.OpGenericCastToPtr:             (*builder).emitPointerCast,
			spirv.OpCrossWorkgroupCastToPtrINTEL: (*builder).emitPointerCast,
			spirv.OpPtrCastToCrossWorkgroupINTEL: (*builder).emitPointerCast,
			spirv.OpGenericCastToPtrExplicit:     (*builder).emitExplicitCast,
			spirv.OpGenericPtrMemSemantics:       (*builder).emitMemSemantics,
		}
	})
}

func boolWord(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// emitVariable stores the initial value. enterFunction has allocated the
// variable.
func (b *builder) emitVariable(in *spirv.Instruction) {
	if len(in.Words) <= 3 {
		return
	}
	to, init := b.values[in.Result()], spirv.ID(in.Words[3])
	if fill, ok := b.p.largeFill(init); ok {
		all, size := b.constant([]uint64{uint64(fill)}), b.constant([]uint64{uint64(to.t.elem.size)})
		b.emit(inst{step: stepSetMemory, a: to.at, b: all, c: size})
		return
	}
	b.emitStoreWords(to, b.value(init))
}

// pointerArg is an operand that is a pointer to a value.
func (b *builder) pointerArg(v value) value {
	b.require(v.t.kind == kindPointer, "the operand is not a pointer")
	b.require(v.t.elem.isValue(), "the embedded device does not implement values of type %s", b.typeName(v.t.elem))
	return v
}

func (b *builder) emitLoad(in *spirv.Instruction) {
	from := b.pointerArg(b.arg(in, 0))
	to := b.defineResult(in)
	b.requireSameWords(from.t.elem, to.t)
	b.emitLoadWords(to, from)
}

// access has the offsets in memory of a value's words.
type access struct {
	leaves []leaf
	size   int64 // to the end of the last one
}

// accessOf lists the words of a type and keeps the list. The padding after the
// last word, such as that of a vector of three components, is not accessed.
func (b *builder) accessOf(t *typ) *access {
	if a := b.p.accesses[t]; a != nil {
		return a
	}
	b.require(!t.hasPackedBits(), "the embedded device does not implement %s in memory", b.typeName(t))
	a := &access{leaves: t.leaves()}
	for _, l := range a.leaves {
		a.size = max(a.size, l.offset+l.size)
	}
	b.p.accesses[t] = a
	b.p.room -= len(a.leaves)
	return a
}

// singleWord is the size in bytes of a type that is one word at offset 0, and 0
// for other types.
func (b *builder) singleWord(t *typ) int64 {
	if t.words != 1 {
		return 0
	}
	if l := b.accessOf(t).leaves[0]; l.offset == 0 {
		return l.size
	}
	return 0
}

// emitLoadWords emits a step by the size of the number for a value of one word that fills
// its bytes. Other values need the offsets of their words, and lose bits that the type
// does not have.
func (b *builder) emitLoadWords(to, from value) {
	if step := loads[b.singleWord(to.t)]; step != nil && to.t.scalar().isWhole() {
		b.emit(inst{step: step, dst: to.at, a: from.at})
		return
	}
	if to.t.words == 0 {
		return
	}
	b.emit(inst{step: stepLoad, dst: to.at, a: from.at, ext: b.accessOf(to.t)})
}

// loads and stores of one word, by size in bytes.
var (
	loads  = [9]func(*item, *inst) status{1: stepLoad1, 2: stepLoad2, 4: stepLoad4, 8: stepLoad8}
	stores = [9]func(*item, *inst) status{1: stepStore1, 2: stepStore2, 4: stepStore4, 8: stepStore8}
)

func stepLoad1(it *item, in *inst) status {
	p := pointer(it.s[in.a])
	data := it.bytesAt(p, 1)
	if data == nil {
		return it.badAccess("load", p, 1)
	}
	it.s[in.dst] = uint64(data[0])
	return running
}

func stepLoad2(it *item, in *inst) status {
	p := pointer(it.s[in.a])
	data := it.bytesAt(p, 2)
	if data == nil {
		return it.badAccess("load", p, 2)
	}
	it.s[in.dst] = uint64(binary.LittleEndian.Uint16(data))
	return running
}

func stepLoad4(it *item, in *inst) status {
	p := pointer(it.s[in.a])
	data := it.bytesAt(p, 4)
	if data == nil {
		return it.badAccess("load", p, 4)
	}
	it.s[in.dst] = uint64(binary.LittleEndian.Uint32(data))
	return running
}

func stepLoad8(it *item, in *inst) status {
	p := pointer(it.s[in.a])
	data := it.bytesAt(p, 8)
	if data == nil {
		return it.badAccess("load", p, 8)
	}
	it.s[in.dst] = binary.LittleEndian.Uint64(data)
	return running
}

// stepLoad checks the range of all words at once and then takes them apart.
func stepLoad(it *item, in *inst) status {
	a := in.ext.(*access)
	p := pointer(it.s[in.a])
	data := it.bytesAt(p, a.size)
	if data == nil {
		return it.badAccess("load", p, a.size)
	}
	to := it.s[in.dst:]
	for i, l := range a.leaves {
		to[i] = l.value(loadWord(data[l.offset:], l.size))
	}
	return running
}

// value clears the bits of loaded bytes that the type does not have; a boolean
// is true if any is set.
func (l *leaf) value(v uint64) uint64 {
	switch l.bits {
	case 64:
		return v
	case 1:
		return boolWord(v != 0)
	}
	return v & mask(l.bits)
}

// loadWord reads a number. Like storeWord, it is quick for the sizes of OpenCL's numbers;
// others (integers of 24 bits, say) go byte by byte.
func loadWord(data []byte, size int64) uint64 {
	switch size {
	case 1:
		return uint64(data[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(data))
	case 4:
		return uint64(binary.LittleEndian.Uint32(data))
	case 8:
		return binary.LittleEndian.Uint64(data)
	}
	return readWord(data[:size])
}

func storeWord(data []byte, size int64, v uint64) {
	switch size {
	case 1:
		data[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(data, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(data, uint32(v))
	case 8:
		binary.LittleEndian.PutUint64(data, v)
	default:
		writeWord(data[:size], v)
	}
}

func (b *builder) emitStore(in *spirv.Instruction) {
	to := b.pointerArg(b.value(spirv.ID(in.Words[0])))
	v := b.value(spirv.ID(in.Words[1]))
	b.requireSameWords(to.t.elem, v.t)
	b.emitStoreWords(to, v)
}

func (b *builder) emitStoreWords(to, v value) {
	if step := stores[b.singleWord(v.t)]; step != nil {
		b.emit(inst{step: step, a: to.at, b: v.at})
		return
	}
	if v.t.words > 0 {
		b.emit(inst{step: stepStore, a: to.at, b: v.at, ext: b.accessOf(to.t.elem)})
	}
}

// writableBytes returns the memory of a store, or nil if it is out of bounds or
// read-only.
func (it *item) writableBytes(p pointer, n int64) []byte {
	data := it.changeableBytes(p, n)
	if it.check != nil && data != nil {
		it.touch(p, data, true)
	}
	return data
}

// changeableBytes returns memory that the kernel may write to: not constant memory,
// and not the built-in variables.
func (it *item) changeableBytes(p pointer, n int64) []byte {
	switch s := p.space(); s {
	case spaceGlobal:
		return it.flat.bytesAt(p, n, entryReadOnly)
	case spaceInput:
		return nil
	default:
		return it.spaces[s].at(p.index(), p.offset(), n)
	}
}

// badStore tells a store out of bounds from one to memory that can only be read.
func (it *item) badStore(p pointer, n int64) status {
	if it.bytesAt(p, n) == nil {
		return it.badAccess("store", p, n)
	}
	name := "constant memory"
	if p.space() == spaceInput {
		name = spaceNames[spaceInput]
	}
	return it.failf("store of %d bytes to %s, which cannot be written", n, name)
}

func stepStore1(it *item, in *inst) status {
	p := pointer(it.s[in.a])
	data := it.writableBytes(p, 1)
	if data == nil {
		return it.badStore(p, 1)
	}
	data[0] = byte(it.s[in.b])
	return running
}

func stepStore2(it *item, in *inst) status {
	p := pointer(it.s[in.a])
	data := it.writableBytes(p, 2)
	if data == nil {
		return it.badStore(p, 2)
	}
	binary.LittleEndian.PutUint16(data, uint16(it.s[in.b]))
	return running
}

func stepStore4(it *item, in *inst) status {
	p := pointer(it.s[in.a])
	data := it.writableBytes(p, 4)
	if data == nil {
		return it.badStore(p, 4)
	}
	binary.LittleEndian.PutUint32(data, uint32(it.s[in.b]))
	return running
}

func stepStore8(it *item, in *inst) status {
	p := pointer(it.s[in.a])
	data := it.writableBytes(p, 8)
	if data == nil {
		return it.badStore(p, 8)
	}
	binary.LittleEndian.PutUint64(data, it.s[in.b])
	return running
}

func stepStore(it *item, in *inst) status {
	a := in.ext.(*access)
	p := pointer(it.s[in.a])
	data := it.writableBytes(p, a.size)
	if data == nil {
		return it.badStore(p, a.size)
	}
	from := it.s[in.b:]
	for i, l := range a.leaves {
		storeWord(data[l.offset:], l.size, from[i])
	}
	return running
}

func (b *builder) emitCopyMemory(in *spirv.Instruction) {
	to, from := b.pointerArg(b.value(spirv.ID(in.Words[0]))), b.pointerArg(b.value(spirv.ID(in.Words[1])))
	b.requireSameWords(to.t.elem, from.t.elem)
	size := b.constant([]uint64{uint64(to.t.elem.size)})
	b.emit(inst{step: stepCopyMemory, a: to.at, b: from.at, c: size})
}

// emitCopyMemorySized copies bytes, whose number may be known at run time only.
func (b *builder) emitCopyMemorySized(in *spirv.Instruction) {
	to, from := b.value(spirv.ID(in.Words[0])), b.value(spirv.ID(in.Words[1]))
	size := b.value(spirv.ID(in.Words[2]))
	b.require(to.t.kind == kindPointer && from.t.kind == kindPointer, "an operand is not a pointer")
	b.require(size.t.kind == kindInt, "the size is not an integer")
	b.emit(inst{step: stepCopyMemory, a: to.at, b: from.at, c: size.at})
}

// stepCopyMemory limits the size so that no sum of it and an offset overflows; a
// copy of that size is out of every bound. Nothing is copied unless both ranges are
// there.
func stepCopyMemory(it *item, in *inst) status {
	n := int64(min(it.s[in.c], maxOffset))
	if n == 0 {
		return running
	}
	to, from := pointer(it.s[in.a]), pointer(it.s[in.b])
	source := it.bytesAt(from, n)
	if source == nil {
		return it.badAccess("load", from, n)
	}
	target := it.writableBytes(to, n)
	if target == nil {
		return it.badStore(to, n)
	}
	copy(target, source)
	return running
}

// Addresses.

// index is a part of an address that is not constant.
type index struct {
	at    int32
	shift uint8 // that sign-extends it
	scale int64
}

// address collects the parts of an address.
type address struct {
	constant int64
	indexes  []index
}

func (b *builder) emitAccessChain(in *spirv.Instruction) {
	b.accessChain(in, &address{}, 1)
}

// emitPtrAccessChain has a first index that steps over whole elements from the
// base on.
func (b *builder) emitPtrAccessChain(in *spirv.Instruction) {
	base := b.pointerArg(b.arg(in, 0))
	a := &address{}
	b.addIndex(a, spirv.ID(in.Operands()[1]), base.t.elem.size)
	b.accessChain(in, a, 2)
}

// accessChain adds up the steps into a composite, constant ones when the kernel is
// built. A chain that leads to the start is the base itself.
func (b *builder) accessChain(in *spirv.Instruction, a *address, first int) {
	base := b.pointerArg(b.arg(in, 0))
	t := base.t.elem
	for _, id := range in.Operands()[first:] {
		t = b.addPart(a, t, spirv.ID(id))
	}
	result := b.result(in)
	b.require(result.kind == kindPointer, "its result is not a pointer")
	b.requireSameWords(result.elem, t)
	if a.constant == 0 && len(a.indexes) == 0 {
		b.aliasResult(in, value{base.at, result})
		return
	}
	to := b.defineResult(in)
	if len(a.indexes) == 1 {
		x := a.indexes[0]
		b.emit(inst{step: stepIndex, dst: to.at, a: base.at, b: x.at, n: int32(x.shift), imm: uint64(a.constant), scale: x.scale})
		return
	}
	moved := inst{step: stepAddress, dst: to.at, a: base.at, imm: uint64(a.constant), ext: a.indexes}
	for _, x := range a.indexes {
		moved.list = append(moved.list, x.at)
	}
	b.emit(moved)
}

// addPart adds one step into a composite and returns the type of the part.
func (b *builder) addPart(a *address, t *typ, id spirv.ID) *typ {
	if t.kind == kindStruct {
		n, ok := b.p.constantInt(id)
		part, offset, _, known := t.part(n)
		b.require(ok && known, "a member that %s does not have", b.typeName(t))
		a.constant += offset
		return part
	}
	b.require(t.kind == kindArray || t.kind == kindVector, "%s has no parts", b.typeName(t))
	b.addIndex(a, id, t.elem.size)
	return t.elem
}

func (b *builder) addIndex(a *address, id spirv.ID, scale int64) {
	v := b.value(id)
	b.require(v.t.kind == kindInt, "an index is not an integer")
	shift := uint8(64 - v.t.width)
	if n, ok := b.p.constantInt(id); ok {
		a.constant += int64(n<<shift) >> shift * scale
		return
	}
	a.indexes = append(a.indexes, index{v.at, shift, scale})
}

// stepIndex is the address of one index, the usual case. Shifting to the left and
// back extends the sign. Sums wrap: bounds are checked at the access, not here, as
// pointers may leave their allocation and come back.
func stepIndex(it *item, in *inst) status {
	s := it.s
	offset, far := scaledIndex(int64(s[in.b]<<uint(in.n))>>uint(in.n), in.scale)
	s[in.dst] = movePointer(pointer(s[in.a]), offset+in.imm, far)
	return running
}

// stepAddress is the address of several indexes.
func stepAddress(it *item, in *inst) status {
	sum, far := in.imm, false
	for i, x := range in.ext.([]index) {
		offset, beyond := scaledIndex(int64(it.s[in.list[i]]<<x.shift)>>x.shift, x.scale)
		// The sum of four such offsets may be 0 again.
		sum, far = sum+offset, far || beyond || offset+1<<61 >= 1<<62
	}
	it.s[in.dst] = movePointer(pointer(it.s[in.a]), sum, far)
	return running
}

// Pointers.

// pointerCompare compares addresses. Those of different storage classes differ, as
// the bits of a pointer have its kind of memory.
func pointerCompare(f func(a, b uint64) uint64) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		x, y, to := b.arg(in, 0), b.arg(in, 1), b.defineResult(in)
		b.require(x.t.kind == kindPointer && y.t.kind == kindPointer && to.t.kind == kindBool, "the operands are not pointers")
		b.emit(inst{step: stepLanes2, dst: to.at, a: x.at, b: y.at, n: 1, f2: f})
	}
}

// emitPtrDiff gives a number of elements, not bytes.
func (b *builder) emitPtrDiff(in *spirv.Instruction) {
	x, y, to := b.pointerArg(b.arg(in, 0)), b.pointerArg(b.arg(in, 1)), b.defineResult(in)
	b.require(to.t.kind == kindInt, "its result is not an integer")
	size, width := max(1, x.t.elem.size), to.t.width
	b.emit(inst{step: stepLanes2, dst: to.at, a: x.at, b: y.at, n: 1, f2: func(a, b uint64) uint64 {
		return uint64(int64(a-b)/size) & mask(width)
	}})
}

// emitPointerCast keeps the bits: they have the kind of memory, so that nothing is
// lost in a generic pointer.
func (b *builder) emitPointerCast(in *spirv.Instruction) {
	v, t := b.arg(in, 0), b.result(in)
	b.require(v.t.is(kindPointer) && t.is(kindPointer) && v.t.words == t.words, "the operand and the result are not pointers")
	b.aliasResult(in, value{v.at, t})
}

// storageSpace is the kind of memory of a storage class.
var storageSpace = lazy.Map[spirv.StorageClass, space]{New: func() map[spirv.StorageClass]space {
	return map[spirv.StorageClass]space{
		spirv.StorageCrossWorkgroup: spaceGlobal, spirv.StorageWorkgroup: spaceLocal, spirv.StorageFunction: spacePrivate,
	}
}}

// emitExplicitCast gives null for a pointer into another kind of memory, as
// OpGenericCastToPtrExplicit requires.
func (b *builder) emitExplicitCast(in *spirv.Instruction) {
	v, to := b.arg(in, 0), b.defineResult(in)
	want, ok := storageSpace.Get()[spirv.StorageClass(in.Operands()[1])]
	b.require(ok && v.t.kind == kindPointer && to.t.kind == kindPointer, "a cast that is not between pointers")
	b.emit(inst{step: stepLanes1, dst: to.at, a: v.at, n: 1, f1: func(p uint64) uint64 {
		if pointer(p).space() == want {
			return p
		}
		return 0
	}})
}

// memorySemantics has the bit of each space in the memory semantics.
var memorySemantics = [spaces]uint64{spaceGlobal: 0x200, spaceLocal: 0x100, spacePrivate: 0}

// emitMemSemantics gives the bit of the memory that a generic pointer leads to, and
// none for null.
func (b *builder) emitMemSemantics(in *spirv.Instruction) {
	v, to := b.arg(in, 0), b.defineResult(in)
	b.require(v.t.kind == kindPointer && to.t.kind == kindInt, "the operand is not a pointer")
	b.emit(inst{step: stepLanes1, dst: to.at, a: v.at, n: 1, f1: func(p uint64) uint64 {
		if p == 0 {
			return 0
		}
		return memorySemantics[pointer(p).space()]
	}})
}
