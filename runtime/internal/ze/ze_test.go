package ze

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"offlink/internal/testtool"
)

// TestInitErrors: the commonest failures of zeInit name their causes.
func TestInitErrors(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the test's loader is built on Linux")
	}
	testtool.Need(t, "gcc")
	for code, want := range map[int]string{
		resultUninitialized:      "is installed, and no driver for it: zeInit failed with ZE_RESULT_ERROR_UNINITIALIZED",
		resultUnsupportedVersion: "are of different releases: install those of one release: zeInit failed with ZE_RESULT_ERROR_UNSUPPORTED_VERSION",
		0x7ffffffe:               "zeInit failed with ZE_RESULT_ERROR_UNKNOWN",
	} {
		var source strings.Builder
		for _, name := range functionNames {
			fmt.Fprintf(&source, "int %s(void) { return %#x; }\n", name, code)
		}
		dir := t.TempDir()
		file, library := filepath.Join(dir, "loader.c"), filepath.Join(dir, "libze_loader.so.1")
		if err := os.WriteFile(file, []byte(source.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", library, file).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if _, err := Open(Hooks{}, library); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%#x: %v; want %q", code, err, want)
		}
	}
}
