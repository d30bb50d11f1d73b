package lanes

// Checks of bounds: one compare for a scalar, or for all lanes of a stride.

// boundKey is a number that is computed once for a work-group: the number to
// take off an address, or how large the rest may be.
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

// prepareBounds computes the numbers that all checks need.
func (e *emitter) prepareBounds() {
	for _, v := range e.f.values {
		if v.Bounds == nil {
			continue
		}
		e.boundOf(boundKey{v.Bounds.Base, uint64(v.Off), false})
		e.boundOf(boundKey{v.Bounds.Len, v.accessSize(), true})
		if span := e.span(v); span > 0 {
			e.boundOf(boundKey{v.Bounds.Len, span, true})
		}
	}
}

// boundOf is the base less an offset; or how many starts there are for an
// access of so many bytes: 0 if it does not fit.
func (e *emitter) boundOf(key boundKey) Reg {
	if r, ok := e.bounds[key]; ok {
		return r
	}
	t := scalarType(I32)
	n := e.constant(I32, key.less)
	r := e.newReg(t)
	e.bounds[key] = r
	rest := e.compute(t, OpSub, 0, e.scalar(key.v), n)
	if !key.len {
		e.to(r, Inst{Op: OpCopy, Args: []Reg{rest}})
		return r
	}
	fits := e.compute(scalarType(Bool), OpULe, 0, n, e.scalar(key.v))
	e.to(r, Inst{Op: OpSelect, Args: []Reg{fits, e.add32(rest, 1), e.constant(I32, 0)}})
	return r
}

// checkSpan checks an address that is the same for all lanes, or that of the
// first of lanes in order.
func (e *emitter) checkSpan(v *Value, span uint64) {
	if v.Bounds == nil {
		return
	}
	stride := uint64(0)
	if span == 0 {
		span = v.accessSize()
	} else {
		stride = uint64(e.a.class(v.Args[0]).Stride)
	}
	distance := e.compute(scalarType(I32), OpSub, 0, e.scalar(v.Args[0]), e.boundOf(boundKey{v.Bounds.Base, uint64(v.Off), false}))
	bad := e.compute(scalarType(Bool), OpULe, 0, e.boundOf(boundKey{v.Bounds.Len, span, true}), distance)
	e.op(Inst{Op: OpIf, Args: []Reg{bad}})
	e.fault(v, distance, e.constant(I32, stride), e.constant(I32, 0))
	e.op(Inst{Op: OpEnd})
}

// checkLanes checks the lanes of a mask.
func (e *emitter) checkLanes(v *Value, mask Reg) {
	c := e.a.class(v.Args[0])
	switch {
	case v.Bounds == nil:
		return
	case c.uniform():
		e.checkSpan(v, 0)
		return
	case mask == NoReg && e.span(v) > 0:
		e.checkSpan(v, e.span(v))
		return
	}
	t := e.vectorType(I32)
	address := e.newReg(t)
	if c.Level == Varying {
		address = e.vector(v.Args[0])
	} else {
		e.to(address, e.spreadInst(e.scalar(v.Args[0]), c))
	}
	base := e.compute(t, OpSplat, 0, e.boundOf(boundKey{v.Bounds.Base, uint64(v.Off), false}))
	limit := e.compute(t, OpSplat, 0, e.boundOf(boundKey{v.Bounds.Len, v.accessSize(), true}))
	distance := e.compute(t, OpSub, 0, address, base)
	bad := e.compute(e.vectorType(Bool), OpULe, 0, limit, distance)
	if mask != NoReg {
		bad = e.compute(e.vectorType(Bool), OpAnd, 0, bad, mask)
	}
	e.op(Inst{Op: OpIf, Args: []Reg{e.compute(scalarType(Bool), OpAny, 0, bad)}})
	bits := e.compute(scalarType(I32), OpBits, 0, bad)
	for l := e.width - 1; l >= 0; l-- { // the distance of the first lane stays
		is := e.compute(scalarType(I32), OpAnd, 0, bits, e.constant(I32, 1<<l))
		e.op(Inst{Op: OpIf, Args: []Reg{e.compute(scalarType(Bool), OpBool, 0, is)}})
		e.setRecord(FaultDistance, e.compute(scalarType(I32), OpExtract, uint64(l), distance))
		e.op(Inst{Op: OpEnd})
	}
	e.fault(v, NoReg, e.constant(I32, 0), bits)
	e.op(Inst{Op: OpEnd})
}

// fault stops the code and leaves the known facts.
func (e *emitter) fault(v *Value, distance, stride, lanes Reg) {
	if distance != NoReg {
		e.setRecord(FaultDistance, distance)
	}
	e.setRecord(FaultStride, stride)
	e.setRecord(FaultLanes, lanes)
	size := v.accessSize()
	if v.Op == OpPrivateLoad || v.Op == OpPrivateStore {
		size = 0
	}
	if v.Op == OpStore || v.Op == OpPrivateStore || v.Op == OpAtomic && v.Atomic != AtomicLoad {
		size |= 1 << 31
	}
	e.setRecord(FaultSize, e.constant(I32, size))
	e.setRecord(FaultLen, e.scalar(v.Bounds.Len))
	e.site(v)
	e.setRecord(RecordTrap, e.constant(I32, uint64(TrapBounds)))
	e.op(Inst{Op: OpTrap, Imm: uint64(TrapBounds)})
}

// site notes which value stops the code.
func (e *emitter) site(v *Value) {
	e.setRecord(FaultSite, e.constant(I32, uint64(len(e.c.Sites))))
	e.c.Sites = append(e.c.Sites, v)
}
