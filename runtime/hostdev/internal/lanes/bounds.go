package lanes

// Checks of bounds: one compare for a scalar, or for all lanes of a stride.

// boundKey is a number that checks need: the number to take off an address, or
// how large the rest may be.
type boundKey struct {
	v    *Value
	less uint64
	len  bool
	base *Value // with an index
	Index
}

// accessSize is the bytes of an access of one lane.
func (v *Value) accessSize() uint64 {
	switch v.Op {
	case OpPrivateLoad, OpPrivateStore:
		return 1 // index by index
	}
	return v.Imm
}

// accessSpan is the bytes from the start of the first lane to the end of the last;
// 0 if the lanes do not lie in order.
func (e *emitter) accessSpan(v *Value) uint64 {
	c := e.testClass(v)
	if e.width > 1 && c.Level == Strided && c.Stride > 0 {
		return v.accessSize() + uint64(c.Stride)*uint64(e.width-1)
	}
	return 0
}

// prepareBounds computes the numbers of a level.
func (e *emitter) prepareBounds(level hoisting) {
	for _, v := range e.f.values {
		if v.Bounds == nil {
			continue
		}
		keys := []boundKey{e.limitKey(v, v.accessSize())}
		if !e.startsAtZero(v) {
			keys = append(keys, e.startKey(v))
		}
		small := len(keys)
		if span := e.accessSpan(v); span > 0 {
			keys = append(keys, e.limitKey(v, span))
		}
		if e.mayLieSideBySide(v) {
			keys = append(keys, e.limitKey(v, e.rowSize(v)))
		}
		for _, key := range keys {
			if _, ok := e.bounds[key]; !ok && e.hoistOf(key) == level {
				e.bounds[key] = e.boundOf(key)
			}
		}
		if e.width > 1 && e.a.classOf(v.Args[0]).Level == Varying {
			e.prepareVectors(keys[:small])
		}
	}
}

// hoistOf is how far out the number of a key can be computed.
func (e *emitter) hoistOf(key boundKey) hoisting {
	level := e.shared.hoist[key.v.id]
	if key.Scale != 0 {
		level = max(level, e.shared.hoist[key.base.id], e.shared.hoist[key.From.id])
	}
	return level
}

// prepareVectors spreads out the numbers that addresses which vary are compared with.
func (e *emitter) prepareVectors(keys []boundKey) {
	for _, key := range keys {
		if _, ok := e.boundVectors[key]; !ok && e.bounds[key] != 0 {
			e.boundVectors[key] = e.emitNew(e.vectorType(I32), OpSplat, 0, e.bounds[key])
		}
	}
}

// boundOf is the base less an offset; or how many starts there are for an
// access of so many bytes: 0 if it does not fit.
func (e *emitter) boundOf(key boundKey) Reg {
	if r, ok := e.bounds[key]; ok {
		return r
	}
	if key.Scale != 0 {
		return e.indexBound(key)
	}
	return e.boundFrom(key, e.scalarOf(key.v), func(n uint64) Reg { return e.constantReg(I32, n) }, 1)
}

// boundVector is boundOf in every lane.
func (e *emitter) boundVector(key boundKey) Reg {
	if r, ok := e.boundVectors[key]; ok {
		return r
	}
	t := e.vectorType(I32)
	if e.a.classOf(key.v).isUniform() {
		return e.emitNew(t, OpSplat, 0, e.boundOf(key))
	}
	return e.boundFrom(key, e.inLanes(key.v), func(n uint64) Reg { return e.emitNew(t, OpConst, n) }, e.width)
}

// boundFrom computes the number of a key from v, in as many lanes as v has.
func (e *emitter) boundFrom(key boundKey, v Reg, constant func(uint64) Reg, lanes int) Reg {
	t := Type{I32, lanes}
	n := constant(key.less)
	rest := e.emitNew(t, OpSub, 0, v, n)
	if !key.len {
		return rest
	}
	fits := e.emitNew(Type{Bool, lanes}, OpULe, 0, n, v)
	return e.emitNew(t, OpSelect, 0, fits, e.emitNew(t, OpAdd, 0, rest, constant(1)), constant(0))
}

