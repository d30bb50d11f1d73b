package bitcode

import (
	"encoding/binary"
	"fmt"
	"slices"

	"offlink/abort"
	"offlink/ir"
	"offlink/ir/llvmschema"
)

// bodyDecoder implements [ir.BodyReader] on the compact records. The reader has checked these, so
// that numbers of types, values and nodes need no checks here. The number of operands does, since
// only the fixed part of a record was compared with the schema.
type bodyDecoder struct {
	source *source
	types  []ir.Type
	shapes map[string]ir.TypeID
	// pointers and integers are the types that most instructions ask for.
	pointers map[pointerKey]ir.TypeID
	integers map[uint32]ir.TypeID
	void     ir.TypeID // NoType until an instruction has it
	key      []byte    // scratch of appendShape
	parts    []operand // of the constants that are being decoded, as a stack
	details  map[ir.AttributeGroupID][]ir.AttributeDetail

	compact   *body
	body      *ir.Body
	pool      *ir.ConstantPool
	constants map[constantKey]ir.Value
	locals    []ir.Value // by number in the function
	names     []string   // likewise
	name      []byte     // scratch of readNames
	forward   bool

	pending  ir.Instruction // the instruction whose records are being read
	held     bool
	defines  bool // whether pending defines a value, of the number symbol
	symbol   uint32
	open     bool // the last block has no terminator yet
	blocks   []string
	bundles  []ir.Bundle
	location *ir.Location
	operands []operand
	at       int // of the next operand
	next     uint32
	list     []ir.Value
}

// constantKey names a constant of the module, or of the function.
type constantKey struct {
	index uint32
	local bool
}

// failf stops decoding; abort.Catch returns the error.
func (d *bodyDecoder) failf(format string, args ...any) { abort.With(fmt.Errorf(format, args...)) }

// catchFault runs a step and names the value in the error that stopped it.
func (d *bodyDecoder) catchFault(value ir.ValueID, step func()) error {
	if err := abort.Catch(step); err != nil {
		return fmt.Errorf("%s: %s: %w", d.source.module.Path, d.source.module.Values[value].Name, err)
	}
	return nil
}

// NewBodyReader implements [ir.BodySource].
func (s *source) NewBodyReader() ir.BodyReader { return s.newBodyDecoder() }

func (s *source) newBodyDecoder() *bodyDecoder {
	return &bodyDecoder{
		source: s, types: slices.Clip(s.module.Types), constants: make(map[constantKey]ir.Value),
		pointers: make(map[pointerKey]ir.TypeID), integers: make(map[uint32]ir.TypeID), void: ir.NoType, details: make(map[ir.AttributeGroupID][]ir.AttributeDetail),
	}
}

// Types implements [ir.BodyReader]. The list grows with types that no record has but that values
// have: pointers of getelementptr in old modules, vectors of i1.
func (d *bodyDecoder) Types() []ir.Type { return d.types }

// ReadBody implements [ir.BodyReader].
func (d *bodyDecoder) ReadBody(function ir.ValueID, body *ir.Body) error {
	body.Reset(function)
	index := d.source.values.entryOf(function).body()
	if index < 0 {
		return fmt.Errorf("%s: function %s has no body", d.source.module.Path, d.source.module.Values[function].Name)
	}
	code := -1
	err := abort.Catch(func() {
		d.beginBody(&d.source.bodies[index], body)
		for c := (decoder{data: d.compact.code}); !c.atEnd(); {
			rec := c.takeHead()
			code = int(rec.code)
			d.operands, d.at = absoluteOperands(c.takeOperands(rec, d.operands[:0]), d.next), 0
			d.decodeRecord(rec)
		}
		code = -1
		d.flushInstruction()
		d.decodeAttachments()
		if d.forward {
			if err := body.PatchForward(d.types, d.locals); err != nil {
				d.failf("%v", err)
			}
		}
	})
	if err != nil {
		return d.bodyError(function, code, err)
	}
	return nil
}

// bodyError names the function and the record, -1 for none, in an error.
func (d *bodyDecoder) bodyError(function ir.ValueID, code int, err error) error {
	at := ""
	if code >= 0 {
		at = fmt.Sprintf("instruction %d", len(d.body.Instructions)+1)
		if record := llvmschema.InstructionOf(uint32(code)); record != nil {
			at += " (" + record.Name + ")"
		}
		at += ": "
	}
	return fmt.Errorf("%s: function %s: %s%w", d.source.module.Path, d.source.module.Values[function].Name, at, err)
}

// ReadInitializer implements [ir.BodyReader].
func (d *bodyDecoder) ReadInitializer(id ir.ValueID, pool *ir.ConstantPool) (v ir.Value, err error) {
	values, n := d.source.headerRecord(id).headerValues()
	if d.source.values.entryOf(id).recordCode() == llvmschema.ModuleFunction || n == 0 {
		return ir.NoValue, fmt.Errorf("%s: %s has no initialiser", d.source.module.Path, d.source.module.Values[id].Name)
	}
	d.usePool(pool, nil)
	err = d.catchFault(id, func() { v = d.globalValue(values[0], 0) })
	return v, err
}

