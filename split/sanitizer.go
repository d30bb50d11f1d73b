package split

import (
	"slices"
	"strconv"

	"offlink/ir"
	"offlink/ir/sycl"
)

// sanitizerVariables list the kernels that a sanitizer has instrumented. The compiler gives the
// list of each source file appending linkage, and linking joins them.
var sanitizerVariables = []string{"__AsanKernelMetadata", "__MsanKernelMetadata", "__TsanKernelMetadata"}

// sanitizerList is the joined list of a module. The runtime reads it as a device global.
type sanitizerList struct {
	variable ir.ValueID
	size     string // in bytes, of the whole list: the attribute has that of one source file
	used     bool   // by something that would see another type
}

// sanitizerName is the name under which the runtime looks for the list of any sanitizer.
const sanitizerName = "_Z20__SanitizerKernelMetadata"

// findSanitizerList finds the list of a module that was instrumented.
func (g *Graph) findSanitizerList() error {
	for _, name := range sanitizerVariables {
		id, ok := g.Module.Lookup(name)
		if !ok || g.Module.Values[id].Declaration || g.Module.Types[g.Module.Values[id].Type].Kind != ir.TypeArray {
			continue
		}
		l := newLayout(g.Module)
		size, _, err := l.typeSize(g.Module.Values[id].Type)
		if err != nil {
			return err
		}
		users := g.usersOf(map[ir.ValueID]bool{id: true})
		g.sanitizer = &sanitizerList{id, strconv.FormatUint(size, 10), len(users[id]) > 0}
		g.modified = true
		return nil
	}
	return nil
}

// DeviceGlobalSize returns the size of a device_global variable as its attribute in an image
// spells it.
func (g *Graph) DeviceGlobalSize(id ir.ValueID) string {
	if g.sanitizer != nil && g.sanitizer.variable == id {
		return g.sanitizer.size
	}
	size, _ := g.Module.Attribute(id, sycl.AttributeDeviceGlobalSize)
	return size
}

// publishSanitizerList makes a device global of the list of an image: a variable that is a
// structure, as others are, of external linkage, with its size and its decoration, which linkers
// drop.
func (x *Extractor) publishSanitizerList(s *Partition) error {
	list := x.graph.sanitizer
	if list == nil {
		return nil
	}
	if _, has := slices.BinarySearch(s.Definitions, list.variable); !has {
		return nil
	}
	e := s.Edit(list.variable)
	e.Linkage, e.SetLinkage = ir.External, true
	e.Wrap = !list.used
	e.Remove = append(e.Remove, sycl.AttributeDeviceGlobalSize)
	e.Add = append(e.Add, ir.Attribute{Key: sycl.AttributeDeviceGlobalSize, Value: list.size})
	if _, chosen := decorationTable[x.graph.options.Decorations]; chosen {
		return nil // decoratePartition has written them
	}
	node, err := x.graph.otherDecorations(list.variable)
	if err != nil {
		return err
	}
	draft := decorationTable[DecorationsDraft]
	node.Operands = append(node.Operands, ir.Operand{Kind: ir.OperandTuple, Elements: []ir.Operand{
		int32Operand(draft.hostAccess), int32Operand(draft.access[0]), {Kind: ir.OperandString, String: sanitizerName},
	}})
	e.Attach = append(e.Attach, ir.NewAttachment{Kind: sycl.KindDecorations, Node: node})
	return nil
}
