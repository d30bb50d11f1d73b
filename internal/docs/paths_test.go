package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	backticked = regexp.MustCompile("`([^`]+)`")
	treePath   = regexp.MustCompile(`^(cmd|cmake|docs|examples|filemap|filetable|include|internal|ir|parallel|props|runtime|scripts|spirv|split|toolchain|wrapper)(/[\w.*-]+)*$`)
)

// TestPathsExist holds that the pages name files and folders that exist: a
// reader of ARCHITECTURE.md opens them.
func TestPathsExist(t *testing.T) {
	root := filepath.Join("..", "..")
	for _, page := range []string{"ARCHITECTURE.md", "README.md", "CONTRIBUTING.md"} {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for i, line := range strings.Split(string(text), "\n") {
			for _, m := range backticked.FindAllStringSubmatch(line, -1) {
				name := m[1]
				if !treePath.MatchString(name) {
					continue
				}
				count++
				if found, err := filepath.Glob(filepath.Join(root, name)); err != nil || len(found) == 0 {
					t.Errorf("%s:%d: %s does not exist", page, i+1, name)
				}
			}
		}
		if count == 0 {
			t.Errorf("%s names no path: the test reads it wrongly", page)
		}
	}
}
