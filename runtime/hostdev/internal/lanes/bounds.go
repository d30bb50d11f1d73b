package lanes

// Checks of bounds: one compare for a scalar, or for all lanes of a stride.

// boundKey is a number that checks need: the number to take off an address, or
// how large the rest may be.
type boundKey struct {
	v    *Value
	less uint64
	len  bool
}

// accessSize is the bytes of an access of one lane.
func (v *Value) accessSize() uint64 {
	switch v.Op {
	case OpPrivateLoad, OpPrivateStore:
		return 1 // index by index
	case OpAtomic:
		k := v.Kind
		if k == Void {
			k = v.Args[1].Kind
		}
		return uint64(kindSize(k))
	}
	return v.Imm
}

// span is the bytes from the start of the first lane to the end of the last;
// 0 if the lanes do not lie in order.
func (e *emitter) span(v *Value) uint64 {
	c := e.a.class(v.Args[0])
	if e.width > 1 && c.Level == Strided && c.Stride > 0 {
		return v.accessSize() + uint64(c.Stride)*uint64(e.width-1)
	}
	return 0
}

// prepareBounds computes the numbers that are the same for the group.
func (e *emitter) prepareBounds() {
	for _, v := range e.f.values {
		if v.Bounds == nil {
			continue
		}
		keys := []boundKey{{v.Bounds.Base, uint64(v.Off), false}, {v.length(), v.accessSize(), true}}
		if span := e.span(v); span > 0 {
			keys = append(keys, boundKey{v.length(), span, true})
		}
		for _, key := range keys {
			if _, ok := e.bounds[key]; !ok && e.shared.hoist[key.v.id] == inGroup {
				e.bounds[key] = e.boundOf(key)
			}
		}
	}
}

// boundOf is the base less an offset; or how many starts there are for an
// access of so many bytes: 0 if it does not fit.
func (e *emitter) boundOf(key boundKey) Reg {
	if r, ok := e.bounds[key]; ok {
		return r
	}
	return e.boundFrom(key, e.scalar(key.v), func(n uint64) Reg { return e.constant(I32, n) }, 1)
}

// boundVector is boundOf in every lane.
func (e *emitter) boundVector(key boundKey) Reg {
	t := e.vectorType(I32)
	if e.a.class(key.v).uniform() {
		return e.compute(t, OpSplat, 0, e.boundOf(key))
	}
	return e.boundFrom(key, e.inLanes(key.v), func(n uint64) Reg { return e.compute(t, OpConst, n) }, e.width)
}

func (e *emitter) boundFrom(key boundKey, v Reg, constant func(uint64) Reg, lanes int) Reg {
	t := Type{I32, lanes}
	n := constant(key.less)
	rest := e.compute(t, OpSub, 0, v, n)
	if !key.len {
		return rest
	}
	fits := e.compute(Type{Bool, lanes}, OpULe, 0, n, v)
	return e.compute(t, OpSelect, 0, fits, e.compute(t, OpAdd, 0, rest, constant(1)), constant(0))
}

// inLanes is a value as a vector, whether or not it was wanted as one.
func (e *emitter) inLanes(v *Value) Reg {
	c := e.a.class(v)
	if c.Level == Varying || v.Op == OpConst {
		return e.vector(v)
	}
	r := e.newReg(e.vectorType(v.Kind))
	e.to(r, e.spreadInst(e.scalar(v), c))
	return r
}

// uniformBounds tells whether the range is the same for all lanes.
func (e *emitter) uniformBounds(v *Value) bool {
	return e.a.class(v.Bounds.Base).uniform() && e.a.class(v.length()).uniform()
}

// check checks the lanes of a mask.
func (e *emitter) check(v *Value, mask Reg) {
	if v.Bounds == nil {
		return
	}
	uniform := e.uniformBounds(v)
	switch {
	case uniform && e.a.class(v.Args[0]).uniform():
		e.checkSpan(v, 0)
	case uniform && mask == NoReg && e.span(v) > 0:
		e.checkSpan(v, e.span(v))
	default:
		e.checkLanes(v, mask)
	}
}

