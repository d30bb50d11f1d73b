package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
)

// TestJSONPageCommands: docs/json.md has a heading for each command that prints JSON, and for
// no other.
func TestJSONPageCommands(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "json.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, chapter, _ := strings.Cut(string(page), "\n## devrun\n")
	var listed []string
	for _, heading := range regexp.MustCompile(`(?m)^### (.*)$`).FindAllStringSubmatch(chapter, -1) {
		listed = append(listed, strings.Split(heading[1], ", ")...)
	}
	printing := printsJSON(newCommand(cli.Streams{}))
	slices.Sort(listed)
	slices.Sort(printing)
	if !slices.Equal(listed, printing) {
		t.Errorf("docs/json.md has %q; commands with --json are %q", listed, printing)
	}
}

// printsJSON returns the commands below c that take --json, as they are called.
func printsJSON(c *cobra.Command) (names []string) {
	for _, sub := range c.Commands() {
		switch below := printsJSON(sub); {
		case sub.Hidden || sub.Deprecated != "":
		case sub.HasSubCommands():
			names = append(names, below...)
		case sub.Flag("json") != nil:
			names = append(names, strings.TrimPrefix(sub.CommandPath(), "devrun "))
		}
	}
	return names
}
