package fromir

import (
	"fmt"

	"offlink/ir"
	"offlink/spirv"
)

// writeAlloca writes an alloca as a variable of the function. It goes to the start of the
// first block, as SPIR-V requires, whatever block the alloca is in.
func (f *function) writeAlloca(i int, in *ir.Instruction) {
	typ := f.resultType(i)
	element := f.pointeeID(typ)
	if count := in.Operands[0]; count.Kind != ir.ValueConstant || constantNumber(&f.ir.Constants, count) != 1 {
		f.allocaArray(i, in, typ, element)
		return
	}
	space := f.moduleType(in.Type).AddressSpace
	// A variable itself can only be of storage class Function.
	if space == 4 {
		variable := f.addVariable(f.pointerType(element, 0), 0, 0)
		f.alignVariable(variable, in)
		f.emitAs(i, spirv.OpPtrCastToGeneric, typ, variable)
		return
	}
	n := f.reserveID(i)
	f.addVariable(typ, n, 0)
	f.alignVariable(n, in)
}

// addVariable adds a variable to the first block and returns it. n is its identifier, or 0
// for a new one; init is its initialiser, or 0.
func (f *function) addVariable(typ, n, init id) id {
	if n == 0 {
		n = f.b.newID()
	}
	words := []uint32{typ, n, uint32(spirv.StorageFunction)}
	if init != 0 {
		words = append(words, init)
	}
	f.variables = appendInstruction(f.variables, spirv.OpVariable, words...)
	return n
}

// alignVariable decorates a variable of a function with its alignment.
func (f *function) alignVariable(n id, in *ir.Instruction) {
	align := in.Align
	if align == 0 {
		align = f.preferredAlign(in.Element)
	}
	f.b.decorateID(n, decAlignment, uint32(min(align, 1<<30)))
}

// preferredAlign returns the alignment that LLVM gives a variable for which none is stated:
// that of its type, but at least 8 for structs.
func (t *translator) preferredAlign(n ir.TypeID) uint64 {
	_, align := t.memoryLayout(n)
	typ := t.moduleType(n)
	for typ.Kind == ir.TypeArray {
		typ = t.moduleType(typ.Elements[0])
	}
	if typ.Kind == ir.TypeStruct {
		return max(align, 8)
	}
	return align
}

// allocaArray writes an alloca of several elements. It is a pointer to the first of them,
// while a variable of an array type is one to the whole, so that is cast.
func (f *function) allocaArray(i int, in *ir.Instruction, typ, element id) {
	count := in.Operands[0]
	if count.Kind == ir.ValueConstant {
		array := f.arrayType(element, constantNumber(&f.ir.Constants, count))
		variable := f.addVariable(f.pointerType(array, 0), 0, 0)
		f.alignVariable(variable, in)
		f.emitAs(i, spirv.OpBitcast, typ, variable)
		return
	}
	if !f.options.allowsExtension("SPV_INTEL_variable_length_array") {
		f.failKind(ErrorExtension, "SPV_INTEL_variable_length_array", "an alloca of a length that is not constant needs the extension SPV_INTEL_variable_length_array, which is not allowed")
	}
	f.useExtension("SPV_INTEL_variable_length_array")
	f.useCapabilities(capVariableArray)
	n := f.emitAs(i, spirv.OpVariableLengthArrayINTEL, typ, f.valueID(count))
	f.alignVariable(n, in)
}

// accessWords returns the memory access operands of a load or store. The alignment is always
// among them, as in the modules of the Khronos translator.
func (f *function) accessWords(in *ir.Instruction) []uint32 {
	mask := uint32(accessAligned)
	if in.Flags&ir.FlagVolatile != 0 {
		mask |= accessVolatile
	}
	for _, a := range in.Attachments {
		if a.Kind == "nontemporal" {
			mask |= accessNontemporal
		}
	}
	align := in.Align
	if align == 0 {
		align = f.naturalAlign(in)
	}
	// The operands of the mask's bits follow the mask in the order of the bits.
	words := []uint32{mask, uint32(min(align, 1<<30))}
	for _, list := range []struct {
		kind string
		bit  uint32
	}{{"alias.scope", accessAliasScope}, {"noalias", accessNoAlias}} {
		if n := f.aliasList(in, list.kind); n != 0 {
			words[0] |= list.bit
			words = append(words, n)
		}
	}
	return words
}

