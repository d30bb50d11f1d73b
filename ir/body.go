package ir

import "errors"

// BodySource is a [Source] that decodes whole function bodies and constants.
// Both codecs are.
type BodySource interface {
	Source
	// NewBodyReader returns a reader of bodies. The module must not change
	// any more.
	NewBodyReader() BodyReader
}

// BodyReader decodes bodies, initialisers and attributes. It keeps scratch
// memory and numbers types that the module does not record, so that each
// goroutine needs its own, and TypeIDs of one reader mean nothing to another
// unless they are below len(Module.Types).
type BodyReader interface {
	// Types returns the types that TypeIDs of the reader count: those of the
	// module, then those that only bodies name. Reading may add to them.
	Types() []Type
	// ReadBody decodes the body of a function that has one. It overwrites
	// body, whose memory is used again.
	ReadBody(function ValueID, body *Body) error
	// ReadInitializer decodes the initialiser of a variable, or the aliasee
	// or resolver of an alias or ifunc. Constants are added to the pool.
	ReadInitializer(id ValueID, pool *ConstantPool) (Value, error)
	// ReadHeader decodes the parts of a value's header that the model does not have.
	ReadHeader(id ValueID) (*Header, error)
}

// Body is a decoded function body. Its slices belong to it. To keep a
// part of it beyond the next ReadBody, copy it.
type Body struct {
	Function     ValueID
	Blocks       []Block
	Instructions []Instruction
	// ArgumentNames has the names of the parameters, "" for those without.
	ArgumentNames []string
	// ArgumentTypes has the types of the parameters.
	ArgumentTypes []TypeID
	Constants     ConstantPool
	Metadata      []MetadataUse
	// Calls holds the parts that only calls have, by Instruction.Call.
	Calls []CallDetail

	operands []Value
	indices  []uint32
}

// ConstantPool holds the constants that values of kind ValueConstant count. A
// constant comes after those that it is made of.
type ConstantPool struct{ Nodes []ConstantNode }

// Block is a basic block: the instructions First to End-1 of the body.
type Block struct {
	Name       string
	First, End int
}

// ValueKind tells values apart.
type ValueKind uint8

// The kinds of values. The comment names the list that Index counts.
const (
	ValueNone        ValueKind = iota
	ValueGlobal                // ValueID of the module
	ValueArgument              // parameters
	ValueInstruction           // Body.Instructions
	ValueConstant              // ConstantPool.Nodes
	ValueBlock                 // Body.Blocks
	ValueMetadata              // Body.Metadata
)

// ValueForward is the kind of a value that is used before the reader has come
// to its definition, as phi does: Index is the reader's own number of it. No
// body that ReadBody returns has one, see [Body.PatchForward].
const ValueForward ValueKind = 255

// Value is an operand: its kind, its index and its type.
type Value struct {
	Kind  ValueKind
	Index uint32
	Type  TypeID
}

// NoValue stands for an operand that is not there.
var NoValue = Value{Type: NoType}

// Instruction is one instruction. Which fields have a meaning depends on Op;
// see the opcodes.
type Instruction struct {
	Op Opcode
	// Predicate of comparisons, and Operation of atomicrmw.
	Predicate Predicate
	Operation AtomicOperation
	// Order and FailureOrder of atomics.
	Order, FailureOrder Ordering
	Flags               Flags
	// Align is the alignment in bytes of alloca, load, store and atomics, 0
	// when the input does not say it.
	Align uint64
	// Type is the type of the result; void for instructions without one.
	Type TypeID
	// Element is the type that alloca allocates, load loads, getelementptr
	// indexes, va_arg takes; of a call, the function type.
	Element TypeID
	// Operands are values in the order of the text but for calls, where the
	// callee comes first.
	Operands []Value
	// Indices are those of extractvalue and insertvalue, and the mask of
	// shufflevector, where UndefIndex is an element that is undefined.
	Indices []uint32
	// Call is the index into Body.Calls of call, invoke and callbr.
	Call int
	// Scope is the synchronisation scope of atomics, "" for the system's.
	Scope string
	// Name is the result's name, "" if it has none.
	Name string
	// Location is where the instruction comes from, nil if unknown.
	Location *Location
	// Attachments are the metadata attached, but for !dbg.
	Attachments []Attachment
}

