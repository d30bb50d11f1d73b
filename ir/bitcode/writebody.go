package bitcode

import (
	"slices"

	"offlink/ir"
	"offlink/ir/bitcode/bitstream"
	"offlink/ir/llvmschema"
)

// bodyWriter writes function bodies with the numbers of a partition. A record is copied operand by
// operand: literals as they are, marked operands with the number that their entry has in this
// partition. It does not know instructions, so a new one needs a row of the schema and nothing
// here.
type bodyWriter struct {
	w       *partitionWriter
	globals uint32 // values of the partition's own numbering

	// Of the body being written.
	body  *body
	next  uint32   // number of the next value
	first uint64   // number of the function's first metadata
	nodes []uint32 // number of each of the function's metadata, plus one
}

// collectBody keeps the module's entries that a body needs. Numbers can only be given when all
// entries that the partition needs are known, so bodies are walked twice: to collect, then to
// write. An unchanged body has its list of uses from the reader.
func (bw *bodyWriter) collectBody(k *keptValue, edit *ir.Edit) error {
	w := bw.w
	old := &w.source.bodies[w.source.values.entryOf(k.id()).body()]
	if len(edit.Calls) == 0 {
		w.editParts(k).body = old
		w.numbers.keepUses(old.uses)
		bw.collectMetadata(old)
		return nil
	}
	l := lowering{w: w, added: w.added, rewriter: rewriter{source: w.source, old: old, replaced: make(map[uint32]uint32)}}
	rewrite, err := edit.BodyRewrite(w.module, old.function)
	if err != nil {
		return err
	}
	changed, err := l.changeBody(rewrite)
	if err != nil {
		return err
	}
	w.editParts(k).body = changed
	bw.collectRewritten(changed)
	return nil
}

// collectMetadata keeps the entries that the function's written metadata needs.
func (bw *bodyWriter) collectMetadata(b *body) {
	for i := range b.metadata.entries {
		if bw.keepsConstant(b, i) {
			bw.w.numbers.keepNodeParts(&b.metadata, i)
		}
	}
}

// keepsConstant reports whether metadata of the function is written: nodes that something in the
// partition refers to, and values that the partition has. A METADATA_VALUE goes with the value that
// it names; LLVM drops such metadata as well.
func (bw *bodyWriter) keepsConstant(b *body, i int) bool {
	if b.metadata.isNode(i) {
		return bw.w.reach.HasNode(b.base + ir.NodeID(i))
	}
	return bw.w.numbers.hasValue(&b.metadata, i)
}

// collectRewritten keeps the entries that the records of a rewritten body name.
func (bw *bodyWriter) collectRewritten(b *body) {
	w := bw.w
	for _, t := range b.constants.types {
		w.keepType(t)
	}
	bw.collectMetadata(b)
	for _, arena := range [][]byte{b.constants.arena, b.code, b.attached} {
		for d := (decoder{data: arena}); !d.atEnd(); {
			for _, o := range d.takeOperands(d.takeHead(), nil) {
				bw.collectOperand(o)
			}
		}
	}
}

// collectOperand keeps the entry of the module that an operand names.
func (bw *bodyWriter) collectOperand(o operand) {
	w := bw.w
	switch o.kind {
	case opGlobalRel, opGlobalSigned, opGlobal:
		w.numbers.keepValue(uint32(o.value))
	case opType, opForwardType:
		w.keepType(uint32(o.value))
	case opList:
		w.numbers.keepList(uint32(o.value - 1))
	case opNode, opNodePlus1, opNodeRel:
		w.numbers.keepLeaf(uint32(o.value))
	}
}

