package fromir

import (
	"fmt"
	"slices"
	"strings"

	"offlink/ir"
	"offlink/spirv"
)

// builtin is the replacement of calls of a function: an instruction, several, or none.
type builtin struct {
	name       string // without mangling, prefix and postfixes
	parameters []mangledType
	write      func(c *callSite)
	// variable is the built-in variable that the function reads, or nil.
	variable *inputKind
	// result is the number of the parameter whose pointee a returned pointer has, or -1.
	result int
}

// callSite is a call that is being written.
type callSite struct {
	*function
	index    int
	in       *ir.Instruction
	detail   *ir.CallDetail
	callee   *functionInfo
	builtin  *builtin
	operands []ir.Value // the arguments
	typ      id         // of the result
	before   id         // by which the result was used before the call is written, or 0
}

// findBuiltin sets info.builtin if calls of the function become something other than
// calls: intrinsics always do, functions of OpenCL C and SPIR-V by their names if they are
// only declared. Parameters of unknown pointee get that of the mangled name.
func (t *translator) findBuiltin(info *functionFacts, declared bool) {
	name := info.value.Name
	if strings.HasPrefix(name, "llvm.") {
		info.builtin = t.intrinsicBuiltin(name, t.moduleType(info.value.Type))
		return
	}
	if !declared {
		return
	}
	base, parameters, form := demangleName(name)
	for i := range parameters {
		if i < len(info.shapes) && info.shapes[i] == unknownShape {
			if found := mangledShape(&parameters[i]); found != nil {
				info.shapes[i] = found
			}
		}
	}
	switch {
	case strings.HasPrefix(base, "__spirv_"):
		info.builtin = t.spirvBuiltin(base, parameters)
	case strings.HasPrefix(base, conversionPrefix) && form != notMangled:
		info.builtin = floatConversion(strings.TrimPrefix(base, conversionPrefix))
		if info.builtin != nil {
			info.builtin.name = base
			return
		}
	case (form != notMangled || plainNames.Get()[base] || pipeFunctions.Get()[base] != "" || blockFunctions.Get()[base] != nil) && t.language.opencl:
		info.builtin = t.openclBuiltin(base, parameters)
	}
	if info.builtin == nil {
		return
	}
	info.builtin.name, info.builtin.parameters = base, parameters
	if !t.declarationFits(info, form) {
		info.builtin.write = func(c *callSite) { c.failf("the declaration has other types than the function's name says") }
	}
}

// declarationFits reports whether the declared parameters are those of the mangled name.
func (t *translator) declarationFits(info *functionFacts, form mangledForm) bool {
	parameters := info.builtin.parameters
	types := t.moduleType(info.value.Type).Elements[1:]
	if a := ir.FindAttribute(info.header.Attributes.Parameter(0), "sret"); a != nil && len(types) == len(parameters)+1 {
		types = types[1:]
	}
	if !t.fitsMangledName(parameters, types) {
		return false
	}
	if strings.HasPrefix(info.builtin.name, "__spirv_") || form == notMangled {
		return true
	}
	return len(types) == len(parameters) || form != wholeName && len(types) > len(parameters)
}

// fitsMangledName reports whether the numbers among a function's parameters are of the
// kinds and lengths that its mangled name says; the writers rely on that. Parameters of
// other kinds are not compared, since compilers spell them differently.
func (t *translator) fitsMangledName(names []mangledType, parameters []ir.TypeID) bool {
	for _, n := range parameters {
		if t.module.Types[n].Kind == ir.TypeOther {
			return false
		}
	}
	if len(names) != len(parameters) {
		return true
	}
	for i := range names {
		if !t.fitsMangledType(&names[i], parameters[i]) {
			return false
		}
	}
	return true
}

// fitsMangledType is fitsMangledName for one parameter.
func (t *translator) fitsMangledType(p *mangledType, n ir.TypeID) bool {
	typ, length, want := &t.module.Types[n], 1, ir.TypeInteger
	opaque := strings.HasPrefix(p.name, "ocl_")
	switch {
	case p.unknown || p.scalar == 'v' && p.pointer == 0 || p.scalar == 'B':
		return true
	case opaque:
		return typ.Kind == ir.TypePointer || typ.Kind == ir.TypeTarget
	case p.pointer > 0 && typ.Kind == ir.TypeVector: // of pointers
		return t.module.Types[typ.Elements[0]].Kind == ir.TypePointer
	case p.pointer > 0 && p.scalar != 0:
		return typ.Kind == ir.TypePointer
	case p.name == "memory_order" || p.name == "memory_scope":
		return typ.Kind == ir.TypeInteger || p.pointer > 0
	case p.pointer > 0 || p.scalar == 0:
		return true
	}
	if typ.Kind == ir.TypeVector {
		typ, length = &t.module.Types[typ.Elements[0]], int(typ.Length)
	}
	if p.isFloating() {
		want = ir.TypeFloat
	}
	return typ.Kind == want && length == p.length && (p.bits() == 0 || typ.Bits == p.bits())
}

