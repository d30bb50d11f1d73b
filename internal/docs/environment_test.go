package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// namedVariable is a string that names a variable of the environment: the programs keep
	// many names in tables and constants.
	namedVariable = regexp.MustCompile(`"((?:SYCL|OFFLINK|ONEAPI|XDG|OCL_ICD|OPENCL|ZE_ENABLE|ZEL|CUDA_INJECTION|CUDA_CACHE|CUDA_COREDUMP)[A-Z0-9_]*_[A-Z0-9_]+|AppData)"`)
	// readVariable is a call that reads one.
	readVariable = regexp.MustCompile(`(?:[gG]etenv|LookupEnv|readVariable)\("([A-Za-z0-9_]+)"\)`)
	// listedVariable is a name on the page.
	listedVariable = regexp.MustCompile("`([A-Z][A-Za-z0-9_]+)`")
)

// docs/environment.md has every variable that the programs read, and those of its tables
// are read.
func TestEnvironmentPage(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "environment.md"))
	if err != nil {
		t.Fatal(err)
	}
	// The first is read by package os, the second by tests.
	inSources := map[string]bool{"TMPDIR": true, "OFFLINK_REQUIRE_TOOLS": true}
	for _, folder := range []string{"cmd", "runtime", "toolchain", "ir", "privilege"} {
		for name, file := range variablesBelow(t, filepath.Join(root, folder)) {
			inSources[name] = true
			if !strings.Contains(string(page), "`"+name+"`") {
				t.Errorf("%s reads %s, which docs/environment.md lacks", file, name)
			}
		}
	}
	if len(inSources) < 40 {
		t.Errorf("%d variables were found: the pattern does not fit any more", len(inSources))
	}
	for _, name := range listedVariables(string(page)) {
		if !inSources[name] {
			t.Errorf("docs/environment.md has %s among the variables that are read, and nothing reads it", name)
		}
	}
}

// variablesBelow returns the variables in the sources below a folder, each with a file that
// has it.
func variablesBelow(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "testdata" {
				return filepath.SkipDir
			}
			return nil
		}
		if e := filepath.Ext(file); e != ".go" && e != ".c" || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(file)
		for _, m := range append(namedVariable.FindAllSubmatch(text, -1), readVariable.FindAllSubmatch(text, -1)...) {
			found[string(m[1])] = file
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// listedVariables returns the names in the first columns of the page's tables, but for those
// in the table, or in a row, of variables that are not read.
func listedVariables(page string) (names []string) {
	table := ""
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, "|") {
			if strings.TrimSpace(line) != "" {
				table = line
			}
			continue
		}
		columns := strings.Split(line, "|")
		if strings.Contains(table, "that are not read") || strings.HasPrefix(columns[len(columns)-2], " not read, as") {
			continue
		}
		for _, m := range listedVariable.FindAllStringSubmatch(columns[1], -1) {
			names = append(names, m[1])
		}
	}
	return names
}
