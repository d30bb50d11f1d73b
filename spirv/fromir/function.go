package fromir

import (
	"iter"
	"slices"

	"offlink/ir"
	"offlink/spirv"
)

// function is a body that is being written.
type function struct {
	*translator
	value  *ir.GlobalValue
	info   *functionInfo
	ir     *ir.Body
	terms  []term // of the instructions
	ids    []id   // of the instructions; 0 until needed
	args   []id
	labels []id
	lastAt int   // where in code the last instruction with a result begins
	dom    []int // dominators; nil for a body of one block
	// defined are the instructions that a freeze depends on; nil if there is none.
	defined []bool
	checker *bodyChecker // nil for a body of one block
	block   int          // that is being written
	aborted bool         // the block has ended before its terminator
	at      int          // the instruction that is being written
	// variables are the words of the function's variables, and code those of all else.
	// writeBlocks inserts the former into the first block.
	variables, code []uint32
	incoming        map[phiEdge]id
	merges          map[int][]uint32   // words of a loop merge, by header
	cached          map[ir.Value]id    // copies of the instruction's pointers that have cache controls
	indexGroups     map[ir.NodeID][]id // arrays that loops access in parallel; nil before it is asked for
	accessed        []bool             // of findAccesses; nil before it is asked for
	line            lineState
	scopeNow        scopeState
	casts           map[castKey]id // casts in the block
	privateCopies   map[ir.ValueID]id
	between         map[blockEdge]id // labels of blocks that are added
	// ways counts the cases of a switch that lead to each block; origins has the operand
	// of a phi for each block. They serve instructions with more operands than
	// searchedOperands.
	ways    map[int]map[int]int
	origins map[int]map[int]int
}

// blockEdge is the way from one block to another.
type blockEdge struct{ from, to int }

// phiEdge names a value of a phi that is made at the end of the block from which it
// comes.
type phiEdge struct{ phi, operand int }

type castKey struct{ value, typ id }

// describeInstruction names the instruction that is being written, for messages.
func (f *function) describeInstruction() string {
	if f.ir == nil || f.at >= len(f.ir.Instructions) {
		return ""
	}
	in := &f.ir.Instructions[f.at]
	if in.Op == ir.OpCall && len(in.Operands) > 0 && in.Operands[0].Kind == ir.ValueGlobal {
		return "call of " + f.module.Values[in.Operands[0].Index].Name
	}
	return in.Op.String()
}

// functionTypeOf returns the type of a function of the module, with the pointees that
// its own unit found for its parameters.
func (t *translator) functionTypeOf(n ir.ValueID) id {
	info := t.functionOf(n)
	if info.typ == 0 {
		if t.moduleType(info.value.Type).Variadic {
			t.failKind(ErrorVariadic, info.value.Name, "the function %s has variable arguments, which SPIR-V has for printf alone", info.value.Name)
		}
		elements := append([]ir.TypeID{}, t.moduleType(info.value.Type).Elements...)
		parameters := make([]id, 0, len(elements)-1)
		for i, p := range elements[1:] {
			parameters = append(parameters, t.valueType(p, info.parameters[i]))
		}
		info.typ = t.functionType(t.valueType(elements[0], info.resultTerm), parameters)
	}
	return info.typ
}

// valueType returns the type of a value; if it is a pointer, its term tells the pointee.
func (t *translator) valueType(n ir.TypeID, pointee term) id {
	if pointee == noTerm || !t.isPointer(n) {
		return t.typeID(n)
	}
	return t.pointerTo(pointee, t.moduleType(n).AddressSpace)
}

// functionID returns the identifier of a function.
func (t *translator) functionID(n ir.ValueID) id { return t.b.externalID(n) }

// declarationUnit writes a function without a body.
func (t *translator) declarationUnit(n ir.ValueID) {
	t.freezeParameters(t.functionOf(n))
	words, _ := t.functionHead(nil, n, nil)
	t.b.functions = appendInstruction(words, spirv.OpFunctionEnd)
}

