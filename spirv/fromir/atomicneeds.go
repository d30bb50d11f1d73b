package fromir

import (
	"offlink/ir"
	"offlink/spirv"
)

const (
	atomicFloatAdd    = "SPV_EXT_shader_atomic_float_add"
	atomicHalfAdd     = "SPV_EXT_shader_atomic_float16_add"
	atomicFloatMinMax = "SPV_EXT_shader_atomic_float_min_max"
	atomicHalfVector  = "SPV_NV_shader_atomic_fp16_vector"
	atomics16         = "SPV_INTEL_16bit_atomics"
)

// atomicNeeds notes the needs of an atomic instruction whose value is of type n.
func (f *function) atomicNeeds(op spirv.Opcode, n ir.TypeID) {
	typ := f.moduleType(n)
	switch {
	case typ.Kind == ir.TypeInteger && typ.Bits == 64:
		f.useCapabilities(capInt64Atomics)
	case typ.Kind == ir.TypeInteger && typ.Bits == 16:
		f.atomicShort(op)
	case typ.Kind == ir.TypeFloat && typ.Name == "bfloat":
		f.atomicBfloat(op)
	case typ.Kind == ir.TypeFloat:
		f.atomicFloat(op, typ.Bits)
	case typ.Kind == ir.TypeVector && isFloatAtomic(op):
		f.atomicVector(typ)
	}
}

// atomicVector notes the needs of an atomic on a vector of floating-point numbers. There are such
// for two and four halves.
func (f *function) atomicVector(typ *ir.Type) {
	e := f.moduleType(typ.Elements[0])
	if e.Kind != ir.TypeFloat || e.Bits != 16 || e.Name == "bfloat" || typ.Length != 2 && typ.Length != 4 {
		f.failf("an atomic on a vector that is not of two or four halves")
	}
	f.useExtension(atomicHalfVector)
	f.useCapabilities(capAtomicHalfVector)
}

// isFloatAtomic reports whether an atomic computes with floating-point numbers. The others,
// such as an exchange, only move them.
func isFloatAtomic(op spirv.Opcode) bool {
	return op == spirv.OpAtomicFAddEXT || op == spirv.OpAtomicFMinEXT || op == spirv.OpAtomicFMaxEXT
}

// atomicShort notes the needs of an atomic on integers of 16 bits. Without its extension nothing
// is declared: drivers for OpenCL have taken such instructions since before it.
func (f *function) atomicShort(op spirv.Opcode) {
	if !f.options.allowsExtension(atomics16) {
		return
	}
	f.useExtension(atomics16)
	switch op {
	case spirv.OpAtomicLoad, spirv.OpAtomicStore, spirv.OpAtomicExchange, spirv.OpAtomicCompareExchange, spirv.OpAtomicCompareExchangeWeak:
		f.useCapabilities(6260)
	default:
		f.useCapabilities(6261)
	}
}

// atomicBfloat notes the needs of an atomic on a bfloat16.
func (f *function) atomicBfloat(op spirv.Opcode) {
	switch {
	case op == spirv.OpAtomicFAddEXT:
		f.useExtension(atomicFloatAdd)
		f.useExtension(atomicHalfAdd)
		f.useExtension(atomics16)
		f.useCapabilities(6255)
	case isFloatAtomic(op):
		f.useExtension(atomicFloatMinMax)
		f.useExtension(atomics16)
		f.useCapabilities(6256)
	case f.options.allowsExtension(atomics16):
		f.useExtension(atomics16)
		f.useCapabilities(6262)
	}
}

// atomicFloat notes the needs of an atomic on a floating-point number of that width.
func (f *function) atomicFloat(op spirv.Opcode, bits uint32) {
	switch op {
	case spirv.OpAtomicFAddEXT:
		f.useExtension(atomicFloatAdd)
		if bits == 16 {
			f.useExtension(atomicHalfAdd)
		}
		f.useCapabilities(map[uint32]uint32{16: 6095, 32: 6033, 64: 6034}[bits])
	case spirv.OpAtomicFMinEXT, spirv.OpAtomicFMaxEXT:
		f.useExtension(atomicFloatMinMax)
		f.useCapabilities(map[uint32]uint32{16: 5616, 32: 5612, 64: 5613}[bits])
	}
}
