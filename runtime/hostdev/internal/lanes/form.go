package lanes

import (
	"errors"
	"fmt"
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
	Joint  bool // of a barrier: work-items that have ended must come too
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
