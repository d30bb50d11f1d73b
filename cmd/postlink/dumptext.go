package main

import (
	"fmt"
	"strconv"
	"strings"

	"offlink/ir"
)

// maxTextDepth is the depth to which types and metadata are spelled out: nodes can form
// cycles.
const maxTextDepth = 4

// typeText spells a type as LLVM does, with "..." for deeply nested elements.
func typeText(m *ir.Module, id ir.TypeID) string { return nestedType(m, id, 0) }

// nestedType spells a type, bounded in depth: types of hostile bitcode may nest without end.
func nestedType(m *ir.Module, id ir.TypeID, depth int) string {
	if int(id) >= len(m.Types) || depth > maxTextDepth {
		return "..."
	}
	t := &m.Types[id]
	element := func(i int) string { return nestedType(m, t.Elements[i], depth+1) }
	switch t.Kind {
	case ir.TypeInteger:
		return "i" + strconv.FormatUint(uint64(t.Bits), 10)
	case ir.TypePointer:
		space := ""
		if t.AddressSpace != 0 {
			space = fmt.Sprintf(" addrspace(%d)", t.AddressSpace)
		}
		if len(t.Elements) == 1 {
			return element(0) + space + "*"
		}
		return "ptr" + space
	case ir.TypeArray:
		return fmt.Sprintf("[%d x %s]", t.Length, element(0))
	case ir.TypeVector:
		scale := ""
		if t.Scalable {
			scale = "vscale x "
		}
		return fmt.Sprintf("<%s%d x %s>", scale, t.Length, element(0))
	case ir.TypeStruct:
		return structText(m, t, depth)
	case ir.TypeFunction:
		list := elementTexts(m, t.Elements[1:], depth)
		if t.Variadic {
			list = append(list, "...")
		}
		return element(0) + " (" + strings.Join(list, ", ") + ")"
	case ir.TypeTarget:
		return fmt.Sprintf("target(%q)", t.Name)
	}
	return t.Name
}

// elementTexts spells the types of elements.
func elementTexts(m *ir.Module, elements []ir.TypeID, depth int) (list []string) {
	for _, e := range elements {
		list = append(list, nestedType(m, e, depth+1))
	}
	return list
}

// structText spells a struct, by its name where it has one.
func structText(m *ir.Module, t *ir.Type, depth int) string {
	if t.Identified && t.Name != "" {
		return "%" + t.Name
	}
	body := "{ " + strings.Join(elementTexts(m, t.Elements, depth), ", ") + " }"
	if t.Packed {
		return "<" + body + ">"
	}
	return body
}

// metadataPrinter spells metadata: tuples with their elements, other nodes by
// their kind and name. It keeps an error, so that its callers stay expressions.
type metadataPrinter struct {
	module *ir.Module
	err    error
}

func (p *metadataPrinter) operandText(o ir.Operand) string { return p.nestedOperand(o, 0) }

// nestedOperand spells an operand of a node.
func (p *metadataPrinter) nestedOperand(o ir.Operand, depth int) string {
	switch o.Kind {
	case ir.OperandNull:
		return "null"
	case ir.OperandString:
		return strconv.Quote(o.String)
	case ir.OperandInt:
		return fmt.Sprintf("i%d %d", o.Bits, o.Int)
	case ir.OperandValue:
		return "@" + valueName(p.module, o.Value)
	case ir.OperandField:
		if o.String != "" {
			return o.String
		}
		return strconv.FormatInt(o.Int, 10)
	case ir.OperandNode, ir.OperandTuple:
		return p.nodeText(o, depth)
	}
	return "..."
}

// nodeText spells a node, with its operands up to the bound.
func (p *metadataPrinter) nodeText(o ir.Operand, depth int) string {
	operands, err := p.module.Resolve(o)
	if err != nil {
		p.err = err
		return "..."
	}
	if o.Kind == ir.OperandNode {
		if kind := p.module.Nodes.Kind(o.Node); kind != "" {
			return p.specializedNode(kind, operands, depth)
		}
	}
	if depth > maxTextDepth {
		return "{...}"
	}
	var list []string
	for _, e := range operands {
		list = append(list, p.nestedOperand(e, depth+1))
	}
	return "{" + strings.Join(list, ", ") + "}"
}

// specializedNode spells a node other than a tuple: the fields that name it, and
// the elements of a node without fields.
func (p *metadataPrinter) specializedNode(kind string, operands []ir.Operand, depth int) string {
	var list []string
	for _, o := range operands {
		switch {
		case o.Field == "" && depth <= maxTextDepth:
			list = append(list, p.nestedOperand(o, depth+1))
		case o.Field == "name" || o.Field == "linkageName" || o.Field == "filename" || o.Field == "line":
			if text := plainText(o); text != "" {
				list = append(list, o.Field+": "+text)
			}
		case o.Field == "file" && kind == "DICompileUnit" && depth <= maxTextDepth:
			list = append(list, p.nestedOperand(o, depth+1))
		}
	}
	return kind + "(" + strings.Join(list, ", ") + ")"
}

// plainText is the text of a field that is a string or number, or an empty
// string.
func plainText(o ir.Operand) string {
	if o.String == "" && o.Int != 0 {
		return strconv.FormatInt(o.Int, 10)
	}
	return o.String
}
