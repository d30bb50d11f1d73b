package hostdev

import (
	"offlink/lazy"
	"offlink/spirv"
)

// The intrinsics of memory and of vectors, and the hints for optimizers.

func registerMemoryIntrinsics() {
	intrinsicEmitters.register(func() map[string]func(*builder, *spirv.Instruction) {
		nothing := func(*builder, *spirv.Instruction) {}
		table := map[string]func(*builder, *spirv.Instruction){
			"memcpy":         (*builder).emitIntrinsicCopy,
			"memcpy.inline":  (*builder).emitIntrinsicCopy,
			"memmove":        (*builder).emitIntrinsicCopy,
			"memset":         (*builder).emitIntrinsicSet,
			"memset.inline":  (*builder).emitIntrinsicSet,
			"masked.load":    (*builder).emitMaskedLoad,
			"masked.store":   (*builder).emitMaskedStore,
			"ptrmask":        (*builder).emitPointerMask,
			"trap":           stopWith("the kernel called llvm.trap"),
			"ubsantrap":      stopWith("the kernel called llvm.ubsantrap: a check of its sanitizer failed"),
			"stacksave":      (*builder).emitUndef,
			"is.constant":    (*builder).emitUndef, // false
			"objectsize":     (*builder).emitObjectSize,
			"vector.reverse": (*builder).emitReverse,
		}
		for _, name := range []string{
			"assume", "debugtrap", "donothing", "sideeffect", "stackrestore", "prefetch", "var.annotation", "pseudoprobe",
			"lifetime.start", "lifetime.end", "invariant.end", "experimental.noalias.scope.decl", "dbg.value", "dbg.declare", "dbg.label",
			"dbg.assign", "fake.use",
		} {
			table[name] = nothing
		}
		table["invariant.start"] = (*builder).emitUndef
		for _, name := range []string{
			"expect", "expect.with.probability", "annotation", "ptr.annotation", "launder.invariant.group",
			"strip.invariant.group", "arithmetic.fence", "ssa.copy",
		} {
			table[name] = (*builder).emitCopyObject
		}
		for name, op := range reductions.Get() {
			table["vector.reduce."+name] = reduceComponents(op, false)
		}
		table["vector.reduce.fadd"] = reduceComponents(groupOps.Get()[spirv.OpGroupFAdd], true)
		table["vector.reduce.fmul"] = reduceComponents(groupOps.Get()[spirv.OpGroupFMulKHR], true)
		return table
	})
}

// intrinsicPointers checks that operands are pointers and the length an
// integer.
func (b *builder) intrinsicPointers(length value, pointers ...value) {
	b.integerOperand(length)
	for _, p := range pointers {
		b.require(p.t.kind == kindPointer, "an operand is not a pointer")
	}
}

// emitIntrinsicCopy copies as memmove does, for memcpy too.
func (b *builder) emitIntrinsicCopy(in *spirv.Instruction) {
	to, from, length := b.arg(in, 0), b.arg(in, 1), b.arg(in, 2)
	b.intrinsicPointers(length, to, from)
	b.emit(inst{step: stepCopyMemory, a: to.at, b: from.at, c: length.at})
}

func (b *builder) emitIntrinsicSet(in *spirv.Instruction) {
	to, v, length := b.arg(in, 0), b.arg(in, 1), b.arg(in, 2)
	b.intrinsicPointers(length, to)
	b.require(v.t.kind == kindInt && v.t.width == 8, "the value is not a byte")
	b.emit(inst{step: stepSetMemory, a: to.at, b: v.at, c: length.at})
}

// stepSetMemory limits the size as stepCopyMemory does.
func stepSetMemory(it *item, in *inst) status {
	n := int64(min(it.s[in.c], maxOffset))
	if n == 0 {
		return running
	}
	to, v := pointer(it.s[in.a]), byte(it.s[in.b])
	target := it.writableBytes(to, n)
	if target == nil {
		return it.badStore(to, n)
	}
	if v == 0 {
		clear(target)
		return running
	}
	for i := range target {
		target[i] = v
	}
	return running
}

// maskedAccess has the layout of a vector's component in memory.
type maskedAccess struct{ leaf }

func (b *builder) maskedAccess(p, mask value, t *typ) maskedAccess {
	b.require(p.t.kind == kindPointer && t.kind == kindVector && t.isWhole(), "the operands are not a vector and a pointer")
	b.require(mask.t.is(kindBool) && mask.t.words == t.words, "the mask has another number of components")
	return maskedAccess{leaf{size: t.elem.size, bits: t.bits()}}
}

// emitMaskedLoad has the operands pointer, alignment, mask, and the values of
// the components that are masked out. LLVM 22 dropped the alignment.
func (b *builder) emitMaskedLoad(in *spirv.Instruction) {
	args := len(in.Operands())
	p, mask, rest, to := b.arg(in, 0), b.arg(in, args-2), b.arg(in, args-1), b.defineResult(in)
	b.requireSameWords(rest.t, to.t)
	a := b.maskedAccess(p, mask, to.t)
	b.copyWords(to.at, rest)
	b.emit(inst{step: stepMaskedLoad, dst: to.at, a: p.at, b: mask.at, n: int32(to.t.words), ext: a})
}