// writeBody writes the body of a definition. The order of the blocks is that of LLVM's writer:
// constants and metadata are numbered before the instructions that name them, and names and
// attachments refer back to values and instructions.
func (bw *bodyWriter) writeBody(k *keptValue) {
	w, b := bw.w, bw.w.partsOf(k).body
	bw.body = b
	bw.next = bw.globals + uint32(b.arguments)
	w.out.Enter(llvmschema.BlockFunction, w.abbrevWidth(llvmschema.BlockFunction, 0, 4))
	d := decoder{data: b.code}
	bw.writeRecord(&d) // DECLAREBLOCKS comes first
	bw.writeConstants()
	bw.writeMetadata()
	for !d.atEnd() {
		if bw.writesUsers(d) {
			bw.blockAddressUsers(&d)
		} else {
			bw.writeRecord(&d)
		}
	}
	bw.writeSide(llvmschema.BlockSymbolTable, b.symbols)
	bw.writeAttachments(k)
	w.out.End()
}

// writesUsers reports whether the next record lists the functions that use
// addresses of basic blocks of this one.
func (bw *bodyWriter) writesUsers(d decoder) bool {
	return d.takeHead().code == llvmschema.FunctionBlockAddrUsers
}

// blockAddressUsers copies that list as far as the partition has the functions. It is a hint for
// LLVM's lazy reader, which reads those functions together with this one.
func (bw *bodyWriter) blockAddressUsers(d *decoder) {
	rec := d.takeHead()
	var users []uint64
	for range rec.count {
		if id := uint32(d.takeOperand().value); bw.w.numbers.values.keeps(id) {
			users = append(users, bw.w.valueNumber(id))
		}
	}
	if len(users) > 0 {
		bw.w.out.Record(rec.abbrev, rec.code, users)
	}
}

// writeConstants writes the function's constants. Their numbers follow those of the parameters and
// precede those of instructions. All of them are kept, as dropping one would move the rest.
func (bw *bodyWriter) writeConstants() {
	w, t := bw.w, &bw.body.constants
	if t.count() == 0 {
		return
	}
	w.out.Enter(llvmschema.BlockConstants, w.abbrevWidth(llvmschema.BlockConstants, 0, 4))
	cw := constantWriter{w: w, aggregate: -1, text: -1, seven: -1, six: -1, locals: uint64(bw.globals)}
	d := decoder{data: t.arena}
	for i := range t.types {
		cw.writeConstant(t.types[i], &d)
	}
	w.out.End()
	bw.next += uint32(t.count())
}

// writeMetadata writes the metadata of the function: strings first, as in the module's.
func (bw *bodyWriter) writeMetadata() {
	w, t := bw.w, &bw.body.metadata
	bw.first = w.metadataEnd()
	if len(t.entries) == 0 {
		return
	}
	w.text, w.operands = w.text[:0], w.operands[:0]
	for _, e := range t.entries {
		if e.size != isRecord {
			w.text = append(w.text, w.source.stringText(e)...)
			w.operands = append(w.operands, uint64(e.size))
		}
	}
	bw.numberMetadata(len(w.operands))
	if !slices.ContainsFunc(bw.nodes, func(n uint32) bool { return n > 0 }) {
		return
	}
	w.out.Enter(llvmschema.BlockMetadata, w.abbrevWidth(llvmschema.BlockMetadata, 2, 3))
	if len(w.operands) > 0 {
		w.writeStringTable(w.out.Define(bitstream.Abbrev{
			{Encoding: bitstream.Literal, Value: llvmschema.MetadataStrings},
			{Encoding: bitstream.VBR, Value: 6},
			{Encoding: bitstream.VBR, Value: 6},
			{Encoding: bitstream.Blob},
		}))
	}
	for i, e := range t.entries {
		if e.size == isRecord && bw.nodes[i] > 0 {
			d := t.openRecord(i)
			bw.writeRecord(&d)
		}
	}
	w.out.End()
}

// numberMetadata numbers the function's metadata: strings first, since METADATA_STRINGS has all
// strings of a block in one record. Nodes that nothing in the partition refers to have no number.
func (bw *bodyWriter) numberMetadata(strings int) {
	t := &bw.body.metadata
	bw.nodes = bw.nodes[:0]
	text, other := uint32(bw.first), uint32(bw.first)+uint32(strings)
	for i, e := range t.entries {
		number := uint32(0)
		switch {
		case e.size != isRecord:
			text++
			number = text
		case bw.keepsConstant(bw.body, i):
			other++
			number = other
		}
		bw.nodes = append(bw.nodes, number)
	}
}

