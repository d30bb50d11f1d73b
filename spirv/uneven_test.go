package spirv

import "testing"

// TestAllowsUneven: all sources that a module names must be OpenCL C of version 2.0 or later.
func TestAllowsUneven(t *testing.T) {
	const openCLC, openCLCPP = 3, 4
	for name, c := range map[string]struct {
		sources [][2]uint32
		want    bool
	}{
		"none":                 {nil, false},
		"OpenCL C 2.0":         {[][2]uint32{{openCLC, 200000}}, true},
		"OpenCL C 1.2":         {[][2]uint32{{openCLC, 102000}}, false},
		"SYCL":                 {[][2]uint32{{openCLCPP, 100000}}, false},
		"linked, both allow":   {[][2]uint32{{openCLC, 200000}, {openCLC, 300000}}, true},
		"linked, one does not": {[][2]uint32{{openCLC, 300000}, {openCLC, 102000}}, false},
	} {
		m := new(Module)
		for _, s := range c.sources {
			m.sections[sectionDebug] = append(m.sections[sectionDebug], &Instruction{Op: OpSource, Words: s[:]})
		}
		if got := m.AllowsUneven(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
