package hostdev

import (
	"offlink/lazy"
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// Functions of work-groups. Each work-item stores its value in memory of the
// group; after a barrier the first step combines all in their order, as the
// interpreter does; after another one each takes its result.

// groupCombines are the operations that groups reduce and scan with.
var groupCombines = lazy.Map[spirv.Opcode, lowerWords2]{New: func() map[spirv.Opcode]lowerWords2 {
	table := map[spirv.Opcode]lowerWords2{}
	for op, same := range map[spirv.Opcode]spirv.Opcode{
		spirv.OpGroupIAdd: spirv.OpIAdd, spirv.OpGroupIMulKHR: spirv.OpIMul,
		spirv.OpGroupBitwiseAndKHR: spirv.OpBitwiseAnd, spirv.OpGroupBitwiseOrKHR: spirv.OpBitwiseOr, spirv.OpGroupBitwiseXorKHR: spirv.OpBitwiseXor,
		spirv.OpGroupLogicalAndKHR: spirv.OpLogicalAnd, spirv.OpGroupLogicalOrKHR: spirv.OpLogicalOr, spirv.OpGroupLogicalXorKHR: spirv.OpLogicalNotEqual,
	} {
		table[op] = lowerInts.Get()[same]
	}
	for op, name := range map[spirv.Opcode]string{
		spirv.OpGroupSMin: "s_min", spirv.OpGroupUMin: "u_min", spirv.OpGroupSMax: "s_max", spirv.OpGroupUMax: "u_max",
		spirv.OpGroupFMin: "fmin", spirv.OpGroupFMax: "fmax",
	} {
		table[op] = stdLower2.Get()[name]
	}
	table[spirv.OpGroupFAdd] = floatOf(lanes.OpFAdd)
	table[spirv.OpGroupFMulKHR] = floatOf(lanes.OpFMul)
	return table
}}

func registerGroupLowerers() {
	lowerers.register(func() map[spirv.Opcode]func(*lowering, *spirv.Instruction) {
		table := map[spirv.Opcode]func(*lowering, *spirv.Instruction){
			spirv.OpGroupAll:        groupVoteLowerer(spirv.OpGroupLogicalAndKHR, false),
			spirv.OpGroupAny:        groupVoteLowerer(spirv.OpGroupLogicalOrKHR, false),
			spirv.OpGroupBroadcast:  (*lowering).lowerBroadcast,
			spirv.OpGroupAsyncCopy:  (*lowering).lowerAsyncCopy,
			spirv.OpGroupWaitEvents: func(*lowering, *spirv.Instruction) {},

			spirv.OpGroupNonUniformAll: groupVoteLowerer(spirv.OpGroupLogicalAndKHR, true),
			spirv.OpGroupNonUniformAny: groupVoteLowerer(spirv.OpGroupLogicalOrKHR, true),
		}
		for op := range groupOps.Get() {
			table[op] = groupLowerer(op, false)
		}
		for op, same := range nonUniform.Get() {
			table[op] = groupLowerer(same, true)
		}
		return table
	})
}

// groupLowerer lowers a reduction or a scan; partial ones are those of the
// non-uniform instructions, in which work-items may be missing.
func groupLowerer(op spirv.Opcode, partial bool) func(*lowering, *spirv.Instruction) {
	return func(l *lowering, in *spirv.Instruction) { l.overGroup(in, op, in.Operands()[1], l.arg(in, 2), partial) }
}

// groupVoteLowerer lowers all and any: reductions with and, or.
func groupVoteLowerer(op spirv.Opcode, partial bool) func(*lowering, *spirv.Instruction) {
	return func(l *lowering, in *spirv.Instruction) { l.overGroup(in, op, groupReduce, l.arg(in, 1), partial) }
}

// scopeOf is the scope of a group function, which decides between code for
// work-groups and for sub-groups.
func (l *lowering) scopeOf(in *spirv.Instruction) uint64 {
	n, ok := l.p.constantInt(spirv.ID(in.Operands()[0]))
	if !ok {
		l.unsupported("%v whose scope is not constant", in.Op)
	}
	return n
}

// overGroup reduces or scans the words of a value, each on its own.
func (l *lowering) overGroup(in *spirv.Instruction, op spirv.Opcode, what uint32, v lowered, partial bool) {
	row := groupOps.Get()[op]
	c := combining{l: l, op: groupCombines.Get()[op], what: what, w: scalarWord(v.t.scalar()), partial: partial}
	if what == groupClustered {
		c.what, c.cluster = groupReduce, min(l.clusterSize(in), l.k.subgroup)
	}
	c.start = l.f.Const(c.w.lane, row.start(v.t.scalar().width))
	scope := l.scopeOf(in)
	if scope == scopeSubgroup && l.k.subgroup == 1 {
		scope = scopeInvocation
	}
	var words []*lanes.Value
	for _, x := range v.words {
		switch scope {
		case scopeWorkgroup:
			words = append(words, c.overWorkgroup(x))
		case scopeSubgroup:
			words = append(words, c.overSubgroup(x))
		default: // a group of one work-item
			if what == groupExclusiveScan {
				x = c.start
			}
			words = append(words, x)
		}
	}
	l.define(in, words)
}

// combining is one reduction or scan.
type combining struct {
	l       *lowering
	op      lowerWords2
	what    uint32
	w       word
	start   *lanes.Value
	partial bool // work-items of a sub-group may be missing
	cluster int  // work-items that a reduction combines, 0 for all
}

// combine combines two values in their order: for floats, another one would round
// otherwise than the interpreter.
func (c *combining) combine(x, y *lanes.Value) *lanes.Value {
	v := c.op(c.l, x, y, c.w)
	if v == nil {
		c.l.unsupported("a group function of %d-bit floats", c.w.width)
	}
	return v
}

// groupWords is an array in the memory of the group: an element a work-item.
type groupWords struct {
	l    *lowering
	at   int
	kind lanes.Kind // as in memory
	bool bool
}

// newGroupWords returns the first or the second array in the memory of the group. All
// functions use the same two, one after the other: barriers keep them apart.
func (l *lowering) newGroupWords(k lanes.Kind, second bool) groupWords {
	g := groupWords{l: l, kind: k}
	if k == lanes.Bool {
		g.kind, g.bool = lanes.I32, true
	}
	if second {
		g.at = 8 * maxGroup
	}
	// Two arrays of 8 bytes an element: values, and results of scans.
	l.f.ScratchSize = 16 * maxGroup
	return g
}

// size is the bytes of an element. A smaller kind than 32 bits is not a kind of
// the form.
func (g groupWords) size() int {
	if g.kind.Wide() {
		return 8
	}
	return 4
}

func (g groupWords) place(i *lanes.Value) *lanes.Value {
	b := g.l.b
	base := b.Add(lanes.OpAdd, lanes.I32, g.l.f.Arg(lanes.I32, lanes.RecordScratch), g.l.i32(int64(g.at)))
	return b.Add(lanes.OpAdd, lanes.I32, base, b.Add(lanes.OpMul, lanes.I32, i, g.l.i32(int64(g.size()))))
}

// load needs no bounds, nor does store: the index is the number of a work-item, and the
// memory has room for the largest group.
func (g groupWords) load(i *lanes.Value) *lanes.Value {
	v := g.l.b.Load(g.kind, g.size(), g.place(i), nil)
	if g.bool {
		return g.l.b.Add(lanes.OpBool, lanes.Bool, v)
	}
	return v
}

func (g groupWords) store(i, v *lanes.Value) {
	if g.bool {
		v = g.l.b.Add(lanes.OpInt, lanes.I32, v)
	}
	g.l.b.Store(g.size(), g.place(i), v, nil)
}

// barrier ends the block at a barrier of a function of the group, to which all work-items
// must come.
func (l *lowering) barrier() { l.barrierOf(true) }

func (l *lowering) barrierOf(joint bool) {
	next := l.f.NewBlock()
	l.b.Term, l.b.Joint, l.b.Succs = lanes.Barrier, joint, []*lanes.Block{next}
	l.b = next
}

// localLinear is the number of the work-item in its group.
func (l *lowering) localLinear() *lanes.Value {
	id := func(d int) *lanes.Value { return l.b.ID(lanes.OpLocalID, d) }
	return l.linear(id, func(d int) *lanes.Value { return l.field(lanes.RecordLocal, d) })
}

// groupItems is the number of work-items of the group.
func (l *lowering) groupItems() *lanes.Value { return l.itemsOf(lanes.RecordLocal) }

// itemsOf is the number of work-items of a group whose size is in the record.
func (l *lowering) itemsOf(size uint32) *lanes.Value {
	n := l.b.Add(lanes.OpMul, lanes.I32, l.field(size, 0), l.field(size, 1))
	return l.b.Add(lanes.OpMul, lanes.I32, n, l.field(size, 2))
}

// byFirstStep lowers the work that only the first step of a group does, between barriers.
func (l *lowering) byFirstStep(do func()) {
	l.barrier()
	first := l.b.Add(lanes.OpEq, lanes.Bool, l.b.FromLane(l.localLinear(), 0), l.i32(0))
	from, then, after := l.b, l.f.NewBlock(), l.f.NewBlock()
	from.Term, from.Cond, from.Succs = lanes.Branch, first, []*lanes.Block{then, after}
	l.b = then
	do()
	l.jump(after)
	l.b = after
	l.barrier()
}

// countTo lowers a loop of a number from 0 on.
func (l *lowering) countTo(n *lanes.Value, body func(i *lanes.Value)) {
	r := l.f.NewRegister(n.Kind)
	head, in, after := l.f.NewBlock(), l.f.NewBlock(), l.f.NewBlock()
	l.b.Set(r, l.f.Const(n.Kind, 0))
	l.jump(head)
	i := head.Get(r)
	head.Term, head.Cond, head.Succs = lanes.Branch, head.Add(lanes.OpULt, lanes.Bool, i, n), []*lanes.Block{in, after}
	l.b = in
	body(i)
	l.b.Set(r, l.b.Add(lanes.OpAdd, n.Kind, i, l.f.Const(n.Kind, 1)))
	l.jump(head)
	l.b = after
}

// overWorkgroup stores each value, has one step go through all of them, and gives
// each work-item its result.
func (c *combining) overWorkgroup(x *lanes.Value) *lanes.Value {
	l := c.l
	values, results := l.newGroupWords(x.Kind, false), l.newGroupWords(x.Kind, true)
	values.store(l.localLinear(), x)
	l.byFirstStep(func() {
		// In the order of the work-items, so that floats round as in the
		// interpreter.
		sum := l.f.NewRegister(x.Kind)
		l.b.Set(sum, c.start)
		l.countTo(l.groupItems(), func(i *lanes.Value) {
			old := l.b.Get(sum)
			next := c.combine(old, values.load(i))
			switch c.what {
			case groupInclusiveScan:
				results.store(i, next)
			case groupExclusiveScan:
				results.store(i, old)
			}
			l.b.Set(sum, next)
		})
		if c.what == groupReduce {
			results.store(l.i32(0), l.b.Get(sum))
		}
	})
	if c.what == groupReduce {
		return results.load(l.i32(0))
	}
	return results.load(l.localLinear())
}

// lowerBroadcast takes a local id that is a scalar or a vector.
func (l *lowering) lowerBroadcast(in *spirv.Instruction) {
	v, id := l.arg(in, 1), l.arg(in, 2)
	// The bounds of a pointer's allocation do not travel through memory.
	if v.place != nil || hasPointer(v.t) {
		l.unsupported("a broadcast of pointers")
	}
	switch l.scopeOf(in) {
	case scopeWorkgroup:
	case scopeSubgroup:
		l.lowerShuffle1(in, v, id.words[0].Low(), false)
		return
	default:
		l.define(in, v.words)
		return
	}
	zero := l.i32(0)
	at := [3]*lanes.Value{zero, zero, zero}
	for i, w := range id.words {
		at[i] = w.Low()
	}
	index := l.linear(func(d int) *lanes.Value { return at[d] }, func(d int) *lanes.Value { return l.field(lanes.RecordLocal, d) })
	var words []*lanes.Value
	for _, x := range v.words {
		values, results := l.newGroupWords(x.Kind, false), l.newGroupWords(x.Kind, true)
		values.store(l.localLinear(), x)
		l.byFirstStep(func() {
			place := values.place(l.b.FromLane(index, 0))
			size := l.b.Add(lanes.OpMul, lanes.I32, l.groupItems(), l.i32(int64(values.size())))
			bounds := &lanes.Bounds{Base: values.place(zero), Len: size, Memory: "the values of the work-group"}
			results.store(zero, values.ofMemory(l.b.Load(values.kind, values.size(), place, bounds)))
		})
		words = append(words, results.load(zero))
	}
	l.define(in, words)
}

// ofMemory makes the value of a word that was loaded with bounds, as the id of a
// broadcast may be anything.
func (g groupWords) ofMemory(v *lanes.Value) *lanes.Value {
	if g.bool {
		return g.l.b.Add(lanes.OpBool, lanes.Bool, v)
	}
	return v
}

// copyElement copies an element of an asynchronous copy. OpenCL has vectors of three copied as
// those of four.
func (l *lowering) copyElement(to, from lowered, t *typ) {
	l.copyValue(to, from, t)
	if t.kind == kindVector && t.count == 3 {
		l.copyWord(to, from, 3*t.elem.size, t.elem.size)
	}
}

// lowerAsyncCopy copies at once, with the operands of the first work-item.
// Elements have a stride in global memory.
func (l *lowering) lowerAsyncCopy(in *spirv.Instruction) {
	to, from := l.spell(l.arg(in, 1)), l.spell(l.arg(in, 2))
	count, stride := l.index(l.arg(in, 3)), l.index(l.arg(in, 4))
	t := to.t.elem
	if l.scopeOf(in) != scopeWorkgroup || hasPointer(t) {
		l.unsupported("an asynchronous copy of this kind")
	}
	l.byFirstStep(func() {
		first := func(v *lanes.Value) *lanes.Value { return l.b.FromLane(v, 0) }
		size := l.f.Const(lanes.I64, uint64(t.size))
		far := l.b.Add(lanes.OpMul, lanes.I64, first(stride), size)
		toStep, fromStep := size, far
		if to.t.storage == spirv.StorageCrossWorkgroup {
			toStep, fromStep = far, size
		}
		moved := func(p lowered, n, step *lanes.Value) lowered {
			at := l.b.Add(lanes.OpAdd, lanes.I64, first(p.words[0]), l.b.Add(lanes.OpMul, lanes.I64, n, step))
			return lowered{t: p.t, words: []*lanes.Value{at}, root: p.root, steps: steps{unknown: true}}
		}
		l.countTo(first(count), func(n *lanes.Value) {
			l.copyElement(moved(to, n, toStep), moved(from, n, fromStep), t)
		})
	})
	// The copy is over: its event is the one that was given, and waiting for it
	// does nothing.
	l.call().values[in.Result()] = l.arg(in, 5)
}
