package hostdev

import (
	"slices"

	"offlink/abort"
	"offlink/runtime/driver"
	"offlink/runtime/hostdev/internal/lanes"
	"offlink/spirv"
)

// Lowering: from a kernel that the interpreter's compiler has accepted, which checked it,
// to the form of package lanes. Functions are inlined, vectors and structs are words as
// in a frame (types.go), and a pointer is an offset into the device's memory. A construct
// that is not lowered is refused, and the interpreter runs the kernel.

// lowered is a value: a scalar for each word of its type. The pointer to a
// variable of the function, or to a built-in one, is a place instead. A pointer
// is its 64 bits.
type lowered struct {
	t     *typ
	words []*lanes.Value
	place *place
	// root is the allocation that a pointer leads to, nil if that is to be looked
	// up (lower_origin.go).
	root  *lanes.Bounds
	steps steps // from the pointer whose allocation root is
}

// framePlace is a variable in the private memory of a work-item.
type framePlace struct{ at, size int64 }

// lowering lowers one kernel.
type lowering struct {
	p *program
	k *kernel
	f *lanes.Function
	b *lanes.Block // the block that grows

	calls  []*inlining
	room   int              // instructions that may still be lowered
	locals map[int]int64    // places in local memory, by index
	modes  []varMode        // of the variables, in the order in which they come
	roots  map[rootKey]bool // pointers in registers whose allocations are stored: whether one was moved before
	vars   []*variableState
	places []framePlace // of the variables in memory, in order
	before []framePlace // those of the round before

	storedRoot *lanes.Bounds // of the pointer that is stored, where it is known
	failed     bool          // a variable needs another mode: all is lowered again
	asked      bool          // the places of the round before were used

	globals []*variable // whose addresses are in the record, ahead of time

	host  *hostTable
	sites []site                // of instructions, for messages
	ids   map[*lanes.Value]bool // numbers of work-items and groups, which have 31 bits
	// counts has the phis of integers that a loop changes.
	counts map[*lanes.Register]bool
	line   where
	// kept has the registers that hold the allocations that pointers were made for.
	kept *keptRoots
}

// site is where an instruction comes from.
type site struct {
	where
	function string
}

// inlining is a function that is being lowered.
type inlining struct {
	fn     *spirv.Function
	cfg    *spirv.CFG
	values map[spirv.ID]lowered
	blocks map[spirv.ID]*lanes.Block
	phis   map[spirv.ID][]*phi // of blocks
	result []*lanes.Register
	t      *typ // of the result
	after  *lanes.Block
	label  spirv.ID // of the block that is lowered
}

// phi is an OpPhi with the registers of its words.
type phi struct {
	in   *spirv.Instruction
	t    *typ
	regs []*lanes.Register
}

const (
	// Without a limit, functions that each call the next one twice would grow
	// as 2 to the number of them.
	maxLowered = 60000 // instructions of a kernel with all that is inlined
	maxInlined = 64    // calls within calls
	maxRounds  = 12    // each variable has three modes, and its pointers two; pointers in registers have two as well
)

// unsupported ends the lowering.
func (l *lowering) unsupported(format string, args ...any) {
	abort.With(lanes.Unsupported(format, args...))
}

// lowerKernel makes the form of a kernel.
func lowerKernel(k *kernel, host *hostTable) (*lowering, error) {
	var modes []varMode
	roots := map[rootKey]bool{}
	kept := newKeptRoots()
	var places []framePlace
	// A variable's mode is known only when its last access was lowered, so the
	// kernel is lowered again with the modes that the round before asked for.
	for round := range maxRounds {
		kept.begin(round >= maxRounds/2)
		l := &lowering{kept: kept, p: k.p, k: k, f: lanes.NewFunction(k.name), host: host, room: maxLowered, modes: modes, roots: roots, before: places, ids: map[*lanes.Value]bool{}, counts: map[*lanes.Register]bool{}}
		if err := abort.Catch(l.kernel); err != nil {
			return nil, err
		}
		if !l.failed && !kept.failed && (!l.asked || slices.Equal(places, l.places)) {
			l.finishVariables()
			l.f.LanesMeet = k.subgroup > 1
			return l, l.f.Finish()
		}
		modes, places = l.modes, l.places
	}
	return nil, lanes.Unsupported("variables whose use is not understood")
}

