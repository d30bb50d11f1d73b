package fromir

import "offlink/spirv"

// floatBuiltins returns the writers of llvm.fpbuiltin.*: operations with an attribute of the
// call that states their largest error. Intel's compilers make them for -ffp-accuracy.
func floatBuiltins() map[string]func(*callSite) {
	list := map[string]func(*callSite){}
	for name, op := range map[string]spirv.Opcode{
		"fadd": spirv.OpFAdd, "fsub": spirv.OpFSub, "fmul": spirv.OpFMul, "fdiv": spirv.OpFDiv, "frem": spirv.OpFRem,
	} {
		list[name] = func(c *callSite) { c.finishCall(c.emitResult(op, c.typ, c.argumentIDs(0)...)) }
	}
	for _, name := range []string{
		"sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "exp", "exp2", "exp10",
		"expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "erf", "erfc", "atan2", "pow", "hypot", "ldexp",
	} {
		list[name] = func(c *callSite) { c.finishCall(c.extInst(name, c.argumentIDs(0)...)) }
	}
	list["sincos"] = (*callSite).sineAndCosine
	return list
}

// sineAndCosine writes llvm.fpbuiltin.sincos, which stores the sine and the cosine through its
// pointers. The instruction returns the sine and stores the cosine.
func (c *callSite) sineAndCosine() {
	number, _ := spirv.ExtInstNumber("OpenCL.std", "sincos")
	typ := c.typeID(c.operand(0).Type)
	sine := c.emitResult(spirv.OpExtInst, typ, c.opencl, number, c.argumentID(0), c.argAs(2, typ))
	c.builtinError(sine)
	_, align := c.memoryLayout(c.operand(0).Type)
	c.emitPlain(spirv.OpStore, c.argAs(1, typ), sine, accessAligned, uint32(align))
}
