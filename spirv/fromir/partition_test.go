package fromir_test

import (
	"bytes"
	"testing"

	"offlink/ir"
	"offlink/spirv/fromir"
)

// TestImageWithoutUnits: an image of which nothing is left has the same bytes before and
// after other images of its module, and changes none of them.
func TestImageWithoutUnits(t *testing.T) {
	m := parseIR(t, `define internal void @unused() {
  ret void
}
define spir_kernel void @k(ptr addrspace(1) %p) {
  store i32 1, ptr addrspace(1) %p
  ret void
}
`)
	parts := map[string]*ir.Partition{}
	for _, name := range []string{"unused", "k"} {
		id, ok := m.Lookup(name)
		if !ok {
			t.Fatal("no", name)
		}
		parts[name] = &ir.Partition{Module: m, Definitions: []ir.ValueID{id}}
	}
	alone := map[string][]byte{}
	for name, part := range parts {
		alone[name] = translatePartition(t, newTranslation(t, m), part)
	}
	for _, order := range [][]string{{"unused", "k"}, {"k", "unused"}} {
		shared := newTranslation(t, m)
		for _, name := range order {
			if code := translatePartition(t, shared, parts[name]); !bytes.Equal(code, alone[name]) {
				t.Errorf("%v: the image of %s is\n%s\nalone\n%s", order, name, dump(t, verified(t, code)), dump(t, verified(t, alone[name])))
			}
		}
	}
}

// TestModuleFlags: partitions with other flags of the module do not share facts that
// follow from these.
func TestModuleFlags(t *testing.T) {
	m := parseIR(t, debugModule)
	id, ok := m.Lookup("k")
	if !ok {
		t.Fatal("no k")
	}
	plain := &ir.Partition{Module: m, Definitions: []ir.ValueID{id}}
	for i := range m.Values {
		if m.Values[i].Declaration {
			plain.Declarations = append(plain.Declarations, ir.ValueID(i))
		}
	}
	changed := *plain
	changed.Named = []ir.NamedEdit{{Name: "llvm.module.flags", Keep: []int{1}, New: []ir.NewNode{{Operands: []ir.Operand{
		{Kind: ir.OperandInt, Int: 7}, {Kind: ir.OperandString, String: "Dwarf Version"}, {Kind: ir.OperandInt, Int: 5},
	}}}}}
	shared := newTranslation(t, m)
	for _, part := range []*ir.Partition{plain, &changed} {
		if code := translatePartition(t, shared, part); !bytes.Equal(code, translatePartition(t, newTranslation(t, m), part)) {
			t.Error("the flags of another partition are used")
		}
	}
	if bytes.Equal(translatePartition(t, shared, plain), translatePartition(t, shared, &changed)) {
		t.Error("the version of DWARF is not in the module")
	}
}

func newTranslation(t *testing.T, m *ir.Module) *fromir.Translation {
	t.Helper()
	o := options()
	o.Debug = fromir.DebugOpenCL100
	translation, err := fromir.NewTranslation(m, o)
	if err != nil {
		t.Fatal(err)
	}
	return translation
}

func translatePartition(t *testing.T, translation *fromir.Translation, part *ir.Partition) []byte {
	t.Helper()
	code, err := translation.Partition(part, "image")
	if err != nil {
		t.Fatal(err)
	}
	return code
}