// callResult returns the term of the pointer that a call returns, noTerm if it is not
// known.
func (f *inference) callResult(in *ir.Instruction) term {
	info := f.calledFunction(in)
	if info == nil {
		return noTerm
	}
	if info.builtin != nil {
		if k := info.builtin.result; k >= 0 && k+1 < len(in.Operands) {
			return f.termOf(in.Operands[k+1])
		}
		switch info.builtin.name {
		case "async_work_group_copy", "async_work_group_strided_copy":
			return f.opaqueTerm("event_t")
		case "__translate_sampler_initializer":
			return f.opaqueTerm("sampler_t")
		}
		if f.isPointer(in.Type) {
			return f.translator.terms.unknownTerm()
		}
		return noTerm
	}
	return info.resultTerm
}

// calledFunction returns the function that a call names, possibly through aliases, or nil
// for other calls. The bound ends a circle of aliases.
func (t *translator) calledFunction(in *ir.Instruction) *functionInfo {
	v := in.Operands[0]
	for range 16 {
		if v.Kind != ir.ValueGlobal {
			return nil
		}
		if t.module.Values[v.Index].Kind == ir.Function {
			return t.functionOf(ir.ValueID(v.Index))
		}
		v = t.globalOf(ir.ValueID(v.Index)).alias
	}
	return nil
}

// callUses unifies the pointees of arguments with those of the parameters.
func (f *inference) callUses(in *ir.Instruction) {
	info := f.calledFunction(in)
	if info == nil {
		return
	}
	unify := f.translator.terms.unifyTerms
	arguments := in.Operands[1:]
	if b := info.builtin; b != nil {
		f.builtinUses(b, info, in, arguments)
		return
	}
	for i, v := range arguments {
		if i < len(info.parameters) {
			unify(info.parameters[i], f.termOf(v))
		}
	}
}

// builtinUses unifies the pointees of a built-in's arguments: source and target of a copy
// with each other, that of an atomic with its value, others with the mangled name.
func (f *inference) builtinUses(b *builtin, info *functionInfo, in *ir.Instruction, arguments []ir.Value) {
	unify := f.translator.terms.unifyTerms
	name := info.value.Name
	switch {
	case strings.HasPrefix(name, "llvm.memcpy") || strings.HasPrefix(name, "llvm.memmove"):
		if len(arguments) > 1 {
			unify(f.termOf(arguments[0]), f.termOf(arguments[1]))
		}
	case strings.HasPrefix(b.name, "__spirv_Atomic") || strings.HasPrefix(b.name, "atom"):
		value := in.Type
		if strings.HasSuffix(b.name, "Store") && len(arguments) > 3 {
			value = arguments[3].Type
		}
		if typ := f.moduleType(value); len(arguments) > 0 && (typ.Kind == ir.TypeInteger && typ.Bits >= 8 || typ.Kind == ir.TypeFloat) {
			unify(f.termOf(arguments[0]), f.memoryTerm(value))
		}
	default:
		for i, v := range arguments {
			if i < len(b.parameters) && i < len(info.parameters) && f.isPointer(v.Type) {
				if found := f.mangledTerm(&b.parameters[i]); found != noTerm {
					unify(f.termOf(v), found)
				}
			}
		}
	}
}

// writeCall writes a call, or its replacement.
func (f *function) writeCall(i int, in *ir.Instruction) {
	c := &callSite{function: f, index: i, in: in, detail: &f.ir.Calls[in.Call], operands: in.Operands[1:], before: f.ids[i]}
	if c.detail.Asm != nil {
		c.typ = f.resultType(i)
		c.inlineAsm()
		return
	}
	c.callee = f.calledFunction(in)
	if c.callee == nil {
		c.typ = f.resultType(i)
		c.callPointer()
		return
	}
	c.checkType()
	if b := c.callee.builtin; b != nil {
		c.builtin = b
		if !f.isVoid(in.Type) {
			c.typ = f.resultTypeOfBuiltin(i)
		} else {
			c.typ = f.voidType()
		}
		start := len(c.code)
		b.write(c)
		c.checkResults(start)
		return
	}
	c.typ = f.resultType(i)
	c.callFunction()
}

// checkType refuses a call of another type than the function's. LLVM has no rule
// against it, but such a call is undefined, and writers of built-ins rely on the
// types.
func (c *callSite) checkType() {
	if c.in.Element == ir.NoType || c.in.Element == c.callee.value.Type {
		return
	}
	called := slices.Clone(c.function.moduleType(c.in.Element).Elements)
	if !slices.Equal(called, c.function.moduleType(c.callee.value.Type).Elements) {
		c.failf("the call's type is not that of the function")
	}
}

