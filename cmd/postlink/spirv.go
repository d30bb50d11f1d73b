package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"offlink/cmd/internal/cli"
	"offlink/ir"
	"offlink/ir/irfile"
	"offlink/toolchain"
)

// spirvOptions are the options of -to=spirv and of the tools that it runs.
type spirvOptions struct {
	wanted   bool // -to=spirv
	ptx      bool // -to=ptx
	tools    map[toolchain.Name]string
	launcher []string
	// external says that the installed llvm-spirv translates.
	external bool
	// validate asks for spirv-val, optimize for spirv-opt with these flags.
	validate bool
	optimize []string
	// statistics asks for the number of functions that were translated.
	statistics bool
	// wrappers asks for kernels as the Khronos translator wrote them until 2025.
	wrappers bool
	toolchain.SPIRVOptions
}

// defineSPIRVFlags adds the options.
func (o *spirvOptions) defineSPIRVFlags(f *cli.FlagSet) {
	o.Version = toolchain.DefaultSPIRVVersion
	o.tools = map[toolchain.Name]string{}
	f.Flags = append(f.Flags,
		cli.Flag{Name: "spirv-version", Value: "V", Usage: "version of every SPIR-V module: 1.0 to 1.4 (" + toolchain.DefaultSPIRVVersion + ")", Set: o.setVersion},
		cli.Flag{Name: "spirv-ext", Value: "LIST", Usage: "extensions that the SPIR-V may use, as llvm-spirv's --spirv-ext has them (those that the code needs)", Set: cli.SetString(&o.Extensions)},
		cli.Flag{Name: "translator", Value: "NAME", Usage: "translator to SPIR-V: offlink, or llvm-spirv, the installed tool (offlink)", Set: o.setTranslator},
		cli.Flag{Name: "spirv-val", Usage: "check every module with the installed spirv-val before anything is written", Set: cli.SetBool(&o.validate)},
		cli.Flag{Name: "spirv-opt", Value: "FLAGS", Usage: "run the installed spirv-opt with these flags over every module", Set: o.setOptimizer},
		cli.Flag{Name: "spirv-stats", Usage: "say how many functions were translated, and how many the modules have", Set: cli.SetBool(&o.statistics)},
		cli.Flag{Name: "launcher", Value: "CMD", Usage: "command that is put in front of llvm-as, llvm-spirv and llc", Set: o.setLauncher},
	)
	for _, name := range []toolchain.Name{toolchain.LLVMAs, toolchain.LLVMDis, toolchain.LLVMSPIRV, toolchain.LLC} {
		set := func(path string) error {
			o.tools[name] = path
			o.external = o.external || name == toolchain.LLVMSPIRV // naming the tool asks for it
			return nil
		}
		f.Flags = append(f.Flags, cli.Flag{Name: string(name), Value: "PATH", Usage: "the " + string(name) + " to use (the one found by version)", Set: set})
	}
}

// setVersion takes the version of SPIR-V, one for all images, as linkers
// refuse to mix them.
func (o *spirvOptions) setVersion(arg string) error {
	if !slices.Contains(toolchain.SPIRVVersions, arg) {
		return fmt.Errorf("-spirv-version=%s: want one of %s", arg, strings.Join(toolchain.SPIRVVersions, ", "))
	}
	o.Version = arg
	return nil
}

// setTranslator takes the translator: ours, or installed programs.
func (o *spirvOptions) setTranslator(arg string) error {
	if arg != "offlink" && arg != "llvm-spirv" {
		return fmt.Errorf("-translator=%s: want offlink or llvm-spirv", arg)
	}
	o.external = arg == "llvm-spirv"
	return nil
}

// setOptimizer takes the flags of spirv-opt.
func (o *spirvOptions) setOptimizer(arg string) error {
	if o.optimize = cli.SplitWords(arg); len(o.optimize) == 0 {
		return errors.New("-spirv-opt: want flags of spirv-opt, such as -O")
	}
	return nil
}

// setLauncher takes the command that external tools are started with, as
// compiler caches want it.
func (o *spirvOptions) setLauncher(arg string) error {
	o.launcher = cli.SplitWords(arg)
	return nil
}

// toolFinder looks for the tools where the options say.
func (o *spirvOptions) toolFinder() *toolchain.Finder { return &toolchain.Finder{Paths: o.tools} }

// toolInput has the facts about the module that decide which tools serve.
func toolInput(m *ir.Module, format irfile.Format) toolchain.Input {
	return toolchain.Input{Text: format == irfile.Text, LLVM: llvmVersion(m), TypedPointers: hasTypedPointers(m)}
}

// llvmVersion returns the newest LLVM version that the module's producers
// name, 0 if none does.
func llvmVersion(m *ir.Module) int {
	newest := 0
	list := m.Named("llvm.ident")
	if list == nil {
		return 0
	}
	for _, o := range list.Operands {
		idents, err := m.Resolve(o)
		if err != nil || len(idents) == 0 {
			continue
		}
		newest = max(newest, versionOf(idents[0].String))
	}
	return newest
}

// versionOf reads "clang version 19.1.7 (...)", which may have a vendor's name before it.
// Other compilers that are built on LLVM have version numbers of their own.
func versionOf(ident string) int {
	_, rest, found := strings.Cut(ident, "clang version ")
	if !found {
		return 0
	}
	major, _, _ := strings.Cut(rest, ".")
	version, err := strconv.Atoi(major)
	if err != nil {
		return 0
	}
	return version
}

func hasTypedPointers(m *ir.Module) bool {
	return slices.ContainsFunc(m.Types, func(t ir.Type) bool { return t.Kind == ir.TypePointer && len(t.Elements) > 0 })
}
