package ir

// Node is what is known of a metadata node without decoding it.
type Node struct {
	// Kind is "" for a tuple, else the specialised name: "DISubprogram".
	Kind string
	// Refs are the nodes and global values that the node names, each a
	// RefNode or a RefAddress, in order.
	Refs []Ref
}

// OperandKind tells metadata operands apart.
type OperandKind uint8

// The kinds of operands.
const (
	OperandNull   OperandKind = iota
	OperandString             // String
	OperandNode               // Node
	OperandInt                // Int, Bits: a constant integer
	OperandValue              // Value: a global value, casts looked through
	OperandTuple              // Elements: a node written in place
	OperandField              // Int or String: a plain field of a specialised node (line: 4, flags: X)
	OperandOther              // anything else: other constants
)

// Operand is one operand of a metadata node.
type Operand struct {
	Kind     OperandKind
	Field    string // of a specialised node: "unit", "globals"; else ""
	String   string
	Node     NodeID
	Int      int64 // sign-extended
	Bits     int   // width of the integer type
	Value    ValueID
	Elements []Operand
}

// Resolve returns the operands of the node that o names or holds in place;
// nil for anything else.
func (m *Module) Resolve(o Operand) ([]Operand, error) {
	switch o.Kind {
	case OperandNode:
		return m.Source.Operands(o.Node)
	case OperandTuple:
		return o.Elements, nil
	}
	return nil, nil
}
