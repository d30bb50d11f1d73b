package fromir

import (
	"cmp"
	"strconv"
	"strings"

	"offlink/ir"
	"offlink/lazy"
	"offlink/spirv"
)

// workItemVariables are the work-item functions that read a built-in variable. An indexed
// one is a vector of which the argument chooses a dimension.
var workItemVariables = lazy.Map[string, workItemVariableRow]{New: func() map[string]workItemVariableRow {
	return map[string]workItemVariableRow{
		"get_global_id": {"GlobalInvocationId", true}, "get_global_size": {"GlobalSize", true}, "get_global_offset": {"GlobalOffset", true},
		"get_local_id": {"LocalInvocationId", true}, "get_local_size": {"WorkgroupSize", true},
		"get_enqueued_local_size": {"EnqueuedWorkgroupSize", true}, "get_num_groups": {"NumWorkgroups", true},
		"get_group_id": {"WorkgroupId", true}, "get_work_dim": {"WorkDim", false}, "get_global_linear_id": {"GlobalLinearId", false},
		"get_local_linear_id": {"LocalInvocationIndex", false}, "get_sub_group_size": {"SubgroupSize", false},
		"get_max_sub_group_size": {"SubgroupMaxSize", false}, "get_num_sub_groups": {"NumSubgroups", false},
		"get_enqueued_num_sub_groups": {"NumEnqueuedSubgroups", false}, "get_sub_group_id": {"SubgroupId", false},
		"get_sub_group_local_id": {"SubgroupLocalInvocationId", false}, "get_sub_group_eq_mask": {"SubgroupEqMask", false},
		"get_sub_group_ge_mask": {"SubgroupGeMask", false}, "get_sub_group_gt_mask": {"SubgroupGtMask", false},
		"get_sub_group_le_mask": {"SubgroupLeMask", false}, "get_sub_group_lt_mask": {"SubgroupLtMask", false},
	}
}}

// workItemVariableRow is a row of workItemVariables.
type workItemVariableRow struct {
	variable string
	indexed  bool
}

// plainFunctions are the functions that become one instruction.
var plainFunctions = lazy.Map[string, string]{New: newPlainFunctions}

func newPlainFunctions() map[string]string {
	table := map[string]string{
		"isnan": "IsNan", "isinf": "IsInf", "isfinite": "IsFinite", "isnormal": "IsNormal", "signbit": "SignBitSet",
		"isequal": "FOrdEqual", "popcount": "BitCount", "isnotequal": "FUnordNotEqual", "isgreater": "FOrdGreaterThan", "isgreaterequal": "FOrdGreaterThanEqual",
		"isless": "FOrdLessThan", "islessequal": "FOrdLessThanEqual", "islessgreater": "FOrdNotEqual", "isordered": "Ordered",
		"isunordered": "Unordered", "dot": "Dot", "wait_group_events": "GroupWaitEvents",
		"retain_event": "RetainEvent", "release_event": "ReleaseEvent", "create_user_event": "CreateUserEvent",
		"is_valid_event": "IsValidEvent", "set_user_event_status": "SetUserEventStatus", "get_default_queue": "GetDefaultQueue",
		"enqueue_marker": "EnqueueMarker", "capture_event_profiling_info": "CaptureEventProfilingInfo",
		"intel_work_group_barrier_arrive": "ControlBarrierArriveINTEL", "intel_work_group_barrier_wait": "ControlBarrierWaitINTEL",
		"intel_sub_group_barrier_arrive": "ControlBarrierArriveINTEL", "intel_sub_group_barrier_wait": "ControlBarrierWaitINTEL",
		"intel_sub_group_shuffle": "SubgroupShuffleINTEL", "intel_sub_group_shuffle_down": "SubgroupShuffleDownINTEL",
		"intel_sub_group_shuffle_up": "SubgroupShuffleUpINTEL", "intel_sub_group_shuffle_xor": "SubgroupShuffleXorINTEL",
		"bit_reverse": "BitReverse", "bitfield_insert": "BitFieldInsert", "bitfield_extract_signed": "BitFieldSExtract",
		"bitfield_extract_unsigned": "BitFieldUExtract",
		"get_image_num_mip_levels":  "ImageQueryLevels", "get_image_num_samples": "ImageQuerySamples",
	}
	for _, n := range []string{"", "2", "3", "4", "8", "16"} {
		table["intel_convert_bfloat16"+n+"_as_ushort"+n] = "ConvertFToBF16INTEL"
		table["intel_convert_as_bfloat16"+n+"_float"+n] = "ConvertBF16ToFINTEL"
	}
	return table
}

