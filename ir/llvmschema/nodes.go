package llvmschema

import (
	"fmt"
	"strconv"
	"strings"

	"offlink/lazy"
)

// Node is the record of a metadata node: its fields in the order of the
// operands.
type Node struct {
	// Kind is the specialised name ("DISubprogram"), "" for a tuple.
	Kind   string
	Fields []Field
	// Rest is the form of the operands after the fields, FormNone if there are
	// none.
	Rest FieldForm
	// Least is the number of operands that the record has at least.
	Least int
	// More says that records may have operands after the fields, which LLVM does not read.
	More bool
	// SizeFlag is the flag in the first operand that says that fields of
	// FormSize are metadata; 0 if they never are.
	SizeFlag uint64
	// Since is the LLVM version that brought the node, 0 if [Oldest] has it.
	Since int

	// adapt checks the version of the record and gives the layout of records
	// that come in several forms.
	adapt func(n Node, operands []uint64) (Node, error)
}

// Field is a field of a specialised node.
type Field struct {
	Name string
	Form FieldForm
	// Since is the LLVM version that brought the field, 0 if [Oldest] has it.
	Since int
}

// FieldForm says how a field is written.
type FieldForm uint8

// The forms of fields.
const (
	FormNone   FieldForm = iota
	FormNumber           // a plain number
	FormSigned           // a number with its sign in the lowest bit
	FormNode             // metadata plus one, 0 for null
	FormString           // the same, of a string
	FormPlain            // metadata as it is
	FormSize             // a number, or (LLVM 21) metadata plus one; see Node.SizeFlag
)

// Layout returns the layout of the record with those operands. It fails for forms that no supported
// LLVM writes.
func (n *Node) Layout(operands []uint64) (Node, error) {
	if n.adapt == nil {
		return *n, nil
	}
	return n.adapt(*n, operands)
}

// FormAt returns the form of operand i, with FormSize resolved, and whether there is such an
// operand.
func (n *Node) FormAt(i int, operands []uint64) (FieldForm, bool) {
	if i >= len(n.Fields) {
		return n.Rest, n.Rest != FormNone
	}
	form := n.Fields[i].Form
	if form == FormSize {
		form = FormNumber
		if operands[0]&n.SizeFlag != 0 {
			form = FormNode
		}
	}
	return form, true
}

// Length returns the number of fields that an LLVM version has. Versions only
// append fields.
func (n *Node) Length(version int) int {
	for i := range n.Fields {
		if n.Fields[i].Since > version {
			return i
		}
	}
	return len(n.Fields)
}

// node makes a node from a list of fields. A field is its name, its form after a colon, and after
// an at sign the LLVM version that brought it.
func node(kind, fields string, least int) *Node {
	n := &Node{Kind: kind, Least: least}
	if fields == "" {
		return n
	}
	n.Fields = make([]Field, 0, strings.Count(fields, " ")+1)
	for fields != "" {
		var f Field
		f.Name, fields, _ = strings.Cut(fields, " ")
		if at := strings.IndexByte(f.Name, '@'); at >= 0 {
			f.Since, _ = strconv.Atoi(f.Name[at+1:])
			f.Name = f.Name[:at]
		}
		f.Name, f.Form = cutForm(f.Name)
		n.Fields = append(n.Fields, f)
	}
	return n
}

// cutForm separates the name of a field from its form.
func cutForm(field string) (name string, form FieldForm) {
	at := len(field) - 2
	if at < 0 || field[at] != ':' {
		return field, FormNumber
	}
	switch field[at+1] {
	case 'i':
		form = FormSigned
	case 'n':
		form = FormNode
	case 's':
		form = FormString
	case 'p':
		form = FormPlain
	case 'c':
		form = FormSize
	}
	return field[:at], form
}

func (n *Node) withRest(f FieldForm) *Node { n.Rest = f; return n }
func (n *Node) withSize(flag uint64) *Node { n.SizeFlag = flag; return n }
func (n *Node) since(version int) *Node    { n.Since = version; return n }
func (n *Node) withAdapt(f func(Node, []uint64) (Node, error)) *Node {
	n.adapt = f
	return n
}

