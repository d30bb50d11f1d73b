package lanes

import (
	"cmp"
	"slices"
)

// Masked regions: blocks one after the other, each under the mask of the lanes
// that came there.

// region emits a masked piece.
type region struct {
	e      *emitter
	p      *part
	piece  *masked
	masks  map[int]Reg
	of     []*loop        // innermost, by node
	within map[*loop]bool // see containsLoop

	started bool // the values of the entry were emitted before
}

// emitMasked emits a piece; started tells that the values of its entry are there.
func (e *emitter) emitMasked(p *part, m *masked, started bool) error {
	r := &region{e: e, p: p, piece: m, masks: map[int]Reg{}, within: map[*loop]bool{}, started: started}
	r.of = p.innermostLoops()
	t := e.vectorType(Bool)
	// Masks start empty each time: the piece may be in a loop of the code, and a block
	// only adds lanes to those of its successors.
	for _, n := range r.sortedNodes(nil) {
		r.masks[n] = e.newReg(t)
		e.emitTo(r.masks[n], Inst{Op: OpConst, Imm: 0})
	}
	for n := range m.nodes {
		if _, ok := r.masks[n]; !ok {
			return Unsupported("control flow that is not understood")
		}
	}
	entry := r.masks[m.entry]
	if p.mask == NoReg {
		e.emitTo(entry, Inst{Op: OpConst, Imm: 1})
	} else {
		e.emitTo(entry, Inst{Op: OpCopy, Args: []Reg{p.mask}})
	}
	return r.emitSequence(nil)
}

// loopBelow is the outermost loop around a node that lies inside outer (nil for no limit)
// and in the piece as a whole, or nil.
func (r *region) loopBelow(n int, outer *loop) *loop {
	var found *loop
	for l := r.of[n]; l != nil && l != outer; l = l.parent {
		if r.containsLoop(l) {
			found = l
		}
	}
	return found
}

// containsLoop tells whether all of a loop lies in the piece.
func (r *region) containsLoop(l *loop) bool {
	contains, known := r.within[l]
	if !known {
		contains = true
		for n := range l.nodes {
			contains = contains && r.piece.nodes[n]
		}
		r.within[l] = contains
	}
	return contains
}

// sortedNodes is the nodes of the piece, in a loop or in all, in the order of the graph: a
// block comes after all that lead to it, except by edges back.
func (r *region) sortedNodes(l *loop) []int {
	var list []int
	for n := range r.piece.nodes {
		if l == nil || l.nodes[n] {
			list = append(list, n)
		}
	}
	slices.SortFunc(list, func(a, b int) int { return cmp.Compare(r.p.graph.place[a], r.p.graph.place[b]) })
	return list
}

