package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/props"
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
	records []*record  // with json: of all files
	table   [][]string // without: the rows of all files
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
	rows, faults := l.describeAll(f)
	for i, err := range faults {
		if err != nil {
			l.streams.Report(program, fmt.Errorf("%s: image %d: %w", name, i, err))
		}
	}
	if err := l.print(rows); err != nil {
		return err
	}
	if slices.ContainsFunc(faults, func(err error) bool { return err != nil }) {
		return errFound
	}
	return nil
}

// describeAll looks into all images of a file, which share nothing, with all
// processors.
func (l *lister) describeAll(f *wrapper.File) ([]*record, []error) {
	n, workers := len(f.Images()), runtime.GOMAXPROCS(0)
	rows, faults := make([]*record, n), make([]error, n)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			var peeker container.Peeker
			defer peeker.Close()
			for i := w * n / workers; i < (w+1)*n/workers; i++ {
				rows[i], faults[i] = l.describe(f, i, &peeker)
				rows[i].cells = rows[i].tableCells()
			}
		})
	}
	group.Wait()
	return rows, faults
}

// print prints what must be printed while the file is open, and keeps the
// rest.
func (l *lister) print(rows []*record) error {
	if l.json {
		l.records = append(l.records, rows...)
		return nil
	}
	if !l.verbose {
		for _, r := range rows {
			l.table = append(l.table, r.cells)
		}
		return nil
	}
	out := bufio.NewWriterSize(l.streams.Out, 1<<16)
	for _, r := range rows {
		r.printAll(out)
	}
	return out.Flush()
}

// record is what list says about one image.
type record struct {
	File           string             `json:"file"`
	Image          int                `json:"image"`
	Kind           string             `json:"kind"`
	Target         string             `json:"target"`
	Format         string             `json:"format"`
	Inside         string             `json:"inside,omitempty"`
	Size           int64              `json:"size"`
	Version        uint16             `json:"version,omitempty"`
	Entries        []string           `json:"entries"`
	HasEntries     bool               `json:"has_entries"`
	Exports        []string           `json:"exports"`
	Imports        []string           `json:"imports"`
	CompileOptions string             `json:"compile_options,omitempty"`
	LinkOptions    string             `json:"link_options,omitempty"`
	Manifest       *int               `json:"manifest,omitempty"`
	Digest         string             `json:"digest,omitempty"`
	Where          where              `json:"where"`
	Strings        []container.String `json:"strings,omitempty"`
	PropertySets   []propertySet      `json:"property_sets"`

	place      wrapper.Place
	properties *props.Sets
	cells      []string
}

// where is a place in JSON.
type where struct {
	Path       []string `json:"path,omitempty"`
	Envelope   string   `json:"envelope"`
	Name       string   `json:"name,omitempty"`
	Section    string   `json:"section,omitempty"`
	Offset     *int64   `json:"offset,omitempty"`
	Descriptor string   `json:"descriptor,omitempty"`
}

type propertySet struct {
	Name       string     `json:"name"`
	Properties []property `json:"properties"`
}

// property is a property in JSON: a number, or bytes in hexadecimal as they
// are stored, with their length in bits in front.
type property struct {
	Name    string  `json:"name"`
	Type    string  `json:"type"`
	Number  *uint32 `json:"number,omitempty"`
	Bytes   string  `json:"bytes,omitempty"`
	Decoded string  `json:"decoded"`
}

// describe looks into one image. The record serves also with an error, which
// says that the image is damaged.
func (l *lister) describe(f *wrapper.File, i int, peeker *container.Peeker) (*record, error) {
	img := &f.Images()[i]
	r := &record{
		File: f.Name(), Image: i, Kind: img.Kind.String(), Target: img.Target, Format: img.Format.String(),
		Size: img.Code.Size(), Version: img.Version, Entries: img.Entries, HasEntries: img.HasEntries,
		Exports:        img.Properties.Get(props.SetExportedSymbols).Names(),
		Imports:        img.Properties.Get(props.SetImportedSymbols).Names(),
		CompileOptions: img.CompileOptions, LinkOptions: img.LinkOptions,
		Strings: img.Strings, place: img.Place, properties: img.Properties,
	}
	if l.json {
		r.fillJSON(img)
	}
	inside, err := inside(&img.Image, peeker)
	r.Inside = inside
	if err != nil {
		return r, err
	}
	return r, l.verify(r, &img.Image)
}