// usePool makes constants go to that pool. Constants that were decoded before are numbered by
// their places in another pool, so they are forgotten.
func (d *bodyDecoder) usePool(pool *ir.ConstantPool, compact *body) {
	d.pool, d.compact, d.parts = pool, compact, d.parts[:0]
	clear(d.constants)
}

// beginBody prepares the decoder for a body. Values that are used before they are defined, as by
// phi, are forward values, which ReadBody replaces at the end.
func (d *bodyDecoder) beginBody(b *body, out *ir.Body) {
	d.usePool(&out.Constants, b)
	d.body = out
	d.held, d.open, d.forward, d.location = false, false, false, nil
	d.blocks, d.bundles = d.blocks[:0], nil
	d.locals = slices.Grow(d.locals[:0], b.localCount())[:b.localCount()]
	d.names = slices.Grow(d.names[:0], b.localCount())[:b.localCount()]
	clear(d.names)
	for i := range d.locals {
		d.locals[i] = ir.NoValue
	}
	d.readNames()
	parameters := d.source.module.Types[d.source.module.Values[b.function].Type].Elements[1:]
	for i, t := range parameters {
		out.ArgumentTypes = append(out.ArgumentTypes, t)
		out.ArgumentNames = append(out.ArgumentNames, d.names[i])
		d.locals[i] = ir.Value{Kind: ir.ValueArgument, Index: uint32(i), Type: t}
	}
	d.next = uint32(b.arguments + b.constants.count())
}

// readNames reads the symbol table of the function. A hostile table may name blocks of any
// number; the length of the code bounds them, as each block has an instruction.
func (d *bodyDecoder) readNames() {
	list, name := d.operands[:0], d.name
	for c := (decoder{data: d.compact.symbols}); !c.atEnd(); {
		rec := c.takeHead()
		list = c.takeOperands(rec, list[:0])
		name = name[:0]
		for _, o := range list[1:] {
			name = append(name, byte(o.value))
		}
		v := list[0].value
		if rec.code != llvmschema.SymbolBlock {
			if v < uint64(len(d.names)) {
				d.names[v] = string(name)
			}
			continue
		}
		for uint64(len(d.blocks)) <= v && v <= uint64(len(d.compact.code)) {
			d.blocks = append(d.blocks, "")
		}
		if v < uint64(len(d.blocks)) {
			d.blocks[v] = string(name)
		}
	}
	d.operands, d.name = list, name
}

// flushInstruction appends the instruction that was held back until its debug location came,
// which is a record after it. Its value can be used by its index from now on.
func (d *bodyDecoder) flushInstruction() {
	if d.held {
		d.held = false
		if d.defines {
			d.locals[d.symbol] = ir.Value{Kind: ir.ValueInstruction, Index: uint32(len(d.body.Instructions)), Type: d.pending.Type}
		}
		d.emitInstruction(d.pending)
	}
}

// emitInstruction appends an instruction, starting a block if need be. Bitcode has no marks
// between blocks: one begins after the terminator of the last.
func (d *bodyDecoder) emitInstruction(in ir.Instruction) {
	b := d.body
	if !d.open {
		block := ir.Block{First: len(b.Instructions)}
		if len(b.Blocks) < len(d.blocks) {
			block.Name = d.blocks[len(b.Blocks)]
		}
		b.Blocks = append(b.Blocks, block)
	}
	b.Instructions = append(b.Instructions, in)
	b.Blocks[len(b.Blocks)-1].End = len(b.Instructions)
	d.open = !in.Op.IsTerminator()
}

// decodeAttachments puts the attachments to the instructions that they number. Debug records,
// which are instructions in the model, do not count.
func (d *bodyDecoder) decodeAttachments() {
	if len(d.compact.attached) == 0 {
		return
	}
	var counted []int
	for i := range d.body.Instructions {
		if d.body.Instructions[i].Op != ir.OpDebugRecord {
			counted = append(counted, i)
		}
	}
	var list []operand
	for c := (decoder{data: d.compact.attached}); !c.atEnd(); {
		list = c.takeOperands(c.takeHead(), list[:0])
		if list[0].value >= uint64(len(counted)) {
			continue
		}
		in := &d.body.Instructions[counted[list[0].value]]
		for pairs := list[1:]; len(pairs) >= 2; pairs = pairs[2:] {
			in.Attachments = append(in.Attachments, ir.Attachment{
				Kind:    d.source.kindNames[pairs[0].value],
				Operand: ir.Operand{Kind: ir.OperandNode, Node: d.nodeID(pairs[1])},
			})
		}
	}
}

// nodeID returns the model's number of a node.
func (d *bodyDecoder) nodeID(o operand) ir.NodeID {
	switch o.kind {
	case opFunNode, opFunNodePlus1, opFunNodeRel:
		return d.compact.base + ir.NodeID(o.value)
	}
	return ir.NodeID(o.value)
}

