package irtext

import (
	"bytes"
	"slices"

	"offlink/ir"
)

// headerWriter writes the header of one value, item by item. LLVM's parser wants the parts of a
// header in one order, and an edit may need a part that the text does not have. So every item
// passes through writeItem, which first writes the parts that stand before it.
type headerWriter struct {
	*writer
	id        ir.ValueID
	value     *ir.GlobalValue
	edit      *ir.Edit
	define    bool
	partition *ir.PartitionValue
	keep      []int
	table     *elementTable // set beside keep
	typeItem  item          // the type of a variable that is wrapped
	// linkage is the linkage in the partition.
	linkage ir.Linkage
	// attributes says that both the model's attributes that the header has and the attributes
	// that the partition adds have been written; attachments says so of the partition's metadata.
	attributes, attachments bool
	linked, signed          bool // likewise the linkage, and the signature
}

// writeHeader writes the header of a value as the partition changes it.
func (w *writer) writeHeader(v *ir.PartitionValue, keep []int) {
	p, at := w.parser, &w.text.values[v.ID]
	h := headerWriter{writer: w, id: v.ID, value: v.Value, edit: v.Edit, define: v.Definition, partition: v, keep: keep}
	h.linkage = v.Linkage()
	h.collectHeader(at)
	h.parseHeader(at)
	if name := &p.header; name.name.numbered && w.renumbered {
		w.patches = append(w.patches, patch{name.namePos, name.nameEnd, formatNumber(w.numbers[v.ID])})
		w.sortPatches()
	}
	for i := range p.header.items {
		h.writeItem(&p.header.items[i])
	}
	h.beforeAttributes()
	h.addAttributes()
	if h.value.Kind == ir.Function {
		h.addAttachments()
	}
}

// collectHeader makes the patches for the header and body. In text that is kept, only the numbers
// of unnamed globals change, and only if some before them are left out.
func (h *headerWriter) collectHeader(at *valueText) {
	h.patches = h.patches[:0]
	if !h.renumbered || !at.namesNumber {
		return
	}
	p := h.parser
	h.collectPatches(func() {
		p.locals.beginFunction()
		p.valueHeader(at)
		if h.define && h.text.partsOf(at).body != 0 {
			p.parseBody()
		}
	})
}

// parseHeader puts the header into the parser. A variable that loses elements may have a long one,
// so that its header is parsed once and remembered.
func (h *headerWriter) parseHeader(at *valueText) {
	p := h.parser
	if h.keep == nil {
		p.locals.beginFunction()
		p.withoutNodes(func() { p.valueHeader(at) })
		return
	}
	table, f := h.text.elementTableOf(h.id)
	if f != nil {
		p.failAt(f.pos, f.msg)
	}
	h.table = table
	p.header = table.header
	p.header.items = slices.Clone(table.header.items)
	p.header.groups, p.header.attributes = slices.Clone(table.header.groups), slices.Clone(table.header.attributes)
	p.header.attached = slices.Clone(table.header.attached)
}

// isLocal reports whether the value is local in the partition. Visibility, preemption and DLL
// storage belong to symbols that other modules see; LLVM refuses most of them next to internal and
// private.
func (h *headerWriter) isLocal() bool { return h.linkage == ir.Internal || h.linkage == ir.Private }

// writeItem writes one item of the header, or its replacement in the partition.
func (h *headerWriter) writeItem(at *item) {
	if h.value.Kind == ir.Function && at.kind != itemKeyword && at.kind != itemAttachment && !h.saysLinkage() {
		h.writeLinkage()
	}
	switch at.kind {
	case itemKeyword:
		h.writeKeyword(at)
	case itemName:
		h.copyPatched(at.start, at.end)
		if !h.saysLinkage() {
			h.writeLinkage()
		}
	case itemLinkage:
		h.writeLinkage()
	case itemConvention:
		// The model's convention is written in front of the signature.
	case itemPreemption, itemVisibility:
		if !h.isLocal() {
			h.writeSpaced(at)
		}
	case itemStorage:
		if !h.isLocal() && !h.partition.BecomesDeclaration() {
			h.writeSpaced(at)
		}
	case itemSignature:
		h.writeConvention()
		h.writeSpaced(at)
		h.signed = true
	default:
		h.trailingItem(at)
	}
}