// UndefIndex is an element of a shufflevector's mask that is undefined.
const UndefIndex = ^uint32(0)

// CallDetail holds the parts that only calls have.
type CallDetail struct {
	// CallingConv is as in GlobalValue.
	CallingConv string
	Attributes  AttributeSet
	Bundles     []Bundle
	// Asm is not nil for inline assembly; the callee is then no value.
	Asm *InlineAsm
}

// Bundle is an operand bundle of a call.
type Bundle struct {
	Tag      string
	Operands []Value
}

// InlineAsm is inline assembly that is called.
type InlineAsm struct {
	Template, Constraints string
	SideEffects           bool
	AlignStack            bool
	IntelDialect          bool
}

// Location is a source location. Line and Column count from 1; 0 is unknown.
// Scope and InlinedAt are NodeIDs plus one, 0 for none.
type Location struct {
	Line, Column     uint32
	Scope, InlinedAt uint32
}

// NewLocation returns the location that the fields of a DILocation tell.
func NewLocation(fields []Operand) *Location {
	l := new(Location)
	for _, f := range fields {
		switch f.Field {
		case "line":
			l.Line = uint32(f.Int)
		case "column":
			l.Column = uint32(f.Int)
		case "scope":
			l.Scope = nodePlus1(f)
		case "inlinedAt":
			l.InlinedAt = nodePlus1(f)
		}
	}
	return l
}

// nodePlus1 encodes a node as a Location holds it. A hostile field may hold
// anything, which counts as none.
func nodePlus1(o Operand) uint32 {
	if o.Kind != OperandNode {
		return 0
	}
	return uint32(o.Node) + 1
}

// MetadataUse is metadata as an operand of a call: the metadata in Operand, or
// values of the function, several for a DIArgList.
type MetadataUse struct {
	Operand
	Values []Value
}

// Header holds the parts of a global value's header that the model does not have.
type Header struct {
	// Alignment is in bytes, 0 if it is not said.
	Alignment uint64
	// Attributes of a function or variable; those of a variable are
	// Attributes.Function.
	Attributes AttributeSet
	// Section is the section's name.
	Section string
	// ThreadLocal is true for a thread-local variable.
	ThreadLocal bool
}

// AttributeSet holds the attributes of a function, a variable or a call.
type AttributeSet struct {
	Function   []AttributeDetail
	Result     []AttributeDetail
	Parameters [][]AttributeDetail // may be shorter than the parameters
}

// AttributeDetail is one attribute of any form.
type AttributeDetail struct {
	// Name is the keyword as text spells it ("byval"), or the key of a string
	// attribute.
	Name string
	// String tells string attributes from others.
	String bool
	// Value of a string attribute, or the argument in parentheses as text
	// spells it, if that is neither a type nor a number.
	Value string
	// Int is the number of align, dereferenceable, ...
	Int uint64
	// Type is the type argument of byval, sret, elementtype, ..., else NoType.
	Type TypeID
}

// FindAttribute returns the attribute of that keyword, nil if there is none.
func FindAttribute(list []AttributeDetail, name string) *AttributeDetail {
	for i := range list {
		if list[i].Name == name && !list[i].String {
			return &list[i]
		}
	}
	return nil
}

// Parameter returns the attributes of the parameter of that index.
func (s *AttributeSet) Parameter(i int) []AttributeDetail {
	if i < len(s.Parameters) {
		return s.Parameters[i]
	}
	return nil
}

