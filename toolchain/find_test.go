//go:build !windows

package toolchain

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fake writes an executable script.
func fake(t *testing.T, path, script string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	return path
}

// finder looks in those folders of dir alone.
func finder(dir string, folders ...string) *Finder {
	var path []string
	for _, folder := range folders {
		path = append(path, filepath.Join(dir, folder))
	}
	env := map[string]string{"PATH": strings.Join(path, ":")}
	return &Finder{Getenv: func(key string) string { return env[key] }}
}

const says19 = `echo 'Debian LLVM version 19.1.7'`

func TestAllByName(t *testing.T) {
	dir := t.TempDir()
	fake(t, dir+"/a/llvm-as", says19)
	fake(t, dir+"/a/llvm-as-14", "exit 1")
	fake(t, dir+"/b/llvm-as-16", "exit 1")
	fake(t, dir+"/b/llvm-as-99x", "exit 1")
	fake(t, dir+"/b/llvm-as-13", "exit 1")
	if err := os.WriteFile(dir+"/b/llvm-as-15", nil, 0o666); err != nil {
		t.Fatal(err) // no executable
	}
	if err := os.Symlink("../b/llvm-as-16", dir+"/a/llvm-as-16"); err != nil {
		t.Fatal(err)
	}
	tools, err := finder(dir, "a", "b").All(t.Context(), LLVMAs)
	if err != nil {
		t.Fatal(err)
	}
	want := []Tool{
		{Name: LLVMAs, Path: dir + "/a/llvm-as-16", LLVM: 16},
		{Name: LLVMAs, Path: dir + "/a/llvm-as-14", LLVM: 14},
		{Name: LLVMAs, Path: dir + "/a/llvm-as", LLVM: 19},
	}
	if diff := cmp.Diff(want, tools); diff != "" {
		t.Error(diff)
	}
}

// A tool that does not print its version is not a candidate; where the user
// named it, it is an error.
func TestNamedTool(t *testing.T) {
	dir := t.TempDir()
	silent := fake(t, dir+"/llvm-as", "exit 0")
	good := fake(t, dir+"/my-assembler", says19)
	f := finder(dir, ".")
	if tools, err := f.All(t.Context(), LLVMAs); err != nil || len(tools) != 0 {
		t.Errorf("All = %v, %v; want nothing", tools, err)
	}
	f.Paths = map[Name]string{LLVMAs: good}
	if tools, err := f.All(t.Context(), LLVMAs); err != nil || len(tools) != 1 || tools[0].LLVM != 19 {
		t.Errorf("All = %v, %v; want the named tool", tools, err)
	}
	for path, want := range map[string]string{
		silent:           "does not state an LLVM version",
		dir + "/nowhere": "no such file",
	} {
		f.Paths[LLVMAs] = path
		_, err := f.All(t.Context(), LLVMAs)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--llvm-as=") {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// site makes a Python environment that has dpcpp-llvm-spirv.
func site(t *testing.T, prefix, release string) string {
	packages := prefix + "/lib/python3.11/site-packages"
	if err := os.MkdirAll(packages+"/dpcpp_llvm_spirv-"+release+".dist-info", 0o777); err != nil {
		t.Fatal(err)
	}
	return fake(t, packages+"/dpcpp_llvm_spirv/bin/llvm-spirv", "echo 'Unknown command line argument'; exit 1")
}

func TestPythonEnvironments(t *testing.T) {
	dir := t.TempDir()
	venv := site(t, dir+"/venv", "2024.1.0")
	python := site(t, dir+"/usr", "2024.2.0")
	fake(t, dir+"/usr/bin/python3", "exit 1")
	f := finder(dir, "usr/bin")
	path := f.Getenv
	f.Getenv = func(key string) string {
		if key == "VIRTUAL_ENV" {
			return dir + "/venv"
		}
		return path(key)
	}
	tools, err := f.All(t.Context(), LLVMSPIRV)
	if err != nil {
		t.Fatal(err)
	}
	want := []Tool{
		{Name: LLVMSPIRV, Path: venv, LLVM: 17, Translator: DPCPP},
		{Name: LLVMSPIRV, Path: python, LLVM: 19, Translator: DPCPP},
	}
	if diff := cmp.Diff(want, tools); diff != "" {
		t.Error(diff)
	}
	f.Paths = map[Name]string{LLVMSPIRV: python}
	if tools, err = f.All(t.Context(), LLVMSPIRV); err != nil || !cmp.Equal(tools, want[1:]) {
		t.Errorf("named: %v, %v", tools, err)
	}
}

// A python3 that keeps its packages elsewhere is asked.
func TestPythonIsAsked(t *testing.T) {
	dir := t.TempDir()
	tool := site(t, dir+"/elsewhere", "2024.2.0")
	fake(t, dir+"/bin/python3", "echo /nowhere; echo "+dir+"/elsewhere/lib/python3.11/site-packages")
	tools, err := finder(dir, "bin").All(t.Context(), LLVMSPIRV)
	if err != nil || len(tools) != 1 || tools[0].Path != tool {
		t.Errorf("All = %v, %v; want %s", tools, err, tool)
	}
}

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]int{
		"Debian LLVM version 19.1.7\n  Optimized build.":         19,
		"LLVM (http://llvm.org/):\n  LLVM version 14.0.6\n":      14,
		"LLVM version 20.0.0git":                                 20,
		"llvm-spirv: Unknown command line argument '--version'.": 0,
		"LLVM version x": 0,
		"":               0,
	} {
		if got, _ := parseVersion(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestMissingError(t *testing.T) {
	_, err := finder(t.TempDir()).ToSPIRV(t.Context(), Input{Text: true})
	missing, ok := errors.AsType[*MissingError](err)
	if !ok || missing.Tool != LLVMSPIRV {
		t.Fatalf("%v", err)
	}
	for _, want := range []string{"--llvm-spirv=PATH", "dpcpp-llvm-spirv 2024.2.0", "llvm-spirv-15"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v: does not name %s", err, want)
		}
	}
	old := &MissingError{Tool: LLVMDis, Want: "LLVM 23 or newer", Seen: []Tool{{Path: "/x/llvm-dis", LLVM: 21}}}
	want := "no llvm-dis of LLVM 23 or newer was found (only /x/llvm-dis (LLVM 21)): give its path with --llvm-dis=PATH, or install Debian's llvm-22 (apt-get install llvm-22)"
	if old.Error() != want {
		t.Errorf("%v", old)
	}
}