// functionHead appends OpFunction and the parameters, and decorates them. It returns the
// words and the identifiers of the parameters.
func (t *translator) functionHead(words []uint32, n ir.ValueID, names []string) ([]uint32, []id) {
	info := t.functionOf(n)
	v := info.value
	typ := t.functionTypeOf(n)
	self := t.functionID(n)
	t.b.setName(self, v.Name)
	elements := append([]ir.TypeID{}, t.moduleType(v.Type).Elements...)
	result := t.valueType(elements[0], info.resultTerm)
	words = appendInstruction(words, spirv.OpFunction, result, self, t.functionControl(info.header), typ)
	words, args := t.functionParameters(words, info, elements, names)
	t.decorateFunction(self, info)
	t.auxiliaryData(n, self)
	return words, args
}

// functionParameters appends the parameters, and decorates them.
func (t *translator) functionParameters(words []uint32, info *functionInfo, elements []ir.TypeID, names []string) ([]uint32, []id) {
	args := make([]id, len(elements)-1)
	for i := range args {
		args[i] = t.b.newID()
		words = appendInstruction(words, spirv.OpFunctionParameter, t.valueType(elements[i+1], info.parameters[i]), args[i])
		if i < len(names) {
			t.b.setName(args[i], names[i])
		}
		t.decorateParameter(args[i], info.header.Attributes.Parameter(i))
		t.vectorComputeParameter(args[i], info.header.Attributes.Parameter(i), elements[i+1])
	}
	return words, args
}

// functionControl returns the mask of function control.
func (t *translator) functionControl(h *ir.Header) (mask uint32) {
	// The bits are those of Function Control (SPIR-V): Inline, DontInline,
	// Pure, Const, OptNone. LLVM 16 replaced readonly and readnone on functions by
	// memory(...).
	has := func(name string) bool { return ir.FindAttribute(h.Attributes.Function, name) != nil }
	memory := ""
	if a := ir.FindAttribute(h.Attributes.Function, "memory"); a != nil {
		memory = a.Value
	}
	if has("alwaysinline") {
		mask |= 1
	}
	if has("noinline") {
		mask |= 2
	}
	if has("readonly") || memory == "read" {
		mask |= 4
	}
	if has("readnone") || memory == "none" {
		mask |= 8
	}
	if has("optnone") {
		for _, extension := range []string{"SPV_EXT_optnone", "SPV_INTEL_optnone"} {
			if t.options.allowsExtension(extension) {
				t.useExtension(extension)
				t.useCapabilities(capOptNoneEXT)
				return mask | 1<<16
			}
		}
	}
	return mask
}

// parameterAttributes are the attributes that decorate parameters. A parameter whose memory is
// neither read nor written is NoWrite, as llvm-spirv has it: up to version 15 it aborts when it
// reads NoReadWrite.
var parameterAttributes = []struct {
	names []string
	attr  uint32
}{
	{[]string{"byval"}, attrByVal},
	{[]string{"noalias"}, attrNoAlias},
	{[]string{"nocapture", "captures"}, attrNoCapture},
	{[]string{"sret"}, attrSret},
	{[]string{"readonly", "readnone"}, attrNoWrite},
	{[]string{"zeroext"}, attrZext},
	{[]string{"signext"}, attrSext},
}

// decorateParameter decorates a parameter by its attributes, as far as SPIR-V has them.
func (t *translator) decorateParameter(n id, list []ir.AttributeDetail) {
	for attribute := range parameterAttributesOf(list) {
		t.b.decorateID(n, decFuncParamAttr, attribute)
	}
	if a := ir.FindAttribute(list, "align"); a != nil {
		t.b.decorateID(n, decAlignment, uint32(a.Int))
	}
	if a := ir.FindAttribute(list, "dereferenceable"); a != nil && t.options.Version >= spirv.Version1_1 {
		t.needVersion(spirv.Version1_1)
		t.useCapabilities(capAddresses)
		t.b.decorateID(n, decMaxByteOffset, uint32(a.Int))
	}
}