// ConstantNode is one constant of a pool.
type ConstantNode struct {
	Kind ConstantKind
	Type TypeID
	// Words are the bits of ConstantInt and ConstantFloat, lowest first: as
	// many as the width takes. Of ConstantData, the bits of each element.
	Words []uint64
	// Bytes are those of ConstantBytes.
	Bytes []byte
	// Expression has the operation of ConstantExpression: Op, Predicate,
	// Flags, Element, Indices, as an instruction has them.
	Expression *Instruction
	// Operands are the elements of an aggregate or vector, the operands of an
	// expression, or the function of a block address.
	Operands []Value
}

// Reset empties the body and keeps its memory. The instructions are cleared, so that the lists of
// the last function can be freed.
func (b *Body) Reset(function ValueID) {
	clear(b.Instructions)
	*b = Body{
		Function:      function,
		Blocks:        b.Blocks[:0],
		Instructions:  b.Instructions[:0],
		ArgumentNames: b.ArgumentNames[:0],
		ArgumentTypes: b.ArgumentTypes[:0],
		Constants:     ConstantPool{b.Constants.Nodes[:0]},
		Metadata:      b.Metadata[:0],
		Calls:         b.Calls[:0],
		operands:      b.operands[:0],
		indices:       b.indices[:0],
	}
}

// Values stores a list of operands in the body's memory.
func (b *Body) Values(list []Value) []Value {
	start := len(b.operands)
	b.operands = append(b.operands, list...)
	return b.operands[start:len(b.operands):len(b.operands)]
}

// IndexList stores a list of indices in the body's memory.
func (b *Body) IndexList(list []uint32) []uint32 {
	start := len(b.indices)
	b.indices = append(b.indices, list...)
	return b.indices[start:len(b.indices):len(b.indices)]
}

// Add appends a constant and returns the value that names it.
func (p *ConstantPool) Add(c ConstantNode) Value {
	p.Nodes = append(p.Nodes, c)
	return Value{ValueConstant, uint32(len(p.Nodes) - 1), c.Type}
}

// At returns the constant that a value of kind ValueConstant names.
func (p *ConstantPool) At(v Value) *ConstantNode { return &p.Nodes[v.Index] }

// PatchForward replaces the values of kind [ValueForward] by the definitions, which are indexed by
// the reader's numbers. Names can be used before their definition in operands, in metadata that
// wraps values, and in the bundles of calls. A use that states another type than the definition has
// is an error, as in LLVM: the types of results were derived from those of the uses.
func (b *Body) PatchForward(types []Type, definitions []Value) error {
	for i := range b.Instructions {
		if err := patchForward(b.Instructions[i].Operands, types, definitions); err != nil {
			return err
		}
	}
	for i := range b.Metadata {
		if err := patchForward(b.Metadata[i].Values, types, definitions); err != nil {
			return err
		}
	}
	for i := range b.Calls {
		for _, bundle := range b.Calls[i].Bundles {
			if err := patchForward(bundle.Operands, types, definitions); err != nil {
				return err
			}
		}
	}
	return nil
}

func patchForward(list []Value, types []Type, definitions []Value) error {
	for i, v := range list {
		if v.Kind != ValueForward {
			continue
		}
		found := definitions[v.Index]
		if !SameType(types, v.Type, found.Type) {
			return errForwardType
		}
		list[i] = found
	}
	return nil
}

var errForwardType = errors.New("a value is used as another type than that of its definition")

// SameType reports whether a use has the type of the definition. NoType is a use that states no
// type. Aliases, names that text gives to types, stand for their types.
func SameType(types []Type, use, definition TypeID) bool {
	return use == definition || use == NoType || unaliased(types, use) == unaliased(types, definition)
}

// unaliased returns the type that a name stands for. The readers refuse names that stand for each
// other; long chains are cut all the same.
func unaliased(types []Type, id TypeID) TypeID {
	for range 64 {
		if int(id) >= len(types) || !types[id].Alias {
			break
		}
		id = types[id].Of
	}
	return id
}

// Terminator returns the last instruction of a block.
func (b *Body) Terminator(block int) *Instruction {
	return &b.Instructions[b.Blocks[block].End-1]
}
