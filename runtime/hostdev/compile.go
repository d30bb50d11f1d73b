package hostdev

import (
	"fmt"
	"slices"

	"offlink/abort"
	"offlink/spirv"
)

// value is the result of an instruction: words of the frame.
type value struct {
	at int32
	t  *typ
}

// builder compiles one function to slot code.
type builder struct {
	p  *program
	m  *spirv.Module
	fn *function

	values map[spirv.ID]value
	next   int32 // the next free word, without the constants, which placeConstants puts first
	words  []uint64
	uses   []spirv.ID // the variables and functions that the constants refer to

	cfg     *spirv.CFG
	places  []blockPlace        // by block of cfg; nil if no parts of sub-groups meet
	blocks  map[spirv.ID]*block // the reachable ones
	current *block
	fixups  []fixup
	in      *spirv.Instruction
	op      string
	line    where
	checked bool // checked mode; constants are computed without
	// computes tells that the instruction has steps that do not just move words.
	computes bool
}

// block is a basic block.
type block struct {
	id   spirv.ID
	at   int32 // its first instruction
	phis []*spirv.Instruction
}

// fixup is a jump whose target is set when all blocks are compiled.
type fixup struct {
	at    int
	field func(in *inst) *int32
	to    spirv.ID
}

// refuse ends the compilation of a function that is not valid or needs
// something that the device does not implement.
func (b *builder) refuse(format string, args ...any) {
	abort.With(fmt.Errorf("function %s: %s: %s", b.fn.name, b.op, fmt.Sprintf(format, args...)))
}

// constantBase is added to the indexes of constants until their number is
// known and the other words move after them.
const constantBase = 1 << 30

// compileFunction compiles a function that has a body.
func (p *program) compileFunction(f *spirv.Function) (*function, error) {
	b := newBuilder(p, f)
	err := abort.Catch(func() {
		b.declareFunction(f)
		for _, i := range b.cfg.Order {
			b.compileBlock(&b.cfg.Blocks[i])
			if b.places != nil {
				b.fn.starts, b.fn.places = append(b.fn.starts, b.current.at), append(b.fn.places, b.places[i])
			}
		}
		b.resolveJumps()
		b.placeConstants()
	})
	for _, id := range b.uses {
		b.noteReferences(id)
	}
	return b.fn, err
}

func newBuilder(p *program, f *spirv.Function) *builder {
	b := &builder{
		p: p, m: p.module, op: "OpFunction",
		values: map[spirv.ID]value{}, blocks: map[spirv.ID]*block{},
		fn: &function{inputs: map[spirv.ID]bool{}, locals: map[int]bool{}},
	}
	if f != nil {
		b.fn.id, b.fn.name = f.ID(), p.functionName(f.ID())
		b.checked = p.device.options.Check
	}
	return b
}

// declareFunction assigns words to parameters, variables and phis.
func (b *builder) declareFunction(f *spirv.Function) {
	t := b.typeOf(spirv.ID(f.Def.Words[3]))
	if t.kind != kindFunction || len(t.members) != len(f.Params) {
		b.refuse("its type has %d parameters and it has %d", len(t.members), len(f.Params))
	}
	for i, param := range f.Params {
		// Calls copy arguments by the words of the function's type, and the
		// body reads them by the parameter's: the two must agree, or a call
		// would write beyond.
		if param.Type() != t.members[i].id {
			b.refuse("parameter %d is not of the type that the function's type says", i)
		}
		v := b.define(param.Result(), b.valueType(param.Type()))
		b.fn.params = append(b.fn.params, v.at)
	}
	b.fn.result = int(t.elem.words)
	// The pointers of variables are consecutive words, from here on:
	// enterFunction sets them in one loop.
	b.fn.privateBase = b.next
	for _, param := range f.Params {
		if b.p.isCopied(f, param) {
			b.declareCopy(param)
		}
	}
	for _, in := range f.Body {
		if in.Op == spirv.OpVariable {
			b.declareVariable(in)
		}
	}
	var err error
	if b.cfg, err = b.m.CFG(f); err != nil {
		b.refuse("%v", err)
	}
	for _, i := range b.cfg.Order {
		b.declareBlock(&b.cfg.Blocks[i])
	}
	if b.p.divided {
		b.placeBlocks()
	}
}

func (b *builder) declareVariable(in *spirv.Instruction) {
	b.enterInstruction(in)
	t := b.typeOf(in.Type())
	if t.kind != kindPointer || !t.elem.isValue() {
		b.refuse("the variable's type is not a pointer to a value")
	}
	if t.elem.size > maxPrivate {
		b.refuse("a variable of %d bytes; private memory has %d", t.elem.size, maxPrivate)
	}
	b.define(in.Result(), t)
	b.addPrivate(in.Result(), t.elem)
}

