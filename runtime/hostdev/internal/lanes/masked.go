package lanes

import (
	"cmp"
	"slices"
)

// mask regions: blocks one after the other, each under the mask of the lanes
// that came there.

// region emits a masked piece.
type region struct {
	e     *emitter
	p     *part
	piece *masked
	masks map[int]Reg
	of    []*loop // innermost, by node
	loops []*loop
}

func (e *emitter) emitMasked(p *part, m *masked) error {
	r := &region{e: e, p: p, piece: m, masks: map[int]Reg{}}
	r.loops, r.of = p.graph.loops()
	t := e.vectorType(Bool)
	for _, n := range r.sorted(nil) {
		r.masks[n] = e.newReg(t)
		e.to(r.masks[n], Inst{Op: OpConst, Imm: 0})
	}
	for n := range m.nodes {
		if _, ok := r.masks[n]; !ok {
			return Unsupported("control flow that is not understood")
		}
	}
	entry := r.masks[m.entry]
	if p.mask == NoReg {
		e.to(entry, Inst{Op: OpConst, Imm: 1})
	} else {
		e.to(entry, Inst{Op: OpCopy, Args: []Reg{p.mask}})
	}
	return r.sequence(nil)
}

// inPiece is the loop around a node that lies in the piece as a whole, below
// a loop.
func (r *region) loopBelow(n int, outer *loop) *loop {
	var found *loop
	for l := r.of[n]; l != nil && l != outer; l = l.parent {
		if r.contains(l) {
			found = l
		}
	}
	return found
}

func (r *region) contains(l *loop) bool {
	for n := range l.nodes {
		if !r.piece.nodes[n] {
			return false
		}
	}
	return true
}

// sorted is the nodes of the piece, in a loop or in all, in order.
func (r *region) sorted(l *loop) []int {
	var list []int
	for n := range r.piece.nodes {
		if l == nil || l.nodes[n] {
			list = append(list, n)
		}
	}
	slices.SortFunc(list, func(a, b int) int { return cmp.Compare(r.p.graph.place[a], r.p.graph.place[b]) })
	return list
}

// sequence emits the nodes of a loop, or all, an inner loop in the place of
// its header.
func (r *region) sequence(l *loop) error {
	for _, n := range r.sorted(l) {
		inner := r.loopBelow(n, l)
		var err error
		switch {
		case inner == nil:
			err = r.block(n, l)
		case inner.header == n:
			err = r.loop(inner)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// guard opens an If on whether a lane is in the mask.
func (r *region) guard(mask Reg) {
	r.e.op(Inst{Op: OpIf, Args: []Reg{r.e.compute(scalarType(Bool), OpAny, 0, mask)}})
}

func (r *region) block(n int, l *loop) error {
	b := r.p.blocks[n]
	mask := r.masks[n]
	free := n == r.piece.entry && l == nil || l != nil && l.header == n
	if !free {
		r.guard(mask)
	}
	if r.of[n] != nil { // it may be reached again
		taken := r.e.compute(r.e.vectorType(Bool), OpCopy, 0, mask)
		r.e.to(mask, Inst{Op: OpConst, Imm: 0})
		mask = taken
	}
	if n == r.piece.entry && r.p.mask == NoReg && l == nil {
		mask = NoReg
	}
	if err := r.e.values(b, mask); err != nil {
		return err
	}
	if mask == NoReg {
		mask = r.e.compute(r.e.vectorType(Bool), OpConst, 1)
	}
	if err := r.end(b, mask); err != nil {
		return err
	}
	if !free {
		r.e.op(Inst{Op: OpEnd})
	}
	return nil
}

func (r *region) end(b *Block, mask Reg) error {
	switch b.Term {
	case Jump:
		r.edge(b.Succs[0], mask)
	case Branch:
		r.fork(b, mask)
	case Switch:
		r.fan(b, mask)
	case Barrier:
		return Unsupported("a barrier where not all work-items of a step come")
	}
	return nil
}

// edge sends lanes to a block. Where all have met again nothing is to do.
func (r *region) edge(to *Block, mask Reg) {
	n, ok := r.p.index[to]
	if !ok || n == r.piece.exit {
		return
	}
	at := r.masks[n]
	r.e.to(at, Inst{Op: OpOr, Args: []Reg{at, mask}})
}

func (r *region) fork(b *Block, mask Reg) {
	e := r.e
	if e.a.class(b.Cond).uniform() {
		e.op(Inst{Op: OpIf, Args: []Reg{e.scalar(b.Cond)}})
		r.edge(b.Succs[0], mask)
		e.op(Inst{Op: OpElse})
		r.edge(b.Succs[1], mask)
		e.op(Inst{Op: OpEnd})
		return
	}
	t := e.vectorType(Bool)
	taken := e.compute(t, OpAnd, 0, mask, e.vector(b.Cond))
	r.edge(b.Succs[0], taken)
	r.edge(b.Succs[1], e.compute(t, OpXor, 0, mask, taken))
}

func (r *region) fan(b *Block, mask Reg) {
	e := r.e
	t := e.vectorType(Bool)
	var value Reg
	if c := e.a.class(b.Cond); c.Level == Varying {
		value = e.vector(b.Cond)
	} else {
		in := e.spreadInst(e.scalar(b.Cond), c)
		value = e.newReg(e.vectorType(b.Cond.Kind))
		e.to(value, in)
	}
	for i, c := range b.Cases {
		is := e.compute(t, OpEq, 0, value, e.compute(e.vectorType(b.Cond.Kind), OpConst, c))
		taken := e.compute(t, OpAnd, 0, mask, is)
		r.edge(b.Succs[i], taken)
		mask = e.compute(t, OpXor, 0, mask, taken)
	}
	r.edge(b.Succs[len(b.Succs)-1], mask)
}

// loop emits a loop: as control flow under one mask if all lanes leave it
// together, else until no lane is left.
func (r *region) loop(l *loop) error {
	mask := r.masks[l.header]
	r.guard(mask)
	done, err := r.together(l, mask)
	if err != nil {
		return err
	}
	if !done {
		label := r.e.newLabel()
		r.e.op(Inst{Op: OpLoop, Imm: uint64(label)})
		if err := r.sequence(l); err != nil {
			return err
		}
		r.e.op(Inst{Op: OpTick})
		again := r.e.compute(scalarType(Bool), OpAny, 0, mask)
		r.e.op(Inst{Op: OpBrIf, Args: []Reg{again}, Imm: uint64(label)})
		r.e.op(Inst{Op: OpEnd})
	}
	r.e.op(Inst{Op: OpEnd})
	return nil
}

// together emits a loop as a part of its own, if its lanes stay together.
func (r *region) together(l *loop, mask Reg) (bool, error) {
	within := map[*Block]bool{}
	for n := range l.nodes {
		within[r.p.blocks[n]] = true
	}
	inner := newPart(r.p.blocks[l.header], within)
	for _, m := range r.e.maskedPieces(inner) {
		if m.exit == len(inner.blocks) {
			return false, nil
		}
	}
	e := r.e
	inner.mask = e.compute(e.vectorType(Bool), OpCopy, 0, mask)
	e.to(mask, Inst{Op: OpConst, Imm: 0})
	label := e.newLabel()
	inner.leave = func(to *Block) {
		if to != nil {
			r.edge(to, inner.mask)
		}
		e.op(Inst{Op: OpBr, Imm: uint64(label)})
	}
	e.op(Inst{Op: OpBlock, Imm: uint64(label)})
	err := e.emitPart(inner)
	e.op(Inst{Op: OpEnd})
	return true, err
}
