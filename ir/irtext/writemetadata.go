package irtext

import (
	"bytes"
	"strconv"

	"offlink/ir"
)

// writeNamed writes the named metadata of the partition. Operands that the module has are copied;
// those that an edit adds are new nodes.
func (w *writer) writeNamed() {
	w.appendString("\n")
	for list := range w.reach.Named() {
		w.appendString("!")
		w.buf = appendMetadataName(w.buf, list.Name)
		w.appendString(" = !{")
		first := true
		for k := range list.Operands() {
			w.separateItem(&first)
			w.copySpan(w.text.named[list.Index][k])
		}
		for _, n := range list.New {
			w.separateItem(&first)
			w.newNode(n)
		}
		w.appendString("}\n")
	}
}

// separateItem writes a comma before every item except the first.
func (w *writer) separateItem(first *bool) {
	if !*first {
		w.appendString(", ")
	}
	*first = false
}

// newNode writes the number of a node that the partition adds.
func (w *writer) newNode(n ir.NewNode) {
	w.nodes = append(w.nodes, n)
	w.appendString("!")
	w.addNumber(w.text.lastNode + uint32(len(w.nodes)))
}

// writeNewNodes writes the nodes that the partition adds, numbered after those of the module.
// Operands that are tuples are written in place, so that no node is added while the list is walked.
func (w *writer) writeNewNodes() {
	for i, n := range w.nodes {
		w.appendString("!")
		w.addNumber(w.text.lastNode + 1 + uint32(i))
		w.appendString(" = !{")
		w.newOperands(n.Operands)
		w.appendString("}\n")
	}
}

// newOperands writes the operands of a new node.
func (w *writer) newOperands(operands []ir.Operand) {
	first := true
	for i := range operands {
		w.separateItem(&first)
		w.newOperand(&operands[i])
	}
}

// newOperand writes an operand of a new node.
func (w *writer) newOperand(o *ir.Operand) {
	switch o.Kind {
	case ir.OperandString:
		w.appendString("!")
		w.buf = appendQuoted(w.buf, []byte(o.String))
	case ir.OperandNode:
		w.appendString("!")
		w.addNumber(w.text.nodeIndex.numberOf(o.Node))
	case ir.OperandInt:
		w.appendString("i" + strconv.Itoa(o.Bits) + " ")
		w.buf = strconv.AppendInt(w.buf, o.Int, 10)
	case ir.OperandValue:
		w.valueOperand(o.Value)
	case ir.OperandTuple:
		w.appendString("!{")
		w.newOperands(o.Elements)
		w.appendString("}")
	default:
		w.appendString("null")
	}
}

// valueOperand writes a global value with its type, or null if the partition lacks it. Metadata
// does not keep a value alive: LLVM, too, replaces the use by null when it deletes the value.
func (w *writer) valueOperand(id ir.ValueID) {
	if !w.reach.Keeps(id) {
		w.appendString("null")
		return
	}
	v := &w.text.module.Values[id]
	if w.text.typed {
		w.buf = w.text.appendType(w.buf, v.Type)
		w.buf = appendSpace(w.buf, v.AddressSpace)
		w.appendString("*")
	} else {
		w.buf = appendSpace(append(w.buf, "ptr"...), v.AddressSpace)
	}
	w.appendString(" @")
	if v.Name == "" {
		w.addNumber(w.numbers[id])
		return
	}
	w.buf = appendName(w.buf, []byte(v.Name))
}

// writeNodes writes the metadata nodes of the partition. Nodes that are neighbours in the input are
// copied together.
func (w *writer) writeNodes() {
	w.appendString("\n")
	var run span
	for _, id := range w.reach.Nodes {
		n := w.text.nodes[id]
		unit := w.reach.Unit(id)
		if unit != nil || n.namesValues() {
			w.copyRun(&run)
			w.writeNode(n, unit)
			continue
		}
		// Only a single line break may lie between neighbours; comments and other
		// definitions end the run.
		if run.end+1 != n.start || w.text.data[run.end] != '\n' {
			w.copyRun(&run)
			run.start = n.start
		}
		run.end = n.textEnd()
	}
	w.copyRun(&run)
}

// copyRun copies neighbouring nodes at once: most partitions with debug information keep long runs.
func (w *writer) copyRun(run *span) {
	if run.end > run.start {
		w.copyLine(*run)
	}
	*run = span{}
}

// writeNode writes a node that may be different in the partition: the variables of a compile unit,
// values that are not there or have another number.
func (w *writer) writeNode(n nodeText, unit *ir.Unit) {
	p := w.parser
	w.operands = w.operands[:0]
	w.globals = w.globals[:0]
	w.patches = w.patches[:0]
	p.operands, p.globals = &w.operands, &w.globals
	p.pos = int(n.start) + 1
	p.number32()
	p.expectByte('=')
	body := p.pos
	p.nodeBody()
	p.operands, p.globals = nil, nil
	w.patchValues()
	if unit != nil {
		w.patchUnit(body, unit)
	}
	w.sortPatches()
	w.copyPatched(int(n.start), int(n.textEnd()))
	w.appendString("\n")
}

// patchValues makes patches for the global values in w.globals: null for operands that name a value
// that is not in the partition, new numbers for others. Both lists are in the order of the text.
func (w *writer) patchValues() {
	operands, dropped := w.operands, false
	for _, use := range w.globals {
		for len(operands) > 0 && operands[0].end <= use.start {
			operands, dropped = operands[1:], false
		}
		switch {
		case dropped:
		case !w.reach.Keeps(use.value) && len(operands) > 0:
			w.patches = append(w.patches, patch{int(operands[0].start), int(operands[0].end), "null"})
			dropped = true
		case use.numbered:
			w.patches = append(w.patches, patch{int(use.start), int(use.end), formatNumber(w.numbers[use.value])})
		}
	}
	w.removeOverlaps()
}

// removeOverlaps drops the patches that lie within another one: if an operand becomes null, nothing
// in it has to be patched.
func (w *writer) removeOverlaps() {
	w.sortPatches()
	kept := w.patches[:0]
	for _, p := range w.patches {
		if n := len(kept); n == 0 || kept[n-1].end <= p.start {
			kept = append(kept, p)
		}
	}
	w.patches = kept
}

// patchUnit makes the patch for the variables that a compile unit lists. The node's body begins at
// pos. LLVM keeps the variables of a unit in a list of the unit (DICompileUnit, "globals"), so the
// debug information of variables that are left out would stay otherwise.
func (w *writer) patchUnit(pos int, unit *ir.Unit) {
	p := w.parser
	p.pos = pos
	p.acceptWord("distinct")
	p.expectByte('!')
	p.metadataName()
	p.expectByte('(')
	for more := p.peekByte() != ')'; more; more = p.acceptByte(',') {
		p.peekByte()
		start := p.pos
		p.withoutNodes(p.parseField)
		const globals = "globals:"
		if bytes.HasPrefix(p.data[start:], []byte(globals)) {
			w.patches = append(w.patches, patch{start + len(globals), p.endOfToken(), " " + w.unitGlobals(unit)})
		}
	}
}

// unitGlobals returns the text of the list of a compile unit's variables that are left.
func (w *writer) unitGlobals(unit *ir.Unit) string {
	text := "!{"
	for i, id := range unit.Globals {
		if i > 0 {
			text += ", "
		}
		text += "!" + formatNumber(w.text.nodeIndex.numberOf(id))
	}
	return text + "}"
}
