package irtext_test

import (
	"testing"

	"offlink/ir"
	"offlink/ir/irtext"
)

// TestNamedAddressSpaces: names stand for the spaces of the data layout.
func TestNamedAddressSpaces(t *testing.T) {
	for _, test := range []struct {
		layout, name string
		want         uint32
	}{
		{"e-A5-G1-P2", "A", 5},
		{"e-A5-G1-P2", "G", 1},
		{"e-A5-G1-P2", "P", 2},
		{"e-i64:64", "A", 0},
		{"e-p7(local):64:64", "local", 7},
		{"e-p:64:64-pe8(far):128:128", "far", 8},
	} {
		text := "target datalayout = \"" + test.layout + "\"\n@g = addrspace(\"" + test.name + "\") global i32 1\n" +
			"define void @f(ptr addrspace(\"" + test.name + "\") %p) {\n  %a = alloca i32, addrspace(\"" + test.name + "\")\n  ret void\n}\n"
		m, err := irtext.Parse("in.ll", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		g, _ := m.Lookup("g")
		f, _ := m.Lookup("f")
		if got := m.Values[g].AddressSpace; got != test.want {
			t.Errorf("%s: a variable of addrspace(%q) is in %d, want %d", test.layout, test.name, got, test.want)
		}
		if got := m.Types[m.Types[m.Values[f].Type].Elements[1]].AddressSpace; got != test.want {
			t.Errorf("%s: a pointer of addrspace(%q) points to %d, want %d", test.layout, test.name, got, test.want)
		}
		var body ir.Body
		reader := m.Source.(ir.BodySource).NewBodyReader()
		if err := reader.ReadBody(f, &body); err != nil {
			t.Fatal(err)
		}
		if got := reader.Types()[body.Instructions[0].Type].AddressSpace; got != test.want {
			t.Errorf("%s: an alloca of addrspace(%q) is in %d, want %d", test.layout, test.name, got, test.want)
		}
	}
}

// TestTargetTypes: white space does not make another type.
func TestTargetTypes(t *testing.T) {
	m, err := irtext.Parse("in.ll", []byte(`declare void @a(target("spirv.Image", void, 1, 0))
declare void @b(target( "spirv.Image",void,1,  0 ))
declare void @c(target("spirv.Image", void, 10))
`))
	if err != nil {
		t.Fatal(err)
	}
	var types []ir.TypeID
	for _, name := range []string{"a", "b", "c"} {
		id, _ := m.Lookup(name)
		types = append(types, m.Types[m.Values[id].Type].Elements[1])
	}
	if types[0] != types[1] || types[0] == types[2] {
		t.Errorf("the types have the numbers %v; the first two are the same, the third is another", types)
	}
}
