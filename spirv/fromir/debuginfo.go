package fromir

import (
	"fmt"
	"path"
	"strings"

	"offlink/ir"
	"offlink/lazy"
	"offlink/spirv"
)

// Debug information of LLVM becomes instructions of OpenCL.DebugInfo.100 or of
// NonSemantic.Shader.DebugInfo.100 or .200, with the operands that the Khronos translator
// gives them. The sets for shaders have identifiers of constants where OpenCL's has
// literals.

// Instructions of the sets.
const (
	debugNone               = 0
	debugCompilationUnit    = 1
	debugTypeBasic          = 2
	debugTypePointer        = 3
	debugTypeQualifier      = 4
	debugTypeArray          = 5
	debugTypeVector         = 6
	debugTypedef            = 7
	debugTypeFunction       = 8
	debugTypeEnum           = 9
	debugTypeComposite      = 10
	debugTypeMember         = 11
	debugTypeInheritance    = 12
	debugTypePtrToMember    = 13
	debugTypeTemplate       = 14
	debugTemplateParameter  = 15
	debugTemplatePack       = 16
	debugTemplateTemplate   = 17
	debugGlobalVariable     = 18
	debugFunctionDeclared   = 19
	debugFunction           = 20
	debugLexicalBlock       = 21
	debugDiscriminator      = 22
	debugScope              = 23
	debugNoScope            = 24
	debugInlinedAt          = 25
	debugLocalVariable      = 26
	debugDeclare            = 28
	debugValue              = 29
	debugOperationNumber    = 30
	debugExpression         = 31
	debugImportedEntity     = 34
	debugSource             = 35
	debugModule             = 36
	debugFunctionDefinition = 101
	debugLine               = 103
	debugEntryPoint         = 107
	debugShaderModule       = 200
)

// debugSets are the names of the sets.
var debugSets = lazy.Map[DebugInfo, string]{New: func() map[DebugInfo]string {
	return map[DebugInfo]string{
		DebugOpenCL100: "OpenCL.DebugInfo.100", DebugShader100: "NonSemantic.Shader.DebugInfo.100", DebugShader200: "NonSemantic.Shader.DebugInfo.200",
	}
}}

// describesDebug reports whether debug information other than lines is written.
func (t *translator) describesDebug() bool {
	return t.options.Debug != DebugNone && len(t.session.compileUnits) > 0
}

// shaderDebug reports whether the set is one for shaders.
func (t *translator) shaderDebug() bool { return t.options.Debug >= DebugShader100 }

// debugSet returns the identifier of the set. Those for shaders are non-semantic, which
// SPIR-V has from 1.6 on; before that the option Debug allows the extension as well.
func (t *translator) debugSet() id {
	if t.shaderDebug() {
		if t.options.Version >= spirv.Version1_6 {
			t.needVersion(spirv.Version1_6)
		} else {
			t.b.extensions["SPV_KHR_non_semantic_info"] = true
		}
	}
	return t.b.importSet(debugSets.Get()[t.options.Debug])
}

// debugWords collects the operands of an instruction of the set.
type debugWords struct {
	*translator
	words []uint32
	deps  []id
	late  int // how many of the last identifiers may be those of later instructions
}

func (t *translator) newDebugWords() *debugWords { return &debugWords{translator: t} }

// addIDs appends identifiers to the operands.
func (d *debugWords) addIDs(list ...id) *debugWords {
	d.words, d.deps = append(d.words, list...), append(d.deps, list...)
	return d
}

// addLiterals appends numbers, which the sets for shaders have as constants.
func (d *debugWords) addLiterals(list ...uint32) *debugWords {
	for _, n := range list {
		switch {
		case d.shaderDebug():
			d.addIDs(d.constWord(n))
		case n >= firstID && n < firstID+1<<30: // no line of a source; the word would look like an identifier
			d.words = append(d.words, 0)
		default:
			d.words = append(d.words, n)
		}
	}
	return d
}

// makeEntry returns the entry of an instruction whose identifier is self.
func (d *debugWords) makeEntry(self id, number uint32) entry {
	set, void := d.debugSet(), d.voidType()
	return entry{
		op: spirv.OpExtInst, words: append([]uint32{void, self, set, number}, d.words...),
		deps: append([]id{void, set}, d.deps...), late: d.late,
	}
}

// debugInstruction returns the instruction of that key, and makes it on the first use.
func (t *translator) debugInstruction(key string, number uint32, operands func(d *debugWords)) id {
	return t.b.keyedEntry(sectionDebug, debugKey(key), func(n id) entry {
		d := t.newDebugWords()
		operands(d)
		return d.makeEntry(n, number)
	})
}

// noDebug returns DebugInfoNone. debugAbsent finds the entry by its key, "debug none".
func (t *translator) noDebug() id {
	return t.debugInstruction("none", debugNone, func(*debugWords) {})
}

