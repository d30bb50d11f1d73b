package filemap_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"offlink/filemap"
)

// OpenFile opens, creates and fails as os.OpenFile does.
func TestOpenFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	var e *fs.PathError
	if _, err := filemap.Open(name); !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &e) || e.Path != name || e.Op != "open" {
		t.Errorf("a file that is missing: %v", err)
	}
	f, err := filemap.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o640)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("content"); err != nil || f.Name() != name {
		t.Errorf("%s: %v", f.Name(), err)
	}
	if _, err := filemap.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o640); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that is there: %v", err)
	}
	in, err := filemap.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	got := make([]byte, 7)
	if n, err := in.Read(got); err != nil || string(got[:n]) != "content" {
		t.Errorf("%q, %v", got[:n], err)
	}
	if _, err := in.WriteString("x"); err == nil {
		t.Error("a file that was opened for reading was written to")
	}
}
