package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/filetable"
	"offlink/wrapper"
	"offlink/wrapper/abi"
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

// extractor has the options of the command extract.
type extractor struct {
	inflation
	selection
	streams cli.Streams
	dir     string
	raw     bool
	json    bool
}

func newExtractCommand(s cli.Streams) *cobra.Command {
	e := &extractor{streams: s}
	c := &cobra.Command{
		Use:   "extract FILE",
		Short: "write the device images of a file as files of their own, and a table that -batch takes",
		Long: `extract writes, for each image that is selected, its code, its properties (.prop) and its
entries (.sym) as files named after FILE, and a table of them. As the rows of a table share
kind, target, format and options, images that differ in those get tables of their own, and
a response file (.rsp) wraps all of them again in their order. The command that wraps
the images again is printed. WHEEL!MEMBER names a file in a wheel.`,
		Args: argsUsage(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error { return e.extractFile(args[0]) },
	}
	c.Flags().StringVarP(&e.dir, "out", "o", "", "the folder `DIR` to write to (default: the current one)")
	c.Flags().BoolVar(&e.raw, "raw", false, "leave compressed code as it is")
	c.Flags().BoolVar(&e.json, "json", false, "print the files of each image as JSON")
	e.selection.defineSelectionFlags(c)
	e.inflation.defineInflationFlags(c)
	return c
}

// extractFile writes the selected images of one file. Outputs get their names
// at the end, all or none.
func (e *extractor) extractFile(name string) error {
	f, err := e.openSource(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return e.extractOpen(name, f)
}

// extractOpen writes the selected images of an open file.
func (e *extractor) extractOpen(name string, f *wrapper.File) error {
	chosen, err := e.chooseImages(f)
	if err != nil {
		return err
	}
	x := &extraction{stem: filepath.Join(e.dir, baseName(ownName(f.Name())))}
	defer x.outputs.Abort()
	if e.dir != "" {
		if err := x.outputs.CreateFolder(e.dir); err != nil {
			return err
		}
	}
	// An output that is the input would be written over while it is mapped.
	x.outputs.ProtectInputs(name)
	if archive, _, ok := cli.CutMember(name); ok {
		x.outputs.ProtectInputs(archive)
	}
	if err := e.extractImages(x, f, name, chosen); err != nil {
		return err
	}
	if err := x.finishFiles(); err != nil {
		return err
	}
	if e.json {
		return cli.WriteJSON(e.streams.Out, x.files)
	}
	_, err = io.WriteString(e.streams.Out, x.summary.String())
	return err
}

// extractImages extracts the images with these numbers, all from one state of the file.
func (e *extractor) extractImages(x *extraction, f *wrapper.File, name string, chosen []int) error {
	progress := cli.StartProgress(e.streams.Err, "extract")
	defer progress.Stop()
	progress.SetTotal(len(chosen))
	budget := e.newBudget()
	for _, i := range chosen {
		if err := e.extractImage(x, f, i, budget); err != nil {
			// A file that changed meanwhile explains a failure better than the
			// failure itself.
			return cmp.Or(f.CheckUnchanged(), fmt.Errorf("%s: image %d: %w", name, i, err))
		}
		progress.Add(1)
	}
	return f.CheckUnchanged()
}

// extractedFiles lists the files of one image, for -json.
type extractedFiles struct {
	Image      int    `json:"image"`
	Code       string `json:"code"`
	Properties string `json:"properties,omitempty"`
	Symbols    string `json:"symbols,omitempty"`
	Manifest   string `json:"manifest,omitempty"`
	Arch       string `json:"arch,omitempty"`
	Table      string `json:"table"`
}

// extractImage extracts one image.
func (e *extractor) extractImage(x *extraction, f *wrapper.File, i int, budget *container.Budget) error {
	img := &f.Images()[i].Image
	x.record = max(x.record, f.Images()[i].ImageRecord())
	if e.raw {
		return x.addImage(i, img, container.NewVerifier(nil))
	}
	digest := container.NewVerifier(img) // of the code as it is written
	img, err := container.Uncompress(img, budget)
	if err != nil {
		return err
	}
	if err := x.addImage(i, img, digest); err != nil {
		return err
	}
	return digest.Verify()
}

// baseName is the beginning of the names of extracted files: the file's own name,
// without its extension and without characters that a table cannot hold.
func baseName(name string) string {
	base := filepath.Base(name)
	if ext := filepath.Ext(base); ext != base {
		base = strings.TrimSuffix(base, ext)
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == '|' {
			return '_'
		}
		return r
	}, base)
}

// extraction is the files of one run of extract. They appear all or not at
// all, the tables last.
type extraction struct {
	stem    string
	outputs cli.Outputs
	groups  []*group
	order   []extracted
	files   []extractedFiles
	record  abi.Record // of the images
	summary strings.Builder
}

// tableOptions are those that all rows of a table have in common.
type tableOptions struct {
	kind             devimg.Kind
	format           devimg.Format
	target           string
	compile, linking string
}

// group is the images that go into one table.
type group struct {
	tableOptions
	table filetable.Table
}

// extracted is the files of one image.
type extracted struct {
	*group
	code, prop, sym, manifest, arch string
}

// addImage writes the files of an image; the code goes to the digest too.
func (x *extraction) addImage(i int, img *devimg.Image, digest io.Writer) error {
	row := extracted{group: x.groupOf(img), arch: img.Arch}
	name := x.stem + "_" + strconv.Itoa(i)
	row.code = name + "." + codeExtension(img)
	if err := x.writeCode(row.code, img.Code, digest); err != nil {
		return err
	}
	if img.Properties != nil && len(img.Properties.All) > 0 {
		text, err := img.Properties.Text()
		if err != nil {
			return err
		}
		row.prop = name + ".prop"
		if err := x.outputs.WriteFile(row.prop, text); err != nil {
			return err
		}
	}
	if img.HasEntries {
		row.sym = name + ".sym"
		if err := x.writeEntries(row.sym, img.Entries); err != nil {
			return err
		}
	}
	if img.Manifest != nil {
		row.manifest = name + ".manifest"
		if err := x.outputs.WriteFile(row.manifest, img.Manifest); err != nil {
			return err
		}
	}
	row.table.Rows = append(row.table.Rows, []string{row.code, row.prop, row.sym, row.manifest, row.arch})
	x.order = append(x.order, row)
	x.files = append(x.files, extractedFiles{i, row.code, row.prop, row.sym, row.manifest, row.arch, ""})
	return nil
}

// groupOf returns the group of an image, which may be new.
func (x *extraction) groupOf(img *devimg.Image) *group {
	s := tableOptions{img.Kind, img.Format, img.Target, img.CompileOptions, img.LinkOptions}
	for _, g := range x.groups {
		if g.tableOptions == s {
			return g
		}
	}
	g := &group{tableOptions: s, table: filetable.Table{Columns: []string{
		filetable.ColumnCode, filetable.ColumnProperties, filetable.ColumnSymbols, filetable.ColumnManifest, filetable.ColumnArch,
	}}}
	x.groups = append(x.groups, g)
	return g
}

// packedExtensions are the file name extensions of the tools that inflate the code that a CUDA
// fat binary compressed. LZ4's tool reads frames, and this is a block of one.
var packedExtensions = map[string]string{container.MethodZstd: "zst", container.MethodLZ4: "lz4block"}

// codeExtension is the usual file name extension for the form of the code.
func codeExtension(img *devimg.Image) string {
	if method := container.PackedMethod(img); method != "" { // --raw
		return packedExtensions[method]
	}
	format := img.Format
	if format == devimg.FormatNone {
		format = devimg.Sniff(img.Code)
	}
	switch format {
	case devimg.FormatSPIRV:
		return "spv"
	case devimg.FormatLLVMBitcode:
		return "bc"
	case devimg.FormatCompressedNone:
		return "zst"
	}
	if img.Kind == devimg.KindCUDA {
		return cudaExtension(img.Code)
	}
	return "bin"
}

// cudaExtension is the extension that NVIDIA's tools give PTX and ELF files.
// Compressed code is neither.
func cudaExtension(code devimg.Code) string {
	switch wrapper.CodeForm(code) {
	case "elf":
		return "cubin"
	case "ptx":
		return "ptx"
	}
	return "bin"
}

// writeCode writes the code of an image and feeds its digest on the way, so
// that it is read once.
func (x *extraction) writeCode(name string, code devimg.Code, digest io.Writer) error {
	f, err := x.outputs.Create(name)
	if err != nil {
		return err
	}
	err = devimg.Copy(io.MultiWriter(f, digest), code)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// writeEntries writes the entries of an image, a line each, as -entries reads
// them.
func (x *extraction) writeEntries(name string, entries []string) error {
	for _, e := range entries {
		if e == "" || strings.Contains(e, "\n") {
			return fmt.Errorf("the entry name %q cannot be a line of a .sym file", e)
		}
	}
	return x.outputs.WriteFile(name, filetable.FormatSymbols(entries))
}

// finishFiles writes the tables and gives all files their names.
func (x *extraction) finishFiles() error {
	for i, g := range x.groups {
		name := x.stem + ".table"
		if len(x.groups) > 1 {
			name = x.stem + "_" + strconv.Itoa(i) + ".table"
		}
		if err := x.writeTable(g, name); err != nil {
			return err
		}
		for n := range x.order {
			if x.order[n].group == g {
				x.files[n].Table = name
			}
		}
		x.addCommand(append(g.allOptions(), "-batch"), name)
	}
	if len(x.groups) > 1 && !slices.ContainsFunc(x.groups, func(g *group) bool { return g.kind == devimg.KindCUDA }) {
		name := x.stem + ".rsp"
		if err := x.outputs.WriteLast(name, []byte(x.responseFile())); err != nil {
			return err
		}
		x.addCommand(nil, "@"+name)
	}
	return x.outputs.Commit()
}

// writeTable writes the table by which offload-wrap -batch wraps the images
// again.
func (x *extraction) writeTable(g *group, name string) error {
	g.dropEmpty()
	text, err := g.table.Bytes()
	if err != nil {
		return err
	}
	return x.outputs.WriteLast(name, text)
}

// dropEmpty removes the optional columns, manifest and architecture, that no row fills.
// The first three columns stay: they are those of every table.
func (g *group) dropEmpty() {
	const always = 3
	for column := len(g.table.Columns) - 1; column >= always; column-- {
		if slices.ContainsFunc(g.table.Rows, func(row []string) bool { return row[column] != "" }) {
			continue
		}
		g.table.Columns = slices.Delete(g.table.Columns, column, column+1)
		for i, row := range g.table.Rows {
			g.table.Rows[i] = slices.Delete(row, column, column+1)
		}
	}
}

// hasArch reports whether any image has an architecture.
func (x *extraction) hasArch() bool {
	return slices.ContainsFunc(x.order, func(row extracted) bool { return row.arch != "" })
}

// addCommand adds the command that wraps an input again.
func (x *extraction) addCommand(options []string, input string) {
	if len(options) > 0 && options[0] == "-kind="+devimg.KindCUDA.String() {
		fmt.Fprintf(&x.summary, "%s: images of CUDA, which no descriptor tables carry\n", quoteWord(input))
		return
	}
	words := append([]string{program}, options...)
	switch x.record {
	case abi.Record3:
		words = append(words, "-image-version=3")
	case abi.RecordLLVM:
		words = append(words, "-image-version=llvm")
	}
	words = append(words, "-o", "OUTPUT", input)
	for i := range words {
		words[i] = quoteWord(words[i])
	}
	x.summary.WriteString(strings.Join(words, " ") + "\n")
}

// kindOptions spells kind, target and format. The format of compressed code has no name
// on the command line: the wrapper detects it.
func (s *tableOptions) kindOptions() []string {
	format := s.format
	if format == devimg.FormatCompressedNone {
		format = devimg.FormatNone
	}
	return []string{"-kind=" + s.kind.String(), "-target=" + s.target, "-format=" + format.String()}
}

// allOptions spells all options that the images of a group share.
func (s *tableOptions) allOptions() []string {
	options := s.kindOptions()
	if s.compile != "" {
		options = append(options, "-compile-opts="+s.compile)
	}
	if s.linking != "" {
		options = append(options, "-link-opts="+s.linking)
	}
	return options
}

// responseFile spells the command line of all images in their order. Every option is
// given for every image, as an option holds until it is given again.
func (x *extraction) responseFile() string {
	var b strings.Builder
	for _, row := range x.order {
		words := append(row.kindOptions(), "-compile-opts="+row.compile, "-link-opts="+row.linking,
			"-properties="+row.prop, "-entries="+row.sym)
		if x.hasArch() {
			words = append(words, "-arch="+row.arch)
		}
		words = append(words, row.code)
		if row.manifest != "" {
			words = append(words, row.manifest)
		}
		for i := range words {
			words[i] = quoteWord(words[i])
		}
		b.WriteString(strings.Join(words, " ") + "\n")
	}
	return b.String()
}

// quoteWord quotes a word for a POSIX shell and for response files, where a
// backslash and single quotes mean the same.
func quoteWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_=./@:,+%", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
