package fromir

import "offlink/spirv"

// writeTrap writes llvm.trap and its kin as a volatile store to the null address of
// global memory. SPIR-V has no instruction that stops a kernel; dropping the
// trap would let it go on with a result that the program did not want. Devices
// that check addresses report the store, and no optimizer removes it.
func (c *callSite) writeTrap() {
	pointer := c.constNull(c.pointerType(c.intType(32), 1))
	c.emitPlain(spirv.OpStore, pointer, c.constWord(0xdead), accessAligned|accessVolatile, 4)
}
