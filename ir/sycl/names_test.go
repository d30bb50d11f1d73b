package sycl

import (
	"strings"
	"testing"
)

func TestImportableNames(t *testing.T) {
	for name, want := range map[string]bool{
		"printf":                              true,
		"_start_c":                            true,
		"_Z6publici":                          true,
		"_ZN2ns10__internalEv":                true,  // ns::__internal()
		"_Z3__fIiEvT_":                        true,  // void __f<int>(int): the text starts with its return type
		"_Z99short":                           true,  // does not demangle
		"_Z":                                  true,  // likewise
		"_Z3__fv":                             false, // __f()
		"_ZN3__n1fEv":                         false, // __n::f()
		"_ZN3__tC1Ev":                         false, // __t::__t()
		"_Z28__spirv_GlobalInvocationId_xv":   false,
		"_Z18__sycl_hidden_thingv":            false,
		"_Z12__esimd_loadv":                   false,
		"__assert_fail":                       false,
		"__devicelib_sinf":                    false,
		"__spirv_MemoryBarrier":               false,
		"llvm.trap":                           false,
		"":                                    false,
		"_Z1fISt4pairIS_IS_IiiES1_ES2_EEvT_S": true, // names that are cut
	} {
		if got := IsImportableName(name); got != want {
			t.Errorf("IsImportableName(%q) = %v; want %v (%s)", name, got, want, Demangle(name))
		}
	}
}

// A name of a few hundred bytes can stand for a text that doubles with each
// substitution.
func TestDemangleEnds(t *testing.T) {
	var b strings.Builder
	b.WriteString("_Z1fI1AIS_S_E")
	for _, c := range "012345678ABCDEFGHIJKLMNOPQRSTUV" {
		b.WriteString("1AIS" + string(c) + "_S" + string(c) + "_E")
	}
	b.WriteString("Evv")
	if n := len(Demangle(b.String())); n > 1<<maxDemangled {
		t.Errorf("%d bytes of text", n)
	}
}