// clockScopes are the ends of the names of the functions that read a clock.
var clockScopes = lazy.Map[string, uint32]{New: func() map[string]uint32 {
	return map[string]uint32{"device": scopeDevice, "work_group": scopeWorkgroup, "sub_group": scopeSubgroup}
}}

// clockFunction returns the writer of a function that reads a clock (cl_khr_kernel_clock): as
// one number, or as its two halves. It returns nil for other functions.
func clockFunction(name string) func(*callSite) {
	rest := strings.TrimPrefix(strings.TrimPrefix(name, "clock_read_"), "hilo_")
	scope, ok := clockScopes.Get()[rest]
	if !ok {
		return nil
	}
	return func(c *callSite) {
		c.checkCount(len(c.operands), func() (int, int) { return 0, 0 })
		number, length := c.numberShape(c.in.Type)
		if number == nil || number.Kind != ir.TypeInteger || number.Bits != 64/uint32(length) || length > 2 {
			c.failf("the result of a clock is a number of 64 bits or its two halves")
		}
		c.instructionNeeds(spirv.OpReadClockKHR)
		c.finishCall(c.emitResult(spirv.OpReadClockKHR, c.typ, c.constWord(scope)))
	}
}

// signedFunctions are the functions of integers that OpenCL.std has twice, s_
// and u_.
var signedFunctions = lazy.Map[string, bool]{New: func() map[string]bool {
	return map[string]bool{
		"abs": true, "abs_diff": true, "add_sat": true, "hadd": true, "rhadd": true, "clamp": true, "mad_hi": true, "mad_sat": true,
		"max": true, "min": true, "mul_hi": true, "sub_sat": true, "upsample": true, "mad24": true, "mul24": true,
	}
}}

// floatFunctions are those of signedFunctions that are other instructions for
// floating-point numbers. OpenCL C leaves max and min of a NaN open; llvm-spirv writes
// the instructions that return the other number.
var floatFunctions = lazy.Map[string, string]{New: func() map[string]string {
	return map[string]string{"max": "fmax", "min": "fmin", "clamp": "fclamp"}
}}

// openclBuiltin returns the replacement of calls of a function of OpenCL C, or nil for
// other functions. Tables of names come first, then families by prefix, and last the
// instructions of OpenCL.std, most of which have the function's name.
func (t *translator) openclBuiltin(name string, parameters []mangledType) *builtin {
	b := &builtin{result: -1}
	if w, ok := workItemVariables.Get()[name]; ok {
		number, _ := spirv.BuiltInNumber(w.variable)
		b.variable = &inputKind{name: "__spirv_BuiltIn" + w.variable, number: number, indexed: w.indexed}
		b.write = func(c *callSite) { c.builtinVariable(b.variable) }
		return b
	}
	if op, ok := plainFunctions.Get()[name]; ok {
		b.write = func(c *callSite) { c.plainFunction(name, spirv.OpcodeByName("Op"+op)) }
		return b
	}
	if signedFunctions.Get()[name] {
		b.write = func(c *callSite) { c.signedFunction(name) }
		return b
	}
	if isIntegerDot(name) {
		b.write = (*callSite).integerDot
		return b
	}
	if write := blockFunctions.Get()[name]; write != nil {
		b.write = write
		return b
	}
	if write := t.openclSpecial(name); write != nil {
		b.write = write
		return b
	}
	if write := t.pipeFunction(name); write != nil {
		b.write = write
		return b
	}
	if hasExtInst(name) {
		b.write = func(c *callSite) { c.extendedInstruction(name) }
		return b
	}
	return nil
}

