package hostdev

import (
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// Functions of sub-groups: a sub-group is the lanes of a step, or each
// work-item on its own.

func registerSubgroupLowerers() {
	lowerers.register(func() map[spirv.Opcode]func(*lowering, *spirv.Instruction) {
		own := func(_ *lowering, _, n *lanes.Value) *lanes.Value { return n }
		by := func(op lanes.Op) func(l *lowering, lane, n *lanes.Value) *lanes.Value {
			return func(l *lowering, lane, n *lanes.Value) *lanes.Value { return l.b.Add(op, lanes.I32, lane, n) }
		}
		shuffle := func(partial bool, first int, place func(l *lowering, lane, n *lanes.Value) *lanes.Value) func(*lowering, *spirv.Instruction) {
			return func(l *lowering, in *spirv.Instruction) {
				l.lowerShuffle1(in, l.arg(in, first), place(l, l.lane(), l.arg(in, first+1).words[0].Low()), partial)
			}
		}
		return map[spirv.Opcode]func(*lowering, *spirv.Instruction){
			spirv.OpGroupNonUniformElect:          (*lowering).lowerElect,
			spirv.OpGroupNonUniformAllEqual:       (*lowering).lowerAllEqual,
			spirv.OpGroupNonUniformBroadcast:      shuffle(true, 1, own),
			spirv.OpGroupNonUniformShuffle:        shuffle(true, 1, own),
			spirv.OpGroupNonUniformShuffleXor:     shuffle(true, 1, by(lanes.OpXor)),
			spirv.OpGroupNonUniformShuffleUp:      shuffle(true, 1, by(lanes.OpSub)),
			spirv.OpGroupNonUniformShuffleDown:    shuffle(true, 1, by(lanes.OpAdd)),
			spirv.OpGroupNonUniformRotateKHR:      (*lowering).lowerRotate,
			spirv.OpGroupNonUniformBroadcastFirst: (*lowering).lowerBroadcastFirst,
			spirv.OpGroupNonUniformBallot:         (*lowering).lowerBallot,
			spirv.OpGroupNonUniformInverseBallot:  (*lowering).lowerInverseBallot,

			spirv.OpGroupNonUniformBallotBitExtract: (*lowering).lowerBallotExtract,
			spirv.OpGroupNonUniformBallotBitCount:   (*lowering).lowerBallotCount,
			spirv.OpGroupNonUniformBallotFindLSB:    (*lowering).lowerBallotFind,
			spirv.OpGroupNonUniformBallotFindMSB:    (*lowering).lowerBallotFind,

			spirv.OpSubgroupShuffleINTEL:     shuffle(false, 0, own),
			spirv.OpSubgroupShuffleXorINTEL:  shuffle(false, 0, by(lanes.OpXor)),
			spirv.OpSubgroupShuffleUpINTEL:   (*lowering).lowerShufflePair,
			spirv.OpSubgroupShuffleDownINTEL: (*lowering).lowerShufflePair,
			spirv.OpSubgroupBlockReadINTEL:   (*lowering).lowerBlockRead,
			spirv.OpSubgroupBlockWriteINTEL:  (*lowering).lowerBlockWrite,
		}
	})
}

// lane is the number of the work-item in its sub-group.
func (l *lowering) lane() *lanes.Value {
	if l.k.subgroup == 1 {
		return l.i32(0)
	}
	id := l.localLinear()
	return l.b.Add(lanes.OpSub, lanes.I32, id, l.b.FromLane(id, 0))
}

// laneMask has the bits of the lanes that a built-in variable names by their place relative to
// the work-item's own.
func (l *lowering) laneMask(b spirv.BuiltIn) *lanes.Value {
	own := l.b.Add(lanes.OpShl, lanes.I32, l.i32(1), l.lane())
	below := l.b.Add(lanes.OpSub, lanes.I32, own, l.i32(1))
	upTo := l.b.Add(lanes.OpOr, lanes.I32, below, own)
	all := l.i32(1<<l.k.subgroup - 1)
	switch b {
	case spirv.BuiltInSubgroupGeMask:
		return l.b.Add(lanes.OpXor, lanes.I32, all, below)
	case spirv.BuiltInSubgroupGtMask:
		return l.b.Add(lanes.OpXor, lanes.I32, all, upTo)
	case spirv.BuiltInSubgroupLeMask:
		return upTo
	case spirv.BuiltInSubgroupLtMask:
		return below
	}
	return own
}

// active is the bits of the work-items of the sub-group that come here.
func (l *lowering) active() *lanes.Value {
	if l.k.subgroup == 1 {
		return l.i32(1)
	}
	return l.b.Active()
}

// bit is bit n of a number.
func (l *lowering) bit(v, n *lanes.Value) *lanes.Value {
	v = l.b.Add(lanes.OpLShr, lanes.I32, v, n)
	return l.b.Add(lanes.OpBool, lanes.Bool, l.b.Add(lanes.OpAnd, lanes.I32, v, l.i32(1)))
}

// together refuses that some work-items of the sub-group are missing.
func (l *lowering) together(partial bool) {
	if !partial && l.k.subgroup > 1 {
		l.b.Together()
	}
}

// overSubgroup combines the lanes one after the other, in the interpreter's order, as the
// rounding of floats depends on it.
func (c *combining) overSubgroup(x *lanes.Value) *lanes.Value {
	l, sum, result := c.l, c.start, x
	l.together(c.partial)
	active := l.active()
	for n := range l.k.subgroup {
		if c.cluster > 0 && n%c.cluster == 0 {
			sum = c.start
		}
		next := c.combine(sum, l.b.FromLane(x, n))
		if c.partial {
			next = l.b.Add(lanes.OpSelect, x.Kind, l.bit(active, l.i32(int64(n))), next, sum)
		}
		switch c.what {
		case groupInclusiveScan:
			result = l.b.ToLane(result, next, n)
		case groupExclusiveScan:
			result = l.b.ToLane(result, sum, n)
		}
		sum = next
		if c.cluster > 0 && n%c.cluster == c.cluster-1 {
			for lane := n - n%c.cluster; lane <= n; lane++ {
				result = l.b.ToLane(result, sum, lane)
			}
		}
	}
	if c.what == groupReduce && c.cluster == 0 {
		return sum
	}
	return result
}

// lowerRotate is a shuffle within the cluster, or within the sub-group.
func (l *lowering) lowerRotate(in *spirv.Instruction) {
	last := l.k.subgroup - 1
	if len(in.Operands()) > 3 {
		last = min(last, l.clusterSize(in)-1)
	}
	lane := l.lane()
	ahead := l.b.Add(lanes.OpAdd, lanes.I32, lane, l.arg(in, 2).words[0].Low())
	first := l.b.Add(lanes.OpAnd, lanes.I32, lane, l.i32(int64(^last)))
	place := l.b.Add(lanes.OpOr, lanes.I32, first, l.b.Add(lanes.OpAnd, lanes.I32, ahead, l.i32(int64(last))))
	l.lowerShuffle1(in, l.arg(in, 1), place, true)
}

func (l *lowering) clusterSize(in *spirv.Instruction) int {
	size, ok := l.p.clusterSize(in)
	if !ok {
		l.unsupported("%v with a size of clusters that is not a constant power of two", in.Op)
	}
	return size
}

// lowerShuffle1 gives each work-item the value of another one; its own if that
// is not there.
func (l *lowering) lowerShuffle1(in *spirv.Instruction, v lowered, lane *lanes.Value, partial bool) {
	if l.k.subgroup == 1 {
		l.call().values[in.Result()] = v
		return
	}
	v = l.spell(v)
	l.together(partial)
	var words []*lanes.Value
	for _, x := range v.words {
		words = append(words, l.b.Shuffle(x, lane))
	}
	l.define(in, words)
}

// lowerShufflePair takes from two values of the sub-group, one after the other.
func (l *lowering) lowerShufflePair(in *spirv.Instruction) {
	first, second, n := l.arg(in, 0), l.arg(in, 1), l.arg(in, 2).words[0].Low()
	size := int64(l.k.subgroup)
	place := l.b.Add(lanes.OpAdd, lanes.I32, l.lane(), n)
	if in.Op == spirv.OpSubgroupShuffleUpINTEL {
		place = l.b.Add(lanes.OpSub, lanes.I32, l.b.Add(lanes.OpAdd, lanes.I32, l.lane(), l.i32(size)), n)
	}
	isFirst := l.b.Add(lanes.OpULt, lanes.Bool, place, l.i32(size))
	place = l.b.Add(lanes.OpSelect, lanes.I32, isFirst, place, l.b.Add(lanes.OpSub, lanes.I32, place, l.i32(size)))
	// A place beyond both values is the last one, as in the interpreter; the
	// extension leaves it open.
	last := l.i32(size - 1)
	place = l.b.Add(lanes.OpSelect, lanes.I32, l.b.Add(lanes.OpULt, lanes.Bool, place, last), place, last)
	l.together(false)
	var words []*lanes.Value
	for i, x := range first.words {
		y := second.words[i]
		if size > 1 {
			x, y = l.b.Shuffle(x, place), l.b.Shuffle(y, place)
		}
		words = append(words, l.b.Add(lanes.OpSelect, x.Kind, isFirst, x, y))
	}
	l.define(in, words)
}

func (l *lowering) firstActive() *lanes.Value { return l.b.Add(lanes.OpCtz, lanes.I32, l.active()) }

func (l *lowering) lowerElect(in *spirv.Instruction) {
	l.define(in, []*lanes.Value{l.b.Add(lanes.OpEq, lanes.Bool, l.lane(), l.firstActive())})
}

func (l *lowering) lowerBroadcastFirst(in *spirv.Instruction) {
	l.lowerShuffle1(in, l.arg(in, 1), l.firstActive(), true)
}

// lowerAllEqual compares bits, as the interpreter does.
func (l *lowering) lowerAllEqual(in *spirv.Instruction) {
	v := l.spell(l.arg(in, 1))
	equal := l.f.Const(lanes.Bool, 1)
	for _, x := range v.words {
		if l.k.subgroup == 1 {
			break
		}
		bits := l.toWord(x)
		same := l.b.Add(lanes.OpEq, lanes.Bool, bits, l.b.Shuffle(bits, l.firstActive()))
		equal = l.b.Add(lanes.OpAnd, lanes.Bool, equal, same)
	}
	differ := l.ballot(l.not(equal))
	l.define(in, []*lanes.Value{l.b.Add(lanes.OpEq, lanes.Bool, differ, l.i32(0))})
}

// ballot is the bits of a boolean of the work-items that come here. The lanes
// are joined one by one, as the form has no such operation; its size is that of
// a sub-group, 32 at most.
func (l *lowering) ballot(v *lanes.Value) *lanes.Value {
	if l.k.subgroup == 1 {
		return l.b.Add(lanes.OpInt, lanes.I32, v)
	}
	bits := l.i32(0)
	one := l.b.Add(lanes.OpInt, lanes.I32, v)
	for n := range l.k.subgroup {
		bit := l.b.Add(lanes.OpShl, lanes.I32, l.b.FromLane(one, n), l.i32(int64(n)))
		bits = l.b.Add(lanes.OpOr, lanes.I32, bits, bit)
	}
	return l.b.Add(lanes.OpAnd, lanes.I32, bits, l.active())
}

// lowerBallot sets the first of four words: a sub-group has 32 work-items at most here.
func (l *lowering) lowerBallot(in *spirv.Instruction) {
	zero := l.i32(0)
	l.define(in, []*lanes.Value{l.ballot(l.arg(in, 1).words[0]), zero, zero, zero})
}

func (l *lowering) lowerInverseBallot(in *spirv.Instruction) {
	l.define(in, []*lanes.Value{l.bit(l.arg(in, 1).words[0], l.lane())})
}

func (l *lowering) lowerBallotExtract(in *spirv.Instruction) {
	v, n := l.arg(in, 1), l.arg(in, 2).words[0].Low()
	word := l.b.Add(lanes.OpAnd, lanes.I32, l.b.Add(lanes.OpLShr, lanes.I32, n, l.i32(5)), l.i32(3))
	bits := v.words[0]
	for i := int64(1); i < 4; i++ {
		is := l.b.Add(lanes.OpEq, lanes.Bool, word, l.i32(i))
		bits = l.b.Add(lanes.OpSelect, lanes.I32, is, v.words[i], bits)
	}
	l.define(in, []*lanes.Value{l.bit(bits, l.b.Add(lanes.OpAnd, lanes.I32, n, l.i32(31)))})
}

// lowerBallotCount counts all bits, those up to the own lane, or those below.
func (l *lowering) lowerBallotCount(in *spirv.Instruction) {
	v := l.arg(in, 2).words[0]
	all := l.i32(1<<l.k.subgroup - 1)
	below := l.b.Add(lanes.OpSub, lanes.I32, l.b.Add(lanes.OpShl, lanes.I32, l.i32(1), l.lane()), l.i32(1))
	switch in.Operands()[1] {
	case groupInclusiveScan:
		own := l.b.Add(lanes.OpShl, lanes.I32, l.i32(1), l.lane())
		all = l.b.Add(lanes.OpOr, lanes.I32, below, own)
	case groupExclusiveScan:
		all = below
	}
	n := l.b.Add(lanes.OpPopcnt, lanes.I32, l.b.Add(lanes.OpAnd, lanes.I32, v, all))
	l.define(in, []*lanes.Value{l.resized(n, scalarWord(l.typeOf(in.Type())))})
}

// lowerBallotFind finds the first or the last bit of those of the sub-group, which
// are in the first word: a sub-group has 32 work-items at most here, and is whole.
func (l *lowering) lowerBallotFind(in *spirv.Instruction) {
	x := l.b.Add(lanes.OpAnd, lanes.I32, l.arg(in, 1).words[0], l.i32(1<<l.k.subgroup-1))
	at, none := l.b.Add(lanes.OpCtz, lanes.I32, x), l.i32(128)
	if in.Op == spirv.OpGroupNonUniformBallotFindMSB {
		at, none = l.b.Add(lanes.OpSub, lanes.I32, l.i32(31), l.b.Add(lanes.OpClz, lanes.I32, x)), l.i32(-1)
	}
	result := l.b.Add(lanes.OpSelect, lanes.I32, l.b.Add(lanes.OpBool, lanes.Bool, x), at, none)
	w := scalarWord(l.typeOf(in.Type()))
	if w.lane == lanes.I64 {
		result = l.b.Add(lanes.OpSExt, lanes.I64, result)
	}
	l.define(in, []*lanes.Value{l.resized(result, w)})
}

// blockPlace is the pointer to component n of a work-item's block: the
// components n of all lanes are next to each other.
func (l *lowering) blockPlace(p lowered, size int64, n int) lowered {
	index := l.b.Add(lanes.OpAdd, lanes.I32, l.lane(), l.i32(int64(n*l.k.subgroup)))
	at := place{indexes: []scaled{{l.b.Add(lanes.OpZExt, lanes.I64, index), size}}}
	return l.plus(p, at, p.t)
}

func (l *lowering) lowerBlockRead(in *spirv.Instruction) {
	p, t := l.spell(l.arg(in, 0)), l.typeOf(in.Type())
	s := t.scalar()
	var words []*lanes.Value
	for i, w := range wordsOf(t) {
		words = append(words, l.loadWord(l.blockPlace(p, s.size, i), leaf{0, s.size, s.bits()}, w))
	}
	l.define(in, words)
}

func (l *lowering) lowerBlockWrite(in *spirv.Instruction) {
	p, v := l.spell(l.value(spirv.ID(in.Words[0]))), l.value(spirv.ID(in.Words[1]))
	s := v.t.scalar()
	for i, w := range wordsOf(v.t) {
		l.storeWord(l.blockPlace(p, s.size, i), leaf{0, s.size, s.bits()}, w, v.words[i])
	}
}
