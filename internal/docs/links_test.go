package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	pageLink  = regexp.MustCompile(`\]\(([^)#\s]*)(?:#([^)\s]*))?\)`)
	heading   = regexp.MustCompile(`(?m)^#+ (.*)$`)
	unlinked  = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	codeFence = regexp.MustCompile("(?ms)^```.*?^```$")
)

// TestLinks holds that links between the pages lead to files and headings that exist.
func TestLinks(t *testing.T) {
	root := filepath.Join("..", "..")
	links := 0
	for _, page := range markdownPages(t, root) {
		text := codeFence.ReplaceAllString(readPage(t, page), "")
		for _, m := range pageLink.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			links++
			target := page
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(page), filepath.FromSlash(m[1]))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", page, m[1])
			} else if m[2] != "" && !hasHeading(readPage(t, target), m[2]) {
				t.Errorf("%s: %s has no heading %s", page, target, m[2])
			}
		}
	}
	if links < 80 {
		t.Errorf("%d links were found: the pattern does not fit any more", links)
	}
}

// markdownPages returns the pages of the root, of docs and of the examples.
func markdownPages(t *testing.T, root string) []string {
	t.Helper()
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md", "examples/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	return pages
}

func readPage(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// hasHeading reports whether a page has the heading of an anchor, which is spelled as
// GitHub does: in lower case, without punctuation, with hyphens for blanks.
func hasHeading(text, anchor string) bool {
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		words := unlinked.ReplaceAllString(strings.ToLower(m[1]), "")
		if strings.ReplaceAll(words, " ", "-") == anchor {
			return true
		}
	}
	return false
}
