package hostdev

import "offlink/spirv"

// The functions of sub-groups, which have one work-item each.

// nonUniform are the operations on the active work-items of a sub-group, and
// the operation on a group that does the same.
var nonUniform = map[spirv.Opcode]spirv.Opcode{
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

func init() {
	register(map[spirv.Opcode]func(*builder, *spirv.Instruction){
		spirv.OpGroupNonUniformElect:          (*builder).emitTrueAlone,
		spirv.OpGroupNonUniformAllEqual:       (*builder).emitTrueAlone,
		spirv.OpGroupNonUniformAll:            ownValue(1),
		spirv.OpGroupNonUniformAny:            ownValue(1),
		spirv.OpGroupNonUniformBroadcast:      ownValue(1),
		spirv.OpGroupNonUniformBroadcastFirst: ownValue(1),
		spirv.OpGroupNonUniformShuffle:        ownValue(1),
		spirv.OpGroupNonUniformShuffleXor:     ownValue(1),
		spirv.OpGroupNonUniformBallot:         (*builder).emitBallot,
		spirv.OpSubgroupShuffleINTEL:          ownValue(0),
		spirv.OpSubgroupShuffleXorINTEL:       ownValue(0),
	})
}

// subgroup refuses other scopes than one work-item.
func (b *builder) subgroup(in *spirv.Instruction) {
	b.want(b.scope(in.Operands()[0]) != scopeWorkgroup, "the embedded device does not implement the scope of work-groups here")
}

func (b *builder) emitTrueAlone(in *spirv.Instruction) {
	b.subgroup(in)
	to := b.numbers(in, kindBool, 0)
	b.copyWords(to.at, value{b.constant([]uint64{1}), to.t})
}

// ownValue is the operand of the only work-item.
func ownValue(operand int) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		if operand > 0 {
			b.subgroup(in)
		}
		v, t := b.arg(in, operand), b.result(in)
		b.same(v.t, t)
		b.alias(in, value{v.at, t})
	}
}

func (b *builder) emitBallot(in *spirv.Instruction) {
	b.subgroup(in)
	v, to := b.arg(in, 1), b.numbers(in, kindInt, 0)
	b.want(v.t.kind == kindBool && to.t.kind == kindVector, "the operand is no boolean")
	b.copyWords(to.at, value{b.constant(make([]uint64, to.t.words)), to.t})
	b.copyWords(to.at, v)
}

func nonUniformArithmetic(op groupOp) func(*builder, *spirv.Instruction) {
	return func(b *builder, in *spirv.Instruction) {
		b.subgroup(in)
		b.overGroup(in, op, in.Operands()[1], b.arg(in, 2))
	}
}
