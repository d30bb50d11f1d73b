package irtext

import (
	"sync"

	"offlink/ir"
)

// span is a piece of the input.
type span struct{ start, end uint32 }

// text is the payload of a module: the input, and the places of its parts. It implements
// [ir.Source].
type text struct {
	data   []byte
	module *ir.Module

	values []valueText // by ValueID
	// more are the parts of values that few variables have.
	more   []valueParts
	groups []span // by AttributeGroupID, the whole definition
	// moreGroups are further definitions of groups.
	moreGroups map[ir.AttributeGroupID][]span
	endless    map[ir.TypeID]bool // types that contain themselves
	aliases    bool               // some types are names of others
	types      []span             // by TypeID, the definition; empty if there is none
	nodes      []nodeText         // by NodeID
	asm        []span             // module asm, whole lines
	named      [][]span           // by index of NamedMetadata: its operands

	intrinsics  []intrinsic // called and not declared
	lists       []namedText // named metadata, until it is decoded
	table       *typeTable
	unnamed     map[uint32]ir.ValueID // by number in the text
	nextUnnamed uint32
	typed       bool // the module has typed pointers
	typeByName  map[string]ir.TypeID
	typeByNum   map[uint32]ir.TypeID
	groupByNum  map[uint32]ir.AttributeGroupID
	groupNumber []uint32 // by AttributeGroupID
	comdats     map[string]ir.ComdatID
	nodeIndex   numberIndex
	sinks       sync.Pool // of *refSink
	arrays      sync.Map  // *elementTable by ValueID
	lastGroup   uint32    // the highest number of a group
	lastNode    uint32    // the highest number of a node
}

// valueText is where a global value is in the input, and those properties of its header that steps
// before the split may change in the model.
type valueText struct {
	span
	more        uint32 // index in text.more plus one; 0 for a value without such parts
	linkage     ir.Linkage
	namesNumber bool // names unnamed globals
}

// valueParts are the parts of a [valueText] that most variables do not have.
type valueParts struct {
	number     uint32 // of an unnamed value
	body       uint32 // where the body of a function begins; 0 if it has none
	cut        uint32 // where the use-list orders of the body begin; 0 if there are none
	attributes uint32 // number of string attributes in the header
	groups     uint32
	comdat     ir.ComdatID
	convention ir.CallingConvID
}

// nodeText is where a metadata node is in the input. The top bit of length
// says that the node names global values.
type nodeText struct{ start, length uint32 }

const nodeNamesValues = 1 << 31

func (n nodeText) textEnd() uint32   { return n.start + n.length&^nodeNamesValues }
func (n nodeText) namesValues() bool { return n.length&nodeNamesValues != 0 }

// partsOf returns the parts of a value that most variables do not have. Values without such parts
// share one, which must not be changed.
func (t *text) partsOf(value *valueText) *valueParts {
	if value.more == 0 {
		return &noParts
	}
	return &t.more[value.more-1]
}

var noParts = valueParts{comdat: ir.NoComdat}

// numberIndex maps the numbers of metadata nodes to their NodeIDs. The numbers are mostly dense,
// and mostly the NodeIDs themselves.
type numberIndex struct {
	numbers []uint32 // by NodeID; nil while each number is its NodeID
	count   uint32
	dense   []uint32 // NodeID+1 by number
	sparse  map[uint32]ir.NodeID
}

// addNumber notes the number of the next node. The list is made when the first number differs from
// its NodeID.
func (x *numberIndex) addNumber(number uint32) {
	if x.numbers == nil && number != x.count {
		x.numbers = make([]uint32, x.count, 2*x.count+16)
		for i := range x.numbers {
			x.numbers[i] = uint32(i)
		}
	}
	if x.numbers != nil {
		x.numbers = append(x.numbers, number)
	}
	x.count++
}

// finishIndex makes the table that findNumber uses. If two nodes have the same number, it returns
// the second of them.
func (x *numberIndex) finishIndex() (twice ir.NodeID, bad bool) {
	if x.numbers == nil {
		return 0, false
	}
	top := uint32(0)
	for _, n := range x.numbers {
		top = max(top, n)
	}
	if uint64(top) < 4*uint64(x.count)+1024 {
		return x.finishDense(top)
	}
	x.sparse = make(map[uint32]ir.NodeID, x.count)
	for id, n := range x.numbers {
		if _, ok := x.sparse[n]; ok {
			return ir.NodeID(id), true
		}
		x.sparse[n] = ir.NodeID(id)
	}
	return 0, false
}

// finishDense makes the table for numbers without large gaps, as compilers write them.
func (x *numberIndex) finishDense(top uint32) (twice ir.NodeID, bad bool) {
	x.dense = make([]uint32, top+1)
	for id, n := range x.numbers {
		if x.dense[n] != 0 {
			return ir.NodeID(id), true
		}
		x.dense[n] = uint32(id) + 1
	}
	return 0, false
}

// findNumber returns the node that has the number.
func (x *numberIndex) findNumber(number uint32) (ir.NodeID, bool) {
	switch {
	case x.numbers == nil:
		return ir.NodeID(number), number < x.count
	case x.dense != nil:
		if uint64(number) >= uint64(len(x.dense)) || x.dense[number] == 0 {
			return 0, false
		}
		return ir.NodeID(x.dense[number] - 1), true
	}
	id, ok := x.sparse[number]
	return id, ok
}

// numberOf returns the number of a node.
func (x *numberIndex) numberOf(id ir.NodeID) uint32 {
	if x.numbers == nil {
		return uint32(id)
	}
	return x.numbers[id]
}

// refSink collects references, each once in a round. A round is a value or a node.
type refSink struct {
	list  []ir.Ref
	round uint32
	seen  [6][]uint32 // by kind: the round that last added the index; nil before the first
	sizes [6]int
}

// newRefSink makes a sink for the tables of a module. The set of a kind is allocated on first use.
func newRefSink(m *ir.Module, nodes int) *refSink {
	r := new(refSink)
	r.sizes[ir.RefCallee] = len(m.Values)
	r.sizes[ir.RefAddress] = len(m.Values)
	r.sizes[ir.RefType] = len(m.Types)
	r.sizes[ir.RefAttributes] = len(m.AttributeGroups)
	r.sizes[ir.RefNode] = nodes
	return r
}

// beginValue starts a new round.
func (r *refSink) beginValue() {
	r.list = r.list[:0]
	r.round++
}

// addRef notes a reference, once for the current value.
func (r *refSink) addRef(kind ir.RefKind, index uint32) {
	if r.seen[kind] == nil {
		r.seen[kind] = make([]uint32, r.sizes[kind])
	}
	if seen := r.seen[kind]; seen[index] != r.round {
		seen[index] = r.round
		r.list = append(r.list, ir.MakeRef(kind, index))
	}
}

// dropAfter takes back the references after the first n, which may then be noted again.
func (r *refSink) dropAfter(n int) {
	for _, ref := range r.list[n:] {
		r.seen[ref.Kind()][ref.Index()] = 0
	}
	r.list = r.list[:n]
}
