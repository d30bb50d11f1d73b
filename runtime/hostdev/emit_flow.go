package hostdev

import (
	"fmt"
	"math/bits"

	"offlink/spirv"
)

// Branches, phis, calls and returns.

func registerFlowEmitters() {
	emitters.register(func() map[spirv.Opcode]func(*builder, *spirv.Instruction) {
		return map[spirv.Opcode]func(*builder, *spirv.Instruction){
			spirv.OpBranch:                   (*builder).emitBranch,
			spirv.OpBranchConditional:        (*builder).emitBranchConditional,
			spirv.OpSwitch:                   (*builder).emitSwitch,
			spirv.OpReturn:                   (*builder).emitReturn,
			spirv.OpReturnValue:              (*builder).emitReturnValue,
			spirv.OpUnreachable:              (*builder).emitUnreachable,
			spirv.OpFunctionCall:             (*builder).emitCall,
			spirv.OpFunctionPointerCallINTEL: (*builder).emitPointerCall,
		}
	})
}

// emitBranch moves the values of the block's phis and jumps.
func (b *builder) emitBranch(in *spirv.Instruction) {
	b.jumpTo(spirv.ID(in.Words[0]))
}

func (b *builder) jumpTo(to spirv.ID) {
	b.movePhis(to)
	b.countIteration(to)
	at := b.emit(inst{step: stepJump})
	b.jump(at, targetField, to)
}

func targetField(in *inst) *int32 { return &in.target }
func otherField(in *inst) *int32  { return &in.other }

// stepJump burns fuel, as all steps do that set the next step, since a loop cannot iterate
// without one of them: a launch that is stopped ends within fuelStep iterations.
func stepJump(it *item, in *inst) status {
	it.pc = in.target
	if !it.burnFuel() {
		return faulted
	}
	return running
}

// movePhis moves the values that the phis of a block have for the current one.
// All phis change at once: if the value of one is another phi, the values go
// through temporary words.
func (b *builder) movePhis(to spirv.ID) {
	target := b.blockOf(to)
	var from, into []int32
	for _, phi := range target.phis {
		source := b.phiSource(phi)
		v := b.values[phi.Result()]
		for i := range int32(v.t.words) {
			from, into = append(from, source.at+i), append(into, v.at+i)
		}
	}
	if len(from) == 0 {
		return
	}
	if wordsOverlap(from, into) {
		// SPIR-V has the phis of a block take their values at the same time
		// (OpPhi).
		spare := b.newTemporary(int64(len(from)))
		var through []int32
		for i := range from {
			through = append(through, spare+int32(i))
		}
		b.moveWords(through, from)
		from = through
	}
	b.moveWords(into, from)
}

// phiSource finds the value for the edge from the current block. A phi without
// one is refused: spirv-val would refuse it too, and there is nothing to move.
func (b *builder) phiSource(phi *spirv.Instruction) value {
	ops := phi.Operands()
	for i := 0; i+1 < len(ops); i += 2 {
		if spirv.ID(ops[i+1]) == b.current.id {
			v := b.phiValue(spirv.ID(ops[i]), phi)
			b.requireSameWords(v.t, b.typeOf(phi.Type()))
			return v
		}
	}
	b.refuse("%%%d has no value for the block %%%d", phi.Result(), b.current.id)
	return value{}
}

// phiValue is the value of an identifier that may be defined later.
func (b *builder) phiValue(id spirv.ID, phi *spirv.Instruction) value {
	// On the edge back to the head of a loop the value is computed in a block
	// that is compiled later; it gets its words here.
	if _, ok := b.values[id]; !ok && !b.p.isConstant(id) {
		return b.define(id, b.valueType(b.m.TypeOf(id)))
	}
	return b.value(id)
}

// wordsOverlap tells whether a word is read after it was written to, in the
// order of the moves.
func wordsOverlap(from, into []int32) bool {
	written := map[int32]bool{}
	for i, at := range into {
		if written[from[i]] {
			return true
		}
		written[at] = true
	}
	return false
}

// moveWords copies words, one after the other.
func (b *builder) moveWords(to, from []int32) {
	defer b.moveShadows(to, from, b.computes)
	if len(to) == 1 {
		b.emit(inst{step: stepCopy, dst: to[0], a: from[0]})
		return
	}
	b.emit(inst{step: stepMove, n: int32(len(to)), list: append(append([]int32{}, to...), from...)})
}

func stepCopy(it *item, in *inst) status {
	it.s[in.dst] = it.s[in.a]
	return running
}

// stepMove copies in the order of the list, which wordsOverlap has found to be
// safe.
func stepMove(it *item, in *inst) status {
	s, from := it.s, in.list[in.n:]
	for i, to := range in.list[:in.n] {
		s[to] = s[from[i]]
	}
	return running
}

// emitBranchConditional emits the branch, and after it the moves of each edge whose block
// has phis.
func (b *builder) emitBranchConditional(in *spirv.Instruction) {
	cond := b.value(spirv.ID(in.Words[0]))
	b.require(cond.t.kind == kindBool, "the condition is not a boolean")
	whenTrue, whenFalse := spirv.ID(in.Words[1]), spirv.ID(in.Words[2])
	at := b.emit(inst{step: stepBranch, a: cond.at})
	b.edge(at, targetField, whenTrue)
	b.edge(at, otherField, whenFalse)
}

