package lanes

import (
	"errors"
	"maps"
	"slices"
)

// The loops around the work-items.

// Rows are the rows of work-items, along the first dimension of a group, that code runs.
type Rows int

// The kinds of rows.
const (
	AnyRows      Rows = iota // those that are left at the end of a row take steps of one
	WholeSteps               // rows are a multiple of the width: the code is half as long
	SubgroupRows             // as WholeSteps, and a step is a sub-group
)

// Compile makes code for steps of a width: 1, or 4 and more. f must be finished.
//
// Where forms for the ways of branches would make code that takes too long to compile
// further, branches have the masked form alone; ErrUnsupported if that is too long too.
func Compile(f *Function, width int, rows Rows) (*Code, error) {
	if err := f.checkKinds(); err != nil {
		return nil, err
	}
	c, err := compileForms(f, width, rows, true)
	if errors.Is(err, tooManyBranches{}) {
		return compileForms(f, width, rows, false)
	}
	return c, err
}

// compileForms compiles with or without forms for the ways of a branch: see emitPiece.
func compileForms(f *Function, width int, rows Rows, forms bool) (*Code, error) {
	c := &Code{Name: f.Name, Width: width, PrivateSize: f.PrivateSize, FrameSize: f.FrameSize, ScratchSize: f.ScratchSize}
	for range NumParams {
		c.Regs = append(c.Regs, scalarType(I32))
	}
	d := &driver{f: f, c: c, shared: newShared(f)}
	for _, w := range []int{width, 1} {
		a, err := analyseFunction(f, d.shared.hoist, w)
		if err != nil {
			return nil, err
		}
		if w > 1 && rows != SubgroupRows {
			if err := a.suitsLanes(); err != nil {
				return nil, err
			}
		}
		for l, differ := range a.lane.loops {
			c.Diverges = c.Diverges || differ && l != nil && !l.takesTurns(f)
		}
		e := newEmitter(f, a, c, d.shared, &d.labels)
		e.limited, e.forms = width > 1 && rows != SubgroupRows, forms
		d.emitters = append(d.emitters, e)
		if width == 1 || rows != AnyRows {
			break
		}
	}
	return c, d.runGroups()
}

// suitsLanes refuses loops that lanes leave at different times and that hold
// atomic operations, where lanes are not given: one lane may wait there for an act of
// another one after the loop, and each operation costs as much as in a step of one. For
// sub-groups there is releaseWaiters.
func (a *analysis) suitsLanes() error {
	for _, b := range a.f.Blocks {
		for _, v := range b.Values {
			if v.Op != OpAtomic {
				continue
			}
			for l := a.loop[b.id]; l != nil; l = l.parent {
				if a.lane.loops[l] {
					return Unsupported("an atomic operation in a loop that lanes leave at different times")
				}
			}
		}
	}
	return nil
}

// takesTurns tells whether a loop does the work of a lane at a time: its iterations cost
// the same for few lanes as for many.
func (l *loop) takesTurns(f *Function) bool {
	for n := range l.nodes {
		if f.Blocks[n].Turn {
			return true
		}
	}
	return false
}

// driver emits the function that runs work-groups.
type driver struct {
	f        *Function
	c        *Code
	shared   *shared
	emitters []*emitter // for steps, and for the rest
	labels   int

	starts []*Block // of the regions between barriers
	live   []liveSet
	slots  map[slot]int // offsets of values that live across barriers
	state  Reg          // the next region
	ended  *ended       // nil if no work-item can end before a barrier that others reach
}

// slot is a value or a register that has a slot in the memory of each
// work-item.
type slot struct {
	v *Value
	r *Register
}

type liveSet map[slot]bool