func (l *lowering) kernel() {
	l.b = l.f.Blocks[0]
	l.placeLocals()
	fn := l.p.bodies[l.k.fn.id]
	var args []lowered
	for i := range l.k.params {
		args = append(args, l.parameter(&l.k.params[i]))
	}
	l.inline(fn, args)
	l.b.Term = lanes.Return
}

// parameter reads an argument out of the record of the launch, whose words
// are those of the interpreter; a pointer's is an offset.
func (l *lowering) parameter(p *param) lowered {
	if p.byVal {
		return l.parameterByValue(p)
	}
	v := lowered{t: p.t}
	for i, w := range wordsOf(p.t) {
		at := uint32(lanes.RecordWords + 8*(p.word+int64(i)))
		v.words = append(v.words, l.fromWord(l.f.Arg(lanes.I64, at), w))
	}
	if p.t.kind == kindPointer {
		v.root = l.rootOf(p)
	}
	return v
}

// parameterByValue copies the value to a variable; its bytes are in the record.
func (l *lowering) parameterByValue(p *param) lowered {
	t := p.t.elem
	if t.words > maxLoweredWords {
		l.unsupported("an argument of %d words", t.words)
	}
	to := lowered{t: p.t, place: &place{v: l.newVariable(t)}}
	at, words := l.k.byValueAt(p), wordsOf(t)
	for i, leaf := range t.leaves() {
		l.storeWord(to, leaf, words[i], l.recordWord(at+leaf.offset, leaf, words[i]))
	}
	return to
}

// recordWord reads a word of a value whose bytes are in the record.
func (l *lowering) recordWord(at int64, leaf leaf, w word) *lanes.Value {
	if !isAccessSize(leaf.size) {
		l.unsupported("integers of %d bits in memory", w.width)
	}
	k := memoryKind(w)
	if leaf.size >= 4 {
		return l.fromMemory(l.f.Arg(k, uint32(at)), w, leaf)
	}
	v := l.b.Add(lanes.OpLShr, lanes.I32, l.f.Arg(lanes.I32, uint32(at&^3)), l.i32(8*(at&3)))
	return l.fromMemory(l.b.Add(lanes.OpAnd, lanes.I32, v, l.f.Const(lanes.I32, mask(int(8*leaf.size)))), w, leaf)
}

// rootOf is the allocation of a pointer argument: where it starts and its size
// are in the record after the words of all arguments.
func (l *lowering) rootOf(p *param) *lanes.Bounds {
	at := uint32(l.k.boundsAt() + 8*p.word)
	memory := spaceNames[spaceGlobal]
	if p.Kind == driver.ParamLocal {
		memory = spaceNames[spaceLocal]
	}
	return &lanes.Bounds{Base: l.f.Arg(lanes.I32, at), Len: l.f.Arg(lanes.I32, at+4), Memory: memory, Own: p.Kind == driver.ParamLocal}
}

// boundsAt is the offset of the bounds of the arguments in the record.
func (k *kernel) boundsAt() int64 {
	words := int64(0)
	for _, p := range k.params {
		words = max(words, p.word+p.t.words)
	}
	return lanes.RecordWords + 8*words
}

// recordSize is the size of the whole record in bytes.
func (k *kernel) recordSize() int64 { return k.byValueAt(nil) }

// byValueAt is where the bytes of an argument that is passed by value are in
// the record: after the bounds.
func (k *kernel) byValueAt(p *param) int64 {
	at := 2*k.boundsAt() - lanes.RecordWords
	for i := range k.params {
		other := &k.params[i]
		if !other.byVal {
			continue
		}
		at = alignUp(at, 16)
		if other == p {
			break
		}
		at += other.t.elem.size
	}
	return at
}

// placeLocals gives the program's variables the start of local memory;
// arguments follow them when the launch has told their sizes.
func (l *lowering) placeLocals() {
	l.locals = map[int]int64{}
	at := int64(0)
	for _, v := range l.k.locals {
		l.locals[v.index] = at
		at = alignUp(at+v.t.size+1, localAlign) // a pointer to the end is the variable's
	}
}

// localAlign is the alignment of local memory: of the largest vector.
const localAlign = 128

