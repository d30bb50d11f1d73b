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

var update = flag.Bool("update", false, "rewrite the table of docs/opencl.md")

// caseResult is one case of the conformance suite on a device.
type caseResult struct{ name, result string }

// A case's parts have names of lower case, and no rows.
var (
	runLine    = regexp.MustCompile(`^\s*=== (?:RUN|NAME) +TestConformance/[^/]+/.*/([A-Z][A-Za-z]+)$`)
	reasonLine = regexp.MustCompile(`^\s*\w+\.go:\d+: (.*)$`)
	resultLine = regexp.MustCompile(`^\s*--- (PASS|FAIL|SKIP): TestConformance/[^/]+/.*/([A-Z][A-Za-z]+) \(`)
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

// tableColumns are the devices of the table, a part of the versions of each, as driverVersion
// tells them, and the reason why a group of tests is left out on one: the suite's option for it.
var tableColumns = []struct{ device, version, title, excuse string }{
	{"intel", "driver 2026.22", "Intel's CPU device 2026.2", ""},
	{"pocl", "PoCL 3.1", "PoCL 3.1, SPIR-V translated", "excused: a program has no variables of its own (quirk pocl-variables)"},
	{"rusticl", "driver 22.3", "rusticl, Mesa 22.3", "excused: no variables that change (quirk rusticl-binary)"},
	{"oclgrind", "Oclgrind 21.10", "Oclgrind 21.10, SPIR-V translated", ""},
}

// driverVersion is the versions of a device's platform and driver.
func driverVersion(d *Device) string {
	return fmt.Sprintf("%s, driver %s", d.platform.version, d.info.DriverVersion)
}

// hasTableVersion tells whether a device's tests ran on the version that the table has.
// Debian 13 and Ubuntu have others.
func hasTableVersion(device, output string) bool {
	for _, c := range tableColumns {
		if c.device == device {
			_, version, _ := strings.Cut(output, versionMark)
			version, _, _ = strings.Cut(version, "\n")
			return strings.Contains(version, c.version)
		}
	}
	return false
}

// versionMark is before the version in the output of a device's tests.
const versionMark = "device's version: "

// conformanceTable is the table of the devices' results.
func conformanceTable(results map[string][]caseResult) string {
	var b strings.Builder
	b.WriteString("| case |")
	for _, c := range tableColumns {
		fmt.Fprintf(&b, " %s |", c.title)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(tableColumns)) + "\n")
	for _, row := range results[tableColumns[0].device] {
		fmt.Fprintf(&b, "| %s |", row.name)
		for _, c := range tableColumns {
			fmt.Fprintf(&b, " %s |", resultOf(results[c.device], row.name, c.excuse))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// resultOf is a case's result, the excuse if it was not run.
func resultOf(list []caseResult, name, excuse string) string {
	for _, c := range list {
		if c.name == name {
			return c.result
		}
	}
	return excuse
}

const (
	tableFile  = "../../docs/opencl.md"
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
