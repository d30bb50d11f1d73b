package bitcode

import (
	"math"
	"slices"

	"offlink/ir"
	"offlink/ir/bitcode/bitstream"
	"offlink/ir/llvmschema"
)

// metadataTable holds the metadata of the module or of a function: strings,
// values and nodes, in one numbering.
type metadataTable struct {
	arena   []byte // records in compact form
	entries []metadataEntry
}

// metadataEntry says where metadata lies: a record in the arena, or a string
// of the input.
type metadataEntry struct {
	at   uint32
	size uint32 // of a string; isRecord for a record
}

const isRecord = 1<<32 - 1

func (t *metadataTable) openRecord(i int) decoder {
	return decoder{data: t.arena, pos: int(t.entries[i].at)}
}

// isNode reports whether the entry is a node, not a string or value.
func (t *metadataTable) isNode(i int) bool {
	if t.entries[i].size != isRecord {
		return false
	}
	d := t.openRecord(i)
	return d.takeHead().code != llvmschema.MetadataValue
}

// stringText returns the characters of an entry that is a string.
func (s *source) stringText(e metadataEntry) []byte { return s.strings[e.at-s.stringsAt:][:e.size] }

// keepStrings copies the part of the bitstream that has the strings, so that
// the module does not need the rest.
func (s *source) keepStrings() {
	first, end := uint32(math.MaxUint32), uint32(0)
	widen := func(t *metadataTable) {
		for _, e := range t.entries {
			if e.size != isRecord {
				first, end = min(first, e.at), max(end, e.at+e.size)
			}
		}
	}
	widen(&s.metadata)
	for i := range s.bodies {
		widen(&s.bodies[i].metadata)
	}
	if first > end { // there are none
		first, end = 0, 0
	}
	s.strings, s.stringsAt = slices.Clone(s.strings[first:end]), first
}

// metadataReader reads a metadata block, of the module or of a function.
type metadataReader struct {
	cursor  *bitstream.Cursor
	table   *metadataTable
	out     encoder
	types   uint64
	globals uint64 // values of the module's numbering
	nodes   uint64 // metadata of the module; all metadata where the module's own are read
	highest uint64 // metadata that was named, plus one
	// highestValue is the value that was named, plus one.
	highestValue uint64

	// other takes records that are not metadata themselves; nil in functions.
	other func() error
}

func (r *metadataReader) readBlock() error { return eachRecord(r.cursor, r.readRecord) }

// readRecord reads a record of a metadata block. Kinds and names share the block's code space with
// nodes. Index records are offsets into the file, which no partition has.
func (r *metadataReader) readRecord() error {
	c := r.cursor
	switch c.Code {
	case llvmschema.MetadataStrings:
		return r.readStrings()
	case llvmschema.MetadataValue:
		return r.readValue()
	case llvmschema.MetadataName, llvmschema.MetadataKind, llvmschema.MetadataDeclAttachment:
		if r.other != nil {
			return r.other()
		}
		return c.Errorf("metadata record %d in a function", c.Code)
	case llvmschema.MetadataIndexOffset, llvmschema.MetadataIndex:
		return nil // positions in the file
	}
	l, ok := llvmschema.Nodes.Get()[c.Code]
	if !ok {
		return c.Errorf("metadata record %d is not known: the bitcode is %s", c.Code, llvmschema.NewerOrOlder())
	}
	return r.readNode(l)
}

// readStrings reads METADATA_STRINGS: [number, offset of the characters], with a blob that holds
// the lengths and then the characters. The entries refer to the characters in the input.
func (r *metadataReader) readStrings() error {
	c := r.cursor
	if len(c.Operands) != 2 || c.Operands[1] > uint64(len(c.Blob)) {
		return c.Errorf("metadata strings without their table")
	}
	lengths, at := c.Blob[:c.Operands[1]], c.BlobStart+c.Operands[1]
	end := c.BlobStart + uint64(len(c.Blob))
	if c.Operands[0] > uint64(len(lengths))*8/6 {
		return c.Errorf("%d metadata strings with a table of %d bytes", c.Operands[0], len(lengths))
	}
	pos := uint64(0)
	for range c.Operands[0] {
		n, next, ok := bitstream.ReadVBR6(lengths, pos)
		if !ok || n > end-at {
			return c.Errorf("metadata strings are cut short")
		}
		r.table.entries = append(r.table.entries, metadataEntry{uint32(at), uint32(n)})
		pos, at = next, at+n
	}
	return nil
}

