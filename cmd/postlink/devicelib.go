package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"offlink/ir"
	"offlink/ir/devicelib"
	"offlink/ir/sycl"
	"offlink/props"
	"offlink/props/derive"
	"offlink/split"
)

// readLibraryFolder reads the libraries of -device-lib-dir. It returns nil without that
// option, or if the module declares nothing that a library may define.
func readLibraryFolder(module *ir.Module, o *options) (*devicelib.Folder, error) {
	if o.libraries == "" || o.split.Single || !devicelib.MayNeed(module) {
		return nil, nil
	}
	folder, err := devicelib.ReadFolder(o.libraries)
	if err != nil {
		return nil, fmt.Errorf("-device-lib-dir: %w", err)
	}
	return folder, nil
}

// libraryCalls returns the functions that an image leaves to the libraries.
func libraryCalls(s *split.Partition, provided map[string]bool) []string {
	if len(provided) == 0 {
		return nil
	}
	var names []string
	for _, id := range s.Declarations {
		if v := &s.Module.Values[id]; v.Kind == ir.Function && provided[v.Name] {
			names = append(names, v.Name)
		}
	}
	return names
}

// importsBFloat16 reports whether an image leaves conversions to the bfloat16
// libraries.
func importsBFloat16(s *split.Partition) bool {
	return slices.ContainsFunc(s.Imports(), func(id ir.ValueID) bool { return sycl.IsBFloat16Library(s.Module.Values[id].Name) })
}

// addDeviceLibraries appends the images of the libraries that images need,
// where a folder of libraries is given; those for bfloat16 are the last.
func (b *build) addDeviceLibraries(images []*image) ([]*image, error) {
	o := b.options
	if o.libraries == "" || o.split.Single {
		return images, nil
	}
	var calls []string
	for _, i := range images {
		calls = append(calls, i.libraryCalls...)
	}
	own, bfloat16 := images, slices.IndexFunc(images, func(i *image) bool { return i.bfloat16 })
	importer := fmt.Sprintf("image %d", bfloat16)
	for _, library := range b.folder.Needed(calls) {
		i := &image{number: len(images), group: &split.Group{}, properties: map[string]string{}}
		sets := func(m *ir.Module) *props.Sets { return derive.Library(m, b.derive.Libraries) }
		targets := libraryTargets(own, o, func(i *image) bool { return i.libraryCalls != nil })
		if err := b.makeLibrary(i, library.File, sets, targets); err != nil {
			return nil, fmt.Errorf("-device-lib-dir: %w", err)
		}
		images = append(images, i)
		if library.ImportsBFloat16 && bfloat16 < 0 {
			bfloat16, importer = i.number, library.File
		}
	}
	if bfloat16 < 0 {
		return images, nil
	}
	targets := libraryTargets(own, o, func(i *image) bool { return i.bfloat16 || i.libraryCalls != nil })
	for _, library := range devicelib.BFloat16Libraries {
		i := &image{number: len(images), group: &split.Group{}, properties: map[string]string{}}
		sets := func(m *ir.Module) *props.Sets { return derive.BFloat16Library(m, library.Native) }
		if err := b.makeLibrary(i, library.File, sets, targets); err != nil {
			return nil, fmt.Errorf("-device-lib-dir: %s imports bfloat16 conversions: %w", importer, err)
		}
		images = append(images, i)
	}
	return images, nil
}

// libraryTargets returns the targets that can run an image that needs
// libraries, each once, in the order of the command line.
func libraryTargets(images []*image, o *options, needs func(*image) bool) []string {
	var targets []string
	for _, out := range o.outputs {
		needed := slices.ContainsFunc(images, func(i *image) bool {
			_, can := i.properties[out.target]
			return can && needs(i)
		})
		if needed && !slices.Contains(targets, out.target) {
			targets = append(targets, out.target)
		}
	}
	return targets
}

// makeLibrary writes the files of a library's image. The library is processed like an
// input, with a translator of its own: its format and its LLVM version may differ.
func (b *build) makeLibrary(i *image, library string, sets func(*ir.Module) *props.Sets, targets []string) error {
	input, err := openModule(b.ctx, filepath.Join(b.options.libraries, library), b.options, b.streams)
	if err != nil {
		return err
	}
	defer input.Close()
	// The input's translator has printed the warning about make's jobs already.
	spirv, err := newTranslator(b.ctx, input, b.options, io.Discard)
	if err != nil {
		return err
	}
	defer spirv.removeFolder()
	w := newImageWriter(b, input.Module, spirv, false)
	partition := wholePartition(input.Module)
	if err := w.writeCode(i, partition); err != nil {
		return err
	}
	for _, target := range targets {
		if i.properties[target], err = w.writeSets(i, sets(input.Module), target); err != nil {
			return err
		}
	}
	return w.writeSymbols(i, libraryEntries(sets(input.Module)))
}

// libraryEntries are the exported functions of a library: DPC++'s runtime takes no image that has no
// entry. It makes an exception of the bfloat16 libraries, which are without entries in the
// reference.
func libraryEntries(sets *props.Sets) []string {
	if sets.Get(props.SetDevicelibMetadata) != nil {
		return nil
	}
	return sets.Get(props.SetExportedSymbols).Names()
}

// wholePartition returns the partition that is the module as it is.
func wholePartition(module *ir.Module) *split.Partition {
	s := &split.Partition{Partition: ir.Partition{Module: module}, Group: &split.Group{}}
	for id := range module.Values {
		to := &s.Definitions
		if module.Values[id].Declaration {
			to = &s.Declarations
		}
		*to = append(*to, ir.ValueID(id))
	}
	return s
}
