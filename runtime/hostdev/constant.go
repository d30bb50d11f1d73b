package hostdev

import (
	"encoding/binary"
	"fmt"
	"slices"

	"offlink/abort"
	"offlink/lazy"
	"offlink/spirv"
)

// constant is a module-scope value: its words in a frame, none if it is too
// large for one.
type constant struct {
	t     *typ
	words []uint64
	parts []spirv.ID // of a composite
	uses  []spirv.ID // the variables and functions whose addresses it contains
}

// maxConstantWords limits the size of constants that functions use as values.
const maxConstantWords = 4096

var constantDefinitions = lazy.Map[spirv.Opcode, constantDefinition]{New: func() map[spirv.Opcode]constantDefinition {
	return map[spirv.Opcode]constantDefinition{
		spirv.OpConstantTrue:                 booleanConstant(1),
		spirv.OpConstantFalse:                booleanConstant(0),
		spirv.OpSpecConstantTrue:             booleanConstant(1),
		spirv.OpSpecConstantFalse:            booleanConstant(0),
		spirv.OpConstant:                     (*program).number,
		spirv.OpSpecConstant:                 (*program).number,
		spirv.OpConstantNull:                 (*program).nullConstant,
		spirv.OpUndef:                        (*program).nullConstant,
		spirv.OpConstantComposite:            (*program).compositeConstant,
		spirv.OpSpecConstantComposite:        (*program).compositeConstant,
		spirv.OpSpecConstantOp:               (*program).specConstantOp,
		spirv.OpConstantFunctionPointerINTEL: (*program).functionPointer,
		spirv.OpConstantSampler:              (*program).samplerConstant,
	}
}}

type constantDefinition func(p *program, in *spirv.Instruction, t *typ) (*constant, error)

// defineConstant evaluates a constant. One that the device does not know is an
// error only where a kernel uses it.
func (p *program) defineConstant(in *spirv.Instruction) error {
	define := constantDefinitions.Get()[in.Op]
	if define == nil {
		return nil
	}
	t, err := p.types.get(in.Type())
	if err != nil || !t.isValue() {
		return err
	}
	c, err := define(p, in, t)
	if err != nil {
		return fmt.Errorf("constant %%%d, %v: %w", in.Result(), in.Op, err)
	}
	c.t = t
	p.constants[in.Result()] = c
	// Each part brings words and uses, which are copied: constants of constants could
	// grow without end.
	p.room -= len(c.words) + len(c.parts)*(1+len(c.uses))
	return nil
}

// readWord reads 1, 2, 4 or 8 little-endian bytes.
func readWord(b []byte) uint64 {
	var full [8]byte
	copy(full[:], b)
	return binary.LittleEndian.Uint64(full[:])
}

// writeWord writes the low bytes of a word.
func writeWord(b []byte, v uint64) {
	var full [8]byte
	binary.LittleEndian.PutUint64(full[:], v)
	copy(b, full[:])
}

// constant returns the value of an identifier.
func (p *program) constant(id spirv.ID) (*constant, error) {
	c := p.constants[id]
	switch {
	case c == nil:
		return nil, fmt.Errorf("%%%d is not defined here, or is a constant that the embedded device does not implement", id)
	case int64(len(c.words)) != c.t.words:
		return nil, fmt.Errorf("the constant %%%d is too large to be used as a value", id)
	}
	return c, nil
}

func (p *program) isConstant(id spirv.ID) bool { return p.constants[id] != nil }

// constantInt is the value of an integer constant, zero-extended; ok is false for anything
// else.
func (p *program) constantInt(id spirv.ID) (uint64, bool) {
	c := p.constants[id]
	if c == nil || c.t.kind != kindInt {
		return 0, false
	}
	return c.words[0], true
}

func booleanConstant(v uint64) func(*program, *spirv.Instruction, *typ) (*constant, error) {
	return func(_ *program, _ *spirv.Instruction, t *typ) (*constant, error) {
		if t.kind != kindBool {
			return nil, fmt.Errorf("its type is not a boolean")
		}
		return &constant{words: []uint64{v}}, nil
	}
}

// number reads a number of one word, or of two, the low one first.
func (p *program) number(in *spirv.Instruction, t *typ) (*constant, error) {
	words := in.Operands()
	if t.kind != kindInt && t.kind != kindFloat || len(words) != (t.width+31)/32 {
		return nil, fmt.Errorf("a number of %d words is not of its type", len(words))
	}
	v := uint64(words[0])
	if len(words) == 2 {
		v |= uint64(words[1]) << 32
	}
	return &constant{words: []uint64{v & mask(t.width)}}, nil
}

