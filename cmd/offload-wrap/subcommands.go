package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"offlink/cmd/internal/cli"
)

// subcommands are the commands beside the drop-in command line.
var subcommands = []func(cli.Streams) *cobra.Command{
	newListCommand,
	newExtractCommand,
	newReplaceCommand,
	newRemoveCommand,
	newDiffCommand,
}

// doubleDashes writes the long options of the subcommand with two dashes
// where they have one, as the options of the drop-in command line may.
func doubleDashes(root *cobra.Command, args []string) []string {
	c, _, err := root.Find(args)
	if err != nil {
		return args
	}
	doubled := make([]string, len(args))
	for i, arg := range args {
		doubled[i] = arg
		if arg == "--" {
			copy(doubled[i:], args[i:])
			break
		}
		name, ok := strings.CutPrefix(arg, "-")
		name, _, _ = strings.Cut(name, "=")
		if ok && len(name) > 1 && isLongFlag(c.Flags(), name) {
			doubled[i] = "-" + arg
		}
	}
	return doubled
}

func isLongFlag(flags *pflag.FlagSet, name string) bool {
	return name == "help" || flags.Lookup(name) != nil
}
