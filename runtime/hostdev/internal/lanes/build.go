package lanes

import "offlink/lazy"

// Functions are built block by block.

// NewFunction returns a function with an entry block.
func NewFunction(name string) *Function {
	f := &Function{Name: name, consts: map[constKey]*Value{}, args: map[constKey]*Value{}}
	f.NewBlock()
	return f
}

// NewBlock appends a block, which returns.
func (f *Function) NewBlock() *Block {
	b := &Block{f: f, Term: Return}
	f.Blocks = append(f.Blocks, b)
	return b
}

// NewRegister returns a register; one of 64 bits has a register for its low
// half.
func (f *Function) NewRegister(k Kind) *Register {
	r := &Register{Kind: k}
	if k == I64 {
		r.Low = f.NewRegister(I32)
	}
	f.Regs = append(f.Regs, r)
	return r
}

// Const returns a constant.
func (f *Function) Const(k Kind, bits uint64) *Value {
	if !k.Wide() {
		bits = uint64(uint32(bits))
	}
	key := constKey{k, bits}
	v := f.consts[key]
	if v == nil {
		v = &Value{Op: OpConst, Kind: k, Imm: bits}
		f.consts[key] = v
		if k == I64 {
			v.low = f.Const(I32, bits)
		}
	}
	return v
}

// Arg returns a value of the launch's record.
func (f *Function) Arg(k Kind, offset uint32) *Value {
	key := constKey{k, uint64(offset)}
	v := f.args[key]
	if v == nil {
		v = &Value{Op: OpArg, Kind: k, Imm: uint64(offset)}
		f.args[key] = v
		if k == I64 {
			v.low = f.Arg(I32, offset)
		}
	}
	return v
}

// appendValue appends a value to the block.
func (b *Block) appendValue(v *Value) *Value {
	v.Block, v.Site = b, b.f.Site
	b.Values = append(b.Values, v)
	return v
}

// Low is the low half of an I64.
func (v *Value) Low() *Value {
	if v.Kind != I64 {
		return v
	}
	return v.low
}

// lowOps are the operations whose low half depends on the low halves alone.
var lowOps = lazy.Map[Op, bool]{New: func() map[Op]bool {
	return map[Op]bool{OpAdd: true, OpSub: true, OpMul: true, OpAnd: true, OpOr: true, OpXor: true}
}}

// Add appends an operation, or returns an equal value that is simpler. It may swap args.
func (b *Block) Add(op Op, k Kind, args ...*Value) *Value {
	if v := b.simplifyValue(op, k, args); v != nil {
		return v
	}
	v := b.appendValue(&Value{Op: op, Kind: k, Args: args})
	if k == I64 {
		v.low = b.lowOf(v)
	}
	return v
}

// lowOf computes the low half next to the value. Finish leaves out those that are not used.
func (b *Block) lowOf(v *Value) *Value {
	switch {
	case lowOps.Get()[v.Op]:
		return b.Add(v.Op, I32, v.Args[0].Low(), v.Args[1].Low())
	case v.Op == OpShl && v.Args[1].Op == OpConst && v.Args[1].Imm < 32:
		return b.Add(OpShl, I32, v.Args[0].Low(), v.Args[1].Low())
	case v.Op == OpZExt || v.Op == OpSExt:
		return v.Args[0]
	case v.Op == OpSelect:
		return b.Add(OpSelect, I32, v.Args[0], v.Args[1].Low(), v.Args[2].Low())
	}
	// Not Add: it would return v.low, which is only being made here.
	return b.appendValue(&Value{Op: OpWrap, Kind: I32, Args: []*Value{v}})
}

// AddLow adds a number of 32 bits to one of 64 whose low half is 0.
func (b *Block) AddLow(base, low *Value) *Value {
	v := b.appendValue(&Value{Op: OpAdd, Kind: I64, Args: []*Value{base, b.Add(OpZExt, I64, low)}})
	v.low = low
	return v
}

// SelectFar appends an address that is y, or x where a condition holds, of which the low half then
// says nothing: it stays that of y, whose lanes often lie side by side.
func (b *Block) SelectFar(cond, x, y *Value) *Value {
	v := b.appendValue(&Value{Op: OpSelect, Kind: I64, Args: []*Value{cond, x, y}})
	v.low = y.low
	return v
}

// Get appends the reading of a register.
func (b *Block) Get(r *Register) *Value {
	v := b.appendValue(&Value{Op: OpGet, Kind: r.Kind, Reg: r})
	if r.Low != nil {
		v.low = b.appendValue(&Value{Op: OpGet, Kind: I32, Reg: r.Low})
	}
	return v
}

// Set appends the setting of a register.
func (b *Block) Set(r *Register, v *Value) {
	b.appendValue(&Value{Op: OpSet, Reg: r, Args: []*Value{v}})
	if r.Low != nil {
		b.appendValue(&Value{Op: OpSet, Reg: r.Low, Args: []*Value{v.Low()}})
	}
}

// ID appends the local or group id of a dimension.
func (b *Block) ID(op Op, dimension int) *Value {
	return b.appendValue(&Value{Op: op, Kind: I32, Imm: uint64(dimension)})
}

// Load appends a load; integers narrower than the kind are zero-extended.
func (b *Block) Load(k Kind, size int, address *Value, bounds *Bounds) *Value {
	address, off := foldOffset(address)
	v := b.appendValue(&Value{Op: OpLoad, Kind: k, Imm: uint64(size), Off: off, Args: []*Value{address}, Bounds: bounds.atOffset(off)})
	if k == I64 {
		v.low = b.appendValue(&Value{Op: OpWrap, Kind: I32, Args: []*Value{v}})
	}
	return v
}

