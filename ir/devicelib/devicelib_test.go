package devicelib

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/ir/irfile"
)

func writeFolder(t *testing.T, files map[string]string) string {
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A library brings in the libraries that it calls, each once and in the order
// of their names; the first of two that define a function gives it.
func TestNeeded(t *testing.T) {
	dir := writeFolder(t, map[string]string{
		"libsycl-a.bc":                 "declare float @inner()\ndefine float @outer() { %v = call float @inner()\nret float %v }",
		"libsycl-b.bc":                 "declare float @outer()\ndeclare i16 @__devicelib_ConvertFToBF16INTEL(ptr)\ndefine float @inner() { ret float 0.0 }",
		"libsycl-c.bc":                 "define float @inner() { ret float 1.0 }\ndefine void @other() { ret void }\ndefine internal void @local() { ret void }",
		"libsycl-native-bfloat16.bc":   "not read",
		"libother.bc":                  "not read",
		"libsycl-fallback-complex.spv": "not read",
	})
	f, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		functions, want []string
		bfloat16        bool
	}{
		{nil, nil, false},
		{[]string{"unknown", "local"}, nil, false},
		{[]string{"outer"}, []string{"libsycl-a.bc", "libsycl-b.bc"}, true},
		{[]string{"inner"}, []string{"libsycl-a.bc", "libsycl-b.bc"}, true},
		{[]string{"other"}, []string{"libsycl-c.bc"}, false},
	} {
		var got []string
		bfloat16 := false
		for _, l := range f.Needed(tt.functions) {
			got = append(got, l.File)
			bfloat16 = bfloat16 || l.ImportsBFloat16
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || bfloat16 != tt.bfloat16 {
			t.Errorf("Needed(%q): bfloat16 %v (-want +got):\n%s", tt.functions, bfloat16, diff)
		}
	}
	if want := map[string]bool{"outer": true, "inner": true, "other": true}; !cmp.Equal(f.Functions(), want) {
		t.Errorf("Functions() = %v; want %v", f.Functions(), want)
	}
}

func TestFolderThatIsNotThere(t *testing.T) {
	f, err := ReadFolder(filepath.Join(t.TempDir(), "none"))
	if err != nil || len(f.Needed([]string{"f"})) > 0 {
		t.Errorf("%v, %v", f, err)
	}
}

func TestDamagedLibrary(t *testing.T) {
	if _, err := ReadFolder(writeFolder(t, map[string]string{"libsycl-a.bc": "define"})); err == nil {
		t.Error("no error")
	}
}

func TestMayNeed(t *testing.T) {
	for text, want := range map[string]bool{
		"declare void @f()": true,
		"declare void @llvm.trap()\ndeclare i16 @__devicelib_ConvertFToBF16INTEL(ptr)\ndefine void @g() { ret void }": false,
	} {
		m, err := irfile.Parse("in.ll", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := MayNeed(m); got != want {
			t.Errorf("MayNeed(%q) = %v", text, got)
		}
	}
}
