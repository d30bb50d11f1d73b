package lanes

import "slices"

// Branches whose condition varies, taken by control flow where the lanes agree: at the edge
// of an image or in the last iterations of a reduction tree they differ, elsewhere they
// rarely do. A masked piece that starts with such a branch has three forms: the path from
// one successor for all lanes, that from the other, and the masked one.

// maxConverging is the number of instructions beyond which pieces have the masked
// form alone, and the number of values that may have further forms: each level of
// branches within branches adds the code once more, which would be quadratic in
// branches that may each end the work-item.
const maxConverging = 8000

// canConverge reports whether a piece has further forms: its entry must not be reached
// again from inside, and control flow must be able to take its branch. It counts the values
// of such pieces.
func (e *emitter) canConverge(p *part, m *masked) bool {
	b := p.blocks[m.entry]
	if !e.forms || e.width == 1 || len(e.c.Insts) > maxConverging || b.Term == Switch || b.Term == Barrier {
		return false
	}
	for _, from := range p.graph.preds[m.entry] {
		if m.nodes[from] {
			return false
		}
	}
	if slices.ContainsFunc(b.Succs, leadsToTurns) {
		return false
	}
	values := 0
	for n := range m.nodes {
		values += len(p.blocks[n].Values)
	}
	if e.converged+values > maxConverging {
		return false
	}
	e.converged += values
	return true
}

// leadsToTurns tells whether a way of a branch begins with work that is done for a lane at a
// time, which few lanes need.
func leadsToTurns(b *Block) bool {
	if b.Term == Jump {
		b = b.Succs[0]
	}
	return slices.ContainsFunc(b.Values, func(v *Value) bool { return v.Op == OpFirst })
}