// edge connects a field of a branch to a block, either directly or through the
// moves of its phis and the count of a loop's iterations.
func (b *builder) edge(at int, field func(*inst) *int32, to spirv.ID) {
	if len(b.blockOf(to).phis) == 0 && !b.entersLoop(to) {
		b.jump(at, field, to)
		return
	}
	*field(&b.fn.code[at]) = int32(len(b.fn.code))
	b.jumpTo(to)
}

func stepBranch(it *item, in *inst) status {
	if it.s[in.a] != 0 {
		it.pc = in.target
	} else {
		it.pc = in.other
	}
	if !it.burnFuel() {
		return faulted
	}
	return running
}

// switchTable has the target of each case of a switch.
type switchTable struct {
	cases map[uint64]int32
	other int32
}

// emitSwitch makes one jump for each target, not for each literal: a switch may name a
// block thousands of times, and each jump would move the values of its phis again.
func (b *builder) emitSwitch(in *spirv.Instruction) {
	selector := b.value(spirv.ID(in.Words[0]))
	b.require(selector.t.kind == kindInt, "the selector is not an integer")
	table := &switchTable{cases: map[uint64]int32{}}
	b.emit(inst{step: stepSwitch, a: selector.at, ext: table})
	table.other = b.caseTarget(spirv.ID(in.Words[1]))
	words := (selector.t.width + 31) / 32
	targets := map[spirv.ID]int32{}
	for rest := in.Words[2:]; len(rest) > words; rest = rest[words+1:] {
		key := uint64(rest[0])
		if words == 2 {
			key |= uint64(rest[1]) << 32
		}
		to := spirv.ID(rest[words])
		if _, ok := targets[to]; !ok {
			targets[to] = b.caseTarget(to)
		}
		table.cases[key&mask(selector.t.width)] = targets[to]
	}
}

// caseTarget appends a jump to a block and returns its index, for a switch.
func (b *builder) caseTarget(to spirv.ID) int32 {
	at := int32(len(b.fn.code))
	b.jumpTo(to)
	return at
}

// stepSwitch uses no fuel: each target is a jump of its own (caseTarget), which
// does.
func stepSwitch(it *item, in *inst) status {
	table := in.ext.(*switchTable)
	target, ok := table.cases[it.s[in.a]]
	if !ok {
		target = table.other
	}
	it.pc = target
	return running
}

func (b *builder) emitUnreachable(in *spirv.Instruction) {
	b.emit(inst{step: func(it *item, in *inst) status {
		return it.failf("the kernel reached a place that its compiler took for unreachable")
	}})
}

func (b *builder) emitReturn(in *spirv.Instruction) {
	b.require(b.fn.result == 0, "the function returns no value")
	b.emit(inst{step: stepReturn})
}

func (b *builder) emitReturnValue(in *spirv.Instruction) {
	v := b.value(spirv.ID(in.Words[0]))
	f := b.typeOf(spirv.ID(b.m.Def(b.fn.id).Words[3]))
	b.requireSameWords(v.t, f.elem)
	b.emit(inst{step: stepReturn, a: v.at, n: int32(v.t.words)})
}

func stepReturn(it *item, in *inst) status {
	if len(it.frames) == 0 {
		return finished
	}
	caller := it.frames[len(it.frames)-1]
	it.frames = it.frames[:len(it.frames)-1]
	it.arena.release(caller.mark)
	it.spaces[spacePrivate] = it.spaces[spacePrivate][:caller.private]
	// A frame is an offset, not a slice, as the stack may have moved since the
	// call (growTo).
	frame := it.stack[caller.base : caller.base+caller.fn.words]
	if it.check != nil {
		it.check.leaveCall(caller, it.check.s[in.a:in.a+in.n])
	}
	copy(frame[caller.dst:], it.s[in.a:in.a+in.n])
	it.s, it.base, it.fn, it.pc = frame, caller.base, caller.fn, caller.pc
	return running
}

// emitCall compiles a call. The callee may not be compiled yet: it is demanded
// here and filled in place, so that recursion and calls forward need no second
// pass.
func (b *builder) emitCall(in *spirv.Instruction) {
	id := spirv.ID(in.Operands()[0])
	if name := b.p.intrinsic(id); name != "" {
		b.emitIntrinsic(in, name)
		return
	}
	callee, err := b.p.function(id)
	if err != nil {
		b.refuse("%v", err)
	}
	t := b.typeOf(spirv.ID(b.m.Def(id).Words[3]))
	b.fn.calls = append(b.fn.calls, callee)
	b.emit(inst{step: stepCall, dst: b.callResult(in, t), list: b.callArgs(in, t), ext: callee})
}

