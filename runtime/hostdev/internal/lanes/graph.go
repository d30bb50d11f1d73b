package lanes

import "slices"

// graph is control flow: nodes by number, with the edges between them. Node 0
// is the entry.
type graph struct {
	succs, preds [][]int
	order        []int // nodes that the entry reaches, in reverse postorder
	place        []int // of a node in order; -1 if it is not reached
	idom         []int // -1 for the entry, and for nodes that it does not reach
	above        ancestry
}

// newGraph makes a graph of the successors of each node. Edges from nodes that the entry
// does not reach are not among the predecessors, and double edges are there once.
func newGraph(succs [][]int) *graph {
	g := &graph{succs: succs, preds: make([][]int, len(succs))}
	g.walkNodes()
	for _, from := range g.order {
		for _, to := range succs[from] {
			if !slices.Contains(g.preds[to], from) {
				g.preds[to] = append(g.preds[to], from)
			}
		}
	}
	g.findDominators()
	g.above = newAncestry(g.idom)
	return g
}

// walkNodes fills order, without recursion.
func (g *graph) walkNodes() {
	g.place = slices.Repeat([]int{-1}, len(g.succs))
	seen := make([]bool, len(g.succs))
	type visit struct{ node, next int }
	stack := []visit{{0, 0}}
	seen[0] = true
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == len(g.succs[top.node]) {
			g.order = append(g.order, top.node)
			stack = stack[:len(stack)-1]
			continue
		}
		// Successors are visited in order, so that of two that do not reach each
		// other the later one comes first in reverse postorder.
		to := g.succs[top.node][top.next]
		top.next++
		if !seen[to] {
			seen[to] = true
			stack = append(stack, visit{to, 0})
		}
	}
	slices.Reverse(g.order)
	for i, n := range g.order {
		g.place[n] = i
	}
}

// findDominators finds immediate dominators as Cooper, Harvey and Kennedy do.
func (g *graph) findDominators() {
	g.idom = slices.Repeat([]int{-1}, len(g.succs))
	for changed := true; changed; {
		changed = false
		for _, n := range g.order[1:] {
			dom := -1
			for _, p := range g.preds[n] {
				switch {
				case p != 0 && g.idom[p] < 0:
				case dom < 0:
					dom = p
				default:
					dom = g.commonDominator(dom, p)
				}
			}
			if dom != g.idom[n] {
				g.idom[n], changed = dom, true
			}
		}
	}
}

// commonDominator is the nearest node that dominates both, as far as idom is known: it
// serves the computation of idom, and above.common everything after that.
func (g *graph) commonDominator(a, b int) int {
	for a != b {
		for g.place[a] > g.place[b] {
			a = g.idom[a]
		}
		for g.place[b] > g.place[a] {
			b = g.idom[b]
		}
	}
	return a
}

func (g *graph) dominates(a, b int) bool { return g.above.contains(a, b) }

// ancestry answers in constant time whether a node of a tree lies below another
// one: by the numbers that a walk has when it comes to a node and when it leaves it.
type ancestry struct{ parent, from, to []int }

// newAncestry numbers the nodes; the parent of a root is -1.
func newAncestry(parent []int) ancestry {
	t := ancestry{parent, make([]int, len(parent)), make([]int, len(parent))}
	kids := make([][]int, len(parent))
	var stack []int
	for n, p := range parent {
		if p >= 0 {
			kids[p] = append(kids[p], n)
		} else {
			stack = append(stack, n)
		}
	}
	for clock := 0; len(stack) > 0; clock++ {
		n := stack[len(stack)-1]
		if n >= 0 {
			t.from[n] = clock
			stack[len(stack)-1] = ^n // to be left
			stack = append(stack, kids[n]...)
			continue
		}
		t.to[^n] = clock
		stack = stack[:len(stack)-1]
	}
	return t
}

