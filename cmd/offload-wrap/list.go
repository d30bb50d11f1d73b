package main

import (
	"bufio"
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/filemap"
	"offlink/parallel"
	"offlink/wrapper"
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

// lister has the options and the results of the command list.
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
		Long: `list prints a row for each device image. Columns are separated by blanks, and no cell has any:
an empty one is a dash, and names with blanks are quoted. Of folders, wheels and other zip
archives, it lists every file in them that has device images.`,
		Args: argsUsage(cobra.MinimumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error { return l.listFiles(args) },
	}
	c.Flags().BoolVarP(&l.verbose, "verbose", "v", false, "show options, entries and every property, decoded")
	c.Flags().BoolVar(&l.json, "json", false, "print one JSON array of the images of all files")
	l.selection.defineSelectionFlags(c)
	l.inflation.defineInflationFlags(c)
	return c
}

// listFiles lists the images of files, folders and wheels. A file that cannot
// be read is reported, and the rest is listed.
func (l *lister) listFiles(names []string) error {
	// A list of thousands of images lives as long as the process: garbage collections
	// in between take a quarter of the time and find little.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	err := eachFile(l.streams, names, l.listSource)
	var printing error
	switch {
	case l.json:
		printing = cli.WriteJSON(l.streams.Out, l.records)
	case len(l.table) > 0:
		printing = printTable(l.streams.Out, l.table, cli.Colour(l.streams.Out))
	}
	return cmp.Or(printing, err)
}

// listFile lists one file, streaming: a library has thousands of images, and
// only their descriptions are kept.
func (l *lister) listFile(name string) error {
	f, err := l.openWrapped(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if len(f.Images()) == 0 {
		l.reportNone(name)
	}
	return l.listImages(f)
}

// reportNone says that there is nothing to list.
func (l *lister) reportNone(name string) {
	message := "no device images"
	if l.isGiven() {
		message += " that match"
	}
	fmt.Fprintf(l.streams.Err, "%s: %s: %s\n", program, name, message)
}

// listImages lists the images of an open file.
func (l *lister) listImages(f *wrapper.File) error {
	var images []int
	var err error
	if l.isGiven() {
		images, err = l.chooseImages(f)
	} else {
		images = numbersBelow(len(f.Images()))
	}
	if err != nil {
		return err
	}
	l.count += len(images)
	if l.json || l.verbose {
		return l.addRecords(f, images)
	}
	return l.addRows(f, images)
}

// numbersBelow is 0, 1 and so on.
func numbersBelow(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

// addRows adds the rows of a file's images to the table.
func (l *lister) addRows(f *wrapper.File, images []int) error {
	rows := make([]string, len(images))
	err := l.inspectEach(f, images, func(n int, found finding, scratch []byte) []byte {
		scratch = appendRow(scratch[:0], f, images[n], found)
		rows[n] = string(scratch)
		return scratch
	})
	if changed := f.CheckUnchanged(); changed != nil {
		return changed
	}
	// Rows are empty for images that could not be read, as of a file that was
	// truncated meanwhile.
	l.table = append(l.table, slices.DeleteFunc(rows, func(row string) bool { return row == "" })...)
	return err
}

// addRecords prints everything about images of a file, or keeps it for JSON.
func (l *lister) addRecords(f *wrapper.File, images []int) error {
	records := make([]*record, len(images))
	err := l.inspectEach(f, images, func(n int, found finding, scratch []byte) []byte {
		records[n] = newRecord(f, images[n], found)
		if l.json {
			records[n].fillJSON(&f.Images()[images[n]])
		}
		return scratch
	})
	if changed := f.CheckUnchanged(); changed != nil {
		return changed
	}
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

// inspectEach inspects images of a file on all processors, as images share nothing. It
// calls do, from several goroutines, with the index in images, the finding, and a buffer
// to reuse: the bytes that do returned in the same goroutine before. Damaged images are
// reported, in order.
func (l *lister) inspectEach(f *wrapper.File, images []int, do func(n int, found finding, scratch []byte) []byte) error {
	faults := make([]error, len(images))
	parallel.ForEach(len(images), inspectorCount(f, images), func() func(int) error {
		var scratch []byte
		return func(i int) error {
			faults[i] = filemap.Guard(func() error {
				found, err := l.inspectImage(&f.Images()[images[i]])
				scratch = do(i, found, scratch)
				return err
			})
			return nil
		}
	})
	damaged := false
	for at, err := range faults {
		i := images[at]
		if !searchedCode(&f.Images()[i]) {
			fmt.Fprintf(l.streams.Err, "%s: %s: image %d: code of more than %d MiB is not searched for kernels (extract --kernel searches it)\n",
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

// inflaters is the number of workers that inflate images at the same time, as each needs a window
// of up to 8 MiB and a copy of it.
const inflaters = 2

// inspectorCount returns how many workers inspect the images: few if any is compressed.
func inspectorCount(f *wrapper.File, images []int) int {
	for _, i := range images {
		img := &f.Images()[i].Image
		if _, packed := container.PackedSize(img); packed || img.Format == devimg.FormatCompressedNone || devimg.Sniff(img.Code) == devimg.FormatCompressedNone {
			return min(inflaters, runtime.GOMAXPROCS(0))
		}
	}
	return runtime.GOMAXPROCS(0)
}

// finding is the facts that come from the code itself.
type finding struct {
	inside string // the form of the code, if the image does not state it
	digest string // "right" or "wrong" if the image has a digest of its code, else ""
	// kernels are the image's entries, or the kernels of its code where it
	// has no table of them.
	kernels []string
}

// maxSearched is the size of the largest code in which a list looks for kernels if the
// image does not name them: that takes memory of a few times its size.
const maxSearched = 8 << 20

// searchedCode reports whether the list knows the kernels of an image.
func searchedCode(img *wrapper.Located) bool {
	size := img.Code.Size()
	if inflated, packed := container.PackedSize(&img.Image); packed {
		size = inflated
	}
	return len(img.Entries) > 0 || img.HasEntries || img.Format == devimg.FormatCompressedNone || size <= maxSearched
}

// inspectImage reads the code of an image. The error says that it is damaged.
func (l *lister) inspectImage(img *wrapper.Located) (found finding, err error) {
	if searchedCode(img) {
		found.kernels = img.Kernels()
	}
	if found.inside, err = img.FormInside(); err != nil {
		return found, err
	}
	has, err := container.VerifyDigest(&img.Image, l.newBudget())
	switch {
	case err != nil:
		found.digest = "wrong"
	case has:
		found.digest = "right"
	}
	return found, err
}
