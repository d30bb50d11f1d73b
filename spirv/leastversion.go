package spirv

import "offlink/lazy"

// versionAddition is a range of opcodes, or of values of an enumeration, that a version after 1.0
// added.
type versionAddition struct {
	first, last uint32
	version     Version
}

// opcodeAdditions are the instructions of 1.1 to 1.3 (SPIR-V specification, "Changes
// from Version 1.x").
var opcodeAdditions = []versionAddition{
	{uint32(OpSizeOf), uint32(OpModuleProcessed), Version1_1},
	{uint32(OpExecutionModeId), uint32(OpDecorateId), Version1_2},
	{uint32(OpGroupNonUniformElect), uint32(OpGroupNonUniformQuadSwap), Version1_3},
}

// operandAdditions are the values of enumerations of 1.1 to 1.3 that kernels may have.
var operandAdditions = lazy.Map[operandKind, []versionAddition]{New: func() map[operandKind][]versionAddition {
	return map[operandKind][]versionAddition{
		kindExecutionMode:  {{33, 36, Version1_1}, {37, 39, Version1_2}}, // Initializer .. SubgroupsPerWorkgroup, the modes with identifiers
		kindDecoration:     {{45, 45, Version1_1}, {46, 47, Version1_2}}, // MaxByteOffset, AlignmentId, MaxByteOffsetId
		kindBuiltIn:        {{4416, 4420, Version1_3}},                   // the masks of sub-groups
		kindGroupOperation: {{3, 3, Version1_3}},                         // ClusteredReduce
		kindCapability:     {{58, 60, Version1_1}, {61, 68, Version1_3}}, // SubgroupDispatch .. PipeStorage, GroupNonUniform...
	}
}}

// loopControlAdditions are the bits of loop controls that 1.1 brought:
// DependencyInfinite and DependencyLength.
const loopControlAdditions = 0xC

// LeastVersion returns the oldest version that has everything that the module uses. From 1.0 to
// 1.3 versions only added to the rules for kernels, so the module is valid in every version from
// that one to 1.3. The result for a newer module is its own version, since 1.4 changed the rules
// for entry points.
func (m *Module) LeastVersion() Version {
	if m.Version > Version1_3 {
		return m.Version
	}
	least := Version1_0
	var refs []operandRef
	for in := range m.Instructions() {
		least = max(least, additionOf(opcodeAdditions, uint32(in.Op)))
		found, err := m.operands(in, refs[:0])
		if err != nil {
			continue // an instruction of an extension, which has no version
		}
		refs = found
		for _, r := range refs {
			word := in.Words[r.at]
			least = max(least, additionOf(operandAdditions.Get()[r.kind], word))
			if r.kind == kindLoopControl && word&loopControlAdditions != 0 {
				least = max(least, Version1_1)
			}
		}
	}
	return least
}

// additionOf returns the version that added a number, which is 1.0 for those that are not listed.
func additionOf(list []versionAddition, number uint32) Version {
	for _, a := range list {
		if number >= a.first && number <= a.last {
			return a.version
		}
	}
	return Version1_0
}

// WithVersion returns a copy of the module whose header has that version, which is at
// least [Module.LeastVersion]. m is not changed.
func (m *Module) WithVersion(v Version) *Module {
	out := *m
	out.Version = v
	return &out
}
