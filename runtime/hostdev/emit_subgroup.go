package hostdev

import (
	"math/bits"

	"offlink/lazy"
	"offlink/spirv"
)

// The functions of sub-groups. A sub-group has as many work-items as the
// kernel requires (the execution mode SubgroupSize), or defaultSubgroup if it
// does not require a size and uses sub-groups.

// nonUniform maps the operations on the active work-items of a sub-group to the
// corresponding operations on a group.
var nonUniform = lazy.Map[spirv.Opcode, spirv.Opcode]{New: func() map[spirv.Opcode]spirv.Opcode {
	return map[spirv.Opcode]spirv.Opcode{
		spirv.OpGroupNonUniformIAdd:       spirv.OpGroupIAdd,
		spirv.OpGroupNonUniformFAdd:       spirv.OpGroupFAdd,
		spirv.OpGroupNonUniformIMul:       spirv.OpGroupIMulKHR,
		spirv.OpGroupNonUniformFMul:       spirv.OpGroupFMulKHR,
		spirv.OpGroupNonUniformSMin:       spirv.OpGroupSMin,
		spirv.OpGroupNonUniformUMin:       spirv.OpGroupUMin,
		spirv.OpGroupNonUniformFMin:       spirv.OpGroupFMin,
		spirv.OpGroupNonUniformSMax:       spirv.OpGroupSMax,
		spirv.OpGroupNonUniformUMax:       spirv.OpGroupUMax,
		spirv.OpGroupNonUniformFMax:       spirv.OpGroupFMax,
		spirv.OpGroupNonUniformBitwiseAnd: spirv.OpGroupBitwiseAndKHR,
		spirv.OpGroupNonUniformBitwiseOr:  spirv.OpGroupBitwiseOrKHR,
		spirv.OpGroupNonUniformBitwiseXor: spirv.OpGroupBitwiseXorKHR,
		spirv.OpGroupNonUniformLogicalAnd: spirv.OpGroupLogicalAndKHR,
		spirv.OpGroupNonUniformLogicalOr:  spirv.OpGroupLogicalOrKHR,
		spirv.OpGroupNonUniformLogicalXor: spirv.OpGroupLogicalXorKHR,
	}
}}

func registerSubgroupEmitters() {
	emitters.register(func() map[spirv.Opcode]func(*builder, *spirv.Instruction) {
		return map[spirv.Opcode]func(*builder, *spirv.Instruction){
			spirv.OpGroupNonUniformElect:          (*builder).emitElect,
			spirv.OpGroupNonUniformAllEqual:       (*builder).emitAllEqual,
			spirv.OpGroupNonUniformAll:            nonUniformVote(groupOps.Get()[spirv.OpGroupLogicalAndKHR]),
			spirv.OpGroupNonUniformAny:            nonUniformVote(groupOps.Get()[spirv.OpGroupLogicalOrKHR]),
			spirv.OpGroupNonUniformBroadcast:      nonUniformShuffle(func(_, n uint64) uint64 { return n }),
			spirv.OpGroupNonUniformShuffle:        nonUniformShuffle(func(_, n uint64) uint64 { return n }),
			spirv.OpGroupNonUniformShuffleXor:     nonUniformShuffle(func(own, n uint64) uint64 { return own ^ n }),
			spirv.OpGroupNonUniformShuffleUp:      nonUniformShuffle(func(own, n uint64) uint64 { return own - n }),
			spirv.OpGroupNonUniformShuffleDown:    nonUniformShuffle(func(own, n uint64) uint64 { return own + n }),
			spirv.OpGroupNonUniformRotateKHR:      (*builder).emitRotate,
			spirv.OpGroupNonUniformBroadcastFirst: (*builder).emitBroadcastFirst,
			spirv.OpGroupNonUniformBallot:         (*builder).emitBallot,
			spirv.OpGroupNonUniformInverseBallot:  (*builder).emitInverseBallot,

			spirv.OpSubgroupShuffleINTEL:     shuffleINTEL(func(_, n uint64) uint64 { return n }),
			spirv.OpSubgroupShuffleXorINTEL:  shuffleINTEL(func(own, n uint64) uint64 { return own ^ n }),
			spirv.OpSubgroupShuffleUpINTEL:   shufflePairINTEL(func(own, n, size uint64) uint64 { return own + size - n }),
			spirv.OpSubgroupShuffleDownINTEL: shufflePairINTEL(func(own, n, _ uint64) uint64 { return own + n }),
			spirv.OpSubgroupBlockReadINTEL:   (*builder).emitBlockRead,
			spirv.OpSubgroupBlockWriteINTEL:  (*builder).emitBlockWrite,
		}
	})
}

