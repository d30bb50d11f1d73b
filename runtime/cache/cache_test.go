package cache

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func inputs(image string) Inputs {
	return Inputs{{"device", "fake"}, {"image 0", image}, {"options", "-O2"}}
}

func data(image string) []byte { return bytes.Repeat([]byte(image+"\n"), 100) }

func newCache(t *testing.T, o Options) *Cache {
	t.Helper()
	if o.Dir == "" {
		o.Dir = filepath.Join(t.TempDir(), "cache")
	}
	c := New(o)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func entryFile(c *Cache, image string) string {
	return filepath.Join(c.options.Dir, layout, filepath.FromSlash(entryPath(inputs(image).entryKey())))
}

func TestGetAndPut(t *testing.T) {
	c := newCache(t, Options{})
	if _, ok := c.Get(inputs("a")); ok {
		t.Error("an empty cache hits")
	}
	c.Put(inputs("a"), data("a"))
	c.Put(inputs("b"), data("b"))
	c.Put(inputs("none"), nil)
	for _, name := range []string{"a", "b"} {
		if got, ok := New(c.options).Get(inputs(name)); !ok || !bytes.Equal(got, data(name)) {
			t.Errorf("%s: %v, %d bytes", name, ok, len(got))
		}
	}
	if got, ok := c.Get(inputs("none")); !ok || len(got) != 0 {
		t.Errorf("an empty program: %v, %v", got, ok)
	}
	// Values and names are told apart whatever their lengths are.
	for _, in := range []Inputs{nil, inputs("c"), inputs("a")[:2], {{"device", "fakeimage 0a"}}, {{"devicefake", ""}, {"image 0", "a"}, {"options", "-O2"}}} {
		if _, ok := c.Get(in); ok {
			t.Errorf("%v hits", in)
		}
	}
	if s := c.Statistics(); s.Hits != 1 || s.Stored != 3 || s.Misses != 6 || s.Damaged != 0 {
		t.Errorf("%+v", s)
	}
}

// TestEveryByte: an entry with any byte changed, cut anywhere or made longer is
// a miss, and is taken out.
func TestEveryByte(t *testing.T) {
	c := newCache(t, Options{})
	c.Put(inputs("a"), data("a"))
	file := entryFile(c, "a")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(5, 6))
	try := func(what string, raw []byte) {
		t.Helper()
		if err := os.WriteFile(file, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, ok := c.Get(inputs("a")); ok {
			t.Fatalf("%s: a hit of %d bytes", what, len(got))
		}
		if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("%s: the damaged entry stays", what)
		}
	}
	for range 10000 {
		raw := bytes.Clone(whole)
		at := random.IntN(len(raw))
		raw[at] ^= 1 << random.IntN(8)
		try(fmt.Sprint("byte ", at), raw)
	}
	for n := range whole {
		try(fmt.Sprint("cut at ", n), whole[:n])
	}
	try("longer", append(bytes.Clone(whole), 0))
	// The entry of other inputs, under this name, is whole and still a miss.
	other, _ := encodeEntry(inputs("b"), data("b"))
	try("another entry", other)
}

func FuzzDecode(f *testing.F) {
	whole, _ := encodeEntry(inputs("a"), data("a"))
	f.Add(whole)
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, err := decodeEntry(raw)
		if err == nil && int64(len(e.data)) != e.header.Size {
			t.Errorf("%d bytes, and the header says %d", len(e.data), e.header.Size)
		}
	})
}

// TestFolders: a folder that cannot be used costs no more than the cache.
func TestFolders(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	open := filepath.Join(dir, "open")
	for _, err := range []error{
		os.WriteFile(file, nil, 0o600), os.MkdirAll(filepath.Join(open, layout), 0o700), os.Chmod(filepath.Join(open, layout), 0o777),
		os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "link")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{file, open, filepath.Join(file, "below"), "/proc/nowhere", "/dev/null", ""} {
		if name == "" {
			continue
		}
		c := newCache(t, Options{Dir: name})
		c.Put(inputs("a"), data("a"))
		if _, ok := c.Get(inputs("a")); ok {
			t.Errorf("%s: a hit", name)
		}
		if _, err := c.List(); err == nil {
			t.Errorf("%s: List does not tell", name)
		}
	}
}