// inLanes is a value as a vector, whether or not it was wanted as one.
func (e *emitter) inLanes(v *Value) Reg {
	c := e.a.classOf(v)
	if c.Level == Varying || v.Op == OpConst {
		return e.vectorOf(v)
	}
	r := e.newReg(e.vectorType(v.Kind))
	e.emitTo(r, e.spreadInst(e.scalarOf(v), c))
	return r
}

// uniformBounds tells whether the range is the same for all lanes.
func (e *emitter) uniformBounds(v *Value) bool {
	return e.a.classOf(v.Bounds.Base).isUniform() && e.a.classOf(v.limitValue()).isUniform()
}

// keepsDistance tells whether the address lies as far from the base in each lane: both have the
// same step from lane to lane, as in variables of which each work-item has its own.
func (e *emitter) keepsDistance(v *Value) bool {
	address, base := e.testClass(v), e.a.classOf(v.Bounds.Base)
	return !v.Bounds.Table && base.Level == Strided && base == address && e.a.classOf(v.limitValue()).isUniform()
}

// checkBounds checks the lanes of a mask.
func (e *emitter) checkBounds(v *Value, mask Reg) {
	if v.Bounds == nil {
		return
	}
	uniform := e.uniformBounds(v)
	switch {
	case uniform && e.testClass(v).isUniform() || e.keepsDistance(v):
		e.checkSpan(v, 0, mask)
	case uniform && mask == NoReg && e.accessSpan(v) > 0:
		e.checkSpan(v, e.accessSpan(v), NoReg)
	default:
		e.checkLanes(v, mask)
	}
}

// spanTest is whether some bytes of an access are out of bounds.
func (e *emitter) spanTest(v *Value, span uint64) Reg {
	return e.spanTestAt(v, e.scalarOf(e.testedValue(v)), span)
}

// checkRow checks lanes side by side whose addresses vary from step to step. tested is the
// number of the first one that is tested.
func (e *emitter) checkRow(v *Value, first, tested Reg) {
	bad := e.spanTestAt(v, tested, e.rowSize(v))
	e.emitOnly(Inst{Op: OpIf, Args: []Reg{bad}})
	distance := e.emitNew(scalarType(I32), OpSub, 0, first, e.boundOf(e.addressKey(v)))
	e.noteFar(v, distance, e.firstOf(v.farValue()))
	e.stopOutOfBounds(v, violation{distance, e.constantReg(I32, v.accessSize()), e.constantReg(I32, 0), e.scalarOf(v.limitValue())})
	e.emitOnly(Inst{Op: OpEnd})
}

// firstOf is the scalar of the first lane.
func (e *emitter) firstOf(v *Value) Reg {
	if v == nil {
		return NoReg
	}
	return e.laneOf(v, 0)
}

// spanTestAt is spanTest for an access that starts at an address or index. One unsigned
// comparison finds both ends: an address before the base wraps round to a large distance.
func (e *emitter) spanTestAt(v *Value, first Reg, span uint64) Reg {
	distance := first
	if !e.startsAtZero(v) {
		distance = e.emitNew(scalarType(I32), OpSub, 0, first, e.boundOf(e.startKey(v)))
	}
	bad := e.emitNew(scalarType(Bool), OpULe, 0, e.boundOf(e.limitKey(v, span)), distance)
	return e.orFar(v, bad, e.scalarOf, 1)
}

// checkSpan checks an address that is the same for all lanes of a mask, or that of the first of
// lanes in order.
func (e *emitter) checkSpan(v *Value, span uint64, mask Reg) {
	stride := uint64(0)
	if span == 0 {
		span = v.accessSize()
	} else {
		stride = uint64(e.a.classOf(v.Args[0]).Stride)
	}
	bad := e.spanTest(v, span)
	e.emitOnly(Inst{Op: OpIf, Args: []Reg{bad}})
	switch address := e.scalarOf(v.Args[0]); {
	case !v.Bounds.Table:
		distance := e.emitNew(scalarType(I32), OpSub, 0, address, e.boundOf(e.addressKey(v)))
		e.noteFar(v, distance, e.firstOf(v.farValue()))
		e.stopOutOfBounds(v, violation{distance, e.constantReg(I32, stride), e.lanesOf(mask), e.scalarOf(v.limitValue())})
	case stride == 0:
		e.checkTable(v, tableAccess{address, e.scalarOf(v.Bounds.Base), e.scalarOf(v.limitValue()), e.lanesOf(mask), e.firstOf(v.farValue())})
	default:
		e.checkTableLanes(v, address, stride)
	}
	e.emitOnly(Inst{Op: OpEnd})
}

