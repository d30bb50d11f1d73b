package fromir

import (
	"offlink/ir"
	"offlink/spirv"
)

// SYCL's half and bfloat16 are structs of one number. Compilers pass and return them through
// pointers to functions that stand for instructions on the number.

// wrappedNumber returns the number in a struct that has nothing else, or NoType.
func (c *callSite) wrappedNumber(a *ir.AttributeDetail) ir.TypeID {
	if a == nil || a.Type == ir.NoType {
		return ir.NoType
	}
	typ := c.function.moduleType(a.Type)
	if typ.Kind != ir.TypeStruct || len(typ.Elements) != 1 {
		return ir.NoType
	}
	if k := c.function.moduleType(typ.Elements[0]).Kind; k != ir.TypeInteger && k != ir.TypeFloat {
		return ir.NoType
	}
	return typ.Elements[0]
}

// argumentNumber returns the number in the struct to which an argument points that is passed by
// value, or NoType for other arguments.
func (c *callSite) argumentNumber(i int) ir.TypeID {
	return c.wrappedNumber(ir.FindAttribute(c.callee.header.Attributes.Parameter(i), "byval"))
}

// hasWrappedNumber reports whether a call of an instruction on numbers or vectors has such
// a struct.
func (c *callSite) hasWrappedNumber(op spirv.Opcode) bool {
	switch op {
	case spirv.OpGroupNonUniformShuffle, spirv.OpGroupNonUniformShuffleXor, spirv.OpGroupNonUniformShuffleUp, spirv.OpGroupNonUniformShuffleDown,
		spirv.OpGroupNonUniformBroadcast, spirv.OpGroupNonUniformBroadcastFirst, spirv.OpGroupBroadcast, spirv.OpVectorExtractDynamic, spirv.OpVectorInsertDynamic:
	default:
		return false
	}
	for i := range c.operands {
		if c.argumentNumber(i) != ir.NoType {
			return true
		}
	}
	return c.structResult() && c.wrappedNumber(ir.FindAttribute(c.callee.header.Attributes.Parameter(0), "sret")) != ir.NoType
}

// wrappedInstruction writes an instruction on the numbers in such structs.
func (c *callSite) wrappedInstruction(op spirv.Opcode) {
	first := 0
	if c.structResult() {
		first = 1
	}
	var words []uint32
	for i := first; i < len(c.operands); i++ {
		n := c.argumentNumber(i)
		if n == ir.NoType {
			words = append(words, c.spirvArgument(op, i, i-first))
			continue
		}
		typ := c.typeID(n)
		_, align := c.memoryLayout(n)
		words = append(words, c.emitResult(spirv.OpLoad, typ, c.argAs(i, typ), accessAligned, uint32(align)))
	}
	c.checkCount(len(words), op.OperandCount)
	if first == 0 {
		c.setResult(c.emitResult(op, c.typ, words...), c.typ)
		return
	}
	n := c.wrappedNumber(ir.FindAttribute(c.callee.header.Attributes.Parameter(0), "sret"))
	if n == ir.NoType {
		c.failf("the result is not a struct of one number")
	}
	typ := c.typeID(n)
	_, align := c.memoryLayout(n)
	c.emitPlain(spirv.OpStore, c.argAs(0, typ), c.emitResult(op, typ, words...), accessAligned, uint32(align))
}
