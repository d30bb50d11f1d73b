package headers

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	comments  = regexp.MustCompile(`(?s)/\*.*?\*/`)
	functions = regexp.MustCompile(`\b(offlink_\w+)\(`)
	// Of a class: at two spaces, with a body or the start of an initialiser list after it.
	methods = regexp.MustCompile(`(?m)^  (?:template <[^>]*> )?(?:explicit )?[\w:<>&*, ]*?\b([a-z]\w*)\([^;]*(?:\{|:)[^;]*`)
)

// TestEveryFunctionIsTested: a C program of the runtime's tests calls each function of
// offlink.h and looks at its result, and the program for offlink.hpp calls each method.
func TestEveryFunctionIsTested(t *testing.T) {
	programs := testPrograms(t)
	names := functions.FindAllStringSubmatch(comments.ReplaceAllString(readText(t, "../../include/offlink/offlink.h"), ""), -1)
	if len(names) < 70 {
		t.Fatalf("offlink.h has %d functions", len(names))
	}
	for _, m := range names {
		name := m[1]
		if strings.HasSuffix(name, "_function") { // a type
			continue
		}
		if name == "offlink_arg_value" {
			name = "OFFLINK_VALUE" // the macro that programs write for it
		}
		// A statement that is the call alone drops the result, if there is one.
		call := `[!(=,&|?:{]\s*` + name + `\(`
		if regexp.MustCompile(`(?m)^\s*(?:OFFLINK_EXPORT )?void ` + name + `\(`).MatchString(readText(t, "../../include/offlink/offlink.h")) {
			call = `\b` + name + `\(`
		}
		if !regexp.MustCompile(call).MatchString(programs) {
			t.Errorf("no program of the tests looks at the result of %s", name)
		}
	}
}

// TestEveryMethodIsTested: the program for offlink.hpp uses every name of it.
func TestEveryMethodIsTested(t *testing.T) {
	program := readText(t, "../../runtime/libofflink-core/testdata/script/classes.txtar")
	header := readText(t, "../../include/offlink/offlink.hpp")
	var names []string
	for line := range strings.Lines(header) {
		if m := methods.FindStringSubmatch(line); m != nil && !strings.HasSuffix(m[1], "_") && !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	if len(names) < 40 {
		t.Fatalf("offlink.hpp has %d methods: %q", len(names), names)
	}
	// Parts of the classes themselves.
	inner := []string{"named", "command", "with", "shared", "static_assert"}
	for _, name := range names {
		if !slices.Contains(inner, name) && !regexp.MustCompile(`\b`+name+`\b[^;]*\(`).MatchString(program) {
			t.Errorf("classes.txtar does not use %s", name)
		}
	}
}

// testPrograms are the C and C++ sources of the runtime's tests.
func testPrograms(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, pattern := range []string{"script/*.txtar", "torture/*", "drivers/*"} {
		files, err := filepath.Glob("../../runtime/libofflink-core/testdata/" + pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, f := range files {
			all.WriteString(readText(t, f))
		}
	}
	return all.String()
}

func readText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
