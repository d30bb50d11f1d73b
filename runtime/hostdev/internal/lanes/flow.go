package lanes

import (
	"cmp"
	"maps"
	"slices"
)

// part is a set of blocks that are emitted as one piece of control flow, under one
// mask, from an entry on. leave emits the edges out of it and the ends of the work-item.
type part struct {
	blocks []*Block // the entry first
	index  map[*Block]int
	graph  *graph
	post   []int
	after  ancestry // of the postdominators
	loop   []*loop  // see innermostLoops
	mask   Reg      // NoReg if all lanes are there
	leave  func(to *Block)
}

// newPart takes the blocks that the entry reaches within a set; nil stands for no
// limit. Barriers end it.
func newPart(entry *Block, within map[*Block]bool) *part {
	p := &part{index: map[*Block]int{}, mask: NoReg}
	var add func(b *Block)
	add = func(b *Block) {
		if _, ok := p.index[b]; ok || within != nil && !within[b] {
			return
		}
		p.index[b] = len(p.blocks)
		p.blocks = append(p.blocks, b)
		if b.Term != Barrier {
			for _, to := range b.Succs {
				add(to)
			}
		}
	}
	add(entry)
	succs := make([][]int, len(p.blocks))
	for i, b := range p.blocks {
		if b.Term == Barrier {
			continue
		}
		for _, to := range b.Succs {
			if n, ok := p.index[to]; ok {
				succs[i] = append(succs[i], n)
			}
		}
	}
	p.graph = newGraph(succs)
	p.post = p.graph.postDominators(p.leavesPart)
	// The end is the root of the tree of postdominators, and has no parent.
	p.after = newAncestry(append(slices.Clone(p.post), -1))
	return p
}

// innermostLoops is the innermost loop of each block.
func (p *part) innermostLoops() []*loop {
	if p.loop == nil {
		_, p.loop = p.graph.findLoops()
	}
	return p.loop
}

// leavesPart tells whether a block has a way out of the part.
func (p *part) leavesPart(n int) bool {
	b := p.blocks[n]
	return b.Term == Barrier || slices.ContainsFunc(b.Succs, func(to *Block) bool {
		_, in := p.index[to]
		return !in
	})
}

// masked is a piece of a part in which lanes go different ways: all that its
// entry reaches before the exit, where they have met again; the exit is
// len(blocks) if that is the end of the part.
type masked struct {
	nodes map[int]bool
	entry int
	exit  int

	joined bool // it became part of another one
}

// maskedPieces finds the pieces, which do not overlap, and the piece of each node.
// Each begins with a branch whose condition differs between lanes and grows until the
// lanes have met again; one that reaches into another becomes one with it.
func (e *emitter) maskedPieces(p *part) (list []*masked, of []*masked) {
	of = make([]*masked, len(p.blocks))
	for n, b := range p.blocks {
		if b.Cond == nil || e.a.classOf(b.Cond).isUniform() || of[n] != nil {
			continue
		}
		m := p.growPiece(map[int]bool{n: true})
		for other := overlapping(m, of); other != nil; other = overlapping(m, of) {
			for n := range other.nodes {
				of[n] = nil
			}
			other.joined = true
			maps.Copy(other.nodes, m.nodes)
			m = p.growPiece(other.nodes)
		}
		for n := range m.nodes {
			of[n] = m
		}
		list = append(list, m)
	}
	return slices.DeleteFunc(list, func(m *masked) bool { return m.joined }), of
}

// overlapping is the piece that has the first node of those that another one has
// as well, nil if there is none.
func overlapping(m *masked, of []*masked) *masked {
	first := len(of)
	for n := range m.nodes {
		if of[n] != nil {
			first = min(first, n)
		}
	}
	if first == len(of) {
		return nil
	}
	return of[first]
}

// growPiece makes a set of nodes have one entry and one exit: the nearest common
// dominator and postdominator, and all between them. That may reach further nodes,
// whose entry and exit lie farther out, so that it is done until nothing is added.
func (p *part) growPiece(set map[int]bool) *masked {
	end := len(p.blocks)
	for open := false; ; {
		entry, exit := p.boundsOf(set)
		if open {
			exit = end
		}
		next := p.graph.nodesBetween(entry, exit)
		next[entry] = true
		maps.Copy(next, set)
		switch {
		case len(next) != len(set):
			set = next
		case exit == end || p.isClosed(next, entry):
			return &masked{nodes: next, entry: entry, exit: exit}
		default:
			// Growing does not close the set: an edge from beyond the exit leads back into
			// it. The piece then goes on to the end of the part, which may lead to nodes
			// before its entry.
			open = true
		}
	}
}

