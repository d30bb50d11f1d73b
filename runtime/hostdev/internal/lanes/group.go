package lanes

import (
	"maps"
	"slices"
)

// The loops around the work-items, and the split at barriers.

// Compile makes code for steps of a width: 1, or 4 and more. The function was
// finished. The work-items that are left at the end of a row take steps of one,
// unless whole is set: then there must be none, and a step is a sub-group.
func Compile(f *Function, width int, whole bool) (*Code, error) {
	c := &Code{Name: f.Name, Width: width, PrivateSize: f.PrivateSize, FrameSize: f.FrameSize, ScratchSize: f.ScratchSize}
	for range NumParams {
		c.Regs = append(c.Regs, scalarType(I32))
	}
	d := &driver{f: f, c: c, shared: newShared(f)}
	for _, w := range []int{width, 1} {
		a, err := analyse(f, d.shared.hoist, w)
		if err != nil {
			return nil, err
		}
		if w > 1 {
			if err := a.suitsLanes(); err != nil {
				return nil, err
			}
		}
		d.emitters = append(d.emitters, newEmitter(f, a, c, d.shared, &d.labels))
		if width == 1 || whole {
			break
		}
	}
	return c, d.run()
}

// suitsLanes refuses loops that lanes leave at different times and that hold
// atomic operations: one lane may wait there for an act of another one after
// the loop.
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
}

// slot is a value or a register that has a slot in the memory of each
// work-item.
type slot struct {
	v *Value
	r *Register
}

type liveSet map[slot]bool

func (d *driver) run() error {
	e := d.emitters[len(d.emitters)-1]
	if err := d.split(); err != nil {
		return err
	}
	d.arguments()
	index := e.compute(scalarType(I32), OpCopy, 0, 1)
	done, again := e.newLabel(), e.newLabel()
	e.op(Inst{Op: OpBlock, Imm: uint64(done)})
	e.op(Inst{Op: OpLoop, Imm: uint64(again)})
	more := e.compute(scalarType(Bool), OpULt, 0, index, 2)
	e.op(Inst{Op: OpBrIf, Args: []Reg{e.not(more)}, Imm: uint64(done)})
	e.setRecord(RecordGroup, index)
	d.groupIDs(e, index)
	d.clearLocal(e)
	d.hoist(inGroup)
	for _, e := range d.emitters {
		e.prepareBounds()
	}
	if err := d.group(); err != nil {
		return err
	}
	e.to(index, Inst{Op: OpAdd, Args: []Reg{index, e.constant(I32, 1)}})
	e.op(Inst{Op: OpTick})
	e.op(Inst{Op: OpBr, Imm: uint64(again)})
	e.op(Inst{Op: OpEnd})
	e.op(Inst{Op: OpEnd})
	return nil
}

// arguments loads the launch's arguments, once.
func (d *driver) arguments() {
	for _, v := range d.f.values {
		if v.Op == OpArg {
			r := d.emitters[0].record(v.Kind, v.Imm)
			d.shared.values[v.id] = r
			d.spreadOut(v)
		}
	}
}

func (d *driver) spreadOut(v *Value) {
	for _, e := range d.emitters {
		e.spreadOut(v)
	}
}

func (d *driver) groupIDs(e *emitter, index Reg) {
	t := scalarType(I32)
	nx, ny := e.record(I32, RecordGroups), e.record(I32, RecordGroups+4)
	row := e.compute(t, OpUDiv, 0, index, nx)
	d.shared.group = [3]Reg{
		e.compute(t, OpURem, 0, index, nx),
		e.compute(t, OpURem, 0, row, ny),
		e.compute(t, OpUDiv, 0, row, ny),
	}
}

func (d *driver) clearLocal(e *emitter) {
	room := e.record(I32, RecordRoom)
	e.op(Inst{Op: OpIf, Args: []Reg{e.compute(scalarType(Bool), OpBool, 0, room)}})
	e.op(Inst{Op: OpFill, Args: []Reg{e.record(I32, RecordMemory), room}})
	e.op(Inst{Op: OpEnd})
}

// hoist emits the values of a level.
func (d *driver) hoist(level hoisting) {
	e := d.emitters[0]
	for _, v := range d.f.values {
		if v.Op == OpConst || v.Op == OpArg || d.shared.hoist[v.id] != level {
			continue
		}
		if v.isPure() {
			e.to(e.scalarPlace(v), Inst{Op: v.Op, Args: e.scalarArgs(v), Imm: v.Imm, Off: v.Off})
		}
		d.spreadOut(v)
	}
}

