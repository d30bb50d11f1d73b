package main

import (
	"context"
	"fmt"

	"offlink/cmd/internal/cli"
	"offlink/ir"
	"offlink/runtime/resolve"
	"offlink/split"
)

// postlink is the drop-in command: bytes -> module -> graph -> groups ->
// slices, each with its property sets -> files, and the tables that name them;
// on the way to its file a slice may be translated to SPIR-V.
func postlink(args []string, s cli.Streams) error {
	o, err := parseCommandLine(args, s)
	if err != nil || o.done {
		return err
	}
	input, err := readInput(o, s)
	if err != nil {
		return err
	}
	// Reading leaves nothing that a signal would have to remove.
	ctx, stop := cli.StoppedBySignal(context.Background())
	defer stop()
	if input, err = inFormat(ctx, input, o); err != nil {
		return err
	}
	defer input.Close()
	module := input.Module
	if err := checkLowering(module, o); err != nil {
		return located(module, err)
	}
	graph, groups, err := plan(module, o)
	if err != nil {
		return err
	}
	spirv, err := newTranslator(ctx, module, o, s)
	if err != nil {
		return err
	}
	defer spirv.close()
	folder, err := readLibraryFolder(module, o)
	if err != nil {
		return err
	}
	o.derive.Libraries = folder.provided
	outputs := &cli.Outputs{}
	defer outputs.Abort()
	images, err := makeImages(ctx, graph, groups, o, folder, outputs, spirv, s)
	if err != nil {
		return err
	}
	if images, err = addDeviceLibraries(ctx, images, folder, o, outputs, s); err != nil {
		return err
	}
	if err := writeTables(images, o, outputs, s); err != nil {
		return err
	}
	if err := outputs.Commit(); err != nil {
		return err
	}
	report(images, o, s)
	return nil
}

// plan makes the module ready and groups its entry points.
func plan(module *ir.Module, o *options) (*split.Graph, []split.Group, error) {
	marked, err := split.ApplyMarks(module)
	if err != nil {
		return nil, nil, located(module, err)
	}
	options := o.split
	options.DefaultImages = o.defaultCopy
	graph, err := split.NewGraph(module, options)
	if err != nil {
		return nil, nil, located(module, err)
	}
	graph.Marked, graph.Modified = marked, graph.Modified || marked
	groups, err := graph.Plan()
	if err != nil {
		return nil, nil, located(module, err)
	}
	if o.derive.DeviceGlobals {
		if err := graph.CheckImageScope(groups); err != nil {
			return nil, nil, err
		}
	}
	return graph, groups, nil
}

// located puts the input's name before an error about its content.
func located(m *ir.Module, err error) error { return fmt.Errorf("%s: %w", m.Path, err) }

// report prints the warnings of a run that succeeded.
func report(images []*image, o *options, s cli.Streams) {
	for _, i := range images {
		for _, name := range i.undefined {
			if resolve.IsBuiltin(name) { // the reference does not know these
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
	if len(images) > 0 && images[0].unmodified { // then libraries at most are behind it
		fmt.Fprintf(s.Err, "%s NOTE: no modifications to the input LLVM IR have been made\n", program)
	}
	for _, i := range images {
		if o.split.Mode == split.Kernel && i.mixed {
			fmt.Fprintf(s.Err, "warning: image %d has SYCL and ESIMD code; -split-esimd puts them into separate images\n", i.number)
		}
	}
}

// describeMissing says who needs a function that nothing gives, and what to do.
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