func hasExtInst(name string) bool {
	_, ok := spirv.ExtInstNumber("OpenCL.std", name)
	return ok
}

// plainFunction writes a function of plainFunctions. Some need operands that the call
// does not have: a scope, or memory semantics.
func (c *callSite) plainFunction(name string, op spirv.Opcode) {
	switch name {
	case "dot":
		c.dotProduct()
		return
	case "intel_work_group_barrier_arrive", "intel_work_group_barrier_wait":
		c.splitBarrier(op, scopeWorkgroup)
		return
	case "intel_sub_group_barrier_arrive", "intel_sub_group_barrier_wait":
		c.splitBarrier(op, scopeSubgroup)
		return
	case "wait_group_events":
		c.emitPlain(op, c.constWord(scopeWorkgroup), c.argumentID(0), c.argumentID(1))
		return
	}
	c.spirvInstruction(op, "")
}

// signedFunction writes a function of which OpenCL.std has a signed and an unsigned form.
func (c *callSite) signedFunction(name string) {
	// LLVM's integers have no sign: only the mangled name says which of the two is
	// meant.
	last := c.lastParameter()
	switch {
	case last.isFloating():
		if instruction, ok := floatFunctions.Get()[name]; ok {
			c.extendedInstruction(instruction)
			return
		}
	case last.isUnsigned():
		c.extendedInstruction("u_" + name)
		return
	}
	c.extendedInstruction("s_" + name)
}

// mangledParameter returns a parameter as the function's name spells it, or one of an
// unknown type.
func (c *callSite) mangledParameter(i int) *mangledType {
	if i >= 0 && i < len(c.builtin.parameters) {
		return &c.builtin.parameters[i]
	}
	return &mangledType{unknown: true, length: 1}
}

// lastParameter returns the last parameter that the name spells.
func (c *callSite) lastParameter() *mangledType {
	return c.mangledParameter(len(c.builtin.parameters) - 1)
}

// openclSpecial returns the writer of a function that has no instruction with the same
// operands, or nil for other functions.
func (t *translator) openclSpecial(name string) func(*callSite) {
	switch name {
	case "barrier", "work_group_barrier":
		return func(c *callSite) { c.writeBarrier(scopeWorkgroup) }
	case "sub_group_barrier":
		return func(c *callSite) { c.writeBarrier(scopeSubgroup) }
	case "mem_fence", "read_mem_fence", "write_mem_fence":
		return (*callSite).memoryFence
	case "atomic_work_item_fence":
		return (*callSite).workItemFence
	case "any", "all":
		return (*callSite).anyAll
	case "select", "bitselect":
		return func(c *callSite) { c.extendedInstruction(name) }
	case "async_work_group_copy", "async_work_group_strided_copy":
		return (*callSite).asyncCopy
	case "to_global", "to_local", "to_private", "__to_global", "__to_local", "__to_private":
		return func(c *callSite) { c.spirvInstruction(spirv.OpGenericCastToPtrExplicit, "") }
	case "__translate_sampler_initializer":
		return (*callSite).samplerConstant
	case "ndrange_1D", "ndrange_2D", "ndrange_3D":
		return (*callSite).makeRange
	case "printf":
		return func(c *callSite) { c.extendedInstruction("printf") }
	case "ctz":
		return func(c *callSite) { c.extendedInstruction("ctz") }
	case "get_fence":
		return (*callSite).fenceOfPointer
	}
	switch {
	case strings.HasPrefix(name, "clock_read_"):
		return clockFunction(name)
	case strings.HasPrefix(name, "convert_"):
		return t.conversionWriter(name)
	case strings.HasPrefix(name, "vload"), strings.HasPrefix(name, "vstore"):
		return vectorAccessFunction(name)
	case strings.HasPrefix(name, "atomic_"), strings.HasPrefix(name, "atom_"):
		return atomicFunction(name)
	case strings.HasPrefix(name, avcPrefix), name == "intel_sub_group_ime_ref_window_size":
		return avcFunction(name)
	case strings.HasPrefix(name, "intel_sub_group_media_block_"):
		return (*callSite).mediaBlock
	case strings.HasPrefix(name, "intel_sub_group_block_"):
		return (*callSite).blockAccess
	case strings.HasPrefix(name, "work_group_"), strings.HasPrefix(name, "sub_group_"):
		return groupFunction(name)
	case strings.HasPrefix(name, "read_image"), strings.HasPrefix(name, "write_image"), strings.HasPrefix(name, "get_image_"):
		return imageFunction(name)
	}
	return nil
}

