package bitcode_test

import (
	"testing"

	"offlink/ir"
	"offlink/ir/bitcode"
)

// TestListKey: changes of attributes that differ have keys that differ, whatever bytes
// the strings hold.
func TestListKey(t *testing.T) {
	type change struct {
		list   uint64
		add    []ir.Attribute
		remove []string
	}
	changes := []change{
		{1, []ir.Attribute{{Key: "a", Value: "1\x00+b\x002"}}, nil},
		{1, []ir.Attribute{{Key: "a", Value: "1"}, {Key: "b", Value: "2"}}, nil},
		{1, []ir.Attribute{{Key: "a", Value: "1\x00-b"}}, nil},
		{1, []ir.Attribute{{Key: "a", Value: "1"}}, []string{"b"}},
		{1, nil, []string{"a\x00-b"}},
		{1, nil, []string{"a", "b"}},
		{1, []ir.Attribute{{Key: "a", Value: "b"}}, nil},
		{2, nil, []string{"a", "b"}},
	}
	keys := make(map[string]int)
	for i, c := range changes {
		key := bitcode.ListKey(c.list, c.add, c.remove)
		if before, found := keys[key]; found {
			t.Errorf("changes %d and %d have the same key %q", before, i, key)
		}
		keys[key] = i
	}
}
