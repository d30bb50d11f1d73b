package spirv

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func readTestdata(t testing.TB, name string) []byte {
	t.Helper()
	code, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func parseTestdata(t testing.TB, name string) *Module {
	t.Helper()
	m, err := Parse(readTestdata(t, name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return m
}

func TestLinkage(t *testing.T) {
	app, lib := parseTestdata(t, "app.spv"), parseTestdata(t, "lib.spv")
	want := []Symbol{{Name: "LibDeviceFunc", ID: 8, Linkage: LinkageImport, Function: true, Type: "int (int)"}}
	if diff := cmp.Diff(want, app.Imports()); diff != "" {
		t.Errorf("imports of app (-want +got):\n%s", diff)
	}
	want = []Symbol{{Name: "app", ID: 13, Function: true, Type: "void (int * CrossWorkgroup)"}}
	if diff := cmp.Diff(want, app.Exports()); diff != "" {
		t.Errorf("exports of app (-want +got):\n%s", diff)
	}
	want = []Symbol{{Name: "LibDeviceFunc", ID: 4, Function: true, Type: "int (int)"}}
	if diff := cmp.Diff(want, lib.Exports()); diff != "" {
		t.Errorf("exports of lib (-want +got):\n%s", diff)
	}
	if got := lib.Imports(); got != nil {
		t.Errorf("imports of lib = %v, want none", got)
	}
}

func TestEntryPoints(t *testing.T) {
	want := []EntryPoint{{Name: "app", Model: ExecutionModelKernel, Function: 21, Interface: []ID{5}}}
	if diff := cmp.Diff(want, parseTestdata(t, "app.spv").EntryPoints()); diff != "" {
		t.Errorf("entry points of app (-want +got):\n%s", diff)
	}
	if got := parseTestdata(t, "lib.spv").EntryPoints(); len(got) != 0 {
		t.Errorf("entry points of lib = %v, want none", got)
	}
}

func TestBytes(t *testing.T) {
	for _, name := range []string{"app.spv", "lib.spv"} {
		code := readTestdata(t, name)
		if got := parseTestdata(t, name).Bytes(); !bytes.Equal(got, code) {
			t.Errorf("%s: the module is written as other bytes than it was read from", name)
		}
	}
}
