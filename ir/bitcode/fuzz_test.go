package bitcode_test

import (
	"testing"

	"offlink/ir"
)

// FuzzRead checks that any input is an error or a module that can be asked
// about and written, whole and in part, and that the output is read as
// the same module again.
func FuzzRead(f *testing.F) {
	for _, data := range seeds(f) {
		f.Add(data)
	}
	f.Fuzz(checkAny)
}

// ask asks everything that a module can be asked, for the sake of panics.
func ask(m *ir.Module) {
	for i := range m.Nodes.Len() {
		m.Source.Operands(ir.NodeID(i))
	}
	callees := map[ir.ValueID]bool{}
	for i := range m.Values {
		callees[ir.ValueID(i)] = true
	}
	for i := range m.Values {
		id := ir.ValueID(i)
		m.Initializer(id)
		m.Source.ElementRefs(id, []int{0, 5})
		calls, err := ir.FindCalls(m, id, callees)
		if err == nil && len(calls) > 0 {
			ir.RefsWithoutCalls(m, id, []int{calls[0].Number})
		}
	}
}