// aliasList returns the list of alias scopes that is attached to an instruction, or 0 if
// there is none or the extension is not allowed. A list with a scope of an unexpected form
// is left out as a whole: a shorter one would promise more than the code does.
func (f *function) aliasList(in *ir.Instruction, kind string) id {
	for _, a := range in.Attachments {
		if a.Kind != kind || a.Operand.Kind != ir.OperandNode || !f.options.allowsExtension("SPV_INTEL_memory_access_aliasing") {
			continue
		}
		scopes := f.resolveNode(a.Operand)
		for _, o := range scopes {
			if list := f.resolveNode(o); len(list) < 2 || list[1].Kind != ir.OperandNode {
				return 0
			}
		}
		if len(scopes) == 0 {
			return 0
		}
		f.useExtension("SPV_INTEL_memory_access_aliasing")
		f.useCapabilities(capMemoryAliasing)
		return f.aliasingEntry("list", a.Operand.Node, opAliasScopeListDeclINTEL, func() (ids []id) {
			for _, o := range scopes {
				ids = append(ids, f.aliasScope(o, f.resolveNode(o)[1]))
			}
			return ids
		})
	}
	return 0
}

// aliasScope returns the declaration of an alias scope and of its domain.
func (f *function) aliasScope(scope, domain ir.Operand) id {
	return f.aliasingEntry("scope", scope.Node, opAliasScopeDeclINTEL, func() []id {
		return []id{f.aliasingEntry("domain", domain.Node, opAliasDomainDeclINTEL, func() []id { return nil })}
	})
}

// aliasingEntry returns the declaration of a domain, a scope or a list.
func (t *translator) aliasingEntry(what string, n ir.NodeID, op spirv.Opcode, parts func() []id) id {
	return t.b.keyedEntry(sectionAliasing, fmt.Sprint("alias ", what, n), func(self id) entry {
		ids := parts()
		return entry{op: op, words: append([]uint32{self}, ids...), deps: ids}
	})
}

// naturalAlign returns the alignment of an access that states none: that of its type.
func (f *function) naturalAlign(in *ir.Instruction) uint64 {
	n := in.Element
	if in.Op == ir.OpStore {
		n = in.Operands[0].Type
	}
	_, align := f.memoryLayout(n)
	return align
}

// writeLoad writes a load: an atomic one, one of a built-in variable, or one of memory.
func (f *function) writeLoad(i int, in *ir.Instruction) {
	if in.Flags&ir.FlagAtomic != 0 || in.Order != ir.NotAtomic {
		f.atomicLoad(i, in)
		return
	}
	if part, ok := f.inputPart(in.Operands[0], 0); ok {
		f.loadInput(i, in, part)
		return
	}
	typ := f.resultType(i)
	if f.isBoolVector(in.Type) {
		f.defineResult(i, f.loadBools(in, typ))
		return
	}
	f.refuseBools(in.Type)
	if n, ok := f.oddBytes(in.Type); ok {
		f.defineResult(i, f.loadBytes(in, typ, n))
		return
	}
	pointer := f.operandID(in.Operands[0], f.pointerType(typ, f.moduleType(in.Operands[0].Type).AddressSpace))
	f.emitAs(i, spirv.OpLoad, typ, append([]uint32{pointer}, f.accessWords(in)...)...)
}

// writeStore writes a store to memory, or an atomic one.
func (f *function) writeStore(in *ir.Instruction) {
	if in.Flags&ir.FlagAtomic != 0 || in.Order != ir.NotAtomic {
		f.atomicStore(in)
		return
	}
	if f.isBoolVector(in.Operands[0].Type) {
		f.storeBools(in)
		return
	}
	f.refuseBools(in.Operands[0].Type)
	if n, ok := f.oddBytes(in.Operands[0].Type); ok {
		f.storeBytes(in, n)
		return
	}
	value, pointer := f.storeOperands(in)
	f.emitPlain(spirv.OpStore, append([]uint32{pointer, value}, f.accessWords(in)...)...)
}