// Nodes holds the records of metadata that are nodes, by their codes
// (MetadataLoader.cpp and BitcodeWriter.cpp of LLVM).
var Nodes = lazy.Map[uint32, *Node]{New: func() map[uint32]*Node {
	return map[uint32]*Node{
		MetadataNode:         node("", "", 0).withRest(FormNode),
		MetadataDistinctNode: node("", "", 0).withRest(FormNode),
		MetadataArgList:      node("DIArgList", "", 0).withRest(FormPlain),
		MetadataLocation:     node("DILocation", "distinct line column scope:p inlinedAt:n isImplicitCode atomGroup@21 atomRank@21", 5),
		MetadataGenericDebug: node("GenericDINode", "distinct tag version header:s", 4).withRest(FormNode),
		MetadataSubrange:     node("DISubrange", "distinct count:n lowerBound:n upperBound:n stride:n", 3).withAdapt(adaptSubrange),
		MetadataGenericSubrange: node("DIGenericSubrange",
			"distinct count:n lowerBound:n upperBound:n stride:n", 5),
		MetadataEnumerator: node("DIEnumerator", "distinct value name:s", 3).withRest(FormNumber),
		MetadataBasicType: node("DIBasicType", "distinct tag name:s size:c align encoding flags num_extra_inhabitants@20 "+
			"dataSize@22 file:n@23 line@23 scope:n@23", 6).withSize(2),
		MetadataFixedPointType: node("DIFixedPointType", "distinct tag name:s size:c align encoding flags kind factor", 11).
			withSize(2).withAdapt(adaptFixedPoint).since(21),
		MetadataStringType: node("DIStringType", "distinct tag name:s stringLength:n stringLengthExpression:n "+
			"stringLocationExpression:n size:c align encoding", 8).withSize(2).withAdapt(adaptStringType),
		MetadataFile: node("DIFile", "distinct filename:s directory:s checksumkind checksum:s source:s", 3),
		MetadataDerivedType: node("DIDerivedType", "distinct tag name:s file:n line scope:n baseType:n size:c align offset:c "+
			"flags extraData:n dwarfAddressSpace annotations:n ptrAuth@19", 12).withSize(2),
		MetadataSubrangeType: node("DISubrangeType", "distinct name:s file:n line scope:n size:c align flags baseType:n "+
			"lowerBound:n upperBound:n stride:n bias:n", 13).withSize(2).since(21),
		MetadataCompositeType: node("DICompositeType", "distinct tag name:s file:n line scope:n baseType:n size:c align "+
			"offset:c flags elements:n runtimeLang vtableHolder:n templateParams:n identifier:s discriminator:n "+
			"dataLocation:n associated:n allocated:n rank:n annotations:n num_extra_inhabitants@20 specification:n@20 "+
			"enumKind@21 bitStride:n@21", 16).withSize(4),
		MetadataSubroutineType: node("DISubroutineType", "distinct flags types:n cc", 3),
		MetadataCompileUnit: node("DICompileUnit", "distinct language file:n producer:s isOptimized flags:s runtimeVersion "+
			"splitDebugFilename:s emissionKind enums:n retainedTypes:n subprograms:n globals:n imports:n dwoId macros:n "+
			"splitDebugInlining debugInfoForProfiling nameTableKind rangesBaseAddress sysroot:s sdk:s "+
			"languageVersion@22 dialect@23", 14),
		MetadataSubprogram: node("DISubprogram", "distinct scope:n name:s linkageName:s file:n line type:n scopeLine "+
			"containingType:n spFlags virtualIndex flags unit:n templateParams:n declaration:n retainedNodes:n "+
			"thisAdjustment thrownTypes:n annotations:n targetFuncName:s@15 keyInstructions@21", 18).withAdapt(adaptSubprogram),
		MetadataLexicalBlock:  node("DILexicalBlock", "distinct scope:n file:n line column", 5),
		MetadataLexicalFile:   node("DILexicalBlockFile", "distinct scope:n file:n discriminator", 4),
		MetadataCommonBlock:   node("DICommonBlock", "distinct scope:n declaration:n name:s file:n line", 6),
		MetadataNamespace:     node("DINamespace", "distinct scope:n name:s", 3),
		MetadataTemplateType:  node("DITemplateTypeParameter", "distinct name:s type:n defaulted", 3),
		MetadataTemplateValue: node("DITemplateValueParameter", "distinct tag name:s type:n defaulted value:n", 6),
		MetadataGlobalVar: node("DIGlobalVariable", "distinct scope:n name:s linkageName:s file:n line type:n isLocal "+
			"isDefinition declaration:n templateParams:n align annotations:n", 11).withAdapt(adaptGlobalVar),
		MetadataLocalVar: node("DILocalVariable", "distinct scope:n name:s file:n line type:n arg flags align "+
			"annotations:n", 8).withAdapt(adaptLocalVar),
		MetadataExpression:     node("DIExpression", "distinct", 1).withRest(FormNumber),
		MetadataObjCProperty:   node("DIObjCProperty", "distinct name:s file:n line setter:s getter:s attributes type:n", 8),
		MetadataImportedEntity: node("DIImportedEntity", "distinct tag scope:n entity:n line name:s file:n elements:n", 6),
		MetadataModule: node("DIModule", "distinct file:n scope:n name:s configMacros:s includePath:s apinotes:s line "+
			"isDecl", 8),
		MetadataMacro:         node("DIMacro", "distinct type line name:s value:s", 5),
		MetadataMacroFile:     node("DIMacroFile", "distinct type line file:n nodes:n", 5),
		MetadataGlobalVarExpr: node("DIGlobalVariableExpression", "distinct var:n expr:n", 3),
		MetadataLabel:         node("DILabel", "distinct scope:n name:s file:n line column@21 coroSuspendIdx@21", 5),
		MetadataAssignID:      node("DIAssignID", "distinct", 1).since(16),
	}
}}