// addPrivate makes a variable whose pointer is in the word that was defined last.
func (b *builder) addPrivate(id spirv.ID, t *typ) {
	b.fn.private = append(b.fn.private, t.size)
	b.fn.privateTypes, b.fn.variables = append(b.fn.privateTypes, t), append(b.fn.variables, id)
}

// declareBlock assigns words to the phis: branches to the block move values
// there.
func (b *builder) declareBlock(from *spirv.Block) {
	own := &block{id: from.Label}
	for _, in := range from.Body {
		if in.Op == spirv.OpPhi {
			b.enterInstruction(in)
			b.define(in.Result(), b.valueType(in.Type()))
			own.phis = append(own.phis, in)
		}
	}
	b.blocks[from.Label] = own
}

// compileBlock compiles a reachable block. Its dominators were compiled
// earlier, so that every value that it uses has words.
func (b *builder) compileBlock(from *spirv.Block) {
	b.current = b.blocks[from.Label]
	b.current.at = int32(len(b.fn.code))
	b.line = where{}
	for _, in := range from.Body {
		b.instruction(in)
	}
}

// enterInstruction records the instruction that is compiled, for messages.
func (b *builder) enterInstruction(in *spirv.Instruction) {
	b.in, b.op = in, in.Op.String()
	if in.Op == spirv.OpExtInst {
		set := b.m.ExtInstSet(spirv.ID(in.Words[2]))
		b.op = fmt.Sprintf("OpExtInst %s %s", set, extInstName(set, in.Words[3]))
	}
}

func extInstName(set string, number uint32) string {
	if name := spirv.ExtInstName(set, number); name != "" {
		return name
	}
	return fmt.Sprint(number)
}

// instruction compiles one instruction.
func (b *builder) instruction(in *spirv.Instruction) {
	b.enterInstruction(in)
	emit := emitters.row(in.Op)
	if emit == nil {
		b.refuse("the embedded device does not implement this instruction")
	}
	if b.checked {
		b.checkedInstruction(in, emit)
		return
	}
	if b.fn.id != 0 && slices.Contains(divisions, in.Op) {
		b.emitDivisorCheck(in)
	}
	emit(b, in)
}

// emitters compile the instructions of functions, by opcode.
var emitters = table[spirv.Opcode, func(*builder, *spirv.Instruction)]{what: "emitters"}

func registerLineEmitters() {
	emitters.register(func() map[spirv.Opcode]func(*builder, *spirv.Instruction) {
		nothing := func(*builder, *spirv.Instruction) {}
		return map[spirv.Opcode]func(*builder, *spirv.Instruction){
			spirv.OpNop: nothing, spirv.OpLoopMerge: nothing, spirv.OpSelectionMerge: nothing,
			spirv.OpLifetimeStart: nothing, spirv.OpLifetimeStop: nothing, spirv.OpPhi: nothing,
			spirv.OpAssumeTrueKHR: nothing, spirv.OpLoopControlINTEL: nothing,
			spirv.OpLine: (*builder).emitLine, spirv.OpNoLine: (*builder).emitNoLine,
			spirv.OpUndef: (*builder).emitUndef,
		}
	})
}

func (b *builder) emitLine(in *spirv.Instruction) {
	b.line = where{file: b.m.String(spirv.ID(in.Words[0])), line: in.Words[1]}
}

func (b *builder) emitNoLine(*spirv.Instruction) { b.line = where{} }

// emitUndef takes zeros for an undefined value, so that a kernel gives the same
// result in every run.
func (b *builder) emitUndef(in *spirv.Instruction) {
	t := b.result(in)
	b.aliasResult(in, value{b.constant(make([]uint64, t.words)), t})
}

// Types.

func (b *builder) typeOf(id spirv.ID) *typ {
	t, err := b.p.types.get(id)
	if err != nil {
		b.refuse("%v", err)
	}
	return t
}

// valueType returns a type whose values fit a frame.
func (b *builder) valueType(id spirv.ID) *typ {
	t := b.typeOf(id)
	switch {
	case t.kind == kindUnsupported:
		b.refuse("the embedded device does not implement the type %s", b.typeName(t))
	case !t.isValue():
		b.refuse("there are no values of type %s", b.typeName(t))
	case t.words > maxWords:
		b.refuse("a value of type %s has more than %d components", b.typeName(t), maxWords)
	}
	return t
}

func (b *builder) typeName(t *typ) string { return b.m.TypeString(t.id) }

// result is the type of the instruction's result.
func (b *builder) result(in *spirv.Instruction) *typ { return b.valueType(in.Type()) }

// Values.