// readValue reads METADATA_VALUE: [type, value].
func (r *metadataReader) readValue() error {
	c := r.cursor
	if len(c.Operands) != 2 || c.Operands[0] >= r.types || c.Operands[1] >= 1<<32 {
		return c.Errorf("metadata value that names no type or value")
	}
	v := c.Operands[1]
	r.highestValue = max(r.highestValue, v+1)
	r.out.appendOperand(opType, c.Operands[0])
	if v < r.globals {
		r.out.appendOperand(opGlobal, v)
	} else {
		r.out.appendOperand(opLocal, v-r.globals)
	}
	r.finishRecord()
	return nil
}

// finishRecord ends the record of one node; the operands that are appended
// next belong to another.
func (r *metadataReader) finishRecord() {
	at := uint32(len(r.out.arena))
	r.out.finishRecord(r.cursor.Code, r.cursor.AbbrevID, false)
	r.table.entries = append(r.table.entries, metadataEntry{at, isRecord})
}

// readNode reads a node as the layout of its code says.
func (r *metadataReader) readNode(n *llvmschema.Node) error {
	c := r.cursor
	if len(c.Operands) < n.Least {
		return c.Errorf("%s of %d operands", n.Kind, len(c.Operands))
	}
	l, err := n.Layout(c.Operands)
	if err != nil {
		return c.Errorf("%v", err)
	}
	if l.More && len(c.Operands) > len(l.Fields) {
		c.Operands = c.Operands[:len(l.Fields)]
	}
	for i, v := range c.Operands {
		form, ok := l.FormAt(i, c.Operands)
		if !ok {
			return c.Errorf("%s with %d operands is %s", l.Kind, len(c.Operands), llvmschema.Newer())
		}
		if err := r.readOperand(form, v); err != nil {
			return err
		}
	}
	r.finishRecord()
	return nil
}

// readOperand reads a field in the form that the schema states: a node plus one, a plain number, a
// type, ...
func (r *metadataReader) readOperand(form llvmschema.FieldForm, v uint64) error {
	switch form {
	case llvmschema.FormNode, llvmschema.FormString:
		if v == 0 {
			r.out.appendLiteral(0)
			return nil
		}
		return r.nodeReference(v-1, opNodePlus1, opFunNodePlus1)
	case llvmschema.FormPlain:
		return r.nodeReference(v, opNode, opFunNode)
	}
	r.out.appendLiteral(v)
	return nil
}

// nodeReference adds an operand that names metadata of the module or the function.
func (r *metadataReader) nodeReference(id uint64, module, function operandKind) error {
	if id >= ir.MaxIndex {
		return r.cursor.Errorf("metadata %d is named", id)
	}
	r.highest = max(r.highest, id+1)
	if id < r.nodes {
		r.out.appendOperand(module, id)
	} else {
		r.out.appendOperand(function, id-r.nodes)
	}
	return nil
}

// readMetadata reads the metadata of the module. All nodes and values that it names are entries of
// the module, so the limits that tell those of functions apart are out of reach.
func (r *moduleReader) readMetadata(c *bitstream.Cursor) error {
	s := r.source
	highest, highestValue := uint64(0), uint64(0)
	for _, block := range r.metadata {
		mr := &metadataReader{
			cursor: c.Open(block), table: &s.metadata, out: encoder{arena: s.metadata.arena},
			types: uint64(len(s.types)), globals: 1 << 32, nodes: ir.MaxIndex + 1,
		}
		mr.other = func() error { return r.otherMetadata(mr.cursor) }
		if err := mr.readBlock(); err != nil {
			return err
		}
		s.metadata.arena = mr.out.arena
		highest, highestValue = max(highest, mr.highest), max(highestValue, mr.highestValue)
	}
	r.metadata = nil
	if n := len(s.metadata.entries); highest > uint64(n) {
		return c.Errorf("metadata %d of %d is named", highest-1, n)
	}
	if n := s.values.count() + s.constants.count(); highestValue > uint64(n) {
		return c.Errorf("metadata names value %d of %d", highestValue-1, n)
	}
	if uint64(len(s.metadata.arena)) > maxSize || len(s.metadata.entries) > ir.MaxIndex/2 {
		return c.Errorf("too much metadata")
	}
	return r.checkNamed(c)
}