// plainNames are the functions of OpenCL C that are not mangled.
var plainNames = lazy.Map[string, bool]{New: func() map[string]bool {
	return map[string]bool{
		"printf": true, "__to_global": true, "__to_local": true, "__to_private": true, "__translate_sampler_initializer": true,
	}
}}

// samplerConstant writes the sampler that a number stands for: whether coordinates are
// normalized, the addressing mode and the filter mode.
func (c *callSite) samplerConstant() {
	// The bits are those of clang's header: 1 normalized, 2 to 8 addressing,
	// 0x10 nearest, 0x20 linear. SPIR-V numbers the modes in the same order.
	n := uint32(c.constantArgument(0))
	c.useCapabilities(capLiteralSampler)
	typ := c.simpleType("Sampler")
	filter := uint32(0)
	if n&0x30 != 0 {
		filter = n&0x30>>4 - 1
	}
	c.setResult(c.b.constantEntry(spirv.OpConstantSampler, typ, []uint32{n & 0xe >> 1, n & 1, filter}), typ)
}

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

// anyAll writes any and all, which look at the sign bits of integers; OpAny and OpAll
// want truth values.
func (c *callSite) anyAll() {
	c.checkTruth()
	v := c.operand(0)
	n := c.emitResult(spirv.OpSLessThan, c.intLikeBool(v.Type), c.valueID(v), c.splatConstant(v.Type, 0))
	if c.function.moduleType(v.Type).Kind == ir.TypeVector {
		op := spirv.OpAny
		if c.builtin.name == "all" {
			op = spirv.OpAll
		}
		n = c.emitResult(op, c.boolType(), n)
	}
	c.finishCall(c.emitResult(spirv.OpSelect, c.typ, n, c.splatConstant(c.in.Type, 1), c.splatConstant(c.in.Type, 0)))
}

// asyncCopy writes an asynchronous copy; one that is not strided has stride 1.
func (c *callSite) asyncCopy() {
	words := []uint32{c.constWord(scopeWorkgroup), c.argumentID(0), c.argumentID(1), c.valueID(c.operand(2))}
	if len(c.operands) > 4 {
		words = append(words, c.valueID(c.operand(3)))
	} else {
		words = append(words, c.sizeConstant(1))
	}
	words = append(words, c.argumentID(len(c.operands)-1))
	c.finishCall(c.emitResult(spirv.OpGroupAsyncCopy, c.typ, words...))
}