// lanesOf is the bits of a mask, or 0 without one.
func (e *emitter) lanesOf(mask Reg) Reg {
	if mask == NoReg {
		return e.constantReg(I32, 0)
	}
	return e.emitNew(scalarType(I32), OpBits, 0, mask)
}

// checkTableLanes is checkTable for lanes in order.
func (e *emitter) checkTableLanes(v *Value, first Reg, stride uint64) {
	at := e.emitNew(scalarType(I32), OpCopy, 0, first)
	far, farStride := e.firstOf(v.farValue()), uint64(0)
	if far != NoReg {
		far = e.emitNew(scalarType(I32), OpCopy, 0, far)
		farStride = uint64(uint32(e.a.classOf(v.farValue()).Stride))
	}
	e.countLanes(func(lane Reg) {
		e.checkTable(v, tableAccess{at, e.scalarOf(v.Bounds.Base), e.scalarOf(v.limitValue()), e.laneBit(lane), far})
		e.emitTo(at, Inst{Op: OpAdd, Args: []Reg{at, e.constantReg(I32, stride)}})
		if farStride != 0 {
			e.emitTo(far, Inst{Op: OpAdd, Args: []Reg{far, e.constantReg(I32, farStride)}})
		}
	})
}

// countLanes emits a loop over the lanes of a step.
func (e *emitter) countLanes(body func(lane Reg)) {
	t := scalarType(I32)
	lane := e.newReg(t)
	e.emitTo(lane, Inst{Op: OpConst, Imm: 0})
	again := e.newLabel()
	e.emitOnly(Inst{Op: OpLoop, Imm: uint64(again)})
	body(lane)
	e.emitTo(lane, Inst{Op: OpAdd, Args: []Reg{lane, e.constantReg(I32, 1)}})
	more := e.emitNew(scalarType(Bool), OpULt, 0, lane, e.constantReg(I32, uint64(e.width)))
	e.emitOnly(Inst{Op: OpBrIf, Args: []Reg{more}, Imm: uint64(again)})
	e.emitOnly(Inst{Op: OpEnd})
}

func (e *emitter) laneBit(lane Reg) Reg {
	return e.emitNew(scalarType(I32), OpShl, 0, e.constantReg(I32, 1), lane)
}

