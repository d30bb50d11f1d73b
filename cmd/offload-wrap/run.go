package main

import (
	"errors"
	"fmt"
	"runtime"

	"offlink/cmd/internal/cli"
	"offlink/filetable"
	"offlink/parallel"
	"offlink/props"
	"offlink/wrapper/abi"
	"offlink/wrapper/devimg"
)

// wrapImages is the drop-in command line: inputs -> images -> object.
func wrapImages(args []string, s cli.Streams) error {
	o, err := parseCommandLine(args, s)
	if err != nil || o.done {
		return err
	}
	// No file is written before every image was read.
	inputs, err := o.expandBatch()
	if err != nil {
		return err
	}
	images, err := loadImages(inputs)
	if err != nil {
		return err
	}
	if err := o.describeImages(images, s.In); err != nil {
		return err
	}
	o.read = inputs
	images, release, err := o.prepareImages(images, s)
	if err != nil {
		return nameImage(err, inputs)
	}
	defer release()
	return nameImage(o.writeObject(images, s.Out), inputs)
}

// nameImage puts the name of the file into an error about one image.
func nameImage(err error, inputs []input) error {
	if fault, ok := errors.AsType[*abi.ImageError](err); ok {
		in := &inputs[fault.Image]
		return in.addOrigin(fmt.Errorf("%s: %w", in.code, fault.Err))
	}
	return err
}

// input is the files and the settings that make one image.
type input struct {
	settings
	code, manifest string
	origin         string // the line of a table, "" for the command line
}

// protectInputs has the outputs refuse the names of files that the run reads: an object
// in place of its table or its images would break the next run of a build.
func (o *options) protectInputs(outputs *cli.Outputs) {
	outputs.ProtectArguments(o.arguments)
	for _, in := range o.inputs {
		outputs.ProtectInputs(in.code)
	}
	outputs.ProtectInputs(o.descriptionInputs()...)
	for _, in := range o.read {
		outputs.ProtectInputs(in.code, in.manifest, in.properties, in.entries)
	}
}

// addOrigin puts into an error the line of the table that the input comes from.
func (in *input) addOrigin(err error) error {
	if err == nil || in.origin == "" {
		return err
	}
	return fmt.Errorf("%s: %w", in.origin, err)
}

// expandBatch returns the inputs, those of a table's rows in batch mode.
func (o *options) expandBatch() ([]input, error) {
	if !o.batch {
		return o.inputs, nil
	}
	if len(o.inputs) != 1 || o.inputs[0].manifest != "" {
		return nil, errors.New("batch job table file must be the only input file")
	}
	name := o.inputs[0].code
	table, err := readTable(name)
	if err != nil {
		return nil, err
	}
	if table.Column(filetable.ColumnCode) < 0 {
		return nil, fmt.Errorf("%s:1: the table has no column %s", name, filetable.ColumnCode)
	}
	// Kind, target and the rest of the settings are those of the one input. Rows have no
	// columns for them.
	common := o.settings
	if o.inputs[0].hasKind {
		common = o.inputs[0].settings
	}
	inputs := make([]input, len(table.Rows))
	for row := range inputs {
		in := input{settings: common, origin: fmt.Sprintf("%s:%d", name, table.Line(row))}
		if err := in.setCells(table, row); err != nil {
			return nil, in.addOrigin(err)
		}
		inputs[row] = in
	}
	return inputs, nil
}

// setCells takes the cells of a row, which replace settings of the command line. An empty
// target leaves that of the command line. An empty architecture replaces it: only a
// table without the column leaves it.
func (in *input) setCells(table *filetable.Table, row int) error {
	in.code = table.Cell(row, filetable.ColumnCode)
	in.manifest = table.Cell(row, filetable.ColumnManifest)
	in.properties = table.Cell(row, filetable.ColumnProperties)
	in.entries = table.Cell(row, filetable.ColumnSymbols)
	if table.Column(filetable.ColumnArch) >= 0 {
		in.arch = table.Cell(row, filetable.ColumnArch)
	}
	if target := table.Cell(row, filetable.ColumnTarget); target != "" {
		in.target = target
	}
	return in.setFormatCell(table.Cell(row, filetable.ColumnFormat))
}

// setFormatCell takes the form of a row's code; an empty cell leaves that of the
// command line.
func (in *input) setFormatCell(cell string) error {
	if cell == "" {
		return nil
	}
	format, ok := devimg.ParseFormat(cell)
	if !ok {
		return fmt.Errorf("the format %s: use none, native, spirv or llvmbc", cell)
	}
	in.format = format
	return nil
}

// readTable reads a batch table.
func readTable(name string) (*filetable.Table, error) {
	text, err := cli.ReadFile(name, filetable.MaxSize)
	if err != nil {
		return nil, err
	}
	table, err := filetable.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	return table, nil
}

// loadImages reads the properties and entries of the images, several at a time. Their
// code stays in the files. Of several errors it returns that of the first image.
func loadImages(inputs []input) ([]*devimg.Image, error) {
	images := make([]*devimg.Image, len(inputs))
	err := parallel.ForEach(len(inputs), runtime.GOMAXPROCS(0), func() func(int) error {
		return func(i int) (err error) {
			images[i], err = loadImage(&inputs[i])
			return inputs[i].addOrigin(err)
		}
	})
	if err != nil {
		return nil, err
	}
	return images, nil
}

// maxManifest is the size in bytes up to which a manifest is read.
const maxManifest = 256 << 20

// loadImage opens the files of an input. Code stays on disk until it is
// written.
func loadImage(in *input) (*devimg.Image, error) {
	image := &devimg.Image{
		Kind: in.kind, Format: in.format, Target: in.target, Arch: in.arch,
		CompileOptions: in.compileOptions, LinkOptions: in.linkOptions,
	}
	if in.code == "" {
		return nil, errors.New("image file name missing")
	}
	// The file is opened when its code is copied into the object: open files of
	// thousands of images would need as many descriptors.
	code, err := devimg.FromFile(in.code)
	if err != nil {
		return nil, err
	}
	image.Code = code
	if in.manifest != "" {
		if image.Manifest, err = cli.ReadFile(in.manifest, maxManifest); err != nil {
			return nil, err
		}
	}
	if image.Properties, err = readProperties(in.properties); err != nil {
		return nil, err
	}
	image.Entries, image.HasEntries, err = readEntries(in.entries)
	return image, err
}

// readProperties reads a .prop file; without a name there are none.
func readProperties(name string) (*props.Sets, error) {
	if name == "" {
		return nil, nil
	}
	text, err := cli.ReadFile(name, props.MaxText)
	if err != nil {
		return nil, err
	}
	sets, err := props.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	return sets, nil
}

// readEntries reads a .sym file, and reports whether there is one.
func readEntries(name string) ([]string, bool, error) {
	if name == "" {
		return nil, false, nil
	}
	text, err := cli.ReadFile(name, filetable.MaxSize)
	if err != nil {
		return nil, false, err
	}
	return filetable.ParseSymbols(text), true, nil
}
