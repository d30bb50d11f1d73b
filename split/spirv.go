package split

import (
	"slices"

	"offlink/ir"
)

// ForSPIRV returns the partition without the parts that have no counterpart in
// SPIR-V: the lists of values that compilers and linkers must keep, which a
// translator would make variables that every image exports; and annotations
// whose strings are in address space 0, where stock clang puts them and SPIR-V
// allows no variable. With dropAnnotations annotations go in any case.
func (s *Partition) ForSPIRV(dropAnnotations bool) *ir.Partition {
	kept := s.Partition
	kept.Definitions = slices.DeleteFunc(slices.Clone(kept.Definitions), func(id ir.ValueID) bool {
		name := kept.Module.Values[id].Name
		return name == usedList || name == compilerUsedList
	})
	list, ok := kept.Module.Lookup(annotationsList)
	if !ok || !slices.Contains(kept.Definitions, list) {
		return &kept
	}
	strings := privateVariables(kept.Module, list)
	if len(strings) > 0 || dropAnnotations {
		dropWithStrings(&kept, list, strings)
	}
	return &kept
}

// privateVariables returns the variables in address space 0 that a value
// refers to.
func privateVariables(m *ir.Module, id ir.ValueID) map[ir.ValueID]bool {
	found := map[ir.ValueID]bool{}
	for _, ref := range m.Refs(&m.Values[id]) {
		if ref.Kind() != ir.RefAddress {
			continue
		}
		if v := &m.Values[ref.Index()]; v.Kind == ir.Variable && v.AddressSpace == 0 {
			found[ir.ValueID(ref.Index())] = true
		}
	}
	return found
}

// dropWithStrings drops the annotations and those of their strings that
// nothing else refers to.
func dropWithStrings(s *ir.Partition, list ir.ValueID, strings map[ir.ValueID]bool) {
	for _, id := range s.Definitions {
		if id == list {
			continue
		}
		for _, ref := range s.Module.Refs(&s.Module.Values[id]) {
			if ref.Kind() == ir.RefAddress {
				delete(strings, ir.ValueID(ref.Index()))
			}
		}
	}
	s.Definitions = slices.DeleteFunc(s.Definitions, func(id ir.ValueID) bool { return id == list || strings[id] })
}
