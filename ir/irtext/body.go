package irtext

import (
	"bytes"
	"encoding/binary"

	"offlink/ir"
)

// bodyReader implements [ir.BodyReader]. It parses the text of a body a second time: the module's
// parser has checked it and kept nothing but its place.
type bodyReader struct {
	*parser
	extra     *extraTypes // of parser.types
	body      *ir.Body
	pool      *ir.ConstantPool
	local     localTable
	scratch   []ir.Value
	locations map[ir.NodeID]*ir.Location
	groupSets map[uint32][]ir.AttributeDetail
	statement int  // where the statement that is being read begins
	open      bool // the last block has no terminator yet
}

// extraTypes are types that only bodies name. They are numbered after those of the module, which is
// shared by all readers and does not change any more.
type extraTypes struct {
	types   []ir.Type
	byShape map[string]ir.TypeID
}

// internType returns the number of a type that only bodies name. The key is
// the shape of the type, so that equal types have one number.
func (x *extraTypes) internType(key []byte, want ir.Type) ir.TypeID {
	if id, ok := x.byShape[string(key)]; ok {
		return id
	}
	if x.byShape == nil {
		x.byShape = make(map[string]ir.TypeID)
	}
	id := ir.TypeID(len(x.types))
	x.types = append(x.types, want)
	x.byShape[string(key)] = id
	return id
}

// NewBodyReader implements [ir.BodySource].
func (t *text) NewBodyReader() ir.BodyReader {
	r := &bodyReader{
		parser:    t.newDecoder(),
		locations: make(map[ir.NodeID]*ir.Location),
		groupSets: make(map[uint32][]ir.AttributeDetail),
	}
	r.extra = r.parser.types.extra
	r.parser.locals = newLocals()
	return r
}

// Types implements [ir.BodyReader].
func (r *bodyReader) Types() []ir.Type { return r.extra.types }

// ReadBody implements [ir.BodyReader].
func (r *bodyReader) ReadBody(function ir.ValueID, body *ir.Body) error {
	body.Reset(function)
	r.body, r.pool = body, &body.Constants
	r.local.resetTable()
	r.statement = -1
	err := r.catchFault(func() {
		r.readParameters(function)
		r.readBlocks()
		if r.local.forward {
			if err := body.PatchForward(r.extra.types, r.local.entries); err != nil {
				r.failAt(r.statement, err.Error())
			}
		}
	})
	if e, ok := err.(*Error); ok {
		e.Msg = "function " + r.text.module.Values[function].Name + ": " + r.statementWord() + e.Msg
	}
	return err
}

// statementWord returns the opcode of the statement that was read last with a colon, or "" if there
// is none. It is for messages, so a guess from the text is good enough.
func (r *bodyReader) statementWord() string {
	if r.statement < 0 {
		return ""
	}
	line, _, _ := bytes.Cut(r.data[min(r.statement, len(r.data)):], []byte{'\n'})
	if _, after, found := bytes.Cut(line, []byte(" = ")); found && bytes.HasPrefix(line, []byte{'%'}) {
		line = after
	}
	words := bytes.Fields(line)
	for len(words) > 1 && (string(words[0]) == "tail" || string(words[0]) == "musttail" || string(words[0]) == "notail") {
		words = words[1:]
	}
	if len(words) == 0 || len(words[0]) > 40 {
		return ""
	}
	return string(words[0]) + ": "
}

// catchFault runs a step and returns the fault that stopped it as an error.
func (r *bodyReader) catchFault(step func()) error {
	r.depth = 0
	if f := catchFault(step); f != nil {
		return errorAt(r.text.module.Path, r.data, f)
	}
	return nil
}

// ReadInitializer implements [ir.BodyReader].
func (r *bodyReader) ReadInitializer(id ir.ValueID, pool *ir.ConstantPool) (v ir.Value, err error) {
	r.pool = pool
	err = r.catchFault(func() {
		global := &r.text.module.Values[id]
		var at item
		found := global.Kind != ir.Function
		if found {
			at, found = r.findInitializer(id)
		}
		if !found {
			r.failAt(int(r.text.values[id].start), "no initialiser")
		}
		r.pos, r.statement = at.start, at.start
		switch {
		case global.Kind == ir.Variable:
			v = r.readConstant(global.Type)
		case isConstantExpression(r.peekWord()):
			v = r.readConstant(ir.NoType)
		default:
			typ, _ := r.parseType()
			v = r.readConstant(typ)
		}
	})
	return v, err
}

// readParameters notes the parameters and leaves the reader at the body.
func (r *bodyReader) readParameters(function ir.ValueID) {
	value := &r.text.values[function]
	r.parser.locals.beginFunction()
	r.valueHeader(value)
	r.eachParameter(func(typ ir.TypeID, _ []ir.AttributeDetail, n name) {
		v := ir.Value{Kind: ir.ValueArgument, Index: uint32(len(r.body.ArgumentTypes)), Type: typ}
		r.body.ArgumentTypes = append(r.body.ArgumentTypes, typ)
		r.body.ArgumentNames = append(r.body.ArgumentNames, string(n.text))
		r.local.defineLocal(n, v)
	})
	r.pos = int(r.text.partsOf(value).body)
}