// localValue returns a value of the function by its number. typ is the type of a
// value that is not defined yet.
func (d *bodyDecoder) localValue(n uint64, typ ir.TypeID) ir.Value {
	if n >= uint64(len(d.locals)) {
		d.failf("value %d of %d", n, len(d.locals))
	}
	arguments := uint64(d.compact.arguments)
	if n >= arguments && n-arguments < uint64(d.compact.constants.count()) {
		return d.decodeConstant(constantKey{uint32(n - arguments), true}, 0)
	}
	if v := d.locals[n]; v.Kind != ir.ValueNone {
		return v
	}
	d.forward = true
	return ir.Value{Kind: ir.ValueForward, Index: uint32(n), Type: typ}
}

// decodeValue returns the value that an operand names.
func (d *bodyDecoder) decodeValue(o operand, typ ir.TypeID) ir.Value {
	switch o.kind {
	case opGlobalRel, opGlobalSigned, opGlobal:
		return d.globalValue(uint32(o.value), 0)
	case opLocalRel, opLocalSigned, opLocal:
		return d.localValue(o.value, typ)
	}
	d.failf("an operand that is not a value")
	return ir.NoValue
}

// globalValue returns a value of the module's numbering.
func (d *bodyDecoder) globalValue(id uint32, depth int) ir.Value {
	s := d.source
	if n := uint32(s.values.count()); id >= n {
		return d.decodeConstant(constantKey{id - n, false}, depth)
	}
	v := &s.module.Values[id]
	return ir.Value{Kind: ir.ValueGlobal, Index: id, Type: d.PointerTo(v.Type, v.AddressSpace)}
}

// PointerTo implements [ir.TypeInterner].
func (d *bodyDecoder) PointerTo(pointee ir.TypeID, space uint32) ir.TypeID {
	key := pointerKey{pointee: ir.NoType, space: space}
	if d.source.typedPointers {
		key.pointee = pointee
	}
	id, known := d.pointers[key]
	if !known {
		want := ir.Type{Kind: ir.TypePointer, AddressSpace: space}
		if d.source.typedPointers {
			want.Elements = []ir.TypeID{pointee}
		}
		id = d.InternType(want)
		d.pointers[key] = id
	}
	return id
}

// pointerKey names a type of pointers; pointee is NoType for opaque ones.
type pointerKey struct {
	pointee ir.TypeID
	space   uint32
}

// IntegerType implements [ir.TypeInterner].
func (d *bodyDecoder) IntegerType(bits uint32) ir.TypeID {
	id, known := d.integers[bits]
	if !known {
		id = d.InternType(ir.Type{Kind: ir.TypeInteger, Bits: bits})
		d.integers[bits] = id
	}
	return id
}

// InternType implements [ir.TypeInterner].
func (d *bodyDecoder) InternType(want ir.Type) ir.TypeID {
	if d.shapes == nil {
		d.shapes = make(map[string]ir.TypeID, len(d.types))
		for i := range d.types {
			d.key = appendShape(d.key[:0], &d.types[i])
			if _, ok := d.shapes[string(d.key)]; !ok && !d.types[i].Identified {
				d.shapes[string(d.key)] = ir.TypeID(i)
			}
		}
	}
	d.key = appendShape(d.key[:0], &want)
	if id, ok := d.shapes[string(d.key)]; ok {
		return id
	}
	id := ir.TypeID(len(d.types))
	d.types = append(d.types, want)
	d.shapes[string(d.key)] = id
	return id
}

// voidType returns the type of instructions without a result.
func (d *bodyDecoder) voidType() ir.TypeID {
	if d.void == ir.NoType {
		d.void = d.InternType(ir.Type{Name: "void"})
	}
	return d.void
}

// appendShape spells a type so that equal types are spelled the same. k is empty: its first two
// bytes are set by their index.
func appendShape(k []byte, t *ir.Type) []byte {
	k = append(k, byte(t.Kind), 0)
	for i, set := range []bool{t.Packed, t.Opaque, t.Scalable, t.Variadic, t.Identified} {
		if set {
			k[1] |= 1 << i
		}
	}
	k = binary.AppendUvarint(k, uint64(t.Bits))
	k = binary.AppendUvarint(k, uint64(t.AddressSpace))
	k = binary.AppendUvarint(k, t.Length)
	k = binary.AppendUvarint(k, uint64(len(t.Name)))
	k = append(k, t.Name...)
	for _, n := range t.Numbers {
		k = binary.AppendUvarint(k, uint64(n))
	}
	k = append(k, 0)
	for _, e := range t.Elements {
		k = binary.AppendUvarint(k, uint64(e))
	}
	return k
}

// derivedType returns a type that was derived from others, and fails if it could not be.
func (d *bodyDecoder) derivedType(id ir.TypeID, err error) ir.TypeID {
	if err != nil {
		abort.With(err)
	}
	return id
}

// elementAt returns the type of an element of an aggregate or vector.
func (d *bodyDecoder) elementAt(id ir.TypeID, index uint64) ir.TypeID {
	return d.derivedType(ir.ElementType(d.types, id, index))
}
