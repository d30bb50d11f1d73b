package fromir

import (
	"fmt"
	"strings"
	"testing"
)

// TestDemangleTemplates: substitutions count the names of templates, the parts of their
// arguments and each prefix of a nested name, as the Itanium C++ ABI says.
func TestDemangleTemplates(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"_Z4testIiEvPT_S1_", "unknown* unknown*"},
		{"_Z4testI3barPfEvS1_S0_", "float* bar"},
		{"_Z4testILi4EfEvPU3AS1fS1_", "float*1 float*1"},
		{"_Z4testI5LEVELPdEvS1_i", "double* int"},
		{"_Z4testIiEvN4sycl3_V13vecIfLi4EEEPfS4_", "unknown float* float*"},
		{"_Z4testIiEvNSt3vecIfEEPfS2_", "unknown float* float*"},
		{"_Z4testIJifPcEEvPdS1_S0_", "double* double* char*"},
		{"_Z4testI3vecIPfEEvS1_S2_", "float* unknown"},
		{"_Z4testIiEv", ""},
	} {
		name, parameters, form := demangleName(test.name)
		var list []string
		for _, p := range parameters {
			list = append(list, spellMangled(p))
		}
		if got := strings.Join(list, " "); name != "test" || form != wholeName || got != test.want {
			t.Errorf("%s is %s of (%s), form %d; want (%s)", test.name, name, got, form, test.want)
		}
	}
	for _, bad := range []string{"_Z4testI", "_Z4testIi", "_Z4testILi4", "_Z4testI" + strings.Repeat("J", 1000), "_Z4testIXadL_Z1fEEEvi", "_Z4testIiEvN3abc", "_Z4testIiEvT"} {
		if _, _, form := demangleName(bad); form != partOfName {
			t.Errorf("%.40s is understood to the end", bad)
		}
	}
}

func spellMangled(p mangledType) string {
	text := map[byte]string{'i': "int", 'f': "float", 'd': "double", 'c': "char"}[p.scalar]
	if p.unknown {
		text = "unknown"
	} else if p.scalar == 0 {
		text = p.name
	}
	text += strings.Repeat("*", p.pointer)
	if p.space != 0 {
		text += fmt.Sprint(p.space)
	}
	return text
}

// TestVectorAccessNames: names of vload and vstore are taken apart, and others that begin
// so are functions like any other.
func TestVectorAccessNames(t *testing.T) {
	for name, want := range map[string]string{
		"vload4": "vloadn", "vstore16": "vstoren", "vload_half": "vload_half", "vload_half3": "vload_halfn",
		"vloada_half": "vloada_halfn", "vstore_half_rtz": "vstore_half_r", "vstorea_half4_rte": "vstorea_halfn_r",
	} {
		if access, ok := parseVectorAccess(name); !ok || access.instructionName() != want {
			t.Errorf("%s: instruction %s, %v; want %s", name, access.instructionName(), ok, want)
		}
	}
	for _, name := range []string{"vload", "vloads", "vload5", "vloada4", "vload_half_rte", "vstore4_rte", "vstore_half4_rtx", "vstore_table"} {
		if access, ok := parseVectorAccess(name); ok {
			t.Errorf("%s is taken for %s", name, access.instructionName())
		}
	}
}
