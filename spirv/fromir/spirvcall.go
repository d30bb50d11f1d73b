package fromir

import (
	"fmt"
	"slices"
	"strings"

	"offlink/ir"
	"offlink/lazy"
	"offlink/spirv"
)

// spirvBuiltin returns the replacement of calls of a function whose name begins with
// __spirv_, or nil if the name is not that of an instruction, a built-in variable or a
// specialization constant.
func (t *translator) spirvBuiltin(name string, parameters []mangledType) *builtin {
	rest := strings.TrimPrefix(name, "__spirv_")
	b := &builtin{result: -1}
	switch {
	case strings.HasPrefix(rest, "BuiltIn"):
		number, ok := spirv.BuiltInNumber(strings.TrimPrefix(rest, "BuiltIn"))
		if !ok {
			return nil
		}
		b.variable = &inputKind{name: name, number: number, indexed: len(parameters) > 0}
		b.write = func(c *callSite) { c.builtinVariable(b.variable) }
		return b
	case strings.HasPrefix(rest, "ocl_"):
		instruction := strings.TrimPrefix(rest, "ocl_")
		instruction, _, _ = strings.Cut(instruction, "__")
		if i := strings.Index(instruction, "_R"); i > 0 {
			instruction = instruction[:i]
		}
		if _, ok := spirv.ExtInstNumber("OpenCL.std", instruction); !ok {
			return nil
		}
		b.write = func(c *callSite) { c.extendedInstruction(instruction) }
		return b
	case rest == "SpecConstant":
		b.write = (*callSite).specConstant
		return b
	case rest == "SpecConstantComposite":
		b.write = (*callSite).specComposite
		return b
	}
	op, postfixes := t.spirvOpcode(rest)
	if op == spirv.OpNop {
		return nil
	}
	b.write = func(c *callSite) { c.spirvInstruction(op, postfixes) }
	return b
}

// opcodeAliases are the names of functions that differ from those of their instructions.
var opcodeAliases = lazy.Map[string, string]{New: func() map[string]string {
	return map[string]string{
		"GenericCastToPtrExplicit_ToGlobal": "GenericCastToPtrExplicit", "GenericCastToPtrExplicit_ToLocal": "GenericCastToPtrExplicit",
		"GenericCastToPtrExplicit_ToPrivate": "GenericCastToPtrExplicit",
		"GenericCastToPtr_ToGlobal":          "GenericCastToPtr", "GenericCastToPtr_ToLocal": "GenericCastToPtr",
		"GenericCastToPtr_ToPrivate": "GenericCastToPtr", "GroupNonUniformIAdd": "GroupNonUniformIAdd",
	}
}}

// spirvOpcode returns the instruction that a function is named after, and the part that
// follows its name: _RTE, _sat, _Rfloat4. The longest match wins, since underscores also
// occur within names (opcodeAliases).
func (t *translator) spirvOpcode(name string) (spirv.Opcode, string) {
	base, postfixes := name, ""
	for {
		lookup := base
		if alias, ok := opcodeAliases.Get()[base]; ok {
			lookup = alias
		}
		if op := spirv.OpcodeByName("Op" + lookup); op != spirv.OpNop {
			return op, postfixes
		}
		i := strings.LastIndexByte(base, '_')
		if i <= 0 {
			return spirv.OpNop, ""
		}
		base, postfixes = base[:i], base[i:]+postfixes
	}
}

// boolResults are the instructions whose result is a truth value. Their functions return
// a number where the language has no bool of its own.
var boolResults = lazy.Map[spirv.Opcode, bool]{New: func() map[spirv.Opcode]bool {
	return opcodesOf([]string{
		"IsNan", "IsInf", "IsFinite", "IsNormal", "SignBitSet", "LessOrGreater", "Ordered", "Unordered",
		"LogicalEqual", "LogicalNotEqual", "LogicalOr", "LogicalAnd", "LogicalNot", "IEqual", "INotEqual", "UGreaterThan",
		"SGreaterThan", "UGreaterThanEqual", "SGreaterThanEqual", "ULessThan", "SLessThan", "ULessThanEqual",
		"SLessThanEqual", "FOrdEqual", "FUnordEqual", "FOrdNotEqual", "FUnordNotEqual", "FOrdLessThan", "FUnordLessThan",
		"FOrdGreaterThan", "FUnordGreaterThan", "FOrdLessThanEqual", "FUnordLessThanEqual", "FOrdGreaterThanEqual",
		"FUnordGreaterThanEqual", "Any", "All", "GroupAll", "GroupAny", "GroupNonUniformElect", "GroupNonUniformAll",
		"GroupNonUniformAny", "GroupNonUniformAllEqual", "GroupNonUniformInverseBallot", "GroupNonUniformBallotBitExtract",
		"SubgroupAllKHR", "SubgroupAnyKHR", "SubgroupAllEqualKHR", "IsValidEvent", "IsValidReserveId", "AtomicFlagTestAndSet",
		"GroupNonUniformLogicalAnd", "GroupNonUniformLogicalOr", "GroupNonUniformLogicalXor",
	})
}}

