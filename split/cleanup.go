package split

import (
	"slices"
	"strings"

	"offlink/ir"
)

// splitStatus is the list in which the splitter records the [Part] of an image.
// The reference's own passes read it.
const splitStatus = "sycl-esimd-split-status"

// namedFilter is a list of named metadata whose entries refer to global values, such as
// !spirv.ExecutionMode. An image without the value drops its entries, as they would bring the value
// back as a declaration. An entry is kept once the partition has as many values as it needs.
type namedFilter struct {
	name   string
	always []int // entries that refer to no global value
	needs  []int // for each entry, the number of values that it refers to
	naming map[ir.ValueID][]int
}

// findNamed finds the named metadata whose entries refer to global values.
func (g *Graph) findNamed() error {
	for i := range g.Module.NamedMetadata {
		list := &g.Module.NamedMetadata[i]
		switch list.Name {
		case registeredList:
			var err error
			if g.registered, err = newRegisteredKernels(g.Module, list); err != nil {
				return err
			}
		case splitStatus, "llvm.module.flags":
		default:
			if f := newNamedFilter(g.Module, list); len(f.naming) > 0 || f.dropsEmpty() {
				g.named = append(g.named, f)
			}
		}
	}
	return nil
}

// executionModes lists execution modes, each a kernel and its mode. An entry
// whose kernel is not in the image has no meaning, and neither has an empty
// list, so that both are dropped.
const executionModes = "spirv.ExecutionMode"

// dropsEmpty reports whether partitions without an entry of the list drop it.
func (f *namedFilter) dropsEmpty() bool { return f.name == executionModes && len(f.needs) > 0 }

func newNamedFilter(m *ir.Module, list *ir.NamedMetadata) namedFilter {
	f := namedFilter{name: list.Name, needs: make([]int, len(list.Operands)), naming: make(map[ir.ValueID][]int)}
	for i, o := range list.Operands {
		for _, id := range namedValues(m, o) {
			f.needs[i]++
			f.naming[id] = append(f.naming[id], i)
		}
		if f.needs[i] == 0 && list.Name != executionModes {
			f.always = append(f.always, i)
		}
	}
	return f
}

// namedValues returns the global values that a node itself refers to, each once.
func namedValues(m *ir.Module, o ir.Operand) []ir.ValueID {
	var values []ir.ValueID
	if o.Kind == ir.OperandNode {
		for _, ref := range m.Nodes.Refs(o.Node) {
			if ref.Kind() == ir.RefAddress {
				values = append(values, ir.ValueID(ref.Index()))
			}
		}
	}
	for _, e := range o.Elements {
		if e.Kind == ir.OperandValue {
			values = append(values, e.Value)
		}
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// keptEntries returns the entries that a partition keeps, in order.
func (f *namedFilter) keptEntries(s *Partition) []int {
	kept := slices.Clone(f.always)
	hits := make(map[int]int)
	for _, ids := range [][]ir.ValueID{s.Definitions, s.Declarations} {
		for _, id := range ids {
			for _, entry := range f.naming[id] {
				if hits[entry]++; hits[entry] == f.needs[entry] {
					kept = append(kept, entry)
				}
			}
		}
	}
	slices.Sort(kept)
	return kept
}

// filterNamed drops the entries of dropped values from the named metadata, and
// adds the lists that the splitter writes.
func (x *Extractor) filterNamed(s *Partition) {
	for i := range x.graph.named {
		f := &x.graph.named[i]
		switch kept := f.keptEntries(s); {
		case len(kept) == 0 && f.dropsEmpty():
			s.Removed = append(s.Removed, f.name)
		case len(kept) < len(f.needs):
			s.Named = append(s.Named, ir.NamedEdit{Name: f.name, Keep: kept})
		}
	}
	if r := x.graph.registered; r != nil {
		s.Named = append(s.Named, r.listEdit(s))
	}
	if !x.graph.options.Single {
		status := ir.Operand{Kind: ir.OperandInt, Int: int64(s.Part()), Bits: 8}
		s.Named = append(s.Named, ir.NamedEdit{Name: splitStatus, New: []ir.NewNode{{Operands: []ir.Operand{status}}}})
	}
	if x.graph.options.Annotated && !x.graph.hasLanguage() {
		s.Named = append(s.Named, ir.NamedEdit{Name: openclVersion, New: []ir.NewNode{{Operands: openclC3}}})
	}
}

// openclVersion is the list by which clang marks a module as OpenCL C, and
// spirvSource that by which DPC++ names the source language. A translator to
// SPIR-V recognizes the work-item functions (_Z13get_global_idj) only if one of
// the two is there; device code in plain C or C++ has neither.
const (
	openclVersion = "opencl.ocl.version"
	spirvSource   = "spirv.Source"
)

// openclC3 is OpenCL C 3.0.
var openclC3 = []ir.Operand{{Kind: ir.OperandInt, Int: 3, Bits: 32}, {Kind: ir.OperandInt, Int: 0, Bits: 32}}

// hasLanguage reports whether the module names its source language, or needs
// none because it is not for SPIR-V.
func (g *Graph) hasLanguage() bool {
	return !strings.HasPrefix(g.Module.Triple, "spir") ||
		g.Module.Named(openclVersion) != nil || g.Module.Named(spirvSource) != nil
}
