package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestEmitted has the code of real kernels compiled, and finds a C compiler that refuses.
func TestEmitted(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no gcc")
	}
	files, err := filepath.Glob("testdata/*.spv")
	if err != nil || len(files) == 0 {
		t.Fatal("no modules")
	}
	for _, c := range []struct {
		compiler string
		failed   bool
	}{{"gcc", false}, {"false", true}} {
		failed, err := printEmitted(options{compiler: c.compiler}, files[:1])
		if err != nil || failed != c.failed {
			t.Errorf("with the compiler %s: failed %v, %v", c.compiler, failed, err)
		}
	}
	record := filepath.Join(t.TempDir(), "record")
	for _, compiler := range []string{"gcc", "false"} { // the second has nothing to compile
		failed, err := printEmitted(options{compiler: compiler, record: record}, files[:1])
		if err != nil || failed {
			t.Errorf("with a record and %s: failed %v, %v", compiler, failed, err)
		}
	}
	failed := (&emitted{}).print(options{}, make([]candidate, 1), []string{"interpreted: " + strings.Repeat("x", 3)})
	if failed {
		t.Error("an interpreted kernel counts as faulty code")
	}
}