// stepMaskedLoad checks the components one by one: those that are masked out may lie
// outside of the allocation.
func stepMaskedLoad(it *item, in *inst) status {
	a := in.ext.(maskedAccess)
	for i := range in.n {
		if it.s[in.b+i] == 0 {
			continue
		}
		p := pointer(it.s[in.a] + uint64(i)*uint64(a.size))
		data := it.bytesAt(p, a.size)
		if data == nil {
			return it.badAccess("load", p, a.size)
		}
		it.s[in.dst+i] = loadWord(data, a.size)
	}
	return running
}

// emitMaskedStore has the operands value, pointer, alignment and mask; LLVM 22 dropped the
// alignment here too. The step takes the value for an operand in inst.dst.
func (b *builder) emitMaskedStore(in *spirv.Instruction) {
	v, p, mask := b.arg(in, 0), b.arg(in, 1), b.arg(in, len(in.Operands())-1)
	a := b.maskedAccess(p, mask, v.t)
	b.emit(inst{step: stepMaskedStore, dst: v.at, a: p.at, b: mask.at, n: int32(v.t.words), ext: a})
}

func stepMaskedStore(it *item, in *inst) status {
	a := in.ext.(maskedAccess)
	for i := range in.n {
		if it.s[in.b+i] == 0 {
			continue
		}
		p := pointer(it.s[in.a] + uint64(i)*uint64(a.size))
		data := it.writableBytes(p, a.size)
		if data == nil {
			return it.badStore(p, a.size)
		}
		storeWord(data, a.size, it.s[in.dst+i])
	}
	return running
}

func (b *builder) emitPointerMask(in *spirv.Instruction) {
	p, mask, to := b.arg(in, 0), b.arg(in, 1), b.defineLanes(in, kindPointer, 0)
	b.checkLanes(kindPointer, to, p)
	b.require(b.checkLanes(kindInt, to, mask) == 64, "the mask is not of 64 bits")
	b.emit2(to, p, mask, func(a, m uint64) uint64 { return a & m })
}

// stopWith compiles a call that stops the kernel, such as llvm.trap.
func stopWith(message string) func(*builder, *spirv.Instruction) {
	return func(b *builder, _ *spirv.Instruction) {
		b.emit(inst{step: func(it *item, _ *inst) status { return it.failf("%s", message) }})
	}
}

// emitObjectSize gives the answer for an unknown size, 0 or -1 as the second
// argument asks.
func (b *builder) emitObjectSize(in *spirv.Instruction) {
	least, to := b.arg(in, 1), b.defineLanes(in, kindInt, 0)
	b.require(least.t.kind == kindBool, "the second operand is not a boolean")
	width := to.t.width
	b.emit1(to, least, func(least uint64) uint64 { return (least - 1) & mask(width) })
}

func (b *builder) emitReverse(in *spirv.Instruction) {
	x, to := b.arg(in, 0), b.defineResult(in)
	b.requireSameWords(x.t, to.t)
	var from []int32
	for i := range int32(x.t.words) {
		from = append(from, x.at+int32(x.t.words)-1-i)
	}
	b.gatherWords(to, from)
}

// reductions are the intrinsics llvm.vector.reduce, by the end of their names.
var reductions = lazy.Map[string, groupOp]{New: func() map[string]groupOp {
	return map[string]groupOp{
		"add": groupOps.Get()[spirv.OpGroupIAdd], "mul": groupOps.Get()[spirv.OpGroupIMulKHR],
		"and": groupOps.Get()[spirv.OpGroupBitwiseAndKHR], "or": groupOps.Get()[spirv.OpGroupBitwiseOrKHR],
		"xor": groupOps.Get()[spirv.OpGroupBitwiseXorKHR], "smin": groupOps.Get()[spirv.OpGroupSMin], "smax": groupOps.Get()[spirv.OpGroupSMax],
		"umin": groupOps.Get()[spirv.OpGroupUMin], "umax": groupOps.Get()[spirv.OpGroupUMax],
		"fmin": groupOps.Get()[spirv.OpGroupFMin], "fmax": groupOps.Get()[spirv.OpGroupFMax],
	}
}}

// reduceComponents combines the components of a vector from first to last; sums
// and products of floats start with the first argument.
func reduceComponents(op groupOp, start bool) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		first, rest := b.arg(in, 0), b.arg(in, 0)
		if start {
			rest = b.arg(in, 1)
			b.requireSameWords(first.t, rest.t.scalar())
		}
		to := b.defineResult(in)
		b.requireSameWords(rest.t.scalar(), to.t)
		b.require(to.t.kind == op.kind || to.t.kind == kindBool && op.kind == kindInt, "an operand of type %s does not fit", b.typeName(rest.t))
		f := op.rows(to.t.bits())
		sum := value{b.newTemporary(1), to.t}
		if start {
			b.copyWords(sum.at, first)
		} else {
			b.copyWords(sum.at, value{rest.at, to.t})
			rest = value{rest.at + 1, rest.t}
		}
		n := int32(rest.t.words)
		if !start {
			n--
		}
		b.emit(inst{step: stepReduce, dst: to.at, a: sum.at, b: rest.at, n: n, f2: f})
	}
}

func stepReduce(it *item, in *inst) status {
	v := it.s[in.a]
	for _, x := range it.s[in.b : in.b+in.n] {
		v = in.f2(v, x)
	}
	it.s[in.dst] = v
	return running
}
