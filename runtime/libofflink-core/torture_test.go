package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"offlink/internal/testtool"
)

// TestTorture runs the cases of testdata/torture: programs that start, use and
// end the runtime in every order, a case a file. The comment at the head of a
// case is its promise, which docs/lifetime.md has too. It may have
//
//	signal: N       the process ends by that signal, not with exit code 0
//	link: PARTS     runtime: without app.o and libhelpers.so; none: without libofflink too
//	preload: LIB    a library for LD_PRELOAD
//
// OFFLINK_TORTURE_RUNS is how often each case runs: "make test" says.
func TestTorture(t *testing.T) {
	testtool.Need(t, "gcc", "g++")
	w := newWorkshop(t)
	for _, pattern := range []string{"*.c", "*.cpp"} {
		cases, err := filepath.Glob(filepath.Join("testdata", "torture", pattern))
		if err != nil || len(cases) == 0 {
			t.Fatalf("no case %s: %v", pattern, err)
		}
		for _, source := range cases {
			t.Run(strings.TrimSuffix(filepath.Base(source), filepath.Ext(source)), func(t *testing.T) {
				w.build(t, source).runOften(t, tortureRuns(t))
			})
		}
	}
}

// tortureRuns is the number of runs of a case.
func tortureRuns(t *testing.T) int {
	text := os.Getenv("OFFLINK_TORTURE_RUNS")
	if text == "" {
		return 3
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("OFFLINK_TORTURE_RUNS=%s is not a number of runs", text)
	}
	return n
}

// environment has the loader find the libraries, and no OpenCL driver: the
// cases are about the runtime, and drivers have faults of their own.
func (w *workshop) environment() []string {
	return append(os.Environ(), "LD_LIBRARY_PATH="+w.lib+":"+w.dir, "OCL_ICD_VENDORS="+filepath.Join(w.dir, "none"), "OCL_ICD_FILENAMES=")
}

// workshop is a folder with the libraries that cases need.
type workshop struct{ dir, lib, include string }

func newWorkshop(t *testing.T) *workshop {
	t.Helper()
	include, err := filepath.Abs("../../include")
	if err != nil {
		t.Fatal(err)
	}
	w := &workshop{t.TempDir(), buildLibraries(t), include}
	for name, object := range map[string][]byte{
		"app.o": wrapModule(t, "app", []string{"app"}, nil),
		"lib.o": wrapModule(t, "lib", nil, []string{"LibDeviceFunc"}),
	} {
		if err := os.WriteFile(filepath.Join(w.dir, name), object, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	w.library(t, "libhelpers.so", "/dev/null", "lib.o", "-L"+w.lib, "-Wl,--no-as-needed", "-lofflink")
	for _, name := range []string{"libone.so", "libtwo.so"} {
		w.library(t, name, "testdata/torture/plugin.c.lib", "app.o", "lib.o", "-L"+w.lib, "-Wl,--no-as-needed", "-lofflink")
	}
	w.library(t, "libearly.so", "testdata/torture/early.c.lib")
	return w
}

func (w *workshop) library(t *testing.T, name, source string, flags ...string) {
	t.Helper()
	w.compile(t, "gcc", source, append([]string{"-shared", "-fPIC", "-Wl,-soname," + name, "-o", name}, flags...)...)
}

// compile runs a compiler in the folder. flags follow the source.
func (w *workshop) compile(t *testing.T, compiler, source string, flags ...string) {
	t.Helper()
	source, err := filepath.Abs(source)
	if err != nil {
		t.Fatal(err)
	}
	language := "c"
	if compiler == "g++" {
		language = "c++"
	}
	args := append([]string{"-O1", "-w", "-I" + w.include, "-I" + filepath.Dir(source), "-x", language, source, "-x", "none", "-pthread"}, flags...)
	c := exec.Command(compiler, args...)
	c.Dir = w.dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v\n%s", compiler, args, err, out)
	}
}

// torture is one case, built.
type torture struct {
	name   string
	dir    string
	env    []string
	signal syscall.Signal // that ends the process; 0: it exits with 0
}

var directive = regexp.MustCompile(`(?m)^(?:/\*| \*) (signal|link|preload): (\S+)`)

func (w *workshop) build(t *testing.T, source string) *torture {
	t.Helper()
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSuffix(filepath.Base(source), filepath.Ext(source))
	c := &torture{name: name, dir: w.dir, env: w.environment()}
	flags := []string{"-o", name, "-L" + w.lib, "-L" + w.dir, "-Wl,--no-as-needed", "app.o", "-lhelpers", "-lofflink"}
	for _, m := range directive.FindAllSubmatch(text, -1) {
		switch value := string(m[2]); string(m[1]) {
		case "signal":
			n, err := strconv.Atoi(value)
			if err != nil {
				t.Fatal(err)
			}
			c.signal = syscall.Signal(n)
		case "link":
			flags = flags[:4]
			if value == "runtime" {
				flags = append(flags, "-lofflink")
			}
			flags = append(flags, "-ldl")
		case "preload":
			c.env = append(c.env, "LD_PRELOAD="+filepath.Join(w.dir, value))
		}
	}
	compiler := "gcc"
	if filepath.Ext(source) == ".cpp" {
		compiler = "g++"
	}
	w.compile(t, compiler, source, flags...)
	return c
}

// tortureLimit is how long a run may take on a machine that is busy.
const tortureLimit = 5 * time.Minute

// runOften runs a case, two at a time, until one fails.
func (c *torture) runOften(t *testing.T, runs int) {
	t.Helper()
	start := time.Now()
	var group sync.WaitGroup
	failures := make(chan string, runs)
	turns := make(chan struct{}, 2)
	for i := range runs {
		turns <- struct{}{}
		if len(failures) > 0 {
			break
		}
		group.Go(func() {
			defer func() { <-turns }()
			if problem := c.run(); problem != "" {
				failures <- fmt.Sprintf("run %d: %s", i+1, problem)
			}
		})
	}
	group.Wait()
	if len(failures) > 0 {
		t.Fatal(<-failures)
	}
	t.Logf("%d runs, %v each", runs, (time.Since(start) / time.Duration(runs)).Round(time.Millisecond))
}

// run runs the case once and returns its fault, "" for none.
func (c *torture) run() string {
	ctx, cancel := context.WithTimeout(context.Background(), tortureLimit)
	defer cancel()
	var output bytes.Buffer
	process := exec.CommandContext(ctx, filepath.Join(c.dir, c.name))
	process.Dir, process.Env, process.Stdout, process.Stderr = c.dir, c.env, &output, &output
	process.WaitDelay = time.Minute // a child of it may end later
	err := process.Run()
	switch status, _ := process.ProcessState.Sys().(syscall.WaitStatus); {
	case ctx.Err() != nil:
		return fmt.Sprintf("it did not end within %v\n%s", tortureLimit, output.Bytes())
	case status.Signaled() && status.Signal() == c.signal && c.signal != 0:
	case err != nil || c.signal != 0:
		return fmt.Sprintf("%v\n%s", process.ProcessState, output.Bytes())
	}
	if bytes.Contains(output.Bytes(), []byte("goroutine ")) {
		return "it printed a trace of Go:\n" + output.String()
	}
	return ""
}
