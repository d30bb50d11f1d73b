package lanes

import "slices"

// Work-items that end before a barrier that others of their group reach:
//
//	if (get_global_id(0) >= n) return;
//	...
//	barrier(CLK_LOCAL_MEM_FENCE);
//
// OpenCL and SYCL leave that undefined, and GPUs go on without those that have ended, on
// which programs rely that were written for one. Kernels in which it may happen have a flag
// for each work-item that has ended, and the regions after the barrier leave it out. A
// value that the analysis calls the same for the group is so after a step that ends early
// too: values that such a step could change, in loops and where ways meet, have slots.

// ended is the state of such a kernel.
type ended struct {
	some Reg // whether a work-item of the group has ended
	at   int // the offset of the flags, a word each
}

// endsApart tells whether some work-items may end in a region and others come to a barrier.
func (d *driver) endsApart(e *emitter, p *part) bool {
	return slices.ContainsFunc(p.blocks, func(b *Block) bool { return b.Term == Barrier }) && !d.endsTogether(e, p)
}

// prepareEnded makes room for the flags, if a region needs them.
func (d *driver) prepareEnded() {
	needed := slices.ContainsFunc(d.emitters, func(e *emitter) bool {
		return slices.ContainsFunc(d.starts, func(start *Block) bool { return d.endsApart(e, newPart(start, nil)) })
	})
	if needed {
		d.ended = &ended{some: d.emitters[0].newReg(scalarType(I32)), at: d.c.ContextSize}
		d.c.ContextSize += 8
	}
}

// beginGroup emits the state of a group of which no work-item has ended.
func (d *driver) beginGroup(e *emitter) {
	if d.ended != nil {
		e.emitTo(d.ended.some, Inst{Op: OpConst, Imm: 0})
	}
}

// unlessEnded emits a step of a region for work-items that have not ended: all of a step have,
// or none. Barriers of functions of the group need all.
func (d *driver) unlessEnded(e *emitter, region int, step func() error) error {
	if d.ended == nil || region == 0 {
		return step()
	}
	label := e.newLabel()
	e.emitOnly(Inst{Op: OpBlock, Imm: uint64(label)})
	e.emitOnly(Inst{Op: OpIf, Args: []Reg{e.emitNew(scalarType(Bool), OpBool, 0, d.ended.some)}})
	word := e.newReg(scalarType(I32))
	e.emitTo(word, Inst{Op: OpLoad, Args: []Reg{d.itemPlace(e, d.ended.at, 4)}, Imm: 4})
	e.emitOnly(Inst{Op: OpBrIf, Args: []Reg{e.emitNew(scalarType(Bool), OpBool, 0, word)}, Imm: uint64(label)})
	if d.needsAll(region) {
		e.trapAtBarrier()
	}
	e.emitOnly(Inst{Op: OpEnd})
	err := step()
	e.emitOnly(Inst{Op: OpEnd})
	return err
}

// needsAll tells whether a barrier before a region needs all work-items of the group.
func (d *driver) needsAll(region int) bool {
	return slices.ContainsFunc(d.f.Blocks, func(b *Block) bool {
		return b.Term == Barrier && b.Joint && b.Succs[0] == d.starts[region]
	})
}

// noteEnded emits the end of a step whose next region is none: its work-items have ended.
func (d *driver) noteEnded(e *emitter, next Reg) {
	t := scalarType(I32)
	is := e.emitNew(scalarType(Bool), OpEq, 0, next, e.constantReg(I32, uint64(len(d.starts))))
	e.emitOnly(Inst{Op: OpIf, Args: []Reg{is}})
	none := e.invertFlag(e.emitNew(scalarType(Bool), OpBool, 0, d.ended.some))
	e.emitOnly(Inst{Op: OpIf, Args: []Reg{none}})
	size := e.constantReg(I32, 4)
	for i := range uint64(3) {
		size = e.emitNew(t, OpMul, 0, size, e.loadRecord(I32, RecordLocal+4*i))
	}
	e.emitOnly(Inst{Op: OpFill, Args: []Reg{d.contextPlace(e, d.ended.at), size}})
	e.emitTo(d.ended.some, Inst{Op: OpConst, Imm: 1})
	e.emitOnly(Inst{Op: OpEnd})
	one := e.emitNew(e.vectorType(I32), OpConst, 1)
	e.emitOnly(Inst{Op: OpStore, Type: e.vectorType(I32), Args: []Reg{d.itemPlace(e, d.ended.at, 4), one}, Imm: 4})
	e.emitOnly(Inst{Op: OpEnd})
}
