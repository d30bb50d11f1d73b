package lanes

// Loads, stores and operations that go lane by lane.

// contiguous tells whether the lanes of an access lie side by side.
func (e *emitter) contiguous(address *Value, size uint64) bool {
	c := e.a.class(address)
	return c.Level == Strided && c.Stride == int32(size)
}

func (e *emitter) load(v *Value, mask Reg) {
	address := v.Args[0]
	in := Inst{Op: OpLoad, Imm: v.Imm, Off: v.Off}
	switch {
	case e.a.class(address).uniform():
		e.check(v, mask)
		e.loadScalar(v, mask, in)
	case e.contiguous(address, v.Imm):
		in.Args = []Reg{e.scalar(address)}
		e.whole(mask, func() {
			e.check(v, NoReg)
			e.to(e.vectorPlace(v), in)
		}, func(guarded bool) {
			e.check(v, mask)
			e.gather(v, mask, guarded)
		})
	default:
		e.check(v, mask)
		e.gather(v, mask, !v.Fixed)
	}
}

// loadScalar loads once for all lanes.
func (e *emitter) loadScalar(v *Value, mask Reg, in Inst) {
	in.Args = []Reg{e.scalar(v.Args[0])}
	if e.a.class(v).Level != Varying {
		e.to(e.scalarPlace(v), in)
		return
	}
	s := e.newReg(scalarType(v.Kind))
	e.to(s, in)
	e.keep(v, mask, Inst{Op: OpSplat, Args: []Reg{s}})
}

// whole chooses between the code for all lanes and that for some.
func (e *emitter) whole(mask Reg, all func(), some func(guarded bool)) {
	if mask == NoReg {
		all()
		return
	}
	e.op(Inst{Op: OpIf, Args: []Reg{e.compute(scalarType(Bool), OpAll, 0, mask)}})
	all()
	e.op(Inst{Op: OpElse})
	some(true)
	e.op(Inst{Op: OpEnd})
}

// address is the address of a lane, with the addends: strides up are
// added by the access itself, so that one check of bounds serves all lanes.
func (e *emitter) address(v *Value, off uint32, l int) (Reg, uint32) {
	c := e.a.class(v)
	if far := int64(c.Stride) * int64(e.width); c.Level == Strided && c.Stride > 0 && int64(off)+far < maxOffset {
		return e.scalar(v), off + uint32(c.Stride)*uint32(l)
	}
	return e.lane(v, l), off
}

func (e *emitter) gather(v *Value, mask Reg, guarded bool) {
	e.eachLane(v, mask, guarded, func(l int) Reg {
		at, off := e.address(v.Args[0], v.Off, l)
		r := e.newReg(scalarType(v.Kind))
		e.to(r, Inst{Op: OpLoad, Args: []Reg{at}, Imm: v.Imm, Off: off})
		return r
	})
}

func (e *emitter) store(v *Value, mask Reg) {
	address, value := v.Args[0], v.Args[1]
	a, c := e.a.class(address), e.a.class(value)
	switch {
	case a.uniform() && c.uniform():
		e.check(v, mask)
		e.op(Inst{Op: OpStore, Type: scalarType(value.Kind), Args: []Reg{e.scalar(address), e.scalar(value)}, Imm: v.Imm, Off: v.Off})
	case e.contiguous(address, v.Imm):
		e.whole(mask, func() {
			e.check(v, NoReg)
			e.op(Inst{Op: OpStore, Type: e.vectorType(value.Kind), Args: []Reg{e.scalar(address), e.vector(value)}, Imm: v.Imm, Off: v.Off})
		}, func(bool) {
			e.check(v, mask)
			e.scatter(v, mask)
		})
	default:
		e.check(v, mask)
		e.scatter(v, mask)
	}
}

func (e *emitter) scatter(v *Value, mask Reg) {
	e.forLanes(mask, true, func(l int) {
		at, off := e.address(v.Args[0], v.Off, l)
		e.op(Inst{Op: OpStore, Type: scalarType(v.Args[1].Kind), Args: []Reg{at, e.lane(v.Args[1], l)}, Imm: v.Imm, Off: off})
	})
}

// Arrays of work-items: elements of the lanes lie side by side, so that an
// index that is the same for all is one vector.

func kindSize(k Kind) uint32 {
	if k.Wide() {
		return 8
	}
	return 4
}

// element is the address of an element of lane 0, for an index as a scalar.
func (e *emitter) element(array uint64, index Reg, size uint32) Reg {
	base := e.record(I32, RecordPrivate)
	if e.c.Items {
		each := e.constant(I32, uint64(e.f.PrivateSize))
		base = e.compute(scalarType(I32), OpAdd, 0, base, e.compute(scalarType(I32), OpMul, 0, e.item, each))
	}
	scaled := e.compute(scalarType(I32), OpMul, 0, index, e.constant(I32, uint64(size)*uint64(e.width)))
	return e.compute(scalarType(I32), OpAdd, 0, e.add32(base, uint32(array)*uint32(e.width)), scaled)
}

