package main

import (
	"errors"
	"fmt"
	"io"

	"offlink/ir/irfile"
	"offlink/wrapper"
	"offlink/wrapper/devimg"
)

// columnDescriptions is the column of the table of -sym-prop-bc-files.
const columnDescriptions = "SymAndProps"

// describeImages gives the images the entries and properties of the images in the modules that the
// table of -sym-prop-bc-files lists, in their order, in place of their own. Code that a back end
// compiled ahead of time (FPGA images) is described by the module in which its SPIR-V was wrapped.
func (o *options) describeImages(images []*devimg.Image, stdin io.Reader) error {
	if o.descriptions == "" {
		return nil
	}
	table, err := readTable(o.descriptions)
	if err != nil {
		return err
	}
	if table.Column(columnDescriptions) < 0 {
		return fmt.Errorf("%s:1: the table has no column %s", o.descriptions, columnDescriptions)
	}
	next := 0
	for row := range table.Rows {
		described, err := readDescriptions(table.Cell(row, columnDescriptions), stdin)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", o.descriptions, table.Line(row), err)
		}
		for _, from := range described {
			if next == len(images) {
				return nil // as in the reference tool
			}
			images[next].Entries, images[next].HasEntries, images[next].Properties = from.Entries, from.HasEntries, from.Properties
			next++
		}
	}
	if next < len(images) {
		return fmt.Errorf("%s: it describes %d images, %d are wrapped", o.descriptions, next, len(images))
	}
	return nil
}

// readDescriptions reads the images of a module without their code.
func readDescriptions(name string, stdin io.Reader) ([]*devimg.Image, error) {
	if name == "" {
		return nil, errors.New("empty name of a module")
	}
	file, err := irfile.Open(name, stdin)
	if err != nil {
		return nil, err
	}
	images, err := wrapper.DescribedImages(file.Module)
	for _, image := range images {
		image.Properties = image.Properties.Clone() // the file is closed
	}
	return images, errors.Join(err, file.Close())
}

// descriptionInputs returns the files that the table of -sym-prop-bc-files names, as far as it can
// be read, so that no output takes their place.
func (o *options) descriptionInputs() []string {
	if o.descriptions == "" {
		return nil
	}
	names := []string{o.descriptions}
	if table, err := readTable(o.descriptions); err == nil {
		for row := range table.Rows {
			names = append(names, table.Cell(row, columnDescriptions))
		}
	}
	return names
}
