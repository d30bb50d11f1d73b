package devimg

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"offlink/filemap"
)

// Code that is written again, also as another file of the name, is not taken for the
// code that it was.
func TestFileChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "code.spv")
	for _, test := range []struct {
		name   string
		change func() error
	}{
		{"written to", func() error { return os.WriteFile(path, []byte("CODE"), 0o666) }},
		{"grown", func() error { return os.WriteFile(path, []byte("code and more"), 0o666) }},
		{"replaced", func() error {
			return errors.Join(os.WriteFile(path+".new", []byte("CODE"), 0o666), os.Rename(path+".new", path))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte("code"), 0o666); err != nil {
				t.Fatal(err)
			}
			past := time.Now().Add(-time.Hour) // whatever ticks the clock has
			if err := os.Chtimes(path, past, past); err != nil {
				t.Fatal(err)
			}
			code, err := FromFile(path)
			if err != nil {
				t.Fatal(err)
			}
			data := make([]byte, 4)
			if _, err := code.ReadAt(data, 0); err != nil || string(data) != "code" {
				t.Fatalf("%q, %v", data, err)
			}
			if err := Copy(io.Discard, code); err != nil {
				t.Fatal(err)
			}
			if err := test.change(); err != nil {
				t.Fatal(err)
			}
			_, read := code.ReadAt(data, 0)
			for _, err := range []error{read, Copy(io.Discard, code)} {
				if changed, ok := errors.AsType[*filemap.ModifiedError](err); !ok || changed.Path != path {
					t.Errorf("%v", err)
				}
			}
		})
	}
}
