package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/wrapper"
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

// replacer has the options of the command replace. It changes one image at a time, as two
// images of a file seldom get the same code.
type replacer struct {
	editing
	force bool
}

// newReplaceCommand makes "offload-wrap replace".
func newReplaceCommand(s cli.Streams) *cobra.Command {
	r := &replacer{editing: editing{streams: s}}
	c := &cobra.Command{
		Use:   "replace FILE --image N NEW",
		Short: "give a device image of a file other code, in a finished program or library too",
		Long: `replace puts the code of NEW, a file of code or a file with one image, in the place of an
image's code. The entries and properties of the image stay, so that the new code must have the
same entries, and its kernels must take the same arguments: a difference is refused. Code that is
larger than the old goes into a new segment or section.`,
		Args: argsUsage(cobra.ExactArgs(2)),
		RunE: func(_ *cobra.Command, args []string) error { return r.replaceImage(args[0], args[1]) },
	}
	c.Flags().BoolVar(&r.force, "force", false, "replace also with code that does not fit, and where the edited file would not survive GNU strip and objcopy")
	r.defineFlags(c)
	return c
}

// replaceImage writes the file with the image replaced next to the old one, and renames
// it.
func (r *replacer) replaceImage(name, newName string) error {
	// check loads the new code, as its form depends on the old image; the image is one.
	var n *newCode
	check := func(old *wrapper.Located) (err error) {
		if n, err = r.loadNew(newName, old); err != nil {
			return err
		}
		return r.checkCode(name, old, n)
	}
	r.newName = newName
	defer func() {
		if n != nil {
			n.close()
		}
	}()
	err := r.editFile(name, r.chooseOne, check, func(w io.Writer, f *wrapper.File, images []int) error {
		r.code = n.code
		err := f.Replace(w, images[0], n.code, wrapper.EditOptions{MoveHeaders: r.force, Warn: func(loss string) {
			fmt.Fprintf(r.streams.Err, "%s: warning: %s: %s\n", program, name, loss)
		}})
		return cmp.Or(n.checkUnchanged(), err)
	})
	if errors.Is(err, wrapper.ErrNoHeader) {
		err = fmt.Errorf("%w; --force moves them", err)
	}
	return err
}

// newCode is the code that replaces an image's.
type newCode struct {
	name  string
	code  devimg.Code
	image *devimg.Image // if it came with one
	close func() error

	checkUnchanged func() error // where it came with one
}

// loadNew reads the new code: that of the one image of a file that has images, otherwise
// the file itself. Code is often an ELF file or an archive, which could hold images: one
// that has none, or that cannot be read as a holder of images but has the form of the old
// code, is taken as code.
func (r *replacer) loadNew(name string, old *wrapper.Located) (*newCode, error) {
	f, err := r.openSource(name)
	if err == nil && len(f.Images()) == 0 {
		f.Close()
		err = wrapper.ErrNoImages
	}
	if err != nil {
		return loadCode(name, old, err)
	}
	if n := len(f.Images()); n != 1 {
		f.Close()
		return nil, fmt.Errorf("%s: the new code must be one image: %s; see 'offload-wrap extract'", name, countImages(n))
	}
	// The image gets plain code: the wrapper of the file says how it is stored there.
	image, err := container.Uncompress(&f.Images()[0].Image, r.newBudget())
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &newCode{name, image.Code, image, f.Close, f.CheckUnchanged}, nil
}

// loadCode takes a file for code as it is, unless reading it as one with
// images failed and the old code looks different.
func loadCode(name string, old *wrapper.Located, failure error) (*newCode, error) {
	code, err := devimg.FromFile(name)
	if err != nil {
		return nil, err
	}
	if !errors.Is(failure, wrapper.ErrNoImages) && wrapper.CodeForm(code) != old.Form() {
		return nil, failure
	}
	nothing := func() error { return nil } // code checks itself whenever it is read
	return &newCode{name, code, nil, nothing, nothing}, nil
}

// checkCode refuses new code that does not fit the image's entries and
// properties; with --force it only prints the differences.
func (r *replacer) checkCode(name string, old *wrapper.Located, n *newCode) error {
	if n.image == nil { // the entries of an image must agree, even with equal code
		if same, err := old.HasCode(n.code, r.newBudget()); same || err != nil {
			return err
		}
	}
	err := r.checkFit(name, old, n)
	if err != nil && r.force {
		fmt.Fprintf(r.streams.Err, "%s: warning: %v\n", program, err)
		return nil
	}
	return err
}

// checkFit returns an error for code that does not fit the image's entries or format: a
// program that launches it would fail much later.
func (r *replacer) checkFit(name string, old *wrapper.Located, n *newCode) error {
	plain, err := container.Uncompress(&old.Image, r.newBudget())
	if err != nil {
		return err
	}
	if was, is := old.Form(), wrapper.CodeForm(n.code); was != is && !(is == wrapper.UnknownForm && (was == "none" || was == "native")) {
		return fmt.Errorf("%s: its code is %s, and that of the image is %s; --force replaces it all the same", n.name, is, was)
	}
	lines, compared, err := wrapper.Misfits(plain, n.code, n.image)
	if err != nil {
		return fmt.Errorf("%s: %w", n.name, err)
	}
	if !compared {
		fmt.Fprintf(r.streams.Err, "%s: %s: entries and arguments are not compared: it does not name its kernels\n", program, n.name)
	}
	if len(lines) > 0 {
		return fmt.Errorf("%s does not fit the image of %s that it would replace (--force replaces it all the same):\n  %s", n.name, name, strings.Join(lines, "\n  "))
	}
	return nil
}
