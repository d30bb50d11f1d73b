package main

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"offlink/cmd/internal/cli"
	"offlink/lazyregexp"
	"offlink/props/derive"
	"offlink/split"
)

// options is the command line. It is complete once parseCommandLine returns,
// and nothing changes it after that.
type options struct {
	input     string
	hasInput  bool
	outputs   []output // as given; at least one after check
	hasOutput bool
	outDir    string
	force     bool // binary output to a terminal
	text      bool // -S
	anyFormat bool // nothing is written, so that any input format serves

	split  split.Options
	derive derive.Options

	symbols    bool
	properties bool
	lowerESIMD bool
	hasRDC     bool
	hasSplit   bool
	hasAction  bool
	jobs       int
	hasJobs    bool
	hasDialect bool
	spirv      spirvOptions
	native     nativeOptions
	ptx        ptxOptions
	libraries  string   // -device-lib-dir, or an empty string
	arguments  []string // the command line, before response files are read
	done       bool     // the option itself was the request: -help, -version
}

// output is a table, or with -ir-output-only a module, and the target that
// decides which images it lists, "" for all.
type output struct{ target, file string }

// parseCommandLine reads the command line of sycl-post-link, with response
// files, as build systems pass them.
func parseCommandLine(args []string, s cli.Streams) (*options, error) {
	words, err := cli.ExpandResponseFiles(args)
	if err != nil {
		return nil, err
	}
	o := &options{input: "-", arguments: args, jobs: runtime.GOMAXPROCS(0), derive: derive.Options{Dialect: derive.Dialect2025, Requested: map[string]bool{}}}
	// Combinations are checked at the end, as options come in any order and a
	// later one replaces an earlier.
	if err := o.defineFlags(s).Parse(attachJobs(words)); err != nil || o.done {
		return o, err
	}
	return o, o.checkCombinations()
}

var jobsArgument = lazyregexp.New(`^-j[0-9]+$`)

// attachJobs spells -j4, which make's users know, as -j=4.
func attachJobs(args []string) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		if jobsArgument().MatchString(arg) {
			arg = "-j=" + arg[2:]
		}
		out[i] = arg
	}
	return out
}

// defineFlags is the table of options.
func (o *options) defineFlags(s cli.Streams) *cli.FlagSet {
	f := &cli.FlagSet{Program: program, Input: o.setInput}
	f.Flags = []cli.Flag{
		{Name: "o", Value: "[TARGET,]FILE", Usage: "table of the images (module with -ir-output-only); for a target, those that it can run; may be repeated", Set: o.addOutput},
		{Name: "out-dir", Value: "DIR", Usage: "folder of the images' files", Set: cli.SetString(&o.outDir)},
		{Name: "f", Usage: "write bitcode to a terminal too", Set: cli.SetBool(&o.force)},
		{Name: "S", Usage: "write textual IR", Set: cli.SetBool(&o.text)},
		{Name: "ir-output-only", Usage: "write one module and nothing else", Set: cli.SetBool(&o.split.Single)},
		{Name: "split", Value: "MODE", Usage: "images by source file, kernel, or auto (source)", Set: o.setSplit},
		{Name: "split-esimd", Usage: "put ESIMD and other code into separate images", Set: o.chooseAction(&o.split.SeparateESIMD)},
		{Name: "symbols", Usage: "write the entry points of each image", Set: o.chooseAction(&o.symbols)},
		{Name: "properties", Usage: "write the property sets of each image", Set: o.chooseAction(&o.properties)},
		{Name: "spec-const", Value: "MODE", Usage: "lower specialization constants: native or emulation", Set: o.setSpecConst},
		{Name: "generate-device-image-default-spec-consts", Usage: "write a copy of each image with the constants' default values", Set: o.chooseAction(&o.split.DefaultImages)},
		{Name: "emit-only-kernels-as-entry-points", Usage: "exported functions are not entry points", Set: cli.SetBool(&o.split.OnlyKernels)},
		{Name: "device-global-decorations", Value: "EDITION", Usage: "decorations of device_global variables and host pipes: none (as in the input), draft (DPC++'s numbers), final (SPIR-V's)", Set: o.setDecorations},
		{Name: "host-pipes", Usage: "accepted: host pipes always have their property set", Hidden: true, Set: o.ignoredAction()},
		{Name: "device-image-dependencies", Value: "WHICH", Usage: "functions that images leave to others: none, externals (of other source files), all", Set: o.setDependencies},
		{Name: "allow-device-image-dependencies", Usage: "-device-image-dependencies=all", Set: o.setAllDependencies},
		{Name: "support-dynamic-linking", Usage: "-device-image-dependencies=all", Hidden: true, Set: o.setAllDependencies},
		{Name: "id-queries-range", Value: "TYPE", Usage: "type that holds the results of id queries: int, uint or size_t; becomes a property", Set: o.setIDQueriesRange},
		{Name: "dialect", Value: "YEAR", Usage: "toolchain that reads the property sets: 2025 (default) or 2026", Set: o.setDialect},
		{Name: "device-lib-dir", Value: "DIR", Usage: "folder of device libraries (libsycl-*.bc), which become images where another image calls them", Set: cli.SetString(&o.libraries)},
		{Name: "j", Value: "N", Usage: "number of images to make at the same time; the outputs do not depend on it", Set: o.setJobs},
	}
	o.addPropertySets(f)
	o.driverFlags(f)
	f.Flags = append(f.Flags, cli.Flag{Name: "to", Value: "FORMAT", Usage: "take the images on to another format: spirv; ptx for NVIDIA's GPUs; x86_64 or aarch64, SPIR-V and native images of the embedded device beside it; several of these with commas", Set: o.setFormats})
	o.spirv.defineSPIRVFlags(f)
	o.native.defineNativeFlags(f)
	o.ptx.definePTXFlags(f)
	o.addInformation(f, s)
	return f
}

