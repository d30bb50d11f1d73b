package downgrade

import "offlink/ir/llvmschema"

// Construct is a row of the table of constructs.
type Construct struct {
	// Name is the construct as text spells it.
	Name string
	// Since is the LLVM version that first reads it.
	Since int
	// Becomes is the replacement that a rewrite leaves, "" if none;
	// "refused" where a rewrite does not exist.
	Becomes string
	// Why says why that is sound, or names the missing part.
	Why string
}

const refused = "refused"

// Constructs returns the table: everything that [Text] rewrites or refuses.
func Constructs() []Construct {
	var rows []Construct
	for _, k := range keywords {
		rows = append(rows, Construct{k.name, k.since, k.becomes, k.why})
	}
	for _, f := range instructionFlags {
		rows = append(rows, Construct{f.opcode + " " + f.flag, f.since, "", f.why})
	}
	rows = append(rows, otherConstructs...)
	for _, f := range nodeFields {
		rows = append(rows, Construct{"!" + f.node + "(" + f.field + ":)", f.since, "", "only debug information gets poorer"})
	}
	for _, n := range nodeKinds {
		rows = append(rows, Construct{"!" + n.node, n.since, n.becomes, n.why})
	}
	return rows
}

// otherConstructs are those that code of their own looks for.
var otherConstructs = []Construct{
	{"memory(errnomem: ...)", 21, "joined to the default", "effects stay or grow"},
	{"memory(target_mem0: ...)", 22, "joined to inaccessiblemem", "effects stay or grow"},
	{"llvm.lifetime.start/end(ptr)", 22, "(i64 -1, ptr)", "-1 says that the size is not known"},
	{"declare void @llvm.lifetime.start.i64(i64)", 22, "", "LLVM 22 leaves it unused where it upgrades older markers"},
	{"llvm.masked.load, store, gather, scatter without alignment operand", 22, "i32 N, from the pointer's align attribute", "the older form of the same"},
	{`!"branch_weights", !"expected"`, 19, `!"branch_weights"`, "where the weights come from is a hint"},
	{"tag: DW_TAG_variable of members", 18, "DW_TAG_member", "the older spelling of the same"},
	{"#dbg_value, #dbg_declare, #dbg_assign, #dbg_label", 19, "calls of llvm.dbg.*", "the same statement; llvm.dbg.assign before LLVM 17 becomes llvm.dbg.value"},
	{"#dbg_* of other names", 22, "", "only debug information gets poorer"},
	{"language: DW_LANG_... of newer names", 16, "its number", "the same"},
	{"sourceLanguageName:", 22, "language:", "the nearest older code"},
	{"cc: DW_CC_LLVM_DeviceKernel", 21, "DW_CC_LLVM_OpenCLKernel", "the older name of the same number"},
	{"size: or offset: that is no number", 21, "", "only debug information gets poorer"},
}

// keyword is a word that stands for a construct wherever it occurs as a
// keyword: an attribute, an opcode, a kind of constant.
type keyword struct {
	name    string
	since   int
	action  action
	becomes string
	why     string
}

// action is the treatment of a keyword.
type action uint8

const (
	dropWord     action = iota // with its argument, if it has one
	dropCall                   // where it has an argument; else it is another word
	dropArgument               // and leave the word
	captures
	denormals
	effectsOf // also where the target reads the word: it has newer parts
	splat
	toPtrToInt
	refuse
	refuseCall // where it has an argument; else it is another word
)

const (
	promise = "a promise to the optimiser: weaker without"
	request = "a request to the code generator: SPIR-V has no such thing"
)

// attributeSince returns the version that brought an attribute.
func attributeSince(attribute string) int {
	version, _ := llvmschema.AttributeSince(attribute)
	return version
}

