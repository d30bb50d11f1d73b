package lanes

// emitter emits the values of a function for steps of one width. Two of them write one
// Code: one W lanes wide, and one for the work-items that are left at the end of a row.
type emitter struct {
	f      *Function
	a      *analysis
	c      *Code
	shared *shared
	width  int

	scalars, vectors []Reg // of values
	rscalar, rvector []Reg // of registers
	wanted           []bool
	limited          bool             // see maxCompiling
	forms            bool             // see compileForms
	extracted        map[*Value][]Reg // lanes of addresses, in the values that are emitted
	late             []bool           // conditions that are computed where the lanes differ
	labels           *int
	converged        int // values of pieces that have several forms

	x, y, z Reg // the local id of the step's first work-item
	item    Reg // its number in the group
	barrier func(b *Block)
	rowEnd  Reg                           // where x ends, a multiple of the width
	idle    func(branch, way *Block) bool // see idleBy
	bounds  map[boundKey]Reg
	apart   map[*Value][2]Reg // pairs of words that are not put together: see wordsApart
	whole   map[*Value]bool   // loads of pairs that are stored as they are

	boundVectors map[boundKey]Reg // of bounds
}

// shared is the state of both emitters: registers for values that are the same
// for the group, and for those that are computed before the work-items.
type shared struct {
	values []Reg
	regs   []Reg
	hoist  []hoisting
	group  [3]Reg
	item   [3]Reg // the local id of the step's first work-item
	tail   faultTail

	inRegion map[*Value]bool // values of the region that are computed before its work-items
}

// hoisting is how far out a value can be computed.
type hoisting uint8

const (
	inLaunch hoisting = iota // before the work-groups of a call
	inGroup                  // before the work-items of a group
	inRow                    // before those of a row
	inItem                   // cheap, from the ids and values that are the same for the group
	inPlace
)

func newRegs(n int) []Reg {
	list := make([]Reg, n)
	for i := range list {
		list[i] = NoReg
	}
	return list
}

func newShared(f *Function) *shared {
	s := &shared{values: newRegs(len(f.values)), regs: newRegs(len(f.Regs)), hoist: make([]hoisting, len(f.values))}
	for _, v := range f.values {
		s.hoist[v.id] = hoistingOf(s, v)
	}
	return s
}

// hoistingOf is how far out a value can be computed: as far as the innermost of its
// operands, which have been placed before it. The order of the levels is from outside
// to inside.
func hoistingOf(s *shared, v *Value) hoisting {
	switch v.Op {
	case OpConst, OpArg:
		return inLaunch
	case OpGroupID:
		return inGroup
	case OpLocalID:
		if v.Imm == 0 {
			return inItem
		}
		return inRow
	case OpFrame:
		return inItem
	}
	if !v.isPure() {
		return inPlace
	}
	level := inLaunch
	for _, a := range v.Args {
		level = max(level, s.hoist[a.id])
	}
	return level
}

// isPure reports whether an operation computes its result from its operands alone.
func (op Op) isPure() bool { return op >= OpAdd && op <= OpSelect }

// isPure reports whether a value may be computed anywhere after its operands.
func (v *Value) isPure() bool { return v.Op.isPure() || v.Fixed }

func newEmitter(f *Function, a *analysis, c *Code, s *shared, labels *int) *emitter {
	e := &emitter{
		f: f, a: a, c: c, shared: s, width: a.width, labels: labels,
		scalars: newRegs(len(f.values)), vectors: newRegs(len(f.values)),
		rscalar: newRegs(len(f.Regs)), rvector: newRegs(len(f.Regs)), wanted: make([]bool, len(f.values)), bounds: map[boundKey]Reg{},
		boundVectors: map[boundKey]Reg{}, apart: map[*Value][2]Reg{}, whole: map[*Value]bool{},
	}
	// In this order: findWanted asks which conditions are late.
	e.findLate()
	e.findApart()
	e.findWanted()
	return e
}

