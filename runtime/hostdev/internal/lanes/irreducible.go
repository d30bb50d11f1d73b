package lanes

import (
	"slices"

	"offlink/runtime/hostdev/internal/cycles"
)

// Irreducible control flow: a loop that is entered in several places gets one new entry,
// a block that goes on to the place that a register tells. Definitions still dominate
// their uses: a block of the loop that was not an entry is only reached through one, and
// a way through the new block goes on as one that came from outside the loop before.

// structureLoops gives every loop one entry: outer loops first, and inner ones once
// those have one. Each round takes all loops that do not lie in one another, as a
// function with inlined calls may have thousands.
func (f *Function) structureLoops() {
	f.numberBlocks()
	if f.flowGraph().isReducible() {
		return
	}
	for {
		loops := f.flowGraph().entriesOfLoops()
		if len(loops) == 0 {
			return
		}
		f.joinEntries(loops)
		f.numberBlocks()
	}
}

func (f *Function) numberBlocks() {
	for i, b := range f.Blocks {
		b.id = i
	}
}

// entriesOfLoops is the entries of each outermost loop that has several.
func (g *graph) entriesOfLoops() (list [][]int) {
	within := make([]int, len(g.succs)) // the number of the piece that a node is in
	pieces := [][]int{g.order}
	for number := 0; number < len(pieces); number++ {
		for _, n := range pieces[number] {
			within[n] = number
		}
		inside := func(to int) bool { return within[to] == number }
		for _, nodes := range cycles.Components(pieces[number], func(n int) []int { return g.succs[n] }, inside) {
			if len(nodes) == 1 { // a loop of one block has one entry
				continue
			}
			entries := g.entriesOf(nodes)
			if len(entries) > 1 {
				list = append(list, entries)
				continue
			}
			// The nodes that are left without the entry have the inner loops.
			nodes = slices.DeleteFunc(nodes, func(n int) bool { return n == entries[0] })
			pieces = append(pieces, nodes)
		}
	}
	return list
}

// entriesOf is the nodes of a set that are reached from outside, in order.
func (g *graph) entriesOf(nodes []int) []int {
	in := map[int]bool{}
	for _, n := range nodes {
		in[n] = true
	}
	var list []int
	for _, n := range nodes {
		if n == 0 || slices.ContainsFunc(g.preds[n], func(from int) bool { return !in[from] }) {
			list = append(list, n)
		}
	}
	slices.SortFunc(list, func(a, b int) int { return g.place[a] - g.place[b] })
	return list
}

// door is the way to an entry of a loop: the block before all of them, and the number
// that the register has for this one.
type door struct {
	join   *Block
	next   *Register
	number int
}

// joinEntries leads every way to the entries of each loop through a new block.
func (f *Function) joinEntries(loops [][]int) {
	doors := map[*Block]door{}
	var joins []*Block
	for _, entries := range loops {
		joins = append(joins, f.newJoin(entries, doors))
	}
	for _, b := range slices.Clone(f.Blocks) {
		b.Succs = slices.Clone(b.Succs)
		for i, to := range b.Succs {
			if d, ok := doors[to]; ok {
				way := f.NewBlock()
				way.Set(d.next, f.Const(I32, uint64(d.number)))
				way.Term, way.Succs = Jump, []*Block{d.join}
				b.Succs[i] = way
			}
		}
	}
	f.Blocks = append(f.Blocks, joins...)
	// Phis of the entries are not set right before their block any more.
	for _, r := range f.Regs {
		if _, ok := doors[r.Of]; ok && r.Of != nil {
			r.Of = nil
		}
	}
}

// newJoin returns the block that goes on to the entries, and notes their doors.
func (f *Function) newJoin(entries []int, doors map[*Block]door) *Block {
	join := &Block{f: f, Term: Switch}
	// It is set on each way here, where lanes that a branch has parted differ; as a phi of a block
	// that the lanes come to again and again, it would pass for the same in all of them.
	next := f.NewRegister(I32)
	join.Cond = join.Get(next)
	for i, n := range entries {
		b := f.Blocks[n]
		doors[b] = door{join, next, i}
		join.Succs = append(join.Succs, b)
		if i+1 < len(entries) {
			join.Cases = append(join.Cases, uint64(i))
		}
	}
	return join
}
