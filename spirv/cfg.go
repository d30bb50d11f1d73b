package spirv

import "slices"

// CFG is the control-flow graph of a function: its blocks, the branches between them and the
// dominator tree. It does not change after it is made.
type CFG struct {
	// Blocks are in the order of the function; the first is the entry.
	Blocks []Block
	// Order lists the blocks that the entry reaches, in reverse postorder: each block
	// comes after all its dominators.
	Order []int

	index     map[ID]int // of blocks by label
	dominator []int      // immediate, by block; -1 for the entry and unreached blocks
	enter     []int      // when a walk of the dominator tree enters a block; 0 if unreached
	leave     []int      // when it leaves the block
}

// Block is a basic block.
type Block struct {
	Label ID
	Body  []*Instruction // after the label; the last one is the terminator
	Succs []int          // in Blocks, in the order of the terminator, each once
	Preds []int
}

// IsTerminator reports whether an instruction ends a block.
func (op Opcode) IsTerminator() bool {
	switch op {
	case OpBranch, OpBranchConditional, OpSwitch, OpReturn, OpReturnValue, OpUnreachable, OpKill, OpAbortKHR,
		OpTerminateInvocation, OpIgnoreIntersectionKHR, OpTerminateRayKHR, OpEmitMeshTasksEXT:
		return true
	}
	return false
}

// CFG returns the control-flow graph of a function that has a body. It is an error if a block
// has no end, or if a branch leads to the entry or to a label that is not a block's.
func (m *Module) CFG(f *Function) (*CFG, error) {
	g := &CFG{index: map[ID]int{}}
	if err := g.cutBlocks(f); err != nil {
		return nil, err
	}
	for i := range g.Blocks {
		if err := g.connectBlock(m, i); err != nil {
			return nil, err
		}
	}
	if len(g.Blocks[0].Preds) > 0 {
		return nil, f.Def.errorf("a branch leads to the entry block %%%d", g.Blocks[0].Label)
	}
	g.orderBlocks()
	return g, nil
}

// BlockOf returns the index in Blocks of the block with a label.
func (g *CFG) BlockOf(label ID) (int, bool) {
	i, ok := g.index[label]
	return i, ok
}

// cutBlocks divides the body into blocks. Between blocks only lines and OpNop are allowed.
func (g *CFG) cutBlocks(f *Function) error {
	open := false
	for _, in := range f.Body {
		switch {
		case in.Op == OpLabel && open:
			return in.errorf("the block before has no end")
		case in.Op == OpLabel:
			g.index[in.Result()] = len(g.Blocks)
			g.Blocks = append(g.Blocks, Block{Label: in.Result()})
			open = true
			continue
		case !open && isLineOrNop(in.Op):
			continue
		case !open:
			return in.errorf("stands after the end of a block")
		}
		b := &g.Blocks[len(g.Blocks)-1]
		b.Body = append(b.Body, in)
		open = !in.Op.IsTerminator()
	}
	if open || len(g.Blocks) == 0 {
		return f.Def.errorf("the last block of the function %%%d has no end", f.ID())
	}
	return nil
}

// isLineOrNop reports whether an instruction may be between blocks.
func isLineOrNop(op Opcode) bool { return isLine(op) || op == OpNop }

// connectBlock adds the edges that leave a block, each once: blocks are connected one after the
// other, so an edge that is there already is the last of the target's predecessors.
func (g *CFG) connectBlock(m *Module, from int) error {
	b := &g.Blocks[from]
	end := b.Body[len(b.Body)-1]
	for _, label := range m.branchTargets(end) {
		to, ok := g.index[label]
		if !ok {
			return end.errorf("%%%d is not a block of the function", label)
		}
		preds := &g.Blocks[to].Preds
		if n := len(*preds); n == 0 || (*preds)[n-1] != from {
			b.Succs = append(b.Succs, to)
			*preds = append(*preds, from)
		}
	}
	return nil
}

// branchTargets returns the labels that a terminator names.
func (m *Module) branchTargets(in *Instruction) []ID {
	switch in.Op {
	case OpBranch:
		return []ID{ID(in.Words[0])}
	case OpBranchConditional:
		return []ID{ID(in.Words[1]), ID(in.Words[2])}
	case OpSwitch:
		targets := []ID{ID(in.Words[1])}
		step := m.switchWords(in) + 1
		for i := 1 + step; i < len(in.Words); i += step {
			targets = append(targets, ID(in.Words[i]))
		}
		return targets
	}
	return nil
}

// orderBlocks fills Order and the dominator tree.
func (g *CFG) orderBlocks() {
	w := newDominators(g)
	g.Order, g.dominator = w.reversePostorder(), w.immediateDominators()
	g.numberDominatorTree()
}

// Dominator returns the immediate dominator of a block, or -1 for the entry and for blocks that
// it does not reach.
func (g *CFG) Dominator(block int) int { return g.dominator[block] }

// Reached reports whether the entry reaches a block.
func (g *CFG) Reached(block int) bool { return g.enter[block] != 0 }

