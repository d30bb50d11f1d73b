package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/filemap"
	"offlink/parallel"
	"offlink/wrapper"
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

// lister is the command list.
type lister struct {
	inflation
	selection
	streams cli.Streams
	verbose bool
	json    bool
	records []*record // with json: of all files
	table   []string  // without: the rows of all files
	count   int       // of the images so far
}

func newListCommand(s cli.Streams) *cobra.Command {
	l := &lister{streams: s, records: []*record{}}
	c := &cobra.Command{
		Use:   "list FILE|FOLDER...",
		Short: "list the device images in objects, archives, programs, libraries, envelopes, wheels and folders",
		Long: `List prints a row for each device image. Columns are separated by blanks, and no cell has any:
a dash stands for nothing, and names with blanks are quoted. Of folders, and of wheels and other
zip archives, it lists every file within that has device images.`,
		Args: argsUsage(cobra.MinimumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error { return l.run(args) },
	}
	c.Flags().BoolVarP(&l.verbose, "verbose", "v", false, "show options, entries and every property, decoded")
	c.Flags().BoolVar(&l.json, "json", false, "print one JSON array of the images of all files")
	l.selection.register(c)
	l.inflation.register(c)
	return c
}

func (l *lister) run(names []string) error {
	// A list of thousands of images lives as long as the process: collecting
	// garbage in between costs a quarter of the time and finds little.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	err := eachFile(l.streams, names, l.source)
	var printing error
	switch {
	case l.json:
		printing = cli.WriteJSON(l.streams.Out, l.records)
	case len(l.table) > 0:
		printing = printTable(l.streams.Out, l.table, cli.Colour(l.streams.Out))
	}
	return cmp.Or(printing, err)
}

func (l *lister) list(name string) error {
	f, err := l.open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if len(f.Images()) == 0 {
		l.none(name)
	}
	return l.file(f)
}

// none says that there is nothing to list.
func (l *lister) none(name string) {
	what := "no device images"
	if l.given() {
		what += " that match"
	}
	fmt.Fprintf(l.streams.Err, "%s: %s: %s\n", program, name, what)
}

// file lists the images of an open file.
func (l *lister) file(f *wrapper.File) error {
	var images []int
	var err error
	if l.given() {
		images, err = l.choose(f)
	} else {
		images = numbersBelow(len(f.Images()))
	}
	if err != nil {
		return err
	}
	l.count += len(images)
	if l.json || l.verbose {
		return l.describe(f, images)
	}
	return l.tabulate(f, images)
}

// numbersBelow is 0, 1 and so on.
func numbersBelow(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

// tabulate adds the rows of a file's images to the table.
func (l *lister) tabulate(f *wrapper.File, images []int) error {
	rows := make([]string, len(images))
	err := l.each(f, images, func(n int, found finding, scratch []byte) []byte {
		scratch = appendRow(scratch[:0], f, images[n], found)
		rows[n] = string(scratch)
		return scratch
	})
	// A file that became shorter leaves rows empty.
	l.table = append(l.table, slices.DeleteFunc(rows, func(row string) bool { return row == "" })...)
	return err
}

// describe prints everything about images of a file, or keeps it for JSON.
func (l *lister) describe(f *wrapper.File, images []int) error {
	records := make([]*record, len(images))
	err := l.each(f, images, func(n int, found finding, scratch []byte) []byte {
		records[n] = newRecord(f, images[n], found)
		if l.json {
			records[n].fillJSON(&f.Images()[images[n]])
		}
		return scratch
	})
	records = slices.DeleteFunc(records, func(r *record) bool { return r == nil })
	if l.json {
		l.records = append(l.records, records...)
		return err
	}
	out := bufio.NewWriterSize(l.streams.Out, 1<<16)
	for _, r := range records {
		r.printAll(out)
	}
	return cmp.Or(out.Flush(), err)
}

// each looks into those images of a file, which share nothing, with all
// processors, and hands what it found to do with its place in images; do gets
// back the bytes that it returned for the image before. Damaged images are
// reported, in order.
func (l *lister) each(f *wrapper.File, images []int, do func(n int, found finding, scratch []byte) []byte) error {
	faults := make([]error, len(images))
	parallel.ForEach(len(images), runtime.GOMAXPROCS(0), func() func(int) error {
		var scratch []byte
		return func(i int) error {
			faults[i] = filemap.Guard(func() error {
				found, err := l.look(&f.Images()[images[i]])
				scratch = do(i, found, scratch)
				return err
			})
			return nil
		}
	})
	damaged := false
	for at, err := range faults {
		i := images[at]
		if !searched(&f.Images()[i]) {
			fmt.Fprintf(l.streams.Err, "%s: %s: image %d: kernels are not looked for in code of more than %d MiB (--kernel of extract does)\n",
				program, f.Name(), i, maxSearched>>20)
		}
		if err != nil {
			l.streams.Report(program, fmt.Errorf("%s: image %d: %w", f.Name(), i, err))
			damaged = true
		}
	}
	if damaged {
		return errFound
	}
	return nil
}

// finding is what the code itself says.
type finding struct {
	inside string // what it is, where the image does not say that
	digest string // whether it has the digest that was taken of it: "right", "wrong" or nothing
	// kernels are the image's entries, or the kernels of its code where it
	// has no table of them.
	kernels []string
}

// maxSearched is the largest code that a list looks for kernels in where the
// image does not name them: that takes memory of a few times its size.
const maxSearched = 8 << 20

// searched reports whether the list knows the kernels of an image.
func searched(img *wrapper.Located) bool {
	return len(img.Entries) > 0 || img.HasEntries || img.Format == devimg.FormatCompressedNone || img.Code.Size() <= maxSearched
}

// look looks into the code of an image. The error says that it is damaged.
func (l *lister) look(img *wrapper.Located) (found finding, err error) {
	if searched(img) {
		found.kernels = kernelsOf(img)
	}
	if found.inside, err = inside(img); err != nil {
		return found, err
	}
	has, err := container.VerifyDigest(&img.Image, l.budget())
	switch {
	case err != nil:
		found.digest = "wrong"
	case has:
		found.digest = "right"
	}
	return found, err
}

// inside says what the code is where the image's format does not.
func inside(img *wrapper.Located) (string, error) {
	if form := packedForm(img); form != "" {
		return form, nil
	}
	var head [64]byte
	switch img.Format {
	case devimg.FormatNone:
		n, _ := img.Code.ReadAt(head[:], 0)
		return sniff(head[:n]), nil
	case devimg.FormatCompressedNone:
		n, err := container.Peek(img.Code, head[:])
		if err != nil {
			return "", fmt.Errorf("its code is marked as compressed and is no zstd frame: %w", err)
		}
		return sniff(head[:n]), nil
	}
	return "", nil
}

// packedForm says what the compressed code of a CUDA fat binary is, as its
// header does: "lz4/elf".
func packedForm(img *wrapper.Located) string {
	var form, compression string
	for _, s := range img.Strings {
		switch s.Key {
		case container.StringForm:
			form = s.Value
		case container.StringCompression:
			compression = s.Value
		}
	}
	if compression == "" {
		return ""
	}
	return compression + "/" + form
}

// contentOf is what the code of an image is, in a word.
func contentOf(img *wrapper.Located) string {
	text, err := inside(img)
	if err != nil {
		return ""
	}
	_, form, packed := strings.Cut(text, "/")
	switch {
	case packed:
		return form
	case text != "":
		return text
	}
	if form := headForm(img.Code); img.Format == devimg.FormatNative && form != unknownForm {
		return form
	}
	return img.Format.String()
}

// sniff names what code begins like, also where the runtime knows no format
// for it.
func sniff(head []byte) string {
	if f := devimg.Sniff(devimg.Bytes(head)); f != devimg.FormatNone {
		return f.String()
	}
	switch {
	case bytes.HasPrefix(head, []byte("\x7fELF")):
		return "elf"
	case bytes.HasPrefix(head, []byte("!<arch>\n")):
		return "ar"
	case wrapper.IsPTX(head):
		return "ptx"
	}
	return unknownForm
}

// unknownForm is what code of no known form is called.
const unknownForm = "unknown"

// headForm names what code begins like.
func headForm(code devimg.Code) string {
	var head [64]byte
	n, _ := code.ReadAt(head[:], 0)
	return sniff(head[:n])
}