// boundsOf is the nearest common dominator of nodes, and the nearest common postdominator that
// is not one of them.
func (p *part) boundsOf(set map[int]bool) (entry, exit int) {
	entry = -1
	for n := range set {
		if entry < 0 {
			entry, exit = n, p.post[n]
			continue
		}
		entry = p.graph.above.common(entry, n)
		exit = p.after.common(exit, n)
	}
	for exit != len(p.blocks) && set[exit] {
		exit = p.post[exit]
	}
	return entry, exit
}

// isClosed tells whether nothing but the entry is reached from outside.
func (p *part) isClosed(set map[int]bool, entry int) bool {
	for n := range set {
		if n == entry {
			continue
		}
		for _, from := range p.graph.preds[n] {
			if !set[from] {
				return false
			}
		}
	}
	return true
}

// unit is a node of the control flow that is left when masked pieces are one
// node each.
type unit struct {
	block *Block
	piece *masked
}

// structured emits a part by its dominator tree, as Ramsey's "Beyond
// Relooper" does.
type structured struct {
	e     *emitter
	p     *part
	units []unit
	of    []int // the unit of a node
	graph *graph
	kids  [][]int // of the dominator tree
	merge []bool
	heads []bool // of loops
	label []int  // of blocks around merges
	loops []int  // of loops
}

// emitPart emits a part as structured control flow. Masked pieces are nodes like others,
// which leaves a graph without varying branches; its loops must have one entry, as
// WebAssembly has no other.
func (e *emitter) emitPart(p *part) error {
	s := &structured{e: e, p: p, of: slices.Repeat([]int{-1}, len(p.blocks))}
	_, pieces := e.maskedPieces(p)
	s.cutUnits(pieces)
	if !s.graph.isReducible() {
		return Unsupported("control flow that enters a loop in two places")
	}
	n := len(s.units)
	s.kids, s.merge, s.heads = make([][]int, n), make([]bool, n), make([]bool, n)
	s.label, s.loops = make([]int, n), make([]int, n)
	for _, u := range s.graph.order {
		if d := s.graph.idom[u]; d >= 0 {
			s.kids[d] = append(s.kids[d], u)
		}
		forward := 0
		for _, from := range s.graph.preds[u] {
			if s.graph.isBack(from, u) {
				s.heads[u] = true
			} else {
				forward++
			}
		}
		s.merge[u] = forward > 1
	}
	s.mergeRepeated()
	return s.emitTree(0)
}

// mergeRepeated makes merges of the blocks that several cases of a switch lead to: the
// graph has only one edge for them.
func (s *structured) mergeRepeated() {
	for _, u := range s.units {
		if u.block == nil {
			continue
		}
		for i, to := range u.block.Succs {
			if n, ok := s.p.index[to]; ok && slices.Contains(u.block.Succs[:i], to) && u.block.Term == Switch {
				s.merge[s.of[n]] = true
			}
		}
	}
}

// cutUnits makes the units, of the pieces by node: the entry's is number 0.
func (s *structured) cutUnits(pieces []*masked) {
	add := func(n int) {
		if s.of[n] >= 0 {
			return
		}
		number := len(s.units)
		if m := pieces[n]; m != nil {
			for k := range m.nodes {
				s.of[k] = number
			}
			s.units = append(s.units, unit{piece: m})
			return
		}
		s.of[n] = number
		s.units = append(s.units, unit{block: s.p.blocks[n]})
	}
	for _, n := range s.p.graph.order {
		add(n)
	}
	succs := make([][]int, len(s.units))
	for i, u := range s.units {
		if u.piece != nil {
			if u.piece.exit != len(s.p.blocks) {
				succs[i] = []int{s.of[u.piece.exit]}
			}
			continue
		}
		for _, to := range s.p.graph.succs[s.p.index[u.block]] {
			// One edge for several branches to a unit: see mergeRepeated.
			if v := s.of[to]; !slices.Contains(succs[i], v) {
				succs[i] = append(succs[i], v)
			}
		}
	}
	s.graph = newGraph(succs)
}

// emitTree emits a unit and all that it dominates. A unit that several edges lead
// to follows the block that they leave, in the order of the graph; others stand
// where the branch to them is.
func (s *structured) emitTree(u int) error {
	if s.heads[u] {
		s.loops[u] = s.e.newLabel()
		s.e.emitOnly(Inst{Op: OpLoop, Imm: uint64(s.loops[u])})
		defer s.e.emitOnly(Inst{Op: OpEnd})
	}
	var merges []int
	for _, k := range s.kids[u] {
		if s.merge[k] {
			merges = append(merges, k)
		}
	}
	slices.SortFunc(merges, func(a, b int) int { return cmp.Compare(s.graph.place[b], s.graph.place[a]) })
	for _, m := range merges {
		s.label[m] = s.e.newLabel()
		s.e.emitOnly(Inst{Op: OpBlock, Imm: uint64(s.label[m])})
	}
	if err := s.emitUnit(u); err != nil {
		return err
	}
	for _, m := range slices.Backward(merges) {
		s.e.emitOnly(Inst{Op: OpEnd})
		if err := s.emitTree(m); err != nil {
			return err
		}
	}
	return nil
}