// localNode returns the number of metadata of the function. Metadata that is not written is noted
// as lacking, which makes the partition fail when it is finished.
func (bw *bodyWriter) localNode(i uint32) uint64 {
	if bw.nodes[i] == 0 {
		bw.w.numbers.nodes.lack = true
		return 0
	}
	return uint64(bw.nodes[i] - 1)
}

// writeSide writes a block of records that define nothing, such as a symbol table. The
// abbreviations are those of the input, which the block info has.
func (bw *bodyWriter) writeSide(block uint32, records []byte) {
	if len(records) == 0 {
		return
	}
	bw.w.out.Enter(block, bw.w.abbrevWidth(block, 0, 4))
	for d := (decoder{data: records}); !d.atEnd(); {
		bw.writeRecord(&d)
	}
	bw.w.out.End()
}

// writeAttachments writes the metadata attached to the function and to its
// instructions.
func (bw *bodyWriter) writeAttachments(k *keptValue) {
	w := bw.w
	if len(w.partsOf(k).attached)+len(bw.body.attached) == 0 {
		return
	}
	w.out.Enter(llvmschema.BlockAttachment, w.abbrevWidth(llvmschema.BlockAttachment, 0, 3))
	if len(w.partsOf(k).attached) > 0 {
		w.operands = w.attachmentOperands(k, w.operands[:0])
		w.out.Record(-1, llvmschema.MetadataAttachment, w.operands)
	}
	for d := (decoder{data: bw.body.attached}); !d.atEnd(); {
		bw.writeRecord(&d)
	}
	w.out.End()
}

// writeRecord copies a record with the numbers of the partition.
func (bw *bodyWriter) writeRecord(d *decoder) {
	w := bw.w
	rec := d.takeHead()
	operands := w.operands[:0]
	for range rec.count {
		v := d.readNumber()
		switch {
		case v&1 == 0:
			operands = append(operands, v>>1)
		case v&2 == 0:
			operands = append(operands, v>>2)
		default:
			operands = bw.keepMarked(d, operandKind(v>>2&15), v>>6, operands)
		}
	}
	w.operands = operands
	w.out.Record(rec.abbrev, rec.code, operands)
	if rec.defines {
		bw.next++
	}
}

// keepMarked appends an operand that names something, with its number in the
// partition.
func (bw *bodyWriter) keepMarked(d *decoder, kind operandKind, v uint64, operands []uint64) []uint64 {
	w := bw.w
	switch kind {
	case opGlobalRel:
		v = uint64(bw.next - uint32(w.valueNumber(uint32(v))))
	case opGlobalSigned:
		v = encodeSigned(int64(int32(bw.next - uint32(w.valueNumber(uint32(v))))))
	case opGlobal:
		v = w.valueNumber(uint32(v))
	case opLocalSigned:
	case opLocal:
		v += uint64(bw.globals)
	case opType, opForwardType:
		v = w.typeNumber(uint32(v))
	case opList:
		v = w.listNumber(v)
	case opWide:
		v = d.readNumber()
	case opBytes:
		for _, b := range d.takeBytes(v) {
			operands = append(operands, uint64(b))
		}
		return operands
	default:
		v = bw.metadataNumber(kind, v)
	}
	return append(operands, v)
}

// metadataNumber returns the number of metadata that an operand names.
func (bw *bodyWriter) metadataNumber(kind operandKind, v uint64) uint64 {
	w := bw.w
	switch kind {
	case opNode:
		return w.numbers.nodes.newNumber(uint32(v))
	case opNodePlus1:
		return w.nodeOperand(operand{kind, v})
	case opNodeRel:
		return uint64(bw.next - uint32(w.numbers.nodes.newNumber(uint32(v))))
	case opFunNode:
		return bw.localNode(uint32(v))
	case opFunNodePlus1:
		if bw.nodes[v] == 0 && !bw.body.metadata.isNode(int(v)) {
			return 0 // a value that the partition lacks
		}
		return bw.localNode(uint32(v)) + 1
	}
	return uint64(bw.next - uint32(bw.localNode(uint32(v))))
}
