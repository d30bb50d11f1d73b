package main

import (
	"offlink/cmd/internal/cli"
	"offlink/filetable"
	"offlink/wrapper/devimg"
)

// writeTables writes the tables, which name the files and so come last.
func writeTables(images []*image, o *options, outputs *cli.Outputs, s cli.Streams) error {
	// -ir-output-only writes the one module and no table.
	if o.split.Single {
		return nil
	}
	// A driver of DPC++ asks for one table for each target.
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
	native, others := o.listsNative(target)
	if native {
		addNativeColumns(t)
	}
	for _, i := range images {
		// An image whose aspects the target lacks is left out of its table, as sycl-post-link's
		// -o TARGET,FILE does.
		properties, can := i.properties[target]
		if !can {
			continue
		}
		if others {
			t.Rows = append(t.Rows, i.tableRow(o, i.code, properties, native))
		}
		for _, n := range i.native {
			if native && (target == "" || target == n.target) {
				row := i.tableRow(o, n.code, n.properties, false)
				t.Rows = append(t.Rows, append(row, n.target, devimg.FormatNative.String(), n.arch))
			}
		}
	}
	return t
}

// tableRow is the cells of an image that all tables have. Empty cells for native
// images leave the target and the format to the command line of the next tool.
func (i *image) tableRow(o *options, code, properties string, native bool) []string {
	row := []string{code}
	if o.properties {
		row = append(row, properties)
	}
	if o.symbols {
		row = append(row, i.symbols)
	}
	if native {
		row = append(row, "", "", "")
	}
	return row
}