// subgroupOf numbers the sub-groups of a work-group, and the work-items of
// each.
func (it *item) subgroupOf() (group, lane int) {
	n := it.group.launch.k.subgroup
	return it.localIndex() / n, it.localIndex() % n
}

// subgroupSize is the number of work-items of the item's sub-group: the last
// sub-group may have fewer.
func (it *item) subgroupSize() int {
	l := it.group.launch
	group, _ := it.subgroupOf()
	return min(l.k.subgroup, groupSize(l.r.local)-group*l.k.subgroup)
}

// meetSubgroup emits an instruction that waits for the sub-group and then calls f with its
// work-items, or with those that arrive if partial is set. A barrier has no f.
func (b *builder) meetSubgroup(in inst, partial bool, f func(items []*item, in *inst) *Fault) {
	b.fn.subgroup = true
	in.subgroup, in.partial = true, partial
	in.meet = func(g *group, in *inst) *Fault {
		if f == nil {
			return nil
		}
		return f(g.items, in)
	}
	b.waitForGroup(in)
}

// subgroup refuses every scope but that of the sub-group.
func (b *builder) subgroup(in *spirv.Instruction) {
	b.require(b.constantScope(in.Operands()[0]) == scopeSubgroup, "the embedded device implements this for sub-groups alone")
}

func (b *builder) emitElect(in *spirv.Instruction) {
	b.subgroup(in)
	to := b.defineLanes(in, kindBool, 0)
	b.meetSubgroup(inst{dst: to.at}, true, func(items []*item, in *inst) *Fault {
		for i, it := range items {
			it.s[in.dst] = boolWord(i == 0)
		}
		return nil
	})
}

// emitAllEqual compares bits: zeros of different signs differ, and a NaN equals itself.
func (b *builder) emitAllEqual(in *spirv.Instruction) {
	b.subgroup(in)
	v, to := b.arg(in, 1), b.defineLanes(in, kindBool, 0)
	b.meetSubgroup(inst{dst: to.at, a: v.at, n: int32(v.t.words)}, true, func(items []*item, in *inst) *Fault {
		equal := true
		for _, it := range items {
			for i := range in.n {
				equal = equal && it.s[in.a+i] == items[0].s[in.a+i]
			}
		}
		for _, it := range items {
			it.s[in.dst] = boolWord(equal)
		}
		return nil
	})
}

// nonUniformVote is a reduction with and or or: both give the same in any order
// of work-items.
func nonUniformVote(op groupOp) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		b.subgroup(in)
		b.overGroup(in, op, groupReduce, b.arg(in, 1), true)
	}
}

// take copies each work-item's words from the work-item of a lane. A work-item
// whose lane does not exist keeps its own, since SPIR-V leaves the result
// undefined.
func take(items []*item, in *inst, lane func(it *item, own uint64) uint64) {
	byLane := map[uint64]*item{}
	for _, it := range items {
		_, own := it.subgroupOf()
		byLane[uint64(own)] = it
	}
	// All values are read before the first is written, as the result may have
	// the words of the operand.
	results := make([]uint64, 0, len(items)*int(in.n))
	for _, it := range items {
		_, own := it.subgroupOf()
		from := byLane[lane(it, uint64(own))]
		if from == nil {
			from = it
		}
		results = append(results, from.s[in.a:in.a+in.n]...)
	}
	for i, it := range items {
		copy(it.s[in.dst:in.dst+in.n], results[i*int(in.n):])
	}
}

