package fromir

import (
	"strings"

	"offlink/ir"
	"offlink/lazy"
	"offlink/spirv"
)

// extendedIntrinsics are the intrinsics that become one instruction of OpenCL.std.
var extendedIntrinsics = lazy.Map[string, string]{New: func() map[string]string {
	return map[string]string{
		"ceil": "ceil", "copysign": "copysign", "cos": "cos", "exp": "exp", "exp2": "exp2", "exp10": "exp10", "fabs": "fabs",
		"floor": "floor", "log": "log", "log10": "log10", "log2": "log2", "maxnum": "fmax", "minnum": "fmin",
		"nearbyint": "rint", "pow": "pow",
		"rint": "rint", "round": "round", "roundeven": "rint", "sin": "sin", "sqrt": "sqrt", "trunc": "trunc",
		"tan": "tan", "acos": "acos", "asin": "asin", "atan": "atan", "atan2": "atan2", "cosh": "cosh", "sinh": "sinh",
		"tanh": "tanh", "ldexp": "ldexp",
	}
}}

// droppedIntrinsics are left out: they are hints and marks for which SPIR-V has no place.
var droppedIntrinsics = lazy.Map[string, bool]{New: func() map[string]bool {
	return map[string]bool{
		"dbg.label": true, "dbg.assign": true, "experimental.noalias.scope.decl": true,
		"invariant.end": true,
		"donothing":     true, "sideeffect": true, "pseudoprobe": true, "prefetch": true, "instrprof.increment": true,
		"instrprof.increment.step": true, "instrprof.value.profile": true, "instrprof.cover": true, "fake.use": true,
	}
}}

// passedIntrinsics are those whose result is their first argument.
var passedIntrinsics = lazy.Map[string, bool]{New: func() map[string]bool {
	return map[string]bool{
		"ssa.copy": true, "launder.invariant.group": true, "strip.invariant.group": true,
		"threadlocal.address": true, "preserve.union.access.index": true,
	}
}}

// intrinsicWriters write the intrinsics that need more than one of the tables above. init
// completes it, since the writers refer to it themselves.
var intrinsicWriters lazy.Map[string, func(*callSite)]

func init() { intrinsicWriters.New = newIntrinsicWriters }

