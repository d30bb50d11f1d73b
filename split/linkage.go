package split

import (
	"offlink/ir"
	"offlink/ir/sycl"
)

// internalizeSymbols makes every function of the partition local that nothing outside its
// image refers to: all but the entry points of the image, functions that are
// called indirectly, and members of a comdat that stays visible. Devices can
// then inline and drop them, and images with copies of one function can be
// linked. Virtual functions become external. Variables and aliases keep their
// linkage.
func (x *Extractor) internalizeSymbols(s *Partition) {
	uses := comdatUses(x.graph.Module, s.Definitions, x.keepsLinkage)
	for _, id := range s.Definitions {
		v := &x.graph.Module.Values[id]
		if x.graph.isVirtual(id) && (x.virtuals || x.isEntry(id)) {
			x.externalizeSymbol(s, id)
			continue
		}
		if v.Kind != ir.Function || v.IsLocal() || v.Linkage == ir.AvailableExternally || x.keepsLinkage(id) {
			continue
		}
		if v.Comdat != ir.NoComdat && uses[v.Comdat].visible {
			continue
		}
		e := s.Edit(id)
		e.Linkage, e.SetLinkage = ir.Internal, true
		if v.Comdat != ir.NoComdat {
			x.leaveComdat(s, e, v.Comdat, uses[v.Comdat])
		}
	}
}

// externalizeSymbol gives a virtual function external linkage. Images that use the function import
// it from this one, and drivers do not accept a LinkOnceODR function of SPIR-V as the definition of
// an import.
func (x *Extractor) externalizeSymbol(s *Partition, id ir.ValueID) {
	if x.graph.Module.Values[id].Linkage == ir.External {
		return
	}
	e := s.Edit(id)
	e.Linkage, e.SetLinkage = ir.External, true
}

// leaveComdat takes a function that became local out of its comdat. A comdat
// with other members still ties them together, but must no longer merge with
// comdats of that name elsewhere: those may lack the local function.
func (x *Extractor) leaveComdat(s *Partition, e *ir.Edit, c ir.ComdatID, use comdatUse) {
	if use.members == 1 {
		e.DropComdat = true
		return
	}
	if s.Selections == nil {
		s.Selections = make(map[ir.ComdatID]string)
	}
	s.Selections[c] = "nodeduplicate"
}

// keepsLinkage reports whether a definition of the partition keeps its linkage.
func (x *Extractor) keepsLinkage(id ir.ValueID) bool {
	return x.graph.Module.Values[id].Kind != ir.Function ||
		x.isEntry(id) || x.graph.flags[id]&flagPreserved != 0
}

// markEntries gives the entry points of an image, and only them, the attribute for entry points.
// The reference does it only if images do not depend on each other.
func (x *Extractor) markEntries(s *Partition) {
	if x.graph.options.Dependencies != DependenciesNone {
		return
	}
	for _, id := range s.Definitions {
		if x.graph.Module.Values[id].Kind != ir.Function {
			continue
		}
		has := x.graph.attributes.hasAttribute(&x.graph.Module.Values[id], keyEntryPoint)
		switch entry := x.isEntry(id); {
		case entry && !has:
			e := s.Edit(id)
			e.Add = append(e.Add, ir.Attribute{Key: sycl.AttributeEntryPoint})
		case has && !entry:
			e := s.Edit(id)
			e.Remove = append(e.Remove, sycl.AttributeEntryPoint)
		}
	}
}
