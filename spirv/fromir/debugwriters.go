package fromir

import (
	"fmt"

	"offlink/ir"
	"offlink/lazy"
)

// languages maps DWARF's languages to SPIR-V's, as OpenCL.DebugInfo.100 has
// them. The keys are DW_LANG_C_plus_plus_17, _14, C_plus_plus, C99 and OpenCL;
// the numbers those of Source Language (SPIR-V).
var languages = lazy.Map[uint64, uint32]{New: func() map[uint64]uint32 {
	return map[uint64]uint32{0x2a: 6, 0x21: 6, 4: 6, 0xc: 3, 0x15: 3}
}}

// shaderLanguages maps DWARF's languages to the numbers that
// NonSemantic.Shader.DebugInfo.200 has for them.
var shaderLanguages = lazy.Map[uint64, uint32]{New: func() map[uint64]uint32 {
	return map[uint64]uint32{
		0x15: 3, 2: 103, 0xc: 104, 0x1d: 105, 0x2c: 106, 4: 107, 0x19: 108, 0x1a: 109, 0x21: 110, 0x2a: 111, 0x2b: 112,
	}
}}

// compilationUnit writes the operands of a DebugCompilationUnit, first the version of the debug
// information, 1.0 as SPIR-V encodes versions.
func (d *debugWords) compilationUnit(n *debugNode) {
	table := languages.Get()
	if d.options.Debug == DebugShader200 {
		table = shaderLanguages.Get()
	}
	language := n.fieldNumber("language")
	if language == 0 {
		language = n.fieldNumber("sourceLanguageName")
	}
	d.addLiterals(1<<16, d.session.dwarf).addIDs(d.debugSource(n)).addLiterals(table[language])
	if d.options.Debug == DebugShader200 {
		d.addIDs(d.b.stringID(n.fieldText("producer")))
	}
}

// sizeConstant returns a size in bits as a constant of 32 bits, or of 64 where that is too
// small: a type of half a gigabyte has more bits than 32 bits can count.
func (d *debugWords) sizeConstant(n uint64) id {
	if n > 0xffffffff {
		return d.constInt(64, n)
	}
	return d.constWord(uint32(n))
}

func (d *debugWords) basicType(n *debugNode) {
	// The keys are DW_ATE_address, boolean, float, signed, signed_char, unsigned,
	// unsigned_char. The sets count them without 3, complex_float, which only the newest
	// set has.
	encoding := map[uint64]uint32{1: 1, 2: 2, 4: 3, 5: 4, 6: 5, 7: 6, 8: 7}[n.fieldNumber("encoding")]
	if n.fieldNumber("encoding") == 3 && d.options.Debug == DebugShader200 {
		encoding = 8
	}
	d.addIDs(d.b.stringID(n.fieldText("name")), d.sizeConstant(n.fieldNumber("size"))).addLiterals(encoding)
	if d.shaderDebug() {
		d.addLiterals(0)
	}
}

// nodeFlags returns the flags of a node as the sets number them, which LLVM does
// differently.
func (d *debugWords) nodeFlags(n *debugNode) (mask uint32) {
	mask = mapDebugFlags(uint32(n.fieldNumber("flags")))
	switch n.fieldNumber("tag") {
	case tagReference:
		mask |= 1 << 11
	case tagRValueReference:
		mask |= 1 << 12
	}
	if d.options.Debug == DebugShader200 && n.fieldNumber("flags")&(1<<19) != 0 {
		mask |= 1 << 18
	}
	return mask
}

// pointerType writes the operands of a DebugTypePointer. Its storage class is all ones if the
// pointer has no address space.
func (d *debugWords) pointerType(n *debugNode) {
	class := ^uint32(0)
	if space, ok := d.addressSpace(n); ok {
		if c, known := storageOf(space); known {
			class = uint32(c)
		}
	}
	d.addIDs(d.debugType(n.nodeField("baseType"))).addLiterals(class, d.nodeFlags(n))
}

// addressSpace returns the address space of a pointer type; ok is false if it has none.
// Bitcode stores the number plus 1, and 0 for none.
func (d *debugWords) addressSpace(n *debugNode) (uint32, bool) {
	f := n.nodeField("dwarfAddressSpace")
	switch {
	case f.Kind == ir.OperandNull:
		return 0, false
	case d.session.bitcode:
		return uint32(f.Int) - 1, f.Int > 0
	}
	return uint32(f.Int), true
}