// resultTypeOfBuiltin is resultType for built-ins. It is 0 for metadata and tokens, which
// have no type in SPIR-V: the writer must do without.
func (f *function) resultTypeOfBuiltin(i int) id {
	if typ := f.moduleType(f.ir.Instructions[i].Type); typ.Kind == ir.TypeOther {
		return 0
	}
	return f.resultType(i)
}

func (f *function) isVoid(n ir.TypeID) bool { return f.isVoidType(n) }

// callFunction writes an OpFunctionCall.
func (c *callSite) callFunction() {
	info := c.callee
	elements := c.function.moduleType(info.value.Type).Elements[1:]
	if len(c.operands) != len(elements) {
		c.failf("a call with %d arguments of a function of %d parameters", len(c.operands), len(elements))
	}
	words := []uint32{c.functionID(info.number)}
	for i, v := range c.operands {
		words = append(words, c.operandID(v, c.pointerWant(elements[i], c.valueType(elements[i], info.parameters[i]))))
	}
	result := c.valueType(c.function.moduleType(info.value.Type).Elements[0], info.resultTerm)
	if c.isVoid(c.in.Type) {
		c.ids[c.index] = c.emitResult(spirv.OpFunctionCall, result, words...)
		return
	}
	c.lastAt = len(c.code)
	n := c.emitAs(c.index, spirv.OpFunctionCall, result, words...)
	c.decorateCall(n)
	if result != c.typ {
		c.ids[c.index] = 0
		c.defineResult(c.index, c.castPointer(n, result, c.typ))
	}
}

// callPointer writes a call of a function pointer. The type that the call states decides,
// since the pointer has none: its own pointers point to bytes.
func (c *callSite) callPointer() {
	if !c.options.allowsExtension("SPV_INTEL_function_pointers") {
		c.failKind(ErrorFunctionPointer, c.value.Name, "a call of a function pointer needs the extension SPV_INTEL_function_pointers, which is not allowed")
	}
	c.useExtension("SPV_INTEL_function_pointers")
	c.useCapabilities(capFunctionPointers)
	callee := c.in.Operands[0]
	typ := c.function.moduleType(c.in.Element)
	var parameters []id
	for _, p := range typ.Elements[1:] {
		parameters = append(parameters, c.typeID(p))
	}
	result := c.typeID(typ.Elements[0])
	space := c.function.moduleType(callee.Type).AddressSpace
	words := []uint32{c.operandID(callee, c.pointerType(c.functionType(result, parameters), space))}
	for i, v := range c.operands {
		want := id(0)
		if i < len(parameters) {
			want = c.pointerWant(v.Type, parameters[i])
		}
		words = append(words, c.operandID(v, want))
	}
	n := c.emitResult(spirv.OpFunctionPointerCallINTEL, result, words...)
	if c.isVoid(c.in.Type) {
		c.decorateArguments(n)
		return
	}
	c.setResult(n, result)
	c.decorateArguments(c.ids[c.index])
}

// decorateArguments decorates a call of a function pointer with the attributes of its
// arguments, for which there is no parameter to decorate.
func (c *callSite) decorateArguments(n id) {
	for i := range c.operands {
		for attribute := range parameterAttributesOf(c.detail.Attributes.Parameter(i)) {
			c.decorateNeeded(n, decArgumentAttribute, uint32(i), attribute)
		}
	}
}

// setResult makes a value of type typ the call's result. A pointer is cast to the pointee
// that the rest of the function expects.
func (c *callSite) setResult(n, typ id) {
	if c.isVoid(c.in.Type) {
		return
	}
	n = c.castPointer(n, typ, c.typ)
	last := c.isLast(n)
	c.defineResult(c.index, n)
	if last && c.b.entryOf(n) == nil {
		c.decorateCall(n)
	}
	if c.before == 0 && c.in.Name != "" && c.b.nameOf(n) == "" && c.b.entryOf(n) == nil {
		c.b.setName(n, c.in.Name)
	}
}

// functionPointer returns the address of a function as a constant.
// OpConstantFunctionPointerINTEL names the function, so the image must have it.
func (t *translator) functionPointer(n ir.ValueID) id {
	if !t.options.allowsExtension("SPV_INTEL_function_pointers") {
		t.failKind(ErrorFunctionPointer, t.module.Values[n].Name, "the address of the function %s needs the extension SPV_INTEL_function_pointers, which is not allowed", t.module.Values[n].Name)
	}
	t.useExtension("SPV_INTEL_function_pointers")
	t.useCapabilities(capFunctionPointers)
	typ := t.globalAddressType(n)
	self := t.functionID(n)
	return t.b.constantEntry(spirv.OpConstantFunctionPointerINTEL, typ, []uint32{self}, self)
}

