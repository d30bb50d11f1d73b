package fromir

import (
	"offlink/ir"
	"offlink/spirv"
)

// languages maps DWARF's languages to SPIR-V's, as OpenCL.DebugInfo.100 has them.
var languages = map[uint64]uint32{0x2a: 6, 0x21: 6, 4: 6, 0xc: 3, 0x15: 3}

// shaderLanguages maps them as NonSemantic.Shader.DebugInfo.200 has them.
var shaderLanguages = map[uint64]uint32{
	0x15: 3, 2: 103, 0xc: 104, 0x1d: 105, 0x2c: 106, 4: 107, 0x19: 108, 0x1a: 109, 0x21: 110, 0x2a: 111, 0x2b: 112,
}

func (d *debugWords) compilationUnit(n *debugNode) {
	table := languages
	if d.options.Debug == DebugShader200 {
		table = shaderLanguages
	}
	language := n.number("language")
	if language == 0 {
		language = n.number("sourceLanguageName")
	}
	d.literals(1<<16, d.session.dwarf).ids(d.debugSource(n)).literals(table[language])
	if d.options.Debug == DebugShader200 {
		d.ids(d.b.text(n.text("producer")))
	}
}

// size returns a number of bits as a constant.
func (d *debugWords) size(n uint64) id {
	if n > 0xffffffff {
		return d.constInt(64, n)
	}
	return d.u32(uint32(n))
}

func (d *debugWords) basicType(n *debugNode) {
	encoding := map[uint64]uint32{1: 1, 2: 2, 4: 3, 5: 4, 6: 5, 7: 6, 8: 7}[n.number("encoding")]
	if n.number("encoding") == 3 && d.options.Debug == DebugShader200 {
		encoding = 8
	}
	d.ids(d.b.text(n.text("name")), d.size(n.number("size"))).literals(encoding)
	if d.shaderDebug() {
		d.literals(0)
	}
}

func (d *debugWords) flags(n *debugNode) (mask uint32) {
	mask = mapDebugFlags(uint32(n.number("flags")))
	switch n.number("tag") {
	case tagReference:
		mask |= 1 << 11
	case tagRValueReference:
		mask |= 1 << 12
	}
	if d.options.Debug == DebugShader200 && n.number("flags")&(1<<19) != 0 {
		mask |= 1 << 18
	}
	return mask
}

func (d *debugWords) pointerType(n *debugNode) {
	class := ^uint32(0)
	if space, ok := d.addressSpace(n); ok {
		if c, known := storageClasses[space]; known {
			class = uint32(c)
		}
	}
	d.ids(d.debugType(n.field("baseType"))).literals(class, d.flags(n))
}

// addressSpace returns the address space of a pointer type: bitcode has it plus
// one, where 0 is none.
func (d *debugWords) addressSpace(n *debugNode) (uint32, bool) {
	f := n.field("dwarfAddressSpace")
	switch {
	case f.Kind == ir.OperandNull:
		return 0, false
	case d.session.bitcode:
		return uint32(f.Int) - 1, f.Int > 0
	}
	return uint32(f.Int), true
}

// debugType returns the instruction of a type, which is none where it is null:
// void, in pointers.
func (d *debugWords) debugType(o ir.Operand) id { return d.debugEntry(o) }

func (d *debugWords) qualifiedType(n *debugNode) {
	kind := map[uint64]uint32{tagConst: 0, tagVolatile: 1, tagRestrict: 2, tagAtomic: 3}[n.number("tag")]
	d.ids(d.debugType(n.field("baseType"))).literals(kind)
}

func (d *debugWords) vectorType(n *debugNode) {
	count := uint64(0)
	for _, o := range d.resolve(n.field("elements")) {
		r := d.debugNode(o)
		count = r.number("count")
	}
	d.ids(d.debugType(n.field("baseType"))).literals(uint32(count))
}

func (d *debugWords) arrayType(n *debugNode) {
	d.ids(d.debugType(n.field("baseType")))
	var counts, bounds []id
	for _, o := range d.resolve(n.field("elements")) {
		r := d.debugNode(o)
		count, bound := d.noDebug(), d.noDebug()
		if f := r.field("count"); f.Kind == ir.OperandInt || f.Kind == ir.OperandField {
			count = d.constInt(64, uint64(f.Int))
		}
		if f := r.field("lowerBound"); f.Kind == ir.OperandInt || f.Kind == ir.OperandField {
			bound = d.constInt(64, uint64(f.Int))
		}
		counts, bounds = append(counts, count), append(bounds, bound)
		if d.options.Debug == DebugShader200 {
			d.ids(d.subrange(count, bound))
		}
	}
	switch {
	case d.options.Debug == DebugShader200:
	case d.shaderDebug():
		d.ids(counts...)
	default:
		d.ids(counts...).ids(bounds...)
	}
}