func newIntrinsicWriters() map[string]func(*callSite) {
	table := map[string]func(*callSite){
		"memcpy": (*callSite).copyMemory, "memcpy.inline": (*callSite).copyMemory, "memmove": (*callSite).moveMemory,
		"memset": (*callSite).setMemory, "memset.inline": (*callSite).setMemory,
		"lifetime.start": func(c *callSite) { c.writeLifetime(spirv.OpLifetimeStart) },
		"lifetime.end":   func(c *callSite) { c.writeLifetime(spirv.OpLifetimeStop) },
		"fmuladd":        (*callSite).multiplyAdd,
		"fma":            (*callSite).fusedMultiplyAdd, "experimental.constrained.fma": (*callSite).fusedMultiplyAdd,
		"assume": (*callSite).writeAssume, "expect": (*callSite).writeExpect, "expect.with.probability": (*callSite).writeExpect,
		"fptosi.sat":     func(c *callSite) { c.saturatedConversion(spirv.OpConvertFToS) },
		"fptoui.sat":     func(c *callSite) { c.saturatedConversion(spirv.OpConvertFToU) },
		"dbg.declare":    func(c *callSite) { c.debugVariable("declare", c.operands) },
		"dbg.value":      func(c *callSite) { c.debugVariable("value", c.operands) },
		"ptr.annotation": (*callSite).pointerAnnotation, "annotation": (*callSite).valueAnnotation, "var.annotation": (*callSite).variableAnnotation,
		// The result only marks the end of the region.
		"invariant.start": func(c *callSite) { c.finishCall(c.constNull(c.typ)) },
		"powi":            (*callSite).integerPower,
		"is.constant":     func(c *callSite) { c.finishCall(c.constBool(false)) },
		"stacksave":       (*callSite).stackSave, "stackrestore": (*callSite).stackRestore,
		"canonicalize": func(c *callSite) { c.finishCall(c.emitResult(spirv.OpFMul, c.typ, c.argumentID(0), c.floatSplat(1))) },
		"masked.load":  (*callSite).maskedLoad, "masked.store": (*callSite).maskedStore,
		"masked.expandload": (*callSite).expandLoad, "masked.compressstore": (*callSite).compressStore,
		"trap": (*callSite).writeTrap, "debugtrap": (*callSite).writeTrap, "ubsantrap": (*callSite).writeTrap,
		"objectsize": (*callSite).objectSize, "is.fpclass": (*callSite).floatClass, "frexp": (*callSite).fractionExponent,
		"ptrmask": (*callSite).pointerMask, "arithmetic.fence": (*callSite).arithmeticFence,
		"sincos": func(c *callSite) { c.splitResult("sincos") }, "modf": func(c *callSite) { c.splitResult("modf") },
		"masked.gather": (*callSite).maskedGather, "masked.scatter": (*callSite).maskedScatter,
	}
	for name, op := range map[string]spirv.Opcode{
		"fadd": spirv.OpFAdd, "fsub": spirv.OpFSub, "fmul": spirv.OpFMul, "fdiv": spirv.OpFDiv,
		"frem": spirv.OpFRem, "fptosi": spirv.OpConvertFToS, "fptoui": spirv.OpConvertFToU, "sitofp": spirv.OpConvertSToF,
		"uitofp": spirv.OpConvertUToF, "fpext": spirv.OpFConvert, "fptrunc": spirv.OpFConvert,
	} {
		table["experimental.constrained."+name] = func(c *callSite) { c.constrainedOperation(op) }
	}
	table["experimental.constrained.sqrt"] = (*callSite).constrainedRoot
	table["experimental.constrained.fmuladd"] = (*callSite).multiplyAdd
	table["experimental.constrained.fcmp"] = (*callSite).constrainedCompare
	table["experimental.constrained.fcmps"] = (*callSite).constrainedCompare
	for name, instruction := range map[string]string{"lround": "round", "llround": "round", "lrint": "rint", "llrint": "rint"} {
		table[name] = func(c *callSite) { c.roundToInteger(instruction) }
	}
	for name, e := range extrema.Get() {
		table[name] = func(c *callSite) { c.finishCall(c.floatExtremum(e, c.in.Type, c.argumentID(0), c.argumentID(1))) }
		table["vector.reduce.f"+name] = func(c *callSite) {
			c.reduceVector(func(a, b id) id { return c.floatExtremum(e, c.in.Type, a, b) })
		}
	}
	for name, write := range integerIntrinsics.Get() {
		table[name] = write
	}
	for name, write := range floatBuiltins() {
		table["fpbuiltin."+name] = write
	}
	for name, instruction := range map[string]string{"fmax": "fmax", "fmin": "fmin"} {
		table["vector.reduce."+name] = func(c *callSite) { c.reduceVector(func(a, b id) id { return c.extInst(instruction, a, b) }) }
	}
	for name, op := range map[string]spirv.Opcode{"fadd": spirv.OpFAdd, "fmul": spirv.OpFMul} {
		table["vector.reduce."+name] = func(c *callSite) { c.reduceFrom(op) }
	}
	return table
}

