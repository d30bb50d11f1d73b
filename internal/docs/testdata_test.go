package docs

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// TestTestdataPages: each testdata folder of a package has a page that says of every file
// and folder in it where it comes from.
func TestTestdataPages(t *testing.T) {
	root := filepath.Join("..", "..")
	count := 0
	err := filepath.WalkDir(root, func(folder string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); folder != root && (name == "build" || strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		if d.Name() != "testdata" {
			return nil
		}
		count++
		checkTestdata(t, folder)
		return filepath.SkipDir
	})
	if err != nil {
		t.Fatal(err)
	}
	if count < 20 {
		t.Errorf("%d folders were found", count)
	}
}

func checkTestdata(t *testing.T, folder string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(folder, "README.md"))
	if err != nil {
		t.Errorf("%s: %v: say what each file is, and with which command it is made again", folder, err)
		return
	}
	var names []string // in backquotes, with wildcards; of paths their first folder
	for _, m := range backticked.FindAllStringSubmatch(string(page), -1) {
		first, _, _ := strings.Cut(m[1], "/")
		names = append(names, first)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.Name() != "README.md" && !matchesName(names, entry.Name()) {
			t.Errorf("%s/README.md does not name %s", folder, entry.Name())
		}
	}
}

func matchesName(patterns []string, name string) bool {
	for _, p := range patterns {
		if ok, err := path.Match(p, name); ok && err == nil {
			return true
		}
	}
	return false
}
