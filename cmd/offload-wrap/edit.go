package main

import (
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/wrapper"
)

// editing is what replace and remove share: images of a file are meant, and
// the edited file takes the place of the file or gets a name of its own.
type editing struct {
	inflation
	selection
	streams cli.Streams
	output  string
}

func (e *editing) register(c *cobra.Command) {
	c.Flags().StringVarP(&e.output, "out", "o", "", "write the edited file there (default: in place of FILE)")
	e.selection.register(c)
	e.inflation.register(c)
}

// edit opens the file, finds the images and writes the edited file beside the
// name that it will get.
func (e *editing) edit(name string, choose func(*wrapper.File) ([]int, error), check func(*wrapper.Located) error, write func(io.Writer, *wrapper.File, []int) error) error {
	f, err := e.open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	images, err := choose(f)
	if err != nil {
		return err
	}
	for _, i := range images {
		if err := check(&f.Images()[i]); err != nil {
			return err
		}
	}
	var outputs cli.Outputs
	defer outputs.Abort()
	out, err := e.create(&outputs, name)
	if err != nil {
		return err
	}
	err = write(out, f, images)
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return outputs.Commit()
}

// create opens the output with the permissions of the file. A file that is
// edited in place through a symbolic link keeps the link.
func (e *editing) create(outputs *cli.Outputs, name string) (*cli.OutputFile, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	target := e.output
	if target == "" {
		if target, err = filepath.EvalSymlinks(name); err != nil {
			return nil, err
		}
	}
	out, err := outputs.Create(target)
	if err != nil {
		return nil, err
	}
	if err := out.Chmod(info.Mode().Perm()); err != nil {
		out.Close()
		return nil, err
	}
	return out, nil
}
