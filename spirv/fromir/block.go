package fromir

import (
	"iter"
	"slices"

	"offlink/ir"
	"offlink/spirv"
)

// successorBlocks yields the blocks that a terminator leads to.
func successorBlocks(in *ir.Instruction) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range in.Operands {
			if o := &in.Operands[i]; o.Kind == ir.ValueBlock && !yield(int(o.Index)) {
				return
			}
		}
	}
}

// blockDominators returns the immediate dominator of each block: -1 for the first, -2 for
// those that are not reached. The algorithm is Semi-NCA (Georgiadis, Linear-Time
// Algorithms for Dominators and Related Problems, 2005): unlike iterating to a fixed
// point, it needs no more passes where loops are entered in several places.
func blockDominators(body *ir.Body) []int {
	d := newDominatorFinder(body)
	// Backwards: the semidominator of w is the least number of which a path leads to w through
	// greater numbers only, and those have theirs already.
	for w := len(d.order) - 1; w > 0; w-- {
		d.semi[w] = d.parent[w]
		for _, p := range d.predecessors(d.order[w]) {
			d.semi[w] = min(d.semi[w], d.semi[d.lowest(d.number[p], w+1)])
		}
	}
	dom := make([]int, len(body.Blocks))
	for i := range dom {
		dom[i] = -2
	}
	dom[0] = -1
	idom := d.label // its room is free by now; an entry is written before it is read, in the order of the search
	// Forwards: the dominator of w is the nearest dominator of its parent that is not above
	// the semidominator of w.
	for w := 1; w < len(d.order); w++ {
		at := d.above[w]
		for at > d.semi[w] {
			at = idom[at]
		}
		idom[w] = at
		dom[d.order[w]] = d.order[at]
	}
	return dom
}

// dominatorFinder holds the state of blockDominators. Blocks are numbered in the order of a
// depth-first search from the first.
type dominatorFinder struct {
	body   *ir.Body
	order  []int // blocks by number
	number []int // by block, -1 for one that is not reached
	parent []int // numbers, by number, as are the rest
	above  []int // a copy of parent
	semi   []int
	label  []int // the number with the lowest semi on the shortened way up
	path   []int
	// preds are the blocks that lead to each block, from predsAt of the block on.
	preds, predsAt []int
}

// newDominatorFinder numbers the blocks and prepares the tables, which share one allocation: they
// are made for each function of several blocks.
func newDominatorFinder(body *ir.Body) *dominatorFinder {
	n := len(body.Blocks)
	memory := make([]int, 7*n+1)
	take := func(n int) []int {
		taken := memory[:n:n]
		memory = memory[n:]
		return taken
	}
	d := &dominatorFinder{
		body: body, order: take(n)[:0], number: take(n), parent: take(n)[:0],
		above: take(n), semi: take(n), label: take(n), predsAt: take(n + 1),
	}
	for i := range d.number {
		d.number[i] = -1
	}
	d.searchBlocks()
	copy(d.above, d.parent)
	for i := range d.order {
		d.semi[i], d.label[i] = i, i
	}
	d.listPredecessors()
	return d
}

// searchBlocks numbers the blocks that are reached, without recursion: the input chooses
// how deep the graph is.
func (d *dominatorFinder) searchBlocks() {
	type visit struct{ block, from int }
	for stack := []visit{{0, 0}}; len(stack) > 0; {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if d.number[top.block] >= 0 {
			continue
		}
		number := len(d.order)
		d.number[top.block] = number
		d.order = append(d.order, top.block)
		d.parent = append(d.parent, top.from)
		for s := range successorBlocks(d.body.Terminator(top.block)) {
			stack = append(stack, visit{s, number})
		}
	}
}

