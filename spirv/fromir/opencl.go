package fromir

import (
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
