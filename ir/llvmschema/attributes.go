package llvmschema

// Attribute is an attribute that is a keyword.
type Attribute struct {
	Name string
	// Since is the LLVM version that brought it, 0 if [Oldest] has it; Last is
	// the last that writes it, 0 if [Newest] does.
	Since, Last int
	// Function says that functions or variables can have it; the others are of
	// parameters, results and calls only.
	Function bool
}

// Attributes holds the attributes by the numbers that bitcode has for them
// (AttributeKindCodes in LLVMBitCodes.h).
var Attributes = [...]Attribute{
	1:   {Name: "align", Function: true},
	2:   {Name: "alwaysinline", Function: true},
	3:   {Name: "byval"},
	4:   {Name: "inlinehint", Function: true},
	5:   {Name: "inreg"},
	6:   {Name: "minsize", Function: true},
	7:   {Name: "naked", Function: true},
	8:   {Name: "nest"},
	9:   {Name: "noalias"},
	10:  {Name: "nobuiltin", Function: true},
	11:  {Name: "nocapture", Last: 20},
	12:  {Name: "noduplicate", Function: true},
	13:  {Name: "noimplicitfloat", Function: true},
	14:  {Name: "noinline", Function: true},
	15:  {Name: "nonlazybind", Function: true},
	16:  {Name: "noredzone", Function: true},
	17:  {Name: "noreturn", Function: true},
	18:  {Name: "nounwind", Function: true},
	19:  {Name: "optsize", Function: true},
	20:  {Name: "readnone", Function: true},
	21:  {Name: "readonly", Function: true},
	22:  {Name: "returned"},
	23:  {Name: "returns_twice", Function: true},
	24:  {Name: "signext"},
	25:  {Name: "alignstack", Function: true},
	26:  {Name: "ssp", Function: true},
	27:  {Name: "sspreq", Function: true},
	28:  {Name: "sspstrong", Function: true},
	29:  {Name: "sret"},
	30:  {Name: "sanitize_address", Function: true},
	31:  {Name: "sanitize_thread", Function: true},
	32:  {Name: "sanitize_memory", Function: true},
	33:  {Name: "uwtable", Function: true},
	34:  {Name: "zeroext"},
	35:  {Name: "builtin", Function: true},
	36:  {Name: "cold", Function: true},
	37:  {Name: "optnone", Function: true},
	38:  {Name: "inalloca"},
	39:  {Name: "nonnull"},
	40:  {Name: "jumptable", Function: true},
	41:  {Name: "dereferenceable"},
	42:  {Name: "dereferenceable_or_null"},
	43:  {Name: "convergent", Function: true},
	44:  {Name: "safestack", Function: true},
	45:  {Name: "argmemonly", Last: 15, Function: true},
	46:  {Name: "swiftself"},
	47:  {Name: "swifterror"},
	48:  {Name: "norecurse", Function: true},
	49:  {Name: "inaccessiblememonly", Last: 15, Function: true},
	50:  {Name: "inaccessiblemem_or_argmemonly", Last: 15, Function: true},
	51:  {Name: "allocsize", Function: true},
	52:  {Name: "writeonly", Function: true},
	53:  {Name: "speculatable", Function: true},
	54:  {Name: "strictfp", Function: true},
	55:  {Name: "sanitize_hwaddress", Function: true},
	56:  {Name: "nocf_check", Function: true},
	57:  {Name: "optforfuzzing", Function: true},
	58:  {Name: "shadowcallstack", Function: true},
	59:  {Name: "speculative_load_hardening", Function: true},
	60:  {Name: "immarg"},
	61:  {Name: "willreturn", Function: true},
	62:  {Name: "nofree", Function: true},
	63:  {Name: "nosync", Function: true},
	64:  {Name: "sanitize_memtag", Function: true},
	65:  {Name: "preallocated", Function: true},
	66:  {Name: "nomerge", Function: true},
	67:  {Name: "null_pointer_is_valid", Function: true},
	68:  {Name: "noundef"},
	69:  {Name: "byref"},
	70:  {Name: "mustprogress", Function: true},
	71:  {Name: "nocallback", Function: true},
	72:  {Name: "hot", Function: true},
	73:  {Name: "noprofile", Function: true},
	74:  {Name: "vscale_range", Function: true},
	75:  {Name: "swiftasync"},
	76:  {Name: "nosanitize_coverage", Function: true},
	77:  {Name: "elementtype"},
	78:  {Name: "disable_sanitizer_instrumentation", Function: true},
	79:  {Name: "nosanitize_bounds", Since: 15, Function: true},
	80:  {Name: "allocalign", Since: 15},
	81:  {Name: "allocptr", Since: 15},
	82:  {Name: "allockind", Since: 15, Function: true},
	83:  {Name: "presplitcoroutine", Since: 15, Function: true},
	84:  {Name: "fn_ret_thunk_extern", Since: 15, Function: true},
	85:  {Name: "skipprofile", Since: 16, Function: true},
	86:  {Name: "memory", Since: 16, Function: true},
	87:  {Name: "nofpclass", Since: 17},
	88:  {Name: "optdebug", Since: 18, Function: true},
	89:  {Name: "writable", Since: 18},
	90:  {Name: "coro_only_destroy_when_complete", Since: 18, Function: true},
	91:  {Name: "dead_on_unwind", Since: 18},
	92:  {Name: "range", Since: 19},
	93:  {Name: "sanitize_numerical_stability", Since: 19, Function: true},
	94:  {Name: "initializes", Since: 19},
	95:  {Name: "hybrid_patchable", Since: 19, Function: true},
	96:  {Name: "sanitize_realtime", Since: 20, Function: true},
	97:  {Name: "sanitize_realtime_blocking", Since: 20, Function: true},
	98:  {Name: "coro_elide_safe", Since: 20, Function: true},
	99:  {Name: "noext", Since: 20},
	100: {Name: "nodivergencesource", Since: 20, Function: true},
	101: {Name: "sanitize_type", Since: 20, Function: true},
	102: {Name: "captures", Since: 21},
	103: {Name: "dead_on_return", Since: 21},
	104: {Name: "sanitize_alloc_token", Since: 22, Function: true},
	105: {Name: "nocreateundeforpoison", Since: 22, Function: true},
}

// textAttributes are attributes of which text is read and bitcode only copied:
// their numbers are not needed here.
var textAttributes = []Attribute{
	{Name: "denormal_fpenv", Since: 23},
	{Name: "flatten", Since: 23},
	{Name: "noipa", Since: 23},
	{Name: "nooutline", Since: 23},
}

// AttributeName returns the keyword of an attribute's number, "" if it is not
// known.
func AttributeName(number uint64) string {
	if number < uint64(len(Attributes)) {
		return Attributes[number].Name
	}
	return ""
}

// AttributeSince returns the version that brought the attribute of that name,
// and whether the schema has it.
func AttributeSince(name string) (version int, ok bool) {
	for _, list := range [][]Attribute{Attributes[:], textAttributes} {
		for i := range list {
			if list[i].Name == name {
				return list[i].Since, true
			}
		}
	}
	return 0, false
}

// NewestAttribute returns the highest number of an attribute that an LLVM
// version has.
func NewestAttribute(version int) uint64 {
	for i := len(Attributes) - 1; i > 0; i-- {
		if Attributes[i].Since <= version {
			return uint64(i)
		}
	}
	return 0
}

// FunctionAttributes returns the names of the attributes that functions and
// variables can have.
func FunctionAttributes() []string {
	var names []string
	for i := range Attributes {
		if Attributes[i].Function {
			names = append(names, Attributes[i].Name)
		}
	}
	return names
}
