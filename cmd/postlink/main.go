// Command postlink splits device code in LLVM IR into device images and writes
// property sets with the facts about each image that a runtime needs.
//
// Without a subcommand it is a drop-in for sycl-post-link: it writes a table
// that names the files of each image. A first argument that is a
// subcommand's name is the subcommand; ./plan is the file. Called as
// llvm-spirv it is a drop-in for that: it translates one module to SPIR-V.
package main

import (
	"errors"
	"os"

	"offlink/cmd/internal/cli"
	"offlink/split"
)

// program is the name that messages carry.
var program = cli.ProgramName("postlink", "sycl-post-link")

func main() { cli.Exit(run(os.Args[1:], cli.OSStreams())) }

// run is the program: it returns the exit code.
func run(args []string, s cli.Streams) int {
	s.Remedy = remedy
	if isSPIRVTool() {
		program = cli.ProgramName(program, "llvm-spirv")
		return s.Report(program, runSPIRVTool(args, s))
	}
	args = subcommands.HelpArgs(args)
	if subcommands.Named(args) {
		return subcommands.Run(args, s)
	}
	if err := subcommands.Misspelt(args); err != nil {
		return s.Report(program, err)
	}
	return s.Report(program, postlink(args, s))
}

// remedy names the option that helps with an error of package split.
func remedy(err error) string {
	switch {
	case errors.Is(err, split.ErrNotNative):
		return "use -spec-const=emulation"
	case errors.Is(err, split.ErrEmulatedSize):
		return "use -spec-const=native"
	}
	return ""
}
