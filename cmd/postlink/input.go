package main

import (
	"context"

	"offlink/cmd/internal/cli"
	"offlink/ir/irfile"
)

// openModule reads the module of a file, "-" for standard input, in the format
// that is to be written. The caller closes the file when it is done with the
// module.
func openModule(ctx context.Context, name string, o *options, s cli.Streams) (*irfile.File, error) {
	f, err := readInput(name, s)
	if err != nil {
		return nil, err
	}
	return inFormat(ctx, f, o)
}

func readInput(name string, s cli.Streams) (*irfile.File, error) {
	return irfile.Open(name, s.In)
}

// inFormat converts the module to the format that is to be written. The result
// takes the place of f, which a failure closes.
func inFormat(ctx context.Context, f *irfile.File, o *options) (*irfile.File, error) {
	if want := o.inputFormat(); want != f.Format && !o.anyFormat && !o.spirv.wanted {
		var err error
		if f, err = convertFormat(ctx, f, want, o.spirv.toolFinder()); err != nil {
			return nil, err
		}
	}
	// A module that does not name its source is called after its file, as LLVM
	// does.
	if f.Module.SourceFilename == "" {
		f.Module.SourceFilename = f.Module.Path
	}
	return f, nil
}

// inputFormat is the format of the modules that are written.
func (o *options) inputFormat() irfile.Format {
	if o.text {
		return irfile.Text
	}
	return irfile.Bitcode
}