// emitShuffleLanes gives each work-item the value of another one, whose lane is
// a function of its own lane and of an operand.
func (b *builder) emitShuffleLanes(in *spirv.Instruction, v, n value, partial bool, lane func(own, n uint64) uint64) {
	to := b.defineResult(in)
	b.requireSameWords(v.t, to.t)
	b.integerOperand(n)
	b.meetSubgroup(inst{dst: to.at, a: v.at, b: n.at, n: int32(v.t.words)}, partial, func(items []*item, in *inst) *Fault {
		// Lanes are numbers of 32 bits that wrap: a shuffle up from lane 0
		// names a lane that is not there.
		take(items, in, func(it *item, own uint64) uint64 { return uint64(uint32(lane(own, it.s[in.b]))) })
		return nil
	})
}

func nonUniformShuffle(lane func(own, n uint64) uint64) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		b.subgroup(in)
		b.emitShuffleLanes(in, b.arg(in, 1), b.arg(in, 2), true, lane)
	}
}

// emitRotate takes the value of the work-item that is so many lanes ahead in the cluster, or in
// the sub-group; after the last one comes the first.
func (b *builder) emitRotate(in *spirv.Instruction) {
	b.subgroup(in)
	v, n, to := b.arg(in, 1), b.integerOperand(b.arg(in, 2)), b.defineResult(in)
	b.requireSameWords(v.t, to.t)
	size := 0
	if len(in.Operands()) > 3 {
		size = b.clusterSize(in)
	}
	b.meetSubgroup(inst{dst: to.at, a: v.at, b: n.at, n: int32(v.t.words)}, true, func(items []*item, in *inst) *Fault {
		take(items, in, func(it *item, own uint64) uint64 {
			last := uint64(it.group.launch.k.subgroup - 1)
			if size > 0 {
				last = min(last, uint64(size-1))
			}
			return own&^last | (own+it.s[in.b])&last
		})
		return nil
	})
}

// clusterSize is the fourth operand of an instruction.
func (b *builder) clusterSize(in *spirv.Instruction) int {
	size, ok := b.p.clusterSize(in)
	b.require(ok, "the size of clusters is not a constant power of two")
	return size
}

// clusterSize reports whether there is a size of clusters that is a constant and a power of two.
func (p *program) clusterSize(in *spirv.Instruction) (size int, ok bool) {
	operands := in.Operands()
	if len(operands) < 4 {
		return 0, false
	}
	n, ok := p.constantInt(spirv.ID(operands[3]))
	return int(min(n, maxGroup)), ok && bits.OnesCount64(n) == 1
}

// clustersOf divides the work-items of a sub-group, some of which may be missing. Without a
// size they are one cluster.
func clustersOf(items []*item, size int) (clusters [][]*item) {
	if size == 0 {
		return [][]*item{items}
	}
	number := func(it *item) int { _, lane := it.subgroupOf(); return lane / size }
	for first := 0; first < len(items); {
		end := first + 1
		for end < len(items) && number(items[end]) == number(items[first]) {
			end++
		}
		clusters = append(clusters, items[first:end])
		first = end
	}
	return clusters
}

func shuffleINTEL(lane func(own, n uint64) uint64) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		b.emitShuffleLanes(in, b.arg(in, 0), b.arg(in, 1), false, lane)
	}
}