// inlineAsm writes a call of inline assembly. The assembly itself is an entry of the
// module, which all calls with the same text share.
func (c *callSite) inlineAsm() {
	c.useExtension("SPV_INTEL_inline_assembly")
	c.useCapabilities(capAsm)
	a := c.detail.Asm
	target := c.asmTarget()
	typ := c.typeID(c.in.Element)
	key := fmt.Sprintf("asm %d %q %q %t", c.in.Element, a.Template, a.Constraints, a.SideEffects)
	n := c.b.keyedEntry(sectionAssembly, key, func(n id) entry {
		result := c.typeID(c.function.moduleType(c.in.Element).Elements[0])
		words := appendText([]uint32{result, n, typ, target}, a.Template)
		if a.SideEffects {
			c.b.decorateID(n, decSideEffects)
		}
		return entry{op: opAsmINTEL, words: appendText(words, a.Constraints), deps: []id{result, typ, target}}
	})
	words := []uint32{n}
	for _, v := range c.operands {
		words = append(words, c.valueID(v))
	}
	result := c.typeID(c.function.moduleType(c.in.Element).Elements[0])
	c.setResult(c.emitResult(spirv.OpAsmCallINTEL, result, words...), result)
}

func (t *translator) asmTarget() id {
	return t.b.keyedEntry(sectionAssembly, "asm target", func(n id) entry {
		return entry{op: opAsmTargetINTEL, words: appendText([]uint32{n}, t.module.Triple)}
	})
}

// constantArgument returns the value of an argument that must be a constant.
func (c *callSite) constantArgument(i int) uint64 {
	if i < len(c.operands) {
		if v := c.operand(i); v.Kind == ir.ValueConstant {
			switch n := c.ir.Constants.At(v); n.Kind {
			case ir.ConstantInt:
				return n.Words[0]
			case ir.ConstantZero, ir.ConstantUndef, ir.ConstantPoison:
				return 0
			}
		}
	}
	c.failf("argument %d must be a constant", i+1)
	return 0
}

// isConstant reports whether an argument is an integer constant.
func (c *callSite) isConstant(i int) bool {
	if i >= len(c.operands) || c.operand(i).Kind != ir.ValueConstant {
		return false
	}
	k := c.ir.Constants.At(c.operand(i)).Kind
	return k == ir.ConstantInt || k == ir.ConstantZero
}

// operand returns an argument. It fails for one that the call lacks: a declaration may have
// fewer parameters than the function's name promises.
func (c *callSite) operand(i int) ir.Value {
	if i < 0 || i >= len(c.operands) {
		c.failf("argument %d is lacking", max(i, 0)+1)
	}
	return c.operands[i]
}

// argumentID returns an argument of a built-in. A pointer gets the pointee that the mangled
// name of the function spells, if it does: opaque pointers do not tell it.
func (c *callSite) argumentID(i int) id {
	v := c.operand(i)
	if i < len(c.callee.parameters) && c.isPointer(v.Type) && c.builtin != nil && i < len(c.builtin.parameters) {
		if found := c.mangledTerm(&c.builtin.parameters[i]); found != noTerm {
			return c.operandID(v, c.pointerTo(found, c.function.moduleType(v.Type).AddressSpace))
		}
	}
	return c.valueID(v)
}

// argAs returns a pointer argument as a pointer to that type.
func (c *callSite) argAs(i int, pointee id) id {
	v := c.operand(i)
	return c.operandID(v, c.pointerType(pointee, c.function.moduleType(v.Type).AddressSpace))
}

// argumentIDs returns the arguments from the first on.
func (c *callSite) argumentIDs(first int) []id {
	var list []id
	for i := first; i < len(c.operands); i++ {
		list = append(list, c.argumentID(i))
	}
	return list
}

// extInst writes an instruction of OpenCL.std whose result is that of the call.
func (c *callSite) extInst(name string, operands ...uint32) id {
	return c.extInstTyped(name, c.typ, operands)
}

// extInstOf writes an instruction of OpenCL.std with a result of type n.
func (c *callSite) extInstOf(n ir.TypeID, name string, operands ...uint32) id {
	return c.extInstTyped(name, c.typeID(n), operands)
}

func (c *callSite) extInstTyped(name string, typ id, operands []uint32) id {
	number, ok := spirv.ExtInstNumber("OpenCL.std", name)
	if !ok {
		c.failf("OpenCL.std has no instruction %s", name)
	}
	return c.emitResult(spirv.OpExtInst, typ, append([]uint32{c.opencl, number}, operands...)...)
}
