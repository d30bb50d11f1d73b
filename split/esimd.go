package split

import (
	"fmt"

	"offlink/ir"
	"offlink/ir/sycl"
)

// ESIMD functions carry !sycl_explicit_simd. Device compilers vectorize other
// code but not theirs, so that toolchains put the two into separate images.

// checkSIMD refuses to separate ESIMD code from code that calls it by
// invoke_simd: the call needs both in one image.
func (g *Graph) checkSIMD() error {
	if !g.options.SeparateESIMD {
		return nil
	}
	for i := range g.Module.Values {
		if v := &g.Module.Values[i]; v.Kind == ir.Function && sycl.IsInvokeSIMD(v.Name) {
			return fmt.Errorf("'invoke_simd' calls detected (@%s), '-split-esimd' must not be specified", v.Name)
		}
	}
	return nil
}

// partOf returns the part that the entry points of a group belong to.
func (g *Graph) partOf(entries []ir.ValueID) Part {
	esimd := 0
	for _, id := range entries {
		if g.flags[id]&flagESIMD != 0 {
			esimd++
		}
	}
	switch {
	case esimd == 0:
		return PartSYCL
	case esimd == len(entries):
		return PartESIMD
	}
	return PartBoth
}

// separateESIMD sets the part of each group. With the option, a group that has both parts is split,
// and the ESIMD part comes first.
func (g *Graph) separateESIMD(groups []Group) []Group {
	var out []Group
	for _, group := range groups {
		group.Part = g.partOf(group.Entries)
		if group.Part != PartBoth || !g.options.SeparateESIMD {
			out = append(out, group)
			continue
		}
		esimd, rest := group, group
		esimd.Part, rest.Part = PartESIMD, PartSYCL
		esimd.Entries, rest.Entries = nil, nil
		esimd.bothParts, rest.bothParts = group.Entries, group.Entries
		for _, id := range group.Entries {
			if g.flags[id]&flagESIMD != 0 {
				esimd.Entries = append(esimd.Entries, id)
			} else {
				rest.Entries = append(rest.Entries, id)
			}
		}
		out = append(out, esimd, rest)
	}
	return out
}

// Part returns the part that the image holds. Entry points that are not ESIMD
// code may still call ESIMD functions, so that a group of them can be PartBoth.
func (s *Partition) Part() Part {
	if s.Group.Part != PartSYCL || s.Group.bothParts != nil {
		return s.Group.Part
	}
	for _, id := range s.Definitions {
		if s.Graph.flags[id]&flagESIMD != 0 {
			return PartBoth
		}
	}
	return PartSYCL
}