// debugType returns the instruction of a type, which is DebugInfoNone for a null type: that
// is void where a pointer leads to it.
func (d *debugWords) debugType(o ir.Operand) id { return d.debugEntry(o) }

func (d *debugWords) qualifiedType(n *debugNode) {
	kind := map[uint64]uint32{tagConst: 0, tagVolatile: 1, tagRestrict: 2, tagAtomic: 3}[n.fieldNumber("tag")]
	d.addIDs(d.debugType(n.nodeField("baseType"))).addLiterals(kind)
}

// vectorType writes the operands of a DebugTypeVector. DWARF describes a vector as an array with
// one range.
func (d *debugWords) vectorType(n *debugNode) {
	count := uint64(0)
	for _, o := range d.resolveNode(n.nodeField("elements")) {
		r := d.debugNode(o)
		count = r.fieldNumber("count")
	}
	d.addIDs(d.debugType(n.nodeField("baseType"))).addLiterals(uint32(count))
}

// arrayType writes the operands of a DebugTypeArray, which the sets lay out differently: OpenCL's
// has all counts and then all lower bounds, the sets for shaders have counts, or subranges.
func (d *debugWords) arrayType(n *debugNode) {
	d.addIDs(d.debugType(n.nodeField("baseType")))
	var counts, bounds []id
	for _, o := range d.resolveNode(n.nodeField("elements")) {
		r := d.debugNode(o)
		count, bound := d.noDebug(), d.noDebug()
		if f := r.nodeField("count"); f.Kind == ir.OperandInt || f.Kind == ir.OperandField {
			count = d.constInt(64, uint64(f.Int))
		}
		if f := r.nodeField("lowerBound"); f.Kind == ir.OperandInt || f.Kind == ir.OperandField {
			bound = d.constInt(64, uint64(f.Int))
		}
		counts, bounds = append(counts, count), append(bounds, bound)
		if d.options.Debug == DebugShader200 {
			d.addIDs(d.subrangeType(count, bound))
		}
	}
	switch {
	case d.options.Debug == DebugShader200:
	case d.shaderDebug():
		d.addIDs(counts...)
	default:
		d.addIDs(counts...).addIDs(bounds...)
	}
}

// subrangeType returns a DebugTypeSubrange.
func (d *debugWords) subrangeType(count, bound id) id {
	none := d.noDebug()
	// Arrays of the same bounds share the instruction.
	key := fmt.Sprint("local subrange ", count, " ", bound)
	if n, ok := d.b.keyed[key]; ok {
		return n
	}
	n := d.b.newID()
	d.b.keyed[key] = n
	words := d.newDebugWords().addIDs(bound, none, count)
	e := words.makeEntry(n, 201)
	e.section = sectionDebug
	d.b.addEntry(n, &e)
	return n
}

// typedefType writes the operands of a DebugTypedef.
func (d *debugWords) typedefType(n *debugNode) {
	d.addIDs(d.b.stringID(n.fieldText("name")), d.debugType(n.nodeField("baseType")), d.debugSource(n)).addLiterals(0, 0).addIDs(d.debugParent(n))
}

// functionType writes the operands of a DebugTypeFunction: flags, result, parameters.
func (d *debugWords) functionType(n *debugNode) {
	d.addLiterals(d.nodeFlags(n))
	types := d.resolveNode(n.nodeField("types"))
	// The first of LLVM's types is the result, null for void; SPIR-V has void
	// as a type.
	if len(types) == 0 || types[0].Kind != ir.OperandNode {
		d.addIDs(d.voidType())
	}
	for i, o := range types {
		if i > 0 || o.Kind == ir.OperandNode {
			d.addIDs(d.debugType(o))
		}
	}
}

