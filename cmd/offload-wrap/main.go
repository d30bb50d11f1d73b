// Command offload-wrap puts device images into host objects, and inspects and
// edits files that have some.
//
// Without a subcommand it is a drop-in for clang-offload-wrapper: it writes
// the images and a descriptor of them as a relocatable object, whose
// constructor registers them with the SYCL runtime. A first argument that is
// a subcommand's name is the subcommand; ./list is a file.
//
// The command line is in options.go, the subcommands have a file each. All
// knowledge of formats is in package wrapper and below.
package main

import (
	"errors"
	"os"

	"offlink/cmd/internal/cli"
	"offlink/filemap"
	"offlink/wrapper/container"
)

// program is the name that messages carry.
var program = cli.ProgramName("offload-wrap", "clang-offload-wrapper")

func main() { cli.Exit(run(os.Args[1:], cli.OSStreams())) }

// run is the program: it returns the exit code. Inputs are mapped, and one
// that becomes shorter is an error.
func run(args []string, s cli.Streams) (exit int) {
	s.Remedy = remedy
	err := filemap.Guard(func() error {
		exit = runCommand(args, s)
		return nil
	})
	if err != nil {
		return s.Report(program, err)
	}
	return exit
}

// runCommand runs a subcommand, or else the command line of clang-offload-
// wrapper.
func runCommand(args []string, s cli.Streams) int {
	args = subcommands.HelpArgs(args)
	if subcommands.Named(args) {
		return subcommands.Run(args, s)
	}
	if err := subcommands.Misspelt(args); err != nil {
		return s.Report(program, err)
	}
	return s.Report(program, wrapImages(args, s))
}

// remedy names the option that helps with an error of package wrapper.
func remedy(err error) string {
	if errors.Is(err, container.ErrBudget) {
		return "if the file is to be trusted, raise the limit (-max-inflated)"
	}
	return ""
}
