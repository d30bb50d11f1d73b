package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/ir/irfile"
	"offlink/spirv"
	"offlink/spirv/fromir"
)

// spirvTool is the command line of llvm-spirv, for the direction from IR to
// SPIR-V.
type spirvTool struct {
	input, output string
	done          bool
	form          outputForm
	convert       func(input []byte) ([]byte, error) // instead of translating
	listing       bool                               // the conversion's result goes to standard output
	translation   fromir.Options
}

// runSPIRVTool translates one module.
func runSPIRVTool(args []string, s cli.Streams) error {
	args, err := cli.ExpandResponseFiles(args)
	if err != nil {
		return err
	}
	t := &spirvTool{input: irfile.Stdin}
	t.translation.Version, t.translation.Debug = spirv.Version1_6, fromir.DebugOpenCL100
	flags := t.defineFlags(s)
	if err := flags.Parse(args); err != nil || t.done {
		return err
	}
	if t.convert != nil {
		return t.convertFile(s)
	}
	if info, err := os.Stat(t.input); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		return badOption("%s, file is empty: %s", "Can't translate", t.input)
	}
	f, err := irfile.Open(t.input, s.In)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := checkTarget(f.Module.Triple, len(f.Module.Values) == 0); err != nil {
		return err
	}
	if err := t.setTripleVersion(f.Module.Triple); err != nil {
		return err
	}
	code, err := fromir.Translate(f.Module, t.translation)
	if err != nil {
		return reportAs(err)
	}
	if code, err = t.form.writeAs(code); err != nil {
		return err
	}
	return t.writeModule(code, s)
}

// writeModule writes the module where -o says, otherwise next to the input.
func (t *spirvTool) writeModule(code []byte, s cli.Streams) error {
	if t.output == "" {
		if t.output = "-"; t.input != irfile.Stdin {
			t.output = strings.TrimSuffix(t.input, filepath.Ext(t.input)) + t.form.fileExtension()
		}
	}
	if t.output == "-" {
		_, err := s.Out.Write(code)
		return err
	}
	outputs := new(cli.Outputs)
	defer outputs.Abort()
	outputs.ProtectInputs(t.input)
	if err := outputs.WriteFile(t.output, code); err != nil {
		return err
	}
	return outputs.Commit()
}

// defineFlags defines the options of llvm-spirv. Those about the other direction, and
// those without a meaning here, are accepted and not listed.
func (t *spirvTool) defineFlags(s cli.Streams) *cli.FlagSet {
	o := &t.translation
	f := &cli.FlagSet{Program: program}
	given := false
	f.Input = func(arg string) error {
		if given {
			return &cli.UsageError{Program: program, Msg: "too many positional arguments specified: at most 1"}
		}
		t.input, given = arg, true
		return nil
	}
	f.Flags = []cli.Flag{
		{Name: "o", Value: "FILE", Usage: "output file; - is standard output (the input with .spv)", Set: cli.SetString(&t.output)},
		{Name: "spirv-max-version", Value: "V", Usage: "newest version that the module may have: 1.0 to 1.6 (1.6)", Set: t.setVersion},
		{Name: "spirv-ext", Value: "LIST", Usage: "extensions that may be used: +NAME, -NAME, +all (none)", Set: t.setExtensions},
		{Name: "spirv-allow-unknown-intrinsics", Value: "PREFIXES", Optional: true, Usage: "intrinsics that become functions when they are not known", Set: t.setIntrinsics},
		{Name: "spirv-debug-info-version", Value: "NAME", Usage: "form of debug information beside lines: ocl-100, nonsemantic-shader-100, nonsemantic-shader-200, none (ocl-100)", Set: t.setDebug},
		{Name: "spirv-fp-contract", Value: "MODE", Usage: "which kernels may not fuse operations: on, off, fast (on)", Set: t.setContract},
		{Name: "spirv-preserve-ocl-kernel-arg-type-metadata-through-string", Usage: "keep the type names of kernel arguments in strings", Set: cli.SetBool(&o.KernelArgTypes)},
		{Name: "spirv-text", Usage: "write the translator's text form (.spt)", Set: t.setForm(formTranslatorText)},
		{Name: "spirv-tools-dis", Usage: "write assembly text as spirv-dis does", Set: t.setForm(formAssembly)},
		{Name: "to-text", Usage: "input is SPIR-V; write the translator's text form", Set: t.setConversion("-to-text", textOfModule)},
		{Name: "to-binary", Usage: "input is the translator's text form; write SPIR-V", Set: t.setConversion("-to-binary", moduleOfText)},
		{Name: "spirv-print-report", Usage: "input is SPIR-V; print its version, models, capabilities, extensions and instruction sets", Set: t.setReport},
		{Name: "spec-const-info", Usage: "input is SPIR-V; list the specialization constants that can be set", Set: t.setListing},
	}
	f.Flags = append(f.Flags, cli.Flag{Name: "spirv-preserve-auxdata", Usage: "keep attributes and metadata of functions and variables in NonSemantic.AuxData", Set: cli.SetBool(&o.AuxData)})
	f.Flags = append(f.Flags, cli.Flag{Name: "spirv-allow-extra-diexpressions", Usage: "operations in debug information that OpenCL.DebugInfo.100 does not list", Set: cli.SetBool(&o.ExtraExpressions)})
	f.Flags = append(f.Flags,
		cli.Flag{Name: "spirv-ext-inst", Value: "SET", Usage: "set for intrinsics: OpenCL.std, or none, which makes fmuladd a product and a sum (OpenCL.std)", Set: t.setExtInst},
		cli.Flag{Name: "spirv-replace-fmuladd-with-ocl-mad", Usage: "llvm.fmuladd becomes mad (true)", Set: t.setMulAdd})
	f.Flags = append(f.Flags, t.helpFlags(f, s)...)
	f.Flags = append(f.Flags, cli.Flag{Name: "preserve-ocl-kernel-arg-type-metadata-through-string", Hidden: true, Set: cli.SetBool(&o.KernelArgTypes)})
	f.Flags = append(f.Flags, t.otherFlags(s)...)
	f.Flags = append(f.Flags, libraryFlags()...)
	return f
}

