package bitcode

import (
	"fmt"
	"strings"
)

// nodeLayout says what the operands of a metadata record are.
type nodeLayout struct {
	kind   string // as text spells it, "" for a tuple
	fields []nodeField
	rest   fieldForm // of the operands behind the fields; formNone if there may be none
	least  int       // operands that there are at least
	// size is the flag in the first operand that says that the fields of form
	// formSize are metadata; 0 if they never are.
	size uint64
	// adapt, if set, checks the version of the record, and gives the layout
	// of records that come in several forms.
	adapt func(l nodeLayout, operands []uint64) (nodeLayout, error)
}

// nodeField is a field of a specialised node.
type nodeField struct {
	name string
	form fieldForm
}

// fieldForm says how a field is written.
type fieldForm uint8

const (
	formNone   fieldForm = iota
	formNumber           // a plain number
	formSigned           // a number with its sign in the lowest bit
	formNode             // metadata plus one, 0 for null
	formString           // the same, of a string
	formPlain            // metadata as it is
	formSize             // a number, or metadata plus one
)

var formSuffixes = map[string]fieldForm{"": formNumber, "i": formSigned, "n": formNode, "s": formString, "p": formPlain, "c": formSize}

// layout makes a layout from a list of fields, each with its form behind a
// colon.
func layout(kind, fields string, least int) nodeLayout {
	l := nodeLayout{kind: kind, least: least}
	for _, f := range strings.Fields(fields) {
		name, suffix, _ := strings.Cut(f, ":")
		l.fields = append(l.fields, nodeField{name, formSuffixes[suffix]})
	}
	return l
}

func (l nodeLayout) withRest(f fieldForm) nodeLayout { l.rest = f; return l }
func (l nodeLayout) withSize(flag uint64) nodeLayout { l.size = flag; return l }
func (l nodeLayout) withAdapt(f func(nodeLayout, []uint64) (nodeLayout, error)) nodeLayout {
	l.adapt = f
	return l
}

// form returns the form of operand i, with formSize resolved.
func (l *nodeLayout) form(i int, operands []uint64) (fieldForm, bool) {
	if i >= len(l.fields) {
		return l.rest, l.rest != formNone
	}
	f := l.fields[i].form
	if f == formSize {
		f = formNumber
		if operands[0]&l.size != 0 {
			f = formNode
		}
	}
	return f, true
}

// nodeLayouts holds the layouts of the records that are metadata, but for
// strings. Later versions of LLVM append fields.
var nodeLayouts = map[uint32]nodeLayout{
	mdNode:         layout("", "", 0).withRest(formNode),
	mdDistinctNode: layout("", "", 0).withRest(formNode),
	mdArgList:      layout("DIArgList", "", 0).withRest(formPlain),
	mdLocation:     layout("DILocation", "distinct line column scope:p inlinedAt:n isImplicitCode atomGroup atomRank", 5),
	mdGenericDebug: layout("GenericDINode", "distinct tag version header:s", 4).withRest(formNode),
	mdSubrange:     layout("DISubrange", "distinct count:n lowerBound:n upperBound:n stride:n", 3).withAdapt(adaptSubrange),
	mdGenericSubrange: layout("DIGenericSubrange",
		"distinct count:n lowerBound:n upperBound:n stride:n", 5),
	mdEnumerator: layout("DIEnumerator", "distinct value name:s", 3).withRest(formNumber),
	mdBasicType: layout("DIBasicType", "distinct tag name:s size:c align encoding flags num_extra_inhabitants "+
		"dataSize file:n line scope:n", 6).withSize(2),
	mdFixedPointType: layout("DIFixedPointType", "distinct tag name:s size:c align encoding flags kind factor", 11).
		withSize(2).withAdapt(adaptFixedPoint),
	mdStringType: layout("DIStringType", "distinct tag name:s stringLength:n stringLengthExpression:n "+
		"stringLocationExpression:n size:c align encoding", 8).withSize(2).withAdapt(adaptStringType),
	mdFile: layout("DIFile", "distinct filename:s directory:s checksumkind checksum:s source:s", 3),
	mdDerivedType: layout("DIDerivedType", "distinct tag name:s file:n line scope:n baseType:n size:c align offset:c "+
		"flags extraData:n dwarfAddressSpace annotations:n ptrAuth", 12).withSize(2),
	mdSubrangeType: layout("DISubrangeType", "distinct name:s file:n line scope:n size:c align flags baseType:n "+
		"lowerBound:n upperBound:n stride:n bias:n", 13).withSize(2),
	mdCompositeType: layout("DICompositeType", "distinct tag name:s file:n line scope:n baseType:n size:c align "+
		"offset:c flags elements:n runtimeLang vtableHolder:n templateParams:n identifier:s discriminator:n "+
		"dataLocation:n associated:n allocated:n rank:n annotations:n num_extra_inhabitants specification:n "+
		"enumKind bitStride:n", 16).withSize(4),
	mdSubroutineType: layout("DISubroutineType", "distinct flags types:n cc", 3),
	mdCompileUnit: layout("DICompileUnit", "distinct language file:n producer:s isOptimized flags:s runtimeVersion "+
		"splitDebugFilename:s emissionKind enums:n retainedTypes:n subprograms:n globals:n imports:n dwoId macros:n "+
		"splitDebugInlining debugInfoForProfiling nameTableKind rangesBaseAddress sysroot:s sdk:s "+
		"languageVersion dialect", 14),
	mdSubprogram: layout("DISubprogram", "distinct scope:n name:s linkageName:s file:n line type:n scopeLine "+
		"containingType:n spFlags virtualIndex flags unit:n templateParams:n declaration:n retainedNodes:n "+
		"thisAdjustment thrownTypes:n annotations:n targetFuncName:s keyInstructions", 18).withAdapt(adaptSubprogram),
	mdLexicalBlock:  layout("DILexicalBlock", "distinct scope:n file:n line column", 5),
	mdLexicalFile:   layout("DILexicalBlockFile", "distinct scope:n file:n discriminator", 4),
	mdCommonBlock:   layout("DICommonBlock", "distinct scope:n declaration:n name:s file:n line", 6),
	mdNamespace:     layout("DINamespace", "distinct scope:n name:s", 3),
	mdTemplateType:  layout("DITemplateTypeParameter", "distinct name:s type:n defaulted", 3),
	mdTemplateValue: layout("DITemplateValueParameter", "distinct tag name:s type:n defaulted value:n", 6),
	mdGlobalVar: layout("DIGlobalVariable", "distinct scope:n name:s linkageName:s file:n line type:n isLocal "+
		"isDefinition declaration:n templateParams:n align annotations:n", 11).withAdapt(adaptGlobalVar),
	mdLocalVar: layout("DILocalVariable", "distinct scope:n name:s file:n line type:n arg flags align "+
		"annotations:n", 8).withAdapt(adaptLocalVar),
	mdExpression:     layout("DIExpression", "distinct", 1).withRest(formNumber),
	mdObjCProperty:   layout("DIObjCProperty", "distinct name:s file:n line setter:s getter:s attributes type:n", 8),
	mdImportedEntity: layout("DIImportedEntity", "distinct tag scope:n entity:n line name:s file:n elements:n", 6),
	mdModule: layout("DIModule", "distinct file:n scope:n name:s configMacros:s includePath:s apinotes:s line "+
		"isDecl", 8),
	mdMacro:         layout("DIMacro", "distinct type line name:s value:s", 5),
	mdMacroFile:     layout("DIMacroFile", "distinct type line file:n nodes:n", 5),
	mdGlobalVarExpr: layout("DIGlobalVariableExpression", "distinct var:n expr:n", 3),
	mdLabel:         layout("DILabel", "distinct scope:n name:s file:n line column coroSuspendIdx", 5),
	mdAssignID:      layout("DIAssignID", "distinct", 1),
}