// listPredecessors fills preds and predsAt by counting: first how many predecessors each
// block has, then each predecessor goes to its place.
func (d *dominatorFinder) listPredecessors() {
	for _, b := range d.order {
		for s := range successorBlocks(d.body.Terminator(b)) {
			d.predsAt[s]++
		}
	}
	count := 0
	for i, n := range d.predsAt {
		count += n
		d.predsAt[i] = count // the end; each predecessor moves it down
	}
	d.preds = make([]int, count)
	for _, b := range d.order {
		for s := range successorBlocks(d.body.Terminator(b)) {
			d.predsAt[s]--
			d.preds[d.predsAt[s]] = b
		}
	}
}

// predecessors returns the reached blocks that lead to a block.
func (d *dominatorFinder) predecessors(b int) []int { return d.preds[d.predsAt[b]:d.predsAt[b+1]] }

// lowest returns the number with the lowest semi on the way up from v, among the numbers
// from last on, which have their semi already. It compresses the path that it walks, so
// that all walks together stay nearly linear.
func (d *dominatorFinder) lowest(v, last int) int {
	d.path = d.path[:0]
	for ; d.parent[v] >= last; v = d.parent[v] {
		d.path = append(d.path, v)
	}
	for _, at := range slices.Backward(d.path) {
		up := d.parent[at]
		if d.semi[d.label[up]] < d.semi[d.label[at]] {
			d.label[at] = d.label[up]
		}
		d.parent[at] = d.parent[up]
	}
	if len(d.path) > 0 {
		return d.label[d.path[0]]
	}
	return d.label[v]
}

// blockOrder returns the blocks in the order of the body, except that each comes after its
// dominator, as SPIR-V requires. LLVM has no such rule.
func (f *function) blockOrder() []int {
	if len(f.ir.Blocks) == 1 {
		return []int{0}
	}
	dom := blockDominators(f.ir)
	f.dom = dom
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

// edgeValues makes, at the end of a block, the values that the phis of its successors take
// from it and that need an instruction: casts of pointers and constant expressions. Nothing
// can be written between phis themselves.
func (f *function) edgeValues(block int) {
	var seen map[int]bool // blocks with phis
	for next := range successorBlocks(f.ir.Terminator(block)) {
		if f.ir.Instructions[f.ir.Blocks[next].First].Op != ir.OpPhi || seen[next] {
			continue
		}
		if seen == nil {
			seen = make(map[int]bool)
		}
		seen[next] = true
		for i := f.ir.Blocks[next].First; i < f.ir.Blocks[next].End && f.ir.Instructions[i].Op == ir.OpPhi; i++ {
			f.edgeValue(i, block)
		}
	}
}

// edgeValue makes the value that a phi takes from a block if it needs an instruction. A phi
// with several values for one block has the same value in all of them.
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

// searchedOperands is the number of operands up to which an instruction is searched anew
// for each query. A table serves longer ones: a switch of n cases takes n queries, so
// searching would be quadratic.
const searchedOperands = 32

// originOf returns the index of the operand that is a phi's first value for a block, or -1
// if the phi does not name the block.
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
		for next := range successorBlocks(in) {
			if next == to {
				count++
			}
		}
		return count
	}
	table := f.ways[from]
	if table == nil {
		table = make(map[int]int)
		for next := range successorBlocks(in) {
			table[next]++
		}
		if f.ways == nil {
			f.ways = make(map[int]map[int]int)
		}
		f.ways[from] = table
	}
	return table[to]
}

// edgeID returns the identifier of a value that edgeValues makes. The phi may be written
// before or after the end of the block that makes it.
func (f *function) edgeID(phi, operand int) id {
	key := phiEdge{phi, operand}
	if f.incoming[key] == 0 {
		f.incoming[key] = f.b.newID()
	}
	return f.incoming[key]
}

// needsCode reports whether it takes an instruction to have a value as one of type want.
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

// writePhi writes a phi with one value for each predecessor. LLVM has one for each edge, so
// a predecessor may be there several times.
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

