package hostdev

import (
	"math"

	"offlink/lazy"
	"offlink/spirv"
)

// Barriers and the functions of a group: a work-item waits, and when all
// work-items of its group wait at the same instruction, the group does the
// work for all of them.

// The scopes, in the numbers of SPIR-V.
const (
	scopeWorkgroup  = 2
	scopeSubgroup   = 3
	scopeInvocation = 4
)

func registerGroupEmitters() {
	emitters.register(func() map[spirv.Opcode]func(*builder, *spirv.Instruction) {
		table := map[spirv.Opcode]func(*builder, *spirv.Instruction){
			spirv.OpControlBarrier:  (*builder).emitControlBarrier,
			spirv.OpMemoryBarrier:   func(*builder, *spirv.Instruction) {},
			spirv.OpGroupAll:        groupVote(groupOps.Get()[spirv.OpGroupLogicalAndKHR]),
			spirv.OpGroupAny:        groupVote(groupOps.Get()[spirv.OpGroupLogicalOrKHR]),
			spirv.OpGroupBroadcast:  (*builder).emitBroadcast,
			spirv.OpGroupAsyncCopy:  (*builder).emitAsyncCopy,
			spirv.OpGroupWaitEvents: (*builder).emitWaitEvents,
		}
		for op, row := range groupOps.Get() {
			table[op] = groupArithmetic(row)
		}
		for op, same := range nonUniform.Get() {
			table[op] = nonUniformArithmetic(groupOps.Get()[same])
		}
		return table
	})
}

// waitForGroup emits an instruction that waits for the group and calls in.meet.
func (b *builder) waitForGroup(in inst) {
	in.step = stepWait
	b.fn.rendezvous = true
	b.emit(in)
}

func stepWait(*item, *inst) status { return waiting }

// constantScope returns the scope of an operand, which must be a constant.
func (b *builder) constantScope(id uint32) uint64 {
	n, ok := b.p.constantInt(spirv.ID(id))
	b.require(ok, "the scope is not constant")
	b.require(n >= scopeWorkgroup && n <= scopeInvocation, "the embedded device does not implement the scope %d here", n)
	return n
}

func (b *builder) emitControlBarrier(in *spirv.Instruction) {
	switch b.constantScope(in.Words[0]) {
	case scopeWorkgroup:
		b.waitForGroup(inst{imm: b.semanticsOf(in)})
	case scopeSubgroup:
		b.meetSubgroup(inst{imm: b.semanticsOf(in)}, false, nil)
	}
}

// semanticsOf is the memory semantics of a barrier, 0 if they are not constant.
func (b *builder) semanticsOf(in *spirv.Instruction) uint64 {
	n, _ := b.p.constantInt(spirv.ID(in.Words[2]))
	return n
}

// groupOp is an operation over the values of a group.
type groupOp struct {
	kind  kind
	rows  func(width int) binary2
	start func(width int) uint64 // the identity
}

func fromFloat(row binaryFloat) func(int) binary2 {
	return func(width int) binary2 { return row[floatIndex(width)] }
}

// constantStart cuts a number to the width, which is 0 for booleans.
func constantStart(v uint64) func(int) uint64 {
	return func(width int) uint64 { return v & mask(max(width, 1)) }
}

func floatStart(f float64) func(int) uint64 {
	return func(width int) uint64 { return narrow(width, roundEven)(f) }
}

func logicalOp(f binary2, start uint64) groupOp {
	return groupOp{kindBool, func(int) binary2 { return f }, constantStart(start)}
}

