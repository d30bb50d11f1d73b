package main

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"slices"
	"strings"

	"offlink/cmd/internal/cli"
	"offlink/filetable"
	"offlink/props"
	"offlink/runtime/hostdev"
	"offlink/split"
	"offlink/toolchain"
)

// Native images of the embedded device (-to=x86_64, -to=aarch64): shared libraries
// that an installed C compiler makes of the SPIR-V images, beside which they lie.

// nativeTarget is an architecture that native images are made for.
type nativeTarget struct {
	name   string // the value of -to
	goarch string
	image  string // the target of the image, as SYCL's are spelled
	level  string // the processor, unless -native-arch names others
}

var nativeTargets = []nativeTarget{
	{"x86_64", "amd64", "spir64_x86_64", "x86-64-v3"},
	{"aarch64", "arm64", "spir64_aarch64", "armv8-a"},
}

// nativeOptions are the options of native images.
type nativeOptions struct {
	targets   []nativeTarget
	levels    []string // of -native-arch
	compiler  string   // -cc
	saveTemps bool
}

// defineNativeFlags adds the options.
func (o *nativeOptions) defineNativeFlags(f *cli.FlagSet) {
	f.Flags = append(f.Flags,
		cli.Flag{Name: "native-arch", Value: "LEVEL", Usage: "with -to=x86_64 or -to=aarch64, the least processor that the native images are for: " + levelNames() + "; several with commas (x86-64-v3, armv8-a)", Set: o.setLevels},
		cli.Flag{Name: "cc", Value: "PATH", Usage: "the C compiler for native images (gcc or clang from PATH, or a cross compiler)", Set: cli.SetString(&o.compiler)},
		cli.Flag{Name: "save-temps", Usage: "keep the C of native images beside them", Set: cli.SetBool(&o.saveTemps)},
	)
}

