package irtext

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"offlink/ir"
)

// writer writes partitions of one module. It implements [ir.PartitionWriter]. A writer belongs to
// one goroutine. Its tables are as large as the module's and are used for one partition after
// another.
type writer struct {
	text    *text
	reacher *ir.Reacher
	parser  *parser // looks at the text that has to be changed

	out       io.Writer
	buf       []byte
	partition *ir.Partition
	reach     *ir.Reach

	numbers    []uint32 // by ValueID: the number of an unnamed value of the partition
	renumbered bool     // some of them differ from the module's
	groups     []newGroup
	groupsOf   map[ir.AttributeGroupID][]int // indices in groups
	nodes      []ir.NewNode                  // that the partition adds, in the order of their numbers
	declared   []declaration
	patches    []patch
	globals    []globalName
	operands   []span
}

// flushSize is how much the writer gathers before it writes. It is so large that the number of
// writes does not matter, and small compared with a large module.
const flushSize = 1 << 18

// NewWriter implements [ir.Source].
func (t *text) NewWriter() ir.PartitionWriter {
	p := t.newParser()
	p.locals = newLocals()
	return &writer{
		text:     t,
		reacher:  ir.NewReacher(t.module),
		parser:   p,
		numbers:  make([]uint32, len(t.module.Values)),
		groupsOf: make(map[ir.AttributeGroupID][]int),
	}
}

// WritePartition implements [ir.PartitionWriter].
func (w *writer) WritePartition(out io.Writer, s *ir.Partition) (err error) {
	reach, err := w.reacher.Reach(s)
	if err != nil {
		return fmt.Errorf("%s: %w", w.text.module.Path, err)
	}
	w.out, w.partition, w.reach = out, s, reach
	w.buf, w.groups, w.nodes, w.declared = w.buf[:0], w.groups[:0], w.nodes[:0], w.declared[:0]
	clear(w.groupsOf)
	w.numberGlobals()
	f := catchFault(func() { err = w.writePartition() })
	if f != nil {
		return errorAt(w.text.module.Path, w.text.data, f)
	}
	return err
}

// writePartition writes the sections in the order in which LLVM prints a module. Groups and new
// nodes come last, since only writing the values shows which of them are needed.
func (w *writer) writePartition() error {
	w.writeModule()
	w.writeTypes()
	w.writeComdats()
	if err := w.writeValues(); err != nil {
		return err
	}
	w.writeDeclared()
	w.writeGroups()
	w.writeNamed()
	w.writeNodes()
	w.writeNewNodes()
	return w.flushBuffer()
}

// flushBuffer writes the buffer.
func (w *writer) flushBuffer() error {
	_, err := w.out.Write(w.buf)
	w.buf = w.buf[:0]
	return err
}

// flushIfLarge writes the buffer if it is large, so that memory does not grow with the partition.
func (w *writer) flushIfLarge() error {
	if len(w.buf) < flushSize {
		return nil
	}
	return w.flushBuffer()
}

func (w *writer) appendString(s string) { w.buf = append(w.buf, s...) }
func (w *writer) copySpan(at span)      { w.buf = append(w.buf, w.text.data[at.start:at.end]...) }
func (w *writer) copyLine(at span)      { w.copySpan(at); w.buf = append(w.buf, '\n') }
func (w *writer) addNumber(n uint32)    { w.appendString(formatNumber(n)) }

// numberGlobals gives the unnamed values of the partition numbers without gaps, which LLVM before
// 19 requires.
func (w *writer) numberGlobals() {
	w.renumbered = false
	if len(w.text.unnamed) == 0 {
		return
	}
	next := uint32(0)
	for v := range w.partition.Values() {
		if v.Value.Name == "" {
			w.numbers[v.ID] = next
			w.renumbered = w.renumbered || next != w.text.partsOf(&w.text.values[v.ID]).number
			next++
		}
	}
}

// writeModule writes the properties of the module as a whole.
func (w *writer) writeModule() {
	m := w.text.module
	w.writeStatement("source_filename = ", m.SourceFilename)
	w.writeStatement("target datalayout = ", m.DataLayout)
	w.writeStatement("target triple = ", m.Triple)
	for _, at := range w.text.asm {
		w.copyLine(at)
	}
}