// addPropertySets adds the options that ask for property sets. They come from
// the catalog, so that an option, its help and its page cannot differ.
func (o *options) addPropertySets(f *cli.FlagSet) {
	for _, set := range derive.PropertySets() {
		if set.Option == "" {
			continue
		}
		request := func(v string) error {
			o.hasAction = true
			o.derive.Requested[set.Name] = v == "true"
			return nil
		}
		f.Flags = append(f.Flags, cli.Flag{Name: set.Option, Usage: set.Help, Set: request})
	}
}

// addInformation adds the options that print information and end the run.
func (o *options) addInformation(f *cli.FlagSet, s cli.Streams) {
	help := func(string) error {
		o.done = true
		h := cli.Help{
			Program:  program,
			Summary:  program + " splits device code in LLVM IR into device images, and writes property sets with\nthe facts about each image that a runtime needs.",
			Usage:    []string{"[options] [FILE]"},
			Commands: subcommands.Commands(),
			Options:  f.PrintFlags,
		}
		h.Print(s.Out)
		return nil
	}
	version := func(string) error {
		o.done = true
		fmt.Fprintf(s.Out, "%s %s\n", program, cli.Version())
		return nil
	}
	// The spellings are those of LLVM's command lines, which build systems ask
	// for.
	for _, name := range []string{"help", "h", "help-hidden", "help-list", "help-list-hidden"} {
		f.Flags = append(f.Flags, cli.Flag{Name: name, Usage: "print this text", Hidden: name != "help", Set: help})
	}
	f.Flags = append(f.Flags, cli.Flag{Name: "version", Usage: "print the version", Set: version})
}

func ignoredOption(string) error { return nil }

// chooseAction sets a boolean option that gives the run an output. The reference
// refuses a command line without one.
func (o *options) chooseAction(to *bool) func(string) error {
	set := cli.SetBool(to)
	return func(v string) error { o.hasAction = true; return set(v) }
}

func (o *options) ignoredAction() func(string) error {
	return func(string) error { o.hasAction = true; return nil }
}

// setInput takes the one input.
func (o *options) setInput(arg string) error {
	if o.hasInput {
		return fmt.Errorf("too many positional arguments: there is one input, %s or %s; see '%s --help'", o.input, arg, program)
	}
	o.input, o.hasInput = arg, true
	return nil
}

// addOutput takes an output, with the device target that it is for before a
// comma.
func (o *options) addOutput(arg string) error {
	target, file, hasTarget := strings.Cut(arg, ",")
	if !hasTarget {
		target, file = "", arg
	}
	if file == "" {
		// The first comma separates the two: a target contains none, but the name
		// of a file may.
		return fmt.Errorf("-o %s names no file", arg)
	}
	o.outputs, o.hasOutput = append(o.outputs, output{target, file}), true
	return nil
}

