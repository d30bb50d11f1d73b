package fromir

import (
	"strings"

	"offlink/ir"
	"offlink/lazy"
)

// debugNode is a node of debug information. Textual IR spells many numbers by their DWARF
// names, bitcode has the numbers themselves.
type debugNode struct {
	kind   string
	fields []ir.Operand
}

// debugNode returns the node that an operand refers to, or that is written in its place.
func (t *translator) debugNode(o ir.Operand) debugNode {
	n := debugNode{kind: o.String, fields: o.Elements}
	if o.Kind == ir.OperandNode {
		fields, err := t.module.Source.Operands(o.Node)
		if err != nil {
			t.failf("%v", err)
		}
		n = debugNode{t.module.Nodes.Kind(o.Node), fields}
	}
	return n
}

// nodeField returns a field by its name; its kind is OperandNull if there is none.
func (n *debugNode) nodeField(name string) ir.Operand {
	for i := range n.fields {
		if n.fields[i].Field == name {
			return n.fields[i]
		}
	}
	return ir.Operand{}
}

// fieldText returns a field that is a string.
func (n *debugNode) fieldText(name string) string { return n.nodeField(name).String }

// fieldNumber returns a field that is a number, or the name of one.
func (n *debugNode) fieldNumber(name string) uint64 { return dwarfNumber(n.nodeField(name)) }

// hasField reports whether a field is there.
func (n *debugNode) hasField(name string) bool {
	f := n.nodeField(name)
	return f.Kind != ir.OperandNull
}

// dwarfNumber returns the number of an operand. Names of flags may be joined by bars.
func dwarfNumber(o ir.Operand) (number uint64) {
	if o.String == "" {
		return uint64(o.Int)
	}
	for name := range strings.SplitSeq(o.String, "|") {
		number |= dwarfNumbers.Get()[strings.TrimSpace(name)]
	}
	return number
}

// Tags of DWARF (DWARF 5, table 7.3).
const (
	tagArray               = 0x01
	tagClass               = 0x02
	tagEnumeration         = 0x04
	tagMember              = 0x0d
	tagPointer             = 0x0f
	tagReference           = 0x10
	tagString              = 0x12
	tagStructure           = 0x13
	tagTypedef             = 0x16
	tagUnion               = 0x17
	tagInheritance         = 0x1c
	tagPointerToMember     = 0x1f
	tagConst               = 0x26
	tagTemplateValue       = 0x30
	tagVariable            = 0x34
	tagVolatile            = 0x35
	tagRestrict            = 0x37
	tagRValueReference     = 0x42
	tagAtomic              = 0x47
	tagTemplateTemplate    = 0x4106
	tagTemplatePack        = 0x4107
	tagImportedModule      = 0x3a
	tagImportedDeclaration = 0x08
)

// dwarfNumbers are the numbers of the names in textual IR. Those of flags are LLVM's.
var dwarfNumbers = lazy.Map[string, uint64]{New: func() map[string]uint64 {
	return map[string]uint64{
		"true": 1, "false": 0,
		"DW_TAG_array_type": tagArray, "DW_TAG_class_type": tagClass, "DW_TAG_enumeration_type": tagEnumeration, "DW_TAG_member": tagMember,
		"DW_TAG_pointer_type": tagPointer, "DW_TAG_reference_type": tagReference, "DW_TAG_string_type": tagString,
		"DW_TAG_structure_type": tagStructure, "DW_TAG_typedef": tagTypedef, "DW_TAG_union_type": tagUnion, "DW_TAG_inheritance": tagInheritance,
		"DW_TAG_ptr_to_member_type": tagPointerToMember, "DW_TAG_const_type": tagConst, "DW_TAG_template_value_parameter": tagTemplateValue,
		"DW_TAG_variable": tagVariable, "DW_TAG_volatile_type": tagVolatile, "DW_TAG_restrict_type": tagRestrict,
		"DW_TAG_rvalue_reference_type": tagRValueReference, "DW_TAG_atomic_type": tagAtomic,
		"DW_TAG_GNU_template_template_param": tagTemplateTemplate, "DW_TAG_GNU_template_parameter_pack": tagTemplatePack,
		"DW_TAG_imported_module": tagImportedModule, "DW_TAG_imported_declaration": tagImportedDeclaration,
		"DW_TAG_base_type": 0x24, "DW_TAG_unspecified_type": 0x3b,
		"DW_ATE_address": 1, "DW_ATE_boolean": 2, "DW_ATE_complex_float": 3, "DW_ATE_float": 4, "DW_ATE_signed": 5, "DW_ATE_signed_char": 6,
		"DW_ATE_unsigned": 7, "DW_ATE_unsigned_char": 8,
		"DW_LANG_C": 2, "DW_LANG_C_plus_plus": 4, "DW_LANG_Fortran77": 7, "DW_LANG_Fortran90": 8, "DW_LANG_C99": 0xc, "DW_LANG_Fortran95": 0xe,
		"DW_LANG_D": 0x13, "DW_LANG_Python": 0x14, "DW_LANG_OpenCL": 0x15, "DW_LANG_C_plus_plus_03": 0x19, "DW_LANG_C_plus_plus_11": 0x1a,
		"DW_LANG_Rust": 0x1c, "DW_LANG_C11": 0x1d, "DW_LANG_Julia": 0x1f, "DW_LANG_C_plus_plus_14": 0x21, "DW_LANG_Fortran03": 0x22,
		"DW_LANG_Fortran08": 0x23, "DW_LANG_C_plus_plus_17": 0x2a, "DW_LANG_C_plus_plus_20": 0x2b, "DW_LANG_C17": 0x2c, "DW_LANG_Fortran18": 0x2d,
		"DIFlagPrivate": 1, "DIFlagProtected": 2, "DIFlagPublic": 3, "DIFlagFwdDecl": 4, "DIFlagArtificial": 64, "DIFlagExplicit": 128,
		"DIFlagPrototyped": 256, "DIFlagObjectPointer": 1024, "DIFlagVector": 2048, "DIFlagStaticMember": 4096, "DIFlagLValueReference": 8192,
		"DIFlagRValueReference": 16384, "DIFlagBitField": 1 << 19, "DIFlagTypePassByValue": 1 << 22, "DIFlagTypePassByReference": 1 << 23,
		"DIFlagEnumClass": 1 << 24, "DISPFlagLocalToUnit": 4, "DISPFlagDefinition": 8, "DISPFlagOptimized": 16, "DISPFlagMainSubprogram": 256,
		"DW_OP_deref": 6, "DW_OP_const1u": 8, "DW_OP_constu": 0x10, "DW_OP_consts": 0x11, "DW_OP_dup": 0x12, "DW_OP_drop": 0x13, "DW_OP_over": 0x14,
		"DW_OP_swap": 0x16, "DW_OP_rot": 0x17, "DW_OP_xderef": 0x18, "DW_OP_abs": 0x19, "DW_OP_and": 0x1a, "DW_OP_div": 0x1b, "DW_OP_minus": 0x1c,
		"DW_OP_mod": 0x1d, "DW_OP_mul": 0x1e, "DW_OP_neg": 0x1f, "DW_OP_not": 0x20, "DW_OP_or": 0x21, "DW_OP_plus": 0x22,
		"DW_OP_plus_uconst": 0x23, "DW_OP_shl": 0x24, "DW_OP_shr": 0x25, "DW_OP_shra": 0x26, "DW_OP_xor": 0x27, "DW_OP_eq": 0x29, "DW_OP_ge": 0x2a,
		"DW_OP_gt": 0x2b, "DW_OP_le": 0x2c, "DW_OP_lt": 0x2d, "DW_OP_ne": 0x2e, "DW_OP_lit0": 0x30, "DW_OP_lit1": 0x31, "DW_OP_deref_size": 0x94,
		"DW_OP_push_object_address": 0x97, "DW_OP_bit_piece": 0x9d, "DW_OP_stack_value": 0x9f, "DW_OP_LLVM_fragment": 0x1000,
		"DW_OP_LLVM_convert": 0x1001, "DW_OP_LLVM_tag_offset": 0x1002, "DW_OP_LLVM_entry_value": 0x1003, "DW_OP_LLVM_arg": 0x1005,
	}
}}

