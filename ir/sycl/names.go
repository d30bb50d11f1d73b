package sycl

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// IsBuiltinName reports whether name is a built-in function of compilers, or a
// mangled one of SPIR-V, SYCL or ESIMD: _Z<digits>__spirv_...
func IsBuiltinName(name string) bool {
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

// IsReservedName reports whether the name itself says that no user wrote the
// function.
func IsReservedName(name string) bool {
	return name == "" || strings.HasPrefix(name, "llvm.") || strings.HasPrefix(name, "__") || IsBuiltinName(name)
}

// IsImportableName reports whether a function of that name can be taken from
// another image: neither the name nor the demangled text may begin with two
// underscores. A template's text begins with its return type.
func IsImportableName(name string) bool {
	return !IsReservedName(name) && !strings.HasPrefix(Demangle(name), "__")
}

// maxDemangled bounds the length of demangled text, as a power of two: the
// substitutions of a short name can expand to a text of exponential length.
const maxDemangled = 16

// Demangle returns the text of a mangled Itanium name, and other names as
// they are.
func Demangle(name string) string {
	if !strings.HasPrefix(name, "_Z") {
		return name
	}
	return demangle.Filter(name, demangle.MaxLength(maxDemangled))
}

// bfloat16Prefixes begin the names of the conversions that the bfloat16 device
// libraries define. Images import them even where no other dependency between
// images is allowed, because the runtime always has these libraries at hand.
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

// invokeSIMD begins the names of the functions that call ESIMD code from
// other code.
const invokeSIMD = "_Z33__regcall3____builtin_invoke_simd"

// IsInvokeSIMD reports whether a function of that name calls ESIMD code from
// other code.
func IsInvokeSIMD(name string) bool { return strings.HasPrefix(name, invokeSIMD) }
