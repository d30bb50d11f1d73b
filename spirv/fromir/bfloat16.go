package fromir

import (
	"offlink/ir"
	"offlink/lazy"
	"offlink/spirv"
)

// bfloatEncoding is that of bfloat16 among the FP Encodings (SPIR-V).
const bfloatEncoding = 0

// bfloatType returns the type of bfloat16.
func (t *translator) bfloatType() id {
	t.useExtension("SPV_KHR_bfloat16")
	t.useCapabilities(5116)
	t.b.bfloat16 = t.b.typeEntry(spirv.OpTypeFloat, []uint32{16, bfloatEncoding})
	return t.b.bfloat16
}

// bfloatOperations are the instructions that SPV_KHR_bfloat16 does not allow on bfloat16,
// which is for storage, conversions, dot products and matrices alone.
var bfloatOperations = lazy.Map[spirv.Opcode, bool]{New: func() map[spirv.Opcode]bool {
	return opcodesOf([]string{"FNegate", "FAdd", "FSub", "FMul", "FDiv", "FRem", "FMod", "FmaKHR", "ExtInst", "VectorTimesScalar"})
}}

// bfloatResult notes the needs of an instruction whose result is a bfloat16 or a vector of
// them.
func (f *function) bfloatResult(op spirv.Opcode, typ id) {
	if typ != f.b.bfloat16 {
		if e := f.b.entryOf(typ); e == nil || e.op != spirv.OpTypeVector || e.words[1] != f.b.bfloat16 {
			return
		}
	}
	switch {
	case bfloatOperations.Get()[op]:
		f.bfloatArithmetic()
	case op == spirv.OpDot:
		f.useCapabilities(5117)
	}
}

// bfloatCompare notes the needs of a comparison or a test of numbers of type n.
func (f *function) bfloatCompare(n ir.TypeID) {
	if f.isBfloat(n) {
		f.bfloatArithmetic()
	}
}

// isBfloat reports whether a type is bfloat16 or a vector of them.
func (f *function) isBfloat(n ir.TypeID) bool {
	typ := f.moduleType(n)
	if typ.Kind == ir.TypeVector {
		typ = f.moduleType(typ.Elements[0])
	}
	return typ.Kind == ir.TypeFloat && typ.Name == "bfloat"
}

func (t *translator) bfloatArithmetic() {
	t.useExtension("SPV_INTEL_bfloat16_arithmetic")
	t.useCapabilities(6226)
}
