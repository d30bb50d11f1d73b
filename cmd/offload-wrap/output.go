package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"

	"offlink/cmd/internal/cli"
	"offlink/toolchain"
	"offlink/wrapper"
	"offlink/wrapper/devimg"
)

// writeObject writes the output under a temporary name next to its own and renames it; "-" is
// standard output. A file appears whole or not at all; a pipe gets the part that was written
// before an error.
func (o *options) writeObject(images []*devimg.Image, stdout io.Writer) error {
	if o.output == "-" {
		return wrapper.Wrap(stdout, images, o.wrap)
	}
	var out cli.Outputs
	defer out.Abort()
	o.protectInputs(&out)
	file, err := out.Create(o.output)
	if err != nil {
		return err
	}
	if o.bitcode {
		err = o.writeBitcode(file, images)
	} else {
		err = wrapper.Wrap(file, images, o.wrap)
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return out.Commit()
}

// opaquePointers is the first LLVM that reads the IR without an option.
const opaquePointers = 15

// writeBitcode assembles the IR with the newest llvm-as that is installed.
func (o *options) writeBitcode(file *cli.OutputFile, images []*devimg.Image) error {
	ctx := context.Background()
	found, err := new(toolchain.Finder).All(ctx, toolchain.LLVMAs)
	if err != nil {
		return err
	}
	// The tools come newest first. Bitcode takes an assembler: our own writer only encodes
	// parts of modules that it has read.
	serves := slices.IndexFunc(found, func(t toolchain.Tool) bool { return t.Accepts(opaquePointers) })
	if serves < 0 {
		return &toolchain.MissingError{Tool: toolchain.LLVMAs, Want: "LLVM 15 or later (or name the output .ll, or .o for an object)", Seen: found}
	}
	text, remove, err := o.writeTemporaryIR(images)
	if err != nil {
		return err
	}
	defer remove()
	return new(toolchain.Runner).Run(ctx, found[serves], text, "-o", file.Name())
}

// writeTemporaryIR writes the IR that bitcode is made from. With -save-temps it
// is an output, named after the bitcode.
func (o *options) writeTemporaryIR(images []*devimg.Image) (name string, remove func(), err error) {
	if o.saveTemps {
		name = o.output[:len(o.output)-len(filepath.Ext(o.output))] + ".ll"
		// It is kept: -save-temps shows the IR.
		return name, func() {}, o.writeIR(name, images)
	}
	dir, remove, err := cli.TempDirIn(filepath.Dir(o.output), ".offlink-*.tmp")
	if err != nil {
		return "", nil, err
	}
	name = filepath.Join(dir, "wrapper.ll")
	if err := o.writeIR(name, images); err != nil {
		remove()
		return "", nil, err
	}
	return name, remove, nil
}

// writeIR writes the wrapper as IR, all of it or nothing.
func (o *options) writeIR(name string, images []*devimg.Image) error {
	outputs := &cli.Outputs{}
	defer outputs.Abort()
	o.protectInputs(outputs)
	f, err := outputs.Create(name)
	if err != nil {
		return err
	}
	if err := errors.Join(wrapper.Wrap(f, images, o.wrap), f.Close()); err != nil {
		return err
	}
	return outputs.Commit()
}
