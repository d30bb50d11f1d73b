package bitcode

import (
	"offlink/ir"
	"offlink/ir/llvmschema"
)

// Instructions that access memory or compute addresses.

// alignOf decodes an alignment: the logarithm plus one, or 0 where none was written. LLVM's
// largest is 2^32.
func alignOf(n uint64) uint64 {
	if n == 0 || n > 63 {
		return 0
	}
	return 1 << (n - 1)
}

// decodeMemory decodes the instructions that touch memory.
func (d *bodyDecoder) decodeMemory(code uint32, in *ir.Instruction) {
	switch code {
	case llvmschema.FunctionAlloca:
		d.decodeAlloca(in)
	case llvmschema.FunctionLoad, llvmschema.FunctionLoadAtomic:
		in.Op = ir.OpLoad
		d.pushOperand(d.typedValue())
		in.Element = d.takeType()
		in.Type = in.Element
		d.decodeAccess(in, code == llvmschema.FunctionLoadAtomic)
	case llvmschema.FunctionStore, llvmschema.FunctionStoreAtomic:
		in.Op = ir.OpStore
		// The record has the pointer first; the model has the order of text, value and
		// pointer.
		pointer := d.typedValue()
		d.pushOperand(d.typedValue())
		d.pushOperand(pointer)
		d.decodeAccess(in, code == llvmschema.FunctionStoreAtomic)
	case llvmschema.FunctionGEP:
		d.decodeGEP(in)
	case llvmschema.FunctionFence:
		in.Op = ir.OpFence
		d.decodeOrdering(in)
	case llvmschema.FunctionCmpXchg:
		d.decodeCmpXchg(in)
	case llvmschema.FunctionAtomicRMW:
		d.decodeAtomicRMW(in)
	}
}

// decodeCmpXchg decodes a cmpxchg, whose result is the value that was there and whether it was
// replaced. The new value has the type of the expected one, so the record does not repeat it.
func (d *bodyDecoder) decodeCmpXchg(in *ir.Instruction) {
	in.Op = ir.OpCmpXchg
	d.pushOperand(d.typedValue())
	compare := d.typedValue()
	d.pushOperand(compare)
	d.pushOperand(d.valueOfType(compare.Type))
	d.decodeVolatile(in)
	d.decodeOrdering(in)
	in.FailureOrder = ir.Ordering(d.takeLiteral())
	if d.takeLiteral() != 0 {
		in.Flags |= ir.FlagWeak
	}
	in.Align = alignOf(d.optionalLiteral())
	in.Type = d.InternType(ir.Type{Kind: ir.TypeStruct, Elements: []ir.TypeID{compare.Type, d.IntegerType(1)}})
}

// decodeAtomicRMW decodes an atomicrmw. The alignment came with LLVM 12; in records without it,
// the alignment is that of the type.
func (d *bodyDecoder) decodeAtomicRMW(in *ir.Instruction) {
	in.Op = ir.OpAtomicRMW
	d.pushOperand(d.typedValue())
	value := d.typedValue()
	d.pushOperand(value)
	in.Type = value.Type
	in.Operation = ir.AtomicOperation(d.takeLiteral())
	d.decodeVolatile(in)
	d.decodeOrdering(in)
	in.Align = alignOf(d.optionalLiteral())
}

// decodeVolatile decodes the volatile bit.
func (d *bodyDecoder) decodeVolatile(in *ir.Instruction) {
	if d.takeLiteral() != 0 {
		in.Flags |= ir.FlagVolatile
	}
}

// decodeOrdering decodes ordering and synchronisation scope. Scope 0 is "singlethread"; scope 1
// is the system's, whose name is empty.
// The numbers of orderings are those of the model (LLVMBitCodes.h, AtomicOrderingCodes).
func (d *bodyDecoder) decodeOrdering(in *ir.Instruction) {
	in.Order = ir.Ordering(d.takeLiteral())
	if scope := d.takeLiteral(); scope < uint64(len(d.source.scopes)) {
		in.Scope = d.source.scopes[scope]
	}
}

// decodeAccess takes the operands that loads and stores have in common.
func (d *bodyDecoder) decodeAccess(in *ir.Instruction, atomic bool) {
	in.Align = alignOf(d.takeLiteral())
	d.decodeVolatile(in)
	if atomic {
		in.Flags |= ir.FlagAtomic
		d.decodeOrdering(in)
	}
}

// decodeAlloca decodes an alloca: type, type of the count, count, alignment and flags, address
// space. The logarithm of the alignment is split in two since it may have more than the five
// bits that were reserved for it.
func (d *bodyDecoder) decodeAlloca(in *ir.Instruction) {
	in.Op = ir.OpAlloca
	in.Element = d.takeType()
	d.takeType()
	d.pushOperand(d.decodeValue(d.takeOperand(), ir.NoType))
	bits := d.takeLiteral()
	in.Align = alignOf(bits&31 | bits>>8&7<<5)
	space := uint32(d.allocaSpace())
	if d.hasMore() {
		space = uint32(d.takeLiteral())
	}
	in.Type = d.PointerTo(in.Element, space)
}

// allocaSpace returns the address space of allocas by the data layout. Older records do not
// state it themselves.
func (d *bodyDecoder) allocaSpace() (space uint64) {
	layout := d.source.module.DataLayout
	for i := 0; i < len(layout); i++ {
		if layout[i] == 'A' && (i == 0 || layout[i-1] == '-') {
			for i++; i < len(layout) && layout[i] >= '0' && layout[i] <= '9' && space < 1<<24; i++ {
				space = space*10 + uint64(layout[i]-'0')
			}
		}
	}
	return space
}

// decodeGEP decodes a getelementptr: flags, source type, then base and indices, each followed by
// its type if it is a forward use.
func (d *bodyDecoder) decodeGEP(in *ir.Instruction) {
	in.Op = ir.OpGEP
	in.Flags = addressFlags(d.takeLiteral())
	in.Element = d.takeType()
	for d.hasMore() {
		d.pushOperand(d.typedValue())
	}
	in.Type = d.derivedType(ir.AddressType(d, d.pool, in.Element, d.list))
}

// addressFlags decodes the flags of a getelementptr; before LLVM 19 only
// inbounds existed, which implies nusw.
func addressFlags(bits uint64) (flags ir.Flags) {
	if bits&1 != 0 {
		flags |= ir.FlagInBounds | ir.FlagNUSW
	}
	if bits&2 != 0 {
		flags |= ir.FlagNUSW
	}
	if bits&4 != 0 {
		flags |= ir.FlagNUW
	}
	return flags
}