// intrinsicBuiltin returns the replacement of calls of an intrinsic. Names of overloaded
// intrinsics end in types, as in llvm.memcpy.p0.p0.i64: parts are cut off at the end until
// a table has the name. Unknown intrinsics that the options allow are plain functions, nil.
func (t *translator) intrinsicBuiltin(name string, typ *ir.Type) *builtin {
	base := strings.TrimPrefix(name, "llvm.")
	b := &builtin{result: -1}
	for key := base; key != ""; {
		if !t.fitsIntrinsic(key, typ) {
			b.write = func(c *callSite) { c.failf("the declaration has other types than the intrinsic") }
			return b
		}
		switch {
		case intrinsicWriters.Get()[key] != nil:
			b.write = intrinsicWriters.Get()[key]
			if key == "ptr.annotation" || key == "ptrmask" || key == "annotation" {
				b.result = 0
			}
			return b
		case extendedIntrinsics.Get()[key] != "":
			instruction := extendedIntrinsics.Get()[key]
			b.write = func(c *callSite) { c.finishCall(c.extInst(instruction, c.argumentIDs(0)...)) }
			return b
		case droppedIntrinsics.Get()[key]:
			b.write = func(c *callSite) {}
			return b
		case passedIntrinsics.Get()[key]:
			b.result = 0
			b.write = (*callSite).passArgument
			return b
		}
		i := strings.LastIndexByte(key, '.')
		if i < 0 {
			break
		}
		key = key[:i]
	}
	for _, prefix := range t.options.UnknownIntrinsics {
		if strings.HasPrefix(name, prefix) {
			return nil
		}
	}
	b.write = func(c *callSite) {
		c.failKind(ErrorIntrinsic, name, "the intrinsic has no counterpart in SPIR-V; --spirv-allow-unknown-intrinsics makes it a function")
	}
	return b
}

// finishCall makes a value of the call's type the call's result.
func (c *callSite) finishCall(n id) { c.setResult(n, c.typ) }

// passArgument makes the first argument the call's result, without an instruction.
func (c *callSite) passArgument() {
	v := c.operand(0)
	c.setResult(c.operandID(v, 0), c.typeOf(v))
}

// alignOf returns the alignment of a pointer argument, 1 where nothing tells it.
func (c *callSite) alignOf(parameter int) uint64 {
	if a := ir.FindAttribute(c.detail.Attributes.Parameter(parameter), "align"); a != nil {
		return min(max(a.Int, 1), 1<<30) // less is a weaker promise
	}
	return 1
}

// memoryAccess returns the memory access operands of a copy or fill, whose fourth argument
// says whether it is volatile.
func (c *callSite) memoryAccess(align uint64) []uint32 {
	mask := uint32(accessAligned)
	if len(c.operands) > 3 && c.isConstant(3) && c.constantArgument(3) != 0 {
		mask |= accessVolatile
	}
	return []uint32{mask, uint32(align)}
}

// copyMemory writes a memcpy. One alignment holds for both pointers, so it is the lesser;
// OpCopyMemorySized does not allow a constant size of 0.
func (c *callSite) copyMemory() {
	byteType := c.intType(8)
	to, from := c.argAs(0, byteType), c.argAs(1, byteType)
	align := min(c.alignOf(0), c.alignOf(1))
	if c.isConstant(2) && c.constantArgument(2) == 0 {
		return
	}
	c.emitPlain(spirv.OpCopyMemorySized, append([]uint32{to, from, c.valueID(c.operand(2))}, c.memoryAccess(align)...)...)
}

// moveMemory writes a memmove. One of constant length is two copies by way of a variable,
// so that source and target may overlap; for others a function is added.
func (c *callSite) moveMemory() {
	if !c.isConstant(2) {
		c.memoryFunction("memmove")
		return
	}
	n := c.constantArgument(2)
	if n == 0 {
		return
	}
	byteType := c.intType(8)
	array := c.arrayType(byteType, n)
	variable := c.addVariable(c.pointerType(array, 0), 0, 0)
	c.b.decorateID(variable, decAlignment, uint32(c.alignOf(1)))
	between := c.emitResult(spirv.OpBitcast, c.pointerType(byteType, 0), variable)
	length := c.valueID(c.operand(2))
	c.emitPlain(spirv.OpCopyMemorySized, append([]uint32{between, c.argAs(1, byteType), length}, c.memoryAccess(c.alignOf(1))...)...)
	c.emitPlain(spirv.OpCopyMemorySized, append([]uint32{c.argAs(0, byteType), between, length}, c.memoryAccess(c.alignOf(0))...)...)
}