// trailingItem writes an item that follows the signature or type.
func (h *headerWriter) trailingItem(at *item) {
	h.placeAdditions(at)
	switch at.kind {
	case itemType:
		h.writeType(at)
	case itemInitializer:
		h.writeInitializer(at)
	case itemString, itemGroup:
		h.attributeItem(at)
	case itemSection:
		if !h.partition.BecomesDeclaration() {
			h.writeSpaced(at)
		}
	case itemComdat:
		h.writeComdat()
	case itemBody:
		if !h.partition.BecomesDeclaration() {
			h.writeSpaced(at)
		}
	case itemAttachment:
		h.attachmentItem(at)
	default:
		h.writeSpaced(at)
	}
}

// writeSpaced writes the item after a space, or directly if it begins with a comma. Items are kept
// without the white space around them.
func (h *headerWriter) writeSpaced(at *item) {
	if h.text.data[at.start] != ',' {
		h.appendString(" ")
	}
	h.copyPatched(at.start, at.end)
}

// writeKeyword writes define or declare, global or constant, alias or ifunc.
func (h *headerWriter) writeKeyword(at *item) {
	if h.value.Kind != ir.Function {
		h.writeSpaced(at)
		return
	}
	if h.define {
		h.appendString("define")
		return
	}
	h.appendString("declare")
	h.addAttachments()
}

// saysLinkage reports whether the text has a linkage.
func (h *headerWriter) saysLinkage() bool {
	return slices.ContainsFunc(h.parser.header.items, func(at item) bool { return at.kind == itemLinkage })
}

// writeLinkage writes the linkage, once. It stands where the text has one; else that of a function
// goes before the first item after the attachments of a declaration, that of others after the name.
func (h *headerWriter) writeLinkage() {
	if h.linked {
		return
	}
	h.linked = true
	if h.linkage != ir.External || !h.define && h.value.Kind == ir.Variable {
		h.appendString(" " + h.linkage.String())
	}
}

// writeConvention writes the calling convention, if it is not C's. It may differ from the text: an
// annotation of a stock clang makes a function a kernel.
func (h *headerWriter) writeConvention() {
	if h.value.CallingConv != 0 {
		h.appendString(" " + h.text.module.CallingConv(h.value))
	}
}

// writeType writes the type of a variable. If the partition drops elements of an array, its type
// has a smaller length. Users of the variable see a pointer, so that no other type changes with it
// (llvm.used and its like have no users at all).
func (h *headerWriter) writeType(at *item) {
	switch {
	case h.edit.Wrap:
		h.typeItem = *at
		h.writeWrapped(at)
		return
	case h.keep == nil:
		h.writeSpaced(at)
		return
	}
	p := h.parser
	p.pos = at.start
	p.expectByte('[')
	p.readInteger()
	rest := p.pos
	h.appendString(" [")
	h.addNumber(uint32(len(h.keep)))
	h.copyPatched(rest, at.end)
}

// writeWrapped writes items in the braces of a structure.
func (h *headerWriter) writeWrapped(items ...*item) {
	h.appendString(" {")
	for _, at := range items {
		h.writeSpaced(at)
	}
	h.appendString(" }")
}

// writeInitializer writes the initialiser of a definition.
func (h *headerWriter) writeInitializer(at *item) {
	switch {
	case !h.define:
		return
	case h.value.Kind != ir.Variable:
		h.appendString(",")
	}
	switch {
	case h.edit.Wrap && h.value.Kind == ir.Variable:
		h.writeWrapped(&h.typeItem, at)
		return
	case h.keep == nil:
		h.writeSpaced(at)
		return
	}
	h.appendString(" [")
	for i, k := range h.keep {
		if k >= len(h.table.places) {
			h.parser.failAt(at.start, "the initialiser has no element "+formatNumber(uint32(k)))
		}
		if i > 0 {
			h.appendString(", ")
		}
		h.copyPatched(int(h.table.places[k].start), int(h.table.places[k].end))
	}
	h.appendString("]")
}