// groupOps are the operations that a group reduces and scans with.
var groupOps = lazy.Map[spirv.Opcode, groupOp]{New: func() map[spirv.Opcode]groupOp {
	return map[spirv.Opcode]groupOp{
		spirv.OpGroupIAdd:          {kindInt, intBinary.Get()[spirv.OpIAdd], constantStart(0)},
		spirv.OpGroupIMulKHR:       {kindInt, intBinary.Get()[spirv.OpIMul], constantStart(1)},
		spirv.OpGroupSMin:          {kindInt, intMin, func(w int) uint64 { return mask(w) >> 1 }},
		spirv.OpGroupUMin:          {kindInt, uintMin, func(w int) uint64 { return mask(w) }},
		spirv.OpGroupSMax:          {kindInt, intMax, func(w int) uint64 { return 1 << (w - 1) }},
		spirv.OpGroupUMax:          {kindInt, uintMax, constantStart(0)},
		spirv.OpGroupBitwiseAndKHR: {kindInt, intBinary.Get()[spirv.OpBitwiseAnd], func(w int) uint64 { return mask(w) }},
		spirv.OpGroupBitwiseOrKHR:  {kindInt, intBinary.Get()[spirv.OpBitwiseOr], constantStart(0)},
		spirv.OpGroupBitwiseXorKHR: {kindInt, intBinary.Get()[spirv.OpBitwiseXor], constantStart(0)},
		spirv.OpGroupFAdd:          {kindFloat, fromFloat(floatBinary.Get()[spirv.OpFAdd]), floatStart(0)},
		spirv.OpGroupFMulKHR:       {kindFloat, fromFloat(floatBinary.Get()[spirv.OpFMul]), floatStart(1)},
		spirv.OpGroupFMin:          {kindFloat, fromFloat(floatMin), floatStart(math.Inf(1))},
		spirv.OpGroupFMax:          {kindFloat, fromFloat(floatMax), floatStart(math.Inf(-1))},
		spirv.OpGroupLogicalAndKHR: logicalOp(func(a, b uint64) uint64 { return a & b }, 1),
		spirv.OpGroupLogicalOrKHR:  logicalOp(func(a, b uint64) uint64 { return a | b }, 0),
		spirv.OpGroupLogicalXorKHR: logicalOp(func(a, b uint64) uint64 { return a ^ b }, 0),
	}
}}

// The group operations, in the numbers of GroupOperation.
const (
	groupReduce        = 0
	groupInclusiveScan = 1
	groupExclusiveScan = 2
	groupClustered     = 3
)

func groupVote(op groupOp) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		b.overGroup(in, op, groupReduce, b.arg(in, 1), false)
	}
}

func groupArithmetic(op groupOp) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		b.overGroup(in, op, in.Operands()[1], b.arg(in, 2), false)
	}
}

// overGroup reduces or scans a value over the group of the scope; partial
// tells that work-items of a sub-group may be missing.
func (b *builder) overGroup(in *spirv.Instruction, op groupOp, what uint32, v value, partial bool) {
	to := b.defineResult(in)
	b.requireSameWords(v.t, to.t)
	width := b.checkLanes(op.kind, to, v)
	f, start := op.rows(width), op.start(width)
	size := 0
	if what == groupClustered {
		size, what = b.clusterSize(in), groupReduce
	}
	b.require(what <= groupExclusiveScan, "the embedded device does not implement group operation %d", what)
	wait := inst{dst: to.at, a: v.at, n: int32(to.t.words), f2: f}
	switch b.constantScope(in.Operands()[0]) {
	case scopeWorkgroup:
		wait.meet = func(g *group, in *inst) *Fault {
			scanItems(g.items, in, what, start)
			return nil
		}
		b.waitForGroup(wait)
	case scopeSubgroup:
		b.meetSubgroup(wait, partial, func(items []*item, in *inst) *Fault {
			for _, cluster := range clustersOf(items, size) {
				scanItems(cluster, in, what, start)
			}
			return nil
		})
	default:
		b.emitSingleItemOp(what, to, v, start)
	}
}

// emitSingleItemOp emits the result for a group of one work-item, which needs
// no rendezvous.
func (b *builder) emitSingleItemOp(what uint32, to, v value, start uint64) {
	if what != groupExclusiveScan {
		b.copyWords(to.at, v)
		return
	}
	b.copyWords(to.at, b.spreadScalar(value{b.constant([]uint64{start}), to.t.scalar()}, to.t))
}

// scanItems combines the values of the work-items in order, for each component.
func scanItems(items []*item, in *inst, what uint32, start uint64) {
	for i := range in.n {
		sum := start
		for _, it := range items {
			next := in.f2(sum, it.s[in.a+i])
			if what == groupExclusiveScan {
				it.s[in.dst+i] = sum
			} else {
				it.s[in.dst+i] = next
			}
			sum = next
		}
		if what == groupReduce {
			for _, it := range items {
				it.s[in.dst+i] = sum
			}
		}
	}
}