// nullConstant has no words if they would be too many: memory is zero before initial
// values are written, so that nothing else is lost.
func (p *program) nullConstant(_ *spirv.Instruction, t *typ) (*constant, error) {
	if t.words > maxConstantWords {
		return &constant{}, nil
	}
	return &constant{words: make([]uint64, t.words)}, nil
}

// largeFill returns the value of every byte of a constant that is too large to be used as a value,
// if they are all the same: such a variable is filled, as by memset.
func (p *program) largeFill(id spirv.ID) (fill byte, ok bool) {
	c := p.constants[id]
	if c == nil || int64(len(c.words)) == c.t.words {
		return 0, false
	}
	known := map[spirv.ID]int{}
	n := p.fillOf(id, known)
	return byte(n), n >= 0
}

// fillOf returns the value of every byte of a constant, or noFill. known has the results so far:
// the parts of nested constants are often the same constant, which would be read each time.
func (p *program) fillOf(id spirv.ID, known map[spirv.ID]int) int {
	fill, seen := known[id]
	if seen {
		return fill
	}
	c := p.constants[id]
	switch {
	case len(c.parts) > 0:
		fill = p.fillOf(c.parts[0], known)
		for _, part := range c.parts[1:] {
			if p.fillOf(part, known) != fill {
				fill = noFill
			}
		}
	case len(c.words) == 0: // zeros, too many for words: see nullConstant
	case len(c.words) == 1 && c.t.kind == kindInt && c.t.width%8 == 0:
		fill = int(byte(c.words[0]))
		if c.words[0] != uint64(fill)*0x0101010101010101&mask(c.t.width) {
			fill = noFill
		}
	default:
		if slices.ContainsFunc(c.words, func(w uint64) bool { return w != 0 }) {
			fill = noFill
		}
	}
	known[id] = fill
	return fill
}

// noFill is the result of fillOf for a constant whose bytes differ or were not compared.
const noFill = -1

// compositeConstant keeps the parts, from which initial values are written, and the words
// of all of them if the constant is small enough to be used as a value.
func (p *program) compositeConstant(in *spirv.Instruction, t *typ) (*constant, error) {
	c := &constant{}
	for i, id := range in.Operands() {
		part, _, _, ok := t.part(uint64(i))
		member := p.constants[spirv.ID(id)]
		if !ok || member == nil || !sameWords(member.t, part) {
			return nil, fmt.Errorf("part %d is not a constant of the type", i)
		}
		c.parts = append(c.parts, spirv.ID(id))
		if t.words <= maxConstantWords {
			c.words = append(c.words, member.words...)
		}
		c.appendUses(member.uses)
	}
	if parts := t.partCount(); int64(len(c.parts)) != parts {
		return nil, fmt.Errorf("%d parts for a type of %d", len(c.parts), parts)
	}
	return c, nil
}

// appendUses adds identifiers to those that a constant refers to, each once.
func (c *constant) appendUses(ids []spirv.ID) {
	for _, id := range ids {
		if !slices.Contains(c.uses, id) {
			c.uses = append(c.uses, id)
		}
	}
}

// partCount is the number of parts of a composite.
func (t *typ) partCount() int64 {
	if t.kind == kindStruct {
		return int64(len(t.members))
	}
	return t.count
}

func (p *program) functionPointer(in *spirv.Instruction, t *typ) (*constant, error) {
	id := spirv.ID(in.Operands()[0])
	if p.bodies[id] == nil || t.kind != kindPointer || t.elem.kind != kindFunction {
		return nil, fmt.Errorf("it is not a pointer to a function")
	}
	at := p.pointerIndex(id)
	return &constant{words: []uint64{uint64(at) + 1}, uses: []spirv.ID{id}}, nil
}