var keywords = []keyword{
	// Attributes of functions.
	{"fn_ret_thunk_extern", attributeSince("fn_ret_thunk_extern"), dropWord, "", request},
	{"nosanitize_bounds", attributeSince("nosanitize_bounds"), dropWord, "", request},
	{"allockind", attributeSince("allockind"), dropWord, "", promise},
	{"uwtable", 15, dropArgument, "uwtable", "the other form of the same request"},
	{"presplitcoroutine", attributeSince("presplitcoroutine"), refuse, refused, "coroutines that are not split yet"},
	{"skipprofile", attributeSince("skipprofile"), dropWord, "", request},
	{"memory", attributeSince("memory"), effectsOf, "readnone, argmemonly, ... or nothing before LLVM 16", "the same, or effects grow"},
	{"optdebug", attributeSince("optdebug"), dropWord, "", request},
	{"coro_only_destroy_when_complete", attributeSince("coro_only_destroy_when_complete"), dropWord, "", promise},
	{"hybrid_patchable", attributeSince("hybrid_patchable"), dropWord, "", request},
	{"sanitize_numerical_stability", attributeSince("sanitize_numerical_stability"), dropWord, "", request},
	{"sanitize_realtime", attributeSince("sanitize_realtime"), dropWord, "", request},
	{"sanitize_realtime_blocking", attributeSince("sanitize_realtime_blocking"), dropWord, "", request},
	{"sanitize_type", attributeSince("sanitize_type"), dropWord, "", request},
	{"coro_elide_safe", attributeSince("coro_elide_safe"), dropWord, "", promise},
	{"nodivergencesource", attributeSince("nodivergencesource"), dropWord, "", promise},
	{"nocreateundeforpoison", attributeSince("nocreateundeforpoison"), dropWord, "", promise},
	{"sanitize_alloc_token", attributeSince("sanitize_alloc_token"), dropWord, "", request},
	{"denormal_fpenv", attributeSince("denormal_fpenv"), denormals, `"denormal-fp-math"=...`, "the older spelling of the same"},
	{"flatten", attributeSince("flatten"), dropWord, "", "a request to inline: the meaning stays"},
	{"noipa", attributeSince("noipa"), dropWord, "", "a limit for optimisers: a translator has none"},
	{"nooutline", attributeSince("nooutline"), dropWord, "", "a limit for optimisers: a translator has none"},
	// Attributes of parameters and results.
	{"allocptr", attributeSince("allocptr"), dropWord, "", promise},
	{"nofpclass", attributeSince("nofpclass"), dropWord, "", promise},
	{"dead_on_unwind", attributeSince("dead_on_unwind"), dropWord, "", promise},
	{"writable", attributeSince("writable"), dropWord, "", promise},
	{"range", attributeSince("range"), dropCall, "", promise},
	{"initializes", attributeSince("initializes"), dropCall, "", promise},
	{"noext", attributeSince("noext"), dropWord, "", "how registers are filled: SPIR-V has none"},
	{"captures", attributeSince("captures"), captures, "nocapture for captures(none)", "the same; other forms are promises: weaker without"},
	{"dead_on_return", attributeSince("dead_on_return"), dropWord, "", promise},
	// Instructions and constants.
	{"splat", 19, splat, "every element written out", "the same"},
	{"ptrtoaddr", 22, toPtrToInt, "ptrtoint", "the same number; that the pointer escapes is assumed besides"},
	{"target", 16, refuseCall, refused, "types of the target's own"},
	{"ptrauth", 19, refuseCall, refused, "signed pointers"},
	{"fmax", 15, refuse, refused, "an atomic operation"},
	{"fmin", 15, refuse, refused, "an atomic operation"},
	{"uinc_wrap", 16, refuse, refused, "an atomic operation"},
	{"udec_wrap", 16, refuse, refused, "an atomic operation"},
	{"usub_cond", 20, refuse, refused, "an atomic operation"},
	{"usub_sat", 20, refuse, refused, "an atomic operation"},
	{"fmaximum", 21, refuse, refused, "an atomic operation"},
	{"fminimum", 21, refuse, refused, "an atomic operation"},
	{"fmaximumnum", 23, refuse, refused, "an atomic operation"},
	{"fminimumnum", 23, refuse, refused, "an atomic operation"},
	{"elementwise", 23, refuse, refused, "an atomic operation on vectors"},
}

// instructionFlag is a flag after an opcode, which is dropped.
type instructionFlag struct {
	opcode, flag string
	since        int
	why          string
}

const lessPoison = "fewer results are poison"

var instructionFlags = []instructionFlag{
	{"zext", "nneg", 18, lessPoison},
	{"uitofp", "nneg", 19, lessPoison},
	{"or", "disjoint", 18, lessPoison},
	{"icmp", "samesign", 20, lessPoison},
	{"trunc", "nuw", 19, lessPoison},
	{"trunc", "nsw", 19, lessPoison},
	{"getelementptr", "nuw", 19, lessPoison},
	{"getelementptr", "nusw", 19, lessPoison},
	{"getelementptr", "inrange", 19, lessPoison},
	{"fpext", fastMath, 20, "less freedom for the optimiser"},
	{"fptrunc", fastMath, 20, "less freedom for the optimiser"},
	{"uitofp", fastMath, 23, "less freedom for the optimiser"},
	{"sitofp", fastMath, 23, "less freedom for the optimiser"},
}

// fastMath stands for every fast-math flag.
const fastMath = "fast-math flags"

var fastMathFlags = map[string]bool{
	"fast": true, "nnan": true, "ninf": true, "nsz": true, "arcp": true, "contract": true, "afn": true, "reassoc": true,
}

// nodeField is a field of a debug information node, which is dropped.
type nodeField struct {
	node, field string
	since       int
}

var nodeFields = []nodeField{
	{"DISubprogram", "targetFuncName", 15},
	{"DIDerivedType", "ptrAuthKey", 19},
	{"DIDerivedType", "ptrAuthIsAddressDiscriminated", 19},
	{"DIDerivedType", "ptrAuthExtraDiscriminator", 19},
	{"DIDerivedType", "ptrAuthIsaPointer", 19},
	{"DIDerivedType", "ptrAuthAuthenticatesNullValues", 19},
	{"DICompositeType", "specification", 20},
	{"DICompositeType", "num_extra_inhabitants", 20},
	{"DIBasicType", "num_extra_inhabitants", 20},
	{"DICompositeType", "enumKind", 21},
	{"DICompositeType", "bitStride", 21},
	{"DILocation", "atomGroup", 21},
	{"DILocation", "atomRank", 21},
	{"DISubprogram", "keyInstructions", 21},
	{"DILabel", "column", 21},
	{"DILabel", "isArtificial", 21},
	{"DILabel", "coroSuspendIdx", 21},
	{"DIBasicType", "dataSize", 22},
	{"DICompileUnit", "sourceLanguageVersion", 22},
	{"DICompileUnit", "dialect", 23},
}

// nodeKind is a kind of debug information node that becomes another.
type nodeKind struct {
	node    string
	since   int
	becomes string
	why     string
}

const unspecifiedType = "!DIBasicType(tag: DW_TAG_unspecified_type)"

var nodeKinds = []nodeKind{
	{"DIAssignID", 16, "!{}", "a node that differs from all others"},
	{"DISubrangeType", 21, unspecifiedType, "only debug information gets poorer"},
	{"DIFixedPointType", 21, unspecifiedType, "only debug information gets poorer"},
}
