package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"offlink/ir/llvmschema"
)

// versionRange is a range of LLVM versions in a sentence or in the table of support. The
// first group is not empty where the range is that of a tool of LLVM, not ours.
var versionRange = regexp.MustCompile("(`llvm-\\w+` of )?\\bLLVM (?:IR \\| )?([0-9]+) to ([0-9]+)")

// TestLLVMVersions compares the range of LLVM versions, which several pages state, with
// the schema's: a new version names each line to change. Earlier releases in the
// changelog keep their range.
func TestLLVMVersions(t *testing.T) {
	root := filepath.Join("..", "..")
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "RATIONALE.md", "SECURITY.md", "CHANGELOG.md"} {
		pages = append(pages, filepath.Join(root, name))
	}
	want := fmt.Sprintf("%d to %d", llvmschema.Oldest, llvmschema.Newest)
	stated := map[string]int{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(newestRelease(string(text)), "\n") {
			for _, m := range versionRange.FindAllStringSubmatch(line, -1) {
				if m[1] != "" {
					continue
				}
				stated[filepath.Base(page)]++
				if got := m[2] + " to " + m[3]; got != want {
					t.Errorf("%s:%d: LLVM %s, the schema has %s", page, i+1, got, want)
				}
			}
		}
	}
	for page, least := range map[string]int{"README.md": 2, "postlink.md": 1, "to-spirv.md": 2, "drop-in.md": 1} {
		if stated[page] < least {
			t.Errorf("%s states the range %d times: the pattern does not fit any more", page, stated[page])
		}
	}
}

// newestRelease returns a changelog up to its second release; other pages whole.
func newestRelease(text string) string {
	first := strings.Index(text, "\n## ")
	if !strings.HasPrefix(text, "# Changelog") || first < 0 {
		return text
	}
	head, rest := text[:first+1], text[first+1:]
	if next := strings.Index(rest, "\n## "); next >= 0 {
		rest = rest[:next]
	}
	return head + rest
}
