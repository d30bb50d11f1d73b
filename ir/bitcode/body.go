package bitcode

import (
	"bytes"
	"slices"

	"offlink/ir"
	"offlink/ir/bitcode/bitstream"
	"offlink/ir/llvmschema"
)

// body is a function body in compact form.
type body struct {
	function  ir.ValueID
	base      ir.NodeID // of the function's own metadata, in the model's numbering
	constants constantTable
	metadata  metadataTable
	code      []byte // the records of the block in order
	symbols   []byte // records of the symbol table: names of values and blocks
	attached  []byte // records of the attachments to instructions
	uses      []use  // the uses of the module's entries that Refs does not have
	// refs are the references that the body makes, until those of its function
	// are complete.
	refs      []ir.Ref
	arguments int
	// defined is the number of values that instructions define.
	defined int
}

// localCount returns the number of the function's own values.
func (b *body) localCount() int { return b.arguments + b.constants.count() + b.defined }

// use is something of the module that a body or header needs, packed.
type use uint32

// useKind tells the entries that a body uses apart.
type useKind uint8

const (
	useConstant useKind = iota // of the module, by its number among the constants
	useList                    // attribute list, by its number
	useMetadata                // strings and values among the module's metadata
)

func makeUse(kind useKind, index uint32) use { return use(kind)<<28 | use(index) }

func (u use) useKind() useKind { return useKind(u >> 28) }
func (u use) useIndex() uint32 { return uint32(u) & (1<<28 - 1) }

// seen records which entries were seen since the last reset, without clearing memory.
// Their memory is made when the first is seen.
type seen struct {
	marks   []uint32
	mark    uint32
	entries int
}

func newSeen(n int) seen { return seen{entries: n, mark: 1} }

// resetSeen forgets all entries in constant time, but for the one round in
// 2^32 in which the counter starts again.
func (s *seen) resetSeen() {
	if s.mark++; s.mark == 0 {
		clear(s.marks)
		s.mark = 1
	}
}

// firstTime reports whether i is seen for the first time.
func (s *seen) firstTime(i uint32) bool {
	if s.marks == nil {
		s.marks = make([]uint32, s.entries)
	}
	if s.marks[i] == s.mark {
		return false
	}
	s.marks[i] = s.mark
	return true
}

// bodyReader reads function bodies, one after the other. Each goroutine has
// its own.
type bodyReader struct {
	source *source
	module *ir.Module
	cursor *bitstream.Cursor
	inner  bitstream.Cursor // of the block within the function
	out    encoder          // of instructions
	side   encoder          // of symbols and attachments
	body   *body

	globals  uint32 // values of the module's numbering
	next     uint32 // number of the next value
	highest  uint64 // value that was named, plus one
	blocks   uint64
	ended    uint64 // basic blocks so far
	open     bool   // whether the last basic block lacks its terminator
	bundles  bool   // operand bundles wait for their call
	started  bool   // a record after DECLAREBLOCKS was read
	counted  uint64 // instructions, as attachments number them
	nodes    uint64 // metadata of the function, or named, plus one
	refs     []ir.Ref
	uses     []use
	operands []uint64

	callees, addresses, types, indirect, groups, lists, constants, moduleNodes, localNodes seen

	attachments []ir.Attachment
	orders      map[ir.ValueID][]uint32 // of uses; nil until a body states one
	labels      []uint64                // functions of which a constant names a block
}

// newBodyReader makes a reader for the bodies of one goroutine. Its sets are
// as large as the module's tables, so it is used again for many bodies.
func newBodyReader(s *source) *bodyReader {
	nodes := len(s.metadata.entries)
	return &bodyReader{
		source: s, module: s.module,
		globals: uint32(s.values.count() + s.constants.count()),
		callees: newSeen(s.values.count()), addresses: newSeen(s.values.count()),
		types: newSeen(len(s.types)), indirect: newSeen(len(s.types)), groups: newSeen(len(s.groups)),
		lists: newSeen(len(s.lists)), constants: newSeen(s.constants.count()), moduleNodes: newSeen(nodes),
	}
}

// readBody reads the body of a function. The references that it finds are in
// r.refs, r.uses and r.attachments until the next call; references to the
// function's own metadata count from the end of the module's.
func (r *bodyReader) readBody(c *bitstream.Cursor, b *body) error {
	*b = body{function: b.function}
	r.resetReader(c, b)
	for {
		e, err := c.Next()
		if err != nil {
			return err
		}
		switch e.Kind {
		case bitstream.End:
			return r.finishBody()
		case bitstream.SubBlock:
			err = r.readBlock(e.Block)
		default:
			err = r.readRecord()
		}
		if err != nil {
			return err
		}
	}
}

// resetReader prepares the reader for a body. Values of a function are
// numbered after those of the module: first the parameters, then its
// constants, then its instructions.
func (r *bodyReader) resetReader(c *bitstream.Cursor, b *body) {
	r.cursor = c
	c.Operands, r.operands = r.operands[:0], nil
	r.beginBody(b)
	r.out.arena, r.side.arena = r.out.arena[:0], r.side.arena[:0]
	r.blocks, r.ended, r.counted, r.nodes, r.highest = 0, 0, 0, 0, 0
	r.open, r.bundles, r.started = false, false, false
	b.arguments = len(r.module.Types[r.module.Values[b.function].Type].Elements) - 1
	r.next = r.globals + uint32(b.arguments)
}

