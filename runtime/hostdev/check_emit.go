package hostdev

import (
	"slices"
	"strings"

	"offlink/lazy"
	"offlink/spirv"
)

// The steps that the checked mode adds around those of an instruction.

// checkedInstruction compiles an instruction with the checks before it and the
// shadow of its result after it. An access that is not allowed jumps over both.
// Skipping it lets the kernel go on, so that one run shows more than the first
// mistake.
func (b *builder) checkedInstruction(in *spirv.Instruction, emit func(*builder, *spirv.Instruction)) {
	var skips []int
	if before := checkBefore(in.Op); before != nil {
		skips = before(b, in)
	}
	b.computes = false
	emit(b, in)
	if in.Op.IsTerminator() {
		return
	}
	if after := checkAfter(in.Op); after != nil {
		after(b, in)
	} else if b.computes {
		b.shadowLanes(in, stepLanesShadow)
	}
	for _, at := range skips {
		b.fn.code[at].target = int32(len(b.fn.code))
	}
}

// checksBefore emit the checks before an instruction, and return the steps that
// jump over it.
var checksBefore lazy.Map[spirv.Opcode, func(*builder, *spirv.Instruction) []int]

// checksAfter emit the shadow of an instruction's result. Without one the result
// is undefined where an operand is, component by component, and words that are
// only moved take their shadows with them.
var checksAfter lazy.Map[spirv.Opcode, func(*builder, *spirv.Instruction)]

// The functions of the rows refer to the tables themselves.
func init() {
	checksBefore.New = newChecksBefore
	checksAfter.New = newChecksAfter
}

func newChecksBefore() map[spirv.Opcode]func(*builder, *spirv.Instruction) []int {
	table := map[spirv.Opcode]func(*builder, *spirv.Instruction) []int{
		spirv.OpLoad:              (*builder).beforeLoad,
		spirv.OpStore:             (*builder).beforeStore,
		spirv.OpCopyMemory:        (*builder).beforeCopy,
		spirv.OpCopyMemorySized:   (*builder).beforeCopy,
		spirv.OpBranchConditional: dependsOn("a branch"),
		spirv.OpSwitch:            dependsOn("a switch"),

		spirv.OpFunctionPointerCallINTEL: (*builder).beforePointerCall,
		spirv.OpExtInst:                  (*builder).beforeExtInst,
		spirv.OpFunctionCall:             (*builder).beforeCall,
		spirv.OpGroupAsyncCopy:           beginInstruction,
	}
	for _, op := range divisions {
		table[op] = (*builder).beforeDivision
	}
	return table
}

func newChecksAfter() map[spirv.Opcode]func(*builder, *spirv.Instruction) {
	table := map[spirv.Opcode]func(*builder, *spirv.Instruction){
		spirv.OpLoad:            (*builder).afterLoad,
		spirv.OpStore:           (*builder).afterStore,
		spirv.OpCopyMemory:      (*builder).afterCopy,
		spirv.OpCopyMemorySized: (*builder).afterCopy,
		spirv.OpFunctionCall:    (*builder).afterCall,
		spirv.OpMemoryBarrier:   (*builder).afterFence,
		spirv.OpUndef:           noShadow,

		spirv.OpFunctionPointerCallINTEL: noShadow,
	}
	steps := map[spirv.Opcode]func(*item, *inst) status{
		spirv.OpExtInst: stepInsideShadow, spirv.OpSelect: stepSelectShadow,
		spirv.OpBitwiseAnd: stepAndShadow, spirv.OpBitwiseOr: stepOrShadow, spirv.OpBitwiseXor: stepXorShadow, spirv.OpNot: stepXorShadow,
		spirv.OpLogicalAnd: stepAndShadow, spirv.OpLogicalOr: stepOrShadow, spirv.OpLogicalNot: stepXorShadow,
		spirv.OpIAdd: stepSumShadow, spirv.OpISub: stepSumShadow, spirv.OpIMul: stepSumShadow,
		spirv.OpShiftLeftLogical: stepShiftShadow, spirv.OpShiftRightLogical: stepShiftShadow, spirv.OpShiftRightArithmetic: stepShiftShadow,
		spirv.OpUConvert: stepWidenShadow, spirv.OpSConvert: stepWidenShadow, spirv.OpConvertPtrToU: stepWidenShadow, spirv.OpConvertUToPtr: stepWidenShadow,
		spirv.OpAccessChain: stepAddressShadow, spirv.OpInBoundsAccessChain: stepAddressShadow,
		spirv.OpPtrAccessChain: stepAddressShadow, spirv.OpInBoundsPtrAccessChain: stepAddressShadow,
		spirv.OpGenericCastToPtrExplicit: stepAddressShadow,
	}
	for op, step := range steps {
		table[op] = func(b *builder, in *spirv.Instruction) {
			if b.computes {
				b.shadowLanes(in, step)
			}
		}
	}
	return table
}

