//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"offlink/cmd/internal/cli"
)

// A file that becomes shorter after it was opened is an error of every way to
// look at it, and no fault.
func TestShrunkInput(t *testing.T) {
	dir := t.TempDir()
	code, object := filepath.Join(dir, "code.spv"), filepath.Join(dir, "object.o")
	if err := os.WriteFile(code, append([]byte("\x03\x02\x23\x07"), make([]byte, 1<<20)...), 0o666); err != nil {
		t.Fatal(err)
	}
	mustWrap(t, dir, "-kind=sycl", "-target=spir64", "-digest", "-host="+linux, "-o", object, code)
	for name, look := range map[string]func(*bytes.Buffer, *lister) error{
		"table": func(_ *bytes.Buffer, l *lister) error { return lookAtShrunk(l, object) },
		"json":  func(_ *bytes.Buffer, l *lister) error { l.json = true; return lookAtShrunk(l, object) },
	} {
		t.Run(name, func(t *testing.T) {
			mustWrap(t, dir, "-kind=sycl", "-target=spir64", "-digest", "-host="+linux, "-o", object, code)
			var stdout, stderr bytes.Buffer
			l := &lister{streams: cli.Streams{Out: &stdout, Err: &stderr}}
			err := look(&stdout, l)
			if err == nil || !strings.Contains(stderr.String(), "object.o: the file became shorter while it was read") {
				t.Errorf("%v\n%s", err, &stderr)
			}
		})
	}
}

func lookAtShrunk(l *lister, object string) error {
	f, err := l.openWrapped(object)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := os.Truncate(object, 512); err != nil {
		return err
	}
	return l.listImages(f)
}