// checkLanes checks each lane on its own. Those that are out of bounds leave their
// distances, or addresses and bases, in the memory of calls of the host, as which lane it
// was is known only when the code runs.
func (e *emitter) checkLanes(v *Value, mask Reg) {
	t := e.vectorType(I32)
	distance := e.inLanes(e.testedValue(v))
	if !e.startsAtZero(v) {
		distance = e.emitNew(t, OpSub, 0, distance, e.boundVector(e.startKey(v)))
	}
	bad := e.emitNew(e.vectorType(Bool), OpULe, 0, e.boundVector(e.limitKey(v, v.accessSize())), distance)
	bad = e.orFar(v, bad, e.inLanes, e.width)
	if mask != NoReg {
		bad = e.emitNew(e.vectorType(Bool), OpAnd, 0, bad, mask)
	}
	e.emitOnly(Inst{Op: OpIf, Args: []Reg{e.emitNew(scalarType(Bool), OpAny, 0, bad)}})
	bits := e.emitNew(scalarType(I32), OpBits, 0, bad)
	words, room := e.loadRecord(I32, RecordCall), uint32(4*e.width)
	keep := func(r Reg, off uint32) {
		e.emitOnly(Inst{Op: OpStore, Type: t, Args: []Reg{words, r}, Imm: 4, Off: off})
	}
	if far := v.farValue(); far != nil {
		keep(e.inLanes(far), 2*room)
	}
	farOf := func(at Reg) Reg {
		if v.farValue() == nil {
			return NoReg
		}
		return e.loadWord(at, 2*room)
	}
	address := e.inLanes(v.Args[0])
	if v.Bounds.Table {
		keep(address, 0)
		keep(e.inLanes(v.Bounds.Base), room)
		keep(e.inLanes(v.limitValue()), 3*room)
		e.countLanes(func(lane Reg) {
			is := e.emitNew(scalarType(I32), OpAnd, 0, bits, e.laneBit(lane))
			e.emitOnly(Inst{Op: OpIf, Args: []Reg{e.emitNew(scalarType(Bool), OpBool, 0, is)}})
			at := e.scaledAddress(words, lane, 4)
			e.checkTable(v, tableAccess{e.loadWord(at, 0), e.loadWord(at, room), e.loadWord(at, 3*room), is, farOf(at)})
			e.emitOnly(Inst{Op: OpEnd})
		})
	} else {
		keep(e.emitNew(t, OpSub, 0, address, e.boundVector(e.addressKey(v))), 0)
		keep(e.inLanes(v.limitValue()), room)
		at := e.scaledAddress(words, e.emitNew(scalarType(I32), OpCtz, 0, bits), 4)
		distance := e.loadWord(at, 0)
		e.noteFar(v, distance, farOf(at))
		e.stopOutOfBounds(v, violation{distance, e.constantReg(I32, 0), bits, e.loadWord(at, room)})
	}
	e.emitOnly(Inst{Op: OpEnd})
}

// loadWord loads 32 bits of memory that is known to be there.
func (e *emitter) loadWord(at Reg, off uint32) Reg {
	r := e.newReg(scalarType(I32))
	e.emitTo(r, Inst{Op: OpLoad, Args: []Reg{at}, Imm: 4, Off: off})
	return r
}

// The table has 8 bytes for each granule of memory: the size of its
// allocation, 0 for none, and where that starts with flags in the low bits.
const (
	TableAddress  = 1 << 16
	TableShift    = 12      // of an address, to the granule
	TableReadOnly = 1 << 1  // a flag
	TableDivided  = 1 << 3  // a flag of the rooms of variables, each of which is an allocation of its own
	TableStarts   = ^0xfff  // masks the start
	TableSize     = 8 << 20 // bytes of the table for 4 GiB
)

// tableAccess is the access of one lane to look up: its address, the start and the size of
// its allocation, the bits of the lanes, and the far value.
type tableAccess struct{ address, base, size, bits, far Reg }

// checkTable faults unless the table allows an access of one lane.
func (e *emitter) checkTable(v *Value, x tableAccess) {
	t := scalarType(I32)
	at := e.addConst(x.address, v.Off)
	granule := e.emitNew(t, OpLShr, 0, at, e.constantReg(I32, TableShift))
	entry := e.emitNew(t, OpAdd, 0, e.emitNew(t, OpShl, 0, granule, e.constantReg(I32, 3)), e.constantReg(I32, TableAddress))
	length, start := e.loadWord(entry, 0), e.loadWord(entry, 4)
	from := e.emitNew(t, OpSub, 0, at, e.emitNew(t, OpAnd, 0, start, e.constantReg(I32, TableStarts&0xffffffff)))
	limit := e.boundFrom(boundKey{less: v.accessSize(), len: true}, length, func(n uint64) Reg { return e.constantReg(I32, n) }, 1)
	bad := e.emitNew(scalarType(Bool), OpULe, 0, limit, from)
	var far, foreign Reg
	if x.far != NoReg {
		outside := e.outside(v, at, x.far)
		e.setRecord(RecordFar, outside)
		far = e.emitNew(scalarType(Bool), OpBool, 0, outside)
		x.base = e.emitNew(t, OpSelect, 0, far, e.constantReg(I32, Foreign), x.base)
	}
	if v.Bounds.High != nil {
		// The whole address is known: one that was added to null leads where it says.
		foreign = far
	} else {
		foreign = e.emitNew(scalarType(Bool), OpEq, 0, x.base, e.constantReg(I32, Foreign))
	}
	bad = e.emitNew(scalarType(Bool), OpOr, 0, bad, foreign)
	// Within a room of variables the bounds of the pointer have told.
	denied := uint64(TableDivided)
	if v.changesMemory() {
		denied |= TableReadOnly
	}
	flags := e.emitNew(t, OpAnd, 0, start, e.constantReg(I32, denied))
	bad = e.emitNew(scalarType(Bool), OpOr, 0, bad, e.emitNew(scalarType(Bool), OpBool, 0, flags))
	e.emitOnly(Inst{Op: OpIf, Args: []Reg{bad}})
	e.stopOutOfBounds(v, violation{at, x.base, x.bits, x.size})
	e.emitOnly(Inst{Op: OpEnd})
}

