package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"offlink/internal/testtool"
	"offlink/props"
	"offlink/runtime/devicefile"
	"offlink/runtime/linkcheck"
	"offlink/wrapper"
	"offlink/wrapper/devimg"
)

var (
	linkGraphs = flag.Int("link-graphs", 6, "random sets of libraries of TestCheckForetellsLaunches")
	linkSeed   = flag.Uint64("link-seed", 1, "seed of the first set of TestCheckForetellsLaunches")
)

// deviceFunction is a function of a library's device code. It returns its number; at a depth above
// 0 it adds three times the result of each function that it calls, so that each call counts.
type deviceFunction struct {
	name   string
	number int
	weak   bool
	calls  []string
}

// deviceLibrary is a shared library with one image: functions, and a kernel that stores the sum of
// the functions that it calls.
type deviceLibrary struct {
	file      string
	kernel    deviceFunction
	functions []deviceFunction
	listed    bool // the image has a table of its exports
}

// linkGraph is a set of libraries whose device code calls functions of each other at random: in
// cycles, and functions with several definitions, equal or not, weak or not, or with none.
type linkGraph struct {
	rng       *rand.Rand
	names     []string // of functions
	libraries []*deviceLibrary
}

const callDepth = 4

func (g *linkGraph) chance(percent int) bool { return g.rng.IntN(100) < percent }

func (g *linkGraph) someNames(most int) []string {
	shuffled := slices.Clone(g.names)
	g.rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	return shuffled[:g.rng.IntN(most+1)]
}

func newLinkGraph(seed uint64) *linkGraph {
	g := &linkGraph{rng: rand.New(rand.NewPCG(seed, 11))}
	for i := range 4 + g.rng.IntN(6) {
		g.names = append(g.names, fmt.Sprintf("f%d", i))
	}
	// With fewer definitions than names some symbols are unresolved, with more some are duplicates.
	duplicates, different := g.chance(50), g.chance(50)
	free := slices.Clone(g.names[:len(g.names)-g.rng.IntN(2)])
	for i := range 3 + g.rng.IntN(4) {
		l := &deviceLibrary{file: fmt.Sprintf("lib%d.so", i), listed: g.chance(50)}
		l.kernel = deviceFunction{name: fmt.Sprintf("kernel%d", i), calls: g.someNames(3)}
		take := free
		if !duplicates {
			take = free[:g.rng.IntN(len(free)+1)]
			free = free[len(take):]
		}
		for _, name := range take {
			if duplicates && !g.chance(40) {
				continue
			}
			f := deviceFunction{name: name, number: 1 + slices.Index(g.names, name), weak: duplicates && g.chance(20)}
			if different && g.chance(50) {
				f.number += 100 * (i + 1)
			}
			// Equal definitions call the same functions.
			calls := rand.New(rand.NewPCG(seed, uint64(f.number)))
			for range calls.IntN(3) {
				f.calls = append(f.calls, g.names[calls.IntN(len(g.names))])
			}
			l.functions = append(l.functions, f)
		}
		g.libraries = append(g.libraries, l)
	}
	return g
}

// ir is the device code as LLVM IR.
func (l *deviceLibrary) ir() string {
	var b strings.Builder
	b.WriteString("target triple = \"spir64-unknown-unknown\"\n")
	fmt.Fprintf(&b, "define spir_kernel void @%s(ptr addrspace(1) %%out) \"sycl-module-id\"=\"%s\" {\n%s", l.kernel.name, l.file, l.kernel.sum(fmt.Sprint(callDepth)))
	b.WriteString("  store i32 %sum, ptr addrspace(1) %out\n  ret void\n}\n")
	known := make(map[string]bool)
	for _, f := range l.functions {
		known[f.name] = true
		linkage := ""
		if f.weak {
			linkage = "weak "
		}
		fmt.Fprintf(&b, "define %sspir_func i32 @%s(i32 %%depth) noinline optnone \"sycl-module-id\"=\"%s\" {\n  %%last = icmp sle i32 %%depth, 0\n  br i1 %%last, label %%end, label %%more\nend:\n  ret i32 %d\nmore:\n  %%less = sub i32 %%depth, 1\n%s  ret i32 %%sum\n}\n",
			linkage, f.name, l.file, f.number, f.sum("%less"))
	}
	for _, f := range append(l.functions, l.kernel) {
		for _, name := range f.calls {
			if !known[name] {
				known[name] = true
				fmt.Fprintf(&b, "declare spir_func i32 @%s(i32)\n", name)
			}
		}
	}
	return b.String()
}

// sum returns the instructions that add the results of the calls to the number.
func (f *deviceFunction) sum(depth string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  %%s0 = add i32 0, %d\n", f.number)
	for i, name := range f.calls {
		fmt.Fprintf(&b, "  %%c%d = call spir_func i32 @%s(i32 %s)\n  %%m%d = mul i32 %%c%d, 3\n  %%s%d = add i32 %%s%d, %%m%d\n", i, name, depth, i, i, i+1, i, i)
	}
	fmt.Fprintf(&b, "  %%sum = add i32 %%s%d, 0\n", len(f.calls))
	return b.String()
}

