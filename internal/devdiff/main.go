// Devdiff launches kernels on the embedded device and on an OpenCL device with
// arguments that it makes up, and compares the memory afterwards. A kernel
// that the embedded device stops, because the arguments lead it out of bounds,
// is tried with others.
//
//	devdiff -coverage [-v] FILE...
//	devdiff -emitted [-only-c] [-compiler CC] [-record FILE] [-v] FILE...
//	devdiff -executors [-variants N] [-seed N] FILE...
//	devdiff -images -icd LIBRARY [-python PYTHON] IMAGES.spv [IMAGES.cl]
//	devdiff -generated N [-seed N] [-clang CLANG] [-executors] [-icd LIBRARY [-python PYTHON]] [-kernel FAMILY]
//	devdiff -replay [-clang CLANG] [-steps N] [-v] LAUNCH.json...
//	devdiff -icd LIBRARY [-python PYTHON] [-variants N] [-kernel TEXT] [-global SIZES -local SIZES] [-buffer BYTES] [-undefined REGEXP] [-record FILE] [-v] FILE...
//
// FILEs are those of offload-wrap list, or SPIR-V. Kernels whose names
// differ only in their types are a family, of which N are launched. It prints
// a line for each kernel that differs, and how many agree. The exit status is 1
// if any differs.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"offlink/runtime/driver"
	"offlink/spirv"
	"offlink/wrapper"
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

func main() {
	var o options
	flag.StringVar(&o.icd, "icd", "", "the OpenCL driver's library")
	flag.StringVar(&o.python, "python", "python3", "the Python that runs the other half")
	flag.IntVar(&o.variants, "variants", 1, "kernels of each family")
	flag.StringVar(&o.only, "kernel", "", "only the kernels with this in their names")
	undefined := flag.String("undefined", "^$", "kernels whose names match may differ, as OpenCL leaves the results for such arguments open")
	flag.StringVar(&o.record, "record", "", "write the digests of the memory that both devices leave equally to that file; with -emitted: those of the codes that compile, which a later run leaves out")
	flag.BoolVar(&o.verbose, "v", false, "print a line for every kernel")
	flag.Func("global", "the global size that the kernels are written for, such as 64,64", setSizes(&o.global))
	flag.Func("local", "the size of a work-group that they are written for, such as 8,8", setSizes(&o.local))
	flag.IntVar(&bufferSize, "buffer", bufferSize, "bytes of each buffer")
	coverage := flag.Bool("coverage", false, "only tell which kernels the embedded device compiles")
	emitted := flag.Bool("emitted", false, "have wazero and a C compiler compile the code that both emitters make of each kernel; of sixteen, the C compiler only checks fifteen")
	flag.StringVar(&o.compiler, "compiler", "gcc", "the C compiler of -emitted")
	flag.BoolVar(&o.onlyC, "only-c", false, "with -emitted: have the C compiler check all C, and leave the WebAssembly out, which takes wazero most of the time")
	check := flag.Bool("check", false, "only run the kernels in the checked mode, and print the findings")
	flag.BoolVar(&o.executors, "executors", false, "run each kernel in all executors of the embedded device, and compare them; without -icd that alone")
	flag.Uint64Var(&seed, "seed", 0, "make random numbers of this seed for the elements of buffers; 0: a pattern")
	replay := flag.Bool("replay", false, "run recorded launches in every executor of the embedded device, and compare with the recorded memory; FILEs are of the form of recordedLaunch in replay.go")
	flag.StringVar(&o.clang, "clang", "clang-19", "the clang that compiles the OpenCL C of recorded launches and of generated kernels")
	flag.Int64Var(&o.steps, "steps", 100_000_000, "the jumps and calls after which -replay stops a launch that it interprets")
	flag.Uint64Var(&o.generated, "generated", 0, "make so many files of each family of generated kernels, and compare the executors of the embedded device; -executors: as native code too; -kernel: the families with this in their names")
	images := flag.Bool("images", false, "compare images and samplers, with the kernels of FILE, images.cl as SPIR-V; a second FILE is its source, for devices without SPIR-V")
	flag.Parse()
	o.undefined = regexp.MustCompile(*undefined)
	work := compareFiles
	switch {
	case *coverage:
		work = alwaysEqual(printCoverage)
	case *emitted:
		work = printEmitted
	case *check:
		work = alwaysEqual(printFindings)
	case *replay:
		work = replayLaunches
	case o.generated > 0:
		work = compareGenerated
	case *images:
		work = compareImages
	}
	differ, err := work(o, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "devdiff:", err)
	}
	if err != nil || differ {
		os.Exit(1)
	}
}

