package bitcode

import (
	"slices"

	"offlink/ir/bitcode/bitstream"
	"offlink/ir/llvmschema"
	"offlink/lazy"
)

// writeMetadata writes the metadata of the module, named metadata, and the metadata
// attached to variables and declarations.
func (w *partitionWriter) writeMetadata() {
	w.out.Enter(llvmschema.BlockMetadata, w.abbrevWidth(llvmschema.BlockMetadata, 3, 4))
	table := w.out.Define(bitstream.Abbrev{
		{Encoding: bitstream.Literal, Value: llvmschema.MetadataStrings},
		{Encoding: bitstream.VBR, Value: 6},
		{Encoding: bitstream.VBR, Value: 6},
		{Encoding: bitstream.Blob},
	})
	name := w.out.Define(bitstream.Abbrev{
		{Encoding: bitstream.Literal, Value: llvmschema.MetadataName},
		{Encoding: bitstream.Array},
		{Encoding: bitstream.Fixed, Value: 8},
	})
	location := w.out.Define(locationAbbrev)
	w.writeStrings(table)
	for _, id := range w.numbers.nodes.kept {
		if w.source.metadata.entries[id].size == isRecord {
			w.writeNode(id, location)
		}
	}
	for i := range w.added.metadata {
		w.writeAddedMetadata(&w.added.metadata[i])
	}
	for i := range w.named {
		w.writeNamed(&w.named[i], name)
	}
	for i := range w.kept {
		k := &w.kept[i]
		if parts := w.partsOf(k); len(parts.attached) > 0 && parts.body == nil {
			w.operands = w.attachmentOperands(k, append(w.operands[:0], w.numbers.values.newNumber(uint32(k.id()))))
			w.out.Record(-1, llvmschema.MetadataDeclAttachment, w.operands)
		}
	}
	w.out.End()
}

// locationAbbrev is for the most frequent node of debug information.
var locationAbbrev = bitstream.Abbrev{
	{Encoding: bitstream.Literal, Value: llvmschema.MetadataLocation},
	{Encoding: bitstream.Fixed, Value: 1},
	{Encoding: bitstream.VBR, Value: 6},
	{Encoding: bitstream.VBR, Value: 8},
	{Encoding: bitstream.VBR, Value: 6},
	{Encoding: bitstream.VBR, Value: 6},
	{Encoding: bitstream.Fixed, Value: 1},
}

// writeStrings writes the strings that are kept and those that are added, in one record.
func (w *partitionWriter) writeStrings(abbrev int) {
	kept := w.numbers.nodes.kept
	w.text, w.operands = w.text[:0], w.operands[:0]
	for _, id := range kept {
		if e := w.source.metadata.entries[id]; e.size != isRecord {
			w.text = append(w.text, w.source.stringText(e)...)
			w.operands = append(w.operands, uint64(e.size))
		}
	}
	for _, s := range w.added.strings {
		w.text = append(w.text, s...)
		w.operands = append(w.operands, uint64(len(s)))
	}
	w.writeStringTable(abbrev)
}

// writeStringTable writes the strings in w.text, whose lengths are in w.operands.
func (w *partitionWriter) writeStringTable(abbrev int) {
	if len(w.operands) == 0 {
		return
	}
	blob := bitstream.AppendVBR6(nil, w.operands)
	head := []uint64{uint64(len(w.operands)), uint64(len(blob))}
	w.out.BlobRecord(abbrev, llvmschema.MetadataStrings, head, append(blob, w.text...))
}

// writeNode copies a node or value of the module. A compile unit gets its new list of variables, or
// null if no part of its old list is in the partition.
func (w *partitionWriter) writeNode(id uint32, location int) {
	d := w.source.metadata.openRecord(int(id))
	rec := d.takeHead()
	globals, changed := w.units[id]
	if rec.code == llvmschema.MetadataCompileUnit && !changed && !w.hasGlobals(&d, rec) {
		changed = true // one that nothing lists
	}
	w.operands = w.operands[:0]
	for i := range rec.count {
		o := d.takeOperand()
		switch {
		case o.kind == opBytes:
			for _, b := range d.takeBytes(o.value) {
				w.operands = append(w.operands, uint64(b))
			}
		case changed && i == unitGlobals.Get():
			w.operands = append(w.operands, w.metadataPlus1(globals))
		default:
			w.operands = append(w.operands, w.nodeOperand(o))
		}
	}
	abbrev := -1
	if rec.code == llvmschema.MetadataLocation {
		abbrev = location
	}
	w.out.Record(abbrev, rec.code, w.operands)
}

