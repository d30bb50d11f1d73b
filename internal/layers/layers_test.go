// Package layers holds the order of the packages: a package imports only
// packages of lower layers. The test reads the sources itself, so that it is
// never answered from the test cache after an edit of an import.
package layers

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "offlink"

// layers lists the packages from the lowest layer up. A package may import
// only packages of the rows above its own. A trailing "/..." covers the
// folders below. Every package has a row; ARCHITECTURE.md draws the same.
var layers = [][]string{
	{"lazy", "lazyregexp", "privilege"},
	{"ir/llvmschema"},
	{"abort", "ir", "ir/bitcode/bitstream", "props", "spirv", "ptx", "runtime/driver", "runtime/builtins", "runtime/cache", "runtime/hostlibs", "runtime/selector", "runtime/imagegraph", "filetable", "filemap", "parallel", "wrapper/internal/objfile"},
	{"wrapper/devimg", "ir/sycl", "toolchain", "runtime/trace"},
	{"ir/irtext", "ir/bitcode", "split", "wrapper/abi", "wrapper/container", "runtime/registry", "runtime/drivertest"},
	{"ir/irfile", "ir/downgrade", "spirv/fromir", "props/derive", "runtime/resolve", "runtime/devicelib", "runtime/globals", "runtime/internal/...", "runtime/hostdev/internal/..."},
	{"wrapper", "ir/devicelib", "runtime", "runtime/linkcheck", "runtime/hostdev", "runtime/hostdev/wazeroengine", "runtime/cuda", "runtime/levelzero", "runtime/opencl", "runtime/piplugin"},
	{"runtime/backends", "runtime/devicefile"},
	{"cmd/...", "runtime/libofflink-core", "runtime/libpi_offlink"},
}

// free are packages that anything may import in tests or tools, and that
// import any package.
var free = []string{"internal/...", "spirv/internal/..."}

func TestImportsPointDown(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && (name == "testdata" || name == "build" || (strings.HasPrefix(name, ".") && file != root)) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		checkFile(t, root, file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestEveryRowMatches holds that a package that went away leaves the table too.
func TestEveryRowMatches(t *testing.T) {
	root := filepath.Join("..", "..")
	packages := packagesBelow(root)
	for _, row := range slices.Concat(layers, [][]string{free}) {
		seen := map[string]bool{}
		for _, pattern := range row {
			if seen[pattern] {
				t.Errorf("the table names %s twice", pattern)
			}
			seen[pattern] = true
			if !slices.ContainsFunc(slices.Collect(maps.Keys(packages)), func(p string) bool { return matches(pattern, p) }) {
				t.Errorf("no package matches the table's %s", pattern)
			}
		}
	}
}

// packagesBelow returns the folders that hold Go files, but for those of tests' inputs.
func packagesBelow(root string) map[string]bool {
	packages := map[string]bool{}
	filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "testdata" || d.Name() == "build") {
			return filepath.SkipDir
		}
		if err == nil && !d.IsDir() && strings.HasSuffix(file, ".go") {
			rel, _ := filepath.Rel(root, file)
			packages[path.Dir(filepath.ToSlash(rel))] = true
		}
		return err
	})
	return packages
}

func checkFile(t *testing.T, root, file string) {
	rel, err := filepath.Rel(root, file)
	if err != nil {
		t.Fatal(err)
	}
	pkg := path.Dir(filepath.ToSlash(rel))
	if matchesAny(free, pkg) {
		return
	}
	own := layerOf(pkg)
	if own < 0 {
		t.Errorf("%s: package %s has no layer: add it to the table", rel, pkg)
		return
	}
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, src, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range parsed.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		checkImport(t, rel, pkg, own, imported)
	}
}

func checkImport(t *testing.T, file, pkg string, own int, imported string) {
	imported, ours := strings.CutPrefix(imported, module+"/")
	if !ours || imported == pkg {
		return
	}
	// Folders below one row's "/..." may import each other: a command and its
	// internal packages.
	switch l := layerOf(imported); {
	case l < 0:
		t.Errorf("%s: package %s imports %s, which has no layer: add it to the table", file, pkg, imported)
	case l > own || l == own && !sharesRow(pkg, imported):
		t.Errorf("%s: package %s (layer %d) imports %s (layer %d): imports point to lower layers only", file, pkg, own, imported, l)
	}
}

func sharesRow(a, b string) bool {
	for _, row := range layers {
		for _, pattern := range row {
			if strings.HasSuffix(pattern, "/...") && matches(pattern, a) && matches(pattern, b) {
				return true
			}
		}
	}
	return false
}

func layerOf(pkg string) int {
	for i, row := range layers {
		if matchesAny(row, pkg) {
			return i
		}
	}
	return -1
}

func matchesAny(patterns []string, pkg string) bool {
	for _, p := range patterns {
		if matches(p, pkg) {
			return true
		}
	}
	return false
}

func matches(pattern, pkg string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "/..."); ok {
		return pkg == prefix || strings.HasPrefix(pkg, prefix+"/")
	}
	return pattern == pkg
}

// TestUnsafeStaysInside holds that only internal packages and the C entry
// points use unsafe, and that only one package opens shared libraries.
func TestUnsafeStaysInside(t *testing.T) {
	allowed := map[string][]string{
		"unsafe":                       {"runtime/internal/...", "runtime/hostdev/internal/...", "runtime/libofflink-core", "runtime/libpi_offlink", "wrapper/internal/...", "ir/irfile"},
		"C":                            {"runtime/libofflink-core", "runtime/libpi_offlink"},
		"github.com/ebitengine/purego": {"runtime/internal/dl"},
	}
	root := filepath.Join("..", "..")
	filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		rel, _ := filepath.Rel(root, file)
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return nil // testdata may hold broken sources
		}
		for _, spec := range parsed.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if where, limited := allowed[imported]; limited && !matchesAny(where, path.Dir(filepath.ToSlash(rel))) {
				t.Errorf("%s imports %q, which belongs into %v only", rel, imported, where)
			}
		}
		return nil
	})
}