// checkBefore and checkAfter are the rows of the tables, and those of whole
// families of instructions.
func checkBefore(op spirv.Opcode) func(*builder, *spirv.Instruction) []int {
	if isAtomic(op) {
		return (*builder).beforeAtomic
	}
	return checksBefore.Get()[op]
}

func checkAfter(op spirv.Opcode) func(*builder, *spirv.Instruction) {
	name := op.String()
	switch {
	case isAtomic(op):
		return (*builder).afterAtomic
	case strings.HasPrefix(name, "OpGroup"), strings.HasPrefix(name, "OpSubgroup"):
		return (*builder).afterGroup
	}
	return checksAfter.Get()[op]
}

func isAtomic(op spirv.Opcode) bool { return strings.HasPrefix(op.String(), "OpAtomic") }

func noShadow(*builder, *spirv.Instruction) {}

// memoryAlignment is the alignment that the memory operands of an access say, 1
// where they say none.
func memoryAlignment(operands []uint32) int64 {
	// Aligned of the Memory Operands, the first bit that has an operand: its
	// literal follows the mask (SPIR-V, "Memory Operands").
	const aligned = 2
	if len(operands) >= 2 && operands[0]&aligned != 0 {
		return int64(operands[1])
	}
	return 1
}

func (b *builder) emitAccessCheck(pointer int32, a *accessCheck, result int32) []int {
	return []int{b.emit(inst{step: stepCheckAccess, a: pointer, dst: result, ext: a})}
}

func (b *builder) beforeLoad(in *spirv.Instruction) []int {
	from, to := b.pointerArg(b.arg(in, 0)), b.defineResult(in)
	if to.t.words == 0 {
		return nil
	}
	a := b.accessOf(from.t.elem)
	return b.emitAccessCheck(from.at, &accessCheck{
		what: "load", size: a.size, align: memoryAlignment(in.Operands()[1:]), result: int(to.t.words),
	}, to.at)
}

func (b *builder) afterLoad(in *spirv.Instruction) {
	from, to := b.arg(in, 0), b.values[in.Result()]
	if to.t.words > 0 {
		a := b.accessOf(from.t.elem)
		b.emit(inst{step: stepLoadShadow, dst: to.at, a: from.at, ext: &accessCheck{size: a.size, leaves: a.leaves}})
	}
}

func (b *builder) beforeStore(in *spirv.Instruction) []int {
	to, v := b.pointerArg(b.value(spirv.ID(in.Words[0]))), b.value(spirv.ID(in.Words[1]))
	if v.t.words == 0 {
		return nil
	}
	a := b.accessOf(to.t.elem)
	b.emitStoredCheck(to.at, v)
	return b.emitAccessCheck(to.at, &accessCheck{what: "store", size: a.size, align: memoryAlignment(in.Words[2:]), write: true}, to.at)
}

// emitStoredCheck emits the check of values that are stored.
func (b *builder) emitStoredCheck(pointer int32, v value) {
	check := inst{step: stepCheckStored, a: pointer}
	var all []uint64
	for i, l := range v.t.leaves() {
		check.list, all = append(check.list, v.at+int32(i)), append(all, mask(l.bits))
	}
	check.ext = all
	b.emit(check)
}

func (b *builder) afterStore(in *spirv.Instruction) {
	to, v := b.value(spirv.ID(in.Words[0])), b.value(spirv.ID(in.Words[1]))
	if v.t.words > 0 {
		a := b.accessOf(to.t.elem)
		b.emit(inst{step: stepStoreShadow, a: to.at, b: v.at, ext: &accessCheck{size: a.size, leaves: a.leaves}})
	}
}

// copyOperands are the words of the target, the source and the size of a copy.
func (b *builder) copyOperands(in *spirv.Instruction) (to, from, size int32) {
	target, source := b.value(spirv.ID(in.Words[0])), b.value(spirv.ID(in.Words[1]))
	if in.Op == spirv.OpCopyMemory {
		return target.at, source.at, b.constant([]uint64{uint64(b.pointerArg(target).t.elem.size)})
	}
	return target.at, source.at, b.value(spirv.ID(in.Words[2])).at
}

