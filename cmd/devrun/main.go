// Devrun runs programs that carry device code, and kernels out of files that
// hold device images.
package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/filemap"
	"offlink/runtime/hostdev"
	"offlink/split"
	"offlink/wrapper/container"
)

func main() {
	hostdev.CollectLater()
	args := takeOwnProcess(os.Args)
	cli.Exit(runCommand(args, cli.OSStreams()))
}

// runCommand is the program: it returns the exit code.
func runCommand(args []string, s cli.Streams) int {
	s.Remedy = remedy
	root := newCommand(s)
	// Only for subcommands: the options of "devrun FILE" are the program's own.
	if len(args) > 0 && slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == args[0] }) {
		args = cli.DoubleDashes(root, args)
	}
	root.SetArgs(args)
	// Files with images are mapped: one that becomes shorter is an error.
	return s.Report("devrun", filemap.Guard(root.Execute))
}

// remedy names the program that helps with errors of packages that devrun has no options of.
func remedy(err error) string {
	switch {
	case errors.Is(err, container.ErrBudget):
		return "if the file is to be trusted, take its images out (offload-wrap extract -max-inflated=SIZE)"
	case errors.Is(err, split.ErrNotNative):
		return "make images of it (postlink -spec-const=emulation -properties -to=spirv)"
	}
	return ""
}

// newCommand makes the command tree. The root itself takes a program to run, so a
// word that is neither a file nor a command is looked at for a misspelt command.
func newCommand(s cli.Streams) *cobra.Command {
	var traceFile string
	var version bool
	root := &cobra.Command{
		Use:   "devrun FILE [ARG...]",
		Short: "Run programs that carry device code, and kernels out of files",
		Long: `devrun FILE [ARG...] runs the program FILE so that it finds libofflink. The commands
launch kernels straight out of files, and examine device code, devices and the cache.

A program with the name of a command is given with its folder: ./launch.`,
		Args: func(c *cobra.Command, args []string) error {
			if version {
				return nil
			}
			if len(args) == 0 {
				return cli.Usagef("name the program to run; see 'devrun --help'")
			}
			return cli.MisspeltCommand(args[0], c.Commands())
		},
		RunE: func(c *cobra.Command, args []string) error {
			if version {
				fmt.Fprintf(c.OutOrStdout(), "devrun %s\n", cli.Version()) // as postlink and offload-wrap say it
				return nil
			}
			return runProgram(args, traceFile)
		},
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	setProgramOptions(root, &traceFile)
	root.Flags().BoolVarP(&version, "version", "v", false, "") // styleUsage describes it
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	root.AddCommand(newRunCommand(), newLaunchCommand(s), newCheckCommand(s), newGraphCommand(s), newDevicesCommand(s), newDoctorCommand(s), newListCommand(s), newSelfTestCommand(s), newCacheCommand(s))
	cli.Style(root)
	return root
}
