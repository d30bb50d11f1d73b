//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"offlink/internal/testtool"
)

// TestPrivileged: variables choose the code that runs in a program and the files that it
// writes, but not in a set-user-ID program that another user calls.
func TestPrivileged(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root makes a program set-user-ID for another user")
	}
	testtool.Need(t, "gcc")
	w := newWorkshop(t)
	for _, folder := range []string{w.dir, filepath.Dir(w.dir)} {
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.compile(t, "gcc", "testdata/drivers/privileged.c", "-o", "program", "-L"+w.lib, "-L"+w.dir, "-Wl,-rpath,"+w.lib+":"+w.dir, "-Wl,--no-as-needed", "app.o", "-lhelpers", "-lofflink")
	program := filepath.Join(w.dir, "program")
	run := func(mode os.FileMode, user uint32) (marks []string) {
		if err := os.Chmod(program, mode); err != nil {
			t.Fatal(err)
		}
		folder := marking(t, w)
		c := exec.Command(program)
		c.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "TMPDIR="+filepath.Join(folder, "temp"),
			"OCL_ICD_VENDORS="+filepath.Join(folder, "driver.so"), "SYCL_PI_CONFIG="+filepath.Join(folder, "plugins.conf"),
			"SYCL_CACHE_PERSISTENT=1", "SYCL_CACHE_DIR="+filepath.Join(folder, "mark-cache"), "OFFLINK_TRACE="+filepath.Join(folder, "mark-trace"))
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
		out, err := c.CombinedOutput()
		if text := string(out); err != nil || !strings.Contains(text, "host:0\n") || !strings.Contains(text, "0 2 4 6\n") {
			t.Errorf("mode %v, user %d: %v\n%s", mode, user, err, out)
		}
		names, err := filepath.Glob(filepath.Join(folder, "mark-*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			marks = append(marks, strings.TrimPrefix(filepath.Base(name), "mark-"))
		}
		return marks
	}
	const nobody = 65534
	if got := strings.Join(run(0o755, 0), " "); got != "cache compiler driver plugin trace" {
		t.Errorf("variables choose %q in a program of the user's own", got)
	}
	if got := run(0o755|os.ModeSetuid, nobody); got != nil {
		t.Errorf("variables choose %q in a program with more rights", got)
	}
}

// marking makes a folder with a compiler, an OpenCL driver and a plugin that leave a file there
// when they run.
func marking(t *testing.T, w *workshop) string {
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "temp"), 0o777); err != nil {
		t.Fatal(err)
	}
	mark := func(name string) string { return filepath.Join(folder, "mark-"+name) }
	for _, name := range []string{"driver", "plugin"} {
		source := filepath.Join(folder, name+".c")
		write(t, source, 0o666, "#include <fcntl.h>\n__attribute__((constructor)) static void mark(void) { open(\""+mark(name)+"\", O_CREAT, 0666); }\n")
		w.compile(t, "gcc", source, "-shared", "-fPIC", "-o", filepath.Join(folder, name+".so"))
	}
	for _, compiler := range []string{"gcc", "clang", "cc"} {
		write(t, filepath.Join(folder, compiler), 0o777, "#!/bin/sh\n>"+mark("compiler")+"\n")
	}
	write(t, filepath.Join(folder, "plugins.conf"), 0o666, filepath.Join(folder, "plugin.so")+"\n")
	return folder
}

func write(t *testing.T, file string, mode os.FileMode, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}
