package ir

import "iter"

// SliceValue is a global value of a slice with the slice's changes. Both
// codecs write the values that its methods return; the rules stand here alone.
type SliceValue struct {
	ID    ValueID
	Value *GlobalValue
	// Edit holds the slice's changes; it is never nil, and must not be
	// changed.
	Edit *Edit
	// Definition is true if the slice defines the value, false if it only
	// declares it.
	Definition bool
}

var noEdit Edit

// Values returns the values of the slice in the order of the module, without
// arrays of which no element is left (see [Slice.Empty]).
func (s *Slice) Values() iter.Seq[SliceValue] {
	return func(yield func(SliceValue) bool) {
		definitions, declarations := s.Definitions, s.Declarations
		for len(definitions) > 0 || len(declarations) > 0 {
			defined := len(declarations) == 0 || len(definitions) > 0 && definitions[0] < declarations[0]
			list := &declarations
			if defined {
				list = &definitions
			}
			v := s.value((*list)[0], defined)
			*list = (*list)[1:]
			if !v.empty() && !yield(v) {
				return
			}
		}
	}
}

func (s *Slice) value(id ValueID, defined bool) SliceValue {
	v := SliceValue{ID: id, Value: &s.Module.Values[id], Edit: s.Edits[id], Definition: defined}
	if v.Edit == nil {
		v.Edit = &noEdit
	}
	return v
}

// Unedited reports whether the slice has no edit of the value.
func (v *SliceValue) Unedited() bool { return v.Edit == &noEdit }

// Linkage returns the linkage in the slice. A declaration has the external
// one, or stays extern_weak, as no other is allowed.
func (v *SliceValue) Linkage() Linkage {
	linkage := v.Value.Linkage
	if v.Edit.SetLinkage {
		linkage = v.Edit.Linkage
	}
	if !v.Definition && linkage != ExternWeak {
		return External
	}
	return linkage
}

// Comdat returns the comdat in the slice. Only definitions are in one.
func (v *SliceValue) Comdat() ComdatID {
	if !v.Definition || v.Edit.DropComdat {
		return NoComdat
	}
	return v.Value.Comdat
}

// BecomesDeclaration reports whether the slice declares a value that the module
// defines.
func (v *SliceValue) BecomesDeclaration() bool { return !v.Definition && !v.Value.Declaration }

// Elements returns the indices of the elements that the slice keeps of the
// value's initialiser; nil means that it keeps all.
func (v *SliceValue) Elements() []int {
	if v.Edit.KeepElements != nil {
		return v.Edit.KeepElements
	}
	return v.Value.Details().KeepElements
}

func (v *SliceValue) empty() bool {
	keep := v.Elements()
	return keep != nil && len(keep) == 0
}

// Attached returns the metadata of the module that stays attached to the value.
// A function that becomes a declaration loses it, as its debug information
// describes a definition; an attachment of the edit replaces the one
// of the same kind.
func (v *SliceValue) Attached() iter.Seq[*Attachment] {
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
func (v *SliceValue) KeepsAttached(kind string) bool {
	return (v.Value.Kind == Variable || !v.BecomesDeclaration()) && !v.Edit.replaces(kind)
}