// inline lowers a function in the place of a call, and goes on after it.
func (l *lowering) inline(fn *spirv.Function, args []lowered) lowered {
	if len(l.calls) >= maxInlined || fn.IsDeclaration() {
		l.unsupported("calls nested too deep")
	}
	for _, c := range l.calls {
		if c.fn == fn {
			l.unsupported("recursion")
		}
	}
	cfg, err := l.p.module.CFG(fn)
	if err != nil {
		l.unsupported("%v", err)
	}
	t := l.typeOf(spirv.ID(fn.Def.Words[3]))
	c := &inlining{
		fn: fn, cfg: cfg, values: map[spirv.ID]lowered{}, blocks: map[spirv.ID]*lanes.Block{},
		phis: map[spirv.ID][]*phi{}, t: t.elem,
	}
	for i, p := range fn.Params {
		arg := args[i]
		arg.t = l.typeOf(p.Type()) // the pointee may differ (sameSignature)
		if l.p.isCopied(fn, p) {
			arg = l.copyArgument(arg)
		}
		c.values[p.Result()] = arg
	}
	l.calls = append(l.calls, c)
	l.body(c)
	l.calls = l.calls[:len(l.calls)-1]
	l.b = c.after
	return l.readRegs(t.elem, c.result)
}

func (l *lowering) call() *inlining { return l.calls[len(l.calls)-1] }

func (l *lowering) body(c *inlining) {
	for _, i := range c.cfg.Order {
		b := &c.cfg.Blocks[i]
		own := l.f.NewBlock()
		c.blocks[b.Label] = own
		l.declarePhis(c, b, own)
	}
	c.after = l.f.NewBlock()
	if c.t.kind != kindVoid {
		c.result = l.newRegs(c.t, c.after)
	}
	// All blocks are made before the first is lowered, as branches lead
	// forward. The order visits a block after its dominators, so a value is
	// there before its use; phis alone look backward, and have registers for
	// that.
	l.jump(c.blocks[c.cfg.Blocks[0].Label])
	for _, i := range c.cfg.Order {
		b := &c.cfg.Blocks[i]
		l.b, c.label = c.blocks[b.Label], b.Label
		l.line = where{}
		for _, phi := range c.phis[b.Label] {
			c.values[phi.in.Result()] = l.readRegs(phi.t, phi.regs)
		}
		for _, in := range b.Body {
			l.instruction(in)
		}
	}
}

func (l *lowering) declarePhis(c *inlining, b *spirv.Block, own *lanes.Block) {
	for _, in := range b.Body {
		if in.Op == spirv.OpPhi {
			t := l.typeOf(in.Type())
			p := &phi{in, t, l.newRegs(t, own)}
			c.phis[b.Label] = append(c.phis[b.Label], p)
			if t.kind == kindInt && c.isBackward(in, b.Label) && l.countsNear(in) {
				l.counts[p.regs[0]] = true
			}
		}
	}
}

// isBackward reports whether a phi has a value of the block itself or of one after it.
func (c *inlining) isBackward(phi *spirv.Instruction, label spirv.ID) bool {
	after := false
	for _, i := range c.cfg.Order {
		own := c.cfg.Blocks[i].Label
		after = after || own == label
		for ops := phi.Operands(); after && len(ops) > 1; ops = ops[2:] {
			if spirv.ID(ops[1]) == own {
				return true
			}
		}
	}
	return false
}

// newRegs makes registers for the words of a type, which are set before a
// block and read at its start. A pointer has three more, for its root.
func (l *lowering) newRegs(t *typ, of *lanes.Block) []*lanes.Register {
	kinds := make([]lanes.Kind, 0, t.words+3)
	for _, w := range wordsOf(t) {
		kinds = append(kinds, w.lane)
	}
	if t.kind == kindPointer {
		kinds = append(kinds, lanes.I32, lanes.I32, lanes.I32)
	}
	var regs []*lanes.Register
	for _, k := range kinds {
		r := l.f.NewRegister(k)
		r.Of = of
		if r.Low != nil {
			r.Low.Of = of
		}
		regs = append(regs, r)
	}
	if t.kind == kindPointer {
		l.kept.add(regs[1])
	}
	return regs
}

// readRegs reads a value from its registers.
func (l *lowering) readRegs(t *typ, regs []*lanes.Register) lowered {
	v := lowered{t: t}
	for _, r := range regs[:t.words] {
		v.words = append(v.words, l.b.Get(r))
	}
	if t.kind == kindPointer {
		v.root = l.readRoot(regs[1:], t.storage)
		v.steps.unknown = true
	}
	return v
}

// setRegs sets the registers of a value at the end of a block.
func (l *lowering) setRegs(b *lanes.Block, regs []*lanes.Register, v lowered) {
	for i, w := range v.words {
		b.Set(regs[i], w)
	}
	if v.t.kind == kindPointer {
		l.setRoot(b, regs[1:], l.rootIn(b, v))
	}
}

