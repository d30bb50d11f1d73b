package split

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Names that belong to the compiler and its libraries.

// isBuiltin reports whether name is a built-in function of compilers, or a
// mangled one of SPIR-V, SYCL or ESIMD: _Z<digits>__spirv_...
func isBuiltin(name string) bool {
	if strings.HasPrefix(name, "__builtin_") {
		return true
	}
	rest, ok := strings.CutPrefix(name, "_Z")
	if !ok {
		return false
	}
	rest = strings.TrimLeft(rest, "0123456789")
	return strings.HasPrefix(rest, "__spirv_") || strings.HasPrefix(rest, "__sycl_") || strings.HasPrefix(rest, "__esimd_")
}

// isReserved reports whether the name itself says that no user wrote the
// function.
func isReserved(name string) bool {
	return name == "" || strings.HasPrefix(name, "llvm.") || strings.HasPrefix(name, "__") || isBuiltin(name)
}

// isImportableName reports whether a function of that name can be taken from
// another image: neither the name nor the demangled text may begin with two
// underscores. A template's text begins with its return type.
func isImportableName(name string) bool {
	return !isReserved(name) && !strings.HasPrefix(Demangle(name), "__")
}

// maxDemangled bounds the length of demangled text, as a power of two: short
// names can stand for texts without end.
const maxDemangled = 16

// Demangle returns the text of a mangled Itanium name, and other names as
// they are.
func Demangle(name string) string {
	if !strings.HasPrefix(name, "_Z") {
		return name
	}
	return demangle.Filter(name, demangle.MaxLength(maxDemangled))
}

// bfloat16 conversions are the device library's and can be imported whatever
// the dependencies (IntelGPU bf16 device libraries).
var bfloat16Prefixes = []string{"__devicelib_ConvertFToBF16INTEL", "__devicelib_ConvertBF16ToFINTEL"}

// IsBFloat16Library reports whether name is a conversion function of the
// bfloat16 device libraries, scalar or vector (...Vec1 to Vec16).
func IsBFloat16Library(name string) bool {
	for _, prefix := range bfloat16Prefixes {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		switch rest {
		case "", "Vec1", "Vec2", "Vec3", "Vec4", "Vec8", "Vec16":
			return true
		}
	}
	return false
}
