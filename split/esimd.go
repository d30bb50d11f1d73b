package split

import (
	"fmt"

	"offlink/ir"
	"offlink/ir/sycl"
)

// ESIMD functions carry !sycl_explicit_simd. Their code is compiled in
// another way than the rest, so that a toolchain wants it apart.

// checkSIMD refuses to separate what invoke_simd ties together.
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

// part says which parts the entry points of a group belong to.
func (g *Graph) part(entries []ir.ValueID) Part {
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

// separateESIMD sets the part of each group, and makes two of a group that
// has both where that is wanted; the ESIMD part comes first.
func (g *Graph) separateESIMD(groups []Group) []Group {
	var out []Group
	for _, group := range groups {
		group.Part = g.part(group.Entries)
		if group.Part != PartBoth || !g.options.SeparateESIMD {
			out = append(out, group)
			continue
		}
		esimd, rest := group, group
		esimd.Part, rest.Part = PartESIMD, PartSYCL
		esimd.Entries, rest.Entries = nil, nil
		esimd.together, rest.together = group.Entries, group.Entries
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

// Part says what the image holds: where its entry points are no ESIMD code,
// functions that they call may be.
func (s *Slice) Part() Part {
	if s.Group.Part != PartSYCL || s.Group.together != nil {
		return s.Group.Part
	}
	for _, id := range s.Definitions {
		if s.Graph.flags[id]&flagESIMD != 0 {
			return PartBoth
		}
	}
	return PartSYCL
}
