package main

import (
	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
)

// subcommands are the commands beside the drop-in command line.
var subcommands = []func(cli.Streams) *cobra.Command{newPlanCommand, newWhyCommand}

// newRootCommand returns the command that has the subcommands.
func newRootCommand(s cli.Streams) *cobra.Command {
	root := &cobra.Command{
		Use: program, Short: "look into device code and its splitting",
		SilenceErrors: true, SilenceUsage: true,
	}
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	for _, newCommand := range subcommands {
		root.AddCommand(newCommand(s))
	}
	return root
}

// isSubcommand reports whether the first argument names a subcommand.
func isSubcommand(args []string) bool {
	if len(args) == 0 {
		return false
	}
	for _, newCommand := range subcommands {
		if c := newCommand(cli.Streams{}); c.Name() == args[0] {
			return true
		}
	}
	return false
}

// runSubcommand runs the subcommand and returns the exit code.
func runSubcommand(args []string, s cli.Streams) int {
	root := newRootCommand(s)
	root.SetArgs(args)
	return s.Report(program, root.Execute())
}