// alwaysEqual is a report that compares nothing.
func alwaysEqual(report func(options, []string) error) func(options, []string) (bool, error) {
	return func(o options, files []string) (differ bool, err error) { return false, report(o, files) }
}

// setSizes is a flag with the sizes of a range.
func setSizes(to *[]int) func(string) error {
	return func(text string) error {
		*to = nil
		for part := range strings.SplitSeq(text, ",") {
			n, err := strconv.Atoi(part)
			if err != nil || n < 1 {
				return fmt.Errorf("%q is not a size", part)
			}
			*to = append(*to, n)
		}
		return nil
	}
}

type options struct {
	icd, python, only, record string
	compiler, clang           string
	onlyC                     bool
	steps                     int64
	generated                 uint64 // files
	undefined                 *regexp.Regexp
	global, local             []int
	variants                  int
	executors                 bool
	verbose                   bool
}

// candidate is a kernel in an image. The image is read where it is needed: those of a
// package together take more memory than a machine may have.
type candidate struct {
	name, family string
	file         string
	readCode     func() ([]byte, error)
	imported     func(driver.Device) ([]driver.Module, error) // nil if nothing is
	global       []int                                        // the range, if it is given
	local        []int
}

// compareFiles runs kernels of the files on both devices, or in all executors
// of the embedded one, and prints how far the results agree.
func compareFiles(o options, files []string) (differ bool, err error) {
	list, err := readCandidates(files)
	if err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "devdiff")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	r := newReport(o)
	var jobs []*job
	for _, c := range chooseCandidates(list, o) {
		j, err := planJob(c)
		if err != nil {
			r.addVerdict(c, verdictFault, err.Error())
			continue
		}
		jobs = append(jobs, j)
	}
	if o.icd == "" && o.executors {
		same, err := compareExecutors(jobs)
		return !same, err
	}
	if err := runElsewhere(o, dir, jobs); err != nil {
		return false, err
	}
	digests := r.addResults(jobs)
	r.printSummary()
	if o.executors {
		same, err := compareExecutors(jobs)
		differ = differ || !same
		if err != nil {
			return true, err
		}
	}
	if o.record != "" {
		err = os.WriteFile(o.record, []byte(digests), 0o666)
	}
	return differ || r.counts[verdictDiffers] > 0, err
}

// addResults compares the results of both devices. It returns the digests of
// those that are equal and do not depend on the order of work-items, a line each.
func (r *report) addResults(jobs []*job) string {
	var digests strings.Builder
	for _, j := range jobs {
		v, detail := j.compareResults()
		r.addVerdict(j.candidate, v, detail)
		if v == verdictEqual && !j.dependsOnOrder() {
			fmt.Fprintf(&digests, "%s %s %s\n", j.resultDigest(), filepath.Base(j.file), j.name)
		}
	}
	return digests.String()
}