// hasGlobals reports whether the partition has the list of variables of a compile unit. The decoder
// stands at the operands of the unit's record.
func (w *partitionWriter) hasGlobals(d *decoder, rec record) bool {
	at := *d
	if rec.count <= unitGlobals.Get() {
		return true
	}
	for range unitGlobals.Get() {
		at.takeOperand()
	}
	o := at.takeOperand()
	return o.kind != opNodePlus1 || w.numbers.nodes.keeps(uint32(o.value))
}

// unitGlobals is the operand of a compile unit that lists its variables.
var unitGlobals = lazy.Value[int]{New: func() int {
	return slices.IndexFunc(llvmschema.Nodes.Get()[llvmschema.MetadataCompileUnit].Fields, func(f llvmschema.Field) bool { return f.Name == "globals" })
}}

// nodeOperand returns the number of metadata that a node names. A value that the partition lacks
// becomes null, as in LLVM when it deletes a value.
func (w *partitionWriter) nodeOperand(o operand) uint64 {
	switch o.kind {
	case opNode:
		return w.numbers.nodes.newNumber(uint32(o.value))
	case opNodePlus1:
		if !w.numbers.nodes.keeps(uint32(o.value)) && !w.source.metadata.isNode(int(o.value)) {
			return 0 // a value that the partition lacks
		}
		return w.numbers.nodes.newNumber(uint32(o.value)) + 1
	case opType:
		return w.typeNumber(uint32(o.value))
	case opGlobal:
		return w.valueNumber(uint32(o.value))
	}
	return o.value
}

// metadataPlus1 returns the number of metadata in the partition plus one, or 0 for null.
func (w *partitionWriter) metadataPlus1(ref metadataRef) uint64 {
	switch ref.space {
	case spaceModule:
		return w.numbers.nodes.newNumber(ref.index) + 1
	case spaceString:
		return uint64(w.stringsKept) + uint64(ref.index) + 1
	case spaceAdded:
		return w.nodesEnd + uint64(ref.index) + 1
	case spaceFunction:
		return w.body.localNode(ref.index) + 1
	}
	return 0
}

// writeAddedMetadata writes metadata that the partition adds: a value, or a tuple of references
// plus one.
func (w *partitionWriter) writeAddedMetadata(m *addedMetadata) {
	if m.value {
		w.out.Record(-1, llvmschema.MetadataValue, []uint64{w.typeNumber(m.typ), w.valueNumber(m.id)})
		return
	}
	w.operands = w.operands[:0]
	for _, ref := range m.operands {
		w.operands = append(w.operands, w.metadataPlus1(ref))
	}
	w.out.Record(-1, llvmschema.MetadataNode, w.operands)
}

// writeNamed writes a named list: a record with the name, then one with the nodes.
func (w *partitionWriter) writeNamed(list *namedList, abbrev int) {
	w.writeText(abbrev, llvmschema.MetadataName, list.name)
	w.operands = w.operands[:0]
	for _, ref := range list.nodes {
		w.operands = append(w.operands, w.metadataPlus1(ref)-1)
	}
	w.out.Record(-1, llvmschema.MetadataNamedNode, w.operands)
}

// attachmentOperands appends pairs of kind and node.
func (w *partitionWriter) attachmentOperands(k *keptValue, operands []uint64) []uint64 {
	for _, a := range w.partsOf(k).attached {
		operands = append(operands, a.kind, w.metadataPlus1(a.node)-1)
	}
	return operands
}

// metadataEnd returns the number after those of the module's metadata in the partition, where the
// metadata of a function begins.
func (w *partitionWriter) metadataEnd() uint64 { return w.nodesEnd + uint64(len(w.added.metadata)) }
