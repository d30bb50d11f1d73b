package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/wrapper"
	"offlink/wrapper/devimg"
)

// editing is the common part of replace and remove: they select images of a
// file, and the edited file replaces the file or gets a name of its own.
type editing struct {
	inflation
	selection
	streams cli.Streams
	output  string
	newName string      // the file of the new code, "" to remove the image
	code    devimg.Code // the image's new code, nil to remove the image
}

// defineFlags adds the options that replace and remove have in common.
func (e *editing) defineFlags(c *cobra.Command) {
	c.Flags().StringVarP(&e.output, "out", "o", "", "write the edited file to `OUT` (default: in place of FILE)")
	e.selection.defineSelectionFlags(c)
	e.inflation.defineInflationFlags(c)
}

// editFile opens the file, finds the images and writes the edited file next to the name
// that it will get. choose selects the images, check may refuse each, write writes the
// edited file.
func (e *editing) editFile(name string, choose func(*wrapper.File) ([]int, error), check func(*wrapper.Located) error, write func(io.Writer, *wrapper.File, []int) error) error {
	// A wheel lists the digests of its members: an edited member would not install.
	if err := refuseArchive(name); err != nil {
		return err
	}
	f, err := e.openWrapped(name)
	if err != nil {
		return err
	}
	defer f.Close()
	images, err := choose(f)
	if err != nil {
		return err
	}
	var outputs cli.Outputs
	defer outputs.Abort()
	if err := e.protectCode(&outputs, name); err != nil {
		return err
	}
	for _, i := range images {
		if err := check(&f.Images()[i]); err != nil {
			return err
		}
	}
	if err := e.writeEdited(&outputs, f, name, images, write); err != nil {
		return err
	}
	return e.commitEdit(&outputs, name)
}

// writeEdited writes the edited file under a temporary name and reads it back: a failed
// check leaves the old one.
func (e *editing) writeEdited(outputs *cli.Outputs, f *wrapper.File, name string, images []int, write func(io.Writer, *wrapper.File, []int) error) error {
	out, err := e.createOutput(outputs, name)
	if err != nil {
		return err
	}
	err = write(out, f, images)
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return cmp.Or(f.CheckUnchanged(), err)
	}
	if err := e.verifyEdit(f, images, out.Name(), e.code); err != nil {
		return cmp.Or(f.CheckUnchanged(), fmt.Errorf("%s: %w", name, err))
	}
	return e.checkInput(f)
}

// protectCode refuses to write the edited file over the new code. The file itself
// may be the output, as without -o.
func (e *editing) protectCode(outputs *cli.Outputs, name string) error {
	if e.newName == "" {
		return nil
	}
	outputs.ProtectInputs(e.newName)
	return outputs.CheckOutput(cmp.Or(e.output, name))
}

// checkInput refuses an edit of a file that another program changed or replaced meanwhile:
// in place, the edited old file would replace the new one.
func (e *editing) checkInput(f *wrapper.File) error {
	if err := f.CheckUnchanged(); err != nil {
		return err
	}
	if e.output == "" && !f.IsNamed() {
		return fmt.Errorf("%s: another program replaced the file while it was edited: nothing was changed", f.Name())
	}
	return nil
}

// commitEdit gives the edited file its name. A file that is edited in place keeps
// its owner, permissions and extended attributes, or a warning says which it
// lost.
func (e *editing) commitEdit(outputs *cli.Outputs, name string) error {
	if e.output != "" {
		return outputs.Commit()
	}
	// They are read before the rename, as afterwards the name is the new file's.
	attributes, err := readAttributes(name)
	if err != nil {
		return err
	}
	if err := outputs.Commit(); err != nil {
		return err
	}
	if lost := attributes.restoreAttribute(name); len(lost) > 0 {
		slices.Sort(lost)
		fmt.Fprintf(e.streams.Err, "%s: warning: %s: the edited file lost %s\n", program, name, strings.Join(lost, ", "))
	}
	return nil
}

// createOutput opens the output with the permissions of the file. A file that is
// edited in place through a symbolic link keeps the link.
func (e *editing) createOutput(outputs *cli.Outputs, name string) (*cli.OutputFile, error) {
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
