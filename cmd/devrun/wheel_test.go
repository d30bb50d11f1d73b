package main

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"
)

// writeWheel writes a zip archive of files, by their names in it.
func writeWheel(t *testing.T, name string, files map[string]string) {
	t.Helper()
	out, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	w := zip.NewWriter(out)
	for member, file := range files {
		contents := []byte(file)
		if strings.HasPrefix(file, "/") {
			if contents, err = os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
		}
		to, err := w.Create(member)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := to.Write(contents); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestCheckWheels: libraries of a wheel find those of its NAME.libs folder, and those that another
// wheel installs beside the packages.
func TestCheckWheels(t *testing.T) {
	testtool.Need(t, "gcc")
	dir := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	(&deviceLibrary{file: "libbundled.so", kernel: deviceFunction{name: "b"}, functions: []deviceFunction{{name: "f", number: 1}}}).build(t, dir, "-Wl,-soname,libbundled.so")
	(&deviceLibrary{file: "libcommon.so", kernel: deviceFunction{name: "c"}, functions: []deviceFunction{{name: "g", number: 2}}}).build(t, dir, "-Wl,-soname,libcommon.so")
	(&deviceLibrary{file: "module.so", kernel: deviceFunction{name: "k", calls: []string{"f", "g"}}}).build(t, dir, "-L"+dir, "-lbundled", "-lcommon", "-Wl,-rpath,$ORIGIN/../pkg.libs:$ORIGIN/../../../..")
	at := func(file string) string { return filepath.Join(dir, file) }
	writeWheel(t, at("pkg.whl"), map[string]string{
		"pkg/module.so": at("module.so"), "pkg.libs/libbundled.so": at("libbundled.so"), "pkg/__init__.py": "import pkg.module\n",
		"../outside.so": at("module.so"), "pkg/damaged.so": "\x7fELF damaged",
	})
	writeWheel(t, at("common.whl"), map[string]string{"common-1.data/data/libcommon.so": at("libcommon.so")})

	code, out, stderr := runDevrun(t, dir, "check", "pkg.whl", "common.whl")
	for _, want := range []string{
		"f => pkg.whl!pkg.libs/libbundled.so: image 0\n", "g => common.whl!common-1.data/data/libcommon.so: image 0\n", "3 images, 3 kernels, 2 imports: ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("exit %d, no %q in:\n%s%s", code, want, out, stderr)
		}
	}
	if strings.Contains(out, "devrun-wheel") || strings.Contains(out, "is not found") {
		t.Errorf("a temporary path, or a library that is not found:\n%s", out)
	}

	code, out, stderr = runDevrun(t, dir, "check", "pkg.whl")
	if want := "library libcommon.so, which pkg.whl!pkg/module.so needs, is not found"; code != 1 || !strings.Contains(out, want) {
		t.Errorf("exit %d, no %q in:\n%s%s", code, want, out, stderr)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "devrun-wheel*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}

	writeWheel(t, at("bad.whl"), map[string]string{"x": "y"})
	if err := os.Truncate(at("bad.whl"), 60); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr = runDevrun(t, dir, "check", "bad.whl"); code != 1 || !strings.Contains(stderr, "bad.whl: malformed zip archive") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// TestLaunchWheel: launch takes kernels out of the files of a wheel, links them with each other,
// and takes one file alone by WHEEL!MEMBER; check does so too.
func TestLaunchWheel(t *testing.T) {
	testtool.Need(t, "gcc")
	dir := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	(&deviceLibrary{file: "libbundled.so", kernel: deviceFunction{name: "b"}, functions: []deviceFunction{{name: "f", number: 1}}}).build(t, dir, "-Wl,-soname,libbundled.so")
	(&deviceLibrary{file: "module.so", kernel: deviceFunction{name: "k", calls: []string{"f"}}}).build(t, dir, "-L"+dir, "-lbundled", "-Wl,-rpath,$ORIGIN/../pkg.libs")
	at := func(file string) string { return filepath.Join(dir, file) }
	writeWheel(t, at("pkg.whl"), map[string]string{
		"pkg/module.so": at("module.so"), "pkg.libs/libbundled.so": at("libbundled.so"), "pkg/__init__.py": "import pkg.module\n",
	})
	writeWheel(t, at("empty.whl"), map[string]string{"pkg/__init__.py": "\n"})
	launch := []string{"launch", "--device=host", "--global=2", "--arg=buf:i32:2"}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{append(launch, "--kernel=k", "pkg.whl"), 0, "arg0: "},
		{append(launch, "--kernel=b", "pkg.whl!pkg.libs/libbundled.so"), 0, "arg0: "},
		{append(launch, "--kernel=k", "pkg.whl!pkg/module.so", "pkg.whl!pkg.libs/libbundled.so"), 0, "arg0: "},
		{append(launch, "--kernel=k", "pkg.whl!pkg/module.so"), 1, "imported by pkg.whl!pkg/module.so: image 0 (spir64, spirv), and no image provides it"},
		{append(launch, "--kernel=k", "pkg.whl!pkg/other.so"), 1, "pkg.whl!pkg/other.so: no such file in the wheel"},
		{append(launch, "--kernel=k", "empty.whl"), 1, "empty.whl: no file in it has device images"},
		{append(launch, "--kernel=k", "none.whl!a.so"), 1, "none.whl!a.so: no such file"},
		{[]string{"check", "pkg.whl!pkg/module.so"}, 0, "f => pkg.whl!pkg.libs/libbundled.so: image 0"},
		{[]string{"check", "pkg.whl!pkg.libs/libbundled.so", "pkg.whl!pkg/module.so"}, 0, "f => pkg.whl!pkg.libs/libbundled.so: image 0"},
		{[]string{"check", "pkg.whl!pkg/other.so"}, 1, "pkg.whl!pkg/other.so: no such file in the wheel"},
	} {
		if code, out, stderr := runDevrun(t, dir, c.args...); code != c.code || !strings.Contains(out+stderr, c.want) {
			t.Errorf("%q: exit %d, no %q in:\n%s%s", c.args, code, c.want, out, stderr)
		}
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
