//go:build linux

package cli

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// commitTo writes text to path as the last of a group.
func commitTo(path, text string) error {
	var o Outputs
	defer o.Abort()
	if err := o.WriteLast(path, []byte(text)); err != nil {
		return err
	}
	return o.Commit()
}

func wantMode(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() != want {
		t.Errorf("%s: %v, %v; want %v", path, info.Mode(), err, want)
	}
}

// makeNode makes a device node of the test's own.
func makeNode(t *testing.T, path string, major, minor uint32) {
	t.Helper()
	if err := unix.Mknod(path, unix.S_IFCHR|0o666, int(unix.Mkdev(major, minor))); err != nil {
		t.Skipf("this user makes no device nodes: %v", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("device nodes do not work in %s: %v", filepath.Dir(path), err)
	}
	f.Close()
}

func TestOutputIntoDevice(t *testing.T) {
	dir := t.TempDir()
	null, full := filepath.Join(dir, "null"), filepath.Join(dir, "full")
	makeNode(t, null, 1, 3)
	makeNode(t, full, 1, 7)
	if err := commitTo(null, "x"); err != nil {
		t.Error(err)
	}
	if err := commitTo(full, "x"); err == nil || err.Error() != "error writing the file '"+full+"': no space left on device" {
		t.Errorf("a full device: %v", err)
	}
	wantMode(t, null, fs.ModeDevice|fs.ModeCharDevice)
	wantMode(t, full, fs.ModeDevice|fs.ModeCharDevice)
	if got := names(t, dir); len(got) != 2 {
		t.Errorf("left: %q", got)
	}
}

// A node stays where a later file of the group fails.
func TestOutputIntoDeviceThenFailure(t *testing.T) {
	dir := t.TempDir()
	null, full := filepath.Join(dir, "null"), filepath.Join(dir, "full")
	makeNode(t, null, 1, 3)
	makeNode(t, full, 1, 7)
	var o Outputs
	for _, path := range []string{null, filepath.Join(dir, "plain"), full} {
		if err := o.WriteFile(path, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.Commit(); err == nil {
		t.Error("no error")
	}
	if got := names(t, dir); strings.Join(got, " ") != "full null" {
		t.Errorf("left: %q", got)
	}
	wantMode(t, null, fs.ModeDevice|fs.ModeCharDevice)
}

func TestOutputIntoFIFO(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	got := make(chan string)
	go func() {
		text, _ := os.ReadFile(fifo)
		got <- string(text)
	}()
	if err := commitTo(fifo, "through"); err != nil {
		t.Error(err)
	}
	if text := <-got; text != "through" {
		t.Errorf("the reader got %q", text)
	}
	wantMode(t, fifo, fs.ModeNamedPipe)
}

// Nothing is written into a FIFO by a run that fails.
func TestOutputAbortLeavesFIFO(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var o Outputs
	if err := o.WriteFile(fifo, []byte("x")); err != nil {
		t.Fatal(err)
	}
	o.Abort()
	if text, _ := io.ReadAll(r); len(text) > 0 {
		t.Errorf("the reader got %q", text)
	}
	wantMode(t, fifo, fs.ModeNamedPipe)
}

func TestOutputSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := commitTo(path, "x"); err == nil || !strings.Contains(err.Error(), "is a socket") {
		t.Errorf("%v", err)
	}
	wantMode(t, path, fs.ModeSocket)
}

func TestOutputFollowsLinks(t *testing.T) {
	for _, c := range []struct {
		name  string
		exist bool // the file at the end
	}{{"link", true}, {"link", false}, {"chain", true}, {"chain", false}, {"absolute", false}} {
		dir := t.TempDir()
		target := filepath.Join(dir, "there", "file")
		for _, step := range []error{
			os.Mkdir(filepath.Dir(target), 0o777),
			os.Symlink("there/file", filepath.Join(dir, "link")),
			os.Symlink("../link", filepath.Join(dir, "there", "back")),
			os.Symlink("there/back", filepath.Join(dir, "chain")),
			os.Symlink(target, filepath.Join(dir, "absolute")),
		} {
			if step != nil {
				t.Fatal(step)
			}
		}
		if c.exist {
			write(t, target, "a longer text that was there")
		}
		if err := commitTo(filepath.Join(dir, c.name), "new"); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		wantContent(t, target, "new")
		for _, link := range []string{"link", "chain", "there/back", "absolute"} {
			wantMode(t, filepath.Join(dir, link), fs.ModeSymlink)
		}
		if got := names(t, filepath.Dir(target)); len(got) != 2 {
			t.Errorf("%s: left: %q", c.name, got)
		}
	}
}

func TestOutputRefuses(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, step := range []error{
		os.Mkdir(path("folder"), 0o777),
		os.Symlink("folder", path("tofolder")),
		os.Symlink("ring2", path("ring1")),
		os.Symlink("ring1", path("ring2")),
		os.Symlink("nowhere/file", path("dangling")),
	} {
		if step != nil {
			t.Fatal(step)
		}
	}
	for name, want := range map[string]string{
		"folder": "is a directory: name a file", "tofolder": "is a directory: name a file",
		"ring1": "too many levels of symbolic links", "dangling": "no such file or directory", "nowhere/x": "no such file or directory",
		strings.Repeat("x", 256): "file name too long",
	} {
		err := commitTo(path(name), "x")
		if err == nil || err.Error() != "error opening the file '"+path(name)+"': "+want {
			t.Errorf("%s: %v; want %s", name, err, want)
		}
	}
	if err := commitTo(path("new")+"/", "x"); err == nil || !strings.Contains(err.Error(), "name a file") {
		t.Errorf("a name that ends in a slash: %v", err)
	}
	if got := names(t, dir); len(got) != 5 {
		t.Errorf("left: %q", got)
	}
}

func TestOutputKeepsHardLinks(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	write(t, a, "a longer text that was there")
	if err := os.Link(a, b); err != nil {
		t.Fatal(err)
	}
	if err := commitTo(a, "new"); err != nil {
		t.Fatal(err)
	}
	wantContent(t, a, "new")
	wantContent(t, b, "new")
}

func TestOutputKeepsPermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	write(t, path, "old")
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := commitTo(path, "new"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if os.Geteuid() != 0 {
		return
	}
	if err := os.Chown(path, 12, 34); err != nil {
		t.Fatal(err)
	}
	if err := commitTo(path, "newer"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if stat := info.Sys().(*syscall.Stat_t); err != nil || stat.Uid != 12 || stat.Gid != 34 {
		t.Errorf("owner %d, group %d, %v", stat.Uid, stat.Gid, err)
	}
}

// A name as long as the file system allows.
func TestOutputLongName(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("x", 255))
	if err := commitTo(path, "new"); err != nil {
		t.Fatal(err)
	}
	wantContent(t, path, "new")
}

// A descriptor of the process is written on from where it is.
func TestOutputIntoDescriptor(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.WriteString("head\n")
	link := filepath.Join(dir, "link")
	fd := "/proc/self/fd/" + itoa(int(f.Fd()))
	if err := os.Symlink(fd, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{fd, link} {
		if err := commitTo(path, "body\n"); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	f.WriteString("tail\n")
	wantContent(t, f.Name(), "head\nbody\nbody\ntail\n")
}

// Errors of writing name the output, not the temporary file.
func TestOutputErrorsNameOutput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	var o Outputs
	defer o.Abort()
	f, err := o.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	f.File.Close()
	_, err = f.Write([]byte("x"))
	for _, err := range []error{err, f.Truncate(1), f.Sync(), f.Close()} {
		if err == nil || !strings.HasPrefix(err.Error(), "error writing the file '"+path+"': ") || strings.Contains(err.Error(), ".offlink-") {
			t.Errorf("%v", err)
		}
	}
}

// A file that the user may not write is not replaced, and a file in a folder
// where nothing can be made is written into. The test runs itself as nobody.
func TestOutputPermissions(t *testing.T) {
	if dir := os.Getenv("OFFLINK_TEST_NOBODY"); dir != "" {
		err := commitTo(filepath.Join(dir, "readonly"), "new")
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("a read-only file: %v", err)
		}
		if err := commitTo(filepath.Join(dir, "open"), "new"); err != nil {
			t.Error(err)
		}
		return
	}
	dir := publicFolder(t)
	for name, mode := range map[string]fs.FileMode{"readonly": 0o644, "open": 0o666} {
		write(t, filepath.Join(dir, name), "a longer text that was there")
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	runAsNobody(t, "TestOutputPermissions", "OFFLINK_TEST_NOBODY="+dir)
	wantContent(t, filepath.Join(dir, "readonly"), "a longer text that was there")
	wantContent(t, filepath.Join(dir, "open"), "new")
}

// A file with an access control list is written into, as a new one would lack it.
func TestOutputKeepsAccessList(t *testing.T) {
	path := filepath.Join(t.TempDir(), "listed")
	write(t, path, "a longer text that was there")
	const name = "system.posix_acl_access"
	list := accessList()
	if err := unix.Setxattr(path, name, list, 0); err != nil {
		t.Skip("access control lists:", err)
	}
	if err := commitTo(path, "new"); err != nil {
		t.Fatal(err)
	}
	wantContent(t, path, "new")
	got := make([]byte, 100)
	if n, err := unix.Getxattr(path, name, got); err != nil || !bytes.Equal(got[:n], list) {
		t.Errorf("access control list %x, %v; want %x", got[:max(n, 0)], err, list)
	}
}

// accessList is a list as Linux stores it (linux/posix_acl_xattr.h): the owner, user 12,
// the group, the mask, others.
func accessList() []byte {
	list := binary.LittleEndian.AppendUint32(nil, 2)
	for _, entry := range []struct {
		tag, permissions uint16
		id               uint32
	}{{1, 6, ^uint32(0)}, {2, 4, 12}, {4, 4, ^uint32(0)}, {16, 4, ^uint32(0)}, {32, 0, ^uint32(0)}} {
		list = binary.LittleEndian.AppendUint16(list, entry.tag)
		list = binary.LittleEndian.AppendUint16(list, entry.permissions)
		list = binary.LittleEndian.AppendUint32(list, entry.id)
	}
	return list
}