// findWanted finds the values that are not varying and are wanted as vectors.
// It is done before code is made, as the vector of such a value is made where
// the value is, once, and not at each use in a loop.
func (e *emitter) findWanted() {
	want := func(v *Value) {
		if v.Op != OpConst && e.a.classOf(v).Level != Varying {
			e.wanted[v.id] = true
		}
	}
	strided := func(v *Value) {
		if e.a.classOf(v).Level == Strided {
			want(v)
		}
	}
	for _, v := range e.f.values {
		c := e.a.classOf(v)
		switch {
		case v.Op == OpSet:
			if e.a.regs[v.Reg.id].Level == Varying {
				want(v.Args[0])
			}
		case v.Op == OpStore || v.Op == OpPrivateStore:
			if !e.a.classOf(v.Args[0]).isUniform() || v.Op == OpPrivateStore {
				want(v.Args[1])
			} else {
				strided(v.Args[1])
			}
			if v.Op == OpPrivateStore {
				strided(v.Args[0])
			}
		case v.Op.isPure() && c.Level == Varying && e.byLane(v):
			for _, a := range v.Args {
				strided(a)
			}
		case e.late[v.id]: // its operands are spread out where it is computed
		case v.Op.isPure() && c.Level == Varying:
			for i, a := range v.Args {
				if !(i == 1 && isShift(v.Op) && e.a.classOf(a).isUniform()) {
					want(a)
				}
			}
		case v.Op == OpHost || v.Op == OpAtomic || v.Op == OpPrivateLoad || v.Op == OpFirst:
			for _, a := range v.Args {
				strided(a)
			}
		}
	}
}

func isShift(op Op) bool { return op == OpShl || op == OpLShr || op == OpAShr }

// byLane reports whether an operation is done for each lane on its own, as WebAssembly does
// not have it for vectors.
func (e *emitter) byLane(v *Value) bool {
	switch v.Op {
	case OpUDiv, OpSDiv, OpURem, OpSRem, OpClz, OpCtz, OpPopcnt:
		return true
	case OpShl, OpLShr, OpAShr:
		return !e.a.classOf(v.Args[1]).isUniform()
	case OpSToF, OpUToF, OpFToS, OpFToU:
		return v.Kind == I64 || v.Args[0].Kind == I64
	}
	return false
}

// maxCompiling bounds the number of instructions times the number of joins of code for
// several lanes: the time that wazero takes grows with that product, to a second or two
// here, as each join has a name of its own for each value. Code for one lane has neither
// masks nor several forms of branches, and is a quarter as long.
const maxCompiling = 3e7

// tooManyBranches is an [ErrUnsupported] of its own.
type tooManyBranches struct{}

func (tooManyBranches) Error() string {
	return ErrUnsupported.Error() + ": lanes for code with so many branches"
}

func (tooManyBranches) Unwrap() error { return ErrUnsupported }

// Writing code.

func (e *emitter) newReg(t Type) Reg {
	e.c.Regs = append(e.c.Regs, t)
	return Reg(len(e.c.Regs) - 1)
}

func (e *emitter) newLabel() int {
	*e.labels++
	return *e.labels
}

// emitOnly appends an instruction that gives nothing.
func (e *emitter) emitOnly(in Inst) {
	in.Dst = NoReg
	if in.Op == OpEnd && e.c.Insts[len(e.c.Insts)-1].Op != OpBr {
		e.c.joins++
	}
	e.c.Insts = append(e.c.Insts, in)
}

// emitTo appends an instruction that gives dst.
func (e *emitter) emitTo(dst Reg, in Inst) {
	in.Dst = dst
	in.Type = e.c.Regs[dst]
	e.c.Insts = append(e.c.Insts, in)
}

func (e *emitter) emitNew(t Type, op Op, imm uint64, args ...Reg) Reg {
	dst := e.newReg(t)
	e.emitTo(dst, Inst{Op: op, Args: args, Imm: imm})
	return dst
}

func scalarType(k Kind) Type              { return Type{k, 1} }
func (e *emitter) vectorType(k Kind) Type { return Type{k, e.width} }

// constantReg makes a constant at each use: compilers of WebAssembly and of C
// keep it in the instruction, and a register would be live through the loop.
func (e *emitter) constantReg(k Kind, bits uint64) Reg {
	return e.emitNew(scalarType(k), OpConst, bits)
}

func (e *emitter) addConst(x Reg, n uint32) Reg {
	if n == 0 {
		return x
	}
	return e.emitNew(scalarType(I32), OpAdd, 0, x, e.constantReg(I32, uint64(n)))
}

func (e *emitter) invertFlag(cond Reg) Reg {
	return e.emitNew(scalarType(Bool), OpXor, 0, cond, e.constantReg(Bool, 1))
}