// opcodesOf returns the set of the instructions of those names, without Op.
func opcodesOf(names []string) map[spirv.Opcode]bool {
	set := make(map[spirv.Opcode]bool, len(names))
	for _, name := range names {
		set[spirv.OpcodeByName("Op"+name)] = true
	}
	return set
}

// spirvInstruction writes the instruction that the function is named after. The arguments
// are its operands, as literals where the grammar has such. The result is returned, or
// stored through the first argument (structResult).
func (c *callSite) spirvInstruction(op spirv.Opcode, postfixes string) {
	c.instructionNeeds(op)
	switch {
	case op == spirv.OpControlBarrier:
		c.deviceBarrier()
	case opcodeNeeds.Get()[op].capability == capGroupArithmetic && c.isConstant(1):
		c.groupOperationNeeds(uint32(c.constantArgument(1)))
	case op == spirv.OpSubgroupMatrixMultiplyAccumulateINTEL:
		c.matrixFormats(4)
	case op == spirv.OpSubgroupScaledMatrixMultiplyAccumulateINTEL:
		c.instructionNeeds(spirv.OpSubgroupMatrixMultiplyAccumulateINTEL)
		c.matrixFormats(6)
	case op == spirv.OpAbortKHR:
		c.writeAbort()
		return
	case c.hasWrappedNumber(op):
		c.wrappedInstruction(op)
		return
	}
	words := c.instructionOperands(op)
	if op == spirv.OpGenericCastToPtrExplicit && len(words) == 1 {
		words = append(words, uint32(c.storageClass(c.function.moduleType(c.in.Type).AddressSpace)))
	}
	c.checkCount(len(words), op.OperandCount)
	c.checkElements(op)
	c.instructionResult(op, words, postfixes)
}

// instructionOperands returns the words of the arguments, without the one that a result
// is stored through.
func (c *callSite) instructionOperands(op spirv.Opcode) (words []uint32) {
	first := 0
	if c.structResult() {
		first = 1
	}
	for i := first; i < len(c.operands); i++ {
		switch {
		case op.IsLiteral(i - first):
			words = append(words, c.b.literalWord(uint32(c.constantArgument(i))))
			// The alignment is the first of the operands that follow the mask, and the only
			// one of them that is a literal.
			if op.IsMemoryAccess(i-first) && c.constantArgument(i)&accessAligned != 0 {
				i++
				words = append(words, c.b.literalWord(uint32(c.constantArgument(i))))
			}
		case isFailureOrder(op, i-first) && c.operand(i).Kind == ir.ValueConstant:
			words = append(words, c.constWord(withoutRelease(uint32(c.constantArgument(i)))))
		default:
			words = append(words, c.spirvArgument(op, i, i-first))
		}
	}
	return words
}

// instructionResult writes the instruction, whose result becomes the call's, or goes
// where the first argument points.
func (c *callSite) instructionResult(op spirv.Opcode, words []uint32, postfixes string) {
	result, typed := op.HasResult()
	switch {
	case !result:
		c.emitPlain(op, words...)
	case !typed:
		c.failf("a type is not a value")
	case c.structResult():
		pointee := c.callee.header.Attributes.Parameter(0)
		typ := c.typeID(ir.FindAttribute(pointee, "sret").Type)
		n := c.emitResult(op, typ, words...)
		c.emitPlain(spirv.OpStore, c.argAs(0, typ), n)
	case c.isVoid(c.in.Type):
		c.emitResult(op, c.voidType(), words...)
	case boolResults.Get()[op] && !c.isBool(c.in.Type):
		c.boolResult(op, words)
	default:
		n := c.emitResult(op, c.typ, words...)
		c.postfixDecorations(n, postfixes)
		c.setResult(n, c.typ)
	}
}