// runGroups emits the loop around the work-groups that one call runs. From outside
// to inside come the launch's arguments, the group, its regions between barriers,
// its rows, and the steps of a row; each value is computed as far out as it is the
// same.
func (d *driver) runGroups() error {
	e := d.emitters[len(d.emitters)-1]
	if err := d.splitAtBarriers(); err != nil {
		return err
	}
	d.prepareEnded()
	for i := range d.shared.item {
		d.shared.item[i] = e.newReg(scalarType(I32))
	}
	d.openTail(e)
	d.loadArguments()
	d.hoistLevel(inLaunch)
	d.prepareBounds(inLaunch)
	// Registers 1 and 2 are the first group and the one after the last: see Code.
	index := e.emitNew(scalarType(I32), OpCopy, 0, 1)
	done, again := e.newLabel(), e.newLabel()
	e.emitOnly(Inst{Op: OpBlock, Imm: uint64(done)})
	e.emitOnly(Inst{Op: OpLoop, Imm: uint64(again)})
	more := e.emitNew(scalarType(Bool), OpULt, 0, index, 2)
	e.emitOnly(Inst{Op: OpBrIf, Args: []Reg{e.invertFlag(more)}, Imm: uint64(done)})
	e.setRecord(RecordGroup, index)
	d.groupIDs(e, index)
	d.clearLocal(e)
	d.hoistLevel(inGroup)
	d.prepareBounds(inGroup)
	if err := d.runGroup(); err != nil {
		return err
	}
	e.emitTo(index, Inst{Op: OpAdd, Args: []Reg{index, e.constantReg(I32, 1)}})
	e.emitTick()
	e.emitOnly(Inst{Op: OpBr, Imm: uint64(again)})
	e.emitOnly(Inst{Op: OpEnd})
	e.emitOnly(Inst{Op: OpEnd})
	d.closeTail(e)
	return nil
}

// loadArguments loads the launch's arguments, once.
func (d *driver) loadArguments() {
	for _, v := range d.f.values {
		if v.Op == OpArg {
			r := d.emitters[0].loadRecord(v.Kind, v.Imm)
			d.shared.values[v.id] = r
			d.spreadOut(v)
		}
	}
}

// spreadOut makes vectors of a value that is the same for all, where steps of a
// width want one.
func (d *driver) spreadOut(v *Value) {
	for _, e := range d.emitters {
		e.spreadOut(v)
	}
}

// prepareBounds computes the numbers of checks that are the same for a launch, or for a group.
func (d *driver) prepareBounds(level hoisting) {
	for _, e := range d.emitters {
		e.prepareBounds(level)
	}
}

// groupIDs takes the number of the group apart; the first dimension runs fastest.
func (d *driver) groupIDs(e *emitter, index Reg) {
	t := scalarType(I32)
	nx, ny := e.loadRecord(I32, RecordGroups), e.loadRecord(I32, RecordGroups+4)
	row := e.emitNew(t, OpUDiv, 0, index, nx)
	d.shared.group = [3]Reg{
		e.emitNew(t, OpURem, 0, index, nx),
		e.emitNew(t, OpURem, 0, row, ny),
		e.emitNew(t, OpUDiv, 0, row, ny),
	}
}

// clearLocal zeroes local memory, so that no group sees data of another, or of
// another launch.
func (d *driver) clearLocal(e *emitter) {
	room := e.loadRecord(I32, RecordRoom)
	e.emitOnly(Inst{Op: OpIf, Args: []Reg{e.emitNew(scalarType(Bool), OpBool, 0, room)}})
	e.emitOnly(Inst{Op: OpFill, Args: []Reg{e.loadRecord(I32, RecordMemory), room}})
	e.emitOnly(Inst{Op: OpEnd})
}

// hoistLevel emits the values of a level, once for the steps of both widths.
func (d *driver) hoistLevel(level hoisting) {
	e := d.emitters[0]
	for _, v := range d.f.values {
		if v.Op == OpConst || v.Op == OpArg || d.shared.hoist[v.id] != level {
			continue
		}
		if v.isPure() {
			e.emitTo(e.scalarPlace(v), Inst{Op: v.Op, Args: e.scalarArgs(v), Imm: v.Imm, Off: v.Off})
		}
		d.spreadOut(v)
	}
}

