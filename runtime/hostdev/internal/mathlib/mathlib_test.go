package mathlib

import (
	"slices"
	"strings"
	"testing"

	"offlink/spirv"
)

// compiled has the instructions that the device compiles itself (runtime/hostdev,
// stdLower1 to stdLower3): the library is made of no others.
var compiled = []string{"fabs", "sqrt", "floor", "ceil", "trunc", "rint", "fmin", "fmax", "copysign", "clz", "ctz", "popcount", "s_min", "s_max", "u_min", "u_max", "s_clamp", "u_clamp", "rotate", "bitselect", "mad", "fclamp", "s_abs", "u_abs", "u_add_sat", "u_sub_sat"}

func TestLibrary(t *testing.T) {
	if len(codes.Get()) < 180 {
		t.Errorf("the library has %d functions", len(codes.Get()))
	}
	for name := range codes.Get() {
		m, err := module(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Verify(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if list := m.Imports(); len(list) > 0 {
			t.Errorf("%s imports %s", name, list[0].Name)
		}
		for in := range m.Instructions() {
			if in.Op != spirv.OpExtInst {
				continue
			}
			if inst := spirv.ExtInstName(m.ExtInstSet(spirv.ID(in.Words[2])), in.Words[3]); !slices.Contains(compiled, inst) {
				t.Errorf("%s is made of %s", name, inst)
			}
		}
		if strings.HasSuffix(name, "_f64") && codes.Get()[strings.TrimSuffix(name, "_f64")+"_f32"] == nil {
			t.Errorf("%s has no twin for floats", name)
		}
	}
}