// beginBody forgets the last body.
func (r *bodyReader) beginBody(b *body) {
	r.body = b
	for _, s := range []*seen{&r.callees, &r.addresses, &r.types, &r.indirect, &r.groups, &r.lists, &r.constants, &r.moduleNodes} {
		s.resetSeen()
	}
	r.refs, r.uses, r.attachments, r.orders, r.labels = r.refs[:0], r.uses[:0], nil, nil, nil
	r.localNodes = newSeen(len(b.metadata.entries))
}

// finishBody makes the checks that need the whole body, and keeps the body.
func (r *bodyReader) finishBody() error {
	c, b := r.cursor, r.body
	r.operands = c.Operands
	b.defined = int(r.next-r.globals) - b.arguments - b.constants.count()
	switch {
	case r.blocks == 0:
		return c.Errorf("function without basic blocks")
	case r.open || r.ended != r.blocks:
		return c.Errorf("function of %d basic blocks has %d, or the last does not end", r.blocks, r.ended)
	case r.bundles:
		return c.Errorf("operand bundle without a call")
	case r.highest > uint64(r.next):
		return c.Errorf("value %d is used and never defined", r.highest-1)
	case r.nodes > uint64(len(r.source.metadata.entries)+len(b.metadata.entries)):
		return c.Errorf("metadata %d is used and never defined", r.nodes-1)
	case r.next > ir.MaxIndex:
		return c.Errorf("function of too many values")
	}
	b.code = bytes.Clone(r.out.arena)
	b.uses = slices.Clone(r.uses)
	return nil
}

// readBlock reads a block within the function.
func (r *bodyReader) readBlock(block bitstream.Block) error {
	c := r.cursor.OpenInto(block, &r.inner)
	switch block.ID {
	case llvmschema.BlockConstants:
		return r.readConstants(c)
	case llvmschema.BlockMetadata:
		return r.readMetadata(c)
	case llvmschema.BlockSymbolTable:
		return r.readSymbols(c)
	case llvmschema.BlockAttachment:
		return r.readAttachments(c)
	case llvmschema.BlockUseList:
		return r.readUseOrders(c)
	}
	return c.Errorf("block %d of a function is not known: the bitcode is %s", block.ID, llvmschema.Newer())
}

// readConstants reads the constants of a function. They come before its
// instructions, which number their values after them.
func (r *bodyReader) readConstants(c *bitstream.Cursor) error {
	b := r.body
	if r.started || b.constants.count() > 0 {
		return c.Errorf("constants of a function after its instructions")
	}
	cr := constantReader{cursor: c, table: &b.constants, globals: uint64(r.globals), types: uint64(len(r.source.types))}
	if err := cr.readBlock(); err != nil {
		return err
	}
	b.constants.arena = slices.Clip(cr.out.arena)
	r.labels = cr.labels
	r.highest = max(r.highest, cr.highest)
	r.next += uint32(b.constants.count())
	for i := range b.constants.types {
		r.useType(uint64(b.constants.types[i]))
	}
	for d := (decoder{data: b.constants.arena}); !d.atEnd(); {
		if err := r.noteOperands(&d, d.takeHead()); err != nil {
			return err
		}
	}
	return nil
}

// noteOperands notes the module's entries that a compact record names, so that a partition which
// keeps the body keeps them.
func (r *bodyReader) noteOperands(d *decoder, rec record) error {
	for range rec.count {
		switch o := d.takeOperand(); o.kind {
		case opBytes:
			d.takeBytes(o.value)
		case opGlobal:
			if err := r.useValue(uint32(o.value), ir.RefAddress); err != nil {
				return err
			}
		case opType:
			r.useType(o.value)
		}
	}
	return nil
}

// readMetadata reads the metadata of a function, which comes before its
// instructions as its constants do.
func (r *bodyReader) readMetadata(c *bitstream.Cursor) error {
	b := r.body
	if r.started || len(b.metadata.entries) > 0 {
		return c.Errorf("metadata of a function after its instructions, or a second time")
	}
	mr := metadataReader{
		cursor: c, table: &b.metadata, types: uint64(len(r.source.types)),
		globals: uint64(r.globals), nodes: uint64(len(r.source.metadata.entries)),
	}
	if err := mr.readBlock(); err != nil {
		return err
	}
	b.metadata.arena = slices.Clip(mr.out.arena)
	b.metadata.entries = slices.Clip(b.metadata.entries)
	r.localNodes = newSeen(len(b.metadata.entries))
	r.highest, r.nodes = max(r.highest, mr.highestValue), max(r.nodes, mr.highest)
	return nil
}