// enumerationType writes the operands of a DebugTypeEnum.
func (d *debugWords) enumerationType(n *debugNode) {
	base := d.voidType()
	if n.hasField("baseType") {
		base = d.debugType(n.nodeField("baseType"))
	}
	d.addIDs(d.b.stringID(n.fieldText("name")), base, d.debugSource(n)).addLiterals(uint32(n.fieldNumber("line")), 0)
	d.addIDs(d.debugParent(n), d.sizeConstant(n.fieldNumber("size"))).addLiterals(d.nodeFlags(n))
	for _, o := range d.resolveNode(n.nodeField("elements")) {
		e := d.debugNode(o)
		d.addIDs(d.constWord(uint32(d.enumeratorValue(&e))), d.b.stringID(e.fieldText("name")))
	}
}

// enumeratorValue returns the value of a DIEnumerator. Bitcode stores its width first, then
// the magnitude shifted left by one with the sign in the lowest bit.
func (d *debugWords) enumeratorValue(e *debugNode) int64 {
	if !d.session.bitcode || len(e.fields) < 3 || e.fields[2].Field != "" {
		return e.nodeField("value").Int
	}
	v := uint64(e.fields[2].Int)
	if v&1 != 0 {
		return -int64(v >> 1)
	}
	return int64(v >> 1)
}

// compositeType writes a struct, class or union. Its members may come after it (late),
// because they name it as their parent in OpenCL.DebugInfo.100.
func (d *debugWords) compositeType(n *debugNode) {
	tag := map[uint64]uint32{tagClass: 0, tagStructure: 1, tagUnion: 2}[n.fieldNumber("tag")]
	d.addIDs(d.b.stringID(n.fieldText("name"))).addLiterals(tag).addIDs(d.debugSource(n)).addLiterals(uint32(n.fieldNumber("line")), 0).addIDs(d.debugParent(n))
	// A type without a linkage name has an empty one: the validators of SPIRV-Tools 2025
	// refuse DebugInfoNone here.
	d.addIDs(d.b.stringID(n.fieldText("identifier")), d.sizeConstant(n.fieldNumber("size"))).addLiterals(d.nodeFlags(n))
	for _, o := range d.resolveNode(n.nodeField("elements")) {
		d.addIDs(d.debugEntry(o))
		d.late++
	}
}

// memberType writes the operands of a DebugTypeMember.
func (d *debugWords) memberType(n *debugNode) {
	d.addIDs(d.b.stringID(n.fieldText("name")), d.debugType(n.nodeField("baseType")), d.debugSource(n)).addLiterals(uint32(n.fieldNumber("line")), 0)
	scope := n.nodeField("scope")
	if !d.shaderDebug() {
		d.addIDs(d.debugTarget(scope))
	}
	d.addIDs(d.sizeConstant(n.fieldNumber("offset")), d.sizeConstant(n.fieldNumber("size"))).addLiterals(d.memberAccess(scope, d.nodeFlags(n)))
}

// memberAccess adds the default access to the flags of a member that states none.
func (d *debugWords) memberAccess(scope ir.Operand, flags uint32) uint32 {
	if flags&3 != 0 || scope.Kind != ir.OperandNode {
		return flags
	}
	n := d.debugNode(scope)
	switch n.fieldNumber("tag") {
	// C++: members of a class are private by default, those of a struct or
	// union public.
	case tagClass:
		return flags | 2
	case tagStructure, tagUnion:
		return flags | 3
	}
	return flags
}

// inheritanceType writes the operands of a DebugTypeInheritance.
func (d *debugWords) inheritanceType(n *debugNode) {
	if !d.shaderDebug() {
		d.addIDs(d.debugTarget(n.nodeField("scope")))
	}
	d.addIDs(d.debugTarget(n.nodeField("baseType")), d.sizeConstant(n.fieldNumber("offset")), d.sizeConstant(n.fieldNumber("size"))).addLiterals(d.nodeFlags(n))
}

func (d *debugWords) pointerToMember(n *debugNode) {
	d.addIDs(d.debugEntry(n.nodeField("baseType")), d.debugEntry(n.nodeField("extraData")))
}

