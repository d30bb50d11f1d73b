package ir

import "slices"

// Partition lists the values of a module that go into one output, and the changes to them there.
// The codec that read the module writes it. Types, attribute groups, comdats and metadata follow
// from the references of the kept values (see [Reach]).
//
// A partition belongs to one goroutine; its module is shared.
type Partition struct {
	Module *Module
	// Definitions and Declarations are the values of the output, each in
	// ascending order. A function of the module that has a body and is among
	// the Declarations is written without it.
	Definitions  []ValueID
	Declarations []ValueID
	// Edits are the changes of single values.
	Edits map[ValueID]*Edit
	// Named replaces the operands of named metadata, or adds a list that the
	// module does not have. An entry that is empty leaves an empty list.
	Named []NamedEdit
	// Removed names named metadata that is not written.
	Removed []string
	// Selections replaces the selection kinds of comdats.
	Selections map[ComdatID]string

	fresh []Edit // memory of edits to come
}

// Edit holds the changes of one value in a partition.
type Edit struct {
	// Linkage replaces the linkage if SetLinkage is true. A codec that makes
	// a value local also drops its visibility and DLL storage class, which
	// the verifier demands.
	Linkage    Linkage
	SetLinkage bool
	// DropComdat takes the value out of its comdat.
	DropComdat bool
	// Add are string attributes that are added (the keys are new); Remove
	// are the keys of string attributes that are dropped.
	Add    []Attribute
	Remove []string
	// KeepElements is as in ValueDetails; it replaces that one.
	KeepElements []int
	// Wrap makes a variable one of an unnamed structure whose only member has the variable's
	// type. Its users see a pointer, which must be opaque. KeepElements is nil then.
	Wrap bool
	// Attach adds metadata, or replaces the metadata of the same kind.
	Attach []NewAttachment
	// Calls replaces calls in the function's body.
	Calls []CallEdit

	rewrite *BodyRewrite
}

// BodyRewrite returns the change of the function's body that Calls make. It is
// made once; Calls must not change after that.
func (e *Edit) BodyRewrite(m *Module, function ValueID) (*BodyRewrite, error) {
	if e.rewrite != nil {
		return e.rewrite, nil
	}
	w, err := NewBodyRewrite(m, function, e.Calls)
	if err != nil {
		return nil, err
	}
	e.rewrite = w
	return w, nil
}

// NewAttachment is metadata that a partition attaches.
type NewAttachment struct {
	Kind string
	Node NewNode
}

// NamedEdit replaces the operands of a named metadata list.
type NamedEdit struct {
	Name string
	// Keep are indices into the module's list of that name; New follow them.
	Keep []int
	New  []NewNode
}

// NewNode is a tuple that a partition adds. Its operands are OperandNull, String,
// Node, Int, Value, and Tuple for a nested new tuple.
type NewNode struct {
	Operands []Operand
}

// Edit returns the edit of the value, adding an empty one.
func (s *Partition) Edit(id ValueID) *Edit {
	if s.Edits == nil {
		s.Edits = make(map[ValueID]*Edit, min(len(s.Definitions), 64))
	}
	e := s.Edits[id]
	if e == nil {
		if len(s.fresh) == 0 {
			s.fresh = make([]Edit, editChunk)
		}
		e, s.fresh = &s.fresh[0], s.fresh[1:]
		s.Edits[id] = e
	}
	return e
}

// editChunk is how many edits are allocated together: where modules are split, most functions of an
// image become local to it.
const editChunk = 8

// Empty reports whether the partition keeps no element of a value, which is then not written.
func (s *Partition) Empty(id ValueID) bool {
	v := s.partitionValue(id, true)
	return v.keepsNothing()
}

// NamedEdit returns the edit of the named metadata, or nil.
func (s *Partition) NamedEdit(name string) *NamedEdit {
	for i := range s.Named {
		if s.Named[i].Name == name {
			return &s.Named[i]
		}
	}
	return nil
}

// replacesKind reports whether the edit attaches metadata of that kind.
func (e *Edit) replacesKind(kind string) bool {
	return slices.ContainsFunc(e.Attach, func(a NewAttachment) bool { return a.Kind == kind })
}