// subrange returns a DebugTypeSubrange.
func (d *debugWords) subrange(count, bound id) id {
	none := d.noDebug()
	key := "subrange " + uniqueKey(spirv.OpNop, []uint32{count, bound})
	if n, ok := d.b.unique["local "+key]; ok {
		return n
	}
	n := d.b.newID()
	d.b.unique["local "+key] = n
	words := d.newDebugWords().ids(bound, none, count)
	e := words.entry(n, 201)
	e.section = sectionDebug
	d.b.add(n, &e)
	return n
}

func (d *debugWords) typedef(n *debugNode) {
	d.ids(d.b.text(n.text("name")), d.debugType(n.field("baseType")), d.debugSource(n)).literals(0, 0).ids(d.debugParent(n))
}

func (d *debugWords) functionType(n *debugNode) {
	d.literals(d.flags(n))
	types := d.resolve(n.field("types"))
	if len(types) == 0 || types[0].Kind != ir.OperandNode {
		d.ids(d.voidType())
	}
	for i, o := range types {
		if i > 0 || o.Kind == ir.OperandNode {
			d.ids(d.debugType(o))
		}
	}
}

func (d *debugWords) enumeration(n *debugNode) {
	base := d.voidType()
	if n.has("baseType") {
		base = d.debugType(n.field("baseType"))
	}
	d.ids(d.b.text(n.text("name")), base, d.debugSource(n)).literals(uint32(n.number("line")), 0)
	d.ids(d.debugParent(n), d.size(n.number("size"))).literals(d.flags(n))
	for _, o := range d.resolve(n.field("elements")) {
		e := d.debugNode(o)
		d.ids(d.u32(uint32(d.enumerator(&e))), d.b.text(e.text("name")))
	}
}

// enumerator returns the value of a DIEnumerator. Bitcode has its width, and then
// the value with the sign in the lowest bit.
func (d *debugWords) enumerator(e *debugNode) int64 {
	if !d.session.bitcode || len(e.fields) < 3 || e.fields[2].Field != "" {
		return e.field("value").Int
	}
	v := uint64(e.fields[2].Int)
	if v&1 != 0 {
		return -int64(v >> 1)
	}
	return int64(v >> 1)
}

// composite writes a struct. OpenCL.DebugInfo.100 lets its members come later,
// which name it as their parent.
func (d *debugWords) composite(n *debugNode) {
	tag := map[uint64]uint32{tagClass: 0, tagStructure: 1, tagUnion: 2}[n.number("tag")]
	d.ids(d.b.text(n.text("name"))).literals(tag).ids(d.debugSource(n)).literals(uint32(n.number("line")), 0).ids(d.debugParent(n))
	if name := n.text("identifier"); name != "" {
		d.ids(d.b.text(name))
	} else {
		d.ids(d.noDebug())
	}
	d.ids(d.size(n.number("size"))).literals(d.flags(n))
	for _, o := range d.resolve(n.field("elements")) {
		d.ids(d.debugEntry(o))
		d.late++
	}
}

func (d *debugWords) member(n *debugNode) {
	d.ids(d.b.text(n.text("name")), d.debugType(n.field("baseType")), d.debugSource(n)).literals(uint32(n.number("line")), 0)
	scope := n.field("scope")
	if !d.shaderDebug() {
		d.ids(d.debugTarget(scope))
	}
	d.ids(d.size(n.number("offset")), d.size(n.number("size"))).literals(d.access(scope, d.flags(n)))
}

// debugTarget returns the instruction of a struct itself, where the node is that
// of a template.
func (d *debugWords) debugTarget(o ir.Operand) id {
	n := d.debugEntry(o)
	return n
}

// access adds the access that members have which say none.
func (d *debugWords) access(scope ir.Operand, flags uint32) uint32 {
	if flags&3 != 0 || scope.Kind != ir.OperandNode {
		return flags
	}
	n := d.debugNode(scope)
	switch n.number("tag") {
	case tagClass:
		return flags | 2
	case tagStructure, tagUnion:
		return flags | 3
	}
	return flags
}

func (d *debugWords) inheritance(n *debugNode) {
	if !d.shaderDebug() {
		d.ids(d.debugEntry(n.field("scope")))
	}
	d.ids(d.debugEntry(n.field("baseType")), d.size(n.number("offset")), d.size(n.number("size"))).literals(d.flags(n))
}

func (d *debugWords) pointerToMember(n *debugNode) {
	d.ids(d.debugEntry(n.field("baseType")), d.debugEntry(n.field("extraData")))
}

func (d *debugWords) templateParameter(n *debugNode) {
	value := d.noDebug()
	if n.number("tag") == tagTemplateValue || n.kind == "DITemplateValueParameter" {
		if f := n.field("value"); f.Kind == ir.OperandInt && f.Bits > 0 && f.Bits <= 64 && d.heldBits(uint32(f.Bits)) == uint32(f.Bits) {
			value = d.constInt(uint32(f.Bits), uint64(f.Int))
		} else {
			value = d.null(d.translator.pointerType(d.intType(8), 0))
		}
	}
	d.ids(d.b.text(n.text("name")), d.debugType(n.field("type")), value, d.noDebug()).literals(0, 0)
}