// templateParameter writes the operands of a DebugTypeTemplateParameter. A value is a constant if
// it is an integer of a width that SPIR-V has; for other values a null pointer stands.
func (d *debugWords) templateParameter(n *debugNode) {
	value := d.noDebug()
	if n.fieldNumber("tag") == tagTemplateValue || n.kind == "DITemplateValueParameter" {
		if f := n.nodeField("value"); f.Kind == ir.OperandInt && f.Bits > 0 && f.Bits <= 64 && d.heldBits(uint32(f.Bits)) == uint32(f.Bits) {
			value = d.constInt(uint32(f.Bits), uint64(f.Int))
		} else {
			value = d.constNull(d.translator.pointerType(d.intType(8), 0))
		}
	}
	d.addIDs(d.b.stringID(n.fieldText("name")), d.debugType(n.nodeField("type")), value, d.debugSource(n)).addLiterals(0, 0)
}

func (d *debugWords) templateTemplate(n *debugNode) {
	d.addIDs(d.b.stringID(n.fieldText("name")), d.b.stringID(n.fieldText("value")), d.debugSource(n)).addLiterals(0, 0)
}

func (d *debugWords) templatePack(n *debugNode) {
	d.addIDs(d.b.stringID(n.fieldText("name")), d.debugSource(n)).addLiterals(0, 0)
	for _, o := range d.resolveNode(n.nodeField("value")) {
		d.addIDs(d.debugEntry(o))
	}
}

// functionDeclaration writes the operands that declarations and definitions share.
func (d *debugWords) functionDeclaration(n *debugNode) {
	flags := mapDebugFlags(uint32(n.fieldNumber("flags")))
	sp := n.fieldNumber("spFlags")
	for _, f := range []struct {
		set bool
		bit uint32
	}{{sp&4 != 0 || n.fieldNumber("isLocal") != 0, 4}, {sp&8 != 0 || n.fieldNumber("isDefinition") != 0, 8}, {sp&16 != 0 || n.fieldNumber("isOptimized") != 0, 1 << 13}} {
		if f.set {
			flags |= f.bit
		}
	}
	d.addIDs(d.b.stringID(n.fieldText("name")), d.debugType(n.nodeField("type")), d.debugSource(n)).addLiterals(uint32(n.fieldNumber("line")), 0)
	d.addIDs(d.debugParent(n), d.b.stringID(n.fieldText("linkageName"))).addLiterals(d.memberAccess(n.nodeField("scope"), flags))
}

// functionScope writes the operands of a DebugFunction or of its declaration.
func (d *debugWords) functionScope(n *debugNode) {
	d.functionDeclaration(n)
	d.addLiterals(uint32(n.fieldNumber("scopeLine")))
	if !d.shaderDebug() {
		d.noDebug() // stands for the function in images that do not have it
		d.addIDs(d.describedFunction(n))
	}
	if f := n.nodeField("declaration"); f.Kind == ir.OperandNode {
		d.addIDs(d.debugEntry(f))
	} else if name := n.fieldText("targetFuncName"); name != "" && d.options.Debug == DebugShader200 {
		d.addIDs(d.noDebug(), d.b.stringID(name))
	}
}

// describedFunction returns the function that a subprogram describes, or DebugInfoNone if
// the module has none with its own !dbg: subprograms of inlined functions are described as
// well.
func (d *debugWords) describedFunction(n *debugNode) id {
	name := n.fieldText("linkageName")
	if name == "" {
		name = n.fieldText("name")
	}
	if f, ok := d.module.Lookup(name); ok && d.module.Values[f].Kind == ir.Function && !d.module.Values[f].Declaration {
		if _, described := d.module.Values[f].Attached("dbg"); described && !d.view.isDeclared(f) {
			return d.functionID(f)
		}
	}
	return d.noDebug()
}

// lexicalBlock writes the operands of a DebugLexicalBlock. A namespace is one with a name.
func (d *debugWords) lexicalBlock(n *debugNode) {
	d.addIDs(d.debugSource(n)).addLiterals(uint32(n.fieldNumber("line")), uint32(n.fieldNumber("column"))).addIDs(d.debugParent(n))
	if n.kind == "DINamespace" {
		d.addIDs(d.b.stringID(n.fieldText("name")))
		if d.options.Debug == DebugShader200 {
			d.addIDs(d.constBool(n.fieldNumber("exportSymbols") != 0))
		}
	}
}

// blockDiscriminator writes the operands of a DebugLexicalBlockDiscriminator.
func (d *debugWords) blockDiscriminator(n *debugNode) {
	d.addIDs(d.debugSource(n)).addLiterals(uint32(n.fieldNumber("discriminator"))).addIDs(d.debugParent(n))
}