// shufflePairINTEL reads from the concatenation of two values of the sub-group
// (SPV_INTEL_subgroups).
func shufflePairINTEL(place func(own, n, size uint64) uint64) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		first, second, n, to := b.arg(in, 0), b.arg(in, 1), b.integerOperand(b.arg(in, 2)), b.defineResult(in)
		b.requireSameWords(first.t, second.t)
		b.requireSameWords(first.t, to.t)
		b.meetSubgroup(inst{dst: to.at, a: first.at, b: second.at, c: n.at, n: int32(to.t.words)}, false, func(items []*item, in *inst) *Fault {
			size := uint64(len(items))
			var results []uint64
			for own, it := range items {
				at := uint64(uint32(place(uint64(own), it.s[in.c], size)))
				from := in.a
				if at >= size {
					at, from = at-size, in.b
				}
				// A place beyond both values is undefined in the extension; it
				// must not be an index here.
				source := items[min(at, size-1)]
				results = append(results, source.s[from:from+in.n]...)
			}
			for i, it := range items {
				copy(it.s[in.dst:in.dst+in.n], results[i*int(in.n):])
			}
			return nil
		})
	}
}

func (b *builder) emitBroadcastFirst(in *spirv.Instruction) {
	b.subgroup(in)
	v, to := b.arg(in, 1), b.defineResult(in)
	b.requireSameWords(v.t, to.t)
	b.meetSubgroup(inst{dst: to.at, a: v.at, n: int32(v.t.words)}, true, func(items []*item, in *inst) *Fault {
		_, first := items[0].subgroupOf()
		take(items, in, func(*item, uint64) uint64 { return uint64(first) })
		return nil
	})
}

// emitBallot sets bit n of a vector of four words to the predicate of
// work-item n.
func (b *builder) emitBallot(in *spirv.Instruction) {
	b.subgroup(in)
	v, to := b.arg(in, 1), b.defineLanes(in, kindInt, 32)
	b.require(v.t.kind == kindBool && to.t.words == 4, "the operand is not a boolean")
	b.meetSubgroup(inst{dst: to.at, a: v.at}, true, func(items []*item, in *inst) *Fault {
		var ballot [4]uint64
		for _, it := range items {
			if _, lane := it.subgroupOf(); it.s[in.a] != 0 && lane < 128 {
				ballot[lane/32] |= 1 << (lane % 32)
			}
		}
		for _, it := range items {
			copy(it.s[in.dst:in.dst+4], ballot[:])
		}
		return nil
	})
}

func (b *builder) emitInverseBallot(in *spirv.Instruction) {
	b.subgroup(in)
	v, to := b.arg(in, 1), b.defineLanes(in, kindBool, 0)
	b.require(v.t.is(kindInt) && v.t.words == 4, "the operand is not a vector of four words")
	b.emit(inst{dst: to.at, a: v.at, step: func(it *item, in *inst) status {
		_, lane := it.subgroupOf()
		it.s[in.dst] = it.s[in.a+int32(lane/32&3)] >> (lane % 32) & 1
		return running
	}})
}

func nonUniformArithmetic(op groupOp) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		b.subgroup(in)
		b.overGroup(in, op, in.Operands()[1], b.arg(in, 2), true)
	}
}

// blockAccess returns the address of component n of a work-item's block: the
// components n of all lanes are next to each other.
func blockAccess(it *item, p uint64, size int64, n int32) pointer {
	_, lane := it.subgroupOf()
	return pointer(p + uint64(size)*uint64(lane+int(n)*it.subgroupSize()))
}

func (b *builder) emitBlockRead(in *spirv.Instruction) {
	p, to := b.pointerArg(b.arg(in, 0)), b.defineResult(in)
	size := to.t.scalar().size
	b.emit(inst{dst: to.at, a: p.at, n: int32(to.t.words), step: func(it *item, in *inst) status {
		for i := range in.n {
			at := blockAccess(it, it.s[in.a], size, i)
			data := it.bytesAt(at, size)
			if data == nil {
				return it.badAccess("load", at, size)
			}
			it.s[in.dst+i] = loadWord(data, size)
		}
		return running
	}})
}