// parameterAttributesOf yields the Function Parameter Attributes (SPIR-V) among attributes.
func parameterAttributesOf(list []ir.AttributeDetail) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for _, p := range parameterAttributes {
			// LLVM 21 spells nocapture captures(none).
			for _, name := range p.names {
				if a := ir.FindAttribute(list, name); a != nil && (name != "captures" || a.Value == "none" || a.Value == "") && !yield(p.attr) {
					return
				}
			}
		}
	}
}

// decorateFunction decorates a function by the attributes of its result and its own.
func (t *translator) decorateFunction(self id, info *functionInfo) {
	for _, name := range []string{"zeroext", "signext"} {
		if ir.FindAttribute(info.header.Attributes.Result, name) != nil {
			t.b.decorateID(self, decFuncParamAttr, map[string]uint32{"zeroext": attrZext, "signext": attrSext}[name])
		}
	}
	for _, a := range info.header.Attributes.Function {
		if a.String && a.Name == "referenced-indirectly" && t.options.allowsExtension("SPV_INTEL_function_pointers") {
			t.useExtension("SPV_INTEL_function_pointers")
			t.useCapabilities(capIndirectReferences)
			t.b.decorateID(self, decReferencedIndirect)
		}
	}
	t.vectorComputeFunction(self, info)
	t.functionMetadata(self, info.value)
}

// functionMemory is memory that the translator uses again for each body.
type functionMemory struct {
	ids, labels     []id
	terms           []term
	variables, code []uint32
	incoming        map[phiEdge]id
	merges          map[int][]uint32
	casts           map[castKey]id
}

// newFunction returns the state of a body that is to be written.
func (t *translator) newFunction(info *functionInfo, body *ir.Body) *function {
	m := &t.memory
	if m.casts == nil {
		m.incoming, m.merges, m.casts = make(map[phiEdge]id), make(map[int][]uint32), make(map[castKey]id)
	}
	// Maps are emptied, not made anew: a module of thousands of small functions
	// would spend its time on them.
	clear(m.incoming)
	clear(m.merges)
	clear(m.casts)
	f := &function{
		translator: t, value: info.value, info: info, ir: body, incoming: m.incoming, merges: m.merges, casts: m.casts,
		ids: slices.Grow(m.ids[:0], len(body.Instructions))[:len(body.Instructions)], variables: m.variables[:0],
		labels: slices.Grow(m.labels[:0], len(body.Blocks))[:len(body.Blocks)], code: m.code[:0],
	}
	clear(f.ids)
	clear(f.labels)
	return f
}

// keep takes the memory of a body back; its slices may have grown.
func (m *functionMemory) keep(f *function) {
	m.ids, m.labels, m.variables, m.code = f.ids, f.labels, f.variables, f.code
}

// translateFunction writes a function that has a body: the first walk finds the
// pointees, the second writes the code. The entry point of a kernel is a function of its
// own if something in the image refers to the kernel, or with the option KernelWrappers.
func (t *translator) translateFunction(n ir.ValueID) {
	t.readBody(n)
	info := t.functionOf(n)
	body := &t.body
	f := t.newFunction(info, body)
	defer t.memory.keep(f)
	t.current = f
	f.terms = t.inferPointees(body, info)
	t.freezeParameters(info)
	t.b.functions, f.args = t.functionHead(t.b.functions, n, body.ArgumentNames)
	f.findContraction()
	f.definedCone()
	f.writeBlocks()
	t.b.functions = appendInstruction(append(t.b.functions, f.code...), spirv.OpFunctionEnd)
	t.current = nil
	switch {
	case info.kernel && (t.options.KernelWrappers || t.view.named[n]):
		t.kernelWrapper(n, info, body.ArgumentNames)
	case info.kernel:
		t.entry, t.wrapperAt = t.functionID(n), len(t.b.functions)
		t.argumentMetadata(info, f.args)
		t.kernelModes(info)
	}
}

