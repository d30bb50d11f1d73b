package hostdev

import "offlink/spirv"

// The operations on scalars that inner loops are made of have steps of their
// own, which saves a call.

type binaryKey struct {
	op    spirv.Opcode
	width int
}

func fastBinary(op spirv.Opcode, width int) func(*item, *inst) status {
	return fastSteps[binaryKey{op, width}]
}

var fastSteps = map[binaryKey]func(*item, *inst) status{
	{spirv.OpIAdd, 32}: func(it *item, in *inst) status {
		s := it.s
		s[in.dst] = uint64(uint32(s[in.a] + s[in.b]))
		return running
	},
	{spirv.OpIAdd, 64}: func(it *item, in *inst) status {
		s := it.s
		s[in.dst] = s[in.a] + s[in.b]
		return running
	},
	{spirv.OpISub, 32}: func(it *item, in *inst) status {
		s := it.s
		s[in.dst] = uint64(uint32(s[in.a] - s[in.b]))
		return running
	},
	{spirv.OpISub, 64}: func(it *item, in *inst) status {
		s := it.s
		s[in.dst] = s[in.a] - s[in.b]
		return running
	},
	{spirv.OpIMul, 32}: func(it *item, in *inst) status {
		s := it.s
		s[in.dst] = uint64(uint32(s[in.a] * s[in.b]))
		return running
	},
	{spirv.OpIMul, 64}: func(it *item, in *inst) status {
		s := it.s
		s[in.dst] = s[in.a] * s[in.b]
		return running
	},
	{spirv.OpFAdd, 32}: func(it *item, in *inst) status {
		s := it.s
		s[in.dst] = bits32(float32of(s[in.a]) + float32of(s[in.b]))
		return running
	},
	{spirv.OpFSub, 32}: func(it *item, in *inst) status {
		s := it.s
		s[in.dst] = bits32(float32of(s[in.a]) - float32of(s[in.b]))
		return running
	},
	{spirv.OpFMul, 32}: func(it *item, in *inst) status {
		s := it.s
		s[in.dst] = bits32(float32of(s[in.a]) * float32of(s[in.b]))
		return running
	},
	{spirv.OpFAdd, 64}: func(it *item, in *inst) status {
		s := it.s
		s[in.dst] = bits64(float64of(s[in.a]) + float64of(s[in.b]))
		return running
	},
	{spirv.OpFSub, 64}: func(it *item, in *inst) status {
		s := it.s
		s[in.dst] = bits64(float64of(s[in.a]) - float64of(s[in.b]))
		return running
	},
	{spirv.OpFMul, 64}: func(it *item, in *inst) status {
		s := it.s
		s[in.dst] = bits64(float64of(s[in.a]) * float64of(s[in.b]))
		return running
	},
}
