package ir

import (
	"strconv"
	"testing"
)

func TestNames(t *testing.T) {
	var m Module
	const n = 5000
	for i := range n {
		if id, ok := m.Define(GlobalValue{Name: "v" + strconv.Itoa(i)}); !ok || id != ValueID(i) {
			t.Fatalf("Define(v%d) = %d, %v", i, id, ok)
		}
	}
	if _, ok := m.Define(GlobalValue{Name: "v7"}); ok || len(m.Values) != n {
		t.Errorf("a name was defined twice: %d values", len(m.Values))
	}
	if _, ok := m.Define(GlobalValue{}); !ok {
		t.Error("a value without a name was refused")
	}
	again := Module{Values: m.Values}
	again.Index()
	for _, m := range []*Module{&m, &again} {
		for i := range n {
			name := "v" + strconv.Itoa(i)
			if id, ok := m.Lookup(name); !ok || id != ValueID(i) {
				t.Fatalf("Lookup(%s) = %d, %v", name, id, ok)
			}
		}
		for _, name := range []string{"", "v", "v5000"} {
			if id, ok := m.LookupBytes([]byte(name)); ok {
				t.Errorf("LookupBytes(%q) = %d", name, id)
			}
		}
	}
	var empty Module
	if _, ok := empty.Lookup("x"); ok {
		t.Error("a module without values has one")
	}
}
