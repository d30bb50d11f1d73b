package devicelib

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestNamesOfDPCXX: the functions that the device libraries of DPC++ 2026.2.0 for spir64
// define (libsycl-*.bc without the sanitizers', as they lie in its run-time compiler) are
// all here. Mangled names are of the libraries' own C++ functions, which no other module
// calls.
func TestNamesOfDPCXX(t *testing.T) {
	have := Symbols()
	for _, name := range readNames(t, "testdata/libsycl-2026.2.0.txt") {
		if _, found := slices.BinarySearch(have, name); !found && !strings.HasPrefix(name, "_Z") {
			t.Errorf("the library lacks %s", name)
		}
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
