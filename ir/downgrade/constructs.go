package downgrade

// Construct is a row of the table of constructs.
type Construct struct {
	// Name is the construct as text spells it.
	Name string
	// Since is the LLVM version that first reads it.
	Since int
	// Becomes is what a rewrite leaves in its place, "" for nothing;
	// "refused" where there is no rewrite.
	Becomes string
	// Why says why that is sound, or what is missing.
	Why string
}

const refused = "refused"

// Constructs returns the table: everything that [Text] rewrites or refuses.
func Constructs() []Construct {
	var rows []Construct
	for _, k := range keywords {
		rows = append(rows, Construct{k.name, k.since.major, k.becomes, k.why})
	}
	for _, f := range instructionFlags {
		rows = append(rows, Construct{f.opcode + " " + f.flag, f.since.major, "", f.why})
	}
	rows = append(rows, otherConstructs...)
	for _, f := range nodeFields {
		rows = append(rows, Construct{"!" + f.node + "(" + f.field + ":)", f.since.major, "", "only debug information gets poorer"})
	}
	for _, n := range nodeKinds {
		rows = append(rows, Construct{"!" + n.node, n.since.major, n.becomes, n.why})
	}
	return rows
}

// otherConstructs are those that code of their own looks for.
var otherConstructs = []Construct{
	{"memory(errnomem: ...)", 21, "joined to the default", "effects stay or grow"},
	{"memory(target_mem0: ...)", 22, "joined to inaccessiblemem", "effects stay or grow"},
	{"llvm.lifetime.start/end(ptr)", 22, "(i64 -1, ptr)", "-1 says that the size is not known"},
	{"declare void @llvm.lifetime.start.i64(i64)", 22, "", "LLVM 22 leaves it behind unused where it upgrades older markers"},
	{"#dbg_value, #dbg_declare, #dbg_assign, #dbg_label", 19, "calls of llvm.dbg.*", "the same statement; llvm.dbg.assign before LLVM 17 becomes llvm.dbg.value"},
	{"#dbg_* of other names", 22, "", "only debug information gets poorer"},
	{"language: DW_LANG_... of newer names", 16, "its number", "the same"},
	{"sourceLanguageName:", 22, "language:", "the nearest older code"},
	{"size: or offset: that is no number", 21, "", "only debug information gets poorer"},
}

// keyword is a word that stands for a construct wherever it occurs as a
// keyword: an attribute, an opcode, a kind of constant.
type keyword struct {
	name    string
	since   version
	action  action
	becomes string
	why     string
}

// action is what is done about a keyword.
type action uint8

const (
	dropWord     action = iota // with its argument, if it has one
	dropCall                   // where it has an argument; else it is another word
	dropArgument               // and leave the word
	captures
	denormals
	effectsOf
	splat
	toPtrToInt
	refuse
	refuseCall // where it has an argument; else it is another word
)

const (
	promise = "a promise to the optimiser: weaker without"
	request = "a request to the code generator: SPIR-V has no such thing"
)

var keywords = []keyword{
	// Attributes of functions.
	{"fn_ret_thunk_extern", version{major: 15}, dropWord, "", request},
	{"nosanitize_bounds", version{major: 15}, dropWord, "", request},
	{"allockind", version{major: 15}, dropWord, "", promise},
	{"uwtable", version{major: 15}, dropArgument, "uwtable", "the other form of the same request"},
	{"presplitcoroutine", version{major: 15}, refuse, refused, "coroutines that are not split yet"},
	{"skipprofile", version{major: 16}, dropWord, "", request},
	{"memory", version{major: 22}, effectsOf, "readnone, argmemonly, ... or nothing before LLVM 16", "the same, or effects grow"},
	{"optdebug", version{major: 18}, dropWord, "", request},
	{"coro_only_destroy_when_complete", version{major: 18}, dropWord, "", promise},
	{"hybrid_patchable", version{19, true}, dropWord, "", request},
	{"sanitize_numerical_stability", version{major: 19}, dropWord, "", request},
	{"sanitize_realtime", version{major: 20}, dropWord, "", request},
	{"sanitize_realtime_blocking", version{major: 20}, dropWord, "", request},
	{"sanitize_type", version{major: 20}, dropWord, "", request},
	{"coro_elide_safe", version{major: 20}, dropWord, "", promise},
	{"nodivergencesource", version{major: 20}, dropWord, "", promise},
	{"nocreateundeforpoison", version{major: 22}, dropWord, "", promise},
	{"sanitize_alloc_token", version{major: 22}, dropWord, "", request},
	{"denormal_fpenv", version{major: 23}, denormals, `"denormal-fp-math"=...`, "the older spelling of the same"},
	{"flatten", version{major: 23}, dropWord, "", "a request to inline: the meaning stays"},
	{"noipa", version{major: 23}, dropWord, "", "a limit for optimisers: a translator has none"},
	{"nooutline", version{major: 23}, dropWord, "", "a limit for optimisers: a translator has none"},
	// Attributes of parameters and results.
	{"allocptr", version{major: 15}, dropWord, "", promise},
	{"nofpclass", version{major: 17}, dropWord, "", promise},
	{"dead_on_unwind", version{major: 18}, dropWord, "", promise},
	{"writable", version{major: 18}, dropWord, "", promise},
	{"range", version{major: 19}, dropCall, "", promise},
	{"initializes", version{19, true}, dropCall, "", promise},
	{"noext", version{major: 20}, dropWord, "", "how registers are filled: SPIR-V has none"},
	{"captures", version{major: 21}, captures, "nocapture for captures(none)", "the same; other forms are promises: weaker without"},
	{"dead_on_return", version{major: 21}, dropWord, "", promise},
	// Instructions and constants.
	{"splat", version{major: 19}, splat, "<T x, T x, ...>", "the same"},
	{"ptrtoaddr", version{major: 22}, toPtrToInt, "ptrtoint", "the same number; that the pointer escapes is assumed besides"},
	{"target", version{major: 16}, refuseCall, refused, "types of the target's own"},
	{"ptrauth", version{major: 19}, refuseCall, refused, "signed pointers"},
	{"fmax", version{major: 15}, refuse, refused, "an atomic operation"},
	{"fmin", version{major: 15}, refuse, refused, "an atomic operation"},
	{"uinc_wrap", version{major: 16}, refuse, refused, "an atomic operation"},
	{"udec_wrap", version{major: 16}, refuse, refused, "an atomic operation"},
	{"usub_cond", version{major: 20}, refuse, refused, "an atomic operation"},
	{"usub_sat", version{major: 20}, refuse, refused, "an atomic operation"},
	{"fmaximum", version{major: 21}, refuse, refused, "an atomic operation"},
	{"fminimum", version{major: 21}, refuse, refused, "an atomic operation"},
	{"fmaximumnum", version{major: 23}, refuse, refused, "an atomic operation"},
	{"fminimumnum", version{major: 23}, refuse, refused, "an atomic operation"},
	{"elementwise", version{major: 23}, refuse, refused, "an atomic operation on vectors"},
}

