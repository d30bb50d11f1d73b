package lanes

import (
	"errors"
	"fmt"

	"offlink/lazy"
)

// ErrUnsupported is wrapped by the errors of this package: the kernel must be run
// in another way.
var ErrUnsupported = errors.New("not supported by the compiler of work-groups")

// Unsupported makes an ErrUnsupported that names its subject.
func Unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnsupported, fmt.Sprintf(format, args...))
}

// Kind is the kind of a scalar.
type Kind uint8

// The kinds. A Bool is 0 or 1; as a vector, a lane is 0 or all ones.
const (
	Void Kind = iota
	Bool
	I32
	I64
	F32
	F64
)

var kindNames = [...]string{"void", "bool", "i32", "i64", "f32", "f64"}

func (k Kind) String() string { return kindNames[k] }

// Wide tells whether a scalar takes 64 bits.
func (k Kind) Wide() bool { return k == I64 || k == F64 }

// Op is an operation of the form, and of the code that is made of it.
type Op uint8

// The operations. Operands and result are of one kind unless the comment says otherwise.
const (
	OpInvalid Op = iota

	// Without operands.
	OpConst   // Imm: its bits
	OpArg     // Imm: its offset in the record of the launch
	OpLocalID // Imm: the dimension; I32
	OpGroupID // Imm: the dimension; I32
	OpFrame   // Imm: an offset in the private memory that has addresses; I32
	OpGet     // the value of Reg

	// Integers.
	OpAdd
	OpSub
	OpMul
	OpUDiv // by 0: 0
	OpSDiv // by 0: 0; the least number by -1: that number
	OpURem // by 0: the dividend
	OpSRem // by 0: the dividend
	OpAnd
	OpOr
	OpXor
	OpShl // the amount is taken modulo the width
	OpLShr
	OpAShr
	OpClz
	OpCtz
	OpPopcnt
	OpSExt8  // of the low 8 bits
	OpSExt16 // of the low 16 bits
	OpEq     // to Bool; also of floats, ordered
	OpNe     // to Bool; also of floats, unordered
	OpULt
	OpULe
	OpSLt
	OpSLe

	// Floats.
	OpFAdd
	OpFSub
	OpFMul
	OpFDiv
	OpFNeg
	OpFAbs
	OpFSqrt
	OpFCeil
	OpFFloor
	OpFTrunc
	OpFNearest
	OpFMin // NaN if one is
	OpFMax
	OpFLt // to Bool, ordered
	OpFLe

	// Conversions.
	OpZExt   // I32 to I64
	OpSExt   // I32 to I64
	OpWrap   // I64 to I32
	OpHigh   // the high half of an I64, to I32
	OpPair   // Args: the low and the high half; two I32 to I64
	OpSToF   // of I32 or I64
	OpUToF   // of I32 or I64
	OpFToS   // saturating; NaN to 0
	OpFToU   // saturating; NaN to 0
	OpFWiden // F32 to F64
	OpFNarrow
	OpCast // the same bits
	OpBool // I32 to Bool: is not 0
	OpInt  // Bool to I32

	OpSelect // Args: condition, if true, if false

	// Memory. Imm: the size in bytes; Off is added to the address.
	OpLoad   // Args: address
	OpStore  // Args: address, value
	OpAtomic // of integers; floats go as their bits
	OpFence

	// An array that every work-item has for itself: elements of one kind.
	OpPrivateLoad  // Args: index; Imm: offset of the array
	OpPrivateStore // Args: index, value

	// Of the work-items of a step together.
	OpFromLane // Args: value; Imm: the lane; the same for the step
	OpToLane   // Args: value, the value of the lane of Imm instead
	OpShuffle  // Args: value, the lane to read; the lane's own value if that one is not active
	OpActive   // an I32 with a bit for each lane that comes here
	OpTogether // stops unless all lanes come here
	OpFirst    // Args: value; that of the first lane that comes here, the same for the step

	OpSet    // Args: value; of Reg
	OpHost   // a function of the host: see HostCall
	OpTrap   // Imm: a Trap
	OpTrapIf // Args: a Bool; Imm: a Trap, if it holds in a lane that comes here

	// Only in code.
	OpSplat   // a scalar in every lane
	OpIota    // Imm times the number of the lane, I32
	OpExtract // Imm: the lane
	OpInsert  // Args: vector, scalar; Imm: the lane
	OpBuild   // Args: a scalar for each lane
	OpEvery2  // Args: address: a load of every second element of 32 bits; nothing beyond them is read
	OpAny     // of a mask, to a scalar Bool
	OpAll
	OpBits // a mask to an I32 with a bit for each lane
	OpCopy
	OpTick // counts an iteration; Args: the local id of the first work-item, for messages
	OpFill // Args: address, size: zeroes
	OpBlock
	OpLoop
	OpIf // Args: condition
	OpElse
	OpEnd
	OpBr   // Imm: the label of a block or loop
	OpBrIf // Args: condition
	OpReturn
)

// Trap is why code stopped itself.
type Trap uint32

// The traps.
const (
	TrapNone Trap = iota
	TrapUnreachable
	TrapBarrier   // work-items of a group wait in different places
	TrapUnaligned // an atomic access
	TrapBounds    // an access beyond its bounds; the record says more
	TrapSubgroup  // not all work-items of a sub-group come here
	TrapCallee    // a call through a number that does not stand for a function
	TrapDivision  // of an integer by zero
)

// AtomicOp is the operation of an OpAtomic; its Args are the address, and for some a
// value and a comparator.
type AtomicOp uint8

