package lanes

// Branches whose condition varies, taken by control flow where the lanes agree:
// at the edge of an image or in the last turn of a tree they differ, elsewhere
// they rarely do. A masked piece that starts with such a branch has three forms:
// the way of one successor for all lanes, that of the other, and the masked one.

// maxConverging is the number of instructions beyond which pieces have the masked
// form alone: each level of branches within branches adds the code once more.
const maxConverging = 8000

// canConverge tells of pieces whose entry is not reached again, and whose branch
// can be taken by control flow.
func (e *emitter) canConverge(p *part, m *masked) bool {
	b := p.blocks[m.entry]
	if e.width == 1 || len(e.c.Insts) > maxConverging || b.Term == Switch || b.Term == Barrier {
		return false
	}
	for _, from := range p.graph.preds[m.entry] {
		if m.nodes[from] {
			return false
		}
	}
	return true
}

// emitPiece emits a masked piece of a part.
func (e *emitter) emitPiece(p *part, m *masked) error {
	if !e.canConverge(p, m) {
		return e.emitMasked(p, m, false)
	}
	b := p.blocks[m.entry]
	if err := e.emitValues(b, p.mask); err != nil {
		return err
	}
	done := e.newLabel()
	e.emitOnly(Inst{Op: OpBlock, Imm: uint64(done)})
	if err := e.emitWays(p, m, done); err != nil {
		return err
	}
	e.emitOnly(Inst{Op: OpEnd})
	return nil
}

// emitWays emits the ways out of the entry of a piece, whose values are there.
func (e *emitter) emitWays(p *part, m *masked, done int) error {
	b := p.blocks[m.entry]
	switch {
	case len(b.Succs) == 1 || len(b.Succs) == 2 && b.Succs[0] == b.Succs[1]:
		return e.emitWay(p, m, b.Succs[0], done)
	case e.a.classOf(b.Cond).isUniform():
		if err := e.emitWayIf(e.scalarOf(b.Cond), p, m, b.Succs[0], done); err != nil {
			return err
		}
		return e.emitWay(p, m, b.Succs[1], done)
	}
	all, none := e.agreement(b.Cond, p.mask)
	if err := e.emitWayIf(none, p, m, b.Succs[1], done); err != nil {
		return err
	}
	if err := e.emitWayIf(all, p, m, b.Succs[0], done); err != nil {
		return err
	}
	return e.emitMasked(p, m, true)
}

func (e *emitter) emitWayIf(holds Reg, p *part, m *masked, from *Block, done int) error {
	e.emitOnly(Inst{Op: OpIf, Args: []Reg{holds}})
	if err := e.emitWay(p, m, from, done); err != nil {
		return err
	}
	e.emitOnly(Inst{Op: OpEnd})
	return nil
}

// agreement is whether a condition holds in all lanes of a mask, and in none.
func (e *emitter) agreement(cond *Value, mask Reg) (all, none Reg) {
	v := e.vectorOf(cond)
	t, flag := e.vectorType(Bool), scalarType(Bool)
	if mask == NoReg {
		return e.emitNew(flag, OpAll, 0, v), e.invertFlag(e.emitNew(flag, OpAny, 0, v))
	}
	taken := e.emitNew(t, OpAnd, 0, v, mask)
	left := e.emitNew(t, OpXor, 0, taken, mask)
	return e.invertFlag(e.emitNew(flag, OpAny, 0, left)), e.invertFlag(e.emitNew(flag, OpAny, 0, taken))
}

// emitWay emits the blocks of a piece from one successor of its entry on, up to
// the exit: all ways out of a piece lead there.
func (e *emitter) emitWay(p *part, m *masked, from *Block, done int) error {
	leave := func(*Block) { e.emitOnly(Inst{Op: OpBr, Imm: uint64(done)}) }
	n, ok := p.index[from]
	if !ok || n == m.exit {
		leave(from)
		return nil
	}
	within := map[*Block]bool{}
	for n := range m.nodes {
		within[p.blocks[n]] = n != m.entry
	}
	way := newPart(from, within)
	way.mask, way.leave = p.mask, leave
	return e.emitPart(way)
}