// runGroup emits the run of one work-group. With barriers it is a machine whose
// states are the regions: each runs for all work-items before the next one starts,
// and the last one that ran has stored the number of the next. One that is past the
// last region ends the group.
func (d *driver) runGroup() error {
	if len(d.starts) == 1 {
		return d.runItems(0)
	}
	e := d.emitters[0]
	d.state = e.newReg(scalarType(I32))
	e.emitTo(d.state, Inst{Op: OpConst, Imm: 0})
	d.beginGroup(e)
	current := e.newReg(scalarType(I32))
	again := e.newLabel()
	e.emitOnly(Inst{Op: OpLoop, Imm: uint64(again)})
	e.emitTo(current, Inst{Op: OpCopy, Args: []Reg{d.state}})
	for i := range d.starts {
		is := e.emitNew(scalarType(Bool), OpEq, 0, current, e.constantReg(I32, uint64(i)))
		e.emitOnly(Inst{Op: OpIf, Args: []Reg{is}})
		if err := d.runItems(i); err != nil {
			return err
		}
		e.emitOnly(Inst{Op: OpEnd})
	}
	e.emitTick()
	more := e.emitNew(scalarType(Bool), OpNe, 0, d.state, e.constantReg(I32, uint64(len(d.starts))))
	e.emitOnly(Inst{Op: OpBrIf, Args: []Reg{more}, Imm: uint64(again)})
	e.emitOnly(Inst{Op: OpEnd})
	return nil
}

// runItems emits a region for all work-items.
func (d *driver) runItems(region int) error {
	e := d.emitters[0]
	t := scalarType(I32)
	var size [3]Reg
	for i := range size {
		size[i] = e.loadRecord(I32, RecordLocal+4*uint64(i))
	}
	id := d.shared.item
	item := e.emitNew(t, OpConst, 0)
	if len(d.starts) > 1 {
		e.emitTo(d.state, Inst{Op: OpConst, Imm: uint64(^uint32(0))})
	}
	snaps := d.snapshotUniform(region)
	for _, e := range d.emitters {
		e.x, e.y, e.z, e.item = id[0], id[1], id[2], item
	}
	d.hoistRegion(region)
	var err error
	d.countTo(id[2], size[2], 1, func() {
		d.countTo(id[1], size[1], 1, func() {
			d.hoistLevel(inRow)
			e.emitTo(id[0], Inst{Op: OpConst, Imm: 0})
			for _, step := range d.emitters {
				err = d.runRow(step, region, size[0], snaps, err)
			}
		})
	})
	return err
}

// hoistRegion moves the values of a region that depend on values of the whole group
// alone before its work-items: such as the numbers of a loop around a barrier, of
// which an optimizer could move nothing out of the loop. The first block of
// the region is the one that every work-item runs.
func (d *driver) hoistRegion(region int) {
	d.shared.inRegion = map[*Value]bool{}
	if len(d.starts) == 1 {
		return
	}
	e := d.emitters[0]
	set := map[*Register]bool{}
	for _, v := range d.starts[region].Values {
		switch {
		case v.Op == OpSet:
			set[v.Reg] = true
		case !d.sameForGroup(v) || d.shared.hoist[v.id] != inPlace:
		case v.Op == OpGet && !set[v.Reg], v.isPure() && d.knownBefore(v, region):
			d.shared.inRegion[v] = true
			e.emitValue(v, NoReg)
			for _, other := range d.emitters[1:] {
				other.spreadOut(v)
			}
		}
	}
}

// sameForGroup reports whether a value is the same for the work-group in steps of each
// width.
func (d *driver) sameForGroup(v *Value) bool {
	for _, e := range d.emitters {
		if e.a.classOf(v).Level != Group {
			return false
		}
	}
	return true
}

