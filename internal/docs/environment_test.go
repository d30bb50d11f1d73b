package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// variable is a string that names a variable of the environment, as the programs and
// the runtime read them.
var variable = regexp.MustCompile(`"((?:SYCL|OFFLINK|ONEAPI|XDG|OCL_ICD)_[A-Z_]+|NO_COLOR|TMPDIR|VIRTUAL_ENV|MAKEFLAGS|LD_LIBRARY_PATH)"`)

// docs/environment.md has every variable that the programs read.
func TestEnvironmentPage(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "environment.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, folder := range []string{"cmd", "runtime", "toolchain", "ir"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				if err == nil && d.Name() == "testdata" {
					return filepath.SkipDir
				}
				return err
			}
			source := strings.HasSuffix(file, ".go") || strings.HasSuffix(file, ".c")
			if !source || strings.HasSuffix(file, "_test.go") {
				return nil
			}
			text, err := os.ReadFile(file)
			for _, m := range variable.FindAllSubmatch(text, -1) {
				name := string(m[1])
				if !found[name] && !strings.Contains(string(page), "`"+name+"`") {
					t.Errorf("%s reads %s, which docs/environment.md lacks", file, name)
				}
				found[name] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(found) < 20 {
		t.Errorf("%d variables were found: the pattern does not fit any more", len(found))
	}
}
