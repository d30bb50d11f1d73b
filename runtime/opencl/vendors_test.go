package opencl

import (
	"debug/elf"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestVendorProblems: drivers that the loader leaves out silently are
// told with the file that names them, and others are not.
func TestVendorProblems(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the files that name drivers are Linux's")
	}
	folder := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	text, library := write("libtext.so", "no library"), write("libgood.so", elf.ELFMAG+"...")
	write("bad/missing.icd", "/nowhere/libdriver.so\n")
	write("bad/text.icd", text)
	write("good/driver.icd", library+"\n")
	write("good/name.icd", "libdriver.so.1\n") // the loader's affair
	write("good/README", "/nowhere/else\n")
	for _, c := range []struct{ vendors, want string }{
		{"bad", "missing.icd: the driver that it names: stat /nowhere/libdriver.so: no such file"},
		{"bad", "text.icd: the driver that it names: " + text + " is not a shared library"},
		{"good", ""},
		{"bad/text.icd", "is not a shared library"},
		{"libgood.so", "OCL_ICD_FILENAMES"}, // the loader did not take it
		{"good/driver.icd", "OCL_ICD_FILENAMES"},
		{"libtext.so", "libtext.so is not a shared library"},
		{"nobody", "OCL_ICD_VENDORS: stat "},
	} {
		err := VendorProblems(filepath.Join(folder, c.vendors))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v; want %q", c.vendors, err, c.want)
		}
	}
}