// emitPiece emits a masked piece of a part.
func (e *emitter) emitPiece(p *part, m *masked) error {
	if !e.canConverge(p, m) {
		return e.emitMasked(p, m, false)
	}
	b := p.blocks[m.entry]
	if err := e.emitValuesBut(b, p.mask, e.lateCond(b, p.mask)); err != nil {
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
	if late := e.lateCond(b, p.mask); late != nil {
		return e.emitRangeWays(late, p, m, done)
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

// emitRangeWays is emitWays for a condition that the first and the last lane decide.
func (e *emitter) emitRangeWays(cond *Value, p *part, m *masked, done int) error {
	all, none := e.rangeAgreement(cond)
	for i, holds := range []Reg{all, none} {
		if holds == NoReg {
			continue
		}
		b := p.blocks[m.entry]
		to := b.Succs[i]
		e.emitOnly(Inst{Op: OpIf, Args: []Reg{holds}})
		if e.staysSo(cond, i == 0) && e.idle(b, to) {
			e.skipRow(cond)
		}
		if err := e.emitWay(p, m, to, done); err != nil {
			return err
		}
		e.emitOnly(Inst{Op: OpEnd})
	}
	e.emitVarying(cond, NoReg)
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

// Conditions that compare numbers which grow from lane to lane with one that is
// the same for all: the first and the last lane tell whether they agree.

// findLate finds the conditions that nothing but the branch of their block uses.
func (e *emitter) findLate() {
	uses := make([]int, len(e.f.values))
	for _, b := range e.f.Blocks {
		for _, v := range b.Values {
			for _, a := range v.operandsOf() {
				uses[a.id]++
			}
		}
		if b.Cond != nil {
			uses[b.Cond.id]++
		}
	}
	e.late = make([]bool, len(e.f.values))
	for _, b := range e.f.Blocks {
		if v := b.Cond; b.Term == Branch && v.Block == b && uses[v.id] == 1 && e.comparesRange(v) {
			e.late[v.id] = true
		}
	}
}

// comparesRange reports whether a condition compares a number that grows from lane to lane
// with one that is the same for all. A condition that outlives its loop does not count, as
// it must be there as a vector in each iteration.
func (e *emitter) comparesRange(v *Value) bool {
	switch v.Op {
	case OpEq, OpNe, OpULt, OpULe, OpSLt, OpSLe:
		x, y := e.a.classOf(v.Args[0]), e.a.classOf(v.Args[1])
		return e.width > 1 && e.a.classOf(v).Level == Varying && v.Args[0].Kind == I32 && !e.a.outlives[v.id] &&
			(x.Level == Strided && x.Stride > 0 && y.isUniform() || x.isUniform() && y.Level == Strided && y.Stride > 0)
	}
	return false
}

// lateCond is the condition of a block if it is computed where the lanes differ.
func (e *emitter) lateCond(b *Block, mask Reg) *Value {
	if mask == NoReg && b.Cond != nil && e.late[b.Cond.id] {
		return b.Cond
	}
	return nil
}

// rangeAgreement is agreement for such a condition; NoReg for an answer that cannot be.
func (e *emitter) rangeAgreement(v *Value) (all, none Reg) {
	flag := scalarType(Bool)
	x, y := v.Args[0], v.Args[1]
	grows := e.a.classOf(x).Level == Strided
	if !grows {
		x, y = y, x
	}
	first, limit := e.scalarOf(x), e.scalarOf(y)
	last := e.addConst(first, uint32(e.a.classOf(x).Stride)*uint32(e.width-1))
	le, lt := OpULe, OpULt
	if v.Op == OpSLt || v.Op == OpSLe {
		le, lt = OpSLe, OpSLt
	}
	ordered := e.emitNew(flag, le, 0, first, last) // no lane has wrapped round
	both := func(op Op, a, b Reg) Reg { return e.emitNew(flag, OpAnd, 0, ordered, e.emitNew(flag, op, 0, a, b)) }
	switch strict := v.Op == lt; {
	case v.Op == OpEq || v.Op == OpNe:
		outside := e.emitNew(flag, OpOr, 0, e.emitNew(flag, lt, 0, limit, first), e.emitNew(flag, lt, 0, last, limit))
		outside = e.emitNew(flag, OpAnd, 0, ordered, outside)
		if v.Op == OpEq {
			return NoReg, outside
		}
		return outside, NoReg
	case grows && strict: // x < limit
		return both(lt, last, limit), both(le, limit, first)
	case grows: // x <= limit
		return both(le, last, limit), both(lt, limit, first)
	case strict: // limit < x
		return both(lt, limit, first), both(le, last, limit)
	default: // limit <= x
		return both(le, limit, first), both(lt, last, limit)
	}
}

// staysSo reports whether a condition holds, or does not hold, in all further steps of a row
// when it does in one, as the number that grows has passed the other. The bound of the
// stride keeps the growth over a row below 31 bits.
func (e *emitter) staysSo(cond *Value, holds bool) bool {
	if cond.Op == OpEq || cond.Op == OpNe {
		return false
	}
	grows := e.a.classOf(cond.Args[0]).Level == Strided
	x := cond.Args[0]
	if !grows {
		x = cond.Args[1]
	}
	return grows != holds && e.a.classOf(x).Stride < 1<<31/MaxItems
}

// skipRow leaves out the rest of a row: the work-items of its steps do nothing. It
// makes this step the last, unless a lane would come to be beyond the greatest number.
func (e *emitter) skipRow(cond *Value) {
	t, flag := scalarType(I32), scalarType(Bool)
	x := cond.Args[0]
	if e.a.classOf(x).Level != Strided {
		x = cond.Args[1]
	}
	le := OpULe
	if cond.Op == OpSLt || cond.Op == OpSLe {
		le = OpSLe
	}
	first := e.scalarOf(x)
	left := e.emitNew(t, OpSub, 0, e.rowEnd, e.addConst(e.x, uint32(e.width)))
	stride := e.constantReg(I32, uint64(uint32(e.a.classOf(x).Stride)))
	far := e.emitNew(t, OpMul, 0, e.addConst(left, uint32(e.width-1)), stride)
	ordered := e.emitNew(flag, le, 0, first, e.emitNew(t, OpAdd, 0, first, far))
	e.emitOnly(Inst{Op: OpIf, Args: []Reg{ordered}})
	e.emitTo(e.item, Inst{Op: OpAdd, Args: []Reg{e.item, left}})
	e.emitTo(e.x, Inst{Op: OpAdd, Args: []Reg{e.x, left}})
	e.emitOnly(Inst{Op: OpEnd})
}

// idleBy tells whether a step of a region that starts in a block does nothing that another step
// of the group would miss, if its branch takes one way: neither before it nor after.
func (d *driver) idleBy(e *emitter, p *part, start, branch, way *Block) bool {
	leads := p.leadingTo(branch)
	before := func(b *Block) []*Block {
		switch {
		case b == branch:
			return nil
		case b.Cond != nil && e.a.classOf(b.Cond).Level <= Group:
			// All steps come the way that this one came.
			return slices.DeleteFunc(slices.Clone(b.Succs), func(to *Block) bool { return !leads[to] })
		}
		return b.Succs
	}
	after := func(b *Block) []*Block { return b.Succs }
	return d.idleAlong(p, start, before) && d.idleAlong(p, way, after)
}

// leadingTo is the blocks of a part from which another one is reached, with that one.
func (p *part) leadingTo(b *Block) map[*Block]bool {
	leads := map[*Block]bool{b: true}
	work := []int{p.index[b]}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, from := range p.graph.preds[n] {
			if !leads[p.blocks[from]] {
				leads[p.blocks[from]] = true
				work = append(work, from)
			}
		}
	}
	return leads
}

// idleAlong tells whether a step of a region does nothing that another step would miss from a
// block on, along the successors that next gives.
func (d *driver) idleAlong(p *part, from *Block, next func(b *Block) []*Block) bool {
	seen := map[*Block]bool{}
	work := []*Block{from}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if _, ok := p.index[b]; !ok || seen[b] {
			continue
		}
		seen[b] = true
		if slices.ContainsFunc(b.Values, (*Value).mustRun) || b.Term == Barrier && d.savesAny(p, b.Succs[0]) {
			return false
		}
		if b.Term != Barrier {
			work = append(work, next(b)...)
		}
	}
	return true
}

// mustRun reports whether a value does more than compute, or may stop the code.
func (v *Value) mustRun() bool {
	return v.hasEffect() || v.Bounds != nil || v.Op == OpHost || v.Op == OpActive || v.Op == OpShuffle || v.Op == OpFromLane || v.Op == OpFirst
}

// savesAny tells whether a region leaves values of its work-items for the next.
func (d *driver) savesAny(p *part, next *Block) bool {
	for s := range d.live[slices.Index(d.starts, next)] {
		if _, ok := d.slots[s]; ok && p.definesSlot(s) {
			return true
		}
	}
	return false
}
