package ir

import (
	"io"
	"math"
)

// ValueID numbers the global values of a module from 0 in the order of the
// input: functions, variables, aliases and ifuncs in one sequence.
type ValueID uint32

// NodeID numbers the metadata nodes of a module from 0. It is the codec's
// number, not the one that text shows after '!'.
type NodeID uint32

// TypeID numbers the types that the codec recorded.
type TypeID uint32

// AttributeGroupID numbers the attribute groups.
type AttributeGroupID uint32

// ComdatID numbers the comdats.
type ComdatID uint32

// CallingConvID numbers the calling conventions that the functions of a module have; 0 is the C
// convention.
type CallingConvID uint16

// NoType stands for a type that the module does not record.
const NoType = ^TypeID(0)

// NoComdat is the Comdat of a value that is in none.
const NoComdat = ^ComdatID(0)

// Module is one LLVM module. The slices are indexed by the IDs above.
type Module struct {
	// Path is the input's name for messages, "<stdin>" for standard input.
	Path string
	// Size is the length of the input in bytes.
	Size int64

	// Producer is the program that wrote bitcode, as the file says ("LLVM19.1.7"); "" for
	// text.
	Producer string

	SourceFilename string
	DataLayout     string
	Triple         string
	// HasAssembly is true if assembly stands outside of functions.
	HasAssembly bool

	Values          []GlobalValue
	Types           []Type
	AttributeGroups []AttributeGroup
	Comdats         []Comdat
	NamedMetadata   []NamedMetadata
	// Nodes holds the facts about each metadata node that need no decoding.
	Nodes NodeTable

	// UseOrders holds the orders of uses that bitcode states for declared functions. LLVM counts the
	// uses of a function from the last that it read to the first; the entry of the n-th is its place
	// in the order of the program that wrote the file. Functions without a statement keep LLVM's.
	UseOrders map[ValueID][]uint32

	// Source decodes the lazy parts and writes partitions; it is the codec's.
	Source Source

	byName        nameTable
	refs          refStore
	conventions   []string // by CallingConvID, after that of C
	conventionIDs map[string]CallingConvID
}

// CallingConv returns the calling convention of a function as text spells it ("spir_kernel", "cc
// 42"), or "" for the C convention.
func (m *Module) CallingConv(v *GlobalValue) string {
	if v.CallingConv == 0 {
		return ""
	}
	return m.conventions[v.CallingConv-1]
}

// CallingConvID returns the number of a calling convention, which is given as text spells it. A new
// one gets a number. It returns false when there are too many; LLVM has 1024.
func (m *Module) CallingConvID(name string) (id CallingConvID, ok bool) {
	if name == "" {
		return 0, true
	}
	if id, ok = m.conventionIDs[name]; ok {
		return id, true
	}
	if len(m.conventions) == math.MaxUint16 {
		return 0, false
	}
	if m.conventionIDs == nil {
		m.conventionIDs = make(map[string]CallingConvID)
	}
	m.conventions = append(m.conventions, name)
	id = CallingConvID(len(m.conventions))
	m.conventionIDs[name] = id
	return id, true
}

// Lookup returns the global value of that name.
func (m *Module) Lookup(name string) (ValueID, bool) {
	if m.byName.slots == nil {
		m.Index()
	}
	return m.byName.lookupName(m.Values, []byte(name))
}

// LookupBytes is Lookup for a name that is not a string yet. Index or Define must have made the
// table.
func (m *Module) LookupBytes(name []byte) (ValueID, bool) {
	return m.byName.lookupName(m.Values, name)
}

// Define appends a value and puts its name into the table that Lookup uses. If the name is taken,
// it returns false and appends nothing.
func (m *Module) Define(v GlobalValue) (ValueID, bool) {
	if m.byName.slots == nil {
		m.Index()
	}
	id := ValueID(len(m.Values))
	m.Values = append(m.Values, v)
	if v.Name != "" && !m.byName.addName(m.Values, id) {
		m.Values = m.Values[:id]
		return 0, false
	}
	return id, true
}

// Grow makes room for that many values, so that Define does not have to copy them and their table
// of names again and again. The module must be empty.
func (m *Module) Grow(values int) {
	m.Values = make([]GlobalValue, 0, values)
	m.byName = newNameTable(values)
}

// Index makes the table that Lookup uses. Codecs call it when the module is complete, so that
// Lookup can be called from several goroutines. If several values have one name, the first is
// found.
func (m *Module) Index() {
	m.byName = newNameTable(len(m.Values))
	for i := range m.Values {
		if m.Values[i].Name != "" {
			m.byName.addName(m.Values, ValueID(i))
		}
	}
}

// Named returns the named metadata of that name, or nil.
func (m *Module) Named(name string) *NamedMetadata {
	for i := range m.NamedMetadata {
		if m.NamedMetadata[i].Name == name {
			return &m.NamedMetadata[i]
		}
	}
	return nil
}

// Comdat is a comdat of the module.
type Comdat struct {
	Name string
	// Selection is the selection kind as text spells it: "any",
	// "nodeduplicate", ...
	Selection string
}

// NamedMetadata is a named list of nodes ("!llvm.ident = !{!1}").
type NamedMetadata struct {
	Name     string
	Operands []Operand // OperandNode, or OperandTuple for an inline node
}

// Source is the payload of a module: the codec's view of the input. Its
// methods may be called from several goroutines; they never change the module.
type Source interface {
	// Operands decodes the operands of a metadata node.
	Operands(NodeID) ([]Operand, error)
	// ElementRefs returns the references of the elements at those indices of an
	// array initialiser; a variable with KeepElements has these and its
	// SignatureRefs only.
	ElementRefs(ValueID, []int) ([]Ref, error)
	// RefsWithout returns the function's Refs as they are when the instructions
	// of those numbers are taken out, which ascend and count from 0, debug records
	// left out.
	RefsWithout(function ValueID, instructions []int) ([]Ref, error)
	// NewWriter returns a writer of partitions of the module.
	NewWriter() PartitionWriter
}

// PartitionWriter writes partitions in the format that the module was read in. It
// keeps scratch memory between partitions; each goroutine needs its own.
type PartitionWriter interface {
	WritePartition(io.Writer, *Partition) error
}

// Sizer is a [Source] that knows how much of the input a definition takes.
type Sizer interface {
	// ValueSize returns the bytes of the value's definition or declaration,
	// without the metadata and types that it refers to.
	ValueSize(ValueID) int64
}
