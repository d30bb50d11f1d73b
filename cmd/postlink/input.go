package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"offlink/cmd/internal/cli"
	"offlink/ir"
	"offlink/ir/irfile"
)

// openModule reads the input, in the format that is to be written. The module
// is good until the returned function is called.
func openModule(ctx context.Context, o *options, s cli.Streams) (*ir.Module, func(), error) {
	f, err := irfile.Open(o.input, s.In)
	if err != nil {
		return nil, nil, inputError(o.input, err)
	}
	if want := o.format(); want != f.Format && !o.anyFormat && !o.spirv.wanted {
		f, err = convert(ctx, f, want, o.spirv.finder())
		if err != nil {
			return nil, nil, err
		}
	}
	// A module that does not say what it was made of is called after its
	// file, as LLVM does.
	if f.Module.SourceFilename == "" {
		f.Module.SourceFilename = f.Module.Path
	}
	o.read = f.Format
	return f.Module, func() { f.Close() }, nil
}

// format is the format of the modules that are written.
func (o *options) format() irfile.Format {
	if o.text {
		return irfile.Text
	}
	return irfile.Bitcode
}

// inputError words a file that cannot be opened as the reference does.
func inputError(path string, err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: error: Could not open input file: %w", path, pe.Err)
	}
	return err
}