// readSymbols reads the names of values and basic blocks.
func (r *bodyReader) readSymbols(c *bitstream.Cursor) error {
	for {
		e, err := c.Next()
		if err != nil {
			return err
		}
		if e.Kind == bitstream.End {
			break
		}
		if e.Kind != bitstream.Record {
			continue
		}
		if len(c.Operands) < 1 || c.Operands[0] >= 1<<32 {
			return c.Errorf("symbol that names no value or block")
		}
		if c.Code != llvmschema.SymbolEntry && c.Code != llvmschema.SymbolBlock {
			return c.Errorf("symbol table record %d of a function is not known", c.Code)
		}
		v := c.Operands[0]
		switch {
		case c.Code == llvmschema.SymbolBlock:
			r.side.appendLiteral(v)
		case v < uint64(r.globals):
			return c.Errorf("symbol table of a function names value %d of the module", v)
		default:
			r.side.appendOperand(opLocal, v-uint64(r.globals))
			r.highest = max(r.highest, v+1)
		}
		r.side.appendLiterals(c.Operands[1:])
		r.side.finishRecord(c.Code, c.AbbrevID, false)
	}
	r.body.symbols = append(r.body.symbols, r.side.arena...)
	r.side.arena = r.side.arena[:0]
	return nil
}

// readAttachments reads [(kind, node)...] of the function and [instruction,
// (kind, node)...].
func (r *bodyReader) readAttachments(c *bitstream.Cursor) error {
	for {
		e, err := c.Next()
		if err != nil {
			return err
		}
		if e.Kind == bitstream.End {
			break
		}
		if e.Kind != bitstream.Record || c.Code != llvmschema.MetadataAttachment {
			continue
		}
		if len(c.Operands)%2 == 0 {
			err = r.attachFunction(c)
		} else {
			err = r.attachInstruction(c)
		}
		if err != nil {
			return err
		}
	}
	r.body.attached = append(r.body.attached, r.side.arena...)
	r.side.arena = r.side.arena[:0]
	return nil
}

// attachFunction reads the attachments of the function itself: pairs of kind
// and node.
func (r *bodyReader) attachFunction(c *bitstream.Cursor) (err error) {
	limit := len(r.source.metadata.entries) + len(r.body.metadata.entries)
	r.attachments, err = r.source.appendAttachments(c, r.attachments, c.Operands, uint64(limit))
	return err
}

// attachInstruction reads the attachments of one instruction: its number among
// those that count, then pairs of kind and node.
func (r *bodyReader) attachInstruction(c *bitstream.Cursor) error {
	if c.Operands[0] >= r.counted {
		return c.Errorf("attachment to instruction %d of %d", c.Operands[0], r.counted)
	}
	r.side.appendLiteral(c.Operands[0])
	for pairs := c.Operands[1:]; len(pairs) > 0; pairs = pairs[2:] {
		if _, ok := r.source.kindNames[pairs[0]]; !ok {
			return c.Errorf("attachment of kind %d, which has no name", pairs[0])
		}
		r.side.appendLiteral(pairs[0])
		if err := r.nodeOperand(&r.side, pairs[1], opNode, opFunNode); err != nil {
			return err
		}
	}
	r.side.finishRecord(c.Code, c.AbbrevID, false)
	return nil
}

// readRecord reads a record of the function block itself.
func (r *bodyReader) readRecord() error {
	c := r.cursor
	l := llvmschema.InstructionOf(c.Code)
	if l == nil {
		if name, ok := llvmschema.OldInstructions.Get()[c.Code]; ok {
			return c.Errorf("instruction record %s is of a form that is %s", name, llvmschema.Older())
		}
		return c.Errorf("instruction record %d is not known: the bitcode is %s", c.Code, llvmschema.Newer())
	}
	if r.blocks == 0 && c.Code != llvmschema.FunctionDeclareBlocks {
		return c.Errorf("record %s before DECLAREBLOCKS", l.Name)
	}
	if l.Counts {
		if r.ended == r.blocks {
			return c.Errorf("instruction %s outside of a basic block", l.Name)
		}
		r.counted++
		r.open = true
	}
	r.started = r.blocks > 0
	defines, err := r.readByLayout(l)
	if err != nil {
		return err
	}
	r.out.finishRecord(c.Code, c.AbbrevID, defines)
	if defines {
		r.next++
	}
	if l.Terminates {
		r.ended++
		r.open = false
	}
	return nil
}

// readByLayout reads an instruction by its row of the schema: the fixed operands, then those that
// repeat. A rest of "." means literals only. Instructions whose operands depend on each other have
// a function of their own.
func (r *bodyReader) readByLayout(l *llvmschema.Instruction) (defines bool, err error) {
	if l.Special {
		return specialInstructions.Get()[r.cursor.Code](r)
	}
	list, err := r.takeOperands(l.Name, l.Fixed, r.cursor.Operands)
	if err != nil {
		return false, err
	}
	if l.Rest == "." {
		r.out.appendLiterals(list)
		return l.Defines, nil
	}
	for len(list) > 0 {
		if l.Rest == "" {
			return false, r.cursor.Errorf("instruction %s with %d operands", l.Name, len(r.cursor.Operands))
		}
		if list, err = r.takeOperands(l.Name, l.Rest, list); err != nil {
			return false, err
		}
	}
	return l.Defines, nil
}
