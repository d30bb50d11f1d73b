package spirv

// The Khronos translator, and the drivers that read its modules, have some instructions of
// OpenCL.DebugInfo.100 in other forms than the specification: the parameters of templates that
// are templates and those that are packs have each other's number, imported entities have a
// word more, which is 0, and modules have the line before the parent.

const translatorDebugSet = "OpenCL.DebugInfo.100"

// Instructions of translatorDebugSet.
const (
	debugTemplateTemplate = 16
	debugTemplatePack     = 17
	debugImportedEntity   = 34
	debugModuleINTEL      = 36
)

// translatorImport is the translator's form of DebugImportedEntity.
var translatorImport = instructionInfo{debugImportedEntity, "DebugImportedEntity", []operand{
	{kindIdRef, one},
	{kindLiteralInteger, one},
	{kindLiteralInteger, one},
	{kindIdRef, one},
	{kindIdRef, one},
	{kindLiteralInteger, one},
	{kindLiteralInteger, one},
	{kindIdRef, one},
}}

// translatorModule is the translator's form of DebugModuleINTEL.
var translatorModule = instructionInfo{debugModuleINTEL, "DebugModuleINTEL", []operand{
	{kindIdRef, one},
	{kindIdRef, one},
	{kindLiteralInteger, one},
	{kindIdRef, one},
	{kindIdRef, one},
	{kindIdRef, one},
	{kindIdRef, one},
	{kindLiteralInteger, one},
}}

// translatorForm returns the form of an instruction of translatorDebugSet that its operand
// words have: info, which is that of the specification, or that of the translator.
func (m *Module) translatorForm(rows []instructionInfo, info *instructionInfo, words []uint32) *instructionInfo {
	switch info.number {
	case debugTemplateTemplate, debugTemplatePack:
		if !fitsOperands(info.operands, words) {
			return findInstruction(rows, info.number^debugTemplateTemplate^debugTemplatePack)
		}
	case debugImportedEntity:
		if len(words) == len(translatorImport.operands) {
			return &translatorImport
		}
	case debugModuleINTEL:
		// The fourth word is the parent or a number of a line.
		if len(words) > 3 {
			if parent := m.Def(ID(words[3])); parent != nil && (parent.Op == OpExtInst || parent.Op == OpString) {
				return &translatorModule
			}
		}
	}
	return info
}

// fitsOperands reports whether words can be operands of one word each: their number fits, and
// no identifier is 0. That tells a template, which has a third identifier and then two
// literals, from a pack, which has two literals and then identifiers: lines and columns of
// the translator are 0.
func fitsOperands(operands []operand, words []uint32) bool {
	for i, word := range words {
		o := operands[min(i, len(operands)-1)]
		if o.kind.isID() && word == 0 || i >= len(operands) && o.quant != many {
			return false
		}
	}
	return len(words) >= len(operands) || operands[len(words)].quant != one
}
