package irtext

import (
	"bytes"

	"offlink/ir/llvmschema"
	"offlink/lazy"
)

// Words where attributes stand: those that LLVM knows as attributes, those
// that it knows as something else, and others, which newer versions may know.

// functionAttributes are the attributes of functions and variables that are
// words.
var functionAttributes = lazy.Map[string, bool]{New: func() map[string]bool {
	set := make(map[string]bool)
	for _, name := range llvmschema.FunctionAttributes() {
		set[name] = true
	}
	return set
}}

// isPlacedWord reports whether a word is not an attribute, but belongs to a construct that has its
// place. Most words of a module are asked about: the comparisons of a switch are faster than a map.
func isPlacedWord(w []byte) bool {
	switch string(w) {
	case "external", "available_externally", "linkonce", "linkonce_odr", "weak", "weak_odr", "appending",
		"internal", "private", "extern_weak", "common", "dso_local", "dso_preemptable", "default", "hidden",
		"protected", "dllimport", "dllexport", "thread_local", "unnamed_addr", "local_unnamed_addr",
		"externally_initialized", "addrspace", "section", "partition", "comdat", "gc", "prefix", "prologue",
		"personality", "code_model", "no_sanitize_address", "no_sanitize_hwaddress", "sanitize_address_dyninit",
		"global", "constant", "alias", "ifunc", "type", "opaque", "define", "declare", "attributes",
		"source_filename", "target", "module", "uselistorder", "uselistorder_bb", "deplibs", "to", "unwind",
		"within", "from", "caller":
		return true
	}
	return false
}

// wordSet makes a set of the words of a list.
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
	return w != nil && w[0] != '$' && w[0] != '-' && w[0] != '.' && !isPlacedWord(w) && !isTypeWord(w) && !isConvention(w)
}

// attributeFollows reports whether the word that is next is an attribute of
// the function, variable or call before it. LLVM prints these as groups, so that
// words which a newer LLVM may know are taken there and nowhere else.
func attributeFollows(w []byte) bool { return functionAttributes.Get()[string(w)] }

// onLine reports whether the next token, to which peek has moved, is on the
// line of the token before it.
func (p *parser) onLine() bool {
	return !bytes.ContainsAny(p.data[p.endOfToken():p.pos], "\n\r")
}
