package main

import (
	"context"
	"fmt"
	"runtime"

	"offlink/cmd/internal/cli"
	"offlink/ir"
	"offlink/ir/devicelib"
	"offlink/ir/irfile"
	"offlink/props"
	"offlink/props/derive"
	"offlink/runtime/builtins"
	"offlink/split"
)

// postlink is the drop-in command: bytes -> module -> graph -> groups ->
// partitions, each with its property sets -> files, and the tables that name them;
// on the way to its file a partition may be translated to SPIR-V.
func postlink(args []string, s cli.Streams) error {
	o, err := parseCommandLine(args, s)
	if err != nil || o.done {
		return err
	}
	if o.spirv.wanted {
		collectLater()
	}
	outputs, err := o.newOutputs()
	if err != nil {
		return err
	}
	defer outputs.Abort()
	input, err := readInput(o.input, s)
	if err != nil {
		return err
	}
	// Signals are handled only from here on: reading leaves nothing to remove.
	ctx, stop := cli.StoppedBySignal(context.Background())
	defer stop()
	if input, err = inFormat(ctx, input, o); err != nil {
		return err
	}
	defer input.Close()
	if err := shrinkMemory(input); err != nil {
		return err
	}
	graph, groups, err := planImages(input.Module, o)
	if err != nil {
		return err
	}
	return makeOutputs(ctx, input, graph, groups, outputs, o, s)
}

// planImages refuses code that has to be lowered first, and divides the rest.
func planImages(m *ir.Module, o *options) (*split.Graph, []split.Group, error) {
	if err := checkLowering(m, o); err != nil {
		return nil, nil, locatedError(m, err)
	}
	graph, groups, err := planModule(m, o.split)
	if err == nil && o.derive.Requested[props.SetDeviceGlobals] {
		err = graph.PlaceImageScope(groups)
	}
	return graph, groups, err
}

// newOutputs returns the group of the run's files, none of which may be an input.
// The tables are checked at once, the images' files when they are made. The one module
// of -ir-output-only may replace the input, as with LLVM's own tools that write a module.
func (o *options) newOutputs() (*cli.Outputs, error) {
	outputs := &cli.Outputs{}
	if o.split.Single {
		return outputs, nil
	}
	outputs.ProtectInputs(o.input)
	outputs.ProtectArguments(o.arguments)
	if o.libraries != "" {
		outputs.ProtectInputs(devicelib.Files(o.libraries)...)
	}
	for _, out := range o.outputs {
		if out.file == "-" {
			continue
		}
		if err := outputs.CheckOutput(out.file); err != nil {
			return nil, err
		}
	}
	return outputs, nil
}

// makeOutputs is the second half of the walk: from groups to files. A step that fails
// leaves no files, as outputs get their names at the end.
func makeOutputs(ctx context.Context, input *irfile.File, graph *split.Graph, groups []split.Group, outputs *cli.Outputs, o *options, s cli.Streams) error {
	spirv, err := newTranslator(ctx, input, o, s.Err)
	if err != nil {
		return err
	}
	defer spirv.removeFolder()
	compiler, err := newPTXCompiler(ctx, input, o)
	if err != nil {
		return err
	}
	defer compiler.removeFolder()
	native, err := newNativeCompiler(ctx, input.Module.Path, o)
	if err != nil {
		return err
	}
	folder, err := readLibraryFolder(input.Module, o)
	if err != nil {
		return err
	}
	b := &build{ctx: ctx, options: o, derive: o.derive, folder: folder, ptx: compiler, native: native, outputs: outputs, streams: s}
	b.derive.Libraries = folder.Functions()
	images, err := b.makeImages(graph, groups, spirv)
	if err != nil {
		return err
	}
	if images, err = b.addDeviceLibraries(images); err != nil {
		return err
	}
	if err := writeTables(images, o, outputs, s); err != nil {
		return err
	}
	if err := outputs.Commit(); err != nil {
		return err
	}
	reportImages(images, o, s)
	spirv.reportStatistics(len(images), s.Err)
	return nil
}

// manyValues is a number of global values with which a module fills tens of megabytes.
const manyValues = 1 << 17

// shrinkMemory frees the memory that only reading needed. After a large module it runs
// the collector at once, which would otherwise run only when the images have filled
// memory of their own.
func shrinkMemory(input *irfile.File) error {
	if len(input.Module.Values) >= manyValues {
		defer runtime.GC()
	}
	return input.Shrink()
}

// build is one run of the drop-in command: its options and the values that all of
// its images share. Nothing in it changes once it is made, but for outputs,
// which several goroutines may use.
type build struct {
	ctx     context.Context
	options *options
	derive  derive.Options    // with the functions of the libraries
	folder  *devicelib.Folder // nil without libraries
	ptx     *ptxCompiler      // nil: not to PTX
	native  *nativeCompiler   // nil: no native images
	outputs *cli.Outputs
	streams cli.Streams
}

// planModule turns the module's annotations into attributes and groups its entry
// points.
func planModule(module *ir.Module, options split.Options) (*split.Graph, []split.Group, error) {
	annotated, err := split.ApplyAnnotations(module)
	if err != nil {
		return nil, nil, locatedError(module, err)
	}
	options.Annotated = annotated
	graph, err := split.NewGraph(module, options)
	if err != nil {
		return nil, nil, locatedError(module, err)
	}
	groups, err := graph.Plan()
	if err != nil {
		return nil, nil, locatedError(module, err)
	}
	return graph, groups, nil
}

// locatedError puts the input's name before an error about its content.
func locatedError(m *ir.Module, err error) error { return fmt.Errorf("%s: %w", m.Path, err) }

// reportImages prints the warnings of a run that succeeded.
func reportImages(images []*image, o *options, s cli.Streams) {
	for _, i := range images {
		for _, name := range i.undefined {
			if builtins.Contains(name) { // the reference does not know these
				continue
			}
			fmt.Fprintf(s.Err, "warning: Undefined function %s found in %s. This may result in runtime errors.\n", name, o.input)
		}
	}
	for _, i := range images {
		for _, f := range i.missing {
			fmt.Fprintf(s.Err, "warning: image %d: %s\n", i.number, describeMissing(f))
		}
	}
	warnNotNative(images, s)
	if len(images) > 0 && images[0].unmodified { // any other images are libraries
		fmt.Fprintf(s.Err, "%s NOTE: no modifications to the input LLVM IR have been made\n", program)
	}
	for _, i := range images {
		if o.split.Mode == split.Kernel && i.mixed {
			fmt.Fprintf(s.Err, "warning: image %d has SYCL and ESIMD code; -split-esimd puts them into separate images\n", i.number)
		}
	}
}

// describeMissing names a function that no library defines, the entry point
// that needs it, and the remedy.
func describeMissing(f split.MissingFunction) string {
	text := f.Function + " is not defined, and no device provides it"
	if f.User != "" {
		text = f.User + " needs " + f.Function + ", which is not defined and no device provides"
	}
	if f.Library == "" {
		return text + "; link a definition into the module before it is split"
	}
	return text + "; DPC++ has it in " + f.Library + ": link that into the module before it is split, or name its folder with -device-lib-dir"
}
