package fromir

import (
	"fmt"
	"slices"
	"strings"

	"offlink/ir"
	"offlink/spirv"
)

// The instructions of NonSemantic.AuxData, with those for functions. The ones for variables
// are auxVariables higher.
const (
	auxMetadata  = 0
	auxAttribute = 1
	auxLinkage   = 4
	auxVariables = 2
)

// auxiliaryData writes attributes, metadata and linkage of a function or variable for which
// SPIR-V has no place. Readers that know the set can restore them.
func (t *translator) auxiliaryData(n ir.ValueID, self id) {
	if !t.options.AuxData {
		return
	}
	if t.options.Version >= spirv.Version1_6 {
		t.needVersion(spirv.Version1_6)
	} else {
		t.b.extensions["SPV_KHR_non_semantic_info"] = true // the option allows it
	}
	v, kind := &t.module.Values[n], uint32(0)
	if v.Kind == ir.Variable {
		kind = auxVariables
	}
	for i, words := range t.auxiliaryAttributes(n) {
		t.auxInstruction(fmt.Sprint("attribute ", n, i), kind+auxAttribute, append([]id{self}, words...))
	}
	for i, a := range v.Details().Attachments {
		if a.Kind == "dbg" || strings.HasPrefix(a.Kind, "spirv.") {
			continue
		}
		if words, ok := t.auxiliaryOperands(a); ok {
			t.auxInstruction(fmt.Sprint("metadata ", n, i), kind+auxMetadata, append([]id{self, t.b.stringID(a.Kind)}, words...))
		}
	}
	if v.Linkage == ir.AvailableExternally {
		t.auxInstruction(fmt.Sprint("linkage ", n), auxLinkage, []id{self, t.constWord(0)})
	}
}

// auxiliaryAttributes returns the strings of each attribute: first keywords, then string
// attributes in the order of their keys, with their values.
func (t *translator) auxiliaryAttributes(n ir.ValueID) (list [][]id) {
	attributes := slices.Clone(t.readHeader(n).Attributes.Function)
	slices.SortStableFunc(attributes, func(a, b ir.AttributeDetail) int {
		if !a.String || !b.String {
			return boolOrder(a.String) - boolOrder(b.String)
		}
		return strings.Compare(a.Name, b.Name)
	})
	for _, a := range attributes {
		switch {
		case !a.String:
			list = append(list, []id{t.b.stringID(spellKeyword(&a))})
		case a.Value == "":
			list = append(list, []id{t.b.stringID(a.Name)})
		default:
			list = append(list, []id{t.b.stringID(a.Name), t.b.stringID(a.Value)})
		}
	}
	return list
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}

// spellKeyword spells an attribute that is a keyword, with its argument.
func spellKeyword(a *ir.AttributeDetail) string {
	switch {
	case a.Value != "":
		return a.Name + "(" + a.Value + ")"
	case a.Int != 0:
		return fmt.Sprintf("%s(%d)", a.Name, a.Int)
	}
	return a.Name
}

// auxiliaryOperands returns the operands of metadata; ok is false for a node with operands
// other than strings and integers.
func (t *translator) auxiliaryOperands(a ir.Attachment) (list []id, ok bool) {
	for _, o := range t.resolveNode(a.Operand) {
		switch o.Kind {
		case ir.OperandString:
			list = append(list, t.b.stringID(o.String))
		case ir.OperandInt:
			list = append(list, t.integerOperand(o))
		default:
			return nil, false
		}
	}
	return list, true
}

// integerOperand returns an integer of metadata as a constant.
func (t *translator) integerOperand(o ir.Operand) id {
	if o.Bits == 1 {
		return t.constBool(o.Int != 0)
	}
	return t.b.constantEntry(spirv.OpConstant, t.intType(uint32(o.Bits)), constantWords(uint32(o.Bits), []uint64{uint64(o.Int) & allOnes(uint32(o.Bits)), 0}))
}

// auxInstruction adds an instruction of the set, once.
func (t *translator) auxInstruction(key string, number uint32, operands []id) {
	t.b.keyedEntry(sectionDebug, "auxiliary "+key, func(n id) entry {
		typ, set := t.voidType(), t.b.importSet("NonSemantic.AuxData")
		deps := append([]id{typ, set}, operands...)
		return entry{op: spirv.OpExtInst, words: append([]uint32{typ, n, set, number}, operands...), deps: deps}
	})
}
