package hostdev

import (
	"offlink/lazy"
	"offlink/spirv"
)

// The scalar operations that are common in inner loops have steps of their own,
// which saves the call of the operation's function.

// binaryKey names a step: an operation on one component of that many bits.
type binaryKey struct {
	op    spirv.Opcode
	width int
}

// fastSteps holds to the rule of all steps that a slot has the bits of its value
// and zeros above them. So numbers of 32 bits are cut after an operation, and equal
// ones have equal slots. The comparisons of floats are Go's, which are false for a
// NaN as those of OpFOrd are; the unordered ones are seldom in loops.
var fastSteps = lazy.Map[binaryKey, func(*item, *inst) status]{New: func() map[binaryKey]func(*item, *inst) status {
	return map[binaryKey]func(*item, *inst) status{
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
		{spirv.OpFAdd, 64}: func(it *item, in *inst) status {
			s := it.s
			s[in.dst] = bits64(float64of(s[in.a]) + float64of(s[in.b]))
			return running
		},
		{spirv.OpFSub, 32}: func(it *item, in *inst) status {
			s := it.s
			s[in.dst] = bits32(float32of(s[in.a]) - float32of(s[in.b]))
			return running
		},
		{spirv.OpFSub, 64}: func(it *item, in *inst) status {
			s := it.s
			s[in.dst] = bits64(float64of(s[in.a]) - float64of(s[in.b]))
			return running
		},
		{spirv.OpFMul, 32}: func(it *item, in *inst) status {
			s := it.s
			s[in.dst] = bits32(float32of(s[in.a]) * float32of(s[in.b]))
			return running
		},
		{spirv.OpFMul, 64}: func(it *item, in *inst) status {
			s := it.s
			s[in.dst] = bits64(float64of(s[in.a]) * float64of(s[in.b]))
			return running
		},
		{spirv.OpIEqual, 32}: func(it *item, in *inst) status {
			s := it.s
			s[in.dst] = boolWord(s[in.a] == s[in.b])
			return running
		},
		{spirv.OpIEqual, 64}: func(it *item, in *inst) status {
			s := it.s
			s[in.dst] = boolWord(s[in.a] == s[in.b])
			return running
		},
		{spirv.OpINotEqual, 32}: func(it *item, in *inst) status {
			s := it.s
			s[in.dst] = boolWord(s[in.a] != s[in.b])
			return running
		},
		{spirv.OpINotEqual, 64}: func(it *item, in *inst) status {
			s := it.s
			s[in.dst] = boolWord(s[in.a] != s[in.b])
			return running
		},
		{spirv.OpULessThan, 32}: func(it *item, in *inst) status {
			s := it.s
			s[in.dst] = boolWord(s[in.a] < s[in.b])
			return running
		},
		{spirv.OpULessThan, 64}: func(it *item, in *inst) status {
			s := it.s
			s[in.dst] = boolWord(s[in.a] < s[in.b])
			return running
		},
		{spirv.OpUGreaterThan, 32}: func(it *item, in *inst) status {
			s := it.s
			s[in.dst] = boolWord(s[in.a] > s[in.b])
			return running
		},
		{spirv.OpUGreaterThan, 64}: func(it *item, in *inst) status {
			s := it.s
			s[in.dst] = boolWord(s[in.a] > s[in.b])
			return running
		},
		{spirv.OpSLessThan, 32}: func(it *item, in *inst) status {
			s := it.s
			s[in.dst] = boolWord(int32(s[in.a]) < int32(s[in.b]))
			return running
		},
		{spirv.OpSLessThan, 64}: func(it *item, in *inst) status {
			s := it.s
			s[in.dst] = boolWord(int64(s[in.a]) < int64(s[in.b]))
			return running
		},
		{spirv.OpSGreaterThan, 32}: func(it *item, in *inst) status {
			s := it.s
			s[in.dst] = boolWord(int32(s[in.a]) > int32(s[in.b]))
			return running
		},
		{spirv.OpSGreaterThan, 64}: func(it *item, in *inst) status {
			s := it.s
			s[in.dst] = boolWord(int64(s[in.a]) > int64(s[in.b]))
			return running
		},
		{spirv.OpFOrdLessThan, 32}: func(it *item, in *inst) status {
			s := it.s
			s[in.dst] = boolWord(float32of(s[in.a]) < float32of(s[in.b]))
			return running
		},
		{spirv.OpFOrdLessThan, 64}: func(it *item, in *inst) status {
			s := it.s
			s[in.dst] = boolWord(float64of(s[in.a]) < float64of(s[in.b]))
			return running
		},
		{spirv.OpFOrdGreaterThan, 32}: func(it *item, in *inst) status {
			s := it.s
			s[in.dst] = boolWord(float32of(s[in.a]) > float32of(s[in.b]))
			return running
		},
		{spirv.OpFOrdGreaterThan, 64}: func(it *item, in *inst) status {
			s := it.s
			s[in.dst] = boolWord(float64of(s[in.a]) > float64of(s[in.b]))
			return running
		},
		{spirv.OpFOrdLessThanEqual, 32}: func(it *item, in *inst) status {
			s := it.s
			s[in.dst] = boolWord(float32of(s[in.a]) <= float32of(s[in.b]))
			return running
		},
		{spirv.OpFOrdLessThanEqual, 64}: func(it *item, in *inst) status {
			s := it.s
			s[in.dst] = boolWord(float64of(s[in.a]) <= float64of(s[in.b]))
			return running
		},
		{spirv.OpFOrdGreaterThanEqual, 32}: func(it *item, in *inst) status {
			s := it.s
			s[in.dst] = boolWord(float32of(s[in.a]) >= float32of(s[in.b]))
			return running
		},
		{spirv.OpFOrdGreaterThanEqual, 64}: func(it *item, in *inst) status {
			s := it.s
			s[in.dst] = boolWord(float64of(s[in.a]) >= float64of(s[in.b]))
			return running
		},
	}
}}