// storeOperands returns the value that is stored and the pointer, cast to point to the
// value's type.
func (f *function) storeOperands(in *ir.Instruction) (value, pointer id) {
	typ := f.typeOf(in.Operands[0])
	space := f.moduleType(in.Operands[1].Type).AddressSpace
	if f.isPointer(in.Operands[0].Type) {
		// The memory holds pointers of a known type: the value is cast to that, so the
		// pointer to the memory needs no cast.
		if held := f.pointeeID(f.typeOf(in.Operands[1])); f.pointeeID(held) != 0 && f.sameSpace(held, typ) {
			typ = held
		}
	}
	return f.operandID(in.Operands[0], typ), f.operandID(in.Operands[1], f.pointerType(typ, space))
}

// sameSpace reports whether two pointer types are of one storage class.
func (f *function) sameSpace(a, b id) bool {
	x, y := f.b.entryOf(a), f.b.entryOf(b)
	return x != nil && y != nil && x.op == spirv.OpTypePointer && y.op == spirv.OpTypePointer && x.words[1] == y.words[1]
}

// writeAddress writes a getelementptr. LLVM's indices are signed and of any width, so those
// of odd widths get their sign extended.
func (f *function) writeAddress(in *ir.Instruction, typ id, emit emitter) id {
	base := in.Operands[0]
	f.refuseBools(in.Element)
	if f.moduleType(in.Type).Kind == ir.TypeVector {
		return f.addressVector(in, typ)
	}
	space := f.moduleType(base.Type).AddressSpace
	element := id(0)
	if f.isOpaquePointer(in.Element) && len(in.Operands) == 2 {
		element = f.pointeeID(typ)
	} else {
		element = f.typeID(in.Element)
	}
	words := []uint32{f.operandID(base, f.pointerType(element, space))}
	for _, v := range in.Operands[1:] {
		words = append(words, f.signExtended(v.Type, f.valueID(v)))
	}
	return f.emitLast(emit, f.addressOpcode(in), typ, words...)
}

// memoryLayout returns the size of a type in memory, in bytes, and its alignment.
func (t *translator) memoryLayout(n ir.TypeID) (size, align uint64) {
	if known, ok := t.layouts[n]; ok {
		return known[0], known[1]
	}
	size, align = t.makeLayout(n)
	t.layouts[n] = [2]uint64{size, align}
	return size, align
}

// makeLayout computes the size and alignment of a type as OpenCL C lays it out, since SPIR-V
// for kernels states no layout. A vector of three takes the room of four.
func (t *translator) makeLayout(n ir.TypeID) (size, align uint64) {
	typ := t.moduleType(n)
	switch typ.Kind {
	case ir.TypeInteger, ir.TypeFloat:
		size = uint64(typ.Bits+7) / 8
		for align = 1; align < size && align < 16; align *= 2 {
		}
		return (size + align - 1) / align * align, align
	case ir.TypePointer:
		return uint64(t.pointerBits / 8), uint64(t.pointerBits / 8)
	case ir.TypeVector:
		each, _ := t.memoryLayout(typ.Elements[0])
		size = each * t.moduleType(n).Length
		for align = 1; align < size && align < 1<<16; align *= 2 {
		}
		return align, align
	case ir.TypeArray:
		each, align := t.memoryLayout(typ.Elements[0])
		return each * t.moduleType(n).Length, align
	case ir.TypeStruct:
		return t.structLayout(n)
	}
	return 1, 1
}

// structLayout returns the size and alignment of a struct. Its members are padded to their
// alignment unless it is packed.
func (t *translator) structLayout(n ir.TypeID) (size, align uint64) {
	typ := *t.moduleType(n)
	align = 1
	for _, e := range typ.Elements {
		s, a := t.memoryLayout(e)
		if typ.Packed {
			a = 1
		}
		size = (size+a-1)/a*a + s
		align = max(align, a)
	}
	return (size + align - 1) / align * align, align
}
