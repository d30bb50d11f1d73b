package downgrade

import (
	"maps"

	"offlink/ir/llvmschema"
	"offlink/lazy"
)

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
	for _, k := range keywords.Get() {
		rows = append(rows, Construct{k.name, k.since, k.becomes, k.why})
	}
	for _, f := range llvmschema.Flags {
		why := "fewer results are poison"
		if f.Name == llvmschema.FastMath {
			why = "less freedom for the optimiser"
		}
		rows = append(rows, Construct{f.Opcode + " " + f.Name, f.Since, "", why})
	}
	rows = append(rows, otherConstructs()...)
	for _, f := range nodeFields.Get() {
		rows = append(rows, Construct{"!" + f.Node + "(" + f.Name + ":)", f.Since, "", "only debug information gets poorer"})
	}
	for _, n := range nodeKinds {
		rows = append(rows, Construct{"!" + n.node, llvmschema.NodeSince(n.node), n.becomes, n.why})
	}
	return rows
}

// otherConstructs returns those that code of their own looks for.
func otherConstructs() []Construct {
	return []Construct{
		{"memory(errnomem: ...)", llvmschema.MemoryParts.Get()["errnomem"], "joined to the default", "effects stay or grow"},
		{"memory(target_mem0: ...)", llvmschema.MemoryParts.Get()["target_mem0"], "joined to inaccessiblemem", "effects stay or grow"},
		{"llvm.lifetime.start/end(ptr)", llvmschema.LifetimeOfSlots, "(i64 -1, ptr)", "-1 says that the size is not known"},
		{"declare void @llvm.lifetime.start.i64(i64)", llvmschema.LifetimeOfSlots, "", "LLVM 22 leaves it unused where it upgrades older markers"},
		{"llvm.masked.load, store, gather, scatter without alignment operand", llvmschema.MaskedAlignment, "i32 N, from the pointer's align attribute", "the older form of the same"},
		{`!"branch_weights", !"expected"`, llvmschema.ExpectedWeights, `!"branch_weights"`, "where the weights come from is a hint"},
		{"tag: DW_TAG_variable of members", llvmschema.StaticMemberTag, "DW_TAG_member", "the older spelling of the same"},
		{"#dbg_value, #dbg_declare, #dbg_assign, #dbg_label", llvmschema.DebugRecords, "calls of llvm.dbg.*", "the same statement; llvm.dbg.assign before LLVM 17 becomes llvm.dbg.value"},
		{"#dbg_* of other names", llvmschema.DeclareValueRecord, "", "only debug information gets poorer"},
		{"language: DW_LANG_... of newer names", llvmschema.Languages.Get()["DW_LANG_C17"].Since, "its number", "the same"},
		{"sourceLanguageName:", llvmschema.LanguageNames, "language:", "the nearest older code"},
		{"cc: DW_CC_LLVM_DeviceKernel", llvmschema.DeviceKernelName, "DW_CC_LLVM_OpenCLKernel", "the older name of the same number"},
		{"size: or offset: that is not a number", llvmschema.MetadataSizes, "", "only debug information gets poorer"},
	}
}

