package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"offlink/runtime/cache"
	"offlink/spirv"
)

// generatedFamily is kernels of one kind, in files of their own.
type generatedFamily struct {
	name    string
	kernels int // of a file
	source  func(random *rand.Rand, kernels int) string
	local   []int // sizes of work-groups, of which a file has one
	args    func(seed uint64) ([]argument, []*buffer)
}

var generatedFamilies = []generatedFamily{
	{"flow", 24, flowSource, []int{16}, flowArguments},
	{"values", 12, func(random *rand.Rand, n int) string { return valueSource(random, n, false) }, []int{16, 5, 32, 12}, valueArguments},
	{"halves", 12, func(random *rand.Rand, n int) string { return valueSource(random, n, true) }, []int{16, 7}, valueArguments},
	{"subgroups", 12, func(random *rand.Rand, n int) string {
		return valuePrelude + subgroupPrelude + joinKernels(n, (&groups{grammar{random}}).subgroupKernel)
	}, []int{16, 32, 8}, valueArguments},
	{"atomics", 12, func(random *rand.Rand, n int) string {
		return valuePrelude + joinKernels(n, (&groups{grammar{random}}).atomicKernel)
	}, []int{16, 32, 9}, valueArguments},
}

// joinKernels makes the kernels k0, k1 and so on.
func joinKernels(n int, kernel func(name string) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(kernel(fmt.Sprintf("k%d", i)))
	}
	return b.String()
}

func flowSource(random *rand.Rand, n int) string {
	g, even := grammar{random}, false
	return joinKernels(n, func(name string) string {
		if even = !even; even {
			return g.loopKernel(name)
		}
		return g.barrierKernel(name)
	})
}

func valueSource(random *rand.Rand, n int, half bool) string {
	g := &values{grammar: grammar{random}, half: half}
	text := valuePrelude
	if half {
		text += halfPrelude
	}
	for i := range 5 {
		text += g.function(fmt.Sprintf("f%d", i))
	}
	return text + joinKernels(n, g.kernel)
}

func flowArguments(uint64) ([]argument, []*buffer) {
	return []argument{{Buffer: 1}, {Bytes: binary.LittleEndian.AppendUint32(nil, 5)}}, []*buffer{{Data: make([]byte, 4*(2*32+8))}}
}

// valueArguments are an output, a number, 64 inputs and a struct.
func valueArguments(seed uint64) ([]argument, []*buffer) {
	random := rand.New(rand.NewPCG(seed, 1))
	in := make([]byte, 0, 64*8)
	for range 64 {
		in = binary.LittleEndian.AppendUint64(in, random.Uint64()>>random.IntN(64))
	}
	var s bytes.Buffer
	_ = binary.Write(&s, binary.LittleEndian, struct { // args of valuePrelude
		A int32
		B int16
		_ [10]byte
		V [4]float32
		C [3]int64
		D int8
		_ [7]byte
	}{A: -3, B: 300, V: [4]float32{1, -2.5, 1e6, 0.125}, C: [3]int64{5, -6, 1 << 40}, D: -1})
	return []argument{{Buffer: 1}, {Bytes: binary.LittleEndian.AppendUint32(nil, 5)}, {Buffer: 2}, {Bytes: s.Bytes()}},
		[]*buffer{{Data: make([]byte, 520*8)}, {Data: in}}
}

// generateSource is the file of a family and a seed.
func (f *generatedFamily) generateSource(seed uint64) string {
	return f.source(rand.New(rand.NewPCG(seed, 0)), f.kernels)
}

// generatedLevels are flags of the compiler, each of which makes other control flow.
var generatedLevels = [][]string{
	{"-O0"},
	{"-O1", "-fno-unroll-loops"},
	{"-O2"},
	{"-O2", "-fno-unroll-loops"},
	{"-Os", "-fno-unroll-loops"},
	{"-O3", "-fslp-vectorize", "-fvectorize"},
}

// jobs compiles a file of kernels. Each is launched on all work-items of some groups.
func (f *generatedFamily) jobs(clang, dir string, seed uint64, flags []string) ([]*job, error) {
	file := filepath.Join(dir, fmt.Sprintf("%s%d.cl", f.name, seed))
	if err := os.WriteFile(file, []byte(f.generateSource(seed)), 0o666); err != nil {
		return nil, err
	}
	code, err := new(kernelPackage).compileSource(clang, dir, file, append([]string{"-cl-std=CL3.0", "-fwrapv", "-ffp-contract=off"}, flags...)...)
	if err != nil {
		return nil, fmt.Errorf("%s, seed %d: %w", f.name, seed, err)
	}
	m, err := spirv.Parse(code)
	if err != nil {
		return nil, err
	}
	local := f.local[seed%uint64(len(f.local))]
	var jobs []*job
	for i := range f.kernels {
		name := fmt.Sprintf("k%d", i)
		args, buffers := f.args(seed)
		jobs = append(jobs, &job{
			candidate: candidate{name: name, family: name, file: file}, Kernel: name,
			Global: []int{32 / local * local}, Local: []int{local}, code: code, module: m, Args: args, Buffers: buffers,
		})
	}
	return jobs, nil
}

// generatedExecutors are the executors that run each kernel; native code is one of them if
// there is a store.
func generatedExecutors(store *cache.Cache) []executor {
	list := append([]executor{{name: "WebAssembly"}}, givenWidths()...)
	if store != nil {
		list = append(list, nativeCode(store))
	}
	return list
}

