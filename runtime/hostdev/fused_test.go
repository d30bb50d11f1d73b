package hostdev

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestNothingIsFused compiles the mathematical functions for a processor on which Go fuses
// products and sums: only those of math.FMA are, so that all processors give the same bits.
func TestNothingIsFused(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for another processor")
	}
	fused := regexp.MustCompile(`^\s*(\w+\.go):(\d+)\s.*\bFN?M(ADD|SUB)[SD]\b`)
	for _, dir := range []string{".", "internal/half", "internal/imageformat"} {
		archive := filepath.Join(t.TempDir(), "a.a")
		build := exec.Command("go", "build", "-o", archive, "./"+dir)
		build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		dump, err := exec.Command("go", "tool", "objdump", archive).Output()
		if err != nil {
			t.Fatal(err)
		}
		lines := 0
		for line := range strings.Lines(string(dump)) {
			lines++
			m := fused.FindStringSubmatch(line)
			if m != nil && !strings.Contains(sourceLine(t, filepath.Join(dir, m[1]), m[2]), "math.FMA") {
				t.Errorf("%s:%s: a product and a sum are fused", filepath.Join(dir, m[1]), m[2])
			}
		}
		if lines < 100 {
			t.Errorf("%s: %d lines of machine code", dir, lines)
		}
	}
}

func sourceLine(t *testing.T, file, number string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")[n-1]
}
