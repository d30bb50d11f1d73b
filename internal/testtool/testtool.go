// Package testtool finds the external tools that tests use as oracles, and measures
// the memory of programs. A missing tool skips the test, or fails it where
// OFFLINK_REQUIRE_TOOLS is set, as "make test" does once everything is installed.
package testtool

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Required reports whether a test without its tools has to fail.
func Required() bool { return os.Getenv("OFFLINK_REQUIRE_TOOLS") != "" }

// Unavailable reports whether scripts/setup found that this system offers no
// package of that tool: "llvm-as-14" and "llc-14" come with the package llvm-14,
// "clang++-14" and "clang-offload-packager-14" with clang-14.
func Unavailable(tool string) bool {
	root, err := moduleRoot()
	if err != nil {
		return false
	}
	list, err := os.ReadFile(filepath.Join(root, "build", "unavailable"))
	if err != nil {
		return false
	}
	version := tool[strings.LastIndexByte(tool, '-')+1:]
	for _, name := range strings.Fields(string(list)) {
		if name == tool {
			return true
		}
		if name == packageOf(tool, version) {
			return true
		}
	}
	return false
}

// packageOf is the package of that version that a tool of LLVM comes with, "" for others.
func packageOf(tool, version string) string {
	switch name := strings.TrimSuffix(tool, "-"+version); {
	case strings.HasPrefix(name, "llvm-"), name == "opt", name == "llc":
		return "llvm-" + version
	case strings.HasPrefix(name, "clang"):
		return "clang-" + version
	}
	return ""
}

// Missing ends the test for lack of something.
func Missing(t testing.TB, err error) {
	t.Helper()
	if notFound, ok := errors.AsType[*exec.Error](err); ok && Unavailable(notFound.Name) {
		t.Skipf("this system has no %s", notFound.Name)
	}
	if Required() {
		t.Fatalf("%v: run scripts/setup test", err)
	}
	t.Skip(err)
}

// skipShort ends a test of the fast lane: "go test -short" starts no external
// tools, so that it is as fast on every machine, whatever is installed there.
func skipShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short runs no external tools")
	}
}

// Path returns the path of a tool.
func Path(t testing.TB, name string) string {
	t.Helper()
	skipShort(t)
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, err)
	}
	return path
}

// Installed reports whether a tool is there, for a part of a test that can be
// left out. Under -short no tool is.
func Installed(name string) bool {
	if testing.Short() {
		return false
	}
	_, err := exec.LookPath(name)
	return err == nil
}

// Expected reports whether a tool must be there: the run requires tools, and the
// set-up did not record that this one cannot be had. A part of a test that is left
// out without its tool fails then.
func Expected(name string) bool { return Required() && !Unavailable(name) && !testing.Short() }

// Need ends the test unless all the tools are there.
func Need(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		Path(t, name)
	}
}

// NeedLinker ends the test unless the linker is there that a compiler's -fuse-ld
// names; the compiler itself fails without it. Debian 13 has gold in a package of
// its own, which the tests do not require.
func NeedLinker(t testing.TB, args []string) {
	t.Helper()
	for _, arg := range args {
		switch arg {
		case "-fuse-ld=lld":
			Need(t, "ld.lld-19")
		case "-fuse-ld=gold":
			if !Installed("ld.gold") {
				t.Skip("this system has no gold")
			}
		}
	}
}

// Python returns a file of the pinned Python environment that
// scripts/python-env makes; pattern is as for filepath.Glob, below build/python.
func Python(t testing.TB, pattern string) string {
	t.Helper()
	return BuildFile(t, "python/"+pattern)
}

// BuildFile returns a file that scripts/setup puts into build; pattern is as
// for filepath.Glob.
func BuildFile(t testing.TB, pattern string) string {
	t.Helper()
	skipShort(t)
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(root, "build", pattern))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		Missing(t, fmt.Errorf("build/%s is missing", pattern))
	}
	return found[0]
}

// moduleRoot is the nearest folder upwards with a go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("no go.mod upwards of the test's folder")
		}
		dir = filepath.Dir(dir)
	}
}
