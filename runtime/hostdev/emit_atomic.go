package hostdev

import (
	"offlink/lazy"
	"offlink/runtime/hostdev/internal/mem"
	"offlink/spirv"
)

// Atomic operations on 8 to 64 bits. All are sequentially consistent, which
// satisfies every order and scope.

func registerAtomicEmitters() {
	emitters.register(func() map[spirv.Opcode]func(*builder, *spirv.Instruction) {
		table := map[spirv.Opcode]func(*builder, *spirv.Instruction){
			spirv.OpAtomicLoad:                (*builder).emitAtomicLoad,
			spirv.OpAtomicStore:               (*builder).emitAtomicStore,
			spirv.OpAtomicCompareExchange:     (*builder).emitCompareExchange,
			spirv.OpAtomicCompareExchangeWeak: (*builder).emitCompareExchange,
			spirv.OpAtomicFlagTestAndSet:      (*builder).emitTestAndSet,
			spirv.OpAtomicFlagClear:           (*builder).emitFlagClear,
			spirv.OpAtomicIIncrement:          atomicStep(spirv.OpIAdd),
			spirv.OpAtomicIDecrement:          atomicStep(spirv.OpISub),
		}
		for op, row := range atomicInts.Get() {
			table[op] = func(b *builder, in *spirv.Instruction) {
				v := b.arg(in, 3)
				b.require(v.t.kind == kindInt, "the value is not an integer")
				b.emitReadModifyWrite(in, v, row(v.t.width))
			}
		}
		for op, row := range atomicFloats.Get() {
			table[op] = func(b *builder, in *spirv.Instruction) {
				v := b.arg(in, 3)
				b.require(v.t.kind == kindFloat, "the value is not a float")
				b.emitReadModifyWrite(in, v, row[floatIndex(v.t.width)])
			}
		}
		table[spirv.OpAtomicExchange] = func(b *builder, in *spirv.Instruction) {
			b.emitReadModifyWrite(in, b.arg(in, 3), func(_, v uint64) uint64 { return v })
		}
		return table
	})
}

// atomicInts and atomicFloats give the new value from the old one and the operand.
var atomicInts = lazy.Map[spirv.Opcode, binaryByWidth]{New: func() map[spirv.Opcode]binaryByWidth {
	return map[spirv.Opcode]binaryByWidth{
		spirv.OpAtomicIAdd: intBinary.Get()[spirv.OpIAdd],
		spirv.OpAtomicISub: intBinary.Get()[spirv.OpISub],
		spirv.OpAtomicAnd:  intBinary.Get()[spirv.OpBitwiseAnd],
		spirv.OpAtomicOr:   intBinary.Get()[spirv.OpBitwiseOr],
		spirv.OpAtomicXor:  intBinary.Get()[spirv.OpBitwiseXor],
		spirv.OpAtomicSMin: intMin,
		spirv.OpAtomicUMin: uintMin,
		spirv.OpAtomicSMax: intMax,
		spirv.OpAtomicUMax: uintMax,
	}
}}

var atomicFloats = lazy.Map[spirv.Opcode, binaryFloat]{New: func() map[spirv.Opcode]binaryFloat {
	return map[spirv.Opcode]binaryFloat{
		spirv.OpAtomicFAddEXT: floatBinary.Get()[spirv.OpFAdd],
		spirv.OpAtomicFMinEXT: floatMin,
		spirv.OpAtomicFMaxEXT: floatMax,
	}
}}

// atomicSize returns the size of an atomic access, 1 to 8 bytes; other types are
// refused.
func (b *builder) atomicSize(p value, t *typ) int64 {
	b.require(p.t.kind == kindPointer, "the operand is not a pointer")
	b.require(t.kind != kindVector && isNumeric(t) && isAccessSize(t.size) && int64(t.bits()) == 8*t.size,
		"the embedded device has atomic operations of 8 to 64 bits, not on %s", b.typeName(t))
	return t.size
}

// emitReadModifyWrite replaces a value in memory by a function of it and an
// operand. The result is the old value.
func (b *builder) emitReadModifyWrite(in *spirv.Instruction, v value, f binary2) {
	p, to := b.arg(in, 0), b.defineResult(in)
	b.requireSameWords(v.t, to.t)
	size := b.atomicSize(p, to.t)
	b.emit(inst{step: stepModify, dst: to.at, a: p.at, b: v.at, imm: uint64(size), f2: f})
}

// atomicStep is OpAtomicIIncrement or OpAtomicIDecrement, which have no operand for
// the number.
func atomicStep(op spirv.Opcode) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		t := b.result(in)
		b.require(t.kind == kindInt, "its result is not an integer")
		one := value{b.constant([]uint64{1}), t}
		b.emitReadModifyWrite(in, one, intBinary.Get()[op](t.width))
	}
}

// atomicCell returns the memory of an atomic access.
func (it *item) atomicCell(p pointer, size int64, write bool) ([]byte, status) {
	if p.offset()%size != 0 {
		offset := p.offset()
		if p.space() == spaceGlobal {
			_, offset = it.flat.entryNear(p)
		}
		return nil, it.failf("atomic access of %d bytes at offset %d, which is not aligned", size, offset)
	}
	if write {
		if data := it.writableBytes(p, size); data != nil {
			return data, running
		}
		return nil, it.badStore(p, size)
	}
	if data := it.bytesAt(p, size); data != nil {
		return data, running
	}
	return nil, it.badAccess("load", p, size)
}

