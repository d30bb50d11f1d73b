package split

import (
	"slices"

	"offlink/ir"
	"offlink/ir/sycl"
)

// Symbols returns the names of the image's entry points, in module order:
// its symbol file.
func (s *Partition) Symbols() []string {
	names := make([]string, len(s.Group.Entries))
	for i, id := range s.Group.Entries {
		names[i] = s.Module.Values[id].Name
	}
	return names
}

// Exports returns the functions that other images can import: external
// entry points other than kernels and virtual functions.
func (s *Partition) Exports() []ir.ValueID {
	var exports []ir.ValueID
	for _, id := range s.Group.Entries {
		if s.Graph.flags[id]&(flagKernel|flagVirtual) == 0 && !s.Module.Values[id].IsLocal() {
			exports = append(exports, id)
		}
	}
	return exports
}

// Imports returns the functions that the image imports from others, in module
// order. Without dependencies these are the bfloat16 device library's only.
func (s *Partition) Imports() []ir.ValueID {
	var imports []ir.ValueID
	for _, id := range s.Declarations {
		v := &s.Module.Values[id]
		if v.Kind == ir.Function && (s.Graph.flags[id]&flagImportable != 0 || sycl.IsBFloat16Library(v.Name)) {
			imports = append(imports, id)
		}
	}
	return imports
}

// Undefined returns the functions that the image needs and that no image
// defines, for an image that depends on no other. Functions with reserved names
// are left out; see [Partition.Missing]. A module that is not split may still be
// linked with others and has none.
func (s *Partition) Undefined() []ir.ValueID {
	if s.Group.Whole || s.Graph.options.Dependencies != DependenciesNone {
		return nil
	}
	var undefined []ir.ValueID
	for _, id := range s.Declarations {
		v := &s.Module.Values[id]
		if v.Kind == ir.Function && !sycl.IsReservedName(v.Name) {
			undefined = append(undefined, id)
		}
	}
	return undefined
}

// Has reports whether the image has the value, defined or declared.
func (s *Partition) Has(id ir.ValueID) bool {
	_, declared := slices.BinarySearch(s.Declarations, id)
	return declared || s.Defines(id)
}

// Defines reports whether the image has the definition of the value.
func (s *Partition) Defines(id ir.ValueID) bool {
	_, defined := slices.BinarySearch(s.Definitions, id)
	return defined
}
