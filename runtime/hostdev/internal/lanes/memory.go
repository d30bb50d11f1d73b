package lanes

// Loads, stores and operations that go lane by lane.

// isContiguous tells whether the lanes of an access lie side by side.
func (e *emitter) isContiguous(address *Value, size uint64) bool {
	c := e.a.classOf(address)
	return c.Level == Strided && c.Stride == int32(size)
}

func (e *emitter) emitLoad(v *Value, mask Reg) {
	address := v.Args[0]
	in := Inst{Op: OpLoad, Imm: v.Imm, Off: v.Off}
	switch {
	case e.a.classOf(address).isUniform():
		e.checkBounds(v, mask)
		e.loadScalar(v, mask, in)
	case e.isContiguous(address, v.Imm):
		in.Args = []Reg{e.scalarOf(address)}
		e.wholeOrSome(mask, func() {
			e.checkBounds(v, NoReg)
			e.emitTo(e.vectorPlace(v), in)
		}, func(guarded bool) {
			e.checkBounds(v, mask)
			e.gatherLanes(v, mask, guarded)
		})
	default:
		e.checkBounds(v, mask)
		e.gatherLanes(v, mask, !v.Fixed)
	}
}

// loadScalar loads once for all lanes.
func (e *emitter) loadScalar(v *Value, mask Reg, in Inst) {
	in.Args = []Reg{e.scalarOf(v.Args[0])}
	if e.a.classOf(v).Level != Varying {
		e.emitTo(e.scalarPlace(v), in)
		return
	}
	s := e.newReg(scalarType(v.Kind))
	e.emitTo(s, in)
	e.keepLanes(v, mask, Inst{Op: OpSplat, Args: []Reg{s}})
}

// wholeOrSome chooses between the code for all lanes and that for some.
func (e *emitter) wholeOrSome(mask Reg, all func(), some func(guarded bool)) {
	if mask == NoReg {
		all()
		return
	}
	e.emitOnly(Inst{Op: OpIf, Args: []Reg{e.emitNew(scalarType(Bool), OpAll, 0, mask)}})
	all()
	e.emitOnly(Inst{Op: OpElse})
	some(true)
	e.emitOnly(Inst{Op: OpEnd})
}

// laneAddress is the address of a lane, with the addends: strides up are
// added by the access itself, so that one check of bounds serves all lanes.
func (e *emitter) laneAddress(v *Value, off uint32, l int) (Reg, uint32) {
	c := e.a.classOf(v)
	if far := int64(c.Stride) * int64(e.width); c.Level == Strided && c.Stride > 0 && int64(off)+far < maxOffset {
		return e.scalarOf(v), off + uint32(c.Stride)*uint32(l)
	}
	return e.laneOf(v, l), off
}

func (e *emitter) gatherLanes(v *Value, mask Reg, guarded bool) {
	e.eachLane(v, mask, guarded, func(l int) Reg {
		at, off := e.laneAddress(v.Args[0], v.Off, l)
		r := e.newReg(scalarType(v.Kind))
		e.emitTo(r, Inst{Op: OpLoad, Args: []Reg{at}, Imm: v.Imm, Off: off})
		return r
	})
}

func (e *emitter) emitStore(v *Value, mask Reg) {
	address, value := v.Args[0], v.Args[1]
	a, c := e.a.classOf(address), e.a.classOf(value)
	switch {
	case a.isUniform() && c.isUniform():
		e.checkBounds(v, mask)
		e.emitOnly(Inst{Op: OpStore, Type: scalarType(value.Kind), Args: []Reg{e.scalarOf(address), e.scalarOf(value)}, Imm: v.Imm, Off: v.Off})
	case e.isContiguous(address, v.Imm):
		e.wholeOrSome(mask, func() {
			e.checkBounds(v, NoReg)
			e.emitOnly(Inst{Op: OpStore, Type: e.vectorType(value.Kind), Args: []Reg{e.scalarOf(address), e.vectorOf(value)}, Imm: v.Imm, Off: v.Off})
		}, func(bool) {
			e.checkBounds(v, mask)
			e.scatterLanes(v, mask)
		})
	default:
		e.checkBounds(v, mask)
		e.scatterLanes(v, mask)
	}
}

