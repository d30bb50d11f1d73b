package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestJSONPage holds docs/json.md to the struct tags of the commands, both
// ways: a field that the page lacks breaks a reader's script, and one that no
// listing prints misleads.
func TestJSONPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "json.md"))
	if err != nil {
		t.Fatal(err)
	}
	// The files with structs that are printed; others of hostdev are stored.
	for program, patterns := range map[string][]string{
		"postlink":     {"cmd/postlink/*.go"},
		"offload-wrap": {"cmd/offload-wrap/*.go"},
		"devrun":       {"cmd/devrun/*.go", "runtime/cache/*.go", "runtime/linkcheck/*.go", "runtime/hostdev/finding.go"},
	} {
		tagged := map[string]bool{}
		for _, pattern := range patterns {
			maps.Copy(tagged, jsonTags(t, filepath.Join("..", "..", filepath.FromSlash(pattern))))
		}
		if len(tagged) == 0 {
			t.Errorf("%s: no field with a json tag", program)
		}
		listed := pageFields(string(page), program)
		for name := range tagged {
			if !listed[name] {
				t.Errorf("%s prints the JSON field %q, which docs/json.md does not list under it", program, name)
			}
			if !camelCase.MatchString(name) {
				t.Errorf("%s: the JSON field %q is not camelCase", program, name)
			}
		}
		for name := range listed {
			if !tagged[name] {
				t.Errorf("docs/json.md lists %q under %s, which has no such field", name, program)
			}
		}
	}
}

var camelCase = regexp.MustCompile(`^[a-z]+([A-Z][a-z0-9]*)*$`)

// jsonTags returns the names in the json tags of the files that match a pattern.
func jsonTags(t *testing.T, pattern string) map[string]bool {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no file matches %s (%v)", pattern, err)
	}
	names := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok && field.Tag != nil {
				tag, _ := strconv.Unquote(field.Tag.Value)
				if name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ","); name != "" && name != "-" {
					names[name] = true
				}
			}
			return true
		})
	}
	return names
}

var fieldRow = regexp.MustCompile("(?m)^\\| `(\\w+)` \\|")

// pageFields returns the fields in the tables of a program's chapter.
func pageFields(page, program string) map[string]bool {
	_, chapter, _ := strings.Cut(page, "\n## "+program+"\n")
	chapter, _, _ = strings.Cut(chapter, "\n## ")
	fields := map[string]bool{}
	for _, row := range fieldRow.FindAllStringSubmatch(chapter, -1) {
		fields[row[1]] = true
	}
	return fields
}
