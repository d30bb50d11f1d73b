package ptx

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func readCubinFile(t testing.TB, name string) []byte {
	t.Helper()
	code, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// TestReadCubin reads files of ptxas: a kernel that calls a function of the other, that function,
// and that one linked by itself.
func TestReadCubin(t *testing.T) {
	sm90 := Architecture{SM: 90}
	for _, c := range []struct {
		file string
		want Cubin
	}{
		{"uses.cubin", Cubin{Architecture: sm90, Relocatable: true, Imports: []string{"lib_table", "lib_value"}, Exports: []string{}}},
		{"library.cubin", Cubin{Architecture: sm90, Relocatable: true, Imports: []string{}, Exports: []string{"lib_table", "lib_value"}}},
		{"whole.cubin", Cubin{Architecture: sm90}},
	} {
		got, err := ReadCubin(readCubinFile(t, c.file))
		if err != nil {
			t.Fatalf("%s: %v", c.file, err)
		}
		if len(got.Imports)+len(c.want.Imports) == 0 {
			got.Imports, c.want.Imports = nil, nil
		}
		if len(got.Exports)+len(c.want.Exports) == 0 {
			got.Exports, c.want.Exports = nil, nil
		}
		if diff := cmp.Diff(&c.want, got); diff != "" {
			t.Errorf("%s: %s", c.file, diff)
		}
	}
}

// TestReadCubinErrors: other bytes than a cubin are an error; one that was cut is an error or has fewer symbols.
func TestReadCubinErrors(t *testing.T) {
	for name, code := range map[string][]byte{"empty": nil, "PTX": []byte(".version 8.0\n"), "only the magic": []byte("\x7fELF")} {
		if _, err := ReadCubin(code); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	code := readCubinFile(t, "library.cubin")
	for n := range code {
		if c, err := ReadCubin(code[:n]); err == nil && len(c.Exports) > 2 {
			t.Errorf("cut at %d: exports %q", n, c.Exports)
		}
	}
}

// FuzzReadCubin: any bytes give symbols or an error, in memory that their size bounds.
func FuzzReadCubin(f *testing.F) {
	for _, name := range []string{"uses.cubin", "library.cubin", "whole.cubin"} {
		f.Add(readCubinFile(f, name))
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		c, err := ReadCubin(code)
		if (c == nil) == (err == nil) {
			t.Fatalf("ReadCubin = %v, %v", c, err)
		}
	})
}
