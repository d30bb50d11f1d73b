package fromir

import (
	"fmt"

	"offlink/ir"
	"offlink/lazy"
	"offlink/spirv"
)

// scopes maps the names of synchronisation scopes of LLVM IR to Scope (SPIR-V).
var scopes = lazy.Map[string, uint32]{New: func() map[string]uint32 {
	return map[string]uint32{
		"": scopeCrossDevice, "all_svm_devices": scopeCrossDevice, "device": scopeDevice, "workgroup": scopeWorkgroup,
		"subgroup": scopeSubgroup, "sub_group": scopeSubgroup, "work_item": scopeInvocation, "singlethread": scopeInvocation,
	}
}}

// memoryScope returns the constant of an instruction's scope. An unknown scope is the widest,
// which is always correct.
func (f *function) memoryScope(in *ir.Instruction) id {
	n, ok := scopes.Get()[in.Scope]
	if !ok {
		n = scopeCrossDevice
	}
	return f.constWord(n)
}

// orderSemantics returns the bits of memory semantics for an ordering; weaker ones have none.
func orderSemantics(o ir.Ordering) uint32 {
	switch o {
	case ir.Acquire:
		return semAcquire
	case ir.Release:
		return semRelease
	case ir.AcquireRelease:
		return semAcquireRelease
	case ir.SequentiallyConsistent:
		return semSequential
	}
	return 0
}

// pointerSemantics returns the bits of memory semantics for the memory of an address space.
func pointerSemantics(space uint32) uint32 {
	switch space {
	case 1, 5, 6:
		return semCrossWorkgroup
	case 3:
		return semWorkgroup
	}
	return 0
}

// memorySemantics returns the constant of an ordering and the memory of a pointer.
func (f *function) memorySemantics(o ir.Ordering, pointer ir.Value) id {
	return f.constWord(orderSemantics(o) | pointerSemantics(f.moduleType(pointer.Type).AddressSpace))
}

// atomicLoad writes an atomic load.
func (f *function) atomicLoad(i int, in *ir.Instruction) {
	typ := f.resultType(i)
	pointer := f.operandID(in.Operands[0], f.pointerType(typ, f.moduleType(in.Operands[0].Type).AddressSpace))
	f.atomicNeeds(spirv.OpAtomicLoad, in.Type)
	f.emitAs(i, spirv.OpAtomicLoad, typ, pointer, f.memoryScope(in), f.memorySemantics(in.Order, in.Operands[0]))
}

// atomicStore writes an atomic store.
func (f *function) atomicStore(in *ir.Instruction) {
	value, pointer := f.storeOperands(in)
	f.atomicNeeds(spirv.OpAtomicStore, in.Operands[0].Type)
	f.emitPlain(spirv.OpAtomicStore, pointer, f.memoryScope(in), f.memorySemantics(in.Order, in.Operands[1]), value)
}

// rmwOpcodes are the instructions of atomicrmw by operation. RMWFSub adds the negated value.
var rmwOpcodes = lazy.Map[ir.AtomicOperation, spirv.Opcode]{New: func() map[ir.AtomicOperation]spirv.Opcode {
	return map[ir.AtomicOperation]spirv.Opcode{
		ir.RMWXchg: spirv.OpAtomicExchange, ir.RMWAdd: spirv.OpAtomicIAdd, ir.RMWSub: spirv.OpAtomicISub, ir.RMWAnd: spirv.OpAtomicAnd,
		ir.RMWOr: spirv.OpAtomicOr, ir.RMWXor: spirv.OpAtomicXor, ir.RMWMax: spirv.OpAtomicSMax, ir.RMWMin: spirv.OpAtomicSMin,
		ir.RMWUMax: spirv.OpAtomicUMax, ir.RMWUMin: spirv.OpAtomicUMin, ir.RMWFAdd: spirv.OpAtomicFAddEXT,
		ir.RMWFSub: spirv.OpAtomicFAddEXT, ir.RMWFMax: spirv.OpAtomicFMaxEXT, ir.RMWFMin: spirv.OpAtomicFMinEXT,
	}
}}

// readModifyWrite writes an atomicrmw. There is no subtraction of floating-point numbers: the
// negated value is added.
func (f *function) readModifyWrite(i int, in *ir.Instruction) {
	op, ok := rmwOpcodes.Get()[in.Operation]
	if !ok {
		f.failKind(ErrorInstruction, fmt.Sprint("atomicrmw ", in.Operation), "atomicrmw %v has no counterpart in SPIR-V", in.Operation)
	}
	typ := f.resultType(i)
	space := f.moduleType(in.Operands[0].Type).AddressSpace
	pointer := f.operandID(in.Operands[0], f.pointerType(typ, space))
	scope, semantics := f.memoryScope(in), f.memorySemantics(in.Order, in.Operands[0])
	value := f.operandID(in.Operands[1], f.pointerWant(in.Type, typ))
	f.atomicNeeds(op, in.Type)
	if in.Operation == ir.RMWFSub {
		value = f.emitResult(spirv.OpFNegate, typ, value)
	}
	n := f.emitAs(i, op, typ, pointer, scope, semantics, value)
	if in.Flags&ir.FlagVolatile != 0 {
		f.b.decorateID(n, decVolatile)
	}
}

// pointerWant returns the type to which an operand of type n is cast: typ for a pointer, 0,
// which is its own, for other values.
func (f *function) pointerWant(n ir.TypeID, typ id) id {
	if f.isPointer(n) {
		return typ
	}
	return 0
}

// compareExchange writes a cmpxchg. Its result is a struct of the value that was in memory
// and whether that is the one it was compared with.
func (f *function) compareExchange(i int, in *ir.Instruction) {
	value := in.Operands[1].Type
	pointee := noTerm
	if f.isPointer(value) {
		f.failf("a cmpxchg of pointers")
	}
	typ := f.valueType(value, pointee)
	space := f.moduleType(in.Operands[0].Type).AddressSpace
	pointer := f.operandID(in.Operands[0], f.pointerType(typ, space))
	f.atomicNeeds(spirv.OpAtomicCompareExchange, value)
	compare, replace := f.valueID(in.Operands[1]), f.valueID(in.Operands[2])
	old := f.emitResult(spirv.OpAtomicCompareExchange, typ, pointer, f.memoryScope(in), f.memorySemantics(in.Order, in.Operands[0]),
		f.memorySemantics(in.FailureOrder, in.Operands[0]), replace, compare)
	same := f.emitResult(spirv.OpIEqual, f.boolType(), old, compare)
	pair := f.resultType(i)
	first := f.emitResult(spirv.OpCompositeInsert, pair, old, f.constUndef(pair), 0)
	f.emitAs(i, spirv.OpCompositeInsert, pair, same, first, 1)
}

// writeFence writes a fence instruction as a memory barrier of its scope.
func (f *function) writeFence(in *ir.Instruction) {
	semantics := orderSemantics(in.Order) | semWorkgroup | semCrossWorkgroup
	if f.options.Version < spirv.Version1_0 {
		return
	}
	f.emitPlain(spirv.OpMemoryBarrier, f.memoryScope(in), f.constWord(semantics))
}