func (d *debugWords) templateTemplate(n *debugNode) {
	d.ids(d.b.text(n.text("name")), d.b.text(n.text("value")), d.noDebug()).literals(0, 0)
}

func (d *debugWords) templatePack(n *debugNode) {
	d.ids(d.b.text(n.text("name")), d.noDebug()).literals(0, 0)
	for _, o := range d.resolve(n.field("value")) {
		d.ids(d.debugEntry(o))
	}
}

// functionDeclaration writes the operands that declarations and definitions share.
func (d *debugWords) functionDeclaration(n *debugNode) {
	flags := mapDebugFlags(uint32(n.number("flags")))
	sp := n.number("spFlags")
	for _, f := range []struct {
		set bool
		bit uint32
	}{{sp&4 != 0 || n.number("isLocal") != 0, 4}, {sp&8 != 0 || n.number("isDefinition") != 0, 8}, {sp&16 != 0 || n.number("isOptimized") != 0, 1 << 13}} {
		if f.set {
			flags |= f.bit
		}
	}
	d.ids(d.b.text(n.text("name")), d.debugType(n.field("type")), d.debugSource(n)).literals(uint32(n.number("line")), 0)
	d.ids(d.debugParent(n), d.b.text(n.text("linkageName"))).literals(d.access(n.field("scope"), flags))
}

func (d *debugWords) subprogram(n *debugNode) {
	d.functionDeclaration(n)
	d.literals(uint32(n.number("scopeLine")))
	if !d.shaderDebug() {
		d.noDebug() // stands for the function in images that do not have it
		d.ids(d.describedFunction(n))
	}
	if f := n.field("declaration"); f.Kind == ir.OperandNode {
		d.ids(d.debugEntry(f))
	} else if name := n.text("targetFuncName"); name != "" && d.options.Debug == DebugShader200 {
		d.ids(d.noDebug(), d.b.text(name))
	}
}

// describedFunction returns the function that a subprogram describes.
func (d *debugWords) describedFunction(n *debugNode) id {
	name := n.text("linkageName")
	if name == "" {
		name = n.text("name")
	}
	if f, ok := d.module.Lookup(name); ok && d.module.Values[f].Kind == ir.Function && !d.module.Values[f].Declaration {
		if _, described := d.module.Values[f].Attached("dbg"); described && !d.view.declares(f) {
			return d.functionID(f)
		}
	}
	return d.noDebug()
}

func (d *debugWords) lexicalBlock(n *debugNode) {
	d.ids(d.debugSource(n)).literals(uint32(n.number("line")), uint32(n.number("column"))).ids(d.debugParent(n))
	if n.kind == "DINamespace" {
		d.ids(d.b.text(n.text("name")))
		if d.options.Debug == DebugShader200 {
			d.ids(d.constBool(n.number("exportSymbols") != 0))
		}
	}
}

func (d *debugWords) discriminator(n *debugNode) {
	d.ids(d.debugSource(n)).literals(uint32(n.number("discriminator"))).ids(d.debugParent(n))
}

func (d *debugWords) localVariable(n *debugNode) {
	d.ids(d.b.text(n.text("name")), d.debugType(n.field("type")), d.debugSource(n)).literals(uint32(n.number("line")), 0)
	d.ids(d.debugParent(n)).literals(mapDebugFlags(uint32(n.number("flags"))))
	if arg := uint32(n.number("arg")); arg != 0 {
		d.literals(arg)
	}
}

func (d *debugWords) globalVariable(n *debugNode) {
	flags := uint32(0)
	if n.number("isLocal") != 0 {
		flags |= 4
	}
	if n.number("isDefinition") != 0 {
		flags |= 8
	}
	none := d.noDebug()
	variable := none
	name := n.text("linkageName")
	if name == "" {
		name = n.text("name")
	}
	if v, ok := d.module.Lookup(name); ok && d.module.Values[v].Kind == ir.Variable && d.inputGlobal(v) == nil {
		variable = d.b.external(externalKey(v))
	}
	d.ids(d.b.text(n.text("name")), d.debugType(n.field("type")), d.debugSource(n)).literals(uint32(n.number("line")), 0)
	d.ids(d.debugParent(n), d.b.text(n.text("linkageName")), variable).literals(flags)
	if f := n.field("declaration"); f.Kind == ir.OperandNode {
		d.ids(d.debugEntry(f))
	}
}

func (d *debugWords) inlinedAt(n *debugNode) {
	d.literals(uint32(n.number("line")))
	if d.options.Debug == DebugShader200 {
		d.literals(uint32(n.number("column")))
	}
	d.ids(d.debugParent(n))
	if f := n.field("inlinedAt"); f.Kind == ir.OperandNode {
		d.ids(d.debugEntry(f))
	}
}

func (d *debugWords) importedEntity(n *debugNode) {
	tag := map[uint64]uint32{tagImportedModule: 0, tagImportedDeclaration: 1}[n.number("tag")]
	d.ids(d.b.text(n.text("name"))).literals(tag).ids(d.debugSource(n), d.debugEntry(n.field("entity")))
	d.literals(uint32(n.number("line")), 0).ids(d.debugParent(n))
}
