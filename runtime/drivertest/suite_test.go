package drivertest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// parseFolder parses the files of a folder but its tests.
func parseFolder(t *testing.T, pattern string) (files []*ast.File) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// interfaceMethods are the methods of the interfaces of package driver, and the
// interfaces themselves without any.
func interfaceMethods(t *testing.T) map[string][]string {
	methods := map[string][]string{}
	for _, f := range parseFolder(t, "../driver/*.go") {
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if in, ok := spec.Type.(*ast.InterfaceType); ok && spec.Name.IsExported() {
				methods[spec.Name.Name] = nil
				for _, m := range in.Methods.List {
					for _, name := range m.Names {
						methods[spec.Name.Name] = append(methods[spec.Name.Name], name.Name)
					}
				}
			}
			return true
		})
	}
	return methods
}

// TestEveryMethodHasACase: the suite names every interface of package driver and calls
// every method, so that a new one cannot come without a case.
func TestEveryMethodHasACase(t *testing.T) {
	named := map[string]bool{}
	for _, f := range parseFolder(t, "suite*.go") {
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				named[s.Sel.Name] = true
			}
			return true
		})
	}
	methods := interfaceMethods(t)
	if len(methods) < 20 {
		t.Fatalf("only %d interfaces were found", len(methods))
	}
	// A back end need do nothing to be one, and events are all used alike.
	delete(methods, "Object")
	methods["CallerRunner"] = nil
	for name, list := range methods {
		for _, word := range append(list, name) {
			if !named[word] {
				t.Errorf("driver.%s: no case of the suite names %s", name, word)
			}
		}
	}
}