// writeStatement writes a property of the module, unless it is empty.
func (w *writer) writeStatement(start, value string) {
	if value == "" {
		return
	}
	w.appendString(start)
	w.buf = appendQuoted(w.buf, []byte(value))
	w.appendString("\n")
}

// writeTypes writes the identified structs.
func (w *writer) writeTypes() {
	types := w.reach.Types
	// LLVM's parser wants aliases to be defined before their use, so the order is the input's.
	if w.text.aliases {
		types = slices.Clone(types)
		slices.SortFunc(types, func(a, b ir.TypeID) int { return cmp.Compare(w.text.types[a].start, w.text.types[b].start) })
	}
	for i, id := range types {
		if i == 0 {
			w.appendString("\n")
		}
		w.copyLine(w.text.types[id])
	}
}

// writeComdats writes the comdats of the partition.
func (w *writer) writeComdats() {
	for i, id := range w.reach.Comdats {
		if i == 0 {
			w.appendString("\n")
		}
		comdat := &w.text.module.Comdats[id]
		selection := comdat.Selection
		if other, ok := w.partition.Selections[id]; ok {
			selection = other
		}
		w.appendString("$")
		w.buf = appendName(w.buf, []byte(comdat.Name))
		w.appendString(" = comdat " + selection + "\n")
	}
}

// writeValues writes the global values in the order of the module.
func (w *writer) writeValues() error {
	before := ir.Kind(255)
	var v ir.PartitionValue // one for all, as it is on the heap
	for v = range w.partition.Values() {
		// The blank lines are those of LLVM's printer, so that outputs can be compared with
		// its own.
		if kind := v.Value.Kind; kind != before || kind == ir.Function {
			w.appendString("\n")
			before = kind
		}
		if err := w.writeValue(&v); err != nil {
			return err
		}
		if err := w.flushIfLarge(); err != nil {
			return err
		}
	}
	return nil
}

// writeValue writes one value. A value that the partition does not change is copied.
func (w *writer) writeValue(v *ir.PartitionValue) error {
	kind, at := v.Value.Kind, &w.text.values[v.ID]
	if v.Definition && v.Value.Declaration || !v.Definition && (kind == ir.Alias || kind == ir.IFunc) {
		return fmt.Errorf("%s: '@%s' cannot be %s", w.text.module.Path, v.Value.Name, map[bool]string{true: "defined", false: "declared"}[v.Definition])
	}
	keep := v.Elements()
	unchanged := v.Unedited() && !v.BecomesDeclaration() && keep == nil && w.text.describesDefinition(at, v.Value)
	if unchanged && !(w.renumbered && at.namesNumber) {
		w.writeUnchanged(at)
		return nil
	}
	w.writeHeader(v, keep)
	if v.Definition && w.text.partsOf(at).body != 0 {
		w.writeBody(v.ID, v.Edit)
	}
	w.appendString("\n")
	return nil
}

// describesDefinition reports whether the text still says about the value all that the model does.
// Steps before the split change only linkage, comdat and convention (of entry points) and add
// attributes. They never replace an attribute, so comparing the counts is enough.
func (t *text) describesDefinition(at *valueText, v *ir.GlobalValue) bool {
	d := v.Details()
	parts := t.partsOf(at)
	return at.linkage == v.Linkage && parts.comdat == v.Comdat && parts.convention == v.CallingConv &&
		int(parts.attributes) == len(d.Attributes) && int(parts.groups) == len(d.Groups)
}

// writeUnchanged copies a definition as it stands in the input, without the use-list orders at its
// end, which order the uses of the whole module.
func (w *writer) writeUnchanged(at *valueText) {
	cut := w.text.partsOf(at).cut
	if cut == 0 {
		w.copyLine(at.span)
		return
	}
	w.copySpan(span{at.start, cut})
	w.appendString("}\n")
}

// writeBody writes the body of a function up to its use-list orders, with the calls replaced that
// the edit names.
func (w *writer) writeBody(id ir.ValueID, edit *ir.Edit) {
	at := &w.text.values[id]
	parts := w.text.partsOf(at)
	end := at.end
	if parts.cut != 0 {
		end = parts.cut
	}
	w.appendString(" ")
	if len(edit.Calls) > 0 {
		w.rewriteBody(id, edit, int(end))
	} else {
		w.copyPatched(int(parts.body), int(end))
	}
	if parts.cut != 0 {
		w.appendString("}")
	}
}
