package spirv

import "testing"

// TestFindRecursion: cycles of one function and of several are found, also under functions
// that are in none; calls that meet again are none.
func TestFindRecursion(t *testing.T) {
	function := func(name, calls string) string {
		return name + " = OpFunction %void None %fn\n%l" + name[1:] + " = OpLabel\n" + calls + "OpReturn\nOpFunctionEnd\n"
	}
	call := func(result, name string) string { return result + " = OpFunctionCall %void " + name + "\n" }
	for _, c := range []struct {
		name, text string
		found      string
	}{
		{"none", function("%a", call("%1", "%b")+call("%2", "%c")) + function("%b", call("%3", "%c")) + function("%c", ""), ""},
		{"itself", function("%a", call("%1", "%b")) + function("%b", call("%2", "%b")), "b"},
		{"by way of another", function("%a", call("%1", "%d")+call("%2", "%b")) + function("%b", call("%3", "%c")) + function("%c", call("%4", "%d")+call("%5", "%b")) + function("%d", ""), "b"},
	} {
		names := "OpCapability Addresses\nOpCapability Kernel\nOpMemoryModel Physical64 OpenCL\nOpName %a \"a\"\nOpName %b \"b\"\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n"
		m, err := Parse(assemble(t, names+c.text))
		if err != nil {
			t.Fatal(err)
		}
		id := m.FindRecursion()
		if (id == 0) != (c.found == "") || id != 0 && m.Name(id) != c.found {
			t.Errorf("%s: function %d (%s); want %q", c.name, id, m.Name(id), c.found)
		}
	}
}