func (b *builder) emitBlockWrite(in *spirv.Instruction) {
	p, v := b.pointerArg(b.value(spirv.ID(in.Words[0]))), b.value(spirv.ID(in.Words[1]))
	size := v.t.scalar().size
	b.emit(inst{a: p.at, b: v.at, n: int32(v.t.words), step: func(it *item, in *inst) status {
		for i := range in.n {
			at := blockAccess(it, it.s[in.a], size, i)
			data := it.writableBytes(at, size)
			if data == nil {
				return it.badStore(at, size)
			}
			storeWord(data, size, it.s[in.b+i])
		}
		return running
	}})
}

// The operations on a ballot ignore bits beyond the size of the sub-group (SPIR-V,
// OpGroupNonUniformBallotFindMSB): the complement of a ballot has them set.

func registerBallotEmitters() {
	emitters.register(func() map[spirv.Opcode]func(*builder, *spirv.Instruction) {
		return map[spirv.Opcode]func(*builder, *spirv.Instruction){
			spirv.OpGroupNonUniformBallotFindLSB: ballotBits(func(low, high uint64) int {
				if low != 0 {
					return bits.TrailingZeros64(low)
				}
				return 64 + bits.TrailingZeros64(high)
			}),
			spirv.OpGroupNonUniformBallotFindMSB: ballotBits(func(low, high uint64) int {
				if high != 0 {
					return 63 + bits.Len64(high)
				}
				return bits.Len64(low) - 1
			}),
			spirv.OpGroupNonUniformBallotBitCount:   (*builder).emitBallotCount,
			spirv.OpGroupNonUniformBallotBitExtract: (*builder).emitBallotExtract,
		}
	})
}

func (b *builder) emitBallotWords(v value) value {
	b.require(v.t.is(kindInt) && v.t.words == 4, "the operand is not a vector of four words")
	return v
}

// ballotBits compiles a search in a ballot. f gets the four words as two numbers, without
// the bits beyond the sub-group, and gives its answer for none as well.
func ballotBits(f func(low, high uint64) int) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		b.subgroup(in)
		v, to := b.emitBallotWords(b.arg(in, 1)), b.defineLanes(in, kindInt, 0)
		width := to.t.scalar().width
		b.emit(inst{dst: to.at, a: v.at, step: func(it *item, in *inst) status {
			w := it.s[in.a : in.a+4]
			low, high := w[0]|w[1]<<32, w[2]|w[3]<<32
			if n := it.subgroupSize(); n <= 64 {
				low, high = low&mask(n), 0
			} else if n < 128 {
				high &= mask(n - 64)
			}
			it.s[in.dst] = uint64(f(low, high)) & mask(width)
			return running
		}})
	}
}

// emitBallotCount counts all bits (Reduce), those up to the own lane
// (InclusiveScan), or those below it (ExclusiveScan).
func (b *builder) emitBallotCount(in *spirv.Instruction) {
	b.subgroup(in)
	what := in.Operands()[1]
	v, to := b.emitBallotWords(b.arg(in, 2)), b.defineLanes(in, kindInt, 0)
	b.require(what <= groupExclusiveScan, "the embedded device does not implement group operation %d", what)
	b.emit(inst{dst: to.at, a: v.at, step: func(it *item, in *inst) status {
		_, end := it.subgroupOf()
		switch what {
		case groupReduce:
			end = it.subgroupSize()
		case groupInclusiveScan:
			end++
		}
		count := 0
		for i := range min(end, 128) {
			count += int(it.s[in.a+int32(i/32)] >> (i % 32) & 1)
		}
		it.s[in.dst] = uint64(count)
		return running
	}})
}

func (b *builder) emitBallotExtract(in *spirv.Instruction) {
	b.subgroup(in)
	v, n, to := b.emitBallotWords(b.arg(in, 1)), b.integerOperand(b.arg(in, 2)), b.defineLanes(in, kindBool, 0)
	b.emit(inst{dst: to.at, a: v.at, b: n.at, step: func(it *item, in *inst) status {
		n := it.s[in.b] & 127
		it.s[in.dst] = it.s[in.a+int32(n/32)] >> (n % 32) & 1
		return running
	}})
}