// isFailureOrder reports whether an operand has the semantics of a comparison that fails.
func isFailureOrder(op spirv.Opcode, at int) bool {
	return at == 3 && (op == spirv.OpAtomicCompareExchange || op == spirv.OpAtomicCompareExchangeWeak)
}

// withoutRelease returns semantics for a comparison that fails. It stores nothing, so SPIR-V
// does not allow a release there; C++ takes that part out as well.
func withoutRelease(semantics uint32) uint32 {
	switch {
	case semantics&semAcquireRelease != 0:
		return semantics&^semAcquireRelease | semAcquire
	case semantics&semRelease != 0:
		return semantics &^ semRelease
	}
	return semantics
}

// deviceBarrier notes the extension for barriers of all work-items of a device, as far as it
// is allowed.
func (c *callSite) deviceBarrier() {
	const extension = "SPV_INTEL_device_barrier"
	if c.isConstant(0) && c.constantArgument(0) == scopeDevice && c.options.allowsExtension(extension) {
		c.useExtension(extension)
		c.useCapabilities(capDeviceBarrier)
	}
}

// Bits of Matrix Multiply Accumulate Operands for elements of 8 and 4 bits.
const (
	matrixFloat8 = 0x3c000
	matrixFloat4 = 0xc0000
)

// matrixFormats notes the extensions for the formats of elements that the operands of a product
// of matrices name, which are its last argument if it has them.
func (c *callSite) matrixFormats(at int) {
	if !c.isConstant(at) {
		return
	}
	const extension = "SPV_INTEL_subgroup_matrix_multiply_accumulate_float"
	if c.constantArgument(at)&matrixFloat8 != 0 {
		c.useExtension(extension + "8")
	}
	if c.constantArgument(at)&matrixFloat4 != 0 {
		c.useExtension(extension + "4")
	}
}

// structResult reports whether the result is stored through the first argument, which has
// the attribute sret then. Compilers return structs this way if the target's calling
// convention says so.
func (c *callSite) structResult() bool {
	if !c.isVoid(c.in.Type) || len(c.operands) == 0 {
		return false
	}
	a := ir.FindAttribute(c.callee.header.Attributes.Parameter(0), "sret")
	return a != nil && a.Type != ir.NoType
}

// spirvArgument returns argument i, which is operand at of the instruction. Pointers and
// truth values are converted to the types that the instruction takes.
func (c *callSite) spirvArgument(op spirv.Opcode, i, at int) id {
	v := c.operand(i)
	if at == 0 && (op == spirv.OpGenericCastToPtrExplicit || op == spirv.OpGenericCastToPtr) && c.isPointer(c.in.Type) {
		return c.argAs(i, c.pointeeID(c.typ))
	}
	if at == 0 && c.isPointer(v.Type) && isAtomicOp(op) {
		value := c.in.Type
		if op == spirv.OpAtomicStore {
			value = c.operand(len(c.operands) - 1).Type
		}
		// The type of the value tells the pointee: an opaque pointer does not.
		if !c.isVoid(value) && c.function.moduleType(value).Kind != ir.TypePointer {
			if boolResults.Get()[op] {
				return c.argAs(i, c.intType(32))
			}
			c.atomicNeeds(op, value)
			return c.argAs(i, c.typeID(value))
		}
	}
	if c.wantsBool(op, at) && !c.isBool(v.Type) {
		n := c.valueID(v)
		return c.emitResult(spirv.OpINotEqual, c.intLikeBool(v.Type), n, c.splatConstant(v.Type, 0))
	}
	if isArbitraryOp(op) && c.isPointer(v.Type) {
		return c.loadArgument(i)
	}
	return c.argumentID(i)
}

// isArbitraryOp reports whether an instruction is one of fixed-point numbers or of
// floating-point numbers of any width.
func isArbitraryOp(op spirv.Opcode) bool {
	return op >= spirv.OpFixedSqrtINTEL && op <= spirv.OpFixedExpINTEL ||
		op >= spirv.OpArbitraryFloatSinCosPiINTEL && op <= spirv.OpArbitraryFloatPowNINTEL
}

// loadArgument returns the number to which an argument with byval points. Compilers pass
// integers of more than 64 bits this way.
func (c *callSite) loadArgument(i int) id {
	typ := c.pointeeID(c.typeOf(c.operand(i)))
	if a := ir.FindAttribute(c.callee.header.Attributes.Parameter(i), "byval"); a != nil && a.Type != ir.NoType {
		typ = c.typeID(a.Type)
	}
	return c.emitResult(spirv.OpLoad, typ, c.argAs(i, typ))
}

