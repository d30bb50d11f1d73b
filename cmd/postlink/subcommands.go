package main

import (
	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
)

// subcommands are the commands beside the drop-in command line.
var subcommands = cli.Subcommands{
	Program: program,
	Short:   "look into device code and its splitting",
	New:     []func(cli.Streams) *cobra.Command{newPlanCommand, newWhyCommand, newDumpCommand, newSPIRVCommand},
}