// setSplit takes the split mode.
func (o *options) setSplit(arg string) (err error) {
	o.hasAction, o.hasSplit = true, true
	o.split.Mode, err = split.ParseMode(arg)
	return err
}

// setSpecConst takes how specialization constants are lowered. "rt" and "default" are
// the values of older releases of the reference tool.
func (o *options) setSpecConst(arg string) error {
	o.hasAction = true
	switch arg {
	case "native", "rt":
		o.split.SpecConstants = split.SpecConstantsNative
	case "emulation":
		o.split.SpecConstants = split.SpecConstantsEmulated
	case "default":
		o.split.SpecConstants = split.SpecConstantsDefault
	default:
		return fmt.Errorf("specialization constants cannot be lowered as '%s': use native or emulation", arg)
	}
	return nil
}

// setFormats takes the forms of code that images get. Native code lies beside SPIR-V.
func (o *options) setFormats(arg string) error {
	o.spirv.wanted, o.spirv.ptx, o.native.targets = false, false, nil
	for _, format := range strings.Split(arg, ",") {
		switch {
		case format == "spirv", o.native.addTarget(format):
			o.spirv.wanted = true
		case format == "ptx":
			o.spirv.ptx = true
		default:
			return fmt.Errorf("-to=%s: want spirv, ptx, x86_64 or aarch64", arg)
		}
	}
	if o.spirv.ptx && o.spirv.wanted {
		return fmt.Errorf("-to=%s: ptx cannot be combined with another format", arg)
	}
	return nil
}

// setDependencies takes which functions of other images an image may import.
func (o *options) setDependencies(arg string) (err error) {
	o.split.Dependencies, err = split.ParseDependencies(arg)
	return err
}

// setAllDependencies takes the reference tool's boolean option, which spells two of the
// modes of -device-image-dependencies.
func (o *options) setAllDependencies(arg string) error {
	o.split.Dependencies = split.DependenciesNone
	if arg == "true" {
		o.split.Dependencies = split.DependenciesAll
	}
	return nil
}

// setDecorations takes which decorations of annotations become SPIR-V's.
func (o *options) setDecorations(arg string) (err error) {
	o.split.Decorations, err = split.ParseDecorations(arg)
	return err
}

// setDialect takes the release of DPC++ whose property sets are written.
func (o *options) setDialect(arg string) (err error) {
	o.derive.Dialect, err = derive.ParseDialect(arg)
	o.hasDialect = true
	return err
}

// setJobs takes how many images are made at the same time. Outputs do not
// depend on it.
func (o *options) setJobs(arg string) error {
	n, err := strconv.Atoi(arg)
	if err != nil || n < 1 {
		return fmt.Errorf("-j %s: want the number of images that are made at the same time, at least 1", arg)
	}
	o.jobs, o.hasJobs = n, true
	return nil
}

// checkCombinations refuses options that exclude each other, and sets defaults
// that depend on others. The texts that begin with "error:" are the reference
// tool's.
func (o *options) checkCombinations() error {
	switch {
	case !o.hasAction:
		return errors.New("no actions specified; try --help for usage info")
	case o.split.Single && o.hasSplit && o.split.Mode != split.Auto:
		return errors.New("error: -split= can't be used with -ir-output-only")
	case o.split.Single && o.hasRDC:
		return errors.New("error: -sycl-rdc= can't be used with -ir-output-only")
	case o.split.Single && o.spirv.wanted:
		return errors.New("-ir-output-only writes IR: leave it out for -to=spirv")
	case o.split.Single && o.spirv.ptx:
		return errors.New("-ir-output-only writes IR: leave it out for -to=ptx")
	case !o.spirv.ptx && o.ptx.processor != "":
		return errors.New("-ptx-arch is for PTX: add -to=ptx")
	case !o.spirv.wanted && (o.spirv.validate || len(o.spirv.optimize) > 0):
		return errors.New("-spirv-val and -spirv-opt are for SPIR-V: add -to=spirv")
	case o.split.Single && len(o.outputs) > 1:
		return errors.New("-ir-output-only writes one module: give one -o")
	}
	if err := o.checkNative(); err != nil {
		return err
	}
	if !o.hasOutput {
		o.outputs = []output{{file: o.defaultOutput()}}
	}
	return nil
}
