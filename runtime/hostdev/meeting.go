package hostdev

import (
	"cmp"
	"slices"
	"sort"

	"offlink/runtime/hostdev/internal/cycles"
	"offlink/spirv"
)

// The order in which diverged work-items of a sub-group meet. Those that have come least far go
// first, so that all are together again where their ways meet: each iteration of a loop
// waits for the one before it, and the code after a loop for the loop. Compiled kernels do
// the same with masks.
//
// A function has a place for each block: the loops around it, and a number in an order in which
// each loop is in one piece. Words of the frame count the iterations.

// blockPlace is the place of a block. Instructions of a block follow each other.
type blockPlace struct {
	loops []*loop // from the outermost one on
	order int
}

// loop is a strongly connected part of a function, within the loop around it and without the
// edges to that one's heads.
type loop struct {
	heads map[int]bool // blocks at which it is entered
	count int32        // the word of the frame with the number of the iteration
}

// maxLoopDepth is how many loops around a block count iterations: finding each takes another walk
// over the blocks.
const maxLoopDepth = 32

// meetInPart reports whether a module has instructions at which a part of a sub-group meets.
func meetInPart(m *spirv.Module) bool {
	return slices.ContainsFunc(m.Functions(), func(f *spirv.Function) bool {
		return slices.ContainsFunc(f.Body, func(in *spirv.Instruction) bool {
			return in.Op >= spirv.OpGroupNonUniformElect && in.Op <= spirv.OpGroupNonUniformLogicalXor || in.Op == spirv.OpGroupNonUniformRotateKHR
		})
	})
}

// placeBlocks finds the places of the function's blocks.
func (b *builder) placeBlocks() {
	n := newNesting(b.cfg)
	n.divide(b.cfg.Order, nil, []int{0})
	b.places = n.places
	for _, l := range n.loops {
		l.count = b.newTemporary(1)
	}
	b.fn.loops = n.loops
}

// countIteration emits the steps that count iterations on the edge from the current block.
func (b *builder) countIteration(to spirv.ID) {
	if !b.entersLoop(to) {
		return
	}
	from, _ := b.cfg.BlockOf(b.current.id)
	target, _ := b.cfg.BlockOf(to)
	around := b.places[target].loops
	l := around[len(around)-1]
	if slices.Contains(b.places[from].loops, l) {
		b.emit(inst{step: stepNextIteration, dst: l.count})
	} else {
		b.emit(inst{step: stepFirstIteration, dst: l.count})
	}
}

// entersLoop reports whether a block is at the head of a loop whose iterations are counted.
func (b *builder) entersLoop(to spirv.ID) bool {
	target, ok := b.cfg.BlockOf(to)
	if b.places == nil || !ok {
		return false
	}
	around := b.places[target].loops
	return len(around) > 0 && around[len(around)-1].heads[target]
}

func stepFirstIteration(it *item, in *inst) status {
	it.s[in.dst] = 0
	return running
}

func stepNextIteration(it *item, in *inst) status {
	it.s[in.dst]++
	return running
}

// nesting finds the loops of a function.
type nesting struct {
	cfg    *spirv.CFG
	places []blockPlace
	rank   []int // of blocks, in reverse postorder
	within []int // the number of the part of which a block is, 0 if it is of none
	barred []int // the number of the part in which edges to a block do not count
	parts  int
	order  int
	loops  []*loop
}

func newNesting(cfg *spirv.CFG) *nesting {
	size := len(cfg.Blocks)
	n := &nesting{cfg: cfg, places: make([]blockPlace, size), rank: make([]int, size), within: make([]int, size), barred: make([]int, size)}
	for i, b := range cfg.Order {
		n.rank[b] = i
	}
	return n
}

// divide gives places to blocks within some loops. heads are the blocks to which edges do not
// count.
func (n *nesting) divide(blocks []int, around []*loop, heads []int) {
	own := n.mark(blocks)
	for _, h := range heads {
		n.barred[h] = own
	}
	inside := func(to int) bool { return n.within[to] == own && n.barred[to] != own }
	parts := cycles.Components(blocks, func(b int) []int { return n.cfg.Blocks[b].Succs }, inside)
	for _, part := range slices.Backward(parts) {
		slices.SortFunc(part, func(x, y int) int { return cmp.Compare(n.rank[x], n.rank[y]) })
		if len(around) < maxLoopDepth && n.isLoop(part, own) {
			l, entries := &loop{heads: map[int]bool{}}, n.entries(part)
			for _, b := range entries {
				l.heads[b] = true
			}
			n.loops = append(n.loops, l)
			n.divide(part, append(slices.Clip(around), l), entries)
			continue
		}
		for _, b := range part {
			n.places[b] = blockPlace{around, n.order}
			n.order++
		}
	}
}

// mark makes a part of blocks, and returns its number.
func (n *nesting) mark(blocks []int) int {
	n.parts++
	for _, b := range blocks {
		n.within[b] = n.parts
	}
	return n.parts
}

// isLoop reports whether a strongly connected part has an edge that counts in another part.
func (n *nesting) isLoop(part []int, in int) bool {
	first := part[0]
	return len(part) > 1 || n.barred[first] != in && slices.Contains(n.cfg.Blocks[first].Succs, first)
}

// entries are the blocks of a part to which edges from elsewhere lead.
func (n *nesting) entries(part []int) (list []int) {
	own := n.mark(part)
	for _, b := range part {
		if slices.ContainsFunc(n.cfg.Blocks[b].Preds, func(from int) bool { return n.cfg.Reached(from) && n.within[from] != own }) {
			list = append(list, b)
		}
	}
	return list
}

// activation is a function that a work-item is in.
type activation struct {
	fn    *function
	pc    int32 // of the instruction that waits, or of the call
	words []uint64
}

// activation returns that of a depth, from the kernel's function on.
func (it *item) activation(depth int) activation {
	if depth == len(it.frames) {
		return activation{it.fn, it.pc - 1, it.s}
	}
	f := it.frames[depth]
	return activation{f.fn, f.pc - 1, it.stack[f.base : f.base+f.fn.words]}
}

// compareWaiting compares where two work-items wait: it is negative if the first has come less far,
// and 0 if both are at the same instruction in the same iterations and calls.
func (it *item) compareWaiting(other *item) int {
	for depth := 0; ; depth++ {
		x, y := it.activation(depth), other.activation(depth)
		if x.fn != y.fn {
			return cmp.Compare(x.fn.id, y.fn.id) // called through a pointer, in two ways
		}
		if c := x.compare(y); c != 0 {
			return c
		}
		if depth == len(it.frames) || depth == len(other.frames) {
			return cmp.Compare(len(other.frames), len(it.frames))
		}
	}
}

// compare compares places in the same function.
func (a activation) compare(other activation) int {
	if a.fn.places == nil {
		return cmp.Compare(a.pc, other.pc)
	}
	x, y := a.fn.placeOf(a.pc), a.fn.placeOf(other.pc)
	for i := 0; i < len(x.loops) && i < len(y.loops) && x.loops[i] == y.loops[i]; i++ {
		if c := cmp.Compare(a.words[x.loops[i].count], other.words[x.loops[i].count]); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(x.order, y.order), cmp.Compare(a.pc, other.pc))
}

// placeOf finds the place of the block with an instruction.
func (fn *function) placeOf(pc int32) *blockPlace {
	i := sort.Search(len(fn.starts), func(i int) bool { return fn.starts[i] > pc })
	return &fn.places[i-1]
}