// group emits the run of one work-group.
func (d *driver) group() error {
	if len(d.starts) == 1 {
		return d.items(0)
	}
	e := d.emitters[0]
	d.state = e.newReg(scalarType(I32))
	e.to(d.state, Inst{Op: OpConst, Imm: 0})
	current := e.newReg(scalarType(I32))
	again := e.newLabel()
	e.op(Inst{Op: OpLoop, Imm: uint64(again)})
	e.to(current, Inst{Op: OpCopy, Args: []Reg{d.state}})
	for i := range d.starts {
		is := e.compute(scalarType(Bool), OpEq, 0, current, e.constant(I32, uint64(i)))
		e.op(Inst{Op: OpIf, Args: []Reg{is}})
		if err := d.items(i); err != nil {
			return err
		}
		e.op(Inst{Op: OpEnd})
	}
	e.op(Inst{Op: OpTick})
	more := e.compute(scalarType(Bool), OpNe, 0, d.state, e.constant(I32, uint64(len(d.starts))))
	e.op(Inst{Op: OpBrIf, Args: []Reg{more}, Imm: uint64(again)})
	e.op(Inst{Op: OpEnd})
	return nil
}

// items emits a region for all work-items.
func (d *driver) items(region int) error {
	e := d.emitters[0]
	t := scalarType(I32)
	var size [3]Reg
	for i := range size {
		size[i] = e.record(I32, RecordLocal+4*uint64(i))
	}
	var id [3]Reg
	for i := range id {
		id[i] = e.newReg(t)
	}
	item := e.compute(t, OpConst, 0)
	if len(d.starts) > 1 {
		e.to(d.state, Inst{Op: OpConst, Imm: uint64(^uint32(0))})
	}
	snaps := d.snapshot(region)
	for _, e := range d.emitters {
		e.x, e.y, e.z, e.item = id[0], id[1], id[2], item
	}
	var err error
	d.count(id[2], size[2], 1, func() {
		d.count(id[1], size[1], 1, func() {
			e.setRecord(RecordItem+4, id[1])
			e.setRecord(RecordItem+8, id[2])
			d.hoist(inRow)
			e.to(id[0], Inst{Op: OpConst, Imm: 0})
			for _, step := range d.emitters {
				err = d.row(step, region, size[0], snaps, err)
			}
		})
	})
	return err
}

// count emits a loop of a register from 0 to a limit that is not 0.
func (d *driver) count(r, limit Reg, step uint64, body func()) {
	e := d.emitters[0]
	label := e.newLabel()
	e.to(r, Inst{Op: OpConst, Imm: 0})
	e.op(Inst{Op: OpLoop, Imm: uint64(label)})
	body()
	e.to(r, Inst{Op: OpAdd, Args: []Reg{r, e.constant(I32, step)}})
	more := e.compute(scalarType(Bool), OpULt, 0, r, limit)
	e.op(Inst{Op: OpBrIf, Args: []Reg{more}, Imm: uint64(label)})
	e.op(Inst{Op: OpEnd})
}

// row emits the steps of one width in a row, from where x is.
func (d *driver) row(e *emitter, region int, size Reg, snaps map[Reg]Reg, err error) error {
	if err != nil {
		return err
	}
	t := scalarType(I32)
	width := uint64(e.width)
	end := size
	if width > 1 {
		end = e.compute(t, OpAnd, 0, size, e.constant(I32, uint64(-int64(width))))
	}
	done, again := e.newLabel(), e.newLabel()
	e.op(Inst{Op: OpBlock, Imm: uint64(done)})
	more := e.compute(scalarType(Bool), OpULt, 0, e.x, end)
	e.op(Inst{Op: OpBrIf, Args: []Reg{e.not(more)}, Imm: uint64(done)})
	e.op(Inst{Op: OpLoop, Imm: uint64(again)})
	e.setRecord(RecordItem, e.x)
	for _, to := range slices.Sorted(maps.Keys(snaps)) {
		e.to(to, Inst{Op: OpCopy, Args: []Reg{snaps[to]}})
	}
	if err := d.step(e, region); err != nil {
		return err
	}
	e.to(e.x, Inst{Op: OpAdd, Args: []Reg{e.x, e.constant(I32, width)}})
	if d.c.Items {
		e.to(e.item, Inst{Op: OpAdd, Args: []Reg{e.item, e.constant(I32, width)}})
	}
	more = e.compute(scalarType(Bool), OpULt, 0, e.x, end)
	e.op(Inst{Op: OpBrIf, Args: []Reg{more}, Imm: uint64(again)})
	e.op(Inst{Op: OpEnd})
	e.op(Inst{Op: OpEnd})
	return nil
}

