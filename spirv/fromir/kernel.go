package fromir

import (
	"offlink/ir"
	"offlink/spirv"
)

// kernelWrapper writes the entry point of a kernel as a function that calls the kernel's own.
// Other functions and modules can call the latter, while SPIR-V does not allow calls of entry
// points.
func (t *translator) kernelWrapper(n ir.ValueID, info *functionInfo, names []string) {
	t.wrapperAt, t.entry = len(t.b.functions), t.b.newID()
	words, args := t.wrapperHead(n, info, names)
	t.argumentMetadata(info, args)
	t.kernelModes(info)
	words = appendInstruction(words, spirv.OpLabel, t.b.newID())
	call := append([]uint32{t.voidType(), t.b.newID(), t.functionID(n)}, args...)
	words = appendInstruction(words, spirv.OpFunctionCall, call...)
	words = appendInstruction(words, spirv.OpReturn)
	t.b.functions = append(t.b.functions, appendInstruction(words, spirv.OpFunctionEnd)...)
}

// wrapperHead returns OpFunction and the parameters of a kernel's entry point.
func (t *translator) wrapperHead(n ir.ValueID, info *functionInfo, names []string) (words []uint32, args []id) {
	elements := append([]ir.TypeID{}, t.moduleType(info.value.Type).Elements...)
	if !t.isVoidType(elements[0]) {
		t.failf("a kernel that returns a value has no counterpart in SPIR-V")
	}
	words = appendInstruction(nil, spirv.OpFunction, t.voidType(), t.entry, t.functionControl(info.header), t.functionTypeOf(n))
	return t.functionParameters(words, info, elements, names)
}

// isVoidType reports whether a type is void.
func (t *translator) isVoidType(n ir.TypeID) bool {
	typ := t.moduleType(n)
	return typ.Kind == ir.TypeOther && typ.Name == "void"
}