var (
	subrange0  = layout("DISubrange", "distinct count:i lowerBound:i", 3)
	subrange1  = layout("DISubrange", "distinct count:n lowerBound:i", 3)
	stringType = layout("DIStringType", "distinct tag name:s stringLength:n stringLengthExpression:n size:c align encoding", 8).withSize(2)
)

func adaptSubrange(l nodeLayout, operands []uint64) (nodeLayout, error) {
	switch version := operands[0] >> 1; version {
	case 0:
		return subrange0, nil
	case 1:
		return subrange1, nil
	case 2:
		return l, nil
	default:
		return l, fmt.Errorf("DISubrange of version %d is newer than LLVM 23", version)
	}
}

func adaptStringType(l nodeLayout, operands []uint64) (nodeLayout, error) {
	if len(operands) == 8 {
		return stringType, nil
	}
	return l, nil
}

// adaptFixedPoint adds the two numbers of a DIFixedPointType, each its count
// of words and width and then the words, and what stands behind them.
func adaptFixedPoint(l nodeLayout, operands []uint64) (nodeLayout, error) {
	l.fields = append([]nodeField(nil), l.fields...)
	for _, name := range []string{"numerator", "denominator"} {
		at := len(l.fields)
		if at >= len(operands) {
			return l, fmt.Errorf("DIFixedPointType is cut short")
		}
		words := operands[at] >> 32
		if words > uint64(len(operands)-at-1) {
			return l, fmt.Errorf("DIFixedPointType is cut short")
		}
		for range words + 1 {
			l.fields = append(l.fields, nodeField{name, formNumber})
		}
	}
	l.fields = append(l.fields, nodeField{"file", formNode}, nodeField{"line", formNumber}, nodeField{"scope", formNode})
	return l, nil
}

// Since LLVM 8 both flags are there: a unit, and flags of the subprogram.
func adaptSubprogram(l nodeLayout, operands []uint64) (nodeLayout, error) {
	if operands[0]&6 != 6 {
		return l, fmt.Errorf("DISubprogram of a form that LLVM before 8 wrote")
	}
	return l, nil
}

func adaptGlobalVar(l nodeLayout, operands []uint64) (nodeLayout, error) {
	if version := operands[0] >> 1; version != 2 {
		return l, fmt.Errorf("DIGlobalVariable of version %d; LLVM since 7 writes 2", version)
	}
	return l, nil
}

// Since LLVM 4 the flag says that there is an alignment and no tag.
func adaptLocalVar(l nodeLayout, operands []uint64) (nodeLayout, error) {
	if operands[0]&2 == 0 && len(operands) > 8 {
		return l, fmt.Errorf("DILocalVariable of a form that LLVM before 4 wrote")
	}
	return l, nil
}
