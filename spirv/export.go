package spirv

import (
	"fmt"
	"maps"
	"slices"
)

// WithExports returns a copy of the module that exports the functions and variables in names by
// those names, so that a host finds them in a built program. m is not changed; without names it is
// the result. It is an error if one of them has a linkage name already.
func (m *Module) WithExports(names map[ID]string) (*Module, error) {
	if len(names) == 0 {
		return m, nil
	}
	out := &Module{Version: m.Version, Generator: m.Generator, Bound: m.Bound, sections: m.sections, functions: m.functions}
	annotations := slices.Clone(m.sections[sectionAnnotation])
	for _, id := range slices.Sorted(maps.Keys(names)) {
		if old, ok := m.LinkageName(id); ok {
			return nil, fmt.Errorf("%%%d is linked as %s and cannot be exported as %s", id, old, names[id])
		}
		words := appendString([]uint32{uint32(id), uint32(DecorationLinkageAttributes)}, names[id])
		annotations = append(annotations, &Instruction{Op: OpDecorate, Words: append(words, uint32(LinkageExport))})
	}
	out.sections[sectionAnnotation] = annotations
	out.sections[sectionCapability] = withCapability(m.sections[sectionCapability], capabilityLinkage)
	return out, out.rebuildIndexes()
}

// withCapability returns the declarations of capabilities with that one among them. list is not
// changed: modules share it.
func withCapability(list []*Instruction, capability uint32) []*Instruction {
	for _, in := range list {
		if in.Words[0] == capability {
			return list
		}
	}
	return append(slices.Clone(list), &Instruction{Op: OpCapability, Words: []uint32{capability}})
}