// loadRecord loads a field of the launch's record. Register 0 is the record's
// offset, the first parameter of the code.
func (e *emitter) loadRecord(k Kind, offset uint64) Reg {
	dst := e.newReg(scalarType(k))
	size := uint64(4)
	if k.Wide() {
		size = 8
	}
	e.emitTo(dst, Inst{Op: OpLoad, Args: []Reg{0}, Imm: size, Off: uint32(offset)})
	return dst
}

func (e *emitter) setRecord(offset uint32, v Reg) {
	e.emitOnly(Inst{Op: OpStore, Type: scalarType(I32), Args: []Reg{0, v}, Imm: 4, Off: offset})
}

// Values.

// scalarOf is the value, or that of the first lane of a strided one.
func (e *emitter) scalarOf(v *Value) Reg {
	switch v.Op {
	case OpConst:
		return e.constantReg(v.Kind, v.Imm)
	case OpGroupID:
		return e.shared.group[v.Imm]
	case OpLocalID:
		return [3]Reg{e.x, e.y, e.z}[v.Imm]
	}
	return e.scalarPlace(v)
}

// scalarPlace is the register that a value has. Both emitters share those of values that
// are computed before the work-items, as that is done once for both.
func (e *emitter) scalarPlace(v *Value) Reg {
	list := e.scalars
	if e.a.classOf(v).Level == Group || e.shared.hoist[v.id] <= inRow {
		list = e.shared.values
	}
	if list[v.id] == NoReg {
		list[v.id] = e.newReg(scalarType(v.Kind))
	}
	return list[v.id]
}

func (e *emitter) vectorPlace(v *Value) Reg {
	if e.vectors[v.id] == NoReg {
		e.vectors[v.id] = e.newReg(e.vectorType(v.Kind))
	}
	return e.vectors[v.id]
}

// vectorOf is the value in every lane.
func (e *emitter) vectorOf(v *Value) Reg {
	if v.Op == OpConst {
		return e.emitNew(e.vectorType(v.Kind), OpConst, v.Imm)
	}
	return e.vectorPlace(v)
}

// spreadOut makes the vector of a value that is not varying where it is
// defined, if it is wanted.
func (e *emitter) spreadOut(v *Value) {
	if !e.wanted[v.id] || e.width == 1 {
		return
	}
	dst := e.vectorPlace(v)
	s := e.scalarOf(v)
	c := e.a.classOf(v)
	if c.Level != Strided {
		e.emitTo(dst, Inst{Op: OpSplat, Args: []Reg{s}})
		return
	}
	t := e.vectorType(I32)
	steps := e.emitNew(t, OpIota, uint64(uint32(c.Stride)))
	e.emitTo(dst, Inst{Op: OpAdd, Args: []Reg{e.emitNew(t, OpSplat, 0, s), steps}})
}

// laneOf is the scalar of one lane.
func (e *emitter) laneOf(v *Value, l int) Reg {
	switch c := e.a.classOf(v); {
	case c.isUniform():
		return e.scalarOf(v)
	case c.Level == Strided:
		return e.addConst(e.scalarOf(v), uint32(c.Stride)*uint32(l))
	}
	return e.emitNew(scalarType(v.Kind), OpExtract, uint64(l), e.vectorOf(v))
}

// compareConst is the scalar of value == bits.
func (e *emitter) compareConst(v *Value, bits uint64) Reg {
	return e.emitNew(scalarType(Bool), OpEq, 0, e.scalarOf(v), e.constantReg(v.Kind, bits))
}

// emitValues emits the values of a block under a mask.
func (e *emitter) emitValues(b *Block, mask Reg) error { return e.emitValuesBut(b, mask, nil) }

// emitValuesBut is emitValues for all values but one.
func (e *emitter) emitValuesBut(b *Block, mask Reg, but *Value) error {
	if e.limited && len(e.c.Insts)*e.c.joins > maxCompiling {
		return tooManyBranches{}
	}
	// Lanes that were taken out of a vector serve this block alone: it does not
	// dominate all that is emitted after it.
	e.extracted = map[*Value][]Reg{}
	for _, v := range b.Values {
		if v == but || v.Op != OpSet && e.shared.hoist[v.id] <= inRow || e.shared.inRegion[v] {
			continue
		}
		if err := e.emitValue(v, mask); err != nil {
			return err
		}
	}
	return nil
}

