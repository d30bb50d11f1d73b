package fromir

import (
	"cmp"
	"slices"
	"strings"

	"offlink/ir"
	"offlink/lazy"
	"offlink/spirv"
)

// Execution modes.
const (
	modeLocalSize        = 17
	modeLocalSizeHint    = 18
	modeVecTypeHint      = 30
	modeContractionOff   = 31
	modeInitializer      = 33
	modeFinalizer        = 34
	modeSubgroupSize     = 35
	modeSubgroupsPer     = 36
	modeSignedZeros      = 4461
	modeArithmeticPoison = 5157
	modeSharedMemory     = 5618
	modeMaxWorkgroup     = 5893
	modeMaxWorkDim       = 5894
	modeNoGlobalOffset   = 5895
	modeNumSIMD          = 5896
	modeSchedulerFmax    = 5903
	modeFastMathDefault  = 6028
	modeFastComposite    = 6088
	modeStreaming        = 6154
	modeRegisterMap      = 6160
	modeNamedBarriers    = 6417
	modeNamedSubgroup    = 6446
	modeMaxRegisters     = 6461
	modeMaxRegistersID   = 6462
	modeNamedMaxRegs     = 6463
)

const maximumRegisters = "SPV_INTEL_maximum_registers"

// modeNeeds are the extension and capability of execution modes that need them. A mode
// whose extension is not allowed is left out.
var modeNeeds = lazy.Map[uint32, need]{New: func() map[uint32]need {
	return map[uint32]need{
		modeArithmeticPoison: {"SPV_KHR_poison_freeze", 5156},
		modeSharedMemory:     {"SPV_INTEL_vector_compute", capVectorCompute},
		modeNamedBarriers:    {"SPV_INTEL_vector_compute", capVectorCompute},
		modeFastComposite:    {"SPV_INTEL_fast_composite", capFastComposite},
		// RoundingModeRTPINTEL, RTNINTEL, FloatingPointModeALTINTEL and IEEEINTEL,
		// with RoundToInfinityINTEL and FloatingPointModeINTEL.
		5620:                {"SPV_INTEL_float_controls2", 5582},
		5621:                {"SPV_INTEL_float_controls2", 5582},
		5622:                {"SPV_INTEL_float_controls2", 5583},
		5623:                {"SPV_INTEL_float_controls2", 5583},
		modeMaxWorkgroup:    {"SPV_INTEL_kernel_attributes", 5892},
		modeNoGlobalOffset:  {"SPV_INTEL_kernel_attributes", 5892},
		modeMaxWorkDim:      {"SPV_INTEL_kernel_attributes", 5897},
		modeNumSIMD:         {"SPV_INTEL_kernel_attributes", 5897},
		modeSchedulerFmax:   {"SPV_INTEL_kernel_attributes", 5897},
		modeStreaming:       {"SPV_INTEL_kernel_attributes", 5897},
		modeRegisterMap:     {"SPV_INTEL_kernel_attributes", 5897},
		modeNamedSubgroup:   {"SPV_INTEL_subgroup_requirements", 6445},
		modeMaxRegisters:    {maximumRegisters, 6460},
		modeMaxRegistersID:  {maximumRegisters, 6460},
		modeNamedMaxRegs:    {maximumRegisters, 6460},
		modeFastMathDefault: {"SPV_KHR_float_controls2", capFloatControls2},
	}
}}

// entryPointsAndModes writes entry points and execution modes.
func (m *image) entryPointsAndModes() {
	m.eachUnit(func(i int, v *ir.PartitionValue, u *unit) {
		if !u.kernel {
			return
		}
		self := m.values[i].kernel
		at := len(m.entryPoints)
		m.entryPoints = m.appendInterfaces(appendText(append(m.entryPoints, 0, 6, self), v.Value.Name), i)
		m.entryPoints[at] = headWord(len(m.entryPoints)-at, spirv.OpEntryPoint)
		m.addModes(self, u)
		if m.options.Contract == ContractOff || m.options.Contract == ContractOn && m.keepsApart(i) {
			m.forbidContraction(self, u)
		}
	})
}

