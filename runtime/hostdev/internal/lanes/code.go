package lanes

import (
	"fmt"
	"strings"

	"offlink/lazy"
)

// Type is the type of a register of code: a scalar, or Lanes of them.
type Type struct {
	Kind  Kind
	Lanes int // 1 for a scalar
}

func (t Type) String() string {
	if t.Lanes == 1 {
		return t.Kind.String()
	}
	return fmt.Sprintf("%vx%d", t.Kind, t.Lanes)
}

// Reg is a register of code; NoReg stands for none. All are zero at first.
type Reg int32

// NoReg stands for the lack of a register.
const NoReg Reg = -1

// Inst is an instruction of code.
type Inst struct {
	Op     Op
	Type   Type // of the result; of the stored value
	Dst    Reg
	Args   []Reg
	Imm    uint64
	Off    uint32
	Atomic AtomicOp
	Host   *HostCall
}

// Code is the function that runs work-groups. Its parameters, registers 0 to
// 2, are the address of the launch's record, the number of the first
// work-group and the number after the last; it returns nothing.
type Code struct {
	Name  string
	Regs  []Type
	Insts []Inst

	ContextSize int // bytes of a work-item's slots
	PrivateSize int
	FrameSize   int
	ScratchSize int
	Items       bool // private memory and slots are for each work-item of the group, not for each of a step
	Width       int
	Diverges    bool // there are loops that the lanes of a step leave at different times

	Sites []*Value // that may stop the code

	joins int // ends of blocks that are reached in more than one way
}

// NumParams is how many of the registers are parameters.
const NumParams = 3

// String is the code as text, for people.
func (c *Code) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "func %s\n", c.Name)
	depth := 1
	for i := range c.Insts {
		in := &c.Insts[i]
		if in.Op == OpEnd || in.Op == OpElse {
			depth--
		}
		fmt.Fprintf(&s, "%s%v\n", strings.Repeat("  ", depth), in)
		if in.Op == OpBlock || in.Op == OpLoop || in.Op == OpIf || in.Op == OpElse {
			depth++
		}
	}
	return s.String()
}

func (in *Inst) String() string {
	var s strings.Builder
	if in.Dst != NoReg {
		fmt.Fprintf(&s, "r%d = ", in.Dst)
	}
	s.WriteString(opNames[in.Op])
	if in.Op == OpAtomic {
		fmt.Fprintf(&s, ".%d", in.Atomic)
	}
	if in.Type.Kind != Void {
		fmt.Fprintf(&s, " %v", in.Type)
	}
	for _, a := range in.Args {
		fmt.Fprintf(&s, " r%d", a)
	}
	if immOps.Get()[in.Op] {
		fmt.Fprintf(&s, " %#x", in.Imm)
	}
	if in.Off != 0 {
		fmt.Fprintf(&s, " +%d", in.Off)
	}
	return s.String()
}

var immOps = lazy.Map[Op, bool]{New: func() map[Op]bool {
	return map[Op]bool{
		OpConst: true, OpArg: true, OpLoad: true, OpStore: true, OpIota: true, OpExtract: true, OpInsert: true,
		OpBr: true, OpBrIf: true, OpBlock: true, OpLoop: true, OpTrap: true, OpAtomic: true,
	}
}}

