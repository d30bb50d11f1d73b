package cache

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestReadOnlyFolder: entries of a folder that cannot be written to hit, and
// nothing is stored. A user who may write everywhere sees another error, so the
// folder is made read-only by a file that stands where the entry's folder would be.
func TestReadOnlyFolder(t *testing.T) {
	c := newCache(t, Options{})
	c.Put(inputs("a"), data("a"))
	folders := []string{filepath.Dir(entryFile(c, "a")), filepath.Join(c.options.Dir, layout)}
	for _, folder := range folders {
		if err := os.Chmod(folder, 0o500); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(folder, 0o700)
	}
	reader := New(c.options)
	defer reader.Close()
	if got, ok := reader.Get(inputs("a")); !ok || !bytes.Equal(got, data("a")) {
		t.Error("an entry of a read-only folder misses")
	}
	reader.Put(inputs("b"), data("b"))
	if got, ok := reader.Get(inputs("b")); ok && (os.Getuid() != 0 || !bytes.Equal(got, data("b"))) {
		t.Error("an entry was stored into a read-only folder")
	}
	if _, err := reader.GC(time.Now()); err != nil && os.Getuid() == 0 {
		t.Error(err)
	}
}

// TestBlockedEntry: a folder where an entry should be, and a file where its folder
// should be, cost no more than the cache.
func TestBlockedEntry(t *testing.T) {
	c := newCache(t, Options{})
	c.Put(inputs("other"), data("other"))
	a := entryFile(c, "a")
	if err := os.MkdirAll(filepath.Join(a, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	blocked := filepath.Dir(entryFile(c, "b"))
	if blocked != filepath.Dir(a) {
		if err := os.WriteFile(blocked, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a", "b"} {
		c.Put(inputs(name), data(name))
		if got, ok := c.Get(inputs(name)); ok && !bytes.Equal(got, data(name)) {
			t.Errorf("%s: other data", name)
		}
	}
	if got, ok := c.Get(inputs("other")); !ok || !bytes.Equal(got, data("other")) {
		t.Error("another entry misses")
	}
}

// TestChangedUnderneath: the folder is taken away, replaced, and made again while
// the cache is open; every Get is a miss or the right data.
func TestChangedUnderneath(t *testing.T) {
	c := newCache(t, Options{})
	c.Put(inputs("a"), data("a"))
	moved := c.options.Dir + ".moved"
	for i, change := range []func() error{
		func() error { return os.Rename(c.options.Dir, moved) },
		func() error { return os.MkdirAll(c.options.Dir, 0o700) },
		func() error { return os.RemoveAll(moved) },
		func() error { return errors.Join(os.RemoveAll(c.options.Dir), os.WriteFile(c.options.Dir, nil, 0o600)) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a", "b"} {
			if got, ok := c.Get(inputs(name)); ok && !bytes.Equal(got, data(name)) {
				t.Errorf("change %d: %s has other data", i, name)
			}
			c.Put(inputs(name), data(name))
		}
	}
}
