package ir

import (
	"offlink/ir/llvmschema"
	"offlink/lazy"
)

// Opcode is the operation of an instruction or constant expression.
type Opcode uint8

// The opcodes. Opcodes without a comment have the operands of the text.
const (
	OpInvalid Opcode = iota

	// Terminators.
	OpRet         // no operand or one
	OpBr          // destination; or condition, two destinations
	OpSwitch      // value, default, then constants and destinations in pairs
	OpIndirectBr  // address, destinations
	OpInvoke      // as OpCall, then the two destinations
	OpCallBr      // as OpCall, then the destinations
	OpResume      // value
	OpCatchSwitch // not decoded further
	OpCatchRet    // not decoded further
	OpCleanupRet  // not decoded further
	OpUnreachable // no operands

	// Unary, binary and comparisons.
	OpFNeg
	OpAdd
	OpFAdd
	OpSub
	OpFSub
	OpMul
	OpFMul
	OpUDiv
	OpSDiv
	OpFDiv
	OpURem
	OpSRem
	OpFRem
	OpShl
	OpLShr
	OpAShr
	OpAnd
	OpOr
	OpXor
	OpICmp // Predicate
	OpFCmp // Predicate

	// Memory.
	OpAlloca  // number of elements; Element, Align
	OpLoad    // pointer; Element, Align, Order, Scope
	OpStore   // value, pointer; Align, Order, Scope
	OpGEP     // pointer, indices; Element
	OpFence   // Order, Scope
	OpCmpXchg // pointer, compare, new; Order, FailureOrder, Scope
	OpAtomicRMW

	// Conversions: one operand.
	OpTrunc
	OpZExt
	OpSExt
	OpFPToUI
	OpFPToSI
	OpUIToFP
	OpSIToFP
	OpFPTrunc
	OpFPExt
	OpPtrToInt
	OpIntToPtr
	OpBitCast
	OpAddrSpaceCast
	OpPtrToAddr

	// Others.
	OpPhi            // values and blocks in pairs
	OpSelect         // condition, two values
	OpCall           // callee, arguments
	OpVAArg          // list; Element
	OpExtractElement // vector, index
	OpInsertElement  // vector, element, index
	OpShuffleVector  // two vectors; Indices
	OpExtractValue   // aggregate; Indices
	OpInsertValue    // aggregate, value; Indices
	OpFreeze         // value
	OpLandingPad     // not decoded further
	OpCatchPad       // not decoded further
	OpCleanupPad     // not decoded further

	// OpDebugRecord is a record of debug information (LLVM 19): its name is in
	// Scope ("value", "declare", "declare_value", "assign", "label"), its
	// operands are metadata.
	OpDebugRecord

	opcodes
)

var opcodeNames = [opcodes]string{
	OpInvalid: "invalid", OpRet: "ret", OpBr: "br", OpSwitch: "switch", OpIndirectBr: "indirectbr",
	OpInvoke: "invoke", OpCallBr: "callbr", OpResume: "resume", OpCatchSwitch: "catchswitch",
	OpCatchRet: "catchret", OpCleanupRet: "cleanupret", OpUnreachable: "unreachable", OpFNeg: "fneg",
	OpAdd: "add", OpFAdd: "fadd", OpSub: "sub", OpFSub: "fsub", OpMul: "mul", OpFMul: "fmul", OpUDiv: "udiv",
	OpSDiv: "sdiv", OpFDiv: "fdiv", OpURem: "urem", OpSRem: "srem", OpFRem: "frem", OpShl: "shl",
	OpLShr: "lshr", OpAShr: "ashr", OpAnd: "and", OpOr: "or", OpXor: "xor", OpICmp: "icmp", OpFCmp: "fcmp",
	OpAlloca: "alloca", OpLoad: "load", OpStore: "store", OpGEP: "getelementptr", OpFence: "fence",
	OpCmpXchg: "cmpxchg", OpAtomicRMW: "atomicrmw", OpTrunc: "trunc", OpZExt: "zext", OpSExt: "sext",
	OpFPToUI: "fptoui", OpFPToSI: "fptosi", OpUIToFP: "uitofp", OpSIToFP: "sitofp", OpFPTrunc: "fptrunc",
	OpFPExt: "fpext", OpPtrToInt: "ptrtoint", OpIntToPtr: "inttoptr", OpBitCast: "bitcast",
	OpAddrSpaceCast: "addrspacecast", OpPtrToAddr: "ptrtoaddr", OpPhi: "phi", OpSelect: "select",
	OpCall: "call", OpVAArg: "va_arg", OpExtractElement: "extractelement", OpInsertElement: "insertelement",
	OpShuffleVector: "shufflevector", OpExtractValue: "extractvalue", OpInsertValue: "insertvalue",
	OpFreeze: "freeze", OpLandingPad: "landingpad", OpCatchPad: "catchpad", OpCleanupPad: "cleanuppad",
	OpDebugRecord: "#dbg",
}

var opcodeByName = lazy.Map[string, Opcode]{New: func() map[string]Opcode {
	table := make(map[string]Opcode, opcodes)
	for op, name := range opcodeNames {
		table[name] = Opcode(op)
	}
	return table
}}

// String returns the keyword of text.
func (o Opcode) String() string {
	if o < opcodes {
		return opcodeNames[o]
	}
	return opcodeNames[OpInvalid]
}

// ParseOpcode returns the opcode of that keyword, or OpInvalid if there is none.
func ParseOpcode(keyword []byte) Opcode { return opcodeByName.Get()[string(keyword)] }

// IsTerminator reports whether the instruction ends a block.
func (o Opcode) IsTerminator() bool { return o >= OpRet && o <= OpUnreachable }