// addModes appends the execution modes of a unit's kernel. Their target is set here, since a
// unit does not know the number of its entry point. Only modes with identifiers for
// operands need the numbers of the unit's identifiers.
func (m *image) addModes(self id, u *unit) {
	begun := false
	for at := 0; at < len(u.modes); at += int(u.modes[at] >> 16) {
		words := u.modes[at : at+int(u.modes[at]>>16)]
		if spirv.Opcode(words[0]) == spirv.OpExecutionModeId {
			if !begun {
				m.beginUnit(u)
				begun = true
			}
			words = m.ownWords(words)
		}
		m.modes = append(append(m.modes, words[0], self), words[2:]...)
	}
}

// forbidContraction writes ContractionOff. With SPV_KHR_float_controls2 it is
// FPFastMathDefault with no flags instead, once for each floating-point type.
func (m *image) forbidContraction(self id, u *unit) {
	if u.zeroFlags == nil {
		m.modes = appendInstruction(m.modes, spirv.OpExecutionMode, self, modeContractionOff)
		return
	}
	types := slices.Clone(m.entries)
	types = slices.DeleteFunc(types, func(e *shared) bool { return e.op != spirv.OpTypeFloat })
	// The order is that of width and encoding, so that images with the same types have
	// the same modes, whichever unit they met first.
	slices.SortFunc(types, func(a, b *shared) int {
		return cmp.Or(cmp.Compare(a.words[1], b.words[1]), cmp.Compare(len(a.words), len(b.words)))
	})
	flags := m.entryNumber(u.zeroFlags)
	for _, e := range types {
		m.modes = appendInstruction(m.modes, spirv.OpExecutionModeId, self, modeFastMathDefault, m.numbers[e.index], flags)
	}
	if len(types) > 0 {
		m.needVersion(spirv.Version1_2)
		m.useExtension("SPV_KHR_float_controls2")
		m.useCapabilities(capFloatControls2)
	}
}

// appendInterfaces appends the variables that an entry point uses, directly or through the
// functions that it reaches. Before SPIR-V 1.4 these are only those of storage class Input.
func (m *image) appendInterfaces(words []uint32, kernel int) []uint32 {
	var inputs []*shared
	m.eachReached(kernel, func(at int) bool {
		if u := m.values[at].unit; u != nil {
			for _, e := range u.inputs {
				if !slices.Contains(inputs, e) {
					inputs = append(inputs, e)
				}
			}
		}
		return true
	})
	if m.options.Version >= spirv.Version1_4 {
		m.eachUnit(func(i int, v *ir.PartitionValue, _ *unit) {
			if v.Value.Kind == ir.Variable && m.values[i].seen {
				m.version = max(m.version, spirv.Version1_4)
				words = append(words, m.values[i].self)
			}
		})
	}
	start := len(words)
	for _, e := range inputs {
		words = append(words, m.numbers[e.index])
	}
	slices.Sort(words[start:]) // by number, which is the order in which the image met them
	return words
}

// executionMode writes an execution mode of the unit's kernel, unless its extension is not
// allowed. The target is 0 until addModes sets it.
func (t *translator) executionMode(number uint32, operands ...uint32) {
	if n, ok := modeNeeds.Get()[number]; ok {
		if !t.options.allowsExtension(n.extension) {
			return
		}
		t.useExtension(n.extension)
		t.useCapabilities(n.capability)
	}
	op := spirv.OpExecutionMode
	if number == modeFastMathDefault || number == modeMaxRegistersID {
		// Their operands are constants, not literals.
		op = spirv.OpExecutionModeId
		t.needVersion(spirv.Version1_2)
	}
	t.b.modes = appendInstruction(t.b.modes, op, append([]uint32{0, number}, operands...)...)
}

