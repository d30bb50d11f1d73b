package ptx

import (
	"encoding/binary"
	"slices"
	"testing"
)

func TestArchitectures(t *testing.T) {
	for name, c := range map[string]struct {
		want Architecture
		ok   bool
		// the devices that run native code, and those for which PTX is compiled, of all
		native, compiled []int
	}{
		"sm_80":   {Architecture{SM: 80}, true, []int{80, 86}, []int{80, 86, 90, 100, 103, 120}},
		"sm_86":   {Architecture{SM: 86}, true, []int{86}, []int{86, 90, 100, 103, 120}},
		"sm_90a":  {Architecture{SM: 90, Exact: true}, true, []int{90}, []int{90}},
		"sm_100":  {Architecture{SM: 100}, true, []int{100, 103}, []int{100, 103, 120}},
		"sm_100a": {Architecture{SM: 100, Exact: true}, true, []int{100}, []int{100}},
		"sm_100f": {Architecture{SM: 100, Family: true}, true, []int{100, 103}, []int{100, 103}},
		"sm_":     {}, "sm_x": {}, "compute_80": {}, "": {}, "sm_-1": {}, "sm_0": {}, "sm_99999": {},
	} {
		a, ok := ParseArchitecture(name)
		if ok != c.ok || ok && a != c.want {
			t.Errorf("%s: %+v, %v", name, a, ok)
		}
		if !ok {
			continue
		}
		if a.String() != name {
			t.Errorf("%s is spelled %v", name, a)
		}
		for _, device := range []int{75, 80, 86, 90, 100, 103, 120} {
			if got, want := a.RunsNative(device), slices.Contains(c.native, device); got != want {
				t.Errorf("native code for %s runs on %d: %v", name, device, got)
			}
			if got, want := a.Compiles(device), slices.Contains(c.compiled, device); got != want {
				t.Errorf("PTX for %s compiles for %d: %v", name, device, got)
			}
		}
	}
}

// TestCubinArchitecture: the flags that ptxas 12.9 writes.
func TestCubinArchitecture(t *testing.T) {
	for _, c := range []struct {
		abi   byte
		flags uint32
		want  string
	}{
		{7, 0x004b054b, "sm_75"},
		{7, 0x00500550, "sm_80"},
		{7, 0x005a055a, "sm_90"},
		{7, 0x005a0d5a, "sm_90a"},
		{8, 0x06006402, "sm_100"},
		{8, 0x0600640a, "sm_100a"},
		{8, 0x06006702, "sm_103"},
		{8, 0x0600780a, "sm_120a"},
	} {
		head := make([]byte, cubinHead)
		copy(head, "\x7fELF")
		head[cubinABI] = c.abi
		binary.LittleEndian.PutUint32(head[cubinFlags:], c.flags)
		if a, ok := CubinArchitecture(head); !ok || a.String() != c.want {
			t.Errorf("%#x: %v, %v; want %s", c.flags, a, ok, c.want)
		}
		for n := range head {
			if a, ok := CubinArchitecture(head[:n]); ok {
				t.Errorf("%d bytes: %v", n, a)
			}
		}
	}
	if a, ok := CubinArchitecture(make([]byte, cubinHead)); ok {
		t.Errorf("zeros: %v", a)
	}
}
