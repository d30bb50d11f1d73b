package bitcode_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The hand-written modules of the text codec hold constructs that compilers print rarely.
// Each says in its first line which versions of LLVM take it.
func TestHandWritten(t *testing.T) {
	files, err := filepath.Glob("../irtext/testdata/whole/*.ll")
	if err != nil || len(files) == 0 {
		t.Fatalf("no inputs: %v", err)
	}
	for _, file := range files {
		data := readFile(t, file)
		line, _, _ := strings.Cut(string(data), "\n")
		for _, version := range strings.Fields(strings.TrimPrefix(line, "; accepted by")) {
			if version == "none" {
				continue
			}
			t.Run(version+"/"+filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				if _, err := exec.LookPath("llvm-as-" + version); err != nil && version == "22" {
					t.Skip("LLVM 22 is not in every Debian 12; the text codec's tests have it from llvmlite")
				}
				m := assemble(t, file, version, false, data)
				if m == nil {
					m = assemble(t, file, version, true, data)
				}
				if m == nil {
					t.Fatal("LLVM refuses it")
				}
				checkWhole(t, m)
				checkPartitions(t, m, 2)
			})
		}
	}
}
