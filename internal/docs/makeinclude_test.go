package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"
)

// makeProject is a folder with a source of device code, a makefile that includes
// cmake/offlink.mk as installed in a folder with a space, and tools that only log their
// names and write their outputs.
func makeProject(t *testing.T) string {
	t.Helper()
	include, err := os.ReadFile("../../cmake/offlink.mk")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	tool := `#!/bin/sh
echo "$(basename "$0") $*" >>"$LOG"
while [ $# != 0 ]; do
	[ "$1" != -o ] || : >"$2"
	shift
done
`
	for name, text := range map[string]string{
		"bin/clang": tool, "bin/ld": tool, "off link/bin/postlink": tool, "off link/bin/offload-wrap": tool,
		"off link/share/offlink/offlink.mk": string(include),
		"kernels.cl":                        "\n", "other.device.c": "\n",
		"Makefile": "include " + dir + "/off\\ link/share/offlink/offlink.mk\nall: kernels.device.o other.device.o\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestMakeInclude builds objects again when a variable that they are made with
// has changed, and only then.
func TestMakeInclude(t *testing.T) {
	testtool.Need(t, "make")
	dir := makeProject(t)
	log := filepath.Join(dir, "log")
	for _, step := range []struct {
		variables []string
		compiled  []string // the targets of clang's calls, for each source
	}{
		{nil, []string{"spir64"}},
		{nil, nil},
		{[]string{"OFFLINK_TARGETS=spir64 nvptx64"}, []string{"nvptx64", "spir64"}},
		{[]string{"OFFLINK_TARGETS=spir64 nvptx64"}, nil},
		{[]string{"OFFLINK_CLANG_OPTIONS=-DNAME='\"it'\\''s\"'"}, []string{"spir64"}},
		{[]string{"OFFLINK_CLANG_OPTIONS=-DNAME='\"it'\\''s\"'"}, nil},
		{nil, []string{"spir64"}},
	} {
		_ = os.Remove(log)
		cmd := exec.Command("make", append([]string{
			"-s", "-C", dir, "LD=" + dir + "/bin/ld", "OFFLINK_CLANG=" + dir + "/bin/clang",
		}, step.variables...)...)
		cmd.Env = append(os.Environ(), "LOG="+log)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("make %v: %v\n%s", step.variables, err, out)
		}
		text, _ := os.ReadFile(log)
		var compiled []string
		for line := range strings.Lines(string(text)) {
			if target, ok := strings.CutPrefix(line, "clang --target="); ok {
				name, _, _ := strings.Cut(target, "-")
				compiled = append(compiled, name)
			}
		}
		want := append(append([]string{}, step.compiled...), step.compiled...)
		if strings.Join(compiled, " ") != strings.Join(want, " ") {
			t.Errorf("make %v compiled for %v; want %v\n%s", step.variables, compiled, want, text)
		}
	}
}