func (b *builder) beforeCopy(in *spirv.Instruction) []int { return b.checkCopy(b.copyOperands(in)) }

func (b *builder) checkCopy(to, from, size int32) []int {
	return []int{
		b.emit(inst{step: stepCheckAccess, a: from, b: size, ext: &accessCheck{what: "load"}}),
		b.emit(inst{step: stepCheckAccess, a: to, b: size, ext: &accessCheck{what: "store", write: true}}),
		// Only the two checks jump: this one notes the shadow of the source
		// before an overlapping copy overwrites it.
		b.emit(inst{step: stepCopyBefore, b: from, c: size}),
	}[:2]
}

func (b *builder) afterCopy(in *spirv.Instruction) {
	to, from, size := b.copyOperands(in)
	b.emit(inst{step: stepCopyAfter, a: to, b: from, c: size})
}

// dependsOn reports undefined values where they decide something. Mere
// arithmetic with them is not reported, as compilers move and copy padding and
// unused components.
func dependsOn(what string) func(*builder, *spirv.Instruction) []int {
	return func(b *builder, in *spirv.Instruction) []int {
		b.emit(inst{step: stepCheckDefined, list: []int32{b.value(spirv.ID(in.Words[0])).at}, ext: what})
		return nil
	}
}

func (b *builder) beforePointerCall(in *spirv.Instruction) []int {
	b.emit(inst{step: stepCheckDefined, list: []int32{b.arg(in, 0).at}, ext: "a call through a pointer"})
	return nil
}

func (b *builder) beforeDivision(in *spirv.Instruction) []int {
	divisor := b.arg(in, 1)
	check := inst{step: stepCheckDivisor}
	for i := range int32(divisor.t.words) {
		check.list = append(check.list, divisor.at+i)
	}
	b.emit(check)
	return nil
}

// beginInstruction is for instructions whose accesses are checked as they are
// made.
func beginInstruction(b *builder, _ *spirv.Instruction) []int {
	b.emit(inst{step: stepBegin})
	return nil
}

func stepBegin(it *item, _ *inst) status {
	it.check.undefined, it.check.atomic = 0, false
	return running
}

// beforeExtInst checks the operands of printf and of the stores of vectors.
func (b *builder) beforeExtInst(in *spirv.Instruction) []int {
	name := extInstName(b.m.ExtInstSet(spirv.ID(in.Words[2])), in.Words[3])
	args := in.Words[4:]
	switch {
	case strings.HasPrefix(name, "vstore") && len(args) > 2:
		b.emitStoredCheck(b.value(spirv.ID(args[2])).at, b.value(spirv.ID(args[0])))
	case name == "printf":
		for _, id := range args {
			v := b.value(spirv.ID(id))
			b.emit(inst{step: stepCheckDefined, list: listWords(v), ext: "the output of printf"})
		}
	}
	return beginInstruction(b, in)
}

func listWords(v value) []int32 {
	var list []int32
	for i := range int32(v.t.words) {
		list = append(list, v.at+i)
	}
	return list
}

// intrinsicCall is the call of an intrinsic of LLVM, its base name, or "".
func (b *builder) intrinsicCall(in *spirv.Instruction) string {
	if name := b.p.intrinsic(spirv.ID(in.Operands()[0])); name != "" {
		return intrinsicBase(name)
	}
	return ""
}

var copyIntrinsics = []string{"memcpy", "memcpy.inline", "memmove"}

// beforeCall checks the accesses of intrinsics. Those of other functions are checked in
// their own code.
func (b *builder) beforeCall(in *spirv.Instruction) []int {
	name := b.intrinsicCall(in)
	if slices.Contains(copyIntrinsics, name) {
		return b.checkCopy(b.arg(in, 1).at, b.arg(in, 2).at, b.arg(in, 3).at)
	}
	if name != "" {
		return beginInstruction(b, in)
	}
	return nil
}

// afterCall has nothing to do for functions, whose results come with their
// shadows.
func (b *builder) afterCall(in *spirv.Instruction) {
	name := b.intrinsicCall(in)
	switch {
	case slices.Contains(copyIntrinsics, name):
		b.emit(inst{step: stepCopyAfter, a: b.arg(in, 1).at, b: b.arg(in, 2).at, c: b.arg(in, 3).at})
	case name != "" && b.computes:
		b.shadowLanes(in, stepInsideShadow)
	}
}

