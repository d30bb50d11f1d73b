package testtool

import "testing"

// Compiler is a clang and an llvm-spirv that reads its bitcode.
type Compiler struct {
	Clang, Translator string
	Options           []string // of clang, for bitcode that the translator reads
}

// OpenCLCompiler returns the compilers of LLVM 15 with typed pointers; where the system has
// no packages of them, as Debian 13, clang-19 and the pinned llvm-spirv,
// which knows no debug records: device code with -g is beyond it.
func OpenCLCompiler(t testing.TB) Compiler {
	t.Helper()
	skipShort(t)
	lacks := func(tool string) bool { return !Installed(tool) && Unavailable(tool) }
	if lacks("clang-15") || lacks("llvm-spirv-15") {
		return Compiler{Clang: Path(t, "clang-19"), Translator: Python(t, "lib/python3*/site-packages/dpcpp_llvm_spirv/bin/llvm-spirv")}
	}
	return Compiler{Path(t, "clang-15"), Path(t, "llvm-spirv-15"), []string{"-Xclang", "-no-opaque-pointers"}}
}
