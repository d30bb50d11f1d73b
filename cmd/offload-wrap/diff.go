package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/wrapper"
)

// differ has the options of the command diff.
type differ struct {
	inflation
	streams cli.Streams
	json    bool
}

// newDiffCommand makes "offload-wrap diff". Its exit code is 1 for a difference, as that
// of diff(1), so that scripts can test for one.
func newDiffCommand(s cli.Streams) *cobra.Command {
	d := &differ{streams: s}
	c := &cobra.Command{
		Use:   "diff A B",
		Short: "compare the device images of two files, folders or wheels; exit 1 if they differ",
		Long: `diff pairs the images of two files by kind, target, entries and code, and prints the
differences in each pair. Order, envelopes and compression do not count as differences. Of two
folders or wheels it compares the files of one name; WHEEL!MEMBER names a file in a wheel.`,
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
	// Only if both are folders or archives: a folder compared with a file fails below,
	// when it is opened as a file.
	if done, err := d.compareCollections(nameA, nameB); done || err != nil {
		return err
	}
	a, err := d.openSource(nameA)
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := d.openSource(nameB)
	if err != nil {
		return err
	}
	defer b.Close()
	differences, err := d.compareOpen(a, b)
	if err != nil {
		return err
	}
	return d.finishDiff(describeDifferences("", differences))
}

// compareOpen compares the images of two files that stay as they are meanwhile.
func (d *differ) compareOpen(a, b *wrapper.File) ([]wrapper.Difference, error) {
	differences, err := wrapper.Compare(a.Images(), b.Images(), d.newBudget())
	return differences, cmp.Or(a.CheckUnchanged(), b.CheckUnchanged(), err)
}

// finishDiff prints the differences; that there are any is an error.
func (d *differ) finishDiff(differences []difference) error {
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
	File   string `json:"file,omitempty"` // of folders and archives, by its name there
	First  *int   `json:"first,omitempty"`
	Second *int   `json:"second,omitempty"`
	What   string `json:"what"`
	Detail string `json:"detail"`

	title string
}

// describeDifferences turns the differences of two files into rows. file is their name in
// two folders or archives, "" where the files themselves were named.
func describeDifferences(file string, found []wrapper.Difference) []difference {
	list := make([]difference, 0, len(found))
	for _, x := range found {
		list = append(list, difference{file, imageNumber(x.A), imageNumber(x.B), x.Field, x.Detail, imageTitle(x)})
	}
	return list
}

// printDifferences prints the differences, as a listing of lines or JSON.
func (d *differ) printDifferences(differences []difference) error {
	if d.json {
		// An empty list is [] and not null.
		return cli.WriteJSON(d.streams.Out, append([]difference{}, differences...))
	}
	for _, x := range differences {
		where := x.title + ": " + x.What
		if x.File != "" {
			where = quoteWord(x.File) + ": " + where
		}
		if x.title == "" { // of a file as a whole
			where = quoteWord(x.File)
		}
		if _, err := fmt.Fprintf(d.streams.Out, "%s: %s\n", where, x.Detail); err != nil {
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
