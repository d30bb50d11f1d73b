package fromir

import (
	"offlink/ir"
	"offlink/spirv"
)

// Built-in variables of SYCL's older form are globals in address space 1. They become
// variables of storage class Input, which have no address that code could use: a load of
// a part of one becomes a load of the whole and an extraction.

// isInput returns the number of the built-in variable that a global is; ok is false for
// other globals.
func (t *translator) isInput(n ir.ValueID) (number uint32, ok bool) {
	v := &t.module.Values[n]
	if v.Kind != ir.Variable || !v.Declaration {
		return 0, false
	}
	return builtinNumber(v.Name)
}

// inputGlobal returns the built-in variable that a global is.
func (t *translator) inputGlobal(n ir.ValueID) *inputKind {
	number, _ := t.isInput(n)
	return &inputKind{name: t.module.Values[n].Name, number: number, align: t.readHeader(n).Alignment}
}

// inputPart is a place within a built-in variable: offset bytes from its start and, if
// index is a value, that many elements further.
type inputPart struct {
	global ir.ValueID
	offset uint64
	index  ir.Value
}

// inputPart returns the place within a built-in variable that an address denotes; ok is
// false for other addresses. The bound of depth is for hostile input.
func (f *function) inputPart(v ir.Value, depth int) (part inputPart, ok bool) {
	if depth > 32 {
		return part, false
	}
	switch v.Kind {
	case ir.ValueGlobal:
		_, ok = f.isInput(ir.ValueID(v.Index))
		return inputPart{ir.ValueID(v.Index), 0, ir.NoValue}, ok
	case ir.ValueConstant:
		if c := f.ir.Constants.At(v); c.Kind == ir.ConstantExpression && len(c.Operands) > 0 {
			return f.inputStep(c.Expression, c.Operands, depth)
		}
	case ir.ValueInstruction:
		in := &f.ir.Instructions[v.Index]
		return f.inputStep(in, in.Operands, depth)
	}
	return part, false
}

// inputStep follows a cast or address computation.
func (f *function) inputStep(in *ir.Instruction, operands []ir.Value, depth int) (part inputPart, ok bool) {
	switch in.Op {
	case ir.OpBitCast, ir.OpAddrSpaceCast:
		return f.inputPart(operands[0], depth+1)
	case ir.OpGEP:
		if part, ok = f.inputPart(operands[0], depth+1); !ok {
			return part, false
		}
		return part, f.inputIndices(&part, in, operands[1:])
	}
	return part, false
}

// inputIndices moves a place by the indices of a getelementptr. It returns false for a second
// index that is not constant.
func (f *function) inputIndices(part *inputPart, in *ir.Instruction, indices []ir.Value) bool {
	element := in.Element
	for i, v := range indices {
		if i > 0 {
			element = f.elementType(element, 0)
		}
		size, _ := f.memoryLayout(element)
		if typ := f.moduleType(element); typ.Kind == ir.TypeVector {
			each, _ := f.memoryLayout(typ.Elements[0])
			size = max(size, each*typ.Length)
		}
		if v.Kind == ir.ValueConstant {
			part.offset += size * constantNumber(&f.ir.Constants, v)
			continue
		}
		if part.index.Kind != ir.ValueNone {
			return false
		}
		part.index = v
	}
	return true
}

// loadInput writes a load of a place within a built-in variable: of the whole variable, and
// then the extraction of the element. Loads across elements are refused.
func (f *function) loadInput(i int, in *ir.Instruction, part inputPart) {
	k := f.inputGlobal(part.global)
	v := &f.module.Values[part.global]
	whole := f.typeID(v.Type)
	pointer := f.inputVariable(k, whole)
	f.inputs = append(f.inputs, pointer)
	typ := f.resultType(i)
	_, align := f.memoryLayout(v.Type)
	vector := *f.moduleType(v.Type)
	if vector.Kind != ir.TypeVector || typ == whole {
		if typ != whole {
			f.failf("a load of another type of %s", v.Name)
		}
		f.emitAs(i, spirv.OpLoad, typ, pointer, accessAligned, uint32(align))
		return
	}
	loaded := f.emitResult(spirv.OpLoad, whole, pointer, accessAligned, uint32(align))
	each, _ := f.memoryLayout(vector.Elements[0])
	if f.typeID(vector.Elements[0]) != typ || part.offset%each != 0 || part.offset/each >= vector.Length {
		f.failf("a load of another type of %s", v.Name)
	}
	if part.index.Kind == ir.ValueNone {
		f.emitAs(i, spirv.OpCompositeExtract, typ, loaded, uint32(part.offset/each))
		return
	}
	if part.offset != 0 {
		f.failf("an index into a part of %s", v.Name)
	}
	f.emitAs(i, spirv.OpVectorExtractDynamic, typ, loaded, f.valueID(part.index))
}

// skipInput reports whether an instruction only computes an address within a
// built-in variable, which has none.
func (f *function) skipInput(in *ir.Instruction) bool {
	switch in.Op {
	case ir.OpGEP, ir.OpBitCast, ir.OpAddrSpaceCast:
		if f.moduleType(in.Type).Kind != ir.TypePointer {
			return false
		}
		_, ok := f.inputStep(in, in.Operands, 0)
		return ok
	}
	return false
}
