package devicelib

import (
	"bytes"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/missing.txt")

// TestNamesOfDPCXX compares the library with the functions that the device libraries
// of DPC++ 2026.2.0 for spir64 define (libsycl-*.bc without the sanitizers', as they
// lie in its run-time compiler): each is here, or in testdata/missing.txt, and
// docs/device-libraries.md describes the groups of those. Mangled names are of the
// libraries' own C++ functions, which no other module calls.
func TestNamesOfDPCXX(t *testing.T) {
	have := Symbols()
	var missing bytes.Buffer
	for _, name := range readNames(t, "testdata/libsycl-2026.2.0.txt") {
		if _, found := slices.BinarySearch(have, name); !found && !strings.HasPrefix(name, "_Z") {
			missing.WriteString(name + "\n")
		}
	}
	const list = "testdata/missing.txt"
	if *update {
		if err := os.WriteFile(list, missing.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, missing.Bytes()) {
		t.Errorf("%s does not have the functions that are missing; run the test with -update, look at the difference, and at docs/device-libraries.md", list)
	}
}

func readNames(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(text))
	if len(names) < 1000 {
		t.Fatalf("%s has %d names", file, len(names))
	}
	return names
}
