package irtext_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"offlink/ir"
	"offlink/ir/irtext"
)

func TestParameterAttributes(t *testing.T) {
	const text = `
%"a b" = type { i32 }
define "result" void @f(ptr "x"="y" noalias "z" %0, i32 %1, ptr byval(%"a b") align 4 "w" %2, ...) "own" {
  call void @g(ptr "call" %0)
  ret void
}
declare void @g(ptr)
`
	m, err := irtext.Parse("in.ll", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	at := func(index int, key, value string) ir.ParameterAttribute {
		return ir.ParameterAttribute{Index: index, Attribute: ir.Attribute{Key: key, Value: value}}
	}
	want := map[string][]ir.ParameterAttribute{"f": {at(0, "x", "y"), at(0, "z", ""), at(2, "w", "")}, "g": nil}
	for name, want := range want {
		id, _ := m.Lookup(name)
		if diff := cmp.Diff(want, m.Values[id].Details().Parameters, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("@%s: (-want +got):\n%s", name, diff)
		}
	}
}