// maxFrame limits the words of one function's values: a frame is allocated for
// every call, and an input must not choose its size.
const maxFrame = 1 << 18

// define assigns words of the frame to an identifier.
func (b *builder) define(id spirv.ID, t *typ) value {
	v := value{b.newTemporary(t.words), t}
	b.values[id] = v
	return v
}

func (b *builder) newTemporary(words int64) int32 {
	at := b.next
	b.next += int32(words)
	if b.next > maxFrame {
		b.refuse("the values of the function take more than %d words", maxFrame)
	}
	return at
}

// defineResult assigns words to the instruction's result.
func (b *builder) defineResult(in *spirv.Instruction) value {
	if v, ok := b.values[in.Result()]; ok {
		return v
	}
	return b.define(in.Result(), b.result(in))
}

// aliasResult makes the instruction's result share words that do not change
// while it can be used. An earlier phi may have assigned it words of its own.
func (b *builder) aliasResult(in *spirv.Instruction, v value) {
	have, ok := b.values[in.Result()]
	if !ok {
		b.values[in.Result()] = v
		return
	}
	var to, from []int32
	for i := range int32(v.t.words) {
		to, from = append(to, have.at+i), append(from, v.at+i)
	}
	if len(to) > 0 {
		b.moveWords(to, from)
	}
}

// arg returns operand i, counted after the result.
func (b *builder) arg(in *spirv.Instruction, i int) value {
	ops := in.Operands()
	if i >= len(ops) {
		b.refuse("operand %d is missing", i+1)
	}
	return b.value(spirv.ID(ops[i]))
}

// value returns the words of an identifier: a result or a constant.
func (b *builder) value(id spirv.ID) value {
	if v, ok := b.values[id]; ok {
		return v
	}
	c, err := b.p.constant(id)
	if err != nil {
		b.refuse("%v", err)
	}
	b.uses = append(b.uses, c.uses...)
	v := value{b.constant(c.words), c.t}
	b.values[id] = v
	return v
}

// noteReferences records the references of a constant: to functions, and to
// variables that a work-item or a group provides.
func (b *builder) noteReferences(id spirv.ID) {
	v := b.p.variables[id]
	switch {
	case v == nil:
		b.fn.calls = append(b.fn.calls, b.p.demandFunction(id))
	case v.isBuiltin:
		b.fn.inputs[id] = true
	case v.storage == spirv.StorageWorkgroup:
		b.fn.locals[v.index] = true
	}
}

// constant returns the index of constant words in the frame.
func (b *builder) constant(words []uint64) int32 {
	at := constantBase + int32(len(b.words))
	b.words = append(b.words, words...)
	if len(b.words) > maxFrame {
		b.refuse("the constants of the function take more than %d words", maxFrame)
	}
	return at
}

// emit appends an instruction and returns its index.
func (b *builder) emit(in inst) int {
	// Lists are counted too: a composite of many words in many instructions is
	// quadratic in the module.
	if b.p.room -= 1 + len(in.list); b.p.room < 0 {
		b.refuse("the code is too large for the size of the module")
	}
	b.computes = true
	b.fn.code = append(b.fn.code, in)
	w := b.line
	w.op = b.op
	b.fn.where = append(b.fn.where, w)
	return len(b.fn.code) - 1
}

// jump sets a field of an instruction to a block's first instruction, once
// all blocks are compiled. Blocks are compiled in order, and a branch may lead
// to one that has no index yet.
func (b *builder) jump(at int, field func(in *inst) *int32, to spirv.ID) {
	b.fixups = append(b.fixups, fixup{at, field, to})
}

func (b *builder) resolveJumps() {
	for _, f := range b.fixups {
		*f.field(&b.fn.code[f.at]) = b.blockOf(f.to).at
	}
}

func (b *builder) blockOf(id spirv.ID) *block {
	target := b.blocks[id]
	if target == nil {
		b.refuse("%%%d is not a block of the function", id)
	}
	return target
}

// placeConstants moves the constants before the other words: a call then
// copies them in one piece.
func (b *builder) placeConstants() {
	fn := b.fn
	fn.consts = b.words
	shift := int32(len(b.words))
	move := func(at *int32) {
		if *at >= constantBase {
			*at -= constantBase
		} else {
			*at += shift
		}
	}
	for i := range fn.code {
		in := &fn.code[i]
		for _, at := range []*int32{&in.dst, &in.a, &in.b, &in.c} {
			move(at)
		}
		for j := range in.list {
			move(&in.list[j])
		}
	}
	for i := range fn.params {
		move(&fn.params[i])
	}
	for _, l := range fn.loops {
		move(&l.count)
	}
	move(&fn.privateBase)
	fn.words = int(b.next + shift)
}
