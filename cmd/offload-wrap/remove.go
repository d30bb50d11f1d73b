package main

import (
	"io"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/wrapper"
)

func newRemoveCommand(s cli.Streams) *cobra.Command {
	e := &editing{streams: s}
	c := &cobra.Command{
		Use:   "remove FILE --image N",
		Short: "take a device image out of a file, a finished program or library too",
		Args:  argsUsage(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			return e.edit(args[0], nil, func(w io.Writer, f *wrapper.File, i int) error { return f.Remove(w, i) })
		},
	}
	e.register(c)
	return c
}
