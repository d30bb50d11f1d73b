package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/wrapper"
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

// lister is the command list.
type lister struct {
	inflation
	streams cli.Streams
	verbose bool
	json    bool
	records []*record // with json: of all files
	table   []string  // without: the rows of all files
}

func newListCommand(s cli.Streams) *cobra.Command {
	l := &lister{streams: s, records: []*record{}}
	c := &cobra.Command{
		Use:   "list FILE...",
		Short: "list the device images in objects, archives, programs, libraries and envelopes",
		Args:  argsUsage(cobra.MinimumNArgs(1)),
		RunE:  func(_ *cobra.Command, args []string) error { return l.run(args) },
	}
	c.Flags().BoolVarP(&l.verbose, "verbose", "v", false, "show options, entries and every property, decoded")
	c.Flags().BoolVar(&l.json, "json", false, "print one JSON array of the images of all files")
	l.register(c)
	return c
}

func (l *lister) run(names []string) error {
	// A list of thousands of images lives as long as the process: collecting
	// garbage in between costs a quarter of the time and finds little.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	err := eachFile(l.streams, names, l.list)
	var printing error
	switch {
	case l.json:
		printing = cli.WriteJSON(l.streams.Out, l.records)
	case len(l.table) > 0:
		printing = printTable(l.streams.Out, l.table)
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
		fmt.Fprintf(l.streams.Err, "%s: %s: no device images\n", program, name)
	}
	if l.json || l.verbose {
		err = l.describe(f)
	} else {
		err = l.tabulate(f)
	}
	return err
}

// tabulate adds the rows of a file's images to the table.
func (l *lister) tabulate(f *wrapper.File) error {
	rows := make([]string, len(f.Images()))
	err := l.each(f, func(i int, found finding, scratch []byte) []byte {
		scratch = appendRow(scratch[:0], f, i, found.inside)
		rows[i] = string(scratch)
		return scratch
	})
	l.table = append(l.table, rows...)
	return err
}

// describe prints everything about a file's images, or keeps it for JSON.
func (l *lister) describe(f *wrapper.File) error {
	records := make([]*record, len(f.Images()))
	err := l.each(f, func(i int, found finding, scratch []byte) []byte {
		records[i] = newRecord(f, i, found)
		if l.json {
			records[i].fillJSON(&f.Images()[i])
		}
		return scratch
	})
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

// each looks into all images of a file, which share nothing, with all
// processors, and hands what it found to do, which gets back the bytes that
// it returned for the image before. Damaged images are reported, in order.
func (l *lister) each(f *wrapper.File, do func(i int, found finding, scratch []byte) []byte) error {
	n, workers := len(f.Images()), runtime.GOMAXPROCS(0)
	faults := make([]error, n)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			var peeker container.Peeker
			defer peeker.Close()
			var scratch []byte
			for i := w * n / workers; i < (w+1)*n/workers; i++ {
				found, err := l.look(&f.Images()[i].Image, &peeker)
				faults[i] = err
				scratch = do(i, found, scratch)
			}
		})
	}
	group.Wait()
	damaged := false
	for i, err := range faults {
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
}

// look looks into the code of an image. The error says that it is damaged.
func (l *lister) look(img *devimg.Image, peeker *container.Peeker) (found finding, err error) {
	if found.inside, err = inside(img, peeker); err != nil {
		return found, err
	}
	has, err := container.VerifyDigest(img, l.budget())
	switch {
	case err != nil:
		found.digest = "wrong"
	case has:
		found.digest = "right"
	}
	return found, err
}

// inside says what the code is where the image's format does not.
func inside(img *devimg.Image, peeker *container.Peeker) (string, error) {
	var head [64]byte
	switch img.Format {
	case devimg.FormatNone:
		n, _ := img.Code.ReadAt(head[:], 0)
		return sniff(head[:n]), nil
	case devimg.FormatCompressedNone:
		n, err := peeker.Peek(img.Code, head[:])
		if err != nil {
			return "", fmt.Errorf("its code is marked as compressed and is no zstd frame: %w", err)
		}
		return sniff(head[:n]), nil
	}
	return "", nil
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
	case bytes.Contains(head, []byte(".version")), bytes.HasPrefix(head, []byte("//")):
		return "ptx"
	}
	return "unknown"
}
