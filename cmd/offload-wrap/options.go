package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"offlink/cmd/internal/cli"
	"offlink/wrapper"
	"offlink/wrapper/abi"
	"offlink/wrapper/devimg"
)

// settings are the options that hold for the inputs after them, until they are
// given again.
type settings struct {
	kind                        devimg.Kind
	hasKind                     bool
	format                      devimg.Format
	target, arch                string
	compileOptions, linkOptions string
	entries, properties         string // file names, "" for none
}

// options is the command line.
type options struct {
	settings // of the next input: the options so far
	inputs   []input
	read     []input // of the images: with -batch, those of the table's rows
	adjacent int     // inputs since the last option

	wrap   wrapper.WrapOptions
	output string
	batch  bool
	emit   string
	// descriptions is the table of modules that describe the images, "" for none.
	descriptions string
	// bitcode says that the IR is to be assembled.
	bitcode   bool
	digest    bool
	compress  bool
	level     int // of compression, on zstd's scale
	notes     bool
	verbose   bool
	saveTemps bool
	done      bool     // -help or -version was given and printed
	arguments []string // the command line, before response files are read
}

// parseCommandLine reads the command line of the reference tool: options hold
// for the inputs after them.
func parseCommandLine(args []string, s cli.Streams) (*options, error) {
	words, err := cli.ExpandResponseFiles(args)
	if err != nil {
		return nil, err
	}
	o := &options{level: wrapper.DefaultCompressionLevel, arguments: args}
	if err := o.flagSet(s).Parse(words); err != nil || o.done {
		return o, err
	}
	return o, o.checkLine()
}

// checkLine reports errors that only the whole command line shows.
func (o *options) checkLine() error {
	switch {
	case o.output == "":
		return fmt.Errorf("no output file: name it with -o; see '%s --help'", program)
	case len(o.inputs) == 0:
		return errors.New("no input file")
	}
	for _, in := range o.inputs {
		// The images of a table may have the kind "unknown", other inputs may not,
		// as in the reference tool.
		isSet := in.hasKind && in.kind != devimg.KindUnknown
		if !isSet && !(o.batch && o.hasKind) {
			return errors.New("offload model not set: give -kind=sycl before the input")
		}
	}
	return o.setEmit()
}

// setEmit decides the form of the output: that of -emit, else by its name.
func (o *options) setEmit() error {
	switch {
	case o.emit == "obj":
		o.wrap.Emit = wrapper.EmitObject
	case o.emit == "llvm", o.emit == "" && (strings.HasSuffix(o.output, ".ll") || strings.HasSuffix(o.output, ".bc")):
		o.wrap.Emit = wrapper.EmitLLVM
		o.bitcode = strings.HasSuffix(o.output, ".bc")
	case o.emit != "":
		return fmt.Errorf("-emit=%s: use obj or llvm", o.emit)
	}
	return nil
}

// flagSet returns the options of clang-offload-wrapper, and ours.
func (o *options) flagSet(s cli.Streams) *cli.FlagSet {
	f := &cli.FlagSet{Program: program, Input: o.addInput}
	f.Flags = append(f.Flags, o.stickyFlags()...)
	f.Flags = append(f.Flags, o.outputFlags()...)
	f.Flags = append(f.Flags, o.codeFlags()...)
	o.addInformation(f, s)
	return f
}

