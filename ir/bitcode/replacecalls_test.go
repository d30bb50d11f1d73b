package bitcode_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"offlink/ir"
	"offlink/ir/irtext"
)

// replaceable returns the direct calls that can be replaced, by function: those
// that have a result or write it through an argument.
func replaceable(m *ir.Module) map[string][]ir.Call {
	callees, found := map[ir.ValueID]bool{}, map[string][]ir.Call{}
	for i := range m.Values {
		callees[ir.ValueID(i)] = true
	}
	for i := range m.Values {
		calls, err := ir.FindCalls(m, ir.ValueID(i), callees)
		if err != nil {
			continue
		}
		calls = slices.DeleteFunc(calls, func(c ir.Call) bool {
			t := &m.Types[c.Result]
			sret := len(c.Arguments) > 0 && c.Arguments[0].SRet
			return !sret && t.Kind == ir.TypeOther || sret && c.Arguments[0].Pointee == ir.NoType || t.Kind == ir.TypeTarget
		})
		if len(calls) > 0 {
			found[m.Values[i].Name] = calls
		}
	}
	return found
}

// editCalls replaces the calls of those functions by values of several kinds.
func editCalls(s *ir.Partition, calls map[string][]ir.Call) *ir.Partition {
	for name, list := range calls {
		id, _ := s.Module.Lookup(name)
		for i, c := range list {
			e := ir.Expression{Type: c.Result, Align: 1}
			if len(c.Arguments) > 0 && c.Arguments[0].SRet {
				e.Type = c.Arguments[0].Pointee
			}
			switch i % 3 {
			case 0:
				e.Constant = ir.Constant{Kind: ir.ConstantZero, Type: e.Type}
			case 1:
				e.Constant = ir.Constant{Kind: ir.ConstantUndef, Type: e.Type}
			case 2:
				e.Kind, e.Callee = ir.ExpressionCall, fmt.Sprintf("made.%s.%d", name, i)
			}
			s.Edit(id).Calls = append(s.Edit(id).Calls, ir.CallEdit{Call: c.Number, Value: e})
		}
	}
	return s
}

// Replacing calls gives the same modules from bitcode as from text, whatever
// compilers put around calls.
func TestReplaceCallsOfPrograms(t *testing.T) {
	eachProgram(t, func(t *testing.T, m *module) {
		if !strings.Contains(t.Name(), "-g") {
			t.Skip("modes with debug information have all shapes of calls")
		}
		fromText, err := irtext.Parse(m.name, []byte(m.text(t)))
		if err != nil {
			t.Fatal(err)
		}
		fromBitcode := m.read(t)
		want, got := replaceable(fromText), replaceable(fromBitcode)
		for name := range want {
			if len(want[name]) != len(got[name]) {
				t.Errorf("@%s has %d calls, in text %d", name, len(got[name]), len(want[name]))
			}
		}
		if len(want) != len(got) {
			t.Errorf("%d functions with calls, in text %d", len(got), len(want))
		}
		x := m.with(write(t, editCalls(whole(fromBitcode), got)))
		text := write(t, editCalls(whole(fromText), want))
		var options []string
		if strings.Contains(string(text), "* ") && m.version == "15" && !strings.Contains(string(text), "ptr") {
			options = append(options, "-opaque-pointers=0")
		}
		assembled := m.with(filter(t, text, llvmTool(t, "llvm-as", m.version), append(options, "-o", "-")...))
		same(t, "the module differs from the text codec's", canonical(assembled.text(t)), canonical(x.text(t)))
	})
}
