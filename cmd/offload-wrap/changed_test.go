//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"offlink/cmd/internal/cli"
	"offlink/filemap"
	"offlink/wrapper"
)

// changedFolder has an object of two images, other code, and a copy of the object.
func changedFolder(t *testing.T) (object, code, second string) {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	for name, fill := range map[string]string{"a.bin": "a", "b.bin": "b", "c.bin": "c"} {
		if err := os.WriteFile(name, bytes.Repeat([]byte(fill), 1<<16), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"object.o", "second.o"} {
		mustWrap(t, dir, "-kind=sycl", "-target=spir64", "-host="+linux, "-o", name, "a.bin", "-target=spir64", "b.bin")
		makeOld(t, name)
	}
	makeOld(t, "c.bin")
	return "object.o", "c.bin", "second.o"
}

// makeOld sets the time of a file, so that the next write changes it whatever ticks
// the clock has.
func makeOld(t *testing.T, name string) {
	t.Helper()
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(name, past, past); err != nil {
		t.Fatal(err)
	}
}

// rewrite writes other bytes of the same size into a file.
func rewrite(t *testing.T, name string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("new bytes"), info.Size()/2); err != nil {
		t.Fatal(err)
	}
}

// A file that is written to while a command reads it is an error with its name, and
// nothing is made of it.
func TestRewrittenInput(t *testing.T) {
	var stdout, stderr bytes.Buffer
	streams := cli.Streams{Out: &stdout, Err: &stderr}
	edit := func(t *testing.T, output string, change func()) error {
		e := &editing{streams: streams, output: output}
		e.images = imageNumbers{1}
		return e.editFile("object.o", e.chooseOne, func(*wrapper.Located) error { return nil },
			func(w io.Writer, f *wrapper.File, images []int) error { defer change(); return f.Remove(w, images...) })
	}
	for name, test := range map[string]struct {
		names string
		run   func(t *testing.T, f *wrapper.File, change func()) error
	}{
		"list": {"object.o", func(t *testing.T, f *wrapper.File, change func()) error {
			l := &lister{streams: streams}
			change()
			err := l.listImages(f)
			if len(l.table) > 0 {
				t.Errorf("rows %q", l.table)
			}
			return err
		}},
		"list -json": {"object.o", func(t *testing.T, f *wrapper.File, change func()) error {
			l := &lister{streams: streams, json: true}
			change()
			err := l.listImages(f)
			if len(l.records) > 0 {
				t.Errorf("records %v", l.records)
			}
			return err
		}},
		"extract": {"object.o", func(t *testing.T, f *wrapper.File, change func()) error {
			e := &extractor{streams: streams, dir: "out"}
			change()
			err := e.extractOpen("object.o", f)
			if left, _ := filepath.Glob("out/*"); len(left) > 0 {
				t.Errorf("left %q", left)
			}
			return err
		}},
		"diff": {"object.o", func(t *testing.T, f *wrapper.File, change func()) error {
			d := &differ{streams: streams}
			second, err := d.openSource("second.o")
			if err != nil {
				t.Fatal(err)
			}
			defer second.Close()
			change()
			_, err = d.compareOpen(second, f)
			return err
		}},
		"edit":       {"object.o", func(t *testing.T, _ *wrapper.File, change func()) error { return edit(t, "", change) }},
		"edit, with": {"object.o", func(t *testing.T, _ *wrapper.File, change func()) error { return edit(t, "new.o", change) }},
		"replace, code": {"c.bin", func(t *testing.T, _ *wrapper.File, change func()) error {
			n, err := loadCode("c.bin", &wrapper.Located{}, wrapper.ErrNoImages)
			if err != nil {
				t.Fatal(err)
			}
			change()
			_, err = n.code.ReadAt(make([]byte, 16), 0)
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			object, _, _ := changedFolder(t)
			f, err := wrapper.Open(object, wrapper.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			err = test.run(t, f, func() { rewrite(t, test.names) })
			if changed, ok := errors.AsType[*filemap.ModifiedError](err); !ok || changed.Path != test.names {
				t.Errorf("%v\n%s", err, &stderr)
			}
			if _, err := os.Stat("new.o"); err == nil {
				t.Error("an output was made")
			}
			left, _ := filepath.Glob(".offlink*")
			if len(left) > 0 {
				t.Errorf("left %q", left)
			}
		})
	}
}

// A file that another is renamed over is read as it was; an edit in its place would
// undo the other's.
func TestReplacedInput(t *testing.T) {
	object, _, second := changedFolder(t)
	var stderr bytes.Buffer
	e := &editing{streams: cli.Streams{Err: &stderr}}
	e.images = imageNumbers{1}
	replaced := func(w io.Writer, f *wrapper.File, images []int) error {
		return errors.Join(f.Remove(w, images...), os.Rename(second, object))
	}
	nothing := func(*wrapper.Located) error { return nil }
	before, err := os.ReadFile(second)
	if err != nil {
		t.Fatal(err)
	}
	err = e.editFile(object, e.chooseOne, nothing, replaced)
	if err == nil || !strings.Contains(err.Error(), "object.o: another program replaced the file while it was edited: nothing was changed") {
		t.Errorf("%v", err)
	}
	if after, err := os.ReadFile(object); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the new file was changed: %v", err)
	}
}
