package main

import (
	"offlink/cmd/internal/cli"
	"offlink/filetable"
)

// writeTables writes the tables, which name the files and so come last.
func writeTables(images []*image, o *options, outputs *cli.Outputs, s cli.Streams) error {
	// -ir-output-only writes the one module and no table.
	if o.split.Single {
		return nil
	}
	// A driver of DPC++ asks for a table a target.
	for _, out := range o.outputs {
		t := imageTable(images, o, out.target)
		text, err := t.Bytes()
		if err != nil {
			return err
		}
		if out.file == "-" {
			outputs.StreamLast(s.Out, text)
		} else if err := outputs.WriteLast(out.file, text); err != nil {
			return err
		}
	}
	return nil
}

// imageTable lists the images that the target can run.
func imageTable(images []*image, o *options, target string) *filetable.Table {
	t := &filetable.Table{Columns: []string{filetable.ColumnCode}}
	if o.properties {
		t.Columns = append(t.Columns, filetable.ColumnProperties)
	}
	if o.symbols {
		t.Columns = append(t.Columns, filetable.ColumnSymbols)
	}
	for _, i := range images {
		// An image whose aspects the target lacks is left out of its table, as sycl-post-link's
		// -o TARGET,FILE does.
		properties, can := i.properties[target]
		if !can {
			continue
		}
		row := []string{i.code}
		if o.properties {
			row = append(row, properties)
		}
		if o.symbols {
			row = append(row, i.symbols)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
