package main

import (
	"io"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/wrapper"
)

// newRemoveCommand makes "offload-wrap remove". It requires a selection, as the command
// without one would empty the file.
func newRemoveCommand(s cli.Streams) *cobra.Command {
	e := &editing{streams: s}
	c := &cobra.Command{
		Use:   "remove FILE --image N[,N...]",
		Short: "take device images out of a file, a finished program or library too",
		Long: `remove takes images out of a file, with their entries, properties and records of
registration; the rest of the file stays as it was. A selection is required, and --image
where the other options select several images.`,
		Args: argsUsage(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			if !e.isGiven() {
				return cli.Usagef("remove: select images with --image, --target, --arch, --format or --kernel; see '%s list %s'", program, args[0])
			}
			// An image that goes has nothing to agree with, as the code of replace has.
			anything := func(*wrapper.Located) error { return nil }
			return e.editFile(args[0], e.chooseExactly, anything, func(w io.Writer, f *wrapper.File, images []int) error {
				return f.Remove(w, images...)
			})
		},
	}
	e.defineFlags(c)
	return c
}
