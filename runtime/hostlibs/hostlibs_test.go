package hostlibs

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"offlink/internal/testtool"
)

// tree is a folder of programs and libraries that gcc made.
type tree struct {
	t   *testing.T
	dir string
}

func newTree(t *testing.T) *tree {
	testtool.Need(t, "gcc")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &tree{t, dir}
}

// library links lib/NAME/libNAME.so against others of the tree.
func (r *tree) library(name string, flags ...string) string {
	out := filepath.Join(r.dir, name, "lib"+name+".so")
	r.gcc(out, "int "+name+"(void) { return 1; }", append([]string{"-shared", "-fPIC", "-Wl,-soname,lib" + name + ".so", "-Wl,--no-as-needed"}, flags...)...)
	return out
}

func (r *tree) program(name, source string, flags ...string) string {
	out := filepath.Join(r.dir, name)
	r.gcc(out, source, flags...)
	return out
}

func (r *tree) gcc(out, source string, flags ...string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(out), 0o777); err != nil {
		r.t.Fatal(err)
	}
	args := append([]string{"-o", out, "-x", "c", "-", "-x", "none"}, flags...)
	c := exec.Command("gcc", args...)
	c.Stdin = strings.NewReader(source)
	if text, err := c.CombinedOutput(); err != nil {
		r.t.Fatalf("gcc %q: %v\n%s", args, err, text)
	}
}

// closure names the modules of a program's closure by file, without libc.
func closure(t *testing.T, l *Loader, program string) (names, missing []string) {
	t.Helper()
	m, err := l.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	c := l.Closure(m)
	for _, m := range c.Modules {
		if name := filepath.Base(m.Path); !strings.HasPrefix(name, "libc.") && !strings.HasPrefix(name, "ld-") {
			names = append(names, name)
		}
	}
	for _, m := range c.Missing {
		missing = append(missing, m.Name)
	}
	return names, missing
}

// loaded asks the real loader, which prints the files that it maps.
func loaded(t *testing.T, program string, env ...string) []string {
	t.Helper()
	c := exec.Command(program)
	c.Env = append(env, "LD_TRACE_LOADED_OBJECTS=1")
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	names := []string{filepath.Base(program)}
	for line := range strings.Lines(string(out)) {
		name := strings.Fields(line)[0]
		if strings.HasPrefix(name, "linux-vdso") || strings.HasPrefix(name, "libc.") || strings.HasPrefix(name, "/") {
			continue
		}
		if !strings.Contains(line, "not found") {
			names = append(names, filepath.Base(name))
		}
	}
	return names
}

// TestClosure compares with the real loader: RPATH that holds for libraries of
// libraries, RUNPATH that does not, LD_LIBRARY_PATH, $ORIGIN, --as-needed.
func TestClosure(t *testing.T) {
	r := newTree(t)
	inner := r.library("inner")
	outer := r.library("outer", inner)
	unused := r.library("unused")
	const source = "int outer(void); int main(void) { return outer(); }"
	link := []string{outer, "-Wl,--no-as-needed", unused, "-Wl,--allow-shlib-undefined", "-Wl,-rpath-link," + filepath.Dir(inner)}
	dirs := "-Wl,-rpath," + filepath.Dir(inner) + ":$ORIGIN/outer:" + filepath.Dir(unused)
	for _, c := range []struct {
		name  string
		flags []string
		env   string
	}{
		{"rpath", append(slices.Clone(link), dirs, "-Wl,--disable-new-dtags"), ""},
		{"runpath", append(slices.Clone(link), dirs, "-Wl,--enable-new-dtags"), ""},
		{"library-path", append(slices.Clone(link), dirs, "-Wl,--enable-new-dtags"), filepath.Dir(inner)},
		{"nothing", link, ""},
		{"as-needed", []string{"-Wl,--as-needed", outer, unused, dirs, "-Wl,--disable-new-dtags"}, ""},
	} {
		program := r.program(c.name, source, c.flags...)
		names, missing := closure(t, &Loader{LibraryPath: c.env}, program)
		if diff := cmp.Diff(loaded(t, program, "LD_LIBRARY_PATH="+c.env), names); diff != "" {
			t.Errorf("%s: the loader and the closure differ (-loader +closure):\n%s", c.name, diff)
		}
		if (c.name == "runpath" || c.name == "nothing") == (missing == nil) {
			t.Errorf("%s: missing = %q", c.name, missing)
		}
	}
}

// TestConstructors: a library's constructor runs before that of its user.
func TestConstructors(t *testing.T) {
	r := newTree(t)
	inner := r.library("inner")
	outer := r.library("outer", inner)
	program := r.program("main", "int outer(void); int main(void) { return outer(); }", outer, "-Wl,-rpath,$ORIGIN/inner:$ORIGIN/outer", "-Wl,--disable-new-dtags")
	var l Loader
	m, err := l.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, m := range l.Closure(m).Constructors() {
		order = append(order, filepath.Base(m.Path))
	}
	order = slices.DeleteFunc(order, func(s string) bool { return strings.HasPrefix(s, "libc.") || strings.HasPrefix(s, "ld-") })
	if diff := cmp.Diff([]string{"libinner.so", "libouter.so", "main"}, order); diff != "" {
		t.Error(diff)
	}
}

func TestKinds(t *testing.T) {
	r := newTree(t)
	for name, want := range map[string]Kind{
		"/lib/x86_64-linux-gnu/libc.so.6":                             Library,
		r.program("pie", "int main(void) { return 0; }", "-pie"):      Program,
		r.program("fixed", "int main(void) { return 0; }", "-no-pie"): Program,
		r.library("shared"): Library,
		r.program("object.o", "int f(void) { return 0; }", "-c", "-fPIC"): Object,
		r.program("static", "int main(void) { return 0; }", "-static"):    Object,
	} {
		m, err := new(Loader).Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // a C library that lies elsewhere
		}
		if err != nil || m.Kind != want {
			t.Errorf("%s: %+v, %v; want %v", name, m, err, want)
		}
	}
}

// TestCache reads this machine's cache, which has the C library.
func TestCache(t *testing.T) {
	data, err := os.ReadFile("/etc/ld.so.cache")
	if err != nil {
		t.Skip(err)
	}
	paths, err := parseCache(data)
	if err != nil {
		t.Fatal(err)
	}
	if list := paths["libc.so.6"]; len(list) == 0 || !filepath.IsAbs(list[0]) {
		t.Errorf("libc.so.6 is in %q", list)
	}
}

func FuzzReadDynamic(f *testing.F) {
	for _, path := range []string{"/bin/true", "/lib64/ld-linux-x86-64.so.2"} {
		if data, err := os.ReadFile(path); err == nil {
			f.Add(data[:min(len(data), 1<<16)])
		}
	}
	f.Add([]byte("\x7fELF\x02\x01\x01"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := ReadDynamic(bytes.NewReader(data))
		if (d == nil) == (err == nil) {
			t.Fatalf("ReadDynamic = %v, %v", d, err)
		}
	})
}

func FuzzParseCache(f *testing.F) {
	f.Add([]byte(cacheMagic))
	if data, err := os.ReadFile("/etc/ld.so.cache"); err == nil {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		paths, err := parseCache(data)
		if paths != nil && err != nil {
			t.Fatalf("parseCache = %v, %v", paths, err)
		}
	})
}
