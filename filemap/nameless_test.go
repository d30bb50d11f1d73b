package filemap

import (
	"io"
	"os"
	"runtime"
	"testing"
)

// TestCreateNameless: the file can be used, and no name of it is left.
func TestCreateNameless(t *testing.T) {
	dir := t.TempDir()
	f, err := CreateNameless(dir, "a-*")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(io.NewSectionReader(f, 0, 10))
	if err != nil || string(data) != "text" {
		t.Errorf("%q, %v", data, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || runtime.GOOS != "windows" && len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
	if _, err := CreateNameless(dir+"/none", "a-*"); err == nil {
		t.Error("a file in a folder that is not there")
	}
}