// knownBefore tells whether the operands of a value are there before the work-items of
// the region: of those that an earlier region computed, the same for the group.
func (d *driver) knownBefore(v *Value, region int) bool {
	for _, a := range v.Args {
		leaf := a.Op == OpConst || a.Op == OpArg || a.Op == OpGroupID
		earlier := d.live[region][slot{v: a}] && d.sameForGroup(a)
		if !leaf && !earlier && !d.shared.inRegion[a] && d.shared.hoist[a.id] > inGroup {
			return false
		}
	}
	return true
}

// countTo emits a loop of a register from 0 to a limit that is not 0.
func (d *driver) countTo(r, limit Reg, step uint64, body func()) {
	e := d.emitters[0]
	label := e.newLabel()
	e.emitTo(r, Inst{Op: OpConst, Imm: 0})
	e.emitOnly(Inst{Op: OpLoop, Imm: uint64(label)})
	body()
	e.emitTo(r, Inst{Op: OpAdd, Args: []Reg{r, e.constantReg(I32, step)}})
	more := e.emitNew(scalarType(Bool), OpULt, 0, r, limit)
	e.emitOnly(Inst{Op: OpBrIf, Args: []Reg{more}, Imm: uint64(label)})
	e.emitOnly(Inst{Op: OpEnd})
}

// runRow emits the steps of one width in a row, from where x is. Steps of several
// work-items go as far as they fit; those of one take the rest.
func (d *driver) runRow(e *emitter, region int, size Reg, snaps map[Reg]Reg, err error) error {
	if err != nil {
		return err
	}
	t := scalarType(I32)
	width := uint64(e.width)
	end := size
	if width > 1 {
		end = e.emitNew(t, OpAnd, 0, size, e.constantReg(I32, uint64(-int64(width))))
	}
	e.rowEnd = end
	done, again := e.newLabel(), e.newLabel()
	e.emitOnly(Inst{Op: OpBlock, Imm: uint64(done)})
	// There may be no step of this width: the row may be shorter, or have no rest.
	more := e.emitNew(scalarType(Bool), OpULt, 0, e.x, end)
	e.emitOnly(Inst{Op: OpBrIf, Args: []Reg{e.invertFlag(more)}, Imm: uint64(done)})
	e.emitOnly(Inst{Op: OpLoop, Imm: uint64(again)})
	for _, to := range slices.Sorted(maps.Keys(snaps)) {
		e.emitTo(to, Inst{Op: OpCopy, Args: []Reg{snaps[to]}})
	}
	if err := d.unlessEnded(e, region, func() error { return d.runStep(e, region) }); err != nil {
		return err
	}
	e.emitTo(e.x, Inst{Op: OpAdd, Args: []Reg{e.x, e.constantReg(I32, width)}})
	if d.c.Items {
		e.emitTo(e.item, Inst{Op: OpAdd, Args: []Reg{e.item, e.constantReg(I32, width)}})
	}
	more = e.emitNew(scalarType(Bool), OpULt, 0, e.x, end)
	e.emitOnly(Inst{Op: OpBrIf, Args: []Reg{more}, Imm: uint64(again)})
	e.emitOnly(Inst{Op: OpEnd})
	e.emitOnly(Inst{Op: OpEnd})
	return nil
}