// instructionFlag is a flag behind an opcode, which is dropped.
type instructionFlag struct {
	opcode, flag string
	since        version
	why          string
}

const lessPoison = "fewer results are poison"

var instructionFlags = []instructionFlag{
	{"zext", "nneg", version{major: 18}, lessPoison},
	{"uitofp", "nneg", version{major: 19}, lessPoison},
	{"or", "disjoint", version{major: 18}, lessPoison},
	{"icmp", "samesign", version{major: 20}, lessPoison},
	{"trunc", "nuw", version{major: 19}, lessPoison},
	{"trunc", "nsw", version{major: 19}, lessPoison},
	{"getelementptr", "nuw", version{major: 19}, lessPoison},
	{"getelementptr", "nusw", version{major: 19}, lessPoison},
	{"getelementptr", "inrange", version{major: 19}, lessPoison},
	{"fpext", fastMath, version{major: 20}, "less freedom for the optimiser"},
	{"fptrunc", fastMath, version{major: 20}, "less freedom for the optimiser"},
	{"uitofp", fastMath, version{major: 23}, "less freedom for the optimiser"},
	{"sitofp", fastMath, version{major: 23}, "less freedom for the optimiser"},
}

// fastMath stands for every fast-math flag.
const fastMath = "fast-math flags"

var fastMathFlags = map[string]bool{
	"fast": true, "nnan": true, "ninf": true, "nsz": true, "arcp": true, "contract": true, "afn": true, "reassoc": true,
}

// nodeField is a field of a debug information node, which is dropped.
type nodeField struct {
	node, field string
	since       version
}

var nodeFields = []nodeField{
	{"DISubprogram", "targetFuncName", version{major: 15}},
	{"DIDerivedType", "ptrAuthKey", version{19, true}},
	{"DIDerivedType", "ptrAuthIsAddressDiscriminated", version{19, true}},
	{"DIDerivedType", "ptrAuthExtraDiscriminator", version{19, true}},
	{"DIDerivedType", "ptrAuthIsaPointer", version{19, true}},
	{"DIDerivedType", "ptrAuthAuthenticatesNullValues", version{19, true}},
	{"DICompositeType", "specification", version{major: 20}},
	{"DICompositeType", "num_extra_inhabitants", version{major: 20}},
	{"DIBasicType", "num_extra_inhabitants", version{major: 20}},
	{"DICompositeType", "enumKind", version{major: 21}},
	{"DICompositeType", "bitStride", version{major: 21}},
	{"DILocation", "atomGroup", version{major: 21}},
	{"DILocation", "atomRank", version{major: 21}},
	{"DISubprogram", "keyInstructions", version{major: 21}},
	{"DILabel", "column", version{major: 21}},
	{"DILabel", "isArtificial", version{major: 21}},
	{"DILabel", "coroSuspendIdx", version{major: 21}},
	{"DIBasicType", "dataSize", version{major: 22}},
	{"DICompileUnit", "sourceLanguageVersion", version{major: 22}},
}

// nodeKind is a kind of debug information node that becomes another.
type nodeKind struct {
	node    string
	since   version
	becomes string
	why     string
}

const unspecifiedType = "!DIBasicType(tag: DW_TAG_unspecified_type)"

var nodeKinds = []nodeKind{
	{"DIAssignID", version{major: 16}, "!{}", "a node that differs from all others"},
	{"DISubrangeType", version{major: 21}, unspecifiedType, "only debug information gets poorer"},
	{"DIFixedPointType", version{major: 21}, unspecifiedType, "only debug information gets poorer"},
}