// setMemory writes a memset. One of constant value and length is a copy of a constant, as
// far as its bytes fit into one OpConstantComposite; for others a function is added.
func (c *callSite) setMemory() {
	if !c.isConstant(1) || !c.isConstant(2) || c.constantArgument(2) > 1<<16-8 {
		c.memoryFunction("memset")
		return
	}
	n, value := c.constantArgument(2), c.constantArgument(1)
	if n == 0 {
		return
	}
	byteType := c.intType(8)
	array := c.arrayType(byteType, n)
	init := c.constNull(array)
	if value != 0 {
		parts := make([]id, n)
		for i := range parts {
			parts[i] = c.constInt(8, value&0xff)
		}
		init = c.constComposite(array, parts)
	}
	variable := c.addVariable(c.pointerType(array, 0), 0, init)
	from := c.emitResult(spirv.OpBitcast, c.pointerType(byteType, 0), variable)
	c.emitPlain(spirv.OpCopyMemorySized, append([]uint32{c.argAs(0, byteType), from, c.valueID(c.operand(2))}, c.memoryAccess(c.alignOf(0))...)...)
}

// writeLifetime writes the start or end of a variable's lifetime. SPIR-V has this only for
// variables of functions, so other pointers are left out.
func (c *callSite) writeLifetime(op spirv.Opcode) {
	v := c.operand(len(c.operands) - 1)
	if c.function.moduleType(v.Type).Kind != ir.TypePointer || c.storageClass(c.function.moduleType(v.Type).AddressSpace) != spirv.StorageFunction {
		return
	}
	if v.Kind == ir.ValueConstant {
		return
	}
	variable := c.findAlloca(v)
	if variable == nil {
		return
	}
	size, _ := c.memoryLayout(variable.Element)
	typ := c.function.moduleType(variable.Element)
	isByte := typ.Kind == ir.TypeInteger && typ.Bits == 8
	if &c.ir.Instructions[v.Index] == variable && !isByte {
		size = 0 // the type of the pointer tells it: only a pointer to bytes may have a size
	}
	c.emitPlain(op, c.operandID(v, 0), uint32(size))
}

// findAlloca returns the alloca of one element to which a pointer leads, possibly through
// casts, or nil for other pointers.
func (c *callSite) findAlloca(v ir.Value) *ir.Instruction {
	for v.Kind == ir.ValueInstruction {
		in := &c.ir.Instructions[v.Index]
		switch in.Op {
		case ir.OpBitCast, ir.OpAddrSpaceCast:
			v = in.Operands[0]
			continue
		case ir.OpAlloca:
			if constantNumber(&c.ir.Constants, in.Operands[0]) == 1 {
				return in
			}
		}
		break
	}
	return nil
}

// floatSplat returns 1 or 0 as a floating-point constant of the result's type.
func (c *callSite) floatSplat(value int) id {
	bits := map[uint32]uint64{16: 0x3C00, 32: 0x3F800000, 64: 0x3FF0000000000000}[c.scalarBits(c.in.Type)]
	switch {
	case value == 0:
		bits = 0
	case c.isBfloat(c.in.Type):
		bits = 0x3F80
	}
	return c.splatConstant(c.in.Type, bits)
}

// integerPower writes llvm.powi. Its exponent is one number for all elements of a vector, where
// pown takes a vector of numbers of 32 bits.
func (c *callSite) integerPower() {
	exponent, own := c.operand(1), c.repeatedArgument(1)
	if c.scalarBits(exponent.Type) != 32 {
		own = c.emitResult(spirv.OpSConvert, c.intLikeType(c.in.Type, 32), own)
	}
	c.finishCall(c.extInst("pown", c.argumentID(0), own))
}

// multiplyAdd writes llvm.fmuladd, which may or may not round the product: OpenCL.std's mad
// leaves that open too.
func (c *callSite) multiplyAdd() {
	if !c.options.SplitMulAdd {
		c.finishCall(c.extInst("mad", c.argumentID(0), c.argumentID(1), c.argumentID(2)))
		return
	}
	product := c.emitResult(spirv.OpFMul, c.typ, c.argumentID(0), c.argumentID(1))
	c.finishCall(c.emitResult(spirv.OpFAdd, c.typ, product, c.argumentID(2)))
}

// fusedMultiplyAdd writes llvm.fma, which rounds once.
func (c *callSite) fusedMultiplyAdd() {
	c.finishCall(c.fuseMultiply(c.argumentID(0), c.argumentID(1), c.argumentID(2)))
}