// isSharedEdge reports whether the cases of a switch that lead to a block with phis must go
// through a block of their own, which branches on to it. That is so if there are several,
// or if the switch will be several instructions: a phi of SPIR-V has one value for each
// predecessor, one of LLVM one for each case, and readers that turn the former into the
// latter get it wrong.
func (f *function) isSharedEdge(from, to int) bool {
	in := f.ir.Terminator(from)
	if in.Op != ir.OpSwitch || f.moduleType(in.Operands[0].Type).Bits == 1 {
		return false
	}
	if first := f.ir.Blocks[to].First; f.ir.Instructions[first].Op != ir.OpPhi {
		return false
	}
	return f.isLongSwitch(in) || f.waysBetween(from, to) > 1
}

// edgeLabel returns the label of the block that is added between two blocks.
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

// writeTerminator writes the instruction that ends a block.
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
		f.failKind(ErrorInstruction, in.Op.String(), "the instruction %v has no counterpart in SPIR-V", in.Op)
	}
}

// writeBranch writes a branch. One with two equal targets becomes unconditional: a phi of
// SPIR-V cannot have two values from one block.
func (f *function) writeBranch(in *ir.Instruction) {
	if len(in.Operands) == 1 || in.Operands[1].Index == in.Operands[2].Index {
		f.emitPlain(spirv.OpBranch, f.labelID(in.Operands[len(in.Operands)-1]))
		return
	}
	f.emitPlain(spirv.OpBranchConditional, f.valueID(in.Operands[0]), f.labelID(in.Operands[1]), f.labelID(in.Operands[2]))
}

// switchTo writes a switch. The blocks between it and its targets (isSharedEdge) follow it.
func (f *function) switchTo(in *ir.Instruction) {
	selector := in.Operands[0]
	bits := f.moduleType(selector.Type).Bits
	if bits == 1 {
		f.switchBool(in)
		return
	}
	var shared []int
	added := map[int]bool{}
	target := func(v ir.Value) id {
		to := int(v.Index)
		if !f.isSharedEdge(f.block, to) {
			return f.labelID(v)
		}
		if !added[to] {
			added[to] = true
			shared = append(shared, to)
		}
		return f.edgeLabel(f.block, to)
	}
	n, otherwise := f.valueID(selector), target(in.Operands[1])
	var cases []uint32
	for k := 2; k+1 < len(in.Operands); k += 2 {
		n := constantNumber(&f.ir.Constants, in.Operands[k])
		cases = append(cases, constantWords(bits, []uint64{n})...)
		cases = append(cases, target(in.Operands[k+1]))
	}
	f.emitSwitch(int(bits+31)/32, n, otherwise, cases)
	for _, to := range shared {
		f.emitPlain(spirv.OpLabel, f.edgeLabel(f.block, to))
		f.emitPlain(spirv.OpBranch, f.labels[to])
	}
}

// switchCases returns how many cases one OpSwitch can have: the specification allows 16383
// (Universal Limits), and they must fit into the length of an instruction. width is the
// number of words of a literal.
func switchCases(width int) int { return min(16383, (maxWords-3)/(width+1)) }

// isLongSwitch reports whether a switch has more cases than one instruction.
func (f *function) isLongSwitch(in *ir.Instruction) bool {
	return len(in.Operands)/2-1 > switchCases(int(f.moduleType(in.Operands[0].Type).Bits+31)/32)
}

// emitSwitch writes an OpSwitch. If its cases are too many for one instruction, its default
// leads to a block with another OpSwitch for the rest, and so on. width is the number of
// words of a literal.
func (f *function) emitSwitch(width int, selector, otherwise id, cases []uint32) {
	op := opSwitchOf + spirv.Opcode(width)
	for most := switchCases(width) * (width + 1); len(cases) > most; cases = cases[most:] {
		next := f.b.newID()
		f.emitPlain(op, append([]uint32{selector, next}, cases[:most]...)...)
		f.emitPlain(spirv.OpLabel, next)
	}
	f.emitPlain(op, append([]uint32{selector, otherwise}, cases...)...)
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
