package docs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"
)

// translatorTools are the programs of other projects that make or read IR and SPIR-V,
// and the Python that could tell where more of them are.
func translatorTools() []string {
	list := []string{"python3", "python", "spirv-as", "spirv-link", "spirv-opt", "spirv-val", "sycl-post-link", "clang-offload-wrapper"}
	for _, tool := range []string{"llvm-spirv", "llvm-as", "llvm-dis", "llvm-link", "opt", "llc"} {
		list = append(list, tool)
		for version := 11; version <= 24; version++ {
			list = append(list, fmt.Sprintf("%s-%d", tool, version))
		}
	}
	return list
}

// stubTools makes a folder of programs of those names that write their own into a log
// and fail.
func stubTools(t *testing.T) (dir, log string) {
	t.Helper()
	dir, log = t.TempDir(), filepath.Join(t.TempDir(), "log")
	stub := fmt.Sprintf("#!/bin/sh\necho \"$0 $*\" >> '%s'\nexit 99\n", log)
	for _, tool := range translatorTools() {
		if err := os.WriteFile(filepath.Join(dir, tool), []byte(stub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return dir, log
}

// TestDemoWithoutTranslators runs the demo, from device source to the printed line, on
// a machine that has a compiler and no other tool of LLVM or of SPIR-V.
func TestDemoWithoutTranslators(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "bin", "libofflink-core.so")); err != nil {
		testtool.Missing(t, fmt.Errorf("%w: make build first", err))
	}
	example := filepath.Join(t.TempDir(), "dynlink")
	if err := os.CopyFS(example, os.DirFS(filepath.Join(root, "examples", "dynlink"))); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(example, "build")); err != nil {
		t.Fatal(err)
	}
	stubs, log := stubTools(t)
	cmd := exec.Command(testtool.Path(t, "make"), "-s", "-C", example, "check", "demo",
		"TOOLS="+filepath.Join(root, "bin"), "LIBDIR="+filepath.Join(root, "bin"), "INCLUDE="+filepath.Join(root, "include"))
	cmd.Env = append(os.Environ(), "PATH="+stubs+":"+os.Getenv("PATH"), "VIRTUAL_ENV=", "MAKELEVEL=", "MAKEFLAGS=", "MFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "\n0 2 4 6 8 10 12 14\n") && !strings.HasPrefix(string(out), "0 2 4 6 8 10 12 14\n") {
		t.Errorf("%v:\n%s", err, out)
	}
	if used, err := os.ReadFile(log); err == nil {
		t.Errorf("the demo ran:\n%s", used)
	}
}

// The packages that `make demo` installs have no translator either.
func TestDemoPackages(t *testing.T) {
	script, err := os.ReadFile(filepath.Join("..", "..", "scripts", "setup"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(script), "\ndemo_packages='\n")
	list, _, found := strings.Cut(rest, "'\n")
	if !found || !strings.Contains(list, "clang") {
		t.Fatal("scripts/setup has no list of the demo's packages")
	}
	for _, name := range []string{"llvm", "spirv", "python"} {
		if strings.Contains(list, name) {
			t.Errorf("the demo installs a package of %s:\n%s", name, list)
		}
	}
}
