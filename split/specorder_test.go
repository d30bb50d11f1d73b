package split_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/ir"
	"offlink/split"
)

// Constants that one function reads are numbered as LLVM lists the uses of that function.
func TestOrderOfSpecConstants(t *testing.T) {
	const declaration = "declare i32 @_Z37__sycl_getScalar2020SpecConstantValueIiE(ptr, ptr, ptr)\n"
	function := func(name string, constants ...string) string {
		var b strings.Builder
		b.WriteString("define spir_kernel void @" + name + "(ptr %p) \"sycl-module-id\"=\"a\" {\n")
		for _, c := range constants {
			b.WriteString("%" + c + " = call i32 @_Z37__sycl_getScalar2020SpecConstantValueIiE(ptr @n" + c + ", ptr @value, ptr %p)\n")
		}
		return b.String() + "ret void }\n"
	}
	globals := "@value = private constant { i32 } { i32 1 }\n"
	for _, name := range []string{"a", "b", "c", "d"} {
		globals += "@n" + name + " = private constant [2 x i8] c\"" + name + "\\00\"\n"
	}
	text := globals + function("k1", "a", "b") + declaration + function("k2", "c", "d")
	reader := "_Z37__sycl_getScalar2020SpecConstantValueIiE"

	for _, x := range []struct {
		name     string
		text     string
		mode     split.Mode
		bitcode  bool
		order    []uint32
		expected string
	}{
		{"declared after the uses", globals + function("k1", "a", "b") + function("k2", "c") + declaration, split.None, false, nil, "a b c"},
		{"declared before the uses", globals + declaration + function("k1", "a", "b") + function("k2", "c"), split.None, false, nil, "c b a"},
		{"declared in between", text, split.None, false, nil, "d c a b"},
		{"split", text, split.Source, false, nil, "d c b a"},
		{"bitcode", text, split.None, true, nil, "d c b a"},
		{"an order that bitcode states", text, split.None, true, []uint32{2, 3, 1, 0}, "a b d c"},
		{"an order that bitcode states, split", text, split.Source, true, []uint32{2, 3, 1, 0}, "d c b a"},
		{"an order of other uses", text, split.None, true, []uint32{1, 0}, "d c b a"},
		{"an order with places that repeat", text, split.None, true, []uint32{1, 1, 0, 0}, "b a d c"},
	} {
		t.Run(x.name, func(t *testing.T) {
			m := parse(t, x.text)
			if x.bitcode {
				m.Producer = "LLVM19.1.7"
			}
			if id, ok := m.Lookup(reader); ok && x.order != nil {
				m.UseOrders = map[ir.ValueID][]uint32{id: x.order}
			}
			g, err := split.NewGraph(m, split.Options{Mode: x.mode, SpecConstants: split.SpecConstantsNative})
			if err != nil {
				t.Fatal(err)
			}
			groups, err := g.Plan()
			if err != nil {
				t.Fatal(err)
			}
			s, err := g.NewExtractor().Extract(&groups[0])
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, c := range s.SpecConstants {
				names = append(names, c.Name)
			}
			if diff := cmp.Diff(x.expected, strings.Join(names, " ")); diff != "" {
				t.Errorf("order of constants (-want +got):\n%s", diff)
			}
		})
	}
}
