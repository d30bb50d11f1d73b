package fromir

import (
	"fmt"

	"offlink/ir"
	"offlink/spirv"
)

// writeAbort writes a call of __spirv_AbortKHR. Its instruction ends a block. Where the block
// goes on to others, their phis name it, so a function that is added has the instruction.
func (c *callSite) writeAbort() {
	c.checkCount(len(c.operands), func() (int, int) { return 1, 1 })
	v := c.operand(0)
	typ := c.typeID(v.Type)
	message := c.operandID(v, c.pointerWant(v.Type, typ))
	switch c.function.ir.Terminator(c.block).Op {
	case ir.OpUnreachable, ir.OpRet:
		c.emitPlain(spirv.OpAbortKHR, typ, message)
		c.aborted = true
		return
	}
	n := c.b.newIDOnce(fmt.Sprint("abort ", v.Type), func(n id) []uint32 {
		w := memoryWriter{translator: c.translator}
		w.emitPlain(spirv.OpFunction, c.voidType(), n, 0, c.functionType(c.voidType(), []id{typ}))
		given := w.emitResult(spirv.OpFunctionParameter, typ)
		w.emitPlain(spirv.OpLabel, c.b.newID())
		w.emitPlain(spirv.OpAbortKHR, typ, given)
		w.emitPlain(spirv.OpFunctionEnd)
		return w.words
	})
	c.emitResult(spirv.OpFunctionCall, c.voidType(), n, message)
}
