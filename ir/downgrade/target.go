package downgrade

// Target is the reader that a module is rewritten for.
type Target struct {
	// LLVM is its major version, 14 or newer.
	LLVM int
	// Snapshot is true for a reader that was made from LLVM's sources months
	// before that version was released, as the llvm-spirv of PyPI's
	// dpcpp-llvm-spirv 2024.2.0 from those of LLVM 19: it lacks what came in
	// the last months.
	Snapshot bool
}

// version is when LLVM got a construct.
type version struct {
	major int
	// late is true for what came in the last months before the release.
	late bool
}

// reads reports whether the target has what came with v.
func (t Target) reads(v version) bool {
	return v.major < t.LLVM || v.major == t.LLVM && !(v.late && t.Snapshot)
}
