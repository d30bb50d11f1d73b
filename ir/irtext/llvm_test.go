package irtext_test

import (
	"os"
	"strings"
	"testing"

	"offlink/internal/testtool"

	"github.com/google/go-cmp/cmp"
)

// llvmTool returns the path of a tool of that LLVM version. The test is
// skipped when it is missing, unless tools are required.
func llvmTool(t testing.TB, tool, version string) string {
	t.Helper()
	return testtool.Path(t, tool+"-"+version)
}

// filter runs a command over data and returns its standard output.
func filter(t testing.TB, data []byte, name string, args ...string) []byte {
	t.Helper()
	out, err := testtool.Filter(data, name, args...)
	if err != nil {
		t.Fatalf("%v\ninput:\n%s", err, head(data))
	}
	return out
}

func head(data []byte) []byte { return data[:min(len(data), 4000)] }

// llvm22 is a Python program that prints a module as LLVM 22 does, after
// verifying it.
const llvm22 = `
import sys, llvmlite.binding as llvm
module = llvm.parse_assembly(sys.stdin.read())
module.verify()
sys.stdout.write(str(module))`

// canonical returns a module as LLVM of that version prints it.
func canonical(t testing.TB, version string, module []byte) string {
	t.Helper()
	if version == "22" { // llvmlite has it
		return string(filter(t, module, testtool.Python(t, "bin/python"), "-c", llvm22))
	}
	bitcode := filter(t, module, llvmTool(t, "llvm-as", version), "-o", "-")
	text := string(filter(t, bitcode, llvmTool(t, "llvm-dis", version), "-o", "-"))
	_, text, _ = strings.Cut(text, "\n") // ModuleID
	return text
}

// sameModule fails unless LLVM prints both modules the same.
func sameModule(t testing.TB, version string, want, got []byte) {
	t.Helper()
	if diff := cmp.Diff(canonical(t, version, want), canonical(t, version, got)); diff != "" {
		t.Errorf("the written module differs (-want +got):\n%s", diff)
	}
}

// verify fails unless LLVM of that version accepts the module.
func verify(t testing.TB, version string, module []byte) {
	t.Helper()
	args := []string{"-passes=verify", "-o", os.DevNull}
	if version == "14" || version == "15" {
		bitcode := filter(t, module, llvmTool(t, "llvm-as", version), "-o", "-")
		filter(t, bitcode, llvmTool(t, "opt", version), args...)
		return
	}
	filter(t, module, llvmTool(t, "opt", version), args...)
}
