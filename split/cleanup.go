package split

import (
	"slices"
	"strings"

	"offlink/ir"
)

// splitStatus is the list in which the splitter says what an image holds: its
// [Part]. The reference's own passes read it.
const splitStatus = "sycl-esimd-split-status"

// namedFilter is a list of named metadata with entries that name global
// values, as !spirv.ExecutionMode has: where a value is gone its entries go.
type namedFilter struct {
	name   string
	always []int // entries that name no global value
	needs  []int // for each entry, how many values it names
	naming map[ir.ValueID][]int
}

// findNamed looks through the named metadata.
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
			if f := newNamedFilter(g.Module, list); len(f.naming) > 0 || f.drops() {
				g.named = append(g.named, f)
			}
		}
	}
	return nil
}

// executionModes lists what kernels ask of a device: entries of a kernel and
// what it asks for. One whose kernel is gone says nothing, and nor does a list
// without entries, which goes too.
const executionModes = "spirv.ExecutionMode"

// drops reports whether every slice drops entries of the list.
func (f *namedFilter) drops() bool { return f.name == executionModes && len(f.needs) > 0 }

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

// namedValues returns the global values that a node itself names, each once.
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

// keep returns the entries that a slice keeps, in order.
func (f *namedFilter) keep(s *Slice) []int {
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

// filterNamed takes the entries of dropped values out of the named metadata,
// and adds what the splitter says of the image.
func (x *Extractor) filterNamed(s *Slice) {
	for i := range x.graph.named {
		f := &x.graph.named[i]
		switch kept := f.keep(s); {
		case len(kept) == 0 && f.drops():
			s.Removed = append(s.Removed, f.name)
		case len(kept) < len(f.needs):
			s.Named = append(s.Named, ir.NamedEdit{Name: f.name, Keep: kept})
		}
	}
	if r := x.graph.registered; r != nil {
		s.Named = append(s.Named, r.edit(s))
	}
	if !x.graph.options.Single {
		status := ir.Operand{Kind: ir.OperandInt, Int: int64(s.Part()), Bits: 8}
		s.Named = append(s.Named, ir.NamedEdit{Name: splitStatus, New: []ir.NewNode{{Operands: []ir.Operand{status}}}})
	}
	if x.graph.options.Annotated && !x.graph.saysLanguage() {
		s.Named = append(s.Named, ir.NamedEdit{Name: openclVersion, New: []ir.NewNode{{Operands: openclC3}}})
	}
}

// openclVersion is where clang says that a module was written in OpenCL C, and
// spirvSource where DPC++ says in what. A translator to SPIR-V knows the
// work-item functions (_Z13get_global_idj) as such only if one of them is
// there; device code in plain C or C++ has neither.
const (
	openclVersion = "opencl.ocl.version"
	spirvSource   = "spirv.Source"
)

// openclC3 is OpenCL C 3.0.
var openclC3 = []ir.Operand{{Kind: ir.OperandInt, Int: 3, Bits: 32}, {Kind: ir.OperandInt, Int: 0, Bits: 32}}

// saysLanguage tells whether the module is not for SPIR-V, or says what it was
// written in.
func (g *Graph) saysLanguage() bool {
	return !strings.HasPrefix(g.Module.Triple, "spir") ||
		g.Module.Named(openclVersion) != nil || g.Module.Named(spirvSource) != nil
}