// stepModify swaps until no other work-item has changed the value between the load
// and the swap: work-groups run in several goroutines, and the host may share the
// memory.
func stepModify(it *item, in *inst) status {
	size := int64(in.imm)
	data, st := it.atomicCell(pointer(it.s[in.a]), size, true)
	if st != running {
		return st
	}
	v := it.s[in.b]
	for {
		old := atomicLoad(data, size)
		if compareAndSwap(data, size, old, in.f2(old, v)) {
			it.s[in.dst] = old
			return running
		}
	}
}

// atomicLoad and the two functions after it take the memory of atomicCell, which is
// aligned. Those of 8 and 16 bits work on the word of 32 bits around them, as Go
// has none.
func atomicLoad(data []byte, size int64) uint64 {
	switch size {
	case 4:
		return uint64(mem.Load32(data))
	case 8:
		return mem.Load64(data)
	}
	return uint64(mem.LoadNarrow(data, int(size)))
}

func compareAndSwap(data []byte, size int64, old, v uint64) bool {
	switch size {
	case 4:
		return mem.CompareAndSwap32(data, uint32(old), uint32(v))
	case 8:
		return mem.CompareAndSwap64(data, old, v)
	}
	return mem.CompareAndSwapNarrow(data, int(size), uint32(old), uint32(v))
}

// atomicStore swaps narrow numbers into the word around them, until no other thread has
// changed that in between.
func atomicStore(data []byte, size int64, v uint64) {
	switch size {
	case 4:
		mem.Store32(data, uint32(v))
	case 8:
		mem.Store64(data, v)
	default:
		for !compareAndSwap(data, size, atomicLoad(data, size), v) {
		}
	}
}

func (b *builder) emitAtomicLoad(in *spirv.Instruction) {
	p, to := b.arg(in, 0), b.defineResult(in)
	b.emit(inst{step: stepAtomicLoad, dst: to.at, a: p.at, imm: uint64(b.atomicSize(p, to.t))})
}

func stepAtomicLoad(it *item, in *inst) status {
	size := int64(in.imm)
	data, st := it.atomicCell(pointer(it.s[in.a]), size, false)
	if st == running {
		it.s[in.dst] = atomicLoad(data, size)
	}
	return st
}

func (b *builder) emitAtomicStore(in *spirv.Instruction) {
	p, v := b.value(spirv.ID(in.Words[0])), b.value(spirv.ID(in.Words[3]))
	b.emit(inst{step: stepAtomicStore, a: p.at, b: v.at, imm: uint64(b.atomicSize(p, v.t))})
}

func stepAtomicStore(it *item, in *inst) status {
	size := int64(in.imm)
	data, st := it.atomicCell(pointer(it.s[in.a]), size, true)
	if st == running {
		atomicStore(data, size, it.s[in.b])
	}
	return st
}

// emitCompareExchange serves the weak form too, which may fail without a reason and
// does not.
func (b *builder) emitCompareExchange(in *spirv.Instruction) {
	p, v, comparator, to := b.arg(in, 0), b.arg(in, 4), b.arg(in, 5), b.defineResult(in)
	b.requireSameWords(v.t, to.t)
	b.requireSameWords(comparator.t, to.t)
	size := b.atomicSize(p, to.t)
	b.emit(inst{step: stepCompareExchange, dst: to.at, a: p.at, b: v.at, c: comparator.at, imm: uint64(size)})
}

// stepCompareExchange tries again where the swap failed: the value may have changed
// and come back, and this form may not fail while the values are equal.
func stepCompareExchange(it *item, in *inst) status {
	size := int64(in.imm)
	data, st := it.atomicCell(pointer(it.s[in.a]), size, true)
	if st != running {
		return st
	}
	for {
		old := atomicLoad(data, size)
		if old != it.s[in.c] || compareAndSwap(data, size, old, it.s[in.b]) {
			it.s[in.dst] = old
			return running
		}
	}
}

// emitTestAndSet sets a flag, an integer of 32 bits, and tells whether it was set.
func (b *builder) emitTestAndSet(in *spirv.Instruction) {
	p, to := b.arg(in, 0), b.defineLanes(in, kindBool, 0)
	b.require(p.t.kind == kindPointer && to.t.kind == kindBool, "the operand is not a pointer")
	set := b.constant([]uint64{1})
	b.emit(inst{step: stepModify, dst: to.at, a: p.at, b: set, imm: flagSize, f2: func(_, v uint64) uint64 { return v }})
	b.emit(inst{step: stepLanes1, dst: to.at, a: to.at, n: 1, f1: func(v uint64) uint64 { return boolWord(v != 0) }})
}

// emitFlagClear stores 0, the state in which OpAtomicFlagTestAndSet gives false.
func (b *builder) emitFlagClear(in *spirv.Instruction) {
	p := b.value(spirv.ID(in.Words[0]))
	b.require(p.t.kind == kindPointer, "the operand is not a pointer")
	b.emit(inst{step: stepAtomicStore, a: p.at, b: b.constant([]uint64{0}), imm: flagSize})
}
