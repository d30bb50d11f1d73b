package ir

import "iter"

// PartitionValue is a global value of a partition with the partition's changes. Both
// codecs write the values that its methods return; the rules stand here alone.
type PartitionValue struct {
	ID    ValueID
	Value *GlobalValue
	// Edit holds the partition's changes; it is never nil, and must not be
	// changed.
	Edit *Edit
	// Definition is true if the partition defines the value, false if it only
	// declares it.
	Definition bool
}

var noEdit Edit

// Values returns the values of the partition in the order of the module, without
// arrays of which no element is left (see [Partition.Empty]).
func (s *Partition) Values() iter.Seq[PartitionValue] {
	return func(yield func(PartitionValue) bool) {
		definitions, declarations := s.Definitions, s.Declarations
		for len(definitions) > 0 || len(declarations) > 0 {
			defined := len(declarations) == 0 || len(definitions) > 0 && definitions[0] < declarations[0]
			list := &declarations
			if defined {
				list = &definitions
			}
			v := s.partitionValue((*list)[0], defined)
			*list = (*list)[1:]
			if !v.keepsNothing() && !yield(v) {
				return
			}
		}
	}
}

func (s *Partition) partitionValue(id ValueID, defined bool) PartitionValue {
	v := PartitionValue{ID: id, Value: &s.Module.Values[id], Edit: s.Edits[id], Definition: defined}
	if v.Edit == nil {
		v.Edit = &noEdit
	}
	return v
}

// Unedited reports whether the partition has no edit of the value.
func (v *PartitionValue) Unedited() bool { return v.Edit == &noEdit }

// Linkage returns the linkage in the partition. A declaration has the external
// one, or stays extern_weak, as no other is allowed.
func (v *PartitionValue) Linkage() Linkage {
	linkage := v.Value.Linkage
	if v.Edit.SetLinkage {
		linkage = v.Edit.Linkage
	}
	if !v.Definition && linkage != ExternWeak {
		return External
	}
	return linkage
}

// Comdat returns the comdat in the partition. Only definitions are in one.
func (v *PartitionValue) Comdat() ComdatID {
	if !v.Definition || v.Edit.DropComdat {
		return NoComdat
	}
	return v.Value.Comdat
}

// BecomesDeclaration reports whether the partition declares a value that the module
// defines.
func (v *PartitionValue) BecomesDeclaration() bool { return !v.Definition && !v.Value.Declaration }

// Elements returns the indices of the elements that the partition keeps of the
// value's initialiser; nil means that it keeps all.
func (v *PartitionValue) Elements() []int {
	if v.Edit.KeepElements != nil {
		return v.Edit.KeepElements
	}
	return v.Value.Details().KeepElements
}

func (v *PartitionValue) keepsNothing() bool {
	keep := v.Elements()
	return keep != nil && len(keep) == 0
}

// Attached returns the metadata of the module that stays attached to the value.
// A function that becomes a declaration loses it, as its debug information
// describes a definition; an attachment of the edit replaces the one
// of the same kind.
func (v *PartitionValue) Attached() iter.Seq[*Attachment] {
	return func(yield func(*Attachment) bool) {
		list := v.Value.Details().Attachments
		for i := range list {
			if v.KeepsAttached(list[i].Kind) && !yield(&list[i]) {
				return
			}
		}
	}
}

// KeepsAttached reports whether metadata of that kind that the module attaches
// to the value stays.
func (v *PartitionValue) KeepsAttached(kind string) bool {
	return (v.Value.Kind == Variable || !v.BecomesDeclaration()) && !v.Edit.replacesKind(kind)
}
