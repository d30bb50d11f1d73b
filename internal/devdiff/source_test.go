package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"offlink/internal/testtool"
	"offlink/runtime/backends"
	"offlink/runtime/cache"
	"offlink/runtime/hostdev"
)

// TestStated runs tests of Piglit, which state their results. Of the files it
// takes a sample; all with OFFLINK_ALL_KERNELS.
func TestStated(t *testing.T) {
	p := &kernelPackages[0]
	dir, files := packageSources(t, p)
	native := hostdev.Options{Cache: cache.New(cache.Options{Dir: t.TempDir()}), Loader: backends.NativeLoader(), AwaitCompiler: true}
	clangs := kernelCompilers(t)
	for i, file := range files {
		clang := clangs[i%len(clangs)]
		t.Run(strings.TrimPrefix(file, dir+"/"), func(t *testing.T) { testStatedFile(t, p, clang, dir, file, native) })
	}
}

// kernelCompilers returns the compilers that take turns at the files: one of LLVM 15,
// which Debian 13 does not have, and one of LLVM 19.
func kernelCompilers(t *testing.T) []string {
	clangs := []string{"clang-15", "clang-19"}
	if testtool.Unavailable(clangs[0]) {
		clangs = clangs[1:]
	}
	testtool.Need(t, clangs...)
	return clangs
}

// packageSources returns a sample of the sources of a package, or all of them.
func packageSources(t *testing.T, p *kernelPackage) (dir string, files []string) {
	dir, err := filepath.Abs(filepath.Join("..", "..", "build", "opencl-kernels", p.name))
	if err != nil {
		t.Fatal(err)
	}
	files, err = p.sources(dir)
	if err != nil || len(files) == 0 {
		if testtool.Unavailable(p.name) {
			t.Skipf("this system has no %s", p.name)
		}
		testtool.Missing(t, errors.Join(err, errors.New("no kernels in "+dir)))
	}
	if os.Getenv("OFFLINK_ALL_KERNELS") != "" {
		return dir, files
	}
	var sample []string
	if p.sample == 0 {
		t.Skip("OFFLINK_ALL_KERNELS is not set")
	}
	n := min(p.sample, len(files))
	for i := range n {
		sample = append(sample, files[i*len(files)/n])
	}
	return dir, sample
}

// nativeEvery is which of the launches run as native code too: a C compiler takes
// as long as the rest of a file.
const nativeEvery = 16

func testStatedFile(t *testing.T, p *kernelPackage, clang, dir, file string, native hostdev.Options) {
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	store := native.Cache
	config, tests, err := parseStated(string(source))
	if err != nil {
		t.Fatal(err)
	}
	code, err := p.compileSource(clang, dir, file, append(config.options, "-cl-std="+config.standard)...)
	switch {
	case config.fails || config.images:
		t.Skip("it is not to be built, or has images")
	case errors.Is(err, errCompiler):
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	kernels := map[string]candidate{}
	for _, c := range kernelsOf(file, func() ([]byte, error) { return code, nil }) {
		kernels[c.name] = c
	}
	for i, s := range tests {
		if s.image || s.offset || s.name == "This test should skip" {
			continue
		}
		if i%nativeEvery != 0 {
			native.Cache = nil
		} else {
			native.Cache = store
		}
		j, err := s.job(kernels[s.kernel])
		if err == nil {
			err = j.runEverywhere(native)
		}
		if err == nil {
			err = s.compare(j)
		}
		if err != nil {
			t.Errorf("%s (%s): %v", s.name, s.kernel, err)
		}
	}
}

// TestForeign compiles kernels of Debian's packages, runs those with a launch
// that can be made up in all executors, and compares with Intel's CPU device.
func TestForeign(t *testing.T) {
	icd := testtool.Python(t, "lib/libintelocl.so")
	o := options{icd: icd, python: "python3"}
	// The difference of a color and a mean that is near it shows how the mean was rounded.
	o.undefined = regexp.MustCompile("^eaw_decompose$")
	var jobs []*job
	for i := range kernelPackages {
		if p := &kernelPackages[i]; !p.stated {
			t.Run(p.name, func(t *testing.T) { jobs = append(jobs, foreignJobs(t, p)...) })
		}
	}
	if err := runElsewhere(o, t.TempDir(), jobs); err != nil {
		t.Fatal(err)
	}
	equal := 0
	for _, j := range jobs {
		switch v, detail := j.compareResults(); {
		case v == verdictDiffers && !o.undefined.MatchString(j.name):
			t.Errorf("%s: %s: %s", j.file, j.name, detail)
		case v == verdictEqual || v == verdictNear:
			equal++
		default:
			t.Logf("%s: %s: %s: %s", j.file, j.name, verdictNames[v], detail)
		}
	}
	if t.Logf("%d of %d kernels leave what Intel's device leaves", equal, len(jobs)); equal < len(jobs)/2 {
		t.Error("that are too few: the launches show nothing")
	}
}

// kernelsOfFile bounds the kernels of a file that are launched.
const kernelsOfFile = 4

// foreignJobs are the launches of a package's kernels that all executors agree
// on.
func foreignJobs(t *testing.T, p *kernelPackage) (jobs []*job) {
	dir, files := packageSources(t, p)
	native := hostdev.Options{Cache: cache.New(cache.Options{Dir: t.TempDir()}), Loader: backends.NativeLoader(), AwaitCompiler: true}
	compiled, clangs := 0, kernelCompilers(t)
	for i, file := range files {
		code, err := p.compileSource(clangs[(i+1)%len(clangs)], dir, file)
		switch {
		case errors.Is(err, errCompiler):
			t.Log(err) // a part of a program, or its options are the program's
			continue
		case err != nil:
			t.Errorf("%s: %v", file, err)
			continue
		}
		compiled++
		for k, c := range kernelsOf(file, func() ([]byte, error) { return code, nil }) {
			j, err := planJob(c)
			if err != nil || k >= kernelsOfFile {
				t.Logf("%s: %s: %v", file, c.name, err)
				continue
			}
			o := native
			if k > 0 {
				o.Cache = nil
			}
			if err := j.runEverywhere(o); err != nil {
				if !j.dependsOnOrder() && j.findings() == "" { // it has no race
					t.Errorf("%s: %s: %v", file, c.name, err)
				}
				continue
			}
			jobs = append(jobs, j)
		}
	}
	if compiled == 0 {
		t.Error("the compiler refuses all sources")
	}
	return jobs
}
