package hostdev

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"offlink/internal/testtool"
	"offlink/runtime/cache"
	"offlink/runtime/driver"
	"offlink/runtime/internal/dl"
)

// useCompiler makes a shell script the system's C compiler for a test.
func useCompiler(t *testing.T, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the compilers of this test are shell scripts")
	}
	path := filepath.Join(t.TempDir(), "cc")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	own := systemCompiler
	systemCompiler = func() *compiler { return &compiler{path: path, version: "1", processor: "any"} }
	t.Cleanup(func() { systemCompiler = own })
}

// TestCompilersThatFail: a kernel runs as WebAssembly, with its results, whatever the
// C compiler does; a compiler that does not end does not keep a program from closing.
func TestCompilersThatFail(t *testing.T) {
	for _, test := range []struct {
		name, script string
		wait         bool
	}{
		{"fails", "echo no >&2; exit 1", true},
		{"is killed", "kill -9 $$", true},
		{"makes nothing", "exit 0", true},
		{"makes no library", `while [ "$1" != -o ]; do shift; done; echo no library >$2`, true},
		{"hangs", "sleep 1000", false},
		{"leaves a process that hangs", "sleep 1000 & sleep 1000", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			useCompiler(t, test.script)
			store := cache.New(cache.Options{Dir: t.TempDir()})
			defer store.Close()
			start := time.Now()
			t.Run("program", func(t *testing.T) {
				p := buildModules(t, Options{Cache: store, Loader: dl.Loader{}, AwaitCompiler: test.wait}, driver.BuildOptions{}, readModules(t, "golden/control.spv")...)
				out := p.buffer(make([]int32, 5))
				p.launch("gotos", items(5), out)
				check(t, p, "gotos", out, []int32{100, 120, 120, 21, 120})
			})
			if took := time.Since(start); took > compileTime/2 {
				t.Errorf("the program waited %v for the compiler", took)
			}
		})
	}
}

// TestStopCompilers: the compilers that run end, with their files, and none are started.
func TestStopCompilers(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	useCompiler(t, "sleep 1000")
	store := cache.New(cache.Options{Dir: t.TempDir()})
	defer store.Close()
	p := buildModules(t, Options{Cache: store, Loader: dl.Loader{}}, driver.BuildOptions{}, readModules(t, "golden/control.spv")...)
	out := p.buffer(make([]int32, 5))
	p.launch("gotos", items(5), out)
	p.device.(*Device).StopCompilers()
	p.launch("gotos", groups(5, 1), out) // rows of another kind: code of its own
	check(t, p, "gotos", out, []int32{100, 120, 120, 21, 120})
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// TestCompilerIsCancelled: its files are removed.
func TestCompilerIsCancelled(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	useCompiler(t, "sleep 1000")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := systemCompiler().compile(ctx, "")
		done <- err
	}()
	cancel()
	if err := <-done; err == nil {
		t.Error("a compiler that was cancelled has made code")
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// TestReadOnlyCache: a folder that nothing can be written to takes no code, and the
// native code of this process is used.
func TestReadOnlyCache(t *testing.T) {
	testtool.Need(t, "gcc")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	store := cache.New(cache.Options{Dir: filepath.Join(file, "folder")}) // not even root can make it
	defer store.Close()
	p := buildModules(t, Options{Cache: store, Loader: dl.Loader{}, AwaitCompiler: true}, driver.BuildOptions{}, readModules(t, "golden/control.spv")...)
	out := p.buffer(make([]int32, 5))
	p.launch("gotos", items(5), out)
	check(t, p, "gotos", out, []int32{100, 120, 120, 21, 120})
	compiled(t, p, "gotos")
}

// TestSwap: native code takes over while a kernel is launched again and again, in the
// middle of a launch or between two; all leave the same.
func TestSwap(t *testing.T) {
	testtool.Need(t, "gcc")
	ready := filepath.Join(t.TempDir(), "ready")
	useCompiler(t, fmt.Sprintf(`until [ -e %s ]; do sleep 0.01; done; exec gcc "$@"`, ready))
	store := cache.New(cache.Options{Dir: t.TempDir()})
	defer store.Close()
	p := buildModules(t, Options{Cache: store, Loader: dl.Loader{}}, driver.BuildOptions{}, readModules(t, "golden/throughput.spv")...)
	const bodies = 512
	in := make([]float32, 4*bodies)
	for i := range in {
		in[i] = float32(i%97) * 0.25
	}
	launch := func() []float32 {
		out := p.buffer(make([]float32, 4*bodies))
		p.launch("nbody", groups(bodies, 16), byValueOf(int32(bodies)), p.buffer(in), out)
		return readBuffer[float32](p, out)
	}
	want := launch() // the compiler waits
	if err := os.WriteFile(ready, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	k, err := p.program.Kernel("nbody")
	if err != nil {
		t.Fatal(err)
	}
	n, err := launchedCode(k)
	if err != nil {
		t.Fatal(err)
	}
	for swapped := false; !swapped; {
		swapped = n.fast.Load() != nil
		if got := launch(); !slices.Equal(got, want) {
			t.Fatalf("a launch beside the compiler leaves something else (swapped before it: %v)", swapped)
		}
	}
}