func (r *record) fillJSON(img *wrapper.Located) {
	for _, list := range []*[]string{&r.Entries, &r.Exports, &r.Imports} {
		if *list == nil { // [], not null
			*list = []string{}
		}
	}
	if img.Manifest != nil {
		n := len(img.Manifest)
		r.Manifest = &n
	}
	r.Where = where{Path: img.Path, Envelope: string(img.Envelope), Name: img.Name, Section: img.Section}
	if img.Offset >= 0 {
		r.Where.Offset = &img.Place.Offset
	}
	if img.Descriptor != 0 {
		r.Where.Descriptor = fmt.Sprintf("%#x", img.Descriptor)
	}
	r.PropertySets = []propertySet{}
	if img.Properties == nil {
		return
	}
	for _, set := range img.Properties.All {
		s := propertySet{set.Name, []property{}}
		for _, p := range set.Properties {
			s.Properties = append(s.Properties, newProperty(set.Name, p))
		}
		r.PropertySets = append(r.PropertySets, s)
	}
}

func newProperty(set string, p props.Property) property {
	j := property{Name: p.Name, Type: p.Value.Type().String(), Decoded: props.Describe(set, p.Name, p.Value)}
	if p.Value.Type() == props.TypeUint32 {
		n := p.Value.Uint32()
		j.Number = &n
	} else {
		j.Bytes = hex.EncodeToString(p.Value.Raw())
	}
	return j
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

// verify compares the digest that the image may carry.
func (l *lister) verify(r *record, img *devimg.Image) error {
	has, err := container.VerifyDigest(img, l.budget())
	if err != nil {
		r.Digest = "wrong"
		return err
	}
	if has {
		r.Digest = "right"
	}
	return nil
}

// format is the format and what is inside.
func (r *record) format() string {
	if r.Inside == "" {
		return r.Format
	}
	return r.Format + " (" + r.Inside + ")"
}

func (r *record) where() string { return r.File + ": " + r.place.String() }

func (r *record) setCount() int {
	if r.properties == nil {
		return 0
	}
	return len(r.properties.All)
}

var tableHead = []string{"IMAGE", "KIND", "TARGET", "FORMAT", "SIZE", "ENTRIES", "EXPORTS", "IMPORTS", "SETS", "WHERE"}

func (r *record) tableCells() []string {
	return []string{
		strconv.Itoa(r.Image), r.Kind, quoteOdd(r.Target), r.format(), strconv.FormatInt(r.Size, 10),
		strconv.Itoa(len(r.Entries)), strconv.Itoa(len(r.Exports)), strconv.Itoa(len(r.Imports)),
		strconv.Itoa(r.setCount()), r.where(),
	}
}

// quoteOdd quotes text that would be empty or break a line of the listing.
func quoteOdd(s string) string {
	if s == "" || strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
		return strconv.Quote(s)
	}
	return s
}

// printTable prints rows with aligned columns, the last as it comes.
func printTable(out io.Writer, rows [][]string) error {
	widths := make([]int, len(tableHead))
	rows = slices.Insert(rows, 0, tableHead)
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	w := bufio.NewWriterSize(out, 1<<16)
	last := len(tableHead) - 1
	for _, row := range rows {
		for i, cell := range row[:last] {
			w.WriteString(cell)
			for range widths[i] - len(cell) + 2 {
				w.WriteByte(' ')
			}
		}
		w.WriteString(row[last])
		w.WriteByte('\n')
	}
	return w.Flush()
}

// printAll prints an image with everything that is known of it.
func (r *record) printAll(w io.Writer) {
	fmt.Fprintf(w, "image %d: %s %s %s %d bytes\n  where: %s\n", r.Image, r.Kind, quoteOdd(r.Target), r.format(), r.Size, r.where())
	for _, field := range []struct{ name, value string }{
		{"compile options", r.CompileOptions}, {"link options", r.LinkOptions}, {"digest", r.Digest},
	} {
		if field.value != "" {
			fmt.Fprintf(w, "  %s: %s\n", field.name, field.value)
		}
	}
	for _, s := range r.Strings {
		fmt.Fprintf(w, "  %s: %s\n", s.Key, quoteOdd(s.Value))
	}
	for _, e := range r.Entries {
		fmt.Fprintf(w, "  entry %s\n", quoteOdd(e))
	}
	if r.properties == nil {
		return
	}
	for _, set := range r.properties.All {
		fmt.Fprintf(w, "  [%s]\n", set.Name)
		for _, p := range set.Properties {
			fmt.Fprintf(w, "    %s = %s\n", quoteOdd(p.Name), props.Describe(set.Name, p.Name, p.Value))
		}
	}
}
