package fromir

import (
	"slices"

	"offlink/ir"
	"offlink/spirv"
)

// successorBlocks returns the blocks that a terminator leads to.
func successorBlocks(in *ir.Instruction) (list []int) {
	for _, o := range in.Operands {
		if o.Kind == ir.ValueBlock {
			list = append(list, int(o.Index))
		}
	}
	return list
}

// blockDominators returns the immediate dominator of each block: -1 for the first,
// -2 for those that are not reached.
func blockDominators(body *ir.Body) []int {
	n := len(body.Blocks)
	after := blockPostorder(body)
	number := make([]int, n)
	for i := range number {
		number[i] = -1
	}
	for i, b := range after {
		number[b] = i
	}
	preds := make([][]int, n)
	for _, b := range after {
		for _, s := range successorBlocks(body.Terminator(b)) {
			preds[s] = append(preds[s], b)
		}
	}
	dom := make([]int, n)
	for i := range dom {
		dom[i] = -2
	}
	dom[0] = 0
	for changed := true; changed; {
		changed = false
		for _, b := range slices.Backward(after) {
			if b == 0 {
				continue
			}
			found := -2
			for _, p := range preds[b] {
				switch {
				case dom[p] == -2:
				case found == -2:
					found = p
				default:
					found = commonDominator(dom, number, found, p)
				}
			}
			if dom[b] != found {
				dom[b], changed = found, true
			}
		}
	}
	dom[0] = -1
	return dom
}

// commonDominator returns the nearest block that dominates two blocks, by postorder numbers.
func commonDominator(dom, number []int, a, b int) int {
	for a != b {
		for number[a] < number[b] {
			a = dom[a]
		}
		for number[b] < number[a] {
			b = dom[b]
		}
	}
	return a
}

// blockPostorder returns the blocks that are reached, each after those that it
// leads to, as far as loops allow.
func blockPostorder(body *ir.Body) []int {
	type visit struct {
		block int
		list  []int // successors that are left
	}
	seen := make([]bool, len(body.Blocks))
	seen[0] = true
	stack := []visit{{0, successorBlocks(body.Terminator(0))}}
	var order []int
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(top.list) == 0 {
			order = append(order, top.block)
			stack = stack[:len(stack)-1]
			continue
		}
		s := top.list[0]
		top.list = top.list[1:]
		if !seen[s] {
			seen[s] = true
			stack = append(stack, visit{s, successorBlocks(body.Terminator(s))})
		}
	}
	return order
}

// blockOrder returns the blocks in their order, but each after the one that
// dominates it.
func blockOrder(body *ir.Body) []int {
	dom := blockDominators(body)
	order := make([]int, 0, len(dom))
	placed := make([]bool, len(dom))
	var chain []int
	for b := range dom {
		chain = chain[:0]
		for at := b; at >= 0 && !placed[at]; at = dom[at] {
			placed[at] = true
			chain = append(chain, at)
		}
		slices.Reverse(chain)
		order = append(order, chain...)
	}
	return order
}

// edgeValues makes, at the end of a block, the values that phis of the next
// blocks take from it and that need an instruction: casts of pointers and
// constant expressions.
func (f *function) edgeValues(block int) {
	seen := map[int]bool{}
	for _, next := range successorBlocks(f.ir.Terminator(block)) {
		if seen[next] {
			continue
		}
		if f.ir.Instructions[f.ir.Blocks[next].First].Op != ir.OpPhi {
			continue
		}
		seen[next] = true
		for i := f.ir.Blocks[next].First; i < f.ir.Blocks[next].End && f.ir.Instructions[i].Op == ir.OpPhi; i++ {
			f.edgeValue(i, block)
		}
	}
}

