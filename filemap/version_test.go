package filemap

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "input")
	for _, test := range []struct {
		name    string
		change  func() error
		changed bool
	}{
		{"nothing", func() error { return nil }, false},
		{"permissions", func() error { return os.Chmod(path, 0o600) }, false},
		{"replaced by renaming", func() error {
			return errors.Join(os.WriteFile(path+".new", []byte("other"), 0o666), os.Rename(path+".new", path))
		}, false},
		{"grown", func() error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString("more")
			return errors.Join(err, f.Close())
		}, true},
		{"shorter", func() error { return os.Truncate(path, 3) }, true},
		{"rewritten with the same size", func() error {
			// The time is set, as a clock may have ticks.
			return errors.Join(os.WriteFile(path, []byte("CONTENT"), 0o666), os.Chtimes(path, time.Now(), time.Now()))
		}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte("content"), 0o666); err != nil {
				t.Fatal(err)
			}
			past := time.Now().Add(-time.Hour)
			if err := os.Chtimes(path, past, past); err != nil {
				t.Fatal(err)
			}
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			info, err := f.Stat()
			if err != nil {
				t.Fatal(err)
			}
			v := VersionOf(info)
			if err := test.change(); err != nil {
				t.Fatal(err)
			}
			err = v.CheckUnchanged(f, "the name")
			modified, ok := errors.AsType[*ModifiedError](err)
			if ok != test.changed || ok && modified.Path != "the name" || !ok && err != nil {
				t.Errorf("%v; want an error: %v", err, test.changed)
			}
		})
	}
}
