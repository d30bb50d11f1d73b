package ir

import "slices"

// NodeTable holds the facts about each metadata node that need no decoding: its
// kind, and its references. Debug information has millions of nodes, so
// the table keeps a few bytes for each.
type NodeTable struct {
	records []nodeRecord
	refs    []Ref
	kinds   []string
	kindOf  map[string]uint16
}

type nodeRecord struct {
	end  uint32 // of the node's references in refs; they begin at the end of the node before
	kind uint16
}

// Len returns the number of nodes; their NodeIDs count from 0.
func (t *NodeTable) Len() int { return len(t.records) }

// RefCount returns the number of references of all nodes.
func (t *NodeTable) RefCount() int { return len(t.refs) }

// Kinds returns the number of kinds of nodes; it is at most 65536.
func (t *NodeTable) Kinds() int { return len(t.kinds) }

// Kind returns the node's specialised name ("DISubprogram"), "" for a tuple.
// Bitcode numbers strings and values among its metadata: those are "string" and
// "value".
func (t *NodeTable) Kind(id NodeID) string { return t.kinds[t.records[id].kind] }

// Number returns the number of the node's kind, for comparisons with KindNumber.
func (t *NodeTable) Number(id NodeID) int { return int(t.records[id].kind) }

// KindNumber returns the number of a kind, or -1 when no node is of it.
func (t *NodeTable) KindNumber(kind string) int {
	if n, ok := t.kindOf[kind]; ok {
		return int(n)
	}
	return -1
}

// Refs returns the nodes, global values and types that the node names, in
// order: RefNode, RefAddress, RefType. The slice is the table's own.
func (t *NodeTable) Refs(id NodeID) []Ref {
	start := uint32(0)
	if id > 0 {
		start = t.records[id-1].end
	}
	return t.refs[start:t.records[id].end:t.records[id].end]
}

// Add appends a node. kind may alias memory that changes later.
func (t *NodeTable) Add(kind []byte, refs []Ref) NodeID {
	t.refs = append(t.refs, refs...)
	t.records = append(t.records, nodeRecord{uint32(len(t.refs)), t.kindIndex(kind)})
	return NodeID(len(t.records) - 1)
}

// Append appends the nodes of another table after those of t.
func (t *NodeTable) Append(other *NodeTable) {
	base := uint32(len(t.refs))
	kinds := make([]uint16, len(other.kinds))
	for i, kind := range other.kinds {
		kinds[i] = t.kindIndex([]byte(kind))
	}
	t.refs = append(t.refs, other.refs...)
	for _, r := range other.records {
		t.records = append(t.records, nodeRecord{base + r.end, kinds[r.kind]})
	}
}

// Grow makes room for that many further nodes and references.
func (t *NodeTable) Grow(nodes, refs int) {
	t.records = slices.Grow(t.records, nodes)
	t.refs = slices.Grow(t.refs, refs)
}

func (t *NodeTable) kindIndex(kind []byte) uint16 {
	if i, ok := t.kindOf[string(kind)]; ok {
		return i
	}
	if t.kindOf == nil {
		t.kindOf = make(map[string]uint16)
	}
	i := uint16(len(t.kinds))
	t.kinds = append(t.kinds, string(kind))
	t.kindOf[t.kinds[i]] = i
	return i
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
	// OperandOther is anything else. Of other constants, String spells the type
	// as text does, if that is a number or a vector of numbers; of a
	// floating-point number, Int has the bits and Bits the width.
	OperandOther
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