// emitUnit emits a block, or a masked piece and the branch to its exit.
func (s *structured) emitUnit(u int) error {
	if m := s.units[u].piece; m != nil {
		if err := s.e.emitPiece(s.p, m); err != nil {
			return err
		}
		if m.exit == len(s.p.blocks) {
			s.p.leave(nil)
			return nil
		}
		return s.emitBranch(u, s.p.blocks[m.exit])
	}
	b := s.units[u].block
	if err := s.e.emitValues(b, s.p.mask); err != nil {
		return err
	}
	return s.emitEnd(u, b)
}

// emitEnd emits the end of a block.
func (s *structured) emitEnd(u int, b *Block) error {
	switch b.Term {
	case Jump:
		return s.emitBranch(u, b.Succs[0])
	case Branch:
		if b.Turn && s.e.width == 1 {
			return s.emitBranch(u, b.Succs[0])
		}
		return s.emitFork(u, b)
	case Switch:
		return s.emitFan(u, b)
	case Barrier:
		return s.e.reachBarrier(b, s.p.mask)
	}
	s.p.leave(nil)
	return nil
}

// emitFork emits a branch that all lanes take together: as a conditional branch where a
// successor has a label, else as an If with the successors inside.
func (s *structured) emitFork(u int, b *Block) error {
	cond := s.e.scalarOf(b.Cond)
	if b.Succs[0] == b.Succs[1] {
		return s.emitBranch(u, b.Succs[0])
	}
	if label, ok := s.branchTarget(u, b.Succs[0]); ok {
		s.tickIfBack(u, b.Succs[0])
		s.e.emitOnly(Inst{Op: OpBrIf, Args: []Reg{cond}, Imm: uint64(label)})
		return s.emitBranch(u, b.Succs[1])
	}
	if label, ok := s.branchTarget(u, b.Succs[1]); ok {
		s.tickIfBack(u, b.Succs[1])
		s.e.emitOnly(Inst{Op: OpBrIf, Args: []Reg{s.e.invertFlag(cond)}, Imm: uint64(label)})
		return s.emitBranch(u, b.Succs[0])
	}
	s.e.emitOnly(Inst{Op: OpIf, Args: []Reg{cond}})
	if err := s.emitBranch(u, b.Succs[0]); err != nil {
		return err
	}
	s.e.emitOnly(Inst{Op: OpElse})
	if err := s.emitBranch(u, b.Succs[1]); err != nil {
		return err
	}
	s.e.emitOnly(Inst{Op: OpEnd})
	return nil
}

// emitFan compares with the cases one after the other, as the switches of device code
// have few: a table of jumps would not pay.
func (s *structured) emitFan(u int, b *Block) error {
	for i, c := range b.Cases {
		is := s.e.compareConst(b.Cond, c)
		s.e.emitOnly(Inst{Op: OpIf, Args: []Reg{is}})
		if err := s.emitBranch(u, b.Succs[i]); err != nil {
			return err
		}
		s.e.emitOnly(Inst{Op: OpEnd})
	}
	return s.emitBranch(u, b.Succs[len(b.Succs)-1])
}

// branchTarget is the label that leads to a block, if there is one.
func (s *structured) branchTarget(u int, to *Block) (int, bool) {
	n, ok := s.p.index[to]
	if !ok {
		return 0, false
	}
	v := s.of[n]
	switch {
	case s.graph.isBack(u, v):
		return s.loops[v], true
	case s.merge[v]:
		return s.label[v], true
	}
	return 0, false
}

// tickIfBack counts an iteration of a loop before its head is run again: there a launch
// can be stopped, and the garbage collector can stop the goroutine.
func (s *structured) tickIfBack(u int, to *Block) {
	if s.graph.isBack(u, s.of[s.p.index[to]]) {
		s.e.emitTick()
	}
}

// emitBranch leads to a block: by its label, or by emitting the block here if this
// is the only edge to it. For a block outside the part, leave does.
func (s *structured) emitBranch(u int, to *Block) error {
	n, ok := s.p.index[to]
	if !ok {
		s.p.leave(to)
		return nil
	}
	if label, ok := s.branchTarget(u, to); ok {
		s.tickIfBack(u, to)
		s.e.emitOnly(Inst{Op: OpBr, Imm: uint64(label)})
		return nil
	}
	return s.emitTree(s.of[n])
}
