package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"offlink/cmd/internal/cli"
	"offlink/ir"
	"offlink/props/derive"
	"offlink/split"
)

// deviceLibrary is a library of -device-lib-dir that becomes an image of its
// own, from which the runtime takes what other images import.
type deviceLibrary struct {
	file   string
	native bool // for devices that have the conversions built in
}

// bfloat16Libraries have the conversions to and from bfloat16, in the order of
// their images. The runtime loads one of the two, by the device.
var bfloat16Libraries = []deviceLibrary{
	{file: "libsycl-fallback-bfloat16.bc"},
	{file: "libsycl-native-bfloat16.bc", native: true},
}

// importsBFloat16 reports whether an image leaves conversions to the bfloat16
// libraries.
func importsBFloat16(s *split.Slice) bool {
	return slices.ContainsFunc(s.Imports(), func(id ir.ValueID) bool { return split.IsBFloat16Library(s.Module.Values[id].Name) })
}

// addDeviceLibraries appends the images of the bfloat16 libraries where an
// image needs them and a folder of libraries is given.
func addDeviceLibraries(ctx context.Context, images []*image, o *options, outputs *cli.Outputs, s cli.Streams) ([]*image, error) {
	first := slices.IndexFunc(images, func(i *image) bool { return i.bfloat16 })
	if o.libraries == "" || o.split.Single || first < 0 {
		return images, nil
	}
	targets := libraryTargets(images, o)
	for _, library := range bfloat16Libraries {
		i := &image{number: len(images), group: &split.Group{}, properties: map[string]string{}}
		if err := makeLibrary(ctx, i, library, targets, o, outputs, s); err != nil {
			return nil, fmt.Errorf("-device-lib-dir: image %d imports bfloat16 conversions: %w", first, err)
		}
		images = append(images, i)
	}
	return images, nil
}

// libraryTargets returns the targets that can run an image that needs the
// libraries, each once, in the order of the command line.
func libraryTargets(images []*image, o *options) []string {
	var targets []string
	for _, out := range o.outputs {
		needed := slices.ContainsFunc(images, func(i *image) bool {
			_, can := i.properties[out.target]
			return can && i.bfloat16
		})
		if needed && !slices.Contains(targets, out.target) {
			targets = append(targets, out.target)
		}
	}
	return targets
}

// makeLibrary writes the files of a library's image. The library takes the way
// of the input: it may have the other format, and tools of its own version.
func makeLibrary(ctx context.Context, i *image, library deviceLibrary, targets []string, run *options, outputs *cli.Outputs, s cli.Streams) error {
	o := *run
	o.input = filepath.Join(o.libraries, library.file)
	o.hasJobs = true // what is wrong with make's jobs was said already
	module, closeInput, err := openModule(ctx, &o, s)
	if err != nil {
		return err
	}
	defer closeInput()
	spirv, err := newTranslator(ctx, module, &o, s)
	if err != nil {
		return err
	}
	defer spirv.close()
	m := &maker{graph: &split.Graph{Module: module, Modified: true}, options: &o, outputs: outputs, spirv: spirv, streams: s, writer: module.Source.NewWriter()}
	slice := wholeSlice(module)
	if err := m.writeCode(i, slice); err != nil {
		return err
	}
	for _, target := range targets {
		if i.properties[target], err = m.writeSets(i, derive.BFloat16Library(module, library.native), target); err != nil {
			return err
		}
	}
	return m.writeSymbols(i, slice) // of no entry points
}

// wholeSlice returns the slice that is the module as it is.
func wholeSlice(module *ir.Module) *split.Slice {
	s := &split.Slice{Slice: ir.Slice{Module: module}, Group: &split.Group{}}
	for id := range module.Values {
		to := &s.Definitions
		if module.Values[id].Declaration {
			to = &s.Declarations
		}
		*to = append(*to, ir.ValueID(id))
	}
	return s
}