// kernelModes writes the execution modes of the unit's kernel: those of its own
// metadata and attributes, then those of !spirv.ExecutionMode.
func (t *translator) kernelModes(info *functionInfo) {
	v, metadata := info.value, t.session.modes[info.number]
	if t.options.allowsExtension("SPV_KHR_float_controls2") && t.options.Contract != ContractFast {
		t.zeroFlags = t.constInt(32, 0)
	}
	done := map[uint32]bool{}
	for _, m := range metadata {
		done[m.number] = true
	}
	t.vectorComputeModes(info.header)
	for _, h := range []struct {
		kind string
		mode uint32
	}{{"reqd_work_group_size", modeLocalSize}, {"work_group_size_hint", modeLocalSizeHint}, {"max_work_group_size", modeMaxWorkgroup}} {
		if list := t.attachedNumbers(v, h.kind); len(list) > 0 && !done[h.mode] {
			// Metadata may have fewer than three dimensions; the missing ones
			// have size 1.
			t.executionMode(h.mode, append(list, 1, 1)[:3]...)
		}
	}
	if list := t.attachedOperands(v, "vec_type_hint"); len(list) > 1 && !done[modeVecTypeHint] {
		if hint, ok := vectorTypeHint(list[0].String); ok {
			t.executionMode(modeVecTypeHint, hint)
		}
	}
	if !done[modeSubgroupSize] {
		t.subgroupSize(v)
	}
	t.intelModes(v)
	for _, m := range metadata {
		t.metadataMode(m)
	}
}

// attachedNumbers returns the numbers of a node that is attached to a function.
func (t *translator) attachedNumbers(v *ir.GlobalValue, kind string) (list []uint32) {
	for _, o := range t.attachedOperands(v, kind) {
		if o.Kind == ir.OperandInt {
			list = append(list, uint32(o.Int))
		}
	}
	return list
}

// subgroupSize writes the sub-group size that a kernel requires. -1 stands for the primary
// size of the device, which has a mode of its own as well.
func (t *translator) subgroupSize(v *ir.GlobalValue) {
	list := t.attachedNumbers(v, "sub_group_size")
	if len(list) == 0 {
		list = t.attachedNumbers(v, "intel_reqd_sub_group_size")
	}
	if len(list) == 0 {
		return
	}
	if list[0] == 1<<32-1 {
		t.executionMode(modeNamedSubgroup, 0)
	}
	t.useSubgroupDispatch()
	t.executionMode(modeSubgroupSize, list[0])
}

// hintedTypes are the numbers that the execution mode VecTypeHint has for types.
var hintedTypes = lazy.Map[string, uint32]{New: func() map[string]uint32 {
	return map[string]uint32{"i8": 0, "i16": 1, "i32": 2, "i64": 3, "half": 4, "float": 5, "double": 6}
}}

// vectorTypeHint returns the operand of VecTypeHint for the spelling of a type: the number
// of elements in the high half, 0 for a scalar, and the number of the type in the low half.
func vectorTypeHint(text string) (uint32, bool) {
	length, element := uint32(0), text
	if rest, ok := strings.CutPrefix(text, "<"); ok {
		count, name, _ := strings.Cut(strings.TrimSuffix(rest, ">"), " x ")
		length, element = parseNumbers([]string{strings.TrimSpace(count)})[0], strings.TrimSpace(name)
	}
	n, ok := hintedTypes.Get()[element]
	return length<<16 | n, ok
}

// intelModes writes the modes of metadata of Intel's compilers.
func (t *translator) intelModes(v *ir.GlobalValue) {
	if _, ok := v.Attached("no_global_work_offset"); ok {
		t.executionMode(modeNoGlobalOffset)
	}
	for _, m := range []struct {
		kind string
		mode uint32
	}{{"max_global_work_dim", modeMaxWorkDim}, {"num_simd_work_items", modeNumSIMD}, {"scheduler_target_fmax_mhz", modeSchedulerFmax}} {
		if list := t.attachedNumbers(v, m.kind); len(list) > 0 {
			t.executionMode(m.mode, list[0])
		}
	}
	t.interfaceMode(v)
	t.registerMode(v)
}