// fuseMultiply returns a*b + c rounded once, by the instruction of SPV_KHR_fma where that
// extension is allowed.
func (c *callSite) fuseMultiply(operands ...id) id {
	if !c.options.allowsExtension("SPV_KHR_fma") {
		return c.extInst("fma", operands...)
	}
	c.instructionNeeds(spirv.OpFmaKHR)
	return c.emitResult(spirv.OpFmaKHR, c.typ, operands...)
}

// arithmeticFence writes llvm.arithmetic.fence where its extension is allowed. The
// extension of Intel is an older name of the same.
func (c *callSite) arithmeticFence() {
	for _, extension := range []string{"SPV_EXT_arithmetic_fence", "SPV_INTEL_arithmetic_fence"} {
		if c.options.allowsExtension(extension) {
			c.useExtension(extension)
			c.useCapabilities(6144)
			c.finishCall(c.emitResult(opArithmeticFenceEXT, c.typ, c.argumentID(0)))
			return
		}
	}
	c.passArgument()
}

// writeAssume writes an assumption where its extension is allowed: it is a hint.
func (c *callSite) writeAssume() {
	if c.options.allowsExtension("SPV_KHR_expect_assume") {
		c.instructionNeeds(spirv.OpAssumeTrueKHR)
		c.emitPlain(spirv.OpAssumeTrueKHR, c.argumentID(0))
	}
}

// writeExpect writes an expected value where its extension is allowed, else the value.
func (c *callSite) writeExpect() {
	if c.options.allowsExtension("SPV_KHR_expect_assume") {
		c.instructionNeeds(spirv.OpExpectKHR)
		c.finishCall(c.emitResult(spirv.OpExpectKHR, c.typ, c.argumentID(0), c.argumentID(1)))
		return
	}
	c.passArgument()
}

// stackSave writes llvm.stacksave, which matters only for arrays of unknown length. Without
// their extension the function has none, and any value will do.
func (c *callSite) stackSave() {
	if !c.options.allowsExtension("SPV_INTEL_variable_length_array") {
		c.finishCall(c.constUndef(c.typ))
		return
	}
	c.useExtension("SPV_INTEL_variable_length_array")
	c.useCapabilities(capVariableArray)
	c.finishCall(c.emitResult(spirv.OpSaveMemoryINTEL, c.typ))
}

// stackRestore writes llvm.stackrestore.
func (c *callSite) stackRestore() {
	if c.options.allowsExtension("SPV_INTEL_variable_length_array") {
		c.useExtension("SPV_INTEL_variable_length_array")
		c.useCapabilities(capVariableArray)
		c.emitPlain(spirv.OpRestoreMemoryINTEL, c.argumentID(0))
	}
}

// objectSize writes llvm.objectsize as the answer that the size is not known: 0 if the
// second argument asks for the least size, else -1.
func (c *callSite) objectSize() {
	value := allOnes(c.scalarBits(c.in.Type))
	if c.constantArgument(1) != 0 {
		value = 0
	}
	c.finishCall(c.splatConstant(c.in.Type, value))
}

// reduceFrom folds the elements of a vector in order, starting with the first argument:
// floating-point sums depend on the order.
func (c *callSite) reduceFrom(op spirv.Opcode) {
	sum, vector := c.argumentID(0), c.argumentID(1)
	for k := range c.function.moduleType(c.operand(1).Type).Length {
		sum = c.emitResult(op, c.typ, sum, c.emitResult(spirv.OpCompositeExtract, c.typ, vector, uint32(k)))
	}
	c.finishCall(sum)
}

// constrainedOperation writes a constrained operation. Of the core's instructions only
// conversions can carry its rounding mode, and divisions by an extension.
func (c *callSite) constrainedOperation(op spirv.Opcode) {
	n := c.emitResult(op, c.typ, c.numberArguments()...)
	switch op {
	case spirv.OpConvertSToF, spirv.OpConvertUToF, spirv.OpFConvert:
		c.roundResult(n)
	case spirv.OpFDiv:
		c.roundExact(n)
	}
	c.finishCall(n)
}

