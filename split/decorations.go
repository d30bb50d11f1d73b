package split

import (
	"fmt"
	"strconv"

	"offlink/ir"
	"offlink/ir/sycl"
)

// Decorations selects the !spirv.Decorations that device globals and host pipes
// get. Front ends from 2025 on write them, so that splitters leave them as they
// are; modules of other front ends have none.
type Decorations uint8

const (
	// DecorationsKept leaves those of the input.
	DecorationsKept Decorations = iota
	// DecorationsDraft are those that DPC++ writes and its translator reads:
	// the numbers of the draft SPV_INTEL_global_variable_decorations.
	DecorationsDraft
	// DecorationsFinal are those of SPIR-V's headers:
	// SPV_INTEL_global_variable_host_access and
	// SPV_INTEL_global_variable_fpga_decorations.
	DecorationsFinal
)

// ParseDecorations returns the value of that spelling.
func ParseDecorations(s string) (Decorations, error) {
	switch s {
	case "none":
		return DecorationsKept, nil
	case "draft":
		return DecorationsDraft, nil
	case "final":
		return DecorationsFinal, nil
	}
	return 0, fmt.Errorf("there are no decorations '%s': use none, draft or final", s)
}

// decorationNumbers are the decorations and their literals in one edition.
type decorationNumbers struct {
	hostAccess, initMode, implementInCSR int64
	// access are the literals of sycl::host_access_enum: read, write,
	// read_write, none.
	access [4]int64
}

// decorationTable has the numbers of each edition. They overlap: 6147 and 6148
// are other decorations in the registry's text than in the draft.
var decorationTable = map[Decorations]decorationNumbers{
	DecorationsDraft: {6147, 6148, 6149, [4]int64{0, 1, 2, 3}},
	DecorationsFinal: {6188, 6190, 6191, [4]int64{1, 2, 3, 0}},
}

// defaultAccess is sycl::host_access_enum::read_write.
const defaultAccess = 2

// decoratePartition attaches decorations to the device globals and host pipes of the
// partition. Other decorations that they have stay.
func (x *Extractor) decoratePartition(s *Partition) error {
	numbers, wanted := decorationTable[x.graph.options.Decorations]
	if !wanted {
		return nil
	}
	for _, list := range [][]ir.ValueID{s.Definitions, s.Declarations} {
		for _, id := range list {
			if !x.graph.isDecorated(id) {
				continue
			}
			node, err := x.graph.decorationNode(id, numbers)
			if err != nil {
				return err
			}
			e := s.Edit(id)
			e.Attach = append(e.Attach, ir.NewAttachment{Kind: sycl.KindDecorations, Node: node})
		}
	}
	return nil
}

// isDecorated reports whether a variable is a device global or a host pipe.
func (g *Graph) isDecorated(id ir.ValueID) bool {
	if g.Module.Values[id].Kind != ir.Variable {
		return false
	}
	_, pipe := g.Module.Attribute(id, sycl.AttributeHostPipe)
	return pipe || g.IsDeviceGlobal(id)
}

// decorationNode returns the list of decorations of a variable.
func (g *Graph) decorationNode(id ir.ValueID, n decorationNumbers) (ir.NewNode, error) {
	node, err := g.otherDecorations(id)
	if err != nil {
		return node, err
	}
	access, _, err := g.attributeNumber(id, sycl.AttributeHostAccess, defaultAccess)
	if err != nil || access >= int64(len(n.access)) {
		return node, fmt.Errorf("@%s: the attribute %q is not a host access from 0 to 3", g.Module.Values[id].Name, sycl.AttributeHostAccess)
	}
	unique, _ := g.Module.Attribute(id, sycl.AttributeUniqueID)
	add := func(operands ...ir.Operand) {
		node.Operands = append(node.Operands, ir.Operand{Kind: ir.OperandTuple, Elements: operands})
	}
	add(int32Operand(n.hostAccess), int32Operand(n.access[access]), ir.Operand{Kind: ir.OperandString, String: unique})
	for _, a := range []struct {
		attribute  string
		decoration int64
	}{{sycl.AttributeInitMode, n.initMode}, {sycl.AttributeImplementInCSR, n.implementInCSR}} {
		value, has, err := g.attributeNumber(id, a.attribute, 1)
		if err != nil {
			return node, err
		}
		if has {
			add(int32Operand(a.decoration), int32Operand(value))
		}
	}
	return node, nil
}

func int32Operand(n int64) ir.Operand { return ir.Operand{Kind: ir.OperandInt, Int: n, Bits: 32} }

// otherDecorations returns the decorations of the input except the three that are written here, in
// the numbers of either edition.
func (g *Graph) otherDecorations(id ir.ValueID) (ir.NewNode, error) {
	var node ir.NewNode
	list, has, err := sycl.Attached(g.Module, &g.Module.Values[id], sycl.KindDecorations)
	if err != nil || !has {
		return node, err
	}
	for _, o := range list {
		operands, err := g.Module.Resolve(o)
		if err != nil {
			return node, err
		}
		if len(operands) == 0 || !isGlobalDecoration(operands[0].Int) {
			node.Operands = append(node.Operands, o)
		}
	}
	return node, nil
}

func isGlobalDecoration(number int64) bool {
	for _, n := range decorationTable {
		if number == n.hostAccess || number == n.initMode || number == n.implementInCSR {
			return true
		}
	}
	return false
}

// attributeNumber returns the number in an attribute. An empty string is ifEmpty, "true" is 1 and
// "false" is 0.
func (g *Graph) attributeNumber(id ir.ValueID, attribute string, ifEmpty int64) (n int64, has bool, err error) {
	text, has := g.Module.Attribute(id, attribute)
	switch text {
	case "":
		return ifEmpty, has, nil
	case "true":
		return 1, has, nil
	case "false":
		return 0, has, nil
	}
	u, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		err = fmt.Errorf("@%s: the attribute %q is %q, want a number", g.Module.Values[id].Name, attribute, text)
	}
	return int64(u), has, err
}