// adaptSubrange chooses the layout by the version of the record: versions 0 and 1 had numbers in
// place of metadata. Zig's compiler writes version 1 with the number of operands that version 2 has.
func adaptSubrange(n Node, operands []uint64) (Node, error) {
	switch version := operands[0] >> 1; version {
	case 0:
		n = *node("DISubrange", "distinct count:i lowerBound:i", 3)
		n.More = true
		return n, nil
	case 1:
		n = *node("DISubrange", "distinct count:n lowerBound:i", 3)
		n.More = true
		return n, nil
	case 2:
		return n, nil
	default:
		return n, fmt.Errorf("DISubrange of version %d is %s", version, Newer())
	}
}

// adaptStringType serves records of 8 operands, which lack the expression of the location.
func adaptStringType(n Node, operands []uint64) (Node, error) {
	if len(operands) == 8 {
		return *node("DIStringType", "distinct tag name:s stringLength:n stringLengthExpression:n size:c align encoding", 8).withSize(2), nil
	}
	return n, nil
}

// adaptFixedPoint adds the two numbers of a DIFixedPointType, each a count of words with a width
// and then the words, and the fields after them.
func adaptFixedPoint(n Node, operands []uint64) (Node, error) {
	n.Fields = append([]Field(nil), n.Fields...)
	for _, name := range []string{"numerator", "denominator"} {
		at := len(n.Fields)
		if at >= len(operands) {
			return n, fmt.Errorf("DIFixedPointType is cut short")
		}
		words := operands[at] >> 32
		if words > uint64(len(operands)-at-1) {
			return n, fmt.Errorf("DIFixedPointType is cut short")
		}
		for range words + 1 {
			n.Fields = append(n.Fields, Field{Name: name, Form: FormNumber})
		}
	}
	n.Fields = append(n.Fields, Field{Name: "file", Form: FormNode}, Field{Name: "line", Form: FormNumber}, Field{Name: "scope", Form: FormNode})
	return n, nil
}

// adaptSubprogram refuses records without the two flags that every LLVM since 8 sets: that there is
// a unit, and that there are flags of the subprogram.
func adaptSubprogram(n Node, operands []uint64) (Node, error) {
	if operands[0]&6 != 6 {
		return n, fmt.Errorf("DISubprogram of a form that LLVM before 8 wrote")
	}
	return n, nil
}

// adaptGlobalVar refuses the versions that LLVM before 7 wrote.
func adaptGlobalVar(n Node, operands []uint64) (Node, error) {
	if version := operands[0] >> 1; version != 2 {
		return n, fmt.Errorf("DIGlobalVariable of version %d; LLVM since 7 writes 2", version)
	}
	return n, nil
}

// adaptLocalVar refuses records without the flag that LLVM sets since 4: it says that there is an
// alignment and no tag.
func adaptLocalVar(n Node, operands []uint64) (Node, error) {
	if operands[0]&2 == 0 && len(operands) > 8 {
		return n, fmt.Errorf("DILocalVariable of a form that LLVM before 4 wrote")
	}
	return n, nil
}
