package llvmschema

import (
	"cmp"
	"slices"

	"offlink/lazy"
)

// Versions of changes that are not a row of a table: the first version that
// writes the newer form.
const (
	DebugRecords       = 19 // #dbg_value and its kin in the place of calls of llvm.dbg.value
	DeclareValueRecord = 22 // #dbg_declare_value, and names of records that are not known
	DebugAssignCall    = 17 // llvm.dbg.assign
	UnwindTableKind    = 15 // uwtable(sync)
	MemoryEffects      = 16 // memory(...) in the place of argmemonly, readnone, ...
	ExpectedWeights    = 19 // !{!"branch_weights", !"expected", ...}
	StaticMemberTag    = 18 // DW_TAG_variable for static members
	DeviceKernelName   = 21 // DW_CC_LLVM_DeviceKernel, before DW_CC_LLVM_OpenCLKernel
	MetadataSizes      = 21 // size: and offset: of types as metadata
	LanguageNames      = 22 // sourceLanguageName: of DWARF 6
	LifetimeOfSlots    = 22 // llvm.lifetime.start(ptr) without a size
	MaskedAlignment    = 22 // the alignment of masked accesses as an attribute of the address
)

// Words are keywords of text that are not attributes and came after [Oldest]: opcodes,
// kinds of constants and types, words after atomicrmw.
var Words = lazy.Map[string, int]{New: func() map[string]int {
	return map[string]int{
		"target":      Types.Get()[TypeTarget].Since, // target("spirv.Image", ...)
		"splat":       19,
		"ptrauth":     Constants.Get()[ConstantPtrAuth].Since,
		"ptrtoaddr":   22,
		"elementwise": 23, // atomicrmw elementwise
		"fmaximumnum": 23, // operations of atomicrmw whose numbers are not needed here
		"fminimumnum": 23,
	}
}}

// MemoryParts are the parts of memory that memory(...) tells apart.
var MemoryParts = lazy.Map[string, int]{New: func() map[string]int {
	return map[string]int{
		"argmem": MemoryEffects, "inaccessiblemem": MemoryEffects, "errnomem": 21, "target_mem0": 22, "target_mem1": 22,
	}
}}

// AtomicOperation is an operation of atomicrmw.
type AtomicOperation struct {
	Name string
	// Since is the LLVM version that brought it, 0 if [Oldest] has it.
	Since int
}

// AtomicOperations holds the operations by the numbers that bitcode has for
// them (RMWOperations in LLVMBitCodes.h).
var AtomicOperations = [...]AtomicOperation{
	{"xchg", 0},
	{"add", 0},
	{"sub", 0},
	{"and", 0},
	{"nand", 0},
	{"or", 0},
	{"xor", 0},
	{"max", 0},
	{"min", 0},
	{"umax", 0},
	{"umin", 0},
	{"fadd", 0},
	{"fsub", 0},
	{"fmax", 15},
	{"fmin", 15},
	{"uinc_wrap", 16},
	{"udec_wrap", 16},
	{"usub_cond", 20},
	{"usub_sat", 20},
	{"fmaximum", 21},
	{"fminimum", 21},
}

// Flag is a flag of an instruction or of a constant expression.
type Flag struct {
	Opcode, Name string
	Since        int
}

// FastMath stands for every fast-math flag in [Flags].
const FastMath = "fast-math flags"

// FastMathFlags are the words that FastMath stands for.
var FastMathFlags = []string{"fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"}

// Flags are those that came after [Oldest].
var Flags = []Flag{
	{"zext", "nneg", 18},
	{"uitofp", "nneg", 19},
	{"or", "disjoint", 18},
	{"icmp", "samesign", 20},
	{"trunc", "nuw", 19},
	{"trunc", "nsw", 19},
	{"getelementptr", "nuw", 19},
	{"getelementptr", "nusw", 19},
	{"getelementptr", "inrange", 19}, // inrange(-8, 16); before, a word of an index
	{"fpext", FastMath, 20},
	{"fptrunc", FastMath, 20},
	{"uitofp", FastMath, 23},
	{"sitofp", FastMath, 23},
}

// Language is a language code of DWARF 5 (DW_LANG).
type Language struct{ Code, Since int }

// Languages are those whose names came after [Oldest]; text spells the others,
// too, as numbers.
var Languages = lazy.Map[string, Language]{New: func() map[string]Language {
	return map[string]Language{
		"DW_LANG_Kotlin":         {0x26, 16},
		"DW_LANG_Zig":            {0x27, 16},
		"DW_LANG_Crystal":        {0x28, 16},
		"DW_LANG_C_plus_plus_17": {0x2a, 16},
		"DW_LANG_C_plus_plus_20": {0x2b, 16},
		"DW_LANG_C17":            {0x2c, 16},
		"DW_LANG_Fortran18":      {0x2d, 16},
		"DW_LANG_Ada2005":        {0x2e, 16},
		"DW_LANG_Ada2012":        {0x2f, 16},
		"DW_LANG_HIP":            {0x30, 19},
		"DW_LANG_Assembly":       {0x31, 19},
		"DW_LANG_C_sharp":        {0x32, 19},
		"DW_LANG_Mojo":           {0x33, 19},
		"DW_LANG_GLSL":           {0x34, 19},
		"DW_LANG_GLSL_ES":        {0x35, 19},
		"DW_LANG_HLSL":           {0x36, 19},
		"DW_LANG_OpenCL_CPP":     {0x37, 19},
		"DW_LANG_CPP_for_OpenCL": {0x38, 19},
		"DW_LANG_SYCL":           {0x39, 19},
		"DW_LANG_C_plus_plus_23": {0x3a, 23},
		"DW_LANG_Metal":          {0x3d, 20},
	}
}}

// TextField is a field of a specialised node as text names it.
type TextField struct {
	Node, Name string
	Since      int
}

// textNames are the fields of text that an operand of the record stands for
// where the names differ. The flags of a node's first operand, which the
// schema calls "distinct", are there under "distinct".
var textNames = lazy.Map[string, []TextField]{New: func() map[string][]TextField {
	return map[string][]TextField{
		"DIDerivedType.ptrAuth": {
			{"DIDerivedType", "ptrAuthKey", 19},
			{"DIDerivedType", "ptrAuthIsAddressDiscriminated", 19},
			{"DIDerivedType", "ptrAuthExtraDiscriminator", 19},
			{"DIDerivedType", "ptrAuthIsaPointer", 19},
			{"DIDerivedType", "ptrAuthAuthenticatesNullValues", 19},
		},
		"DICompileUnit.languageVersion": {{"DICompileUnit", "sourceLanguageVersion", LanguageNames}},
		"DILabel.distinct":              {{"DILabel", "isArtificial", 21}},
	}
}}

// TextFields returns the fields of text that came after [Oldest], of nodes that
// are older than the field, oldest first.
func TextFields() []TextField {
	var fields []TextField
	for _, n := range Nodes.Get() {
		for _, f := range n.Fields {
			names, other := textNames.Get()[n.Kind+"."+f.Name]
			switch {
			case other:
				fields = append(fields, names...)
			case f.Since > n.Since:
				fields = append(fields, TextField{n.Kind, f.Name, f.Since})
			}
		}
	}
	slices.SortFunc(fields, func(a, b TextField) int {
		return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(a.Node, b.Node), cmp.Compare(a.Name, b.Name))
	})
	return fields
}

// NodeSince returns the version that brought a specialised node, 0 for one that
// [Oldest] has.
func NodeSince(kind string) int {
	for _, n := range Nodes.Get() {
		if n.Kind == kind {
			return n.Since
		}
	}
	return 0
}
