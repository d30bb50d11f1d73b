package downgrade

// Target is the reader that a module is rewritten for.
type Target struct {
	// LLVM is its major version, 14 or newer.
	LLVM int
	// Snapshot is true for a reader of bitcode that was made from LLVM's
	// sources months before that version was released, as the llvm-spirv of
	// PyPI's dpcpp-llvm-spirv 2024.2.0 from those of LLVM 19: it lacks the
	// constructs of the last months.
	Snapshot bool
}

// readsVersion reports whether the target reads text with the constructs of that major
// version.
func (t Target) readsVersion(since int) bool { return since <= t.LLVM }
