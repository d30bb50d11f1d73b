package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"offlink/ir"
	"offlink/ir/irfile"
	"offlink/ir/sycl"
	"offlink/props"
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

// Any other file of the folder that is called libsycl-*.bc is a library from
// which images, and libraries, take what they leave undefined: the driver of
// DPC++ links them before the module is split.
const (
	libraryPrefix = "libsycl-"
	librarySuffix = ".bc"
)

// libraryFolder is what the libraries of a folder give.
type libraryFolder struct {
	libraries []folderLibrary // by name of the file
	functions map[string]int  // the first library that defines the function
	provided  map[string]bool // all functions
}

type folderLibrary struct {
	file     string
	declares []string
	bfloat16 bool // it imports from the bfloat16 libraries
}

// readLibraryFolder looks into the libraries of -device-lib-dir, where the
// module leaves a function to others.
func readLibraryFolder(module *ir.Module, o *options) (*libraryFolder, error) {
	f := &libraryFolder{functions: map[string]int{}, provided: map[string]bool{}}
	if o.libraries == "" || o.split.Single || !slices.ContainsFunc(module.Values, isLibraryCall) {
		return f, nil
	}
	entries, err := os.ReadDir(o.libraries)
	if err != nil { // what cannot be found is said where it is missed
		return f, nil
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, libraryPrefix) || !strings.HasSuffix(name, librarySuffix) || isBFloat16File(name) {
			continue
		}
		if err := f.add(filepath.Join(o.libraries, name), name); err != nil {
			return nil, fmt.Errorf("-device-lib-dir: %w", err)
		}
	}
	return f, nil
}

// isLibraryCall reports whether a library may give what the module declares.
func isLibraryCall(v ir.GlobalValue) bool {
	return v.Kind == ir.Function && v.Declaration && !strings.HasPrefix(v.Name, "llvm.") && !sycl.IsBFloat16Library(v.Name)
}

func isBFloat16File(name string) bool {
	return slices.ContainsFunc(bfloat16Libraries, func(l deviceLibrary) bool { return l.file == name })
}

func (f *libraryFolder) add(path, name string) error {
	file, err := irfile.Open(path, nil)
	if err != nil {
		return err
	}
	defer file.Close()
	library := folderLibrary{file: name}
	for i := range file.Module.Values {
		v := &file.Module.Values[i]
		switch {
		case v.Kind != ir.Function || v.IsLocal():
		case !v.Declaration:
			if _, known := f.functions[v.Name]; !known {
				f.functions[strings.Clone(v.Name)] = len(f.libraries)
				f.provided[strings.Clone(v.Name)] = true
			}
		case sycl.IsBFloat16Library(v.Name):
			library.bfloat16 = true
		default:
			library.declares = append(library.declares, strings.Clone(v.Name))
		}
	}
	f.libraries = append(f.libraries, library)
	return nil
}

// needed returns the libraries that the functions come from, and those that
// these need, in the order of their names.
func (f *libraryFolder) needed(functions []string) []folderLibrary {
	wanted := make([]bool, len(f.libraries))
	for len(functions) > 0 {
		var next []string
		for _, name := range functions {
			if i, ok := f.functions[name]; ok && !wanted[i] {
				wanted[i] = true
				next = append(next, f.libraries[i].declares...)
			}
		}
		functions = next
	}
	var list []folderLibrary
	for i, yes := range wanted {
		if yes {
			list = append(list, f.libraries[i])
		}
	}
	return list
}

// calls returns the functions that an image leaves to the libraries.
func (f *libraryFolder) calls(s *split.Slice) []string {
	if len(f.provided) == 0 {
		return nil
	}
	var names []string
	for _, id := range s.Declarations {
		if v := &s.Module.Values[id]; v.Kind == ir.Function && f.provided[v.Name] {
			names = append(names, v.Name)
		}
	}
	return names
}

// importsBFloat16 reports whether an image leaves conversions to the bfloat16
// libraries.
func importsBFloat16(s *split.Slice) bool {
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
	why := fmt.Sprintf("image %d", bfloat16)
	for _, library := range b.folder.needed(calls) {
		i := &image{number: len(images), group: &split.Group{}, properties: map[string]string{}}
		sets := func(m *ir.Module) *props.Sets { return derive.Library(m, b.folder.provided) }
		targets := libraryTargets(own, o, func(i *image) bool { return i.libraryCalls != nil })
		if err := b.makeLibrary(i, library.file, sets, targets); err != nil {
			return nil, fmt.Errorf("-device-lib-dir: %w", err)
		}
		images = append(images, i)
		if library.bfloat16 && bfloat16 < 0 {
			bfloat16, why = i.number, library.file
		}
	}
	if bfloat16 < 0 {
		return images, nil
	}
	targets := libraryTargets(own, o, func(i *image) bool { return i.bfloat16 || i.libraryCalls != nil })
	for _, library := range bfloat16Libraries {
		i := &image{number: len(images), group: &split.Group{}, properties: map[string]string{}}
		sets := func(m *ir.Module) *props.Sets { return derive.BFloat16Library(m, library.native) }
		if err := b.makeLibrary(i, library.file, sets, targets); err != nil {
			return nil, fmt.Errorf("-device-lib-dir: %s imports bfloat16 conversions: %w", why, err)
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

// makeLibrary writes the files of a library's image. The library takes the way
// of the input: it may have the other format, and tools of its own version.
func (b *build) makeLibrary(i *image, library string, sets func(*ir.Module) *props.Sets, targets []string) error {
	input, err := openModule(b.ctx, filepath.Join(b.options.libraries, library), b.options, b.streams)
	if err != nil {
		return err
	}
	defer input.Close()
	// The input's translator has warned of make's jobs already.
	spirv, err := newTranslator(b.ctx, input, b.options, io.Discard)
	if err != nil {
		return err
	}
	defer spirv.close()
	w := newImageWriter(b, input.Module, spirv, false)
	slice := wholeSlice(input.Module)
	if err := w.writeCode(i, slice); err != nil {
		return err
	}
	for _, target := range targets {
		if i.properties[target], err = w.writeSets(i, sets(input.Module), target); err != nil {
			return err
		}
	}
	return w.writeSymbols(i, slice) // of no entry points
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
