package fromir

import (
	"strconv"

	"offlink/ir"
	"offlink/spirv"
)

// SPV_INTEL_vector_compute is the form of the code that Intel's compilers make of
// explicit SIMD kernels after their lowering. Its facts are string attributes.

const vectorCompute = "SPV_INTEL_vector_compute"

// Decorations of SPV_INTEL_vector_compute and SPV_INTEL_float_controls2.
const (
	decSIMTCall              = 5599
	decVectorComputeVariable = 5624
	decParameterIOKind       = 5625
	decVectorComputeFunction = 5626
	decStackCall             = 5627
	decVariableOffset        = 5628
	decFunctionRounding      = 5822
	decFunctionDenorm        = 5823
	decFunctionFloatMode     = 6080
	decSingleElementVector   = 6085
)

// hasVectorCompute reports whether a module has the functions of explicit SIMD kernels.
func hasVectorCompute(m *ir.Module) bool {
	for n := range m.Values {
		if m.Values[n].Kind != ir.Function {
			continue
		}
		if _, ok := m.Attribute(ir.ValueID(n), "VCFunction"); ok {
			return true
		}
	}
	return false
}

// stringAttribute returns the value of a string attribute, and whether it is there.
func stringAttribute(list []ir.AttributeDetail, name string) (string, bool) {
	for i := range list {
		if list[i].String && list[i].Name == name {
			return list[i].Value, true
		}
	}
	return "", false
}

// numberAttribute returns the number that a string attribute holds, 0 if it is malformed;
// ok tells whether the attribute is there.
func numberAttribute(list []ir.AttributeDetail, name string) (uint32, bool) {
	text, ok := stringAttribute(list, name)
	if text == "" { // the usual case, for which ParseUint would only allocate an error
		return 0, ok
	}
	n, _ := strconv.ParseUint(text, 0, 32)
	return uint32(n), ok
}

// vectorComputeFunction decorates a function and its result by their attributes, among them
// the modes for floating-point numbers. For kernels the latter are execution modes.
func (t *translator) vectorComputeFunction(self id, info *functionInfo) {
	if !t.options.allowsExtension(vectorCompute) {
		return
	}
	list := info.header.Attributes.Function
	if _, ok := stringAttribute(list, "VCStackCall"); ok {
		t.decorateNeeded(self, decStackCall)
	}
	if _, ok := stringAttribute(list, "VCFunction"); ok {
		t.decorateNeeded(self, decVectorComputeFunction)
	}
	if mode, ok := numberAttribute(list, "VCSIMTCall"); ok {
		t.decorateNeeded(self, decSIMTCall, mode)
	}
	t.singleElement(self, info.header.Attributes.Result, t.moduleType(info.value.Type).Elements[0])
	if mode, ok := numberAttribute(list, "VCFloatControl"); ok && !info.kernel && t.options.allowsExtension("SPV_INTEL_float_controls2") {
		for _, w := range floatWidths {
			t.decorateNeeded(self, decFunctionDenorm, w.bits, denormMode(mode, w.denorm))
			t.decorateNeeded(self, decFunctionRounding, w.bits, roundingMode(mode))
			t.decorateNeeded(self, decFunctionFloatMode, w.bits, mode&1)
		}
	}
}

// vectorComputeParameter decorates a parameter by its attributes.
func (t *translator) vectorComputeParameter(n id, list []ir.AttributeDetail, typ ir.TypeID) {
	if !t.options.allowsExtension(vectorCompute) {
		return
	}
	if kind, ok := numberAttribute(list, "VCArgumentIOKind"); ok {
		t.decorateNeeded(n, decParameterIOKind, kind)
	}
	t.singleElement(n, list, typ)
	if _, ok := stringAttribute(list, "VCMediaBlockIO"); ok {
		t.decorateNeeded(n, decMediaBlockIO)
	}
}

// singleElement decorates a scalar that was a vector of one element. A pointer to such a
// scalar also gets the number of levels of pointers.
func (t *translator) singleElement(n id, list []ir.AttributeDetail, typ ir.TypeID) {
	levels, ok := numberAttribute(list, "VCSingleElementVector")
	switch {
	case !ok:
	case t.isPointer(typ):
		t.decorateNeeded(n, decSingleElementVector, levels)
	default:
		t.decorateNeeded(n, decSingleElementVector)
	}
}

