package opencl

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table of docs/backends.md")

// caseResult is one case of the conformance suite on a device.
type caseResult struct{ name, result string }

var (
	runLine    = regexp.MustCompile(`^\s*=== (?:RUN|NAME) +TestConformance/[^/]+/.*/([A-Za-z]+)$`)
	reasonLine = regexp.MustCompile(`^\s*\w+\.go:\d+: (.*)$`)
	resultLine = regexp.MustCompile(`^\s*--- (PASS|FAIL|SKIP): TestConformance/[^/]+/.*/([A-Za-z]+) \(`)
)

// readResults reads the output of "go test -v".
func readResults(output string) (list []caseResult) {
	reasons, current := map[string]string{}, ""
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\n")
		if m := runLine.FindStringSubmatch(line); m != nil {
			current = m[1]
		} else if m := reasonLine.FindStringSubmatch(line); m != nil {
			reasons[current] = m[1]
		} else if m := resultLine.FindStringSubmatch(line); m != nil {
			result := map[string]string{"PASS": "pass", "FAIL": "fail", "SKIP": "skipped: " + reasons[m[2]]}[m[1]]
			list = append(list, caseResult{m[2], result})
		}
	}
	return list
}

// conformanceTable is the table of two devices; a case that one of them has not
// is excused.
func conformanceTable(intel, pocl []caseResult) string {
	of := func(list []caseResult, name string) string {
		for _, c := range list {
			if c.name == name {
				return c.result
			}
		}
		return "excused: a program has no variables of its own (quirk pocl-variables)"
	}
	var b strings.Builder
	fmt.Fprintln(&b, "| case | Intel's CPU device 2026.2 | PoCL 3.1, SPIR-V translated |\n|---|---|---|")
	for _, c := range intel {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.name, c.result, of(pocl, c.name))
	}
	return b.String()
}

const (
	tableFile  = "../../docs/backends.md"
	tableBegin = "<!-- conformance: go test ./runtime/opencl -run TestConformance -update -->\n"
	tableEnd   = "<!-- end of conformance -->\n"
)

// compareTable compares the table with that of the documentation.
func compareTable(t *testing.T, table string) {
	t.Helper()
	text, err := os.ReadFile(tableFile)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := bytes.Cut(text, []byte(tableBegin))
	there, after, ok2 := bytes.Cut(rest, []byte(tableEnd))
	if !ok1 || !ok2 {
		t.Fatalf("%s lacks the marks of the table", tableFile)
	}
	if string(there) == table {
		return
	}
	if !*update {
		t.Errorf("the table of %s differs; run the test with -update. It is now:\n%s", tableFile, table)
		return
	}
	changed := string(before) + tableBegin + table + tableEnd + string(after)
	if err := os.WriteFile(tableFile, []byte(changed), 0o666); err != nil {
		t.Fatal(err)
	}
}