// addInformation adds the options that print something and end the run, and
// those of LLVM's libraries, which do nothing here.
func (o *options) addInformation(f *cli.FlagSet, s cli.Streams) {
	help := func(string) error {
		o.done = true
		h := cli.Help{
			Program: program,
			Summary: program + " wraps device images into a host object that registers them when it is loaded,\nand looks into files that have images and edits them.",
			Usage: []string{
				"[options] -o OBJECT IMAGE [MANIFEST] [[options] IMAGE [MANIFEST]]...",
				"[options] -o OBJECT -batch TABLE",
				"COMMAND [options] FILE...",
			},
			Commands: subcommands.Commands(),
			Options: func(w io.Writer) {
				fmt.Fprintf(w, "  The options from -kind to -properties hold for the images that follow them.\n\n")
				f.PrintFlags(w)
			},
		}
		h.Print(s.Out)
		return nil
	}
	version := func(string) error {
		o.done = true
		fmt.Fprintf(s.Out, "%s %s\n", program, cli.Version())
		return nil
	}
	for _, name := range []string{"help", "h", "help-hidden", "help-list", "help-list-hidden"} {
		f.Flags = append(f.Flags, cli.Flag{Name: name, Usage: "print this text", Hidden: name != "help", Set: help})
	}
	f.Flags = append(f.Flags, cli.Flag{Name: "version", Usage: "print the version", Set: version})
	ignored := func(string) error { return nil }
	for _, name := range []string{"color", "time-passes", "opaque-pointers", "stats", "print-options", "print-all-options", "disable-symbolication"} {
		f.Flags = append(f.Flags, cli.Flag{Name: name, Usage: "accepted", Hidden: true, Set: o.stickyOption(ignored)})
	}
}

// stickyOption returns the Set function of an option that ends a group of inputs: the
// next input is an image again, and not the manifest of the one before.
func (o *options) stickyOption(set func(string) error) func(string) error {
	return func(value string) error {
		o.adjacent = 0
		return set(value)
	}
}

// stickyFlags are the options that hold for the inputs after them.
func (o *options) stickyFlags() []cli.Flag {
	return []cli.Flag{
		{Name: "kind", Value: "KIND", Usage: "offload kind: unknown, host, openmp, hip, sycl", Set: o.stickyOption(o.setKind)},
		{Name: "format", Value: "FORMAT", Usage: "form of the code: none, native, spirv, llvmbc", Set: o.stickyOption(o.setFormat)},
		{Name: "target", Value: "TARGET", Usage: "target of the code: spir64, spir64_x86_64, ...", Set: o.stickyOption(cli.SetString(&o.target))},
		{Name: "arch", Value: "ARCH", Usage: "processor of the target, kept with the image: gfx90a, sm_80, ...", Set: o.stickyOption(cli.SetString(&o.arch))},
		{Name: "compile-opts", Value: "OPTIONS", Usage: "options for compiling the code", Set: o.stickyOption(cli.SetString(&o.compileOptions))},
		{Name: "link-opts", Value: "OPTIONS", Usage: "options for linking the code", Set: o.stickyOption(cli.SetString(&o.linkOptions))},
		{Name: "entries", Value: "FILE", Usage: "names of the entry points, a line each (.sym)", Set: o.stickyOption(cli.SetString(&o.entries))},
		{Name: "properties", Value: "FILE", Usage: "property sets (.prop)", Set: o.stickyOption(cli.SetString(&o.properties))},
	}
}

// outputFlags are the options that hold for the whole output.
func (o *options) outputFlags() []cli.Flag {
	return []cli.Flag{
		{Name: "o", Value: "FILE", Usage: "the output", Set: o.stickyOption(cli.SetString(&o.output))},
		{Name: "host", Value: "TRIPLE", Usage: "target triple of the host program", Set: o.stickyOption(o.setHost)},
		{Name: "emit", Value: "FORM", Usage: "obj or llvm, whatever the name of the output", Set: o.stickyOption(cli.SetString(&o.emit))},
		{Name: "emit-reg-funcs", Usage: "write the functions that register the images (default: true)", Set: o.stickyOption(o.setRegister)},
		{Name: "desc-name", Value: "NAME", Usage: "name of the descriptor, which becomes a global symbol", Set: o.stickyOption(cli.SetString(&o.wrap.DescriptorName))},
		{Name: "image-version", Value: "N", Usage: "image record: 2 for DPC++ to 2025 (default), 3 for DPC++ 2026, llvm for LLVM's libsycl", Set: o.stickyOption(o.setRecord)},
		{Name: "sym-prop-bc-files", Value: "TABLE", Usage: "take entries and properties from wrapped modules (.bc, .ll), which the column SymAndProps lists", Set: o.stickyOption(cli.SetString(&o.descriptions))},
		{Name: "batch", Usage: "the only input is a table of images", Set: o.stickyOption(cli.SetBool(&o.batch))},
	}
}

