package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"offlink/internal/testtool"
)

// nativeHost is testdata/native.c, built, with the environment of a program that keeps
// compiled code in a folder and whose temporary files have one of their own.
func nativeHost(t *testing.T, compiler string) (host *exec.Cmd, kept, temporary string) {
	t.Helper()
	path, program := buildLibrary(t), filepath.Join(t.TempDir(), "host")
	if _, err := os.Stat("/usr/include/CL/cl.h"); err != nil {
		t.Skip("OpenCL's headers are not installed (opencl-c-headers)")
	}
	build := exec.Command("gcc", "-w", "-o", program, "testdata/native.c", "-l:libOpenCL.so.1")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	kept, temporary = t.TempDir(), t.TempDir()
	host = exec.Command(program, "../backends/testdata/selftest.spv")
	host.Env = append(os.Environ(), "OCL_ICD_VENDORS="+path, "SYCL_CACHE_PERSISTENT=1", "SYCL_CACHE_DIR="+kept, "TMPDIR="+temporary)
	if compiler != "" {
		host.Env = append(host.Env, "PATH="+compiler)
	}
	host.Stderr = os.Stderr
	return host, kept, temporary
}

// files counts the files of a folder.
func files(t *testing.T, dir string) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			n++
		}
		return nil // a file may be gone
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// runUntil starts the host, and lets it end once a condition holds.
func runUntil(t *testing.T, host *exec.Cmd, condition func() bool) {
	t.Helper()
	input, err := host.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Error("a minute has passed")
			break
		}
	}
	_ = input.Close()
	if err := host.Wait(); err != nil {
		t.Errorf("the host ends with %v", err)
	}
}

// TestNativeCode: kernels become native code while a program runs, with the same results, and
// the next program finds it in the folder.
func TestNativeCode(t *testing.T) {
	testtool.Need(t, "gcc")
	host, kept, temporary := nativeHost(t, "")
	runUntil(t, host, func() bool { return files(t, kept) > 0 })
	if n := files(t, temporary); n > 0 {
		t.Errorf("%d temporary files are left", n)
	}
	again := exec.Command(host.Path, host.Args[1:]...)
	again.Env = append(host.Env, "SYCL_CACHE_TRACE=1")
	if out, err := again.CombinedOutput(); err != nil || !strings.Contains(string(out), "[Persistent Cache]: hit ") || strings.Contains(string(out), ": miss ") {
		t.Errorf("the second program: %v; want that it finds the code in the folder\n%s", err, out)
	}
}

// compilerScript is a PATH with a script in the place of the C compilers.
func compilerScript(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"gcc", "clang", "cc"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir + ":/usr/bin:/bin"
}

// TestCompilerAtExit: a program that exits takes along the compiler that runs.
func TestCompilerAtExit(t *testing.T) {
	host, _, temporary := nativeHost(t, compilerScript(t, `[ "$1" = --version ] && exec echo 1; exec sleep 1000`))
	runUntil(t, host, func() bool { return files(t, temporary) > 0 })
	if n := files(t, temporary); n > 0 {
		t.Errorf("%d temporary files are left", n)
	}
}