// TestLinksInside: an entry or a folder that was replaced by a link leads
// nowhere.
func TestLinksInside(t *testing.T) {
	c := newCache(t, Options{})
	c.Put(inputs("a"), data("a"))
	file := entryFile(c, "a")
	raw, _ := os.ReadFile(file)
	outside := filepath.Join(t.TempDir(), "outside")
	if err := errors.Join(os.WriteFile(outside, raw, 0o600), os.Remove(file), os.Symlink(outside, file)); err != nil {
		t.Fatal(err)
	}
	if _, ok := c.Get(inputs("a")); ok {
		t.Error("an entry that is a link to another folder hits")
	}
	c.Put(inputs("a"), data("a")) // replaces the link, not the file
	if got, err := os.ReadFile(outside); err != nil || !bytes.Equal(got, raw) {
		t.Errorf("the file outside was written: %v", err)
	}
	if _, ok := c.Get(inputs("a")); !ok {
		t.Error("the entry was not stored again")
	}
	folder := filepath.Dir(file)
	if err := errors.Join(os.RemoveAll(folder), os.Symlink(filepath.Dir(outside), folder)); err != nil {
		t.Fatal(err)
	}
	c.Put(inputs("a"), data("a"))
	if list, _ := os.ReadDir(filepath.Dir(outside)); len(list) != 1 {
		t.Errorf("files were made outside: %v", list)
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		options Options
		size    int64
		want    bool
	}{
		{Options{}, 0, true},
		{Options{}, 1 << 50, true},
		{Options{MinImages: 10}, 9, false},
		{Options{MinImages: 10}, 10, true},
		{Options{MaxImages: 10}, 10, true},
		{Options{MaxImages: 10}, 11, false},
	} {
		if got := New(c.options).StoresImages(c.size); got != c.want {
			t.Errorf("%+v: images of %d bytes: %v", c.options, c.size, got)
		}
	}
}

// TestLargeFile: a file that grew beyond the limit is not read.
func TestLargeFile(t *testing.T) {
	c := newCache(t, Options{})
	c.Put(inputs("a"), data("a"))
	if err := os.Truncate(entryFile(c, "a"), 1<<40); err != nil {
		t.Skipf("no file of a terabyte can be made here: %v", err) // decodeEntry refuses it too: TestEveryByte
	}
	if _, ok := c.Get(inputs("a")); ok {
		t.Error("a file of a terabyte hits")
	}
}

// TestAge: an entry goes that was not used for longer than the limit, one that was
// used stays.
func TestAge(t *testing.T) {
	now := time.Now()
	c := newCache(t, Options{MaxAge: 48 * time.Hour})
	for name, age := range map[string]time.Duration{"old": 49 * time.Hour, "young": 47 * time.Hour, "used": 49 * time.Hour} {
		c.Put(inputs(name), data(name))
		if err := os.Chtimes(entryFile(c, name), now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := c.Get(inputs("used")); !ok {
		t.Error("no hit")
	}
	if removed, err := c.GC(now); err != nil || removed.Entries != 1 {
		t.Errorf("removed %+v, %v", removed, err)
	}
	if _, err := os.Stat(entryFile(c, "old")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old entry: %v", err)
	}
}

// TestEviction: the entries that were used last stay.
func TestEviction(t *testing.T) {
	c := newCache(t, Options{})
	var size int64
	for i := range 10 {
		name := fmt.Sprint("image", i)
		c.Put(inputs(name), data(name))
		at := time.Now().Add(time.Duration(i-20) * time.Hour)
		if err := os.Chtimes(entryFile(c, name), at, at); err != nil {
			t.Fatal(err)
		}
		info, _ := os.Stat(entryFile(c, name))
		size = info.Size()
	}
	if _, ok := c.Get(inputs("image0")); !ok { // now the one that was used last
		t.Fatal("no hit")
	}
	abandonedFile := entryFile(c, "image0") + ".1.1" + temporarySuffix
	old := time.Now().Add(-2 * abandoned)
	if err := errors.Join(os.WriteFile(abandonedFile, nil, 0o600), os.Chtimes(abandonedFile, old, old)); err != nil {
		t.Fatal(err)
	}
	c.options.MaxSize = 4 * size
	removed, err := c.GC(time.Now())
	if err != nil || removed.Entries != 7 || removed.Bytes != 6*size {
		t.Errorf("removed %+v, %v", removed, err)
	}
	var left []string
	for i := range 10 {
		if _, ok := c.Get(inputs(fmt.Sprint("image", i))); ok {
			left = append(left, fmt.Sprint(i))
		}
	}
	if diff := cmp.Diff("0 7 8 9", strings.Join(left, " ")); diff != "" {
		t.Error(diff)
	}
	// A Put beyond the limit trims by itself.
	c.Put(inputs("more"), data("more"))
	if list, _ := c.List(); len(list) > 4 {
		t.Errorf("%d entries", len(list))
	}
	if done, err := c.Clear(); err != nil || done.Entries == 0 {
		t.Errorf("Clear: %+v, %v", done, err)
	}
	if list, _ := c.List(); len(list) != 0 {
		t.Errorf("%d entries after Clear", len(list))
	}
}

func TestExplain(t *testing.T) {
	c := newCache(t, Options{})
	c.Put(inputs("a"), data("a"))
	other := inputs("a")
	other[0].Value, other[2].Value = "another device", "-O3"
	c.Put(other, data("b"))
	if e, err := c.Explain(inputs("a")); err != nil || !e.Hit {
		t.Errorf("%+v, %v", e, err)
	}
	wanted := append(inputs("c"), Input{"image 1", "d"})
	e, err := c.Explain(wanted)
	want := Explanation{Key: wanted.entryKey(), Nearest: inputs("a").entryKey(), Differences: []Difference{{"image 0", "c", "a"}, {"image 1", "d", ""}}}
	if diff := cmp.Diff(want, e); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if err := os.WriteFile(entryFile(c, "a"), []byte("junk"), 0o600); err != nil {
		t.Fatal(err)
	}
	if e, err := c.Explain(inputs("a")); err != nil || e.Hit || e.Damaged == "" {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestManyAtOnce is for the race detector.
func TestManyAtOnce(t *testing.T) {
	c := newCache(t, Options{MaxSize: 20 << 10})
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 50 {
				name := fmt.Sprint("image", (i+g)%8)
				if got, ok := c.Get(inputs(name)); ok && !bytes.Equal(got, data(name)) {
					t.Errorf("%s: other data", name)
				}
				c.Put(inputs(name), data(name))
			}
		})
	}
	wg.Wait()
}

const writerVariable = "OFFLINK_CACHE_TEST_FOLDER"

// TestMain makes the test binary a writer that stores until it is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv(writerVariable); dir != "" {
		c := New(Options{Dir: dir})
		fmt.Println("started")
		for i := 0; ; i++ {
			name := fmt.Sprint("image", i%3)
			c.Put(inputs(name), data(name))
			if i == 2 {
				fmt.Println("stored")
			}
		}
	}
	os.Exit(m.Run())
}

