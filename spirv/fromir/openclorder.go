package fromir

import (
	"offlink/ir"
	"offlink/spirv"
)

// Orders and scopes of memory, barriers and fences.

// fenceSemantics maps the flags of fences: local, global, image. The numbers
// are CLK_LOCAL_MEM_FENCE, CLK_GLOBAL_MEM_FENCE and CLK_IMAGE_MEM_FENCE.
func fenceSemantics(flags uint64) (mask uint32) {
	if flags&1 != 0 {
		mask |= semWorkgroup
	}
	if flags&2 != 0 {
		mask |= semCrossWorkgroup
	}
	if flags&4 != 0 {
		mask |= semImage
	}
	return mask
}

// fenceWord returns the memory semantics of an order and of the flags in the first argument.
// Constant flags that name no memory keep the order only if bare is set.
func (c *callSite) fenceWord(order uint32, bare bool) id {
	if bits := c.computedFence(); bits != 0 {
		return c.emitResult(spirv.OpBitwiseOr, c.intType(32), bits, c.constWord(order))
	}
	semantics := fenceSemantics(c.constantArgument(0))
	if semantics != 0 || bare {
		semantics |= order
	}
	return c.constWord(semantics)
}

// computedFence returns fenceSemantics of flags that the program computes, as OpenCL C and
// SPIR-V allow for kernels, and 0 for constant flags. The flags for local and global memory are
// 8 places below their bits, that for images 9.
func (c *callSite) computedFence() id {
	if len(c.operands) == 0 || c.operand(0).Kind == ir.ValueConstant {
		return 0
	}
	word := c.intType(32)
	if typ := c.operand(0).Type; c.typeID(typ) != word {
		c.failf("argument 1 must be a constant, or a number of 32 bits")
	}
	flags := c.argumentID(0)
	moved := func(mask, places uint32) id {
		return c.emitResult(spirv.OpShiftLeftLogical, word, c.emitResult(spirv.OpBitwiseAnd, word, flags, c.constWord(mask)), c.constWord(places))
	}
	return c.emitResult(spirv.OpBitwiseOr, word, moved(3, 8), moved(4, 9))
}

// fenceOfPointer writes get_fence. The bits of the memory semantics for work-group and
// cross-work-group memory are 8 places above the flags for local and global memory.
func (c *callSite) fenceOfPointer() {
	n := c.emitResult(spirv.OpGenericPtrMemSemantics, c.intType(32), c.argAs(0, c.intType(8)))
	c.finishCall(c.emitResult(spirv.OpShiftRightLogical, c.typ, n, c.constWord(8)))
}

// memoryScopes maps the scopes of OpenCL C: work-item, work-group, device, all
// devices, sub-group.
var memoryScopes = [...]uint32{scopeInvocation, scopeWorkgroup, scopeDevice, scopeCrossDevice, scopeSubgroup}

// memoryOrders maps the orders of OpenCL C, which are numbered as in C. SPIR-V lacks
// consume, for which the stronger acquire serves.
var memoryOrders = [...]uint32{0, semAcquire, semAcquire, semRelease, semAcquireRelease, semSequential}

// memoryScope returns an argument that is a scope of OpenCL C.
func (c *callSite) memoryScope(i int) id {
	return c.memoryConstant(i, "memory scope", memoryScopes[:])
}

// memoryOrder returns an argument that is an order of OpenCL C, with the bits that
// say which memory is ordered.
func (c *callSite) memoryOrder(i int, mask uint32) id {
	return c.memoryConstant(i, "memory order", maskedOrders(memoryOrders, mask))
}

// failureOrder returns the order of a comparison that fails. It stores nothing, so SPIR-V
// does not allow orders with a release there: these lose that part.
func (c *callSite) failureOrder(i int, mask uint32) id {
	orders := memoryOrders
	orders[3], orders[4] = 0, semAcquire
	return c.memoryConstant(i, "memory order", maskedOrders(orders, mask))
}

// maskedOrders adds bits to each order.
func maskedOrders(orders [6]uint32, mask uint32) []uint32 {
	for i := range orders {
		orders[i] |= mask
	}
	return orders[:]
}

// memoryConstant returns the word of a list whose index an argument is. OpenCL C lets a
// program compute scopes and orders, and so does SPIR-V for kernels: an index that is not
// constant is looked up by a chain of comparisons, and one beyond the list is the last.
func (c *callSite) memoryConstant(i int, kind string, words []uint32) id {
	if c.operand(i).Kind == ir.ValueConstant {
		n := c.constantArgument(i)
		if n >= uint64(len(words)) {
			c.failf("%s %d", kind, n)
		}
		return c.constWord(words[n])
	}
	typ := c.operand(i).Type
	if c.scalarKind(typ) != ir.TypeInteger {
		c.failf("argument %d is not a %s", i+1, kind)
	}
	found := c.constWord(words[len(words)-1])
	for n := len(words) - 2; n >= 0; n-- {
		same := c.emitResult(spirv.OpIEqual, c.boolType(), c.argumentID(i), c.splatConstant(typ, uint64(n)))
		found = c.emitResult(spirv.OpSelect, c.intType(32), same, c.constWord(words[n]), found)
	}
	return found
}

// writeBarrier writes a barrier. Its flags name the memory that it orders; without flags
// it orders none, and then it must not have an order either.
func (c *callSite) writeBarrier(execution uint32) {
	memory := c.constWord(scopeWorkgroup)
	if len(c.operands) > 1 {
		memory = c.memoryScope(1)
	}
	c.emitPlain(spirv.OpControlBarrier, c.constWord(execution), memory, c.fenceWord(semSequential, false))
}

// splitBarrier writes the arrival at a barrier, which releases memory, or the wait
// there, which acquires it.
func (c *callSite) splitBarrier(op spirv.Opcode, execution uint32) {
	memory := c.constWord(scopeWorkgroup)
	if len(c.operands) > 1 {
		memory = c.memoryScope(1)
	}
	order := uint32(semRelease)
	if op == spirv.OpControlBarrierWaitINTEL {
		order = semAcquire
	}
	c.instructionNeeds(op)
	c.emitPlain(op, c.constWord(execution), memory, c.fenceWord(order, false))
}

// memoryFence writes the fences of OpenCL C 1.x, whose names tell their order.
func (c *callSite) memoryFence() {
	order := map[string]uint32{"read_mem_fence": semAcquire, "write_mem_fence": semRelease, "mem_fence": semAcquireRelease}[c.builtin.name]
	c.emitPlain(spirv.OpMemoryBarrier, c.constWord(scopeWorkgroup), c.fenceWord(order, true))
}

// workItemFence writes the fence of OpenCL C 2.0: flags, order, scope.
func (c *callSite) workItemFence() {
	var semantics id
	if bits := c.computedFence(); bits != 0 {
		semantics = c.emitResult(spirv.OpBitwiseOr, c.intType(32), bits, c.memoryOrder(1, 0))
	} else {
		semantics = c.memoryOrder(1, fenceSemantics(c.constantArgument(0)))
	}
	c.emitPlain(spirv.OpMemoryBarrier, c.memoryScope(2), semantics)
}