// step emits a region for one step.
func (d *driver) step(e *emitter, region int) error {
	p := newPart(d.starts[region], nil)
	end := e.newLabel()
	var next Reg = NoReg
	if len(d.starts) > 1 {
		next = e.compute(scalarType(I32), OpConst, uint64(len(d.starts)))
	}
	p.leave = func(*Block) { e.op(Inst{Op: OpBr, Imm: uint64(end)}) }
	e.barrier = func(b *Block) {
		to := slices.Index(d.starts, b.Succs[0])
		d.save(e, p, to)
		e.to(next, Inst{Op: OpConst, Imm: uint64(to)})
		e.op(Inst{Op: OpBr, Imm: uint64(end)})
	}
	e.op(Inst{Op: OpBlock, Imm: uint64(end)})
	d.restore(e, region)
	if err := e.emitPart(p); err != nil {
		return err
	}
	e.op(Inst{Op: OpEnd})
	if next != NoReg {
		d.agree(e, next)
	}
	return nil
}

func (e *emitter) reachBarrier(b *Block) { e.barrier(b) }

// agree checks that every step of the group comes to the same barrier.
func (d *driver) agree(e *emitter, next Reg) {
	first := e.compute(scalarType(Bool), OpEq, 0, d.state, e.constant(I32, uint64(^uint32(0))))
	e.op(Inst{Op: OpIf, Args: []Reg{first}})
	e.to(d.state, Inst{Op: OpCopy, Args: []Reg{next}})
	e.op(Inst{Op: OpElse})
	differ := e.compute(scalarType(Bool), OpNe, 0, d.state, next)
	e.op(Inst{Op: OpIf, Args: []Reg{differ}})
	e.setRecord(RecordTrap, e.constant(I32, uint64(TrapBarrier)))
	e.op(Inst{Op: OpTrap, Imm: uint64(TrapBarrier)})
	e.op(Inst{Op: OpEnd})
	e.op(Inst{Op: OpEnd})
}

// The split.

// split finds the regions, and the values that live from one to the next.
func (d *driver) split() error {
	d.starts = []*Block{d.f.Blocks[0]}
	for _, b := range d.f.Blocks {
		if b.Term == Barrier && !slices.Contains(d.starts, b.Succs[0]) {
			d.starts = append(d.starts, b.Succs[0])
		}
	}
	d.live = make([]liveSet, len(d.starts))
	if len(d.starts) == 1 {
		return nil
	}
	d.c.Items = true
	in := d.liveness()
	d.slots = map[slot]int{}
	for i, start := range d.starts[1:] {
		d.live[i+1] = in[start.id]
	}
	for i := range d.starts {
		for _, s := range d.ordered(d.live[i]) {
			if _, ok := d.slots[s]; !ok && d.needsSlot(s) {
				d.slots[s] = d.c.ContextSize
				d.c.ContextSize += 8
			}
		}
	}
	return nil
}

// ordered is a set in the order of the numbers: registers first.
func (d *driver) ordered(set liveSet) []slot {
	var list []slot
	for _, r := range d.f.Regs {
		if set[slot{r: r}] {
			list = append(list, slot{r: r})
		}
	}
	for _, v := range d.f.values {
		if set[slot{v: v}] {
			list = append(list, slot{v: v})
		}
	}
	return list
}

// needsSlot reports values that differ between work-items and are not computed again.
func (d *driver) needsSlot(s slot) bool {
	a := d.emitters[0].a
	if s.r != nil {
		return a.regs[s.r.id].Level > Group
	}
	return a.class(s.v).Level > Group && d.shared.hoist[s.v.id] == inPlace
}

// liveness holds the values that are used after the start of each block before it is defined
// again. Operands of values that are computed again live as well.
func (d *driver) liveness() []liveSet {
	in := make([]liveSet, len(d.f.Blocks))
	for changed := true; changed; {
		changed = false
		for i := len(d.f.Blocks) - 1; i >= 0; i-- {
			set := d.liveBefore(d.f.Blocks[i], in)
			if len(set) != len(in[i]) {
				in[i], changed = set, true
			}
		}
	}
	return in
}

func (d *driver) liveBefore(b *Block, in []liveSet) liveSet {
	set := liveSet{}
	for _, to := range b.Succs {
		maps.Copy(set, in[to.id])
	}
	if b.Cond != nil {
		d.use(set, b.Cond)
	}
	for _, v := range slices.Backward(b.Values) {
		delete(set, slot{v: v})
		if v.Op == OpSet {
			delete(set, slot{r: v.Reg})
		}
		if v.Op == OpGet {
			set[slot{r: v.Reg}] = true
		}
		for _, arg := range v.uses() {
			d.use(set, arg)
		}
	}
	return set
}

