package downgrade

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table in docs/to-spirv.md")

// The table in the documentation is the one that the package goes by.
func TestDocumentation(t *testing.T) {
	const path = "../../docs/to-spirv.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), "<!-- constructs: ")
	_, after, ends := strings.Cut(rest, "<!-- end -->")
	if !begins || !ends {
		t.Fatalf("%s has no place for the table", path)
	}
	want := before + "<!-- constructs: written by \"go test ./ir/downgrade -run Documentation -update\" -->\n\n" + table() + "\n<!-- end -->" + after
	if want == string(text) {
		return
	}
	if !*update {
		t.Fatalf("the table in %s is not that of the package: run this test with -update", path)
	}
	if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
		t.Fatal(err)
	}
}

func table() string {
	var b strings.Builder
	b.WriteString("| Construct | LLVM | Becomes | Why |\n|---|---|---|---|\n")
	for _, c := range Constructs() {
		becomes := c.Becomes
		if becomes == "" {
			becomes = "dropped"
		}
		fmt.Fprintf(&b, "| `%s` | %d | %s | %s |\n", c.Name, c.Since, becomes, c.Why)
	}
	return b.String()
}
