//go:build linux

package cache

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fullVariable has the test binary fill a folder where files cannot grow.
const fullVariable = "OFFLINK_TEST_CACHE_FULL"

func init() {
	dir := os.Getenv(fullVariable)
	if dir == "" {
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 500, Max: 500}); err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	c := New(Options{Dir: dir})
	c.Put(inputs("large"), data("large"))
	_, hit := c.Get(inputs("large"))
	old, kept := c.Get(inputs("old"))
	fmt.Println("stored", hit, "kept", kept && bytes.Equal(old, data("old")))
	os.Exit(0)
}

// TestFileLimit: where files cannot grow, nothing is stored and nothing is left.
func TestFileLimit(t *testing.T) {
	c := newCache(t, Options{})
	c.Put(inputs("old"), data("old"))
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), fullVariable+"="+c.options.Dir)
	out, err := child.CombinedOutput()
	if err != nil || string(out) != "stored false kept true\n" {
		t.Errorf("%v: %s", err, out)
	}
	checkNoTemporaries(t, c)
}

// TestFullDisk fills a small file system: entries that fit are kept and hit,
// others are not stored, and none is ever wrong.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("no file system can be mounted here: %v", err) // TestFileLimit runs everywhere
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	c := newCache(t, Options{Dir: filepath.Join(dir, "cache")})
	stored := 0
	for i := range 300 {
		name := fmt.Sprint("image", i)
		c.Put(inputs(name), data(name))
		got, hit := c.Get(inputs(name))
		if hit && !bytes.Equal(got, data(name)) {
			t.Fatalf("%s has other data", name)
		}
		if hit {
			stored++
		}
	}
	if stored == 0 || stored == 300 {
		t.Errorf("%d of 300 entries fit into 64 KiB", stored)
	}
	if s := c.Statistics(); s.Damaged != 0 {
		t.Errorf("%+v", s)
	}
	checkNoTemporaries(t, c)
	if _, err := c.Clear(); err != nil {
		t.Errorf("a full folder cannot be cleared: %v", err)
	}
}

// TestForeignEntry: an entry of another user is not used, and neither is a
// folder of another user.
func TestForeignEntry(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("files can be given away by root alone") // isOwn is tested by TestOwner
	}
	c := newCache(t, Options{})
	c.Put(inputs("a"), data("a"))
	if err := os.Chown(entryFile(c, "a"), 12345, 12345); err != nil {
		t.Fatal(err)
	}
	if _, hit := c.Get(inputs("a")); hit {
		t.Error("an entry of another user hits")
	}
	c.Put(inputs("a"), data("a"))
	if err := os.Chown(filepath.Join(c.options.Dir, layout), 12345, 12345); err != nil {
		t.Fatal(err)
	}
	again := newCache(t, c.options)
	again.Put(inputs("b"), data("b"))
	if _, hit := again.Get(inputs("a")); hit {
		t.Error("a folder of another user is used")
	}
}

// TestOwner: files of root are not those of others.
func TestOwner(t *testing.T) {
	info, err := os.Stat("/")
	if err != nil {
		t.Fatal(err)
	}
	if isOwn(info) != (os.Geteuid() == 0) {
		t.Errorf("the root folder is own: %v", isOwn(info))
	}
}

func checkNoTemporaries(t *testing.T, c *Cache) {
	t.Helper()
	_ = filepath.WalkDir(c.options.Dir, func(name string, _ os.DirEntry, _ error) error {
		if strings.HasSuffix(name, temporarySuffix) {
			t.Errorf("%s is left", name)
		}
		return nil
	})
}