func (d *driver) use(set liveSet, v *Value) {
	if v.Op == OpConst || v.Op == OpArg || set[slot{v: v}] {
		return
	}
	set[slot{v: v}] = true
	if d.shared.hoist[v.id] == inItem {
		for _, arg := range v.Args {
			d.use(set, arg)
		}
	}
}

// snapshot keeps values that are the same for the group and that a region both
// needs and sets, so that every step starts with the same.
func (d *driver) snapshot(region int) map[Reg]Reg {
	snaps := map[Reg]Reg{}
	if len(d.starts) == 1 {
		return snaps
	}
	e := d.emitters[0]
	p := newPart(d.starts[region], nil)
	for _, s := range d.ordered(d.live[region]) {
		if _, ok := d.slots[s]; ok || !p.defines(s) || s.v != nil && d.shared.hoist[s.v.id] != inPlace {
			continue
		}
		r := e.registerOf(s)
		snaps[r] = e.compute(scalarType(s.kind()), OpCopy, 0, r)
	}
	return snaps
}

// place is the address of the slot of the step's first work-item: a slot's
// words of all work-items lie side by side.
func (d *driver) place(e *emitter, s slot, size uint32) Reg {
	t := scalarType(I32)
	room := e.constant(I32, uint64(maxItems))
	at := e.record(I32, RecordContext)
	at = e.compute(t, OpAdd, 0, at, e.compute(t, OpMul, 0, room, e.constant(I32, uint64(d.slots[s]))))
	return e.compute(t, OpAdd, 0, at, e.compute(t, OpMul, 0, e.item, e.constant(I32, uint64(size))))
}

// maxItems is the work-items of a work-group.
const maxItems = 1024

// registerOf is the register of a slot in steps of a width.
func (e *emitter) registerOf(s slot) Reg {
	switch {
	case s.r != nil:
		return e.regPlace(s.r)
	case e.a.class(s.v).Level == Varying:
		return e.vectorPlace(s.v)
	}
	return e.scalarPlace(s.v)
}

func (s slot) kind() Kind {
	if s.r != nil {
		return s.r.Kind
	}
	return s.v.Kind
}

func storedKind(k Kind) Kind {
	if k == Bool {
		return I32
	}
	return k
}

// save stores the values that a region has defined and the next one needs.
func (d *driver) save(e *emitter, p *part, to int) {
	for _, s := range d.ordered(d.live[to]) {
		if _, ok := d.slots[s]; !ok || !p.defines(s) {
			continue
		}
		k := storedKind(s.kind())
		v := e.registerOf(s)
		lanes := e.c.Regs[v].Lanes
		if s.kind() == Bool {
			v = e.compute(Type{I32, lanes}, OpInt, 0, v)
		}
		size := kindSize(k)
		e.op(Inst{Op: OpStore, Type: Type{k, lanes}, Args: []Reg{d.place(e, s, size), v}, Imm: uint64(size)})
	}
}

func (p *part) defines(s slot) bool {
	if s.v != nil {
		_, ok := p.index[s.v.Block]
		return ok
	}
	for _, b := range p.blocks {
		for _, v := range b.Values {
			if v.Op == OpSet && v.Reg == s.r {
				return true
			}
		}
	}
	return false
}

// restore loads the values that a region needs, and computes cheap ones again.
func (d *driver) restore(e *emitter, region int) {
	for _, s := range d.ordered(d.live[region]) {
		if _, ok := d.slots[s]; !ok {
			d.again(e, s)
			continue
		}
		k := storedKind(s.kind())
		dst := e.registerOf(s)
		size := kindSize(k)
		in := Inst{Op: OpLoad, Args: []Reg{d.place(e, s, size)}, Imm: uint64(size)}
		if s.kind() == Bool {
			whole := e.newReg(Type{I32, e.c.Regs[dst].Lanes})
			e.to(whole, in)
			in = Inst{Op: OpBool, Args: []Reg{whole}}
		}
		e.to(dst, in)
		if s.v != nil && e.a.class(s.v).Level != Varying {
			e.spreadOut(s.v)
		}
	}
}

func (d *driver) again(e *emitter, s slot) {
	switch {
	case s.v == nil:
	case d.shared.hoist[s.v.id] == inItem:
		e.value(s.v, NoReg)
	case d.shared.hoist[s.v.id] == inPlace: // of the group, but a vector of each width
		e.spreadOut(s.v)
	}
}
