package fromir

import "offlink/ir"

// checkBody refuses bodies that LLVM's verifier would refuse and whose SPIR-V could not be
// valid: the readers check only types. order is the order in which the blocks are written.
func (f *function) checkBody(order []int) {
	if len(f.ir.Blocks) == 1 {
		f.checkOperands(0)
		for range successorBlocks(f.ir.Terminator(0)) {
			f.failf("the first block of a function is the target of no branch")
		}
		return
	}
	c := &bodyChecker{function: f, place: make([]int, len(order)), home: make([]int32, len(f.ir.Instructions))}
	for at, b := range order {
		c.place[b] = at
	}
	for b := range f.ir.Blocks {
		for i := f.ir.Blocks[b].First; i < f.ir.Blocks[b].End; i++ {
			c.home[i] = int32(b)
		}
	}
	c.countPredecessors()
	c.numberDominated()
	f.checker = c
	for b := range f.ir.Blocks {
		f.block = b
		c.checkPhis(b)
		f.checkOperands(b)
	}
}

// isDefined reports whether the result of an instruction is defined before the
// instruction that is being written.
func (f *function) isDefined(value uint32) bool {
	if f.checker == nil {
		return int(value) < f.at
	}
	return f.checker.isDefined(value, f.block, f.at)
}

// checkOperands checks that the operands of a block's instructions, except phis, are always
// defined before.
func (f *function) checkOperands(block int) {
	for i := f.ir.Blocks[block].First; i < f.ir.Blocks[block].End; i++ {
		f.at = i
		in := &f.ir.Instructions[i]
		if in.Op == ir.OpPhi && block != 0 {
			continue
		}
		for _, v := range in.Operands {
			if v.Kind == ir.ValueInstruction && !f.isDefined(v.Index) {
				f.failf("an operand is the result of %s, which is not always executed before", f.ir.Instructions[v.Index].Op)
			}
		}
		if in.Op == ir.OpPhi {
			f.failf("the first block of a function has no phis")
		}
	}
}

// bodyChecker checks a body of several blocks.
type bodyChecker struct {
	*function
	place        []int   // of blocks, in the order in which they are written
	home         []int32 // the block of each instruction
	predecessors []int32 // how many different blocks lead to each
	// number is a preorder of the dominator tree: the blocks that block b dominates have
	// the numbers from number[b] to number[b]+dominated[b]-1, b itself among them.
	number, dominated []int
}

// countPredecessors counts the different blocks that lead to each block. A block that leads to
// another several times counts once: last remembers it.
func (c *bodyChecker) countPredecessors() {
	c.predecessors = make([]int32, len(c.ir.Blocks))
	last := make([]int, len(c.ir.Blocks)) // the block, plus 1, that was counted last
	for b := range c.ir.Blocks {
		c.block, c.at = b, c.ir.Blocks[b].End-1
		for next := range successorBlocks(c.ir.Terminator(b)) {
			if next == 0 {
				c.failf("the first block of a function is the target of no branch")
			}
			if last[next] != b+1 {
				last[next] = b + 1
				c.predecessors[next]++
			}
		}
	}
}

// numberDominated numbers the dominator tree, so that each query whether one block dominates
// another takes two comparisons. In the written order a block comes after its dominator, so
// walking it backwards sums up subtrees, and walking it forwards gives out their numbers.
func (c *bodyChecker) numberDominated() {
	if c.dom == nil {
		c.dom = blockDominators(c.ir)
	}
	order := make([]int, len(c.place))
	for b, at := range c.place {
		order[at] = b
	}
	c.number, c.dominated = make([]int, len(order)), make([]int, len(order))
	for at := len(order) - 1; at >= 0; at-- {
		b := order[at]
		c.dominated[b]++
		if up := c.dom[b]; up >= 0 {
			c.dominated[up] += c.dominated[b]
		}
	}
	next := make([]int, len(order)) // the number of the next child
	for _, b := range order {
		if up := c.dom[b]; up >= 0 {
			c.number[b] = next[up]
			next[up] += c.dominated[b]
		}
		next[b] = c.number[b] + 1
	}
}

// isDefined reports whether a value is always defined before instruction at of a block. Blocks
// that are not reached may use the values of all blocks that are written earlier.
func (c *bodyChecker) isDefined(value uint32, block, at int) bool {
	from := int(c.home[value])
	switch {
	case from == block:
		return int(value) < at
	case c.dom[block] == -2:
		return c.place[from] < c.place[block]
	}
	return c.dom[from] != -2 && c.number[from] <= c.number[block] && c.number[block] < c.number[from]+c.dominated[from]
}

// checkPhis checks that the phis of a block come first, and that each has, for every
// predecessor, a value that is defined at the end of the predecessor.
func (c *bodyChecker) checkPhis(block int) {
	b := c.ir.Blocks[block]
	first := true
	for i := b.First; i < b.End; i++ {
		in := &c.ir.Instructions[i]
		if in.Op != ir.OpPhi {
			first = first && in.Op == ir.OpDebugRecord
			continue
		}
		c.at = i
		if !first {
			c.failf("does not stand at the start of its block")
		}
		c.checkPhi(block, in)
	}
}

// checkPhi checks one phi. If all its blocks are predecessors and it names as many as there are, it
// names each of them. A value from a block that is not reached may be anything.
func (c *bodyChecker) checkPhi(block int, in *ir.Instruction) {
	named := make(map[uint32]bool, len(in.Operands)/2)
	for k := 0; k+1 < len(in.Operands); k += 2 {
		v, from := in.Operands[k], in.Operands[k+1].Index
		named[from] = true
		if c.waysBetween(int(from), block) == 0 {
			c.failf("a value for a block that does not lead to the phi")
		}
		if v.Kind == ir.ValueInstruction && c.dom[from] != -2 && !c.isDefined(v.Index, int(from), c.ir.Blocks[from].End) {
			c.failf("its value is not always defined where it comes from")
		}
	}
	if len(named) != int(c.predecessors[block]) {
		c.failf("values for %d of the %d blocks that lead to it", len(named), c.predecessors[block])
	}
}