// emitBroadcast accepts a local id that is a scalar or a vector with as many
// components as the range has dimensions.
func (b *builder) emitBroadcast(in *spirv.Instruction) {
	v, id, to := b.arg(in, 1), b.arg(in, 2), b.defineResult(in)
	b.requireSameWords(v.t, to.t)
	b.require(id.t.is(kindInt) && id.t.words <= 3, "the local id is not of integers")
	switch b.constantScope(in.Operands()[0]) {
	case scopeSubgroup:
		b.emitShuffleLanes(in, v, id, false, func(_, n uint64) uint64 { return n })
		return
	case scopeInvocation:
		b.copyWords(to.at, v)
		return
	}
	components := id.t.words
	b.waitForGroup(inst{dst: to.at, a: v.at, b: id.at, n: int32(to.t.words), meet: func(g *group, in *inst) *Fault {
		return g.broadcastValue(in, components)
	}})
}

// broadcastValue takes the local id of the first work-item, which is the same for all in a
// valid kernel.
func (g *group) broadcastValue(in *inst, components int64) *Fault {
	first := g.items[0]
	size := g.launch.r.local
	index, stride := uint64(0), uint64(1)
	for i, at := range first.s[int64(in.b) : int64(in.b)+components] {
		if at >= uint64(size[i]) {
			first.failf("broadcast of the work-item %d of dimension %d; the group has %d", at, i, size[i])
			return g.place(first)
		}
		index += at * stride
		stride *= uint64(size[i])
	}
	from := append([]uint64(nil), g.items[index].s[in.a:in.a+in.n]...)
	for _, it := range g.items {
		copy(it.s[in.dst:], from)
	}
	return nil
}

// emitAsyncCopy copies synchronously when the whole group has arrived, with
// the operands of the first work-item. Elements have a stride in global memory.
func (b *builder) emitAsyncCopy(in *spirv.Instruction) {
	to, from := b.pointerArg(b.arg(in, 1)), b.pointerArg(b.arg(in, 2))
	count, stride, event := b.integerOperand(b.arg(in, 3)), b.integerOperand(b.arg(in, 4)), b.arg(in, 5)
	b.requireSameWords(to.t.elem, from.t.elem)
	b.require(event.t.kind == kindEvent, "the last operand is not an event")
	b.require(b.constantScope(in.Operands()[0]) == scopeWorkgroup, "the scope is not the work-group")
	result := b.defineResult(in)
	b.copyWords(result.at, event)
	size := to.t.elem.size
	global := to.t.storage == spirv.StorageCrossWorkgroup
	b.waitForGroup(inst{a: to.at, b: from.at, c: count.at, dst: stride.at, meet: func(g *group, in *inst) *Fault {
		it := g.items[0]
		if it.copyStrided(in, size, global) == faulted {
			return g.place(it)
		}
		return nil
	}})
}

// copyStrided copies elements; global tells that the target is global memory,
// which has the stride. The word inst.dst is an operand here, the stride.
func (it *item) copyStrided(in *inst, size int64, global bool) status {
	to, from, stride := pointer(it.s[in.a]), pointer(it.s[in.b]), it.s[in.dst]
	toStep, fromStep := pointer(size), pointer(uint64(size)*stride)
	if global {
		toStep, fromStep = fromStep, toStep
	}
	for range it.s[in.c] {
		if !it.burnFuel() {
			return faulted
		}
		source := it.bytesAt(from, size)
		if source == nil {
			return it.badAccess("load", from, size)
		}
		target := it.writableBytes(to, size)
		if target == nil {
			return it.badStore(to, size)
		}
		copy(target, source)
		to, from = to+toStep, from+fromStep
	}
	return running
}

// emitWaitEvents does not wait: emitAsyncCopy copies before it returns.
func (b *builder) emitWaitEvents(in *spirv.Instruction) {
	b.constantScope(in.Words[0])
}
