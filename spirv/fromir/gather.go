package fromir

import (
	"offlink/ir"
	"offlink/spirv"
)

// maskedGather writes llvm.masked.gather, whose alignment is an argument before LLVM 22.
func (c *callSite) maskedGather() {
	n := len(c.operands)
	align := c.maskedAlign(0, n == 4, 1)
	words := []uint32{c.argumentID(0), uint32(align), c.argumentID(n - 2), c.argumentID(n - 1)}
	c.instructionNeeds(spirv.OpMaskedGatherINTEL)
	c.finishCall(c.emitResult(spirv.OpMaskedGatherINTEL, c.typ, words...))
}

// maskedScatter writes llvm.masked.scatter.
func (c *callSite) maskedScatter() {
	n := len(c.operands)
	align := c.maskedAlign(1, n == 4, 2)
	c.instructionNeeds(spirv.OpMaskedScatterINTEL)
	c.emitPlain(spirv.OpMaskedScatterINTEL, c.argumentID(0), c.argumentID(1), uint32(align), c.argumentID(n-1))
}

// addressVector writes a getelementptr whose result is a vector: one address computation for
// each element, since OpPtrAccessChain takes no vectors.
func (f *function) addressVector(in *ir.Instruction, typ id) id {
	vector := *f.moduleType(in.Type)
	space := f.moduleType(vector.Elements[0]).AddressSpace
	element := f.pointeeID(f.typeID(vector.Elements[0]))
	base := f.translator.pointerType(f.typeID(in.Element), space)
	parts := make([]id, vector.Length)
	for k := range parts {
		words := make([]uint32, len(in.Operands))
		for i, v := range in.Operands {
			words[i] = f.elementOf(v, uint32(k))
		}
		words[0] = f.castPointer(words[0], f.elementTypeOf(in.Operands[0]), base)
		own := f.translator.pointerType(f.addressedType(in), space)
		n := f.emitResult(f.addressOpcode(in), own, words...)
		parts[k] = f.castPointer(n, own, f.translator.pointerType(element, space))
	}
	return f.emitResult(spirv.OpCompositeConstruct, typ, parts...)
}

// addressedType returns the type that a getelementptr gives an address of.
func (f *function) addressedType(in *ir.Instruction) id {
	element := in.Element
	for _, v := range in.Operands[min(2, len(in.Operands)):] {
		element = f.elementType(element, constantNumber(&f.ir.Constants, v))
	}
	return f.typeID(element)
}

// elementOf returns element k of a vector, or the value itself if it is not a vector.
func (f *function) elementOf(v ir.Value, k uint32) id {
	n := f.valueID(v)
	if typ := f.moduleType(v.Type); typ.Kind == ir.TypeVector && typ.Length > 1 {
		return f.emitResult(spirv.OpCompositeExtract, f.typeID(typ.Elements[0]), n, k)
	}
	return n
}

func (f *function) elementTypeOf(v ir.Value) id {
	if typ := f.moduleType(v.Type); typ.Kind == ir.TypeVector {
		return f.typeID(typ.Elements[0])
	}
	return f.typeOf(v)
}
