// Package builtins knows the names of the functions and variables that devices provide.
package builtins

import (
	"bytes"
	"compress/zlib"
	_ "embed"
	"io"
	"strings"
	"sync"
)

//go:generate go run gen.go clang-15 clang-19

//go:embed builtins.txt.zlib
var builtinNames []byte

// openclBuiltins is the mangled names of all OpenCL C built-in functions.
var openclBuiltins = sync.OnceValue(func() map[string]bool {
	z, err := zlib.NewReader(bytes.NewReader(builtinNames))
	if err != nil {
		panic(err) // the embedded file is broken
	}
	text, err := io.ReadAll(z)
	if err != nil {
		panic(err)
	}
	names := make(map[string]bool)
	for name := range strings.Lines(string(text)) {
		names[strings.TrimSuffix(name, "\n")] = true
	}
	return names
})

// Contains reports whether the device provides the function or variable of
// that name: an OpenCL C built-in, an LLVM intrinsic, or one of those that
// stand for a SPIR-V instruction or built-in variable.
func Contains(name string) bool {
	return IsIntrinsic(name) || isSPIRVBuiltin(name) || openclBuiltins()[name]
}

// IsIntrinsic reports whether a name is that of an LLVM intrinsic. A translator leaves
// those without an instruction in SPIR-V as imports, and the device provides them.
func IsIntrinsic(name string) bool { return strings.HasPrefix(name, "llvm.") }

// isSPIRVBuiltin reports whether a name has SPIR-V's friendly form: __spirv_X, or
// mangled _Z<length>__spirv_X (SPIRV-LLVM-Translator, SPIRVRepresentationInLLVM).
func isSPIRVBuiltin(name string) bool {
	if rest, ok := strings.CutPrefix(name, "_Z"); ok {
		name = strings.TrimLeft(rest, "0123456789")
	}
	return strings.HasPrefix(name, "__spirv_")
}