// emitValue emits one value under a mask. A value that does not vary is a scalar, from
// which a vector is made here if one is wanted.
func (e *emitter) emitValue(v *Value, mask Reg) error {
	c := e.a.classOf(v)
	switch v.Op {
	case OpSet:
		e.writeRegister(v, mask)
	case OpStore:
		e.emitStore(v, mask)
	case OpPrivateStore:
		e.privateStore(v, mask)
	case OpAtomic:
		e.emitAtomic(v, mask)
	case OpFence:
		e.emitOnly(Inst{Op: OpFence})
	case OpTrapIf:
		e.trapIf(v, mask)
	case OpTrap:
		e.setRecord(RecordTrap, e.constantReg(I32, v.Imm))
		e.noteSite(v)
		e.emitOnly(Inst{Op: OpTrap, Imm: v.Imm})
	case OpLoad:
		e.emitLoad(v, mask)
	case OpPrivateLoad:
		e.privateLoad(v, mask)
	case OpGet:
		e.readRegister(v, mask)
	case OpHost:
		return e.emitHost(v, mask)
	case OpLocalID, OpFrame:
		e.emitOrigin(v)
	case OpFromLane, OpToLane, OpShuffle, OpActive, OpTogether, OpFirst:
		e.amongLanes(v, mask)
	default:
		if c.Level != Varying {
			e.emitTo(e.scalarPlace(v), Inst{Op: v.Op, Args: e.scalarArgs(v), Imm: v.Imm})
			break
		}
		e.emitVarying(v, mask)
		return nil
	}
	if c.Level != Varying && v.Kind != Void {
		e.spreadOut(v)
	}
	return nil
}

func (e *emitter) scalarArgs(v *Value) []Reg {
	list := make([]Reg, len(v.Args))
	for i, a := range v.Args {
		list[i] = e.scalarOf(a)
	}
	return list
}

// emitTick counts an iteration of a loop. The local id goes with it, so that a launch that ends
// there can name the work-item.
func (e *emitter) emitTick() {
	item := e.shared.item
	e.emitOnly(Inst{Op: OpTick, Args: item[:]})
}

// emitOrigin emits the address of a work-item's frame. A local id is in the registers of
// the step already.
func (e *emitter) emitOrigin(v *Value) {
	if v.Op == OpLocalID {
		return
	}
	base := e.loadRecord(I32, RecordFrame)
	if e.c.Items {
		size := e.constantReg(I32, uint64(e.f.FrameSize))
		base = e.emitNew(scalarType(I32), OpAdd, 0, base, e.emitNew(scalarType(I32), OpMul, 0, e.item, size))
	}
	e.emitTo(e.scalarPlace(v), Inst{Op: OpAdd, Args: []Reg{base, e.constantReg(I32, v.Imm)}})
}

// emitVarying computes in every lane. A value that outlives a loop keeps the lanes that
// have left.
func (e *emitter) emitVarying(v *Value, mask Reg) {
	if _, ok := e.apart[v]; ok {
		return
	}
	if half, ok := e.halfOf(v); ok {
		e.keepLanes(v, mask, Inst{Op: OpCopy, Args: []Reg{half}})
		return
	}
	if e.byLane(v) {
		e.eachLane(v, mask, func(l int) Reg {
			args := make([]Reg, len(v.Args))
			for i, a := range v.Args {
				args[i] = e.laneOf(a, l)
			}
			return e.emitNew(scalarType(v.Kind), v.Op, v.Imm, args...)
		})
		return
	}
	args := make([]Reg, len(v.Args))
	for i, a := range v.Args {
		switch {
		// Vector shifts have one amount for all lanes (WebAssembly, i32x4.shl);
		// others are done by lane.
		case i == 1 && isShift(v.Op):
			args[i] = e.scalarOf(a)
		case e.late[v.id]:
			args[i] = e.inLanes(a)
		default:
			args[i] = e.vectorOf(a)
		}
	}
	e.keepLanes(v, mask, Inst{Op: v.Op, Args: args, Imm: v.Imm})
}

// keepLanes assigns the vector of a value to its register: only in the lanes of the mask
// if the others still have a use.
func (e *emitter) keepLanes(v *Value, mask Reg, in Inst) {
	dst := e.vectorPlace(v)
	if mask == NoReg || !e.a.outlives[v.id] {
		e.emitTo(dst, in)
		return
	}
	// Lanes that have left the loop keep the value of the iteration in which they
	// left.
	fresh := e.newReg(e.c.Regs[dst])
	e.emitTo(fresh, in)
	e.emitTo(dst, Inst{Op: OpSelect, Args: []Reg{mask, fresh, dst}})
}