// checkSpan checks an address that is the same for all lanes, or that of the
// first of lanes in order.
func (e *emitter) checkSpan(v *Value, span uint64) {
	stride := uint64(0)
	if span == 0 {
		span = v.accessSize()
	} else {
		stride = uint64(e.a.class(v.Args[0]).Stride)
	}
	distance := e.compute(scalarType(I32), OpSub, 0, e.scalar(v.Args[0]), e.boundOf(boundKey{v.Bounds.Base, uint64(v.Off), false}))
	bad := e.compute(scalarType(Bool), OpULe, 0, e.boundOf(boundKey{v.length(), span, true}), distance)
	e.op(Inst{Op: OpIf, Args: []Reg{bad}})
	switch {
	case !v.Bounds.Table:
		e.setRecord(FaultDistance, distance)
		e.fault(v, e.constant(I32, stride), e.constant(I32, 0))
	case stride == 0:
		e.checkTable(v, e.scalar(v.Args[0]), e.scalar(v.Bounds.Base), e.constant(I32, 1))
	default:
		at := e.compute(scalarType(I32), OpCopy, 0, e.scalar(v.Args[0]))
		e.countLanes(func(lane Reg) {
			e.checkTable(v, at, e.scalar(v.Bounds.Base), e.bit(lane))
			e.to(at, Inst{Op: OpAdd, Args: []Reg{at, e.constant(I32, stride)}})
		})
	}
	e.op(Inst{Op: OpEnd})
}

// countLanes emits a loop over the lanes of a step.
func (e *emitter) countLanes(body func(lane Reg)) {
	t := scalarType(I32)
	lane := e.newReg(t)
	e.to(lane, Inst{Op: OpConst, Imm: 0})
	again := e.newLabel()
	e.op(Inst{Op: OpLoop, Imm: uint64(again)})
	body(lane)
	e.to(lane, Inst{Op: OpAdd, Args: []Reg{lane, e.constant(I32, 1)}})
	more := e.compute(scalarType(Bool), OpULt, 0, lane, e.constant(I32, uint64(e.width)))
	e.op(Inst{Op: OpBrIf, Args: []Reg{more}, Imm: uint64(again)})
	e.op(Inst{Op: OpEnd})
}

func (e *emitter) bit(lane Reg) Reg {
	return e.compute(scalarType(I32), OpShl, 0, e.constant(I32, 1), lane)
}

// checkLanes checks each lane on its own. Those that are out of bounds leave
// their distances, or addresses and bases, in the memory of calls of the host.
func (e *emitter) checkLanes(v *Value, mask Reg) {
	t := e.vectorType(I32)
	address := e.inLanes(v.Args[0])
	distance := e.compute(t, OpSub, 0, address, e.boundVector(boundKey{v.Bounds.Base, uint64(v.Off), false}))
	limit := e.boundVector(boundKey{v.length(), v.accessSize(), true})
	bad := e.compute(e.vectorType(Bool), OpULe, 0, limit, distance)
	if mask != NoReg {
		bad = e.compute(e.vectorType(Bool), OpAnd, 0, bad, mask)
	}
	e.op(Inst{Op: OpIf, Args: []Reg{e.compute(scalarType(Bool), OpAny, 0, bad)}})
	bits := e.compute(scalarType(I32), OpBits, 0, bad)
	words := e.record(I32, RecordCall)
	keep := func(r Reg, off uint32) {
		e.op(Inst{Op: OpStore, Type: t, Args: []Reg{words, r}, Imm: 4, Off: off})
	}
	if v.Bounds.Table {
		room := uint32(4 * e.width)
		keep(address, 0)
		keep(e.inLanes(v.Bounds.Base), room)
		e.countLanes(func(lane Reg) {
			is := e.compute(scalarType(I32), OpAnd, 0, bits, e.bit(lane))
			e.op(Inst{Op: OpIf, Args: []Reg{e.compute(scalarType(Bool), OpBool, 0, is)}})
			at := e.compute(scalarType(I32), OpAdd, 0, words, e.compute(scalarType(I32), OpShl, 0, lane, e.constant(I32, 2)))
			e.checkTable(v, e.word(at, 0), e.word(at, room), is)
			e.op(Inst{Op: OpEnd})
		})
	} else {
		keep(distance, 0)
		e.fault(v, e.constant(I32, 0), bits)
	}
	e.op(Inst{Op: OpEnd})
}