// debugFlagBits maps LLVM's flags to those of OpenCL.DebugInfo.100, except for access and bit
// fields, which mapDebugFlags and nodeFlags map.
var debugFlagBits = []struct{ flag, bit uint32 }{
	{4, 1 << 4},
	{64, 1 << 5},
	{128, 1 << 6},
	{256, 1 << 7},
	{1024, 1 << 8},
	{4096, 1 << 9},
	{8192, 1 << 11},
	{16384, 1 << 12},
	{1 << 22, 1 << 15},
	{1 << 23, 1 << 16},
	{1 << 24, 1 << 14},
}

// mapDebugFlags maps LLVM's flags. The lowest two bits are the access: private is 1 in LLVM
// and 2 in the sets, protected is 2 and 1, public is 3 in both.
func mapDebugFlags(flags uint32) (mask uint32) {
	mask = [4]uint32{0, 2, 1, 3}[flags&3]
	for _, f := range debugFlagBits {
		if flags&f.flag != 0 {
			mask |= f.bit
		}
	}
	return mask
}

// debugOperation is an operation of DWARF expressions.
type debugOperation struct {
	number   uint32
	operands int
}

// debugOperations are the operations of DWARF expressions, by DWARF's numbers, with theirs in
// the sets. OpenCL.DebugInfo.100 has those up to 9; the others are written for
// DebugShader200, or if Options.ExtraExpressions allows them.
var debugOperations = lazy.Map[uint64, debugOperation]{New: func() map[uint64]debugOperation {
	table := map[uint64]debugOperation{
		0x06: {0, 0}, 0x22: {1, 0}, 0x1c: {2, 0}, 0x23: {3, 1}, 0x9d: {4, 2}, 0x16: {5, 0}, 0x18: {6, 0}, 0x9f: {7, 0}, 0x10: {8, 1},
		0x1000: {9, 2}, 0x1001: {10, 2}, 0x03: {11, 1}, 0x11: {20, 1}, 0x15: {24, 0}, 0x17: {25, 0}, 0x94: {146, 1}, 0x97: {149, 0},
		0x1002: {167, 1}, 0x1003: {159, 1}, 0x1005: {165, 1}, 0x28: {38, 0}, 0x2f: {45, 0},
	}
	for k := uint64(0); k < 8; k++ { // const1u to const8s
		table[0x08+k] = debugOperation{12 + uint32(k), 1}
	}
	for k, op := range []uint64{0x12, 0x13, 0x14} {
		table[op] = debugOperation{21 + uint32(k), 0}
	}
	for k, op := range []uint64{0x19, 0x1a, 0x1b, 0x1d, 0x1e, 0x1f, 0x20, 0x21, 0x24, 0x25, 0x26, 0x27} {
		table[op] = debugOperation{26 + uint32(k), 0}
	}
	for k, op := range []uint64{0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e} {
		table[op] = debugOperation{39 + uint32(k), 0}
	}
	for k := uint64(0); k < 32; k++ {
		table[0x30+k], table[0x50+k], table[0x70+k] = debugOperation{46 + uint32(k), 0}, debugOperation{78 + uint32(k), 0}, debugOperation{110 + uint32(k), 1}
	}
	return table
}}