// faultTail is the end of the code that all accesses out of bounds go to, with
// registers for the facts: a compiler is spared the same stores at each access.
type faultTail struct {
	label                                  int
	distance, stride, lanes, length, place Reg
}

// openTail opens the block around all code that may go to the tail.
func (d *driver) openTail(e *emitter) {
	t := &d.shared.tail
	t.label = e.newLabel()
	for _, r := range []*Reg{&t.distance, &t.stride, &t.lanes, &t.length, &t.place} {
		*r = e.newReg(scalarType(I32))
	}
	e.emitOnly(Inst{Op: OpBlock, Imm: uint64(t.label)})
}

// closeTail ends the code: the way through returns, and the tail writes its registers to
// the record.
func (d *driver) closeTail(e *emitter) {
	t := &d.shared.tail
	e.emitOnly(Inst{Op: OpReturn})
	e.emitOnly(Inst{Op: OpEnd})
	e.setRecord(FaultDistance, t.distance)
	e.setRecord(FaultStride, t.stride)
	e.setRecord(FaultLanes, t.lanes)
	e.setRecord(FaultLen, t.length)
	e.setRecord(FaultSite, t.place)
	e.noteItem()
	e.setRecord(RecordTrap, e.constantReg(I32, uint64(TrapBounds)))
	e.emitOnly(Inst{Op: OpTrap, Imm: uint64(TrapBounds)})
}

// violation is the facts of an access out of bounds. For one that the table has refused,
// distance is the address, and stride the base.
type violation struct{ distance, stride, lanes, length Reg }

// stopOutOfBounds branches to the tail with the facts of the access.
func (e *emitter) stopOutOfBounds(v *Value, x violation) {
	t := &e.shared.tail
	set := func(to, from Reg) { e.emitTo(to, Inst{Op: OpCopy, Args: []Reg{from}}) }
	set(t.distance, x.distance)
	set(t.stride, x.stride)
	set(t.lanes, x.lanes)
	set(t.length, x.length)
	e.emitTo(t.place, Inst{Op: OpConst, Imm: uint64(len(e.c.Sites))})
	e.c.Sites = append(e.c.Sites, v)
	e.emitOnly(Inst{Op: OpBr, Imm: uint64(t.label)})
}

// noteSite notes which value stops the code, and for which work-items.
func (e *emitter) noteSite(v *Value) {
	e.noteItem()
	e.setRecord(FaultSite, e.constantReg(I32, uint64(len(e.c.Sites))))
	e.c.Sites = append(e.c.Sites, v)
}

// noteItem notes the work-item of the step: where the code may be stopped.
func (e *emitter) noteItem() {
	for i, id := range e.shared.item {
		e.setRecord(RecordItem+4*uint32(i), id)
	}
}

// noteLane is for code that runs for one lane, after noteItem.
func (e *emitter) noteLane(l int) {
	if e.width > 1 {
		e.setRecord(RecordItem, e.addConst(e.shared.item[0], uint32(l)))
	}
}

// Access describes the access of a value that may go out of bounds: its size,
// 0 for an element of an array of the work-item, and whether it stores.
func (v *Value) Access() (size int64, store bool) {
	if v.Op == OpPrivateLoad || v.Op == OpPrivateStore {
		return 0, v.changesMemory()
	}
	return int64(v.accessSize()), v.changesMemory()
}
