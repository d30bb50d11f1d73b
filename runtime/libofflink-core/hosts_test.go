package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"offlink/internal/testtool"
)

// host builds a library with the kernel app in a workshop.
func (w *workshop) host(t *testing.T, flags ...string) string {
	t.Helper()
	flags = append([]string{"-shared", "-fPIC", "-Wl,-soname,libhost.so", "-o", "libhost.so", "-I" + absolute(t, "testdata/torture")}, flags...)
	w.compile(t, "gcc", "testdata/hosts/host.c", append(flags, "app.o", "-L"+w.dir, "-L"+w.lib, "-Wl,--no-as-needed", "-lhelpers", "-lofflink")...)
	return filepath.Join(w.dir, "libhost.so")
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// runHost runs a host several times; it prints "ok" and nothing else.
func (w *workshop) runHost(t *testing.T, command ...string) {
	t.Helper()
	for i := range tortureRuns(t) {
		ctx, cancel := context.WithTimeout(context.Background(), tortureLimit)
		c := exec.CommandContext(ctx, command[0], command[1:]...)
		c.Dir, c.Env = w.dir, w.environment()
		out, err := c.CombinedOutput()
		cancel()
		if err != nil || string(bytes.TrimSpace(out)) != "ok" {
			t.Fatalf("run %d: %v\n%s", i+1, err, out)
		}
	}
}

// TestPythonHost: ctypes, threads, signals and forks of Python.
func TestPythonHost(t *testing.T) {
	testtool.Need(t, "gcc", "python3")
	w := newWorkshop(t)
	// Python warns of any fork of a process with threads, which is the case here.
	w.runHost(t, "python3", "-W", "ignore::DeprecationWarning", absolute(t, "testdata/hosts/host.py"), w.host(t))
}

// TestPythonDirect: the C library by ctypes alone.
func TestPythonDirect(t *testing.T) {
	testtool.Need(t, "gcc", "python3")
	w := newWorkshop(t)
	w.runHost(t, "python3", absolute(t, "testdata/hosts/direct.py"), w.host(t))
}

// TestGoHost: a program of Go, which has its own signals and faults.
func TestGoHost(t *testing.T) {
	testtool.Need(t, "gcc", "go")
	w := newWorkshop(t)
	w.host(t)
	source, err := os.ReadFile("testdata/hosts/host.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, "host.go"), source, 0o666); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-o", "gohost", "host.go")
	build.Dir = w.dir
	build.Env = append(os.Environ(), "CGO_ENABLED=1", "CGO_LDFLAGS=-L"+w.dir+" -L"+w.lib+" -Wl,-rpath-link,"+w.lib, "GO111MODULE=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	w.runHost(t, "./gohost")
}

// TestJavaHost: a virtual machine of Java, by JNI.
func TestJavaHost(t *testing.T) {
	testtool.Need(t, "gcc", "javac", "java")
	w := newWorkshop(t)
	settings, err := exec.Command("java", "-XshowSettings:properties", "-version").CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(settings), "java.home = ")
	home, _, _ := strings.Cut(rest, "\n")
	if !found {
		t.Fatalf("no java.home in %s", settings)
	}
	library := w.host(t, "-DJNI", "-I"+home+"/include", "-I"+home+"/include/linux")
	if out, err := exec.Command("javac", "-d", w.dir, absolute(t, "testdata/hosts/Host.java")).CombinedOutput(); err != nil {
		t.Fatalf("javac: %v\n%s", err, out)
	}
	w.runHost(t, "java", "-Xmx64m", "-cp", w.dir, "Host", library)
}

// compileHost runs the compiler of another language in the folder.
func (w *workshop) compileHost(t *testing.T, command ...string) {
	t.Helper()
	c := exec.Command(command[0], command[1:]...)
	c.Dir = w.dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%q: %v\n%s", command, err, out)
	}
}

// TestRustHost: the C library without C, from Rust's threads.
func TestRustHost(t *testing.T) {
	testtool.Need(t, "gcc")
	if !testtool.Installed("rustc") {
		t.Skip("no rustc")
	}
	w := newWorkshop(t)
	library := w.host(t)
	w.compileHost(t, "rustc", absolute(t, "testdata/hosts/host.rs"), "--edition=2021", "-o", "rusthost", "-L", w.lib)
	w.runHost(t, "./rusthost", library)
}

// TestFortranHost: the C library by iso_c_binding.
func TestFortranHost(t *testing.T) {
	testtool.Need(t, "gcc", "gfortran")
	w := newWorkshop(t)
	library := w.host(t)
	w.compileHost(t, "gfortran", absolute(t, "testdata/hosts/host.f90"), "-o", "fortranhost", "-L"+w.lib, "-lofflink")
	w.runHost(t, "./fortranhost", library)
}