func (l *lowering) jump(to *lanes.Block) {
	l.b.Term, l.b.Succs = lanes.Jump, []*lanes.Block{to}
}

// edge is the block that a branch leads to: the target, or one that sets the
// phis of the target before.
func (l *lowering) edge(to spirv.ID) *lanes.Block {
	c := l.call()
	target := c.blocks[to]
	if len(c.phis[to]) == 0 {
		return target
	}
	b := l.f.NewBlock()
	l.setPhis(b, to)
	b.Term, b.Succs = lanes.Jump, []*lanes.Block{target}
	return b
}

// setPhis sets the registers of a block's phis. They are read at the start of
// the block only, so setting one does not change a value that the next one
// needs: the phis of a block change at once (SPIR-V, OpPhi).
func (l *lowering) setPhis(b *lanes.Block, to spirv.ID) {
	c := l.call()
	for _, phi := range c.phis[to] {
		ops := phi.in.Operands()
		for i := 0; i+1 < len(ops); i += 2 {
			if spirv.ID(ops[i+1]) == c.label {
				l.setRegs(b, phi.regs, l.spell(l.value(spirv.ID(ops[i]))))
				break
			}
		}
	}
}

// lowerers lower instructions, by opcode.
var lowerers = table[spirv.Opcode, func(*lowering, *spirv.Instruction)]{what: "lowerers"}

func registerFlowLowerers() {
	lowerers.register(func() map[spirv.Opcode]func(*lowering, *spirv.Instruction) {
		nothing := func(*lowering, *spirv.Instruction) {}
		return map[spirv.Opcode]func(*lowering, *spirv.Instruction){
			spirv.OpNop: nothing, spirv.OpLoopMerge: nothing, spirv.OpSelectionMerge: nothing,
			spirv.OpLifetimeStart: nothing, spirv.OpLifetimeStop: nothing, spirv.OpPhi: nothing,
			spirv.OpAssumeTrueKHR: nothing, spirv.OpLoopControlINTEL: nothing,

			spirv.OpLine: func(l *lowering, in *spirv.Instruction) {
				l.line = where{file: l.p.module.String(spirv.ID(in.Words[0])), line: in.Words[1]}
			},
			spirv.OpNoLine: func(l *lowering, _ *spirv.Instruction) { l.line = where{} },

			spirv.OpUndef: func(l *lowering, in *spirv.Instruction) { l.define(in, l.zero(l.typeOf(in.Type())).words) },
			spirv.OpBranch: func(l *lowering, in *spirv.Instruction) {
				to := spirv.ID(in.Words[0])
				l.setPhis(l.b, to)
				l.jump(l.call().blocks[to])
			},
			spirv.OpBranchConditional: (*lowering).lowerBranch,
			spirv.OpSwitch:            (*lowering).lowerSwitch,
			spirv.OpReturn:            func(l *lowering, _ *spirv.Instruction) { l.jump(l.call().after) },
			spirv.OpReturnValue:       (*lowering).lowerReturnValue,
			spirv.OpUnreachable:       func(l *lowering, _ *spirv.Instruction) { l.b.Trap(lanes.TrapUnreachable) },
			spirv.OpFunctionCall:      (*lowering).lowerCall,

			spirv.OpFunctionPointerCallINTEL: (*lowering).lowerPointerCall,

			spirv.OpControlBarrier: (*lowering).lowerBarrier,
			spirv.OpMemoryBarrier:  nothing,
		}
	})
}

// instruction lowers one instruction. Each has a site of its own, even where it
// makes no code, so that a fault names the instruction and not only the line.
func (l *lowering) instruction(in *spirv.Instruction) {
	if l.room--; l.room < 0 {
		l.unsupported("the kernel is too large")
	}
	l.line.op = in.Op.String()
	l.f.Site = len(l.sites)
	l.sites = append(l.sites, site{l.line, l.p.functionName(l.call().fn.ID())})
	if lower := lowerers.row(in.Op); lower != nil {
		lower(l, in)
		return
	}
	l.lowerPure(in)
}

func (l *lowering) lowerBranch(in *spirv.Instruction) {
	cond := l.value(spirv.ID(in.Words[0])).words[0]
	b := l.b
	succs := []*lanes.Block{l.edge(spirv.ID(in.Words[1])), l.edge(spirv.ID(in.Words[2]))}
	b.Term, b.Cond, b.Succs = lanes.Branch, cond, succs
}

