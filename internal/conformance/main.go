// Conformance compares the SPIR-V of package fromir with that of released
// translators, by running both.
//
//	conformance stress [-count N] [-seed N] [-corpus GLOB]... [-keep DIR] [-icd LIBRARY]
//	conformance matrix [-short] [-icd LIBRARY] [-source GLOB]... [-clang LIST] [-level LIST] [-facts] [-v]
//	conformance launch SOURCE FILE.spv...
//	conformance sycl -input DIR [-icd LIBRARY]
//	conformance golden -real DIR|FILE -input DIR [-record FILE] [-v]
//	conformance build -real DIR -input DIR [-icd LIBRARY] [-v]
//	conformance corpus [-corpus GLOB]... [-v]
//
// stress makes modules (generated OpenCL C, llvm-stress, mutations of a corpus)
// and compares: both accept or refuse, the validator takes the output, the
// released translator reads it back, and the kernels leave the same memory.
//
// matrix compiles the kernels of testdata, or of other sources, with every clang that
// is installed, and launches them. With -facts it prints the capabilities,
// extensions, execution modes and decorations that only one translator writes.
//
// launch launches modules of a source on both devices and prints the digests of
// all that each kernel leaves, to look into a difference.
//
// sycl launches the kernels of SYCL programs (DIR/RELEASE/ir.bc) by our SPIR-V and
// by that of DPC++'s translator, on the embedded device and on an OpenCL device.
//
// golden compares postlink's images of SYCL programs with those that the real
// post-link wrote (DIR/PROGRAM/RELEASE/SPLIT/N.spv): all that a driver reads beside
// the instructions.
//
// build has an OpenCL device build the same images, ours and the real ones, by the
// driver's own calls: it must take the same ones. -real has them as
// PROGRAM/RELEASE/SPLIT/N.spv: the output of libsycl-jit of that release (scripts/dpcpp-env)
// for ir.bc with -fsycl-device-code-split=off, auto, per_source and per_kernel, and in
// SPLIT-deps with -fsycl-allow-device-image-dependencies added.
//
// corpus translates every module of the repository, or those of -corpus, with every
// split. Each output must pass the installed validators, and the released translator
// must read it back to IR that LLVM's verifier takes.
//
// The exit status is 1 if anything differs.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

type options struct {
	python, icd, keep string
	real, input       string
	record            string
	references        []reference
	validators        []string
	count             int
	seed              uint64
	corpus            []string
	sources           []string // patterns of files in the place of testdata
	clangs, levels    string   // separated by commas; "" for the usual ones
	short, verbose    bool
	facts             bool
}

func main() {
	if os.Getenv(childVariable) != "" {
		if err := childMain(os.Stdin, os.NewFile(3, "results")); err != nil {
			fmt.Fprintln(os.Stderr, "conformance:", err)
			os.Exit(1)
		}
		return
	}
	failed, err := runCommand(os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(2)
	}
	if failed {
		os.Exit(1)
	}
}

func runCommand(args []string, out io.Writer) (failed bool, err error) {
	if len(args) == 0 {
		return false, errors.New("want stress, matrix, launch, sycl, golden, build or corpus")
	}
	var o options
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.StringVar(&o.python, "python", filepath.Join("build", "python"), "the Python environment with dpcpp-llvm-spirv and Intel's OpenCL")
	flags.StringVar(&o.icd, "icd", "", "the OpenCL driver's library (that of -python)")
	flags.StringVar(&o.keep, "keep", "", "a folder for the modules that differ")
	flags.IntVar(&o.count, "count", 100, "how many modules")
	flags.Uint64Var(&o.seed, "seed", 1, "the first seed")
	flags.BoolVar(&o.short, "short", false, "the newest clang at -O2 and the oldest at -O0 alone")
	flags.BoolVar(&o.verbose, "v", false, "print a line for every module")
	flags.Func("corpus", "stress: files of textual IR to mutate; corpus: modules of IR, in the place of the repository's", func(pattern string) error {
		o.corpus = append(o.corpus, pattern)
		return nil
	})
	flags.Func("source", "matrix: files to compile in the place of testdata", func(pattern string) error {
		o.sources = append(o.sources, pattern)
		return nil
	})
	flags.StringVar(&o.clangs, "clang", "", "matrix: versions of clang, separated by commas")
	flags.StringVar(&o.levels, "level", "", "matrix: levels of optimization, separated by commas")
	flags.BoolVar(&o.facts, "facts", false, "matrix: print the capabilities, modes and decorations that only one translator writes")
	flags.StringVar(&o.real, "real", "", "golden, build: the folder with the real post-link's images; golden: or a file that -record wrote")
	flags.StringVar(&o.record, "record", "", "golden: write the facts of the real images to that file, and compare nothing")
	flags.StringVar(&o.input, "input", "", "golden, build, sycl: the folder with the device code")
	if err := flags.Parse(args[1:]); err != nil {
		return false, err
	}
	o.findTools()
	switch args[0] {
	case "stress":
		return runStress(o, out)
	case "matrix":
		return runMatrix(o, out)
	case "launch":
		return false, launchFiles(o, flags.Args(), out)
	case "sycl":
		return runSYCL(o, out)
	case "golden":
		return runGolden(o, out)
	case "build":
		return runBuild(o, out)
	case "corpus":
		return runCorpus(o, out)
	}
	return false, fmt.Errorf("unknown command %s", strings.Join(args[:1], ""))
}

// findTools finds the tools that the flags do not name.
func (o *options) findTools() {
	o.references = references(o.python)
	o.validators = findValidators(o.python)
	if o.icd == "" {
		library := filepath.Join(o.python, "lib", "libintelocl.so")
		if path, err := filepath.Abs(library); err == nil {
			if _, err := os.Stat(path); err == nil {
				o.icd = path
			}
		}
	}
}

// launchFiles launches the kernels of modules.
func launchFiles(o options, files []string, out io.Writer) error {
	if len(files) < 2 {
		return errors.New("launch: want a source and SPIR-V files")
	}
	kernels, err := readSignatures(files[0])
	if err != nil {
		return err
	}
	c := child{icd: o.icd}
	defer c.close()
	for _, file := range files[1:] {
		code, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		here, err := launchHere(code, kernels)
		fmt.Fprintln(out, file, "embedded:", here, err)
		there, err := c.launch(file, files[0], false)
		fmt.Fprintln(out, file, "OpenCL:", there, err)
	}
	return nil
}
