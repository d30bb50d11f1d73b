package llvmschema_test

import (
	"testing"

	"offlink/ir/llvmschema"
)

// Versions append fields to nodes: a field that is older than the one before
// it has the wrong version or the wrong place.
func TestFieldsAreAppended(t *testing.T) {
	for code, n := range llvmschema.Nodes.Get() {
		newest := 0
		for _, f := range n.Fields {
			if f.Since < newest {
				t.Errorf("record %d, %s: field %s is of LLVM %d, after one of %d", code, n.Kind, f.Name, f.Since, newest)
			}
			newest = f.Since
			checkVersion(t, n.Kind+"."+f.Name, f.Since)
		}
		if n.Length(llvmschema.Newest) != len(n.Fields) {
			t.Errorf("%s has fields that LLVM %d does not know", n.Kind, llvmschema.Newest)
		}
		if got := n.Length(llvmschema.Oldest); got < min(n.Least, len(n.Fields)) && n.Since == 0 {
			t.Errorf("%s needs %d operands; LLVM %d writes %d", n.Kind, n.Least, llvmschema.Oldest, got)
		}
	}
}

func TestVersions(t *testing.T) {
	names := map[string]bool{}
	for i, a := range llvmschema.Attributes[1:] {
		if a.Name == "" || names[a.Name] {
			t.Errorf("attribute %d: %q has no name, or that of another", i+1, a.Name)
		}
		names[a.Name] = true
		checkVersion(t, a.Name, a.Since)
		checkVersion(t, a.Name, a.Last)
	}
	for _, c := range llvmschema.Constants.Get() {
		checkVersion(t, c.Name, c.Since)
	}
	for _, in := range llvmschema.Instructions {
		if in != nil {
			checkVersion(t, in.Name, in.Since)
		}
	}
	for code, typ := range llvmschema.Types.Get() {
		checkVersion(t, "type "+string(rune('0'+code%10)), typ.Since)
	}
}

func checkVersion(t *testing.T, name string, version int) {
	t.Helper()
	if version != 0 && (version <= llvmschema.Oldest || version > llvmschema.Newest) && version != llvmschema.Oldest {
		t.Errorf("%s: LLVM %d is not of the schema's versions", name, version)
	}
}

func TestNewestAttribute(t *testing.T) {
	for version, want := range map[int]string{19: "hybrid_patchable", 20: "sanitize_type", llvmschema.Newest: "nocreateundeforpoison"} {
		if got := llvmschema.AttributeName(llvmschema.NewestAttribute(version)); got != want {
			t.Errorf("LLVM %d: %s, want %s", version, got, want)
		}
	}
}