// LoadFixed appends a load from memory that no kernel changes; the address is
// known to be right.
func (b *Block) LoadFixed(k Kind, size int, address *Value) *Value {
	v := b.Load(k, size, address, nil)
	v.Fixed = true
	return v
}

// Store appends a store of the low bytes of a value.
func (b *Block) Store(size int, address, v *Value, bounds *Bounds) {
	address, off := foldOffset(address)
	b.appendValue(&Value{Op: OpStore, Imm: uint64(size), Off: off, Args: []*Value{address, v}, Bounds: bounds.atOffset(off)})
}

// maxOffset bounds the addend of an access. Code adds it to the address without wrapping
// at 32 bits; a sum that would have wrapped is less than maxOffset, where the region has
// no allocation, so that the access faults either way.
const maxOffset = 1 << 15

func foldOffset(address *Value) (*Value, uint32) {
	off := uint32(0)
	for address.Op == OpAdd && address.Args[1].Op == OpConst && uint32(address.Args[1].Imm) < maxOffset-off {
		off += uint32(address.Args[1].Imm)
		address = address.Args[0]
	}
	return address, off
}

// AddAtomic appends an atomic operation on size bytes. Narrow integers are
// zero-extended, as others are.
func (b *Block) AddAtomic(op AtomicOp, k Kind, size int, bounds *Bounds, args ...*Value) *Value {
	v := b.appendValue(&Value{Op: OpAtomic, Atomic: op, Kind: k, Imm: uint64(size), Args: args, Bounds: bounds})
	if op == AtomicStore {
		v.Kind = Void
	}
	if v.Kind == I64 {
		v.low = b.appendValue(&Value{Op: OpWrap, Kind: I32, Args: []*Value{v}})
	}
	return v
}

// PrivateLoad appends a load of an element of an array of the work-item.
func (b *Block) PrivateLoad(k Kind, array int, index *Value, bounds *Bounds) *Value {
	v := b.appendValue(&Value{Op: OpPrivateLoad, Kind: k, Imm: uint64(array), Args: []*Value{index}, Bounds: bounds})
	if k == I64 {
		v.low = b.appendValue(&Value{Op: OpWrap, Kind: I32, Args: []*Value{v}})
	}
	return v
}

// PrivateStore appends a store to an element of an array of the work-item.
func (b *Block) PrivateStore(array int, index, v *Value, bounds *Bounds) {
	b.appendValue(&Value{Op: OpPrivateStore, Imm: uint64(array), Args: []*Value{index, v}, Bounds: bounds})
}

// CallHost appends a call of the host and returns its results, I64 each.
func (b *Block) CallHost(h *HostCall, args []*Value) []*Value {
	call := b.appendValue(&Value{Op: OpHost, Kind: I64, Host: h, Args: args})
	if h.Results == 0 {
		return nil
	}
	call.low = b.appendValue(&Value{Op: OpWrap, Kind: I32, Args: []*Value{call}})
	results := []*Value{call}
	for i := 1; i < h.Results; i++ {
		v := b.appendValue(&Value{Op: OpHost, Kind: I64, Source: call, Imm: uint64(i), Args: []*Value{call}})
		v.low = b.appendValue(&Value{Op: OpWrap, Kind: I32, Args: []*Value{v}})
		results = append(results, v)
	}
	return results
}

// FromLane appends the value of one lane, which all of the step get.
func (b *Block) FromLane(v *Value, lane int) *Value {
	return b.appendTogether(&Value{Op: OpFromLane, Kind: v.Kind, Imm: uint64(lane), Args: []*Value{v}})
}

// ToLane appends a value with another one in one lane.
func (b *Block) ToLane(v, x *Value, lane int) *Value {
	return b.appendTogether(&Value{Op: OpToLane, Kind: v.Kind, Imm: uint64(lane), Args: []*Value{v, x}})
}

// Shuffle appends, for each lane, the value of the lane with a number.
func (b *Block) Shuffle(v, lane *Value) *Value {
	return b.appendTogether(&Value{Op: OpShuffle, Kind: v.Kind, Args: []*Value{v, lane}})
}

func (b *Block) appendTogether(v *Value) *Value {
	b.appendValue(v)
	if v.Kind == I64 {
		v.low = b.appendValue(&Value{Op: OpWrap, Kind: I32, Args: []*Value{v}})
	}
	return v
}

// First appends the value of the first lane that comes here, which all that come here get.
func (b *Block) First(v *Value) *Value {
	return b.appendTogether(&Value{Op: OpFirst, Kind: v.Kind, Args: []*Value{v}})
}

// Active appends the bits of the lanes that come here.
func (b *Block) Active() *Value { return b.appendValue(&Value{Op: OpActive, Kind: I32}) }

// Together appends a stop for lanes that come here without the others.
func (b *Block) Together() { b.appendValue(&Value{Op: OpTogether}) }

// Trap appends a stop.
func (b *Block) Trap(t Trap) { b.appendValue(&Value{Op: OpTrap, Imm: uint64(t)}) }

// TrapIf appends a stop where a condition holds.
func (b *Block) TrapIf(cond *Value, t Trap) {
	b.appendValue(&Value{Op: OpTrapIf, Imm: uint64(t), Args: []*Value{cond}})
}
