// Package devicelib looks into a folder of device libraries: modules that
// define functions which device code calls and no device has built in. DPC++
// installs them as libsycl-*.bc, and its driver links those that a program
// needs before the module is split; here a library becomes an image of its own.
package devicelib

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"offlink/ir"
	"offlink/ir/irfile"
	"offlink/ir/sycl"
)

// BFloat16Libraries define the conversions to and from bfloat16, in the order
// of their images. The runtime loads one of the two: the second on devices that
// have the conversions built in.
var BFloat16Libraries = []BFloat16Library{
	{File: "libsycl-fallback-bfloat16.bc"},
	{File: "libsycl-native-bfloat16.bc", Native: true},
}

// BFloat16Library is a library of conversions to and from bfloat16.
type BFloat16Library struct {
	File   string
	Native bool // for devices that have the conversions built in
}

// Names of the files of libraries.
const (
	filePrefix = "libsycl-"
	fileSuffix = ".bc"
)

// Folder has the libraries of a folder other than those for bfloat16. It does not change once it is
// read.
type Folder struct {
	libraries []Library      // by name of the file
	definedBy map[string]int // function -> the first library that defines it
	functions map[string]bool
}

// Library is one library of a folder.
type Library struct {
	File            string // without the folder
	ImportsBFloat16 bool   // it calls conversions of the bfloat16 libraries

	declares []string
}

// ReadFolder reads the symbols of the libraries in dir. A folder that cannot be
// read has none: the caller reports a library when an image needs it.
func ReadFolder(dir string) (*Folder, error) {
	f := &Folder{definedBy: map[string]int{}, functions: map[string]bool{}}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return f, nil
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, filePrefix) || !strings.HasSuffix(name, fileSuffix) || isBFloat16File(name) {
			continue
		}
		if err := f.readLibrary(filepath.Join(dir, name), name); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Files returns the paths of all libraries in dir, those for bfloat16 too.
func Files(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var paths []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filePrefix) && strings.HasSuffix(e.Name(), fileSuffix) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths
}

func isBFloat16File(name string) bool {
	return slices.ContainsFunc(BFloat16Libraries, func(l BFloat16Library) bool { return l.File == name })
}

// MayNeed reports whether the module declares a function that a library of a
// folder may define, so that the folder is worth reading.
func MayNeed(m *ir.Module) bool {
	return slices.ContainsFunc(m.Values, func(v ir.GlobalValue) bool {
		return v.Kind == ir.Function && v.Declaration && !strings.HasPrefix(v.Name, "llvm.") && !sycl.IsBFloat16Library(v.Name)
	})
}

// readLibrary notes the functions that a library defines and declares. Their names are copied, as
// the file is unmapped at the end.
func (f *Folder) readLibrary(path, name string) error {
	file, err := irfile.Open(path, nil)
	if err != nil {
		return err
	}
	defer file.Close()
	library := Library{File: name}
	for i := range file.Module.Values {
		v := &file.Module.Values[i]
		switch {
		case v.Kind != ir.Function || v.IsLocal():
		case !v.Declaration:
			f.addFunction(strings.Clone(v.Name)) // the file is unmapped when it is closed
		case sycl.IsBFloat16Library(v.Name):
			library.ImportsBFloat16 = true
		default:
			library.declares = append(library.declares, strings.Clone(v.Name))
		}
	}
	f.libraries = append(f.libraries, library)
	return nil
}

// addFunction notes a function of the library that is being read. Of several
// definitions the first counts, as with an archive on a linker's command line.
func (f *Folder) addFunction(name string) {
	if _, known := f.definedBy[name]; !known {
		f.definedBy[name] = len(f.libraries)
		f.functions[name] = true
	}
}

// Functions returns the functions that the libraries define. The caller must
// not change the map. A nil Folder defines none.
func (f *Folder) Functions() map[string]bool {
	if f == nil {
		return nil
	}
	return f.functions
}

// Needed returns the libraries that define the functions, and those that these
// need in turn, in the order of their names.
func (f *Folder) Needed(functions []string) []Library {
	if f == nil {
		return nil
	}
	needed := make([]bool, len(f.libraries))
	for len(functions) > 0 {
		var next []string
		for _, name := range functions {
			if i, ok := f.definedBy[name]; ok && !needed[i] {
				needed[i] = true
				next = append(next, f.libraries[i].declares...)
			}
		}
		functions = next
	}
	var libraries []Library
	for i := range needed {
		if needed[i] {
			libraries = append(libraries, f.libraries[i])
		}
	}
	return libraries
}