// TestKilledWriters: a writer that is killed at any time leaves whole entries
// and temporary files. The torture suite kills a thousand.
func TestKilledWriters(t *testing.T) {
	runs := 200
	switch {
	case testing.Short():
		runs = 20
	case os.Getenv("OFFLINK_TORTURE_RUNS") != "":
		runs = 1000
	}
	c := newCache(t, Options{})
	random := rand.New(rand.NewPCG(7, 8))
	for i := range runs {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), writerVariable+"="+c.options.Dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(out)
		_, _ = lines.ReadString('\n')
		if i == 0 { // a busy machine's others may store nothing in time
			_, _ = lines.ReadString('\n')
		}
		time.Sleep(time.Duration(random.IntN(2000)) * time.Microsecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		for i := range 3 {
			name := fmt.Sprint("image", i)
			if got, ok := c.Get(inputs(name)); ok && !bytes.Equal(got, data(name)) {
				t.Fatalf("%s has other data", name)
			}
		}
	}
	if s := c.Statistics(); s.Damaged != 0 || s.Hits == 0 {
		t.Errorf("%+v", s)
	}
	if _, err := c.GC(time.Now().Add(2 * abandoned)); err != nil {
		t.Fatal(err)
	}
	_ = filepath.WalkDir(c.options.Dir, func(name string, _ os.DirEntry, _ error) error {
		if strings.HasSuffix(name, temporarySuffix) {
			t.Errorf("%s is left", name)
		}
		return nil
	})
}