// contains tells whether b is a or lies below it.
func (t *ancestry) contains(a, b int) bool { return t.from[a] <= t.from[b] && t.to[b] <= t.to[a] }

// common is the nearest node that both are or lie below, in one tree.
func (t *ancestry) common(a, b int) int {
	for !t.contains(a, b) {
		a = t.parent[a]
	}
	return a
}

// isBack tells whether an edge leads to a node that does not come later in the order.
func (g *graph) isBack(from, to int) bool { return g.place[to] <= g.place[from] }

// isReducible tells whether every edge back leads to a dominator.
func (g *graph) isReducible() bool {
	for _, from := range g.order {
		for _, to := range g.succs[from] {
			if g.isBack(from, to) && !g.dominates(to, from) {
				return false
			}
		}
	}
	return true
}

// reversedGraph is the graph from a new last node, which stands for the end, back
// to the entry. Nodes that lead nowhere lead to the end.
func (g *graph) reversedGraph(leaves func(n int) bool) *graph {
	end := len(g.succs)
	succs := make([][]int, end+1)
	flip := func(n int) int { // the entry of a graph is node 0
		switch n {
		case 0:
			return end
		case end:
			return 0
		}
		return n
	}
	for _, from := range g.order {
		for _, to := range g.succs[from] {
			succs[flip(to)] = append(succs[flip(to)], flip(from))
		}
		if len(g.succs[from]) == 0 || leaves(from) {
			succs[0] = append(succs[0], flip(from))
		}
	}
	return newGraph(succs)
}

// postDominators returns the immediate postdominators of the nodes. len(succs) stands for
// the end, and also serves nodes that never come there. leaves reports whether a node may
// also lead out of the graph.
func (g *graph) postDominators(leaves func(n int) bool) []int {
	end := len(g.succs)
	r := g.reversedGraph(leaves)
	list := make([]int, end)
	for n := range end {
		at := n
		if n == 0 {
			at = end
		}
		switch dom := r.idom[at]; {
		case dom <= 0:
			list[n] = end
		case dom == end:
			list[n] = 0
		default:
			list[n] = dom
		}
	}
	return list
}

// loop is a natural loop.
type loop struct {
	header int
	nodes  map[int]bool
	parent *loop
	exits  []int // nodes that lead out of it, or nowhere
	single bool  // one edge leads back, and one in
}

// findLoops finds the loops of a reducible graph, inner ones first, and the innermost of
// each node. The header of an inner loop comes after that of the outer one in the order,
// so that the reverse gives inner loops first.
func (g *graph) findLoops() (list []*loop, of []*loop) {
	of = make([]*loop, len(g.succs))
	for _, h := range slices.Backward(g.order) {
		if l := g.loopAt(h); l != nil {
			list = append(list, l)
		}
	}
	for _, l := range list {
		for n := range l.nodes {
			if of[n] == nil {
				of[n] = l
			}
		}
	}
	for i, l := range list {
		for _, outer := range list[i+1:] {
			if outer.nodes[l.header] && outer != l {
				l.parent = outer
				break
			}
		}
	}
	return list, of
}

// loopAt returns the natural loop of a header, nil if no edge leads back to it: the nodes
// that reach the header by such an edge without passing it before.
func (g *graph) loopAt(h int) *loop {
	var work []int
	in := 0
	for _, p := range g.preds[h] {
		if g.isBack(p, h) {
			work = append(work, p)
		} else {
			in++
		}
	}
	if len(work) == 0 {
		return nil
	}
	l := &loop{header: h, nodes: map[int]bool{h: true}, single: len(work) == 1 && in == 1}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if !l.nodes[n] {
			l.nodes[n] = true
			work = append(work, g.preds[n]...)
		}
	}
	for n := range l.nodes {
		if len(g.succs[n]) == 0 || slices.ContainsFunc(g.succs[n], func(to int) bool { return !l.nodes[to] }) {
			l.exits = append(l.exits, n)
		}
	}
	return l
}