// Flags are the flags of an instruction.
type Flags uint32

// The flags. Those from FlagReassoc to FlagApprox are the fast-math flags.
const (
	FlagNUW Flags = 1 << iota
	FlagNSW
	FlagExact
	FlagDisjoint
	FlagNNeg
	FlagSameSign
	FlagInBounds
	FlagNUSW
	FlagVolatile
	FlagAtomic
	FlagWeak
	FlagTail
	FlagMustTail
	FlagNoTail
	FlagReassoc
	FlagNoNaNs
	FlagNoInfs
	FlagNoSignedZeros
	FlagReciprocal
	FlagContract
	FlagApprox

	// FlagsFast is the set that text writes as "fast".
	FlagsFast = FlagReassoc | FlagNoNaNs | FlagNoInfs | FlagNoSignedZeros | FlagReciprocal | FlagContract | FlagApprox
)

var flagByName = lazy.Map[string, Flags]{New: func() map[string]Flags {
	return map[string]Flags{
		"nuw": FlagNUW, "nsw": FlagNSW, "exact": FlagExact, "disjoint": FlagDisjoint, "nneg": FlagNNeg,
		"samesign": FlagSameSign, "inbounds": FlagInBounds | FlagNUSW, "nusw": FlagNUSW, "volatile": FlagVolatile,
		"atomic": FlagAtomic, "weak": FlagWeak, "tail": FlagTail, "musttail": FlagMustTail, "notail": FlagNoTail,
		"reassoc": FlagReassoc, "nnan": FlagNoNaNs, "ninf": FlagNoInfs, "nsz": FlagNoSignedZeros,
		"arcp": FlagReciprocal, "contract": FlagContract, "afn": FlagApprox, "fast": FlagsFast,
	}
}}

// ParseFlag returns the flags of that keyword, or 0 if it is not one of a flag.
func ParseFlag(keyword []byte) Flags { return flagByName.Get()[string(keyword)] }

// Predicate is the predicate of a comparison, with LLVM's number.
type Predicate uint8

// The predicates of fcmp.
const (
	FCmpFalse Predicate = iota
	FCmpOEQ
	FCmpOGT
	FCmpOGE
	FCmpOLT
	FCmpOLE
	FCmpONE
	FCmpORD
	FCmpUNO
	FCmpUEQ
	FCmpUGT
	FCmpUGE
	FCmpULT
	FCmpULE
	FCmpUNE
	FCmpTrue
)

// The predicates of icmp.
const (
	ICmpEQ Predicate = 32 + iota
	ICmpNE
	ICmpUGT
	ICmpUGE
	ICmpULT
	ICmpULE
	ICmpSGT
	ICmpSGE
	ICmpSLT
	ICmpSLE
)

var (
	fcmpNames = [...]string{"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "uno", "ueq", "ugt", "uge", "ult", "ule", "une", "true"}
	icmpNames = [...]string{"eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"}
)

// ParsePredicate returns the predicate of an icmp or fcmp.
func ParsePredicate(op Opcode, keyword []byte) (Predicate, bool) {
	names, first := fcmpNames[:], FCmpFalse
	if op == OpICmp {
		names, first = icmpNames[:], ICmpEQ
	}
	for i, name := range names {
		if name == string(keyword) {
			return first + Predicate(i), true
		}
	}
	return 0, false
}

// String returns the keyword.
func (p Predicate) String() string {
	switch {
	case int(p) < len(fcmpNames):
		return fcmpNames[p]
	case p >= ICmpEQ && int(p-ICmpEQ) < len(icmpNames):
		return icmpNames[p-ICmpEQ]
	}
	return "unknown predicate"
}

// AtomicOperation is the operation of an atomicrmw, with LLVM's number.
type AtomicOperation uint8

// The operations of atomicrmw; the schema has their keywords.
const (
	RMWXchg AtomicOperation = iota
	RMWAdd
	RMWSub
	RMWAnd
	RMWNand
	RMWOr
	RMWXor
	RMWMax
	RMWMin
	RMWUMax
	RMWUMin
	RMWFAdd
	RMWFSub
	RMWFMax
	RMWFMin
	RMWUIncWrap
	RMWUDecWrap
	RMWUSubCond
	RMWUSubSat
	RMWFMaximum
	RMWFMinimum
)

// ParseAtomicOperation returns the operation of that keyword.
func ParseAtomicOperation(keyword []byte) (AtomicOperation, bool) {
	for i := range llvmschema.AtomicOperations {
		if llvmschema.AtomicOperations[i].Name == string(keyword) {
			return AtomicOperation(i), true
		}
	}
	return 0, false
}

// String returns the keyword.
func (o AtomicOperation) String() string {
	if int(o) < len(llvmschema.AtomicOperations) {
		return llvmschema.AtomicOperations[o].Name
	}
	return "unknown operation"
}

// Ordering is a memory ordering.
type Ordering uint8

// The orderings, with the numbers that bitcode uses.
const (
	NotAtomic Ordering = iota
	Unordered
	Monotonic
	Acquire
	Release
	AcquireRelease
	SequentiallyConsistent
)

var orderingNames = [...]string{"notatomic", "unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst"}

// ParseOrdering returns the ordering of that keyword.
func ParseOrdering(keyword []byte) (Ordering, bool) {
	for i, name := range orderingNames {
		if name == string(keyword) {
			return Ordering(i), true
		}
	}
	return 0, false
}

// String returns the keyword.
func (o Ordering) String() string {
	if int(o) < len(orderingNames) {
		return orderingNames[o]
	}
	return "unknown ordering"
}
