package lanes

// Operations of the work-items of a step together, which are a sub-group.

// amongLanes emits an operation on the lanes of a step. OpFromLane takes the value of its
// lane whether or not that is active.
func (e *emitter) amongLanes(v *Value, mask Reg) {
	switch v.Op {
	case OpFromLane:
		e.emitTo(e.scalarPlace(v), Inst{Op: OpCopy, Args: []Reg{e.laneOf(v.Args[0], int(v.Imm))}})
	case OpActive:
		e.emitTo(e.scalarPlace(v), Inst{Op: OpCopy, Args: []Reg{e.activeBits(mask)}})
	case OpTogether:
		e.stopUnlessAll(v, mask)
	case OpToLane:
		e.toLane(v, mask)
	case OpShuffle:
		e.shuffleLanes(v, mask)
	case OpFirst:
		e.emitTo(e.scalarPlace(v), Inst{Op: OpCopy, Args: []Reg{e.firstLane(v.Args[0], mask)}})
	}
}

// trapIf stops where a condition holds in a lane of the mask, and notes which lanes these are.
func (e *emitter) trapIf(v *Value, mask Reg) {
	flag, t := scalarType(Bool), scalarType(I32)
	var bad, lanes Reg
	switch cond := v.Args[0]; {
	case e.width == 1 || e.a.classOf(cond).isUniform() && mask == NoReg:
		bad, lanes = e.scalarOf(cond), e.constantReg(I32, 1)
	case e.a.classOf(cond).isUniform():
		bad = e.emitNew(flag, OpAnd, 0, e.scalarOf(cond), e.emitNew(flag, OpAny, 0, mask))
		lanes = e.emitNew(t, OpBits, 0, mask)
	default:
		held := e.inLanes(cond)
		if mask != NoReg {
			held = e.emitNew(e.vectorType(Bool), OpAnd, 0, held, mask)
		}
		bad, lanes = e.emitNew(flag, OpAny, 0, held), e.emitNew(t, OpBits, 0, held)
	}
	e.emitOnly(Inst{Op: OpIf, Args: []Reg{bad}})
	e.setRecord(FaultLanes, lanes)
	e.setRecord(RecordTrap, e.constantReg(I32, v.Imm))
	e.noteSite(v)
	e.emitOnly(Inst{Op: OpTrap, Imm: v.Imm})
	e.emitOnly(Inst{Op: OpEnd})
}

// firstLane is the value that a lane of the mask has, by way of memory as the lane is not
// known when the code is made.
func (e *emitter) firstLane(v *Value, mask Reg) Reg {
	if e.width == 1 || e.a.classOf(v).isUniform() {
		return e.scalarOf(v)
	}
	whole, k, t := e.inLanes(v), storedKind(v.Kind), scalarType(I32)
	if v.Kind == Bool {
		whole = e.emitNew(e.vectorType(I32), OpInt, 0, whole)
	}
	words, size := e.loadRecord(I32, RecordCall), uint64(kindSize(k))
	e.emitOnly(Inst{Op: OpStore, Type: e.vectorType(k), Args: []Reg{words, whole}, Imm: size})
	lane := e.emitNew(t, OpCtz, 0, e.activeBits(mask))
	at := e.emitNew(t, OpAdd, 0, words, e.emitNew(t, OpMul, 0, lane, e.constantReg(I32, size)))
	r := e.newReg(scalarType(k))
	e.emitTo(r, Inst{Op: OpLoad, Args: []Reg{at}, Imm: size})
	if v.Kind == Bool {
		return e.emitNew(scalarType(Bool), OpBool, 0, r)
	}
	return r
}

// activeBits is the bits of the lanes of a mask.
func (e *emitter) activeBits(mask Reg) Reg {
	if mask == NoReg {
		return e.constantReg(I32, uint64(uint32(1<<e.width-1)))
	}
	return e.emitNew(scalarType(I32), OpBits, 0, mask)
}

// stopUnlessAll traps unless the mask has all lanes of the sub-group.
func (e *emitter) stopUnlessAll(v *Value, mask Reg) {
	if mask == NoReg {
		return
	}
	all := e.emitNew(scalarType(Bool), OpAll, 0, mask)
	e.emitOnly(Inst{Op: OpIf, Args: []Reg{e.invertFlag(all)}})
	e.setRecord(RecordTrap, e.constantReg(I32, uint64(TrapSubgroup)))
	e.noteSite(v)
	e.emitOnly(Inst{Op: OpTrap, Imm: uint64(TrapSubgroup)})
	e.emitOnly(Inst{Op: OpEnd})
}

func (e *emitter) toLane(v *Value, mask Reg) {
	if e.width == 1 {
		e.emitTo(e.scalarPlace(v), Inst{Op: OpCopy, Args: []Reg{e.scalarOf(v.Args[1])}})
		return
	}
	e.keepLanes(v, mask, Inst{Op: OpInsert, Args: []Reg{e.inLanes(v.Args[0]), e.laneOf(v.Args[1], int(v.Imm))}, Imm: v.Imm})
}

// shuffleLanes goes through memory: each lane loads the value that another one has stored.
// A lane that reads from one that does not exist or is not active gets its own value.
func (e *emitter) shuffleLanes(v *Value, mask Reg) {
	from, lane := v.Args[0], v.Args[1]
	if e.width == 1 {
		e.emitTo(e.scalarPlace(v), Inst{Op: OpCopy, Args: []Reg{e.scalarOf(from)}})
		return
	}
	t := scalarType(I32)
	words, active := e.loadRecord(I32, RecordCall), e.activeBits(mask)
	k := storedKind(v.Kind)
	whole := e.inLanes(from)
	if v.Kind == Bool {
		whole = e.emitNew(e.vectorType(I32), OpInt, 0, whole)
	}
	size := kindSize(k)
	e.emitOnly(Inst{Op: OpStore, Type: e.vectorType(k), Args: []Reg{words, whole}, Imm: uint64(size)})
	e.eachLane(v, mask, func(l int) Reg {
		own := e.constantReg(I32, uint64(l))
		n := e.laneOf(lane, l)
		there := e.emitNew(t, OpAnd, 0, e.emitNew(t, OpLShr, 0, active, n), e.constantReg(I32, 1))
		there = e.emitNew(scalarType(Bool), OpBool, 0, there)
		// The shift takes n modulo 32, so that larger numbers must be left out apart.
		within := e.emitNew(scalarType(Bool), OpULt, 0, n, e.constantReg(I32, uint64(e.width)))
		n = e.emitNew(t, OpSelect, 0, e.emitNew(scalarType(Bool), OpAnd, 0, there, within), n, own)
		at := e.emitNew(t, OpAdd, 0, words, e.emitNew(t, OpMul, 0, n, e.constantReg(I32, uint64(size))))
		r := e.newReg(scalarType(k))
		e.emitTo(r, Inst{Op: OpLoad, Args: []Reg{at}, Imm: uint64(size)})
		if v.Kind == Bool {
			return e.emitNew(scalarType(Bool), OpBool, 0, r)
		}
		return r
	})
}
