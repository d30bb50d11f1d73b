package downgrade

import (
	"strings"

	"offlink/ir/llvmschema"
	"offlink/lazy"
)

// effects are the accesses that a function may make to a part of memory.
type effects uint8

const (
	reads effects = 1 << iota
	writes
)

var effectWords = lazy.Map[string, effects]{New: func() map[string]effects {
	return map[string]effects{"none": 0, "read": reads, "write": writes, "readwrite": reads | writes}
}}

func (e effects) String() string {
	return [...]string{"none", "read", "write", "readwrite"}[e]
}

// memory is a memory(...) attribute in the parts that LLVM 16 has.
type memory struct{ argument, inaccessible, other effects }

// parseMemory reads the part between the parentheses. errnomem (LLVM 21) was split from other, and
// target_mem0 and target_mem1 (LLVM 22) from inaccessiblemem; they are joined again. newest is the
// LLVM version that brought the newest of the given parts.
func parseMemory(text string) (m memory, newest int, ok bool) {
	parts := map[string]effects{}
	for _, item := range strings.Split(text, ",") {
		where, kind, found := strings.Cut(item, ":")
		if !found {
			where, kind = "", where
		}
		e, known := effectWords.Get()[strings.TrimSpace(kind)]
		if !known {
			return m, 0, false
		}
		parts[strings.TrimSpace(where)] = e
	}
	newest = llvmschema.MemoryEffects
	part := func(where string) effects {
		e, given := parts[where]
		delete(parts, where)
		if !given {
			return parts[""]
		}
		newest = max(newest, llvmschema.MemoryParts.Get()[where])
		return e
	}
	m.argument = part("argmem")
	m.inaccessible = part("inaccessiblemem") | part("target_mem0") | part("target_mem1")
	m.other = part("errnomem") | parts[""]
	delete(parts, "")
	return m, newest, len(parts) == 0
}

// String returns the attribute as LLVM 16 to 20 print it.
func (m memory) String() string {
	text := m.other.String()
	if m.argument != m.other {
		text += ", argmem: " + m.argument.String()
	}
	if m.inaccessible != m.other {
		text += ", inaccessiblemem: " + m.inaccessible.String()
	}
	return "memory(" + text + ")"
}

// memoryWords returns attributes of LLVM before 16 that allow the effects of m, and as few others
// as possible.
func (m memory) memoryWords() string {
	all := m.argument | m.inaccessible | m.other
	if all == 0 {
		return "readnone"
	}
	var words []string
	if m.other == 0 {
		switch {
		case m.inaccessible == 0:
			words = append(words, "argmemonly")
		case m.argument == 0:
			words = append(words, "inaccessiblememonly")
		default:
			words = append(words, "inaccessiblemem_or_argmemonly")
		}
	}
	switch all {
	case reads:
		words = append(words, "readonly")
	case writes:
		words = append(words, "writeonly")
	}
	return strings.Join(words, " ")
}

// rewriteMemory writes memory(...) with the parts that the target has.
func (r *rewriter) rewriteMemory(t token) {
	text, end := r.keywordArgument()
	m, newest, ok := parseMemory(text)
	switch {
	case !ok:
		r.failAt(t, "memory("+text+"): not understood")
	case !r.target.readsVersion(llvmschema.MemoryEffects):
		if words := m.memoryWords(); words != "" {
			r.replaceRange(t.Start, end, words)
		} else {
			r.dropRange(t.Start, end)
		}
	case !r.target.readsVersion(newest):
		r.replaceRange(t.Start, end, m.String())
	}
}