// lowerSwitch makes one edge for each target, not for each literal: a switch
// may name a block thousands of times, and each edge would set its phis again.
func (l *lowering) lowerSwitch(in *spirv.Instruction) {
	selector := l.value(spirv.ID(in.Words[0]))
	width := selector.t.width
	words := (width + 31) / 32
	edges := map[spirv.ID]*lanes.Block{}
	edge := func(to spirv.ID) *lanes.Block {
		if edges[to] == nil {
			edges[to] = l.edge(to)
		}
		return edges[to]
	}
	b := l.b
	for rest := in.Words[2:]; len(rest) > words; rest = rest[words+1:] {
		key := uint64(rest[0])
		if words == 2 {
			key |= uint64(rest[1]) << 32
		}
		b.Cases = append(b.Cases, key&mask(width))
		b.Succs = append(b.Succs, edge(spirv.ID(rest[words])))
	}
	b.Term, b.Cond = lanes.Switch, selector.words[0]
	b.Succs = append(b.Succs, edge(spirv.ID(in.Words[1])))
}

func (l *lowering) lowerReturnValue(in *spirv.Instruction) {
	c := l.call()
	l.setRegs(l.b, c.result, l.spell(l.value(spirv.ID(in.Words[0]))))
	l.jump(c.after)
}

// lowerCall inlines the function, unless it is an intrinsic.
func (l *lowering) lowerCall(in *spirv.Instruction) {
	ops := in.Operands()
	id := spirv.ID(ops[0])
	if l.p.intrinsic(id) != "" {
		l.lowerIntrinsic(in, l.p.intrinsic(id))
		return
	}
	var args []lowered
	for _, a := range ops[1:] {
		args = append(args, l.value(spirv.ID(a)))
	}
	inline := l.inline
	if l.isRare(id) {
		inline = l.inlineByTurns
	}
	result := inline(l.p.bodies[id], args)
	if result.t.kind != kindVoid {
		l.call().values[in.Result()] = result
	}
}

// lowerPointerCall makes a switch over the number that the pointer is, which counts from 1,
// and inlines every function of the type that has one. Other numbers trap.
func (l *lowering) lowerPointerCall(in *spirv.Instruction) {
	ops := in.Operands()
	callee := l.value(spirv.ID(ops[0]))
	var args []lowered
	for _, a := range ops[1:] {
		args = append(args, l.value(spirv.ID(a)))
	}
	t := l.typeOf(in.Type())
	after := l.f.NewBlock()
	result := l.newRegs(t, after)
	from := l.b
	from.Term, from.Cond = lanes.Switch, callee.words[0]
	wrong := l.f.NewBlock() // before the callees, so that its site is this instruction
	wrong.Trap(lanes.TrapCallee)
	wrong.Term, wrong.Succs = lanes.Jump, []*lanes.Block{after}
	for i, id := range l.p.pointers {
		if !sameSignature(l.p.typeOfFunction(id), callee.t.elem) {
			continue
		}
		l.b = l.f.NewBlock()
		from.Cases, from.Succs = append(from.Cases, uint64(i)+1), append(from.Succs, l.b)
		if v := l.inline(l.p.bodies[id], args); t.kind != kindVoid {
			l.setRegs(l.b, result, l.spell(v))
		}
		l.jump(after)
	}
	from.Succs = append(from.Succs, wrong)
	l.b = after
	if t.kind != kindVoid {
		l.call().values[in.Result()] = l.readRegs(t, result)
	}
}

func (l *lowering) lowerBarrier(in *spirv.Instruction) {
	switch l.scopeOf(in) {
	case scopeWorkgroup:
		l.barrierOf(false)
	case scopeSubgroup:
		l.together(false)
	}
}

// finishVariables sets variables that are read before they are written to zero at first.
func (l *lowering) finishVariables() {
	entry := l.f.Blocks[0]
	body := entry.Values
	entry.Values = nil
	for _, v := range l.vars {
		for _, leaf := range v.leaves {
			entry.Set(leaf.reg, l.f.Const(leaf.reg.Kind, 0))
			if leaf.root != nil {
				l.setRoot(entry, leaf.root, &lanes.Bounds{Base: l.i32(lanes.Foreign), Len: l.i32(0)})
			}
		}
	}
	entry.Values = slices.Concat(entry.Values, body)
}