// runStep emits a region for one step. Where the work-items may come to different
// barriers, which OpenCL forbids, or end before one, each step notes its own, and
// agreeOnBarrier compares them; where they cannot, the number of the next region is stored
// as it is.
func (d *driver) runStep(e *emitter, region int) error {
	p := newPart(d.starts[region], nil)
	end := e.newLabel()
	var next Reg = NoReg
	together, apart := d.endsTogether(e, p), d.endsApart(e, p)
	e.idle = func(branch, way *Block) bool {
		return together && len(d.starts) > 1 && d.idleBy(e, p, d.starts[region], branch, way)
	}
	e.emitOnly(Inst{Op: OpBlock, Imm: uint64(end)})
	switch {
	case apart:
		next = e.emitNew(scalarType(I32), OpConst, uint64(len(d.starts)))
	case len(d.starts) > 1:
		next = d.state
		e.emitTo(next, Inst{Op: OpConst, Imm: uint64(len(d.starts))})
	}
	p.leave = func(*Block) { e.emitOnly(Inst{Op: OpBr, Imm: uint64(end)}) }
	e.barrier = func(b *Block) {
		to := slices.Index(d.starts, b.Succs[0])
		d.saveSlots(e, p, to)
		e.emitTo(next, Inst{Op: OpConst, Imm: uint64(to)})
		e.emitOnly(Inst{Op: OpBr, Imm: uint64(end)})
	}
	d.restoreSlots(e, region)
	if err := e.emitPart(p); err != nil {
		return err
	}
	e.emitOnly(Inst{Op: OpEnd})
	if apart {
		d.agreeOnBarrier(e, next)
	}
	return nil
}

// endsTogether tells whether all work-items of the group reach the same end of a
// region, as no branch that differs between them leads to it.
func (d *driver) endsTogether(e *emitter, p *part) bool {
	for _, b := range p.blocks {
		if (b.Term == Barrier || b.Term == Return) && e.a.group.blocks[b.id] {
			return false
		}
	}
	return true
}

// reachBarrier emits the end of a step at a barrier, as runStep has set it. After branches that
// differ between lanes the code checks that all lanes of the step are there, as OpenCL demands. A
// step that may be narrower (e.limited) has no such code: one work-item at a time is run instead.
func (e *emitter) reachBarrier(b *Block, mask Reg) error {
	switch {
	case mask == NoReg:
		e.barrier(b)
		return nil
	case e.limited:
		return Unsupported("a barrier where not all work-items of a step come")
	}
	e.emitOnly(Inst{Op: OpIf, Args: []Reg{e.emitNew(scalarType(Bool), OpAll, 0, mask)}})
	e.barrier(b)
	e.emitOnly(Inst{Op: OpElse})
	e.trapAtBarrier()
	e.emitOnly(Inst{Op: OpEnd})
	return nil
}

// trapAtBarrier emits the end of a launch whose work-items do not come to the same barrier.
func (e *emitter) trapAtBarrier() {
	e.noteItem()
	e.setRecord(RecordTrap, e.constantReg(I32, uint64(TrapBarrier)))
	e.emitOnly(Inst{Op: OpTrap, Imm: uint64(TrapBarrier)})
}

// agreeOnBarrier checks that every step of the group comes to the same barrier, or ends. The
// first one finds the state that runItems has set, which is the number of no
// region.
func (d *driver) agreeOnBarrier(e *emitter, next Reg) {
	flag := func(op Op, x Reg, n uint64) Reg { return e.emitNew(scalarType(Bool), op, 0, x, e.constantReg(I32, n)) }
	none := uint64(len(d.starts))
	undecided := e.emitNew(scalarType(Bool), OpOr, 0, flag(OpEq, d.state, uint64(^uint32(0))), flag(OpEq, d.state, none))
	e.emitOnly(Inst{Op: OpIf, Args: []Reg{undecided}})
	e.emitTo(d.state, Inst{Op: OpCopy, Args: []Reg{next}})
	e.emitOnly(Inst{Op: OpElse})
	differ := e.emitNew(scalarType(Bool), OpNe, 0, d.state, next)
	e.emitOnly(Inst{Op: OpIf, Args: []Reg{e.emitNew(scalarType(Bool), OpAnd, 0, differ, flag(OpNe, next, none))}})
	e.trapAtBarrier()
	e.emitOnly(Inst{Op: OpEnd})
	e.emitOnly(Inst{Op: OpEnd})
	d.noteEnded(e, next)
}
