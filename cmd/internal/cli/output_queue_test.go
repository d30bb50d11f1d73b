package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"offlink/parallel"
)

// Files of several goroutines get their own content, from memory that is used again
// at once.
func TestOutputQueue(t *testing.T) {
	dir := t.TempDir()
	content := func(i int) []byte { return bytes.Repeat([]byte{byte(i)}, 1+i*97%9000) }
	var o Outputs
	defer o.Abort()
	err := parallel.ForEach(500, 4, func() func(int) error {
		var memory []byte
		return func(i int) error {
			memory = append(memory[:0], content(i)...)
			return o.QueueFile(filepath.Join(dir, fmt.Sprint(i)), memory)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Commit(); err != nil {
		t.Fatal(err)
	}
	for i := range 500 {
		data, err := os.ReadFile(filepath.Join(dir, fmt.Sprint(i)))
		if err != nil || !bytes.Equal(data, content(i)) {
			t.Errorf("file %d: %d bytes, %v", i, len(data), err)
		}
	}
	if got := names(t, dir); len(got) != 500 {
		t.Errorf("%d files", len(got))
	}
}

// A file that cannot be made fails the group, whichever goroutine had it.
func TestOutputQueueFails(t *testing.T) {
	dir := t.TempDir()
	var o Outputs
	err := parallel.ForEach(200, 4, func() func(int) error {
		return func(i int) error {
			path := filepath.Join(dir, fmt.Sprint(i))
			if i == 100 {
				path = filepath.Join(dir, "missing", "x")
			}
			return o.QueueFile(path, []byte("x"))
		}
	})
	if commit := o.Commit(); err == nil && commit == nil {
		t.Error("no error")
	}
	o.Abort()
	if got := names(t, dir); len(got) > 0 {
		t.Errorf("left: %q", got)
	}
}
