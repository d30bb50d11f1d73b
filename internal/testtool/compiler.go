package testtool

import "testing"

// Compiler is a clang, the tools of its LLVM, and an llvm-spirv that reads its
// bitcode.
type Compiler struct {
	Clang, Translator string
	Optimizer         string   // opt
	Assembler         string   // llvm-as
	Options           []string // of clang, for bitcode that the translator reads
	OptimizerOptions  []string // of opt, for the same
}

// PinnedTranslator returns the llvm-spirv of build/python, which reads typed pointers of
// LLVM 14 and opaque ones of LLVM 15 to 19.
func PinnedTranslator(t testing.TB) string {
	t.Helper()
	return Python(t, "lib/python3*/site-packages/dpcpp_llvm_spirv/bin/llvm-spirv")
}

// OpenCLCompiler returns the compilers of LLVM 15 with typed pointers. Where the
// system has no packages of them, as Debian 13, it returns those of LLVM 19. A test
// of typed pointers names LLVM 15 itself.
func OpenCLCompiler(t testing.TB) Compiler {
	t.Helper()
	skipShort(t)
	for _, tool := range []string{"clang-15", "llvm-as-15", "llvm-spirv-15"} {
		if !Installed(tool) && Unavailable(tool) {
			return opaqueCompiler(t)
		}
	}
	return Compiler{
		Clang: Path(t, "clang-15"), Translator: Path(t, "llvm-spirv-15"),
		Optimizer: Path(t, "opt-15"), Assembler: Path(t, "llvm-as-15"),
		Options:          []string{"-Xclang", "-no-opaque-pointers"},
		OptimizerOptions: []string{"-opaque-pointers=0"},
	}
}

// opaqueCompiler returns the compilers of LLVM 19. The pinned llvm-spirv, for systems
// that have clang-19 and no llvm-spirv-19, does not read debug information of clang-19.
func opaqueCompiler(t testing.TB) Compiler {
	t.Helper()
	c := Compiler{Clang: Path(t, "clang-19"), Optimizer: Path(t, "opt-19"), Assembler: Path(t, "llvm-as-19")}
	if Installed("llvm-spirv-19") {
		c.Translator = Path(t, "llvm-spirv-19")
	} else {
		c.Translator = PinnedTranslator(t)
	}
	return c
}

// Typed reports whether pointers have the types of their elements.
func (c Compiler) Typed() bool { return len(c.Options) > 0 }