// callArgs returns the words of the arguments.
func (b *builder) callArgs(in *spirv.Instruction, t *typ) []int32 {
	args := in.Operands()[1:]
	b.require(t.kind == kindFunction && len(args) == len(t.members), "%d arguments for another number of parameters", len(args))
	var list []int32
	for i, id := range args {
		v := b.value(spirv.ID(id))
		b.requireSameWords(v.t, t.members[i])
		for w := range int32(v.t.words) {
			list = append(list, v.at+w)
		}
	}
	return list
}

func (b *builder) callResult(in *spirv.Instruction, t *typ) int32 {
	b.requireSameWords(b.typeOf(in.Type()), t.elem)
	if t.elem.kind == kindVoid {
		return 0
	}
	return b.defineResult(in).at
}

func stepCall(it *item, in *inst) status {
	return it.call(in.ext.(*function), in)
}

// call pushes a frame and copies the arguments to the parameters, which are
// consecutive words.
func (it *item) call(fn *function, in *inst) status {
	if !it.burnFuel() {
		return faulted
	}
	base := it.base + it.fn.words
	if len(it.frames) >= maxDepth || base+fn.words > maxStack {
		return it.failf("calls are nested too deep (%d calls)", len(it.frames))
	}
	it.frames = append(it.frames, frame{
		fn: it.fn, pc: it.pc, base: it.base, dst: in.dst,
		private: len(it.spaces[spacePrivate]), mark: it.arena.mark(),
	})
	caller := it.s
	it.stack = growTo(it.stack, base+fn.words)
	it.s = it.stack[base : base+fn.words]
	// Constants are the first words of a frame, so that an operand is an index,
	// whether it is computed or not.
	copy(it.s, fn.consts)
	params := it.s[len(fn.consts):]
	for i, at := range in.list {
		params[i] = caller[at]
	}
	if it.check != nil {
		it.check.enterCall(base, fn, len(it.spaces[spacePrivate]), in.list)
	}
	it.base, it.fn, it.pc = base, fn, 0
	if !it.enterFunction(fn) {
		return faulted
	}
	return running
}

// Calls through pointers (SPV_INTEL_function_pointers): a pointer to a
// function is the function's index in the program's table, plus one: 0 stays
// null.

func (b *builder) emitPointerCall(in *spirv.Instruction) {
	pointer := b.arg(in, 0)
	b.require(pointer.t.kind == kindPointer && pointer.t.elem.kind == kindFunction, "the callee is not a pointer to a function")
	t := pointer.t.elem
	b.fn.indirect = true
	b.emit(inst{
		step: stepPointerCall, a: pointer.at, dst: b.callResult(in, t), list: b.callArgs(in, t),
		ext: pointerCall{b.p, t},
	})
}

type pointerCall struct {
	p *program
	t *typ
}

// stepPointerCall checks the number and the type, which the kernel may have
// computed: a wrong one must be a fault, not a call with words that do not fit.
func stepPointerCall(it *item, in *inst) status {
	call := in.ext.(pointerCall)
	target := it.s[in.a]
	if target == 0 || target > uint64(len(call.p.pointers)) {
		return it.failf("call through %#x, which is not a pointer to a function", target)
	}
	fn := call.p.functions[call.p.pointers[target-1]]
	if fn == nil || !sameSignature(call.p.typeOfFunction(fn.id), call.t) {
		return it.failf("call of a function through a pointer to functions of another type")
	}
	return it.call(fn, in)
}

// sameSignature tells whether functions of two types take the same words as arguments and
// return the same. Pointers may lead to other types: a translator of opaque pointers takes
// the pointees of parameters from each function's body, so that the functions of one table
// differ in them.
func sameSignature(x, y *typ) bool {
	if x == y {
		return true
	}
	if x.kind != kindFunction || y.kind != kindFunction || len(x.members) != len(y.members) || !samePassing(x.elem, y.elem) {
		return false
	}
	for i := range x.members {
		if !samePassing(x.members[i], y.members[i]) {
			return false
		}
	}
	return true
}

// samePassing tells whether values of two types have the same words, and are pointers
// into the same storage if they are pointers.
func samePassing(x, y *typ) bool {
	return x == y || x.storage == y.storage && sameWords(x, y)
}

// require refuses the function unless ok.
func (b *builder) require(ok bool, format string, args ...any) {
	if !ok {
		b.refuse("%s", fmt.Sprintf(format, args...))
	}
}

// requireSameWords refuses two types whose values have different words.
func (b *builder) requireSameWords(x, y *typ) {
	if x != y && !sameWords(x, y) {
		b.refuse("types %s and %s do not fit", b.typeName(x), b.typeName(y))
	}
}

// sameWords tells whether values of two types have the same words.
func sameWords(x, y *typ) bool {
	if x.kind != y.kind || x.width != y.width || x.words != y.words || len(x.members) != len(y.members) {
		return false
	}
	switch x.kind {
	case kindVector, kindArray:
		return x.count == y.count && (x.elem == y.elem || sameWords(x.elem, y.elem))
	case kindStruct:
		for i := range x.members {
			if x.members[i] != y.members[i] && !sameWords(x.members[i], y.members[i]) {
				return false
			}
		}
	}
	return true
}

func mask(width int) uint64 { return ^uint64(0) >> (64 - width) }

func log2(n int) int { return bits.Len(uint(n)) - 1 }
