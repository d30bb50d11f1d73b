package lanes

import (
	"maps"
	"slices"
)

// A kernel is split at its barriers. The values that a part needs of an earlier one are kept
// in slots, one for each work-item.

// splitAtBarriers finds the regions, and the values that live from one to the next.
// Those get slots in the memory of each work-item: eight bytes, whatever their
// kind, as few values live across a barrier.
func (d *driver) splitAtBarriers() error {
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
	in := d.liveSlots()
	d.slots = map[slot]int{}
	for i, start := range d.starts[1:] {
		d.live[i+1] = in[start.id]
	}
	for i := range d.starts {
		for _, s := range d.orderedSlots(d.live[i]) {
			if _, ok := d.slots[s]; !ok && d.needsSlot(s) {
				d.slots[s] = d.c.ContextSize
				d.c.ContextSize += 8
			}
		}
	}
	return nil
}

// orderedSlots lists a set by number, registers first. The order decides the code, which
// must be the same in each run, as compiled code is kept under its digest.
func (d *driver) orderedSlots(set liveSet) []slot {
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
	return a.classOf(s.v).Level > Group && d.shared.hoist[s.v.id] == inPlace
}

// liveSlots returns, for each block, the values and registers that are live at its start:
// used later, before they are defined again. Sets only grow, which ends the rounds, so a
// set that has kept its size has not changed.
func (d *driver) liveSlots() []liveSet {
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

// liveBefore walks a block from its end: a definition ends the life of a value, and
// a use begins it.
func (d *driver) liveBefore(b *Block, in []liveSet) liveSet {
	set := liveSet{}
	for _, to := range b.Succs {
		maps.Copy(set, in[to.id])
	}
	if b.Cond != nil {
		d.useSlot(set, b.Cond)
	}
	for _, v := range slices.Backward(b.Values) {
		delete(set, slot{v: v})
		if v.Op == OpSet {
			delete(set, slot{r: v.Reg})
		}
		if v.Op == OpGet {
			set[slot{r: v.Reg}] = true
		}
		for _, arg := range v.operandsOf() {
			d.useSlot(set, arg)
		}
	}
	return set
}

// useSlot adds a value that is used. The operands of one that is computed again at
// its use live in its place.
func (d *driver) useSlot(set liveSet, v *Value) {
	if v.Op == OpConst || v.Op == OpArg || set[slot{v: v}] {
		return
	}
	set[slot{v: v}] = true
	if d.shared.hoist[v.id] == inItem {
		for _, arg := range v.Args {
			d.useSlot(set, arg)
		}
	}
}

// snapshotUniform keeps values that are the same for the group and that a region both
// needs and sets, so that every step starts with the same.
func (d *driver) snapshotUniform(region int) map[Reg]Reg {
	snaps := map[Reg]Reg{}
	if len(d.starts) == 1 {
		return snaps
	}
	e := d.emitters[0]
	p := newPart(d.starts[region], nil)
	for _, s := range d.orderedSlots(d.live[region]) {
		if _, ok := d.slots[s]; ok || !p.definesSlot(s) || s.v != nil && d.shared.hoist[s.v.id] != inPlace {
			continue
		}
		r := e.registerOf(s)
		snaps[r] = e.emitNew(scalarType(s.slotKind()), OpCopy, 0, r)
	}
	return snaps
}

// slotPlace is the address of the slot of the step's first work-item: a slot's
// words of all work-items lie side by side.
func (d *driver) slotPlace(e *emitter, s slot, size uint32) Reg {
	return d.itemPlace(e, d.slots[s], size)
}

// itemPlace is the address of the words of the step's first work-item, size bytes each, in the
// array at an offset of the context of one work-item.
func (d *driver) itemPlace(e *emitter, offset int, size uint32) Reg {
	t := scalarType(I32)
	at := d.contextPlace(e, offset)
	return e.emitNew(t, OpAdd, 0, at, e.emitNew(t, OpMul, 0, e.item, e.constantReg(I32, uint64(size))))
}

// contextPlace is the address of that array.
func (d *driver) contextPlace(e *emitter, offset int) Reg {
	t := scalarType(I32)
	room := e.constantReg(I32, uint64(MaxItems))
	at := e.loadRecord(I32, RecordContext)
	return e.emitNew(t, OpAdd, 0, at, e.emitNew(t, OpMul, 0, room, e.constantReg(I32, uint64(offset))))
}

// MaxItems is the most work-items of a work-group, for which the slots have room.
const MaxItems = 8192

// registerOf is the register of a slot in steps of a width.
func (e *emitter) registerOf(s slot) Reg {
	switch {
	case s.r != nil:
		return e.regPlace(s.r)
	case e.a.classOf(s.v).Level == Varying:
		return e.vectorPlace(s.v)
	}
	return e.scalarPlace(s.v)
}

// slotKind is the kind of the value or register.
func (s slot) slotKind() Kind {
	if s.r != nil {
		return s.r.Kind
	}
	return s.v.Kind
}

// storedKind is the kind of a value in memory, where a flag takes a word.
func storedKind(k Kind) Kind {
	if k == Bool {
		return I32
	}
	return k
}

// saveSlots stores the values that a region has defined and the next one needs.
func (d *driver) saveSlots(e *emitter, p *part, to int) {
	for _, s := range d.orderedSlots(d.live[to]) {
		if _, ok := d.slots[s]; !ok || !p.definesSlot(s) {
			continue
		}
		k := storedKind(s.slotKind())
		v := e.registerOf(s)
		lanes := e.c.Regs[v].Lanes
		if s.slotKind() == Bool {
			v = e.emitNew(Type{I32, lanes}, OpInt, 0, v)
		}
		size := kindSize(k)
		e.emitOnly(Inst{Op: OpStore, Type: Type{k, lanes}, Args: []Reg{d.slotPlace(e, s, size), v}, Imm: uint64(size)})
	}
}

// definesSlot reports whether the part computes the value or sets the register:
// others have not changed since they were stored.
func (p *part) definesSlot(s slot) bool {
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

// restoreSlots loads the values that a region needs, and computes cheap ones again.
func (d *driver) restoreSlots(e *emitter, region int) {
	for _, s := range d.orderedSlots(d.live[region]) {
		if _, ok := d.slots[s]; !ok {
			d.computeAgain(e, s)
			continue
		}
		k := storedKind(s.slotKind())
		dst := e.registerOf(s)
		size := kindSize(k)
		in := Inst{Op: OpLoad, Args: []Reg{d.slotPlace(e, s, size)}, Imm: uint64(size)}
		if s.slotKind() == Bool {
			whole := e.newReg(Type{I32, e.c.Regs[dst].Lanes})
			e.emitTo(whole, in)
			in = Inst{Op: OpBool, Args: []Reg{whole}}
		}
		e.emitTo(dst, in)
		if s.v != nil && e.a.classOf(s.v).Level != Varying {
			e.spreadOut(s.v)
		}
	}
}

// computeAgain makes a value without a slot: from the work-item's number, or as the
// vector of a number that all share.
func (d *driver) computeAgain(e *emitter, s slot) {
	switch {
	case s.v == nil:
	case d.shared.hoist[s.v.id] == inItem:
		e.emitValue(s.v, NoReg)
	case d.shared.hoist[s.v.id] == inPlace: // of the group, but a vector of each width
		e.spreadOut(s.v)
	}
}