func (e *emitter) privateLoad(v *Value, mask Reg) {
	index, size := v.Args[0], kindSize(v.Kind)
	e.check(v, mask)
	if e.a.class(index).uniform() {
		in := Inst{Op: OpLoad, Args: []Reg{e.element(v.Imm, e.scalar(index), size)}, Imm: uint64(size)}
		if e.a.class(v).Level == Varying {
			e.keep(v, mask, in)
		} else {
			e.to(e.scalarPlace(v), in)
		}
		return
	}
	e.eachLane(v, mask, true, func(l int) Reg {
		r := e.newReg(scalarType(v.Kind))
		at := e.element(v.Imm, e.lane(index, l), size)
		e.to(r, Inst{Op: OpLoad, Args: []Reg{at}, Imm: uint64(size), Off: uint32(l) * size})
		return r
	})
}

func (e *emitter) privateStore(v *Value, mask Reg) {
	index, value := v.Args[0], v.Args[1]
	size := kindSize(value.Kind)
	e.check(v, mask)
	store := func(t Type, at, what Reg, off uint32) {
		e.op(Inst{Op: OpStore, Type: t, Args: []Reg{at, what}, Imm: uint64(size), Off: off})
	}
	switch {
	case e.width == 1:
		store(scalarType(value.Kind), e.element(v.Imm, e.scalar(index), size), e.scalar(value), 0)
	case e.a.class(index).uniform():
		at, what := e.element(v.Imm, e.scalar(index), size), e.vector(value)
		if mask != NoReg {
			t := e.vectorType(value.Kind)
			old := e.newReg(t)
			e.to(old, Inst{Op: OpLoad, Args: []Reg{at}, Imm: uint64(size)})
			what = e.compute(t, OpSelect, 0, mask, what, old)
		}
		store(e.vectorType(value.Kind), at, what, 0)
	default:
		e.forLanes(mask, true, func(l int) {
			store(scalarType(value.Kind), e.element(v.Imm, e.lane(index, l), size), e.lane(value, l), uint32(l)*size)
		})
	}
}

// atomic works lane by lane, in their order.
func (e *emitter) atomic(v *Value, mask Reg) {
	kind := v.Kind
	if kind == Void {
		kind = v.Args[1].Kind
	}
	one := func(l int) Reg {
		in := Inst{Op: OpAtomic, Atomic: v.Atomic, Imm: uint64(kindSize(kind))}
		for _, a := range v.Args {
			in.Args = append(in.Args, e.lane(a, l))
		}
		if v.Kind == Void {
			in.Type = scalarType(kind)
			e.op(in)
			return NoReg
		}
		r := e.newReg(scalarType(v.Kind))
		e.to(r, in)
		return r
	}
	e.check(v, mask)
	switch {
	case e.width > 1:
		e.eachLane(v, mask, true, one)
	case v.Kind == Void:
		one(0)
	default:
		e.to(e.scalarPlace(v), Inst{Op: OpCopy, Args: []Reg{one(0)}})
	}
}

// host calls a function of the host: the words of its arguments go through
// memory, and so do those of its results.
func (e *emitter) host(v *Value, mask Reg) error {
	if v.Source != nil {
		return nil // emitted with the call
	}
	results := []*Value{v}
	for _, b := range e.f.Blocks[v.Block.id].Values {
		if b.Op == OpHost && b.Source == v {
			results = append(results, b)
		}
	}
	if e.a.class(v).Level != Varying {
		e.callHost(v, results, 0, func(r *Value, s Reg) { e.to(e.scalarPlace(r), Inst{Op: OpCopy, Args: []Reg{s}}) })
		for _, r := range results {
			e.spreadOut(r)
		}
		return nil
	}
	for _, r := range results {
		if e.a.class(r).Level != Varying {
			return Unsupported("results of one call that vary and that do not")
		}
	}
	e.forLanes(mask, true, func(l int) {
		e.callHost(v, results, l, func(r *Value, s Reg) {
			dst := e.vectorPlace(r)
			e.to(dst, Inst{Op: OpInsert, Args: []Reg{dst, s}, Imm: uint64(l)})
		})
	})
	return nil
}

func (e *emitter) callHost(v *Value, results []*Value, l int, give func(r *Value, s Reg)) {
	words := e.record(I32, RecordCall)
	for i, a := range v.Args {
		e.op(Inst{Op: OpStore, Type: scalarType(a.Kind), Args: []Reg{words, e.lane(a, l)}, Imm: uint64(kindSize(a.Kind)), Off: uint32(8 * i)})
	}
	e.op(Inst{Op: OpHost, Host: v.Host, Args: []Reg{words}})
	for _, r := range results {
		s := e.newReg(scalarType(I64))
		e.to(s, Inst{Op: OpLoad, Args: []Reg{words}, Imm: 8, Off: uint32(8 * r.Imm)})
		give(r, s)
	}
}