// keyword is a word that stands for a construct wherever it occurs as a
// keyword: an attribute, an opcode, a kind of constant.
type keyword struct {
	name    string
	action  action
	becomes string
	why     string
	since   int // of the schema
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

// withVersions fills in the versions that the schema has for the keywords. A
// keyword that it lacks has none, and the tests fail.
func withVersions(list []keyword) []keyword {
	versions := maps.Clone(llvmschema.Words.Get())
	versions["uwtable"] = llvmschema.UnwindTableKind
	for _, o := range llvmschema.AtomicOperations {
		versions[o.Name] = o.Since
	}
	for i := range list {
		k := &list[i]
		k.since = versions[k.name]
		if k.since == 0 {
			k.since, _ = llvmschema.AttributeSince(k.name)
		}
	}
	return list
}

var keywords = lazy.Value[[]keyword]{New: func() []keyword {
	return withVersions([]keyword{
		// Attributes of functions.
		{name: "fn_ret_thunk_extern", action: dropWord, why: request},
		{name: "nosanitize_bounds", action: dropWord, why: request},
		{name: "allockind", action: dropWord, why: promise},
		{name: "uwtable", action: dropArgument, becomes: "uwtable", why: "the other form of the same request"},
		{name: "presplitcoroutine", action: refuse, becomes: refused, why: "coroutines that are not split yet"},
		{name: "skipprofile", action: dropWord, why: request},
		{name: "memory", action: effectsOf, becomes: "readnone, argmemonly, ... or nothing before LLVM 16", why: "the same, or effects grow"},
		{name: "optdebug", action: dropWord, why: request},
		{name: "coro_only_destroy_when_complete", action: dropWord, why: promise},
		{name: "hybrid_patchable", action: dropWord, why: request},
		{name: "sanitize_numerical_stability", action: dropWord, why: request},
		{name: "sanitize_realtime", action: dropWord, why: request},
		{name: "sanitize_realtime_blocking", action: dropWord, why: request},
		{name: "sanitize_type", action: dropWord, why: request},
		{name: "coro_elide_safe", action: dropWord, why: promise},
		{name: "nodivergencesource", action: dropWord, why: promise},
		{name: "nocreateundeforpoison", action: dropWord, why: promise},
		{name: "sanitize_alloc_token", action: dropWord, why: request},
		{name: "denormal_fpenv", action: denormals, becomes: `"denormal-fp-math"=...`, why: "the older spelling of the same"},
		{name: "flatten", action: dropWord, why: "a request to inline: the meaning stays"},
		{name: "noipa", action: dropWord, why: "a limit for optimisers: a translator has none"},
		{name: "nooutline", action: dropWord, why: "a limit for optimisers: a translator has none"},
		// Attributes of parameters and results.
		{name: "allocptr", action: dropWord, why: promise},
		{name: "nofpclass", action: dropWord, why: promise},
		{name: "dead_on_unwind", action: dropWord, why: promise},
		{name: "writable", action: dropWord, why: promise},
		{name: "range", action: dropCall, why: promise},
		{name: "initializes", action: dropCall, why: promise},
		{name: "noext", action: dropWord, why: "how registers are filled: SPIR-V has none"},
		{name: "captures", action: captures, becomes: "nocapture for captures(none)", why: "the same; other forms are promises: weaker without"},
		{name: "dead_on_return", action: dropWord, why: promise},
		// Instructions and constants.
		{name: "splat", action: splat, becomes: "every element written out", why: "the same"},
		{name: "ptrtoaddr", action: toPtrToInt, becomes: "ptrtoint", why: "the same number; that the pointer escapes is assumed besides"},
		{name: "target", action: refuseCall, becomes: refused, why: "types of the target's own"},
		{name: "ptrauth", action: refuseCall, becomes: refused, why: "signed pointers"},
		{name: "fmax", action: refuse, becomes: refused, why: "an atomic operation"},
		{name: "fmin", action: refuse, becomes: refused, why: "an atomic operation"},
		{name: "uinc_wrap", action: refuse, becomes: refused, why: "an atomic operation"},
		{name: "udec_wrap", action: refuse, becomes: refused, why: "an atomic operation"},
		{name: "usub_cond", action: refuse, becomes: refused, why: "an atomic operation"},
		{name: "usub_sat", action: refuse, becomes: refused, why: "an atomic operation"},
		{name: "fmaximum", action: refuse, becomes: refused, why: "an atomic operation"},
		{name: "fminimum", action: refuse, becomes: refused, why: "an atomic operation"},
		{name: "fmaximumnum", action: refuse, becomes: refused, why: "an atomic operation"},
		{name: "fminimumnum", action: refuse, becomes: refused, why: "an atomic operation"},
		{name: "elementwise", action: refuse, becomes: refused, why: "an atomic operation on vectors"},
	})
}}

// nodeKind is a kind of debug information node that becomes another.
type nodeKind struct {
	node    string
	becomes string
	why     string
}

const unspecifiedType = "!DIBasicType(tag: DW_TAG_unspecified_type)"

var nodeKinds = []nodeKind{
	{"DIAssignID", "!{}", "a node that differs from all others"},
	{"DISubrangeType", unspecifiedType, "only debug information gets poorer"},
	{"DIFixedPointType", unspecifiedType, "only debug information gets poorer"},
}
