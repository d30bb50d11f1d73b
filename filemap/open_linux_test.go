package filemap_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"offlink/filemap"
)

// A child process does not get the file, and a FIFO is read to its end.
func TestOpenOnLinux(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	f, err := filemap.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := exec.Command("ls", "-l", "/proc/self/fd").Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(list), name) {
		t.Errorf("a child has the file:\n%s", list)
	}
	fifo := filepath.Join(dir, "fifo")
	if err := exec.Command("mkfifo", fifo).Run(); err != nil {
		t.Fatal(err)
	}
	writer := exec.Command("sh", "-c", "printf one; sleep 0.1; printf two")
	if writer.Stdout, err = os.OpenFile(fifo, os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	in, err := filemap.Open(fifo)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := writer.Run(); err != nil {
		t.Fatal(err)
	}
	writer.Stdout.(*os.File).Close()
	got := make([]byte, 16)
	if n, err := in.Read(got); err != nil || string(got[:n]) != "onetwo" {
		t.Errorf("%q, %v", got[:n], err)
	}
}
