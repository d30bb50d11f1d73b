package layers

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// packageName is a name in backquotes.
var packageName = regexp.MustCompile("`([^`\n]+)`")

// ARCHITECTURE.md draws the table of this package: the same rows, from the top down.
func TestArchitectureDrawsTheTable(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "| layer | packages |\n|---|---|\n")
	table, _, _ := strings.Cut(rest, "\n\n")
	rows := strings.Split(table, "\n")
	slices.Reverse(rows)
	if len(rows) != len(layers) {
		t.Fatalf("ARCHITECTURE.md has %d rows, the table of this package %d", len(rows), len(layers))
	}
	for i, row := range rows {
		var names []string
		for _, m := range packageName.FindAllStringSubmatch(strings.Split(row, "|")[2], -1) {
			names = append(names, m[1])
		}
		for _, pattern := range layers[i] {
			if !slices.Contains(names, pattern) {
				t.Errorf("ARCHITECTURE.md: row %q lacks %s", strings.Split(row, "|")[1], pattern)
			}
		}
		for _, name := range names {
			if !slices.Contains(layers[i], name) {
				t.Errorf("ARCHITECTURE.md: row %q has %s, which the table of this package has elsewhere", strings.Split(row, "|")[1], name)
			}
		}
	}
}

// ARCHITECTURE.md names every package, so that a reader finds each.
func TestArchitectureNamesPackages(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range packagesBelow(root) {
		if !strings.Contains(string(text), "`"+pkg+"`") && !strings.Contains(string(text), "`"+pkg+"/") {
			t.Errorf("ARCHITECTURE.md does not name %s", pkg)
		}
	}
}
