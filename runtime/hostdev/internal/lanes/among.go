package lanes

// Operations of the work-items of a step together, which are a sub-group.

func (e *emitter) amongLanes(v *Value, mask Reg) {
	switch v.Op {
	case OpFromLane:
		e.to(e.scalarPlace(v), Inst{Op: OpCopy, Args: []Reg{e.lane(v.Args[0], int(v.Imm))}})
	case OpActive:
		e.to(e.scalarPlace(v), Inst{Op: OpCopy, Args: []Reg{e.active(mask)}})
	case OpTogether:
		e.stopUnlessAll(v, mask)
	case OpToLane:
		e.toLane(v, mask)
	case OpShuffle:
		e.shuffle(v, mask)
	}
}

// active is the bits of the lanes of a mask.
func (e *emitter) active(mask Reg) Reg {
	if mask == NoReg {
		return e.constant(I32, uint64(uint32(1<<e.width-1)))
	}
	return e.compute(scalarType(I32), OpBits, 0, mask)
}

func (e *emitter) stopUnlessAll(v *Value, mask Reg) {
	if mask == NoReg {
		return
	}
	all := e.compute(scalarType(Bool), OpAll, 0, mask)
	e.op(Inst{Op: OpIf, Args: []Reg{e.not(all)}})
	e.setRecord(RecordTrap, e.constant(I32, uint64(TrapSubgroup)))
	e.site(v)
	e.op(Inst{Op: OpTrap, Imm: uint64(TrapSubgroup)})
	e.op(Inst{Op: OpEnd})
}

func (e *emitter) toLane(v *Value, mask Reg) {
	if e.width == 1 {
		e.to(e.scalarPlace(v), Inst{Op: OpCopy, Args: []Reg{e.scalar(v.Args[1])}})
		return
	}
	e.keep(v, mask, Inst{Op: OpInsert, Args: []Reg{e.inLanes(v.Args[0]), e.lane(v.Args[1], int(v.Imm))}, Imm: v.Imm})
}

// shuffle goes through memory: each lane loads the value that another one has stored.
func (e *emitter) shuffle(v *Value, mask Reg) {
	from, lane := v.Args[0], v.Args[1]
	if e.width == 1 {
		e.to(e.scalarPlace(v), Inst{Op: OpCopy, Args: []Reg{e.scalar(from)}})
		return
	}
	t := scalarType(I32)
	words, active := e.record(I32, RecordCall), e.active(mask)
	k := storedKind(v.Kind)
	whole := e.inLanes(from)
	if v.Kind == Bool {
		whole = e.compute(e.vectorType(I32), OpInt, 0, whole)
	}
	size := kindSize(k)
	e.op(Inst{Op: OpStore, Type: e.vectorType(k), Args: []Reg{words, whole}, Imm: uint64(size)})
	e.eachLane(v, mask, false, func(l int) Reg {
		own := e.constant(I32, uint64(l))
		n := e.lane(lane, l)
		there := e.compute(t, OpAnd, 0, e.compute(t, OpLShr, 0, active, n), e.constant(I32, 1))
		there = e.compute(scalarType(Bool), OpBool, 0, there)
		within := e.compute(scalarType(Bool), OpULt, 0, n, e.constant(I32, uint64(e.width)))
		n = e.compute(t, OpSelect, 0, e.compute(scalarType(Bool), OpAnd, 0, there, within), n, own)
		at := e.compute(t, OpAdd, 0, words, e.compute(t, OpMul, 0, n, e.constant(I32, uint64(size))))
		r := e.newReg(scalarType(k))
		e.to(r, Inst{Op: OpLoad, Args: []Reg{at}, Imm: uint64(size)})
		if v.Kind == Bool {
			return e.compute(scalarType(Bool), OpBool, 0, r)
		}
		return r
	})
}
