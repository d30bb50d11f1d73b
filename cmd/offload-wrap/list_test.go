package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"offlink/cmd/internal/cli"
)

// A list says so where it does not look for kernels.
func TestListLargeCode(t *testing.T) {
	dir := t.TempDir()
	code, object := filepath.Join(dir, "large.spv"), filepath.Join(dir, "large.o")
	if err := os.WriteFile(code, append([]byte("\x03\x02\x23\x07"), make([]byte, maxSearched)...), 0o666); err != nil {
		t.Fatal(err)
	}
	mustWrap(t, dir, "-kind=sycl", "-target=spir64", "-host="+linux, "-o", object, code)
	var stdout, stderr bytes.Buffer
	if exit := run([]string{"list", object}, cli.Streams{Out: &stdout, Err: &stderr}); exit != 0 {
		t.Errorf("exit %d", exit)
	}
	if !strings.Contains(stderr.String(), "image 0: code of more than 8 MiB is not searched for kernels") || !strings.Contains(stdout.String(), "8388612") {
		t.Errorf("%s\n%s", &stdout, &stderr)
	}
}