// interfaceMode writes the modes of !ip_interface, which say how a kernel of an FPGA is
// invoked: through a register map (csr) or a stream.
func (t *translator) interfaceMode(v *ir.GlobalValue) {
	words := map[string]bool{}
	for _, o := range t.attachedOperands(v, "ip_interface") {
		words[o.String] = true
	}
	number := func(on bool) uint32 {
		if on {
			return 1
		}
		return 0
	}
	if words["csr"] && t.options.allowsExtension("SPV_INTEL_kernel_attributes") {
		t.useCapabilities(6161)
		t.executionMode(modeRegisterMap, number(words["wait_for_done_write"]))
	}
	if words["streaming"] {
		t.executionMode(modeStreaming, number(words["stall_free_return"]))
	}
}

// registerMode writes the execution mode of !RegisterAllocMode or !MaximumRegisters:
// MaximumRegistersINTEL for a number, MaximumRegistersIdINTEL for a node with a number, which
// becomes a constant, and NamedMaximumRegistersINTEL for the name AutoINTEL.
func (t *translator) registerMode(v *ir.GlobalValue) {
	if !t.options.allowsExtension(maximumRegisters) {
		return
	}
	for _, o := range append(t.attachedOperands(v, "RegisterAllocMode"), t.attachedOperands(v, "MaximumRegisters")...) {
		switch {
		case o.Kind == ir.OperandString && o.String == "AutoINTEL":
			t.executionMode(modeNamedMaxRegs, 0)
		case o.Kind == ir.OperandInt:
			t.executionMode(modeMaxRegisters, uint32(o.Int))
		case o.Kind == ir.OperandNode || o.Kind == ir.OperandTuple:
			if row := t.resolveNode(o); len(row) > 0 && row[0].Kind == ir.OperandInt {
				t.executionMode(modeMaxRegistersID, t.constInt(32, uint64(uint32(row[0].Int))))
			}
		}
	}
}

// useSubgroupDispatch notes the capability SubgroupDispatch, which SPIR-V has from 1.1 on.
func (t *translator) useSubgroupDispatch() {
	t.needVersion(spirv.Version1_1)
	t.useCapabilities(capSubgroupDispatch)
}

// metadataMode writes a row of !spirv.ExecutionMode.
func (t *translator) metadataMode(m executionRow) {
	controls := t.options.allowsExtension("SPV_KHR_float_controls2")
	switch m.number {
	case modeSubgroupSize, modeSubgroupsPer:
		t.useSubgroupDispatch()
	case modeInitializer, modeFinalizer:
		t.useSubgroupDispatch()
	case modeRegisterMap:
		if t.options.allowsExtension("SPV_INTEL_kernel_attributes") {
			t.useCapabilities(6161)
		}
	case modeFastMathDefault:
		if typ := t.namedFloat(m.typ); controls && typ != 0 && len(m.operands) > 0 {
			t.executionMode(m.number, typ, t.constInt(32, uint64(m.operands[0])))
		}
		return
	case 4459, 4460, modeSignedZeros, 4462, 4463: // of SPV_KHR_float_controls
		if m.number == modeSignedZeros && controls && len(m.operands) > 0 {
			t.executionMode(modeFastMathDefault, t.floatType(m.operands[0]), t.constInt(32, 0))
			return
		}
		t.floatControlMode(m.number, m.operands)
		return
	}
	t.executionMode(m.number, m.operands...)
}

// namedFloat returns the floating-point type of that name in LLVM, or 0 for other names.
func (t *translator) namedFloat(name string) id {
	switch name {
	case "half":
		return t.floatType(16)
	case "bfloat":
		return t.bfloatType()
	case "float":
		return t.floatType(32)
	case "double":
		return t.floatType(64)
	}
	return 0
}

// floatControlMode writes a mode of SPV_KHR_float_controls, which is part of SPIR-V from 1.4
// on. It is left out where neither is allowed.
func (t *translator) floatControlMode(number uint32, operands []uint32) {
	switch {
	case t.options.Version >= spirv.Version1_4:
		t.needVersion(spirv.Version1_4)
	case t.options.allowsExtension("SPV_KHR_float_controls"):
		t.useExtension("SPV_KHR_float_controls")
	default:
		return
	}
	// DenormPreserve is mode 4459 and capability 4464, and so on for the five.
	t.useCapabilities(number + 5)
	t.executionMode(number, operands...)
}