// readBlocks reads the blocks up to the closing brace. The first block may lack a label; it then
// has the next number, as in LLVM.
func (r *bodyReader) readBlocks() {
	r.expectByte('{')
	r.open = false
	for r.peekByte() != '}' {
		n, _, isLabel := r.blockLabel()
		switch {
		case isLabel:
			r.beginBlock(n)
		case !r.open && r.acceptWord("uselistorder"):
			// Orders of uses are the end of a body; no reader of bodies needs them.
			return
		default:
			if !r.open {
				r.beginBlock(name{number: r.local.next, numbered: true})
			}
			r.readStatement()
		}
	}
}

// beginBlock adds a block. Its number counts with those of unnamed values.
func (r *bodyReader) beginBlock(n name) {
	b := r.body
	at := len(b.Instructions)
	r.local.defineLocal(n, ir.Value{Kind: ir.ValueBlock, Index: uint32(len(b.Blocks)), Type: ir.NoType})
	b.Blocks = append(b.Blocks, ir.Block{Name: string(n.text), First: at, End: at})
	r.open = true
}

// readStatement reads an instruction or a debug record, which LLVM 19 writes
// between instructions.
func (r *bodyReader) readStatement() {
	in := ir.Instruction{Call: -1, Element: ir.NoType}
	var n name
	c := r.peekByte()
	r.statement = r.pos
	if c == '#' {
		r.readRecord(&in)
	} else {
		n = r.readInstruction(&in)
	}
	b := r.body
	at := uint32(len(b.Instructions))
	if in.Op != ir.OpDebugRecord && !r.isVoid(in.Type) {
		if !n.numbered && n.text == nil {
			n = name{number: r.local.next, numbered: true}
		}
		r.local.defineLocal(n, ir.Value{Kind: ir.ValueInstruction, Index: at, Type: in.Type})
		in.Name = string(n.text)
	}
	b.Instructions = append(b.Instructions, in)
	b.Blocks[len(b.Blocks)-1].End = len(b.Instructions)
	if in.Op.IsTerminator() {
		r.open = false
	}
}

func (r *bodyReader) isVoid(id ir.TypeID) bool {
	return id == ir.NoType || r.extra.types[id].Kind == ir.TypeOther && r.extra.types[id].Name == "void"
}

// localTable maps the names of a body to values. Uses may come before definitions, so an entry is
// made by whichever is first.
type localTable struct {
	next    uint32
	entries []ir.Value // ValueNone while not defined
	named   map[string]uint32
	numbers map[uint32]uint32
	forward bool
}

// resetTable forgets the names of the function before.
func (t *localTable) resetTable() {
	t.next, t.entries, t.forward = 0, t.entries[:0], false
	if t.named == nil {
		t.named, t.numbers = make(map[string]uint32), make(map[uint32]uint32)
	}
	clear(t.named)
	clear(t.numbers)
}

// entryOf returns the entry of a name. Numbers are in a map too: a function may begin with any
// number, and hostile input may name the highest.
func (t *localTable) entryOf(n name) uint32 {
	if n.numbered {
		i, ok := t.numbers[n.number]
		if !ok {
			i = t.growTable()
			t.numbers[n.number] = i
		}
		return i
	}
	i, ok := t.named[string(n.text)]
	if !ok {
		i = t.growTable()
		t.named[string(n.text)] = i
	}
	return i
}

// growTable adds an entry without a value.
func (t *localTable) growTable() uint32 {
	t.entries = append(t.entries, ir.NoValue)
	return uint32(len(t.entries) - 1)
}

// defineLocal gives a name its value. A number also decides which one the next unnamed value has.
func (t *localTable) defineLocal(n name, v ir.Value) {
	if n.numbered {
		t.next = n.number + 1
	}
	t.entries[t.entryOf(n)] = v
}

// useLocal returns the value of that name, or a forward value that is replaced at the end of the
// body.
func (t *localTable) useLocal(n name, typ ir.TypeID) ir.Value {
	i := t.entryOf(n)
	if v := t.entries[i]; v.Kind != ir.ValueNone {
		return v
	}
	t.forward = true
	return ir.Value{Kind: ir.ValueForward, Index: i, Type: typ}
}

// PointerTo implements [ir.TypeInterner].
func (r *bodyReader) PointerTo(pointee ir.TypeID, space uint32) ir.TypeID {
	want := ir.Type{Kind: ir.TypePointer, AddressSpace: space}
	if r.text.typed {
		want.Elements = []ir.TypeID{pointee}
	}
	return r.InternType(want)
}

// InternType implements [ir.TypeInterner].
func (r *bodyReader) InternType(want ir.Type) ir.TypeID {
	return r.parser.types.internType(r.parser, want)
}

// IntegerType implements [ir.TypeInterner].
func (r *bodyReader) IntegerType(bits uint32) ir.TypeID {
	return r.InternType(ir.Type{Kind: ir.TypeInteger, Bits: bits})
}

// derivedType returns a type that was derived from those of operands. If it could not be derived,
// the fault is at the statement: that happens after the last operand has been read.
func (r *bodyReader) derivedType(id ir.TypeID, err error) ir.TypeID {
	if err != nil {
		r.failAt(r.statement, err.Error())
	}
	return id
}

// elementAt returns the type of an element of an aggregate or vector.
func (r *bodyReader) elementAt(id ir.TypeID, index uint32) ir.TypeID {
	return r.derivedType(ir.ElementType(r.extra.types, id, uint64(index)))
}

// wordsOf cuts the little-endian bytes of a number into words of 64 bits; the last may be padded.
func wordsOf(bytes []byte) []uint64 {
	for len(bytes)%8 != 0 {
		bytes = append(bytes, 0)
	}
	words := make([]uint64, len(bytes)/8)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(bytes[8*i:])
	}
	return words
}