// otherMetadata reads the records of a metadata block that are not metadata.
func (r *moduleReader) otherMetadata(c *bitstream.Cursor) error {
	switch c.Code {
	case llvmschema.MetadataKind:
		return r.addKind(c)
	case llvmschema.MetadataDeclAttachment:
		return r.readDeclAttachment(c)
	}
	return r.readNamedNode(c)
}

// readNamedNode reads a name, and the next record, which lists the nodes. They may come later in
// the block: checkNamed checks them.
func (r *moduleReader) readNamedNode(c *bitstream.Cursor) error {
	named := ir.NamedMetadata{Name: textOf(c.Operands)}
	e, err := c.Next()
	if err != nil {
		return err
	}
	if e.Kind != bitstream.Record || c.Code != llvmschema.MetadataNamedNode {
		return c.Errorf("named metadata without its list of nodes")
	}
	for _, id := range c.Operands {
		if id > ir.MaxIndex {
			return c.Errorf("named metadata names metadata %d", id)
		}
		named.Operands = append(named.Operands, ir.Operand{Kind: ir.OperandNode, Node: ir.NodeID(id)})
	}
	r.module.NamedMetadata = append(r.module.NamedMetadata, named)
	return nil
}

// readDeclAttachment reads [value, (kind, node)...]. The nodes are checked by checkNamed, as their
// number is not known yet.
func (r *moduleReader) readDeclAttachment(c *bitstream.Cursor) error {
	if len(c.Operands)%2 != 1 || c.Operands[0] >= uint64(len(r.module.Values)) {
		return c.Errorf("attachment to a global value that the module does not have")
	}
	d := r.module.Values[c.Operands[0]].EditDetails()
	var err error
	d.Attachments, err = r.source.appendAttachments(c, d.Attachments, c.Operands[1:], ir.MaxIndex)
	return err
}

// appendAttachments appends attachments, which are pairs of kind and node. limit is the number of
// nodes, as far as it is known.
func (s *source) appendAttachments(c *bitstream.Cursor, list []ir.Attachment, pairs []uint64, limit uint64) ([]ir.Attachment, error) {
	for ; len(pairs) > 0; pairs = pairs[2:] {
		name, ok := s.kindNames[pairs[0]]
		if !ok {
			return nil, c.Errorf("attachment of kind %d, which has no name", pairs[0])
		}
		if pairs[1] >= limit {
			return nil, c.Errorf("attachment of metadata %d of %d", pairs[1], limit)
		}
		list = append(list, ir.Attachment{
			Kind:    name,
			Operand: ir.Operand{Kind: ir.OperandNode, Node: ir.NodeID(pairs[1])},
		})
	}
	return list, nil
}

// checkNamed checks the references that were noted before the number of metadata was known.
func (r *moduleReader) checkNamed(c *bitstream.Cursor) error {
	n := ir.NodeID(len(r.source.metadata.entries))
	for _, named := range r.module.NamedMetadata {
		for _, o := range named.Operands {
			if o.Node >= n {
				return c.Errorf("named metadata %s names metadata %d of %d", named.Name, o.Node, n)
			}
		}
	}
	for i := range r.module.Values {
		for _, a := range r.module.Values[i].Details().Attachments {
			if a.Operand.Node >= n {
				return c.Errorf("metadata %d of %d is attached to a global value", a.Operand.Node, n)
			}
		}
	}
	return nil
}