// helpFlags are the options that print and end, under all of LLVM's names.
func (t *spirvTool) helpFlags(f *cli.FlagSet, s cli.Streams) []cli.Flag {
	help := func(string) error { t.done = true; t.printHelp(f, s); return nil }
	version := func(string) error {
		t.done = true
		fmt.Fprintf(s.Out, "%s %s\n", program, cli.Version())
		return nil
	}
	return []cli.Flag{
		{Name: "help", Usage: "print this text", Set: help},
		{Name: "h", Hidden: true, Set: help},
		{Name: "help-list", Hidden: true, Set: help},
		{Name: "help-hidden", Hidden: true, Set: help},
		{Name: "help-list-hidden", Hidden: true, Set: help},
		{Name: "version", Usage: "print the version", Set: version},
	}
}

// printHelp prints the options, under the name that the program was called by.
func (t *spirvTool) printHelp(f *cli.FlagSet, s cli.Streams) {
	h := cli.Help{
		Program: program,
		Summary: program + " (offlink's) translates a module of LLVM IR, text or bitcode, to SPIR-V. The options\nare those of Khronos's llvm-spirv.",
		Usage:   []string{"[options] FILE -o OUT.spv"},
		Options: f.PrintFlags,
	}
	if !isSPIRVTool() {
		h.Summary = spirvSummary
		h.Usage = []string{"spirv [options] FILE -o OUT.spv"}
	}
	h.Print(s.Out)
}

// setVersion takes the highest version of SPIR-V that may be written.
func (t *spirvTool) setVersion(arg string) error {
	v, err := spirvVersion(arg)
	if err != nil {
		return fmt.Errorf("-spirv-max-version=%s: %w", arg, err)
	}
	t.translation.Version = v
	return nil
}

// setIntrinsics takes the prefixes of intrinsics that become imported
// functions.
func (t *spirvTool) setIntrinsics(arg string) error {
	t.translation.UnknownIntrinsics = strings.Split(arg, ",")
	return nil
}

// setDebug takes the form of debug information; forms that only the reference
// tool has are named as such.
func (t *spirvTool) setDebug(arg string) error {
	switch arg {
	case "ocl-100":
		t.translation.Debug = fromir.DebugOpenCL100
	case "nonsemantic-shader-100":
		t.translation.Debug = fromir.DebugShader100
	case "nonsemantic-shader-200":
		t.translation.Debug = fromir.DebugShader200
	case "none", "legacy":
		t.translation.Debug = fromir.DebugNone
	default:
		return fmt.Errorf("-spirv-debug-info-version=%s: want ocl-100, nonsemantic-shader-100, nonsemantic-shader-200 or none", arg)
	}
	return nil
}

// setContract takes whether a multiplication and an addition may become one
// operation.
func (t *spirvTool) setContract(arg string) error {
	modes := map[string]fromir.FPContract{"on": fromir.ContractOn, "off": fromir.ContractOff, "fast": fromir.ContractFast}
	mode, ok := modes[arg]
	if !ok {
		return fmt.Errorf("-spirv-fp-contract=%s: want on, off or fast", arg)
	}
	t.translation.Contract = mode
	return nil
}

// spirvSummary begins the help of the subcommand.
const spirvSummary = "spirv translates a module of LLVM IR, text or bitcode, to SPIR-V. Its options are those\nof llvm-spirv; called as llvm-spirv, the program is this subcommand."

// newSPIRVCommand is the subcommand, which has llvm-spirv's command line.
func newSPIRVCommand(s cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:                "spirv FILE -o OUT.spv",
		Short:              "translate one module to SPIR-V",
		Long:               spirvSummary,
		DisableFlagParsing: true,
		RunE:               func(_ *cobra.Command, args []string) error { return runSPIRVTool(args, s) },
	}
}

// isSPIRVTool reports whether the program is called as llvm-spirv.
func isSPIRVTool() bool { return cli.ProgramName("", "llvm-spirv") != "" }