// codeFlags are the options about the images' code, and about the run.
func (o *options) codeFlags() []cli.Flag {
	return []cli.Flag{
		{Name: "offload-compress", Usage: "compress the code of SYCL images with zstd", Set: o.stickyOption(cli.SetBool(&o.compress))},
		{Name: "offload-compression-level", Value: "N", Usage: "zstd level, 1 to 22 (default: 10)", Set: o.stickyOption(o.setLevel)},
		{Name: "digest", Usage: "add the SHA-256 of the code to the properties", Set: o.stickyOption(cli.SetBool(&o.digest))},
		{Name: "native-cpu", Usage: "the images are host code of the native CPU device", Set: o.stickyOption(cli.SetBool(&o.wrap.NativeCPU))},
		{Name: "add-omp-offload-notes", Usage: "add the OpenMP notes to images that are ELF files", Set: o.stickyOption(cli.SetBool(&o.notes))},
		{Name: "save-temps", Usage: "keep the LLVM IR that bitcode is made from", Set: o.stickyOption(cli.SetBool(&o.saveTemps))},
		{Name: "v", Usage: "print each image that is added", Set: o.stickyOption(cli.SetBool(&o.verbose))},
	}
}

// addInput takes an image, or the manifest of the image before it.
func (o *options) addInput(arg string) error {
	o.adjacent++
	switch o.adjacent {
	case 1:
		o.inputs = append(o.inputs, input{settings: o.settings, code: arg})
	case 2:
		o.inputs[len(o.inputs)-1].manifest = arg
	default:
		return errors.New("too many inputs for a single binary image, <binary file> <manifest file>{opt}expected")
	}
	return nil
}

// setKind takes the kind of the images that follow.
func (o *options) setKind(value string) (err error) {
	var ok bool
	if o.kind, ok = devimg.ParseKind(value); !ok {
		return fmt.Errorf("-kind=%s: use unknown, host, openmp, hip or sycl", value)
	}
	o.hasKind = true
	return nil
}

// setFormat takes the format of the images that follow.
func (o *options) setFormat(value string) error {
	var ok bool
	if o.format, ok = devimg.ParseFormat(value); !ok {
		return fmt.Errorf("-format=%s: use none, native, spirv or llvmbc", value)
	}
	return nil
}

// setHost takes the triple of the host, which chooses the object format.
func (o *options) setHost(value string) (err error) {
	o.wrap.Host, err = wrapper.ParseHost(value)
	return err
}

// setRegister takes whether the object registers itself.
func (o *options) setRegister(value string) error {
	o.wrap.NoRegister = value != "true"
	return nil
}

// setRecord takes the version of the image record, which differs between
// releases of DPC++.
func (o *options) setRecord(value string) error {
	record, ok := map[string]abi.Record{"2": abi.Record2, "3": abi.Record3, "llvm": abi.RecordLLVM}[value]
	if !ok {
		return fmt.Errorf("-image-version=%s: use 2 (96 bytes, DPC++ to 2025), 3 (80 bytes, DPC++ 2026) or llvm (LLVM's libsycl)", value)
	}
	o.wrap.Record = record
	return nil
}

// setLevel takes the level of compression.
func (o *options) setLevel(value string) (err error) {
	o.level, err = strconv.Atoi(value)
	if err != nil || o.level < 1 || o.level > 22 {
		return fmt.Errorf("-offload-compression-level=%s: use 1 to 22", value)
	}
	return nil
}