func levelNames() string {
	var names []string
	for _, p := range hostdev.Processors {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

// setLevels takes the levels of processors, in the order of hostdev.Processors and not
// of the option, so that tables list the least one first.
func (o *nativeOptions) setLevels(arg string) error {
	o.levels = nil
	given := strings.Split(arg, ",")
	for _, p := range hostdev.Processors {
		if slices.Contains(given, p.Name) {
			o.levels = append(o.levels, p.Name)
		}
	}
	for _, name := range given {
		if !slices.Contains(o.levels, name) {
			return fmt.Errorf("-native-arch=%s: want one of %s", name, levelNames())
		}
	}
	return nil
}

// addTarget takes an architecture of -to.
func (o *nativeOptions) addTarget(name string) bool {
	at := slices.IndexFunc(nativeTargets, func(t nativeTarget) bool { return t.name == name })
	if at < 0 {
		return false
	}
	if !slices.Contains(o.targets, nativeTargets[at]) {
		o.targets = append(o.targets, nativeTargets[at])
	}
	return true
}

// checkNative refuses options that do not go together.
func (o *options) checkNative() error {
	n := &o.native
	switch {
	case len(n.targets) == 0 && (len(n.levels) > 0 || n.compiler != "" || n.saveTemps):
		return errors.New("-native-arch, -cc and -save-temps are for native images: add -to=x86_64 or -to=aarch64")
	case len(n.targets) > 0 && !o.properties:
		return errors.New("native images are recognized by their property set: add -properties")
	case len(n.targets) > 1 && n.compiler != "":
		return errors.New("-cc names one compiler: make the native images of one architecture in each run")
	}
	for _, level := range n.levels {
		if !slices.ContainsFunc(n.targets, func(t nativeTarget) bool { return t.goarch == goarchOf(level) }) {
			return fmt.Errorf("-native-arch=%s: no -to asks for that architecture", level)
		}
	}
	return nil
}

func goarchOf(level string) string {
	at := slices.IndexFunc(hostdev.Processors, func(p hostdev.Processor) bool { return p.Name == level })
	return hostdev.Processors[at].GOARCH
}

// nativeImage is a native image: the cells of its row in the tables.
type nativeImage struct {
	code, properties string
	target, arch     string
}

// nativeCompiler makes native images. Its methods may be called from several
// goroutines.
type nativeCompiler struct {
	ctx       context.Context
	options   *nativeOptions
	path      string // the input's, for messages
	compilers []*toolchain.CCompiler
}

// newNativeCompiler finds the C compilers; nil if no native images are wanted.
func newNativeCompiler(ctx context.Context, path string, o *options) (*nativeCompiler, error) {
	if len(o.native.targets) == 0 {
		return nil, nil
	}
	c := &nativeCompiler{ctx: ctx, options: &o.native, path: path}
	for _, t := range o.native.targets {
		compiler, err := toolchain.FindCCompiler(o.native.compiler, t.goarch, &toolchain.Runner{Launcher: o.spirv.launcher})
		if err != nil {
			return nil, fmt.Errorf("-to=%s: %w", t.name, err)
		}
		c.compilers = append(c.compilers, compiler)
	}
	return c, nil
}

// levelsOf are the processors to make an image for.
func (c *nativeCompiler) levelsOf(t nativeTarget) []string {
	var levels []string
	for _, level := range c.options.levels {
		if goarchOf(level) == t.goarch {
			levels = append(levels, level)
		}
	}
	if levels == nil {
		return []string{t.level}
	}
	return levels
}

// writeNative makes the native images of an image and writes their files. Kernels that
// get no native code are not an error, as the SPIR-V image still serves them: they are
// noted with the reason for the warnings at the end.
func (w *imageWriter) writeNative(i *image, spirv []byte) error {
	name := fmt.Sprintf("%s, image %d", w.native.path, i.number)
	source, err := hostdev.NativeC(w.native.ctx, name, spirv)
	if err != nil {
		i.notNative = append(i.notNative, "no native code: "+err.Error())
		return nil
	}
	for _, r := range source.Refused {
		i.notNative = append(i.notNative, fmt.Sprintf("no native code of kernel %s: %s", r.Kernel, r.Reason))
	}
	if len(source.Kernels) == 0 {
		return nil
	}
	for n, t := range w.options.native.targets {
		for _, level := range w.native.levelsOf(t) {
			row, err := w.writeNativeLevel(i, source, w.native.compilers[n], t, level)
			if err != nil {
				return fmt.Errorf("-to=%s: %s: %w", t.name, name, err)
			}
			i.native = append(i.native, row)
		}
	}
	return nil
}

// writeNativeLevel makes the native image for one processor.
func (w *imageWriter) writeNativeLevel(i *image, source *hostdev.NativeSource, cc *toolchain.CCompiler, t nativeTarget, level string) (*nativeImage, error) {
	note, err := source.NoteFile(level)
	if err != nil {
		return nil, err
	}
	suffix := groupSuffix(i.group) + "_" + t.name
	if len(w.options.native.levels) > 1 {
		suffix += "_" + level
	}
	text, names := map[string]string{}, []string{}
	for _, f := range append(slices.Clone(source.Files), note) {
		text[f.Name], names = f.Text, append(names, f.Name)
	}
	if w.options.native.saveTemps {
		for _, f := range source.Files {
			file := w.options.fileName(i.number, suffix+"_"+strings.TrimSuffix(f.Name, ".c"), "c")
			if err := w.outputs.WriteFile(file, []byte(f.Text)); err != nil {
				return nil, err
			}
		}
	}
	code, err := cc.BuildLibrary(w.native.ctx, names, text, hostdev.NativeFlags(level))
	if err != nil {
		return nil, explainTool(err, strings.Join(names, " "))
	}
	row := &nativeImage{target: t.image, arch: level}
	facts, err := readNativeOutput(code)
	if err != nil {
		return nil, fmt.Errorf("the output of %s: %w", cc.Tool.Path, err)
	}
	row.code = w.options.fileName(i.number, suffix, "so")
	row.properties = w.options.fileName(i.number, suffix, "prop")
	return row, errors.Join(w.outputs.WriteFile(row.code, code), w.writeNativeProperties(row, facts))
}

// readNativeOutput reads the image as the device will, and refuses one that imports
// functions other than the three that compilers call by themselves: not every process
// that loads the image has them.
func readNativeOutput(code []byte) (*hostdev.NativeImage, error) {
	facts, err := hostdev.ReadNativeImage(bytes.NewReader(code))
	if err != nil {
		return nil, err
	}
	f, err := elf.NewFile(bytes.NewReader(code))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	symbols, err := f.ImportedSymbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return nil, err
	}
	for _, s := range symbols {
		switch s.Name {
		case "memset", "memcpy", "memmove":
		default:
			return nil, fmt.Errorf("it needs the function %s", s.Name)
		}
	}
	return facts, nil
}

// writeNativeProperties writes the one property set of a native image; the SPIR-V
// image has those about its kernels.
func (w *imageWriter) writeNativeProperties(row *nativeImage, facts *hostdev.NativeImage) error {
	set := &props.Set{Name: props.SetOfflinkNative}
	set.Put(props.NativeSPIRV, props.Bytes(facts.SPIRV[:]))
	set.Put(props.NativeArch, props.Bytes([]byte(row.arch)))
	sets := &props.Sets{All: []*props.Set{set}}
	text, err := sets.Text()
	if err != nil {
		return err
	}
	return w.outputs.WriteFile(row.properties, text)
}

// addNativeColumns adds the columns that distinguish native images from the SPIR-V images
// in the same table.
func addNativeColumns(t *filetable.Table) {
	t.Columns = append(t.Columns, filetable.ColumnTarget, filetable.ColumnFormat, filetable.ColumnArch)
}

// listsNative reports whether the table of a target lists native images, and
// whether it lists the others: a target of native images lists only those.
func (o *options) listsNative(target string) (native, others bool) {
	if len(o.native.targets) == 0 {
		return false, true
	}
	theirs := slices.ContainsFunc(nativeTargets, func(t nativeTarget) bool { return t.image == target })
	return target == "" || theirs, !theirs
}

// warnNotNative prints which kernels have no native code, and why.
func warnNotNative(images []*image, s cli.Streams) {
	for _, i := range images {
		for _, reason := range i.notNative {
			fmt.Fprintf(s.Err, "warning: image %d: %s\n", i.number, reason)
		}
	}
}

// takesNative reports whether an image has kernels that native code can be made of.
func takesNative(partition *split.Partition) bool { return len(kernelsOf(partition)) > 0 }