func (e *emitter) scatterLanes(v *Value, mask Reg) {
	e.forLanes(mask, true, func(l int) {
		at, off := e.laneAddress(v.Args[0], v.Off, l)
		e.emitOnly(Inst{Op: OpStore, Type: scalarType(v.Args[1].Kind), Args: []Reg{at, e.laneOf(v.Args[1], l)}, Imm: v.Imm, Off: off})
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

// elementAddress is the address of an element of lane 0, for an index as a scalar.
func (e *emitter) elementAddress(array uint64, index Reg, size uint32) Reg {
	base := e.loadRecord(I32, RecordPrivate)
	if e.c.Items {
		each := e.constantReg(I32, uint64(e.f.PrivateSize))
		base = e.emitNew(scalarType(I32), OpAdd, 0, base, e.emitNew(scalarType(I32), OpMul, 0, e.item, each))
	}
	scaled := e.emitNew(scalarType(I32), OpMul, 0, index, e.constantReg(I32, uint64(size)*uint64(e.width)))
	return e.emitNew(scalarType(I32), OpAdd, 0, e.addConst(base, uint32(array)*uint32(e.width)), scaled)
}

func (e *emitter) privateLoad(v *Value, mask Reg) {
	index, size := v.Args[0], kindSize(v.Kind)
	e.checkBounds(v, mask)
	if e.a.classOf(index).isUniform() {
		in := Inst{Op: OpLoad, Args: []Reg{e.elementAddress(v.Imm, e.scalarOf(index), size)}, Imm: uint64(size)}
		if e.a.classOf(v).Level == Varying {
			e.keepLanes(v, mask, in)
		} else {
			e.emitTo(e.scalarPlace(v), in)
		}
		return
	}
	e.eachLane(v, mask, true, func(l int) Reg {
		r := e.newReg(scalarType(v.Kind))
		at := e.elementAddress(v.Imm, e.laneOf(index, l), size)
		e.emitTo(r, Inst{Op: OpLoad, Args: []Reg{at}, Imm: uint64(size), Off: uint32(l) * size})
		return r
	})
}

func (e *emitter) privateStore(v *Value, mask Reg) {
	index, value := v.Args[0], v.Args[1]
	size := kindSize(value.Kind)
	e.checkBounds(v, mask)
	store := func(t Type, at, what Reg, off uint32) {
		e.emitOnly(Inst{Op: OpStore, Type: t, Args: []Reg{at, what}, Imm: uint64(size), Off: off})
	}
	switch {
	case e.width == 1:
		store(scalarType(value.Kind), e.elementAddress(v.Imm, e.scalarOf(index), size), e.scalarOf(value), 0)
	case e.a.classOf(index).isUniform():
		at, what := e.elementAddress(v.Imm, e.scalarOf(index), size), e.vectorOf(value)
		if mask != NoReg {
			t := e.vectorType(value.Kind)
			old := e.newReg(t)
			e.emitTo(old, Inst{Op: OpLoad, Args: []Reg{at}, Imm: uint64(size)})
			what = e.emitNew(t, OpSelect, 0, mask, what, old)
		}
		store(e.vectorType(value.Kind), at, what, 0)
	default:
		e.forLanes(mask, true, func(l int) {
			store(scalarType(value.Kind), e.elementAddress(v.Imm, e.laneOf(index, l), size), e.laneOf(value, l), uint32(l)*size)
		})
	}
}

// emitAtomic works lane by lane, in their order.
func (e *emitter) emitAtomic(v *Value, mask Reg) {
	kind := v.Kind
	if kind == Void {
		kind = v.Args[1].Kind
	}
	one := func(l int) Reg {
		in := Inst{Op: OpAtomic, Atomic: v.Atomic, Imm: uint64(kindSize(kind))}
		for _, a := range v.Args {
			in.Args = append(in.Args, e.laneOf(a, l))
		}
		if v.Kind == Void {
			in.Type = scalarType(kind)
			e.emitOnly(in)
			return NoReg
		}
		r := e.newReg(scalarType(v.Kind))
		e.emitTo(r, in)
		return r
	}
	e.checkBounds(v, mask)
	switch {
	case e.width > 1:
		e.eachLane(v, mask, true, one)
	case v.Kind == Void:
		one(0)
	default:
		e.emitTo(e.scalarPlace(v), Inst{Op: OpCopy, Args: []Reg{one(0)}})
	}
}

// emitHost calls a function of the host: the words of its arguments go through
// memory, and so do those of its results.
func (e *emitter) emitHost(v *Value, mask Reg) error {
	if v.Source != nil {
		return nil // emitted with the call
	}
	results := []*Value{v}
	for _, b := range e.f.Blocks[v.Block.id].Values {
		if b.Op == OpHost && b.Source == v {
			results = append(results, b)
		}
	}
	if e.a.classOf(v).Level != Varying {
		e.callHost(v, results, 0, func(r *Value, s Reg) { e.emitTo(e.scalarPlace(r), Inst{Op: OpCopy, Args: []Reg{s}}) })
		for _, r := range results {
			e.spreadOut(r)
		}
		return nil
	}
	for _, r := range results {
		if e.a.classOf(r).Level != Varying {
			return Unsupported("results of one call that vary and that do not")
		}
	}
	e.forLanes(mask, true, func(l int) {
		e.callHost(v, results, l, func(r *Value, s Reg) {
			dst := e.vectorPlace(r)
			e.emitTo(dst, Inst{Op: OpInsert, Args: []Reg{dst, s}, Imm: uint64(l)})
		})
	})
	return nil
}

func (e *emitter) callHost(v *Value, results []*Value, l int, give func(r *Value, s Reg)) {
	words := e.loadRecord(I32, RecordCall)
	for i, a := range v.Args {
		e.emitOnly(Inst{Op: OpStore, Type: scalarType(a.Kind), Args: []Reg{words, e.laneOf(a, l)}, Imm: uint64(kindSize(a.Kind)), Off: uint32(8 * i)})
	}
	e.emitOnly(Inst{Op: OpHost, Host: v.Host, Args: []Reg{words}})
	for _, r := range results {
		s := e.newReg(scalarType(I64))
		e.emitTo(s, Inst{Op: OpLoad, Args: []Reg{words}, Imm: 8, Off: uint32(8 * r.Imm)})
		give(r, s)
	}
}