// Dominates reports whether every path from the entry to block b leads through block a. The
// entry must reach both.
func (g *CFG) Dominates(a, b int) bool {
	return g.enter[a] <= g.enter[b] && g.leave[b] <= g.leave[a]
}

// numberDominatorTree sets the times at which a walk of the dominator tree enters and leaves each
// block. A block dominates another if its interval encloses the other's.
func (g *CFG) numberDominatorTree() {
	g.enter, g.leave = make([]int, len(g.Blocks)), make([]int, len(g.Blocks))
	children := make([][]int, len(g.Blocks))
	for _, b := range g.Order[1:] {
		children[g.dominator[b]] = append(children[g.dominator[b]], b)
	}
	clock := 0
	stack := []int{0}
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		clock++
		if g.enter[b] != 0 {
			g.leave[b] = clock
			stack = stack[:len(stack)-1]
			continue
		}
		g.enter[b] = clock
		stack = append(stack, children[b]...)
	}
}

// dominators finds immediate dominators with the algorithm of Lengauer and
// Tarjan (1979), in its simple form: O(m log n) for every graph, where the
// usual iteration over sets is quadratic for graphs that a hostile module may
// have. It does not recurse, since the depth of the graph is the input's.
// Vertices are numbered by a depth-first walk.
type dominators struct {
	g         *CFG
	block     []int // by number
	number    []int // by block; -1 if not reached
	parent    []int // in the walk
	postorder []int // blocks

	semi, label, ancestor, idom []int
	bucket                      [][]int
}

func newDominators(g *CFG) *dominators {
	d := &dominators{g: g, number: slices.Repeat([]int{-1}, len(g.Blocks))}
	d.depthFirst()
	return d
}

// depthFirst numbers the blocks that the entry reaches in preorder, and lists them in postorder.
func (d *dominators) depthFirst() {
	type visit struct{ block, next int }
	add := func(block, parent int) visit {
		d.number[block] = len(d.block)
		d.block = append(d.block, block)
		d.parent = append(d.parent, parent)
		return visit{block, 0}
	}
	stack := []visit{add(0, -1)}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		succs := d.g.Blocks[top.block].Succs
		if top.next == len(succs) {
			d.postorder = append(d.postorder, top.block)
			stack = stack[:len(stack)-1]
			continue
		}
		next := succs[top.next]
		top.next++
		if d.number[next] < 0 {
			stack = append(stack, add(next, d.number[top.block]))
		}
	}
}

func (d *dominators) reversePostorder() []int {
	list := slices.Clone(d.postorder)
	slices.Reverse(list)
	return list
}

// immediateDominators returns the immediate dominator of each block, -1 for the entry and for
// unreached blocks. Semidominators are found backwards; where they leave a dominator relative to
// that of another vertex (d.idom), a walk forwards resolves it, as that vertex has a lower number.
func (d *dominators) immediateDominators() []int {
	n := len(d.block)
	d.semi, d.label = make([]int, n), make([]int, n)
	d.ancestor, d.idom = slices.Repeat([]int{-1}, n), make([]int, n)
	d.bucket = make([][]int, n)
	for v := range n {
		d.semi[v], d.label[v] = v, v
	}
	for v := n - 1; v > 0; v-- {
		d.computeSemidominator(v)
	}
	result := slices.Repeat([]int{-1}, len(d.g.Blocks))
	for v := 1; v < n; v++ {
		if d.idom[v] != d.semi[v] {
			d.idom[v] = d.idom[d.idom[v]]
		}
		result[d.block[v]] = d.block[d.idom[v]]
	}
	return result
}

// computeSemidominator finds the semidominator of v, links v to its parent in the forest of
// processed vertices, and then decides the vertices whose semidominator is that parent: they are
// in its bucket, and the forest now has the paths from it to them.
func (d *dominators) computeSemidominator(v int) {
	for _, p := range d.g.Blocks[d.block[v]].Preds {
		if u := d.number[p]; u >= 0 {
			d.semi[v] = min(d.semi[v], d.semi[d.leastSemidominator(u)])
		}
	}
	d.bucket[d.semi[v]] = append(d.bucket[d.semi[v]], v)
	parent := d.parent[v]
	d.ancestor[v] = parent
	for _, w := range d.bucket[parent] {
		if u := d.leastSemidominator(w); d.semi[u] < d.semi[w] {
			d.idom[w] = u
		} else {
			d.idom[w] = parent
		}
	}
	d.bucket[parent] = nil
}

// leastSemidominator returns the vertex with the least semidominator on the path up from v, and
// compresses that path.
func (d *dominators) leastSemidominator(v int) int {
	var path []int
	for u := v; d.ancestor[u] >= 0 && d.ancestor[d.ancestor[u]] >= 0; u = d.ancestor[u] {
		path = append(path, u)
	}
	for _, u := range slices.Backward(path) {
		above := d.ancestor[u]
		if d.semi[d.label[above]] < d.semi[d.label[u]] {
			d.label[u] = d.label[above]
		}
		d.ancestor[u] = d.ancestor[above]
	}
	return d.label[v]
}