// readCandidates reads the kernels of the files, which stay open, as their images are
// read later.
func readCandidates(files []string) ([]candidate, error) {
	var list []candidate
	for _, name := range files {
		isModule, err := startsWithMagic(name)
		if err != nil {
			return nil, err
		}
		if isModule {
			kernels, err := kernelsOfModule(name)
			if err != nil {
				return nil, err
			}
			list = append(list, kernels...)
			continue
		}
		f, err := wrapper.Open(name, wrapper.ReadOptions{})
		if err != nil {
			return nil, err
		}
		images := newFileImages(name, f.Images())
		for i := range f.Images() {
			// Compressed code is inflated each time, as there is too much to keep it.
			kernels := kernelsOf(name, func() ([]byte, error) { return devimg.ReadCode(container.Lazy(&f.Images()[i].Image).Code) })
			for k := range kernels {
				kernels[k].imported = images.importedBy(i)
			}
			list = append(list, kernels...)
		}
	}
	return list, nil
}

// kernelsOfModule lists the kernels of a file of SPIR-V, which may import from the device
// library.
func kernelsOfModule(name string) ([]candidate, error) {
	code, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	images := newFileImages(name, []wrapper.Located{{Image: devimg.Image{
		Kind: devimg.KindSYCL, Format: devimg.FormatSPIRV, Target: "spir64", Code: devimg.Bytes(code),
	}}})
	kernels := kernelsOf(name, func() ([]byte, error) { return code, nil })
	for i := range kernels {
		kernels[i].imported = images.importedBy(0)
	}
	return kernels, nil
}

func startsWithMagic(name string) (bool, error) {
	f, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var start [4]byte
	if _, err := io.ReadFull(f, start[:]); err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return false, err
	}
	return spirv.HasMagic(start[:]), nil
}

// kernelsOf lists the kernels of an image, none if it is not SPIR-V. One that cannot be
// read stands for its kernels: a report that leaves it out says less than is so.
func kernelsOf(file string, readCode func() ([]byte, error)) (list []candidate) {
	code, err := readCode()
	if err == nil && !spirv.HasMagic(code) {
		return nil
	}
	var m *spirv.Module
	if err == nil {
		m, err = spirv.Parse(code)
	}
	if err != nil {
		unreadable := func() ([]byte, error) { return nil, err }
		return []candidate{{name: "image", family: "image", file: file, readCode: unreadable}}
	}
	for _, e := range m.EntryPoints() {
		name := strings.Clone(e.Name) // not a part of the module
		list = append(list, candidate{name: name, family: kernelFamily(name), file: file, readCode: readCode})
	}
	return list
}

// kernelFamily returns the names in a mangled name without the types of templates. In the
// Itanium C++ ABI a name is preceded by its length. A name that says it is a kernel
// stands for all of them, unless it is that of a wrapper.
func kernelFamily(name string) string {
	if !strings.HasPrefix(name, "_ZTS") {
		return name
	}
	var names []string
	for i := 0; i < len(name); {
		n, digits := 0, 0
		for i+digits < len(name) && name[i+digits] >= '0' && name[i+digits] <= '9' && digits < 4 {
			n, digits = n*10+int(name[i+digits]-'0'), digits+1
		}
		if n == 0 || i+digits+n > len(name) {
			i++
			continue
		}
		names = append(names, name[i+digits:][:n])
		i += digits + n
	}
	for _, n := range names {
		if (strings.Contains(n, "krn") || strings.Contains(n, "Krn") || strings.Contains(n, "ernel")) && !strings.Contains(n, "wrapper") &&
			n != "kernels" && n != "RoundedRangeKernel" {
			return n
		}
	}
	return strings.Join(names, "::")
}

// chooseCandidates takes some kernels of each family, spread over it.
func chooseCandidates(list []candidate, o options) (chosen []candidate) {
	families := map[string][]candidate{}
	var order []string
	for _, c := range list {
		if !strings.Contains(c.name, o.only) {
			continue
		}
		if families[c.family] == nil {
			order = append(order, c.family)
		}
		families[c.family] = append(families[c.family], c)
	}
	for _, f := range order {
		all := families[f]
		n := min(o.variants, len(all))
		for i := range n {
			c := all[i*len(all)/n]
			c.global, c.local = o.global, o.local
			chosen = append(chosen, c)
		}
	}
	return chosen
}