// debugSource returns the source file of a node: that of its field "file", or the node
// itself if it is a DIFile. Only two of the sets have a place for the checksum, OpenCL's in
// the form of a comment.
func (t *translator) debugSource(n *debugNode) id {
	file := *n
	if n.kind != "DIFile" {
		if !n.hasField("file") {
			return t.debugInstruction("source ", debugSource, func(d *debugWords) { d.addIDs(t.b.stringID("")) })
		}
		file = t.debugNode(n.nodeField("file"))
	}
	name := debugPath(&file)
	return t.debugInstruction("source "+name, debugSource, func(d *debugWords) {
		d.addIDs(t.b.stringID(name))
		sum := file.fieldText("checksum")
		kind, _ := map[string]uint64{"CSK_MD5": 1, "CSK_SHA1": 2, "CSK_SHA256": 3}[file.fieldText("checksumkind")]
		if kind == 0 {
			kind = file.fieldNumber("checksumkind")
		}
		switch {
		case sum == "" || kind == 0 || kind > 3:
		case t.options.Debug == DebugOpenCL100:
			d.addIDs(t.b.stringID("//__" + [...]string{"CSK_MD5", "CSK_SHA1", "CSK_SHA256"}[kind-1] + ":" + sum))
		case t.options.Debug == DebugShader200:
			d.addLiterals(uint32(kind) - 1).addIDs(t.b.stringID(sum))
		}
	})
}

// debugPath returns the path of a DIFile.
func debugPath(file *debugNode) string {
	name, directory := file.fieldText("filename"), file.fieldText("directory")
	if !strings.HasPrefix(name, "/") && directory != "" {
		name = path.Join(directory, name)
	}
	return name
}

// debugParent returns the scope of a node, or a compile unit if it has none or only a file.
func (t *translator) debugParent(n *debugNode) id {
	scope := n.nodeField("scope")
	if scope.Kind == ir.OperandNode {
		if found, ok := t.debugScopeOf(scope); ok {
			return found
		}
	}
	if n.hasField("unit") {
		return t.debugEntry(n.nodeField("unit"))
	}
	return t.debugEntry(t.session.compileUnits[0])
}

// debugScopeOf returns the instruction of a scope; false for files. A scope is the class or
// function itself, not the DebugTypeTemplate around it.
func (t *translator) debugScopeOf(o ir.Operand) (id, bool) {
	switch t.module.Nodes.Kind(o.Node) {
	case "DIFile":
		return 0, false
	case "DICommonBlock":
		return 0, false
	}
	return t.debugTarget(o), true
}

// debugTarget returns the instruction of a node without the DebugTypeTemplate around it,
// which the sets do not take for a scope, or for the parent of a member: OpenCL's wants it
// defined before them, and it comes after the members.
func (t *translator) debugTarget(o ir.Operand) id {
	whole := t.debugEntry(o)
	if target, ok := t.b.keyed[debugKey(debugTargetKey(o))]; ok {
		return target
	}
	return whole
}

// debugKey is the key of an instruction of the sets in the builder's table.
func debugKey(key string) string { return "debug " + key }

// debugTargetKey is the key of the class or function that a DebugTypeTemplate wraps.
func debugTargetKey(o ir.Operand) string { return fmt.Sprint(o.Node, " target") }

// debugEntry returns the instruction of a node of debug information.
func (t *translator) debugEntry(o ir.Operand) id {
	if o.Kind != ir.OperandNode {
		return t.noDebug()
	}
	if t.nesting++; t.nesting > 400 {
		t.failf("debug information nested too deep")
	}
	defer func() { t.nesting-- }()
	n := t.debugNode(o)
	write, number := t.debugWriter(&n)
	if write == nil {
		return t.noDebug()
	}
	key := fmt.Sprint(o.Node)
	if _, known := t.b.keyed[debugKey(key)]; !known && n.kind == "DISubprogram" {
		t.retained = append(t.retained, n.nodeField("retainedNodes"))
	}
	if t.hasTemplate(&n) {
		return t.debugInstruction(key, debugTypeTemplate, func(d *debugWords) {
			d.addIDs(t.debugInstruction(debugTargetKey(o), number, func(d *debugWords) { write(d, &n) }))
			for _, p := range t.resolveNode(n.nodeField("templateParams")) {
				d.addIDs(t.debugEntry(p))
			}
		})
	}
	return t.debugInstruction(key, number, func(d *debugWords) { write(d, &n) })
}