// constrainedRoot writes llvm.experimental.constrained.sqrt.
func (c *callSite) constrainedRoot() {
	n := c.extInst("sqrt", c.numberArguments()...)
	c.roundExact(n)
	c.finishCall(n)
}

// numberArguments returns the arguments of a constrained operation that are numbers; the
// others are metadata.
func (c *callSite) numberArguments() (words []uint32) {
	for i, v := range c.operands {
		if v.Kind != ir.ValueMetadata {
			words = append(words, c.argumentID(i))
		}
	}
	return words
}

// roundExact decorates a quotient or a root with its rounding mode, which
// SPV_INTEL_rounded_divide_sqrt allows. Without it only conversions have one.
func (c *callSite) roundExact(n id) {
	const extension = "SPV_INTEL_rounded_divide_sqrt"
	if c.options.allowsExtension(extension) && c.roundResult(n) {
		c.useExtension(extension)
		c.useCapabilities(6265)
	}
}

// roundResult decorates a result with the rounding mode that an argument names, and
// reports whether there was one.
func (c *callSite) roundResult(n id) bool {
	for _, v := range c.operands {
		if v.Kind != ir.ValueMetadata {
			continue
		}
		mode := map[string]uint32{"round.tonearest": 0, "round.towardzero": 1, "round.upward": 2, "round.downward": 3}
		if number, ok := mode[c.ir.Metadata[v.Index].String]; ok {
			c.b.decorateID(n, decFPRoundingMode, number)
			return true
		}
	}
	return false
}

// constrainedCompare writes a comparison whose predicate is metadata.
func (c *callSite) constrainedCompare() {
	p, ok := ir.ParsePredicate(ir.OpFCmp, []byte(c.ir.Metadata[c.operand(2).Index].String))
	op := compareOpcodes[p]
	if !ok || op == spirv.OpNop {
		c.failf("an unknown predicate")
	}
	c.finishCall(c.emitResult(op, c.typ, c.argumentID(0), c.argumentID(1)))
}

// pointerMask writes llvm.ptrmask as an operation on the address.
func (c *callSite) pointerMask() {
	size := c.intType(c.pointerBits)
	n := c.emitResult(spirv.OpConvertPtrToU, size, c.valueID(c.operand(0)))
	n = c.emitResult(spirv.OpBitwiseAnd, size, n, c.argumentID(1))
	c.finishCall(c.emitResult(spirv.OpConvertUToPtr, c.typ, n))
}

// fractionExponent writes llvm.frexp: a struct of fraction and exponent.
func (c *callSite) fractionExponent() {
	pair := c.function.moduleType(c.in.Type)
	if len(pair.Elements) != 2 {
		c.failf("the result is not a struct of two numbers")
	}
	exponent := c.typeID(pair.Elements[1])
	variable := c.addVariable(c.pointerType(exponent, 0), 0, 0)
	number, _ := spirv.ExtInstNumber("OpenCL.std", "frexp")
	fraction := c.emitResult(spirv.OpExtInst, c.typeID(pair.Elements[0]), c.opencl, number, c.argumentID(0), variable)
	loaded := c.emitResult(spirv.OpLoad, exponent, variable)
	c.finishCall(c.emitResult(spirv.OpCompositeConstruct, c.typ, fraction, loaded))
}

// splitResult writes llvm.sincos and llvm.modf: a struct of the result of an
// instruction and of the number that it stores.
func (c *callSite) splitResult(name string) {
	element := c.typeID(c.operand(0).Type)
	variable := c.addVariable(c.translator.pointerType(element, 0), 0, 0)
	number, _ := spirv.ExtInstNumber("OpenCL.std", name)
	first := c.emitResult(spirv.OpExtInst, element, c.opencl, number, c.argumentID(0), variable)
	_, align := c.memoryLayout(c.operand(0).Type)
	second := c.emitResult(spirv.OpLoad, element, variable, accessAligned, uint32(align))
	c.finishCall(c.emitResult(spirv.OpCompositeConstruct, c.typ, first, second))
}
