package lanes

import "slices"

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
		for _, nodes := range g.stronglyConnected(pieces[number], within, number) {
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

// stronglyConnected finds the sets of several nodes of a piece each of which reaches
// all others, by Tarjan's algorithm, without recursion. A set of one node has one entry.
func (g *graph) stronglyConnected(nodes, within []int, piece int) (list [][]int) {
	t := tarjan{g: g, within: within, piece: piece, number: map[int]int{}, low: map[int]int{}, open: map[int]bool{}}
	for _, n := range nodes {
		if t.number[n] == 0 {
			list = append(list, t.visit(n)...)
		}
	}
	return list
}

// tarjan is a search for strongly connected sets in a piece of a graph. Numbers count
// from 1; low is the least number that a node and those below it reach; open nodes are
// on the stack.
type tarjan struct {
	g      *graph
	within []int
	piece  int

	number, low map[int]int
	open        map[int]bool
	stack       []int
}

// visit walks all that a root reaches, depth first, and returns the sets of several nodes.
// A node whose low number is its own is the first of its set, which then lies on the stack
// from that node on.
func (t *tarjan) visit(root int) (list [][]int) {
	type place struct{ node, next int }
	work := []place{{root, 0}}
	t.enter(root)
	for len(work) > 0 {
		top := &work[len(work)-1]
		n := top.node
		if top.next < len(t.g.succs[n]) {
			to := t.g.succs[n][top.next]
			top.next++
			switch {
			case t.within[to] != t.piece:
			case t.number[to] == 0:
				t.enter(to)
				work = append(work, place{to, 0})
			case t.open[to]:
				t.low[n] = min(t.low[n], t.number[to])
			}
			continue
		}
		work = work[:len(work)-1]
		if len(work) > 0 {
			from := work[len(work)-1].node
			t.low[from] = min(t.low[from], t.low[n])
		}
		if t.low[n] == t.number[n] {
			if set := t.leave(n); len(set) > 1 {
				list = append(list, set)
			}
		}
	}
	return list
}

func (t *tarjan) enter(n int) {
	t.number[n] = len(t.number) + 1
	t.low[n] = t.number[n]
	t.open[n] = true
	t.stack = append(t.stack, n)
}

// leave takes the set that starts with a node off the stack.
func (t *tarjan) leave(n int) []int {
	at := slices.Index(t.stack, n)
	set := slices.Clone(t.stack[at:])
	t.stack = t.stack[:at]
	for _, m := range set {
		t.open[m] = false
	}
	return set
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
