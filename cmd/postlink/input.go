package main

import (
	"context"

	"offlink/cmd/internal/cli"
	"offlink/ir"
	"offlink/ir/irfile"
)

// openModule reads the input, in the format that is to be written. The module
// is good until the returned function is called.
func openModule(ctx context.Context, o *options, s cli.Streams) (*ir.Module, func(), error) {
	f, err := readInput(o, s)
	if err == nil {
		f, err = inFormat(ctx, f, o)
	}
	if err != nil {
		return nil, nil, err
	}
	return f.Module, func() { f.Close() }, nil
}

func readInput(o *options, s cli.Streams) (*irfile.File, error) {
	return irfile.Open(o.input, s.In)
}

// inFormat converts the module to the format that is to be written. The result
// takes the place of f.
func inFormat(ctx context.Context, f *irfile.File, o *options) (*irfile.File, error) {
	if want := o.format(); want != f.Format && !o.anyFormat && !o.spirv.wanted {
		var err error
		if f, err = convert(ctx, f, want, o.spirv.finder()); err != nil {
			return nil, err
		}
	}
	// A module that does not say what it was made of is called after its
	// file, as LLVM does.
	if f.Module.SourceFilename == "" {
		f.Module.SourceFilename = f.Module.Path
	}
	o.read = f.Format
	return f, nil
}

// format is the format of the modules that are written.
func (o *options) format() irfile.Format {
	if o.text {
		return irfile.Text
	}
	return irfile.Bitcode
}
