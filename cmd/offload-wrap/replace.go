package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/props"
	"offlink/props/derive"
	"offlink/spirv"
	"offlink/wrapper"
	"offlink/wrapper/container"
	"offlink/wrapper/devimg"
)

// replacer is the command replace.
type replacer struct {
	editing
	force bool
}

func newReplaceCommand(s cli.Streams) *cobra.Command {
	r := &replacer{editing: editing{streams: s}}
	c := &cobra.Command{
		Use:   "replace FILE --image N NEW",
		Short: "give a device image of a file other code, in a finished program or library too",
		Long: `Replace puts the code of NEW, a file of code or a file with one image, in the place of an
image's code. The entries and properties of the image stay, so that the new code must have the
same entries, and its kernels must take the same arguments: a difference is refused. Code that is
larger than the old goes into a new segment or section.`,
		Args: argsUsage(cobra.ExactArgs(2)),
		RunE: func(_ *cobra.Command, args []string) error { return r.run(args[0], args[1]) },
	}
	c.Flags().BoolVar(&r.force, "force", false, "replace also with code that does not fit, and where the edited file would not survive GNU strip and objcopy")
	r.register(c)
	return c
}

func (r *replacer) run(name, newName string) error {
	var n *newCode
	check := func(old *wrapper.Located) (err error) {
		if n, err = r.loadNew(newName, old); err != nil {
			return err
		}
		return r.checkCode(name, old, n)
	}
	defer func() {
		if n != nil {
			n.close()
		}
	}()
	err := r.editFile(name, r.chooseOne, check, func(w io.Writer, f *wrapper.File, images []int) error {
		r.code = n.code
		return f.Replace(w, images[0], n.code, wrapper.EditOptions{MoveHeaders: r.force, Warn: func(loss string) {
			fmt.Fprintf(r.streams.Err, "%s: warning: %s: %s\n", program, name, loss)
		}})
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
}

// loadNew reads the new code: of the one image of a file that has images, else
// the file itself. Code is often a file that could hold images, an ELF file or
// an archive: a file of the same form as the old code is code.
func (r *replacer) loadNew(name string, old *wrapper.Located) (*newCode, error) {
	f, err := r.open(name)
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
	image, err := container.Uncompress(&f.Images()[0].Image, r.budget())
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &newCode{name, image.Code, image, f.Close}, nil
}

// loadCode takes a file for code as it is, unless reading it as one with
// images failed and the old code looks different.
func loadCode(name string, old *wrapper.Located, failure error) (*newCode, error) {
	code, err := devimg.FromFile(name)
	if err != nil {
		return nil, err
	}
	if !errors.Is(failure, wrapper.ErrNoImages) && headForm(code) != contentOf(old) {
		return nil, failure
	}
	return &newCode{name, code, nil, func() error { return nil }}, nil
}

// checkCode refuses new code that does not fit the image's entries and
// properties; with --force it only prints the differences.
func (r *replacer) checkCode(name string, old *wrapper.Located, n *newCode) error {
	if n.image == nil { // of an image the entries must agree, too
		if same, err := old.HasCode(n.code, r.budget()); same || err != nil {
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

func (r *replacer) checkFit(name string, old *wrapper.Located, n *newCode) error {
	plain, err := container.Uncompress(&old.Image, r.budget())
	if err != nil {
		return err
	}
	if was, is := contentOf(old), headForm(n.code); was != is && !(is == unknownForm && (was == "none" || was == "native")) {
		return fmt.Errorf("%s: its code is %s, and that of the image is %s; --force replaces it all the same", n.name, is, was)
	}
	lines, err := r.misfits(plain, n)
	if err != nil {
		return fmt.Errorf("%s: %w", n.name, err)
	}
	if len(lines) > 0 {
		return fmt.Errorf("%s does not fit the image of %s that it would replace (--force replaces it all the same):\n  %s", n.name, name, strings.Join(lines, "\n  "))
	}
	return nil
}

// misfits describes the differences between the new code and the image's
// entries, a line each.
func (r *replacer) misfits(old *devimg.Image, n *newCode) ([]string, error) {
	switch {
	case n.image != nil && old.HasEntries:
		return compareImages(old, n.image), nil
	case devimg.Sniff(n.code) == devimg.FormatSPIRV:
		return compareCode(old, n.code)
	}
	lines, compared, err := compareKernels(old, n.code)
	if err == nil && !compared {
		fmt.Fprintf(r.streams.Err, "%s: %s: entries and arguments are not compared: it does not name its kernels\n", program, n.name)
	}
	return lines, err
}

// compareKernels compares the names of kernels, where both codes or the
// image's entries say them.
func compareKernels(old *devimg.Image, code devimg.Code) (lines []string, compared bool, err error) {
	was := old.Entries
	if !old.HasEntries {
		if was, err = wrapper.KernelNames(old); err != nil {
			return nil, false, fmt.Errorf("the code that is there: %w", err)
		}
	}
	is, err := wrapper.KernelNames(&devimg.Image{Code: code})
	if err != nil || len(was) == 0 || len(is) == 0 {
		return nil, false, err
	}
	for _, name := range was {
		if !slices.Contains(is, name) {
			lines = append(lines, "kernel "+quoteOdd(name)+": the new code does not have it")
		}
	}
	return lines, true, nil
}

// compareImages describes the differences of entries and argument masks of two
// images.
func compareImages(old, new *devimg.Image) []string {
	var lines []string
	for _, line := range wrapper.EntryDifferences(old.Entries, new.Entries) {
		lines = append(lines, "entries: "+line)
	}
	return append(lines, wrapper.PropertyDifferences(onlySet(old.Properties, props.SetKernelParamOpt), onlySet(new.Properties, props.SetKernelParamOpt))...)
}

// onlySet returns the sets of that name.
func onlySet(sets *props.Sets, name string) *props.Sets {
	kept := &props.Sets{}
	if set := sets.Get(name); set != nil && len(set.Properties) > 0 {
		kept.All = append(kept.All, set)
	}
	return kept
}

// codeInterface is the interface of SPIR-V: the number of each kernel's
// parameters, and the names that others may import.
type codeInterface struct {
	kernels map[string]int
	exports map[string]bool
}

func readInterface(code devimg.Code) (*codeInterface, error) {
	data, err := devimg.ReadCode(code)
	if err != nil {
		return nil, err
	}
	m, err := spirv.Parse(data)
	if err != nil {
		return nil, err
	}
	o := &codeInterface{make(map[string]int), make(map[string]bool)}
	parameters := make(map[spirv.ID]int)
	for _, f := range m.Functions() {
		parameters[f.ID()] = len(f.Params)
	}
	for _, e := range m.EntryPoints() {
		o.kernels[e.Name] = parameters[e.Function]
	}
	for _, s := range m.Exports() {
		o.exports[s.Name] = true
	}
	return o, nil
}

// compareCode describes the differences between the new code and the image: its
// entries, its exported symbols, and the arguments of its kernels, which the old
// code has, or else the masks.
func compareCode(old *devimg.Image, code devimg.Code) ([]string, error) {
	now, err := readInterface(code)
	if err != nil {
		return nil, err
	}
	if !old.HasEntries {
		lines, _, err := compareKernels(old, code)
		return append(lines, compareArguments(old, now)...), err
	}
	var lines []string
	for _, name := range old.Entries {
		if _, kernel := now.kernels[name]; !kernel && !now.exports[name] {
			lines = append(lines, "entry "+name+": the new code has no kernel and exports no function of that name")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now.kernels)) {
		if !slices.Contains(old.Entries, name) {
			lines = append(lines, "kernel "+name+": the image has no entry of that name")
		}
	}
	for _, name := range old.Properties.Get(props.SetExportedSymbols).Names() {
		if !now.exports[name] {
			lines = append(lines, "exported symbol "+name+": the new code does not export it")
		}
	}
	return append(lines, compareArguments(old, now)...), nil
}

func compareArguments(old *devimg.Image, now *codeInterface) []string {
	was, err := readInterface(old.Code)
	if err != nil { // the old code is not SPIR-V: its masks remain
		was = &codeInterface{}
	}
	masks := old.Properties.Get(props.SetKernelParamOpt)
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(now.kernels)) {
		if n, ok := was.kernels[name]; ok {
			if n != now.kernels[name] {
				lines = append(lines, fmt.Sprintf("kernel %s: %d parameters, and the old code has %d", name, now.kernels[name], n))
			}
		} else if mask, ok := masks.Get(name); ok && keptParameters(mask) != now.kernels[name] {
			lines = append(lines, fmt.Sprintf("kernel %s: %d parameters, and its mask (%s) leaves %d",
				name, now.kernels[name], derive.Describe(props.SetKernelParamOpt, name, mask), keptParameters(mask)))
		}
	}
	return lines
}

// keptParameters counts the parameters that a mask does not remove.
func keptParameters(mask props.Value) int {
	kept := 0
	for i := range mask.BitLen() {
		if mask.Data()[i/8]>>(i%8)&1 == 0 {
			kept++
		}
	}
	return kept
}
