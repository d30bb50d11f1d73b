package irtext

import "bytes"

// Words where attributes stand: those that LLVM knows as attributes, those
// that it knows as something else, and others, which newer versions may know.

// functionAttributes are the attributes of functions and variables that are
// words, in LLVM 14 to 23.
var functionAttributes = wordSet(`
	allockind allocsize alwaysinline argmemonly builtin cold convergent coro_elide_safe
	coro_only_destroy_when_complete disable_sanitizer_instrumentation fn_ret_thunk_extern hot hybrid_patchable
	inaccessiblemem_or_argmemonly inaccessiblememonly inlinehint jumptable memory minsize mustprogress naked
	nobuiltin nocallback nocf_check nocreateundeforpoison nodivergencesource noduplicate nofree noimplicitfloat
	noinline nomerge nonlazybind noprofile norecurse noredzone noreturn nosanitize_bounds nosanitize_coverage nosync
	nounwind null_pointer_is_valid optdebug optforfuzzing optnone optsize preallocated presplitcoroutine readnone
	readonly returns_twice safestack sanitize_address sanitize_alloc_token sanitize_hwaddress sanitize_memory
	sanitize_memtag sanitize_numerical_stability sanitize_realtime sanitize_realtime_blocking sanitize_thread
	sanitize_type shadowcallstack skipprofile speculatable speculative_load_hardening ssp sspreq sspstrong strictfp
	uwtable vscale_range willreturn writeonly alignstack align`)

// placedWords are words that are no attribute of anything: what they belong to
// has its place.
var placedWords = wordSet(`
	external available_externally linkonce linkonce_odr weak weak_odr appending internal private extern_weak common
	dso_local dso_preemptable default hidden protected dllimport dllexport thread_local unnamed_addr
	local_unnamed_addr externally_initialized addrspace section partition comdat gc prefix prologue personality
	code_model no_sanitize_address no_sanitize_hwaddress sanitize_address_dyninit
	global constant alias ifunc type opaque define declare attributes source_filename target module
	uselistorder uselistorder_bb deplibs to unwind within from caller`)

func wordSet(list string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range bytes.Fields([]byte(list)) {
		set[string(w)] = true
	}
	return set
}

// mayBeAttribute reports whether the word can be an attribute: one that LLVM
// knows as nothing else.
func mayBeAttribute(w []byte) bool {
	return w != nil && w[0] != '$' && w[0] != '-' && w[0] != '.' && !placedWords[string(w)] && !isTypeWord(w) && !isConvention(w)
}

// attributeFollows reports whether the word that is next is an attribute of
// the function or variable before it. A known one may stand anywhere; one that
// a newer LLVM may know stands on the same line.
func (p *parser) attributeFollows(w []byte) bool {
	return functionAttributes[string(w)] || mayBeAttribute(w) && p.onLine()
}

// onLine reports whether what is next, to which peek has moved, stands on the
// line of what is before it.
func (p *parser) onLine() bool {
	return bytes.IndexByte(p.data[p.end():p.pos], '\n') < 0
}