// wantsBool reports whether an operand is a truth value.
func (c *callSite) wantsBool(op spirv.Opcode, at int) bool {
	switch op {
	case spirv.OpGroupAll, spirv.OpGroupAny, spirv.OpGroupNonUniformAll, spirv.OpGroupNonUniformAny, spirv.OpGroupNonUniformBallot:
		return at == 1
	case spirv.OpGroupNonUniformLogicalAnd, spirv.OpGroupNonUniformLogicalOr, spirv.OpGroupNonUniformLogicalXor:
		return at == 2
	case spirv.OpAny, spirv.OpAll, spirv.OpLogicalNot:
		return at == 0
	case spirv.OpLogicalAnd, spirv.OpLogicalOr, spirv.OpLogicalEqual, spirv.OpLogicalNotEqual:
		return true
	}
	return false
}

// intLikeBool returns bool, in a vector as long as the type is.
func (f *function) intLikeBool(n ir.TypeID) id {
	if typ := f.moduleType(n); typ.Kind == ir.TypeVector && typ.Length > 1 {
		return f.vectorType(f.boolType(), uint32(typ.Length))
	}
	return f.boolType()
}

// boolResult writes an instruction whose truth value the function gives as a
// number: 1, or -1 in vectors.
func (c *callSite) boolResult(op spirv.Opcode, words []uint32) {
	if !isElementwise(op) {
		c.checkTruth()
	}
	n := c.emitResult(op, c.intLikeBool(c.in.Type), words...)
	one := uint64(1)
	if c.function.moduleType(c.in.Type).Kind == ir.TypeVector {
		one = allOnes(c.scalarBits(c.in.Type))
	}
	c.setResult(c.emitResult(spirv.OpSelect, c.typ, n, c.splatConstant(c.in.Type, one), c.splatConstant(c.in.Type, 0)), c.typ)
}

func isAtomicOp(op spirv.Opcode) bool {
	return op >= spirv.OpAtomicLoad && op <= spirv.OpAtomicXor || op == spirv.OpAtomicFlagTestAndSet || op == spirv.OpAtomicFlagClear ||
		op == spirv.OpAtomicFAddEXT || op == spirv.OpAtomicFMinEXT || op == spirv.OpAtomicFMaxEXT
}

// postfixDecorations adds the decorations that the parts after a conversion's name ask
// for.
func (c *callSite) postfixDecorations(n id, text string) {
	for part := range strings.SplitSeq(strings.ToLower(text), "_") {
		switch part {
		case "sat":
			c.b.decorateID(n, decSaturated)
		// The numbers are those of FP Rounding Mode (SPIR-V).
		case "rte", "rtz", "rtp", "rtn":
			c.b.decorateID(n, decFPRoundingMode, map[string]uint32{"rte": 0, "rtz": 1, "rtp": 2, "rtn": 3}[part])
		}
	}
}

// extendedInstruction writes an instruction of OpenCL.std.
func (c *callSite) extendedInstruction(name string) {
	switch name {
	case "fma":
		c.checkCount(len(c.operands), func() (int, int) { return 3, 3 })
		c.checkNumbers(name)
		c.fusedMultiplyAdd()
		return
	case "fmin_common", "fmax_common":
		if c.options.allowsExtension("SPV_KHR_float_controls2") {
			c.checkCount(len(c.operands), func() (int, int) { return 2, 2 })
			c.checkNumbers(name)
			c.commonExtremum(strings.TrimSuffix(name, "_common"))
			return
		}
	}
	number, _ := spirv.ExtInstNumber("OpenCL.std", name)
	words := []uint32{c.opencl, number}
	for i := range c.operands {
		switch {
		case spirv.ExtInstIsLiteral("OpenCL.std", number, i):
			words = append(words, c.b.literalWord(uint32(c.constantArgument(i))))
		case name == "printf" && c.isPointer(c.operand(i).Type):
			words = append(words, c.argAs(i, c.intType(8)))
			// OpenCL.std wants the format in constant memory; clang puts it
			// elsewhere for SYCL and C++.
			if i == 0 && c.function.moduleType(c.operand(0).Type).AddressSpace != 2 {
				c.relaxPrintf()
			}
		case repeatsScalars.Get()[name]:
			words = append(words, c.repeatedArgument(i))
		default:
			words = append(words, c.argumentID(i))
		}
	}
	c.checkCount(len(words)-2, func() (int, int) { return spirv.ExtInstOperandCount("OpenCL.std", number) })
	c.checkNumbers(name)
	n := c.emitResult(spirv.OpExtInst, c.typ, words...)
	c.setResult(n, c.typ)
}