// word loads 32 bits of memory that is known to be there.
func (e *emitter) word(at Reg, off uint32) Reg {
	r := e.newReg(scalarType(I32))
	e.to(r, Inst{Op: OpLoad, Args: []Reg{at}, Imm: 4, Off: off})
	return r
}

// The table has 8 bytes for each granule of memory: the size of its
// allocation, 0 for none, and where that starts with flags in the low bits.
const (
	TableAddress  = 1 << 16
	TableShift    = 12      // of an address, to the granule
	TableReadOnly = 1 << 1  // a flag
	TableStarts   = ^0xfff  // masks the start
	TableSize     = 8 << 20 // bytes, of 4 GiB
)

// checkTable faults unless the table allows an access of one lane.
func (e *emitter) checkTable(v *Value, address, base, bits Reg) {
	t := scalarType(I32)
	at := e.add32(address, v.Off)
	granule := e.compute(t, OpLShr, 0, at, e.constant(I32, TableShift))
	entry := e.compute(t, OpAdd, 0, e.compute(t, OpShl, 0, granule, e.constant(I32, 3)), e.constant(I32, TableAddress))
	length, start := e.word(entry, 0), e.word(entry, 4)
	from := e.compute(t, OpSub, 0, at, e.compute(t, OpAnd, 0, start, e.constant(I32, TableStarts&0xffffffff)))
	limit := e.boundFrom(boundKey{less: v.accessSize(), len: true}, length, func(n uint64) Reg { return e.constant(I32, n) }, 1)
	bad := e.compute(scalarType(Bool), OpULe, 0, limit, from)
	foreign := e.compute(scalarType(Bool), OpEq, 0, base, e.constant(I32, Foreign))
	bad = e.compute(scalarType(Bool), OpOr, 0, bad, foreign)
	if v.stores() {
		flag := e.compute(t, OpAnd, 0, start, e.constant(I32, TableReadOnly))
		bad = e.compute(scalarType(Bool), OpOr, 0, bad, e.compute(scalarType(Bool), OpBool, 0, flag))
	}
	e.op(Inst{Op: OpIf, Args: []Reg{bad}})
	e.setRecord(FaultDistance, at)
	e.fault(v, base, bits)
	e.op(Inst{Op: OpEnd})
}

// fault stops the code and leaves the known facts; stride is the base instead
// for an access that the table has refused.
func (e *emitter) fault(v *Value, stride, lanes Reg) {
	e.setRecord(FaultStride, stride)
	e.setRecord(FaultLanes, lanes)
	if !v.Bounds.Table {
		e.setRecord(FaultLen, e.scalar(v.length()))
	}
	e.site(v)
	e.setRecord(RecordTrap, e.constant(I32, uint64(TrapBounds)))
	e.op(Inst{Op: OpTrap, Imm: uint64(TrapBounds)})
}

// site notes which value stops the code.
func (e *emitter) site(v *Value) {
	e.setRecord(FaultSite, e.constant(I32, uint64(len(e.c.Sites))))
	e.c.Sites = append(e.c.Sites, v)
}

// Access describes the access of a value that may go out of bounds: its size,
// 0 for an element of an array of the work-item, and whether it stores.
func (v *Value) Access() (size int64, store bool) {
	if v.Op == OpPrivateLoad || v.Op == OpPrivateStore {
		return 0, v.stores()
	}
	return int64(v.accessSize()), v.stores()
}