var conversionTypes = []string{"float", "double", "half", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"}

// conversionWriter returns the writer of convert_T[n][_sat][_rte].
func (t *translator) conversionWriter(name string) func(*callSite) {
	parts := strings.Split(strings.TrimPrefix(name, "convert_"), "_")
	target := strings.TrimRight(parts[0], "0123456789")
	known := false
	for _, c := range conversionTypes {
		known = known || c == target
	}
	for _, p := range parts[1:] {
		switch p {
		case "sat", "rte", "rtz", "rtp", "rtn":
		default:
			known = false
		}
	}
	if !known {
		return nil
	}
	return func(c *callSite) { c.convertNumber(target, strings.Join(parts[1:], "_")) }
}

// convertNumber writes convert_T. The name of the function tells which integers have a
// sign, since LLVM's types do not. A saturating conversion that changes the sign is an
// instruction of its own; others are decorated with the parts after the type.
func (c *callSite) convertNumber(target, postfixes string) {
	c.checkConversion(target)
	v := c.operand(0)
	unsigned, toSigned := c.mangledParameter(0).isUnsigned(), target[0] != 'u'
	source, to := c.scalarKind(v.Type), c.scalarKind(c.in.Type)
	saturates := strings.Contains(postfixes, "sat")
	integers := source == ir.TypeInteger && to == ir.TypeInteger
	if c.typeOf(v) == c.typ && (!integers || !saturates || toSigned == !unsigned) {
		c.finishCall(c.valueID(v))
		return
	}
	op := plainConversion(source, to, unsigned, toSigned)
	switch {
	case integers && saturates && toSigned == !unsigned:
		c.saturateInteger(op, v)
		return
	case integers && saturates && toSigned:
		op, postfixes = spirv.OpSatConvertUToS, ""
	case integers && saturates:
		op, postfixes = spirv.OpSatConvertSToU, ""
	}
	n := c.emitResult(op, c.typ, c.valueID(v))
	c.postfixDecorations(n, postfixes)
	c.finishCall(n)
}

// plainConversion returns the instruction between two kinds of numbers that does not
// saturate.
func plainConversion(from, to ir.TypeKind, unsigned, toSigned bool) spirv.Opcode {
	switch {
	case from == ir.TypeInteger && to == ir.TypeInteger && unsigned:
		return spirv.OpUConvert
	case from == ir.TypeInteger && to == ir.TypeInteger:
		return spirv.OpSConvert
	case from == ir.TypeInteger && unsigned:
		return spirv.OpConvertUToF
	case from == ir.TypeInteger:
		return spirv.OpConvertSToF
	case to == ir.TypeInteger && toSigned:
		return spirv.OpConvertFToS
	case to == ir.TypeInteger:
		return spirv.OpConvertFToU
	}
	return spirv.OpFConvert
}

// saturateInteger writes a saturating conversion between integers that both have a sign,
// or both have none.
func (c *callSite) saturateInteger(op spirv.Opcode, v ir.Value) {
	n := c.emitResult(op, c.typ, c.valueID(v))
	c.b.decorateID(n, decSaturated)
	c.finishCall(n)
}

// scalarKind returns the kind of a number or of the elements of a vector.
func (f *function) scalarKind(n ir.TypeID) ir.TypeKind {
	typ := f.moduleType(n)
	if typ.Kind == ir.TypeVector {
		typ = f.moduleType(typ.Elements[0])
	}
	return typ.Kind
}

// vectorAccess is the name of a vload or vstore taken apart: vstorea_half4_rte is aligned,
// of halves, of 4 elements, with a rounding.
type vectorAccess struct {
	load, aligned, half bool
	length, rounding    string
}

// vectorAccessFunction returns the writer of a vload or vstore, nil if the name is not one.
func vectorAccessFunction(name string) func(*callSite) {
	access, ok := parseVectorAccess(name)
	if !ok {
		return nil
	}
	return func(c *callSite) { c.vectorMemory(access) }
}

func parseVectorAccess(name string) (access vectorAccess, ok bool) {
	rest, load := strings.CutPrefix(name, "vload")
	if access.load = load; !load {
		rest = strings.TrimPrefix(name, "vstore")
	}
	rest, access.aligned = strings.CutPrefix(rest, "a")
	rest, access.half = strings.CutPrefix(rest, "_half")
	access.length, access.rounding, _ = strings.Cut(rest, "_")
	if !access.half && (access.aligned || access.length == "") || !vectorLengths.Get()[access.length] {
		return access, false
	}
	_, rounds := vectorRoundings.Get()[access.rounding]
	return access, access.rounding == "" || rounds && access.half && !load
}

var (
	vectorLengths = lazy.Map[string, bool]{New: func() map[string]bool {
		return map[string]bool{"": true, "2": true, "3": true, "4": true, "8": true, "16": true}
	}}
	vectorRoundings = lazy.Map[string, uint32]{New: func() map[string]uint32 {
		return map[string]uint32{"rte": 0, "rtz": 1, "rtp": 2, "rtn": 3}
	}}
)

// instructionName returns the name of the instruction, such as vstorea_halfn_r.
func (v vectorAccess) instructionName() string {
	name := "vstore"
	if v.load {
		name = "vload"
	}
	if v.aligned {
		name += "a"
	}
	if v.half {
		name += "_half"
	}
	if v.hasLength() {
		name += "n"
	}
	if v.rounding != "" {
		name += "_r"
	}
	return name
}

// hasLength reports whether the instruction is that of vectors.
func (v vectorAccess) hasLength() bool { return v.length != "" || v.aligned }

// vectorMemory writes vload and vstore in all their forms. The instructions have the
// operands of the functions, the pointer last; the number of elements that a vload reads,
// and the rounding of a vstore, follow it.
func (c *callSite) vectorMemory(access vectorAccess) {
	c.checkVectorMemory(access)
	words := c.argumentIDs(0)
	if !access.load {
		if access.rounding != "" {
			words = append(words, vectorRoundings.Get()[access.rounding])
		}
		c.extInst(access.instructionName(), words...)
		return
	}
	if access.hasLength() {
		words = append(words, max(parseNumbers([]string{access.length})[0], 1))
	}
	c.finishCall(c.extInst(access.instructionName(), words...))
}

// checkVectorMemory refuses a call whose arguments or result are not those of the name.
func (c *callSite) checkVectorMemory(access vectorAccess) {
	arguments := 3
	if access.load {
		arguments = 2
	}
	if len(c.operands) != arguments || !c.isPointer(c.operand(arguments-1).Type) {
		c.failf("want %d arguments, the last one a pointer", arguments)
	}
	if typ := c.function.moduleType(c.operand(arguments - 2).Type); typ.Kind != ir.TypeInteger || typ.Bits != c.pointerBits {
		c.failf("argument %d is not an integer of %d bits, a size_t", arguments-1, c.pointerBits)
	}
	if !access.load {
		return
	}
	want := cmp.Or(access.length, "1")
	if number, length := c.numberShape(c.in.Type); number == nil || access.instructionName() != "vload_half" && strconv.FormatUint(length, 10) != want {
		c.failf("the result is not %s numbers", want)
	}
}

// mediaBlock writes the media block reads and writes of sub-groups. The functions take
// the image last, the instructions take it first.
func (c *callSite) mediaBlock() {
	last := len(c.operands) - 1
	image := c.valueID(c.operand(last))
	c.useExtension("SPV_INTEL_media_block_io")
	c.useCapabilities(5579)
	if strings.HasPrefix(c.builtin.name, "intel_sub_group_media_block_read") {
		c.finishCall(c.emitResult(spirv.OpSubgroupImageMediaBlockReadINTEL, c.typ, image, c.argumentID(0), c.argumentID(1), c.argumentID(2)))
		return
	}
	c.emitPlain(spirv.OpSubgroupImageMediaBlockWriteINTEL, image, c.argumentID(0), c.argumentID(1), c.argumentID(2), c.argumentID(3))
}

// blockAccess writes Intel's block reads and writes of sub-groups. The type of the first
// argument tells whether they access a buffer or an image.
func (c *callSite) blockAccess() {
	image := false
	if e := c.b.entryOf(c.typeOf(c.operand(0))); e != nil {
		image = e.op == spirv.OpTypeImage
	}
	read := strings.HasPrefix(c.builtin.name, "intel_sub_group_block_read")
	value := c.in.Type
	op := map[[2]bool]spirv.Opcode{
		{true, false}: spirv.OpSubgroupBlockReadINTEL, {false, false}: spirv.OpSubgroupBlockWriteINTEL,
		{true, true}: spirv.OpSubgroupImageBlockReadINTEL, {false, true}: spirv.OpSubgroupImageBlockWriteINTEL,
	}[[2]bool{read, image}]
	c.instructionNeeds(op)
	if !read {
		value = c.operand(len(c.operands) - 1).Type
	}
	if !image {
		scalar := value
		if typ := c.function.moduleType(value); typ.Kind == ir.TypeVector {
			scalar = typ.Elements[0]
		}
		words := []uint32{c.argAs(0, c.typeID(scalar))}
		if read {
			c.finishCall(c.emitResult(op, c.typ, words...))
			return
		}
		c.emitPlain(op, append(words, c.valueID(c.operand(1)))...)
		return
	}
	if read {
		c.finishCall(c.emitResult(op, c.typ, c.argumentIDs(0)...))
		return
	}
	c.emitPlain(op, c.argumentIDs(0)...)
}
