package main

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"offlink/spirv"
)

// TestRecordedNames: the SPIR-V of each image has the entry points and linkage
// that the released toolchain's had. Left out are built-in variables, whose
// linkage says nothing, and a program into which the toolchain of 2026 links its
// device libraries before it splits.
func TestRecordedNames(t *testing.T) {
	cases, err := filepath.Glob("../../testdata/sycl/*/*/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("no test data", err)
	}
	for _, path := range cases {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		recorded := map[string]string{}
		for _, f := range archive.Files {
			recorded[f.Name] = string(f.Data)
		}
		if strings.TrimSpace(recorded["exit"]) != "0" || strings.Contains(path, "assert_printf/2026") {
			continue
		}
		t.Run(strings.TrimPrefix(strings.TrimSuffix(path, ".txtar"), "../../testdata/sycl/"), func(t *testing.T) {
			t.Parallel()
			compareNames(t, path, recorded)
		})
	}
}

func compareNames(t *testing.T, path string, recorded map[string]string) {
	dir := t.TempDir()
	runtime := filepath.Base(filepath.Dir(path))
	mode, dependencies := strings.CutSuffix(strings.TrimSuffix(filepath.Base(path), ".txtar"), "-deps")
	args := append(splitArgs(mode, runtime[:4], dependencies), "-to=spirv",
		"-o", filepath.Join(dir, "out.table"), filepath.Join(filepath.Dir(path), "ir.bc"))
	if code, stderr := runIn(args...); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	table, err := os.ReadFile(filepath.Join(dir, "out.table"))
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(string(table)), "\n")[1:]
	for n, row := range rows {
		want, known := recorded[strconv.Itoa(n)+".names"]
		if !known {
			continue
		}
		got := spirvNames(t, strings.Split(row, "|")[0])
		list := slices.DeleteFunc(strings.Split(strings.TrimSpace(want), "\n"), func(line string) bool {
			// The real one exports its helpers for memset, and images that have the
			// same one cannot be linked: ours are each image's own.
			return strings.HasPrefix(line, "import variable __spirv_BuiltIn") || strings.HasPrefix(line, "export function spirv.llvm_mem")
		})
		slices.Sort(list)
		for _, line := range onlyIn(list, got) {
			t.Errorf("image %d lacks %s", n, line)
		}
		for _, line := range onlyIn(got, list) {
			t.Errorf("image %d has %s", n, line)
		}
	}
}

// onlyIn returns the lines of a that b does not have.
func onlyIn(a, b []string) (list []string) {
	for _, line := range a {
		if !slices.Contains(b, line) && line != "" {
			list = append(list, line)
		}
	}
	return list
}

// spirvNames lists the entry points and linkage of a module, as the recorded
// files do.
func spirvNames(t *testing.T, path string) (list []string) {
	code, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := spirv.Parse(code)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range m.EntryPoints() {
		list = append(list, "entry "+e.Name)
	}
	for _, s := range append(m.Exports(), m.Imports()...) {
		kind := "variable"
		if s.Function {
			kind = "function"
		}
		list = append(list, strings.ToLower(s.Linkage.String())+" "+kind+" "+s.Name)
	}
	slices.Sort(list)
	return list
}