// relaxPrintf allows a format outside of constant memory.
func (c *callSite) relaxPrintf() {
	const extension = "SPV_EXT_relaxed_printf_string_address_space"
	c.useExtension(extension)
	if c.options.declaredName(extension) != extension {
		c.useCapabilities(capAddrspacePrintf)
	}
}

// repeatsScalars are the instructions whose functions in OpenCL C also take scalars next
// to vectors, as clamp(float4, float, float) does. OpenCL.std wants vectors only.
var repeatsScalars = lazy.Map[string, bool]{New: func() map[string]bool {
	return map[string]bool{
		"fmax": true, "fmin": true, "fmax_common": true, "fmin_common": true, "fclamp": true, "mix": true, "step": true, "smoothstep": true,
		"s_max": true, "u_max": true, "s_min": true, "u_min": true, "s_clamp": true, "u_clamp": true, "ldexp": true,
	}
}}

// repeatedArgument returns an argument; a scalar is repeated if the result is a vector.
func (c *callSite) repeatedArgument(i int) id {
	result, n := c.function.moduleType(c.in.Type), c.argumentID(i)
	argument := c.operand(i).Type
	if result.Kind != ir.TypeVector || c.function.moduleType(argument).Kind == ir.TypeVector {
		return n
	}
	parts := slices.Repeat([]id{n}, int(result.Length))
	return c.emitResult(spirv.OpCompositeConstruct, c.vectorType(c.typeID(argument), uint32(result.Length)), parts...)
}

// commonExtremum writes fmin_common or fmax_common. With SPV_KHR_float_controls2 they are
// fmin and fmax, decorated so that there are neither NaNs nor infinities.
func (c *callSite) commonExtremum(name string) {
	c.floatControls()
	n := c.extInst(name, c.repeatedArgument(0), c.repeatedArgument(1))
	c.b.decorateID(n, decFPFastMathMode, fastNotNaN|fastNotInf)
	c.finishCall(n)
}

// specConstant writes __spirv_SpecConstant(id, default). The constant is an entry of the
// module, so that all calls of the same type and id share one.
func (c *callSite) specConstant() {
	number := uint32(c.constantArgument(0))
	typ := c.function.moduleType(c.in.Type)
	bits := typ.Bits
	key := fmt.Sprintf("spec %d %d", c.in.Type, number)
	n := c.b.keyedEntry(sectionGlobals, key, func(n id) entry {
		v := c.operand(1)
		if v.Kind != ir.ValueConstant {
			c.failf("the default of a specialization constant must be a constant")
		}
		var words []uint64
		switch k := c.ir.Constants.At(v); k.Kind {
		case ir.ConstantInt, ir.ConstantFloat:
			words = k.Words
		default:
			words = []uint64{0, 0}
		}
		op, list := spirv.OpSpecConstant, []uint32{c.typ, n}
		if bits == 1 {
			if op = spirv.OpSpecConstantFalse; words[0] != 0 {
				op = spirv.OpSpecConstantTrue
			}
		} else {
			list = append(list, constantWords(bits, words)...)
		}
		c.b.decorateID(n, decSpecID, number)
		if c.in.Name != "" {
			c.b.setName(n, c.in.Name)
		}
		return entry{op: op, words: list, deps: []id{c.typ}}
	})
	c.setResult(n, c.typ)
}

// specComposite writes __spirv_SpecConstantComposite(parts).
func (c *callSite) specComposite() {
	typ := c.typ
	operands, first := c.operands, 0
	sret := c.structResult()
	if sret {
		typ, first = c.typeID(ir.FindAttribute(c.callee.header.Attributes.Parameter(0), "sret").Type), 1
	}
	var parts []id
	for i := first; i < len(operands); i++ {
		n := c.valueID(operands[i])
		// The parts must be constants of the module: the instruction stands
		// among the globals.
		if c.b.entryOf(n) == nil {
			c.failf("a part of a specialization constant is not a constant")
		}
		parts = append(parts, n)
	}
	n := c.b.constantEntry(spirv.OpSpecConstantComposite, typ, parts, parts...)
	if sret {
		c.emitPlain(spirv.OpStore, c.argAs(0, typ), n)
		return
	}
	c.setResult(n, typ)
}
