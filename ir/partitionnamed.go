package ir

import (
	"iter"
	"slices"
)

// NamedList is named metadata of a partition.
type NamedList struct {
	Name string
	// Index is that of the list in Module.NamedMetadata, -1 for a list that
	// the partition adds.
	Index int
	// New are the nodes that the partition adds, after the operands.
	New []NewNode

	reach *Reach
	edit  *NamedEdit
}

// Named returns the named metadata of the partition: the lists of the module that
// stay, then those that the partition adds.
func (r *Reach) Named() iter.Seq[NamedList] {
	return func(yield func(NamedList) bool) {
		partition, m := r.reacher.partition, r.reacher.module
		for i := range m.NamedMetadata {
			name := m.NamedMetadata[i].Name
			if slices.Contains(partition.Removed, name) {
				continue
			}
			list := NamedList{Name: name, Index: i, reach: r, edit: partition.NamedEdit(name)}
			if list.edit != nil {
				list.New = list.edit.New
			}
			if !yield(list) {
				return
			}
		}
		for i := range partition.Named {
			edit := &partition.Named[i]
			if m.Named(edit.Name) == nil && !yield(NamedList{Name: edit.Name, Index: -1, New: edit.New, reach: r}) {
				return
			}
		}
	}
}

// Operands returns the indices of the module's operands that stay. Compile
// units that the partition does not keep are left out of the list of them.
func (l *NamedList) Operands() iter.Seq[int] {
	return func(yield func(int) bool) {
		if l.Index < 0 {
			return
		}
		operands := l.reach.reacher.module.NamedMetadata[l.Index].Operands
		switch {
		case l.edit != nil:
			l.editedOperands(operands, yield)
		case l.Name == DebugUnits:
			for _, k := range l.reach.Listed {
				if !yield(k) {
					return
				}
			}
		default:
			for k := range operands {
				if !yield(k) {
					return
				}
			}
		}
	}
}

func (l *NamedList) editedOperands(operands []Operand, yield func(int) bool) {
	for _, k := range l.edit.Keep {
		o := &operands[k]
		if l.Name == DebugUnits && o.Kind == OperandNode && !l.reach.HasNode(o.Node) {
			continue
		}
		if !yield(k) {
			return
		}
	}
}