// afterFence records a fence whatever its scope: the check looks for accesses
// that nothing orders.
func (b *builder) afterFence(*spirv.Instruction) {
	b.emit(inst{step: func(it *item, _ *inst) status { it.check.fence(); return running }})
}

// atomicOperands are the pointer of an atomic operation, the id of its memory
// semantics, and whether it writes.
func (b *builder) atomicOperands(in *spirv.Instruction) (pointer value, semantics uint32, write bool) {
	if in.Op == spirv.OpAtomicStore || in.Op == spirv.OpAtomicFlagClear {
		return b.value(spirv.ID(in.Words[0])), in.Words[2], true
	}
	return b.arg(in, 0), in.Operands()[2], in.Op != spirv.OpAtomicLoad
}

// beforeAtomic checks the access, whose size is that of the result or of the stored value,
// and 4 for a flag. The alignment of an atomic access is its size.
func (b *builder) beforeAtomic(in *spirv.Instruction) []int {
	p, _, write := b.atomicOperands(in)
	a := &accessCheck{what: "atomic access", size: 4, write: write, atomic: true, modifies: write && in.Result() != 0}
	result := p.at
	if in.Result() != 0 {
		to := b.defineResult(in)
		result, a.result = to.at, int(to.t.words)
		if to.t.kind != kindBool {
			a.size = to.t.size
		}
	} else if in.Op == spirv.OpAtomicStore {
		v := b.value(spirv.ID(in.Words[3]))
		a.size = v.t.size
		b.emitStoredCheck(p.at, v)
	}
	a.align = a.size
	return b.emitAccessCheck(p.at, a, result)
}

// afterAtomic takes the result for defined: where memory is not, that was
// reported.
func (b *builder) afterAtomic(in *spirv.Instruction) {
	p, id, _ := b.atomicOperands(in)
	semantics, ok := b.p.constantInt(spirv.ID(id))
	if !ok {
		// A semantics that is known at run time only is taken for the
		// strongest: a race that it would have prevented must not be reported.
		semantics = semanticsOrder
	}
	after := inst{step: stepAtomicAfter, a: p.at, imm: semantics}
	if in.Result() != 0 {
		to := b.values[in.Result()]
		after.dst, after.n = to.at, int32(to.t.words)
	}
	b.emit(after)
}

func stepAtomicAfter(it *item, in *inst) status {
	clear(it.check.s[in.dst : in.dst+in.n])
	it.check.atomic = false
	it.atomicOrder(pointer(it.s[in.a]), in.imm)
	return running
}

// afterGroup takes the results of a group's functions for defined.
func (b *builder) afterGroup(in *spirv.Instruction) {
	if to, ok := b.values[in.Result()]; ok && in.Result() != 0 {
		b.emit(inst{step: stepDefined, dst: to.at, n: int32(to.t.words)})
	}
}

func stepDefined(it *item, in *inst) status {
	clear(it.check.s[in.dst : in.dst+in.n])
	return running
}

// laneShadow has the operands of an instruction for the shadow of its result: how
// many of inst.list are of each, and the bits of each word of the result.
type laneShadow struct {
	counts []int
	bits   []uint64
	width  int // of the first operand's components
	signed bool
	left   bool // a shift to the left
}

// shadowLanes emits a step that makes the shadow of the result.
func (b *builder) shadowLanes(in *spirv.Instruction, step func(*item, *inst) status) {
	to, ok := b.values[in.Result()]
	if !ok || in.Result() == 0 || to.t.words == 0 {
		return
	}
	ext := &laneShadow{
		signed: in.Op == spirv.OpSConvert || in.Op == spirv.OpShiftRightArithmetic,
		left:   in.Op == spirv.OpShiftLeftLogical,
	}
	for _, l := range to.t.leaves() {
		ext.bits = append(ext.bits, mask(l.bits))
	}
	after := inst{step: step, dst: to.at, n: int32(to.t.words), ext: ext}
	for i, word := range in.Operands() {
		v, known := b.values[spirv.ID(word)]
		if !known || in.Op.IsLiteral(i) {
			continue
		}
		if len(ext.counts) == 0 && isNumeric(v.t.scalar()) {
			ext.width = v.t.bits()
		}
		ext.counts = append(ext.counts, int(v.t.words))
		after.list = append(after.list, listWords(v)...)
	}
	b.emit(after)
}