// edgeValue makes the value that a phi takes from a block if it needs an
// instruction. All values of a phi for one block are the same.
func (f *function) edgeValue(i, block int) {
	phi := &f.ir.Instructions[i]
	k := f.originOf(i, block)
	if k < 0 || !f.needsCode(phi.Operands[k], f.resultType(i)) {
		return
	}
	n := f.operandID(phi.Operands[k], f.resultType(i))
	if want := f.edgeID(i, k); want != n {
		f.code = appendInstruction(f.code, spirv.OpCopyObject, f.resultType(i), want, n)
	}
}

// searchedOperands is how many operands of an instruction are searched at each
// question; a table answers for more, or a switch of a hundred thousand cases
// would take as many times a hundred thousand steps.
const searchedOperands = 32

// originOf returns the operand of a phi that is its first value for a block, -1
// for a block that it does not name.
func (f *function) originOf(i, block int) int {
	operands := f.ir.Instructions[i].Operands
	if len(operands) <= searchedOperands {
		for k := 0; k+1 < len(operands); k += 2 {
			if int(operands[k+1].Index) == block {
				return k
			}
		}
		return -1
	}
	table := f.origins[i]
	if table == nil {
		table = make(map[int]int)
		for k := 0; k+1 < len(operands); k += 2 {
			if _, known := table[int(operands[k+1].Index)]; !known {
				table[int(operands[k+1].Index)] = k
			}
		}
		if f.origins == nil {
			f.origins = make(map[int]map[int]int)
		}
		f.origins[i] = table
	}
	if k, ok := table[block]; ok {
		return k
	}
	return -1
}

// waysBetween returns how many cases of a switch, its default among them, lead to a
// block.
func (f *function) waysBetween(from, to int) (count int) {
	in := f.ir.Terminator(from)
	if len(in.Operands) <= searchedOperands {
		for _, next := range successorBlocks(in) {
			if next == to {
				count++
			}
		}
		return count
	}
	table := f.ways[from]
	if table == nil {
		table = make(map[int]int)
		for _, next := range successorBlocks(in) {
			table[next]++
		}
		if f.ways == nil {
			f.ways = make(map[int]map[int]int)
		}
		f.ways[from] = table
	}
	return table[to]
}

// edgeID returns the identifier of a value that edgeValues makes.
func (f *function) edgeID(phi, operand int) id {
	key := phiEdge{phi, operand}
	if f.incoming[key] == 0 {
		f.incoming[key] = f.b.newID()
	}
	return f.incoming[key]
}

// needsCode reports whether a value needs an instruction to be of a type.
func (f *function) needsCode(v ir.Value, want id) bool {
	if v.Kind == ir.ValueConstant {
		c := f.ir.Constants.At(v)
		if c.Kind != ir.ConstantExpression {
			return c.Kind == ir.ConstantAggregate && f.constantPart(v, want) == 0
		}
		return true
	}
	return f.typeOf(v) != want
}

// writePhi writes a phi with one value for each block that it comes from; LLVM has one for
// each way from there.
func (f *function) writePhi(i int, in *ir.Instruction) {
	typ := f.resultType(i)
	var words []uint32
	seen := map[uint32]bool{}
	for k := 0; k+1 < len(in.Operands); k += 2 {
		from := in.Operands[k+1].Index
		if seen[from] {
			continue
		}
		seen[from] = true
		v := in.Operands[k]
		label := f.labels[from]
		if f.isSharedEdge(int(from), f.block) {
			label = f.edgeLabel(int(from), f.block)
		}
		if f.needsCode(v, typ) {
			words = append(words, f.edgeID(i, k), label)
			continue
		}
		words = append(words, f.operandID(v, typ), label)
	}
	f.emitAs(i, spirv.OpPhi, typ, words...)
}

// isSharedEdge reports whether several cases of a switch lead to a block with phis.
// A phi of SPIR-V has one value for each block that it comes from, one of LLVM one for
// each case: readers that make a phi of the one from the other make it wrong. So
// such cases lead to a block of their own, which goes on to the other.
func (f *function) isSharedEdge(from, to int) bool {
	in := f.ir.Terminator(from)
	if in.Op != ir.OpSwitch || f.moduleType(in.Operands[0].Type).Bits == 1 {
		return false
	}
	if first := f.ir.Blocks[to].First; f.ir.Instructions[first].Op != ir.OpPhi {
		return false
	}
	return f.waysBetween(from, to) > 1
}

