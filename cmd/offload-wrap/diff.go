package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/wrapper"
)

// differ is the command diff.
type differ struct {
	inflation
	streams cli.Streams
	json    bool
}

func newDiffCommand(s cli.Streams) *cobra.Command {
	d := &differ{streams: s}
	c := &cobra.Command{
		Use:   "diff A B",
		Short: "compare the device images of two files; exit 1 if they differ",
		Long: `Diff pairs the images of two files by kind, target, entries and code, and prints the
differences in each pair. Order, envelopes and compression do not count as differences.`,
		Args: argsUsage(cobra.ExactArgs(2)),
		RunE: func(_ *cobra.Command, args []string) error { return d.compareFiles(args[0], args[1]) },
	}
	c.Flags().BoolVar(&d.json, "json", false, "print the differences as JSON")
	d.defineInflationFlags(c)
	return c
}

// compareFiles compares the images of two files, in pairs that the library
// chooses.
func (d *differ) compareFiles(nameA, nameB string) error {
	a, err := d.openWrapped(nameA)
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := d.openWrapped(nameB)
	if err != nil {
		return err
	}
	defer b.Close()
	differences, err := wrapper.Compare(a.Images(), b.Images(), d.newBudget())
	if err != nil {
		return err
	}
	if err := d.printDifferences(differences); err != nil {
		return err
	}
	if len(differences) > 0 {
		return errFound
	}
	return nil
}

// difference is a wrapper.Difference in JSON.
type difference struct {
	First  *int   `json:"first,omitempty"`
	Second *int   `json:"second,omitempty"`
	What   string `json:"what"`
	Detail string `json:"detail"`
}

// printDifferences prints the differences, as a listing of lines or JSON.
func (d *differ) printDifferences(differences []wrapper.Difference) error {
	if d.json {
		list := []difference{}
		for _, x := range differences {
			list = append(list, difference{imageNumber(x.A), imageNumber(x.B), x.Field, x.Detail})
		}
		return cli.WriteJSON(d.streams.Out, list)
	}
	for _, x := range differences {
		if _, err := fmt.Fprintf(d.streams.Out, "%s: %s: %s\n", imageTitle(x), x.Field, x.Detail); err != nil {
			return err
		}
	}
	return nil
}

// imageNumber is the number of an image, nil for none.
func imageNumber(i int) *int {
	if i < 0 {
		return nil
	}
	return &i
}

// imageTitle names the image of a difference by its place in both files.
func imageTitle(x wrapper.Difference) string {
	switch {
	case x.B < 0:
		return fmt.Sprintf("image %d", x.A)
	case x.A < 0:
		return fmt.Sprintf("image %d of the second", x.B)
	case x.A == x.B:
		return fmt.Sprintf("image %d", x.A)
	}
	return fmt.Sprintf("image %d and %d", x.A, x.B)
}
