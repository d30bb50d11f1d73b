package derive

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite docs/property-sets.md")

// Every set that package props names has one row, and rows are complete.
func TestCatalogIsComplete(t *testing.T) {
	rows := map[string]bool{}
	for _, set := range PropertySets() {
		if rows[set.Name] {
			t.Errorf("two rows are of %q", set.Name)
		}
		rows[set.Name] = true
		if set.Values == "" {
			t.Errorf("the row of %q does not describe the values", set.Name)
		}
		if (set.Option == "") != (set.Help == "") {
			t.Errorf("the row of %q has an option without help, or help without an option", set.Name)
		}
		if (set.derive == nil) != (set.Writer != "") {
			t.Errorf("the row of %q must say either how the set is derived or name its writer", set.Name)
		}
	}
	for _, set := range catalog {
		if !rows[set.Name] {
			t.Errorf("the row that continues %q comes before the set's own", set.Name)
		}
	}
	for name, value := range setConstants(t) {
		if !rows[value] {
			t.Errorf("props.%s has no row", name)
		}
		delete(rows, value)
	}
	for name := range rows {
		t.Errorf("package props has no name for %q", name)
	}
}

// setConstants returns the constants of package props that name sets.
func setConstants(t *testing.T) map[string]string {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "names.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	constants := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(spec.Names[0].Name, "Set") {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			constants[spec.Names[0].Name] = value
		}
		return true
	})
	if len(constants) == 0 {
		t.Fatal("names.go has no set")
	}
	return constants
}

// The page of the property sets is the catalog. With -update it is written.
func TestPropertySetsPage(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "property-sets.md")
	page := propertySetsPage()
	if *update {
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(page, strings.ReplaceAll(string(got), "\r\n", "\n")); diff != "" {
		t.Errorf("docs/property-sets.md is not the catalog (go generate ./props/derive writes it) (-catalog +page):\n%s", diff)
	}
}

func propertySetsPage() string {
	var b strings.Builder
	b.WriteString(`# Property sets

<!-- Written by go generate ./props/derive from props/derive/catalog.go. -->

A property set file (` + "`.prop`" + `) holds the facts about a device image that a runtime needs. It is a list of sets; each set is a list of properties, a name and a value each:

    [SYCL/device requirements]
    aspects=2|AAAAAAAAAAA

A value is a 32-bit number (type 1) or bytes (type 2, in LLVM's variant of base64, with their length in bits first). ` + "`offload-wrap list -v`" + ` prints the sets of an image in words.

| set | properties | values | written |
|---|---|---|---|
`)
	for _, set := range PropertySets() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", set.Name, set.Keys, set.Values, writtenBy(&set))
	}
	return b.String()
}

// writtenBy says when the set is written.
func writtenBy(set *PropertySet) string {
	when := "where the image has any"
	switch {
	case set.Writer != "":
		return "by " + set.Writer
	case set.Always:
		when = "always"
	case set.Option != "":
		when = "with `-" + set.Option + "`"
	}
	if set.Dialect != 0 {
		when += fmt.Sprintf(", `-dialect=%d` only", set.Dialect)
	}
	return when
}