// writeBlocks writes the blocks, each after the one that dominates it.
func (f *function) writeBlocks() {
	for i := range f.labels {
		f.labels[i] = f.b.newID()
		f.b.setName(f.labels[i], f.ir.Blocks[i].Name)
	}
	order := f.blockOrder()
	f.checkBody(order)
	f.findLoops(order)
	start := 0
	for i, block := range order {
		f.block = block
		// A cast serves only its own block: the block need not dominate others.
		clear(f.casts)
		f.code = appendInstruction(f.code, spirv.OpLabel, f.labels[block])
		if i == 0 {
			start = len(f.code)
			f.functionDefinition()
		}
		f.writeBlock(block)
	}
	// SPIR-V wants all variables of a function at the start of its first block, while
	// allocas may be anywhere.
	f.code = slices.Insert(f.code, start, f.variables...)
}

// writeBlock writes the instructions of a block. The values that phis of its successors
// take from it come before its terminator.
func (f *function) writeBlock(block int) {
	b := f.ir.Blocks[block]
	f.line, f.scopeNow = lineState{}, scopeState{}
	for i := b.First; i < b.End; i++ {
		f.at = i
		in := &f.ir.Instructions[i]
		if in.Op.IsTerminator() {
			// The merge instruction of a loop must be the last but one of its block.
			f.edgeValues(block)
			if merge := f.merges[block]; merge != nil {
				f.code = append(f.code, merge...)
			}
		}
		if f.writeInstruction(i, in) || f.aborted {
			f.aborted = false
			break
		}
	}
}

// reserveID returns the identifier of an instruction's result, which may not have been
// written yet.
func (f *function) reserveID(i int) id {
	if f.ids[i] == 0 {
		f.ids[i] = f.b.newID()
		f.b.setName(f.ids[i], f.ir.Instructions[i].Name)
	}
	return f.ids[i]
}

// emitResult appends an instruction with a new result and returns its identifier.
func (f *function) emitResult(op spirv.Opcode, typ id, operands ...uint32) id {
	if f.b.bfloat16 != 0 {
		f.bfloatResult(op, typ)
	}
	n := f.b.newID()
	f.lastAt = len(f.code)
	f.code = append(f.code, headWord(len(operands)+3, op), typ, n)
	f.code = append(f.code, operands...)
	return n
}

// emitAs appends the instruction whose result is that of instruction i.
func (f *function) emitAs(i int, op spirv.Opcode, typ id, operands ...uint32) id {
	if f.b.bfloat16 != 0 {
		f.bfloatResult(op, typ)
	}
	n := f.reserveID(i)
	f.code = append(f.code, headWord(len(operands)+3, op), typ, n)
	f.code = append(f.code, operands...)
	return n
}

// emitPlain appends an instruction without a result.
func (f *function) emitPlain(op spirv.Opcode, operands ...uint32) {
	f.code = appendInstruction(f.code, op, operands...)
}

// defineResult makes a value that is there already the result of instruction i.
func (f *function) defineResult(i int, n id) {
	if f.ids[i] == 0 {
		f.ids[i] = n
		return
	}
	// The result was used before it was written, by the identifier that it has.
	if f.isLast(n) {
		f.renumberLast(n, f.ids[i])
		return
	}
	f.code = appendInstruction(f.code, spirv.OpCopyObject, f.resultType(i), f.ids[i], n)
}

// resultType returns the type of an instruction's result.
func (f *function) resultType(i int) id {
	return f.valueType(f.ir.Instructions[i].Type, f.terms[i])
}

// typeOf returns the type of a value.
func (f *function) typeOf(v ir.Value) id {
	switch v.Kind {
	case ir.ValueArgument:
		return f.valueType(v.Type, f.info.parameters[v.Index])
	case ir.ValueInstruction:
		return f.valueType(f.ir.Instructions[v.Index].Type, f.terms[v.Index])
	case ir.ValueGlobal:
		return f.globalAddressType(ir.ValueID(v.Index))
	case ir.ValueConstant:
		if found := f.constantTerm(&f.ir.Constants, v); found != noTerm {
			return f.valueType(v.Type, found)
		}
	}
	return f.typeID(v.Type)
}

// valueID returns a value as its own type.
func (f *function) valueID(v ir.Value) id { return f.operandID(v, 0) }