// edgeLabel returns the label of the block between two blocks.
func (f *function) edgeLabel(from, to int) id {
	if f.between == nil {
		f.between = make(map[blockEdge]id)
	}
	key := blockEdge{from, to}
	if f.between[key] == 0 {
		f.between[key] = f.b.newID()
	}
	return f.between[key]
}

// labelID returns the label of a block that is an operand.
func (f *function) labelID(v ir.Value) id { return f.labels[v.Index] }

// writeTerminator writes the end of a block.
func (f *function) writeTerminator(in *ir.Instruction) {
	switch in.Op {
	case ir.OpRet:
		if len(in.Operands) == 0 {
			f.emitPlain(spirv.OpReturn)
			return
		}
		want := f.valueType(in.Operands[0].Type, f.info.resultTerm)
		f.emitPlain(spirv.OpReturnValue, f.operandID(in.Operands[0], want))
	case ir.OpBr:
		f.writeBranch(in)
	case ir.OpSwitch:
		f.switchTo(in)
	case ir.OpUnreachable:
		f.emitPlain(spirv.OpUnreachable)
	default:
		f.failf("the instruction %v has no counterpart in SPIR-V", in.Op)
	}
}

// writeBranch writes a branch; one whose ways lead to the same block has no condition, as
// SPIR-V has no phi with two values from one block.
func (f *function) writeBranch(in *ir.Instruction) {
	if len(in.Operands) == 1 || in.Operands[1].Index == in.Operands[2].Index {
		f.emitPlain(spirv.OpBranch, f.labelID(in.Operands[len(in.Operands)-1]))
		return
	}
	f.emitPlain(spirv.OpBranchConditional, f.valueID(in.Operands[0]), f.labelID(in.Operands[1]), f.labelID(in.Operands[2]))
}

func (f *function) switchTo(in *ir.Instruction) {
	selector := in.Operands[0]
	bits := f.moduleType(selector.Type).Bits
	if bits == 1 {
		f.switchBool(in)
		return
	}
	var shared []int
	target := func(v ir.Value) id {
		to := int(v.Index)
		if !f.isSharedEdge(f.block, to) {
			return f.labelID(v)
		}
		if !slices.Contains(shared, to) {
			shared = append(shared, to)
		}
		return f.edgeLabel(f.block, to)
	}
	words := []uint32{f.valueID(selector), target(in.Operands[1])}
	for k := 2; k+1 < len(in.Operands); k += 2 {
		n := constantNumber(&f.ir.Constants, in.Operands[k])
		words = append(words, constantWords(bits, []uint64{n})...)
		words = append(words, target(in.Operands[k+1]))
	}
	f.emitPlain(opSwitchOf+spirv.Opcode((bits+31)/32), words...)
	for _, to := range shared {
		f.emitPlain(spirv.OpLabel, f.edgeLabel(f.block, to))
		f.emitPlain(spirv.OpBranch, f.labels[to])
	}
}

// switchBool writes a switch on an i1, which OpSwitch does not take.
func (f *function) switchBool(in *ir.Instruction) {
	targets := [2]id{f.labelID(in.Operands[1]), f.labelID(in.Operands[1])}
	for k := 2; k+1 < len(in.Operands); k += 2 {
		targets[constantNumber(&f.ir.Constants, in.Operands[k])&1] = f.labelID(in.Operands[k+1])
	}
	if targets[0] == targets[1] {
		f.emitPlain(spirv.OpBranch, targets[0])
		return
	}
	f.emitPlain(spirv.OpBranchConditional, f.valueID(in.Operands[0]), targets[1], targets[0])
}