// vectorComputeVariable decorates a variable of the module that has the attribute
// VCGlobalVariable.
func (t *translator) vectorComputeVariable(n ir.ValueID, self id) {
	if !t.isVectorComputeVariable(n) {
		return
	}
	t.decorateNeeded(self, decVectorComputeVariable)
	if text, ok := t.module.Attribute(n, "VCByteOffset"); ok {
		offset, _ := strconv.ParseUint(text, 0, 32)
		t.decorateNeeded(self, decVariableOffset, uint32(offset))
	}
	if _, ok := t.module.Attribute(n, "VCVolatile"); ok {
		t.b.decorateID(self, decVolatile)
	}
	if text, ok := t.module.Attribute(n, "VCSingleElementVector"); ok {
		levels, _ := strconv.ParseUint(text, 0, 32)
		t.decorateNeeded(self, decSingleElementVector, uint32(levels))
	}
}

// isVectorComputeVariable reports whether a variable is one of which each thread of an
// explicit SIMD kernel has its own. Such a variable may be in address space 0.
func (t *translator) isVectorComputeVariable(n ir.ValueID) bool {
	if !t.options.allowsExtension(vectorCompute) {
		return false
	}
	_, ok := t.module.Attribute(n, "VCGlobalVariable")
	return ok
}

// vectorComputeModes writes the execution modes that a kernel's attributes ask for. The
// numbers are those of RoundingModeRTE, RTZ, RTPINTEL and RTNINTEL, of
// FloatingPointModeIEEEINTEL and ALTINTEL, and of DenormPreserve and DenormFlushToZero.
func (t *translator) vectorComputeModes(h *ir.Header) {
	list := h.Attributes.Function
	if mode, ok := numberAttribute(list, "VCFloatControl"); ok {
		rounding := [...]uint32{4462, 4463, 5620, 5621}[roundingMode(mode)]
		float := [...]uint32{5623, 5622}[mode&1]
		for _, w := range floatWidths {
			t.vectorComputeMode(rounding, w.bits)
			t.vectorComputeMode(float, w.bits)
			t.vectorComputeMode([...]uint32{4459, 4460}[denormMode(mode, w.denorm)], w.bits)
		}
	}
	if _, ok := stringAttribute(list, "VCFCEntry"); ok {
		t.executionMode(modeFastComposite)
	}
	if size, ok := numberAttribute(list, "VCSLMSize"); ok {
		t.executionMode(modeSharedMemory, size)
	}
	if count, ok := numberAttribute(list, "VCNamedBarrierCount"); ok {
		t.executionMode(modeNamedBarriers, count)
	}
}

func (t *translator) vectorComputeMode(number, bits uint32) {
	t.metadataMode(executionRow{number: number, operands: []uint32{bits}})
}

// floatWidths are the widths of floating-point numbers, each with the bit of VCFloatControl
// that preserves its denormal numbers.
var floatWidths = []struct{ bits, denorm uint32 }{{64, 1 << 6}, {32, 1 << 7}, {16, 1 << 10}}

// denormMode returns the FPDenormMode of VCFloatControl: 0 preserves, 1 flushes.
func denormMode(control, bit uint32) uint32 {
	if control&bit != 0 {
		return 0
	}
	return 1
}

// roundingMode returns the FPRoundingMode for bits 4 and 5 of VCFloatControl. They count
// nearest, up, down, to zero; SPIR-V counts nearest, to zero, up, down.
func roundingMode(control uint32) uint32 { return [...]uint32{0, 2, 3, 1}[control>>4&3] }

// classOf returns the storage class of a variable of the module. Private is only for
// variables of explicit SIMD kernels.
func (t *translator) classOf(n ir.ValueID) spirv.StorageClass {
	v := &t.module.Values[n]
	class := t.storageClass(v.AddressSpace)
	if class == spirv.StorageFunction && t.isVectorComputeVariable(n) {
		return spirv.StoragePrivate
	}
	return class
}
