package docs

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	backticked = regexp.MustCompile("`([^`]+)`")
	// sourceFile is a name without a folder.
	sourceFile = regexp.MustCompile(`^[\w.*-]+\.(go|c|h|md|cl|mk)$`)
	treePath   = regexp.MustCompile(`^(abort|cmd|cmake|docs|examples|filemap|filetable|include|internal|ir|parallel|props|ptx|runtime|scripts|spirv|split|toolchain|wrapper)(/[\w.*-]+)*$`)
)

// exists reports whether a path with wildcards names something.
func exists(root, pattern string) bool {
	found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
	return err == nil && len(found) > 0
}

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
			var folders []string // of the paths before, in which the names of files after them are
			for _, m := range backticked.FindAllStringSubmatch(line, -1) {
				name := m[1]
				if len(folders) > 0 && sourceFile.MatchString(name) {
					count++
					if !slices.ContainsFunc(folders, func(f string) bool { return exists(root, f+"/"+name) }) {
						t.Errorf("%s:%d: no %s in %v", page, i+1, name, folders)
					}
					continue
				}
				if !treePath.MatchString(name) || strings.HasSuffix(name, "/...") {
					continue
				}
				count++
				folders = append(folders, name, path.Dir(name))
				if !exists(root, name) {
					t.Errorf("%s:%d: %s does not exist", page, i+1, name)
				}
			}
		}
		if count == 0 {
			t.Errorf("%s names no path: the test reads it wrongly", page)
		}
	}
}