// value is the result of a function; ok is false where definitions of one that it calls differ.
func (g *linkGraph) value(f *deviceFunction, depth int) (value int, ok bool) {
	if depth < 0 {
		return f.number, true
	}
	sum := f.number
	for _, name := range f.calls {
		callee, same := g.definition(name)
		if !same {
			return 0, false
		}
		v, ok := g.value(callee, depth-1)
		if !ok {
			return 0, false
		}
		sum += 3 * v
	}
	return sum, true
}

// definition is the function of that name; same is false where libraries define it differently.
func (g *linkGraph) definition(name string) (found *deviceFunction, same bool) {
	for _, l := range g.libraries {
		for i := range l.functions {
			if f := &l.functions[i]; f.name == name {
				if found != nil && f.number != found.number {
					return nil, false
				}
				found = f
			}
		}
	}
	return found, found != nil
}

// build makes the shared library; arguments are added to those of gcc.
func (l *deviceLibrary) build(t *testing.T, dir string, arguments ...string) {
	t.Helper()
	source, object := filepath.Join(dir, l.file+".ll"), filepath.Join(dir, l.file+".o")
	if err := os.WriteFile(source, []byte(l.ir()), 0o666); err != nil {
		t.Fatal(err)
	}
	code, err := devicefile.Open(source)
	if err != nil {
		t.Fatalf("%v\n%s", err, l.ir())
	}
	img := *code.Images[0]
	img.Kind, img.Target, img.HasEntries, img.Entries = devimg.KindSYCL, "spir64", true, []string{l.kernel.name}
	img.Properties = new(props.Sets)
	if l.listed {
		img.Properties.Open(props.SetExportedSymbols)
		for _, f := range l.functions {
			img.Properties.Put(props.SetExportedSymbols, f.name, props.Uint32(1))
			img.Entries = append(img.Entries, f.name)
		}
	}
	out, err := os.Create(object)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := wrapper.Wrap(out, []*devimg.Image{&img}, wrapper.WrapOptions{}); err != nil {
		t.Fatal(err)
	}
	gcc := exec.Command("gcc", append([]string{"-shared", "-nostdlib", "-o", filepath.Join(dir, l.file), object, "-Wl,--no-as-needed"}, arguments...)...)
	if text, err := gcc.CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, text)
	}
}

// runDevrun returns the exit code and both outputs.
func runDevrun(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, problems strings.Builder
	cmd := exec.Command("devrun", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &problems
	cmd.Env = append(os.Environ(), "ONEAPI_DEVICE_SELECTOR=host:*")
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), out.String(), problems.String()
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0, out.String(), problems.String()
}

// TestCheckForetellsLaunches: devrun check says of each kernel of libraries with random imports
// whether it can be launched, and launches succeed or fail accordingly, with the sum that the
// definitions give.
func TestCheckForetellsLaunches(t *testing.T) {
	testtool.Need(t, "gcc")
	var all linkOutcomes
	for i := range *linkGraphs {
		seed := *linkSeed + uint64(i)
		t.Run(fmt.Sprint(seed), func(t *testing.T) { newLinkGraph(seed).compare(t, &all) })
	}
	t.Logf("%+v", all)
	if *linkGraphs >= 6 && (all.failing == 0 || all.sums == 0) {
		t.Error("the libraries leave outcomes untested")
	}
}

// linkOutcomes counts all kernels, those that cannot be launched, and those that call functions
// of other libraries and whose sum was compared.
type linkOutcomes struct{ kernels, failing, sums int }

func (g *linkGraph) compare(t *testing.T, all *linkOutcomes) {
	dir := t.TempDir()
	args := []string{"check", "-json"}
	for _, l := range g.libraries {
		l.build(t, dir)
		args = append(args, l.file)
	}
	code, text, problems := runDevrun(t, dir, args...)
	var report linkcheck.Report
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatalf("devrun check: exit %d: %s%v", code, problems, err)
	}
	if (code != 0) != (report.Errors() > 0) {
		t.Errorf("devrun check: exit %d with %d errors", code, report.Errors())
	}
	var files []string // in the order of registration
	for _, img := range report.Images {
		files = append(files, img.File)
	}
	for _, l := range g.libraries {
		foretold := !slices.ContainsFunc(report.Failing, func(f linkcheck.Launch) bool { return f.Kernel == l.kernel.name })
		code, text, problems := runDevrun(t, dir, append([]string{"launch", "--kernel", l.kernel.name, "--global", "1", "--arg", "buf:i32:1"}, files...)...)
		if foretold != (code == 0) {
			t.Errorf("%s: devrun check says that it can be launched: %v; exit %d: %s%s", l.kernel.name, foretold, code, text, problems)
		}
		all.kernels++
		if code != 0 {
			all.failing++
			continue
		}
		want, ok := g.value(&l.kernel, callDepth)
		if ok && l.callsOthers() {
			all.sums++
		}
		if ok && text != fmt.Sprintf("arg0: %d\n", int32(want)) {
			t.Errorf("%s: %q; want %d", l.kernel.name, text, int32(want))
		}
	}
}

// callsOthers reports whether the kernel calls a function that its library does not define.
func (l *deviceLibrary) callsOthers() bool {
	return slices.ContainsFunc(l.kernel.calls, func(name string) bool {
		return !slices.ContainsFunc(l.functions, func(f deviceFunction) bool { return f.name == name })
	})
}