// differences runs jobs of one module in the interpreter and the other executors, and returns
// for each the first that leaves something else, or an empty string. The jobs keep the
// interpreter's results.
func differences(jobs []*job, executors []executor) ([]string, error) {
	texts := make([]string, len(jobs))
	var want [][][]byte
	for _, e := range append([]executor{interpreter}, executors...) {
		program, err := jobs[0].build(e.options)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.name, err)
		}
		for i, j := range jobs {
			if texts[i] != "" {
				continue
			}
			if err := program.run(j); err != nil {
				texts[i] = fmt.Sprintf("%s: %v", e.name, err)
			} else if want != nil {
				if at := firstDifference(want[i], j.results()); at != "" {
					texts[i] = e.name + ": other results: " + at
				}
			}
		}
		program.close()
		if want == nil {
			for _, j := range jobs {
				want = append(want, j.results())
			}
		}
	}
	for i, j := range jobs {
		j.setResults(want[i])
	}
	return texts, nil
}

// generatedReport compares kernels, and prints those that differ.
type generatedReport struct {
	options  options
	dir      string
	store    *cache.Cache // nil: no native code
	launches int
	other    [verdicts]int // by the OpenCL device
	differ   bool
}

// compareGenerated runs the kernels of so many seeds, from the seed of -seed on, and prints
// those on which the executors do not agree, or the flags of the compiler, or with -icd an
// OpenCL device.
func compareGenerated(o options, _ []string) (differ bool, err error) {
	dir, err := os.MkdirTemp("", "devdiff")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	r := &generatedReport{options: o, dir: dir}
	if o.executors {
		var release func()
		if r.store, release, err = openStore(); err != nil {
			return false, err
		}
		defer release()
	}
	for at := seed; at < seed+o.generated; at++ {
		for i := range generatedFamilies {
			f := &generatedFamilies[i]
			if !strings.Contains(f.name, o.only) {
				continue
			}
			if err := r.compareFile(f, at); err != nil {
				return false, err
			}
		}
	}
	r.print()
	return r.differ, nil
}

func (r *generatedReport) print() {
	fmt.Printf("%6d launches of generated kernels in the interpreter and %d executors, of code compiled in one of %d ways\n",
		r.launches, len(generatedExecutors(r.store)), len(generatedLevels))
	for v, n := range r.other {
		if n > 0 {
			fmt.Printf("%6d launches on the OpenCL device: %s\n", n, verdictNames[v])
		}
	}
}

// compareFile runs the kernels of a file, compiled with each of the flags: in the interpreter
// with all of them, and with one, in turns, in the other executors and on the OpenCL device.
func (r *generatedReport) compareFile(f *generatedFamily, seed uint64) error {
	var first []*job
	for i, flags := range generatedLevels {
		jobs, err := f.jobs(r.options.clang, r.dir, seed, flags)
		if err != nil {
			return err
		}
		chosen := int(seed)%len(generatedLevels) == i
		if err := r.compareJobs(f, seed, flags, chosen, jobs, first); err != nil {
			return err
		}
		if first == nil {
			first = jobs
		}
		if chosen && r.options.icd != "" {
			if err := r.compareElsewhere(f, seed, flags, jobs); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareJobs runs jobs on the embedded device; first, if not nil, are those of the same
// kernels compiled with the first flags.
func (r *generatedReport) compareJobs(f *generatedFamily, seed uint64, flags []string, chosen bool, jobs, first []*job) error {
	var executors []executor
	if chosen {
		r.launches += len(jobs)
		executors = generatedExecutors(r.store)
	}
	texts, err := differences(jobs, executors)
	if err != nil {
		return fmt.Errorf("%s, seed %d: %w", f.name, seed, err)
	}
	for n, j := range jobs {
		if texts[n] == "" && first != nil {
			if at := firstDifference(first[n].results(), j.results()); at != "" {
				texts[n] = fmt.Sprintf("other results than with %s: %s", strings.Join(generatedLevels[0], " "), at)
			}
		}
		if texts[n] != "" {
			r.say(f, seed, flags, j, texts[n])
		}
	}
	return nil
}

func (r *generatedReport) say(f *generatedFamily, seed uint64, flags []string, j *job, text string) {
	r.differ = true
	fmt.Printf("%s, seed %d, %s, %s: %s\n", f.name, seed, strings.Join(flags, " "), j.name, text)
}

// compareElsewhere runs the jobs on the OpenCL device. They are exact: results are the same
// bytes.
func (r *generatedReport) compareElsewhere(f *generatedFamily, seed uint64, flags []string, jobs []*job) error {
	dir, err := os.MkdirTemp(r.dir, "jobs")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := runElsewhere(r.options, dir, jobs); err != nil {
		return err
	}
	for _, j := range jobs {
		data, err := os.ReadFile(j.base + ".result")
		switch {
		case errors.Is(err, os.ErrNotExist):
			r.other[verdictRefused]++
			if r.options.verbose {
				reason, _ := os.ReadFile(j.base + ".error")
				fmt.Printf("%s, seed %d, %s: %s: %s\n", f.name, seed, j.name, verdictNames[verdictRefused], reason)
			}
		case err != nil:
			return err
		case bytes.Equal(data, slices.Concat(j.results()...)):
			r.other[verdictEqual]++
		default:
			r.other[verdictDiffers]++
			r.say(f, seed, flags, j, "other results than the OpenCL device: "+firstDifference([][]byte{slices.Concat(j.results()...)}, [][]byte{data}))
		}
	}
	return nil
}
