package lanes

// Loads, stores and operations that go lane by lane.

// isContiguous tells whether the lanes of an access lie side by side.
func (e *emitter) isContiguous(address *Value, size uint64) bool {
	c := e.a.classOf(address)
	return c.Level == Strided && c.Stride == int32(size)
}

// emitLoad chooses the form by the class of the address: one scalar for all lanes, one
// vector where they lie side by side, else lane by lane.
func (e *emitter) emitLoad(v *Value, mask Reg) {
	address := v.Args[0]
	in := Inst{Op: OpLoad, Imm: v.Imm, Off: v.Off}
	switch {
	case e.a.classOf(address).isUniform():
		e.checkBounds(v, mask)
		e.loadScalar(v, mask, in)
	case e.wordsApart(v):
		e.gatherWords(v, mask)
	case e.isContiguous(address, v.Imm):
		in.Args = []Reg{e.scalarOf(address)}
		e.loadContiguous(v, mask, in)
	default:
		e.checkBounds(v, mask)
		e.gatherLanes(v, mask)
	}
}

// loadContiguous loads all lanes with one instruction. Where only some are in the
// mask, the others are loaded too if they are within the bounds.
func (e *emitter) loadContiguous(v *Value, mask Reg, in Inst) {
	switch {
	case mask == NoReg:
		e.checkBounds(v, NoReg)
		e.emitTo(e.vectorPlace(v), in)
	case v.Bounds == nil || !e.uniformBounds(v) || e.accessSpan(v) == 0:
		e.checkBounds(v, mask)
		e.gatherLanes(v, mask)
	default:
		bad := e.spanTest(v, e.accessSpan(v))
		e.emitOnly(Inst{Op: OpIf, Args: []Reg{bad}})
		e.checkLanes(v, mask)
		e.loadSomeLanes(v, mask)
		e.emitOnly(Inst{Op: OpElse})
		e.keepLanes(v, mask, in)
		e.emitOnly(Inst{Op: OpEnd})
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

// laneAddress is the address of a lane, with the addend: strides up are
// added by the access itself, so that one check of bounds serves all lanes.
func (e *emitter) laneAddress(v *Value, off uint32, l int) (Reg, uint32) {
	c := e.a.classOf(v)
	if far := int64(c.Stride) * int64(e.width); c.Level == Strided && c.Stride > 0 && int64(off)+far < maxOffset {
		return e.scalarOf(v), off + uint32(c.Stride)*uint32(l)
	}
	return e.laneOf(v, l), off
}

// maskedAddresses are the addresses of the lanes of a mask; the others have that of memory
// that holds nothing, so that no lane needs a branch. It is given less the addend, which
// every access adds.
func (e *emitter) maskedAddresses(addresses Reg, off uint32, mask Reg) func(l int) (Reg, uint32) {
	t := e.vectorType(I32)
	nowhere := e.loadRecord(I32, RecordCall)
	nowhere = e.emitNew(t, OpSplat, 0, e.addConst(nowhere, -off))
	chosen := e.emitNew(t, OpSelect, 0, mask, addresses, nowhere)
	return func(l int) (Reg, uint32) { return e.emitNew(scalarType(I32), OpExtract, uint64(l), chosen), off }
}

// addressesOf are the addresses of the lanes of an access.
func (e *emitter) addressesOf(v *Value, mask Reg) func(l int) (Reg, uint32) {
	if mask == NoReg && e.a.classOf(v.Args[0]).Level == Varying {
		return func(l int) (Reg, uint32) { return e.extractOnce(v.Args[0], l), v.Off }
	}
	if mask == NoReg {
		return func(l int) (Reg, uint32) { return e.laneAddress(v.Args[0], v.Off, l) }
	}
	return e.maskedAddresses(e.inLanes(v.Args[0]), v.Off, mask)
}

// extractOnce is laneOf for addresses that vary: accesses side by side, as to the
// components of a vector, share them within the values of a block.
func (e *emitter) extractOnce(v *Value, l int) Reg {
	list := e.extracted[v]
	if list == nil {
		list = newRegs(e.width)
		e.extracted[v] = list
	}
	if list[l] == NoReg {
		list[l] = e.laneOf(v, l)
	}
	return list[l]
}

// mayLieSideBySide reports whether an access is to pairs at addresses that vary.
func (e *emitter) mayLieSideBySide(v *Value) bool {
	return e.width > 1 && e.a.classOf(v.Args[0]).Level == Varying && e.wordsApart(v)
}

// rowSize is the bytes of an access whose lanes lie side by side.
func (e *emitter) rowSize(v *Value) uint64 { return v.accessSize() * uint64(e.width) }

// whenSideBySide emits an access whose addresses vary in two forms: for steps in which
// its lanes lie side by side all the same, as those of i & mask or of an index that
// was loaded often do, and for the others.
func (e *emitter) whenSideBySide(v *Value, mask Reg, wide func(first Reg), other func()) {
	address := v.Args[0]
	if mask != NoReg || !e.mayLieSideBySide(v) {
		e.checkBounds(v, mask)
		other()
		return
	}
	t := e.vectorType(I32)
	tested, step := e.rowValue(v)
	all := e.vectorOf(tested)
	start := e.emitNew(scalarType(I32), OpExtract, 0, all)
	row := e.emitNew(t, OpAdd, 0, e.emitNew(t, OpSplat, 0, start), e.emitNew(t, OpIota, step))
	same := e.emitNew(e.vectorType(Bool), OpEq, 0, all, row)
	e.emitOnly(Inst{Op: OpIf, Args: []Reg{e.emitNew(scalarType(Bool), OpAll, 0, same)}})
	first := start
	if tested != address {
		first = e.emitNew(scalarType(I32), OpExtract, 0, e.vectorOf(address))
	}
	if x := v.Bounds; x != nil && e.uniformBounds(v) && !x.Table && tested == e.testedValue(v) && (v.farValue() == nil || tested == x.Index.V) {
		e.checkRow(v, first, start)
	} else {
		e.checkBounds(v, mask)
	}
	wide(first)
	e.emitOnly(Inst{Op: OpElse})
	outer := e.extracted
	e.extracted = map[*Value][]Reg{} // the code above, which sets registers, does not run here
	e.checkBounds(v, mask)
	other()
	e.extracted = outer
	e.emitOnly(Inst{Op: OpEnd})
}

// inOrder calls f for each lane, the last one first where the addresses grow: its
// check of the memory's size, which WebAssembly makes, serves the others.
func (e *emitter) inOrder(v *Value, f func(l int)) {
	c := e.a.classOf(v.Args[0])
	down := c.Level == Strided && int64(c.Stride) >= int64(v.accessSize())
	for i := range e.width {
		if down {
			f(e.width - 1 - i)
		} else {
			f(i)
		}
	}
}

// alternates reports whether the lanes access every second element, as for one part of
// complex numbers.
func (e *emitter) alternates(v *Value) bool {
	c := e.a.classOf(v.Args[0])
	return e.width > 1 && c.Level == Strided && c.Stride == 8 && v.Imm == 4 && !v.Kind.Wide()
}

// gatherLanes loads lane by lane, from addresses that were checked.
func (e *emitter) gatherLanes(v *Value, mask Reg) {
	own := mask
	if v.Fixed {
		own = NoReg // any address will do
	}
	if own == NoReg && e.alternates(v) {
		e.keepLanes(v, mask, Inst{Op: OpEvery2, Args: []Reg{e.scalarOf(v.Args[0])}, Imm: v.Imm, Off: v.Off})
		return
	}
	address := e.addressesOf(v, own)
	list := make([]Reg, e.width)
	e.inOrder(v, func(l int) {
		at, off := address(l)
		list[l] = e.newReg(scalarType(v.Kind))
		e.emitTo(list[l], Inst{Op: OpLoad, Args: []Reg{at}, Imm: v.Imm, Off: off})
	})
	e.keepLanes(v, mask, Inst{Op: OpBuild, Args: list})
}

// emitStore chooses as emitLoad does. To one address for all lanes, a value that varies is
// stored lane by lane, so that the last lane of the mask wins.
func (e *emitter) emitStore(v *Value, mask Reg) {
	address, value := v.Args[0], v.Args[1]
	all := Inst{Op: OpStore, Imm: v.Imm, Off: v.Off}
	switch {
	case e.a.classOf(address).isUniform() && e.a.classOf(value).isUniform():
		e.checkBounds(v, mask)
		all.Type, all.Args = scalarType(value.Kind), []Reg{e.scalarOf(address), e.scalarOf(value)}
		e.emitOnly(all)
	case e.wordsApart(v):
		e.scatterWords(v, mask)
	case e.isContiguous(address, v.Imm):
		all.Type, all.Args = e.vectorType(value.Kind), []Reg{e.scalarOf(address), e.vectorOf(value)}
		e.storeContiguous(v, mask, all)
	default:
		e.checkBounds(v, mask)
		e.scatterLanes(v, mask)
	}
}

// storeContiguous stores all lanes with one instruction, unless only some are in
// the mask: the memory of the others may be another work-item's.
func (e *emitter) storeContiguous(v *Value, mask Reg, all Inst) {
	if mask != NoReg && v.Bounds != nil && v.Bounds.Own && e.uniformBounds(v) && e.accessSpan(v) > 0 {
		e.blendStore(v, mask, all)
		return
	}
	if mask != NoReg {
		e.emitOnly(Inst{Op: OpIf, Args: []Reg{e.emitNew(scalarType(Bool), OpAll, 0, mask)}})
	}
	e.checkBounds(v, NoReg)
	e.emitOnly(all)
	if mask != NoReg {
		e.emitOnly(Inst{Op: OpElse})
		e.checkBounds(v, mask)
		e.storeSomeLanes(v, mask)
		e.emitOnly(Inst{Op: OpEnd})
	}
}

// blendStore stores the old numbers in the lanes that are not in the mask. No other
// thread writes to the memory of a work-group in between.
func (e *emitter) blendStore(v *Value, mask Reg, all Inst) {
	bad := e.spanTest(v, e.accessSpan(v))
	e.emitOnly(Inst{Op: OpIf, Args: []Reg{bad}})
	e.checkLanes(v, mask)
	e.storeSomeLanes(v, mask)
	e.emitOnly(Inst{Op: OpElse})
	old := e.newReg(all.Type)
	e.emitTo(old, Inst{Op: OpLoad, Args: all.Args[:1], Imm: v.Imm, Off: v.Off})
	blended := e.emitNew(all.Type, OpSelect, 0, mask, all.Args[1], old)
	all.Args = []Reg{all.Args[0], blended}
	e.emitOnly(all)
	e.emitOnly(Inst{Op: OpEnd})
}

// loopActive emits a loop over the lanes of a mask, with the address of a word of each
// in the memory of calls. It is for code that rarely runs: a loop is short.
func (e *emitter) loopActive(mask Reg, size uint64, words Reg, body func(lane, word Reg)) {
	t := scalarType(I32)
	bits := e.emitNew(t, OpBits, 0, mask)
	e.countLanes(func(lane Reg) {
		is := e.emitNew(t, OpAnd, 0, bits, e.laneBit(lane))
		e.emitOnly(Inst{Op: OpIf, Args: []Reg{e.emitNew(scalarType(Bool), OpBool, 0, is)}})
		body(lane, e.scaledAddress(words, lane, size))
		e.emitOnly(Inst{Op: OpEnd})
	})
}

// scaledAddress is base + lane * size.
func (e *emitter) scaledAddress(base, lane Reg, size uint64) Reg {
	t := scalarType(I32)
	return e.emitNew(t, OpAdd, 0, base, e.emitNew(t, OpMul, 0, lane, e.constantReg(I32, size)))
}

// loadSomeLanes loads the lanes of a mask, which lie side by side. They go through the
// memory of calls, as the number of the lane is known only when the code runs.
func (e *emitter) loadSomeLanes(v *Value, mask Reg) {
	words, size := e.loadRecord(I32, RecordCall), uint64(kindSize(v.Kind))
	e.loopActive(mask, size, words, func(lane, word Reg) {
		r := e.newReg(scalarType(v.Kind))
		e.emitTo(r, Inst{Op: OpLoad, Args: []Reg{e.scaledAddress(e.scalarOf(v.Args[0]), lane, v.Imm)}, Imm: v.Imm, Off: v.Off})
		e.emitOnly(Inst{Op: OpStore, Type: scalarType(v.Kind), Args: []Reg{word, r}, Imm: size})
	})
	e.keepLanes(v, mask, Inst{Op: OpLoad, Args: []Reg{words}, Imm: size})
}

// storeSomeLanes stores the lanes of a mask, which lie side by side.
func (e *emitter) storeSomeLanes(v *Value, mask Reg) {
	value := v.Args[1]
	t := scalarType(value.Kind)
	words, size := e.loadRecord(I32, RecordCall), uint64(kindSize(value.Kind))
	e.emitOnly(Inst{Op: OpStore, Type: e.vectorType(value.Kind), Args: []Reg{words, e.vectorOf(value)}, Imm: size})
	e.loopActive(mask, size, words, func(lane, word Reg) {
		r := e.newReg(t)
		e.emitTo(r, Inst{Op: OpLoad, Args: []Reg{word}, Imm: size})
		at := e.scaledAddress(e.scalarOf(v.Args[0]), lane, v.Imm)
		e.emitOnly(Inst{Op: OpStore, Type: t, Args: []Reg{at, r}, Imm: v.Imm, Off: v.Off})
	})
}

// scatterLanes stores lane by lane, to addresses that were checked. Lanes that are not in
// the mask store to memory that is not read: see maskedAddresses.
func (e *emitter) scatterLanes(v *Value, mask Reg) {
	address := e.addressesOf(v, mask)
	e.inOrder(v, func(l int) {
		at, off := address(l)
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

// elementAddresses are the addresses of elements of an array whose index varies.
func (e *emitter) elementAddresses(array uint64, index *Value, size uint32, mask Reg) func(l int) (Reg, uint32) {
	t := e.vectorType(I32)
	first := e.elementAddress(array, e.constantReg(I32, 0), size)
	scale := e.emitNew(t, OpConst, uint64(size)*uint64(e.width))
	at := e.emitNew(t, OpMul, 0, e.inLanes(index), scale)
	at = e.emitNew(t, OpAdd, 0, at, e.emitNew(t, OpSplat, 0, first))
	at = e.emitNew(t, OpAdd, 0, at, e.emitNew(t, OpIota, uint64(size)))
	if mask != NoReg {
		return e.maskedAddresses(at, 0, mask)
	}
	return func(l int) (Reg, uint32) { return e.emitNew(scalarType(I32), OpExtract, uint64(l), at), 0 }
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
	address := e.elementAddresses(v.Imm, index, size, mask)
	e.eachLane(v, mask, func(l int) Reg {
		r := e.newReg(scalarType(v.Kind))
		at, off := address(l)
		e.emitTo(r, Inst{Op: OpLoad, Args: []Reg{at}, Imm: uint64(size), Off: off})
		return r
	})
}

// privateStore stores whole vectors where the index is the same for all lanes, with the old
// elements in those that are not in the mask: nobody else writes to the arrays of a step.
func (e *emitter) privateStore(v *Value, mask Reg) {
	index, value := v.Args[0], v.Args[1]
	size := kindSize(value.Kind)
	e.checkBounds(v, mask)
	store := func(t Type, at, from Reg, off uint32) {
		e.emitOnly(Inst{Op: OpStore, Type: t, Args: []Reg{at, from}, Imm: uint64(size), Off: off})
	}
	switch {
	case e.width == 1:
		store(scalarType(value.Kind), e.elementAddress(v.Imm, e.scalarOf(index), size), e.scalarOf(value), 0)
	case e.a.classOf(index).isUniform():
		at, from := e.elementAddress(v.Imm, e.scalarOf(index), size), e.vectorOf(value)
		if mask != NoReg {
			t := e.vectorType(value.Kind)
			old := e.newReg(t)
			e.emitTo(old, Inst{Op: OpLoad, Args: []Reg{at}, Imm: uint64(size)})
			from = e.emitNew(t, OpSelect, 0, mask, from, old)
		}
		store(e.vectorType(value.Kind), at, from, 0)
	default:
		address := e.elementAddresses(v.Imm, index, size, mask)
		for l := range e.width {
			at, off := address(l)
			store(scalarType(value.Kind), at, e.laneOf(value, l), off)
		}
	}
}

// emitAtomic works lane by lane, in their order. The work-item is noted, as WebAssembly
// traps by itself at an address that is not aligned.
func (e *emitter) emitAtomic(v *Value, mask Reg) {
	kind := v.Kind
	if kind == Void {
		kind = v.Args[1].Kind
	}
	one := func(l int) Reg {
		e.noteLane(l)
		in := Inst{Op: OpAtomic, Atomic: v.Atomic, Imm: v.Imm}
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
	e.noteItem()
	switch {
	case e.width > 1:
		e.eachActiveLane(v, mask, one)
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
	e.noteItem()
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
	e.forLanes(mask, func(l int) {
		e.noteLane(l)
		e.callHost(v, results, l, func(r *Value, s Reg) {
			dst := e.vectorPlace(r)
			e.emitTo(dst, Inst{Op: OpInsert, Args: []Reg{dst, s}, Imm: uint64(l)})
		})
	})
	return nil
}

// callHost emits the call for one lane, and gives each of its results to give.
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