// emitSequence emits the nodes of a loop, or all, an inner loop in the place of
// its header.
func (r *region) emitSequence(l *loop) error {
	for _, n := range r.sortedNodes(l) {
		inner := r.loopBelow(n, l)
		var err error
		switch {
		case inner == nil:
			err = r.emitBlock(n, l)
		case inner.header == n:
			err = r.emitLoop(inner)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// openGuard opens an If on whether a lane is in the mask.
func (r *region) openGuard(mask Reg) {
	r.e.emitOnly(Inst{Op: OpIf, Args: []Reg{r.e.emitNew(scalarType(Bool), OpAny, 0, mask)}})
}

func (r *region) emitBlock(n int, l *loop) error {
	b := r.p.blocks[n]
	mask := r.masks[n]
	free := n == r.piece.entry && l == nil || l != nil && l.header == n
	if !free {
		r.openGuard(mask)
	}
	// In a loop, the mask is cleared first, so that ways back collect the lanes of the
	// next iteration.
	if r.of[n] != nil {
		taken := r.e.emitNew(r.e.vectorType(Bool), OpCopy, 0, mask)
		r.e.emitTo(mask, Inst{Op: OpConst, Imm: 0})
		mask = taken
	}
	if n == r.piece.entry && r.p.mask == NoReg && l == nil {
		mask = NoReg
	}
	if n != r.piece.entry || !r.started {
		if err := r.e.emitValues(b, mask); err != nil {
			return err
		}
	}
	if mask == NoReg {
		mask = r.e.emitNew(r.e.vectorType(Bool), OpConst, 1)
	}
	if err := r.emitEnd(b, mask); err != nil {
		return err
	}
	if !free {
		r.e.emitOnly(Inst{Op: OpEnd})
	}
	return nil
}

// emitEnd sends the lanes of a block to its successors. Where the work-item ends they go
// nowhere: no mask has them any more.
func (r *region) emitEnd(b *Block, mask Reg) error {
	switch b.Term {
	case Jump:
		r.addEdge(b.Succs[0], mask)
	case Branch:
		r.forkLanes(b, mask)
	case Switch:
		r.fanLanes(b, mask)
	case Barrier:
		return r.e.reachBarrier(b, mask)
	}
	return nil
}

// addEdge sends lanes to a block. Where all have met again nothing is to do.
func (r *region) addEdge(to *Block, mask Reg) {
	n, ok := r.p.index[to]
	if !ok || n == r.piece.exit {
		return
	}
	at := r.masks[n]
	r.e.emitTo(at, Inst{Op: OpOr, Args: []Reg{at, mask}})
}

// forkLanes divides the lanes of a mask between two successors. Where all take the same
// one, an If saves the operations on masks.
func (r *region) forkLanes(b *Block, mask Reg) {
	e := r.e
	if e.a.classOf(b.Cond).isUniform() {
		e.emitOnly(Inst{Op: OpIf, Args: []Reg{e.scalarOf(b.Cond)}})
		r.addEdge(b.Succs[0], mask)
		e.emitOnly(Inst{Op: OpElse})
		r.addEdge(b.Succs[1], mask)
		e.emitOnly(Inst{Op: OpEnd})
		return
	}
	t := e.vectorType(Bool)
	taken := e.emitNew(t, OpAnd, 0, mask, e.vectorOf(b.Cond))
	r.addEdge(b.Succs[0], taken)
	r.addEdge(b.Succs[1], e.emitNew(t, OpXor, 0, mask, taken))
}

// fanLanes divides the lanes of a mask among the cases of a switch: a lane that a case has
// taken leaves the mask, and those that remain take the default.
func (r *region) fanLanes(b *Block, mask Reg) {
	e := r.e
	t := e.vectorType(Bool)
	var value Reg
	if c := e.a.classOf(b.Cond); c.Level == Varying {
		value = e.vectorOf(b.Cond)
	} else {
		in := e.spreadInst(e.scalarOf(b.Cond), c)
		value = e.newReg(e.vectorType(b.Cond.Kind))
		e.emitTo(value, in)
	}
	for i, c := range b.Cases {
		is := e.emitNew(t, OpEq, 0, value, e.emitNew(e.vectorType(b.Cond.Kind), OpConst, c))
		taken := e.emitNew(t, OpAnd, 0, mask, is)
		r.addEdge(b.Succs[i], taken)
		mask = e.emitNew(t, OpXor, 0, mask, taken)
	}
	r.addEdge(b.Succs[len(b.Succs)-1], mask)
}

// emitLoop emits a loop: as control flow under one mask if all lanes leave it
// together, else until no lane is left.
func (r *region) emitLoop(l *loop) error {
	mask := r.masks[l.header]
	r.openGuard(mask)
	done, err := r.emitTogether(l, mask)
	if err != nil {
		return err
	}
	if !done {
		label := r.e.newLabel()
		r.e.emitOnly(Inst{Op: OpLoop, Imm: uint64(label)})
		if err := r.emitSequence(l); err != nil {
			return err
		}
		if !l.takesTurns(r.e.f) { // those are few
			r.e.emitTick()
		}
		again := r.e.emitNew(scalarType(Bool), OpAny, 0, mask)
		r.e.emitOnly(Inst{Op: OpBrIf, Args: []Reg{again}, Imm: uint64(label)})
		r.e.emitOnly(Inst{Op: OpEnd})
	}
	r.e.emitOnly(Inst{Op: OpEnd})
	return nil
}

// emitTogether emits a loop as a part of its own, if its lanes stay together: no branch
// that differs between them may lead out of it.
func (r *region) emitTogether(l *loop, mask Reg) (bool, error) {
	within := map[*Block]bool{}
	for n := range l.nodes {
		within[r.p.blocks[n]] = true
	}
	inner := newPart(r.p.blocks[l.header], within)
	pieces, _ := r.e.maskedPieces(inner)
	for _, m := range pieces {
		if m.exit == len(inner.blocks) {
			return false, nil
		}
	}
	e := r.e
	inner.mask = e.emitNew(e.vectorType(Bool), OpCopy, 0, mask)
	e.emitTo(mask, Inst{Op: OpConst, Imm: 0})
	label := e.newLabel()
	inner.leave = func(to *Block) {
		if to != nil {
			r.addEdge(to, inner.mask)
		}
		e.emitOnly(Inst{Op: OpBr, Imm: uint64(label)})
	}
	e.emitOnly(Inst{Op: OpBlock, Imm: uint64(label)})
	err := e.emitPart(inner)
	e.emitOnly(Inst{Op: OpEnd})
	return true, err
}