// eachLane computes lane by lane. The lanes that are not in the mask compute
// something as well, which is not used.
func (e *emitter) eachLane(v *Value, mask Reg, f func(l int) Reg) {
	list := make([]Reg, e.width)
	for l := range list {
		list[l] = f(l)
	}
	e.keepLanes(v, mask, Inst{Op: OpBuild, Args: list})
}

// eachActiveLane computes in the lanes of the mask alone.
func (e *emitter) eachActiveLane(v *Value, mask Reg, f func(l int) Reg) {
	var dst Reg
	if v.Kind != Void {
		dst = e.vectorPlace(v)
	}
	e.forLanes(mask, func(l int) {
		if r := f(l); r != NoReg && v.Kind != Void {
			e.emitTo(dst, Inst{Op: OpInsert, Args: []Reg{dst, r}, Imm: uint64(l)})
		}
	})
}

// forLanes emits f for each lane, under a test of the lane's bit if there is a mask.
func (e *emitter) forLanes(mask Reg, f func(l int)) {
	if e.width == 1 || mask == NoReg {
		for l := range e.width {
			f(l)
		}
		return
	}
	// One conversion of the mask to bits, and a test a lane: extracting a lane
	// of the mask costs more.
	bits := e.emitNew(scalarType(I32), OpBits, 0, mask)
	for l := range e.width {
		is := e.emitNew(scalarType(I32), OpAnd, 0, bits, e.constantReg(I32, 1<<l))
		e.emitOnly(Inst{Op: OpIf, Args: []Reg{e.emitNew(scalarType(Bool), OpBool, 0, is)}})
		f(l)
		e.emitOnly(Inst{Op: OpEnd})
	}
}

// Registers.

// regPlace is the register of the code for one of the form. Both emitters share those that
// are the same for the group.
func (e *emitter) regPlace(r *Register) Reg {
	list, t := e.rscalar, scalarType(r.Kind)
	switch e.a.regs[r.id].Level {
	case Varying:
		list, t = e.rvector, e.vectorType(r.Kind)
	case Group:
		list = e.shared.regs
	}
	if list[r.id] == NoReg {
		list[r.id] = e.newReg(t)
	}
	return list[r.id]
}

func (e *emitter) readRegister(v *Value, mask Reg) {
	from := e.regPlace(v.Reg)
	switch {
	case e.a.classOf(v).Level != Varying:
		e.emitTo(e.scalarPlace(v), Inst{Op: OpCopy, Args: []Reg{from}})
	case e.a.regs[v.Reg.id].Level == Varying:
		e.keepLanes(v, mask, Inst{Op: OpCopy, Args: []Reg{from}})
	default: // it outlives a loop that lanes leave at different times
		e.keepLanes(v, mask, e.spreadInst(from, e.a.regs[v.Reg.id]))
	}
}

// spreadInst makes a vector of a scalar of a class.
func (e *emitter) spreadInst(s Reg, c Class) Inst {
	if c.Level != Strided {
		return Inst{Op: OpSplat, Args: []Reg{s}}
	}
	t := e.vectorType(I32)
	return Inst{Op: OpAdd, Args: []Reg{e.emitNew(t, OpSplat, 0, s), e.emitNew(t, OpIota, uint64(uint32(c.Stride)))}}
}

// writeRegister sets a register in the lanes of the mask; the others keep their value,
// except in a phi of a loop, which they do not need any more.
func (e *emitter) writeRegister(v *Value, mask Reg) {
	dst := e.regPlace(v.Reg)
	if e.a.regs[v.Reg.id].Level != Varying {
		e.emitTo(dst, Inst{Op: OpCopy, Args: []Reg{e.scalarOf(v.Args[0])}})
		return
	}
	from := e.vectorOf(v.Args[0])
	if mask == NoReg || e.loopPhi(v.Reg) {
		e.emitTo(dst, Inst{Op: OpCopy, Args: []Reg{from}})
		return
	}
	e.emitTo(dst, Inst{Op: OpSelect, Args: []Reg{mask, from, dst}})
}

// loopPhi reports whether a register is a phi of a loop with one way in and one back: a
// lane that is not in the mask has left the loop, or was never in it.
func (e *emitter) loopPhi(r *Register) bool {
	if r.Of == nil {
		return false
	}
	l := e.a.loop[r.Of.id]
	return l != nil && l.header == r.Of.id && l.single
}