// localVariable writes the operands of a DebugLocalVariable. Only those of parameters end in the
// number of the argument.
func (d *debugWords) localVariable(n *debugNode) {
	d.addIDs(d.b.stringID(n.fieldText("name")), d.debugType(n.nodeField("type")), d.debugSource(n)).addLiterals(uint32(n.fieldNumber("line")), 0)
	d.addIDs(d.debugParent(n)).addLiterals(mapDebugFlags(uint32(n.fieldNumber("flags"))))
	if arg := uint32(n.fieldNumber("arg")); arg != 0 {
		d.addLiterals(arg)
	}
}

// globalVariable writes the operands of a DebugGlobalVariable. It names the variable that it
// describes, if the module has it and it is not a built-in one. noDebug makes DebugInfoNone,
// which stands for the variable in images that lack it.
func (d *debugWords) globalVariable(n *debugNode) {
	flags := uint32(0)
	if n.fieldNumber("isLocal") != 0 {
		flags |= 4
	}
	if n.fieldNumber("isDefinition") != 0 {
		flags |= 8
	}
	none := d.noDebug()
	variable := none
	name := n.fieldText("linkageName")
	if name == "" {
		name = n.fieldText("name")
	}
	if v, ok := d.module.Lookup(name); ok && d.module.Values[v].Kind == ir.Variable {
		if _, input := d.isInput(v); !input {
			variable = d.b.externalID(v)
		}
	}
	d.addIDs(d.b.stringID(n.fieldText("name")), d.debugType(n.nodeField("type")), d.debugSource(n)).addLiterals(uint32(n.fieldNumber("line")), 0)
	d.addIDs(d.debugParent(n), d.b.stringID(n.fieldText("linkageName")), variable).addLiterals(flags)
	if f := n.nodeField("declaration"); f.Kind == ir.OperandNode {
		d.addIDs(d.debugEntry(f))
	}
}

// inlinedAt writes the operands of a DebugInlinedAt, which may be inlined itself.
func (d *debugWords) inlinedAt(n *debugNode) {
	d.addLiterals(uint32(n.fieldNumber("line")))
	if d.options.Debug == DebugShader200 {
		d.addLiterals(uint32(n.fieldNumber("column")))
	}
	d.addIDs(d.debugParent(n))
	if f := n.nodeField("inlinedAt"); f.Kind == ir.OperandNode {
		d.addIDs(d.debugEntry(f))
	}
}

// moduleScope writes the operands of a DebugModuleINTEL: a module of Clang or of Fortran. In both
// sets the line precedes the parent, as llvm-spirv writes and reads it; SPV_INTEL_debug_module
// specifies the other order for OpenCL.DebugInfo.100.
func (d *debugWords) moduleScope(n *debugNode) {
	d.addIDs(d.b.stringID(n.fieldText("name")), d.debugSource(n))
	d.addLiterals(uint32(n.fieldNumber("line"))).addIDs(d.debugParent(n))
	if !d.shaderDebug() {
		d.useExtension(debugModuleExtension)
		d.useCapabilities(capDebugModule)
	}
	for _, name := range []string{"configMacros", "includePath", "apinotes"} {
		d.addIDs(d.b.stringID(n.fieldText(name)))
	}
	d.addLiterals(uint32(n.fieldNumber("isDecl")))
}

// importedEntity writes the operands of a DebugImportedEntity. OpenCL.DebugInfo.100 specifies no
// word between the tag and the source, but llvm-spirv writes one, and drivers, which read with
// llvm-spirv, crash without it.
func (d *debugWords) importedEntity(n *debugNode) {
	tag := map[uint64]uint32{tagImportedModule: 0, tagImportedDeclaration: 1}[n.fieldNumber("tag")]
	d.addIDs(d.b.stringID(n.fieldText("name"))).addLiterals(tag)
	if !d.shaderDebug() {
		d.addLiterals(0)
	}
	d.addIDs(d.debugSource(n), d.debugEntry(n.nodeField("entity")))
	d.addLiterals(uint32(n.fieldNumber("line")), 0).addIDs(d.debugParent(n))
}
