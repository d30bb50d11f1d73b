package split

import (
	"fmt"
	"slices"

	"offlink/ir"
)

// Named metadata about specialization constants: for each constant a node
// {name, triples of ID, offset and size}; the default values, as bytes; and an
// empty list in images where these values have replaced the constants.
const (
	specList         = "sycl.specialization-constants"
	specDefaults     = "sycl.specialization-constants-default-values"
	specDefaultImage = "sycl.specialization-constants-default-values-module"
)

// specNumbering numbers the constants of one image.
type specNumbering struct {
	source    *specConstants
	mode      SpecConstantMode
	names     spirvNames
	byName    map[string]int
	constants []SpecConstant
	first     []uint32 // ID of each constant, its offset in the buffer when emulated
	after     []uint32 // the ID after those of each constant
	next      uint32   // ID
	end       uint64   // of the buffer
}

// specUse is a read in a function of the partition.
type specUse struct {
	function ir.ValueID
	read     *specRead
}

// lowerReads replaces the reads of the partition. Their order gives the constants their numbers; the
// edits of a function are put back into the order of its calls.
func (n *specNumbering) lowerReads(x *Extractor, s *Partition) error {
	n.source = x.graph.specConstants
	n.names = newSpirvNames(n.source)
	var uses []specUse
	for _, id := range s.Definitions {
		reads := n.source.reads[id]
		for i := range reads {
			uses = append(uses, specUse{id, &reads[i]})
			if n.mode == SpecConstantsNative {
				n.names.reserveNames(reads[i].value, 0, reads[i].typ)
			}
		}
	}
	sortReads(uses, s.Group.Whole)
	for _, use := range uses {
		value, err := n.readExpression(use.read)
		if err != nil {
			return fmt.Errorf("the specialization constant %q: %w", use.read.name, err)
		}
		if use.read.allocation != nil {
			value = use.read.allocation.allocateOnce(value)
		}
		e := s.Edit(use.function)
		e.Calls = append(e.Calls, ir.CallEdit{Call: use.read.call, Value: value})
	}
	for _, use := range uses {
		e := s.Edit(use.function)
		slices.SortFunc(e.Calls, func(a, b ir.CallEdit) int { return a.Call - b.Call })
	}
	return nil
}

// readExpression returns the expression for the value of a read, and numbers the constant if it is
// new.
func (n *specNumbering) readExpression(read *specRead) (ir.Expression, error) {
	if n.mode == SpecConstantsDefault {
		return n.defaultValue(read)
	}
	i, known := n.byName[read.name]
	if !known {
		i = len(n.constants)
		if err := n.addConstant(read); err != nil {
			return ir.Expression{}, err
		}
	}
	switch {
	case n.mode == SpecConstantsNative:
		id := n.first[i]
		value, err := n.nativeConstant(read, 0, read.typ, &id)
		if err == nil && id != n.after[i] {
			err = errTwoTypes
		}
		return value, err
	case len(read.value.data) != n.sizeWithoutPadding(i):
		return ir.Expression{}, errTwoTypes
	case read.allocation != nil:
		return n.defaultValue(read)
	}
	_, align, err := n.source.layout.typeSize(read.typ)
	return ir.Expression{Kind: ir.ExpressionLoad, Type: read.typ, Argument: read.buffer, Offset: uint64(n.first[i]), Align: align}, err
}

var errTwoTypes = fmt.Errorf("it is read with two types that are not alike")

// sizeWithoutPadding returns the size of a constant without the padding that aligns the next one.
func (n *specNumbering) sizeWithoutPadding(i int) int { return int(n.constants[i].Parts[0].Size) }

// defaultValue returns the default value as a constant of the type that the code reads.
func (n *specNumbering) defaultValue(read *specRead) (ir.Expression, error) {
	_, align, err := n.source.layout.typeSize(read.typ)
	if err != nil {
		return ir.Expression{}, err
	}
	value, err := n.source.constantAt(read.value, 0, read.typ)
	e := constantExpression(value)
	e.Align = align
	return e, err
}

// addConstant numbers a constant that was not read before: natively by IDs of its scalars, emulated
// by its offset in the buffer.
func (n *specNumbering) addConstant(read *specRead) error {
	n.byName[read.name] = len(n.constants)
	constant := SpecConstant{Name: read.name, Default: read.value.data}
	if n.mode == SpecConstantsNative {
		n.first = append(n.first, n.next)
		constant.Parts = n.source.constantParts(read.typ, read.value, &n.next)
		n.after = append(n.after, n.next)
	} else {
		_, align, err := n.source.layout.typeSize(read.typ)
		if err != nil {
			return err
		}
		n.alignEnd(align)
		constant.Parts = []SpecConstantPart{{uint32(len(n.constants)), 0, uint32(len(read.value.data))}}
		n.first = append(n.first, uint32(n.end))
		n.end += uint64(len(read.value.data))
	}
	n.constants = append(n.constants, constant)
	return nil
}

// alignEnd aligns the end of the buffer. The padding belongs to the constant before it, since the
// runtime finds constants by adding up sizes.
func (n *specNumbering) alignEnd(to uint64) {
	padding := roundUp(n.end, to) - n.end
	if padding == 0 {
		return
	}
	n.end += padding
	last := &n.constants[len(n.constants)-1]
	last.Parts = append(last.Parts, SpecConstantPart{PaddingID, uint32(len(last.Default)), uint32(padding)})
	last.Default = append(slices.Clip(last.Default), make([]byte, padding)...)
}

// idMetadata returns the named metadata about the constants. If an image has no constants, the
// lists are empty, unless the input has lists: it was lowered before.
func (n *specNumbering) idMetadata(m *ir.Module) []ir.NamedEdit {
	if len(n.constants) == 0 && m.Named(specList) != nil {
		return nil
	}
	list, defaults := ir.NamedEdit{Name: specList}, ir.NamedEdit{Name: specDefaults}
	for i := range n.constants {
		c := &n.constants[i]
		node := ir.NewNode{Operands: []ir.Operand{{Kind: ir.OperandString, String: c.Name}}}
		value := c.Default
		for _, p := range c.Parts {
			for _, number := range []uint32{p.ID, p.Offset, p.Size} {
				node.Operands = append(node.Operands, ir.Operand{Kind: ir.OperandInt, Int: int64(int32(number)), Bits: 32})
			}
		}
		list.New = append(list.New, node)
		if last := c.Parts[len(c.Parts)-1]; n.mode == SpecConstantsEmulated && last.ID == PaddingID {
			defaults.New = append(defaults.New, bytesNode(value[:last.Offset]))
			value = value[last.Offset:]
		}
		defaults.New = append(defaults.New, bytesNode(value))
	}
	edits := []ir.NamedEdit{list, defaults}
	if n.mode == SpecConstantsDefault {
		edits = append(edits, ir.NamedEdit{Name: specDefaultImage})
	}
	return edits
}

// bytesNode returns a node with an integer for each byte.
func bytesNode(data []byte) ir.NewNode {
	var node ir.NewNode
	for _, b := range data {
		node.Operands = append(node.Operands, ir.Operand{Kind: ir.OperandInt, Int: int64(int8(b)), Bits: 8})
	}
	return node
}