// TestFromEnvironment has each variable of docs/environment.md.
func TestFromEnvironment(t *testing.T) {
	defaults := func(change func(*Options)) Options {
		o := Options{Dir: "/d/offlink", MaxImages: 1 << 30, MaxSize: 8 << 30}
		change(&o)
		return o
	}
	same := func(*Options) {}
	for _, c := range []struct {
		env      string
		want     Options
		on       bool
		warnings string
	}{
		{"SYCL_CACHE_DIR=/d", defaults(same), false, ""},
		{"SYCL_CACHE_DIR=/d SYCL_CACHE_PERSISTENT=0", defaults(same), false, ""},
		{"SYCL_CACHE_DIR=/d SYCL_CACHE_PERSISTENT=1", defaults(same), true, ""},
		{"SYCL_CACHE_DIR=/d SYCL_CACHE_PERSISTENT=yes", defaults(same), false, "SYCL_CACHE_PERSISTENT=\"yes\" is neither"},
		{"SYCL_CACHE_DIR=/d SYCL_CACHE_PERSISTENT=1 SYCL_CACHE_DISABLE_PERSISTENT=1", defaults(same), false, ""},
		{"SYCL_CACHE_PERSISTENT=1", defaults(func(o *Options) { o.Dir = "" }), false, ""},
		{"SYCL_CACHE_PERSISTENT=1 HOME=/h", defaults(func(o *Options) { o.Dir = "/h/.cache/libsycl_cache/offlink" }), true, ""},
		{"SYCL_CACHE_PERSISTENT=1 HOME=/h XDG_CACHE_HOME=/x", defaults(func(o *Options) { o.Dir = "/x/libsycl_cache/offlink" }), true, ""},
		{"SYCL_CACHE_PERSISTENT=1 AppData=/a", defaults(func(o *Options) { o.Dir = "/a/libsycl_cache/offlink" }), true, ""},
		{"SYCL_CACHE_PERSISTENT=1 HOME=relative", defaults(func(o *Options) { o.Dir = "" }), false, ""},
		{"SYCL_CACHE_DIR=/d SYCL_CACHE_PERSISTENT=1 SYCL_CACHE_MAX_SIZE=3", defaults(func(o *Options) { o.MaxSize = 3 << 20 }), true, ""},
		{"SYCL_CACHE_DIR=/d SYCL_CACHE_PERSISTENT=1 SYCL_CACHE_MAX_SIZE=0", defaults(func(o *Options) { o.MaxSize = 0 }), true, ""},
		{"SYCL_CACHE_DIR=/d SYCL_CACHE_PERSISTENT=1 SYCL_CACHE_MAX_SIZE=-3", defaults(same), true, "SYCL_CACHE_MAX_SIZE=\"-3\" is not"},
		{"SYCL_CACHE_DIR=/d SYCL_CACHE_PERSISTENT=1 SYCL_CACHE_THRESHOLD=7", defaults(func(o *Options) { o.MaxAge = 7 * 24 * time.Hour }), true, ""},
		{"SYCL_CACHE_DIR=/d SYCL_CACHE_PERSISTENT=1 SYCL_CACHE_THRESHOLD=9999999", defaults(func(o *Options) { o.MaxAge = maxDays * 24 * time.Hour }), true, ""},
		{
			"SYCL_CACHE_DIR=/d SYCL_CACHE_PERSISTENT=1 SYCL_CACHE_THRESHOLD=7 SYCL_CACHE_EVICTION_DISABLE=1",
			defaults(func(o *Options) { o.MaxSize = 0 }), true, "",
		},
		{"SYCL_CACHE_DIR=/d SYCL_CACHE_PERSISTENT=1 SYCL_CACHE_MIN_DEVICE_IMAGE_SIZE=4", defaults(func(o *Options) { o.MinImages = 4 }), true, ""},
		{"SYCL_CACHE_DIR=/d SYCL_CACHE_PERSISTENT=1 SYCL_CACHE_MAX_DEVICE_IMAGE_SIZE=5", defaults(func(o *Options) { o.MaxImages = 5 }), true, ""},
		{
			"SYCL_CACHE_DIR=/d SYCL_CACHE_PERSISTENT=1 SYCL_CACHE_MAX_DEVICE_IMAGE_SIZE=nonsense", defaults(same), true,
			"SYCL_CACHE_MAX_DEVICE_IMAGE_SIZE=\"nonsense\" is not a number from 0 to 4398046511104; 1073741824 is used",
		},
		{"SYCL_CACHE_DIR=/d SYCL_CACHE_MAX_DEVICE_IMAGE_SIZE=nonsense", defaults(same), false, ""},
		{"SYCL_CACHE_DIR=/d SYCL_CACHE_PERSISTENT=1 SYCL_CACHE_IN_MEM=0 SYCL_IN_MEM_CACHE_EVICTION_THRESHOLD=1", defaults(same), true, ""},
	} {
		var warnings bytes.Buffer
		o, on := FromEnvironment(variables(c.env), &warnings)
		if diff := cmp.Diff(c.want, o); diff != "" || on != c.on {
			t.Errorf("%v: %v %s", c.env, on, diff)
		}
		if (c.warnings == "") != (warnings.Len() == 0) || !strings.Contains(warnings.String(), c.warnings) {
			t.Errorf("%v: warned %q; want %q", c.env, warnings.String(), c.warnings)
		}
	}
}

// variables are the environment NAME=VALUE NAME=VALUE.
func variables(list string) func(string) string {
	return func(name string) string {
		for _, field := range strings.Fields(list) {
			if value, ok := strings.CutPrefix(field, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

func TestTraceVariable(t *testing.T) {
	for value, on := range map[string]bool{"": false, "0": false, "1": true, "2": false, "3": true, "6": false, "7": true, "yes": true} {
		var trace bytes.Buffer
		o, _ := FromEnvironment(variables("SYCL_CACHE_DIR="+t.TempDir()+" SYCL_CACHE_TRACE="+value), &trace)
		newCache(t, o).Get(inputs("a"))
		if got := strings.HasPrefix(trace.String(), "[Persistent Cache]: miss "); got != on || !on && trace.Len() > 0 {
			t.Errorf("%q: traced %q", value, trace.String())
		}
	}
}
