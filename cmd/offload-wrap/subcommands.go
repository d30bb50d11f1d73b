package main

import (
	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
)

// subcommands are the commands beside the drop-in command line.
var subcommands = cli.Subcommands{
	// A first argument that is one of their names is a command: the arguments of
	// clang-offload-wrapper are options and files.
	Program: program,
	Short:   "look into and edit files with device images",
	New: []func(cli.Streams) *cobra.Command{
		newListCommand,
		newExtractCommand,
		newReplaceCommand,
		newRemoveCommand,
		newDiffCommand,
	},
}
