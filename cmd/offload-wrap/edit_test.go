//go:build linux

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"offlink/cmd/internal/cli"
	"offlink/internal/testtool"
	"offlink/wrapper/devimg"
)

// TestEditedAttributes: an edit in place keeps owner, permissions with the
// set-user-ID bit, and extended attributes.
func TestEditedAttributes(t *testing.T) {
	dir := t.TempDir()
	object := wrapGolden(t, dir, goldenCases[1].args, linux, "wrapped.o")
	const key, value = "user.offlink", "kept"
	hasExtended := unix.Setxattr(object, key, []byte(value), 0) == nil
	if os.Getuid() == 0 {
		if err := os.Chown(object, 12, 34); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(object, 0o750|os.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(object)
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	if code := run([]string{"remove", object, "--image", "1"}, cli.Streams{Out: io.Discard, Err: &stderr}); code != 0 || stderr.Len() > 0 {
		t.Fatalf("exit %d, %s", code, &stderr)
	}
	after, err := os.Stat(object)
	if err != nil {
		t.Fatal(err)
	}
	if os.SameFile(before, after) || before.Mode() != after.Mode() {
		t.Errorf("mode %v, was %v", after.Mode(), before.Mode())
	}
	was, is := before.Sys().(*syscall.Stat_t), after.Sys().(*syscall.Stat_t)
	if was.Uid != is.Uid || was.Gid != is.Gid {
		t.Errorf("owner %d:%d, was %d:%d", is.Uid, is.Gid, was.Uid, was.Gid)
	}
	got := make([]byte, 100)
	if n, err := unix.Getxattr(object, key, got); hasExtended && (err != nil || string(got[:n]) != value) {
		t.Errorf("extended attribute %q, %v", got[:max(n, 0)], err)
	}
}

// Attributes that an edit cannot give back are named, and a file of another owner does not get
// the set-user-ID bit.
func TestLostAttributes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "object.o")
	if err := os.WriteFile(path, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o700|os.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	a, err := readAttributes(path)
	if err != nil {
		t.Fatal(err)
	}
	a.extended["nowhere.key"] = []byte("value") // of a namespace that no system has
	if lost := a.restoreAttribute(path); len(lost) != 1 || lost[0] != "the extended attribute nowhere.key" {
		t.Errorf("lost %q", lost)
	}
	if lost := a.restoreMode(path, false); lost != "the bits u--------- of its permissions" {
		t.Errorf("lost %q", lost)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// TestVerifyEdit: an edited file that lacks an image, or has another one, is
// not renamed.
func TestVerifyEdit(t *testing.T) {
	dir := t.TempDir()
	object := wrapGolden(t, dir, goldenCases[1].args, linux, "wrapped.o")
	e := &editing{}
	f, err := e.openWrapped(object)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, test := range []struct {
		name   string
		edited []int
		code   devimg.Code
		want   string
	}{
		{"unchanged", nil, nil, ""},
		{"not removed", []int{1}, nil, "would have 3 images, not 2"},
		{"not replaced", []int{2}, devimg.Bytes([]byte("new")), "image 2 of the edited file: its code is not the new code"},
	} {
		err := e.verifyEdit(f, test.edited, object, test.code)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "broken"), []byte("\x7fELF"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := e.verifyEdit(f, nil, filepath.Join(dir, "broken"), nil); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("a broken file: %v", err)
	}
}

// TestEditInterrupted ends the program while it waits for the reader of a
// FIFO: no temporary file stays, neither beside the output nor elsewhere.
func TestEditInterrupted(t *testing.T) {
	if os.Getenv("OFFLINK_TEST_EDIT") != "" {
		cli.Exit(run(strings.Split(os.Getenv("OFFLINK_TEST_EDIT"), "\n"), cli.OSStreams()))
	}
	testtool.RestoreSignals()
	object := wrapGolden(t, t.TempDir(), goldenCases[1].args, linux, "wrapped.o")
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		dir, temp := t.TempDir(), t.TempDir()
		fifo := filepath.Join(dir, "fifo")
		if err := syscall.Mkfifo(fifo, 0o666); err != nil {
			t.Fatal(err)
		}
		c := exec.Command(os.Args[0], "-test.run=^TestEditInterrupted$")
		c.Env = append(os.Environ(), "TMPDIR="+temp, "OFFLINK_TEST_EDIT=remove\n"+object+"\n--image=0,1\n-o\n"+fifo)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		for len(names(t, temp)) == 0 {
			select {
			case err := <-ended:
				t.Fatalf("it ended before it made a temporary file: %v", err)
			case <-time.After(5 * time.Millisecond):
			}
		}
		if err := c.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		err := <-ended
		if state := c.ProcessState.Sys().(syscall.WaitStatus); err == nil || !state.Signaled() || state.Signal() != signal {
			t.Errorf("%v: ended with %v", signal, c.ProcessState)
		}
		if left := append(names(t, temp), names(t, dir)...); len(left) != 1 {
			t.Errorf("%v: left %q", signal, left)
		}
	}
}

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "testscript-main") { // of the test's own start
			names = append(names, e.Name())
		}
	}
	return names
}