// specConstantOp evaluates an OpSpecConstantOp. It compiles the operation as a
// function without parameters, so that it has the semantics that it has in a
// kernel.
func (p *program) specConstantOp(in *spirv.Instruction, t *typ) (*constant, error) {
	ops := in.Operands()
	op := spirv.Opcode(ops[0])
	if !constantOperations.Get()[op] {
		return nil, fmt.Errorf("%v is not an operation on constants that the embedded device implements", op)
	}
	b := newBuilder(p, nil)
	err := abort.Catch(func() {
		b.instruction(&spirv.Instruction{Op: op, Words: append([]uint32{in.Words[0], in.Words[1]}, ops[1:]...)})
		b.emit(inst{step: stepReturn, a: b.values[in.Result()].at, n: int32(t.words)})
		b.placeConstants()
	})
	if err != nil {
		return nil, err
	}
	c := &constant{words: evaluateFunction(b.fn)}
	c.appendUses(b.uses)
	return c, nil
}

// evaluateFunction runs a function without memory accesses and returns its result. The
// function does not jump, as a jump may ask the launch, which is missing here.
func evaluateFunction(fn *function) []uint64 {
	it := &item{fn: fn, s: make([]uint64, fn.words), fuel: fuelStep}
	copy(it.s, fn.consts)
	it.run()
	return it.s[it.at.a : it.at.a+it.at.n]
}

// constantOperations are the operations of an OpSpecConstantOp.
var constantOperations = lazy.Map[spirv.Opcode, bool]{New: func() map[spirv.Opcode]bool {
	table := map[spirv.Opcode]bool{}
	for _, op := range []spirv.Opcode{
		spirv.OpSConvert, spirv.OpUConvert, spirv.OpFConvert, spirv.OpConvertFToS, spirv.OpConvertSToF,
		spirv.OpConvertFToU, spirv.OpConvertUToF, spirv.OpConvertPtrToU, spirv.OpConvertUToPtr,
		spirv.OpGenericCastToPtr, spirv.OpPtrCastToGeneric, spirv.OpBitcast, spirv.OpQuantizeToF16,
		spirv.OpSNegate, spirv.OpNot, spirv.OpIAdd, spirv.OpISub, spirv.OpIMul,
		spirv.OpUDiv, spirv.OpSDiv, spirv.OpUMod, spirv.OpSRem, spirv.OpSMod,
		spirv.OpFNegate, spirv.OpFAdd, spirv.OpFSub, spirv.OpFMul, spirv.OpFDiv, spirv.OpFRem, spirv.OpFMod,
		spirv.OpShiftRightLogical, spirv.OpShiftRightArithmetic, spirv.OpShiftLeftLogical,
		spirv.OpBitwiseOr, spirv.OpBitwiseXor, spirv.OpBitwiseAnd,
		spirv.OpVectorShuffle, spirv.OpCompositeExtract, spirv.OpCompositeInsert,
		spirv.OpLogicalOr, spirv.OpLogicalAnd, spirv.OpLogicalNot, spirv.OpLogicalEqual, spirv.OpLogicalNotEqual,
		spirv.OpSelect, spirv.OpIEqual, spirv.OpINotEqual, spirv.OpULessThan, spirv.OpSLessThan,
		spirv.OpUGreaterThan, spirv.OpSGreaterThan, spirv.OpULessThanEqual, spirv.OpSLessThanEqual,
		spirv.OpUGreaterThanEqual, spirv.OpSGreaterThanEqual,
		spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain,
	} {
		table[op] = true
	}
	return table
}}

// writeConstant writes a constant in the memory layout of its type.
func (p *program) writeConstant(to []byte, t *typ, id spirv.ID) error {
	c := p.constants[id]
	if c == nil {
		return fmt.Errorf("its initial value %%%d is not a constant that the embedded device implements", id)
	}
	if !sameWords(c.t, t) {
		return fmt.Errorf("its initial value is not of its type")
	}
	for _, use := range c.uses {
		if p.bodies[use] != nil {
			p.demandFunction(use)
		}
	}
	return p.writeParts(to, t, c)
}

// writeParts writes the constant in the layout of type t, whose words are the
// same as those of its own type.
func (p *program) writeParts(to []byte, t *typ, c *constant) error {
	if p.room -= 1 + len(c.parts); p.room < 0 {
		return fmt.Errorf("its initial value is too large")
	}
	if c.parts != nil {
		for i, id := range c.parts {
			part, offset, _, _ := t.part(uint64(i))
			if err := p.writeParts(to[offset:offset+part.size], part, p.constants[id]); err != nil {
				return err
			}
		}
		return nil
	}
	if len(c.words) == 0 {
		return nil // an OpConstantNull too large for a value
	}
	for i, l := range t.leaves() {
		writeWord(to[l.offset:l.offset+l.size], c.words[i])
	}
	return nil
}