// The atomic operations.
const (
	AtomicLoad AtomicOp = iota
	AtomicStore
	AtomicExchange
	AtomicCompareExchange // Args: address, value, comparator
	AtomicAdd
	AtomicSub
	AtomicAnd
	AtomicOr
	AtomicXor
	AtomicSMin
	AtomicSMax
	AtomicUMin
	AtomicUMax
	AtomicFAdd
	AtomicFMin // a NaN gives way to a number
	AtomicFMax
)

// HostCall is a function of the host that computes words of words.
type HostCall struct {
	Number  int
	Results int
	Effect  bool // it does more than compute: it prints, or writes to memory
}

// Register is a place that may be set more than once.
type Register struct {
	Kind Kind
	Low  *Register // of an I64: its low half
	// Of is the block of a phi: all sets of the register stand before branches to
	// it, and all gets at its start. It is nil for other registers.
	Of *Block

	live bool
	id   int
}

// Value is one operation.
type Value struct {
	Op     Op
	Kind   Kind
	Args   []*Value
	Imm    uint64
	Off    uint32
	Reg    *Register
	Atomic AtomicOp
	Host   *HostCall
	Bounds *Bounds
	Words  bool   // of an OpLoad or OpStore of 64 bits: two accesses to words that lie side by side
	Fixed  bool   // of an OpLoad: the memory does not change during a launch
	Site   int    // Function.Site when it was made
	Source *Value // of an extra result of an OpHost: the call
	Block  *Block

	low  *Value // of an I64: its low half
	id   int
	live bool
}

// TermKind is how a block ends.
type TermKind uint8

// The ends of blocks.
const (
	Jump    TermKind = iota // to Succs[0]
	Branch                  // on Cond: to Succs[0] if it holds, else to Succs[1]
	Switch                  // on Cond: to the case's, else to the last of Succs
	Return                  // the work-item ends
	Barrier                 // waits for the group; goes on in Succs[0]
)

// Bounds is the range that an access must stay in: Len bytes from the address Base on;
// of an OpPrivateLoad and OpPrivateStore, the elements from index 0 on. Stores
// have Writable bytes, Len if that is nil. An access beyond them faults; but if
// Table is set, it does so only if the table of allocations does not allow it
// either, and Base is Foreign for a pointer that is not of the device's memory.
type Bounds struct {
	Base, Len, Writable *Value
	Table               bool
	Memory              string // its kind, for messages
	Own                 bool   // no other work-group can reach it
	Looked              bool   // the table told it
	Index               Index
	// High is the high half of the address in 64 bits, and Region that of all memory: where
	// they differ, the low half says nothing. Both are nil if they cannot differ.
	High, Region *Value
}

// Index is the number that an address of 32 bits was computed from, where the product may
// have wrapped around: then the number is checked, and not the address. The address in 64
// bits is From + V*Scale + Shift + the Off of the access.
type Index struct {
	V, From *Value // I32; V is nil if the address itself can be checked
	Scale   uint32
	Signed  bool // V is a signed number
	Shift   int64
}

// atOffset is the bounds of an access part of whose distance is its Off.
func (x *Bounds) atOffset(off uint32) *Bounds {
	if x == nil || x.Index.V == nil || off == 0 {
		return x
	}
	less := *x
	less.Index.Shift -= int64(off)
	return &less
}

// Foreign is the Base of the Bounds of a pointer to elsewhere. Allocations are
// aligned, so that none starts there.
const Foreign = 1

// limitValue is the number of bytes that v is checked against: those that may be written
// if it changes memory, else Len.
func (v *Value) limitValue() *Value {
	if v.Bounds.Writable != nil && v.changesMemory() {
		return v.Bounds.Writable
	}
	return v.Bounds.Len
}

// changesMemory tells whether an access changes memory.
func (v *Value) changesMemory() bool {
	return v.Op == OpStore || v.Op == OpPrivateStore || v.Op == OpAtomic && v.Atomic != AtomicLoad
}

// operandsOf lists the values that must be there when v is computed: its arguments and
// its bounds.
func (v *Value) operandsOf() []*Value {
	if v.Bounds == nil {
		return v.Args
	}
	list := append(v.Args[:len(v.Args):len(v.Args)], v.Bounds.Base, v.limitValue())
	for _, x := range []*Value{v.Bounds.Index.V, v.Bounds.Index.From, v.Bounds.High, v.Bounds.Region} {
		if x != nil {
			list = append(list, x)
		}
	}
	return list
}

// Block is a basic block.
type Block struct {
	Values []*Value
	Term   TermKind
	Cond   *Value
	Turn   bool // of a branch: the end of a turn of one lane, which takes the first way if there is no other lane
	Succs  []*Block
	Cases  []uint64

	id int // its place in Blocks, after Finish
	f  *Function
}

// Function is a kernel.
type Function struct {
	Name   string
	Blocks []*Block // the first is the entry; after Finish in reverse postorder
	Regs   []*Register
	values []*Value // all that are live, after Finish

	PrivateSize int  // bytes of arrays of OpPrivateLoad, for each work-item
	FrameSize   int  // bytes of private memory that has addresses, for each work-item
	ScratchSize int  // bytes at RecordScratch, for each work-group
	Site        int  // the construct being made, for messages: the caller's number
	LanesMeet   bool // a step is a sub-group: see releaseWaiters
	consts      map[constKey]*Value
	args        map[constKey]*Value
}

type constKey struct {
	kind Kind
	bits uint64
}

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
