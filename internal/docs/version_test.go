package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var packageVersion = regexp.MustCompile(`find_package\(offlink ([0-9.]+)`)

// TestVersion: the changelog, the header of the C library and every find_package agree with
// VERSION, which the Makefile puts into the programs, the library and the CMake package.
func TestVersion(t *testing.T) {
	root := filepath.Join("..", "..")
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	version := strings.TrimSpace(read("VERSION"))
	series := version[:strings.LastIndex(version, ".")]
	if !strings.Contains(read("CHANGELOG.md"), "# Changelog\n\n## "+version) {
		t.Errorf("the first heading of CHANGELOG.md is not that of %s", version)
	}
	if header := "include/offlink/offlink.h"; !strings.Contains(read(header), `"`+version+`"`) {
		t.Errorf("%s does not have the version %s", header, version)
	}
	count := 0
	for _, folder := range []string{"docs", "examples", "cmake"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				if err == nil && d.Name() == "build" {
					return filepath.SkipDir
				}
				return err
			}
			text, err := os.ReadFile(file)
			for _, m := range packageVersion.FindAllSubmatch(text, -1) {
				count++
				if string(m[1]) != series {
					t.Errorf("%s: find_package of %s, the version is %s", file, m[1], version)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if count < 5 {
		t.Errorf("%d find_package were found", count)
	}
}
