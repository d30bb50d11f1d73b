package ir

// Kind tells the global values apart.
type Kind uint8

// The kinds of global values.
const (
	Function Kind = iota
	Variable
	Alias
	IFunc
)

// String returns the kind's name for messages: "function", "variable", ...
func (k Kind) String() string {
	switch k {
	case Function:
		return "function"
	case Variable:
		return "variable"
	case Alias:
		return "alias"
	}
	return "ifunc"
}

// GlobalValue is a function, variable, alias or ifunc.
//
// Modules can have millions of them, so a value has numbers in place of lists
// and texts: see [Module.Refs] and [Module.CallingConv].
type GlobalValue struct {
	// Name is the decoded name, raw bytes; "" for an unnamed value.
	Name    string
	details *ValueDetails
	// Type is the value type: of a function, its function type.
	Type TypeID
	// AddressSpace is the value's own.
	AddressSpace uint32
	Comdat       ComdatID
	refs         refPos
	// SignatureRefs is the number of references that belong to the signature,
	// at most MaxSignatureRefs.
	SignatureRefs uint16
	// CallingConv is a function's calling convention.
	CallingConv CallingConvID
	Kind        Kind
	Linkage     Linkage
	// Declaration is true for a function without body and a variable without
	// initialiser.
	Declaration bool
	// Constant is true for a variable that is "constant", not "global".
	Constant bool
}

// MaxSignatureRefs is the largest number of references of a signature; codecs
// refuse functions with more.
const MaxSignatureRefs = 1<<16 - 1

// ValueDetails are the parts of a [GlobalValue] that most variables do not
// have. They lie outside it because modules can have millions of variables.
type ValueDetails struct {
	// Groups are the attribute groups that apply to the function or
	// variable itself, not to parameters or the result.
	Groups []AttributeGroupID
	// Attributes are string attributes in addition to the groups: written in
	// the header itself, or added by a step. They override those of Groups.
	Attributes []Attribute
	// Parameters are the string attributes of a function's parameters, in
	// order.
	Parameters []ParameterAttribute
	// Attachments are the metadata attached to the value, in order.
	Attachments []Attachment
	// KeepElements, if not nil, are the indices of the elements that remain
	// of an array initialiser (llvm.used and its like). A variable of which
	// no element remains is dropped. Steps before the split set it.
	KeepElements []int
	// LabelTaken is true for a function of which a blockaddress names a block, here or anywhere in
	// the module: where that constant is, the body must be.
	LabelTaken bool
}

var noDetails ValueDetails

// Details returns the details of the value for reading; it is never nil. The
// result is shared among values without details and must not be changed.
func (v *GlobalValue) Details() *ValueDetails {
	if v.details == nil {
		return &noDetails
	}
	return v.details
}

// EditDetails returns the details of the value for writing.
func (v *GlobalValue) EditDetails() *ValueDetails {
	if v.details == nil {
		v.details = new(ValueDetails)
	}
	return v.details
}

// IsLocal reports whether the value has internal or private linkage.
func (v *GlobalValue) IsLocal() bool { return v.Linkage == Internal || v.Linkage == Private }

// Attribute is a string attribute: "key"="value", or "key" alone.
type Attribute struct{ Key, Value string }

// ParameterAttribute is a string attribute of the parameter of that index.
type ParameterAttribute struct {
	Index int
	Attribute
}

// AttributeGroup is one "attributes #N" group.
type AttributeGroup struct {
	// Strings are its string attributes in order.
	Strings []Attribute
	// Types are the identified structs that its other attributes name.
	Types []TypeID
}

// Attribute returns the value of a string attribute of the global value, and
// whether it has it.
func (m *Module) Attribute(id ValueID, key string) (string, bool) {
	v := &m.Values[id]
	if value, ok := attributeValue(v.Details().Attributes, key); ok {
		return value, true
	}
	for _, g := range v.Details().Groups {
		if value, ok := attributeValue(m.AttributeGroups[g].Strings, key); ok {
			return value, true
		}
	}
	return "", false
}

func attributeValue(list []Attribute, key string) (string, bool) {
	for i := range list {
		if list[i].Key == key {
			return list[i].Value, true
		}
	}
	return "", false
}

// Attachment is metadata attached to a value under a kind's name ("dbg").
type Attachment struct {
	Kind    string
	Operand Operand // OperandNode, or OperandTuple for an inline node
}

// Attached returns the metadata attached under that kind, and whether there
// is any.
func (v *GlobalValue) Attached(kind string) (Operand, bool) {
	for _, a := range v.Details().Attachments {
		if a.Kind == kind {
			return a.Operand, true
		}
	}
	return Operand{}, false
}

// RefKind says how a value refers to something.
type RefKind uint8

// The kinds of references. The comment names the type of the index.
const (
	RefCallee       RefKind = iota // ValueID: callee of a direct call
	RefAddress                     // ValueID: any other use
	RefIndirectCall                // TypeID: function type of a call without known callee
	RefType                        // TypeID
	RefAttributes                  // AttributeGroupID
	RefNode                        // NodeID
)

// Ref is one reference, packed so that large modules stay small.
type Ref uint32

const refShift = 28

// MaxIndex is the largest index that a Ref holds; codecs refuse modules with
// more values, types, groups or nodes.
const MaxIndex = 1<<refShift - 1

// MakeRef packs a reference.
func MakeRef(kind RefKind, index uint32) Ref { return Ref(kind)<<refShift | Ref(index) }

// Kind returns the kind.
func (r Ref) Kind() RefKind { return RefKind(r >> refShift) }

// Index returns the index, a ValueID, TypeID, ... as the kind says.
func (r Ref) Index() uint32 { return uint32(r & MaxIndex) }