var opNames = [...]string{
	OpConst: "const", OpArg: "arg", OpLocalID: "local_id", OpGroupID: "group_id", OpFrame: "frame", OpGet: "get",
	OpAdd: "add", OpSub: "sub", OpMul: "mul", OpUDiv: "udiv", OpSDiv: "sdiv", OpURem: "urem", OpSRem: "srem",
	OpAnd: "and", OpOr: "or", OpXor: "xor", OpShl: "shl", OpLShr: "lshr", OpAShr: "ashr",
	OpClz: "clz", OpCtz: "ctz", OpPopcnt: "popcnt", OpSExt8: "sext8", OpSExt16: "sext16",
	OpEq: "eq", OpNe: "ne", OpULt: "ult", OpULe: "ule", OpSLt: "slt", OpSLe: "sle",
	OpFAdd: "fadd", OpFSub: "fsub", OpFMul: "fmul", OpFDiv: "fdiv", OpFNeg: "fneg", OpFAbs: "fabs", OpFSqrt: "fsqrt",
	OpFCeil: "fceil", OpFFloor: "ffloor", OpFTrunc: "ftrunc", OpFNearest: "fnearest", OpFMin: "fmin", OpFMax: "fmax", OpFLt: "flt", OpFLe: "fle",
	OpZExt: "zext", OpSExt: "sext", OpWrap: "wrap", OpHigh: "high", OpPair: "pair", OpSToF: "stof", OpUToF: "utof", OpFToS: "ftos", OpFToU: "ftou",
	OpFWiden: "fwiden", OpFNarrow: "fnarrow", OpCast: "cast", OpBool: "bool", OpInt: "int", OpSelect: "select",
	OpLoad: "load", OpStore: "store", OpAtomic: "atomic", OpFence: "fence",
	OpFromLane: "from_lane", OpToLane: "to_lane", OpShuffle: "shuffle", OpActive: "active", OpTogether: "together", OpFirst: "first",
	OpPrivateLoad: "private_load", OpPrivateStore: "private_store", OpSet: "set", OpHost: "host", OpTrap: "trap", OpTrapIf: "trap_if",
	OpSplat: "splat", OpIota: "iota", OpExtract: "extract", OpInsert: "insert", OpBuild: "build", OpEvery2: "every2", OpAny: "any", OpAll: "all", OpBits: "bits",
	OpCopy: "copy", OpTick: "tick", OpFill: "fill", OpBlock: "block", OpLoop: "loop", OpIf: "if", OpElse: "else",
	OpEnd: "end", OpBr: "br", OpBrIf: "br_if", OpReturn: "return",
}

// The record of a launch, which the code reads at the address that it is
// given: offsets in bytes. Numbers have 32 bits unless the comment says otherwise.
const (
	RecordLocal     = 0   // three: the size of the work-groups
	RecordGroups    = 12  // three: the number of those that the code is to run
	RecordItem      = 24  // three, written: the local id of the first work-item of the step
	RecordGroup     = 36  // written: the number of the work-group
	RecordMemory    = 40  // the address of local memory
	RecordRoom      = 44  // its size
	RecordPrivate   = 48  // the address of arrays of work-items
	RecordFrame     = 52  // the address of private memory that has addresses
	RecordContext   = 56  // the address of the slots of work-items
	RecordCall      = 60  // the address where calls of the host have their words
	RecordBase      = 64  // 64 bits: the host's address of offset 0
	RecordFrames    = 76  // the size of that memory
	RecordTrap      = 72  // written: why the code stopped itself
	RecordFault     = 136 // written: where and why an access was out of bounds, see FaultDistance
	RecordScratch   = 156 // the address of memory that a work-group uses together
	RecordGlobal    = 80  // three of 64 bits: the global size
	RecordOffset    = 104 // three of 64 bits: the global offset
	RecordDims      = 128 // 64 bits: the dimensions
	RecordStop      = 160 // written by the host: the code comes back soon
	RecordBudget    = 164 // the address of the RecordTicks that the workers of a launch share
	RecordTicks     = 168 // 64 bits, written: the rest of the budget, in ticks; only in one worker's record
	RecordFar       = 176 // written: a number that tells how far FaultDistance really is, see Value.Far
	RecordFirst     = 180 // three: the number of the first of these work-groups
	RecordStart     = 192 // three: the global id of its first work-item, without the offset
	RecordEnqueued  = 204 // three: the local size of the launch
	RecordAllGroups = 216 // three: the number of its work-groups
	RecordWords     = 232 // the words of the arguments, 64 bits each; then their bounds and those that are passed by value
)

// The code writes at RecordFault: the distance from the base, the stride from
// lane to lane, the bits of the lanes that are out of bounds if that is 0 and
// they vary, and the number of bytes that there are. The distances of lanes
// that vary are at RecordCall, 32 bits each. Of an access that the table of
// allocations has refused, the distance is the address and the stride the base.
const (
	FaultDistance = RecordFault + 4*iota
	FaultStride
	FaultLanes
	FaultLen
	FaultSite // the index in Code.Sites, also of other traps at a value
)