// operandID returns a value as a value of type want, or of its own type if want is 0. Only
// pointers are cast. Constants are made of the type that is wanted, so they need no cast.
func (f *function) operandID(v ir.Value, want id) id {
	if f.isBlockBody(&f.ir.Constants, v) {
		return f.constNull(f.blockBodyType(v, want))
	}
	own := f.typeOf(v)
	if v.Kind == ir.ValueConstant {
		if c := f.ir.Constants.At(v); c.Kind != ir.ConstantExpression {
			if want == 0 || !f.isPointer(v.Type) {
				want = own
			}
			part := f.constantPart
			if f.mustBeDefined() {
				part = f.definedPart
			}
			if made := part(v, want); made != 0 {
				return made
			}
			return f.constructAggregate(c, want)
		}
	}
	var n id
	switch v.Kind {
	case ir.ValueArgument:
		n = f.args[v.Index]
	case ir.ValueInstruction:
		n = f.reserveID(int(v.Index))
	case ir.ValueGlobal:
		n = f.globalValue(ir.ValueID(v.Index))
	case ir.ValueConstant:
		n = f.writeExpression(v)
	default:
		f.failf("an operand that is not a value")
	}
	if copied := f.cached[v]; copied != 0 {
		n = copied
	}
	return f.castPointer(n, own, want)
}

// constantPart returns a constant, or an element of one, within a function; 0 if it needs
// an instruction, as constant expressions do.
func (f *function) constantPart(v ir.Value, typ id) id {
	switch v.Kind {
	case ir.ValueConstant:
		c := f.ir.Constants.At(v)
		if c.Kind == ir.ConstantExpression {
			return 0
		}
		// A constant of many uses is made once for each type that a use wants
		// of it.
		key := constantKey{&f.ir.Constants, v.Index, typ}
		made, known := f.constants[key]
		if !known {
			made = f.plainConstant(c, typ, f.constantPart)
			f.constants[key] = made
		}
		return made
	case ir.ValueGlobal:
		if f.globalAddressType(ir.ValueID(v.Index)) == typ && !f.isPrivateConstant(ir.ValueID(v.Index)) {
			return f.globalAddress(ir.ValueID(v.Index))
		}
	}
	return 0
}

// constructAggregate writes an aggregate constant of which some elements need
// instructions.
func (f *function) constructAggregate(c *ir.ConstantNode, typ id) id {
	parts := make([]id, len(c.Operands))
	for i, v := range c.Operands {
		parts[i] = f.operandID(v, f.typeID(f.elementType(c.Type, uint64(i))))
	}
	return f.emitResult(spirv.OpCompositeConstruct, typ, parts...)
}

// castPointer casts a pointer of type typ to the type that is wanted. A block casts each
// pointer to each type only once.
func (f *function) castPointer(n, typ, want id) id {
	if want == 0 || typ == want {
		return n
	}
	key := castKey{n, want}
	if done, ok := f.casts[key]; ok {
		return done
	}
	if !f.isCastable(typ) || !f.isCastable(want) {
		f.failf("a value is used as another type than its own")
	}
	done := f.emitResult(spirv.OpBitcast, want, n)
	f.casts[key] = done
	return done
}

// isCastable reports whether OpBitcast takes values of a type.
func (f *function) isCastable(typ id) bool {
	e := f.b.entryOf(typ)
	if e == nil {
		return false
	}
	switch e.op {
	case spirv.OpTypePointer, spirv.OpTypeInt, spirv.OpTypeFloat, spirv.OpTypeVector:
		return true
	}
	return false
}

// writeExpression writes a constant expression as an instruction.
func (f *function) writeExpression(v ir.Value) id {
	c := f.ir.Constants.At(v)
	// The input chooses the depth, and each level is a call here.
	if f.nesting++; f.nesting > 300 {
		f.failf("constants nested too deep")
	}
	defer func() { f.nesting-- }()
	in := *c.Expression
	in.Operands = c.Operands
	in.Type = c.Type
	pointee := noTerm
	if f.isPointer(c.Type) {
		pointee = f.constantTerm(&f.ir.Constants, v)
	}
	return f.writeOperation(&in, f.valueType(c.Type, pointee), func(op spirv.Opcode, typ id, operands ...uint32) id {
		return f.emitResult(op, typ, operands...)
	})
}