// writeComdat writes the comdat of a definition that stays in it.
func (h *headerWriter) writeComdat() {
	comdat := h.partition.Comdat()
	if comdat == ir.NoComdat {
		return
	}
	if h.value.Kind == ir.Variable {
		h.appendString(",")
	}
	h.appendString(" comdat($")
	h.buf = appendName(h.buf, []byte(h.text.module.Comdats[comdat].Name))
	h.appendString(")")
}

// placeAdditions writes the partition's additions before the first item that has to follow them: a
// function's attributes before section, comdat and alignment, a variable's attachments before its
// attributes.
func (h *headerWriter) placeAdditions(next *item) {
	attribute := next.kind == itemString || next.kind == itemGroup || next.kind == itemWord
	if h.value.Kind != ir.Function {
		if attribute {
			h.beforeAttributes()
		}
		return
	}
	if h.signed && !attribute && !h.leadsAttributes(next) {
		h.addAttributes()
	}
}

// leadsAttributes reports whether the item stands before the attributes of a function, in the
// order of LLParser::parseFunctionHeader.
func (h *headerWriter) leadsAttributes(at *item) bool {
	text := h.text.data[at.start:at.end]
	for _, word := range []string{"unnamed_addr", "local_unnamed_addr", "addrspace"} {
		if bytes.HasPrefix(text, []byte(word)) {
			return true
		}
	}
	return at.kind == itemAttachment && !h.define
}

// beforeAttributes writes the attachments that a partition adds to a variable.
func (h *headerWriter) beforeAttributes() {
	if h.value.Kind != ir.Function {
		h.addAttachments()
	}
}

// addAttributes writes the attributes that the model or the partition has beyond the text. Steps
// before the split add attributes to the model (those that annotations become, for instance).
func (h *headerWriter) addAttributes() {
	if h.attributes {
		return
	}
	h.attributes = true
	for _, a := range h.value.Details().Attributes {
		if !slices.Contains(h.parser.header.attributes, a) && !slices.Contains(h.edit.Remove, a.Key) {
			h.addAttribute(a)
		}
	}
	for _, a := range h.edit.Add {
		h.addAttribute(a)
	}
}

// addAttribute writes a string attribute that the text does not have.
func (h *headerWriter) addAttribute(a ir.Attribute) {
	h.appendString(" ")
	h.buf = appendQuoted(h.buf, []byte(a.Key))
	if a.Value != "" {
		h.appendString("=")
		h.buf = appendQuoted(h.buf, []byte(a.Value))
	}
}

// attributeItem writes a string attribute or group of the text if the model
// and the partition keep it.
func (h *headerWriter) attributeItem(at *item) {
	p := h.parser
	p.pos = at.start
	if at.kind == itemString {
		a := p.stringAttribute()
		if slices.Contains(h.value.Details().Attributes, a) && !slices.Contains(h.edit.Remove, a.Key) {
			h.writeSpaced(at)
		}
		return
	}
	p.pos++
	id, ok := h.text.groupByNum[p.number32()]
	switch {
	case !ok:
		// A group that is used without being defined is empty, and LLVM accepts it.
		h.writeSpaced(at)
	case slices.Contains(h.value.Details().Groups, id):
		h.appendString(" #")
		h.addNumber(h.groupWithout(id, h.edit.Remove))
	}
}

// attachmentItem writes metadata that the text attaches to the value.
func (h *headerWriter) attachmentItem(at *item) {
	p := h.parser
	p.pos = at.start
	p.acceptByte(',')
	if kind := string(p.attachmentName()); h.partition.KeepsAttached(kind) {
		h.writeSpaced(at)
	}
}

// addAttachments writes the metadata that the partition attaches.
func (h *headerWriter) addAttachments() {
	if h.attachments {
		return
	}
	h.attachments = true
	for _, a := range h.edit.Attach {
		if h.value.Kind == ir.Variable {
			h.appendString(",")
		}
		h.appendString(" !")
		h.buf = appendMetadataName(h.buf, a.Kind)
		h.appendString(" ")
		h.newNode(a.Node)
	}
}