// retainedVariables describes the variables that functions retain (retainedNodes of DISubprogram):
// debuggers show those that the optimiser removed, without a value. It runs at the end of a unit,
// since the types of variables may lead to further functions, and their chain may be of any length.
func (t *translator) retainedVariables() {
	for i := 0; i < len(t.retained); i++ {
		for _, o := range t.resolveNode(t.retained[i]) {
			if v := t.debugNode(o); v.kind == "DILocalVariable" {
				t.debugEntry(o)
			}
		}
	}
}

// hasTemplate reports whether a node has template parameters: a DebugTypeTemplate wraps its
// instruction then.
func (t *translator) hasTemplate(n *debugNode) bool {
	return (n.kind == "DICompositeType" || n.kind == "DISubprogram") && n.hasField("templateParams") && len(t.resolveNode(n.nodeField("templateParams"))) > 0
}

type debugWriter = func(*debugWords, *debugNode)

// debugWriter returns the writer and the number of a node's instruction, or nil for nodes
// that have none in the sets.
func (t *translator) debugWriter(n *debugNode) (debugWriter, uint32) {
	switch n.kind {
	case "DICompileUnit":
		return (*debugWords).compilationUnit, debugCompilationUnit
	case "DIBasicType":
		return (*debugWords).basicType, debugTypeBasic
	case "DIDerivedType":
		return derivedWriter(n)
	case "DICompositeType":
		return compositeWriter(n)
	case "DISubroutineType":
		return (*debugWords).functionType, debugTypeFunction
	case "DISubprogram":
		if n.fieldNumber("spFlags")&8 == 0 && n.fieldNumber("isDefinition") == 0 {
			return (*debugWords).functionDeclaration, debugFunctionDeclared
		}
		return (*debugWords).functionScope, debugFunction
	case "DILexicalBlock", "DINamespace":
		return (*debugWords).lexicalBlock, debugLexicalBlock
	case "DILexicalBlockFile":
		return (*debugWords).blockDiscriminator, debugDiscriminator
	case "DILocalVariable":
		return (*debugWords).localVariable, debugLocalVariable
	case "DIGlobalVariable":
		return (*debugWords).globalVariable, debugGlobalVariable
	case "DILocation":
		return (*debugWords).inlinedAt, debugInlinedAt
	case "DITemplateTypeParameter", "DITemplateValueParameter":
		return templateWriter(n)
	case "DIImportedEntity":
		return (*debugWords).importedEntity, debugImportedEntity
	case "DIModule":
		return t.moduleWriter()
	}
	return nil, 0
}

const debugModuleExtension = "SPV_INTEL_debug_module"

// moduleWriter is debugWriter for a DIModule. NonSemantic.Shader.DebugInfo.100 has none, and the
// other sets need the extension.
func (t *translator) moduleWriter() (debugWriter, uint32) {
	switch {
	case t.options.Debug == DebugShader100 || !t.options.allowsExtension(debugModuleExtension):
		return nil, 0
	case t.options.Debug == DebugShader200:
		return (*debugWords).moduleScope, debugShaderModule
	}
	return (*debugWords).moduleScope, debugModule
}

// derivedWriter is debugWriter for a DIDerivedType, whose tag tells the kind of type.
func derivedWriter(n *debugNode) (debugWriter, uint32) {
	switch n.fieldNumber("tag") {
	case tagPointer, tagReference, tagRValueReference:
		return (*debugWords).pointerType, debugTypePointer
	case tagConst, tagVolatile, tagRestrict, tagAtomic:
		return (*debugWords).qualifiedType, debugTypeQualifier
	case tagTypedef:
		return (*debugWords).typedefType, debugTypedef
	case tagMember, tagVariable:
		return (*debugWords).memberType, debugTypeMember
	case tagInheritance:
		return (*debugWords).inheritanceType, debugTypeInheritance
	case tagPointerToMember:
		return (*debugWords).pointerToMember, debugTypePtrToMember
	}
	return nil, 0
}

// compositeWriter is debugWriter for a DICompositeType. A vector is an array with the flag
// DIFlagVector, 2048.
func compositeWriter(n *debugNode) (debugWriter, uint32) {
	switch n.fieldNumber("tag") {
	case tagArray:
		if n.fieldNumber("flags")&2048 != 0 {
			return (*debugWords).vectorType, debugTypeVector
		}
		return (*debugWords).arrayType, debugTypeArray
	case tagClass, tagStructure, tagUnion:
		return (*debugWords).compositeType, debugTypeComposite
	case tagEnumeration:
		return (*debugWords).enumerationType, debugTypeEnum
	}
	return nil, 0
}

func templateWriter(n *debugNode) (debugWriter, uint32) {
	switch n.fieldNumber("tag") {
	case tagTemplateTemplate:
		return (*debugWords).templateTemplate, debugTemplateTemplate
	case tagTemplatePack:
		return (*debugWords).templatePack, debugTemplatePack
	}
	return (*debugWords).templateParameter, debugTemplateParameter
}
